"""The interval of one estimate: its inputs, its method, its form for groups and weights."""

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility import is_share_of_union
from evallang.compatibility.intervals import FEW_EXAMPLES, default_interval, implied_options
from evallang.engine.evaluation import Evaluation, means_of, strengths_of
from evallang.engine.metric_samples import (
    counted_by_metric,
    counted_once,
    metric_sample,
    resamples_seed,
    resampling_seed,
    summed_shares,
)
from evallang.engine.providers import Providers, scores_of_readers
from evallang.metrics.aggregation import (
    Aggregate,
)
from evallang.metrics.metric import NOT_KEPT, MetricEntry, Outcome, is_binary, successes
from evallang.protocols.assigned import pairs_of
from evallang.registry import Entry
from evallang.results.records import (
    NO_WIDTH,
    NOT_COMPUTED,
    NOT_SOUND,
    Difference,
    Effect,
    HypothesisTestResult,
    Interval,
)
from evallang.results.written import member_of
from evallang.stats.inputs import Subject
from evallang.stats.intervals.cross_validation import ALONE, HeldOutLosses
from evallang.stats.intervals.few_groups import (
    clustered_wilson,
    weighted_wilson,
    wilson_of_means,
)
from evallang.stats.intervals.interval import (
    INTERVALS,
    IntervalDeclaration,
    Resampler,
    default_of,
)
from evallang.stats.intervals.proportions import clopper_pearson, wilson
from evallang.stats.intervals.ratio_of_sums import CountedInfluences
from evallang.stats.intervals.readers import ReaderScores
from evallang.stats.score_counts import PlacementSums, ScoreCounts
from evallang.stats.validity import shortfalls, with_shortfalls
from evallang.study import Measure, Method, Study

NO_VARIATION = (
    "no interval: its bounds coincide, because the difference was the same in every resample, "
    "fold or example"
)


def has_no_width(low: float | None, high: float | None) -> bool:
    """Return whether two bounds coincide."""
    return low is not None and low == high


def drop_zero_width(test: HypothesisTestResult) -> HypothesisTestResult:
    """Take the bounds that coincide out of a test's difference and effects, with a note."""
    effects = tuple(map(_effect, test.effects))
    found = test.estimate
    if found is None or not has_no_width(found.low, found.high):
        return replace(test, effects=effects) if effects != test.effects else test
    return replace(
        test, estimate=unbounded(found), effects=effects, notes=(*test.notes, NO_VARIATION)
    )


def unbounded(difference: Difference) -> Difference:
    """Return the difference without bounds."""
    return replace(difference, low=None, high=None, draws=None)


def _effect(effect: Effect) -> Effect:
    flat = has_no_width(effect.low, effect.high)
    return replace(effect, low=None, high=None, draws=None) if flat else effect


# --- weighted examples -----------------------------------------------------------------------


Options = Mapping[str, Any]


def _trials(
    entry: MetricEntry, options: Options, outcome: Outcome
) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
    """Return which examples a proportion counts, and which of all are right."""
    right = _successes(entry, options, outcome)
    kind = entry.declaration.proportion
    if entry.declaration.of_all_examples:
        return np.ones(outcome.n, dtype=bool), right
    if kind is None or outcome.positive is None or not is_binary(options, outcome.k):
        raise ValueError("the metric is not a proportion of these classes")
    chosen = outcome.positive
    if kind in ("negatives", "predicted_negatives"):
        chosen = 1 - chosen
    side = outcome.truth if kind in ("positives", "negatives") else outcome.output
    return np.asarray(side == chosen, dtype=bool), right


def _successes(entry: MetricEntry, options: Options, outcome: Outcome) -> "NDArray[np.bool_]":
    """Return which examples are predicted right, or have the loss 1 of a metric that is hits."""
    if entry.declaration.proportion == "hits":
        found = entry.function(outcome.truth, outcome.output, outcome.positive, **options)
        return np.asarray(found == 1)
    return np.asarray(outcome.truth == outcome.output, dtype=bool)


# --- inputs of intervals ---------------------------------------------------------------------


