"""Outcomes in, `Estimate`s with their intervals out, also in the levels of a column."""

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from math import isfinite, isinf
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility import is_mean_of_rows
from evallang.data.labels import sort_labels
from evallang.engine.estimate_intervals import IntervalInputs, estimate_interval
from evallang.engine.evaluation import (
    Evaluation,
    FoldSize,
    ModelOutcome,
    add_repeats,
    as_read_by,
    labelled,
    strengths_of,
)
from evallang.engine.metric_samples import resampling_seed
from evallang.engine.providers import has_pseudo_values
from evallang.engine.rounded_scores import note_of_rounding, rounding_error
from evallang.engine.walk import computes
from evallang.metrics.aggregation import Aggregate, average_over_seeds
from evallang.metrics.metric import MetricEntry, Outcome, fold_value, weighted_mean
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning import nodes
from evallang.protocols.protocol import ALGORITHM, ALGORITHM_ELSEWHERE, AS_GIVEN, subject_of_yields
from evallang.results.records import (
    FEW_EXAMPLES,
    FEWEST,
    FEWEST_OF_A_CLASS,
    NO_WIDTH,
    NOT_COMPUTED,
    NOT_SOUND,
    Difference,
    Estimate,
    FoldValue,
    Interval,
    Subgroup,
)
from evallang.results.written import member_of
from evallang.stats.basics import normal_quantile, standard_deviation
from evallang.stats.battles import ELO
from evallang.stats.intervals.strengths import half_width
from evallang.stats.learning_bootstrap import (
    BootstrapError,
    bootstrap_error,
    leave_one_out_error,
    no_information_rate,
    standard_error,
)
from evallang.stats.strata import stratified_mean
from evallang.study import Measure, Method, Study

FULL_SAMPLE = -1  # the fold of the model fitted on, and tested on, all rows
PERMUTATIONS = 200  # of the truth, for the no-information value of a metric that is not a mean


def bootstrap_estimate(
    study: Study, evaluation: Evaluation, model: str, metric: Method
) -> Estimate:
    """Estimate one metric of one learning algorithm by resampling its training rows.

    Metrics that are means of losses follow Efron & Tibshirani 1997: Err(1) is a mean over
    examples. For others it is the mean over rounds of the metric out of the bag, with the
    no-information value by permutation: an extension, and labelled so.
    """
    found = evaluation.models[model]
    outcomes = evaluation.outcomes(model, metric)
    assert outcomes, "models without scores are sorted out before"
    entry = evaluation.entry(metric)
    kind = str(evaluation.options["estimate"])
    rounds = _Rounds(evaluation, found, outcomes, entry, metric)
    losses = rounds.losses()
    notes: list[str] = []
    error: float | None = None
    if losses is not None:
        weights = None if evaluation.weights is None else evaluation.weights[rounds.rows]
        error_left_out, never = leave_one_out_error(losses, weights)
        oob = float("nan") if error_left_out is None else error_left_out
        apparent = weighted_mean(rounds.loss(rounds.full), weights)
        gamma = rounds.gamma()
        if len(rounds.rows) < evaluation.n:
            notes.append("no standard error: its form is for all rows that were drawn")
        elif evaluation.drawn is not None and not evaluation.on_training_rows and isfinite(oob):
            error = standard_error(
                losses, evaluation.drawn, evaluation.weights, evaluation.group_codes
            )
            if error is None:
                notes.append(
                    f"no standard error: it takes rounds enough that each of the {evaluation.unit} "
                    "is excluded twice"
                )
        if never:
            notes.append(f"{never} {evaluation.unit} were excluded by no round")
    else:
        values = rounds.values()
        undefined = int(np.isnan(values).sum())
        oob = float(np.nanmean(values)) if undefined < len(values) else float("nan")
        apparent = rounds.to_error(rounds.value(rounds.full))
        gamma = rounds.permuted_gamma(study)
        notes.append("an extension: Err(1) is the mean over rounds, gamma by permutation")
        if not evaluation.on_training_rows:
            notes.append("no standard error: its form is for means over examples")
        if undefined:
            notes.append(
                f"{undefined} of {len(values)} rounds, where it is undefined, are excluded"
            )
    if not (isfinite(oob) and isfinite(apparent) and isfinite(gamma)):
        if isinf(oob) or isinf(apparent) or isinf(gamma):
            notes.append("undefined: the loss of an example is infinite")
        return _record(evaluation, model, metric, None, None, None, rounds, tuple(notes))
    parts = bootstrap_error(apparent, oob, gamma, kind)  # type: ignore[arg-type]  # one of the option's words
    if error is not None:
        error = error if kind == "oob" else error * parts.value / parts.oob if parts.oob else 0.0
    interval = None
    if error is not None and entry.declaration.proportion == "all":
        interval = _interval(study, rounds, parts.value, error, kind)
    return _record(evaluation, model, metric, parts, error, interval, rounds, tuple(notes))


