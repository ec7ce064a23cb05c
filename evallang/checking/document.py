"""`study` and `report`: what a study is called, at which level it decides, how it is printed."""

from collections.abc import Mapping
from typing import Literal, cast

from evallang.checking import claim_codes, clause_values, codes, unbuilt, values
from evallang.checking.clauses import Clauses
from evallang.checking.paths import outside_objection
from evallang.checking.scope import Scope, suggestion
from evallang.frozen import frozen
from evallang.results.settings import ReportSettings
from evallang.source import Span
from evallang.spelling import listed
from evallang.syntax import nodes as n

HEADER_CLAUSES = ("author", "question", "about", "seed", "alpha", "confidence", "families")
REPORT_CLAUSES = (
    "to", "title", "numbers", "page", "style", "template", "show", "hide", "bibliography",
)  # fmt: skip
FORMATS = ("html", "pdf")
NUMBER_STYLES = ("apa", "ama", "nejm", "sci")
LARGEST_SEED = 2**32 - 1


@frozen
class Header:
    """The `study` statement with its defaults filled in."""

    title: str
    authors: tuple[str, ...]
    question: str | None
    about: str | None
    seed: int
    alpha: float
    confidence: float
    families: Literal["separate", "together"]
    places: Mapping[str, Span]


def header(scope: Scope, stem: str) -> Header:
    """Resolve `study`; its title is the file's stem where none is written."""
    node = scope.single(n.HeaderNode, "study")
    clauses = Clauses(scope, node, "study", HEADER_CLAUSES) if node else None
    found = {word: clauses.plain(word) if clauses else None for word in HEADER_CLAUSES}
    authors = [c for c in (clauses.all if clauses else []) if isinstance(c, n.ClauseNode)]
    seed_clause, alpha_clause = found["seed"], found["alpha"]
    seed = clause_values.integer(scope, seed_clause, 0, LARGEST_SEED) if seed_clause else None
    alpha = clause_values.share(scope, alpha_clause) if alpha_clause else None
    level_clause, families_clause = found["confidence"], found["families"]
    confidence = clause_values.share(scope, level_clause) if level_clause else None
    families = (
        clause_values.word(scope, families_clause, ("separate", "together"))
        if families_clause
        else None
    )
    if node is None or node.title is None:
        scope.default("study title", stem)
    if seed is None:
        seed = 0
        scope.default("study seed", seed)
    if alpha is None:
        alpha = 0.05
        scope.default("study alpha", alpha)
    if confidence is None:
        confidence = round(1 - alpha, 12)
        scope.default("study confidence", confidence)
    if families is None:
        families = "separate"
        scope.default("study families", families)
    question, about = found["question"], found["about"]
    return Header(
        title=node.title.value if node and node.title else stem,
        authors=tuple(
            text
            for clause in authors
            if clause.keyword.name == "author"
            and (text := clause_values.text(scope, clause)) is not None
        ),
        question=clause_values.text(scope, question) if question else None,
        about=clause_values.text(scope, about) if about else None,
        seed=seed,
        alpha=alpha,
        confidence=confidence,
        families=cast(Literal["separate", "together"], families),
        places={"study": node.keyword, **clauses.places} if node and clauses else {},
    )


def report_settings(scope: Scope) -> tuple[ReportSettings, str | None]:
    """Resolve `report`: the settings, and the folder it names."""
    node = scope.single(n.ReportNode, "report")
    if node is None:
        scope.default("report", "html, pdf")
        return ReportSettings(), None
    formats: list[str] = []
    words = [name.name for name in node.formats]
    clause_values.distinct(scope, node.formats, words, " in `report`")
    for name in node.formats:
        if name.name in unbuilt.FORMATS:
            others = [word for word in words if word in FORMATS] or list(FORMATS)
            values.not_in_this_version(
                scope,
                f"the report format `{name.name}`",
                name,
                way_out=f"write `report {', '.join(dict.fromkeys(others))}`; every number of the "
                "report is in `results.json`",
            )
        elif name.name not in FORMATS:
            text, fixes = suggestion(name.name, name.span, (*FORMATS, *unbuilt.FORMATS))
            scope.report(
                codes.UNKNOWN_WORD,
                f"there is no report format `{name.name}`",
                name.span,
                help=text or f"the formats are {listed(FORMATS, 'and')}",
                fixes=fixes,
            )
        elif name.name not in formats:
            formats.append(name.name)
    clauses = Clauses(scope, node, "report", REPORT_CLAUSES)
    for word in sorted(unbuilt.CLAUSES["report"]):
        if (clause := clauses.plain(word)) is not None:
            values.not_in_this_version(scope, f"the report clause `{word}`", clause)
    numbers, page = clauses.plain("numbers"), clauses.plain("page")
    style = clause_values.word(scope, numbers, NUMBER_STYLES) if numbers else None
    paper = clause_values.word(scope, page, ("a4", "letter")) if page else None
    if style is None:
        scope.default("report numbers", "apa")
    if paper is None:
        scope.default("report page", "a4")
    settings = ReportSettings(
        tuple(formats) or ("html", "pdf"), clauses.text("title"), style or "apa", paper or "a4"
    )
    return settings, _folder(scope, clauses)


def _folder(scope: Scope, clauses: Clauses) -> str | None:
    """Give the folder of the results; None where none is named, and after a report."""
    clause, written = clauses.plain("to"), clauses.text("to")
    if clause is None or written is None:
        return None
    if not written.strip():
        way_out = 'name a folder below the study\'s own, such as `to "results"`'
        scope.report(claim_codes.REPORT_FOLDER, "the path is empty", clause.span, help=way_out)
        return None
    objection = outside_objection(
        written,
        "results are written to a folder",
        'name a folder below the study\'s own, such as `to "results"`, or use `run -o DIR`',
    )
    if objection is None:
        return written
    scope.report(
        claim_codes.REPORT_FOLDER, f"`{written}` {objection[0]}", clause.span, help=objection[1]
    )
    return None
