"""Providers: for each declared input the one function that makes it for a subject.

A function is registered for the name of an input. Where an input may rest on several kinds of
evidence that are made in different ways, each has a function of its own, and the first kind that
the method declares decides.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility import are_paired, is_auc, is_mean_of_rows, metric_entry
from evallang.compatibility.hypothesis_tests import difference_test
from evallang.engine.evaluation import BLOCKS, Evaluation, means_of, strengths_of
from evallang.engine.metric_samples import (
    counted_by_metric,
    counted_once,
    metric_sample,
    of_cells,
    pseudo_values,
    resamples_seed,
    resampling_seed,
    summed_shares,
)
from evallang.engine.rounded_scores import note_of_rounded_pair, rounding_error
from evallang.evidence import FOLD_SCORES, LOSSES_PER_ROW, Evidence
from evallang.metrics.aggregation import (
    Partition,
    average_over_seeds,
    point_value,
    reweighted,
)
from evallang.metrics.by_class import LabelledPairs
from evallang.metrics.metric import (
    NOT_KEPT,
    MetricEntry,
    Outcome,
    rows_of_proportion,
)
from evallang.records import Placed
from evallang.results.records import Difference, HypothesisTestResult, Summary
from evallang.results.statistics import filled
from evallang.stats.basics import OPPOSITE, labels, one_sided
from evallang.stats.correctness import Correctness, Shares, Table, count_columns, count_patterns
from evallang.stats.draws import draw_together
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.swapping import (
    LossSwapper,
    OutputSwapper,
    ScoreSwapper,
    SignSwapper,
    Swapper,
    TableSwapper,
    answer_swapper,
)
from evallang.stats.inputs import DESIGN_SHAPES, INPUTS, Input, Subject
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.readers import ReaderScores, score_areas, score_means
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    ExampleSample,
    OfCells,
    PatternSample,
    WeightSample,
    mean_sample,
)
from evallang.stats.intervals.series import Dependence, dependence_beyond
from evallang.stats.score_counts import PlacementSums
from evallang.stats.strata import Strata
from evallang.stats.validity import shortfalls, with_shortfalls
from evallang.study import Method, Study

Context = TypeVar("Context")
Provided = TypeVar("Provided")


class Providers(Generic[Context]):
    """The functions that make the inputs of one subject, each from the same context."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._made: dict[str, list[tuple[Evidence | None, Callable[[Context], Any]]]] = {}

    def provides(
        self, name: str, evidence: Evidence | None = None
    ) -> Callable[[Callable[[Context], Provided]], Callable[[Context], Provided]]:
        """Register the decorated function for an input, or for one kind of its evidence.

        Raises `ValueError` where the input is not declared or has a provider already.
        """

        def decorate(function: Callable[[Context], Provided]) -> Callable[[Context], Provided]:
            declared = INPUTS.of(self.subject).get(name)
            if declared is None or (evidence is not None and not declared.takes(evidence)):
                raise ValueError(f"the input {name} of a {self.subject} is not declared")
            known = self._made.setdefault(name, [])
            if any(other in (None, evidence) or evidence is None for other, _ in known):
                raise ValueError(f"the input {name} of a {self.subject} has a provider already")
            known.append((evidence, function))
            return function

        return decorate

    def provide(
        self, evidence: Evidence | None = None, **functions: Callable[[Context], Any]
    ) -> None:
        """Register functions of one line by the names of their inputs."""
        for name, function in functions.items():
            self.provides(name, evidence)(function)

    def names(self) -> frozenset[str]:
        """Return the names of the inputs that can be made."""
        return frozenset(self._made)

    def make(self, name: str, context: Context, needs: Iterable[Evidence] = ()) -> Any:
        """Make one input; `needs` is the evidence that the method declares."""
        taken = frozenset(needs)
        for evidence, function in self._made[name]:
            if evidence is None or evidence in taken:
                return function(context)
        kinds = ", ".join(sorted(one.name for one in taken))
        raise ValueError(f"`{name}` is not made from {kinds}")


