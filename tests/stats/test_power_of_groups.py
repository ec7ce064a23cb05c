"""Power of tests on examples in groups, against drawn samples and the design effect."""

import itertools
import math

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from stats.powers import (
    grouped_power,
    grouped_width,
    t_detectable,
    t_power,
    t_size,
    t_width,
)

from evallang.stats.clusters import degrees_of_sizes
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.swapping import flip_groups
from evallang.stats.power import PlannedGroups, Question, Stated, planned_groups
from evallang.stats.power_of_pairs import _sum_chances

MIXED = ((2, 30), (5, 20), (12, 10))


def drawn_groups(rng, sizes, ups, downs, icc):
    """Draw outcomes 0 (first alone right), 1 (second alone), 2: examples copy their group.

    Two examples of a group copy it with probability icc, and are independent otherwise: another
    construction of the same correlation than the one whose sums are computed.
    """
    groups = np.repeat(np.arange(len(sizes)), sizes)
    shares = [ups, downs, 1 - ups - downs]
    own = rng.choice(3, len(groups), p=shares)
    shared = rng.choice(3, len(sizes), p=shares)[groups]
    return np.where(rng.random(len(groups)) < math.sqrt(icc), shared, own), groups


def result_of(outcomes, groups, **options):
    first, second = outcomes != 1, outcomes != 0
    b, c = int((first & ~second).sum()), int((second & ~first).sum())
    table = ((len(outcomes) - b - c, b), (c, 0))
    return mcnemar(table, 0.95, np.column_stack([first, second]), groups, **options)


@pytest.mark.parametrize(
    ("groups", "discordant", "gap", "icc", "options"),
    [
        (((8, 100),), 0.15, 0.06, 0.1, {}),  # by chi-squared
        (((10, 20),), 0.3, 0.15, 0.2, {}),  # by swaps of groups
        (MIXED, 0.2, 0.1, 0.3, {"alternative": "greater"}),
        (((4, 60),), 0.15, 0.08, 0.1, {"method": "exact"}),
        (((4, 60),), 0.15, 0.08, 0.1, {"method": "chi2"}),
    ],
)
def test_the_power_is_that_of_the_test_on_drawn_groups(groups, discordant, gap, icc, options):
    rng = np.random.default_rng(11)
    sizes = np.repeat([s for s, _ in groups], [k for _, k in groups])
    hits = 0
    for _ in range(300):
        drawn = drawn_groups(rng, sizes, (discordant + gap) / 2, (discordant - gap) / 2, icc)
        hits += result_of(*drawn, **options).p <= 0.05
    found = grouped_power(
        gap,
        discordant,
        groups,
        icc,
        method=options.get("method", "midp"),
        one_sided="alternative" in options,
    )
    # 300 samples and 4,000 rounds have errors of at most 2.9 and 0.8 points
    assert found.power == pytest.approx(hits / 300, abs=0.09)
    assert found.n == sum(sizes)


def test_without_correlation_groups_of_two_are_those_of_a_table_of_all_outcomes():
    # Three groups of two, all swaps: every table of outcomes is added up
    ups, downs = 0.6, 0.1
    shares = (ups, downs, 1 - ups - downs)
    expected = 0.0
    for outcomes in itertools.product(range(3), repeat=6):
        weight = math.prod(shares[o] for o in outcomes)
        step = np.array([1, -1, 0])[list(outcomes)].reshape(3, 2).sum(axis=1)
        expected += weight * (flip_groups(step.astype(float)).p <= 0.3)
    found = grouped_power(ups - downs, ups + downs, ((2, 3),), 0.0, 0.3, rounds=40_000)
    assert found.power == pytest.approx(expected, abs=4 * found.mc_se)


ICCS = (0.0, 0.05, 0.4, 1.0)


@for_each("size, icc", [(1, 1e-9), *itertools.product((1, 2, 40, 200), ICCS)])
def test_an_outcome_that_cannot_occur_leaves_the_sums_of_the_others(size, icc):
    # No two answers that are alike: the sum is 2 b - size, and b beta-binomial
    ups, spread = 0.7, 1 / icc - 1 if icc else 0.0
    b = np.arange(size + 1)
    expected = np.zeros(2 * size + 1)
    if icc == 1:
        expected[[0, -1]] = 1 - ups, ups
    elif icc == 0 or size == 1:
        expected[::2] = stats.binom.pmf(b, size, ups)
    else:
        expected[::2] = stats.betabinom.pmf(b, size, ups * spread, (1 - ups) * spread)
    assert _sum_chances(size, ups, 1 - ups, icc) == pytest.approx(expected, abs=1e-10)


def test_the_detectable_difference_and_the_size_have_the_power_aimed_at():
    found = grouped_power(None, 0.15, ((8, 100),), 0.1, target=0.7)
    assert found.power == pytest.approx(0.7, abs=0.01)
    needed = grouped_power(0.05, 0.15, MIXED, 0.1, target=0.8)
    assert needed.power >= 0.8
    planned = PlannedGroups(MIXED, 0.1)
    fewer = planned.sizes(planned.count_near(round(needed.n * 0.8)))
    assert grouped_power(0.05, 0.15, fewer, 0.1).power < 0.8


