"""`compare` lines in, `Comparison`s out: tests run in their context, families decided."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang import hypotheses
from evallang.compatibility import metric_entry
from evallang.compatibility.hypothesis_tests import difference_form
from evallang.data.dataset import ScoreTable
from evallang.engine.across import (
    GridInputs,
    ScoreGrid,
    grid_of,
    grid_of_table,
    missing_policy,
    ranks,
)
from evallang.engine.estimate_intervals import drop_zero_width
from evallang.engine.estimates import scope_of_estimates
from evallang.engine.evaluation import (
    BLOCKS,
    Evaluation,
    as_read_by,
    in_blocks,
    spread_of_samples,
)
from evallang.engine.metric_samples import resampling_seed
from evallang.engine.providers import (
    ComparedModels,
    Providers,
    TestInputs,
    draw_pairs_together,
    rows_about,
    swapper,
)
from evallang.engine.walk import computes
from evallang.hypotheses import PlannedComparison, pair_declaration
from evallang.planning import nodes
from evallang.planning.seeds import analysis_seed, seed
from evallang.results.records import (
    Comparison,
    Family,
    HypothesisTestResult,
    Ranks,
    SimultaneousInterval,
)
from evallang.results.statistics import (
    NOT_RUN,
    OF_P,
    Lacking,
    not_computed,
    with_status,
)
from evallang.stats.basics import (
    Alternative,
    normal_quantile,
    standard_deviation,
    t_quantile,
)
from evallang.stats.clusters import variance_of_mean
from evallang.stats.corrections.correction import CORRECTIONS, DIGITS, simultaneous_level
from evallang.stats.corrections.joint_corrections import (
    drawn_p,
    single_level,
    studentized_p,
    swapped_p,
)
from evallang.stats.decisions import distance_shown, state_disagreements
from evallang.stats.draws import draw_together
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.swapping import joint_swaps
from evallang.stats.inputs import Subject
from evallang.stats.intervals.series import Dependence
from evallang.stats.power import Answer, PowerDeclaration, Question, Sizes, Stated, sizes_of
from evallang.stats.power_of_metrics import POWER_OF_OVERLAPPING_T
from evallang.stats.strata import stratified_mean
from evallang.study import ComparisonSpec, Method, Study

ROUNDS = 10_000
POWER = 0.8  # with which a difference counts as found
ROUNDING = 1e-12  # share of the losses below which the spread of differences is rounding noise


class JointDraws(Struct, frozen=True):
    """The seed of joint resamples, and whether p is two-sided whatever the test asks."""

    seed: int
    two_sided: bool = False


class _Joint:
    """The models of the pairs, and how the test is resampled."""

    def __init__(self, pairs: Sequence[TestInputs], joint: JointDraws) -> None:
        self._pairs, self._joint = pairs, joint
        self._first = pairs[0]
        names = dict.fromkeys(model for pair in pairs for model in pair.models)
        self._place: Mapping[str, int] = {name: i for i, name in enumerate(names)}
        options: Mapping[str, Any] = self._first.test.keywords()
        self._rounds = int(options.get("rounds", ROUNDS))

    def p(self) -> NDArray[np.float64]:
        """Draw and return p."""
        made = {"drawn": self._drawn, "swapped": self._swapped, "studentized": self._studentized}
        return made[self._first.needs.jointly]()

    @cached_property
    def _columns(self) -> list[tuple[int, int]]:
        return [(self._place[pair.models[0]], self._place[pair.models[1]]) for pair in self._pairs]

    @property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self._joint.seed)

    @property
    def _side(self) -> Alternative:
        written: Any = self._first.test.keywords().get("alternative", "two_sided")
        return "two_sided" if self._joint.two_sided else written

    def _alone(self, model: str) -> ComparedModels:
        return ComparedModels(self._first.evaluation, self._first.metric, (model,))

    def _drawn(self) -> NDArray[np.float64]:
        groups = self._first.make("groups")
        samples = [self._alone(model).weighted(0, groups) for model in self._place]
        draw_together(samples)
        values = np.column_stack([s.replicates(self._rng, self._rounds) for s in samples])
        first, second = (list(side) for side in zip(*self._columns, strict=True))
        return drawn_p(values[:, first] - values[:, second], self._side)

    def _studentized(self) -> NDArray[np.float64]:
        losses = np.column_stack([self._alone(model).losses(0) for model in self._place])
        groups, seed = self._first.make("groups"), self._joint.seed
        strata = self._first.make("strata")
        given = losses, self._columns, groups, seed, self._rounds, self._side, strata
        return studentized_p(*given)

    def _swapped(self) -> NDArray[np.float64]:
        groups = self._first.make("groups")
        # With `by_row` no swapper is chosen that forgets which example is which
        swappers = [swapper(pair.compared, groups, by_row=True) for pair in self._pairs]
        drawn = joint_swaps(swappers, self._rng, self._rounds)
        observed = [pair.make("swapper").estimate() for pair in self._pairs]
        return swapped_p(drawn, self._side, observed, [pair.run().p for pair in self._pairs])


class OneSource(Struct, frozen=True):
    """One source under one protocol, by one metric."""

    evaluation: Evaluation
    by: Method
    asked: dict[tuple[Method, tuple[str, ...], tuple[str, ...]], TestInputs] = field(
        default_factory=dict
    )
    drawn: dict[tuple[object, ...], NDArray[np.float64]] = field(default_factory=dict)

    @property
    def data(self) -> str | None:
        """The name of the source, None where several are averaged."""
        return self.evaluation.data

    @property
    def protocol(self) -> str | None:
        """The protocol, None for given outcomes."""
        return self.evaluation.protocol

    @property
    def metric(self) -> str:
        """The metric as written."""
        return self.by.written

    @property
    def models(self) -> tuple[str, ...]:
        """All models of the source."""
        return tuple(self.evaluation.models)

    def lacking(self, models: Sequence[str]) -> Lacking | None:
        """Return a model whose fit failed, or that gives no scores."""
        for model in models:
            if (without := self.evaluation.without_average(model)) is not None:
                return Lacking("refused", without, model)
            if self.evaluation.models[model].failed:
                return Lacking("fit", f"a fit of {model} failed", model)
            if as_read_by(self.evaluation, self.by).outcome(model, self.by) is None:
                return Lacking("scores", f"{model} gives no scores", model)
        if self.evaluation.n_common(models) == 0:
            return Lacking("refused", "no example has a score of every model")
        return None

    def prepare(self, study: Study, test: Method, pairs: Sequence[tuple[str, ...]]) -> None:
        """Join what a test of these pairs swaps or draws."""
        draw_pairs_together(
            self._inputs(study, test, pair, study.confidence)
            for pair in pairs
            if self.lacking(pair) is None
        )

    def run(
        self, study: Study, test: Method, models: tuple[str, ...], level: float
    ) -> HypothesisTestResult:
        """Run a test on the outcomes of the models."""
        inputs = self._inputs(study, test, models, level)
        result = _reasoned(lambda: inputs.run(level), test)
        return replace(result, n_common=self.evaluation.n_common(models))

    def dependence(self, study: Study, test: Method, models: tuple[str, ...]) -> Dependence | None:
        """Return the correlation of what a test of series takes as independent, if it is clear."""
        if self.lacking(models) is not None:
            return None
        try:
            return self._inputs(study, test, models, study.confidence).dependence()
        except ValueError:  # the test says so itself
            return None

    def _inputs(
        self,
        study: Study,
        test: Method,
        models: tuple[str, ...],
        level: float,
        among: tuple[str, ...] = (),
    ) -> TestInputs:
        """Return the inputs of a test, on the rows that its models, or those `among`, share."""
        key = (test, models, among)
        if key not in self.asked:
            whole = in_blocks(as_read_by(self.evaluation, self.by), test)
            read = whole.on_common_rows(among or models)
            self.asked[key] = TestInputs(study, read, self.by, models, test, level)
        return self.asked[key]

    def correct(self, models: Sequence[str]) -> Any:
        """Right and wrong of each model on each row that the metric is about.

        A model whose fit failed is wrong everywhere: its pairs have no p, and count as p = 1.
        """
        sound = [model for model in models if not self.evaluation.models[model].failed]
        evaluation = self.evaluation.on_common_rows(sound) if sound else self.evaluation
        known = {model: evaluation.correct(model) for model in sound}
        if not known:
            return np.zeros((0, len(models)), dtype=np.bool_)
        wrong = np.zeros(len(next(iter(known.values()))), dtype=np.bool_)
        every = np.column_stack([known.get(model, wrong) for model in models])
        return every[rows_about(evaluation, self.by, next(iter(known)))]

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method on this source."""
        return resampling_seed(study, self.evaluation, method)

    def resampled(
        self, study: Study, test: Method, pairs: Sequence[tuple[str, ...]], joint: JointDraws
    ) -> Any:
        """p of a test of these pairs on joint resamples of the rows that all their models have."""
        key = (
            test,
            tuple(pairs),
            joint.seed,
            joint.two_sided or "alternative" not in dict(test.options),
        )
        if key not in self.drawn:
            among = tuple(dict.fromkeys(model for pair in pairs for model in pair))
            if {*among} <= {*self.evaluation.on_the_same_rows(among[0])}:
                among = ()
            level = study.confidence
            asked = [self._inputs(study, test, pair, level, among) for pair in pairs]
            self.drawn[key] = _Joint(asked, joint).p()
        return self.drawn[key]

    def ranks(self, study: Study, models: tuple[str, ...]) -> Ranks | None:
        """None: folds are not data sets."""
        return None

    def question(
        self, study: Study, test: Method, models: tuple[str, ...], alpha: float
    ) -> Question | None:
        """Return what the power of a test of two models rests on, without their difference.

        None where it is not that of the share of discordant examples, or of the spread of the
        differences of independent examples or groups.
        """
        if len(models) != 2 or self.lacking(models) is not None:
            return None
        inputs = self._inputs(study, test, models, study.confidence)
        read, groups = inputs.evaluation, inputs.make("groups")
        form = difference_form(self.by, read.yields, len(read.classes) or None)
        options = {**HYPOTHESIS_TESTS[test.name].defaults(), **test.keywords()}
        asked = Question(test.name, alpha, None, options, form=form, read=True)
        if form == "proportion" and groups is None:
            (a, b), (c, d) = inputs.compared.table()
            n = a + b + c + d
            return replace(asked, n=n, observed={"discordant": (b + c) / n} if b + c else {})
        if form != "losses" or read.weights is not None or read.each == BLOCKS:
            return None
        losses = np.array([inputs.compared.losses(0), inputs.compared.losses(1)])
        apart = losses[0] - losses[1]
        asked = replace(asked, largest=largest_difference(test, self.by, len(apart), alpha))
        observed = {"sd": standard_deviation(apart) or 0.0}
        if observed["sd"] <= ROUNDING * np.abs(losses).max():  # the differences are equal
            return replace(asked, n=len(apart))
        sizes: Sizes = ()
        strata = inputs.make("strata")
        if strata is not None:  # as of one data set with a mean as precise as the average
            try:
                error = stratified_mean(apart, strata, groups).error
            except ValueError:  # the test says so itself
                return None
            if not error > 0:
                return replace(asked, n=len(apart))
            observed["sd"] = error * len(apart) ** 0.5
            return replace(asked, n=len(apart), observed=observed)
        if groups is not None:
            codes = np.unique(groups, return_inverse=True)[1]
            sizes = sizes_of(codes)
            most = sum(size**2 * k for size, k in sizes) / len(apart) - 1
            effect = variance_of_mean(apart, codes) * len(apart) / observed["sd"] ** 2
            if most > 0 and len(np.unique(codes)) > 1:
                observed["icc"] = min(max((effect - 1) / most, 0.0), 1.0)
        samples = spread_of_samples(self.evaluation, models, self.by)
        if samples is not None:
            observed["sd_within"] = samples[0]
            asked = replace(asked, samples=samples[1])
        return replace(asked, n=len(apart), observed=observed, group_sizes=sizes)

    def about(self, declared: HypothesisTestDeclaration) -> str:
        """What the kind of evidence is about, else the models or the algorithm that were scored."""
        used = declared.evidence & self.evaluation.yields.evidence
        if scope := next((one.scope for one in used if one.scope), ""):
            return scope
        return scope_of_estimates(self.evaluation, of_folds=declared.rests_only_on("fold"))


