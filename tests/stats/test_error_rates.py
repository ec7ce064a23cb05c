"""Levels that methods promise, by adding up all outcomes."""

import itertools

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests.contingency import cochran, mcnemar
from evallang.stats.intervals.differences import tango
from evallang.stats.intervals.proportions import clopper_pearson, wilson

ALPHAS = (0.01, 0.05, 0.1)


@pytest.mark.parametrize("discordant", [1, 5, 6, 17, 40])
def test_exact_mcnemar_never_rejects_more_often_than_alpha(discordant):
    chances = stats.binom.pmf(np.arange(discordant + 1), discordant, 0.5)
    p = np.array(
        [mcnemar(((9, b), (discordant - b, 9)), method="exact").p for b in range(discordant + 1)]
    )
    for alpha in ALPHAS:
        assert chances[p <= alpha].sum() <= alpha * (1 + 1e-12)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.4, 0.6])
def test_mid_p_is_closer_to_alpha_than_exact_over_all_tables_of_60_examples(share):
    # Fagerland, Lydersen & Laake 2013: the number of discordant pairs is random as well
    sizes = {"p_midp": 0.0, "p_exact": 0.0}
    for discordant in range(61):
        chances = stats.binom.pmf(np.arange(discordant + 1), discordant, 0.5)
        chances *= stats.binom.pmf(discordant, 60, share)
        extra = [mcnemar(((9, b), (discordant - b, 9))).extra for b in range(discordant + 1)]
        for name in sizes:
            sizes[name] += chances[[e[name] <= 0.05 for e in extra]].sum()
    assert sizes["p_exact"] < 0.05
    assert abs(sizes["p_midp"] - 0.05) < 0.05 - sizes["p_exact"]


def test_exact_cochran_never_rejects_more_often_than_alpha():
    # All 3^4 tables with row sums 2, 1, 1, 2 are equally likely under the null
    rows = [
        [row for row in itertools.product((0, 1), repeat=3) if sum(row) == total]
        for total in (2, 1, 1, 2)
    ]
    p = np.array([cochran(table, method="exact").p for table in itertools.product(*rows)])
    for alpha in (*ALPHAS, 0.3, 0.6):
        assert (p <= alpha).mean() <= alpha * (1 + 1e-12)


def coverage(function, n, share, level):
    """Chance that the interval holds the true share."""
    chances = stats.binom.pmf(np.arange(n + 1), n, share)
    held = [
        interval.low <= share <= interval.high
        for interval in (function(x, n, level) for x in range(n + 1))
    ]
    return chances[held].sum()


@pytest.mark.parametrize("n", [5, 30])
def test_clopper_pearson_covers_at_least_its_level(n):
    for share in np.linspace(0.01, 0.99, 49):
        assert coverage(clopper_pearson, n, share, 0.95) >= 0.95 - 1e-12


def test_wilson_covers_its_level_on_average():
    # Brown, Cai & DasGupta 2001: mean coverage close to nominal already for small n
    for n in (10, 30):
        mean = np.mean([coverage(wilson, n, share, 0.95) for share in np.linspace(0, 1, 201)])
        assert mean == pytest.approx(0.95, abs=0.01)


def test_tango_covers_about_its_level():
    # All tables of 20 examples with P(only first) = .25 and P(only second) = .1
    n, p, q = 20, 0.25, 0.1
    covered = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            interval = tango(((n - b - c, b), (c, 0)), 0.95)
            if interval.low <= p - q <= interval.high:
                covered += stats.multinomial.pmf((b, c, n - b - c), n, (p, q, 1 - p - q))
    assert covered == pytest.approx(0.95, abs=0.015)
