"""The best of several models, with its estimate corrected for the choice among them."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import asdict

from evallang.engine.estimates import point_estimate
from evallang.engine.evaluation import Evaluation
from evallang.engine.metric_samples import resampling_seed, sample_of
from evallang.engine.walk import computes
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.model import is_baseline
from evallang.planning import nodes
from evallang.results.records import BestOfMany, CorrectedEstimate
from evallang.stats.skill import MANY, bbc_cv
from evallang.study import Method, Study

ROUNDS = 500
MOST_WORK = 50_000_000  # predictions looked at; above it there are fewer rounds
FEWEST_ROUNDS = 100
MOST_PREDICTIONS = 10_000  # of one model; with more of them chance adds little to the best
LESS_WORK = MOST_WORK // 5  # where no one asked for the best, so that it takes no more than 2 s


def choose_again(
    study: Study,
    evaluation: Evaluation,
    models: Sequence[str],
    metric: Method,
    most_work: int = MOST_WORK,
) -> CorrectedEstimate | None:
    """Correct the best value of a metric among models for the choice, by BBC-CV.

    None with one model, without a value of each, or where rows cannot be drawn again.
    """
    entry = evaluation.entry(metric)
    if (
        len(models) < 2
        or evaluation.by_rounds
        or evaluation.on_training_rows
        or evaluation.yields.neighbours
        or not entry.declaration.directed
    ):
        return None
    naive = [point_estimate(study, evaluation, model, metric) for model in models]
    outcomes = [evaluation.outcome(model, metric) for model in models]
    known = [value for value in naive if value is not None]
    found = [outcome for outcome in outcomes if outcome is not None]
    if len(known) < len(models) or len(found) < len(models):
        return None
    rows, groups = evaluation.models[models[0]].rows, evaluation.group_codes
    codes = rows if groups is None else groups[rows]
    drawn = None if len(np.unique(codes)) == len(codes) else codes
    options, parts = metric.keywords(), evaluation.partition(models[0])
    samples = [sample_of(entry, options, outcome, parts, drawn) for outcome in found]
    rounds = max(FEWEST_ROUNDS, min(ROUNDS, most_work // (len(codes) * (len(models) + 1))))
    better, seed = entry.declaration.direction, resampling_seed(study, evaluation, Method("bbc_cv"))
    try:
        chosen = bbc_cv(samples, better, study.confidence, seed, rounds)
    except OwnMetricFailed:  # on some sample drawn again
        return None
    if chosen is None:
        return None
    return CorrectedEstimate(
        metric=metric.written,
        protocol=evaluation.protocol or "",
        naive=max(known) if better == "higher" else min(known),
        value=chosen.value,
        low=chosen.low,
        high=chosen.high,
        level=study.confidence,
        rounds=chosen.rounds,
        models=tuple(models),
    )


@computes(nodes.CHOICE)
def best_of_many(study: Study, evaluation: Evaluation) -> BestOfMany | None:
    """Return the best of many models that are measured on one test set; None of few."""
    baselines = {model.name for model in study.models if is_baseline(model)}
    models = tuple(name for name in evaluation.models if name not in baselines)
    if len(models) < MANY or not _on_one_test_set(evaluation, models):
        return None
    metric = evaluation.own or study.measures[0].metric
    found = choose_again(study, evaluation, models, metric, LESS_WORK)
    if found is None:
        return None
    values = {name: point_estimate(study, evaluation, name, metric) for name in models}
    best = next(name for name, value in values.items() if value == found.naive)
    same = asdict(found) | {"protocol": evaluation.protocol}
    return BestOfMany(data=evaluation.source, model=best, **same)


def _on_one_test_set(evaluation: Evaluation, models: Sequence[str]) -> bool:
    """Return whether all models have one prediction for each of the same, not too many, rows."""
    if evaluation.counted is not None and evaluation.counted.n > MOST_PREDICTIONS:
        return False
    outcomes = [evaluation.models[name] for name in models]
    first = outcomes[0]
    one = len(first.rows) and first.fold.max() == first.fold.min() and first.repeat.max() == 0
    return bool(
        one
        and len(first.rows) <= MOST_PREDICTIONS
        and all(np.array_equal(first.rows, other.rows) for other in outcomes)
    )
