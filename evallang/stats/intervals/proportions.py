"""Intervals for one proportion: successes of n independent trials."""

from __future__ import annotations

from functools import lru_cache

import scipy

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Interval
from evallang.stats.distributions import checked_level, normal_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import MOST_COUNTED
from evallang.stats.validity import ENOUGH_GROUPS, OF_SIZES, Counted, Holds

FROM_COUNTS = frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS, Evidence.SHARES})
CHAPTER_2 = (
    "13 of 16, R package contingencytables, tests/testthat/test-ch2.R (Fagerland, Lydersen "
    "& Laake 2017, chapter 2)"
)
R_BINOM = (
    "4 of 200, computed with R package binom: statsmodels 0.15.0, "
    "stats/tests/results/results_proportion.py"
)


def _bounds(low: float, high: float) -> dict[str, float]:
    return {"low": low, "high": high}


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        default_for=frozenset({"proportion"}),
        clustered=True,
        weights=True,
        # Otherwise it covers close to its level (Brown, Cai & DasGupta 2001)
        holds=(
            Holds(Counted.WEIGHTED, 50, "95% intervals covered 85 to 97% in simulations"),
            Holds(Counted.GROUPS, ENOUGH_GROUPS, "95% intervals covered 90 to 99% in simulations"),
            OF_SIZES,
        ),
        when=("the metric is a proportion of independent trials, of any size and also near 0 or 1"),
        when_not="a guarantee of at least the nominal level is needed: clopper_pearson",
        formula=(
            "all proportions p for which the one observed lies within z standard errors, the "
            "standard error taken at p"
        ),
        differs={
            "statsmodels": (
                "proportion_confint has method='normal' as its default, which is wald; its "
                "method='wilson' is the same as here"
            ),
            "Kish 1965": (
                "with groups the number of examples is divided by the design effect, which is "
                "not taken below 1: groups whose examples are more unlike than chance would "
                "count as more examples than there are. Two right or wrong answers a group that "
                "always disagree have a design effect of 0, and count as the rows themselves"
            ),
        },
    ),
    title="Wilson score interval",
    references=(cite("wilson1927"), cite("brown2001")),
    examples=(
        Example((13, 16, 0.95), _bounds(0.5699, 0.9341), CHAPTER_2, 5e-5),
        Example((4, 200, 0.95), _bounds(0.00780442641634947, 0.05028708690582643), R_BINOM, 1e-12),
    ),
)
def wilson(successes: int, n: int, level: float) -> Interval:
    """Score interval for a proportion, close to its nominal level for every n.

    The set of proportions that a score test does not reject (Brown, Cai & DasGupta 2001,
    eq. 4). Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked(successes, n, level)
    if total == 0:
        return _undefined("wilson", level)
    return Interval("wilson", level, *score_bounds(x / total, total, z))


def score_bounds(share: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's bounds, also for an effective number of trials with decimals."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    # At the ends the bound is 0 or 1 exactly, which rounding may miss
    low = 0.0 if share <= 0 else max(centre - half, 0.0)
    return low, 1.0 if share >= 1 else min(centre + half, 1.0)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="its level is guaranteed at every number of trials",
        when="the level must be guaranteed whatever the true proportion",
        when_not="in routine use, because it is wider than necessary: wilson",
        formula=(
            "the proportions under which neither as many successes or more, nor as few or "
            "fewer, has a chance below half of 1 - level"
        ),
    ),
    title="Clopper-Pearson exact interval",
    references=(cite("clopper1934"), cite("brown2001")),
    examples=(
        Example((13, 16, 0.95), _bounds(0.5435, 0.9595), CHAPTER_2, 5e-5),
        Example((4, 200, 0.95), _bounds(0.005475565879556443, 0.05041360908989634), R_BINOM, 1e-12),
    ),
)
def clopper_pearson(successes: int, n: int, level: float) -> Interval:
    """Exact interval for a proportion, which never covers less than its level.

    Inverts two one-sided binomial tests. Raises `ValueError` where 0 <= successes <= n does
    not hold.
    """
    x, total, _ = _checked(successes, n, level)
    if total == 0:
        return _undefined("clopper_pearson", level)
    return _clipped("clopper_pearson", level, *exact_bounds(x, total, level))


@lru_cache(1024)  # two effects of a pair have the same
def exact_bounds(successes: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's bounds, also for an effective number of trials with decimals.

    `n` is above 0.
    """
    tail = (1 - level) / 2
    low = (
        0.0
        if successes <= 0
        else float(scipy.special.betaincinv(successes, n - successes + 1, tail))
    )
    high = (
        1.0
        if successes >= n
        else float(scipy.special.betainccinv(successes + 1, n - successes, tail))
    )
    return low, high


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="it covers 95 % or more at every number of trials (Brown, Cai & DasGupta 2001)",
        when="you need a formula that can be checked by hand",
        when_not=(
            "the proportion is near 0 or 1, where it is wider than wilson and truncated: wilson"
        ),
        formula=(
            "add z²/2 successes and z²/2 failures; the new proportion ± z times the root of "
            "it times 1 less it, over the new number of trials"
        ),
    ),
    title="Agresti-Coull interval",
    references=(cite("agresti1998"), cite("brown2001")),
    examples=(
        Example((4, 200, 0.95), _bounds(0.005991954548218395, 0.0520995587739575), R_BINOM, 1e-12),
    ),
)
def agresti_coull(successes: int, n: int, level: float) -> Interval:
    """Wald interval after adding z²/2 successes and z²/2 failures.

    Brown, Cai & DasGupta 2001; adding 2 and 2, as is often printed, is its rounding
    at 95 %. Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked(successes, n, level)
    if total == 0:
        return _undefined("agresti_coull", level)
    centre = (x + z * z / 2) / (total + z * z)
    half = z * (centre * (1 - centre) / (total + z * z)) ** 0.5
    return _clipped("agresti_coull", level, centre - half, centre + half)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="it covers close to its level at every number of trials (Brown, Cai & DasGupta 2001)",
        when="you need a Bayesian interpretation with a non-informative prior",
        when_not="the level must be guaranteed: clopper_pearson",
        formula=(
            "the middle share `level` of the beta distribution with successes + ½ and failures + ½"
        ),
    ),
    title="Jeffreys interval",
    references=(cite("brown2001"),),
    examples=(Example((13, 16, 0.95), _bounds(0.5792, 0.9442), CHAPTER_2, 5e-5),),
)
def jeffreys(successes: int, n: int, level: float) -> Interval:
    """Equal-tailed posterior interval for a proportion under Jeffreys' prior Beta(½, ½).

    The lower bound is 0 for no success and the upper 1 for no failure (Brown, Cai &
    DasGupta 2001). Raises `ValueError` where 0 <= successes <= n does not
    hold.
    """
    x, total, _ = _checked(successes, n, level)
    if total == 0:
        return _undefined("jeffreys", level)
    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(scipy.special.betaincinv(x + 0.5, total - x + 0.5, tail))
    high = 1.0 if x == total else float(scipy.special.betainccinv(x + 0.5, total - x + 0.5, tail))
    return _clipped("jeffreys", level, low, high)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        advised_against="its coverage is erratic and too low, and near 0 or 1 it has no width "
        "or leaves the range",
        advised_by="Brown, Cai & DasGupta 2001",
        holds="no number of trials decides: it is advised against at every one",
        when="you reproduce a published table",
        when_not="in all other cases: wilson",
        formula="the proportion ± z times the root of it times 1 less it, over n",
    ),
    title="Wald interval (normal approximation)",
    references=(cite("raschka2018"), cite("brown2001")),
    examples=(
        Example((4, 200, 0.95), _bounds(0.000597346459104517, 0.0394026535408955), R_BINOM, 1e-12),
    ),
)
def wald(successes: int, n: int, level: float) -> Interval:
    """Normal approximation p ± z sqrt(p(1 - p)/n), cut at 0 and 1.

    Raschka 2018, section 1.7. Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked(successes, n, level)
    if total == 0:
        return _undefined("wald", level)
    share = x / total
    half = z * (share * (1 - share) / total) ** 0.5
    notes = ("no width: the approximation fails at 0 and 1",) if x in (0, total) else ()
    return _clipped("wald", level, share - half, share + half, notes)


def _checked(successes: int, n: int, level: float) -> tuple[int, int, float]:
    try:
        x, total = int(successes), int(n)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{successes} of {n} is not a count of successes among trials") from None
    if x != successes or total != n or not 0 <= x <= total or total > MOST_COUNTED:
        raise ValueError(f"{successes} of {n} is not a count of successes among trials up to 2^53")
    return x, total, normal_quantile(level)


def _clipped(
    method: str, level: float, low: float, high: float, notes: tuple[str, ...] = ()
) -> Interval:
    return Interval(method, level, max(low, 0.0), min(high, 1.0), notes)


def _undefined(method: str, level: float) -> Interval:
    return Interval(method, checked_level(level), None, None, ("no trials",))
