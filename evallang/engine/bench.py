"""What an interval asks for by the names of its parameters, out of one model's outcomes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evallang.engine.settings import Setting
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
class Bench:
    """Everything that an interval may ask for by the name of a parameter.

    `outcomes` are those of every seed; an example's loss is its mean over them.
    """

    study: Study
    setting: Setting
    model: str
    metric: Method
    entry: MetricEntry
    outcomes: tuple[Outcome, ...]
    whole: Aggregate

    @property
    def outcome(self) -> Outcome:
        """The outcome, of several seeds that of the first: the same rows and weights."""
        return self.outcomes[0]

    def given(self, name: str, method: str) -> Any:
        """Give one input by its name; raises `Unavailable` where there is none."""
        makers: Mapping[str, Callable[[], Any]] = {
            "successes": lambda: self._proportion()[0],
            "n": lambda: self._proportion()[1],
            "level": lambda: self.study.confidence,
            "losses": self._losses,
            "folds": self._fold_codes,
            "values": self._values,
            "n_train": lambda: None if self._sizes is None else self._sizes[0],
            "n_test": lambda: None if self._sizes is None else self._sizes[1],
            "truth": self._binary_truth,
            "scores": self._positive_scores,
            "groups": self._groups,
            "sample": self._sample,
            "matrix": self._matrix,
            "average": self._average,
            "positive": lambda: self.outcome.positive,
            "seed": lambda: analysis_seed(
                self.study.seed,
                self.setting.sha256,
                self.setting.protocol,
                self.metric.written,
                method,
            ),
        }
        return makers[name]()

    def _proportion(self) -> tuple[int, int]:
        if len(self.outcomes) > 1:
            raise Unavailable("with several seeds an example is no single success or failure")
        if self.setting.judged:
            right = int(self.setting.correct(self.model).sum())
            return right, self.outcome.n
        counts = confusion(self.outcome.truth, self.outcome.output, self.outcome.k)
        found = successes(self.entry, self.metric.keywords(), counts, self.outcome.positive)
        if found is None:
            raise Unavailable(f"`{self.metric.written}` is no proportion of these classes")
        return round(found[0]), round(found[1])

    def _matrix(self) -> Any:
        """Count true by predicted class (k, k)."""
        if len(self.outcomes) > 1:
            raise Unavailable("with several seeds an example is in no single cell")
        if (self.outcome.output < 0).any():
            raise Unavailable("a prediction is none of the classes")
        counts = confusion(self.outcome.truth, self.outcome.output, self.outcome.k)
        return counts[:, : self.outcome.k]

    def _average(self) -> str:
        """Name the average that a metric over classes takes, as it does by default."""
        written = self.metric.keywords().get("average")
        if written is not None:
            return str(written)
        return "binary" if self.outcome.k == 2 else "macro"

    def over_groups(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Give Wilson's interval with n over the design effect of the groups."""
        if self.entry.declaration.proportion != "all":
            return None, ("no interval: its form for groups is that of accuracy",)
        right = self.outcome.truth == self.outcome.output
        found, _ = clustered_wilson(right, self._groups(), self.study.confidence)
        low, high = found.low, found.high
        if self.entry.declaration.complement and low is not None and high is not None:
            found = replace(found, low=1 - high, high=1 - low)
        return found, ()

    def with_weights(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Give Wilson's interval with the effective number of examples (Kish 1965)."""
        if self.setting.group_codes is not None:
            return None, ("no interval: `wilson` has no form for groups and weights at once",)
        options, level = self.metric.keywords(), self.study.confidence
        try:
            found = weighted_proportion(self.entry, options, self.outcome, level)
        except ValueError as error:
            return None, (f"no interval: {error}",)
        if self.entry.declaration.complement and found.low is not None and found.high is not None:
            found = replace(found, low=1 - found.high, high=1 - found.low)
        return found, found.notes

    def _groups(self) -> Any:
        codes = self.setting.group_codes
        return None if codes is None else codes[self.setting.models[self.model].rows]

    def _losses(self) -> Any:
        options = self.metric.keywords()
        return np.mean(
            [self.entry.function(o.truth, o.output, o.positive, **options) for o in self.outcomes],
            axis=0,
        )

    def _fold_codes(self) -> Any:
        found = self.setting.models[self.model]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def _values(self) -> Any:
        values = [np.nan if value is None else value for value in self.whole.fold_values]
        return np.array(values, dtype=np.float64)

    @cached_property
    def _sizes(self) -> Any:
        return self.setting.sizes()

    def assumed(self, entry: Entry[IntervalDeclaration], method: Method) -> tuple[str, ...]:
        """State the sizes of folds that an interval takes for granted."""
        uses = "n_train" in entry.inputs and "test_train_ratio" not in method.keywords()
        note = self._sizes[2] if uses and self._sizes is not None else None
        return () if note is None else (note,)

    def _binary_truth(self) -> Any:
        if len(self.setting.classes) != 2 or self.setting.positive is None:
            raise Unavailable("the interval is for two classes")
        return (self.outcome.truth == self.setting.positive).astype(np.int64)

    def _positive_scores(self) -> Any:
        return positive_scores(self.outcome)

    def _sample(self) -> Resampler:
        o, options, groups = self.outcome, self.metric.keywords(), self._groups()
        if self.setting.yields.averaged and not self.setting.means:
            return WeightSample(o.n, self._over_repeats, groups, self._limits())
        if o.weights is not None or len(self.outcomes) > 1:
            folds = None if self.setting.yields.single_fit else self._fold_codes()
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
                self._losses(), self.entry.declaration.transform, groups, self._limits()
            )
        pooled = bool(options.get("pool")) or len(self._parts.pairs) == 1
        if pooled and self.metric.name == "roc_auc" and len(self.setting.classes) == 2:
            return ScoreSample(self._binary_truth(), self._positive_scores(), groups)
        return WeightSample(o.n, self._reweighted, groups, self._limits())

    def _over_repeats(self, weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Compute the mean over repeats of a metric under each row of weights (B, n)."""
        return self._reweighted(weights)

    @cached_property
    def _parts(self) -> Partition:
        """Folds and repeats, over which a ranking metric is averaged: of one fit there is one."""
        found = self.setting.models[self.model]
        fold = None if self.setting.yields.single_fit else found.fold
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


class Unavailable(Exception):
    """An interval's input that these outcomes do not give; the text says why."""


def positive_scores(outcome: Outcome) -> Any:
    """Give the score of the positive class (n,)."""
    scores = outcome.output
    return scores if scores.ndim == 1 else scores[:, outcome.positive]