def scores_of_readers(
    evaluation: Evaluation, models: tuple[str, ...], metric: Method
) -> ReaderScores:
    """Score each reader with each model, or each network of it, with the covariance over examples.

    Areas of two classes have DeLong's covariance, means over examples that of the examples'
    values, and other metrics that of their pseudo-values. Raises `ValueError` where a model has no
    scores.
    """
    values = np.stack([_by_reader(evaluation, model, metric) for model in models], axis=1)
    codes, nested = evaluation.group_codes, evaluation.yields.run_word == "seed"
    if not is_auc(metric) or has_pseudo_values(evaluation, metric):
        return score_means(values, codes, nested=nested)
    found = evaluation.models[models[0]]
    truth = np.zeros(len(values), dtype=bool)
    truth[found.rows] = evaluation.positive_rows(models[0])
    return score_areas(truth, values, codes, nested=nested)


def has_pseudo_values(evaluation: Evaluation, metric: Method) -> bool:
    """Return whether scores of readers are those of a metric that needs the jackknife."""
    two_classes = len(evaluation.classes) == 2
    return not (is_mean_of_rows(metric_entry(metric)) or (is_auc(metric) and two_classes))


def _by_reader(evaluation: Evaluation, model: str, metric: Method) -> "NDArray[np.float64]":
    """Return the score of each example by each reader, or its value in the metric (n, j)."""
    outcome, found = evaluation.outcome(model, metric), evaluation.models[model]
    if outcome is None:
        raise ValueError(f"{model} gives no scores")
    table = np.full((int(found.rows.max()) + 1, int(found.repeat.max()) + 1), np.nan)
    if has_pseudo_values(evaluation, metric):
        for reader, column in enumerate(table.T):
            own = found.take(found.repeat == reader)
            alone = evaluation.altered(models={model: own})
            column[np.unique(own.rows)] = pseudo_values(alone, model, metric)
    elif is_auc(metric):
        table[found.rows, found.repeat] = evaluation.positive_scores(model, metric)
    else:
        table[found.rows, found.repeat] = means_of(metric, outcome)
    return table


# --- the outcomes of the models ---------------------------------------------------------------


def rows_about(evaluation: Evaluation, metric: Method, model: str) -> "NDArray[np.bool_]":
    """Return which rows a test of right and wrong by a metric is about, as a mask (n,)."""
    declared = metric_entry(metric).declaration
    counted = evaluation.counted
    truth = evaluation.models[model].truth if counted is None else counted.truth
    return rows_of_proportion(declared, truth, evaluation.positive)