class IntervalInputs(Struct, frozen=True, dict=True):
    """The inputs of the interval of one estimate.

    `outcomes` are those of every seed; an example's loss is its mean over them. `method` is how
    the interval is computed, once that is known.
    """

    study: Study
    evaluation: Evaluation
    model: str
    metric: Method
    entry: MetricEntry
    outcomes: tuple[Outcome, ...]
    whole: Aggregate
    method: Method | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome, of several seeds that of the first: the same rows and weights."""
        return self.outcomes[0]

    @cached_property
    def groups(self) -> "NDArray[np.int64] | None":
        """The group of each row, None where each row is alone."""
        return self.evaluation.groups_of(self.model)

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

    def binary_truth(self) -> Any:
        """Return which rows are positive; raises `ValueError` for other than two classes."""
        if len(self.evaluation.classes) != 2 or self.evaluation.positive is None:
            raise ValueError("the interval is for two classes")
        if self.outcome.ranked is not None:
            return NOT_KEPT  # the counted scores are those of both classes
        return self.evaluation.positive_rows(self.model)

    def positive_scores(self) -> "NDArray[np.float64] | ScoreCounts | PlacementSums":
        """Return the score of the positive class (n,), those counted, or their placements."""
        if self.outcome.ranked is not None:
            return self.outcome.ranked
        placed = self.evaluation.placements_of(self.model, self.metric)
        if placed is not None:
            return placed
        return self.evaluation.positive_scores(self.model, self.metric)

    def proportion(self) -> tuple[int, int]:
        """Count successes and trials; raises `ValueError` for a metric that counts none."""
        if len(self.outcomes) > 1:
            raise ValueError("with several seeds an example is not a single success or failure")
        if self.evaluation.judged:
            return self.evaluation.n_right(self.model), self.outcome.n
        if self.entry.declaration.proportion == "hits":
            return int(self.losses().sum()), self.outcome.n
        counts = self.evaluation.confusion(self.model)
        if self.of_union:
            return self.union(counts)
        found = successes(self.entry, self.metric.keywords(), counts, self.outcome.positive)
        if found is None:
            raise ValueError(f"`{self.metric.written}` is not a proportion of these classes")
        return round(found[0]), round(found[1])

    @property
    def of_union(self) -> bool:
        """Whether the share of hits among all positive or predicted positive decides it."""
        options, known = self.metric.options, self.outcome.positive is not None
        return known and is_share_of_union(self.entry, options, self.outcome.k)

    def union(self, counts: "NDArray[Any]") -> tuple[int, int]:
        """Count hits, and the examples that are positive or predicted positive."""
        positive = self.outcome.positive
        hits = int(counts[positive, positive])
        return hits, int(counts[positive].sum() + counts[:, positive].sum()) - hits

    def at_share(self, share: float) -> tuple[float, float]:
        """Return the least and the largest value of the metric with a share of hits."""
        positive = self.outcome.positive
        assert positive is not None, "a metric of the positive class"
        one = np.zeros((2, 2, 3))
        one[:, positive, positive] = share
        one[0, positive, 1 - positive] = one[1, 1 - positive, positive] = 1 - share
        found = self.entry.function(one, positive, **self.metric.keywords())
        return float(found.min()), float(found.max())

    def over_groups(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Return Wilson's interval by the spread over groups, or over examples with repeats."""
        if self.evaluation.means:
            found = wilson_of_means(self.losses(), self.groups, self.study.confidence)
            return found, found.notes
        if not self.entry.declaration.of_all_examples:
            return None, ("no interval: its form for groups is that of accuracy",)
        right = _successes(self.entry, self.metric.keywords(), self.outcome)
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
        weights = self.outcome.weights
        assert weights is not None, "examples without weights have their own interval"
        try:
            trials, right = _trials(self.entry, options, self.outcome)
            found = weighted_wilson(right[trials], weights[trials], level)
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
        return metric_sample(self.evaluation, self.model, self.metric)


def interval_method(
    evaluation: Evaluation, measure: Measure, n: int | None = None
) -> Method | None:
    """Return the interval of a measure, as written or by default; None where none is sound.

    The default depends on the number n of examples where these are few; an average over data sets
    has one interval.
    """
    if evaluation.average is not None:
        return Method(default_of("averaged"))
    if measure.interval is not None:
        return measure.interval
    name = default_interval(
        measure.metric,
        evaluation.yields,
        len(evaluation.classes),
        evaluation.group_codes is not None,
        n,
    )
    return None if name is None else Method(name)


# --- one provider for each input --------------------------------------------------------------


ESTIMATE: Providers[IntervalInputs] = Providers(Subject.ESTIMATE)
"""What makes the inputs of the interval of one estimate."""

