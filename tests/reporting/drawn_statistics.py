"""Statistics of the drawn results, by scipy and statsmodels: never by evallang.stats."""

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace
from scipy import optimize, stats

from evallang.results.records import (
    Difference,
    Effect,
    FitCounts,
    GitState,
    HypothesisTestResult,
    Interval,
    Provenance,
    SimultaneousInterval,
)

ALPHA = 0.05


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Give statsmodels' Wilson interval."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    return Interval("wilson", level, float(low), float(high))


def bonett_price(b: int, c: int, n: int, level: float) -> tuple[float, float]:
    """Give Bonett and Price's (2012) adjusted Wald interval of (b - c) / n."""
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = stats.norm.ppf((1 + level) / 2) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    return p12 - p21 - half, p12 - p21 + half


def odds_ratio(b: int, c: int, level: float) -> Effect:
    """Give b / c with the interval that Clopper and Pearson's for b / (b + c) implies."""
    if b + c == 0:
        return Effect("odds ratio", None, 0.0, math.inf, "odds", False)
    low = stats.beta.ppf((1 - level) / 2, b, c + 1) if b else 0.0
    high = stats.beta.ppf((1 + level) / 2, b + 1, c) if c else 1.0
    bound = [float(x / (1 - x)) if x < 1 else math.inf for x in (low, high)]
    return Effect("odds ratio", b / c if c else math.inf, *bound, "odds", False)


@cache
def detectable(n: int, discordant: int, alpha: float) -> dict[str, Any]:
    """Give the difference that the mid-p test finds with 80 % power, by scipy's binomials.

    The probability is the sum over the numbers of discordant examples that occur.
    """
    share = discordant / n
    weights = stats.binom.pmf(np.arange(n + 1), n, share)
    rejected = []
    for m in range(n + 1):
        b = np.arange(m + 1)
        exact = 2 * stats.binom.sf(np.maximum(b, m - b) - 1, m, 0.5)
        half = stats.binom.pmf(b, m, 0.5)
        rejected.append(np.where(2 * b == m, 1 - half / 2, exact - half) <= alpha)

    def power(difference: float) -> float:
        first = (1 + difference / share) / 2
        likely = (m for m in range(n + 1) if weights[m] > 1e-12)
        found = (
            weights[m] * stats.binom.pmf(np.arange(m + 1), m, first)[rejected[m]].sum()
            for m in likely
        )
        return float(sum(found))

    known = power(share) >= 0.8 if discordant else False
    smallest = optimize.brentq(lambda d: power(d) - 0.8, 0, share) if known else None
    return {
        "detectable": smallest,
        "detectable_alpha": alpha,
        "detectable_n": n,
        "assumed": {"discordant": share},
    }


def mcnemar(models: tuple[str, str], a: int, b: int, c: int, d: int) -> HypothesisTestResult:
    """Give McNemar's mid-p test (Fagerland, Lydersen, Laake 2013, eq. 6) by scipy's binomial."""
    n, m = a + b + c + d, b + c
    exact = min(1.0, 2 * float(stats.binom.sf(max(b, c) - 1, m, 0.5)))
    half = float(stats.binom.pmf(b, m, 0.5))
    p = exact - half if b != c else 1 - half / 2
    low, high = bonett_price(b, c, n, 0.95)
    return HypothesisTestResult(
        "mcnemar",
        "mid-p",
        "the k fitted models of the two have the same average error",
        p=min(p, 1.0),
        models=models,
        estimate=Difference("difference in accuracy", (b - c) / n, low, high, 0.95, "bonett_price"),
        effects=(odds_ratio(b, c, 0.95),),
        table=((a, b), (c, d)),
        extra={"p_exact": exact, **(detectable(n, m, ALPHA) if m else {})},
    )


def holm(
    pairs: Sequence[HypothesisTestResult], alpha: float = ALPHA
) -> tuple[HypothesisTestResult, ...]:
    """Adjust by statsmodels' Holm, and add the Bonferroni intervals at 1 - alpha / m."""
    from statsmodels.stats.multitest import multipletests

    reject, adjusted, _, _ = multipletests([pair.p for pair in pairs], alpha, "holm")
    level = 1 - alpha / len(pairs)
    made = []
    for pair, p, rejected in zip(pairs, adjusted, reject, strict=True):
        assert pair.table is not None
        (a, b), (c, d) = pair.table
        low, high = bonett_price(b, c, a + b + c + d, level)
        simultaneous = SimultaneousInterval(low, high, 1 - alpha, "Bonferroni, conservative")
        one = detectable(a + b + c + d, b + c, alpha / len(pairs)) if b + c else {}
        made.append(
            replace(
                pair,
                p_adjusted=float(p),
                reject=bool(rejected),
                simultaneous=simultaneous,
                extra={**pair.extra, **one},
            )
        )
    return tuple(made)


def provenance(**changes: Any) -> Provenance:
    """Give a provenance; `changes` replace its fields."""
    made = Provenance(
        "0.1.0",
        "3.11.2",
        {"numpy": "2.4.6", "scikit-learn": "1.9.1", "scipy": "1.17.1"},
        "Linux-6.1-x86_64",
        "x86_64, AVX2",
        GitState("0123456789abcdef0123456789abcdef01234567", False),
        "evallang run study.eval",
        "2026-01-20T09:30:00Z",
        12.3,
        FitCounts(40, 40, 0, 0),
    )
    return replace(made, **changes)


def digest(text: str) -> str:
    """Give a SHA-256 that belongs to a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def corrected_t(values: Any, level: float) -> tuple[float, float]:
    """Give Nadeau and Bengio's interval (2003, eq. 9) by scipy's t."""
    j = len(values)
    se = math.sqrt(float(np.var(values, ddof=1)) * (1 / j + 44 / 398))
    t = float(stats.t.ppf((1 + level) / 2, j - 1))
    return float(np.mean(values)) - t * se, float(np.mean(values)) + t * se
