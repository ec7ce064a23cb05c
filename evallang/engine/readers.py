"""The scores of several readers with each model, out of predictions that name their readers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.compatibility import is_auc
from evallang.engine.evaluation import Evaluation, means_of
from evallang.stats.intervals.readers import ReaderScores, score_areas, score_means
from evallang.study import Method


def scores_of_readers(
    evaluation: Evaluation, models: tuple[str, ...], metric: Method
) -> ReaderScores:
    """Score each reader with each model, with the covariance over examples.

    Areas have DeLong's covariance, means over examples that of the examples' values. Raises
    `ValueError` where a model has no scores, or there are other than two classes for an area.
    """
    area = is_auc(metric)
    if area and (len(evaluation.classes) != 2 or evaluation.positive is None):
        raise ValueError("the areas of readers are for two classes")
    found = [_by_reader(evaluation, model, metric, area=area) for model in models]
    values = np.stack([values for _, values in found], axis=1)
    codes = evaluation.group_codes
    if area:
        return score_areas(found[0][0] == evaluation.positive, values, codes)
    return score_means(values, codes)


def _by_reader(
    evaluation: Evaluation, model: str, metric: Method, *, area: bool
) -> "tuple[NDArray[Any], NDArray[np.float64]]":
    """Return the truth of each example (n,), and its score or value by each reader (n, j)."""
    outcome, found = evaluation.outcome(model, metric), evaluation.models[model]
    if outcome is None:
        raise ValueError(f"{model} gives no scores")
    if area:
        output = outcome.output
        values = output if output.ndim == 1 else output[:, outcome.positive]
    else:
        values = means_of(metric, outcome)
    shape = int(found.rows.max()) + 1, int(found.repeat.max()) + 1
    table = np.full(shape, np.nan)
    table[found.rows, found.repeat] = values
    truth = np.empty(shape[0], dtype=outcome.truth.dtype)
    truth[found.rows] = outcome.truth
    return truth, table