ESTIMATE.provide(
    successes=lambda inputs: inputs.proportion()[0],
    n=lambda inputs: inputs.proportion()[1],
    level=lambda inputs: inputs.study.confidence,
    losses=lambda inputs: inputs.losses(),
    folds=lambda inputs: inputs.fold_codes(),
    n_train=lambda inputs: None if inputs.sizes is None else inputs.sizes[0],
    n_test=lambda inputs: None if inputs.sizes is None else inputs.sizes[1],
    truth=lambda inputs: inputs.binary_truth(),
    scores=lambda inputs: inputs.positive_scores(),
    classes=lambda inputs: np.asarray(inputs.outcome.truth, dtype=np.int64),
    by_pairs=lambda inputs: inputs.metric.keywords().get("multi_class") == "ovo",
    groups=lambda inputs: inputs.groups,
    strata=lambda inputs: inputs.evaluation.strata_of(inputs.model),
    strengths=lambda inputs: strengths_of(inputs.evaluation, (inputs.model,)),
    sample=lambda inputs: inputs.sample(),
    positive=lambda inputs: inputs.outcome.positive,
)


@ESTIMATE.provides("series")
def series(inputs: IntervalInputs) -> "NDArray[np.float64]":
    """Return what each moment adds to the mean (n,), in the order of time."""
    if len(inputs.outcomes) > 1:
        raise ValueError("with several seeds an example has no single loss")
    return inputs.evaluation.by_moment(inputs.model, means_of(inputs.metric, inputs.outcome))


@ESTIMATE.provides("sums")
def sums(inputs: IntervalInputs) -> "NDArray[np.float64]":
    """Return the numerator and denominator of each row, times its weight (n, 2).

    Of a mean the denominators are 1.
    """
    outcome, found = inputs.outcome, inputs.outcome.output
    if not inputs.metric.ratio:
        losses = inputs.losses()
        found = np.column_stack([losses, np.ones(len(losses))])
    return found if outcome.weights is None else found * outcome.weights[:, None]


@ESTIMATE.provides("terms")
def terms(inputs: IntervalInputs) -> "NDArray[np.float64]":
    """Count successes and trials of the shares whose sum the metric is (s, 4)."""
    if len(inputs.outcomes) > 1:
        raise ValueError("with several seeds an example is not a single success or failure")
    outcome, times = counted_once(inputs.outcome)
    found = summed_shares(inputs.entry, inputs.metric, outcome)
    hits = found.share_of >= 0
    shares, size = len(found.sets), int(found.sets.max(initial=-1)) + 1
    hit = np.bincount(found.share_of[hits], None if times is None else times[hits], shares)
    trials = np.bincount(found.set_of, times, size)
    return np.column_stack([found.coefficients, hit, trials[found.sets], found.sets])


@ESTIMATE.provides("estimate")
def estimate_of(inputs: IntervalInputs) -> float:
    """Return the value of the metric."""
    value = inputs.whole.value
    return math.nan if value is None else value


@ESTIMATE.provides("influences")
def influences(inputs: IntervalInputs) -> "NDArray[np.float64] | CountedInfluences":
    """Return what each row changes in the metric; raises `ValueError` where that is unknown."""
    known, by_score = (
        inputs.entry.declaration.influences,
        inputs.entry.declaration.influences_by_score,
    )
    if known is None or len(inputs.outcomes) > 1:
        raise ValueError("the influence of an example on the metric is not known")
    counts = inputs.outcome.ranked
    if counts is None or by_score is None:
        return known(inputs.outcome)
    sides = counts.positives, counts.negatives
    found = by_score(*(side.astype(np.float64) for side in sides))
    return CountedInfluences(np.concatenate(found), np.concatenate(sides))


@ESTIMATE.provides("readers")
def readers(inputs: IntervalInputs) -> ReaderScores:
    """Return what each reader reached with the model."""
    return scores_of_readers(inputs.evaluation, (inputs.model,), inputs.metric)