class ComparedModels(Struct, frozen=True, dict=True):
    """The outcomes of some models of an evaluation, as a metric judges them."""

    evaluation: Evaluation
    metric: Method
    models: tuple[str, ...]

    @property
    def entry(self) -> MetricEntry:
        """What computes the metric."""
        return self.evaluation.entry(self.metric)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each model, of several seeds that of the first."""
        found = [self.evaluation.outcome(model, self.metric) for model in self.models]
        whole = tuple(outcome for outcome in found if outcome is not None)
        if len(whole) < len(found):
            raise ValueError("a model without scores is excluded from a test on scores")
        return whole

    @cached_property
    def by_seed(self) -> tuple[tuple[Outcome, ...], ...]:
        """The outcomes of each model, one for every seed."""
        return tuple(self.evaluation.outcomes(model, self.metric) for model in self.models)

    def correct(self) -> "NDArray[np.bool_] | Correctness":
        """Return which rows each model has right (n, m), of those that the test is about."""
        if self.evaluation.counted is not None:
            counted = self.evaluation.counted.take(self.rows())
            right = [counted.truth == counted.labels[model] for model in self.models]
            return count_patterns(np.column_stack(right), counted.times)
        # Each model's column in one piece: writing across rows of few models is ten times slower
        return np.stack([self.evaluation.correct(m) for m in self.models]).T[self.rows()]

    @cached_property
    def counts(self) -> Correctness:
        """Count the rows that the models have right."""
        if self.evaluation.counted is not None:
            found = self.correct()
            assert isinstance(found, Correctness), "rows that were counted"
            return found
        models = [self.evaluation.models[model] for model in self.models]
        rows = self.rows()
        some = None if rows.all() else rows
        return count_columns(models[0].truth, [one.labels for one in models], some)

    def table(self) -> Table:
        """Count the rows that both, one or none of the first two models have right."""
        return self.counts.pair(0, 1)

    def rows(self) -> "NDArray[np.bool_]":
        """The rows a count test is about: all, or the positives, or the negatives."""
        return rows_about(self.evaluation, self.metric, self.models[0])

    def losses(self, which: int) -> "NDArray[np.float64]":
        """The loss of each example, of several seeds its mean over them."""
        if self.entry.declaration.form == "losses":
            found = self.evaluation.losses(self.models[which], self.metric)
        else:
            found = tuple(self._mistakes(o) for o in self.by_seed[which])
        return found[0] if len(found) == 1 else np.asarray(np.mean(found, axis=0))

    def _mistakes(self, o: Outcome) -> "NDArray[np.float64]":
        wrong: NDArray[np.float64] = (o.truth != o.output).astype(np.float64)
        return 1.0 - wrong if self.entry.declaration.direction == "higher" else wrong

    def shares(self, which: int) -> "NDArray[np.float64]":
        """Losses whose plain mean is the weighted one."""
        losses, weights = self.losses(which), self.outcomes[which].weights
        if weights is None:
            return losses
        return np.asarray(losses * weights * (len(weights) / weights.sum()))

    def positive_rows(self) -> "NDArray[np.bool_]":
        """Return which rows are positive (n,)."""
        return self.evaluation.positive_rows(self.models[0])

    def scores(self, model: str) -> "NDArray[np.float64]":
        """Return the score of the positive class for each row (n,)."""
        return self.evaluation.positive_scores(model, self.metric)

    def folds(self) -> "NDArray[np.int64] | None":
        """Fold codes where several fits made the scores, None for one fit."""
        if self.evaluation.yields.single_fit or len(self.evaluation.folds) < 2:
            return None
        found = self.evaluation.models[self.models[0]]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def bounded(self) -> bool:
        """Return whether the metric lies between 0 and 1."""
        declared = self.entry.declaration
        if self.evaluation.own is not None:  # its range is known from its values alone
            values = np.concatenate([o.output for o in self.outcomes])
            return bool(((values >= 0) & (values <= 1)).all())
        return declared.low == 0 and declared.high == 1

    def two_classes(self) -> bool:
        """Return whether the truth has two classes."""
        return len(self.evaluation.classes) == 2

    def outputs(self, which: int) -> Any:
        """One model's outputs, those of several seeds side by side (n, S * K)."""
        found = [o.output for o in self.by_seed[which]]
        if len(found) == 1:
            return found[0]
        return np.concatenate([output.reshape(len(output), -1) for output in found], axis=1)

    def value(self, output: Any) -> float:
        """The metric of one model's outputs, over folds as its estimate is, over seeds the mean."""
        values = []
        for one in self._of_seeds(output):
            outcome = replace(self.outcomes[0], output=one)
            values.append(point_value(self.entry, self.metric.keywords(), outcome, self.partition))
        return float(np.mean(values))

    def weighted_value(self, outputs: Any) -> ExampleSample | None:
        """The same where the outputs of two models (2n,) count or not, None where that is slow."""
        first, parts = self.outcomes[0], self.partition
        twice = replace(parts, fold=np.tile(parts.fold, 2), repeat=np.tile(parts.repeat, 2))
        weights = None if first.weights is None else np.tile(first.weights, 2)
        samples = []
        for one in self._of_seeds(outputs):
            outcome = replace(
                first, truth=np.concatenate([first.truth, first.truth]), output=one, weights=weights
            )
            found = reweighted(self.entry, self.metric.keywords(), outcome, twice)
            if not found.compiled:
                return None
            samples.append(WeightSample(outcome.n, found.statistic))
        return mean_sample(samples)

    def _of_seeds(self, outputs: Any) -> list[Any]:
        """Separate the outputs of the seeds, which stand side by side."""
        first, seeds = self.outcomes[0].output, 1 + len(self.evaluation.further_seeds)
        if seeds == 1:
            return [outputs.reshape(-1, *first.shape[1:])]
        width = 1 if first.ndim == 1 else first.shape[1]
        each = [outputs[:, seed * width : (seed + 1) * width] for seed in range(seeds)]
        return [one.reshape(-1, *first.shape[1:]) for one in each]

    @cached_property
    def partition(self) -> Partition:
        """Folds and repeats of the predictions, the same for both models."""
        return self.evaluation.partition(self.models[0])

    @cached_property
    def pairs(self) -> LabelledPairs:
        """How often each truth occurs with each two predictions."""
        a, b = self.outcomes
        if a.counted is None or b.counted is None:
            return LabelledPairs.counted(*self.coded(a.truth, a.output, b.output), a.k)
        codes = self.coded(a.counted.truth, a.counted.labels, b.counted.labels)
        return LabelledPairs.counted(*codes, a.k, a.counted.times)

    def coded(
        self, truth: Any, *labels: Any
    ) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
        """Return truth and both predictions as codes; a label that is none of the classes is k."""
        k = self.outcomes[0].k
        first, second = (np.where(x < 0, k, x).astype(np.int64) for x in labels)
        return truth.astype(np.int64), first, second

    def of_cells(self) -> OfCells:
        """Return what makes the metric one of the cells of a confusion matrix that occur."""
        a = self.outcomes[0]
        return of_cells(self.entry, self.metric.keywords(), a.positive, a.k)

    def samples(self) -> tuple[Resampler, ...]:
        """Return samples of the models' metrics."""
        return tuple(metric_sample(self.evaluation, m, self.metric) for m in self.models)

    def weighted(self, which: int, groups: Any) -> ExampleSample:
        """Draw weights of the rows of one model, of several seeds the mean of their metrics."""
        options, parts = self.metric.keywords(), self.partition
        return mean_sample(
            [
                WeightSample(o.n, reweighted(self.entry, options, o, parts).statistic, groups)
                for o in self.by_seed[which]
            ]
        )

    def fold_values(self, which: int) -> "NDArray[np.float64]":
        """The values of one model in each fold, of several seeds their mean."""
        whole, _ = average_over_seeds(self.evaluation.aggregates(self.models[which], self.metric))
        return np.array([np.nan if v is None else v for v in whole.fold_values], dtype=np.float64)