class Across(Struct, frozen=True):
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

    def lacking(self, models: Sequence[str]) -> Lacking | None:
        """Return nothing: tests state themselves which data sets they skip."""
        return None

    def prepare(self, study: Study, test: Method, pairs: Sequence[tuple[str, ...]]) -> None:
        """Join nothing: a test of scores over data sets draws by itself."""

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
        return self.grid.seed(study, method.written)

    def resampled(
        self, study: Study, test: Method, pairs: Sequence[tuple[str, ...]], joint: JointDraws
    ) -> Any:
        """Scores over data sets are not resampled together; raises `ValueError`."""
        raise ValueError("scores over data sets are not resampled together")

    def ranks(self, study: Study, models: tuple[str, ...]) -> Ranks | None:
        """Average ranks over the data sets, None where the scores are beyond reach."""
        try:
            return ranks(study, self.grid, models)
        except ValueError:
            return None

    def about(self, declared: HypothesisTestDeclaration) -> None:
        """None: a reader calls the data sets by their own word."""


ComparisonContext = OneSource | Across
"""Where models meet by one metric: a source under a protocol, or several data sets."""


def _reasoned(run: Callable[[], HypothesisTestResult], test: Method) -> HypothesisTestResult:
    """Run a test; what it refuses by a `ValueError` is not computed, for that reason."""
    try:
        return with_status(run())
    except ValueError as error:
        null = HYPOTHESIS_TESTS[test.name].declaration.null
        return not_computed(test.name, null, Lacking("refused", str(error)))