@ESTIMATE.provides("held_out")
def held_out(inputs: IntervalInputs) -> HeldOutLosses:
    """Return the losses of the fits that the method implies; raises `ValueError` if one failed."""
    assert inputs.method is not None, "the method is known"
    options = implied_options(inputs.method, inputs.evaluation.options)
    further = next(e for e in inputs.evaluation.further_fits if dict(e.options) == options)
    found = further.models[inputs.model]
    if found.failed:
        raise ValueError(f"{len(found.failed):,} of {len(further.folds):,} of its fits failed")
    outcome = further.outcome(inputs.model, inputs.metric)
    if outcome is None:
        raise ValueError("the model gives no scores")
    folds = int(str(options["folds"]))
    alone = found.fold < folds
    repeats = int(found.repeat.max()) + 1
    own = np.empty((repeats, 1 + int(found.rows.max())), dtype=np.int64)
    own[found.repeat[alone], found.rows[alone]] = found.fold[alone]
    fold = own[found.repeat, found.rows]
    pairs = np.array([(0, ALONE)] * folds + list(pairs_of(folds)), dtype=np.int64)[found.fold]
    partner = np.where(alone, ALONE, pairs.sum(axis=1) - fold)
    return HeldOutLosses(means_of(inputs.metric, outcome), found.repeat, fold, partner)


@ESTIMATE.provides("values")
def values(inputs: IntervalInputs) -> "NDArray[np.float64]":
    """Return the value of each fold (j,), NaN where it is undefined."""
    found = [np.nan if value is None else value for value in inputs.whole.fold_values]
    return np.array(found, dtype=np.float64)


@ESTIMATE.provides("class_scores")
def class_scores(inputs: IntervalInputs) -> "NDArray[np.float64]":
    """Return the score of each row for each class (n, k); of two classes from a single score."""
    if len(inputs.outcomes) > 1:
        raise ValueError("with several seeds an example has no single score")
    if inputs.metric.keywords().get("pool") and not inputs.evaluation.yields.single_fit:
        raise ValueError("scores of different models are ranked together")
    found = inputs.outcome.output
    if found.ndim == 2:
        return found
    columns = [found, -found] if inputs.outcome.positive == 0 else [-found, found]
    return np.column_stack(columns)


@ESTIMATE.provides("parts")
def parts(inputs: IntervalInputs) -> "NDArray[np.int64]":
    """Return the fitted model of each row (n,)."""
    if inputs.evaluation.yields.single_fit:
        return np.zeros(inputs.outcome.n, dtype=np.int64)
    return inputs.fold_codes()


@ESTIMATE.provides("matrix")
def matrix(inputs: IntervalInputs) -> "NDArray[Any]":
    """Count true by predicted class (k, k); raises `ValueError` where a row is in no cell."""
    if len(inputs.outcomes) > 1:
        raise ValueError("with several seeds an example is in no single cell")
    counts, k = inputs.evaluation.confusion(inputs.model), inputs.outcome.k
    if counts[:, k].any():
        raise ValueError("a prediction is none of the classes")
    return counts[:, :k]


@ESTIMATE.provides("of_counts")
def of_counts(inputs: IntervalInputs) -> "Callable[[NDArray[Any]], NDArray[np.float64]]":
    """Return the metric as a function of counts (..., k, k)."""
    options = inputs.metric.keywords()
    return lambda counts: inputs.entry.function(counts, inputs.outcome.positive, **options)


@ESTIMATE.provides("limits")
def limits(inputs: IntervalInputs) -> tuple[float | None, float | None]:
    """Return the range of the metric."""
    return inputs.entry.declaration.low, inputs.entry.declaration.high


@ESTIMATE.provides("verdicts")
def verdicts(inputs: IntervalInputs) -> "NDArray[np.int64]":
    """Return what a judge and humans say of each example (n, 2)."""
    truth, positive = inputs.outcome.truth, inputs.outcome.positive
    by_humans = np.where(truth < 0, -1, truth == positive)
    return np.column_stack([inputs.outcome.output == positive, by_humans])


@ESTIMATE.provides("average")
def average(inputs: IntervalInputs) -> str:
    """Return the average that a metric takes over classes, by default that of their number."""
    written = inputs.metric.keywords().get("average")
    if written is not None:
        return str(written)
    return "binary" if inputs.outcome.k == 2 else "macro"


@ESTIMATE.provides("seed")
def seed(inputs: IntervalInputs) -> int:
    """Return the seed of the method on this source."""
    study, evaluation = inputs.study, inputs.evaluation
    assert inputs.method is not None, "the method is known"
    if "sample" in INTERVALS[inputs.method.name].inputs:
        return resamples_seed(study, evaluation)
    return resampling_seed(study, evaluation, inputs.method)


# --- the interval of one estimate ------------------------------------------------------------


