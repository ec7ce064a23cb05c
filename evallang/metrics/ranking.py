"""Metrics of rankings: functions of scores, undefined where a class is absent.

`output` is (n,) with the score of the positive class, higher for more positive, or (n, k)
with a column for each class in the order of the labels. Equal scores tie; a missing score
makes the metric undefined.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import (
    METRICS,
    MetricDeclaration,
    Outcome,
    Statistic,
    UnderWeights,
)
from evallang.registry import Bounds, Example, Situation
from evallang.stats.cost_lines import area_of_lowest_costs, areas_of_lowest_costs
from evallang.stats.score_counts import coarse_scores
from evallang.stats.weightings import areas_by_score, ratio, running_sums, summing, weights_by_score

ROWS_AT_ONCE = 1 << 16  # examples of all weightings worked on at once: they stay in the cache
ROUNDING = 1e-12  # of a sum of weights


def _each_class(prepare: UnderWeights) -> UnderWeights:
    """Prepare the plain mean over classes, each against the rest, of a metric of two classes."""

    def whole(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
        score = np.asarray(o.output)
        if score.ndim == 1 or score.shape[1] == 2:
            return prepare(o, options)
        prepared = [
            prepare(Outcome((o.truth == c).astype(np.int64), score[:, c], 2, 1), options)
            for c in range(score.shape[1])
        ]
        of_classes = [statistic for statistic in prepared if statistic is not None]
        if len(of_classes) < len(prepared):
            return None
        return lambda weights: np.mean([of_class(weights) for of_class in of_classes], axis=0)

    return whole


def _areas(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    """Prepare the area under the ROC curve of two classes for many weightings."""
    return _of_sides(o, areas_by_score)


def _mean_areas(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    """Prepare the mean of the areas of each class, or of each pair of classes (Hand & Till)."""
    score = np.asarray(o.output)
    if options.get("multi_class") != "ovo" or score.ndim == 1 or score.shape[1] == 2:
        return _each_class(_areas)(o, options)
    parts: list[tuple[NDArray[np.intp], Statistic]] = []
    for pair in itertools.combinations(range(score.shape[1]), 2):
        rows = np.flatnonzero(np.isin(o.truth, pair))
        for c in pair:
            side = Outcome((o.truth[rows] == c).astype(np.int64), score[rows, c], 2, 1)
            prepared = _of_sides(side, areas_by_score)
            assert prepared is not None, "a pair has two classes"
            parts.append((rows, prepared))
    return lambda weights: np.mean([area(weights[:, rows]) for rows, area in parts], axis=0)


def _cost_areas(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    """Prepare the area under the cost curve for many weightings."""
    return _of_sides(o, lambda *sides: areas_of_lowest_costs(*(side.T for side in sides)))


def _of_sides(
    o: Outcome,
    function: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
) -> Statistic | None:
    """Prepare a function of the weights of both classes at each distinct score, rising (s, B)."""
    score = _binary_score(o)
    if score is None:
        return None
    if np.isnan(score).any() or not len(score):
        return _undefined
    sides = weights_by_score(o.truth == o.positive, score)
    return lambda weights: function(*sides(weights))


def _average_precisions(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    """Prepare the average precision of two classes for many weightings."""
    score = _binary_score(o)
    if score is None:
        return None
    up = o.truth == o.positive
    if np.isnan(score).any() or not up.any():
        return _undefined
    # A negative counts from the first score on, descending, that a positive has: at the next ones
    scores, place = np.unique(-score[up], return_inverse=True)
    places = np.empty(len(score), dtype=np.intp)
    places[up], below = place.reshape(-1), np.searchsorted(scores, -score[~up])
    places[~up] = np.where(below < len(scores), below, -1)
    hits = summing(np.where(up, places, -1), len(scores))
    misses = summing(np.where(up, -1, places), len(scores))

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        gained = hits @ weights.T
        found, named = running_sums(gained), running_sums(misses @ weights.T)
        named += found
        # Above the first example that is drawn nothing is gained
        np.divide(found, np.maximum(named, np.finfo(float).tiny, out=named), out=named)
        return ratio(np.einsum("sb,sb->b", gained, named), found[-1])

    return statistic


def _precision_without_each(o: Outcome) -> NDArray[np.float64] | None:
    """Return the average precision without each example in turn (n,), NaN where undefined.

    An example changes the counts at its own score and below alone: the terms above it, those
    below without a positive, and those below without a negative are added up once each.
    """
    score = _binary_score(o)
    if score is None:
        return None
    if np.isnan(score).any() or not len(score):
        return np.full(len(score), np.nan)
    order = np.argsort(-score, kind="stable")
    ordered, up = score[order], o.truth[order] == o.positive
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)
    run = np.searchsorted(ends, np.arange(len(order)))
    # At the end of each run of equal scores: positives and examples so far, positives of the run
    hits, named = np.cumsum(up)[ends].astype(np.float64), ends + 1.0
    gained = np.diff(hits, prepend=0.0)
    fewer = np.maximum(named - 1, 1)
    above = np.append(0.0, np.cumsum(gained * hits / named))
    unmissed = _from_here(gained * hits / fewer)
    unfound = np.maximum(hits - 1, 0) / fewer
    below = _from_here(gained * unfound)
    values = np.full(len(order), np.nan)
    total = float(up.sum())
    if total:
        values[order[~up]] = (above[:-1] + unmissed)[run[~up]] / total
    if total > 1:
        values[order[up]] = (above[:-1] + below - unfound)[run[up]] / (total - 1)
    return values


def _from_here(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.cumsum(terms[::-1])[::-1]


def _break_evens(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    """Prepare the break-even point of two classes for many weightings."""
    score = _binary_score(o)
    return None if score is None else _break_even(o.truth == o.positive, score)


def _break_even(is_positive: NDArray[Any], score: NDArray[Any]) -> Statistic:
    if np.isnan(score).any() or not len(score):
        return _undefined
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    new = np.append(True, ordered[1:] != ordered[:-1])
    starts, run = np.flatnonzero(new), np.cumsum(new) - 1
    first = starts[run]
    last = np.append(starts[1:], len(order))[run] - 1
    up = is_positive[order]
    batch = max(1, ROWS_AT_ONCE // len(order))

    def of_some(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = weights[:, order].astype(np.float64, copy=False)
        named, hits = np.cumsum(drawn, axis=1), np.cumsum(drawn * up, axis=1)
        total = hits[:, -1]
        rows = np.arange(len(drawn))
        # The run of equal scores within which as many are named as are positive
        place = (named >= (total * (1 - ROUNDING))[:, None]).argmax(axis=1)
        begin, end = first[place], last[place]
        named_before = named[rows, begin] - drawn[rows, begin]
        hits_before = hits[rows, begin] - drawn[rows, begin] * up[begin]
        inside = named[rows, end] - named_before
        values = np.full(len(drawn), np.nan)
        share = np.zeros(len(drawn))
        np.divide(total - named_before, inside, out=share, where=inside > 0)
        found = hits_before + share * (hits[rows, end] - hits_before)
        np.divide(found, total, out=values, where=total > 0)
        within: NDArray[np.float64] = np.clip(values, 0, 1)
        return within

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        rounds = range(0, len(weights), batch)
        return np.concatenate([of_some(weights[start : start + batch]) for start in rounds])

    return statistic


def _binary_score(o: Outcome) -> NDArray[Any] | None:
    """Return the score of the positive class of two, None for more classes."""
    score = np.asarray(o.output)
    if o.k != 2 or o.positive is None or (score.ndim > 1 and score.shape[1] != 2):
        return None
    return score if score.ndim == 1 else score[:, o.positive]


def _undefined(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full(len(weights), np.nan)


def _losses_of_ranking(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    areas = _areas(o, options)
    return None if areas is None else lambda weights: 1 - areas(weights)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "higher",
        0,
        1,
        known_without_skill=True,
        chance=0.5,
        ranks="area",
        under_weights=_mean_areas,
        by_score=lambda *sides: _area_by_score(*sides),
        rounds_by="distinct",
        sides=lambda *given: _sides(*given),
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
    codes, score, weight = _arrays(truth, output, weights)
    if distinct is not None:
        score = _coarse(score, distinct)
    if score.ndim == 1 or score.shape[1] == 2:
        return _auc(codes == positive, _positive_column(score, positive), weight)
    classes = range(score.shape[1])
    if multi_class == "ovr":
        return _mean([_auc(codes == c, score[:, c], weight) for c in classes])
    areas = []
    for first, second in itertools.combinations(classes, 2):
        rows = (codes == first) | (codes == second)
        for c in (first, second):
            areas.append(_auc(codes[rows] == c, score[rows, c], weight[rows]))
    return _mean(areas)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "higher",
        0,
        1,
        ranks="other",
        of_positive=True,
        under_weights=_each_class(_average_precisions),
        left_out=_precision_without_each,
        by_score=lambda *sides: _precision_by_score(*sides),
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
    codes, score, weight = _arrays(truth, output, weights)
    if score.ndim == 1 or score.shape[1] == 2:
        return _average_precision(codes == positive, _positive_column(score, positive), weight)
    return _mean(
        [_average_precision(codes == c, score[:, c], weight) for c in range(score.shape[1])]
    )


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "lower",
        0,
        1,
        known_without_skill=True,
        chance=0.5,
        ranks="other",
        under_weights=_each_class(_losses_of_ranking),
        by_score=lambda *sides: 1 - _area_by_score(*sides),
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
    return 1 - roc_auc(truth, output, positive, weights)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "higher",
        0,
        1,
        unit="percent",
        ranks="other",
        of_positive=True,
        under_weights=_each_class(_break_evens),
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
    codes, score, weight = _arrays(truth, output, weights)
    if score.ndim == 1 or score.shape[1] == 2:
        sides = [(codes == positive, _positive_column(score, positive))]
    else:
        sides = [(codes == c, score[:, c]) for c in range(score.shape[1])]
    return _mean([float(_break_even(*side)(weight[None, :])[0]) for side in sides])


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "scores",
        "lower",
        0,
        0.25,
        binary_only=True,
        known_without_skill=True,
        ranks="other",
        under_weights=_cost_areas,
        by_score=lambda *sides: area_of_lowest_costs(*sides),
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
    codes, score, weight = _arrays(truth, output, weights)
    sides = _weights_by_score(codes == positive, _positive_column(score, positive), weight)
    return area_of_lowest_costs(*sides)


def _coarse(score: NDArray[Any], most: int) -> NDArray[np.float64]:
    if score.ndim == 1:
        return coarse_scores(score, most)
    columns = [coarse_scores(score[:, c], most) for c in range(score.shape[1])]
    return np.stack(columns, axis=1)


def _sides(
    o: Outcome, options: Mapping[str, Any]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Iterate over the scores, and which are of positives, of each area in the mean."""
    score, codes = np.asarray(o.output), np.asarray(o.truth)
    if score.ndim == 1 or score.shape[1] == 2:
        yield _positive_column(score, o.positive), codes == o.positive
    elif options.get("multi_class") != "ovo":
        for c in range(score.shape[1]):
            yield score[:, c], codes == c
    else:
        for pair in itertools.combinations(range(score.shape[1]), 2):
            rows = np.isin(codes, pair)
            for c in pair:
                yield score[rows, c], codes[rows] == c


