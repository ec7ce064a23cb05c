"""The correction by joint resamples against R, plain loops and its promise of intervals."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from resamples import drawn_weights
from scipy import stats

from evallang.stats.corrections.joint_corrections import (
    drawn_p,
    max_t,
    single_level,
    studentized_p,
    swapped_p,
)
from evallang.stats.draws import Block
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.hypothesis_tests.swapping import (
    LossSwapper,
    OutputSwapper,
    TableSwapper,
    joint_swaps,
)
from evallang.stats.intervals.resampling import spread_out

REFERENCE = Path(__file__).parent / "reference"
OBSERVED = (2.6, 1.1, 2.2, 0.2, 3.1)
PAIRS = list(itertools.combinations(range(4), 2))


def of_r(what):
    with (REFERENCE / "joint_resamples.csv").open() as file:
        return [float(row["value"]) for row in csv.DictReader(file) if row["what"] == what]


def read(name):
    return np.loadtxt(REFERENCE / name, delimiter=",")


def test_adjusted_p_are_those_of_r_multtest():
    # ss.minP leaves out the statistics observed; here they count as one resample more
    drawn = read("joint_statistics.csv")
    found = max_t(of_r("raw"), swapped_p(drawn))
    expected = [(1 + 500 * p) / 501 for p in of_r("ss.minP")]
    assert found == pytest.approx(expected, abs=1e-12)


def test_pairs_of_means_have_the_p_and_the_intervals_of_r_multcomp():
    # normal losses, so that the multivariate t holds; 20,000 resamples: standard error .003
    losses = read("joint_losses.csv")
    drawn = studentized_p(losses, PAIRS, None, 1, 20_000)
    results = [t(losses[:, i], losses[:, j]) for i, j in PAIRS]
    found = max_t([result.p for result in results], drawn)
    assert found == pytest.approx(of_r("single-step"), abs=0.012)
    level = single_level(drawn, 0.95, [True] * 6)
    wide = [t(losses[:, i], losses[:, j], None, level).estimate for i, j in PAIRS]
    assert [e.low for e in wide] == pytest.approx(of_r("low"), abs=0.004)
    assert [e.high for e in wide] == pytest.approx(of_r("high"), abs=0.004)


def test_studentized_means_are_those_of_scipy_on_the_same_resample():
    rng = np.random.default_rng(3)
    losses = rng.gamma(0.5, size=(12, 3))
    pairs = [(0, 1), (2, 0)]
    d = np.column_stack([losses[:, i] - losses[:, j] for i, j in pairs])
    times = drawn_weights(np.random.default_rng(9), 12, 40)
    found = studentized_p(losses, pairs, None, 9, 40)
    for row, p in zip(times, found, strict=True):
        again = np.repeat(d, row, axis=0)
        assert p == pytest.approx(stats.ttest_1samp(again, d.mean(axis=0)).pvalue, rel=1e-9)


def test_studentized_means_of_groups_are_those_of_the_clustered_t():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(9), [3, 3, 5, 2, 4, 4, 6, 1, 3])
    losses = rng.standard_normal((len(groups), 2)) + rng.standard_normal((9, 1))[groups]
    d = losses[:, 0] - losses[:, 1]
    times = drawn_weights(np.random.default_rng(5), 9, 30)
    df = t(losses[:, 0], losses[:, 1], groups).df[0]
    found = studentized_p(losses, [(0, 1)], groups, 5, 30)[:, 0]
    for row, p in zip(times, found, strict=True):
        rows = [np.flatnonzero(groups == g) for g in np.repeat(np.arange(9), row)]
        codes = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
        again = t(d[np.concatenate(rows)] - d.mean(), np.zeros(len(codes)), codes)
        assert p == pytest.approx(2 * stats.t.sf(abs(again.statistic.value), df), rel=1e-9)


def test_a_constant_resample_is_extreme_only_if_its_mean_has_moved():
    # two distinct differences: resamples of one of them alone have no spread
    p = studentized_p([[0.0, 1.0], [0.0, 3.0]], [(0, 1), (0, 0)], None, 1, 200)
    assert set(np.unique(p[:, 1])) == {1.0}
    assert 0.0 in p[:, 0]
    assert not np.isnan(p).any()


def test_swaps_of_counts_losses_and_outputs_are_the_same_for_the_same_signs():
    rng = np.random.default_rng(8)
    truth, a, b = rng.integers(0, 2, (3, 30))

    def accuracy(tables):
        return np.trace(tables, axis1=-2, axis2=-1) / tables.sum((-1, -2))

    def of_cells(truth, label):
        return spread_out(truth * 2 + label, (2, 2), accuracy)

    given = truth, a, b, np.ones(30, dtype=int), of_cells
    counted = TableSwapper(*given, np.arange(30))
    losses = LossSwapper((a == truth).astype(float), (b == truth).astype(float))
    outputs = OutputSwapper(a, b, lambda labels: float((labels == truth).mean()))
    found = joint_swaps([counted, losses, outputs], np.random.default_rng(1), 100)
    assert found[:, 1] == pytest.approx(found[:, 0], abs=1e-12)
    assert found[:, 2] == pytest.approx(found[:, 0], abs=1e-12)
    assert found[:, 0].std() > 0
    in_groups = TableSwapper(*given, np.arange(30) // 3)
    kept = np.zeros((10, 2), dtype=np.uint8)
    kept[:, 0] = 1
    expected = [(a == truth).mean() - (b == truth).mean()]
    assert in_groups.on(Block(kept)) == pytest.approx([expected[0], -expected[0]])


def test_pairs_of_other_examples_are_refused():
    a, b = LossSwapper([1.0, 2.0], [0.0, 0.0]), LossSwapper([1.0], [0.0])
    with pytest.raises(ValueError, match="same examples"):
        joint_swaps([a, b], np.random.default_rng(1), 5)


def test_ties_with_the_observed_difference_count_whatever_their_exact_p():
    # six of ten swaps give the observed size, whose exact p is .5: they are as extreme
    drawn = np.array([[0.2]] * 6 + [[0.0]] * 4)
    p = swapped_p(drawn, observed=[0.2], p=[0.5])
    assert max_t([0.5], p) == (7 / 11,)
    assert max_t([0.5], swapped_p(drawn)) == (0.5,)  # by shares alone six tenths is above .5


@pytest.mark.parametrize(
    ("side", "expected"),
    [("greater", [0.25, 1.0]), ("less", [1.0, 0.25]), ("two_sided", [0.5] * 2)],
)
def test_tails_are_on_the_side_that_counts(side, expected):
    found = drawn_p(np.array([[4.0], [1.0], [2.0], [3.0]]), side)
    assert [found[0, 0], found[1, 0]] == expected


def test_resamples_without_a_value_are_left_out_of_drawn_tails_and_extreme_among_swaps():
    values = np.array([[1.0, 2.0], [np.nan, 3.0], [2.0, 1.0]])
    assert drawn_p(values).shape == (2, 2)
    assert swapped_p(values)[1, 0] == pytest.approx(1 / 3)


def test_the_level_of_the_intervals_is_where_the_adjusted_p_reaches_alpha():
    rng = np.random.default_rng(2)
    drawn = rng.uniform(size=(999, 4))
    level = single_level(drawn, 0.95, [True] * 4)
    inside, outside = 1 - level, (1 - level) * (1 + 1e-6)
    assert max_t([inside, 1, 1, 1], drawn)[0] <= 0.05 < max_t([outside, 1, 1, 1], drawn)[0]
    # independent uniforms: Šidák's level, with the standard error of 999 resamples
    assert level == pytest.approx(0.95 ** (1 / 4), abs=0.006)
    assert single_level(np.full((50, 2), 0.9), 0.95, [True, True]) == 0.95
    assert single_level(drawn[:10], 0.95, [True] * 4) is None
    assert single_level(np.zeros((50, 1)), 0.95, [True]) is None


def test_an_undefined_p_stays_so_and_does_not_count():
    drawn = np.array([[0.01, 0.5], [0.02, 0.6], [0.03, 0.7]])
    assert max_t([None, 0.1], drawn) == (None, 0.25)
    assert max_t([], drawn[:, :0]) == ()


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="column of p-values"):
        max_t([0.1, 0.2], [[0.1]])
    with pytest.raises(ValueError, match="between 0 and 1"):
        max_t([0.1], [[1.5]])
    with pytest.raises(ValueError, match="joint resample or more"):
        max_t([0.1], np.empty((0, 1)))
