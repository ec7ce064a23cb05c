"""Intervals for one proportion and for paired proportions against independent programs."""

import math

import pytest
from hypothesis import assume, given, strategies as st
from many_cases import for_each
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.intervals import differences, proportions

COUNTS = st.integers(0, 50)
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (proportions.wilson, "wilson"),
        (proportions.clopper_pearson, "beta"),
        (proportions.agresti_coull, "agresti_coull"),
        (proportions.wald, "normal"),
        (proportions.jeffreys, "jeffreys"),
    ],
)
@given(x=COUNTS, others=COUNTS, level=LEVELS)
def test_an_interval_agrees_with_statsmodels(function, name, x, others, level):
    n = x + others
    assume(n > 0)
    if name == "jeffreys":
        assume(0 < x < n)  # Brown, Cai & DasGupta's ends, which statsmodels does not have
    low, high = proportion_confint(x, n, alpha=1 - level, method=name)
    found = function(x, n, level)
    assert found.low == pytest.approx(max(low, 0), rel=1e-10, abs=1e-14)
    assert found.high == pytest.approx(min(high, 1), rel=1e-10, abs=1e-14)


@given(x=COUNTS, others=COUNTS, level=LEVELS)
def test_wilson_and_clopper_pearson_agree_with_scipy(x, others, level):
    assume(x + others > 0)
    test = stats.binomtest(x, x + others)
    for function, name in [
        (proportions.wilson, "wilson"),
        (proportions.clopper_pearson, "exact"),
    ]:
        low, high = test.proportion_ci(level, name)
        found = function(x, x + others, level)
        assert found.low == pytest.approx(low, rel=1e-9, abs=1e-12)
        assert found.high == pytest.approx(high, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 7, 30, 10_000_000])
def test_the_bound_at_the_end_is_exactly_0_or_1(n):
    for function in (proportions.wilson, proportions.clopper_pearson, proportions.jeffreys):
        assert function(0, n, 0.95).low == 0.0
        assert function(n, n, 0.95).high == 1.0
        assert function(0, n, 0.95).high > 0.0
        assert function(n, n, 0.95).low < 1.0


@pytest.mark.parametrize(("x", "n"), [(3, 2), (-1, 2), (1.5, 2), (1, 2.5)])
def test_what_is_not_a_count_among_trials_is_refused(x, n):
    with pytest.raises(ValueError, match="not a count of successes"):
        proportions.wilson(x, n, 0.95)


def tango_by_likelihood(b, c, n, level):
    """Invert the score test with the restricted likelihood maximized numerically."""
    z = stats.norm.ppf((1 + level) / 2)

    def statistic(delta):
        # Maximize b log(q + delta) + c log q + rest log(1 - 2q - delta) over q by its slope;
        # u is the distance of q from the end of its range, so that nothing cancels
        width = (1 - abs(delta)) / 2

        def shares(u):
            return (u + max(delta, 0.0), u + max(-delta, 0.0), 2 * (width - u))

        def slope(u):
            only_first, only_second, rest = shares(u)
            return b / only_first + c / only_second - 2 * (n - b - c) / rest

        u = optimize.brentq(slope, 1e-12 * width, (1 - 1e-12) * width, xtol=1e-16, rtol=1e-14)
        only_first, only_second, _ = shares(u)
        return (b - c - n * delta) / math.sqrt(n * (only_first + only_second - delta * delta))

    estimate, tiny = (b - c) / n, 1e-9
    low = optimize.brentq(lambda x: statistic(x) - z, -1 + tiny, estimate - tiny, xtol=1e-14)
    high = optimize.brentq(lambda x: statistic(x) + z, estimate + tiny, 1 - tiny, xtol=1e-14)
    return low, high


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS, level=LEVELS)
def test_tangos_interval_inverts_the_score_test(a, b, c, d, level):
    n = a + b + c + d
    assume(b > 0 and c > 0 and a + d > 0)
    low, high = tango_by_likelihood(b, c, n, level)
    found = differences.tango(((a, b), (c, d)), level)
    assert found.low == pytest.approx(low, abs=2e-9)
    assert found.high == pytest.approx(high, abs=2e-9)


@for_each("level", [0.8, 0.95, 0.999])
@for_each("n", [1, 20, 10_000])
def test_tangos_interval_without_discordant_pairs_is_in_closed_form(n, level):
    # b = c = 0: the score statistic is -n delta / sqrt(n delta (1 - delta)) for delta > 0
    z = stats.norm.ppf((1 + level) / 2)
    found = differences.tango(((n, 0), (0, 0)), level)
    assert found.high == pytest.approx(z * z / (n + z * z), rel=1e-12)
    assert found.low == -found.high


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS, level=LEVELS)
def test_tangos_interval_holds_0_just_where_mcnemars_chi_squared_does_not_reject(a, b, c, d, level):
    assume(b + c > 0)
    p = mcnemar(((a, b), (c, d)), method="chi2").p
    assume(abs(p - (1 - level)) > 1e-9)
    found = differences.tango(((a, b), (c, d)), level)
    assert (found.low < 0 < found.high) == (p > 1 - level) or b == c


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS, level=LEVELS)
def test_newcombes_interval_is_square_and_add_of_the_wilson_bounds(a, b, c, d, level):
    # Newcombe 1998, method 10, from the Wilson bounds of statsmodels
    n = a + b + c + d
    assume(n > 0)
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = (
        proportion_confint(x, n, alpha=1 - level, method="wilson") for x in (a + b, a + c)
    )
    product = (a + b) * (c + d) * (a + c) * (b + d)
    over = a * d - b * c
    if product == 0:
        phi = 0.0
    elif over > n / 2:
        phi = (over - n / 2) / math.sqrt(product)
    elif over >= 0:
        phi = 0.0
    else:
        phi = over / math.sqrt(product)
    down = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    up = (u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
    found = differences.newcombe(((a, b), (c, d)), level)
    assert found.low == pytest.approx(p1 - p2 - math.sqrt(max(down, 0)), rel=1e-7, abs=1e-8)
    assert found.high == pytest.approx(p1 - p2 + math.sqrt(max(up, 0)), rel=1e-7, abs=1e-8)


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS, level=LEVELS)
def test_the_adjusted_wald_intervals_are_those_of_multinomial_shares(a, b, c, d, level):
    # Mean and variance of the coded outcomes 1, -1, 0 with the added counts
    z, n = stats.norm.ppf((1 + level) / 2), a + b + c + d
    assume(n > 0)
    table = ((a, b), (c, d))
    for function, cells, total in [
        (differences.paired_wald, (b, c), n),
        (differences.agresti_min, (b + 0.5, c + 0.5), n + 2),
        (differences.bonett_price, (b + 1, c + 1), n + 2),
    ]:
        mean = (cells[0] - cells[1]) / total
        square = (cells[0] + cells[1]) / total
        half = z * math.sqrt(max(square - mean**2, 0) / total)
        found = function(table, level)
        assert found.low == pytest.approx(max(mean - half, -1), rel=1e-9, abs=1e-7)
        assert found.high == pytest.approx(min(mean + half, 1), rel=1e-9, abs=1e-7)
