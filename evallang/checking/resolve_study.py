"""`study` and `report`: what a study is called, at which level it decides, how it is printed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from evallang.checking import clause_values
from evallang.checking.clauses import Clauses
from evallang.checking.resolve_export import outside_objection
from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Code, Edit, Fix, Related, codes
from evallang.results.bibtex_entries import cited_keys
from evallang.results.settings import ReportSettings, Stated
from evallang.source import Span
from evallang.spelling import listed
from evallang.study import Protocol
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import STATEMENTS, word_of

FORMATS = STATEMENTS["report"].words["formats"]
DEFAULT = ReportSettings()


class Header(Struct, frozen=True):
    """The `study` statement with its defaults filled in."""

    title: str
    authors: tuple[str, ...]
    question: str | None
    about: str | None
    seed: int
    alpha: float
    confidence: float
    families: Literal["separate", "together"]
    looks: int | None
    places: Mapping[str, Span]


def header(scope: Scope, stem: str) -> Header:
    """Resolve `study`; its title is the file's stem where none is written."""
    written, start = scope.single(n.HeaderNode), Span(scope.path, 0, 0)
    node = written or n.HeaderNode(keyword=start, span=start)
    clauses = Clauses(scope, node)
    stated: dict[str, Any] = {
        "seed": clauses.take("seed"),
        "alpha": clauses.take("alpha"),
        "confidence": clauses.take("confidence"),
        "families": clauses.take("families"),
    }
    alpha = stated["alpha"] or 0.05
    assumed = {"seed": 0, "alpha": alpha, "confidence": round(1 - alpha, 12)}
    if node.title is None:
        scope.default("study title", stem, "study", "title")
    values: dict[str, Any] = {**assumed, "families": "separate"}
    for word, value in stated.items():
        if value is None:
            scope.default(f"study {word}", values[word], "study", word)
        else:
            values[word] = value
    return Header(
        title=node.title.value if node.title else stem,
        authors=tuple(
            text
            for clause in clauses.find(n.ClauseNode)
            if clause.keyword.name == "author"
            and (text := clause_values.text(scope, clause)) is not None
        ),
        question=clauses.take("question"),
        about=clauses.take("about"),
        looks=clauses.take("looks"),
        places={"study": node.keyword, **clauses.places} if written else {},
        **values,
    )


def check_citations(scope: Scope, head: Header, report: ReportSettings) -> None:
    """Report a citation in the words about the study without a bibliography to look it up in."""
    if report.bibliography is not None or "report" in scope.unread:
        return
    for word, text in (("question", head.question), ("about", head.about)):
        keys = cited_keys(text or "")
        if keys and word in head.places:
            scope.refuse("cites_without_bibliography", head.places[word], word=word, keys=keys)


def report_settings(scope: Scope) -> tuple[ReportSettings, str | None, Mapping[str, Span]]:
    """Resolve `report`: the settings, the folder it names, and the places of its clauses."""
    node = scope.single(n.ReportNode)
    if node is None:
        scope.default("report", ", ".join(DEFAULT.formats), "report")
        return DEFAULT, None, {}
    formats: list[str] = []
    words = [name.name for name in node.formats]
    clause_values.distinct(scope, node.formats, words, " in `report`")
    for name in node.formats:
        if name.name not in FORMATS:
            text, fixes = suggestion(name.name, name.span, FORMATS)
            scope.refuse(
                "unknown_format",
                name.span,
                help=text,
                name=name,
                formats=listed(FORMATS, "and"),
                fixes=fixes,
            )
        elif name.name not in formats:
            formats.append(name.name)
    clauses = Clauses(scope, node)
    plain = {
        word: _file(scope, clauses, word) if word in FILES else clauses.take(word)
        for word in clauses.known
        if word not in ("to", "show", "hide")
    }
    for word, value in plain.items():
        assumed = getattr(DEFAULT, word)
        if value is None and assumed is not None:
            scope.default(f"report {word}", assumed, "report", word)
    shown, hidden = _sections(scope, clauses, "show"), _sections(scope, clauses, "hide")
    if shown is not None and hidden is not None:
        scope.refuse(
            "show_and_hide",
            clauses.places["hide"],
            related=[Related(clauses.places["show"], "the sections to show are here")],
        )
    settings = ReportSettings(
        tuple(formats) or DEFAULT.formats,
        show=shown,
        hide=hidden or (),
        **{word: value for word, value in plain.items() if value is not None},
    )
    places = {word: span for word, span in clauses.places.items() if word in FILES}
    places |= {"report": node.keyword}
    places |= {f"report {word}": span for word, span in clauses.places.items()}
    return (
        settings,
        _below(
            scope,
            clauses,
            "to",
            codes.report_folder,
            "results are written to a folder",
            'name a folder below the study\'s own, such as `to "results"`, or use `run -o DIR`',
        ),
        places,
    )


