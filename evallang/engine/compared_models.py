"""What the models of a comparison gave, in the forms that hypothesis tests take."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evallang.engine.settings import Setting
from evallang.metrics.aggregation import (
    Partition,
    aggregate,
    over_seeds,
    partition,
    point_value,
)
from evallang.metrics.metric import MetricEntry, Outcome
from evallang.metrics.reweighted import reweighted
from evallang.registry import lazy
from evallang.stats.intervals.resampling import WeightSample, mean_sample
from evallang.study import Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


def rows_about(setting: Setting, metric: Method, model: str) -> Any:
    """Tell which rows a test of right and wrong by a metric is about, as a mask (n,)."""
    truth = setting.models[model].truth
    if metric.name == "recall":
        return truth == setting.positive
    if metric.name == "specificity":
        return truth != setting.positive
    return np.ones(len(truth), dtype=bool)


@dataclass(frozen=True)
class ComparedModels:
    """The outcomes of some models of a setting, as a metric judges them."""

    setting: Setting
    metric: Method
    models: tuple[str, ...]

    @property
    def entry(self) -> MetricEntry:
        """What computes the metric."""
        return self.setting.entry(self.metric)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each model, of several seeds that of the first."""
        found = [self.setting.outcome(model, self.metric) for model in self.models]
        whole = tuple(outcome for outcome in found if outcome is not None)
        if len(whole) < len(found):
            raise ValueError("a model without scores has no part in a test on scores")
        return whole

    @cached_property
    def by_seed(self) -> tuple[tuple[Outcome, ...], ...]:
        """The outcomes of each model, one for every seed."""
        return tuple(self.setting.outcomes(model, self.metric) for model in self.models)

    def correct(self) -> Any:
        """Tell which of the rows a test of right and wrong is about each model has right (n, m)."""
        return np.column_stack([self.setting.correct(m) for m in self.models])[self.rows()]

    def rows(self) -> Any:
        """The rows a count test is about: all, or the positives, or the negatives."""
        return rows_about(self.setting, self.metric, self.models[0])

    def losses(self, which: int) -> Any:
        """The loss of each example, of several seeds its mean over them."""
        return np.mean([self._loss(o) for o in self.by_seed[which]], axis=0)

    def _loss(self, o: Outcome) -> Any:
        if self.entry.declaration.form == "losses":
            return self.entry.function(o.truth, o.output, o.positive, **self.metric.keywords())
        wrong = (o.truth != o.output).astype(np.float64)
        return 1.0 - wrong if self.entry.declaration.better == "higher" else wrong

    def shares(self, which: int) -> Any:
        """Losses whose plain mean is the weighted one."""
        losses, weights = self.losses(which), self.outcomes[which].weights
        if weights is None:
            return losses
        return losses * weights * (len(weights) / weights.sum())

    def binary_truth(self) -> Any:
        """Tell which rows are positive, as 0 and 1 (n,)."""
        truth = self.setting.models[self.models[0]].truth
        return (truth == self.setting.positive).astype(np.int64)

    def scores(self, model: str) -> Any:
        """Give the score of the positive class for each row (n,)."""
        outcome = self.setting.outcome(model, self.metric)
        if outcome is None:
            raise ValueError(f"{model} gives no scores")
        scores = outcome.output
        return scores if scores.ndim == 1 else scores[:, outcome.positive]

    def folds(self) -> Any:
        """Fold codes where several fits made the scores, None for one fit."""
        if self.setting.yields.single_fit or len(self.setting.folds) < 2:
            return None
        found = self.setting.models[self.models[0]]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def bounded(self) -> bool:
        """Tell whether the metric lies between 0 and 1."""
        declared = self.entry.declaration
        if self.setting.own is not None:  # its range is known from its values alone
            values = np.concatenate([o.output for o in self.outcomes])
            return bool(((values >= 0) & (values <= 1)).all())
        return declared.low == 0 and declared.high == 1

    def two_classes(self) -> bool:
        """Tell whether the truth has two classes."""
        return len(self.setting.classes) == 2

    def outputs(self, which: int) -> Any:
        """One model's outputs, those of several seeds side by side (n, S * K)."""
        found = [o.output for o in self.by_seed[which]]
        if len(found) == 1:
            return found[0]
        return np.concatenate([output.reshape(len(output), -1) for output in found], axis=1)

    def value(self, output: Any) -> float:
        """The metric of one model's outputs, over folds as its estimate is, over seeds the mean."""
        first = self.outcomes[0]
        seeds = 1 + len(self.setting.further_seeds)
        width = 1 if first.output.ndim == 1 else first.output.shape[1]
        values = []
        for seed in range(seeds):
            one = output if seeds == 1 else output[:, seed * width : (seed + 1) * width]
            outcome = replace(first, output=one.reshape(first.output.shape))
            values.append(point_value(self.entry, self.metric.keywords(), outcome, self.partition))
        return float(np.mean(values))

    @cached_property
    def partition(self) -> Partition:
        """Folds and repeats of the predictions, the same for both models."""
        found = self.setting.models[self.models[0]]
        return partition(len(found.rows), found.fold, found.repeat)

    def joint(self) -> "tuple[NDArray[np.int64], Callable[[Any], Any]]":
        """Count truth by both predictions (K, K, K), and the metric of one's matrix.

        A label that is none of the classes gets a class of its own, which no truth has.
        """
        a, b = self.outcomes
        k = a.k + int(bool((a.output < 0).any() or (b.output < 0).any()))
        first = np.where(a.output < 0, a.k, a.output).astype(np.int64)
        second = np.where(b.output < 0, a.k, b.output).astype(np.int64)
        cells = (a.truth.astype(np.int64) * k + first) * k + second
        joint = np.bincount(cells, minlength=k**3).reshape(k, k, k)

        def function(matrices: Any) -> Any:
            return self.entry.function(
                matrices[..., : a.k, :], a.positive, **self.metric.keywords()
            )

        return joint, function

    def weighted(self, which: int, groups: Any) -> WeightSample:
        """Draw weights of the rows of one model, of several seeds the mean of their metrics."""
        return mean_sample([self._weighted_one(o, groups) for o in self.by_seed[which]])

    def _weighted_one(self, o: Outcome, groups: Any) -> WeightSample:
        statistic = reweighted(self.entry, self.metric.keywords(), o, self.partition)
        return WeightSample(o.n, statistic, groups)

    def fold_values(self, which: int) -> Any:
        """The values of one model in each fold, of several seeds their mean."""
        found = self.setting.models[self.models[which]]
        wholes = [
            aggregate(self.entry, self.metric.keywords(), o, found.fold, found.repeat)
            for o in self.by_seed[which]
        ]
        whole, _ = over_seeds(wholes)
        return np.array([np.nan if v is None else v for v in whole.fold_values], dtype=np.float64)
