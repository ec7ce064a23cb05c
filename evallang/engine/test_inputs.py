"""What a hypothesis test may ask for by the name of a parameter, for some models of a setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evallang.compatibility.hypothesis_tests import difference_test
from evallang.engine.remembered import RememberedSample, RememberedSwapper
from evallang.engine.settings import Setting
from evallang.engine.weighted import sample_of
from evallang.metrics.aggregation import (
    Partition,
    aggregate,
    over_seeds,
    partition,
    point_value,
)
from evallang.metrics.metric import MetricEntry, Outcome
from evallang.metrics.reweighted import reweighted
from evallang.planning.seeds import analysis_seed
from evallang.registry import Design, Evidence, lazy
from evallang.results.records import Difference, HypothesisTestResult
from evallang.stats.alternatives import OPPOSITE, one_sided
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.hypothesis_tests.swapped_outputs import CountSwapper, OutputSwapper
from evallang.stats.hypothesis_tests.swapping import (
    LossSwapper,
    ScoreSwapper,
    SignSwapper,
    Swapper,
)
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampled_counts import PairedCountSample
from evallang.stats.intervals.resampled_scores import ScoreSample
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    LossSample,
    WeightSample,
    mean_sample,
)
from evallang.study import Method, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

RANKING = frozenset({"roc_auc", "average_precision"})


FIRST_SEED = frozenset({"table", "correct", "row_scores"})
"""Evidence that is one output of each example, and so of one fit."""


def rows_about(setting: Setting, metric: Method, model: str) -> Any:
    """Tell which rows a test of right and wrong by a metric is about, as a mask (n,)."""
    truth = setting.models[model].truth
    if metric.name == "recall":
        return truth == setting.positive
    if metric.name == "specificity":
        return truth != setting.positive
    return np.ones(len(truth), dtype=bool)


@dataclass(frozen=True)
class TestInputs:
    """The evidence of one test, made when it is asked for."""

    __test__ = False  # pytest collects classes by their name

    study: Study
    setting: Setting
    metric: Method
    models: tuple[str, ...]
    test: Method
    level: float

    def run(self, level: float | None = None) -> HypothesisTestResult:
        """Run the test; differences come in the unit and direction of the metric.

        At another `level` than its own it rests on the same evidence, which is made once.
        """
        entry = HYPOTHESIS_TESTS[self.test.name]
        at = self.level if level is None else level
        inputs = [at if name == "level" else self._given(name) for name in entry.inputs]
        options = self.test.keywords()
        if self._turned() and "alternative" in options:
            options["alternative"] = OPPOSITE[str(options["alternative"])]
        result: HypothesisTestResult = entry.function(*inputs, **options)
        one_fit = self.setting.yields.single_fit or self.setting.yields.averaged
        null = "" if one_fit else entry.declaration.null_under_cv
        result = replace(
            result,
            null=self._worded(null or result.null),
            variant=result.variant.replace("groups", self.setting.each),
            notes=(*result.notes, *self._assumed(), *self._of_first_seed()),
        )
        written: Any = self.test.keywords().get("alternative", "two_sided")
        result = one_sided(result, written)
        return self._in_metric_units(result)

    def _given(self, name: str) -> Any:
        """Make one input by its name, once."""
        if name not in self._made:
            self._made[name] = self._making(name)
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, Any]:
        return {}

    def _making(self, name: str) -> Any:
        makers: Mapping[str, Callable[[], Any]] = {
            "table": self._table,
            "correct": self._correct,
            "first": lambda: self._one(0),
            "second": lambda: self._one(1),
            "n_train": lambda: None if self._sizes is None else self._sizes[0],
            "n_test": lambda: None if self._sizes is None else self._sizes[1],
            "groups": self._groups,
            "truth": self._binary_truth,
            "row_scores": lambda: np.column_stack([self._scores(m) for m in self.models]),
            "folds": self._folds,
            "better": lambda: self._entry.declaration.better,
            "bounded": self._bounded,
            "swapper": lambda: RememberedSwapper(self._swapper()),
            "sample": lambda: RememberedSample(self._sample()),
            "difference": lambda: self.difference,
            "seed": lambda: analysis_seed(
                self.study.seed,
                self.setting.sha256,
                self.setting.protocol,
                self.metric.written,
                self.test.written,
            ),
        }
        return makers[name]()

    def _of_first_seed(self) -> tuple[str, ...]:
        """Say so where a test takes one output of each example and there are several seeds."""
        single = FIRST_SEED & set(HYPOTHESIS_TESTS[self.test.name].inputs)
        if not self.setting.further_seeds or not single:
            return ()
        seeds = 1 + len(self.setting.further_seeds)
        return (f"on the predictions of the first of {seeds} seeds",)

    def _worded(self, null: str) -> str:
        """Let the null of a test of right and wrong name the metric it was run by."""
        if self.metric.name not in ("recall", "specificity"):
            return null
        return null.replace("accuracies", f"{self.metric.name}s").replace(
            "accuracy", self.metric.name
        )

    def difference(self, level: float) -> Difference:
        """Give the difference of the two models with the interval of the design."""
        found = self._of_difference.run(level).estimate
        if found is None:
            raise ValueError(f"{self._of_difference.test.name} estimates no difference")
        return found

    @cached_property
    def _of_difference(self) -> "TestInputs":
        """The same models under the test whose interval fits the design."""
        name = difference_test(self.metric, self.setting.yields, len(self.setting.classes))
        return replace(self, test=Method(name))

    # --- what both models gave ---

    @property
    def _entry(self) -> MetricEntry:
        return self.setting.entry(self.metric)

    @cached_property
    def _outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each model, of several seeds that of the first."""
        found = [self.setting.outcome(model, self.metric) for model in self.models]
        whole = tuple(outcome for outcome in found if outcome is not None)
        if len(whole) < len(found):
            raise ValueError("a model without scores has no part in a test on scores")
        return whole

    @cached_property
    def _by_seed(self) -> tuple[tuple[Outcome, ...], ...]:
        """The outcomes of each model, one for every seed."""
        return tuple(self.setting.outcomes(model, self.metric) for model in self.models)

    def _correct(self) -> Any:
        return np.column_stack([self.setting.correct(m) for m in self.models])[self._rows()]

    def _rows(self) -> Any:
        """The rows a count test is about: all, or the positives, or the negatives."""
        return rows_about(self.setting, self.metric, self.models[0])

    def _table(self) -> Any:
        return count_correct(self._correct()).pair(0, 1)

    def _groups(self) -> Any:
        if self.setting.group_codes is None:
            return None
        groups = self.setting.group_codes[self.setting.models[self.models[0]].rows]
        by_counts = "correct" in HYPOTHESIS_TESTS[self.test.name].inputs
        return groups[self._rows()] if by_counts else groups

    def _one(self, which: int) -> Any:
        """The outcomes of one model: losses where the test is about rows, else fold scores."""
        evidence = HYPOTHESIS_TESTS[self.test.name].declaration.evidence
        if Evidence.LOSSES_PER_ROW in evidence:
            return self._losses(which)
        found = self.setting.models[self.models[which]]
        wholes = [
            aggregate(self._entry, self.metric.keywords(), o, found.fold, found.repeat)
            for o in self._by_seed[which]
        ]
        whole, _ = over_seeds(wholes)
        values = np.array([np.nan if v is None else v for v in whole.fold_values], dtype=np.float64)
        declared = HYPOTHESIS_TESTS[self.test.name].declaration
        if declared.designs == {Design.FIVE_BY_TWO}:
            if len(values) != 10:
                raise ValueError("it takes five repeats of two folds, and these are others")
            return values.reshape(5, 2)
        return values

    def _losses(self, which: int) -> Any:
        """The loss of each example, of several seeds its mean over them."""
        return np.mean([self._loss(o) for o in self._by_seed[which]], axis=0)

    def _loss(self, o: Outcome) -> Any:
        if self._entry.declaration.form == "losses":
            return self._entry.function(o.truth, o.output, o.positive, **self.metric.keywords())
        wrong = (o.truth != o.output).astype(np.float64)
        return 1.0 - wrong if self._entry.declaration.better == "higher" else wrong

    def _shares(self, which: int) -> Any:
        """Losses whose plain mean is the weighted one."""
        losses, weights = self._losses(which), self._outcomes[which].weights
        if weights is None:
            return losses
        return losses * weights * (len(weights) / weights.sum())

    @cached_property
    def _sizes(self) -> Any:
        return self.setting.sizes()

    def _assumed(self) -> tuple[str, ...]:
        """State the sizes of folds that the test takes for granted."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        uses = "n_train" in entry.inputs and "test_train_ratio" not in self.test.keywords()
        note = self._sizes[2] if uses and self._sizes is not None else None
        return () if note is None else (note,)

    def _binary_truth(self) -> Any:
        truth = self.setting.models[self.models[0]].truth
        return (truth == self.setting.positive).astype(np.int64)

    def _scores(self, model: str) -> Any:
        outcome = self.setting.outcome(model, self.metric)
        if outcome is None:
            raise ValueError(f"{model} gives no scores")
        scores = outcome.output
        return scores if scores.ndim == 1 else scores[:, outcome.positive]

    def _folds(self) -> Any:
        """Fold codes where several fits made the scores, None for one fit."""
        if self.setting.yields.single_fit or len(self.setting.folds) < 2:
            return None
        found = self.setting.models[self.models[0]]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def _bounded(self) -> bool:
        declared = self._entry.declaration
        if self.setting.own is not None:  # its range is known from its values alone
            values = np.concatenate([o.output for o in self._outcomes])
            return bool(((values >= 0) & (values <= 1)).all())
        return declared.low == 0 and declared.high == 1

    # --- resampling ---

    def _joint(self) -> "tuple[NDArray[np.int64], Callable[[Any], Any]]":
        """Count truth by both predictions (K, K, K), and the metric of one's matrix.

        A label that is none of the classes gets a class of its own, which no truth has.
        """
        a, b = self._outcomes
        k = a.k + int(bool((a.output < 0).any() or (b.output < 0).any()))
        first = np.where(a.output < 0, a.k, a.output).astype(np.int64)
        second = np.where(b.output < 0, a.k, b.output).astype(np.int64)
        cells = (a.truth.astype(np.int64) * k + first) * k + second
        joint = np.bincount(cells, minlength=k**3).reshape(k, k, k)

        def function(matrices: Any) -> Any:
            return self._entry.function(
                matrices[..., : a.k, :], a.positive, **self.metric.keywords()
            )

        return joint, function

    def _swapper(self) -> Swapper:
        groups, form = self._groups(), self._entry.declaration.form
        blocked = dict(self.test.options).get("block") is not None
        several = bool(self.setting.further_seeds)
        unweighted = self._outcomes[0].weights is None and not several
        plain = groups is None and not blocked and unweighted
        if form == "losses":
            return LossSwapper(
                self._shares(0), self._shares(1), self._entry.declaration.transform, groups
            )
        if self._entry.declaration.proportion == "all" and not plain:
            n = max(self._outcomes[0].n, 1)
            return SignSwapper((self._shares(0) - self._shares(1)) / n, groups)
        if form == "counts" and plain:
            return CountSwapper(*self._joint())
        ranked = self.metric.name == "roc_auc" and unweighted
        if ranked and self._folds() is None and self._two_classes():
            first, second = (self._scores(model) for model in self.models)
            return ScoreSwapper(self._binary_truth(), first, second, groups)
        a, b = (self._outputs(which) for which in (0, 1))
        return OutputSwapper(a, b, self._value, groups, by_ranks=self.metric.name in RANKING)

    def _two_classes(self) -> bool:
        return len(self.setting.classes) == 2

    def _outputs(self, which: int) -> Any:
        """One model's outputs, those of several seeds side by side (n, S * K)."""
        found = [o.output for o in self._by_seed[which]]
        if len(found) == 1:
            return found[0]
        return np.concatenate([output.reshape(len(output), -1) for output in found], axis=1)

    def _value(self, output: Any) -> float:
        """The metric of one model's outputs, over folds as its estimate is, over seeds the mean."""
        first = self._outcomes[0]
        seeds = 1 + len(self.setting.further_seeds)
        width = 1 if first.output.ndim == 1 else first.output.shape[1]
        values = []
        for seed in range(seeds):
            one = output if seeds == 1 else output[:, seed * width : (seed + 1) * width]
            outcome = replace(first, output=one.reshape(first.output.shape))
            values.append(
                point_value(self._entry, self.metric.keywords(), outcome, self._partition)
            )
        return float(np.mean(values))

    @cached_property
    def _partition(self) -> Partition:
        """Folds and repeats of the predictions, the same for both models."""
        found = self.setting.models[self.models[0]]
        return partition(len(found.rows), found.fold, found.repeat)

    def _sample(self) -> Resampler:
        groups, form = self._groups(), self._entry.declaration.form
        declared = self._entry.declaration
        ends = (declared.low, declared.high)
        width = None if None in ends else float(ends[1]) - float(ends[0])  # type: ignore[arg-type]  # neither is None
        limits = (None, None) if width is None else (-width, width)
        summed = form != "scores" or (self.metric.name == "roc_auc" and self._two_classes())
        several = bool(self.setting.further_seeds)
        in_repeats = self.setting.yields.averaged and not self.setting.means
        weighted = self._outcomes[0].weights is not None or several
        if weighted and summed and not in_repeats:
            a, b = (
                mean_sample(
                    [
                        sample_of(self._entry, self.metric.keywords(), o, self._folds(), groups)
                        for o in outcomes
                    ]
                )
                for outcomes in self._by_seed
            )
            return DifferenceSample(a, b, limits)
        if form == "losses":
            first, second = (
                LossSample(self._losses(i), declared.transform, groups) for i in (0, 1)
            )
            return DifferenceSample(first, second, limits)
        if form == "counts" and groups is None:
            return PairedCountSample(*self._joint(), limits)
        if summed and form == "scores" and self._folds() is None:
            truth = self._binary_truth()
            a, b = (ScoreSample(truth, self._scores(m), groups) for m in self.models)
            return DifferenceSample(a, b, limits)
        parts = [self._weighted(i, groups) for i in (0, 1)]
        return DifferenceSample(parts[0], parts[1], limits)

    def _weighted(self, which: int, groups: Any) -> WeightSample:
        return mean_sample([self._weighted_one(o, groups) for o in self._by_seed[which]])

    def _weighted_one(self, o: Outcome, groups: Any) -> WeightSample:
        statistic = reweighted(self._entry, self.metric.keywords(), o, self._partition)
        return WeightSample(o.n, statistic, groups)

    def _turned(self) -> bool:
        """Tell whether a test of right and wrong is read by the share that is wrong."""
        counted = "table" in HYPOTHESIS_TESTS[self.test.name].inputs
        return counted and self._entry.declaration.complement

    def _in_metric_units(self, result: HypothesisTestResult) -> HypothesisTestResult:
        """Word the difference for the metric; an error rate differs the other way round."""
        estimate = result.estimate
        if estimate is None:
            return result
        if self._turned():
            low = None if estimate.high is None else -estimate.high
            high = None if estimate.low is None else -estimate.low
            value = None if estimate.value is None else -estimate.value
            estimate = replace(estimate, value=value, low=low, high=high)
        name = estimate.name
        if "difference" in name:  # "pseudo-median difference in mse"
            kind = name.partition("difference")[0]
            name = f"{kind}difference in {self.metric.written}"
        ends = (self._entry.declaration.low, self._entry.declaration.high)
        low, high = estimate.low, estimate.high
        if ends[0] is not None and ends[1] is not None:  # no difference is wider than the range
            width = ends[1] - ends[0]
            low = low if low is None else max(low, -width)
            high = high if high is None else min(high, width)
        return replace(result, estimate=replace(estimate, name=name, low=low, high=high))
