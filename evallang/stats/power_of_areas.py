"""What DeLong's test can show: its power for two areas of normal scores."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy

from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import normal_quantile
from evallang.stats.planned_groups import PlannedGroups, by_groups, with_design_effect
from evallang.stats.planned_power import (
    GROUPS,
    Answer,
    PowerDeclaration,
    Question,
    Stated,
)
from evallang.stats.power import (
    PowerAnalysis,
    check_side,
    checked_target,
    least_size,
    required_size,
    size_for_width,
    smallest_difference,
    stated,
)

AREAS = (0.7, 0.8, 0.9)  # of the weaker model, that are looked at if none is stated
POSITIVES = 0.5  # the share of positives, where neither the study nor its data tell
CORRELATION = 0.5  # of the scores of two models within a class, if none is stated
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


def delong_power(
    difference: float | Literal["observed"],
    area: float,
    n: float,
    alpha: float = 0.05,
    *,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of DeLong's test for a difference of two areas on n examples.

    The scores of each model are normal with the same spread in both classes; `area` is that of
    the weaker model, `positives` the share of positive examples and `correlation` that of the
    scores of the models within a class. The difference of the estimated areas is taken as normal
    with the variance that DeLong's test estimates. With `one_sided` the difference has the sign of
    the alternative; n may be an effective number of examples. Raises `ValueError` where an area is
    not between 0.5 and 1, a share or a correlation is out of range, or the observed difference is
    asked for.
    """
    gap = stated(difference)
    check_side(alpha, one_sided)
    check_areas(area, positives, correlation, gap)
    if not 0 < alpha < 1 or n < 0:
        raise ValueError("a sample has 0 examples or more, and a level lies between 0 and 1")
    error = standard_error_of_areas(abs(gap), area, n, positives, correlation)
    power = 0.0  # without a variance nothing is rejected
    if error < math.inf:
        critical = normal_quantile(1 - (2 * alpha if one_sided else alpha))
        reach = abs(gap) / error
        power = float(scipy.special.ndtr(reach - critical))
        if not one_sided:
            power += float(scipy.special.ndtr(-reach - critical))
    assumed = _assumed(area, positives, correlation)
    return PowerAnalysis("delong", METHOD, round(n), gap, power, alpha, assumed)


def delong_detectable(
    area: float,
    n: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the smallest difference of two areas that DeLong's test finds with power `target`.

    None, with a note, where even an area of 0.999 is not found. Raises `ValueError` as
    `delong_power` does.
    """
    check_areas(area, positives, correlation)

    def at(gap: float) -> PowerAnalysis:
        return delong_power(
            gap,
            area,
            n,
            alpha,
            positives=positives,
            correlation=correlation,
            one_sided=one_sided,
        )

    most = LARGEST - area
    return smallest_difference(at, most, target, f"the larger area is at most {LARGEST:g}")


def delong_size(
    difference: float | Literal["observed"],
    area: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the number of examples with which DeLong's test has power `target`.

    Raises `ValueError` as `delong_power` does, or where too many would be needed.
    """
    gap = stated(difference)
    checked_target(target)

    def at(n: int) -> PowerAnalysis:
        return delong_power(
            gap,
            area,
            n,
            alpha,
            positives=positives,
            correlation=correlation,
            one_sided=one_sided,
        )

    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=False))


def delong_width(
    n: int,
    area: float,
    difference: float = 0.0,
    level: float = 0.95,
    *,
    positives: float = POSITIVES,
    correlation: float = CORRELATION,
) -> float:
    """Return the width of DeLong's interval of the difference that is expected of n examples."""
    check_areas(area, positives, correlation, difference)
    error = standard_error_of_areas(abs(difference), area, n, positives, correlation)
    return 2 * normal_quantile(level) * error


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


def standard_error_of_areas(
    gap: float, area: float, n: float, positives: float, correlation: float
) -> float:
    """Return that of the difference of two areas; infinite where a class has too few examples."""
    ups = n * positives
    if min(ups, n - ups) < FEWEST:
        return math.inf
    return math.sqrt(placement_variance(gap, area, correlation) * (1 / ups + 1 / (n - ups)))


