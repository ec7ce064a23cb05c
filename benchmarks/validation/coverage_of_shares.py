"""Coverage of intervals for one proportion and for paired differences, over all tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    at_least,
    below,
    computed,
    held,
)
from evallang.results.statistics import Interval
from evallang.stats.intervals.interval import INTERVALS

ONE = Section(
    "shares",
    "Coverage: intervals for a proportion",
    "Coverage is summed over all counts of n independent examples, for 199 true proportions "
    "from .005 to .995, without Monte Carlo error. `wilson` is the default for one test set; "
    "`wald` causes a warning.",
    ("interval", "n"),
    ("mean over shares", "smallest"),
)
PAIRED = Section(
    "paired",
    "Coverage: intervals for a paired difference of accuracies",
    "Coverage is summed over all tables of n examples, for 25 pairs of probabilities that only "
    "one model is right, from .02 to .4. `tango` is the default.",
    ("interval", "n"),
    ("mean over pairs", "smallest"),
)
APART = Section(
    "independent",
    "Coverage: intervals for a difference of accuracies on separate examples",
    "Coverage is summed over all pairs of counts of n and m independent examples, for 361 pairs "
    "of true proportions from .05 to .95. `newcombe_independent` is the interval of "
    "`proportions_z` for shares.",
    ("interval", "n, m"),
    ("mean over pairs", "smallest"),
)
SHARES = np.linspace(0.005, 0.995, 199)
ALONE = (0.02, 0.05, 0.1, 0.2, 0.4)
OF_ONE: Mapping[str, tuple[Claim, ...]] = {
    "wilson": (Claim("95 %, within 1", 0.94, 0.96),),
    "clopper_pearson": (at_least(LEVEL), at_least(LEVEL)),
    "agresti_coull": (at_least(LEVEL),),
    "jeffreys": (Claim("95 %, within 1", 0.94, 0.96),),
    "wald": (below(0.93), below(0.5)),
}
OF_PAIRS: Mapping[str, tuple[Claim, ...]] = {
    "tango": (Claim("94 to 97 %", 0.94, 0.97),),
    "newcombe": (Claim("94 to 98 %", 0.94, 0.98),),
    "bonett_price": (Claim("94 to 98 %", 0.94, 0.98),),
    "agresti_min": (Claim("94 to 98 %", 0.94, 0.98),),
    "paired_wald": (below(0.95),),
}


OF_SEPARATE: Mapping[str, tuple[Claim, ...]] = {
    "newcombe_independent": (Claim("94 to 97 %", 0.94, 0.97),),
}
SIZES = ((20, 20), (20, 60))
TRUE = np.linspace(0.05, 0.95, 19)


def _logs(n: int) -> NDArray[np.float64]:
    """Logarithms of the factorials of 0, ..., n."""
    return np.asarray(special.gammaln(np.arange(n + 1.0) + 1))


def _of_one(function: Callable[..., Interval], n: int) -> list[float]:
    """Give the coverage for each of the true shares."""
    found = [function(x, n, LEVEL) for x in range(n + 1)]
    inside = np.array([[held(i.low, i.high, share) for i in found] for share in SHARES])
    x, logs = np.arange(n + 1.0), _logs(n)
    chances = np.exp(
        logs[n]
        - logs
        - logs[::-1]
        + np.outer(np.log(SHARES), x)
        + np.outer(np.log1p(-SHARES), n - x)
    )
    coverage: list[float] = (chances * inside).sum(axis=1).tolist()
    return coverage


def _of_pairs(function: Callable[..., Interval], n: int) -> list[float]:
    """Give the coverage for each pair of chances that just one model is right."""
    cells = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    found = [function(((n - b - c, b), (c, 0)), LEVEL) for b, c in cells]
    (b, c), logs = np.array(cells).T, _logs(n)
    rest = n - b - c
    coverage = []
    for p in ALONE:
        for q in ALONE:
            chances = np.exp(
                logs[n]
                - logs[b]
                - logs[c]
                - logs[rest]
                + b * np.log(p)
                + c * np.log(q)
                + rest * np.log1p(-p - q)
            )
            inside = np.array([held(i.low, i.high, p - q) for i in found])
            coverage.append(float(chances[inside].sum()))
    return coverage


def _chances(n: int) -> NDArray[np.float64]:
    """Give the chance of each count of n under each true share (19, n + 1)."""
    x, logs = np.arange(n + 1.0), _logs(n)
    powers = np.outer(np.log(TRUE), x) + np.outer(np.log1p(-TRUE), n - x)
    return np.asarray(np.exp(logs[n] - logs - logs[::-1] + powers))


def _of_separate(function: Callable[..., Interval], n: int, m: int) -> list[float]:
    """Give the coverage for each pair of true shares."""
    found = [function(((x, n), (y, m)), LEVEL) for x in range(n + 1) for y in range(m + 1)]
    first, second = _chances(n), _chances(m)
    coverage = []
    for i, p in enumerate(TRUE):
        for j, q in enumerate(TRUE):
            inside = np.array([held(f.low, f.high, p - q) for f in found]).reshape(n + 1, m + 1)
            coverage.append(float(first[i] @ inside @ second[j]))
    return coverage


def _separate(interval: str, n: int, m: int, claims: tuple[Claim, ...]) -> Simulation:
    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        coverage = _of_separate(INTERVALS[interval].function, n, m)
        return {"mean": computed(float(np.mean(coverage))), "least": computed(min(coverage))}

    line = Line((f"`{interval}`", f"{n}, {m}"), ("mean", "least"), claims)
    return Simulation(f"{APART.key}: {interval}, {n}, {m}", APART.key, 0, draw, (line,))


def _simulation(section: Section, interval: str, n: int, claims: tuple[Claim, ...]) -> Simulation:
    over = _of_one if section is ONE else _of_pairs

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        coverage = over(INTERVALS[interval].function, n)
        return {"mean": computed(float(np.mean(coverage))), "least": computed(min(coverage))}

    line = Line((f"`{interval}`", str(n)), ("mean", "least"), claims)
    return Simulation(f"{section.key}: {interval}, {n}", section.key, 0, draw, (line,))


SIMULATIONS = (
    *(_simulation(ONE, name, n, claims) for name, claims in OF_ONE.items() for n in (20, 100)),
    *(_simulation(PAIRED, name, n, c) for name, c in OF_PAIRS.items() for n in (20, 50)),
    *(_separate(name, n, m, c) for name, c in OF_SEPARATE.items() for n, m in SIZES),
)