# --- families decided ------------------------------------------------------------------------


NOT_REJECTED = "the omnibus test did not reject, so the post hoc tests were not performed"
UNDEFINED = "the omnibus test is undefined, so the post hoc tests were not performed"


class TestRun(Struct, frozen=True, eq=False):
    """The undecided tests of one line in one context: an omnibus, if any, and its pairs."""

    planned: PlannedComparison
    context: ComparisonContext
    omnibus: HypothesisTestResult | None
    tests: tuple[HypothesisTestResult, ...]

    @property
    def spec(self) -> ComparisonSpec:
        """The line."""
        return self.planned.line

    @property
    def single(self) -> Method:
        """The test of each pair."""
        return self.spec.post_hoc or self.spec.test

    @property
    def declared(self) -> HypothesisTestDeclaration:
        """What the test of each pair declares."""
        return pair_declaration(self.spec)


class FamilyDecision(Struct, frozen=True):
    """A test run with its decisions; `reason` says why its pairs were not tested."""

    test_run: TestRun
    family: hypotheses.Family
    omnibus: HypothesisTestResult | None
    tests: tuple[HypothesisTestResult, ...]
    reason: str | None


def pair_test(
    study: Study,
    spec: ComparisonSpec,
    context: ComparisonContext,
    pair: tuple[str, ...],
    level: float,
) -> HypothesisTestResult:
    """Run the test of one pair, its interval at a level."""
    test = spec.post_hoc or spec.test
    lacking = context.lacking(pair)
    if lacking is not None:
        null = HYPOTHESIS_TESTS[test.name].declaration.null
        return not_computed(test.name, null, lacking, pair)
    result: HypothesisTestResult = context.run(study, test, pair, level)
    return replace(drop_zero_width(result), models=pair)


