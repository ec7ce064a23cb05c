"""What a paired t test can show, the corrected resampled one too: the noncentral t."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

import numpy as np
import scipy
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.clusters import degrees_of_sizes
from evallang.stats.distributions import t_quantile
from evallang.stats.planned_groups import (
    MOST_GROUPS,
    PlannedGroups,
    examples_of,
    group_notes,
    number_of_groups,
    planned_groups,
)
from evallang.stats.planned_power import (
    GROUPS,
    SD,
    Answer,
    PowerDeclaration,
    Question,
    Sizes,
    Stated,
)
from evallang.stats.power import (
    MOST_N,
    PowerAnalysis,
    check_side,
    checked_target,
    gap_in_unit,
    least_size,
    required_size,
    size_for_width,
    smallest_difference,
    stated,
)
from evallang.stats.validation import LARGEST, MOST_COUNTED, SMALLEST

INDEPENDENT_IN_TIME = (
    "for differences that are independent in time; positive dependence takes more of them"
)


def t_power(
    difference: float | Literal["observed"],
    sd: float,
    n: int,
    alpha: float = 0.05,
    *,
    test_train_ratio: float = 0.0,
    one_sided: bool = False,
    groups: Sizes = (),
    icc: float = 0.0,
) -> PowerAnalysis:
    """Return the power of a paired t test of n differences with standard deviation `sd`.

    `sd` is that of the differences of one study, as the test sees it. The noncentral t
    distribution with n - 1 degrees of freedom and noncentrality
    difference / (sd sqrt(1/n + ratio)); `test_train_ratio` makes it that of `corrected_t`,
    where it is exact if folds correlate as that test assumes. With `one_sided` the difference has
    the sign of the alternative. Where the differences come in `groups`, sizes with the number of
    groups of each, 1/n is multiplied by the design effect 1 + (Σ s² / n - 1) `icc`, and the
    degrees of freedom are those of the clustered test. Raises `ValueError` where `sd` is not
    positive, n below 2, or the observed difference is asked for.
    """
    gap = stated(difference)
    check_side(alpha, one_sided)
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
    effect, df = _effect_and_degrees(n, groups, icc)
    shift = abs(gap) / (sd * math.sqrt(effect / n + test_train_ratio))
    bound = t_quantile(1 - (2 * alpha if one_sided else alpha), df)
    power = _noncentral_tails(df, shift, bound, one_sided)
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
    sd: float,
    n: int,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    test_train_ratio: float = 0.0,
    one_sided: bool = False,
    groups: Sizes = (),
    icc: float = 0.0,
) -> PowerAnalysis:
    """Return the smallest mean difference that a paired t test finds with power `target`.

    Raises `ValueError` as `t_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return t_power(
            gap,
            sd,
            n,
            alpha,
            test_train_ratio=test_train_ratio,
            one_sided=one_sided,
            groups=groups,
            icc=icc,
        )

    checked_target(target)
    at(0.0)  # refuses what it cannot take
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
    one_sided: bool = False,
    groups: Sizes = (),
    icc: float = 0.0,
) -> PowerAnalysis:
    """Return the number of differences with which a paired t test has power `target`.

    With a `test_train_ratio` no number may be enough: more splits of the same rows tell ever
    less. Of `groups` the proportions of their sizes are kept. Raises `ValueError` as `t_power`
    does, or where more than about 17 million would be needed.
    """
    gap = stated(difference)
    checked_target(target)
    planned = PlannedGroups(groups, icc) if groups else None

    def at(count: int) -> PowerAnalysis:
        sizes = () if planned is None else planned.sizes(count)
        n = count if planned is None else examples_of(sizes)
        return t_power(
            gap,
            sd,
            n,
            alpha,
            test_train_ratio=test_train_ratio,
            one_sided=one_sided,
            groups=sizes,
            icc=icc,
        )

    most = MOST_N if planned is None else MOST_GROUPS
    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=False, most=most))


def t_width(
    n: int,
    sd: float,
    level: float = 0.95,
    *,
    test_train_ratio: float = 0.0,
    groups: Sizes = (),
    icc: float = 0.0,
) -> float:
    """Return the width of the t interval of a mean of n differences with standard deviation `sd`.

    About half of all studies have a wider one, because theirs is estimated.
    """
    if n < 2 or (groups and sum(count for _, count in groups) < 2):
        return math.inf
    effect, df = _effect_and_degrees(n, groups, icc)
    return 2 * t_quantile(level, df) * sd * math.sqrt(effect / n + test_train_ratio)


def _answer(
    question: Question, stated: Stated, *, ratio: float = 0.0, independent: bool = False
) -> Answer:
    """Answer for the stated standard deviation, or in its unit."""
    n, alpha, target, sd = question.n, question.alpha, stated.target, stated.sd
    side = question.one_sided
    unit = 1.0 if sd is None else sd
    found = at = None
    asked, notes = gap_in_unit(stated.difference, sd)
    if n is not None and n >= 2:
        found = t_detectable(
            unit, n, alpha, target, test_train_ratio=ratio, one_sided=side
        ).difference
        if asked is not None:
            at = t_power(asked, unit, n, alpha, test_train_ratio=ratio, one_sided=side).power
    needed, more = required_size(
        asked,
        lambda d: t_size(d, unit, alpha, target, test_train_ratio=ratio, one_sided=side),
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
        found,
        power=at,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more),
        n_for_width=narrow,
    )


def _clustered_answer(question: Question, stated: Stated, groups: PlannedGroups) -> Answer:
    """Answer for differences in groups, with the design effect and the degrees of the test."""
    n, alpha, target, sd = question.n, question.alpha, stated.target, stated.sd
    side, icc = question.one_sided, groups.icc
    unit = 1.0 if sd is None else sd
    found = at = None
    asked, notes = gap_in_unit(stated.difference, sd)
    sizes = () if n is None else groups.sizes_of(n)
    examples = examples_of(sizes)
    if number_of_groups(sizes) >= 2:
        found = t_detectable(
            unit, examples, alpha, target, one_sided=side, groups=sizes, icc=icc
        ).difference
        if asked is not None:
            at = t_power(asked, unit, examples, alpha, one_sided=side, groups=sizes, icc=icc).power
    needed, more = required_size(
        asked, lambda d: t_size(d, unit, alpha, target, one_sided=side, groups=groups.mix, icc=icc)
    )

    def wide(count: int) -> float:
        mixed = groups.sizes(count)
        return t_width(examples_of(mixed), unit, 1 - alpha, groups=mixed, icc=icc)

    narrow, too_wide = size_for_width(stated.width, wide, MOST_GROUPS)
    return Answer(
        "noncentral t with the design effect of the groups",
        {**_assumptions(sd), **groups.assumed},
        found,
        power=at,
        required_n=needed,
        in_sd=sd is None,
        notes=(*notes, *more, *too_wide, *group_notes(question)),
        n_for_width=None if narrow is None else examples_of(groups.sizes(narrow)),
    )


def _assumptions(sd: float | None) -> dict[str, float | int | str]:
    return {} if sd is None else {"sd": sd}


def _paired(question: Question, stated: Stated) -> tuple[Answer, ...]:
    groups = planned_groups(question, stated, several=True)
    if groups:
        return tuple(_clustered_answer(question, stated, one) for one in groups)
    return (_answer(question, stated),)


def _series(question: Question, stated: Stated) -> tuple[Answer, ...]:
    found = _answer(question, stated)
    return (replace(found, notes=(*found.notes, INDEPENDENT_IN_TIME)),)


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
POWER_OF_T = PowerDeclaration(_paired, {**SD, **GROUPS}, of_width=True)
POWER_OF_SERIES = PowerDeclaration(_series, SD, of_width=True)
POWER_OF_OVERLAPPING_T = PowerDeclaration(_overlapping, SD, of_width=True)
"""That of tests which take overlapping splits as independent."""
POWER_OF_CORRECTED_T = PowerDeclaration(_corrected, {**SD, **RATIO}, of_width=True)


@cache
def _legendre_nodes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights, whose eigenvalues take longer than the integral itself."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights


def _effect_and_degrees(n: int, groups: Sizes, icc: float) -> tuple[float, float]:
    """Return the design effect and the degrees of freedom of the variance of a mean."""
    if not groups:
        return 1.0, n - 1
    sizes, counts = (np.array(column, dtype=np.float64) for column in zip(*groups, strict=True))
    if counts.sum() < 2:
        raise ValueError("a clustered test takes two groups or more")
    effect = 1 + (float((sizes**2 * counts).sum()) / n - 1) * icc
    return effect, degrees_of_sizes(np.repeat(sizes, counts.astype(np.int64)))


def _noncentral_tails(df: float, shift: float, bound: float, one_sided: bool) -> float:
    """Return P(|T| > bound), or P(T > bound), for a noncentral t, T = (Z + shift) / S.

    scipy.special.nctdtr has no value for the far tail of many a large shift.
    """

    def tails(s: NDArray[np.float64]) -> NDArray[np.float64]:
        upper = scipy.special.ndtr(shift - bound * s)
        return np.asarray(upper if one_sided else upper + scipy.special.ndtr(-shift - bound * s))

    bends = [(shift + z) / bound for z in (-8, -4, -2, 0, 2, 4, 8)]
    return noncentral_share(df, tails, [*bends, *(z / bound for z in (2, 5, 10))])


def noncentral_share(
    df: float,
    given: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    bends: Sequence[float],
) -> float:
    """Return the mean of what is rejected given S = sqrt(chi2 / df), over its density.

    By Gauss and Legendre on pieces that part where the integrand bends.
    """
    reach = 14 / math.sqrt(2 * df)  # fourteen standard deviations of S about 1
    low, high = max(0.0, 1 - reach), 1 + reach
    ends = np.unique(np.clip([*np.linspace(low, high, 13), *bends], low, high))
    nodes, weights = _legendre_nodes(40)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (1 + nodes)).ravel()
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(constant + scipy.special.xlogy(df - 1, s) - df * s * s / 2)
    return min(float(((half * weights).ravel() * density * given(s)).sum()), 1.0)
