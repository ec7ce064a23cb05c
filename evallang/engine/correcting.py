"""The corrected estimate of a model that was chosen as the best of several."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evallang.engine.estimates import point_estimate
from evallang.engine.evaluation import Evaluation
from evallang.metrics.aggregation import aggregate
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning.seeds import analysis_seed
from evallang.registry import lazy
from evallang.results.records import CorrectedEstimate
from evallang.stats.selection_bias import bbc_cv
from evallang.study import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

ROUNDS = 500
MOST_WORK = 50_000_000  # predictions looked at; above it there are fewer rounds
FEWEST_ROUNDS = 100


def corrected(
    study: Study, evaluation: Evaluation, models: Sequence[str]
) -> CorrectedEstimate | None:
    """Correct the first measure of the best of `models` for the choice, by BBC-CV.

    Every search is made inside the training parts, so what is left to correct is the choice
    among the models of the study. None with one model, or where rows cannot be drawn anew.
    """
    if len(models) < 2 or evaluation.protocol is None or not _redrawable(evaluation):
        return None
    metric = study.measures[0].metric
    entry = evaluation.entry(metric)
    better = entry.declaration.better
    outcomes = [evaluation.outcome(model, metric) for model in models]
    naive = [point_estimate(study, evaluation, model, metric) for model in models]
    known = [value for value in naive if value is not None]
    if any(outcome is None for outcome in outcomes) or len(known) < len(models):
        return None
    first = evaluation.models[models[0]]
    codes = first.rows if evaluation.group_codes is None else evaluation.group_codes[first.rows]
    predictions = _by_unit(codes)
    rounds = max(FEWEST_ROUNDS, min(ROUNDS, MOST_WORK // (len(codes) * (len(models) + 1))))

    def score(model: int, units: "NDArray[np.int64]") -> float | None:
        at = np.concatenate([predictions[unit] for unit in units.tolist()])
        outcome = outcomes[model]
        assert outcome is not None, "models without outputs were left out above"
        return aggregate(
            entry, metric.keywords(), outcome.take(at), first.fold[at], first.repeat[at]
        ).value

    seed = analysis_seed(
        study.seed, evaluation.sha256, evaluation.protocol, metric.written, "bbc_cv"
    )
    try:
        found = bbc_cv(score, len(models), len(predictions), better, study.confidence, seed, rounds)
    except OwnMetricFailed:  # on some sample drawn again
        return None
    if found is None:
        return None
    return CorrectedEstimate(
        metric=metric.written,
        protocol=evaluation.protocol,
        naive=max(known) if better == "higher" else min(known),
        value=found.value,
        low=found.low,
        high=found.high,
        level=study.confidence,
        rounds=found.rounds,
        models=tuple(models),
    )


def _redrawable(evaluation: Evaluation) -> bool:
    """Return whether predictions can be drawn anew as those of independent examples."""
    return not (evaluation.by_rounds or evaluation.on_training_rows or evaluation.yields.ordered)


def _by_unit(codes: "NDArray[Any]") -> "list[NDArray[np.int64]]":
    """Return the positions of the predictions of each example, or group."""
    _, unit, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.argsort(unit, kind="stable")
    return list(np.split(order, np.cumsum(counts)[:-1]))