def _interval(study: Study, rounds: "_Rounds", error: float, spread: float, kind: str) -> Interval:
    """Return value plus and minus z standard errors, inside the metric's range."""
    reach = normal_quantile(study.confidence) * spread
    ends = sorted(rounds.from_error(bound) for bound in (error - reach, error + reach))
    low, high = rounds.entry.declaration.low, rounds.entry.declaration.high
    return Interval(
        "bootstrap_se" if kind == "oob" else "bootstrap_se(approximate)",
        study.confidence,
        max(ends[0], low) if low is not None else ends[0],
        min(ends[1], high) if high is not None else ends[1],
    )


def _record(
    evaluation: Evaluation,
    model: str,
    metric: Method,
    parts: BootstrapError | None,
    error: float | None,
    interval: Interval | None,
    rounds: "_Rounds",
    notes: tuple[str, ...],
) -> Estimate:
    values = rounds.values()
    known = [rounds.from_error(float(v)) for v in values if not np.isnan(v)]
    extra: dict[str, Any] = {}
    if parts is not None:
        extra = {
            "resubstitution": rounds.from_error(parts.resubstitution),
            "oob": rounds.from_error(parts.oob),
            "gamma": parts.gamma,
            "R": parts.R,
            "weight": parts.weight,
            "standard_error": error,
        }
    if len(rounds.outcomes) > 1:
        extra["seeds"] = len(rounds.outcomes)
    n_train = len(evaluation.models[model].rows[evaluation.models[model].fold == FULL_SAMPLE])
    about = subject_of_yields(evaluation.yields, evaluation.grouped)
    return replace(
        _without_value(evaluation, model, metric),
        value=None if parts is None else rounds.from_error(parts.value),
        aggregation=str(evaluation.options["estimate"]),
        fold_mean=float(np.mean(known)) if known else None,
        sd=float(np.std(known, ddof=1)) if len(known) > 1 else None,
        n=len(known),
        about=about.replace("{n_train}", f"about {n_train}"),
        interval=interval,
        folds=tuple(
            FoldValue(
                0,
                b,
                None,
                None if np.isnan(value) else rounds.from_error(float(value)),
                n_train,
                int(np.sum(mask)),
                spread,
            )
            for b, (value, mask, spread) in enumerate(
                zip(values, rounds.masks, rounds.spreads(), strict=True)
            )
        ),
        extra=extra,
        notes=notes,
    )


