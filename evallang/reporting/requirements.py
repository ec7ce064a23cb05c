"""Requirements: the key finding of each, their table, and a forest with their margins."""

import math
from collections.abc import Sequence
from decimal import Decimal

from evallang.reporting.context import Context, MetricWords, half_width
from evallang.reporting.decisions import margin_of
from evallang.reporting.document import (
    Block,
    Cell,
    Figure,
    Interval,
    Number,
    Panel,
    Ref,
    Runs,
    Strong,
    listed,
    runs,
)
from evallang.reporting.figures.forest import ForestRow, forest_of_requirements
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import (
    MINUS,
    NBSP,
    fixed,
    interval,
    level_of_alpha,
    percent,
    scale_of,
    settled,
)
from evallang.reporting.panels import drawn_words, in_parts
from evallang.reporting.run_writer import plain
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import left, p_of, right, row, sortable, table, wide
from evallang.reporting.wording import (
    further_variants,
    number_word,
    p_letter,
    p_stat,
    sentence,
)
from evallang.results.records import Requirement

EQUIVALENT = "equivalent"
RELATIONS = {
    "superior": ("better than", "by"),
    "noninferior": ("not worse than", "by"),
    EQUIVALENT: ("equivalent to", "within"),
}
"""What a requirement of two models claims, and the word before its margin."""

MOST_LINES = 6  # on the first page; the rest are in the table of requirements
MOST_DRAWN, MOST_PANELS = 10, 12  # requirements in a panel; more are read from the table
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
    verdict = "failed" if failed else "passed"
    if size == 1:
        which = "the requirement was not met" if failed else "the requirement was met"
    elif not failed:
        every = "both" if size == 2 else f"all {number_word(size)}"
        which = f"{every} requirements were met"
    elif failed == size:
        none = "neither of the two" if size == 2 else f"none of the {number_word(size)}"
        which = f"{none} requirements was met"
    else:
        verb = "was" if failed == 1 else "were"
        which = f"{number_word(failed)} of {number_word(size)} requirements {verb} not met"
    return runs(Strong(runs(f"The study {verdict}: {which}.")))


def _rest(context: Context, rest: Sequence[Requirement]) -> Runs:
    """Count the requirements that do not fit on the first page."""
    place = "the table of requirements" if context.shows("requirements") else "results.json"
    met = sum(item.met for item in rest)
    if len(rest) == 1:
        return runs(
            f"One more requirement, which was {'met' if met else 'not met'}, is in {place}."
        )
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


def deciding_intervals(context: Context, found: Sequence[Requirement]) -> list[str]:
    """Return the titles of the intervals that decided, each once, as they are in a sentence."""
    methods = dict.fromkeys(interval_of(context, i) for i in found if i.method not in ("", "none"))
    return [mid_sentence(method) for method in methods]


def _line(context: Context, item: Requirement) -> Runs:
    value, bounds = decided_on(context, item)
    made = runs(Strong(runs("Met." if item.met else "Not met.")), " ", words_of(context, item))
    inside = runs(": ", value)
    if item.interval is not None and item.interval != (None, None):
        method = mid_sentence(interval_of(context, item)) if item.method else ""
        words = f"{percent(item.level)}{NBSP}CI"
        inside += runs(" (", Interval(plain(bounds), *item.interval, words))
        inside += runs(f"; {method}" if method else "", ")")
        if item.test is not None and item.test.p is not None:
            inside += runs("; ", test_words(context, item))
    elif item.value is None:
        inside = ()
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


def words_of(context: Context, item: Requirement) -> Runs:
    """State a requirement in words: "Encoder not worse than Bag of words by 5 points in F1".

    Requirements that would read alike are numbered.
    """
    if not context.alike:
        for other in context.results.requirements:
            context.alike.setdefault(_words(context, other), []).append(other)
    words = _words(context, item)
    same = context.alike[words]
    number = f" ({same.index(item) + 1} of {len(same)})" if len(same) > 1 else ""
    return words + runs(number)


def _words(context: Context, item: Requirement) -> Runs:
    metric, where = context.metric(item.metric), where_words(context, item)
    first, *others = (context.model(name) for name in item.models)
    if item.kind == "level":
        relations = {">=": " at least ", "<=": " at most "}
        line: Runs = ()
        if item.threshold is not None:
            relation = relations.get(item.operator or "", ", threshold ")
            line = runs(relation, line_text(metric, item.threshold))
        return runs(f"{metric.title} of {first}", line, where)
    verb, by = RELATIONS[item.kind]
    margin: Runs = ()
    if item.margin is not None:
        margin = runs(f" {by} ", line_text(metric, abs(item.margin), of_difference=True))
    return runs(f"{first} {verb} {others[0]}", margin, f" in {metric.noun}", where)


