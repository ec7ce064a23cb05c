"""What a design can show: power for a stated difference, detectable differences, sizes.

Everything is computed from assumptions that are stated before the data are seen, at the
level that one comparison of a family gets. Power at the observed difference is refused: it
is a function of p and says nothing more (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from evallang.bibliography import Reference
from evallang.frozen import frozen
from evallang.registry import lazy
from evallang.stats.distributions import normal_quantile, t_quantile
from evallang.stats.reading import LARGEST, MOST_COUNTED, SMALLEST, word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import special
else:
    np = lazy("numpy")
    special = lazy("scipy.special")

CONNOR_1987 = Reference(
    key="connor1987",
    authors=("Connor RJ",),
    year=1987,
    title="Sample size for testing differences in proportions for the paired-sample design",
    venue="Biometrics",
    volume="43(1)",
    pages="207-211",
)
HOENIG_HEISEY_2001 = Reference(
    key="hoenig2001",
    authors=("Hoenig JM", "Heisey DM"),
    year=2001,
    title="The abuse of power: the pervasive fallacy of power calculations for data analysis",
    venue="The American Statistician",
    volume="55(1)",
    pages="19-24",
)

Variant = Literal["midp", "exact", "chi2", "corrected", "textbook"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
EXACT_BELOW = 25  # discordant pairs, of the variant `textbook`; Raschka 2018, 4.4
BLOCK = 256  # numbers of discordant pairs whose critical counts are found together
MOST_N = 1 << 24  # largest sample that is searched for
LEFT_OUT = 1e-12  # probability of numbers of discordant pairs that are not looked at
BEYOND = 0.05  # share of n by which power must stay at its target
LOOKED_AT = 200  # sizes at which that is looked up


@frozen
class PowerAnalysis:
    """Power for one set of assumptions; what is undefined or out of reach is None.

    Attributes
    ----------
    test : name of the test
    method : how power was computed
    n : examples, folds or data sets
    difference : true difference that is assumed, or the smallest that can be detected
    power : probability of rejecting at `alpha`, two-sided
    alpha : level of one comparison, after the correction
    assumptions : what else is assumed
    mc_se : Monte Carlo error of the power where it is simulated
    notes : what a reader must know
    """

    test: str
    method: str
    n: int | None
    difference: float | None
    power: float | None
    alpha: float
    assumptions: Mapping[str, float | int | str] = field(default_factory=dict)
    mc_se: float | None = None
    notes: tuple[str, ...] = ()


def corrected_alpha(
    alpha: float,
    comparisons: int,
    correction: Literal["bonferroni", "sidak", "holm", "uncorrected"] = "holm",
) -> float:
    """Give the level at which one comparison of a family is sure to be decided.

    alpha / m for Bonferroni and, as its strictest step, Holm; 1 - (1 - alpha)^(1/m) for
    Šidák. Raises `ValueError` where there is no comparison or `alpha` is no probability.
    """
    word(correction, ("bonferroni", "sidak", "holm", "uncorrected"), "correction")
    if not 1 <= comparisons < math.inf or not 0 < alpha < 1:
        raise ValueError("a level lies between 0 and 1, and a family has one comparison or more")
    if correction == "uncorrected":
        return alpha
    if correction == "sidak":
        return -math.expm1(math.log1p(-alpha) / comparisons)
    return alpha / comparisons


def mcnemar_power(
    difference: float | Literal["observed"],
    discordant: float,
    n: int,
    alpha: float = 0.05,
    *,
    method: Literal["exact", "connor"] = "exact",
    variant: Variant = "midp",
) -> PowerAnalysis:
    """Give the power of McNemar's test for a difference of two accuracies on n examples.

    `exact` adds up the probabilities of all tables that `variant` rejects; `connor` is the
    normal approximation of Connor 1987. `discordant` is the share of examples on which just
    one of the two models is right. Raises `ValueError` where the assumptions contradict
    each other, or the observed difference is asked for.
    """
    gap = stated(difference)
    word(method, ("exact", "connor"), "method")
    word(variant, VARIANTS, "variant")
    if not 0 < discordant <= 1 or abs(gap) > discordant:
        raise ValueError(
            "the difference of two accuracies is at most the share of discordant examples, "
            "which lies between 0 and 1"
        )
    if not 0 <= n <= MOST_COUNTED or not 0 < alpha < 1:
        raise ValueError("a sample has 0 examples or more, and a level lies between 0 and 1")
    power = (
        _mcnemar_exact(abs(gap), discordant, n, alpha, variant)
        if method == "exact"
        else _mcnemar_connor(abs(gap), discordant, n, alpha)
    )
    return PowerAnalysis(
        "mcnemar",
        f"exact enumeration, {variant}" if method == "exact" else "Connor 1987",
        n,
        gap,
        power,
        alpha,
        {"discordant": discordant},
    )


def mcnemar_detectable(
    discordant: float,
    n: int,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    method: Literal["exact", "connor"] = "exact",
    variant: Variant = "midp",
) -> PowerAnalysis:
    """Give the smallest difference that McNemar's test finds with power `target`.

    None, with a note, where even the largest difference that the share of discordant
    examples allows is not found. Raises `ValueError` as `mcnemar_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return mcnemar_power(gap, discordant, n, alpha, method=method, variant=variant)

    return _smallest(at, discordant, target, f"{discordant:g} of the examples are discordant")


def mcnemar_size(
    difference: float | Literal["observed"],
    discordant: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    method: Literal["exact", "connor"] = "exact",
    variant: Variant = "midp",
) -> PowerAnalysis:
    """Give the number of examples with which McNemar's test has power `target`.

    Exact power does not grow steadily with n: the number is the least from which on it
    stays at `target` for 5 % more examples, looked up at 200 of them at most. Raises
    `ValueError` as `mcnemar_power` does, or where more than about 17 million examples would
    be needed.
    """
    gap = stated(difference)
    checked_target(target)

    def enough(n: int) -> bool:
        found = mcnemar_power(gap, discordant, n, alpha, method=method, variant=variant)
        return found.power is not None and found.power >= target

    n = _least_size(enough, saw_toothed=method == "exact")
    return mcnemar_power(gap, discordant, n, alpha, method=method, variant=variant)


def t_power(
    difference: float | Literal["observed"],
    sd: float,
    n: int,
    alpha: float = 0.05,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Give the power of a paired t test of n differences with standard deviation `sd`.

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
    """Give the smallest mean difference that a paired t test finds with power `target`.

    Raises `ValueError` as `t_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)

    checked_target(target)
    t_power(0.0, sd, n, alpha, test_train_ratio=test_train_ratio)  # refuses what it cannot take
    most = sd * math.sqrt(1 / n + test_train_ratio)
    while (at(most).power or 0.0) < target:
        most *= 2
    return _smallest(at, most, target, "")


