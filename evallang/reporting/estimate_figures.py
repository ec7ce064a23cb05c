"""The figures of estimates: forests, compatible differences, spread over folds, resamples."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite, isinf

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.analyses import ranks_models
from evallang.reporting.compatible_differences import differences_drawn, rows_of
from evallang.reporting.context import Context, MetricWords, Setting
from evallang.reporting.document import (
    PANEL_LETTERS,
    Block,
    Panel,
    further,
    runs,
)
from evallang.reporting.figures.figure import (
    COLUMN,
    FIRST,
    INK,
    RULE,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
    Look,
    depth_of_names,
    off_scale,
)
from evallang.reporting.figures.forest import (
    MOST_IN_A_PANEL,
    depth_of_differences,
    far_estimates,
    forest_of_estimates,
)
from evallang.reporting.figures.resamples import Distribution, distributions
from evallang.reporting.numbers import Scale, between, count, fixed
from evallang.reporting.panels import (
    Drawn,
    divided,
    figures_of_panels,
    joined_panels,
    name_of_part,
    with_letters,
)
from evallang.reporting.sentences import write
from evallang.reporting.wording import repeats_of
from evallang.results.records import Comparison, Estimate

ROW = 15.0
DEEP_ROW = 22.0
FOOT = 29.0
LABEL = 96.0
GAP = 7.0
MOST_POINTS = 30  # of a row; more are a histogram
BINS = 30


class Spread(Struct, frozen=True):
    """The values of one model, and its estimate; `whole` if no fold is without a value."""

    label: str
    values: tuple[float, ...]
    estimate: float | None
    look: Look = FIRST
    whole: bool = True

    @property
    def span(self) -> tuple[float, float]:
        """What the row needs of an axis."""
        known = self.values if self.estimate is None else (*self.values, self.estimate)
        return min(known), max(known)


def spread(
    rows: Sequence[Spread],
    name: str,
    subject: str,
    scale: Scale,
    among: Sequence[Spread] = (),
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw the values of each model with its estimate; gives the SVG and its numbers in words.

    `subject` is what the values are of: "folds". The axis has room for all rows `among` which
    these are, is broken before those far from the others, and has ticks at `possible` values.
    """
    every = among or rows
    histogram = max(len(row.values) for row in every) > MOST_POINTS
    names = fonts.name_lines([row.label for row in rows], SIZE, LABEL)
    left = fonts.widest((line for lines in names for line in lines), SIZE) + GAP
    beyond = off_scale([row.span for row in every])
    ends = [end for i, row in enumerate(every) if i not in beyond for end in row.span]
    far = [every[i].span for i in beyond]
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - 6, 5, possible, far)
    depth = depth_of_names(names, DEEP_ROW if histogram else ROW)
    canvas = Canvas(depth * len(rows) + FOOT)
    canvas.scale(axis, depth * len(rows), name, scale.power)
    if _are_paired(every):
        for i, (row, other) in enumerate(pairwise(rows)):
            for values in zip(row.values, other.values, strict=True):
                ends_ = zip(map(axis, values), (depth * (i + 0.5), depth * (i + 1.5)), strict=True)
                canvas.line(list(ends_), RULE, 0.5)
    spoken = []
    for i, (lines, row) in enumerate(zip(names, rows, strict=True)):
        y = depth * (i + 0.5)
        canvas.names(left - GAP, y, lines)
        low, high = (fixed(end, scale) for end in (min(row.values), max(row.values)))
        spoken.append(f"{row.label} {low} to {high}, estimate {fixed(row.estimate, scale)}")
        if histogram:
            wide = (axis.right - axis.left) / BINS
            counts = [0] * BINS
            for value in row.values:
                place = math.floor((axis(value) - axis.left) / wide)
                counts[min(BINS - 1, max(0, place))] += 1
            foot = depth * (i + 1) - 2
            canvas.histogram(axis.left, wide, counts, foot, depth - 5, row.look.colour)
        else:
            for value in row.values:
                canvas.dot(axis(value), y, filled=False, radius=1.7, look=row.look)
        if row.estimate is not None:
            x = axis(row.estimate)
            canvas.line([(x, y - depth / 2 + 2), (x, y + depth / 2 - 2)], INK, 1.3)
    number = between([len(row.values) for row in rows])
    return canvas, f"{name}, values of {number} {subject}: {'; '.join(spoken)}."


def _are_paired(rows: Sequence[Spread]) -> bool:
    """Return whether models have a point for each of the same folds."""
    sizes = {len(row.values) for row in rows}
    return len(sizes) == 1 and max(sizes) <= MOST_POINTS and all(row.whole for row in rows)


TOPIC = "estimates"
MOST_SETTINGS = 12  # whose estimates are drawn where they share a table


