"""Outcomes in, `Comparison`s out: omnibus, pairs, one correction for the whole family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evallang.engine.settings import Setting
from evallang.metrics.aggregation import aggregate
from evallang.metrics.metric import METRICS
from evallang.planning.seeds import analysis_seed
from evallang.registry import Design, Evidence, lazy
from evallang.results.records import (
    Comparison,
    Family,
    HypothesisTestResult,
    SimultaneousInterval,
)
from evallang.stats.corrections import CORRECTIONS, simultaneous_level
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Study, models_of, pairs_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


@dataclass(frozen=True)
class Stage:
    """One comparison line by one metric in one setting: the omnibus, and pairs to come."""

    setting: Setting
    metric: Method
    omnibus: HypothesisTestResult | None
    performed: bool
    reason: str | None
    pairs: tuple[tuple[str, str], ...]


def compare(study: Study, spec: ComparisonSpec, settings: Sequence[Setting]) -> list[Comparison]:
    """Run one `compare` line in every setting it is about; all its pairs are one family."""
    stages = [
        _omnibus(study, spec, setting, metric)
        for setting in settings
        for metric in spec.metrics
        if set(models_of(spec, list(setting.models))) <= set(setting.models)
    ]
    single = _single_test(spec)
    size = sum(len(stage.pairs) for stage in stages)
    found = [
        [pair_test(study, stage, single, pair, study.confidence) for pair in stage.pairs]
        for stage in stages
    ]
    found = _corrected(study, spec, stages, found, size)
    correction = spec.correction.written if spec.correction and size > 1 else None
    return [
        Comparison(
            index=spec.index,
            source=spec.source,
            data=stage.setting.source,
            protocol=stage.setting.protocol,
            metric=stage.metric.written,
            alpha=study.alpha,
            family=Family(max(size, 1), correction, spec.exploratory),
            omnibus=stage.omnibus,
            pairwise=tuple(tests),
            performed=stage.performed,
            reason=stage.reason,
            against=spec.against,
        )
        for stage, tests in zip(stages, found, strict=True)
    ]


def _single_test(spec: ComparisonSpec) -> Method:
    """The test of each pair."""
    return spec.post_hoc or spec.test


def _omnibus(study: Study, spec: ComparisonSpec, setting: Setting, metric: Method) -> Stage:
    declared = HYPOTHESIS_TESTS[spec.test.name].declaration
    available = list(setting.models)
    pairs = pairs_of(spec, available)
    if not declared.omnibus:
        return Stage(setting, metric, None, True, None, pairs)
    models = models_of(spec, available)
    lacking = _lacking(setting, models, metric)
    pairs = pairs if spec.post_hoc is not None else ()
    if lacking is not None:
        empty = HypothesisTestResult(
            spec.test.name, "not computed", declared.null, models=models, notes=(lacking,)
        )
        return Stage(setting, metric, empty, False, lacking, pairs)
    bench = Inputs(study, setting, metric, models, spec.test, study.confidence)
    result: HypothesisTestResult = bench.run()
    rejects = result.p is not None and result.p <= study.alpha
    result = replace(result, models=models, reject=rejects)
    reason = None
    if spec.post_hoc is not None and not rejects:
        reason = (
            "the omnibus test did not reject, so the post hoc tests were not performed"
            if result.p is not None
            else "the omnibus test is undefined, so the post hoc tests were not performed"
        )
    return Stage(setting, metric, result, reason is None, reason, pairs)


def pair_test(
    study: Study, stage: Stage, test: Method, pair: tuple[str, str], level: float
) -> HypothesisTestResult:
    """Run the test of one pair; without p where the omnibus kept the gate shut."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    lacking = _lacking(stage.setting, pair, stage.metric)
    if lacking is not None:
        return HypothesisTestResult(
            test.name, "not computed", declared.null, models=pair, reject=False, notes=(lacking,)
        )
    result = Inputs(study, stage.setting, stage.metric, pair, test, level).run()
    result = replace(result, models=pair)
    if not stage.performed:
        result = replace(result, p=None, reject=False, extra={})
    return result


def _lacking(setting: Setting, models: Sequence[str], metric: Method) -> str | None:
    for model in models:
        if setting.models[model].failed:
            return f"not computed: a fit of {model} failed"
        if setting.outcome(model, metric) is None:
            return f"not computed: {model} gives no scores"
    return None


def _corrected(
    study: Study,
    spec: ComparisonSpec,
    stages: Sequence[Stage],
    found: Sequence[Sequence[HypothesisTestResult]],
    size: int,
) -> list[list[HypothesisTestResult]]:
    """Adjust the p-values of the family together, decide, and add intervals for the family.

    Pairs behind a shut gate keep their place in the family: they count as p = 1.
    """
    flat = [test for tests in found for test in tests]
    declared = HYPOTHESIS_TESTS[_single_test(spec).name].declaration
    if declared.bayesian or not flat:
        return [list(tests) for tests in found]
    name = spec.correction.name if spec.correction and size > 1 else None
    adjusted: list[float | None] = [None] * len(flat)
    if declared.self_correcting:
        adjusted = [test.p for test in flat]
    elif name is not None and name != "uncorrected":
        adjusted = list(CORRECTIONS[name].function([test.p for test in flat]))
    decided = []
    for test, p in zip(flat, adjusted, strict=True):
        decisive = test.p if p is None else p
        reject = decisive is not None and decisive <= study.alpha
        decided.append(replace(test, p_adjusted=p, reject=reject))
    if name is not None:
        rejected = sum(bool(test.reject) for test in decided)
        level = simultaneous_level(name, study.confidence, size, rejected)
        decided = _with_simultaneous(study, spec, stages, found, decided, name, level)
    rows = iter(decided)
    return [[next(rows) for _ in tests] for tests in found]