def test_the_clustered_t_is_the_noncentral_t_with_the_design_effect():
    # Kish's design effect by scipy; groups of one size have G - 1 degrees of freedom
    shift = 0.3 / math.sqrt((1 + 9 * 0.15) / 200)
    bound = stats.t.ppf(0.975, 19)
    expected = stats.nct.sf(bound, 19, shift) + stats.nct.cdf(-bound, 19, shift)
    found = t_power(0.3, 1.0, 200, groups=((10, 20),), icc=0.15)
    assert found.power == pytest.approx(expected, abs=1e-8)
    one_side = t_power(0.3, 1.0, 200, groups=((10, 20),), icc=0.15, one_sided=True)
    assert one_side.power == pytest.approx(stats.nct.sf(stats.t.ppf(0.95, 19), 19, shift), abs=1e-8)


def test_the_size_of_the_clustered_t_is_the_least_number_of_groups():
    found = t_size(0.2, 1.0, groups=((10, 1),), icc=0.1)
    assert found.power >= 0.8
    fewer = found.n // 10 - 1
    assert t_power(0.2, 1.0, fewer * 10, groups=((10, fewer),), icc=0.1).power < 0.8
    least = t_detectable(1.0, 200, groups=((10, 20),), icc=0.1)
    assert least.power == pytest.approx(0.8, abs=1e-6)


def test_one_group_shows_nothing():
    assert t_width(50, 1.0, groups=((50, 1),)) == math.inf
    with pytest.raises(ValueError, match="two groups"):
        t_power(0.2, 1.0, 50, groups=((50, 1),), icc=0.1)


def test_numbers_of_groups_keep_the_proportions_of_the_sizes():
    planned = PlannedGroups(MIXED, 0.25)
    assert planned.sizes(60) == MIXED
    assert planned.sizes(6) == ((2, 3), (5, 2), (12, 1))
    assert sum(k for _, k in planned.sizes(61)) == 61
    assert planned.sizes(planned.count_near(280)) == MIXED
    assert planned.mean_size == pytest.approx(280 / 60)
    squares = 30 * 4 + 20 * 25 + 10 * 144
    assert planned.effect == pytest.approx(1 + (squares / 280 - 1) * 0.25)
    assert degrees_of_sizes(np.repeat([5.0], 20)) == pytest.approx(19)


def test_neighbouring_sizes_are_joined_and_the_groups_stay_as_many():
    planned = PlannedGroups(tuple((size, 3) for size in range(1, 91)), 0.1)
    coarse = planned.coarse(24)
    assert len(coarse.mix) <= 24
    assert sum(count for _, count in coarse.mix) == 270
    assert coarse.mean_size == pytest.approx(planned.mean_size, rel=0.01)
    assert coarse.effect == pytest.approx(planned.effect, rel=0.01)
    assert planned.coarse(90) is planned


def test_groups_are_those_of_the_data_or_the_stated_ones():
    question = Question("mcnemar", 0.05, 280, group_sizes=MIXED)
    assert [one.mix for one in planned_groups(question, Stated(0.8), several=False)] == [MIXED]
    stated = planned_groups(question, Stated(0.8, icc=0.2, group_size=7), several=True)
    assert [(one.mix, one.icc) for one in stated] == [(((7, 1),), 0.2)]
    assert planned_groups(Question("mcnemar", 0.05, 280), Stated(0.8), several=True) == [None]
    with pytest.raises(ValueError, match="state `group_size`"):
        planned_groups(Question("mcnemar", 0.05, 280), Stated(0.8, icc=0.1), several=True)


@for_each(
    ("call", "message"),
    [
        (lambda: grouped_power("observed", 0.1, MIXED, 0.1), "observed difference"),
        (lambda: grouped_power(0.2, 0.1, MIXED, 0.1), "at most the share"),
        (lambda: grouped_power(0.1, 0.2, MIXED, 1.1), "intra-class correlation"),
        (lambda: grouped_power(0.1, 0.2, (), 0.1), "1 to 2,000 examples"),
        (lambda: grouped_power(0.1, 0.2, ((2_001, 5),), 0.1), "1 to 2,000 examples"),
        (lambda: grouped_power(0.1, 0.2, MIXED, 0.1, 1.0), "a level"),
        (
            lambda: grouped_power(0.1, 0.2, MIXED, 0.1, 0.6, one_sided=True),
            "one-sided test",
        ),
        (lambda: grouped_power(0.1, 0.2, MIXED, 0.1, target=1.0), "a power"),
        (lambda: grouped_width(MIXED, 0.1, 0.1, 0.2), "no more than the share"),
    ],
)
def test_what_cannot_be_true_of_groups_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
