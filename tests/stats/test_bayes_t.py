"""The Bayesian correlated t test against baycomp and its own closed form."""

import numpy as np
import pytest
from scipy import stats
from stats.reference_values import columns, figures

from evallang.stats.hypothesis_tests.bayesian import bayes_t
from evallang.stats.hypothesis_tests.folds import corrected_t

BAYCOMP = figures("from_python")  # baycomp 1.0.3, two_on_single
FIRST, SECOND = (columns("pairs")[name][:20] for name in ("first", "second"))


@pytest.mark.parametrize("runs", [1, 2])
def test_probabilities_are_those_of_baycomp_at_its_fixed_correlation(runs):
    # baycomp takes the correlation 1/folds, that is a ratio of 1/(folds - 1)
    folds = 20 // runs
    for rope in (0.0, 0.01):
        found = bayes_t(FIRST, SECOND, rope=rope, test_train_ratio=1 / (folds - 1), better="higher")
        name = f"bayes_{runs}_{rope:g}"
        assert found.extra["p_first"] == pytest.approx(BAYCOMP[f"{name}_first"], rel=1e-9)
        assert found.extra["p_second"] == pytest.approx(BAYCOMP[f"{name}_second"], rel=1e-9)
        if rope:
            assert found.extra["p_rope"] == pytest.approx(BAYCOMP[f"{name}_rope"], rel=1e-9)
        assert found.extra["correlation"] == pytest.approx(1 / folds, rel=1e-12)


def test_the_three_probabilities_add_up_and_there_is_no_p():
    found = bayes_t(FIRST, SECOND, bounded=True, better="higher", test_train_ratio=1 / 9)
    total = sum(found.extra[name] for name in ("p_first", "p_rope", "p_second"))
    assert total == pytest.approx(1.0, rel=1e-12)
    assert found.extra["rope"] == 0.01
    assert (found.p, found.p_adjusted, found.reject) == (None, None, None)


def test_without_a_region_p_second_is_the_one_sided_p_of_corrected_t():
    # Corani & Benavoli 2015: the posterior and the frequentist t have the same numbers
    sizes = np.full(20, 90), np.full(20, 10)
    found = bayes_t(FIRST, SECOND, *sizes, rope=0.0, better="higher")
    frequentist = corrected_t(FIRST, SECOND, *sizes)
    smaller = min(found.extra["p_first"], found.extra["p_second"])
    assert 2 * smaller == pytest.approx(frequentist.p, rel=1e-10)
    assert found.estimate.low == pytest.approx(frequentist.estimate.low, rel=1e-10)
    assert found.estimate.high == pytest.approx(frequentist.estimate.high, rel=1e-10)


def test_a_small_probability_keeps_its_digits():
    d = np.array([0.5, 0.5001, 0.4999, 0.5002, 0.4998])
    found = bayes_t(d, np.zeros(5), rope=0.01, test_train_ratio=0.25, better="higher")
    scale = d.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    expected = stats.t.sf(0.49 / scale, 4) - stats.t.sf(0.51 / scale, 4)
    assert found.extra["p_rope"] == pytest.approx(expected, rel=1e-6)
    assert 0 < found.extra["p_rope"] < 1e-9


def test_for_a_loss_the_smaller_score_is_the_better_one():
    higher = bayes_t(FIRST, SECOND, rope=0.005, better="higher", test_train_ratio=1 / 9)
    lower = bayes_t(FIRST, SECOND, better="lower", rope=0.005, test_train_ratio=1 / 9)
    assert lower.extra["p_first"] == higher.extra["p_second"]
    assert lower.estimate == higher.estimate


@pytest.mark.parametrize(
    ("first", "expected"),
    [(0.5, (0.0, 1.0, 0.0)), (0.6, (1.0, 0.0, 0.0)), (0.4, (0.0, 0.0, 1.0))],
)
def test_a_constant_difference_is_certain_also_where_rounding_blurs_it(first, expected):
    scores = np.array([0.1, 0.2, 0.3])
    found = bayes_t(
        scores + (first - 0.5), scores, rope=0.05, better="higher", test_train_ratio=1 / 9
    )
    assert tuple(found.extra[name] for name in ("p_first", "p_rope", "p_second")) == expected
    assert "do not vary" in found.notes[-1]


def test_equal_scores_without_a_region_are_a_toss_up():
    found = bayes_t([0.3, 0.3], [0.1 + 0.2, 0.3], rope=0.0, better="higher", test_train_ratio=1.0)
    assert (found.extra["p_first"], found.extra["p_second"]) == (0.5, 0.5)


def test_a_metric_without_a_range_needs_its_region():
    with pytest.raises(ValueError, match=r"write `bayes_t\(rope=...\)`"):
        bayes_t(FIRST, SECOND, better="higher")
    with pytest.raises(ValueError, match="at least 0"):
        bayes_t(FIRST, SECOND, rope=-0.1, better="higher")
    with pytest.raises(ValueError, match="higher"):
        bayes_t(FIRST, SECOND, better="more", rope=0.1)


def test_one_fold_says_nothing():
    found = bayes_t([0.5], [0.4], bounded=True, better="higher")
    assert found.extra["p_first"] is None
    assert "two folds" in found.notes[-1]