# --- swapping and resampling two models ------------------------------------------------------


def swapper(
    models: ComparedModels, groups: Any, *, by_row: bool = False
) -> SignSwapper | TableSwapper | OutputSwapper:
    """Swap what two models gave, by the quickest way that fits the metric.

    `groups` are codes of rows that are swapped together, None where each row is alone; `by_row`
    swaps each row and not counts of rows.
    """
    form = models.entry.declaration.form
    several = bool(models.evaluation.further_seeds)
    unweighted = models.outcomes[0].weights is None and not several
    plain = groups is None and not by_row and unweighted
    in_time = models.evaluation.each == BLOCKS
    weights = models.outcomes[0].weights
    shares = None if weights is None else weights / weights.sum()
    if form == "losses":
        transform = models.entry.declaration.transform
        return LossSwapper(
            models.shares(0), models.shares(1), transform, groups, shares, in_time=in_time
        )
    if models.entry.declaration.proportion == "all":
        if plain:
            sign = -1.0 if models.entry.declaration.complement else 1.0
            return answer_swapper(models.table(), sign)
        n = max(models.outcomes[0].n, 1)
        shares = np.full(n, 1 / n) if shares is None else shares
        first, second = models.shares(0) / n, models.shares(1) / n
        sides = first, second
        return SignSwapper(first - second, groups, shifts=shares, in_time=in_time, sides=sides)
    if form == "counts" and plain:
        pairs = models.pairs
        codes = pairs.truth, pairs.first, pairs.second
        return TableSwapper(*codes, pairs.times, models.of_cells())
    if form == "counts" and by_row and unweighted and not models.evaluation.yields.averaged:
        a, b = models.outcomes
        n, codes = a.n, models.coded(a.truth, a.output, b.output)
        each = np.arange(n) if groups is None else labels(groups, n, "group")
        return TableSwapper(*codes, np.ones(n, dtype=np.int64), models.of_cells(), each)
    ranked = models.entry.declaration.ranks == "area" and unweighted
    if ranked and models.folds() is None and models.two_classes():
        first, second = (models.scores(model) for model in models.models)
        return ScoreSwapper(models.positive_rows(), first, second, groups)
    a, b = (models.outputs(which) for which in (0, 1))
    return OutputSwapper(
        a,
        b,
        models.value,
        groups,
        by_ranks=models.entry.declaration.ranks is not None,
        weighted=models.weighted_value,
    )


