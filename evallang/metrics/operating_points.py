"""Recall and specificity at the threshold that reaches a stated value of the other.

`output` is (n,) with the score of the positive class, or (n, 2). A threshold names every example
whose score is at least as high; examples with equal scores are named together, and no point
between two thresholds is interpolated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration, Outcome, Statistic, value_under
from evallang.metrics.ranking import OfSides
from evallang.registry import Bounds, Example
from evallang.stats.weightings import ratio

ROUNDING = 1e-9  # of a share: 90 of 100 are at least 90 %, whatever the sum of their weights
CAUTION = (
    "the threshold was chosen on the same scores, so the value is larger on average than at a "
    "threshold that was fixed before"
)
WHEN_NOT = (
    "the threshold is fixed before, because the value at a threshold chosen on the same scores is "
    "optimistic: `threshold` and {}; no value of the other is required: roc_auc"
)
SOURCE = "by hand: the ROC curve has the points (0, 1/3), (1/2, 1/3), (1/2, 1), (1, 1)"


def _recalls(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    wrong = 1 - float(options["at_specificity"])
    found = OfSides(lambda ups, downs: _best_on_one_side(ups[::-1], downs[::-1], wrong))
    return found.under_weights(o, options)


def _specificities(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    wrong = 1 - float(options["at_recall"])
    found = OfSides(lambda ups, downs: _best_on_one_side(downs, ups, wrong))
    return found.under_weights(o, options)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "higher",
        0,
        1,
        binary_only=True,
        unit="percent",
        ranks="other",
        of_positive=True,
        under_weights=_recalls,
        title_with_options="Recall at {at_specificity} specificity",
        caution=CAUTION,
        when="a specificity is required, and models are compared by the recall that they reach",
        when_not=WHEN_NOT.format("recall"),
        formula=(
            "over all thresholds whose specificity is at least the stated one, the largest share "
            "of the positives that are found; over folds, the mean of the folds' values"
        ),
    ),
    title="Recall at a specificity",
    references=(cite("zhou2011"),),
    examples=(
        Example(
            ((1, 0, 1, 1, 0), (0.9, 0.8, 0.7, 0.6, 0.5), 1),
            {"value": 1 / 3},
            SOURCE,
            options={"at_specificity": 0.6},
        ),
        Example(
            ((1, 0, 1, 1, 0), (0.9, 0.8, 0.7, 0.6, 0.5), 1),
            {"value": 1.0},
            SOURCE,
            options={"at_specificity": 0.5},
        ),
    ),
    listed=False,
)
def recall_at_specificity(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
    *,
    at_specificity: Annotated[float, Bounds(above=0, most=1)],
) -> float:
    """The largest share of positives found by a threshold with at least the stated specificity.

    Undefined (NaN) where a class has no example.
    """
    return value_under(_recalls, truth, output, positive, weights, at_specificity=at_specificity)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "higher",
        0,
        1,
        binary_only=True,
        unit="percent",
        ranks="other",
        of_positive=True,
        under_weights=_specificities,
        title_with_options="Specificity at {at_recall} recall",
        caution=CAUTION,
        when="a recall is required, as in screening, and models are compared by their specificity",
        when_not=WHEN_NOT.format("specificity"),
        formula=(
            "over all thresholds whose recall is at least the stated one, the largest share of the "
            "negatives that are not named; over folds, the mean of the folds' values"
        ),
    ),
    title="Specificity at a recall",
    references=(cite("zhou2011"),),
    examples=(
        Example(
            ((1, 0, 1, 1, 0), (0.9, 0.8, 0.7, 0.6, 0.5), 1),
            {"value": 0.5},
            SOURCE,
            options={"at_recall": 0.9},
        ),
        Example(
            ((1, 0, 1, 1, 0), (0.9, 0.8, 0.7, 0.6, 0.5), 1),
            {"value": 1.0},
            SOURCE,
            options={"at_recall": 0.3},
        ),
    ),
    listed=False,
)
def specificity_at_recall(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
    *,
    at_recall: Annotated[float, Bounds(above=0, most=1)],
) -> float:
    """The largest share of negatives passed by a threshold with at least the stated recall.

    Undefined (NaN) where a class has no example.
    """
    return value_under(_specificities, truth, output, positive, weights, at_recall=at_recall)


def _best_on_one_side(
    right: NDArray[np.float64], wrong: NDArray[np.float64], allowed: float
) -> NDArray[np.float64]:
    """Return the largest share of one class that is right, from weights of both classes (s, B).

    `allowed` is the share of the other class that may be wrong. Scores go from the end where one
    class is right by none, so that both shares grow with each score that the threshold passes.
    """
    gained, lost = np.cumsum(right, axis=0), np.cumsum(wrong, axis=0)
    total, others = right.sum(axis=0), wrong.sum(axis=0)
    within = lost <= allowed * others * (1 + ROUNDING) + ROUNDING * others
    passed, each = within.sum(axis=0), np.arange(len(total))
    reached = np.where(passed > 0, gained[passed - 1, each], 0.0)
    return np.where(others > 0, ratio(reached, total), np.nan)
