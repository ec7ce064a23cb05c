"""The protocol: every setting that can change a number, stated or default, and what it did."""

from collections.abc import Mapping, Sequence

from evallang.reporting.context import Context
from evallang.reporting.decisions import bayesian
from evallang.reporting.default_words import CLAUSES, GROUPS, KEYWORD_GROUPS, default_words
from evallang.reporting.document import Block, Cell, Code, Column, Row, Runs, Table, Term, runs
from evallang.reporting.numbers import count
from evallang.reporting.searches import candidates
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.statements import statements, value_words
from evallang.reporting.titles import mid_sentence
from evallang.reporting.wording import plural_count
from evallang.results.columns import ColumnLine, column_lines
from evallang.results.records import ProtocolRecord

STATED = Term("●", "stated in the study file")
DEFAULT = Term("○", "default")
IMPLIED = Term("◇", "implied by a test")
STUDY_GROUPS = {"seed": "Resampling", "alpha": "Tests", "families": "Tests",
                "confidence": "Measures"}  # fmt: skip
STUDY_CLAUSES = {
    "study": "Title",
    "seed": "Seed",
    "alpha": "Level α",
    "families": "Families",
    "confidence": "Confidence level",
    "author": "Author",
    "question": "Question",
    "about": "About",
}
STATEMENTS = {
    "data": "Data",
    "predictions": "Predictions",
    "scores": "Scores",
    "counts": "Counts",
    "group": "Groups",
    "stratify": "Stratification",
    "protocol": "Splits",
    "tune": "Search",
    "model": "Model",
    "let": "Abbreviation",
    "use": "Own code",
    "measure": "Measures",
    "compare": "Comparison",
    "require": "Requirement",
    "analyze": "Analysis",
    "export": "Export",
    "report": "Report",
}


@SECTIONS.register(SectionDeclaration(order=90, hideable=False), title="Protocol")
def protocol(context: Context) -> Sequence[Block]:
    """Give every setting that can change a number: what is stated, and every default."""
    groups: dict[str, list[Row]] = {name: [] for name in GROUPS}
    _stated(context, groups)
    groups["Data"] += _columns(context)
    for record in context.results.protocols:
        if record.implied_by is not None:
            groups["Resampling"].append(_implied(context, record))
    for name, value in context.results.spec.overrides.items():
        row = _row(f"--set {name}", STATED, value_words(value), "from the command line")
        groups["Report"].append(row)
    seen = dict.fromkeys(
        (default.clause, value_words(default.value)) for default in context.results.study.defaults
    )
    values = {(d.clause, value_words(d.value)): d.value for d in context.results.study.defaults}
    made_ = (default_words(context, clause, values[clause, words]) for clause, words in seen)
    for made in dict.fromkeys(made_):
        groups[made.group].append(_row(made.name, DEFAULT, made.value, made.consequence))
    rows: list[Row] = []
    for name, members in groups.items():
        if members:
            rows += [Row((Cell(runs(name)),), group=True), *members]
    columns = (
        Column(runs("Setting"), "left", muted=True),
        Column(runs("Value"), "left", wide=True),
        Column(runs("Consequence"), "left", muted=True, wide=True),
    )
    signs = runs(STATED, " stated in the study file; ", DEFAULT, " default")
    if any(record.implied_by is not None for record in context.results.protocols):
        signs += runs("; ", IMPLIED, " implied by a test")
    caption = runs("Every setting that can change a number of this report. ", signs, ".")
    return [Table("table-protocol", caption, columns, tuple(rows), whole=True)]


def _stated(context: Context, groups: Mapping[str, list[Row]]) -> None:
    """Add every clause of the study file, in its group."""
    facts = _consequences(context)
    number = 0
    for keyword, clause, value in statements(context.results.spec.canonical):
        first = value.split(" ")[0] if value else ""
        fact = facts.get((clause, first), "") if clause == keyword else ""
        group = KEYWORD_GROUPS.get(keyword, "Report")
        if keyword == "study":
            group = STUDY_GROUPS.get(clause, "Report")
            name = STUDY_CLAUSES.get(clause, clause.capitalize())
        elif clause == keyword:
            name = STATEMENTS.get(keyword, keyword.capitalize())
            if keyword == "compare":
                number += 1
                name, fact = f"Comparison {number}", facts.get(("compare", str(number)), "")
        else:
            name = CLAUSES.get(clause, clause.replace("_", " ").capitalize())
        groups[group].append(_row(name, STATED, _unquoted(value), fact))


def _columns(context: Context) -> list[Row]:
    """Return what every column was used for; columns that were used alike share a row."""
    rows = []
    several = len(context.results.data) > 1
    seen: set[tuple[str, tuple[ColumnLine, ...]]] = set()
    for data in context.results.data:
        lines = column_lines(data.columns, most_single=0)
        source = data.name.partition("/")[0]
        if (source, lines) in seen:  # the data sets of one statement mostly have one form
            continue
        seen.add((source, lines))
        for line in lines:
            title = f"Columns of {data.name}" if several else "Columns"
            cells = (Cell(runs(title)), Cell(runs(line.title)), Cell(runs(line.facts)))
            rows.append(Row(cells))
    return rows


def _unquoted(value: str) -> str:
    """Take the quotes from a value that is one text."""
    inner = value[1:-1]
    return inner if value == f'"{inner}"' and '"' not in inner else value


def _implied(context: Context, record: ProtocolRecord) -> Row:
    words = mid_sentence(record.summary.rstrip(".")) or record.kind.replace("_", " ")
    made = runs("implied by ", Code(record.implied_by or ""), f": {_sizes(record)}")
    return Row((Cell(runs("Splits of a test")), Cell(runs(IMPLIED, "\u2002", words)), Cell(made)))


def _sizes(record: ProtocolRecord) -> str:
    parts = []
    if record.n_splits is not None:
        parts.append(plural_count(record.n_splits, "split"))
    if record.n_fits is not None:
        parts.append(plural_count(record.n_fits, "fit"))
    return ", ".join(parts)


def _row(name: str, origin: Term, value: str, fact: str) -> Row:
    words: Runs = runs(origin, "\u2002", value)
    return Row((Cell(runs(name)), Cell(words), Cell(runs(fact))))


def _consequences(context: Context) -> Mapping[tuple[str, str], str]:
    """Give what a statement led to, by its keyword and the name that follows it."""
    facts: dict[tuple[str, str], str] = {}
    for data in context.results.data:
        words = context.size_words(data.name)
        if data.n_features is not None:
            words += f", {plural_count(data.n_features, 'feature')}"
        if data.excluded:
            words += "; left out: " + ", ".join(
                f"{count(e.n)} by {e.clause}" for e in data.excluded
            )
        for keyword in ("data", "predictions", "scores", "counts"):
            facts[keyword, data.name] = words
    for model in context.results.models:
        said = [plural_count(candidates(model), "candidate")] if model.tuned else []
        facts["model", model.name] = "; ".join([*said, *model.notes])
    for record in context.results.protocols:
        if record.implied_by is None:
            words = "; ".join([_sizes(record), *record.notes])
            facts["protocol", record.name] = words
            facts["protocol", record.kind.split("_")[0]] = words
    for comparison in context.results.comparisons:
        size = comparison.family.size
        words = f"a family of {plural_count(size, 'test')}" if size > 1 else "one test"
        if any(bayesian(pair) for pair in comparison.pairwise):
            words = f"{plural_count(len(comparison.pairwise), 'pair')}, without correction"
        if comparison.family.exploratory:
            words += ", exploratory"
        facts["compare", str(comparison.index + 1)] = words
    return facts