def _with_simultaneous(
    study: Study,
    spec: ComparisonSpec,
    stages: Sequence[Stage],
    found: Sequence[Sequence[HypothesisTestResult]],
    decided: Sequence[HypothesisTestResult],
    correction: str,
    level: float | None,
) -> list[HypothesisTestResult]:
    if level is None:
        return list(decided)
    kind = CORRECTIONS[correction].declaration.simultaneous
    owners = [stage for stage, tests in zip(stages, found, strict=True) for _ in tests]
    result = []
    for stage, test in zip(owners, decided, strict=True):
        if test.estimate is None:
            result.append(test)
            continue
        first, second = test.models
        wide = pair_test(study, stage, _single_test(spec), (first, second), level).estimate
        if wide is None:
            result.append(test)
            continue
        method = wide.method if kind == "matching" else f"{wide.method}, {kind}"
        simultaneous = SimultaneousInterval(wide.low, wide.high, study.confidence, method)
        notes = test.notes
        holds_null = wide.low is not None and wide.high is not None and wide.low <= 0 <= wide.high
        if test.reject and holds_null:
            notes = (
                *notes,
                "the simultaneous interval holds 0 although the adjusted p rejects: it is "
                "conservative, the decision follows p",
            )
        result.append(replace(test, simultaneous=simultaneous, notes=notes))
    return result


@dataclass(frozen=True)
class Inputs:
    """What a test may ask for by the name of a parameter, for some models of a setting."""

    study: Study
    setting: Setting
    metric: Method
    models: tuple[str, ...]
    test: Method
    level: float

    def run(self) -> HypothesisTestResult:
        """Run the test; differences come in the unit and direction of the metric."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        makers: Mapping[str, Callable[[], Any]] = {
            "table": self._table,
            "correct": self._correct,
            "first": lambda: self._one(0),
            "second": lambda: self._one(1),
            "n_train": lambda: self._sizes("n_train"),
            "n_test": lambda: self._sizes("n_test"),
            "level": lambda: self.level,
            "groups": lambda: None,
            "seed": lambda: analysis_seed(
                self.study.seed,
                self.setting.sha256,
                self.setting.protocol,
                self.metric.written,
                self.test.written,
            ),
        }
        inputs = [makers[name]() for name in entry.inputs]
        result: HypothesisTestResult = entry.function(*inputs, **self.test.keywords())
        if self.setting.protocol is not None and not self.setting.yields.single_fit:
            null = entry.declaration.null_under_cv
            result = replace(result, null=null) if null else result
        return self._in_metric_units(result)

    def _correct(self) -> Any:
        return np.column_stack([self.setting.correct(m) for m in self.models])[self._rows()]

    def _rows(self) -> Any:
        """The rows a count test is about: all, or the positives, or the negatives."""
        truth = self.setting.models[self.models[0]].truth
        if self.metric.name == "recall":
            return truth == self.setting.positive
        if self.metric.name == "specificity":
            return truth != self.setting.positive
        return np.ones(len(truth), dtype=bool)

    def _table(self) -> Any:
        return count_correct(self._correct()).pair(0, 1)

    def _one(self, which: int) -> Any:
        """The outcomes of one model: fold scores, or losses where the test is about rows."""
        entry = METRICS[self.metric.name]
        outcome = self.setting.outcome(self.models[which], self.metric)
        assert outcome is not None, "models without scores are sorted out before"
        if Evidence.FOLD_SCORES not in HYPOTHESIS_TESTS[self.test.name].declaration.evidence:
            return entry.function(
                outcome.truth, outcome.output, outcome.positive, **self.metric.keywords()
            )
        found = self.setting.models[self.models[which]]
        whole = aggregate(entry, self.metric.keywords(), outcome, found.fold, found.repeat)
        values = np.array([np.nan if v is None else v for v in whole.fold_values], dtype=np.float64)
        if self.setting.yields.design is Design.FIVE_BY_TWO:
            return values.reshape(5, 2)
        return values

    def _sizes(self, which: str) -> Any:
        sizes = [getattr(fold, which) for fold in self.setting.folds]
        return None if any(size is None for size in sizes) else np.array(sizes)

    def _in_metric_units(self, result: HypothesisTestResult) -> HypothesisTestResult:
        """Word the difference for the metric; an error rate differs the other way round."""
        estimate = result.estimate
        if estimate is None:
            return result
        name = f"difference in {self.metric.written}"
        if "table" not in HYPOTHESIS_TESTS[self.test.name].inputs:
            return replace(result, estimate=replace(estimate, name=name))
        if METRICS[self.metric.name].declaration.complement:
            low = None if estimate.high is None else -estimate.high
            high = None if estimate.low is None else -estimate.low
            value = None if estimate.value is None else -estimate.value
            estimate = replace(estimate, value=value, low=low, high=high)
        return replace(result, estimate=replace(estimate, name=name))
