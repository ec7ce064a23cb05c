"""Estimates in the levels of a column (`within`), each with its difference to the rest."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evallang.data.labels import sort_labels
from evallang.engine.estimates import estimate
from evallang.engine.evaluation import Evaluation, ModelOutcome
from evallang.registry import lazy
from evallang.results.records import FEW_EXAMPLES, Difference, Estimate, Subgroup
from evallang.study import Measure, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

FEWEST = 30  # examples below which an interval would say little; issue 4, subgroups


def subgroup_estimates(study: Study, evaluation: Evaluation) -> Iterator[Estimate]:
    """Measure every model in every level of the columns that measures name."""
    for measure in study.measures:
        for column in measure.within:
            if column not in evaluation.subgroups or not evaluation.measures(measure.metric):
                continue
            for model in evaluation.models:
                named = levels(evaluation, column)
                # of two levels each is the rest of the other: one difference with two signs
                hypotheses = len(named) if len(named) > 2 else 1
                for level in named:
                    found = in_level(study, evaluation, model, measure, column, level)
                    inside = evaluation.subgroups[column] == level
                    difference = _to_rest(study, evaluation, found, measure, inside, hypotheses)
                    yield replace(found, to_rest=difference)


def _to_rest(
    study: Study,
    evaluation: Evaluation,
    found: Estimate,
    measure: Measure,
    inside: "NDArray[np.bool_]",
    hypotheses: int,
) -> Difference | None:
    """Compute the difference to the rest with an interval that holds for all levels at once.

    The rows of a level and the rest are two samples, so the interval is put together from those
    of the two values (Zou & Donner 2008; from Wilson's it is method 10 of Newcombe 1998), each
    at Bonferroni's level. No interval where the two share fits and rows are predicted several
    times, where groups lie in both, or where a side has few rows.
    """
    rest = found.extra["rest"]
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
    if any(len(side.models[found.model].rows) < FEWEST for side in sides):
        return bare
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
    method = f"mover({one.interval.method.partition('(')[0]})"
    return {"low": value - down, "high": value + up, "method": method}


def levels(evaluation: Evaluation, column: str) -> tuple[str, ...]:
    """Return the levels of a column, in the order of labels."""
    return tuple(str(level) for level in sort_labels(set(evaluation.subgroups[column].tolist())))


def in_level(
    study: Study, evaluation: Evaluation, model: str, measure: Measure, column: str, level: str
) -> Estimate:
    """Measure one model on the rows of one level."""
    inside = evaluation.subgroups[column] == level
    found = estimate(study, restricted(evaluation, inside), model, measure)
    rest = estimate(study, restricted(evaluation, ~inside), model, measure)
    difference = None if found.value is None or rest.value is None else found.value - rest.value
    rows = evaluation.models[model].rows
    n = len(np.unique(rows[inside[rows]]))
    notes, interval, reason = found.notes, found.interval, found.no_interval
    if n < FEWEST and interval is not None:
        interval, reason = None, FEW_EXAMPLES
        notes = (*notes, f"no interval: {n} {evaluation.unit}, fewer than {FEWEST}")
    return replace(
        found,
        subgroup=Subgroup(column, level),
        interval=interval,
        extra={
            **found.extra,
            "n_examples": n,
            "rest": rest.value,
            "difference_to_rest": difference,
        },
        notes=notes,
        no_interval=reason,
    )


def restricted(evaluation: Evaluation, kept: "NDArray[np.bool_]") -> Evaluation:
    """Return the evaluation with only these rows of the source tested; models stay as fitted."""
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
    return replace(evaluation, models=models, folds=folds, further_seeds=further)


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
    )