class _Rounds:
    """The outcomes of one model, round by round, as errors; of several seeds their means."""

    def __init__(
        self,
        evaluation: Evaluation,
        found: ModelOutcome,
        outcomes: tuple[Outcome, ...],
        entry: MetricEntry,
        metric: Method,
    ) -> None:
        self.evaluation, self.found, self.outcomes = evaluation, found, outcomes
        self.entry, self.options, self.metric = entry, metric.keywords(), metric
        self.full = found.fold == FULL_SAMPLE
        self.rows = found.rows[self.full]  # in a subgroup not all that are drawn
        rounds = range(int(found.fold.max()) + 1)
        self.masks = [found.fold == b for b in rounds]

    def losses(self) -> "NDArray[np.float64] | None":
        """Return losses out of the bag (B, n), NaN where drawn; None where there are none."""
        if not is_mean_of_rows(self.entry):
            return None
        table = np.full((len(self.masks), len(self.rows)), np.nan)
        for b, mask in enumerate(self.masks):
            table[b, np.searchsorted(self.rows, self.found.rows[mask])] = self.loss(mask)
        return table

    def loss(self, mask: "NDArray[np.bool_]") -> "NDArray[np.float64]":
        """Return the loss of each row of a mask; 0-1 for accuracy and error rate."""
        found: NDArray[np.float64] = np.mean(
            [
                o.truth != o.output
                if self.entry.declaration.form == "counts"
                else self.entry.function(o.truth, o.output, o.positive, **self.options)
                for o in (outcome.take(mask) for outcome in self.outcomes)
            ],
            axis=0,
        )
        return found

    def gamma(self) -> float:
        """Return the mean loss over all pairs of a truth and an output (Raschka 2018, eq. 38)."""
        return float(np.mean([self._gamma_of(o.take(self.full)) for o in self.outcomes]))

    def _gamma_of(self, o: Outcome) -> float:
        if self.entry.declaration.form == "counts":
            return no_information_rate(o.truth, o.output, o.k, o.weights)
        weights = np.ones(o.n) if o.weights is None else o.weights
        truths, code = np.unique(o.truth, return_inverse=True)
        total = 0.0
        for truth, share in zip(truths, np.bincount(code.reshape(-1), weights), strict=True):
            same = np.full(o.n, truth, dtype=o.truth.dtype)
            loss = self.entry.function(same, o.output, o.positive, **self.options)
            total += float(np.sum(loss * weights)) * float(share)
        return total / float(weights.sum()) ** 2

    def permuted_gamma(self, study: Study) -> float:
        """Return the mean error of the full-sample model on permuted truths."""
        rng = np.random.default_rng(
            resampling_seed(study, self.evaluation, Method("no_information"))
        )
        full = [o.take(self.full) for o in self.outcomes]
        values = []
        for _ in range(PERMUTATIONS):
            truth = rng.permutation(full[0].truth)
            values.append(np.mean([self._error_of(replace(o, truth=truth)) for o in full]))
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else float("nan")

    def values(self) -> "NDArray[np.float64]":
        """Return the error of each round out of the bag, NaN where undefined."""
        found: NDArray[np.float64] = self._by_seed.mean(axis=0)
        return found

    def spreads(self) -> "list[float | None]":
        """Return the standard deviation over seeds of each round's error, None with one seed."""
        return [standard_deviation(errors) for errors in self._by_seed.T]

    @cached_property
    def _by_seed(self) -> "NDArray[np.float64]":
        """The error of each round by seed (S, B)."""
        return np.array(
            [[self._error_of(o.take(mask)) for mask in self.masks] for o in self.outcomes]
        )

    def value(self, mask: "NDArray[np.bool_]") -> float:
        """Return the metric on the rows of a mask."""
        errors = [self._error_of(o.take(mask)) for o in self.outcomes]
        return self.from_error(float(np.mean(errors)))

    def _error_of(self, o: Outcome) -> float:
        return self.to_error(fold_value(self.entry, self.options, o))

    def to_error(self, value: float) -> float:
        """Turn a metric into an error: the distance from its best value."""
        declared = self.entry.declaration
        if declared.better == "lower":
            return value
        return (1.0 if declared.high is None else declared.high) - value

    def from_error(self, error: float) -> float:
        """Turn an error back into the metric."""
        return self.to_error(error)


