"""What a metric or an analysis is, in one line for each property of its declaration."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from evallang.manual.compatibility_table import (
    default_of,
    interval_fit,
    measurable,
    settings,
)
from evallang.metrics.aggregation import aggregation_of
from evallang.metrics.metric import MetricDeclaration
from evallang.registry import Entry
from evallang.stats.analyses.analysis import ABOUT_LINES, AnalysisDeclaration
from evallang.stats.intervals.interval import INTERVALS

NEEDS = {
    "labels": "predicted labels",
    "scores": "a score for each class, or for the positive class alone",
    "probabilities": "predicted probabilities",
    "values": "predicted numbers",
    "ranges": "the bounds of prediction intervals: the clause `range` of `predictions`",
    "sums": "a numerator and a denominator for each row",
    "risks": "a risk for each row, and the clause `event` of `predictions`",
    "rankings": "a score for each row, and the clause `query` of `predictions`",
}
OVER_FOLDS = {
    "counts": (
        "the counts of all folds of a repeat are added and the metric is computed once from them; "
        "the mean over repeats"
    ),
    "losses": "the mean over all test rows of a repeat; the mean over repeats",
    "scores": "the mean of the folds' values; folds in which it is undefined are excluded from it",
}
"""How folds combine, by the form of a metric; see `evallang.metrics.aggregation`."""
ROOT = "the root of the mean over all test rows of a repeat; the mean over repeats"
POOLED = "; with `pool=true` computed once from all rows"


def property_lines(entry: Entry[Any]) -> tuple[str, ...]:
    """State what a member of a catalogue is; empty for kinds without such lines."""
    if isinstance(entry.declaration, MetricDeclaration):
        return _of_metric(entry)
    return _of_analysis(entry) if isinstance(entry.declaration, AnalysisDeclaration) else ()


def _of_metric(metric: Entry[MetricDeclaration]) -> tuple[str, ...]:
    """State direction, range, needs, classes and how folds combine."""
    declared = metric.declaration
    lines = [
        f"direction: {_direction(declared)}",
        f"range: {_range(declared)}",
        f"needs: {NEEDS[declared.needs]}",
    ]
    if declared.task == "classification":
        lines.append(f"classes: {'two' if declared.binary_only else 'two or more'}")
    lines.append(f"over folds: {_over_folds(metric)}")
    lines.append(f"resampled as: {_resampled(declared)}")
    return tuple(lines)


ABOUT = {
    "model": "each model of each data set under a protocol",
    "models": "all models of each data set under a protocol",
    "lines": "the `compare` lines of the study",
    "decisions": "the decisions of the `compare` lines of the study",
}
FITS = {
    "protocol": "those of the protocol; imported predictions will not do",
    "subsets": "further ones, on parts of each training part",
    "rounds": "further ones, on rows drawn with replacement",
    "shuffled": "further ones, those of the protocol for each shuffled target",
}
SEVERAL_SEEDS = "seeds: the protocol repeats every fit with several"
SEARCHES = "models with a search for hyper-parameters"


def _of_analysis(analysis: Entry[AnalysisDeclaration]) -> tuple[str, ...]:
    """State what an analysis is computed for, what it needs and what it fits."""
    declared = analysis.declaration
    lines = [f"computed for: {ABOUT[declared.about]}"]
    if declared.about not in ABOUT_LINES:
        needs = SEARCHES if declared.needs == "searches" else NEEDS[declared.needs]
        lines.append(f"needs: {'predictions' if declared.by_metric else needs}")
    if declared.several_seeds:
        lines.append(SEVERAL_SEEDS)
    elif declared.seeds_of_draws:
        lines.append(f"{SEVERAL_SEEDS} if a model draws at random")
    if declared.task == "classification":
        more = "; of three or more, each against the rest" if declared.by_class else " or more"
        mean = ", and their mean" if declared.macro else ""
        lines.append(f"classes: two{more}{mean}")
    if declared.by_metric:
        mean = " that is a mean over examples" if declared.mean_metric else ""
        lines.append(f"metric: any{mean} after `by`; the first measure where none is written")
    if declared.fits is not None:
        lines.append(f"fits: {FITS[declared.fits]}")
    return tuple(lines)


def _direction(declared: MetricDeclaration) -> str:
    if declared.better == "nearest":
        return f"{declared.ideal:g} is best; models cannot be compared by it"
    return f"{declared.better} is better"


def _range(declared: MetricDeclaration) -> str:
    unit = {"target": ", in the unit of the target", "percent": ", printed in percent"}.get(
        declared.unit, ""
    )
    if declared.squared_unit:
        unit = ", in the squared unit of the target"
    if declared.low is not None and declared.high is not None:
        return f"{declared.low:g} to {declared.high:g}{unit}"
    if declared.low is not None:
        return f"{declared.low:g} or more{unit}"
    if declared.high is not None:
        return f"at most {declared.high:g}{unit}"
    return f"any number{unit}"


def _over_folds(metric: Entry[MetricDeclaration]) -> str:
    declared = metric.declaration
    if declared.transform == "sqrt":
        return ROOT
    pooled = aggregation_of(metric, {"pool": True}, repeats=2, folds=5) != aggregation_of(
        metric, {}, repeats=2, folds=5
    )
    return OVER_FOLDS[declared.form] + (POOLED if pooled and metric.option("pool") else "")


def _resampled(declared: MetricDeclaration) -> str:
    if declared.form == "counts":
        return "joint counts of truth and prediction, which are multinomial"
    if declared.form == "losses":
        return "one value for each " + ("query" if declared.needs == "rankings" else "row")
    return "whole rows, whose scores are sorted once" if declared.ranks else "whole rows"


class AvailableIntervals(Struct, frozen=True):
    """The intervals of a metric where they are the same: the default, and others to be written.

    `default` is None where no interval is sound unless one is written.
    """

    places: tuple[str, ...]
    default: str | None
    others: tuple[str, ...]


def available_intervals(metric: Entry[MetricDeclaration]) -> Iterator[AvailableIntervals]:
    """Iterate over the intervals under protocols and sources, those with the same joined."""
    found: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    for setting in settings():
        if not measurable(metric, setting):
            continue
        default = default_of(metric, setting)
        fitting = _fitting(metric, setting)
        others = tuple(name for name in fitting if name != default)
        found.setdefault((default, others), []).append(setting.words)
    for (default, others), places in sorted(found.items(), key=lambda item: item[0][0] is None):
        yield AvailableIntervals(tuple(places), default, others)


def _fitting(metric: Entry[Any], setting: Any) -> Sequence[str]:
    return [entry.name for entry in INTERVALS if interval_fit(entry, metric, setting)]