def line_text(metric: MetricWords, value: float, *, of_difference: bool = False) -> Runs:
    """Print a threshold or margin with every digit that the author wrote."""
    exact = Decimal(repr(float(value))).scaleb(2 if metric.percent else 0)
    text = format(exact.normalize(), ",f").replace("-", MINUS)
    unit = "%" if metric.percent else ""
    if metric.percent and of_difference:
        unit = f"{NBSP}point" if text == "1" else f"{NBSP}points"
    return runs(Number(f"{text}{unit}", value))


def where_words(context: Context, item: Requirement) -> str:
    """State the data set, where there are several, and the level of a column."""
    words = f" on {context.data_label(item.data)}" if len(context.results.data) > 1 else ""
    if context.several_protocols:
        words += f" under {context.protocol(item.protocol)}"
    if item.subgroup is not None:
        words += f" for {item.subgroup.column} = {item.subgroup.level}"
    return words


def test_words(context: Context, item: Requirement) -> Runs:
    """State the test that decided a line, with its p and the level."""
    assert item.test is not None, "asked of lines `with` a test"
    title = mid_sentence(context.method_title("test", item.test.test))
    alpha = alpha_of(context, item)
    made = runs(title, *(f" ({v})" for v in further_variants(context, [item.test], title)))
    if item.test.p is None:
        return made
    return made + runs(
        ", ",
        p_stat(context, item.test.p, alpha),
        f" at level {level_of_alpha(alpha, context.style)}",
    )


def alpha_of(context: Context, item: Requirement) -> float:
    """Return the level of the test of a line; an older file has only that of the study."""
    return context.alpha if item.alpha is None else item.alpha


def decided_on(context: Context, item: Requirement) -> tuple[Runs, Runs]:
    """Print value and interval of a requirement: a level in percent, a difference in points."""
    metric = context.metric(item.metric)
    bounds = item.interval or (None, None)
    half = half_width(*bounds)
    scale = scale_of([half], [item.value], percent=metric.percent, n=context.n(item.data))
    level = item.kind == "level"
    lines = _lines(metric, item) or (None,)
    scale = settled(scale, zip((item.value, *bounds), (lines[0], lines[0], lines[-1]), strict=True))
    text = fixed(item.value, scale, signed=not level, null=lines[0])
    if item.value is not None and metric.percent:
        text += "%" if level else f"{NBSP}points"
    printed = interval(*bounds, scale, nulls=(lines[0], lines[-1]))
    return runs(Number(text, item.value)), runs(Interval(printed, *bounds))


def _lines(metric: MetricWords, item: Requirement) -> tuple[float, ...]:
    """Return the numbers that the interval of a requirement must be beyond."""
    if item.kind == "level":
        return () if item.threshold is None else (item.threshold,)
    if not item.margin:
        return (0.0,)
    margin = abs(item.margin) if metric.higher_is_better else -abs(item.margin)
    return {"superior": (margin,), "noninferior": (-margin,)}.get(item.kind, (-margin, margin))


def notes_of(context: Context, found: Sequence[Requirement]) -> list[Runs]:
    """Return each note of the lines once; why a number failed is seen from the table."""
    by_note: dict[str, list[Runs]] = {}
    for item in found:
        reason = (item.reason,) if item.reason and item.value is None else ()
        of_test = item.test.notes if item.test is not None else ()
        for note in dict.fromkeys((*reason, *item.notes, *of_test)):
            by_note.setdefault(note.rstrip("."), []).append(words_of(context, item))
    return [
        runs(sentence(note))
        if len(items) == len(found) > 1
        else listed(items, comma="; ", last="; ") + runs(f": {note}.")
        for note, items in by_note.items()
    ]


def _rule(found: Sequence[Requirement]) -> str:
    """State what decides requirements without a test: one bound, or for equivalence both."""
    whole = "Equivalence is decided by the whole interval, which must lie within the margin."
    kinds = {item.kind for item in found if item.test is None}
    if kinds == {EQUIVALENT}:
        return whole
    return (
        "A requirement is decided by the unfavourable bound of the interval, which must lie beyond "
        "the threshold or margin."
    ) + (f" {whole}" if EQUIVALENT in kinds else "")