def resampler(models: ComparedModels, groups: Any) -> Resampler:
    """Draw differences of two models, by the quickest way that fits the metric.

    `groups` are codes of rows that are drawn together, None where each row is alone.
    """
    form = models.entry.declaration.form
    declared = models.entry.declaration
    ends = (declared.low, declared.high)
    width = None if None in ends else float(ends[1]) - float(ends[0])  # type: ignore[arg-type]  # neither is None
    limits = (None, None) if width is None else (-width, width)
    several = bool(models.evaluation.further_seeds)
    in_repeats = models.evaluation.yields.averaged and not models.evaluation.means
    weighted = models.outcomes[0].weights is not None or several
    if weighted and not in_repeats:
        first, second = models.samples()
        return DifferenceSample(first, second, limits)
    if form == "counts" and groups is None:
        pairs, of_some = models.pairs, models.of_cells()
        ours, theirs = (of_some(pairs.truth, label) for label in (pairs.first, pairs.second))
        return PatternSample(pairs.times, lambda counts: ours(counts) - theirs(counts), limits)
    if not weighted and (form != "counts" or models.evaluation.yields.once):
        first, second = models.samples()
        return DifferenceSample(first, second, limits)
    parts = [models.weighted(i, groups) for i in (0, 1)]
    return DifferenceSample(parts[0], parts[1], limits)


# --- the run of a test ----------------------------------------------------------------------


