"""Power for n questions with K samples each, against Miller's formula and against simulation."""

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import Question, Stated

BETWEEN, WITHIN = 0.2, 0.45


def answers(n, alpha=0.05, observed=None, of_data=1, **stated):
    declared = HYPOTHESIS_TESTS["t"].declaration.power
    asked = Question("t", alpha, n, observed=observed or {}, samples=of_data)
    return declared.answers(asked, Stated(0.8, **stated).with_observed(asked))


@pytest.mark.parametrize("k", [1, 2, 5, 10])
@pytest.mark.parametrize("alpha", [0.05, 0.005])
def test_the_number_of_questions_is_that_of_millers_formula(k, alpha):
    (found,) = answers(
        None, alpha, difference=0.03, sd_between=BETWEEN, sd_within=WITHIN, samples=(k,)
    )
    z = stats.norm.isf(alpha / 2) + stats.norm.ppf(0.8)
    formula = z**2 * (BETWEEN**2 + 2 * WITHIN**2 / k) / 0.03**2
    # The formula is normal; t asks for about z(alpha / 2)² / 2 questions more
    more = stats.norm.isf(alpha / 2) ** 2 / 2
    assert found.required_n == pytest.approx(formula + more, abs=2)


def test_any_number_of_samples_leaves_the_spread_between_questions():
    *some, last = answers(200, sd_between=BETWEEN, sd_within=WITHIN)
    assert [one.assumptions["samples"] for one in some] == [1, 2, 5, 10]
    assert last.assumptions["samples"] == "any number"
    (alone,) = answers(200, sd=BETWEEN)
    assert last.detectable == alone.detectable
    assert [one.detectable for one in (*some, last)] == sorted(
        (one.detectable for one in (*some, last)), reverse=True
    )


@pytest.mark.parametrize(("n", "k"), [(30, 1), (60, 5), (200, 3)])
def test_the_difference_is_found_in_four_of_five_simulated_benchmarks(n, k):
    (found,) = answers(n, sd_between=BETWEEN, sd_within=WITHIN, samples=(k,))
    rng = np.random.default_rng(n + k)
    rounds = 4000
    apart = rng.normal(found.detectable, BETWEEN, (rounds, n))
    noise = rng.normal(0, WITHIN, (2, rounds, n, k)).mean(axis=3)
    p = stats.ttest_1samp(apart + noise[0] - noise[1], 0, axis=1).pvalue
    assert np.mean(p <= 0.05) == pytest.approx(0.8, abs=0.025)


def test_a_pilot_gives_the_parts_of_the_spread():
    sd = (BETWEEN**2 + 2 * WITHIN**2 / 5) ** 0.5
    pilot = answers(60, observed={"sd": sd, "sd_within": WITHIN}, of_data=5)
    stated = answers(60, sd_between=BETWEEN, sd_within=WITHIN)
    assert [a.detectable for a in pilot] == pytest.approx([a.detectable for a in stated])


def test_a_spread_that_is_stated_stands_against_the_pilot():
    (found,) = answers(60, observed={"sd": 0.3, "sd_within": 0.2}, of_data=5, sd=0.5)
    assert found.assumptions == {"sd": 0.5}


@pytest.mark.parametrize(
    "stated", [{"sd_within": 0.4}, {"sd_between": 0.2}, {"samples": (5,)},
               {"sd": 0.3, "sd_between": 0.2, "sd_within": 0.4}]
)  # fmt: skip
def test_half_a_spread_is_refused(stated):
    with pytest.raises(ValueError, match="sd_between"):
        answers(60, **stated)
