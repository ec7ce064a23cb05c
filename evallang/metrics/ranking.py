"""Metrics of scores: areas under curves, and values at operating points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration, Outcome, Statistic, value_under
from evallang.registry import Bounds, Example, Situation
from evallang.stats.score_counts import (
    areas_by_score,
    coarse_scores,
    curves_of_classes,
    precisions_by_score,
    ratio,
    undefined,
    weights_by_score,
)
from evallang.stats.score_curves import areas_of_lowest_costs

ROUNDING = 1e-12  # of a sum of weights

Sides = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


class OfSides:
    """A metric of the weights of positives and of negatives at each distinct score, rising.

    Of more than two classes it is the mean over each against the rest, or over pairs of classes.

    Parameters
    ----------
    function : from both weights (s, B) to values (B,), NaN where undefined
    at_positives : True where negatives count from the next lower score of a positive on
    """

    def __init__(
        self,
        function: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
        *,
        at_positives: bool = False,
    ) -> None:
        self._function, self._at_positives = function, at_positives

    def under_weights(self, o: Outcome, options: Mapping[str, Any]) -> Statistic:
        """Prepare the metric for many weightings of the examples."""
        parts = []
        for rows, up, score in _curves(o, options):
            if np.isnan(score).any() or not len(score):
                return undefined
            at = np.unique(score[up] if self._at_positives else score)
            parts.append((rows, weights_by_score(up, score, at=at)))
        return lambda weights: np.mean(
            [self._function(*sides(weights[:, rows])) for rows, sides in parts], axis=0
        )

    def by_score(self, positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> float:
        """Return the value for two classes, from their numbers at each distinct score, rising."""
        return float(self._function(positives[:, None], negatives[:, None])[0])


def _curves(
    o: Outcome, options: Mapping[str, Any]
) -> Iterator[tuple[Any, NDArray[np.bool_], NDArray[np.float64]]]:
    """Iterate over what is averaged: rows, which of them are positive, and their scores."""
    score, codes = np.asarray(o.output), np.asarray(o.truth)
    if score.ndim == 1 or score.shape[1] == 2:
        column = score if score.ndim == 1 else score[:, o.positive]
        return iter([(slice(None), codes == o.positive, column)])
    return curves_of_classes(codes, score, by_pairs=options.get("multi_class") == "ovo")


def _break_evens(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    up, here = positives[::-1], (positives + negatives)[::-1]
    hits, named, total = np.cumsum(up, axis=0), np.cumsum(here, axis=0), up.sum(axis=0)
    # The score at which as many are named as are positive
    place = (named >= total * (1 - ROUNDING)).argmax(axis=0), np.arange(len(total))
    share = np.nan_to_num(ratio(total - named[place] + here[place], here[place]))
    return np.clip(ratio(hits[place] - (1 - share) * up[place], total), 0, 1)


AREA = OfSides(areas_by_score)
RANKING_LOSS = OfSides(lambda *sides: 1 - areas_by_score(*sides))
PRECISION = OfSides(precisions_by_score, at_positives=True)
BREAK_EVEN = OfSides(_break_evens)
COST_AREA = OfSides(lambda *sides: areas_of_lowest_costs(*(side.T for side in sides)))


@METRICS.register(
    MetricDeclaration(
        "scores",
        "higher",
        0,
        1,
        known_without_skill=True,
        chance=0.5,
        ranks="area",
        under_weights=AREA.under_weights,
        by_score=AREA.by_score,
        rounds_by="distinct",
        sides=lambda o, options: ((score, up) for _, up, score in _curves(o, options)),
        abbreviation="AUC",
        when="scores rank examples, and no threshold has been fixed",
        when_not=(
            "a threshold is fixed: recall and specificity; only the top of the ranking is "
            "used and positives are rare: average_precision; probabilities are used: brier, "
            "log_loss"
        ),
        formula=(
            "over all pairs of a positive and a negative example, the share in which the "
            "positive has the higher score, pairs with equal scores counting half; over "
            "folds, the mean of the folds' values"
        ),
        equation=(
            r"\frac{1}{n_1 n_0} \sum_{i: y_i = 1} \sum_{j: y_j = 0} \left([s_i > s_j] + "
            r"\frac{1}{2} [s_i = s_j]\right)"
        ),
        differs={
            "scikit-learn": (
                "cross_val_predict followed by roc_auc_score ranks scores of different "
                "models together, which is biased; here that is `roc_auc(pool=true)`, with a "
                "warning"
            ),
        },
        first_for={Situation.TWO_CLASSES: 2, Situation.RARE_CLASS: 2},
    ),
    title="Area under the ROC curve",
    references=(cite("hanley1982"), cite("hand2001", "ovo")),
    examples=(
        Example(
            ((0, 0, 1, 1), (0.1, 0.4, 0.35, 0.8), 1),
            {"value": 0.75},
            "scikit-learn 1.9, docstring of auc",
        ),
    ),
)
def roc_auc(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
    *,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    pool: bool = False,
    distinct: Annotated[int | None, Bounds(least=2)] = None,
) -> float:
    """The chance that a positive example has a higher score than a negative one, ties half.

    Ties count half. For more than two classes the plain mean over classes of each against
    the rest (`ovr`), or over pairs of classes (`ovo`, Hand & Till 2001). Undefined (NaN)
    where a class has no example. The value over folds is the mean of the folds' values;
    `pool=true` ranks the scores of all folds together, which is biased, since they come
    from different models. With `distinct`, for tables too large to keep every score, at most
    so many distinct scores of a model remain: they are rounded down to multiples of a power of
    two, and the largest error that this can make is stated with the value.
    """
    score = np.asarray(output)
    if distinct is not None:
        columns = score.reshape(len(score), -1).T
        score = np.stack([coarse_scores(column, distinct) for column in columns], axis=1)
        score = score.reshape(np.shape(output))
    return value_under(AREA.under_weights, truth, score, positive, weights, multi_class=multi_class)


@METRICS.register(
    MetricDeclaration(
        "scores",
        "higher",
        0,
        1,
        ranks="other",
        of_positive=True,
        under_weights=PRECISION.under_weights,
        by_score=PRECISION.by_score,
        influences=lambda o: _influences_of_order(o, _influences_on_precision),
        influences_by_score=lambda *sides: _influences_on_precision(*sides),
        resampled=True,
        when="positives are rare, and only the top of the ranking is used",
        when_not=(
            "data sets with different shares of positives are compared, because a model "
            "without skill reaches that share: roc_auc"
        ),
        formula=(
            "go down the scores from the highest; at each distinct score multiply the "
            "precision reached by the recall gained, and add up"
        ),
        equation=r"\sum_t \left(R_t - R_{t-1}\right) P_t",
        differs={
            "scikit-learn": (
                "average_precision_score is the same number on one test set; "
                "PrecisionRecallDisplay with auc() joins points by straight lines, which is "
                "too optimistic (Davis & Goadrich 2006)"
            ),
        },
    ),
    title="Average precision",
    references=(cite("davis2006"),),
    examples=(
        Example(
            ((0, 0, 1, 1), (0.1, 0.4, 0.35, 0.8), 1),
            {"value": 0.83},
            "scikit-learn 1.9, docstring of average_precision_score",
            tolerance=0.005,
        ),
    ),
)
def average_precision(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The mean of the precision at every threshold, weighted by the recall gained there.

    sum of (R_i - R_(i-1)) P_i over the distinct scores from the highest down, without
    interpolation (the area under the straight-line curve is too optimistic: Davis,
    Goadrich 2006). For more than two classes the plain mean over classes, each against the
    rest. Undefined (NaN) where a class has no example.
    """
    return value_under(PRECISION.under_weights, truth, output, positive, weights)