SAME = 1e-9  # relative; means of equal folds in another order
ENOUGH_EXAMPLES = 250  # from which on pooled folds of unstable models are kept without a note
NARROW_OVER_FOLDS = (
    f"with fewer than {ENOUGH_EXAMPLES} examples the interval is too narrow for models that follow "
    "single training rows, such as unpruned trees and few neighbours: coverage of 95% "
    "intervals was about 90% in simulations"
)
"""A note on intervals that pool the predictions of several fitted models (docs/validation.md)."""
FEW_FOR_BOOTSTRAP = (
    f"with fewer than {FEW_EXAMPLES} examples Student's interval is the default, because the "
    "bootstrap's is too narrow"
)


class IntervalFound(Struct, frozen=True):
    """The interval of an estimate, or the reason (of `NO_INTERVAL`) why there is none.

    `about` is what the interval is about where that is not what the estimate is about.
    """

    interval: Interval | None
    notes: tuple[str, ...] = ()
    reason: str | None = None
    about: str | None = None


def estimate_interval(inputs: IntervalInputs, measure: Measure) -> IntervalFound:
    """Compute the interval in the metric's unit; one without width is not an interval.

    Resamples of a model that never predicts the positive class, or that makes no error, all give
    one value. The width of 0 says that the method saw no variation, not that there is none.
    """
    found, notes, reason = _computed(inputs, measure)
    if found is None or not has_no_width(found.low, found.high):
        return IntervalFound(found, notes, reason, _scope_note(inputs, found))
    bounded = _from_union(inputs) or _of_equal_examples(inputs)
    kept = tuple(note for note in notes if note not in found.notes)
    if bounded is not None:
        return IntervalFound(bounded, kept)
    return IntervalFound(None, kept, NO_WIDTH)


def _scope_note(inputs: IntervalInputs, found: Interval | None) -> str | None:
    entry = None if found is None else INTERVALS.get(member_of(found.method))
    if entry is None or not entry.declaration.about:
        return None
    return entry.declaration.about.replace("{n}", str(inputs.outcome.n))


def _from_union(inputs: IntervalInputs) -> Interval | None:
    """Bound a metric of 0 or 1 by Wilson's interval for the share of hits in the union.

    The union are the examples that are, or are predicted, positive. With the share of hits given,
    the metric is largest where all other members are of the kind that it counts least.
    """
    declared, options = inputs.entry.declaration, inputs.metric.keywords()
    positive, k = inputs.outcome.positive, inputs.outcome.k
    plain = len(inputs.outcomes) == 1 and inputs.outcome.weights is None
    if not (declared.of_union and plain and is_binary(options, k) and positive is not None):
        return None
    if inputs.evaluation.group_codes is not None or not inputs.evaluation.yields.once:
        return None
    share = wilson(
        *inputs.union(inputs.evaluation.confusion(inputs.model)), inputs.study.confidence
    )
    if share.low is None or share.high is None:
        return None
    note = f"{_of_union_words(inputs)}, because no resample differed"
    return Interval(share.method, share.level, *_at_bounds(inputs, share), (note,))


def _of_union_words(inputs: IntervalInputs) -> str:
    return (
        "the interval is transformed from that of the share of true positives among the "
        f"{inputs.evaluation.unit} that are positive or predicted positive"
    )


def _of_equal_examples(inputs: IntervalInputs) -> Interval | None:
    """Bound a mean from 0 to 1 over repeated examples, or their groups, that are all 0 or all 1.

    Where each of n independent units has 1, its mean m gives that a probability of m^n at most, so
    that the bound of n successes in n trials holds (Clopper & Pearson 1934).
    """
    declared, value = inputs.entry.declaration, inputs.whole.value
    of_units = inputs.evaluation.means and inputs.outcome.weights is None
    if not of_units or (declared.low, declared.high) != (0, 1) or value not in (0, 1):
        return None
    groups = inputs.groups
    n = inputs.outcome.n if groups is None else len(np.unique(groups))
    found = clopper_pearson(n if value == 1 else 0, n, inputs.study.confidence)
    units = inputs.evaluation.unit if groups is None else "groups"
    note = f"exact interval of {n} {units} that are alike"
    return replace(found, notes=(*found.notes, note))


def _at_bounds(inputs: IntervalInputs, share: Interval) -> tuple[float, float]:
    assert share.low is not None and share.high is not None, "an interval with bounds"
    return inputs.at_share(share.low)[0], inputs.at_share(share.high)[1]


