"""What McNemar's test can show: its power for two accuracies, exact or by Connor 1987."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, cast, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.stats.distributions import normal_quantile
from evallang.stats.intervals.differences import PAIRED_INTERVALS
from evallang.stats.planned_groups import planned_groups
from evallang.stats.planned_power import (
    DISCORDANT,
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
from evallang.stats.power_of_clustered_mcnemar import clustered_answer
from evallang.stats.validation import MOST_COUNTED, word

Variant = Literal["midp", "exact", "chi2", "corrected", "textbook"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
EXACT_BELOW = 25  # discordant pairs, of the variant `textbook`; Raschka 2018, 4.4
BLOCK = 256  # numbers of discordant pairs whose critical counts are found together
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3)  # discordant examples that are looked at if none is stated
LEFT_OUT = 1e-12  # probability of numbers of discordant pairs that are not looked at


def _enumerated(variant: str) -> str:
    """Return how power was computed, for readers."""
    return f"exact enumeration, {'mid-p' if variant == 'midp' else variant}"


def mcnemar_power(
    difference: float | Literal["observed"],
    discordant: float,
    n: int,
    alpha: float = 0.05,
    *,
    method: Literal["exact", "connor"] = "exact",
    variant: Variant = "midp",
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the power of McNemar's test for a difference of two accuracies on n examples.

    `exact` adds up the probabilities of all tables that `variant` rejects; `connor` is the
    normal approximation of Connor 1987. `discordant` is the share of examples on which just
    one of the two models is right. With `one_sided` the difference has the sign of the
    alternative. Raises `ValueError` where the assumptions contradict each other, or the observed
    difference is asked for.
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
    check_side(alpha, one_sided)
    power = (
        _mcnemar_exact(abs(gap), discordant, n, alpha, variant, one_sided)
        if method == "exact"
        else _mcnemar_connor(abs(gap), discordant, n, alpha, one_sided)
    )
    return PowerAnalysis(
        "mcnemar",
        _enumerated(variant) if method == "exact" else "Connor 1987",
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
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the smallest difference that McNemar's test finds with power `target`.

    None, with a note, where even the largest difference that the share of discordant
    examples allows is not found. Raises `ValueError` as `mcnemar_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return mcnemar_power(
            gap, discordant, n, alpha, method=method, variant=variant, one_sided=one_sided
        )

    largest = f"{discordant:g} of the examples are discordant"
    return smallest_difference(at, discordant, target, largest)


def mcnemar_size(
    difference: float | Literal["observed"],
    discordant: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    method: Literal["exact", "connor"] = "exact",
    variant: Variant = "midp",
    one_sided: bool = False,
) -> PowerAnalysis:
    """Return the number of examples with which McNemar's test has power `target`.

    Exact power does not grow steadily with n: the number is the least from which on it
    stays at `target` for 5 % more examples, looked up at 200 of them at most. Raises
    `ValueError` as `mcnemar_power` does, or where more than about 17 million examples would
    be needed.
    """
    gap = stated(difference)
    checked_target(target)

    def at(n: int) -> PowerAnalysis:
        return mcnemar_power(
            gap, discordant, n, alpha, method=method, variant=variant, one_sided=one_sided
        )

    return at(least_size(lambda n: (at(n).power or 0.0) >= target, saw_toothed=method == "exact"))


def mcnemar_width(
    n: int,
    discordant: float,
    difference: float = 0.0,
    level: float = 0.95,
    interval: str = "tango",
) -> float:
    """Return the width of the paired interval that is expected of n examples, Tango's by default.

    It is that of the table of the expected counts, between whole numbers the mean of the
    neighbouring tables by their distance. Raises `ValueError` where the difference is larger
    than the share of discordant examples.
    """
    if not 0 <= abs(difference) <= discordant <= 1 or n < 1:
        raise ValueError("two accuracies differ by no more than the share of discordant examples")
    width = 0.0
    for b, near in _whole_counts(n * (discordant + difference) / 2):
        for c, too in _whole_counts(n * (discordant - difference) / 2):
            found = PAIRED_INTERVALS[interval](((max(n - b - c, 0), b), (c, 0)), level)
            if found.low is None or found.high is None:
                return math.inf
            width += near * too * (found.high - found.low)
    return width


def _whole_counts(expected: float) -> tuple[tuple[int, float], ...]:
    """Return the whole numbers around an expected count with their shares of it."""
    below = math.floor(expected)
    share = expected - below
    return ((below, 1 - share), (below + 1, share)) if share > 0 else ((below, 1.0),)


def _answers(
    question: Question, stated: Stated, variant: Variant | None = None
) -> tuple[Answer, ...]:
    """Answer for the stated share of discordant examples, or for several shares."""
    gap = stated.difference
    shares: tuple[float, ...] = SHARES if stated.discordant is None else (stated.discordant,)
    if gap is not None and stated.discordant is None:
        shares = tuple(share for share in shares if share >= abs(gap)) or (abs(gap),)
    groups = planned_groups(question, stated, several=stated.discordant is not None)
    if groups:
        return tuple(
            clustered_answer(question, stated, share, one) for share in shares for one in groups
        )
    return tuple(_answer(question, stated, share, variant) for share in shares)


def _answer(question: Question, stated: Stated, share: float, given: Variant | None) -> Answer:
    n, alpha, target, gap = question.n, question.alpha, stated.target, stated.difference
    side, options = question.one_sided, question.options
    variant = given or cast(Variant, options["method"])
    interval = str(options.get("interval", "wald"))
    found = at = None
    if n is not None:
        found = mcnemar_detectable(share, n, alpha, target, variant=variant, one_sided=side)
        if gap is not None:
            at = mcnemar_power(gap, share, n, alpha, variant=variant, one_sided=side)
    needed, notes = required_size(
        gap,
        lambda d: mcnemar_size(d, share, alpha, target, variant=variant, one_sided=side),
    )
    if found is not None:
        notes = (*notes, *found.notes)
    narrow, more = size_for_width(
        stated.width,
        lambda size: mcnemar_width(size, share, gap or 0.0, 1 - alpha, interval),
    )
    return Answer(
        _enumerated(variant),
        {"discordant": share},
        None if found is None else found.difference,
        power=None if at is None else at.power,
        required_n=needed,
        notes=(*notes, *more),
        n_for_width=narrow,
    )


POWER_OF_MCNEMAR = PowerDeclaration(
    _answers, {**DISCORDANT, **GROUPS}, form="method", of_width=True
)


POWER_OF_SWAPPED_CORRECTNESS = PowerDeclaration(
    lambda question, stated: _answers(question, stated, "exact"),
    {**DISCORDANT, **GROUPS},
    of_width=True,
)
POWER_OF_DRAWN_CORRECTNESS = PowerDeclaration(
    lambda question, stated: _answers(question, stated, "chi2"),
    {**DISCORDANT, **GROUPS},
    of_width=True,
)
"""Those of tests of any metric: swaps of right and wrong are the exact test; the bootstrap comes
close to chi-squared."""


def _mcnemar_exact(
    gap: float, discordant: float, n: int, alpha: float, variant: Variant, one_sided: bool
) -> float:
    """Add up the probabilities of all tables that are rejected, by numbers of discordant pairs."""
    spread = math.sqrt(n * discordant * (1 - discordant))
    reach = spread * normal_quantile(1 - LEFT_OUT) + 20
    low, high = (
        max(math.floor(n * discordant - reach), 0),
        min(math.ceil(n * discordant + reach), n),
    )
    pairs = np.arange(low, high + 1)
    logs = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(pairs + 1)
        - scipy.special.gammaln(n - pairs + 1)
    )
    logs = (
        logs
        + scipy.special.xlogy(pairs, discordant)
        + scipy.special.xlog1py(n - pairs, -discordant)
    )
    # On the side of the alternative a one-sided p is half of the two-sided one
    critical = _critical_counts(pairs, 2 * alpha if one_sided else alpha, variant)
    share = (discordant + gap) / (2 * discordant)
    rejected = _binomial_tail(critical, pairs, share)
    if not one_sided:
        rejected = rejected + _binomial_tail(critical, pairs, 1 - share)
    return float((np.exp(logs) * rejected).sum())


def _critical_counts(pairs: NDArray[np.int64], alpha: float, variant: Variant) -> NDArray[np.int64]:
    """Return for each of consecutive numbers of discordant pairs the smallest count rejected.

    One above the number of pairs where nothing is.
    """
    first, last = int(pairs[0]) // BLOCK, int(pairs[-1]) // BLOCK
    blocks = [_critical_block(block, alpha, variant) for block in range(first, last + 1)]
    return np.concatenate(blocks)[pairs - first * BLOCK]


@lru_cache(maxsize=1024)
def _critical_block(block: int, alpha: float, variant: Variant) -> NDArray[np.int64]:
    """Return the critical counts of a block of pairs, which the search for a size asks again."""
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
        return np.asarray(scipy.special.chdtrc(1, gap**2 / np.maximum(pairs, 1)))
    at_least = _binomial_tail(larger, pairs, 0.5)
    if variant == "exact":
        return np.minimum(2 * at_least, 1.0)
    midp = at_least + _binomial_tail(larger + 1, pairs, 0.5)
    return np.where(gap == 0, 1.0, midp)


def _binomial_tail(k: NDArray[np.int64], n: NDArray[np.int64], share: float) -> NDArray[np.float64]:
    """Return P(X >= k) for X binomial."""
    inside = (k >= 1) & (k <= n)
    tail = scipy.special.betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), share)
    return np.where(inside, tail, (k < 1).astype(np.float64))


def _mcnemar_connor(gap: float, discordant: float, n: int, alpha: float, one_sided: bool) -> float:
    """Return the normal approximation: z of the null variance against that of the alternative."""
    level = 2 * alpha if one_sided else alpha
    variance = discordant - gap * gap
    reach = gap * math.sqrt(n) - normal_quantile(1 - level) * math.sqrt(discordant)
    if variance <= 0:
        return float(reach > 0)
    return float(scipy.special.ndtr(reach / math.sqrt(variance)))
