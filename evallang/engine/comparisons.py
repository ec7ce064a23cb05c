"""Outcomes in, `Comparison`s out: omnibus, pairs, one correction for the whole family."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from evallang.engine.across import GridInputs, ScoreGrid, ranks
from evallang.engine.repeats import as_read_by
from evallang.engine.settings import Setting
from evallang.engine.test_inputs import TestInputs
from evallang.planning.seeds import analysis_seed
from evallang.registry import lazy
from evallang.results.records import (
    Comparison,
    Family,
    HypothesisTestResult,
    Ranks,
    SimultaneousInterval,
)
from evallang.stats.corrections import CORRECTIONS, simultaneous_level
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Study, models_of, pairs_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


class Arena(Protocol):
    """Where models meet by one metric: a source under a protocol, or several data sets."""

    @property
    def data(self) -> str | None:
        """The data set, None across several."""

    @property
    def protocol(self) -> str | None:
        """The protocol, if any."""

    @property
    def metric(self) -> str:
        """The metric as written."""

    @property
    def models(self) -> tuple[str, ...]:
        """All models that are there."""

    def lacking(self, models: Sequence[str]) -> str | None:
        """Tell why these models cannot be tested, None when they can."""

    def run(self, study: Study, test: Method, models: tuple[str, ...], level: float) -> Any:
        """Run a test of these models."""

    def correct(self, models: Sequence[str]) -> Any:
        """Right and wrong of these models (n, M), where that is known."""

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method that resamples."""

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """Average ranks over data sets, None on one."""


@dataclass(frozen=True)
class OneSource:
    """One source under one protocol, by one metric."""

    setting: Setting
    by: Method

    @property
    def data(self) -> str | None:
        """The name of the source."""
        return self.setting.source

    @property
    def protocol(self) -> str | None:
        """The protocol, None for given outcomes."""
        return self.setting.protocol

    @property
    def metric(self) -> str:
        """The metric as written."""
        return self.by.written

    @property
    def models(self) -> tuple[str, ...]:
        """All models of the source."""
        return tuple(self.setting.models)

    def lacking(self, models: Sequence[str]) -> str | None:
        """Name a model whose fit failed, or that gives no scores."""
        for model in models:
            if self.setting.models[model].failed:
                return f"not computed: a fit of {model} failed"
            if self.setting.outcome(model, self.by) is None:
                return f"not computed: {model} gives no scores"
        return None

    def run(
        self, study: Study, test: Method, models: tuple[str, ...], level: float
    ) -> HypothesisTestResult:
        """Run a test on the outcomes of the models."""
        read = as_read_by(self.setting, self.by)
        return _reasoned(TestInputs(study, read, self.by, models, test, level).run, test)

    def correct(self, models: Sequence[str]) -> Any:
        """Right and wrong of each model on each row."""
        return np.column_stack([self.setting.correct(model) for model in models])

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method on this source and metric."""
        return analysis_seed(
            study.seed, self.setting.sha256, self.setting.protocol, self.metric, method.written
        )

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """None: folds are no data sets."""
        return None


@dataclass(frozen=True)
class Across:
    """Several data sets, by one metric."""

    grid: ScoreGrid
    by: Method
    on: str | None
    family: tuple[str, ...]

    data: str | None = None

    @property
    def protocol(self) -> str | None:
        """The protocol whose estimates are compared, None for given scores."""
        return self.on

    @property
    def metric(self) -> str:
        """The metric as written."""
        return self.grid.metric

    @property
    def models(self) -> tuple[str, ...]:
        """All models that have scores."""
        return self.grid.models

    def lacking(self, models: Sequence[str]) -> str | None:
        """Nothing here: tests say themselves which data sets they leave out."""
        return None

    def run(
        self, study: Study, test: Method, models: tuple[str, ...], level: float
    ) -> HypothesisTestResult:
        """Run a test on the scores of the models."""
        inputs = GridInputs(study, self.grid, self.by, models, self.family, test, level)
        return _reasoned(inputs.run, test)

    def correct(self, models: Sequence[str]) -> Any:
        """Scores are neither right nor wrong; raises `ValueError`."""
        raise ValueError("scores over data sets are neither right nor wrong")

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method on these scores."""
        return analysis_seed(study.seed, self.grid.sha256, None, self.metric, method.written)

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """Average ranks over the data sets."""
        return ranks(self.grid, models, alpha)


def _reasoned(run: Callable[[], HypothesisTestResult], test: Method) -> HypothesisTestResult:
    """Run a test; what it refuses by a `ValueError` is not computed, for that reason."""
    try:
        return run()
    except ValueError as error:
        null = HYPOTHESIS_TESTS[test.name].declaration.null
        return HypothesisTestResult(
            test.name, "not computed", null, notes=(f"not computed: {error}",)
        )


@dataclass(frozen=True)
class Stage:
    """One comparison line in one arena: the omnibus, and pairs to come."""

    arena: Arena
    models: tuple[str, ...]
    omnibus: HypothesisTestResult | None
    performed: bool
    reason: str | None
    pairs: tuple[tuple[str, ...], ...]


