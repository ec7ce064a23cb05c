"""What intervals ask for by the names of their parameters, for one model by one metric."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evallang.engine.evaluation import Evaluation
from evallang.engine.providers import Providers
from evallang.engine.weighted import sample_of, weighted_proportion
from evallang.metrics.aggregation import (
    Aggregate,
    Partition,
    partition,
)
from evallang.metrics.metric import MetricEntry, Outcome, confusion, successes
from evallang.metrics.reweighted import reweighted
from evallang.planning.seeds import analysis_seed
from evallang.registry import Entry, lazy
from evallang.results.records import Interval
from evallang.stats.inputs import Subject
from evallang.stats.intervals.effective_size import clustered_wilson
from evallang.stats.intervals.interval import IntervalDeclaration, Resampler
from evallang.stats.intervals.resampled_counts import CountSample
from evallang.stats.intervals.resampled_scores import ScoreSample
from evallang.stats.intervals.resampling import LossSample, WeightSample, mean_sample
from evallang.study import Method, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


@dataclass(frozen=True)
class IntervalInputs:
    """The inputs of the interval of one estimate.

    `outcomes` are those of every seed; an example's loss is its mean over them.
    """

    study: Study
    evaluation: Evaluation
    model: str
    metric: Method
    entry: MetricEntry
    outcomes: tuple[Outcome, ...]
    whole: Aggregate

    @property
    def outcome(self) -> Outcome:
        """The outcome, of several seeds that of the first: the same rows and weights."""
        return self.outcomes[0]

    @cached_property
    def groups(self) -> "NDArray[np.int64] | None":
        """The group of each row, None where each row is alone."""
        codes = self.evaluation.group_codes
        return None if codes is None else codes[self.evaluation.models[self.model].rows]

    @cached_property
    def sizes(self) -> "tuple[NDArray[Any], NDArray[Any], str | None] | None":
        """Training and test sizes of the folds, and a note where they are assumed."""
        return self.evaluation.sizes()

    def fold_codes(self) -> "NDArray[np.int64]":
        """Return the fold of each row, of all repeats."""
        found = self.evaluation.models[self.model]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def losses(self) -> "NDArray[np.float64]":
        """Return the loss of each row, of several seeds its mean over them."""
        options = self.metric.keywords()
        losses = [
            self.entry.function(o.truth, o.output, o.positive, **options) for o in self.outcomes
        ]
        return np.asarray(np.mean(losses, axis=0))

    def binary_truth(self) -> "NDArray[np.int64]":
        """Return which rows are positive; raises `ValueError` for other than two classes."""
        if len(self.evaluation.classes) != 2 or self.evaluation.positive is None:
            raise ValueError("the interval is for two classes")
        return np.asarray(self.outcome.truth == self.evaluation.positive, dtype=np.int64)

    def positive_scores(self) -> "NDArray[np.float64]":
        """Return the score of the positive class (n,)."""
        scores = self.outcome.output
        return scores if scores.ndim == 1 else scores[:, self.outcome.positive]

    def proportion(self) -> tuple[int, int]:
        """Count successes and trials; raises `ValueError` for a metric that counts none."""
        if len(self.outcomes) > 1:
            raise ValueError("with several seeds an example is no single success or failure")
        if self.evaluation.judged:
            right = int(self.evaluation.correct(self.model).sum())
            return right, self.outcome.n
        counts = confusion(self.outcome.truth, self.outcome.output, self.outcome.k)
        found = successes(self.entry, self.metric.keywords(), counts, self.outcome.positive)
        if found is None:
            raise ValueError(f"`{self.metric.written}` is no proportion of these classes")
        return round(found[0]), round(found[1])

    def over_groups(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Return Wilson's interval with n over the design effect of the groups."""
        if self.entry.declaration.proportion != "all":
            return None, ("no interval: its form for groups is that of accuracy",)
        right = self.outcome.truth == self.outcome.output
        assert self.groups is not None, "rows without groups have an interval of their own"
        found, _ = clustered_wilson(right, self.groups, self.study.confidence)
        low, high = found.low, found.high
        if self.entry.declaration.complement and low is not None and high is not None:
            found = replace(found, low=1 - high, high=1 - low)
        return found, ()

    def with_weights(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Return Wilson's interval with the effective number of examples (Kish 1965)."""
        if self.evaluation.group_codes is not None:
            return None, ("no interval: `wilson` has no form for groups and weights at once",)
        options, level = self.metric.keywords(), self.study.confidence
        try:
            found = weighted_proportion(self.entry, options, self.outcome, level)
        except ValueError as error:
            return None, (f"no interval: {error}",)
        if self.entry.declaration.complement and found.low is not None and found.high is not None:
            found = replace(found, low=1 - found.high, high=1 - found.low)
        return found, found.notes

    def assumed(self, entry: Entry[IntervalDeclaration], method: Method) -> tuple[str, ...]:
        """State the sizes of folds that an interval takes for granted."""
        uses = "n_train" in entry.inputs and "test_train_ratio" not in method.keywords()
        note = self.sizes[2] if uses and self.sizes is not None else None
        return () if note is None else (note,)

    def sample(self) -> Resampler:
        """Return what resamples the metric."""
        o, options, groups = self.outcome, self.metric.keywords(), self.groups
        if self.evaluation.yields.averaged and not self.evaluation.means:
            return WeightSample(o.n, self._over_repeats, groups, self._limits())
        if o.weights is not None or len(self.outcomes) > 1:
            folds = None if self.evaluation.yields.single_fit else self.fold_codes()
            return mean_sample(
                [sample_of(self.entry, options, one, folds, groups) for one in self.outcomes]
            )
        if self.entry.declaration.form == "counts" and groups is not None:
            return WeightSample(o.n, self._of_counts, groups, self._limits())
        if self.entry.declaration.form == "counts":
            counts = confusion(o.truth, o.output, o.k)
            return CountSample(
                counts,
                lambda m: self.entry.function(m, o.positive, **options),
                self._limits(),
            )
        if self.entry.declaration.form == "losses":
            return LossSample(
                self.losses(), self.entry.declaration.transform, groups, self._limits()
            )
        pooled = bool(options.get("pool")) or len(self._parts.pairs) == 1
        if pooled and self.entry.declaration.ranks == "area" and len(self.evaluation.classes) == 2:
            return ScoreSample(self.binary_truth(), self.positive_scores(), groups)
        return WeightSample(o.n, self._reweighted, groups, self._limits())

    def _over_repeats(self, weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Compute the mean over repeats of a metric under each row of weights (B, n)."""
        return self._reweighted(weights)

    @cached_property
    def _parts(self) -> Partition:
        """Folds and repeats, over which a ranking metric is averaged: of one fit there is one."""
        found = self.evaluation.models[self.model]
        fold = None if self.evaluation.yields.single_fit else found.fold
        return partition(self.outcome.n, fold, found.repeat)

    @cached_property
    def _reweighted(self) -> "Callable[[NDArray[np.float64]], NDArray[np.float64]]":
        return reweighted(self.entry, self.metric.keywords(), self.outcome, self._parts)

    def _of_counts(self, weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Compute a metric of counts under each row of weights (B, n)."""
        o = self.outcome
        tables = np.stack([confusion(o.truth, o.output, o.k, w) for w in weights])
        return np.asarray(
            self.entry.function(tables, o.positive, **self.metric.keywords()), dtype=np.float64
        )

    def _limits(self) -> tuple[float | None, float | None]:
        return self.entry.declaration.low, self.entry.declaration.high


# --- one provider for each input --------------------------------------------------------------


@dataclass(frozen=True)
class MethodInputs:
    """The inputs of an interval by a stated method."""

    inputs: IntervalInputs
    method: Method


ESTIMATE: Providers[MethodInputs] = Providers(Subject.ESTIMATE)
"""What makes the inputs of the interval of one estimate."""


@ESTIMATE.provides("successes")
def successes_of(asked: MethodInputs) -> int:
    """Count the successes."""
    return asked.inputs.proportion()[0]


@ESTIMATE.provides("n")
def trials(asked: MethodInputs) -> int:
    """Count the trials."""
    return asked.inputs.proportion()[1]


@ESTIMATE.provides("level")
def level(asked: MethodInputs) -> float:
    """Return the confidence of the study."""
    return asked.inputs.study.confidence


@ESTIMATE.provides("losses")
def losses(asked: MethodInputs) -> "NDArray[np.float64]":
    """Return the loss of each row (n,)."""
    return asked.inputs.losses()


@ESTIMATE.provides("folds")
def folds(asked: MethodInputs) -> "NDArray[np.int64]":
    """Return the fold of each row (n,)."""
    return asked.inputs.fold_codes()


@ESTIMATE.provides("values")
def values(asked: MethodInputs) -> "NDArray[np.float64]":
    """Return the value of each fold (j,), NaN where it is undefined."""
    found = [np.nan if value is None else value for value in asked.inputs.whole.fold_values]
    return np.array(found, dtype=np.float64)


@ESTIMATE.provides("n_train")
def n_train(asked: MethodInputs) -> "NDArray[Any] | None":
    """Return the training rows of each fold, None where they are unknown."""
    return None if asked.inputs.sizes is None else asked.inputs.sizes[0]


@ESTIMATE.provides("n_test")
def n_test(asked: MethodInputs) -> "NDArray[Any] | None":
    """Return the test rows of each fold, None where they are unknown."""
    return None if asked.inputs.sizes is None else asked.inputs.sizes[1]


@ESTIMATE.provides("truth")
def truth(asked: MethodInputs) -> "NDArray[np.int64]":
    """Return which rows are positive (n,)."""
    return asked.inputs.binary_truth()


@ESTIMATE.provides("scores")
def scores(asked: MethodInputs) -> "NDArray[np.float64]":
    """Return the score of each row for the positive class (n,)."""
    return asked.inputs.positive_scores()


@ESTIMATE.provides("groups")
def groups(asked: MethodInputs) -> "NDArray[np.int64] | None":
    """Return the group of each row, None where each row is alone."""
    return asked.inputs.groups


@ESTIMATE.provides("sample")
def sample(asked: MethodInputs) -> Resampler:
    """Return what resamples the metric."""
    return asked.inputs.sample()


@ESTIMATE.provides("matrix")
def matrix(asked: MethodInputs) -> "NDArray[Any]":
    """Count true by predicted class (k, k); raises `ValueError` where a row is in no cell."""
    inputs = asked.inputs
    if len(inputs.outcomes) > 1:
        raise ValueError("with several seeds an example is in no single cell")
    if (inputs.outcome.output < 0).any():
        raise ValueError("a prediction is none of the classes")
    counts = confusion(inputs.outcome.truth, inputs.outcome.output, inputs.outcome.k)
    return counts[:, : inputs.outcome.k]


@ESTIMATE.provides("average")
def average(asked: MethodInputs) -> str:
    """Return the average that a metric takes over classes, by default that of their number."""
    written = asked.inputs.metric.keywords().get("average")
    if written is not None:
        return str(written)
    return "binary" if asked.inputs.outcome.k == 2 else "macro"


@ESTIMATE.provides("positive")
def positive(asked: MethodInputs) -> int | None:
    """Return the index of the positive class."""
    return asked.inputs.outcome.positive


@ESTIMATE.provides("seed")
def seed(asked: MethodInputs) -> int:
    """Return the seed of the method on this source and metric."""
    inputs = asked.inputs
    return analysis_seed(
        inputs.study.seed,
        inputs.evaluation.sha256,
        inputs.evaluation.protocol,
        inputs.metric.written,
        asked.method.written,
    )
