"""What was done, as a record: requirements, choices, provenance, the study file."""

from collections import Counter
from collections.abc import Sequence

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Listing,
    Number,
    Paragraph,
    Row,
    Strong,
    Table,
    runs,
)
from evallang.reporting.numbers import count, percent, seconds
from evallang.reporting.requirement_findings import (
    NOT_CORRECTED,
    alpha_of,
    decided_on,
    interval_of,
    line_words,
    notes_of,
    source_of,
    test_words,
    where_words,
)
from evallang.reporting.searches import (
    RULES,
    RULES_OF_ONE_PART,
    on_validation_part,
    parameter_words,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import p_cell, p_letter, plural


@SECTIONS.register(SectionDeclaration(order=40), title="Requirements")
def requirements(context: Context) -> Sequence[Block]:
    """Return each requirement with what decided it."""
    found = context.results.requirements
    if not found:
        return []
    tested = [item for item in found if item.test is not None]
    rows = []
    for item in found:
        value, bounds = decided_on(context, item)
        cells = [
            Cell(runs(Code(source_of(item)), where_words(context, item))),
            Cell(value, item.value),
            Cell(bounds),
            Cell(runs(percent(item.level))),
            Cell(line_words(context, item) or runs("difference 0")),
            Cell(runs(Strong(runs("met" if item.met else "not met")))),
        ]
        if tested:
            p = item.test.p if item.test is not None else None
            cells.insert(-1, Cell(p_cell(context, p, alpha_of(context, item)), p))
        rows.append(Row(tuple(cells)))
    columns = [
        Column(runs("Requirement"), "left", wide=True),
        Column(runs("Value"), sortable=True),
        Column(runs("Interval"), muted=True),
        Column(runs("Level"), muted=True),
        Column(runs("Line"), "left", muted=True),
        Column(runs("Decision"), "left"),
    ]
    if tested:
        columns.insert(-1, Column(runs(p_letter(context)), sortable=True))
    notes = [
        runs(
            "Decided on the interval: its bound on the unfavourable side must lie beyond the "
            "line. ",
            runs("Where there is a ", p_letter(context), ", on that of the test and on the sign "
                 "of the difference. ") if tested else (),
            NOT_CORRECTED,
        ),
        *notes_of(context, found),
    ]  # fmt: skip
    for item in tested:
        notes.append(runs(Code(source_of(item)), ": ", test_words(context, item), "."))
    methods = dict.fromkeys(interval_of(context, i) for i in found if i.method not in ("", "none"))
    if methods:
        notes.append(runs(f"Intervals: {', '.join(methods)}."))
    caption = runs("Requirements of the study and how they were decided.")
    return [Table("table-requirements", caption, tuple(columns), tuple(rows), notes=tuple(notes))]


@SECTIONS.register(SectionDeclaration(order=50), title="Hyper-parameters chosen")
def selections(context: Context) -> Sequence[Block]:
    """Return the choices per model, folded: how often each was made."""
    found = context.results.selections
    if not found:
        return []
    by_model: dict[tuple[str, str, str], Counter[str]] = {}
    for item in found:
        key = (item.data, item.protocol, item.model)
        words = parameter_words(item.params) or "as written"
        by_model.setdefault(key, Counter())[words] += 1
    sets, protocols = ({key[i] for key in by_model} for i in (0, 1))
    rows = []
    for (data, protocol, model), choices in by_model.items():
        label = context.model(model)
        places = [context.data_label(data)] if len(sets) > 1 else []
        places += [context.protocol(protocol)] if len(protocols) > 1 else []
        label += f" ({', '.join(places)})" if places else ""
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
    rules = dict.fromkeys(item.rule for item in found if item.rule)
    validated = on_validation_part(context)
    said = RULES_OF_ONE_PART if validated else RULES
    words = " or ".join(said.get(rule, rule.replace("_", " ")) for rule in rules)
    each = "" if validated else " in each outer fold"
    notes = (runs(f"The choice{each} was {words}."),) if words else ()
    place = "on a validation part" if validated else "inside the training parts"
    caption = runs(f"Hyper-parameters chosen {place}.")
    return [Table("table-selections", caption, columns, tuple(rows), notes=notes)]


@SECTIONS.register(SectionDeclaration(order=95, hideable=False), title="Provenance")
def provenance(context: Context) -> Sequence[Block]:
    """Return what is needed to run the study again, and to see that it is the same."""
    results = context.results
    made = results.provenance
    rows = [("Study file", f"{results.spec.path}, SHA-256 {results.spec.sha256}")]
    by_hash: dict[tuple[str, str], list[str]] = {}
    for data in results.data:
        label = context.data_label(data.name)
        by_hash.setdefault((data.source, data.sha256), []).append(label)
    rows += [
        (
            f"Data: {labels[0] if len(labels) == 1 else plural(len(labels), 'data set')}",
            f"{source}, SHA-256 {digest}",
        )
        for (source, digest), labels in by_hash.items()
    ]
    rows += [
        (f"Folds: {context.protocol(protocol.name)}", f"SHA-256 {digest}")
        for protocol in results.protocols
        if (digest := protocol.folds_sha256)
    ]
    packages = ", ".join(f"{name} {version}" for name, version in made.packages.items())
    fits = made.fits
    rows += [
        (f"Own code: {code.path}", f"SHA-256 of its package's source {code.sha256}")
        for code in results.spec.own_code
    ]
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
    if made.paths_taken:
        rows.append(("Data outside the study's folder", ", ".join(made.paths_taken)))
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
    table = Table("table-provenance", caption, columns, body, whole=True)
    command = made.command or f"evallang run {results.spec.path}"
    return [
        table,
        Paragraph(
            runs(
                "To run the study again, from the folder that the command was given in; and to "
                "draw this report again, from the folder of its results:"
            )
        ),
        Listing(f"{command}\nevallang report results.json", "Commands"),
    ]


@SECTIONS.register(SectionDeclaration(order=99), title="Study file")
def source(context: Context) -> Sequence[Block]:
    """Return the study file as formatted."""
    text = context.results.spec.canonical.strip("\n")
    return [Listing(text, context.results.spec.path)] if text else []
