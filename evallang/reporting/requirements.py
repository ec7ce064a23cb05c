"""Requirements: the key finding of each line, PASS or FAIL, and the table of them all."""

import math
from collections.abc import Sequence

from evallang.reporting.context import Context, half_width
from evallang.reporting.decisions import margin_of
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Interval,
    Number,
    Row,
    Runs,
    Strong,
    Table,
    runs,
)
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import (
    NBSP,
    fixed,
    interval,
    level_of_alpha,
    percent,
    scale_of,
)
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import (
    amount,
    level_words,
    number_word,
    p_cell,
    p_letter,
    p_stat,
    sentence,
    variant_words,
)
from evallang.results.records import Requirement

MOST_LINES = 6  # on the first page; the rest are in the table of requirements
NOT_CORRECTED = (
    "Each requirement is decided separately. Only the study as a whole, which passes when all are "
    "met, has the stated level (an intersection–union test); individual requirements are not "
    "adjusted for multiplicity."
)


def requirement_lines(context: Context) -> list[Runs]:
    """Return the requirements, those not met first; what does not fit is counted."""
    required = context.results.requirements
    if not required:
        return []
    ordered = sorted(required, key=lambda item: item.met)
    items = [_verdict(required)]
    items += [_line(context, item) for item in ordered[:MOST_LINES]]
    rest = ordered[MOST_LINES:]
    if rest:
        items.append(_rest(context, rest))
    return items


def _verdict(required: Sequence[Requirement]) -> Runs:
    """State whether the study passes, and how many requirements were not met."""
    size, failed = len(required), sum(not item.met for item in required)
    if not failed:
        met = (
            "both requirements were met"
            if size == 2
            else f"all {number_word(size)} requirements were met"
        )
        met = "the requirement was met" if size == 1 else met
        return runs(Strong(runs(f"The study passed: {met}.")))
    verb = "was" if failed == 1 else "were"
    lost = f"{number_word(failed)} of {number_word(size)} requirements {verb} not met"
    lost = "the requirement was not met" if size == 1 else lost
    return runs(Strong(runs(f"The study failed: {lost}.")))


def _rest(context: Context, rest: Sequence[Requirement]) -> Runs:
    """Count the requirements that do not fit on the first page."""
    place = "the table of requirements" if context.shows("requirements") else "results.json"
    met = sum(item.met for item in rest)
    if len(rest) == 1:
        words = "met" if met else "not met"
        return runs(f"One more requirement, which was {words}, is in {place}.")
    words = "all met" if met == len(rest) else f"{number_word(met)} of them met"
    number = number_word(len(rest), capital=True)
    return runs(f"{number} more requirements, {words}, are in {place}.")


def interval_of(context: Context, item: Requirement) -> str:
    """Return the title of the interval that decided: of one value, or of a difference."""
    if item.kind != "level":
        return context.difference_title(item.method)
    key = (item.data, item.protocol, item.models[0], item.metric, item.subgroup)
    grouped = any(
        e.interval is not None and e.interval.clusters is not None
        for e in context.results.estimates
        if (e.data, e.protocol, e.model, e.metric, e.subgroup) == key
    )
    return context.interval_title(item.method, over_groups=grouped)


def _line(context: Context, item: Requirement) -> Runs:
    value, bounds = decided_on(context, item)
    verdict = "PASS" if item.met else "FAIL"
    made = runs(Strong(runs(verdict)), " ", Code(source_of(item)), where_words(context, item))
    inside = runs(": ", value)
    if item.interval is not None and item.interval != (None, None):
        method = mid_sentence(interval_of(context, item)) if item.method else ""
        words = f"{percent(item.level)}{NBSP}CI"
        inside += runs(" (", Interval(_text(bounds), *item.interval, words))
        inside += runs(f"; {method}" if method else "", ")")
        if item.test is not None and item.test.p is not None:
            inside += runs("; ", test_words(context, item))
    elif item.value is None:
        inside = ()
    line = line_words(context, item)
    if line:
        inside += runs(", ", line)
    undecided = item.value is None or item.interval in (None, (None, None))
    reason = f": {item.reason}" if item.reason and not item.met and undecided else ""
    return made + inside + runs(reason.rstrip("."), ".", _reconcile_with_test(context, item))