def decide(
    study: Study, family: hypotheses.Family, test_runs: Sequence[TestRun]
) -> list[FamilyDecision]:
    """Open or shut the gates of a family, adjust its p-values, decide, widen its intervals."""
    made = _without_intervals(study, family, test_runs)
    rejected = sum(bool(test.reject) for item in made for test in item.tests)
    level = _level_of_resamples(study, family, made)
    wide = [_add_simultaneous(study, item, rejected, level) for item in made]
    return [_add_detectable(study, _with_disagreements(study, item)) for item in wide]


def decide_again(
    study: Study, family: hypotheses.Family, test_runs: Sequence[TestRun]
) -> list[tuple[bool | None, ...]]:
    """Decide a family without its intervals: for each test run what became of its pairs.

    Raises `ValueError` where a correction refuses the family.
    """
    made = _without_intervals(study, family, test_runs)
    return [tuple(test.reject for test in item.tests) for item in made]


def _without_intervals(
    study: Study, family: hypotheses.Family, test_runs: Sequence[TestRun]
) -> list[FamilyDecision]:
    reasons = [None if family.joint else _shut(test_run, study.alpha) for test_run in test_runs]
    adjusted = _adjust(study, family, test_runs, reasons)
    while family.joint:  # a pair behind a gate that shuts counts as 1, which may shut another
        now = [
            reason
            or _shut(test_run, study.alpha, found[0] if test_run.omnibus is not None else None)
            for test_run, reason, found in zip(test_runs, reasons, adjusted, strict=True)
        ]
        if now == reasons:
            break
        reasons = now
        adjusted = _adjust(study, family, test_runs, reasons)
    return [
        _decided(study, family, test_run, reason, found)
        for test_run, reason, found in zip(test_runs, reasons, adjusted, strict=True)
    ]


def _shut(test_run: TestRun, alpha: float, adjusted: float | None = None) -> str | None:
    """Return why the pairs of a test run are not tested, None where they are."""
    omnibus = test_run.omnibus
    if omnibus is None or test_run.spec.post_hoc is None:
        return _lacking(omnibus)
    if omnibus.status == "not_computed":
        return _lacking(omnibus)
    if omnibus.p is None:
        return UNDEFINED
    return None if (omnibus.p if adjusted is None else adjusted) <= alpha else NOT_REJECTED


def _lacking(omnibus: HypothesisTestResult | None) -> str | None:
    if omnibus is None or omnibus.lacking is None:
        return None
    return f"{NOT_RUN}: {omnibus.lacking.reason}"