def _computed(
    inputs: IntervalInputs, measure: Measure
) -> tuple[Interval | None, tuple[str, ...], str | None]:
    n = inputs.outcome.n
    method = interval_method(inputs.evaluation, measure, n)
    if method is None:
        return None, (), NOT_SOUND
    if inputs.whole.value is None:
        return None, (), None
    entry = INTERVALS[method.name]
    weighted = inputs.outcome.weights is not None
    counted = counted_by_metric(inputs.evaluation, (inputs.model,), inputs.metric)
    lacking = shortfalls(entry.declaration.holds, counted)
    in_groups = inputs.evaluation.means or inputs.evaluation.group_codes is not None
    if (weighted or in_groups) and entry.declaration.form == "proportion":
        share, notes = inputs.with_weights() if weighted else inputs.over_groups()
        share = None if share is None else with_shortfalls(share, lacking)
        return _or_reason(share, notes if share is None else share.notes)
    asked = replace(inputs, method=method)
    try:
        given = [ESTIMATE.make(name, asked, entry.declaration.evidence) for name in entry.inputs]
        found: Interval = entry.function(*given, **method.keywords())
    except ValueError as error:
        return None, (f"no interval: {error}",), NOT_COMPUTED
    if method.options and found.method == entry.name:
        found = replace(found, method=method.written)
    notes = (*found.notes, *inputs.assumed(entry, method))
    pooled = entry.declaration.form == "proportion" and not inputs.evaluation.yields.single_fit
    if pooled and not inputs.evaluation.judged and inputs.outcome.n < ENOUGH_EXAMPLES:
        notes = (*notes, NARROW_OVER_FOLDS)
    if measure.interval is None and method != interval_method(inputs.evaluation, measure):
        notes = (*notes, FEW_FOR_BOOTSTRAP)
    found = with_shortfalls(found, lacking)
    notes = (*found.notes, *(note for note in notes if note not in found.notes))
    return _or_reason(_convert_to_metric(inputs, entry.declaration.form, found), notes)


def _or_reason(
    found: Interval | None, notes: tuple[str, ...]
) -> tuple[Interval | None, tuple[str, ...], str | None]:
    known = found is not None and not (found.low is None and found.high is None)
    return found, notes, None if known else NOT_COMPUTED


def _convert_to_metric(inputs: IntervalInputs, form: str, interval: Interval) -> Interval:
    """Turn bounds of a proportion or a mean loss into those of the metric."""
    declared = inputs.entry.declaration
    low, high = interval.low, interval.high
    if form == "fold_values":
        low, high, notes = _centred(inputs, low, high)
        interval = replace(interval, notes=(*interval.notes, *notes))
    if form == "proportion" and inputs.of_union and low is not None and high is not None:
        ends = _at_bounds(inputs, interval)
        notes = (*interval.notes, *([_of_union_words(inputs)] if ends != (low, high) else []))
        return replace(interval, low=ends[0], high=ends[1], notes=notes)
    if form == "proportion" and declared.complement and low is not None and high is not None:
        return replace(interval, low=1 - high, high=1 - low)
    if (
        form in ("losses", "series")
        and declared.transform == "sqrt"
        and low is not None
        and high is not None
    ):
        return replace(interval, low=sqrt(max(low, 0.0)), high=sqrt(max(high, 0.0)))
    kept = (
        (low if low is None or declared.low is None else max(low, declared.low)),
        (high if high is None or declared.high is None else min(high, declared.high)),
    )
    cut = any(end != bound for end, bound in zip((low, high), kept, strict=True))
    notes = (*interval.notes, CUT) if cut else interval.notes
    return replace(interval, low=kept[0], high=kept[1], notes=notes)


CUT = "a bound beyond the possible values is replaced by the nearest possible value"
CENTRED = "the interval is centred on the estimate, which differs from the mean of the folds"


def _centred(
    inputs: IntervalInputs, low: float | None, high: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Move an interval over folds to the estimate, where that is not a mean of the folds."""
    value, mean = inputs.whole.value, inputs.whole.fold_mean
    if low is None or high is None or value is None or mean is None:
        return low, high, ()
    shift = value - mean
    if abs(shift) <= SAME * max(abs(value), 1.0):
        return low, high, ()
    return low + shift, high + shift, (CENTRED,)