@METRICS.register(
    MetricDeclaration(
        "scores",
        "lower",
        0,
        1,
        known_without_skill=True,
        chance=0.5,
        ranks="other",
        under_weights=RANKING_LOSS.under_weights,
        by_score=RANKING_LOSS.by_score,
        influences=lambda o: _influences_of_order(o, _influences_on_loss),
        influences_by_score=lambda *sides: _influences_on_loss(*sides),
        resampled=True,
        when="the field reports a loss instead of the area under the ROC curve",
        when_not="the area is reported: roc_auc, which has more intervals and tests",
        formula=(
            "over all pairs of a positive and a negative example, the share in which the positive "
            "has the lower score, pairs with equal scores counting half: 1 minus the area under "
            "the ROC curve; over folds, the mean of the folds' values"
        ),
        equation=(
            r"\frac{1}{n_1 n_0} \sum_{i: y_i = 1} \sum_{j: y_j = 0} \left([s_i < s_j] + "
            r"\frac{1}{2} [s_i = s_j]\right)"
        ),
        differs={
            "scikit-learn": "label_ranking_loss is a measure of several labels per example",
        },
    ),
    title="Ranking loss",
    references=(cite("zhou2021"), cite("hanley1982")),
    examples=(
        Example(
            ((0, 0, 1, 1, 1), (0.1, 0.4, 0.35, 0.4, 0.8), 1),
            {"value": 1.5 / 6},
            "by hand: of 6 pairs one is wrong and one ties",
        ),
    ),
)
def ranking_loss(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The chance that a positive example has a lower score than a negative one, ties half.

    1 minus the area under the ROC curve (Zhou 2021, 2.21); for more than two classes the plain
    mean over classes of each against the rest. Undefined (NaN) where a class has no
    example.
    """
    return value_under(RANKING_LOSS.under_weights, truth, output, positive, weights)


@METRICS.register(
    MetricDeclaration(
        "scores",
        "higher",
        0,
        1,
        unit="percent",
        ranks="other",
        of_positive=True,
        under_weights=BREAK_EVEN.under_weights,
        when="the field reports it",
        when_not="the whole ranking matters: average_precision; a threshold is fixed: f1",
        formula=(
            "go down the scores from the highest until as many examples are named as are "
            "positive: there precision and recall are equal, and this is their value; among "
            "equal scores at that place, the mean over their orders"
        ),
        equation=r"P_t \quad \mathrm{at\ the\ threshold\ with} \quad P_t = R_t",
    ),
    title="Break-even point",
    references=(cite("zhou2021"), cite("davis2006")),
    examples=(
        Example(
            ((1, 0, 1, 1, 0, 0), (0.9, 0.8, 0.7, 0.6, 0.5, 0.4), 1),
            {"value": 2 / 3},
            "by hand: two of the first three are positive",
        ),
        Example(
            ((1, 1, 0, 0), (0.9, 0.5, 0.5, 0.1), 1),
            {"value": 0.75},
            "by hand: one, and one of two with equal scores",
        ),
    ),
)
def break_even_point(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The value of precision and recall at the threshold where they are equal.

    For more than two classes the plain mean over classes, each against the rest. Undefined (NaN)
    where a class has no example.
    """
    return value_under(BREAK_EVEN.under_weights, truth, output, positive, weights)


@METRICS.register(
    MetricDeclaration(
        "scores",
        "lower",
        0,
        0.25,
        binary_only=True,
        known_without_skill=True,
        ranks="other",
        under_weights=COST_AREA.under_weights,
        by_score=COST_AREA.by_score,
        when="neither the costs of mistakes nor the share of positives in use is known",
        when_not="they are known: cost, normalized_cost",
        formula=(
            "for each threshold the line from its false positive rate at 0 to its false negative "
            "rate at 1, the normalized cost for each probability cost of the positive class; the "
            "area under the lowest of these lines, those of one answer for all included; over "
            "folds, the mean of the folds' values"
        ),
        equation=r"\int_0^1 \min_t \left(x\, FNR_t + (1 - x)\, FPR_t\right) dx",
    ),
    title="Area under the cost curve",
    references=(cite("zhou2021"), cite("drummond2006")),
    examples=(
        Example(
            ((0, 0, 1, 1), (0.1, 0.4, 0.35, 0.8), 1),
            {"value": 1 / 8},
            "by hand: the lowest lines, 0 to 1/2 and 1/2 to 0, cross at 1/2",
        ),
    ),
)
def cost_curve_area(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The mean normalized cost of the best threshold over all shares and costs of the classes.

    0 for a perfect ranking, 1/4 for scores that tell nothing (Zhou 2021, 2.3.4). Undefined (NaN)
    where a class has no example.
    """
    return value_under(COST_AREA.under_weights, truth, output, positive, weights)


def _influences_on_precision(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the derivatives of the average precision by the weights of the examples.

    More weight of an example changes the precision at its own score and at every lower one; that
    of a positive also counts in the sum and in its divisor.
    """
    total = positives.sum()
    found = np.cumsum(positives[::-1])[::-1]
    named = np.cumsum((positives + negatives)[::-1])[::-1]
    precision = np.divide(found, named, out=np.zeros_like(found), where=named > 0)
    gained = np.divide(positives, named, out=np.zeros_like(found), where=named > 0)
    missed = np.cumsum(gained * precision)  # from the lowest score up to each
    value = float((positives * precision).sum() / total)
    of_positives = (precision + np.cumsum(gained) - missed - value) / total
    return of_positives, -missed / total


def _influences_on_loss(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the derivatives of the ranking loss: how far each example's placement is from it."""
    up, down = positives.sum(), negatives.sum()
    below = (np.cumsum(negatives) - negatives / 2) / down
    above = (up - np.cumsum(positives) + positives / 2) / up
    area = float((positives * below).sum() / up)
    return (area - below) / up, (area - above) / down


InfluencesByScore = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], Sides]


def _influences_of_order(o: Outcome, by_score: InfluencesByScore) -> NDArray[np.float64]:
    """Return the derivative by the weight of each example (n,); over classes, their mean.

    Raises `ValueError` where a score is missing or a class has no example.
    """
    found = []
    for _, up, own in _curves(o, {}):
        if np.isnan(own).any() or up.all() or not up.any():
            raise ValueError("the metric is not defined for each class")
        distinct, place = np.unique(own, return_inverse=True)
        sides = [np.bincount(place[side], minlength=len(distinct)) for side in (up, ~up)]
        of_each = by_score(*(side.astype(np.float64) for side in sides))
        found.append(np.where(up, of_each[0][place], of_each[1][place]))
    return np.asarray(np.mean(found, axis=0))


ROUNDING_OF_SHARES = (
    1e-9  # of a share: 90 of 100 are at least 90 %, whatever the sum of their weights
)
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
    within = lost <= allowed * others * (1 + ROUNDING_OF_SHARES) + ROUNDING_OF_SHARES * others
    passed, each = within.sum(axis=0), np.arange(len(total))
    reached = np.where(passed > 0, gained[passed - 1, each], 0.0)
    return np.where(others > 0, ratio(reached, total), np.nan)
