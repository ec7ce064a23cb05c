"""Requirements: the key finding of each, their table, and a forest with their margins."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

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
    further,
    runs,
)
from evallang.reporting.figures.figure import PAIR
from evallang.reporting.figures.forest import ForestRow, forest_of_requirements
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import (
    NBSP,
    error_of_bounds,
    fixed,
    interval,
    percent,
    scale_of,
    settled,
)
from evallang.reporting.panels import drawn_words, in_parts
from evallang.reporting.run_writer import plain
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import left, p_of, right, row, sortable, table, wide
from evallang.reporting.wording import of_cases, p_letter, stated_amount
from evallang.results.records import Requirement

EQUIVALENT = "equivalent"
TOPIC = "requirements"
MOST_LINES = 6  # on the first page; the rest are in the table of requirements
MOST_DRAWN, MOST_PANELS = 10, 12  # requirements in a panel; more are read from the table


def requirement_lines(context: Context) -> list[Runs]:
    """Return the requirements; of many only those not met, since the table has all."""
    required = sorted(context.results.requirements, key=lambda item: item.met)
    if not required:
        return []
    say = partial(write, context, TOPIC)
    failed = sum(not item.met for item in required)
    items = [say("verdict", size=len(required), failed=failed)]
    listed = len(required) if len(required) <= MOST_LINES else min(failed, MOST_LINES)
    items += [_line(context, item) for item in required[:listed]]
    if listed and (rest := required[listed:]):
        items.append(say("more", n=len(rest), met=sum(item.met for item in rest)))
    return items


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


def deciding_intervals(
    context: Context, found: Sequence[Requirement]
) -> Mapping[str, tuple[str, int | None]]:
    """Return the intervals that decided by their titles in a sentence: the method, and its draws.

    The draws are the most that an interval rests on.
    """
    made: dict[str, tuple[str, int | None]] = {}
    for item in found:
        if item.method not in ("", "none"):
            title = mid_sentence(interval_of(context, item))
            _, before = made.get(title, ("", None))
            made[title] = (item.method, max(item.draws or 0, before or 0) or None)
    return made


def _line(context: Context, item: Requirement) -> Runs:
    value, bounds = decided_on(context, item)
    lead, test = f"{percent(item.level)}{NBSP}CI", item.test
    alpha = alpha_of(context, item)
    return write(
        context,
        TOPIC,
        "line",
        item=item,
        words=words_of(context, item),
        value=value,
        interval=Interval(plain(bounds), *(item.interval or (None, None)), lead),
        title=mid_sentence(interval_of(context, item)) if item.method else "",
        test=()
        if test is None or test.p is None
        else write(context, TOPIC, "test", result=test, alpha=alpha),
        other_level=_level_of_other_test(context, item),
    )


def _level_of_other_test(context: Context, item: Requirement) -> float | None:
    """Return the level of a test of a margin of the same models, where a line has another one."""
    if item.margin is None or item.test is not None:
        return None
    for comparison in context.results.comparisons:
        if (
            (comparison.data, comparison.metric) == (item.data, item.metric)
            and any(
                margin_of(pair) is not None and set(pair.models) == set(item.models)
                for pair in comparison.pairwise
            )
            and not math.isclose((1 - item.level) / 2, comparison.alpha)
        ):
            return comparison.alpha
    return None


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
    metric, level = context.metric(item.metric), item.kind == "level"
    value = item.threshold if level else item.margin
    limit: Runs = ()
    if value is not None:
        limit = stated_amount(metric, value if level else abs(value), of_difference=not level)
    return write(context, TOPIC, "requirement", item=item, limit=limit)


def alpha_of(context: Context, item: Requirement) -> float:
    """Return the level of the test of a line; an older file has only that of the study."""
    return context.alpha if item.alpha is None else item.alpha


def decided_on(context: Context, item: Requirement) -> tuple[Runs, Runs]:
    """Print value and interval of a requirement: a level in percent, a difference in points."""
    metric = context.metric(item.metric)
    bounds = item.interval or (None, None)
    half = half_width(*bounds)
    error = error_of_bounds(*bounds, item.level, item.draws)
    n, percent_ = context.n(item.data), metric.percent
    scale = scale_of([half], [item.value], percent=percent_, n=n, errors=[error])
    level = item.kind == "level"
    lines = _lines(metric, item) or (None,)
    scale = settled(scale, zip((item.value, *bounds), (lines[0], lines[0], lines[-1]), strict=True))
    text = fixed(item.value, scale, signed=not level, null=lines[0])
    if item.value is not None and metric.units:
        text += "%" if level and metric.percent else f"{NBSP}{metric.units}"
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


@SECTIONS.register(SectionDeclaration(order=40), title="Requirements")
def requirements(context: Context) -> Sequence[Block]:
    """Return each requirement with what decided it, in the supplement where findings list all."""
    found = context.results.requirements
    if not found:
        return []
    tested = [item for item in found if item.test is not None]
    rows = []
    for item in found:
        value, interval_ = decided_on(context, item)
        p = item.test.p if item.test is not None else None
        error = item.test.mc_se if item.test is not None else None
        rows.append(
            row(
                words_of(context, item),
                Cell(value, item.value),
                Cell(interval_, None, *(item.interval or (None, None))),
                Cell(runs(percent(item.level)), item.level),
                p_of(context, p, alpha_of(context, item), error) if tested else None,
                Strong(runs("met" if item.met else "not met")),
            )
        )
    made = table(
        "table-requirements",
        write(context, TOPIC, "caption"),
        [
            wide("Requirement"),
            sortable("Value", "value"),
            right("Interval", "interval", muted=True),
            right("Level", "level", muted=True),
            sortable(p_letter(context)) if tested else None,
            left("Decision"),
        ],
        rows,
        *_notes(context, found),
    )
    figures = further(_figures(context, found))
    listed = context.shows("findings") and len(found) <= MOST_LINES
    return further([made, *figures]) if listed else [made, *figures]


def _notes(context: Context, found: Sequence[Requirement]) -> list[Runs]:
    """Return each note of the lines once; why a number failed is seen from the table."""
    by_note: dict[str, list[Runs]] = {}
    for item in found:
        reason = (item.reason,) if item.reason and item.value is None else ()
        of_test = item.test.notes if item.test is not None else ()
        for note in dict.fromkeys((*reason, *item.notes, *of_test)):
            note = of_cases(context, note.rstrip("."), item.data)
            by_note.setdefault(note, []).append(words_of(context, item))
    kinds = {item.kind for item in found if item.test is None}
    return notes(
        context,
        TOPIC,
        "notes",
        by_bound=kinds != {EQUIVALENT},
        by_interval=EQUIVALENT in kinds,
        tested=[
            (words_of(context, item), item.test, alpha_of(context, item))
            for item in found
            if item.test is not None
        ],
        rest=[
            ((), note) if len(items) == len(found) else (items, note)
            for note, items in by_note.items()
        ],
        intervals=deciding_intervals(context, found),
    )


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
    caption = write(context, TOPIC, "caption_of_figure") + drawn_words(
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
        where = plain(write(context, TOPIC, "place_of", item=item))
        label = (first, *(f"− {model}" for model in second), *([where] if where else []))
        low, high = item.interval or (None, None)
        lines = _lines(metric, item)
        sign = {">=": f"≥{NBSP}", "<=": f"≤{NBSP}"}.get(item.operator or "", "")
        names = []  # the threshold or margin as it was written
        for line in lines:
            text = plain(stated_amount(metric, line, of_difference=of_differences))
            if of_differences:
                text = f"{'+' if line > 0 else ''}{text.split(NBSP)[0]}"
                lead = "" if item.kind == EQUIVALENT else "margin "
                text = f"{lead}{text}" if line or not lead else ""
            names.append(text if of_differences else f"{sign}{text}")
        look = PAIR if second else context.look(item.models[0])
        rows.append(
            ForestRow(label, item.value, low, high, item.met, lines, tuple(names), look=look)
        )
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
