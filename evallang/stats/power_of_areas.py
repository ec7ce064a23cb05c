"""What tests of two areas can show: DeLong's, and within a margin, for normal scores."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import normal_quantile
from evallang.stats.planned_groups import by_groups, effective_answer
from evallang.stats.power import (
    GROUPS,
    Answer,
    Assumed,
    PowerDeclaration,
    Question,
    Relation,
    Stated,
    check_level,
)
from evallang.stats.power_of_means import check_margin

AREAS = (0.7, 0.8, 0.9)  # of the weaker model, that are looked at if none is stated
HALF = 0.5
"""The share of positives where neither the study nor its data tell, and the correlation of the
scores of two models within a class if none is stated."""
LARGEST = 0.999  # area that is looked at
FEWEST = 2  # examples of a class with which placements have a variance
MANY = 50
"""Examples of the rarer class from which on the normal approximation is good.

With 40 positives and areas of .95 and .98 simulated power was 4 points above the computed one.
"""
NODES = 64  # of the quadrature in each of two dimensions
METHOD = "the normal distribution, with the variance of DeLong's test for normal scores"
ONE_TEST_SET = (
    "the power is that on one test set of all these examples; over folds it is lower, by up to "
    "ten points where a fold has ten examples of a class"
)
"""Simulated power of 65 % on 200 examples of two classes was 61 % over 5 folds, 55 % over 10."""
APPROXIMATE = (
    f"with fewer than {MANY} examples of a class the power is approximate, by several points "
    "where an area is near 1"
)
OF_A_PAIR = "the power is that of a comparison of two models"


class Areas(Struct, frozen=True):
    """Normal scores of two models, with the same spread in both classes.

    Attributes
    ----------
    weaker : the area of the weaker model
    positives : the share of positive examples
    correlation : that of the scores of the models within a class
    """

    weaker: float
    positives: float = HALF
    correlation: float = HALF

    def error(self, gap: float, n: float) -> float:
        """Return that of the difference of two areas; infinite where a class has too few examples.

        n may be an effective number of examples. Raises `ValueError` where what is assumed cannot
        be true.
        """
        check_areas(self.weaker, self.positives, self.correlation, gap)
        if n < 0:
            raise ValueError("a sample has 0 examples or more")
        ups = n * self.positives
        if min(ups, n - ups) < FEWEST:
            return math.inf
        variance = placement_variance(gap, self.weaker, self.correlation)
        return math.sqrt(variance * (1 / ups + 1 / (n - ups)))

    @property
    def assumed(self) -> Assumed:
        """What an answer repeats."""
        return {
            "area": self.weaker, "positives": self.positives, "correlation": self.correlation,
        }  # fmt: skip


def areas(stated: Areas, alpha: float, *, one_sided: bool = False) -> Relation:
    """Relate difference, examples and power of DeLong's test.

    The difference of the estimated areas is taken as normal with the variance that DeLong's test
    estimates. With `one_sided` the difference has the sign of the alternative. Raises `ValueError`
    where an area is not between 0.5 and 1, or a share or a correlation is out of range.
    """
    check_areas(stated.weaker, stated.positives, stated.correlation)
    critical = -float(scipy.special.ndtri(check_level(alpha, one_sided)))

    def chance(gap: float, n: float) -> float:
        error = stated.error(gap, n)
        if error == math.inf:
            return 0.0  # without a variance nothing is rejected
        reach = gap / error
        power = float(scipy.special.ndtr(reach - critical))
        return power if one_sided else power + float(scipy.special.ndtr(-reach - critical))

    return Relation(
        chance,
        METHOD,
        stated.assumed,
        largest=LARGEST - stated.weaker,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: the larger area is at most {LARGEST:g}"
        ),
        width=lambda gap, n: 2 * normal_quantile(1 - alpha) * stated.error(abs(gap), n),
    )


def areas_within(stated: Areas, gap: float, alpha: float, *, equivalence: bool = False) -> Relation:
    """Relate margin, examples and power of the tests within a margin of two areas.

    The first model is worse by `gap`; with `equivalence` both sides must be shown. Raises
    `ValueError` as `areas` does.
    """
    check_margin(gap, alpha)

    def chance(margin: float, n: int) -> float:
        check_margin(gap, alpha, margin)
        error = stated.error(gap, n)
        if error == math.inf:
            return 0.0
        bound = normal_quantile(1 - 2 * alpha)
        near, far = (margin - gap) / error - bound, (margin + gap) / error - bound
        power = float(scipy.special.ndtr(near))
        return max(power - float(scipy.special.ndtr(-far)), 0.0) if equivalence else power

    return Relation(chance, METHOD, stated.assumed, least=gap, largest=1.0)


def check_areas(
    area: float | None,
    positives: float | None = None,
    correlation: float | None = None,
    gap: float | None = None,
) -> None:
    """Raise `ValueError` where what is stated of two areas cannot be true; None is not stated."""
    if area is not None and not 0.5 <= area < LARGEST:
        raise ValueError(f"the area of the weaker model lies between 0.5 and {LARGEST:g}")
    if area is not None and gap is not None and area + abs(gap) >= 1:
        raise ValueError("the larger of the two areas must be below 1")
    if positives is not None and not 0 < positives < 1:
        raise ValueError("the share of positives lies between 0 and 1, both excluded")
    if correlation is not None and not 0 <= correlation < 1:
        raise ValueError("the correlation of the scores is at least 0 and below 1")


@lru_cache(maxsize=256)
def placement_variance(gap: float, area: float, correlation: float) -> float:
    """Return the variance over examples of the difference of the placements under two models.

    The placement of a positive is Phi(mu + x), that of a negative Phi(mu - y), where x and y are
    standard normal and Phi(mu / sqrt(2)) is the area: by symmetry both classes have the same
    variance.
    """
    points, weights = normal_nodes(NODES)
    first = points[:, None]
    second = correlation * first + math.sqrt(1 - correlation**2) * points[None, :]
    weaker, better = (math.sqrt(2) * float(scipy.special.ndtri(one)) for one in (area, area + gap))
    difference = scipy.special.ndtr(better + first) - scipy.special.ndtr(weaker + second)
    return float(weights @ (difference - gap) ** 2 @ weights)


@cache
def normal_nodes(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights for the expectation over a standard normal."""
    points, weights = np.polynomial.hermite_e.hermegauss(n)
    return points, weights / weights.sum()