def _adjust(
    study: Study,
    family: hypotheses.Family,
    test_runs: Sequence[TestRun],
    reasons: Sequence[str | None],
) -> list[list[float | None]]:
    """Adjust the p-values of a family: of each test run its omnibus (if a member), its pairs.

    Pairs behind a shut gate keep their place in the family: they count as p = 1.
    """
    raw = [
        [
            *([test_run.omnibus.p] if family.joint and test_run.omnibus is not None else []),
            *(None if reason else test.p for test in test_run.tests),
        ]
        for test_run, reason in zip(test_runs, reasons, strict=True)
    ]
    flat = [p for found in raw for p in found]
    adjusted: Sequence[float | None] = [None] * len(flat)
    correction = family.correction
    if family.self_corrected:
        adjusted = flat
    elif correction is not None and CORRECTIONS[correction.name].declaration.adjusts and flat:
        adjusted = _corrected(study, correction, test_runs, flat)
    values = iter(adjusted)
    return [[next(values) for _ in found] for found in raw]


def _corrected(
    study: Study, correction: Method, test_runs: Sequence[TestRun], p: Sequence[float | None]
) -> Sequence[float | None]:
    """Pass a correction its inputs; all but p and joint resamples belong to a single context."""
    entry = CORRECTIONS[correction.name]
    asked = FamilyInputs(study, correction, test_runs, p)
    inputs = [FAMILY.make(name, asked) for name in entry.inputs]
    return list(entry.function(*inputs, **correction.keywords()))


class FamilyInputs(Struct, frozen=True):
    """The p-values of a family, and the tests that they are from."""

    study: Study
    correction: Method
    test_runs: Sequence[TestRun]
    p: Sequence[float | None]

    @property
    def first(self) -> TestRun:
        """The tests of a correction that takes those of one context."""
        return self.test_runs[0]


FAMILY: Providers[FamilyInputs] = Providers(Subject.FAMILY)
"""What makes the inputs of a correction."""

FAMILY.provide(
    p=lambda inputs: inputs.p,
    correct=lambda inputs: inputs.first.context.correct(inputs.first.planned.models),
    resampled=lambda inputs: _joint_p(
        inputs.study, inputs.test_runs, inputs.correction, two_sided=False
    ),
    seed=lambda inputs: inputs.first.context.seed(inputs.study, inputs.correction),
)


@FAMILY.provides("pairs")
def pairs(inputs: FamilyInputs) -> list[tuple[int, int]]:
    """Return the indices of the two models of each test."""
    place = inputs.first.planned.models.index
    return [(place(a), place(b)) for a, b in (test.models for test in inputs.first.tests)]


def _joint_p(
    study: Study, test_runs: Sequence[TestRun], correction: Method, *, two_sided: bool
) -> NDArray[np.float64]:
    """Draw the resamples of a family; those of intervals are two-sided.

    Data sets share no examples, so that each is drawn by itself. Pairs that were not computed have
    p = 1.
    """
    found: list[tuple[list[int], NDArray[np.float64]]] = []
    before = 0
    for place, test_run in enumerate(test_runs):
        computed = [test for test in test_run.tests if test.status != "not_computed"]
        tests = enumerate(test_run.tests, start=before)
        here = [i for i, test in tests if test.status != "not_computed"]
        before += len(test_run.tests)
        if computed:
            own = test_run.context.seed(study, correction)
            joint = JointDraws(seed(own, "data set", place) if place else own, two_sided=two_sided)
            pairs = [test.models for test in computed]
            drawn = test_run.context.resampled(study, test_run.single, pairs, joint)
            found.append((here, drawn))
    # A resample on which a difference is undefined is skipped
    rounds = min((len(drawn) for _, drawn in found), default=1)
    every = np.ones((rounds, before), order="F")
    for here, drawn in found:
        every[:, here] = drawn[:rounds]
    return every


def _decided(
    study: Study,
    family: hypotheses.Family,
    test_run: TestRun,
    reason: str | None,
    adjusted: Sequence[float | None],
) -> FamilyDecision:
    omnibus, values = test_run.omnibus, list(adjusted)
    if omnibus is not None:
        of_omnibus = values.pop(0) if family.joint else None
        omnibus = _judged(omnibus, of_omnibus, study.alpha)
    tests = []
    for test, p in zip(test_run.tests, values, strict=True):
        if reason is not None and test.status != "not_computed":
            tests.append(_not_performed(test, bayesian=test_run.declared.bayesian))
        else:
            tests.append(_judged(test, p, study.alpha))
    return FamilyDecision(test_run, family, omnibus, tuple(tests), reason)


