"""Requirements: a key finding for each of a few; the verdict and a table for many."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.context import Context, MetricWords, half_width
from evallang.reporting.decisions import margin_of
from evallang.reporting.document import (
    Block,
    Cell,
    Interval,
    Number,
    Runs,
    Strong,
    runs,
)
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
from evallang.reporting.run_writer import plain
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import left, p_of, right, row, sortable, table, wide
from evallang.reporting.wording import of_cases, p_letter, stated_amount
from evallang.results.records import Requirement

EQUIVALENT = "equivalent"
TOPIC = "requirements"
MOST_LINES = 6  # each a sentence on the first page; more are rows of a table


def in_findings(context: Context) -> bool:
    """Return whether each requirement is a key finding: then no table repeats them."""
    return context.shows("findings") and len(context.results.requirements) <= MOST_LINES


def requirement_findings(context: Context) -> list[Runs]:
    """State whether the requirements were met: each of a few, those not met first."""
    required = sorted(context.results.requirements, key=lambda item: item.met)
    if not required:
        return []
    failed = [words_of(context, item) for item in required if not item.met]
    each = in_findings(context)
    verdict = write(context, TOPIC, "verdict", size=len(required), failed=failed, named=not each)
    if not each:
        return [verdict]
    if len(required) == 1:
        return [verdict + runs(" ") + _line(context, required[0], alone=True)]
    return [verdict, *(_line(context, item) for item in required)]


def requirement_notes(context: Context) -> list[Runs]:
    """Return the notes below key findings: what holds for several, and the notes of each."""
    found = context.results.requirements
    made = [write(context, TOPIC, "separately")] if len(found) > 1 else []
    if in_findings(context):
        bounded = [item for item in found if item.interval not in (None, (None, None))]
        rest = _further_notes(context, bounded)
        known = [e.interval.notes for e in context.results.estimates if e.interval is not None]
        in_table = {note.rstrip(".") for notes_ in known for note in notes_}
        rest = [one for one in rest if one[1] not in in_table]
        facts = {"by_bound": False, "by_interval": False, "tested": [], "intervals": []}
        made += notes(context, TOPIC, "notes", rest=rest, **facts)
    return made


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


def _line(context: Context, item: Requirement, *, alone: bool = False) -> Runs:
    value, bounds = decided_on(context, item)
    lead, test = f"{percent(item.level)}{NBSP}CI", item.test
    alpha = alpha_of(context, item)
    return write(
        context,
        TOPIC,
        "line",
        item=item,
        alone=alone,
        words=words_of(context, item),
        value=value,
        interval=Interval(plain(bounds), *(item.interval or (None, None)), lead),
        title=mid_sentence(interval_of(context, item)) if item.method else "",
        test=()
        if test is None or test.p is None
        else write(context, TOPIC, "test", result=test, alpha=alpha),
        **_other_test(context, item),
    )


def _other_test(context: Context, item: Requirement) -> dict[str, Any]:
    """Return how a test of the same models differs: in the level of a margin, in its interval."""
    place = (item.data, item.protocol, item.metric)
    level, interval = None, False
    for comparison in context.results.comparisons if item.test is None else ():
        if (comparison.data, comparison.protocol, comparison.metric) != place:
            continue
        for pair in comparison.pairwise:
            if set(pair.models) != set(item.models):
                continue
            of_margin = item.margin is not None and margin_of(pair) is not None
            if of_margin and not math.isclose((1 - item.level) / 2, comparison.alpha):
                level = comparison.alpha
            if pair.estimate is not None and pair.estimate.low is not None:
                titles = map(context.difference_title, (pair.estimate.method, item.method))
                interval |= len(set(titles)) > 1
    return {"other_level": level, "other_interval": interval}


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
    """Return each requirement with what decided it, where no key finding has it."""
    found = context.results.requirements
    if not found or in_findings(context):
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
    context.shown_in["requirements"] = made.id
    return [made]


def _notes(context: Context, found: Sequence[Requirement]) -> list[Runs]:
    """Return how the requirements of a table were decided, and their own notes."""
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
        rest=_further_notes(context, found),
        intervals=deciding_intervals(context, found),
    )


def _further_notes(
    context: Context, found: Sequence[Requirement]
) -> list[tuple[Sequence[Runs], str]]:
    """Return each note of requirements once; why a number failed is seen from its value."""
    by_note: dict[str, list[Runs]] = {}
    for item in found:
        reason = (item.reason,) if item.reason and item.value is None else ()
        of_test = item.test.notes if item.test is not None else ()
        for note in dict.fromkeys((*reason, *item.notes, *of_test)):
            note = of_cases(context, note.rstrip("."), item.data)
            by_note.setdefault(note, []).append(words_of(context, item))
    return [
        ((), note) if len(items) == len(found) else (items, note) for note, items in by_note.items()
    ]
