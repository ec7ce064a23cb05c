"""The figures of estimates: forests, compatible differences, spread over folds, resamples."""

from collections.abc import Iterator, Sequence
from math import isfinite, isinf

from msgspec.structs import replace

from evallang.reporting.compatible_differences import differences_drawn, pairs_of, rows_of
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import (
    PANEL_LETTERS,
    Block,
    Figure,
    Panel,
    Paragraph,
    Runs,
    Strong,
    runs,
)
from evallang.reporting.figure_parts import name_of_part
from evallang.reporting.figures.forest import (
    MOST_IN_A_PANEL,
    depth_of_differences,
    far_estimates,
    forest_of_estimates,
)
from evallang.reporting.figures.resamples import Distribution, distributions
from evallang.reporting.figures.spread import MOST_POINTS, Spread, spread
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import percent
from evallang.reporting.wording import capitalise, repeats_of
from evallang.results.records import Comparison, Estimate

MOST_DATA_APART = 3  # more data sets share one table
MOST_IN_FILES = 12  # settings whose estimates are drawn in files where they share a table

Drawn = tuple[Panel, Runs]
"""A panel, and what the caption says of it; without words it continues the panel before."""


def figures(context: Context, setting: Setting, metrics: Sequence[str], number: int) -> list[Block]:
    """Draw the estimates of every metric with the differences, the folds and the resamples.

    Folds and resamples have a figure of their own on the page where that of estimates is full;
    they always have files of their own.
    """
    if not context.draws:
        return []
    parts = _estimates_and_differences(context, setting, metrics)
    made: list[Block] = []
    further = (("folds", "Spread", _spreads(context, setting, metrics)),
               ("resamples", "Resamples", _resamples(context, setting, metrics)))  # fmt: skip
    for name, lead, drawn in further:
        last = parts[-1] if parts else []
        joined = bool(last) and bool(drawn) and len(last) + len(drawn) <= len(PANEL_LETTERS)
        if joined:
            last += [(replace(p, title=runs(f"{lead}: ", p.title)), words) for p, words in drawn]
        for figure in figures_of_panels(f"figure-{name}-{number}", drawn):
            made.append(replace(figure, placed=not joined))
    name = f"figure-estimates-{number}"
    of_estimates: list[Block] = [
        joined_panels(name_of_part(name, i), part) for i, part in enumerate(parts)
    ]
    return of_estimates + made + _all_pairs(context, setting, metrics)


def figures_as_files(context: Context) -> list[Block]:
    """Draw the estimates of each of many data sets in files only, and state where they are."""
    if not context.draws:
        return []
    n = len(context.settings)
    made: list[Block] = []
    if n <= MOST_IN_FILES:
        for number, setting in enumerate(context.settings, start=1):
            found = figures(context, setting, context.metrics(setting), number)
            made += [replace(b, placed=False) if isinstance(b, Figure) else b for b in found]
    names = [f"figures/{b.id.removeprefix('figure-')}" for b in made if isinstance(b, Figure)]
    words = "The estimates of single data sets are not drawn here: "
    if names:
        many = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        words += f"{many} {'shows' if len(names) == 1 else 'show'} them."
    else:
        words += "the tables and results.json have them."
    return [Paragraph(runs(words), "pointer"), *made]


def _all_pairs(context: Context, setting: Setting, metrics: Sequence[str]) -> list[Block]:
    """Return the files of all pairs of the comparisons drawn with the estimates."""
    made: list[Block] = []
    for name in metrics:
        comparison = compared(context, setting, name)
        if comparison is not None:
            made += pairs_of(context, comparison)
    return made


def figures_of_panels(identifier: str, drawn: Sequence[Drawn]) -> list[Figure]:
    """Join panels in as many figures as have letters for them."""
    return [
        joined_panels(name_of_part(identifier, i), part)
        for i, part in enumerate(_with_letters(drawn))
    ]