def _judged(
    test: HypothesisTestResult, adjusted: float | None, alpha: float
) -> HypothesisTestResult:
    """Reject at p_adjusted, p where there is none; without either nothing is decided."""
    decisive = test.p if adjusted is None else adjusted
    reject = None if decisive is None else decisive <= alpha
    return replace(test, p_adjusted=adjusted, reject=reject)


def _not_performed(test: HypothesisTestResult, *, bayesian: bool) -> HypothesisTestResult:
    """Keep what describes a pair, and drop everything that would tell its p."""
    extra = {k: v for k, v in test.extra.items() if k not in OF_P}
    return replace(
        test,
        statistic=None,
        df=None,
        p=None,
        reject=None if bayesian else False,
        extra=extra,
        status="not_performed",
    )


# --- intervals of a family -----------------------------------------------------------------


def _level_of_resamples(
    study: Study, family: hypotheses.Family, made: Sequence[FamilyDecision]
) -> float | None:
    """Return the level of single intervals that hold together, by the joint resamples."""
    counted = [test.p is not None for item in made for test in item.tests]
    correction = family.correction
    if correction is None or family.self_corrected or not any(counted):
        return None
    if CORRECTIONS[correction.name].declaration.simultaneous != "resampled":
        return None
    drawn = _joint_p(study, [item.test_run for item in made], correction, two_sided=True)
    return single_level(drawn, study.confidence, counted)


def _add_simultaneous(
    study: Study, item: FamilyDecision, rejected: int, resampled: float | None
) -> FamilyDecision:
    """Return each pair an interval that holds for the whole family, where there is one.

    `resampled` is the level of a family with joint resamples, None where they are too few.
    """
    if item.test_run.declared.self_correcting:
        return replace(item, tests=tuple(map(_own, item.tests)))
    family, correction = item.family, item.family.correction
    if correction is None:
        return item
    if CORRECTIONS[correction.name].declaration.simultaneous == "resampled":
        level = resampled
        if level is None:
            note = "no simultaneous interval: the joint resamples are too few, or too skewed"
            told = (
                test if test.p is None else replace(test, notes=(*test.notes, note))
                for test in item.tests
            )
            return replace(item, tests=tuple(told))
    else:
        confidence = _level(study, item.test_run.declared)
        level = simultaneous_level(correction.name, confidence, family.size, rejected)
    if level is None:
        return item
    tests = tuple(_widened(study, item.test_run, test, correction, level) for test in item.tests)
    return replace(item, tests=tests)


def _own(test: HypothesisTestResult) -> HypothesisTestResult:
    """Take the interval of a test that controls its family: it is simultaneous already."""
    found = test.estimate
    if found is None or found.low is None:
        return test
    wide = SimultaneousInterval(found.low, found.high, found.level, found.method, draws=found.draws)
    return replace(test, simultaneous=wide)


def _widened(
    study: Study, test_run: TestRun, test: HypothesisTestResult, correction: Method, level: float
) -> HypothesisTestResult:
    kind = CORRECTIONS[correction.name].declaration.simultaneous
    plain = test.estimate
    if plain is None or plain.low is None or (kind == "fcr" and not test.reject):
        return test  # false coverage is controlled over those that were selected
    wide = pair_test(study, test_run.spec, test_run.context, test.models, level).estimate
    if wide is None or wide.low is None or wide.high is None:
        return test
    method = f"{wide.method}, {kind}" if kind == "conservative" else wide.method
    interval = SimultaneousInterval(
        wide.low, wide.high, plain.level, method, kind == "fcr", wide.draws
    )
    return replace(test, simultaneous=interval)


def _with_disagreements(study: Study, item: FamilyDecision) -> FamilyDecision:
    """State which intervals of each pair contradict its decision."""
    correction = item.family.correction
    conservative = (
        correction is not None
        and CORRECTIONS[correction.name].declaration.simultaneous == "conservative"
    )
    tests = (
        state_disagreements(test, study.alpha, conservative=conservative) for test in item.tests
    )
    return replace(item, tests=tuple(tests))


# --- what a family could detect -------------------------------------------------------------


def _add_detectable(study: Study, item: FamilyDecision) -> FamilyDecision:
    """State of each pair the difference that its test finds with 80 % power.

    Computed from the share of discordant examples or the spread of the differences where the power
    of the test follows from these, else from the standard error that its interval shows, at the
    level of the correction's strictest step; a posterior decides at the confidence of the study,
    on one side.
    """
    declared, context = item.test_run.declared, item.test_run.context
    if not isinstance(context, OneSource) or (declared.bayesian and not declared.t_over_splits):
        return item
    alpha = 1 - study.confidence if declared.bayesian else item.family.level(study.alpha)
    add = partial(add_detectable, study, context, item.test_run.single, alpha=alpha, answers=[])
    return replace(item, tests=tuple(map(add, item.tests)))


