"""Ranks over data sets, and the range of normal variables, against R and scipy."""

import csv
from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats

from evallang.stats import rank_scores
from evallang.stats.effect_sizes.effect_size import rank_models
from evallang.stats.hypothesis_tests.datasets import DEMSAR_AUC, DEMSAR_RANKS
from evallang.stats.rank_scores import range_quantile, range_tail

REFERENCE = Path(__file__).parent / "reference"
R = {
    row["name"]: float(row["value"])
    for row in csv.DictReader((REFERENCE / "over_data_r.csv").open(encoding="utf-8"))
}
SCORES = np.loadtxt(REFERENCE / "data_sets.csv", delimiter=",", skiprows=1)


def test_average_ranks_are_those_of_r():
    expected = [R[f"average_rank_{m}"] for m in range(1, 6)]
    assert rank_scores.average_ranks(SCORES, better="higher") == pytest.approx(expected, rel=1e-13)


def test_demsars_average_ranks():
    # Demšar 2006, table 6, last line
    expected = (3.143, 2.000, 2.893, 1.964)
    assert rank_scores.average_ranks(DEMSAR_RANKS, "lower") == pytest.approx(expected, abs=5e-4)


def test_the_direction_of_the_metric_turns_the_ranks():
    one, other = (
        rank_scores.average_ranks(SCORES, better="higher"),
        rank_scores.average_ranks(SCORES, "lower"),
    )
    assert other == pytest.approx([6 - rank for rank in one], rel=1e-13)
    with pytest.raises(ValueError, match="higher or lower"):
        rank_scores.average_ranks(SCORES, "up")


def test_equal_decimals_tie():
    assert rank_scores.average_ranks([[0.1 + 0.2, 0.3, 0.1]], better="higher") == (1.5, 1.5, 3.0)
    # Both differ by .2, which floats do not know
    table = rank_scores.read_pair([0.3, 0.2], [0.1, 0.0], "higher")
    first, second = rank_scores.differences_of(table.values)
    assert first == second


def test_units_of_data_sets_do_not_decide_what_ties():
    scores = [[1e9, 1e9 + 1], [1e-9, 2e-9]]
    assert rank_scores.average_ranks(scores, better="higher") == (2.0, 1.0)
    table = rank_scores.read_pair([1e9, 2e-9], [1e9 + 1, 1e-9], "higher")
    assert rank_scores.differences_of(table.values) == pytest.approx([-1, 1e-9], rel=1e-12)


def test_a_data_set_without_all_scores_is_left_out_or_counts_as_the_worst():
    scores = [[0.9, np.nan, 0.7], [0.6, 0.7, 0.8]]
    assert rank_scores.average_ranks(scores, better="higher") == (3.0, 2.0, 1.0)
    assert rank_scores.average_ranks(scores, missing="worst", better="higher") == (2.0, 2.5, 1.5)
    losses = [[0.1, None, 0.3]]
    assert rank_scores.average_ranks(losses, "lower", "worst") == (1.0, 3.0, 2.0)
    assert rank_scores.average_ranks([[np.nan, 1.0]], better="higher") == ()
    assert "1 of 2 data sets" in rank_scores.read_scores(scores, "higher").notes[0]


def test_an_infinite_loss_is_a_loss_and_the_worst():
    assert rank_scores.average_ranks([[np.inf, 2.0, 1.0]], "lower") == (3.0, 2.0, 1.0)


def test_wins_ties_and_losses_are_counted_for_each_pair():
    # Demšar 2006, table 2: C4.5+m against C4.5 wins 10, ties 2 and loses 2
    assert rank_scores.win_tie_loss(DEMSAR_AUC, better="higher")[0] == (0, 1, 2, 2, 10)
    found = rank_models(DEMSAR_AUC, ("plain", "m", "cf", "both"), better="higher")
    assert found.win_tie_loss[0] == ("plain", "m", 2, 2, 10)
    assert found.n == 14
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)  # Demšar 2006, 3.2.2
    assert list(found.average) == ["plain", "m", "cf", "both"]


def test_average_ranks_have_intervals_where_there_are_five_data_sets():
    found = rank_models(DEMSAR_AUC, ("plain", "m", "cf", "both"), seed=3, better="higher")
    for name, (low, high) in found.intervals.items():
        assert 1 <= low < found.average[name] < high <= 4
    assert set(found.intervals) == set(found.average)
    assert (
        rank_models(DEMSAR_AUC[:4], ("plain", "m", "cf", "both"), better="higher").intervals == {}
    )


def test_what_is_no_table_of_scores_is_refused():
    for scores in ([1.0, 2.0], [[1.0]], [[[1.0, 2.0]]]):
        with pytest.raises(ValueError, match="data sets by at least two models"):
            rank_scores.average_ranks(scores, better="higher")
    with pytest.raises(ValueError, match="one name"):
        rank_models(SCORES, ("a", "b"), better="higher")
    with pytest.raises(ValueError, match="one data set or more"):
        rank_scores.critical_difference(3, 0)


@for_each("models", range(2, 21))
def test_quantiles_are_those_of_r(models):
    # R iterates to about 1e-8
    found = range_quantile(0.95, models) / np.sqrt(2)
    assert found == pytest.approx(R[f"q_{models}"], rel=1e-7)


@for_each("models", [2, 3, 10, 50])
@for_each("q", [0.01, 0.5, 2.0, 4.0])
def test_tails_are_those_of_scipy(models, q):
    expected = stats.studentized_range.sf(q, models, np.inf)
    assert range_tail(q, models) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("q", [0.1, 3.0, 10.0, 20.0])
def test_the_range_of_two_is_a_normal_difference_also_far_out(q):
    expected = 2 * stats.norm.sf(q / np.sqrt(2))
    assert range_tail(q, 2) == pytest.approx(expected, rel=1e-12)


def test_a_range_takes_two():
    with pytest.raises(ValueError, match="two variables"):
        range_tail(1.0, 1)
    assert range_tail(0.0, 3) == 1.0
