"""What tests of non-inferiority and of equivalence can show: their power within a margin.

The models are taken as equally good, or as differing by a stated difference to the disadvantage
of the first. What is detected is the smallest margin that is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.stats.distributions import normal_quantile, t_quantile
from evallang.stats.planned_power import (
    DISCORDANT,
    SD,
    Answer,
    PowerDeclaration,
    Question,
    Stated,
    power_by_form,
)
from evallang.stats.power import checked_target, least_size, least_value
from evallang.stats.power_of_areas import (
    AREAS,
    ASSUMPTIONS_ABOUT_AREAS,
    assumed_areas,
    check_areas,
    standard_error_of_areas,
)
from evallang.stats.power_of_mcnemar import SHARES
from evallang.stats.power_of_t import noncentral_share

ROUNDS = 10_000
STEPS = 30  # of the bisection for a margin
LARGEST_SHARE = 0.999  # margin of two accuracies that is looked at

At = Callable[[float, int], float]
"""The power at a margin with a number of examples."""


def margin_power_of_shares(
    margin: float,
    discordant: float,
    n: int,
    alpha: float = 0.05,
    difference: float = 0.0,
    *,
    equivalence: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> float:
    """Return the power to show two accuracies within a margin, by Tango's score test.

    Tables of n examples are drawn, of which a share `discordant` is right for one model alone;
    the first model is worse by `difference`. With `equivalence` both sides must be shown. Raises
    `ValueError` where the assumptions contradict each other.
    """
    _check_margin(margin, difference, alpha)
    if not 0 < discordant <= 1 or difference > discordant:
        raise ValueError(
            "the difference of two accuracies is at most the share of discordant examples, "
            "which lies between 0 and 1"
        )
    if margin >= 1 or n < 1 or rounds < 1:
        raise ValueError("a margin of accuracies lies below 1, and a sample has an example or more")
    shares = [(discordant - difference) / 2, (discordant + difference) / 2, 1 - discordant]
    drawn = np.random.default_rng(seed).multinomial(n, shares, size=rounds).astype(np.float64)
    first, second = drawn[:, 0], drawn[:, 1]
    bound = normal_quantile(1 - 2 * alpha)
    shown = _score(first, second, n, margin) >= bound
    if equivalence:
        shown &= _score(second, first, n, margin) >= bound
    return float(shown.mean())


def margin_power_of_means(
    margin: float,
    sd: float,
    n: int,
    alpha: float = 0.05,
    difference: float = 0.0,
    *,
    equivalence: bool = False,
) -> float:
    """Return the power to show that two mean losses differ by less than a margin, by t tests.

    `sd` is that of the differences of n examples. Raises `ValueError` where it is not positive or
    n is below 2.
    """
    _check_margin(margin, difference, alpha)
    if not 0 < sd < math.inf or n < 2:
        raise ValueError("a t test takes two differences or more with a standard deviation above 0")
    root = math.sqrt(n) / sd
    near, far = (margin - difference) * root, (margin + difference) * root
    bound = t_quantile(1 - 2 * alpha, n - 1)

    def shown(s: NDArray[np.float64]) -> NDArray[np.float64]:
        tails = scipy.special.ndtr(near - bound * s)
        if equivalence:
            tails = np.maximum(tails - scipy.special.ndtr(bound * s - far), 0.0)
        return np.asarray(tails)

    # Where the bounds of both sides meet, no difference is left to be shown
    meet = (near + far) / (2 * bound)
    return noncentral_share(n - 1, shown, [near / bound, far / bound, meet])


def margin_power_of_areas(
    margin: float,
    area: float,
    n: float,
    alpha: float = 0.05,
    difference: float = 0.0,
    *,
    positives: float,
    correlation: float,
    equivalence: bool = False,
) -> float:
    """Return the power to show two areas within a margin, with the variance of normal scores.

    Raises `ValueError` as `delong_power` does.
    """
    _check_margin(margin, difference, alpha)
    check_areas(area, positives, correlation, difference)
    error = standard_error_of_areas(difference, area, n, positives, correlation)
    if error == math.inf:
        return 0.0
    bound = normal_quantile(1 - 2 * alpha)
    near, far = (margin - difference) / error - bound, (margin + difference) / error - bound
    power = float(scipy.special.ndtr(near))
    return max(power - float(scipy.special.ndtr(-far)), 0.0) if equivalence else power


def _check_margin(margin: float, difference: float, alpha: float) -> None:
    if not 0 < margin < math.inf or not 0 <= difference < margin:
        raise ValueError("the models differ by less than the margin, which is above 0")
    if not 0 < alpha < 0.5:
        raise ValueError("the level of a margin lies between 0 and 0.5")


def _score(
    first: NDArray[np.float64], second: NDArray[np.float64], n: int, margin: float
) -> NDArray[np.float64]:
    """Return Tango's z against a first model that is worse by the margin (Tango 1998)."""
    edge = -margin
    linear = -first - second + (2 * n - first + second) * edge
    rest = -second * edge * (1 - edge)
    share = (np.sqrt(linear**2 - 8 * n * rest) - linear) / (4 * n)
    variance = n * (2 * share + edge * (1 - edge))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((first - second - n * edge) / np.sqrt(variance))