@lru_cache(maxsize=256)
def placement_variance(gap: float, area: float, correlation: float) -> float:
    """Return the variance over examples of the difference of the placements under two models.

    The placement of a positive is Phi(mu + x), that of a negative Phi(mu - y), where x and y are
    standard normal and Phi(mu / sqrt(2)) is the area: by symmetry both classes have the same
    variance.
    """
    points, weights = _hermite_nodes()
    first = points[:, None]
    second = correlation * first + math.sqrt(1 - correlation**2) * points[None, :]
    weaker, better = (math.sqrt(2) * float(scipy.special.ndtri(one)) for one in (area, area + gap))
    difference = scipy.special.ndtr(better + first) - scipy.special.ndtr(weaker + second)
    return float(weights @ (difference - gap) ** 2 @ weights)


@lru_cache(maxsize=1)
def _hermite_nodes() -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights for the expectation over a standard normal."""
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return points, weights / weights.sum()


def _assumed(area: float, positives: float, correlation: float) -> dict[str, float | int | str]:
    return {"area": area, "positives": positives, "correlation": correlation}


def assumed_areas(question: Question, stated: Stated) -> tuple[float, float]:
    """Return the share of positives and the correlation: stated, of the data, or one half."""
    of_data = POSITIVES if question.positives is None else question.positives
    positives = of_data if stated.positives is None else stated.positives
    return positives, CORRELATION if stated.correlation is None else stated.correlation


def _answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
    """Answer for the stated area of the weaker model, or for several areas."""
    gap = abs(stated.difference or 0.0)
    areas: tuple[float, ...] = AREAS if stated.area is None else (stated.area,)
    possible = tuple(area for area in areas if area + gap < 1) or areas[:1]
    groups = by_groups(question, stated, several=stated.area is not None)
    return tuple(
        with_design_effect(question, one, _answer(question, stated, area, one))
        for area in possible
        for one in groups
    )


def _answer(
    question: Question, stated: Stated, area: float, groups: PlannedGroups | None
) -> Answer:
    """Answer for the effective number of examples where they come in groups."""
    n = None if question.n is None else question.n / (1.0 if groups is None else groups.effect)
    alpha, target, gap = question.alpha, stated.target, stated.difference
    side = question.one_sided
    positives, correlation = assumed_areas(question, stated)
    found = at = None
    if n is not None:
        found = delong_detectable(
            area, n, alpha, target, positives=positives, correlation=correlation, one_sided=side
        )
        if gap is not None:
            at = delong_power(
                gap, area, n, alpha, positives=positives, correlation=correlation, one_sided=side
            )
    needed, notes = required_size(
        gap,
        lambda d: delong_size(
            d, area, alpha, target, positives=positives, correlation=correlation, one_sided=side
        ),
    )
    narrow, more = size_for_width(
        stated.width,
        lambda size: delong_width(
            size, area, gap or 0.0, 1 - alpha, positives=positives, correlation=correlation
        ),
    )
    sizes = [size for size in (n, needed) if size is not None]
    rough = any(size * min(positives, 1 - positives) < MANY for size in sizes)
    few = (APPROXIMATE,) if rough else ()
    own = (ONE_TEST_SET,) if question.folds > 1 else ()
    of_pair = (OF_A_PAIR,) if question.models > 2 else ()
    return Answer(
        METHOD,
        _assumed(area, positives, correlation),
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        notes=(*notes, *(() if found is None else found.notes), *more, *few, *own, *of_pair),
        n_for_width=narrow,
    )


ASSUMPTIONS_ABOUT_AREAS = {
    "area": AssumptionWords("area {} of the weaker model", "area"),
    "positives": AssumptionWords("{} positive", "positives", percent=True),
    "correlation": AssumptionWords("correlation {} of scores within a class", "correlation"),
}
POWER_OF_DELONG = PowerDeclaration(_answers, {**ASSUMPTIONS_ABOUT_AREAS, **GROUPS}, of_width=True)