@SECTIONS.register(SectionDeclaration(order=40), title="Requirements")
def requirements(context: Context) -> Sequence[Block]:
    """Return each requirement with what decided it."""
    found = context.results.requirements
    if not found:
        return []
    tested = [item for item in found if item.test is not None]
    rows = []
    for item in found:
        value, interval_ = decided_on(context, item)
        p = item.test.p if item.test is not None else None
        rows.append(
            row(
                words_of(context, item),
                Cell(value, item.value),
                Cell(interval_, None, *(item.interval or (None, None))),
                Cell(runs(percent(item.level)), item.level),
                p_of(context, p, alpha_of(context, item)) if tested else None,
                Strong(runs("met" if item.met else "not met")),
            )
        )
    letter = p_letter(context)
    by_test = (" Where there is a ", letter, ", it is decided by the test and by the sign of the "
               "difference.")  # fmt: skip
    corrected = f" {NOT_CORRECTED}" if len(found) > 1 else ""
    methods = deciding_intervals(context, found)
    made = table(
        "table-requirements",
        "Requirements of the study and how they were decided.",
        [
            wide("Requirement"),
            sortable("Value", "value"),
            right("Interval", "interval", muted=True),
            right("Level", "level", muted=True),
            sortable(letter) if tested else None,
            left("Decision"),
        ],
        rows,
        runs(_rule(found), *(by_test if tested else ()), corrected),
        *notes_of(context, found),
        *(words_of(context, item) + runs(": ", test_words(context, item), ".") for item in tested),
        f"Intervals: {'; '.join(methods)}." if methods else None,
    )
    return [made, *_figures(context, found)]


def _figures(context: Context, found: Sequence[Requirement]) -> list[Figure]:
    """Return a forest of the requirements, a panel for each metric and kind of number."""
    drawn: dict[tuple[bool, str], list[Requirement]] = {}
    for item in found if context.draws else ():
        if item.value is not None and math.isfinite(item.value):
            drawn.setdefault((item.kind != "level", item.metric), []).append(item)
    if not drawn:
        return []
    parts = [
        (kind, items[start : start + MOST_DRAWN])
        for kind, items in drawn.items()
        for start in range(0, len(items), MOST_DRAWN)
    ]
    shown = parts[:MOST_PANELS]
    panels = [
        _panel(context, context.metric(name), items, of_differences=of_differences)
        for (of_differences, name), items in shown
    ]
    caption = runs(
        "Requirements with their intervals. Dashed line, the threshold or margin; filled point, "
        "requirement met."
    ) + drawn_words(
        sum(len(items) for _, items in shown),
        sum(map(len, drawn.values())),
        "requirements",
        runs(Ref("table-requirements", "the table of requirements")),
    )
    return in_parts("figure-requirements", caption, panels, "Requirements with their intervals")


def _panel(
    context: Context, metric: MetricWords, items: Sequence[Requirement], *, of_differences: bool
) -> Panel:
    """Draw the requirements of one metric, and state their numbers in words."""
    unit = " (points)" if of_differences else " (%)"
    name = f"Difference in {metric.noun}" if of_differences else metric.title
    halves = [half_width(*(item.interval or (None, None))) for item in items]
    scale = scale_of(halves, [item.value for item in items], percent=metric.percent)
    rows = []
    for item in items:
        first, *second = (context.model(model) for model in item.models)
        where = where_words(context, item).strip()
        label = (first, *(f"− {model}" for model in second), *([where] if where else []))
        low, high = item.interval or (None, None)
        lines = _lines(metric, item)
        sign = {">=": f"≥{NBSP}", "<=": f"≤{NBSP}"}.get(item.operator or "", "")
        names = []  # the threshold or margin as it was written
        for line in lines:
            text = plain(line_text(metric, line, of_difference=of_differences))
            if of_differences:
                text = f"{'+' if line > 0 else ''}{text.split(NBSP)[0]}"
                lead = "" if item.kind == EQUIVALENT else "margin "
                text = f"{lead}{text}" if line or not lead else ""
            names.append(text if of_differences else f"{sign}{text}")
        rows.append(ForestRow(label, item.value, low, high, item.met, lines, tuple(names)))
    possible = metric.range_of_differences if of_differences else metric.range
    drawing = forest_of_requirements(
        rows, name + (unit if metric.percent else ""), scale, possible, zero=of_differences
    )
    spoken = "; ".join(
        f"{plain(words_of(context, item))}: {' '.join(map(plain, decided_on(context, item)))}, "
        f"{'met' if item.met else 'not met'}"
        for item in items
    )
    return Panel(drawing, f"{name} with intervals: {spoken}.", runs(name))