FILES = {
    "style": (".css", "journal.css"),
    "template": (".html.j2", "lab.html.j2"),
    "bibliography": (".bib", "refs.bib"),
}
"""The clauses that name a file: its ending, and an example."""


def _file(scope: Scope, clauses: Clauses, word: str) -> str | None:
    """Return the path of a file; None where none is named, and after a report."""
    ending, example = FILES[word]
    inside = f'name a file in the study\'s own folder, such as `{word} "{example}"`'
    made = "a report is made from files"
    return _below(scope, clauses, word, codes.clause_value, made, inside, ending)


def _below(
    scope: Scope, clauses: Clauses, word: str, code: Code, made: str, inside: str, ending: str = ""
) -> str | None:
    """Return a path below the study's folder; None where none is named, and after a report."""
    clause, written = clauses.plain(word), clauses.take(word)
    if clause is None or written is None:
        return None
    objection = outside_objection(written, made, inside)
    if not written.strip():
        objection = "is empty", inside
    elif objection is None and not written.lower().endswith(ending):
        objection = f"does not end in `{ending}`", inside
    if objection is None:
        return str(written)
    shown = f"`{written}`" if written.strip() else "the path"
    scope.report(code, f"{shown} {objection[0]}", clause.span, help=objection[1])
    return None


def _sections(scope: Scope, clauses: Clauses, word: str) -> tuple[str, ...] | None:
    """Take the sections of `show` or `hide`; None where the clause is not written."""
    clause = clauses.plain(word)
    if clause is None:
        return None
    from evallang.reporting.section import EXHIBIT, SECTIONS  # read only where they are named

    found: list[n.NameNode | n.TextNode] = []
    for value in clause.values:
        if isinstance(value, n.TextNode) and EXHIBIT.fullmatch(value.value):
            found.append(value)
            continue
        code, message = codes.clause_value, f"`{word}` takes names of sections"
        text: str | None = None
        fixes: list[Fix] = []
        if isinstance(value, n.NameNode) and value.name in SECTIONS:
            found.append(value)
            if word == "show" or SECTIONS[value.name].declaration.hideable:
                continue
            message = f"`{value.name}` is printed in every report and cannot be hidden"
            text = f"remove `{value.name}`"
        elif isinstance(value, n.NameNode):
            text, fixes = suggestion(value.name, value.span, SECTIONS.names())
            message, code = f"there is no section `{value.name}`", codes.unknown_word
        elif isinstance(value, n.TextNode) and value.value in SECTIONS:
            text = f"write `{value.value}`, without quotes"
            fixes = [Fix("remove the quotes", (Edit(value.span, value.value),))]
        help_ = text or (
            "`evallang list sections` lists all of them; a single figure or table is named as in "
            'the address of its link, such as `"figure-estimates-1"`'
        )
        scope.report(code, message, value.span, help=help_, fixes=fixes)
    names = [value.name if isinstance(value, n.NameNode) else value.value for value in found]
    return clause_values.distinct(scope, found, names, f" in `{word}`")


def stated_settings(
    statements: Iterable[n.StatementNode], protocols: Iterable[Protocol]
) -> tuple[Stated, ...]:
    """List the statements and clauses of a study and its includes, in the order written."""
    names = {protocol.span: protocol.name for protocol in protocols}
    return tuple(_stated(statements, names))


def _stated(
    statements: Iterable[n.StatementNode], protocols: dict[Span | None, str]
) -> Iterator[Stated]:
    numbers: Counter[str] = Counter()
    for statement in statements:
        if isinstance(statement, n.EvallangNode):
            continue
        word = word_of(statement)
        number, name = numbers[word], _name(statement) or protocols.get(statement.span)
        numbers[word] += 1
        yield Stated(word, number, None, name, _value(statement, word))
        for clause in statement.clauses:
            below = word_of(clause)
            yield Stated(word, number, below, name, _value(clause, below))


def _name(statement: n.StatementNode) -> str | None:
    name = getattr(statement, "name", None)
    return name.name if isinstance(name, n.NameNode) else None


def _value(node: n.StatementNode | n.AnyClauseNode, word: str) -> str:
    """Return what follows the keyword; a single text is returned without its quotes."""
    value = format_node(node).removeprefix(word).strip()
    return next((text.value for text in _texts(node) if text.literal == value), value)


def _texts(node: n.Node) -> Iterator[n.TextNode]:
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, n.TextNode):
                yield part