def _answer(
    question: Question,
    stated: Stated,
    at: At,
    method: str,
    assumptions: dict[str, float | int | str],
    largest: float | None,
    notes: tuple[str, ...] = (),
    *,
    in_unit: bool = True,
) -> Answer:
    """Answer with the smallest margin that is shown, and with the stated margin's power and n.

    `largest` is the largest margin there is, None where margins have no end; without the unit of
    the differences (`in_unit`) the stated margin says nothing.
    """
    checked_target(stated.target)
    n, margin, gap = question.n, float(question.options["margin"]), abs(stated.difference or 0.0)
    found = power = needed = None
    if n is not None:
        found = _smallest_margin(lambda m: at(m, n), gap, stated.target, largest)
        if in_unit and gap < margin:
            power = at(margin, n)
    if gap >= margin:
        notes = (*notes, "the models differ by the margin or more, so it cannot be shown")
    elif in_unit:
        try:
            needed = least_size(lambda size: at(margin, size) >= stated.target, saw_toothed=False)
        except ValueError as error:
            notes = (*notes, str(error))
    apart = f"differ by {gap:g}" if gap else "are equally good"
    notes = (
        *notes,
        f"if the models {apart}: what is found is the smallest margin that is shown, and the power "
        f"is that at the margin of {margin:g}",
    )
    return Answer(
        method,
        assumptions,
        found,
        in_sd=not in_unit,
        power=power,
        required_n=needed,
        notes=notes,
    )


def _smallest_margin(
    at: Callable[[float], float], gap: float, target: float, largest: float | None
) -> float | None:
    high = largest
    if high is None:
        high = max(2 * gap, 1e-9)
        while at(high) < target:
            high *= 2
    elif at(high) < target:
        return None
    return least_value(lambda margin: margin > gap and at(margin) >= target, gap, high, STEPS)


def _of_shares(question: Question, stated: Stated, equivalence: bool) -> tuple[Answer, ...]:
    gap = abs(stated.difference or 0.0)
    shares: tuple[float, ...] = SHARES if stated.discordant is None else (stated.discordant,)
    if stated.discordant is None:
        shares = tuple(share for share in shares if share >= gap) or (gap,)

    def answer(share: float) -> Answer:
        def at(margin: float, n: int) -> float:
            return margin_power_of_shares(
                margin,
                share,
                n,
                question.alpha,
                gap,
                equivalence=equivalence,
                seed=question.seed,
                rounds=ROUNDS,
            )

        method = f"simulation of Tango's score test, {ROUNDS:,} rounds, seed {question.seed}"
        return _answer(question, stated, at, method, {"discordant": share}, LARGEST_SHARE)

    return tuple(answer(share) for share in shares)


def _of_means(question: Question, stated: Stated, equivalence: bool) -> tuple[Answer, ...]:
    gap, sd = abs(stated.difference or 0.0), stated.sd

    def at(margin: float, n: int) -> float:
        if n < 2:
            return 0.0
        return margin_power_of_means(
            margin, 1.0 if sd is None else sd, n, question.alpha, gap, equivalence=equivalence
        )

    notes = () if sd is not None else ("power at the margin needs `sd`, and none is stated",)
    if sd is None and gap:
        return (Answer("noncentral t", {}, notes=("a difference needs `sd`",)),)
    assumed: dict[str, float | int | str] = {} if sd is None else {"sd": sd}
    return (
        _answer(question, stated, at, "noncentral t", assumed, None, notes, in_unit=sd is not None),
    )


def _of_areas(question: Question, stated: Stated, equivalence: bool) -> tuple[Answer, ...]:
    gap = abs(stated.difference or 0.0)
    positives, correlation = assumed_areas(question, stated)
    areas: tuple[float, ...] = AREAS if stated.area is None else (stated.area,)

    def answer(area: float) -> Answer:
        def at(margin: float, n: int) -> float:
            return margin_power_of_areas(
                margin,
                area,
                n,
                question.alpha,
                gap,
                positives=positives,
                correlation=correlation,
                equivalence=equivalence,
            )

        assumed: dict[str, float | int | str] = {
            "area": area,
            "positives": positives,
            "correlation": correlation,
        }
        method = "the normal distribution, with the variance of DeLong's test for normal scores"
        return _answer(question, stated, at, method, assumed, 1.0)

    possible = tuple(area for area in areas if area + gap < 1) or areas[:1]
    return tuple(answer(area) for area in possible)


def _power(*, equivalence: bool) -> PowerDeclaration:
    return power_by_form(
        {
            "proportion": PowerDeclaration(
                lambda question, stated: _of_shares(question, stated, equivalence), DISCORDANT
            ),
            "losses": PowerDeclaration(
                lambda question, stated: _of_means(question, stated, equivalence), SD
            ),
            "auc": PowerDeclaration(
                lambda question, stated: _of_areas(question, stated, equivalence),
                ASSUMPTIONS_ABOUT_AREAS,
            ),
        }
    )


POWER_OF_NONINFERIORITY = _power(equivalence=False)
POWER_OF_EQUIVALENCE = _power(equivalence=True)
