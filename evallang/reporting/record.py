"""What was done, as a record: requirements, choices, protocol, provenance, the study file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Interval,
    Listing,
    Number,
    Paragraph,
    Row,
    Runs,
    Strong,
    Table,
    Term,
    runs,
)
from evallang.reporting.numbers import (
    count,
    fixed,
    interval,
    percent,
    scale_of,
    seconds,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Requirement

STATED, DEFAULT = Term("●", "stated in the study file"), Term("○", "default")
GROUPS = {
    "study": "Study",
    "data": "Data",
    "predictions": "Data",
    "scores": "Data",
    "counts": "Data",
    "group": "Resampling",
    "stratify": "Resampling",
    "protocol": "Resampling",
    "tune": "Resampling",
    "let": "Models",
    "model": "Models",
    "measure": "Measures",
    "interval": "Measures",
    "compare": "Comparisons",
    "require": "Comparisons",
    "analyze": "Comparisons",
    "export": "Models",
    "use": "Models",
    "report": "Report",
    "evallang": "Study",
}
CLAUSES = {
    "Study": "seed alpha confidence families author question about title",
    "Data": "target features positive missing id weight unit where cite categorical task cases "
    "separator header sheet truth label",
    "Resampling": "cv folds times test validation outer inner rounds estimate holdout repeated "
    "nested bootstrap shuffle gap seeds select split by time_series leave_one_out 5x2cv",
    "Measures": "average accuracy metric pool confidence_interval method",
    "Comparisons": "correction family alternative omnibus mcnemar cochran permutation corrected_t "
    "friedman margin level",
    "Report": "numbers page format formats show hide",
}


@SECTIONS.register(SectionDeclaration(order=40), title="Requirements")
def requirements(context: Context) -> Sequence[Block]:
    """Give each requirement with what decided it."""
    found = context.results.requirements
    if not found:
        return []
    rows = []
    for item in found:
        where = context.data_label(item.data)
        if item.subgroup is not None:
            where += f", {item.subgroup.column} = {item.subgroup.level}"
        value, bounds = _decided_on(context, item)
        rows.append(
            Row(
                (
                    Cell(runs(Code(item.source.removeprefix("require ")))),
                    Cell(runs(where)),
                    Cell(value, item.value),
                    Cell(bounds),
                    Cell(runs(percent(item.level))),
                    Cell(runs(Strong(runs("met"))) if item.met else runs(Strong(runs("not met")))),
                )
            )
        )
    columns = (
        Column(runs("Requirement"), "left", wide=True),
        Column(runs("On"), "left", muted=True),
        Column(runs("Value"), sortable=True),
        Column(runs("Interval"), muted=True),
        Column(runs("Level"), muted=True),
        Column(runs("Decision"), "left"),
    )
    notes = [
        runs(
            "Decided on the interval: its bound on the unfavourable side must lie beyond the line. "
            "Lines are not corrected for one another; the study passes only if all are met "
            "(Berger 1982)."
        )
    ]
    for item in found:
        for note in (*((item.reason,) if item.reason else ()), *item.notes):
            notes.append(runs(Code(item.source.removeprefix("require ")), f": {sentence(note)}"))
    methods = dict.fromkeys(context.method_title("interval", i.method) for i in found if i.method)
    if methods:
        notes.append(runs(f"Intervals: {', '.join(methods)}."))
    caption = runs("Requirements of the study and how they were decided.")
    return [Table("table-requirements", caption, columns, tuple(rows), notes=tuple(notes))]


def _decided_on(context: Context, item: Requirement) -> tuple[Runs, Runs]:
    """Print value and interval of a requirement: a level in percent, a difference in points."""
    metric = context.metric(item.metric)
    bounds = item.interval or (None, None)
    half = None
    if bounds[0] is not None and bounds[1] is not None:
        half = (bounds[1] - bounds[0]) / 2
    scale = scale_of([half], [item.value], percent=metric.percent, n=context.n(item.data))
    level = item.kind == "level"
    line = item.threshold if level else _line(item)
    text = fixed(item.value, scale, signed=not level, null=line)
    if item.value is not None and metric.percent:
        text += "%" if level else "\u00a0points"
    printed = interval(*bounds, scale, null=line)
    return runs(Number(text, item.value)), runs(Interval(printed, *bounds))


def _line(item: Requirement) -> float | None:
    """Give the line that the bound must lie beyond: 0, or minus the margin."""
    if item.margin is None:
        return 0.0
    return -abs(item.margin) if item.kind in ("noninferior", "equivalent") else abs(item.margin)


@SECTIONS.register(SectionDeclaration(order=50), title="Hyper-parameters chosen")
def selections(context: Context) -> Sequence[Block]:
    """Give the choices per model, folded: how often each was made."""
    found = context.results.selections
    if not found:
        return []
    by_model: dict[tuple[str, str, str], Counter[str]] = {}
    for item in found:
        key = (item.data, item.protocol, item.model)
        words = ", ".join(f"{name}={value}" for name, value in item.params.items()) or "as written"
        by_model.setdefault(key, Counter())[words] += 1
    several = len({(data, protocol) for data, protocol, _ in by_model}) > 1
    rows = []
    for (data, protocol, model), choices in by_model.items():
        label = context.model(model)
        if several:
            label += f" ({context.data_label(data)}, {protocol})"
        total = sum(choices.values())
        for i, (words, n) in enumerate(choices.most_common()):
            cells = (
                Cell(runs(label if i == 0 else "")),
                Cell(runs(Code(words))),
                Cell(runs(Number(count(n), float(n)), f" of {count(total)}"), float(n)),
            )
            rows.append(Row(cells))
    columns = (
        Column(runs("Model"), "left"),
        Column(runs("Parameters"), "left", wide=True),
        Column(runs("Outer folds")),
    )
    rules = ", ".join(dict.fromkeys(item.rule for item in found if item.rule))
    notes = (runs(f"Rule: {rules.replace('_', ' ')}."),) if rules else ()
    caption = runs("Hyper-parameters chosen inside the training parts.")
    return [Table("table-selections", caption, columns, tuple(rows), notes=notes)]


@SECTIONS.register(SectionDeclaration(order=90, hideable=False), title="Protocol")
def protocol(context: Context) -> Sequence[Block]:
    """Give every setting that can change a number: what is stated, and every default."""
    groups: dict[str, list[Row]] = {
        name: []
        for name in ("Study", "Data", "Resampling", "Models", "Measures", "Comparisons", "Report")
    }
    facts = _consequences(context)
    for keyword, setting, value in _statements(context.results.spec.canonical):
        group = GROUPS.get(keyword, "Study")
        fact = facts.get((keyword, value.split(" ")[0] if value else ""), "")
        groups[group].append(_setting(setting, STATED, value, fact if setting == keyword else ""))
    for default in context.results.study.defaults:
        group = _group_of(default.clause, context)
        groups[group].append(_setting(default.clause, DEFAULT, _value(default.value), ""))
    for name, value in context.results.spec.overrides.items():
        row = _setting(f"--set {name}", STATED, _value(value), "from the command line")
        groups["Study"].append(row)
    rows: list[Row] = []
    for name, members in groups.items():
        if members:
            rows += [Row((Cell(runs(name)),), group=True), *members]
    columns = [
        Column(runs("Setting"), "left", muted=True),
        Column(runs("Value"), "left", wide=True),
        Column(runs("Consequence"), "left", muted=True),
    ]
    if not any(cell.runs for row in rows for cell in row.cells[2:]):
        columns.pop()
        rows = [Row(row.cells[:2], group=row.group) for row in rows]
    caption = runs(
        "Every setting that can change a number of this report. ", STATED,
        " stated in the study file; ", DEFAULT, " default.",
    )  # fmt: skip
    return [Table("table-protocol", caption, tuple(columns), tuple(rows))]


def _setting(name: str, origin: Term, value: str, fact: str) -> Row:
    return Row((Cell(runs(name)), Cell(runs(origin, "\u2002", value)), Cell(runs(fact))))


def _statements(text: str) -> list[tuple[str, str, str]]:
    """Read a canonical study file into (keyword of the statement, clause, value).

    Lines that continue a pipeline or a bracket belong to the value before them.
    """
    found: list[tuple[str, str, str]] = []
    keyword, depth = "", 0
    for line in text.split("\n"):
        line = _without_comment(line)
        words = line.strip()
        if not words:
            continue
        continued = depth > 0 or words.startswith(("|", ")", "]"))
        depth += sum(words.count(c) for c in "([{") - sum(words.count(c) for c in ")]}")
        if continued and found:
            last = found[-1]
            found[-1] = (last[0], last[1], f"{last[2]} {words}".strip())
            continue
        clause, _, value = words.partition(" ")
        if not line.startswith((" ", "\t")):
            keyword = clause
        found.append((keyword, clause, value.strip()))
    return [item for item in found if item[0] != "evallang"]


def _without_comment(line: str) -> str:
    """Cut a comment, where the sign does not stand inside a text."""
    inside = False
    for i, character in enumerate(line):
        if character == '"' and (i == 0 or line[i - 1] != "\\"):
            inside = not inside
        elif character == "#" and not inside:
            return line[:i].rstrip()
    return line.rstrip()


def _consequences(context: Context) -> Mapping[tuple[str, str], str]:
    """Give what a statement led to, by its keyword and the name that follows it."""
    facts: dict[tuple[str, str], str] = {}
    for data in context.results.data:
        words = f"{count(data.n)} {context.cases(data.name)}"
        if data.n_features is not None:
            words += f", {count(data.n_features)} features"
        if data.excluded:
            words += "; left out: " + ", ".join(
                f"{count(e.n)} by {e.clause}" for e in data.excluded
            )
        for keyword in ("data", "predictions", "scores", "counts"):
            facts[keyword, data.name] = words
    for model in context.results.models:
        if model.tuned:
            sizes = [len(candidates) for candidates in model.tuned.values()]
            product = 1
            for size in sizes:
                product *= size
            facts["model", model.name] = f"{count(product)} candidates"
    own = [item for item in context.results.protocols if item.implied_by is None]
    for item in own:
        parts = []
        if item.n_splits is not None:
            parts.append(f"{count(item.n_splits)} splits")
        if item.n_fits is not None:
            parts.append(f"{count(item.n_fits)} fits")
        facts["protocol", item.name] = facts["protocol", item.kind.split("_")[0]] = ", ".join(parts)
    for comparison in context.results.comparisons:
        first = comparison.source.removeprefix("compare ").split(" ")[0]
        size = comparison.family.size
        facts["compare", first] = f"a family of {count(size)}" if size > 1 else "one test"
    return facts


def _group_of(clause: str, context: Context) -> str:
    """Find the group of a default by the words of its clause."""
    models = {model.name for model in context.results.models}
    words = clause.replace("(", " ").replace("=", " ").replace(".", " ").split()
    for word in words:
        if word in GROUPS:
            return GROUPS[word]
        if word in models:
            return "Models"
        for group, names in CLAUSES.items():
            if word in names.split():
                return group
    return "Study"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(_value(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_value(item)}" for key, item in value.items())
    return str(value)


@SECTIONS.register(SectionDeclaration(order=95, hideable=False), title="Provenance")
def provenance(context: Context) -> Sequence[Block]:
    """Give what is needed to run the study again, and to see that it is the same."""
    results = context.results
    made = results.provenance
    rows = [("Study file", f"{results.spec.path}, SHA-256 {results.spec.sha256}")]
    rows += [
        (f"Data: {context.data_label(data.name)}", f"{data.source}, SHA-256 {data.sha256}")
        for data in results.data
    ]
    packages = ", ".join(f"{name} {version}" for name, version in made.packages.items())
    fits = made.fits
    rows += [
        ("Seed", str(results.study.seed)),
        ("Software", f"evallang {made.evallang}, Python {made.python}"),
        ("Packages", packages),
        ("Machine", f"{made.platform}; {made.processor}"),
        ("Started", f"{made.started}, took {seconds(made.seconds)}"),
        (
            "Fits",
            f"{count(fits.planned)} planned, {count(fits.run)} run, {count(fits.cached)} from the "
            f"store, {count(fits.failed)} failed",
        ),
    ]
    if made.git is not None:
        state = " with changes not committed" if made.git.dirty else ""
        rows.append(("Commit", made.git.commit + state))
    rows += [
        (f"Model saved: {context.model(item.model)}", f"{item.path}, SHA-256 {item.sha256}")
        for item in results.exports
    ]
    rows.append(("Report", f"{context.report_id} (first digits of the SHA-256 of the results)"))
    columns = (Column(runs("Item"), "left", muted=True), Column(runs("Value"), "left", wide=True))
    body = tuple(Row((Cell(runs(name)), Cell(runs(value)))) for name, value in rows if value)
    caption = runs("What was run, on what, and when.")
    table = Table("table-provenance", caption, columns, body)
    command = made.command or f"evallang run {results.spec.path}"
    redraw = "evallang report results.json"
    return [
        table,
        Paragraph(runs("To run the study again, and to draw this report again from its results:")),
        Listing(f"{command}\n{redraw}", "Commands"),
    ]


@SECTIONS.register(SectionDeclaration(order=99), title="Study file")
def source(context: Context) -> Sequence[Block]:
    """Give the study file as formatted."""
    text = context.results.spec.canonical.strip("\n")
    return [Listing(text, context.results.spec.path)] if text else []
