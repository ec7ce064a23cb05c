"""A metric over folds and repeats: which is averaged, and under many weightings at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.metrics.metric import (
    MetricEntry,
    Outcome,
    Statistic,
    cells,
    fold_value,
)
from evallang.stats.basics import standard_deviation
from evallang.stats.score_counts import ratio, summing

Aggregation = Literal["pooled", "mean_of_folds", "mean_of_repeats"]


class Aggregate(Struct, frozen=True):
    """The value of a metric over folds, with the folds' own values.

    Attributes
    ----------
    value : the estimate, None where undefined
    aggregation : `pooled` over the examples of the only repeat, `mean_of_repeats` of such,
        or `mean_of_folds`
    folds : (repeat, fold) of each value in `fold_values`, sorted
    fold_values : the metric on each fold's test rows, None where undefined
    fold_mean, sd : mean and standard deviation (n - 1) of the defined fold values
    n : number of predictions for `pooled`, else number of defined fold values
    notes : what is undefined, and how often
    """

    value: float | None
    aggregation: Aggregation
    folds: tuple[tuple[int, int], ...]
    fold_values: tuple[float | None, ...]
    fold_mean: float | None
    sd: float | None
    n: int
    notes: tuple[str, ...] = ()


def aggregate(
    entry: MetricEntry,
    options: Mapping[str, Any],
    outcome: Outcome,
    fold: ArrayLike | None = None,
    repeat: ArrayLike | None = None,
) -> Aggregate:
    """Compute a metric from one model's predictions on all test rows of one protocol.

    `outcome` has one row per prediction, `fold` and `repeat` (n,) are its numbers from 0,
    or None for a single one. Raises `ValueError` where an option does not fit the classes.
    """
    return aggregate_parts(entry, options, outcome, partition(outcome.n, fold, repeat))


def aggregate_parts(
    entry: MetricEntry,
    options: Mapping[str, Any],
    outcome: Outcome,
    parts: Partition,
    whole: float | None = None,
) -> Aggregate:
    """Compute what `aggregate` gives for predictions whose folds and repeats are numbered.

    `whole` is the value on all rows of a single fold, where it is known.
    """
    if whole is None:
        by_fold = _values(entry, options, outcome, parts.fold, len(parts.pairs))
    else:
        by_fold = np.array([whole])
    aggregation = aggregation_of(entry, options, parts.repeats, len(parts.pairs))
    if aggregation == "mean_of_folds":
        values, unit = by_fold, "fold"
    elif parts.fold is parts.repeat:
        values, unit = by_fold, "repeat"
    else:
        values, unit = _values(entry, options, outcome, parts.repeat, parts.repeats), "repeat"
    defined = by_fold[~np.isnan(by_fold)]
    return Aggregate(
        value=_mean(values),
        aggregation=aggregation,
        folds=parts.pairs,
        fold_values=tuple(_number(value) for value in by_fold),
        fold_mean=_mean(by_fold),
        sd=float(np.std(defined, ddof=1)) if len(defined) > 1 else None,
        n=outcome.n if aggregation == "pooled" else len(defined),
        notes=(*_notes(entry, values, unit), *_remarks(entry, outcome)),
    )


def average_over_seeds(wholes: Sequence[Aggregate]) -> tuple[Aggregate, tuple[float | None, ...]]:
    """Average what the same folds give with several seeds; seeds are not a sample.

    The value of a fold is the mean over seeds, and so is the estimate; mean and standard
    deviation over folds are those of these means. Gives the standard deviation over seeds of
    each fold too.
    """
    table = np.array(
        [[np.nan if v is None else v for v in whole.fold_values] for whole in wholes]
    ).reshape(len(wholes), -1)
    means = [_mean_over_seeds(column) for column in table.T]
    defined = np.array([mean for mean in means if mean is not None])
    first = wholes[0]
    value = _mean_over_seeds(np.array([np.nan if w.value is None else w.value for w in wholes]))
    notes = tuple(dict.fromkeys(note for whole in wholes for note in whole.notes))
    found = replace(
        first,
        value=value,
        fold_values=tuple(means),
        fold_mean=_mean(defined),
        sd=float(np.std(defined, ddof=1)) if len(defined) > 1 else None,
        n=first.n if first.aggregation == "pooled" else len(defined),
        notes=notes,
    )
    return found, tuple(standard_deviation(column) for column in table.T)


def _mean_over_seeds(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known[0]) if len(known) and known.min() == known.max() else _mean(values)


class Partition(Struct, frozen=True):
    """Which fold and which repeat each prediction belongs to, numbered from 0 without gaps.

    `fold` and `repeat` (n,) are codes, `pairs` the (repeat, fold) of each fold code.
    """

    fold: NDArray[np.int64]
    repeat: NDArray[np.int64]
    pairs: tuple[tuple[int, int], ...]
    repeats: int


def partition(n: int, fold: ArrayLike | None = None, repeat: ArrayLike | None = None) -> Partition:
    """Number the folds and repeats of n predictions."""
    zeros = np.broadcast_to(np.zeros(1, dtype=np.int64), n)  # no memory for each row
    repeats = zeros if repeat is None else np.asarray(repeat, dtype=np.int64)
    folds = zeros if fold is None else np.asarray(fold, dtype=np.int64)
    distinct, of_repeat = _numbered(repeats)
    names, of_fold = _numbered(folds)
    if len(names) == 1:  # one fold in each repeat, often a single one of all
        pairs, part = np.arange(len(distinct)), of_repeat
    else:
        pairs, part = _numbered(of_repeat * len(names) + of_fold)
    if len(pairs) == len(distinct):
        part = of_repeat
    found = tuple((int(distinct[c // len(names)]), int(names[c % len(names)])) for c in pairs)
    return Partition(part, of_repeat, found, len(distinct))


def _numbered(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes, rising, and the place of each code among them.

    Codes of a small range are counted, which takes a fraction of the time of a sort.
    """
    if not len(codes):
        return codes, codes
    low, high = int(codes.min()), int(codes.max())
    if low == high:
        return codes[:1], np.broadcast_to(np.zeros(1, dtype=np.int64), len(codes))
    if high - low > len(codes):
        distinct, place = np.unique(codes, return_inverse=True)
        return distinct, place.reshape(-1)
    occurring = np.bincount(codes - low) > 0
    place = np.cumsum(occurring) - 1
    return np.flatnonzero(occurring) + low, place[codes - low]