def t_size(
    difference: float | Literal["observed"],
    sd: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Give the number of differences with which a paired t test has power `target`.

    With a `test_train_ratio` no number may be enough: more splits of the same rows tell ever
    less. Raises `ValueError` as `t_power` does, or where more than about 17 million would be
    needed.
    """
    gap = stated(difference)
    checked_target(target)

    def enough(n: int) -> bool:
        found = t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)
        return (found.power or 0.0) >= target

    n = _least_size(enough, saw_toothed=False)
    return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)


def stated(difference: float | str) -> float:
    """Refuse what is no stated difference, the observed one by name."""
    if isinstance(difference, str):
        raise ValueError(
            "power at the observed difference says no more than p (Hoenig & Heisey 2001): state "
            "the smallest difference that would matter"
        )
    if not math.isfinite(difference):
        raise ValueError("the difference is a finite number")
    return float(difference)


def _mcnemar_exact(gap: float, discordant: float, n: int, alpha: float, variant: Variant) -> float:
    """Add up the probabilities of all tables that are rejected, by numbers of discordant pairs."""
    spread = math.sqrt(n * discordant * (1 - discordant))
    reach = spread * normal_quantile(1 - LEFT_OUT) + 20
    low, high = (
        max(math.floor(n * discordant - reach), 0),
        min(math.ceil(n * discordant + reach), n),
    )
    pairs = np.arange(low, high + 1)
    logs = special.gammaln(n + 1) - special.gammaln(pairs + 1) - special.gammaln(n - pairs + 1)
    logs = logs + special.xlogy(pairs, discordant) + special.xlog1py(n - pairs, -discordant)
    critical = _critical_counts(pairs, alpha, variant)
    share = (discordant + gap) / (2 * discordant)
    rejected = _binomial_tail(critical, pairs, share) + _binomial_tail(critical, pairs, 1 - share)
    return float((np.exp(logs) * rejected).sum())


def _critical_counts(pairs: NDArray[np.int64], alpha: float, variant: Variant) -> NDArray[np.int64]:
    """Give for each of consecutive numbers of discordant pairs the smallest count rejected.

    One above the number of pairs where nothing is.
    """
    first, last = int(pairs[0]) // BLOCK, int(pairs[-1]) // BLOCK
    blocks = [_critical_block(block, alpha, variant) for block in range(first, last + 1)]
    return np.concatenate(blocks)[pairs - first * BLOCK]


@lru_cache(maxsize=1024)
def _critical_block(block: int, alpha: float, variant: Variant) -> NDArray[np.int64]:
    """Give the critical counts of a block of pairs, which the search for a size asks again."""
    pairs = np.arange(block * BLOCK, (block + 1) * BLOCK)
    low, high = pairs // 2, pairs + 1  # a table with b = c is never rejected
    while (high - low > 1).any():
        middle = (low + high) // 2
        rejected = _mcnemar_p(middle, pairs, variant) <= alpha
        high = np.where(rejected, middle, high)
        low = np.where(rejected, low, middle)
    return high


def _mcnemar_p(
    larger: NDArray[np.int64], pairs: NDArray[np.int64], variant: Variant
) -> NDArray[np.float64]:
    if variant == "textbook":
        few, many = (_mcnemar_p(larger, pairs, name) for name in ("exact", "corrected"))
        return np.where(pairs < EXACT_BELOW, few, many)
    gap = np.maximum(2 * larger - pairs, 0)
    if variant in ("chi2", "corrected"):
        gap = np.maximum(gap - 1, 0) if variant == "corrected" else gap
        return np.asarray(special.chdtrc(1, gap**2 / np.maximum(pairs, 1)))
    at_least = _binomial_tail(larger, pairs, 0.5)
    if variant == "exact":
        return np.minimum(2 * at_least, 1.0)
    midp = at_least + _binomial_tail(larger + 1, pairs, 0.5)
    return np.where(gap == 0, 1.0, midp)


def _binomial_tail(k: NDArray[np.int64], n: NDArray[np.int64], share: float) -> NDArray[np.float64]:
    """Give P(X >= k) for X binomial."""
    inside = (k >= 1) & (k <= n)
    tail = special.betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), share)
    return np.where(inside, tail, (k < 1).astype(np.float64))


def _mcnemar_connor(gap: float, discordant: float, n: int, alpha: float) -> float:
    """Give the normal approximation: z of the null variance against that of the alternative."""
    variance = discordant - gap * gap
    reach = gap * math.sqrt(n) - normal_quantile(1 - alpha) * math.sqrt(discordant)
    if variance <= 0:
        return float(reach > 0)
    return float(special.ndtr(reach / math.sqrt(variance)))


def _noncentral_tails(df: int, shift: float, bound: float) -> float:
    """Give P(|T| > bound) for a noncentral t, T = (Z + shift) / S.

    The integral over the density of S = sqrt(chi2 / df) of both tails of Z, by Gauss and
    Legendre on pieces that part where the integrand bends. scipy.special.nctdtr has no value
    for the far tail of many a large shift.
    """
    reach = 14 / math.sqrt(2 * df)  # fourteen standard deviations of S about 1
    low, high = max(0.0, 1 - reach), 1 + reach
    bends = [(shift + z) / bound for z in (-8, -4, -2, 0, 2, 4, 8)]
    bends += [z / bound for z in (2, 5, 10)]
    ends = np.unique(np.clip([*np.linspace(low, high, 13), *bends], low, high))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (1 + nodes)).ravel()
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(constant + special.xlogy(df - 1, s) - df * s * s / 2)
    tails = special.ndtr(shift - bound * s) + special.ndtr(-shift - bound * s)
    return min(float(((half * weights).ravel() * density * tails).sum()), 1.0)


def _smallest(
    at: Callable[[float], PowerAnalysis], most: float, target: float, largest: str
) -> PowerAnalysis:
    """Find the smallest difference with power `target` by bisection."""
    checked_target(target)
    found = at(most)
    if found.power is None or found.power < target:
        notes = (f"no difference is found with power {target:g}: {largest}",)
        return PowerAnalysis(
            found.test,
            found.method,
            found.n,
            None,
            None,
            found.alpha,
            found.assumptions,
            None,
            notes,
        )
    low, high = 0.0, most
    while high - low > 1e-9 * most:
        middle = (low + high) / 2
        if (at(middle).power or 0.0) >= target:
            high = middle
        else:
            low = middle
    return at(high)


def checked_target(target: float) -> None:
    """Raise `ValueError` where `target` is no power."""
    if not 0 < target < 1:
        raise ValueError("a power lies between 0 and 1")


def _least_size(enough: Callable[[int], bool], *, saw_toothed: bool) -> int:
    """Find the smallest size that is enough; with a saw-toothed power, and stays so for 5 %."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_N:
            raise ValueError(f"more than {MOST_N:,} would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    if not saw_toothed:
        return high
    # A tooth is as wide as it takes the number of discordant pairs to grow by two or so
    size, step = high, max(1, round(high * BEYOND / LOOKED_AT))
    while size <= high * (1 + BEYOND) + 4:
        if not enough(size):
            high = size + 1
        size += step
    return high
