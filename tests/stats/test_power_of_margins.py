"""Power of the tests within a margin, against the tests themselves on drawn samples."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from stats.powers import (
    margin_power_of_areas,
    margin_power_of_means,
    margin_power_of_shares,
    t_power,
)

from evallang.stats.hypothesis_tests.equivalence import noninferiority, paired_proportions, tost
from evallang.stats.power import Question, Stated
from evallang.stats.power_of_pairs import POWER_OF_EQUIVALENCE, POWER_OF_NONINFERIORITY


@pytest.mark.parametrize(
    ("n", "discordant", "margin", "gap"), [(300, 0.2, 0.08, 0.0), (150, 0.1, 0.07, 0.02)]
)
def test_the_power_of_shares_is_that_of_the_tests_on_drawn_tables(n, discordant, margin, gap):
    rng, worse, apart = np.random.default_rng(3), 0, 0
    shares = [(discordant - gap) / 2, (discordant + gap) / 2, 1 - discordant]
    for b, c, rest in rng.multinomial(n, shares, 300).tolist():
        found = paired_proportions(((rest, b), (c, 0)))
        worse += noninferiority(found, margin=margin, better="higher").p <= 0.05
        apart += tost(found, margin=margin).p <= 0.05
    # 300 samples have an error of 2.9 points at most
    power = margin_power_of_shares(margin, discordant, n, 0.05, gap)
    assert power == pytest.approx(worse / 300, abs=0.09)
    power = margin_power_of_shares(margin, discordant, n, 0.05, gap, equivalence=True)
    assert power == pytest.approx(apart / 300, abs=0.09)


@pytest.mark.parametrize(("n", "margin", "gap"), [(12, 1.0, 0.0), (40, 0.5, 0.1), (9, 0.6, 0.2)])
def test_the_power_of_means_is_the_integral_over_the_standard_deviation(n, margin, gap):
    bound = stats.t.ppf(0.95, n - 1)
    near, far = (margin - gap) * math.sqrt(n), (margin + gap) * math.sqrt(n)

    def shown(s, equivalence):
        low = stats.norm.cdf(bound * s - far) if equivalence else 0.0
        return (
            max(stats.norm.cdf(near - bound * s) - low, 0.0)
            * stats.chi.pdf(s * math.sqrt(n - 1), n - 1)
            * math.sqrt(n - 1)
        )

    for equivalence in (False, True):
        expected, _ = integrate.quad(shown, 0, 5, (equivalence,), limit=200, points=[far / bound])
        found = margin_power_of_means(margin, 1.0, n, 0.05, gap, equivalence=equivalence)
        assert found == pytest.approx(expected, abs=1e-5)
    one_sided = t_power(margin - gap, 1.0, n, one_sided=True).power
    assert margin_power_of_means(margin, 1.0, n, 0.05, gap) == pytest.approx(one_sided, rel=1e-9)


def test_the_power_of_areas_is_that_of_normal_bounds():
    assumed = {"positives": 0.3, "correlation": 0.6}
    # The variance of two equal areas from scipy's bivariate normal, and one normal tail
    shift = np.repeat(math.sqrt(2) * stats.norm.ppf(0.8), 2)
    alike, apart = (
        stats.multivariate_normal([0, 0], [[2, rho], [rho, 2]], allow_singular=True).cdf(shift)
        for rho in (1.0, 0.6)
    )
    error = math.sqrt(2 * (alike - apart) * (1 / 120 + 1 / 280))
    found = margin_power_of_areas(0.05, 0.8, 400, 0.025, **assumed)
    assert found == pytest.approx(stats.norm.sf(stats.norm.ppf(0.975) - 0.05 / error), abs=1e-6)
    both = margin_power_of_areas(0.05, 0.8, 400, 0.025, equivalence=True, **assumed)
    assert both == pytest.approx(2 * found - 1, abs=1e-9)
    assert margin_power_of_areas(0.05, 0.8, 3, 0.025, **assumed) == 0.0


def answer(power, form, stated, n=200, **options):
    question = Question("tost", 0.05, n, {"margin": 0.1, **options}, form=form)
    return power.answers(question, stated)


def test_answers_have_the_smallest_margin_and_the_number_for_the_stated_one():
    stated = Stated(0.8, discordant=0.2)
    (found,) = answer(POWER_OF_EQUIVALENCE, "proportion", stated)
    at = margin_power_of_shares(found.detectable, 0.2, 200, equivalence=True)
    assert at == pytest.approx(0.8, abs=0.02)
    needed = margin_power_of_shares(0.1, 0.2, found.required_n, equivalence=True)
    assert needed == pytest.approx(0.8, abs=0.02)
    (found,) = answer(POWER_OF_NONINFERIORITY, "losses", Stated(0.9, sd=0.5))
    least = found.required_n
    powers = [margin_power_of_means(0.1, 0.5, n) for n in (least - 1, least)]
    assert powers[0] < 0.9 <= powers[1]
    assert margin_power_of_means(found.detectable, 0.5, 200) == pytest.approx(0.9, abs=1e-6)
    (found,) = answer(POWER_OF_NONINFERIORITY, "auc", Stated(0.8, area=0.85))
    assumed = {"positives": 0.5, "correlation": 0.5}
    assert margin_power_of_areas(found.detectable, 0.85, 200, **assumed) == pytest.approx(0.8)


def test_answers_without_a_unit_or_within_the_margin_say_so():
    (found,) = answer(POWER_OF_EQUIVALENCE, "losses", Stated(0.8))
    assert (found.in_sd, found.power, found.required_n) == (True, None, None)
    assert any("needs `sd`" in note for note in found.notes)
    (found,) = answer(POWER_OF_EQUIVALENCE, "losses", Stated(0.8, difference=0.05))
    assert found.notes == ("a difference needs `sd`",)
    found = answer(POWER_OF_EQUIVALENCE, "proportion", Stated(0.8, difference=0.1, discordant=0.2))
    assert "by the margin or more" in found[0].notes[0]
    (few,) = answer(POWER_OF_EQUIVALENCE, "proportion", Stated(0.8, discordant=1.0), n=2)
    assert few.detectable is None
    with pytest.raises(ValueError, match="under this protocol"):
        answer(POWER_OF_EQUIVALENCE, "splits", Stated(0.8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: margin_power_of_shares(0.0, 0.2, 100), "above 0"),
        (lambda: margin_power_of_shares(0.1, 0.2, 100, 0.05, 0.1), "less than the margin"),
        (lambda: margin_power_of_shares(0.1, 0.2, 100, 0.5), "between 0 and 0.5"),
        (lambda: margin_power_of_shares(0.3, 0.2, 100, 0.05, 0.25), "at most the share"),
        (lambda: margin_power_of_shares(1.0, 0.2, 100), "below 1"),
        (lambda: margin_power_of_means(0.1, 0.0, 100), "above 0"),
    ],
)
def test_what_cannot_be_true_of_a_margin_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