def point_value(
    entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome, parts: Partition
) -> float:
    """Return the value of `aggregate`, NaN where undefined, for many outcomes of one layout."""
    if aggregation_of(entry, options, parts.repeats, len(parts.pairs)) == "mean_of_folds":
        values = _values(entry, options, outcome, parts.fold, len(parts.pairs))
    else:
        values = _values(entry, options, outcome, parts.repeat, parts.repeats)
    mean = _mean(values)
    return float("nan") if mean is None else mean


def aggregation_of(
    entry: MetricEntry, options: Mapping[str, Any], repeats: int, folds: int
) -> Aggregation:
    """Return how a metric is aggregated over so many repeats and folds."""
    pools = entry.declaration.form != "scores" or bool(options.get("pool")) or folds == 1
    if not pools:
        return "mean_of_folds"
    return "pooled" if repeats == 1 else "mean_of_repeats"


def _values(
    entry: MetricEntry,
    options: Mapping[str, Any],
    outcome: Outcome,
    part: NDArray[np.int64],
    parts: int,
) -> NDArray[np.float64]:
    """Compute the metric on each part of the rows: (parts,), NaN where undefined."""
    form = entry.declaration.form
    if form == "counts":
        counts = outcome.confusions(part, parts)
        return np.array(entry.function(counts, outcome.positive, **options), dtype=np.float64)
    if parts == 1:
        return np.array([fold_value(entry, options, outcome)], dtype=np.float64)
    if form == "losses":
        weights = np.ones(outcome.n) if outcome.weights is None else outcome.weights
        return _loss_statistic(entry, options, outcome, part, parts)(weights[None]).ravel()
    bounds = np.cumsum(np.bincount(part, minlength=parts))[:-1]
    rows_of_parts = np.split(np.argsort(part, kind="stable"), bounds)
    return np.array([fold_value(entry, options, outcome.take(rows)) for rows in rows_of_parts])