@computes(nodes.ESTIMATE)
def estimate(study: Study, evaluation: Evaluation, model: str, measure: Measure) -> Estimate:
    """Measure one model by one metric."""
    metric = measure.metric
    try:
        read = _estimate(study, as_read_by(evaluation, metric), model, measure)
        if evaluation.means:
            return read
        if evaluation.battles is not None:
            of_battles = _of_battles(study, evaluation, metric, model)
            return replace(read, extra={**read.extra, **of_battles})
        if evaluation.yields.averaged or evaluation.yields.crossed:
            return add_repeats(read, evaluation, model, metric)
        return read
    except OwnMetricFailed as error:
        return _without_value(evaluation, model, metric, f"not computed: {error}")


def _of_battles(
    study: Study, evaluation: Evaluation, metric: Method, model: str
) -> dict[str, float | str]:
    """Return the standard error of a strength, how ties were counted, and the order effect.

    That is the advantage of the answer that is shown first, in points of Elo.
    """
    strengths = strengths_of(as_read_by(evaluation, metric), [model])
    found: dict[str, float | str] = {"standard_error": float(strengths.covariance[0, 0]) ** 0.5}
    if strengths.ties is not None:
        found["ties"] = strengths.ties
    if strengths.order is not None:
        value, variance = strengths.order
        half = half_width(strengths, variance, study.confidence)
        names = ("first_place", "first_place_low", "first_place_high")
        points = (value, value - half, value + half)
        found |= {name: ELO * one for name, one in zip(names, points, strict=True)}
    return found


def _estimate(study: Study, evaluation: Evaluation, model: str, measure: Measure) -> Estimate:
    metric = measure.metric
    if (lacking := evaluation.without_average(model)) is not None:
        return _without_value(evaluation, model, metric, f"not computed: {lacking}")
    found = evaluation.models[model]
    outcome = evaluation.outcome(model, metric)
    if found.failed or outcome is None:
        reason = f"the model gives no {evaluation.entry(metric).declaration.needs}"
        if found.failed:
            reason = f"{len(found.failed)} of {len(evaluation.folds)} fits failed"
        return _without_value(evaluation, model, metric, f"not computed, because {reason}")
    if evaluation.by_rounds:
        made = bootstrap_estimate(study, evaluation, model, metric)
        tests = evaluation.tested_rows(model)
        if made.interval is not None and made.interval.low == made.interval.high:
            note = "no interval: the standard error is 0"
            made = replace(made, interval=None, no_interval=NO_WIDTH, notes=(*made.notes, note))
        elif made.interval is None and made.value is not None:
            has_form = evaluation.entry(metric).declaration.proportion == "all"
            made = replace(made, no_interval=NOT_COMPUTED if has_form else NOT_SOUND)
        return replace(made, tested=tests)
    entry = evaluation.entry(metric)
    whole, spreads, extra = _whole(evaluation, model, metric)
    outcomes = evaluation.outcomes(model, metric)
    inputs = IntervalInputs(study, evaluation, model, metric, entry, outcomes, whole)
    found_interval = estimate_interval(inputs, measure)
    if (strata := evaluation.strata_of(model)) is not None:
        extra = {**extra, "n_data_sets": len(strata.shares)}
        with suppress(ValueError):  # a data set of one example or group shows no variance
            found_error = stratified_mean(inputs.losses(), strata, inputs.groups).error
            extra["standard_error"] = found_error
    again = evaluation.average is not None and evaluation.average.again is not None
    if again or (evaluation.yields.crossed and has_pseudo_values(evaluation, metric)):
        extra["pseudo_values"] = True
    rounded: tuple[str, ...] = ()
    if (error := rounding_error(evaluation, model, metric)) is not None:
        extra = {**extra, "error_of_rounding": error}
        rounded = (note_of_rounding(metric, error),)
    return replace(
        _without_value(evaluation, model, metric),
        value=whole.value,
        aggregation=_aggregation(evaluation, whole),
        fold_mean=whole.fold_mean,
        sd=whole.sd,
        n=whole.n,
        about=found_interval.about or scope_of_estimates(evaluation),
        interval=found_interval.interval,
        folds=_folds(evaluation, whole, spreads),
        extra=extra,
        notes=(
            *whole.notes,
            *filter(None, [entry.declaration.caution]),
            *rounded,
            *found_interval.notes,
        ),
        no_interval=found_interval.reason,
        tested=evaluation.tested_rows(model),
    )


