"""What a hypothesis test may ask for by the name of a parameter, for some models of a setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evallang.compatibility import metric_entry
from evallang.compatibility.hypothesis_tests import difference_test
from evallang.engine.compared_models import ComparedModels
from evallang.engine.compared_resampling import resampler, swapper
from evallang.engine.remembered import RememberedSample, RememberedSwapper
from evallang.engine.settings import Setting
from evallang.planning.seeds import analysis_seed
from evallang.registry import Design, Evidence, lazy
from evallang.results.records import Difference, HypothesisTestResult
from evallang.stats.alternatives import OPPOSITE, one_sided
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.shares import Shares
from evallang.study import Method, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


FIRST_SEED = frozenset({"table", "shares", "correct", "row_scores"})
"""Evidence that is one output of each example, and so of one fit."""


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
        if entry.declaration.models != (1, 1):  # a test of one model words its own side
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
            "shares": self._shares,
            "correct": self.compared.correct,
            "first": lambda: self._one(0),
            "second": lambda: self._one(1),
            "n_train": lambda: None if self._sizes is None else self._sizes[0],
            "n_test": lambda: None if self._sizes is None else self._sizes[1],
            "groups": self._groups,
            "truth": self.compared.binary_truth,
            "row_scores": lambda: np.column_stack([self.compared.scores(m) for m in self.models]),
            "folds": self.compared.folds,
            "better": lambda: self.compared.entry.declaration.better,
            "bounded": self.compared.bounded,
            "swapper": self._swapper,
            "sample": self._sample,
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
        if metric_entry(self.metric).declaration.proportion == "all":
            for mean in ("mean loss", "average loss"):
                null = null.replace(mean, f"mean {self.metric.name}")
            return null
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

    @cached_property
    def compared(self) -> ComparedModels:
        """What the models gave."""
        return ComparedModels(self.setting, self.metric, self.models)

    def _swapper(self) -> RememberedSwapper:
        blocked = dict(self.test.options).get("block") is not None
        return RememberedSwapper(swapper(self.compared, self._groups(), blocked=blocked))

    def _sample(self) -> RememberedSample:
        return RememberedSample(resampler(self.compared, self._groups()))

    def _table(self) -> Any:
        return count_correct(self.compared.correct()).pair(0, 1)

    def _shares(self) -> Any:
        """Give the shares of two models; the table of both where their examples are the same."""
        if Evidence.SHARES not in self.setting.yields.evidence:
            return self._table()
        right = [self.setting.correct(model) for model in self.models]
        return Shares(*((int(each.sum()), len(each)) for each in right))

    def _groups(self) -> Any:
        if self.setting.group_codes is None:
            return None
        groups = self.setting.group_codes[self.setting.models[self.models[0]].rows]
        by_counts = "correct" in HYPOTHESIS_TESTS[self.test.name].inputs
        return groups[self.compared.rows()] if by_counts else groups

    def _one(self, which: int) -> Any:
        """The outcomes of one model: losses where the test is about rows, else fold scores."""
        evidence = HYPOTHESIS_TESTS[self.test.name].declaration.evidence
        if Evidence.LOSSES_PER_ROW in evidence:
            return self.compared.losses(which)
        values = self.compared.fold_values(which)
        declared = HYPOTHESIS_TESTS[self.test.name].declaration
        if declared.designs == {Design.FIVE_BY_TWO}:
            if len(values) != 10:
                raise ValueError("it takes five repeats of two folds, and these are others")
            return values.reshape(5, 2)
        return values

    @cached_property
    def _sizes(self) -> Any:
        return self.setting.sizes()

    def _assumed(self) -> tuple[str, ...]:
        """State the sizes of folds that the test takes for granted."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        uses = "n_train" in entry.inputs and "test_train_ratio" not in self.test.keywords()
        note = self._sizes[2] if uses and self._sizes is not None else None
        return () if note is None else (note,)

    def _turned(self) -> bool:
        """Tell whether a test of right and wrong is read by the share that is wrong."""
        counted = {"table", "shares"} & set(HYPOTHESIS_TESTS[self.test.name].inputs)
        return bool(counted) and self.compared.entry.declaration.complement

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
        ends = (self.compared.entry.declaration.low, self.compared.entry.declaration.high)
        low, high = estimate.low, estimate.high
        if ends[0] is not None and ends[1] is not None:  # no difference is wider than the range
            width = ends[1] - ends[0]
            low = low if low is None else max(low, -width)
            high = high if high is None else min(high, width)
        return replace(result, estimate=replace(estimate, name=name, low=low, high=high))