def _reconcile_with_test(context: Context, item: Requirement) -> str:
    """Reconcile a line with a test of a margin of the same models, which has another level."""
    if item.margin is None or item.test is not None:
        return ""
    for comparison in context.results.comparisons:
        same = (comparison.data, comparison.metric) == (item.data, item.metric)
        for pair in comparison.pairwise if same else ():
            bound = (1 - item.level) / 2
            if margin_of(pair) is None or set(pair.models) != set(item.models):
                continue
            if math.isclose(bound, comparison.alpha):
                continue
            return (
                f" The bounds of this interval have a one-sided level of {percent(bound)}, and the "
                f"test of a margin between the same models one of {percent(comparison.alpha)}, so "
                "that one can be met where the other is not."
            )
    return ""


def _text(row: Runs) -> str:
    return "".join(run.text for run in row if isinstance(run, Interval))


def source_of(item: Requirement) -> str:
    """Return the line without its keyword."""
    return item.source.removeprefix("require ")


def where_words(context: Context, item: Requirement) -> str:
    """State the data set, where there are several, and the level of a column."""
    words = f" on {context.data_label(item.data)}" if len(context.results.data) > 1 else ""
    if item.subgroup is not None:
        words += f" for {item.subgroup.column} = {item.subgroup.level}"
    return words


def test_words(context: Context, item: Requirement) -> Runs:
    """State the test that decided a line, with its p and the level."""
    assert item.test is not None, "asked of lines `with` a test"
    variant = variant_words(context, item.test)
    title = mid_sentence(context.method_title("test", item.test.test))
    alpha = alpha_of(context, item)
    made = runs(title, f" ({variant})" if variant and variant not in title else "")
    if item.test.p is None:
        return made
    return made + runs(
        ", ", p_stat(context, item.test.p, alpha), f" at level {level_of_alpha(alpha)}"
    )


def alpha_of(context: Context, item: Requirement) -> float:
    """Return the level of the test of a line; an older file has only that of the study."""
    return context.alpha if item.alpha is None else item.alpha


def line_words(context: Context, item: Requirement) -> Runs:
    """State the line that the bound had to pass: "margin 2.0 points", "at least 95.0%"."""
    metric = context.metric(item.metric)
    scale = scale_of([], [item.margin, item.threshold], percent=metric.percent)
    if item.kind == "level" and item.threshold is not None:
        return runs("threshold ", level_words(metric, item.threshold, scale))
    if item.margin is not None:
        return runs("margin ", amount(metric, item.margin, scale))
    return ()


def decided_on(context: Context, item: Requirement) -> tuple[Runs, Runs]:
    """Print value and interval of a requirement: a level in percent, a difference in points."""
    metric = context.metric(item.metric)
    bounds = item.interval or (None, None)
    half = half_width(*bounds)
    scale = scale_of([half], [item.value], percent=metric.percent, n=context.n(item.data))
    level = item.kind == "level"
    line = item.threshold if level else _null(item)
    text = fixed(item.value, scale, signed=not level, null=line)
    if item.value is not None and metric.percent:
        text += "%" if level else f"{NBSP}points"
    printed = interval(*bounds, scale, null=line)
    return runs(Number(text, item.value)), runs(Interval(printed, *bounds))


def _null(item: Requirement) -> float | None:
    """Return the line that the bound must lie beyond: 0, or minus the margin."""
    if item.margin is None:
        return 0.0
    return -abs(item.margin) if item.kind in ("noninferior", "equivalent") else abs(item.margin)


def notes_of(context: Context, found: Sequence[Requirement]) -> list[Runs]:
    """Return what the run said of each line; why a number failed is seen from the table."""
    return [
        runs(Code(source_of(item)), where_words(context, item), f": {sentence(note)}")
        for item in found
        for note in (*((item.reason,) if item.reason and item.value is None else ()), *item.notes)
    ]


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
        Column(runs("Criterion"), "left", muted=True),
        Column(runs("Decision"), "left"),
    ]
    if tested:
        columns.insert(-1, Column(runs(p_letter(context)), sortable=True))
    notes = [
        runs(
            "A requirement is decided by the unfavourable bound of the interval, which must lie "
            "beyond the threshold or margin. ",
            runs("Where there is a ", p_letter(context), ", it is decided by the test and by the "
                 "sign of the difference. ") if tested else (),
            NOT_CORRECTED,
        ),
        *notes_of(context, found),
    ]  # fmt: skip
    for item in tested:
        notes.append(runs(Code(source_of(item)), ": ", test_words(context, item), "."))
    methods = dict.fromkeys(interval_of(context, i) for i in found if i.method not in ("", "none"))
    if methods:
        notes.append(runs(f"Intervals: {', '.join(mid_sentence(m) for m in methods)}."))
    caption = runs("Requirements of the study and how they were decided.")
    return [Table("table-requirements", caption, tuple(columns), tuple(rows), notes=tuple(notes))]