def point_estimate(
    study: Study, evaluation: Evaluation, model: str, metric: Method
) -> float | None:
    """Return the value of a metric alone; None where it cannot be computed."""
    evaluation = as_read_by(evaluation, metric)
    found = evaluation.models[model]
    outcome = evaluation.outcome(model, metric)
    if found.failed or outcome is None:
        return None
    try:
        if evaluation.by_rounds:
            return bootstrap_estimate(study, evaluation, model, metric).value
        return _whole(evaluation, model, metric)[0].value
    except OwnMetricFailed:
        return None


def _whole(
    evaluation: Evaluation, model: str, metric: Method
) -> tuple[Aggregate, tuple[float | None, ...], dict[str, Any]]:
    """Combine the folds; with several seeds also the spread over them, by fold and in all."""
    wholes = evaluation.aggregates(model, metric)
    if len(wholes) == 1:
        return wholes[0], (None,) * len(wholes[0].folds), {}
    whole, spreads = average_over_seeds(wholes)
    values = np.array([np.nan if w.value is None else w.value for w in wholes])
    return whole, spreads, {"seeds": len(wholes), "sd_over_seeds": standard_deviation(values)}


def scope_of_estimates(evaluation: Evaluation, *, of_folds: bool = False) -> str:
    """State what the estimates of an evaluation are about, with its numbers.

    What takes the folds as its sample, `of_folds`, is about the algorithm.
    """
    sizes = [fold.n_train for fold in evaluation.folds if fold.n_train is not None]
    mean = round(sum(sizes) / len(sizes)) if sizes else 0
    text = ALGORITHM if of_folds else subject_of_yields(evaluation.yields, evaluation.grouped)
    if evaluation.average is not None:
        text = re.sub(r"model$", "model on new examples", evaluation.average.about)
        new = text.endswith("new examples")
        text += " of these data sets" if new else ", with the data sets fixed"
    if evaluation.own is not None and not evaluation.yields.evidence:
        text = AS_GIVEN
    elif not sizes:
        text = text.replace(ALGORITHM, ALGORITHM_ELSEWHERE)
    fits = len(evaluation.folds) * len(evaluation.by_seed)
    fits = fits if evaluation.average is None else evaluation.average.fits
    return text.replace("{k}", str(fits)).replace("{n_train}", f"about {mean}")


def _folds(
    evaluation: Evaluation, whole: Aggregate, spreads: Sequence[float | None]
) -> tuple[FoldValue, ...]:
    unknown = evaluation.own is not None and not evaluation.yields.evidence
    if unknown or evaluation.average is not None:
        return ()
    sizes: dict[tuple[int, int], FoldSize] = {(f.repeat, f.fold): f for f in evaluation.folds}
    return tuple(
        FoldValue(
            repeat,
            fold,
            sizes[repeat, fold].label,
            value if value is None or isfinite(value) else None,
            sizes[repeat, fold].n_train,
            sizes[repeat, fold].n_test,
            spread,
        )
        for (repeat, fold), value, spread in zip(
            whole.folds, whole.fold_values, spreads, strict=True
        )
    )


def _aggregation(evaluation: Evaluation, whole: Aggregate) -> str:
    """Return how one value came of many; scores measured elsewhere have no examples to pool."""
    if evaluation.averaged == "data":
        return "mean_of_data_sets"
    if evaluation.own is None or not evaluation.yields.of_folds_alone:
        return whole.aggregation
    return "mean_of_folds" if len(whole.folds) > 1 else "given"


