"""The sign test: on how many data sets one of two models is better."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.results.statistics import Difference, HypothesisTestResult, Statistic, Summary
from evallang.stats.alternatives import Alternative, one_sided
from evallang.stats.distributions import checked_level, fair_coin_tail, least_rejected
from evallang.stats.effect_sizes.over_data_sets import effects_over_data
from evallang.stats.hypothesis_tests.datasets import DEMSAR_AUC, FROM_DATA_SETS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.power_of_ranks import over_data, signs
from evallang.stats.rank_scores import Better, differences_of, read_pair

SIGN_NULL = "on a data set each of the two models is equally likely to be the better one"
TUNED_M = tuple(row[1] for row in DEMSAR_AUC)
PLAIN = tuple(row[0] for row in DEMSAR_AUC)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        SIGN_NULL,
        intervals={"sign": "exact interval of the median"},
        of_signs=True,
        across_data=True,
        power=over_data(signs),
        holds="exact at every number of data sets",
        when=(
            "two models have scores on several data sets, and differences are not comparable "
            "across data sets"
        ),
        when_not=("differences can be ranked across data sets: wilcoxon, which is more powerful"),
        differs={
            "Demsar 2006": "his table of critical values is the normal approximation: 11 of 14 "
            "counts as p < .05 there, and has exactly p = .057",
        },
        formula=(
            "of the data sets on which one model is better, count the first's; p is the "
            "chance that fair coin flips divide them at least as unevenly"
        ),
    ),
    title="Sign test",
    references=(cite("dixon1946"), cite("demsar2006")),
    examples=(
        Example(
            (TUNED_M, PLAIN, "higher", 0.95),
            {"extra.wins": 10, "extra.ties": 2, "extra.losses": 2},
            "Demšar 2006, table 2 and section 3.1.4 (11 of 14 with one of the two ties)",
        ),
        Example(
            (TUNED_M, PLAIN, "higher", 0.95),
            {"p": 2 * (1 + 14 + 91 + 364) / 2**14},
            "own derivation: twice the chance of 11 or more of 14, ties split as in Demšar 2006",
            options={"zeros": "split"},
        ),
    ),
)
def sign(
    first: ArrayLike,
    second: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    zeros: Literal["drop", "split"] = "drop",
    missing: Literal["leave_out", "worst"] = "leave_out",
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare two models by the number of data sets on which each is the better one.

    Exact binomial p, two-sided, or with `alternative=greater` for larger scores of the
    first alone. Ties are dropped, or with `zeros=split` shared between
    both, one of an odd number omitted (Demšar 2006, 3.1.4). The estimate is the median
    difference with the interval between order statistics that the binomial distribution
    gives. A missing score leaves its data set out, or with `missing=worst` loses. `first`
    and `second` are (N,). Raises `ValueError` where their shapes differ.
    """
    checked_level(level)
    table = read_pair(first, second, better, missing)
    d = differences_of(table.values)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ties = len(d) - wins - losses
    shared = ties // 2 if zeros == "split" else 0
    larger, n = max(wins, losses) + shared, wins + losses + 2 * shared
    notes = table.notes
    p: float | None = min(2 * fair_coin_tail(larger, n), 1.0)
    if alternative != "two_sided":
        first_wins = (alternative == "greater") == (better != "lower")
        p = fair_coin_tail((wins if first_wins else losses) + shared, n)
    if len(d) == 0:
        p, notes = None, (*notes, "undefined: no data set has both scores")
    elif n == 0:
        notes = (*notes, "on no data set do the models differ")
    raw = -d if better == "lower" else d
    low, high = _median_bounds(raw, level)
    result = HypothesisTestResult(
        test="sign",
        variant="exact",
        null=SIGN_NULL,
        statistic=Statistic("S", float(larger)),
        p=p,
        estimate=Difference(Summary.MEDIAN, median_of(raw), low, high, level, "sign"),
        effects=effects_over_data(first, second, level, seed),
        extra={"n": len(d), "wins": wins, "ties": ties, "losses": losses},
        notes=notes,
    )
    return one_sided(result, alternative)


def median_of(values: NDArray[np.float64]) -> float | None:
    """Return the median; None of no values, or half way between two infinities."""
    if not len(values):
        return None
    ordered: list[float] = np.sort(values).tolist()
    lower, upper = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    middle = lower if lower == upper else (lower + upper) / 2
    return None if math.isnan(middle) else middle


def _median_bounds(values: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """Return the k-th smallest and largest value, k as large as the level allows."""
    n = len(values)
    k = n + 1 - least_rejected(n, 0.5, (1 - level) / 2)
    if k == 0:
        return None, None
    ordered = np.sort(values)
    return float(ordered[k - 1]), float(ordered[n - k])