def figures(context: Context, setting: Setting, metrics: Sequence[str], number: int) -> list[Block]:
    """Draw the estimates of every metric with the differences, the folds and the resamples."""
    if not context.draws:
        return []
    first = sorted(metrics, key=lambda name: compared(context, setting, name) is None)
    ranked = is_ranked(context, setting)
    parts = [] if ranked else _estimates_and_differences(context, setting, first)
    name = f"figure-estimates-{number}"
    found = [joined_panels(name_of_part(name, i), part) for i, part in enumerate(parts)]
    for name, draw in (("folds", _spreads), ("resamples", _resamples)):
        drawn = [one for metric in metrics for one in draw(context, setting, metric)]
        found += figures_of_panels(f"figure-{name}-{number}", drawn)
    return [*found[:1], *further(found[1:])] if not ranked else further(found)


def is_ranked(context: Context, setting: Setting) -> bool:
    """Return whether a drawn ranking shows all estimates of a setting."""
    metrics = context.metrics(setting)
    return context.draws and len(metrics) == 1 and ranks_models(context, setting, metrics[0])


def figures_of_data_sets(context: Context, models: Mapping[str, Sequence[str]]) -> list[Block]:
    """Draw the estimates of each of some data sets by its first metric, all in the supplement.

    `models` are those of each metric in their order, which is the same in every panel.
    """
    drawn: list[Drawn] = []
    settings = context.of_data
    few = context.draws and len(settings) <= MOST_SETTINGS
    of_metrics: dict[str, list[Estimate]] = {}
    places = [(setting, context.metrics(setting)[0]) for setting in settings if few]
    for setting, name in places:
        found = (context.estimate(setting, model, name) for model in models[name])
        of_metrics.setdefault(name, []).extend(e for e in found if e and e.value is not None)
    for setting, name in places:
        label, every = context.setting_words(setting), of_metrics[name]
        known = [e for e in every if Setting(e.data, e.protocol) == setting]
        for panel, words in _estimates_drawn(context, setting, name, None, known, every):
            noun = context.metric(name).noun
            named = replace(panel, title=runs(label), alt=f"{label}: {panel.alt}", subject=noun)
            drawn.append((named, words))
    return further(figures_of_panels("figure-estimates", drawn))


def _estimates_and_differences(
    context: Context, setting: Setting, metrics: Sequence[str]
) -> list[list[Drawn]]:
    """Draw the panels of every metric, those of the first in figures of their own."""
    parts: list[list[Drawn]] = []
    for name in metrics:
        comparison = compared(context, setting, name)
        known = [e for e in _estimates(context, setting, name) if e.value is not None]
        made = _estimates_drawn(context, setting, name, comparison, known, known)
        if made and comparison is not None:
            of = "" if len(metrics) == 1 else f" in {context.metric(name).noun}"
            made += differences_drawn(context, comparison, of)
        room = len(PANEL_LETTERS) - len(made)
        if made and parts and name not in metrics[:2] and len(parts[-1]) <= room:
            parts[-1] += made
        else:
            parts += with_letters(made)
    return parts


def _spreads(context: Context, setting: Setting, name: str) -> list[Drawn]:
    """Draw the values of folds, rounds or repeats of the examples, where models have several."""
    metric, found = context.metric(name), _estimates(context, setting, name)
    rows = []
    for e in found:
        values = [f.value for f in e.folds if f.value is not None and isfinite(f.value)]
        if len(values) > 1:
            label, whole = context.model(e.model), len(values) == len(e.folds)
            rows.append(Spread(label, tuple(values), e.value, context.look(e.model), whole))
    if not rows:
        return []
    subject = next((repeats_of(e) for e in found if "n_examples" in e.extra), "folds")
    histogram = max(len(row.values) for row in rows) > MOST_POINTS
    own = any("n_seeds" in e.extra for e in found)  # networks of two models have nothing in common
    paired = len(rows) > 1 and _are_paired(rows) and not own
    words = write(context, TOPIC, "spread", subject=subject, histogram=histogram, paired=paired)
    subject = "splits" if histogram else subject
    made, scale = [], context.scale(setting, name)
    for start, part in divided(rows, MOST_IN_A_PANEL):
        drawn = spread(part, f"{metric.title}{metric.sign}", subject, scale, rows, metric.range)
        title = panel_title(metric.title, start, len(part), len(rows))
        made.append((Panel(*drawn, runs(title), _named(context, setting, metric)), words))
    return made


def _estimates(context: Context, setting: Setting, name: str) -> list[Estimate]:
    """Return the estimates of a metric, in the order of the table: the best by the first metric."""
    return context.estimates(setting, name, context.metrics(setting)[0])


