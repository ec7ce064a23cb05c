"""Determine what may follow at a place in a study, from the grammar and the table alone.

The line up to the place is parsed with a name put there, and completed to the shortest line that
the grammar accepts. The field of the node in which the name then is tells what it may be.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from evallang.source import SourceFile
from evallang.syntax import language, nodes as n
from evallang.syntax.language import STATEMENTS
from evallang.syntax.line_parser import END, Prefix, prefix, run, terminals
from evallang.syntax.logical_lines import LogicalLine, lay_out
from evallang.syntax.scanner import Token

SAMPLE_NAME = "x"
WORD = re.compile(r"(?<![\w.+-])[\w.+-]*\Z")
WAIVER = re.compile(r"#\s*evallang:\s*allow\s+\Z")
MOST_ADDED = 6  # tokens that complete a line; no line needs more behind a name
SAMPLES = {"NAME": SAMPLE_NAME, "NUMBER": "1", "TEXT": '""', "OPERATOR": "<"}
BRANCHES = ("numeric", "categorical", "rest")
CALLS = (n.CallNode, n.OptionNode)


class Names(Struct, frozen=True):
    """Names that may follow: the members of a catalogue, the columns, or what a study declares.

    `kind` is one of `language.Names`, or `rules`. With `of`, the options of a member of this
    catalogue are meant; with `option` as well, the values of this option. `before` are the words
    of a protocol that are already written.
    """

    kind: str
    of: str = ""
    option: str = ""
    before: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """What may follow at a place: words of the language, and names; `typed` is there already."""

    typed: str
    words: tuple[str, ...] = ()
    names: tuple[Names, ...] = ()


def place(text: str, offset: int) -> Place:
    """Return what may follow at an offset of a text."""
    before = text[:offset]
    typed = WORD.search(before)
    written = typed.group() if typed else ""
    start = offset - len(written)
    if WAIVER.search(text[text.rfind("\n", 0, start) + 1 : start]):
        return Place(written, names=(Names("rules"),))
    layout = lay_out(SourceFile("", f"{text[:start]}{SAMPLE_NAME}"))
    line = layout.lines[-1] if layout.lines else None
    tokens = () if line is None else line.tokens
    ends = (i for i, t in enumerate(tokens) if t.start == start and t.kind == "NAME")
    at = next(ends, None)
    if line is None or at is None:
        return Place(written)  # in a comment or in quotes
    above = next((kept for kept in reversed(layout.lines[:-1]) if kept.at_margin), None)
    if at == 0:
        return Place(written, tuple(_first_words(layout.lines, above, at_margin=line.at_margin)))
    words, names = _inside(line, at, above)
    return Place(written, tuple(words), tuple(dict.fromkeys(names)))


def _first_words(
    lines: Sequence[LogicalLine], above: LogicalLine | None, *, at_margin: bool
) -> Iterator[str]:
    """Iterate over the words that begin a statement, or a clause of the statement above."""
    if at_margin:
        written = {kept.word for kept in lines[:-1] if kept.at_margin}
        for word, statement in STATEMENTS.items():
            if not (statement.once and word in written) and (word != "evallang" or not written):
                yield word
    elif above is not None and above.word in STATEMENTS:
        below = lines[lines.index(above) + 1 : -1]
        for word, clause in STATEMENTS[above.word].clauses.items():
            if clause.repeatable or word not in {kept.word for kept in below}:
                yield word


def _inside(
    line: LogicalLine, at: int, above: LogicalLine | None
) -> tuple[Iterator[str], list[Names]]:
    """Return the words of the language and the names that fit inside a line."""
    start = "statement" if line.at_margin else "clause"
    before, after = line.tokens[:at], line.tokens[at + 1 :]
    reached, taken = prefix(start).advance(before)
    if taken < at:
        return iter(()), []
    fitting = [word for word in reached.expected() if word[0].isalpha() and not word.isupper()]
    names: list[Names] = []
    for tokens in _completions(reached, line.tokens[at], after):
        node = run("", start, [*before, *tokens]).node
        statement = above.word if above is not None else ""
        for word, kind in _asked(node, line.tokens[at].start, statement):
            fitting += [word] if word else []
            names += [kind] if kind else []
    return iter(dict.fromkeys(fitting)), names


def _completions(before: Prefix, name: Token, after: Sequence[Token]) -> Iterator[list[Token]]:
    """Iterate over short completions of a line with a name at its end: one for each next token."""
    reached, taken = before.advance([name])
    if not taken:
        return
    end = name.end
    for first in _samples(reached, end):
        found = _shortest(reached, first, [*after, Token(END, "", end, end)])
        if found is not None:
            yield [name, *found, *after]


def _samples(reached: Prefix, place: int) -> Iterator[Token | None]:
    """Iterate over a token of each kind that fits, and None for no further token."""
    yield None
    for word in reached.expected():
        if word != END:
            symbol = terminals().get(word, word)
            text = SAMPLES.get(symbol, word)
            kind = "NAME" if text[:1].isalpha() else symbol
            yield Token(kind, text, place, place)


def _shortest(before: Prefix, first: Token | None, after: Sequence[Token]) -> list[Token] | None:
    """Find the fewest tokens that begin with `first` and lead to the rest of the line."""
    queue: deque[tuple[list[Token], Prefix]] = deque()
    seen: set[tuple[object, ...]] = set()
    steps = [] if first is None else [first]
    reached, taken = before.advance(steps)
    if taken == len(steps):
        queue.append((steps, reached))
    while queue:
        added, reached = queue.popleft()
        if reached.advance(after)[1] == len(after):
            return added
        if first is None or len(added) == MOST_ADDED or reached.states in seen:
            continue
        seen.add(reached.states)
        for token in _samples(reached, after[0].start):
            if token is not None:
                further, fits = reached.advance([token])
                if fits:
                    queue.append(([*added, token], further))
    return None


# --- what a name is --------------------------------------------------------------------


def _asked(node: n.Node | None, start: int, above: str) -> Iterator[tuple[str, Names | None]]:
    """Iterate over the words and kinds of names that a place in a node may hold."""
    path = _path(node, start)
    if node is None or not path:
        return
    word, field = language.word_of(node), path[0][1]  # type: ignore[arg-type]
    known: language.Statement | language.Clause | None
    if isinstance(node, n.StatementNode):
        known = STATEMENTS[word]
        words = known.words.get(field, ())
    else:
        known = STATEMENTS[above].clauses.get(word) if above in STATEMENTS else None
        words = () if known is None or field == "keyword" else known.words
    if known is None:
        return
    kinds = known.names.get(field, ())
    if isinstance(known, language.Clause) and known.takes in ("column", "columns"):
        kinds = ("columns",)
    inner = [(kept, name) for kept, name in path if isinstance(kept, CALLS)]
    if inner and inner[-1][1] != "name":
        yield from _call_completions(path, kinds, node)
        return
    if path[-1][0].__class__ is n.BranchNode and path[-1][1] == "key":
        yield from ((branch, None) for branch in BRANCHES)
        return
    yield from ((choice, None) for choice in words)
    for kind in kinds:
        before: tuple[str, ...] = ()
        if kind == "protocols" and isinstance(node, n.ProtocolNode):
            before = tuple(w.name for w in node.words if w.span.start < start)
        yield "", Names(kind, before=before)
    if isinstance(node, n.ProtocolNode) and field == "words" and len(node.words) > 1:
        written = "_".join(w.name for w in node.words if w.span.start < start)
        yield "", Names("protocols", of=written)


def _call_completions(
    path: Sequence[tuple[n.Node, str]], kinds: Sequence[str], node: n.Node
) -> Iterator[tuple[str, Names | None]]:
    """Iterate over what fits among the options of a member, or as the value of one."""
    holder = next(kept for kept, name in reversed(path) if isinstance(kept, CALLS))
    if isinstance(holder, n.OptionNode):
        callee = "_".join(w.name for w in getattr(node, "words", ()))
        key = "" if path[-1][1] == "key" else holder.key.name
        kinds = ("protocols",) if isinstance(node, n.ProtocolNode) else ()
    else:
        callee = holder.name.name
        argument = next(kept for kept, _ in path[::-1] if isinstance(kept, n.ArgumentNode))
        written = None if path[-1][1] == "key" else argument.key
        key = "" if written is None else written.name
    for kind in kinds:
        if kind not in ("model", "let"):
            yield "", Names(kind, of=callee, option=key)
    if key:
        yield "", Names("let")
    if isinstance(node, n.StatementNode) and isinstance(holder, n.OptionNode) and not key:
        yield from ((option, None) for option in STATEMENTS[language.word_of(node)].options)


def _path(node: object, start: int) -> list[tuple[n.Node, str]]:
    """Return the nodes and fields that lead to the name that begins at a place."""
    if not isinstance(node, n.Node):
        return []
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, n.NameNode) and child.span.start == start:
                return [(node, name)]
            inner = _path(child, start)
            if inner:
                return [(node, name), *inner]
    return []


# --- what a study declares -------------------------------------------------------------


def declared(statements: Iterable[n.StatementNode]) -> dict[str, tuple[str, ...]]:
    """Return the names in a study by what they are: models, protocols, constants and columns."""
    found: dict[str, dict[str, None]] = {"model": {}, "protocol": {}, "let": {}, "columns": {}}
    for statement in statements:
        word = language.word_of(statement)
        name = getattr(statement, "name", None)
        if word in found and isinstance(name, n.NameNode):
            found[word][name.name] = None
        for node in (statement, *statement.clauses):
            known = (
                STATEMENTS[word]
                if node is statement
                else STATEMENTS[word].clauses.get(language.word_of(node))
            )
            if isinstance(node, n.ModelColumnsNode):
                found["model"] |= {_written(item.name): None for item in node.items}
            elif isinstance(node, n.RightNode):
                found["model"][_written(node.model)] = None
            if known is not None:
                found["columns"] |= dict.fromkeys(_columns(node, known))
    return {kind: tuple(names) for kind, names in found.items()}


def _columns(node: n.Node, known: language.Statement | language.Clause) -> Iterator[str]:
    """Iterate over the columns that a statement or clause names."""
    named = [field for field, kinds in known.names.items() if "columns" in kinds]
    if isinstance(known, language.Clause) and known.takes in ("column", "columns"):
        named = ["values"]
    for field in named:
        value = getattr(node, field)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, n.NameNode | n.TextNode):
                yield _written(child)


def _written(node: object) -> str:
    match node:
        case n.NameNode(name):
            return name
        case n.TextNode(_, literal):
            return literal
    return str(node)