def _notes(entry: MetricEntry, values: NDArray[np.float64], unit: str) -> tuple[str, ...]:
    undefined = int(np.isnan(values).sum())
    if not undefined:
        return ()
    if undefined == len(values):
        return ("undefined on these test rows",)
    verb = "has" if undefined == 1 else "have"
    return (f"undefined in {undefined} of {len(values)} {unit}s, which {verb} no part in the mean",)


def _remarks(entry: MetricEntry, outcome: Outcome) -> tuple[str, ...]:
    remark = None if entry.declaration.remark is None else entry.declaration.remark(outcome)
    return () if remark is None else (remark,)


def _mean(values: NDArray[np.float64]) -> float | None:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class Reweighted(Struct, frozen=True):
    """A metric as a function of weights (B, n).

    `compiled` where it is worked out for all weightings at once.
    """

    statistic: Statistic
    compiled: bool


def reweighted(
    entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome, parts: Partition
) -> Reweighted:
    """Return `point_value` as a function of weights (B, n), which multiply the outcome's own."""
    form, own = entry.declaration.form, outcome.weights
    by_fold = aggregation_of(entry, options, parts.repeats, len(parts.pairs)) == "mean_of_folds"
    part, number = (parts.fold, len(parts.pairs)) if by_fold else (parts.repeat, parts.repeats)
    if form == "counts":
        statistic = _count_statistic(entry, options, outcome, part, number)
    elif form == "losses":
        statistic = _loss_statistic(entry, options, outcome, part, number)
    else:
        pieces = _score_statistic(entry, options, outcome, part, number)
        if pieces is None:
            return Reweighted(_one_by_one(entry, options, outcome, parts), compiled=False)
        statistic = pieces
    return Reweighted(
        lambda weights: _mean_of_defined(statistic(weights if own is None else weights * own)),
        compiled=True,
    )


def _one_by_one(
    entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome, parts: Partition
) -> Statistic:
    own = outcome.weights

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        drawn = weights.astype(np.float64) if own is None else weights * own
        values = [point_value(entry, options, replace(outcome, weights=w), parts) for w in drawn]
        return np.array(values, dtype=np.float64)

    return statistic


def _count_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic:
    size = o.k * (o.k + 1)
    sums = summing(part * size + cells(o.truth, o.output, o.k), number * size)

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        tables = (sums @ weights.T).T.reshape(len(weights) * number, o.k, o.k + 1)
        values = np.asarray(entry.function(tables, o.positive, **options), dtype=np.float64)
        return values.reshape(len(weights), number)

    return statistic


def _loss_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic:
    loss = np.asarray(entry.function(o.truth, o.output, o.positive, **options), dtype=np.float64)
    sums, lost = summing(part, number), summing(part, number, loss)

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        means = ratio(lost @ weights.T, sums @ weights.T).T
        return np.sqrt(means) if entry.declaration.transform == "sqrt" else means

    return statistic


def _score_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic | None:
    """Return the metric on each part (B, number), None where it has no form under weights."""
    pieces = []
    for which in range(number):
        rows: Any = np.flatnonzero(part == which) if number > 1 else slice(None)
        function = _weighted_statistic(entry, options, replace(o.take(rows), weights=None))
        if function is None:
            return None
        pieces.append((rows, function))
    return lambda weights: np.stack([value(weights[:, rows]) for rows, value in pieces], axis=1)


def _weighted_statistic(
    entry: MetricEntry, options: Mapping[str, Any], o: Outcome
) -> Statistic | None:
    """Return a metric of scores as a function of weights, None where it has no such form."""
    declared = entry.declaration
    if declared.under_weights is not None:
        return declared.under_weights(o, options)
    if declared.moments is None:
        return None
    moments = declared.moments(o)

    # einsum and not BLAS: the same bits for any number of threads
    return lambda weights: moments.function(
        np.einsum("bn,cn->cb", weights, moments.columns, dtype=np.float64)
    )


def _mean_of_defined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average what is defined in each row; NaN where nothing is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    total = np.where(defined, values, 0.0).sum(axis=1)
    return ratio(total, count)