def _without_value(evaluation: Evaluation, model: str, metric: Method, *notes: str) -> Estimate:
    return Estimate(
        data=evaluation.data,
        averaged=evaluation.averaged,
        protocol=evaluation.protocol,
        model=model,
        metric=metric.written,
        value=None,
        aggregation="pooled",
        fold_mean=None,
        sd=None,
        n=0,
        about=scope_of_estimates(evaluation),
        notes=notes,
    )


# --- subgroups -------------------------------------------------------------------------------


@computes(nodes.SUBGROUPS)
def subgroup_estimates(
    study: Study, evaluation: Evaluation, model: str, measure: Measure, column: str
) -> tuple[Estimate, ...]:
    """Measure a model in every level of a column.

    Levels with few examples, or with few of a class that the metric is about, are listed.
    """
    named = levels(evaluation, column)
    made = {
        level: level_estimate(study, evaluation, model, measure, column, level) for level in named
    }
    known = sum(found.value is not None for found in made.values())
    # of two levels each is the rest of the other: one difference with two signs
    hypotheses = known if len(named) > 2 else 1
    return tuple(
        replace(
            found,
            to_rest=_to_rest(
                study,
                evaluation,
                found,
                measure,
                evaluation.subgroups[column] == level,
                hypotheses,
            ),
        )
        for level, found in made.items()
    )


def _to_rest(
    study: Study,
    evaluation: Evaluation,
    found: Estimate,
    measure: Measure,
    inside: "NDArray[np.bool_]",
    hypotheses: int,
) -> Difference | None:
    """Compute the difference to the rest with an interval that holds for all levels at once.

    The rows of a level and the rest are two samples, so the interval is combined from those
    of the two values (Zou & Donner 2008; from Wilson's it is method 10 of Newcombe 1998), each
    at Bonferroni's level. No interval where the two share fits and rows are predicted several
    times, or where groups lie in both.
    """
    rest = found.extra.get("rest")
    if found.value is None or rest is None:
        return None
    value = found.value - rest
    name = f"difference in {measure.metric.written} from the rest"
    level = 1 - (1 - study.confidence) / hypotheses
    bare = Difference(name, value, None, None, study.confidence, "mover")
    if not evaluation.yields.once or _split_groups(evaluation, inside):
        return bare
    wider = replace(study, confidence=level)
    sides = [restricted(evaluation, mask) for mask in (inside, ~inside)]
    one, other = (estimate(wider, side, found.model, measure) for side in sides)
    return replace(bare, **_recovered(one, other))


def _split_groups(evaluation: Evaluation, inside: "NDArray[np.bool_]") -> bool:
    """Return whether a group has rows in the level and in the rest."""
    codes = evaluation.group_codes
    return codes is not None and len(np.intersect1d(codes[inside], codes[~inside])) > 0


def _recovered(one: Estimate, other: Estimate) -> dict[str, Any]:
    """Recover the bounds of a difference of two independent values from their own bounds."""
    if one.interval is None or other.interval is None or one.value is None or other.value is None:
        return {}
    low, high = one.interval.low, one.interval.high
    below, above = other.interval.low, other.interval.high
    if low is None or high is None or below is None or above is None:
        return {}
    value = one.value - other.value
    down = math.hypot(one.value - low, above - other.value)
    up = math.hypot(high - one.value, other.value - below)
    method = f"mover({member_of(one.interval.method)})"
    drawn = [n for n in (one.interval.draws, other.interval.draws) if n is not None]
    return {
        "low": value - down,
        "high": value + up,
        "method": method,
        "draws": min(drawn, default=None),
    }


def levels(evaluation: Evaluation, column: str) -> tuple[str, ...]:
    """Return the levels of a column, in the order of labels."""
    return tuple(str(level) for level in sort_labels(set(evaluation.subgroups[column].tolist())))