def _resamples(context: Context, setting: Setting, name: str) -> list[Drawn]:
    """Draw the resamples that bootstrap intervals are made from."""
    metric, scale = context.metric(name), context.scale(setting, name)
    rows = [
        Distribution(
            (context.model(found.model),),
            one.resamples,
            found.value,
            one.low,
            one.high,
            context.look(found.model),
        )
        for found in _estimates(context, setting, name)
        if (one := found.interval) is not None and one.resamples is not None
    ]
    made = []
    for start, part in divided(rows, MOST_IN_A_PANEL):
        axis = f"{metric.title}{metric.sign}"
        drawn = distributions(part, axis, scale, among=rows, possible=metric.range)
        title = panel_title(metric.title, start, len(part), len(rows))
        panel = Panel(*drawn, runs(title), _named(context, setting, metric))
        made.append((panel, write(context, TOPIC, "resamples")))
    return made


def _named(context: Context, setting: Setting, metric: MetricWords) -> str:
    """Return the name of a metric, with its data set and protocol where there are several."""
    return f"{metric.noun} {context.place_words(setting.data, setting.protocol)}".strip()


def panel_title(title: str, start: int, here: int, n: int, of: str = "models") -> str:
    """Return the title of a panel of some of `n` models, or of other rows."""
    return title if here == n else f"{title}: {of} {start + 1} to {start + here}"


def _estimates_drawn(
    context: Context,
    setting: Setting,
    name: str,
    comparison: Comparison | None,
    known: Sequence[Estimate],
    among: Sequence[Estimate],
) -> list[Drawn]:
    """Draw the `known` estimates of one metric, many models in panels, on the scale of those among.

    The words of the first panel state what lines are.
    """
    metric, scale = context.metric(name), context.scale(setting, name)
    if len(known) < 2 or all(isinf(e.value) for e in known if e.value is not None):
        return []
    rows = rows_of(context, comparison) if comparison is not None else ()
    depth = depth_of_differences(context, rows)
    found = [e.interval for e in known if e.interval is not None and e.interval.has_bounds]
    words = write(
        context,
        TOPIC,
        "points",
        levels=list(dict.fromkeys(one.level for one in found)),
        intervals=list(dict.fromkeys((one.method, one.clusters is not None) for one in found)),
        far=bool(found and far_estimates(among)),
    )
    made: list[Drawn] = []
    for start, part in divided(known, MOST_IN_A_PANEL):
        labels = [context.model(e.model) for e in part]
        looks = [context.look(e.model) for e in part]
        drawn = forest_of_estimates(labels, part, metric, scale, among, looks, depth=depth)
        title = panel_title(metric.title, start, len(part), len(known))
        panel = Panel(*drawn, runs(title), _named(context, setting, metric))
        made.append((panel, () if made else words))
    return made


def levels_drawn(
    context: Context, column: str, found: Sequence[Estimate], identifier: str
) -> list[Block]:
    """Draw the estimates within the levels of a column, a panel for each metric."""
    drawn: list[Drawn] = []
    models = dict.fromkeys(e.model for e in found)
    for name in dict.fromkeys(e.metric for e in found) if context.draws else ():
        metric = context.metric(name)
        known = [e for m in models for e in found if (e.model, e.metric) == (m, name)]
        known = [e for e in known if e.value is not None and isfinite(e.value)]
        words = write(
            context, TOPIC, "levels_drawn", column=column, cases=context.cases(found[0].data)
        )
        for start, part in divided(known, MOST_IN_A_PANEL):
            place = Setting(part[0].data, part[0].protocol)
            labels = []
            for e in part:
                assert e.subgroup is not None, "these are estimates of levels"
                level = f"{e.subgroup.level} ({count(int(e.extra.get('n_examples', e.n)))})"
                labels.append(f"{context.model(e.model)}, {level}" if len(models) > 1 else level)
            panel = forest_of_estimates(
                labels,
                part,
                metric,
                context.scale(place, name),
                known,
                [context.look(e.model) for e in part],
                whole=[context.estimate(place, e.model, name) for e in part],
            )
            title = panel_title(metric.title, start, len(part), len(known), "rows")
            drawn.append((Panel(*panel, runs(title), metric.noun), words))
    return further(figures_of_panels(identifier, drawn))


def compared(context: Context, setting: Setting, name: str) -> Comparison | None:
    """Find the comparison by a metric whose differences are drawn with the estimates."""
    firm = (c for c in context.comparisons_of(setting, name) if not c.family.exploratory)
    return next((comparison for comparison in firm if rows_of(context, comparison)), None)


def drawn_with_estimates(context: Context, comparison: Comparison) -> bool:
    """Return whether the differences of a comparison are drawn with the estimates."""
    for setting in context.shown_apart:
        alone = compared(context, setting, comparison.metric) is comparison
        if alone and not is_ranked(context, setting):
            known = _estimates(context, setting, comparison.metric)
            return sum(e.value is not None for e in known) > 1
    return False
