"""What a paired t test can show, the corrected resampled one too: the noncentral t."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

from evallang.registry import lazy
from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import t_quantile
from evallang.stats.planned_power import SD, Answer, PowerDeclaration, Question, Stated
from evallang.stats.power import (
    PowerAnalysis,
    checked_target,
    gap_in_unit,
    least_size,
    required_size,
    size_for_width,
    smallest_difference,
    stated,
)
from evallang.stats.validation import LARGEST, MOST_COUNTED, SMALLEST

if TYPE_CHECKING:
    import numpy as np
    from scipy import special
else:
    np = lazy("numpy")
    special = lazy("scipy.special")


def t_power(
    difference: float | Literal["observed"],
    sd: float,
    n: int,
    alpha: float = 0.05,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Return the power of a paired t test of n differences with standard deviation `sd`.

    `sd` is that of the differences of one study, as the test sees it. The noncentral t
    distribution with n - 1 degrees of freedom and noncentrality
    difference / (sd sqrt(1/n + ratio)); `test_train_ratio` makes it that of `corrected_t`,
    where it is exact if folds correlate as that test assumes. Raises `ValueError` where `sd`
    is not positive, n below 2, or the observed difference is asked for.
    """
    gap = stated(difference)
    if not (
        SMALLEST < sd < LARGEST
        and abs(gap) < LARGEST
        and 2 <= n <= MOST_COUNTED
        and 0 < alpha < 1
        and 0 <= test_train_ratio < math.inf
    ):
        raise ValueError(
            "a t test takes two differences or more with a standard deviation above 0, and a "
            "level between 0 and 1"
        )
    shift = abs(gap) / (sd * math.sqrt(1 / n + test_train_ratio))
    bound = t_quantile(1 - alpha, n - 1)
    power = _noncentral_tails(n - 1, shift, bound)
    return PowerAnalysis(
        "corrected_t" if test_train_ratio else "t",
        "noncentral t",
        n,
        gap,
        power,
        alpha,
        {"sd": sd, "test_train_ratio": test_train_ratio},
    )


def t_detectable(
    sd: float, n: int, alpha: float = 0.05, target: float = 0.8, *, test_train_ratio: float = 0.0
) -> PowerAnalysis:
    """Return the smallest mean difference that a paired t test finds with power `target`.

    Raises `ValueError` as `t_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)

    checked_target(target)
    t_power(0.0, sd, n, alpha, test_train_ratio=test_train_ratio)  # refuses what it cannot take
    most = sd * math.sqrt(1 / n + test_train_ratio)
    while (at(most).power or 0.0) < target:
        most *= 2
    return smallest_difference(at, most, target, "")


def t_size(
    difference: float | Literal["observed"],
    sd: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Return the number of differences with which a paired t test has power `target`.

    With a `test_train_ratio` no number may be enough: more splits of the same rows tell ever
    less. Raises `ValueError` as `t_power` does, or where more than about 17 million would be
    needed.
    """
    gap = stated(difference)
    checked_target(target)

    def enough(n: int) -> bool:
        found = t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)
        return (found.power or 0.0) >= target

    n = least_size(enough, saw_toothed=False)
    return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)


def t_width(n: int, sd: float, level: float = 0.95, *, test_train_ratio: float = 0.0) -> float:
    """Return the width of the t interval of a mean of n differences with standard deviation `sd`.

    About half of all studies have a wider one, because theirs is estimated.
    """
    if n < 2:
        return math.inf
    return 2 * t_quantile(level, n - 1) * sd * math.sqrt(1 / n + test_train_ratio)


def _answer(
    question: Question, stated: Stated, *, ratio: float = 0.0, independent: bool = False
) -> Answer:
    """Answer for the stated standard deviation, or in its unit."""
    n, alpha, target, sd = question.n, question.alpha, stated.target, stated.sd
    unit = 1.0 if sd is None else sd
    usable = n is not None and n >= 2
    found = (
        t_detectable(unit, cast(int, n), alpha, target, test_train_ratio=ratio) if usable else None
    )
    asked, notes = gap_in_unit(stated.difference, sd)
    at = None
    if usable and asked is not None:
        at = t_power(asked, unit, cast(int, n), alpha, test_train_ratio=ratio)
    needed, more = required_size(
        asked, lambda d: t_size(d, unit, alpha, target, test_train_ratio=ratio)
    )
    if more and ratio:
        more = ("no number of splits is enough: the parts that a model is trained on overlap",)
    narrow, wide = size_for_width(
        stated.width,
        lambda size: t_width(size, unit, 1 - alpha, test_train_ratio=ratio),
    )
    more = (*more, *wide)
    if independent:
        more = (*more, "as the test does, this takes the differences for independent")
    return Answer(
        "noncentral t",
        _assumptions(sd),
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more),
        n_for_width=narrow,
    )


def _assumptions(sd: float | None) -> dict[str, float | int | str]:
    return {} if sd is None else {"sd": sd}


def _paired(question: Question, stated: Stated) -> tuple[Answer, ...]:
    return (_answer(question, stated),)


def _overlapping(question: Question, stated: Stated) -> tuple[Answer, ...]:
    return (_answer(question, stated, independent=True),)


def _corrected(question: Question, stated: Stated) -> tuple[Answer, ...]:
    """Answer with the ratio that the test was given, or that of the splits."""
    written = question.options["test_train_ratio"]
    ratio = question.test_train_ratio if written is None else float(written)
    assumptions = _assumptions(stated.sd)
    if ratio is None:
        return (Answer("noncentral t", assumptions, notes=("the size of the parts is unknown",)),)
    found = _answer(question, stated, ratio=ratio)
    return (replace(found, assumptions={**assumptions, "test_train_ratio": ratio}),)


RATIO = {"test_train_ratio": AssumptionWords("test train ratio {}", "test/train")}
POWER_OF_T = PowerDeclaration(_paired, SD, of_width=True)
POWER_OF_OVERLAPPING_T = PowerDeclaration(_overlapping, SD, of_width=True)
"""That of tests which take overlapping splits as independent."""
POWER_OF_CORRECTED_T = PowerDeclaration(_corrected, {**SD, **RATIO}, of_width=True)


@cache
def _legendre_nodes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights, whose eigenvalues take longer than the integral itself."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def _noncentral_tails(df: int, shift: float, bound: float) -> float:
    """Return P(|T| > bound) for a noncentral t, T = (Z + shift) / S.

    The integral over the density of S = sqrt(chi2 / df) of both tails of Z, by Gauss and
    Legendre on pieces that part where the integrand bends. scipy.special.nctdtr has no value
    for the far tail of many a large shift.
    """
    reach = 14 / math.sqrt(2 * df)  # fourteen standard deviations of S about 1
    low, high = max(0.0, 1 - reach), 1 + reach
    bends = [(shift + z) / bound for z in (-8, -4, -2, 0, 2, 4, 8)]
    bends += [z / bound for z in (2, 5, 10)]
    ends = np.unique(np.clip([*np.linspace(low, high, 13), *bends], low, high))
    nodes, weights = _legendre_nodes(40)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (1 + nodes)).ravel()
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(constant + special.xlogy(df - 1, s) - df * s * s / 2)
    tails = special.ndtr(shift - bound * s) + special.ndtr(-shift - bound * s)
    return min(float(((half * weights).ravel() * density * tails).sum()), 1.0)
