"""Bringing the files of a study together: each included once, no cycles, every place kept."""

import errno
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from evallang.checking.clauses import TABLE_ENDINGS
from evallang.checking.scope import refusal
from evallang.diagnostics import Diagnostic, Related, Severity, codes, diagnose
from evallang.source import SourceFile
from evallang.syntax.language import STATEMENTS, clause
from evallang.syntax.nodes import CommentNode, IncludeNode, StatementNode, StudyNode
from evallang.syntax.parser import ParsedFile, parse_lines
from evallang.syntax.repair import ParseLine, read_line

Read = Callable[[str], str]
"""Gives the text of a file by its path relative to the study; raises `OSError`."""

DEEPEST = 64  # files that include one another, as deep as brackets and names may be
MOST_READ = 1_000  # characters of a line that could not be read
_NAME = re.compile(r"[^\W\d][\w.-]*")
_DECLARING = frozenset(
    {
        "correct",
        "counts",
        "data",
        "judges",
        "let",
        "model",
        "models",
        "predictions",
        "protocol",
        "scores",
    }
    | {"battles", "value"}
)
"""Words of lines that declare names."""


class Gathered(Struct, eq=False):
    """All statements of a study, whose path is `path`, and its includes, in the order written."""

    path: str
    parse_line: ParseLine
    sources: dict[str, SourceFile] = field(default_factory=dict)
    parsed: dict[str, ParsedFile] = field(default_factory=dict)
    statements: list[StatementNode] = field(default_factory=list)
    comments: list[CommentNode] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """The words of statements and clauses of a file that could not be read."""
    unread_names: set[str] = field(default_factory=set)
    """Names in such lines, which may be what they were to declare."""
    lacks_files: bool = False
    """Whether an `include` brought nothing, so that anything may be declared there."""


def gather(path: str, text: str, read: Read, parse_line: ParseLine = read_line) -> Gathered:
    """Parse a study and every file it includes."""
    found = Gathered(path, parse_line)
    _enter(SourceFile(path, text), (path,), {}, read, found)
    return found


def _enter(
    source: SourceFile,
    way: tuple[str, ...],
    included: dict[str, IncludeNode],
    read: Read,
    found: Gathered,
) -> None:
    found.sources[source.path] = source
    parsed = parse_lines(source, found.parse_line)
    found.parsed[source.path] = parsed
    tree, diagnostics = parsed.study, parsed.diagnostics
    if len(way) > 1:  # the study says the version for its parts too
        diagnostics = tuple(d for d in diagnostics if d.code != codes.missing_version.code)
    found.diagnostics += diagnostics
    if parsed.refused:
        found.unread.update(STATEMENTS)
    for line in _unread(source, tree, diagnostics):
        _look_at(line, found)
    found.lacks_files |= parsed.refused
    found.comments += tree.comments
    for statement in tree.statements:
        found.statements.append(statement)
        if isinstance(statement, IncludeNode):
            _include(source, statement, way, included, read, found)


def _unread(
    source: SourceFile, tree: StudyNode, diagnostics: Iterable[Diagnostic]
) -> Iterator[str]:
    """Yield each faulty line of a statement or clause that is not in the tree."""
    seen = {source.position(statement.span.start).line for statement in tree.statements}
    for found in diagnostics:
        if found.severity is not Severity.ERROR:
            continue
        if found.span is not None:
            line = source.position(found.span.start).line
            if line in seen:
                continue
            seen.add(line)  # a line of a megabyte may have many errors
            yield source.line(line)


def _look_at(line: str, found: Gathered) -> None:
    """Remember what a line that could not be read might have said."""
    words = _NAME.findall(line[:MOST_READ])
    if not words:
        return
    first = words[0]
    known = first in STATEMENTS or clause(first) is not None
    if known:
        found.unread.add(first)
    elif not line[0].isspace():
        found.unread.update(STATEMENTS)  # nobody knows what it is
    if first in _DECLARING or not known:
        found.unread_names.update(words[1:])


def _include(
    source: SourceFile,
    node: IncludeNode,
    way: tuple[str, ...],
    included: dict[str, IncludeNode],
    read: Read,
    found: Gathered,
) -> None:
    written = node.path.value
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), written))
    problem, help_ = "", ""
    related: tuple[Related, ...] = ()
    if written.strip() in ("", ".", "./"):
        problem = f"`{written}` names no file" if written else "the path is empty"
        help_ = 'write the path of a study, as in `include "lab/protocol.eval"`'
    elif "://" in written or written.startswith("/"):
        problem = f"`{written}` is not a path relative to this file"
        help_ = "name the file by its path from here"
    elif _leads_out(path, way[0]):
        problem = f"`{written}` is outside the study's folder"
        help_ = "put the file into that folder, or one below it"
    elif path in way:
        circle = (*way[way.index(path) + 1 :], path)
        chain = ", which includes ".join(f"`{step}`" for step in circle)
        problem = f"`{path}` includes {chain if way[-1] != path else 'itself'}"
        help_ = "remove the line"
    elif path in included:
        problem, help_ = f"`{written}` is included twice", "keep one of the two"
        related = (Related(included[path].path.span, "the first include is here"),)
    elif written.lower().endswith(TABLE_ENDINGS):
        problem = f"`{written}` is a table, not a part of a study"
        help_ = f'name it in a statement of its own: `data NAME from "{written}"`'
    elif len(way) > DEEPEST:
        problem = f"files include one another more than {DEEPEST} deep"
        help_ = "let the study name its files itself, an `include` line for each"
    if problem:
        found.diagnostics.append(
            diagnose(codes.include_problem, problem, node.path.span, help=help_, related=related)
        )
        if path not in (*way, *included):
            _lacks(found)
        return
    included[path] = node
    try:
        text = read(path)
    except (OSError, UnicodeDecodeError) as error:
        said = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error.strerror)
        reason = said[:1].lower() + said[1:]
        found.diagnostics.append(
            refusal(
                "unreadable_include",
                node.path.span,
                help=f"name one file of it, as in `{written.rstrip('/')}/protocol.eval`"
                if isinstance(error, OSError) and error.errno == errno.EINVAL
                else None,
                written=written,
                reason=reason,
            )
        )
        _lacks(found)
        return
    _enter(SourceFile(path, text), (*way, path), included, read, found)


def _lacks(found: Gathered) -> None:
    """Remember that a file is missing, which may hold any statement."""
    found.lacks_files = True
    found.unread.update(STATEMENTS)


def _leads_out(path: str, study: str) -> bool:
    """Return whether a file stands elsewhere than in the study's folder or below it.

    Messages show lines of what is included: a study from elsewhere shall not read one's files.
    """
    folder = posixpath.normpath(posixpath.dirname(study) or ".")
    inside = "" if folder == "." else f"{folder.rstrip('/')}/"
    below = path.removeprefix(inside)
    return not path.startswith(inside) or below.startswith("/") or f"{below}/".startswith("../")