class TestInputs(Placed, frozen=True, dict=True):
    """The inputs of one test of some models, each made once when it is asked for."""

    APART: ClassVar[tuple[str, ...]] = ("made",)

    __test__ = False  # pytest collects classes by their name

    study: Study
    evaluation: Evaluation
    metric: Method
    models: tuple[str, ...]
    test: Method
    level: float
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> HypothesisTestDeclaration:
        """What the test declares."""
        return HYPOTHESIS_TESTS[self.test.name].declaration

    @cached_property
    def compared(self) -> ComparedModels:
        """The outcomes of the models."""
        return ComparedModels(self.evaluation, self.metric, self.models)

    @cached_property
    def sizes(self) -> "tuple[NDArray[Any], NDArray[Any], str | None] | None":
        """Training and test sizes of the folds, and a note where they are assumed."""
        return self.evaluation.sizes()

    def asks_for(self, name: str) -> bool:
        """Return whether the test takes an input of this name."""
        return name in HYPOTHESIS_TESTS[self.test.name].inputs

    def make(self, name: str) -> Any:
        """Make one input by its name; what does not change with the level is made once."""
        if INPUTS.of(Subject.COMPARISON)[name].by_level:
            return COMPARISON.make(name, self, self.needs.evidence)
        if name not in self.made:
            self.made[name] = COMPARISON.make(name, self, self.needs.evidence)
        return self.made[name]

    def run(self, level: float | None = None) -> HypothesisTestResult:
        """Run the test; differences come in the unit and direction of the metric.

        At another `level` than its own it rests on the same evidence, which is made once.
        """
        return self.result if level in (None, self.level) else replace(self, level=level).result

    @cached_property
    def result(self) -> HypothesisTestResult:
        """The result at its own level."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        inputs = [self.make(name) for name in entry.inputs]
        in_blocks = dict(entry.declaration.series or ())  # which the evaluation's groups are
        options = self.test.keywords()
        if self.evaluation.each == BLOCKS:
            options = {k: v for k, v in options.items() if k not in in_blocks}
        if self._reversed() and "alternative" in options:
            options["alternative"] = OPPOSITE[str(options["alternative"])]
        result: HypothesisTestResult = entry.function(*inputs, **options)
        yields, average = self.evaluation.yields, self.evaluation.average
        one_fit = yields.single_fit or (yields.averaged and average is None)
        null = "" if one_fit else entry.declaration.null_under_cv
        null = self._worded(null or result.null_form or result.null)
        result = replace(
            result,
            null=filled(null),
            null_form=null if "{" in null else "",
            notes=(*result.notes, *self._notes()),
        )
        written: Any = self.test.keywords().get("alternative", "two_sided")
        counted = counted_by_metric(self.evaluation, self.models, self.metric)
        result = with_shortfalls(result, shortfalls(entry.declaration.holds, counted))
        if entry.declaration.models != (1, 1):  # a test of one model words its own side
            result = one_sided(result, written)
        return self._convert_to_metric(result)

    def dependence(self) -> Dependence | None:
        """Return the correlation of what a test of series takes as independent, if it is clear."""
        if self.asks_for("swapper"):
            series = self.make("swapper").series
            return None if series is None else dependence_beyond(series, 1)
        extra = self.run().extra
        lag, r = extra.get("autocorrelation_lag"), extra.get("autocorrelation")
        return Dependence(int(str(lag)), float(str(r)), 0) if lag is not None else None

    def difference(self, level: float) -> Difference:
        """Compute the difference of the two models with the interval of the design."""
        return cast(Difference, self.test_of_difference(level).estimate)

    def test_of_difference(self, level: float) -> HypothesisTestResult:
        """Run the test whose interval of the difference fits the design, with its notes."""
        found = self._difference_inputs.run(level)
        if found.estimate is None:
            raise ValueError(f"{self._difference_inputs.test.name} estimates no difference")
        return found

    @cached_property
    def _difference_inputs(self) -> "TestInputs":
        """The same models under the test whose interval fits the design."""
        grouped, classes = self.evaluation.group_codes is not None, len(self.evaluation.classes)
        test = difference_test(self.metric, self.evaluation.yields, classes, grouped)
        return replace(self, test=test, made={})

    def _declared_inputs(self) -> tuple[Input, ...]:
        declared = INPUTS.of(Subject.COMPARISON)
        return tuple(declared[name] for name in HYPOTHESIS_TESTS[self.test.name].inputs)

    def _notes(self) -> Iterator[str]:
        """State assumed sizes of folds, outputs of the first seed alone, and rounded scores."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        uses = "n_train" in entry.inputs and "test_train_ratio" not in self.test.keywords()
        if uses and self.sizes is not None and self.sizes[2] is not None:
            yield self.sizes[2]
        seeds = 1 + len(self.evaluation.further_seeds)
        if seeds > 1 and any(declared.of_one_fit for declared in self._declared_inputs()):
            yield f"on the predictions of the first of {seeds} seeds"
        if self.metric.better is None and len(self.models) == 2:
            found = [rounding_error(self.evaluation, model, self.metric) for model in self.models]
            if errors := [error for error in found if error is not None]:
                yield note_of_rounded_pair(self.metric, errors)

    def _worded(self, null: str) -> str:
        """Make the null of a test of right and wrong, or of losses, name the metric."""
        average = self.evaluation.average
        averaged = average is not None and average.again is not None  # of pseudo-values
        declared = metric_entry(self.metric).declaration
        noun = f"{{{self.metric.name}}}"
        if averaged or declared.proportion == "all":
            return null.replace("average {loss}", "mean {loss}").replace("{loss}", noun)
        return null.replace("{accuracy}", noun) if declared.counts_known_rows else null

    def _reversed(self) -> bool:
        """Return whether the test compares shares of right answers by an error rate."""
        of_right = any(declared.difference_of_right for declared in self._declared_inputs())
        return of_right and self.compared.entry.declaration.complement

    def _convert_to_metric(self, result: HypothesisTestResult) -> HypothesisTestResult:
        """Phrase the difference for the metric; an error rate differs the other way round."""
        estimate = result.estimate
        if estimate is None:
            return result
        if self._reversed():
            low = None if estimate.high is None else -estimate.high
            high = None if estimate.low is None else -estimate.low
            value = None if estimate.value is None else -estimate.value
            drawn = estimate.resamples
            drawn = None if drawn is None else drawn.reversed_sign()
            estimate = replace(estimate, value=value, low=low, high=high, resamples=drawn)
        name = estimate.name
        if isinstance(name, Summary):
            asked = HYPOTHESIS_TESTS[self.test.name].declaration.estimand
            compared = self.metric.written
            if asked is not None and asked.statistic:
                examples = self.compared.entry.declaration.of_examples
                compared = f"the {asked.statistic} of the {examples or f'values of {compared}'}"
            name = name.by(compared)
        ends = (self.compared.entry.declaration.low, self.compared.entry.declaration.high)
        low, high = estimate.low, estimate.high
        if ends[0] is not None and ends[1] is not None:  # no difference is wider than the range
            width = ends[1] - ends[0]
            low = low if low is None else max(low, -width)
            high = high if high is None else min(high, width)
        return replace(result, estimate=replace(estimate, name=name, low=low, high=high))