def _with_letters(drawn: Sequence[Drawn]) -> list[list[Drawn]]:
    """Divide panels into parts that have letters for them, each with words for its first."""
    parts: list[list[Drawn]] = []
    words: Runs = ()
    for panel, own in drawn:
        words = own or words
        if not parts or len(parts[-1]) == len(PANEL_LETTERS):
            parts.append([(panel, words)])
        else:
            parts[-1].append((panel, own))
    return parts


def joined_panels(identifier: str, drawn: Sequence[Drawn]) -> Figure:
    """Join panels under one caption, which states what several have in common once."""
    caption: Runs = ()
    letters: list[str] = []
    for i, ((_, words), letter) in enumerate(zip(drawn, PANEL_LETTERS, strict=False)):
        letters.append(letter)
        after = drawn[i + 1][1] if i + 1 < len(drawn) else None
        if after is not None and (not after or after == words):
            continue
        lead = runs(Strong(runs(f"{', '.join(letters)},")), " ") if len(drawn) > 1 else ()
        shown = next(d[1] for d in reversed(drawn[: i + 1]) if d[1])
        caption += runs(" " if caption else "", lead, shown if lead else capitalise(shown), ".")
        letters = []
    return Figure(identifier, caption, tuple(panel for panel, _ in drawn))


def _estimates_and_differences(
    context: Context, setting: Setting, metrics: Sequence[str]
) -> list[list[Drawn]]:
    """Draw the panels of every metric, in as many figures as have letters for them."""
    parts: list[list[Drawn]] = []
    for name in metrics:
        comparison = compared(context, setting, name)
        drawn, words = _estimates_drawn(context, setting, name, comparison)
        if not drawn:
            continue
        metric = context.metric(name)
        made: list[Drawn] = [(drawn[0], runs(f"{metric.noun}{words}"))]
        made += [(panel, ()) for panel in drawn[1:]]
        if comparison is not None:
            of = "" if len(metrics) == 1 else f" in {metric.noun}"
            made += differences_drawn(context, comparison, of)
        if parts and len(parts[-1]) + len(made) <= len(PANEL_LETTERS):
            parts[-1] += made
        else:
            parts += _with_letters(made)
    return parts


def _spreads(context: Context, setting: Setting, metrics: Sequence[str]) -> list[Drawn]:
    """Draw the values of folds or rounds, where models have several."""
    made: list[Drawn] = []
    for name in metrics:
        metric, scale = context.metric(name), context.scale(setting, name)
        rows = []
        for label, found in _estimates(context, setting, name):
            values = tuple(
                fold.value
                for fold in found.folds
                if fold.value is not None and isfinite(fold.value)
            )
            if len(values) > 1:
                rows.append(Spread(label, values, found.value))
        if not rows:
            continue
        rounds = max(len(row.values) for row in rows) > MOST_POINTS
        axis = f"{metric.title} (%)" if metric.percent else metric.title
        subject = _subject(context, setting, name)
        what = f"values of the {subject} (open)"
        what = "histogram of the values of all splits" if rounds else what
        words = runs(f"{what} and the estimate (line). {NOT_AN_ERROR}")
        size = in_a_panel(len(rows))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            drawn = spread(part, axis, "splits" if rounds else subject, scale, rows, metric.range)
            title = panel_title(metric.title, start, len(part), len(rows))
            made.append((Panel(*drawn, runs(title)), words))
    return made


def _subject(context: Context, setting: Setting, name: str) -> str:
    """Return what the spread of a metric is drawn over: folds, or repeats of the examples."""
    repeated = (e for _, e in _estimates(context, setting, name) if "n_examples" in e.extra)
    return next(map(repeats_of, repeated), "folds")


def _estimates(context: Context, setting: Setting, name: str) -> Iterator[tuple[str, Estimate]]:
    """Iterate over the estimates of a metric with the labels of their models, the best first."""
    for model in context.models_best_first(setting, name):
        found = context.estimate(setting, model, name)
        if found is not None:
            yield context.model(model), found