def add_detectable(
    study: Study,
    context: OneSource,
    test: Method,
    result: HypothesisTestResult,
    *,
    alpha: float,
    answers: list[tuple[Question, Answer]],
) -> HypothesisTestResult:
    """Add the difference that a test finds with 80 % power, with what it was computed from.

    It is None where not even the largest is found. `answers` are those to the questions of other
    pairs, to which new ones are added.
    """
    declared, alpha = HYPOTHESIS_TESTS[test.name].declaration, round(alpha, DIGITS)
    if result.status == "not_computed":
        return result
    if not declared.t_over_splits:
        if declared.claim != "different" or declared.rests_only_on("fold"):
            return result
        known = context.question(study, test, result.models, alpha)
        if known is not None:
            unit, asked = context.evaluation.unit, f"power {test.written}"  # as before the run
            drawn = analysis_seed(study.seed, None, unit, known.n, asked)
            found = _from_spread(declared, replace(known, seed=drawn), answers)
            return replace(result, extra={**result.extra, **found})
        if declared.estimand is not None:
            return result
    one_sided = declared.bayesian or test.keywords().get("alternative", "two_sided") != "two_sided"
    sides = 1 if one_sided else 2
    found = _from_interval(result, alpha, sides, answers, over_splits=declared.t_over_splits)
    return replace(result, extra={**result.extra, **found})


def largest_difference(test: Method, metric: Method, n: int | None, alpha: float) -> float:
    """Return the largest difference of a metric, 0 where a test never rejects with n examples."""
    least_p = HYPOTHESIS_TESTS[test.name].declaration.least_p
    options = {**HYPOTHESIS_TESTS[test.name].defaults(), **test.keywords()}
    if n is not None and least_p is not None and (least_p(n, 2, options) or 0.0) > alpha:
        return 0.0
    declared = metric_entry(metric).declaration
    if declared.low is None or declared.high is None:
        return math.inf
    return declared.high - declared.low


def _from_spread(
    declared: HypothesisTestDeclaration,
    question: Question,
    answers: list[tuple[Question, Answer]],
) -> dict[str, Any]:
    """Return the difference that a test of examples finds, from what these tell of its power."""
    if not question.observed or declared.power is None:
        return {}
    known = {name: value for name, value in question.observed.items() if name != "sd_within"}
    sd = known.pop("sd", None)
    largest = math.inf if question.largest else 0.0
    found = _answer(declared.power, replace(question, observed=known, largest=largest), answers)
    if found is None:
        return {}
    size = found.detectable
    if sd is not None and size is not None:
        size = size * sd if size * sd <= question.largest else None
    numbers = {k: v for k, v in found.assumptions.items() if not isinstance(v, str)}
    return {
        "detectable": size,
        "detectable_alpha": question.alpha,
        "detectable_n": question.n,
        "assumed": numbers if sd is None else {"sd": sd, **numbers},
    }


def _answer(
    power: PowerDeclaration, question: Question, answers: list[tuple[Question, Answer]]
) -> Answer | None:
    """Return the answer to a question without a spread, in standard deviations, if there is one.

    Pairs of equal n share it.
    """
    found = next((answer for asked, answer in answers if asked == question), None)
    if found is None:
        try:
            found = power.answers(question, Stated(POWER).with_observed(question))[0]
        except ValueError:  # more examples than powers are computed of
            return None
        answers.append((question, found))
    return found


def _from_interval(
    test: HypothesisTestResult,
    alpha: float,
    sides: int,
    answers: list[tuple[Question, Answer]],
    *,
    over_splits: bool,
) -> dict[str, Any]:
    """Return the difference that a test finds, from the standard error that its interval shows.

    That is half the width over the quantile of t, or of the normal distribution for an interval
    without degrees of freedom. The power on one side at a level is that on both at twice the level,
    but for a negligible tail.
    """
    found, two_sided = test.estimate, alpha * 2 / sides
    if found is None or found.low is None or found.high is None or not two_sided < 1:
        return {}
    half, level = (found.high - found.low) / 2, 1 - two_sided
    if not half > 0:
        return {}
    if found.df is not None:
        error, n = half / t_quantile(found.level, found.df), round(found.df) + 1
        answer = _answer(POWER_OF_OVERLAPPING_T, Question(test.test, two_sided, n), answers)
        if answer is None or answer.detectable is None or not half < math.inf:
            return {}
        smallest = answer.detectable * error * n**0.5
    elif over_splits:
        return {}
    else:
        error = half / normal_quantile(found.level)
        smallest = distance_shown(error * normal_quantile(level), level, POWER)
    name = "standard_error" if over_splits else "detectable_error"
    return {name: error, "detectable": smallest, "detectable_alpha": alpha}


