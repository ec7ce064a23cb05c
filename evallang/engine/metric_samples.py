"""What resamples a metric of one model: made once, for its interval and for every test.

All metrics of a setting rest on the same resamples of its rows or groups, since their seed
names neither metric nor model.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evallang.compatibility import sums_shares
from evallang.engine.evaluation import Evaluation, as_read_by
from evallang.metrics.aggregation import Partition, partition, reweighted
from evallang.metrics.by_class import margins_of_cells
from evallang.metrics.metric import MetricEntry, Outcome, SummedShares, cells
from evallang.planning.seeds import analysis_seed
from evallang.stats.intervals.few_groups import effective_n, weighted_loss_sample
from evallang.stats.intervals.interval import Resampler, default_of
from evallang.stats.intervals.resampling import (
    ExampleSample,
    LossSample,
    OfCells,
    OfTables,
    PatternSample,
    SumSample,
    WeightSample,
    mean_sample,
    spread_out,
    table_sample,
)
from evallang.stats.validity import Counted, Number, by_size
from evallang.study import Method, Study

Options = Mapping[str, Any]


def resampling_seed(study: Study, evaluation: Evaluation, method: Method) -> int:
    """Return the seed of an interval or test by a method, whatever the metric and the models."""
    return analysis_seed(study.seed, *evaluation.draws, method.written)


def resamples_seed(study: Study, evaluation: Evaluation) -> int:
    """Return the seed of all resamples with replacement: that of the bootstrap by default.

    So an interval of a model and one of a difference rest on the same draws, whatever test or
    variant of the bootstrap asks for them.
    """
    return resampling_seed(study, evaluation, Method(default_of("drawn")))


def metric_sample(evaluation: Evaluation, model: str, metric: Method) -> Resampler:
    """Return what resamples a metric of one model; raises `ValueError` where nothing can."""
    known = evaluation.measured[metric].samples if metric in evaluation.measured else {}
    return known[model] if model in known else _Samples(evaluation, model, metric).sample()


def pseudo_values(evaluation: Evaluation, model: str, metric: Method) -> "NDArray[np.float64]":
    """Return what each example of a model, with all its predictions, adds to a metric (n,)."""
    alone = as_read_by(evaluation.altered(group_codes=np.arange(evaluation.n)), metric)
    return cast(ExampleSample, metric_sample(alone, model, metric)).pseudo_values()


# --- what decides whether an interval or a test holds --------------------------------------------


def counted_by_metric(
    evaluation: Evaluation, models: Iterable[str], metric: Method
) -> Mapping[Counted, Number]:
    """Count what decides validity and only the metric knows; of several models the least."""
    if evaluation.strengths is not None:
        return {}  # they tell the number of their clusters
    entry, options = evaluation.entry(metric), metric.keywords()
    declared = entry.declaration
    outcomes = [evaluation.outcome(model, metric) for model in models]
    known = [outcome for outcome in outcomes if outcome is not None]
    if not known:
        return {}
    found: dict[Counted, Number] = {}
    first = known[0]
    if declared.tail is not None and not evaluation.yields.averaged:
        found[Counted.TAIL] = Number(first.n, declared.tail(options))
    if first.weights is not None:
        found[Counted.WEIGHTED] = Number(effective_n(first.weights))
    if evaluation.group_codes is not None:
        found[Counted.GROUPS] = Number(len(np.unique(evaluation.group_codes)))
        unlike = by_size(evaluation.group_codes)
        if unlike is not None:
            found[Counted.SIZES] = Number(unlike)
    if evaluation.average is not None and evaluation.average.rarest is not None:
        found[Counted.RAREST] = Number(evaluation.average.rarest)
    if evaluation.judged or evaluation.means or evaluation.group_codes is not None:
        return found
    if declared.needs == "probabilities" and first.counted is None:
        found[Counted.OUTSIDE] = Number(first.n - int(np.bincount(first.truth).max()))
    if declared.needs == "scores" and declared.by_class and first.ranked is None:
        sizes = np.bincount(first.truth)
        found[Counted.RAREST] = Number(int(sizes[sizes > 0].min()))
    if declared.needs == "risks":
        found[Counted.EVENTS] = Number(int(first.truth[:, 1].sum()))
    if declared.form != "counts":
        return found
    matrices = [evaluation.confusion(model) for model in models]
    by_class = "average" in {option.name for option in entry.options} or sums_shares(
        entry, metric.options, first.k
    )
    averaged = options.get("average", "macro" if first.k > 2 else "binary")
    if by_class and (averaged == "macro" or declared.shares is not None):
        sizes = matrices[0].sum(axis=1)
        found[Counted.RAREST] = Number(int(sizes[sizes > 0].min(initial=first.n)))
    wrong = [int(counts.sum() - np.trace(counts[:, : first.k])) for counts in matrices]
    found[Counted.MISTAKES] = Number(min(wrong))
    return found


def counted_once(o: Outcome) -> tuple[Outcome, "NDArray[np.float64] | None"]:
    """Return the distinct examples and how often each occurs; None where all rows are kept."""
    if o.counted is None:
        return o, None
    times = o.counted.times.astype(np.float64)  # sums of float64, exact below 2^53
    return Outcome(o.counted.truth, o.counted.labels, o.k, o.positive), times


def summed_shares(entry: MetricEntry, metric: Method, o: Outcome) -> SummedShares:
    """Write a metric as a sum of shares; raises `ValueError` where it is none of these classes."""
    shares = entry.declaration.shares
    if shares is None or not sums_shares(entry, metric.options, o.k):
        raise ValueError(f"`{metric.written}` is not a sum of shares of these classes")
    return shares(o, metric.keywords())


def of_cells(entry: MetricEntry, options: Options, positive: int | None, k: int) -> OfCells:
    """Return what makes a metric of counts one of the cells that occur; label k is none of them."""

    def metric(table: Any) -> "NDArray[np.float64]":
        return np.asarray(entry.function(table, positive, **options), dtype=np.float64)

    def of_some(truth: "NDArray[np.int64]", label: "NDArray[np.int64]") -> OfTables:
        if not entry.declaration.of_margins:
            return spread_out(truth * (k + 1) + label, (k, k + 1), metric)
        margins = margins_of_cells(truth, label, k)
        return lambda counts: metric(margins(counts))

    return of_some


def sample_of(
    entry: MetricEntry,
    options: Options,
    o: Outcome,
    parts: Partition,
    groups: "NDArray[np.int64] | None",
) -> ExampleSample:
    """Make the sample of a metric of examples that are drawn one by one, or in groups.

    A ranking metric is averaged over the folds of `parts`.
    """
    declared = entry.declaration
    limits = declared.low, declared.high
    if declared.form == "counts":
        truth, label = np.divmod(cells(o.truth, o.output, o.k), o.k + 1)
        metric = of_cells(entry, options, o.positive, o.k)
        return table_sample(truth, label, metric, groups, o.weights, limits)
    if declared.form == "losses":
        losses = entry.function(o.truth, o.output, o.positive, **options)
        if o.weights is None:
            return LossSample(losses, declared.transform, groups, limits)
        return weighted_loss_sample(losses, o.weights, groups, limits, declared.transform)
    pooled = bool(options.get("pool")) or len(parts.pairs) == 1
    if pooled and declared.moments is not None and o.weights is None:
        moments = declared.moments(o)
        return SumSample(moments.columns, moments.function, groups, limits)
    return WeightSample(o.n, reweighted(entry, options, o, parts).statistic, groups, limits)


class _Samples:
    """The ways of resampling a metric of one model."""

    def __init__(self, evaluation: Evaluation, model: str, metric: Method) -> None:
        self.evaluation, self.model = evaluation, model
        self.entry, self.options = evaluation.entry(metric), metric.keywords()
        self.outcomes = evaluation.outcomes(model, metric)
        self.groups = evaluation.groups_of(model)
        declared = self.entry.declaration
        self.limits = declared.low, declared.high

    def sample(self) -> Resampler:
        """Return the quickest that fits the metric and the design; of several seeds their mean."""
        o = self.outcomes[0]
        if self.evaluation.yields.averaged and not self.evaluation.means:
            found = reweighted(self.entry, self.options, o, self._parts())
            return WeightSample(o.n, found.statistic, self.groups, self.limits)
        alone = o.weights is None and len(self.outcomes) == 1
        if alone and self.entry.declaration.form == "counts" and self.groups is None:
            counts = self.evaluation.confusion(self.model)
            truth, label = np.nonzero(counts)
            metric = of_cells(self.entry, self.options, o.positive, o.k)(truth, label)
            return PatternSample(counts[truth, label], metric, self.limits)
        parts = self._parts()
        return mean_sample(
            [sample_of(self.entry, self.options, one, parts, self.groups) for one in self.outcomes]
        )

    def _parts(self) -> Partition:
        """Folds and repeats, over which a ranking metric is averaged: of one fit there is one."""
        if not self.evaluation.yields.single_fit:
            return self.evaluation.partition(self.model)
        return partition(self.outcomes[0].n, None, self.evaluation.models[self.model].repeat)
