"""Power of the binomial test, against sums over its outcomes."""

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from stats.powers import binomial_power

from evallang.stats.hypothesis_tests.one_sample import binomial
from evallang.stats.power import Question, Stated
from evallang.stats.power_of_pairs import POWER_OF_ONE_SHARE


@for_each(("side", "rate"), [("greater", 0.32), ("less", 0.08), ("two_sided", 0.32)])
@for_each("n", [7, 40, 83])
def test_the_power_adds_up_the_outcomes_that_the_test_rejects(side, rate, n):
    expected = 0.0
    for errors in range(n + 1):
        correct = (np.arange(n) >= errors).reshape(-1, 1)
        if binomial(correct, threshold=0.2, alternative=side).p <= 0.05:
            expected += stats.binom.pmf(errors, n, rate)
    found = binomial_power(0.12, 0.2, n, alternative=side)
    assert found.power == pytest.approx(expected, abs=1e-10)


def test_the_detectable_difference_and_the_size_have_the_power_aimed_at():
    found = binomial_power(None, 0.2, 150, 0.05, 0.9)
    least = next(k for k in range(151) if stats.binom.sf(k - 1, 150, 0.2) <= 0.05)
    assert stats.binom.sf(least - 1, 150, 0.2 + found.difference) == pytest.approx(0.9, abs=1e-6)
    needed = binomial_power(0.1, 0.2, None, 0.05, 0.8)
    assert needed.power >= 0.8
    assert binomial_power(0.1, 0.2, needed.n - 1).power < 0.8
    assert binomial_power(None, 0.2, 1, 0.05, 0.8).difference is None


def test_answers_state_the_side_of_the_threshold():
    options = {"threshold": 0.3, "alternative": "less"}
    (found,) = POWER_OF_ONE_SHARE.answers(
        Question("binomial", 0.05, 120, options), Stated(0.8, difference=0.1)
    )
    assert found.power == pytest.approx(binomial_power(0.1, 0.3, 120, alternative="less").power)
    assert "below the threshold of 0.3" in found.notes[-1]
    (unknown,) = POWER_OF_ONE_SHARE.answers(Question("binomial", 0.05, None, options), Stated(0.8))
    assert (unknown.detectable, unknown.power) == (None, None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binomial_power("observed", 0.2, 50), "observed difference"),
        (lambda: binomial_power(0.9, 0.2, 50), "from 0 to 1"),
        (lambda: binomial_power(0.3, 0.2, 50, alternative="less"), "from 0 to 1"),
        (lambda: binomial_power(0.1, 1.0, 50), "between 0 and 1"),
        (lambda: binomial_power(0.1, 0.2, 50, alternative="more"), "alternative"),
        (lambda: binomial_power(0.1, 0.2, None, 0.05, 1.0), "a power"),
    ],
)
def test_what_cannot_be_true_of_a_rate_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