# --- `compare` lines -------------------------------------------------------------------------


@computes(nodes.TESTS)
def run_line(
    study: Study,
    planned: PlannedComparison,
    evaluations: Sequence[Evaluation],
    table: ScoreTable | None,
) -> TestRun:
    """Run a line on its sources, or on the data sets of a table of scores; nothing is decided."""
    line, metric = planned.line, planned.metric
    context: ComparisonContext
    if table is not None:
        context = Across(grid_of_table(table, missing_policy(line)), metric, None, planned.models)
    elif line.across:
        grid = grid_of(study, evaluations, metric)
        context = Across(grid, metric, line.protocol, planned.models)
    else:
        context = OneSource(evaluations[0], metric)
    omnibus = _omnibus(study, line, context, planned.models) if planned.omnibus else None
    return _with_pairs(study, planned, context, omnibus)


@computes(nodes.FAMILY)
def decided_comparisons(
    study: Study, test_runs: Sequence[TestRun], family: hypotheses.Family
) -> tuple[Comparison, ...]:
    """Decide a family, in the order of its lines."""
    return tuple(_comparison(study, decided) for decided in decide(study, family, test_runs))


def run_again(study: Study, test_run: TestRun, line: ComparisonSpec) -> TestRun:
    """Run the pairs of a line with another test; an omnibus before them stays as it was."""
    planned = replace(test_run.planned, line=line)
    return _with_pairs(study, planned, test_run.context, test_run.omnibus)


def _with_pairs(
    study: Study,
    planned: PlannedComparison,
    context: ComparisonContext,
    omnibus: HypothesisTestResult | None,
) -> TestRun:
    line = planned.line
    context.prepare(study, line.post_hoc or line.test, planned.pairs)
    level = _level(study, HYPOTHESIS_TESTS[(line.post_hoc or line.test).name].declaration)
    tests = tuple(pair_test(study, line, context, pair, level) for pair in planned.pairs)
    return TestRun(planned, context, omnibus, tests)


def _level(study: Study, declared: HypothesisTestDeclaration) -> float:
    """Return the level of intervals: that of the decision where a margin is tested by its interval.

    Other intervals have the confidence of the study, which may differ from 1 - alpha.
    """
    return study.confidence if declared.claim == "different" else round(1 - study.alpha, DIGITS)


def _omnibus(
    study: Study, spec: ComparisonSpec, context: ComparisonContext, models: tuple[str, ...]
) -> HypothesisTestResult:
    lacking = context.lacking(models)
    if lacking is None:
        result: HypothesisTestResult = context.run(study, spec.test, models, study.confidence)
        return replace(result, models=models)
    null = HYPOTHESIS_TESTS[spec.test.name].declaration.null
    return not_computed(spec.test.name, null, lacking, models)


def _comparison(study: Study, decided: FamilyDecision) -> Comparison:
    test_run, family = decided.test_run, decided.family
    spec, context = test_run.spec, test_run.context
    correction, adjective, resampled = None, None, False
    if family.correction is not None:
        correction, declared = family.correction.written, CORRECTIONS[family.correction.name]
        adjective = declared.declaration.adjective
        resampled = declared.declaration.simultaneous == "resampled"
    reason = decided.reason or _none_computed(decided.tests)
    ranks = context.ranks(study, test_run.planned.models)
    decisive = (d for test in decided.tests if (d := test.extra.get("critical_difference")))
    if ranks is not None and (own := next(decisive, None)) is not None:
        ranks = replace(ranks, critical_difference=own)
    return Comparison(
        index=spec.index,
        source=spec.source,
        data=context.data,
        averaged=spec.averaged,
        protocol=context.protocol,
        metric=context.metric,
        alpha=study.alpha,
        family=Family(max(family.size, 1), correction, spec.exploratory, adjective, resampled),
        omnibus=decided.omnibus,
        pairwise=decided.tests,
        performed=reason is None,
        reason=reason,
        ranks=ranks,
        against=spec.against,
        about=context.about(test_run.declared),
    )


def _none_computed(tests: Sequence[HypothesisTestResult]) -> str | None:
    """Explain why not one pair was tested, None where one was or where there are no pairs."""
    if not tests or any(test.status != "not_computed" for test in tests):
        return None
    return "; ".join(dict.fromkeys(note for test in tests for note in test.notes))