def _resamples(context: Context, setting: Setting, metrics: Sequence[str]) -> list[Drawn]:
    """Draw the resamples that bootstrap intervals are made from."""
    made: list[Drawn] = []
    for name in metrics:
        metric, scale = context.metric(name), context.scale(setting, name)
        rows = [
            Distribution(
                (label,),
                found.interval.resamples,
                found.value,
                found.interval.low,
                found.interval.high,
            )
            for label, found in _estimates(context, setting, name)
            if found.interval is not None and found.interval.resamples is not None
        ]
        title = f"{metric.title} (%)" if metric.percent else metric.title
        size = in_a_panel(len(rows))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            drawn = distributions(part, title, scale, among=rows, possible=metric.range)
            words = panel_title(metric.title, start, len(part), len(rows))
            made.append((Panel(*drawn, runs(words)), runs(OF_RESAMPLES)))
    return made


OF_RESAMPLES = (
    "histogram of the values of bootstrap resamples, the estimate (vertical line) and its interval "
    "(horizontal line)"
)
NOT_AN_ERROR = "This spread is not a standard error"


def in_a_panel(n: int) -> int:
    """Return how many of `n` rows a panel has."""
    panels = max(1, -(-n // MOST_IN_A_PANEL))
    return max(1, -(-n // panels))


def panel_title(title: str, start: int, here: int, n: int) -> str:
    """Return the title of a panel of some of `n` models."""
    return title if here == n else f"{title}: models {start + 1} to {start + here}"


def _estimates_drawn(
    context: Context, setting: Setting, metric_name: str, comparison: Comparison | None
) -> tuple[list[Panel], str]:
    """Draw the estimates of one metric, many models in panels; state what the lines are."""
    metric = context.metric(metric_name)
    models = context.models_best_first(setting, metric_name)
    found = [context.estimate(setting, model, metric_name) for model in models]
    known = [e for e in found if e is not None and e.value is not None]
    if len(known) < 2 or all(isinf(e.value) for e in known if e.value is not None):
        return [], ""
    rows = rows_of(context, comparison) if comparison is not None else ()
    depth = depth_of_differences(context, rows)
    scale = context.scale(setting, metric_name)
    size = in_a_panel(len(known))
    panels = []
    for start in range(0, len(known), size):
        part = known[start : start + size]
        labels = [context.model(e.model) for e in part]
        drawing, alt = forest_of_estimates(labels, part, metric, scale, depth, known)
        title = panel_title(metric.title, start, len(part), len(known))
        panels.append(Panel(drawing, alt, runs(title)))
    with_interval = [e.interval for e in known if e.interval is not None and e.interval.has_bounds]
    if not with_interval:
        return panels, ""
    far = "; arrow, off the scale" if far_estimates(known) else ""
    levels = " / ".join(dict.fromkeys(percent(i.level) for i in with_interval))
    methods = dict.fromkeys(
        context.interval_title(i.method, over_groups=i.clusters is not None) for i in with_interval
    )
    return panels, (
        f", point and {levels} interval ({', '.join(mid_sentence(m) for m in methods)}){far}"
    )


def compared(context: Context, setting: Setting, metric_name: str) -> Comparison | None:
    """Find the comparison by a metric whose differences are drawn with the estimates."""
    for comparison in context.results.comparisons:
        if comparison.metric != metric_name or comparison.data is None:
            continue
        if comparison.family.exploratory or not rows_of(context, comparison):
            continue
        if Setting(comparison.data, comparison.protocol) == setting:
            return comparison
    return None


def drawn_with_estimates(context: Context, comparison: Comparison) -> bool:
    """Return whether the differences of a comparison are drawn with the estimates."""
    if len({setting.data for setting in context.settings}) > MOST_DATA_APART:
        return False
    for setting in context.settings:
        if compared(context, setting, comparison.metric) is comparison:
            known = (
                context.estimate(setting, model, comparison.metric)
                for model in context.models_best_first(setting, comparison.metric)
            )
            return sum(e is not None and e.value is not None for e in known) > 1
    return False