def _auc(is_positive: NDArray[Any], score: NDArray[Any], weight: NDArray[np.float64]) -> float:
    """Mann-Whitney's U over the number of pairs, ties half."""
    return _area_by_score(*_weights_by_score(is_positive, score, weight))


def _area_by_score(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> float:
    pairs = positives.sum() * negatives.sum()
    if not pairs > 0:
        return float("nan")
    below = np.cumsum(negatives) - negatives / 2
    return float((positives * below).sum() / pairs)


def _average_precision(
    is_positive: NDArray[Any], score: NDArray[Any], weight: NDArray[np.float64]
) -> float:
    return _precision_by_score(*_weights_by_score(is_positive, score, weight))


def _precision_by_score(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> float:
    positives, negatives = positives[::-1], negatives[::-1]
    total = positives.sum()
    if not total > 0:
        return float("nan")
    found = np.cumsum(positives)
    named = found + np.cumsum(negatives)
    gained = positives > 0
    return float((positives[gained] * found[gained] / named[gained]).sum() / total)


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


InfluencesByScore = Callable[
    ["NDArray[np.float64]", "NDArray[np.float64]"],
    "tuple[NDArray[np.float64], NDArray[np.float64]]",
]


def _influences_of_order(o: Outcome, by_score: InfluencesByScore) -> NDArray[np.float64]:
    """Return the derivative by the weight of each example (n,); over classes, their mean.

    Raises `ValueError` where a score is missing or a class has no example.
    """
    score = np.asarray(o.output)
    if score.ndim == 1 or score.shape[1] == 2:
        classes = [(o.truth == o.positive, _positive_column(score, o.positive))]
    else:
        classes = [(o.truth == c, score[:, c]) for c in range(score.shape[1])]
    found = []
    for up, own in classes:
        if np.isnan(own).any() or up.all() or not up.any():
            raise ValueError("the metric is not defined for each class")
        distinct, place = np.unique(own, return_inverse=True)
        sides = [np.bincount(place[side], minlength=len(distinct)) for side in (up, ~up)]
        of_each = by_score(*(side.astype(np.float64) for side in sides))
        found.append(np.where(up, of_each[0][place], of_each[1][place]))
    return np.asarray(np.mean(found, axis=0))


def _weights_by_score(
    is_positive: NDArray[Any], score: NDArray[Any], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the weights of positives and of negatives at each distinct score, rising."""
    if np.isnan(score).any():
        missing = np.full(1, np.nan)
        return missing, missing
    distinct, places = np.unique(score, return_inverse=True)
    ups = weight * is_positive
    positives, negatives = (
        np.bincount(places.reshape(-1), side, len(distinct)).astype(np.float64)
        for side in (ups, weight - ups)
    )
    return positives, negatives


def _arrays(
    truth: ArrayLike, output: ArrayLike, weights: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    codes = np.asarray(truth)
    if weights is None:
        weight = np.broadcast_to(1.0, len(codes))  # no memory for each example
    else:
        weight = np.asarray(weights, dtype=np.float64)
    return codes, np.asarray(output), weight


def _positive_column(score: NDArray[Any], positive: int | None) -> NDArray[Any]:
    return score if score.ndim == 1 else score[:, positive]


def _mean(values: list[float]) -> float:
    return float(np.mean(values))
