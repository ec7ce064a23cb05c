"""Power of DeLong's test against R's multivariate normal, pROC, and simulated samples."""

import math

import pytest
from many_cases import for_each
from scipy import stats
from stats.powers import delong_power, delong_width, size_for_width
from stats.reference_values import figures

from evallang.stats.power_of_metrics import placement_variance

R = figures("power_of_areas")  # mvtnorm 1.1-3 and pROC 1.18.0
DESIGNS = ["0.8_0.05_0.5", "0.7_0.1_0", "0.9_0.03_0.8", "0.95_0.04_0.3"]


def stated(design):
    return [float(word) for word in design.split("_")]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_variance_of_placements_is_that_of_the_bivariate_normal(design):
    area, gap, correlation = stated(design)
    found = placement_variance(gap, area, correlation)
    assert found == pytest.approx(R[f"variance_{design}"], rel=1e-10)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_size_is_the_formula_with_the_variance_of_proc_and_lies_between_its_sizes(design):
    area, _, correlation = stated(design)
    gap = R[f"delong_gap_{design}"]
    cases = delong_power(gap, area, None, 0.05, 0.8, correlation=correlation).n / 2
    quantiles = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    expected = 2 * R[f"delong_variance_{design}"] * (quantiles / gap) ** 2
    assert cases == pytest.approx(expected, rel=0.05)
    # pROC takes twice the variance of its first curve under the null hypothesis
    assert R[f"cases_better_first_{design}"] < cases < R[f"cases_weaker_first_{design}"]


def chance_of_rejection(gap, area, n, alpha, positives, correlation):
    """Compute the power from probabilities of two correlated normals, by scipy."""

    def cross(one, other, rho):
        shift = math.sqrt(2) * stats.norm.ppf([one, other])
        return stats.multivariate_normal([0, 0], [[2, rho], [rho, 2]]).cdf(shift) - one * other

    better = area + gap
    variance = (
        cross(area, area, 1) + cross(better, better, 1) - 2 * cross(area, better, correlation)
    )
    error = math.sqrt(variance / (n * positives) + variance / (n * (1 - positives)))
    bound = stats.norm.ppf(1 - alpha / 2)
    return stats.norm.sf(bound - gap / error) + stats.norm.cdf(-bound - gap / error)


def test_the_power_is_that_of_a_normal_deviate_with_unequal_classes():
    found = delong_power(0.05, 0.8, 300, 0.02, positives=0.15, correlation=0.6)
    expected = chance_of_rejection(0.05, 0.8, 300, 0.02, 0.15, 0.6)
    assert found.power == pytest.approx(expected, abs=1e-9)
    assert found.assumptions == {"area": 0.8, "positives": 0.15, "correlation": 0.6}


def test_a_one_sided_test_has_one_tail_at_its_level():
    # Twice the level and no other tail
    error = 0.05 / (
        stats.norm.ppf(0.975) + stats.norm.ppf(delong_power(0.05, 0.8, 300).power)
    )  # but for the other tail, below 1e-6 here
    expected = stats.norm.sf(stats.norm.ppf(0.95) - 0.05 / error)
    found = delong_power(0.05, 0.8, 300, one_sided=True).power
    assert found == pytest.approx(expected, abs=1e-4)
    assert delong_power(0.0, 0.8, 300, 0.01, one_sided=True).power == pytest.approx(0.01, abs=1e-9)


def test_the_detectable_difference_has_the_power_aimed_at():
    found = delong_power(None, 0.8, 300, 0.01, 0.9, positives=0.3, correlation=0.6)
    expected = chance_of_rejection(found.difference, 0.8, 300, 0.01, 0.3, 0.6)
    assert expected == pytest.approx(0.9, abs=1e-6)


def test_the_size_is_the_least_and_the_sign_of_the_difference_says_nothing():
    found = delong_power(0.05, 0.8, None, 0.05, 0.8, positives=0.2)
    assert found.power >= 0.8 > delong_power(0.05, 0.8, found.n - 1, positives=0.2).power
    assert delong_power(-0.05, 0.8, 300).power == delong_power(0.05, 0.8, 300).power


def test_the_number_for_a_width_is_the_least():
    n = size_for_width(0.04, lambda size: delong_width(size, 0.85, 0.02))
    assert delong_width(n, 0.85, 0.02) <= 0.04 < delong_width(n - 1, 0.85, 0.02)


def test_a_class_with_one_example_shows_nothing():
    assert delong_power(0.1, 0.8, 19, positives=0.1).power == 0.0
    assert delong_width(19, 0.8, positives=0.1) == math.inf
    assert delong_power(0.1, 0.8, 20, positives=0.1).power > 0


@for_each(
    ("call", "message"),
    [
        (lambda: delong_power("observed", 0.8, 100), "observed difference"),
        (lambda: delong_power(0.1, 0.4, 100), "weaker model"),
        (lambda: delong_power(0.1, 0.9995, 100), "weaker model"),
        (lambda: delong_power(0.2, 0.8, 100), "larger of the two areas"),
        (lambda: delong_power(0.1, 0.8, 100, positives=1.0), "share of positives"),
        (lambda: delong_power(0.1, 0.8, 100, correlation=1.0), "correlation"),
        (lambda: delong_power(0.1, 0.8, 100, 1.5), "a level"),
        (lambda: delong_power(0.1, 0.8, -1), "0 examples or more"),
        (lambda: delong_power(0.1, 0.8, None, 0.05, 1.0), "a power"),
        (lambda: delong_power(1e-5, 0.8, None, 0.05, 0.8), "more than 16,777,216"),
        (lambda: delong_width(100, 0.8, 0.3), "larger of the two areas"),
    ],
)
def test_what_cannot_be_true_of_two_areas_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