def compare(study: Study, spec: ComparisonSpec, arenas: Sequence[Arena]) -> list[Comparison]:
    """Run one `compare` line in every arena it is about; all its pairs are one family."""
    stages = [
        _omnibus(study, spec, arena)
        for arena in arenas
        if set(models_of(spec, arena.models)) <= set(arena.models)
    ]
    single = spec.post_hoc or spec.test
    size = sum(len(stage.pairs) for stage in stages)
    found = [
        [_pair(study, stage, single, pair, study.confidence) for pair in stage.pairs]
        for stage in stages
    ]
    found = _corrected(study, spec, stages, found, size)
    correction = spec.correction.written if spec.correction and size > 1 else None
    return [
        Comparison(
            index=spec.index,
            source=spec.source,
            data=stage.arena.data,
            protocol=stage.arena.protocol,
            metric=stage.arena.metric,
            alpha=study.alpha,
            family=Family(max(size, 1), correction, spec.exploratory),
            omnibus=stage.omnibus,
            pairwise=tuple(tests),
            performed=stage.performed,
            reason=stage.reason,
            ranks=stage.arena.ranks(stage.models, study.alpha),
            against=spec.against,
        )
        for stage, tests in zip(stages, found, strict=True)
    ]


def _omnibus(study: Study, spec: ComparisonSpec, arena: Arena) -> Stage:
    declared = HYPOTHESIS_TESTS[spec.test.name].declaration
    pairs = pairs_of(spec, arena.models)
    models = models_of(spec, arena.models)
    pairs_alone = spec.post_hoc is None and (len(models) < 3 or spec.pair_by_pair)
    if not declared.omnibus or pairs_alone:
        return Stage(arena, models, None, True, None, pairs)
    lacking = arena.lacking(models)
    pairs = pairs if spec.post_hoc is not None else ()
    if lacking is not None:
        empty = HypothesisTestResult(
            spec.test.name, "not computed", declared.null, models=models, notes=(lacking,)
        )
        return Stage(arena, models, empty, False, lacking, pairs)
    result: HypothesisTestResult = arena.run(study, spec.test, models, study.confidence)
    rejects = result.p is not None and result.p <= study.alpha
    result = replace(result, models=models, reject=rejects)
    reason = None
    if spec.post_hoc is not None and not rejects:
        reason = (
            "the omnibus test did not reject, so the post hoc tests were not performed"
            if result.p is not None
            else "the omnibus test is undefined, so the post hoc tests were not performed"
        )
    return Stage(arena, models, result, reason is None, reason, pairs)


def _pair(
    study: Study, stage: Stage, test: Method, pair: tuple[str, ...], level: float
) -> HypothesisTestResult:
    """Run the test of one pair; without p where the omnibus kept the gate shut."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    lacking = stage.arena.lacking(pair)
    if lacking is not None:
        return HypothesisTestResult(
            test.name, "not computed", declared.null, models=pair, notes=(lacking,)
        )
    result: HypothesisTestResult = stage.arena.run(study, test, pair, level)
    result = replace(result, models=pair)
    if not stage.performed:
        result = replace(result, p=None, reject=False, extra={})
    return result


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
    declared = HYPOTHESIS_TESTS[(spec.post_hoc or spec.test).name].declaration
    if declared.bayesian or not flat:
        return [list(tests) for tests in found]
    correction = spec.correction if spec.correction and size > 1 else None
    adjusted: list[float | None] = [None] * len(flat)
    if declared.self_correcting:
        adjusted = [test.p for test in flat]
    elif correction is not None and correction.name != "uncorrected":
        adjusted = _adjusted(study, correction, stages, flat)
    decided = []
    for test, p in zip(flat, adjusted, strict=True):
        decisive = test.p if p is None else p
        reject = test.reject if decisive is None else decisive <= study.alpha
        decided.append(replace(test, p_adjusted=p, reject=reject))
    if correction is not None:
        rejected = sum(bool(test.reject) for test in decided)
        level = simultaneous_level(correction.name, study.confidence, size, rejected)
        decided = _with_simultaneous(study, spec, stages, found, decided, correction, level)
    rows = iter(decided)
    return [[next(rows) for _ in tests] for tests in found]


def _adjusted(
    study: Study,
    correction: Method,
    stages: Sequence[Stage],
    flat: Sequence[HypothesisTestResult],
) -> list[float | None]:
    """Hand a correction what it asks for; beside p that is of one arena alone."""
    entry = CORRECTIONS[correction.name]
    first = stages[0]
    makers: dict[str, Callable[[], Any]] = {
        "p": lambda: [test.p for test in flat],
        "pairs": lambda: [(first.models.index(a), first.models.index(b)) for a, b in first.pairs],
        "correct": lambda: first.arena.correct(first.models),
        "seed": lambda: first.arena.seed(study, correction),
    }
    inputs = [makers[name]() for name in entry.inputs]
    return list(entry.function(*inputs, **correction.keywords()))


def _with_simultaneous(
    study: Study,
    spec: ComparisonSpec,
    stages: Sequence[Stage],
    found: Sequence[Sequence[HypothesisTestResult]],
    decided: Sequence[HypothesisTestResult],
    correction: Method,
    level: float | None,
) -> list[HypothesisTestResult]:
    if level is None:
        return list(decided)
    kind = CORRECTIONS[correction.name].declaration.simultaneous
    owners = [stage for stage, tests in zip(stages, found, strict=True) for _ in tests]
    result = []
    for stage, test in zip(owners, decided, strict=True):
        wide = None
        if test.estimate is not None and test.estimate.low is not None:
            single = spec.post_hoc or spec.test
            wide = _pair(study, stage, single, test.models, level).estimate
        if wide is None or wide.low is None or wide.high is None:
            result.append(test)
            continue
        method = wide.method if kind == "matching" else f"{wide.method}, {kind}"
        simultaneous = SimultaneousInterval(wide.low, wide.high, study.confidence, method)
        notes = test.notes
        about_zero = "margin" not in test.extra  # equivalence is about the margin
        if about_zero and test.reject and wide.low <= 0 <= wide.high:
            notes = (
                *notes,
                "the simultaneous interval holds 0 although the adjusted p rejects: it is "
                "conservative, the decision follows p",
            )
        result.append(replace(test, simultaneous=simultaneous, notes=notes))
    return result
