"""Predictions of every row by the model of all other rows, without a fit for each row.

Least squares and ridge follow from one decomposition: the prediction without row i is
y_i - e_i / (1 - h_i), with the residual e_i and the leverage h_i of the fit on all rows (Allen,
1974; a free intercept adds 1 / n to h_i). The nearest neighbours among the others follow from one
search. Rows for which rounding or a tie could make a difference are not usable: they are refitted.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.models import neighbours
from evallang.models.build import BuildContext, build_step
from evallang.models.fitting import Outputs, predict_outputs
from evallang.models.model import EstimatorSpec, ParameterValue, PipelineSpec

NAME = "exact leave-one-out"
LEAST_FREE = 1e-4  # least 1 - h of a usable row: rounding grows by its inverse
MOST_CONDITION = 1e5  # of the centred columns: scikit-learn's own rounding stays below 1e-10
EXACT_SOLVERS = frozenset({"auto", "cholesky", "svd"})


class LeftOut(Struct, frozen=True):
    """Outputs for every row by the model of the others, and which rows are usable (n,)."""

    outputs: Outputs
    usable: "NDArray[np.bool_]"


def leave_one_out(
    pipeline: PipelineSpec,
    X: "NDArray[Any]",  # noqa: N803  (scikit-learn's name for rows)
    y: "NDArray[Any]",
    n_classes: int | None,
    context: BuildContext,
) -> LeftOut | None:
    """Predict each row by the model of all others; None where there is no shortcut.

    There is none behind a transformer, which is fitted again for each row.
    """
    step = pipeline.steps[0]
    if len(pipeline.steps) > 1 or not isinstance(step, EstimatorSpec) or step.code:
        return None
    shortcut = SHORTCUTS.get(step.name)
    if shortcut is None or X.dtype != np.float64 or not np.isfinite(X).all():
        return None
    return shortcut(pipeline, dict(step.parameters), X, y, n_classes, context)


def _linear_model(
    pipeline: PipelineSpec,
    parameters: Mapping[str, ParameterValue],
    X: "NDArray[Any]",  # noqa: N803
    y: "NDArray[Any]",
    n_classes: int | None,
    context: BuildContext,
    *,
    known: frozenset[str],
    alpha: float,
) -> LeftOut | None:
    """Predict by least squares, or ridge with an `alpha`, if no other parameter is written."""
    del pipeline, context
    penalty = parameters.get("alpha", alpha)
    exact = parameters.get("solver", "auto") in EXACT_SOLVERS
    if n_classes is not None or not exact or not parameters.keys() <= known:
        return None
    if not isinstance(penalty, int | float) or (penalty <= 0 < alpha):
        return None
    return _linear(X, y, float(penalty), intercept=parameters.get("fit_intercept", True) is True)


def _linear(
    X: "NDArray[Any]",  # noqa: N803
    y: "NDArray[Any]",
    alpha: float,
    *,
    intercept: bool,
) -> LeftOut | None:
    n, p = X.shape
    if alpha == 0 and n <= p + 2:
        return None
    means, mean = (X.mean(axis=0), y.mean()) if intercept else (0.0, 0.0)
    left, values, _ = np.linalg.svd(X - means, full_matrices=False)
    largest = values[0] ** 2 + alpha
    # ridge is solved by its normal equations, whose condition is that of X squared
    smallest = (values[-1] if p <= n else 0.0) ** 2 + alpha
    most = MOST_CONDITION**2 if alpha == 0 else MOST_CONDITION
    if not largest <= most * smallest:
        return None
    shrunk = values**2 / (values**2 + alpha)
    free = 1.0 - (left**2 @ shrunk + (1.0 / n if intercept else 0.0))
    fitted = mean + left @ (shrunk * (left.T @ (y - mean)))
    usable = free >= LEAST_FREE
    predicted = y - (y - fitted) / np.where(usable, free, 1.0)
    return LeftOut(Outputs(predicted), usable)


def _nearest(
    pipeline: PipelineSpec,
    parameters: Mapping[str, ParameterValue],
    X: "NDArray[Any]",  # noqa: N803
    y: "NDArray[Any]",
    n_classes: int | None,
    context: BuildContext,
) -> LeftOut | None:
    del parameters
    k = neighbours.number_of_neighbours(pipeline.steps[0])
    search = neighbours.NeighbourSearch(build_step(pipeline, 0, context), X, y, k)
    if k < 1 or not search.usable(None):
        return None
    usable = search.rows_without_ties(k)
    estimator = search.first_neighbours(k)
    scores = n_classes is not None
    return LeftOut(predict_outputs(estimator, X, n_classes, scores=scores), usable)


Shortcut = Callable[
    [PipelineSpec, Mapping[str, ParameterValue], Any, Any, int | None, BuildContext],
    LeftOut | None,
]

SHORTCUTS: Mapping[str, Shortcut] = {
    "LinearRegression": partial(_linear_model, known=frozenset({"fit_intercept"}), alpha=0.0),
    "Ridge": partial(
        _linear_model, known=frozenset({"alpha", "fit_intercept", "solver"}), alpha=1.0
    ),
    **dict.fromkeys(neighbours.CLASSES, _nearest),
}
"""The classes with a shortcut."""