def level_estimate(
    study: Study, evaluation: Evaluation, model: str, measure: Measure, column: str, level: str
) -> Estimate:
    """Measure one model on the rows of one level, and on the rest; few rows are only counted."""
    mask = evaluation.subgroups[column] == level
    inside, outside = restricted(evaluation, mask), restricted(evaluation, ~mask)
    n = _n_tested(inside, model)
    few = too_few(inside, model, measure.metric)
    if few is not None:
        found = _without_value(evaluation, model, measure.metric, f"this level has {few}")
        found = replace(found, no_interval=FEW_EXAMPLES)
        return replace(found, subgroup=Subgroup(column, level), extra={"n_examples": n})
    found = estimate(study, inside, model, measure)
    rest = None
    if too_few(outside, model, measure.metric) is None:
        rest = point_estimate(study, outside, model, measure.metric)
    difference = None if found.value is None or rest is None else found.value - rest
    return replace(
        found,
        subgroup=Subgroup(column, level),
        extra={
            **found.extra,
            "n_examples": n,
            "rest": rest,
            "difference_to_rest": difference,
        },
    )


def too_few(evaluation: Evaluation, model: str, metric: Method) -> str | None:
    """Return why the rows of a level are too few to measure a model by, None where they suffice.

    Of two classes, each one that the metric is about counts.
    """
    n = _n_tested(evaluation, model)
    if n < FEWEST:
        return f"{n} {evaluation.unit}, fewer than {FEWEST}"
    declared = evaluation.entry(metric).declaration
    if len(evaluation.classes) != 2 or metric.code or not declared.by_class:
        return None
    read = labelled(evaluation) if evaluation.rated else evaluation
    matrix, n = read.confusion(model), _n_tested(read, model)
    members = matrix.sum(axis=1) * n / max(matrix.sum(), 1)
    if declared.proportion in ("positives", "negatives"):
        positive = 1 if evaluation.positive is None else evaluation.positive
        members = members[[positive if declared.proportion == "positives" else 1 - positive]]
    fewest = round(float(members.min()))
    if fewest >= FEWEST_OF_A_CLASS:
        return None
    return f"{fewest} of a class, fewer than {FEWEST_OF_A_CLASS}"


def _n_tested(evaluation: Evaluation, model: str) -> int:
    """Count the examples that the predictions of a model are of."""
    if evaluation.counted is not None:
        return evaluation.counted.n
    return len(np.unique(evaluation.models[model].rows))


def restricted(evaluation: Evaluation, kept: "NDArray[np.bool_]") -> Evaluation:
    """Return the evaluation with only these rows of the source tested; models stay as fitted."""
    if evaluation.counted is not None:
        rows = evaluation.counted.take(kept)
        folds = tuple(replace(fold, n_test=rows.n) for fold in evaluation.folds if rows.n)
        return evaluation.altered(counted=rows, folds=folds)
    models = {name: _kept(outcome, kept) for name, outcome in evaluation.models.items()}
    further = tuple(
        {name: _kept(outcome, kept) for name, outcome in others.items()}
        for others in evaluation.further_seeds
    )
    any_model = next(iter(models.values()), None)
    sizes = {
        (f.repeat, f.fold): 0
        if any_model is None
        else int(np.sum((any_model.repeat == f.repeat) & (any_model.fold == f.fold)))
        for f in evaluation.folds
    }
    folds = tuple(
        replace(f, n_test=sizes[f.repeat, f.fold])
        for f in evaluation.folds
        if sizes[f.repeat, f.fold]
    )
    return evaluation.altered(models=models, folds=folds, further_seeds=further)


def _kept(outcome: ModelOutcome, kept: "NDArray[np.bool_]") -> ModelOutcome:
    mask = kept[outcome.rows]
    return replace(
        outcome,
        rows=outcome.rows[mask],
        repeat=outcome.repeat[mask],
        fold=outcome.fold[mask],
        truth=outcome.truth[mask],
        labels=outcome.labels[mask],
        scores=None if outcome.scores is None else outcome.scores[mask],
        parts=None,
    )
