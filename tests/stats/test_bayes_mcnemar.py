"""The posterior of a difference of accuracies against draws, scipy's integrals and R."""

import numpy as np
import pytest
from many_cases import for_each
from scipy import integrate, stats

from evallang.stats.hypothesis_tests.bayesian import bayes_mcnemar

TABLES = [
    ((80, 3), (1, 16)), ((800, 30), (12, 160)), ((0, 0), (0, 5)), ((0, 40), (3, 0)),
    ((9945, 25), (15, 15)), ((7, 0), (0, 0)), ((0, 0), (0, 0)),
]  # fmt: skip


@for_each("table", TABLES)
@for_each("rope", [0.0, 0.01, 0.2])
def test_probabilities_are_those_of_draws_of_the_four_cells(table, rope):
    # 200,000 draws: the standard error of a probability is at most .0012
    (a, b), (c, d) = table
    cells = np.random.default_rng(7).dirichlet(np.array([a, b, c, d]) + 0.5, 200_000)
    difference = cells[:, 1] - cells[:, 2]
    found = bayes_mcnemar(table, rope=rope)
    assert found.extra["p_first"] == pytest.approx((difference > rope).mean(), abs=0.005)
    assert found.extra["p_second"] == pytest.approx((difference < -rope).mean(), abs=0.005)
    total = sum(found.extra[case] for case in ("p_first", "p_rope", "p_second"))
    assert total == pytest.approx(1.0, abs=1e-9)
    if table == ((0, 0), (0, 0)):
        assert found.estimate.low is None
        return
    low, high = np.quantile(difference, [0.025, 0.975])
    width = high - low
    assert found.estimate.low == pytest.approx(low, abs=0.02 * width)
    assert found.estimate.high == pytest.approx(high, abs=0.02 * width)


@pytest.mark.parametrize("table", [((80, 3), (1, 16)), ((30, 12), (5, 3)), ((2, 1), (0, 1))])
def test_probabilities_are_an_integral_over_the_share_of_discordant_examples(table):
    # the other way round: over S, with the distribution function of W inside
    (a, b), (c, d) = table
    rope = 0.03

    def beyond(s):
        inside = stats.beta.sf((1 + rope / s) / 2, b + 0.5, c + 0.5)
        return stats.beta.pdf(s, b + c + 1, a + d + 1) * inside

    expected = integrate.quad(beyond, rope, 1, epsabs=1e-12, limit=400)[0]
    assert bayes_mcnemar(table, rope=rope).extra["p_first"] == pytest.approx(expected, abs=1e-7)


def test_without_a_region_it_is_a_tail_of_the_beta_distribution():
    # R 4.2.2: pbeta(0.5, 10.5, 3.5, lower.tail = FALSE)
    found = bayes_mcnemar(((50, 10), (3, 20)), rope=0.0)
    assert found.extra["p_first"] == pytest.approx(0.9760804, abs=5e-8)
    assert found.extra["p_rope"] == 0.0
    assert found.p is None


def test_swapping_the_models_swaps_the_probabilities_and_the_interval():
    first, second = bayes_mcnemar(((50, 10), (3, 20))), bayes_mcnemar(((50, 3), (10, 20)))
    assert first.extra["p_first"] == second.extra["p_second"]
    assert first.estimate.low == pytest.approx(-second.estimate.high, abs=1e-9)
    assert first.extra["rope"] == 0.01


def test_a_region_as_wide_as_the_range_holds_everything():
    assert bayes_mcnemar(((5, 9), (0, 1)), rope=1.0).extra["p_rope"] == 1.0


def test_the_interval_holds_what_was_observed_at_the_ends_of_the_range():
    found = bayes_mcnemar(((0, 9), (0, 0))).estimate
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0 < found.low < 1


def test_no_examples_leave_the_prior_and_what_makes_no_sense_is_refused():
    found = bayes_mcnemar(((0, 0), (0, 0)), rope=0.0)
    assert found.extra["p_first"] == pytest.approx(0.5)
    assert found.estimate.value is None
    assert found.notes
    with pytest.raises(ValueError, match="at least 0"):
        bayes_mcnemar(((5, 1), (2, 3)), rope=-0.1)
    with pytest.raises(ValueError, match="2 x 2 table"):
        bayes_mcnemar(((5, 1.5), (2, 3)))