# --- one provider for each input --------------------------------------------------------------

COMPARISON: Providers[TestInputs] = Providers(Subject.COMPARISON)
"""What makes the inputs of a test of models of one source."""

COMPARISON.provide(
    n_train=lambda inputs: None if inputs.sizes is None else inputs.sizes[0],
    n_test=lambda inputs: None if inputs.sizes is None else inputs.sizes[1],
    strengths=lambda inputs: strengths_of(inputs.evaluation, inputs.models),
    readers=lambda inputs: scores_of_readers(inputs.evaluation, inputs.models, inputs.metric),
    folds=lambda inputs: inputs.compared.folds(),
    better=lambda inputs: inputs.compared.entry.declaration.direction,
    bounded=lambda inputs: inputs.compared.bounded(),
    difference=lambda inputs: inputs.difference,
    level=lambda inputs: inputs.level,
)

COMPARISON.provide(
    FOLD_SCORES,
    first=lambda inputs: _fold_scores(inputs, 0),
    second=lambda inputs: _fold_scores(inputs, 1),
)

COMPARISON.provide(
    LOSSES_PER_ROW,
    first=lambda inputs: _losses(inputs, 0),
    second=lambda inputs: _losses(inputs, 1),
)


@COMPARISON.provides("table")
def table(inputs: TestInputs) -> Table:
    """Count the examples that both, one or none of two models have right."""
    return inputs.compared.table()


@COMPARISON.provides("shares")
def shares(inputs: TestInputs) -> Shares | Table:
    """Count the right answers of two models; the table of both for the same examples."""
    if are_paired(inputs.evaluation.yields):
        return table(inputs)
    first, second = (inputs.evaluation.correct(model) for model in inputs.models)
    return Shares((int(first.sum()), len(first)), (int(second.sum()), len(second)))


@COMPARISON.provides("paired_terms")
def paired_terms(inputs: TestInputs) -> "NDArray[np.float64]":
    """Count for each share of a sum the examples that one model alone has (s, 4)."""
    if inputs.evaluation.further_seeds:
        raise ValueError("with several seeds an example is not a single success or failure")
    compared = inputs.compared
    (a, times), (b, _) = map(counted_once, compared.outcomes)
    first, second = (summed_shares(compared.entry, inputs.metric, o) for o in (a, b))
    size = len(first.sets)

    def alone(own: Any, other: Any) -> Any:
        rows = (own >= 0) & (own != other)
        return np.bincount(own[rows], None if times is None else times[rows], size)

    trials = np.bincount(first.set_of, times, int(first.sets.max(initial=-1)) + 1)
    only = alone(first.share_of, second.share_of), alone(second.share_of, first.share_of)
    return np.column_stack([first.coefficients, *only, trials[first.sets]])


