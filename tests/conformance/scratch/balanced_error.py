"""The mean over classes of the share of each class that is predicted wrong."""

import numpy as np

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Example


@METRICS.register(
    MetricDeclaration(
        "labels",
        "lower",
        0,
        1,
        unit="percent",
        known_without_skill=True,
        when="classes differ in size, and errors are the usual language of the field",
        when_not="the cost of mistakes is known: cost",
        formula="the share of each class that is predicted wrong, averaged over the classes",
    ),
    title="Balanced error",
    references=(cite("zhou2021"),),
    examples=(
        Example(
            (((90, 10), (5, 5)), 1),
            {"value": 0.3},
            "by hand: 10 of 100 and 5 of 10 are wrong, and (.1 + .5) / 2 = .3",
        ),
    ),
)
def balanced_error(counts, positive):
    """The mean over the classes of the share of their examples that are predicted wrong.

    NaN where a class has no examples.
    """
    matrix = np.asarray(counts, dtype=float)
    k = matrix.shape[-2]
    hits = np.diagonal(matrix[..., :k], axis1=-2, axis2=-1)
    sizes = matrix.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (hits / sizes).mean(axis=-1)