def assumed_areas(question: Question, stated: Stated) -> tuple[Areas, ...]:
    """Return what is stated of two areas, or several that leave room for the difference.

    The share of positives is that of the data where none is stated.
    """
    of_data = HALF if question.positives is None else question.positives
    positives = of_data if stated.positives is None else stated.positives
    correlation = HALF if stated.correlation is None else stated.correlation
    gap = abs(stated.difference or 0.0)
    weaker: tuple[float, ...] = AREAS if stated.area is None else (stated.area,)
    possible = tuple(area for area in weaker if area + gap < 1) or weaker[:1]
    return tuple(Areas(area, positives, correlation) for area in possible)


def _answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
    """Answer for the stated area of the weaker model, or for several areas."""
    folds = (ONE_TEST_SET,) if question.folds > 1 else ()
    of_pair = (OF_A_PAIR,) if question.models > 2 else ()
    pairs = assumed_areas(question, stated)
    rarer = min(pairs[0].positives, 1 - pairs[0].positives)
    return tuple(
        effective_answer(
            question,
            stated,
            areas(pair, question.alpha, one_sided=question.one_sided),
            groups,
            whole=False,
            rough=lambda n: n * rarer < MANY,
            note=APPROXIMATE,
            after=(*folds, *of_pair),
        )
        for pair in pairs
        for groups in by_groups(question, stated, several=stated.area is not None)
    )


ASSUMPTIONS_ABOUT_AREAS = {
    "area": AssumptionWords("area {} of the weaker model", "area"),
    "positives": AssumptionWords("{} positive", "positives", percent=True),
    "correlation": AssumptionWords("correlation {} of scores within a class", "correlation"),
}
POWER_OF_DELONG = PowerDeclaration(_answers, {**ASSUMPTIONS_ABOUT_AREAS, **GROUPS}, of_width=True)