@COMPARISON.provides("correct")
def correct(inputs: TestInputs) -> "NDArray[np.bool_] | Correctness":
    """Return which models are right on which rows (n, m); without groups, counts are enough."""
    grouped = inputs.evaluation.group_codes is not None
    return inputs.compared.correct() if grouped else inputs.compared.counts


def _losses(inputs: TestInputs, which: int) -> "NDArray[np.float64]":
    """Return the losses of a model; of a test of series one for each moment, in their order."""
    losses = inputs.compared.losses(which)
    if inputs.needs.series is None:
        return losses
    return inputs.evaluation.by_moment(inputs.models[which], losses)


def _fold_scores(inputs: TestInputs, which: int) -> "NDArray[np.float64]":
    values = inputs.compared.fold_values(which)
    shapes = {DESIGN_SHAPES.get(design) for design in inputs.needs.designs}
    if len(shapes) != 1 or (shape := shapes.pop()) is None:
        return values
    if len(values) != shape[0] * shape[1]:
        raise ValueError("it takes five repeats of two folds, and these are others")
    return values.reshape(shape)


@COMPARISON.provides("groups")
def groups(inputs: TestInputs) -> "NDArray[np.int64] | None":
    """Return the groups of the rows that the test reads, None where each row is alone."""
    found = inputs.evaluation.groups_of(inputs.models[0])
    if found is None:
        return None
    return found[inputs.compared.rows()] if inputs.needs.tests == "correctness" else found


@COMPARISON.provides("strata")
def strata(inputs: TestInputs) -> "Strata | None":
    """Return the data sets of the rows and their shares of an average, None without one."""
    return inputs.evaluation.strata_of(inputs.models[0])


@COMPARISON.provides("truth")
def truth(inputs: TestInputs) -> Any:
    """Return which rows are positive (n,)."""
    if inputs.evaluation.counted is not None:
        return NOT_KEPT
    return inputs.compared.positive_rows()


@COMPARISON.provides("row_scores")
def row_scores(inputs: TestInputs) -> "NDArray[np.float64] | PlacementSums":
    """Return the scores of the models on each row (n, m), or what these came to on a test set."""
    counted = inputs.evaluation.counted
    if counted is not None:
        assert counted.rankings is not None and counted.placements is not None, "areas compared"
        known = list(counted.rankings)
        return counted.placements.of([known.index(model) for model in inputs.models])
    if inputs.compared.folds() is None and inputs.evaluation.group_codes is None:
        return inputs.evaluation.placement_sums(inputs.models, inputs.metric)
    # Each model's column in one piece, which is sorted without a copy
    return np.stack([inputs.compared.scores(model) for model in inputs.models]).T


@COMPARISON.provides("swapper")
def swapper_of(inputs: TestInputs) -> Swapper:
    """Return what swaps the outputs of two models."""
    codes = inputs.make("groups")
    found = swapper(inputs.compared, codes)
    if codes is not None:
        found.unit = inputs.evaluation.each
    return found


def draw_pairs_together(asked: Iterable["TestInputs"]) -> None:
    """Join what one test swaps or draws of several pairs, to be done in one pass."""
    joined: list[Any] = []
    for inputs in asked:
        # A pair whose outputs cannot be swapped or drawn says so in its own turn
        with suppress(ValueError):
            if inputs.asks_for("swapper"):
                found = inputs.make("swapper")
                joined += [found, found.shift]
            if inputs.asks_for("sample"):
                joined.append(inputs.make("sample"))
    draw_together(joined)


@COMPARISON.provides("sample")
def sample(inputs: TestInputs) -> Resampler:
    """Return what resamples the difference of two models."""
    found = resampler(inputs.compared, inputs.make("groups"))
    if found.n_groups is not None:
        found.unit = inputs.evaluation.each
    return found


@COMPARISON.provides("seed")
def seed(inputs: TestInputs) -> int:
    """Return the seed of the test on this source; resamples are those of the models' intervals."""
    if inputs.asks_for("sample"):
        return resamples_seed(inputs.study, inputs.evaluation)
    return resampling_seed(inputs.study, inputs.evaluation, inputs.test)
