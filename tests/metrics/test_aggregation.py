"""One value from many folds."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, mean_squared_error, r2_score, roc_auc_score

from evallang.metrics.aggregation import aggregate, partition
from evallang.metrics.metric import METRICS, Outcome

RNG = np.random.default_rng(20)
N, REPEATS, FOLDS = 60, 3, 4
TRUTH = np.tile(np.arange(N) % 2, REPEATS)
REPEAT = np.repeat(np.arange(REPEATS), N)
FOLD = np.concatenate([RNG.permutation(np.arange(N) % FOLDS) for _ in range(REPEATS)])
SCORE = np.clip(TRUTH * 0.3 + RNG.random(N * REPEATS) * 0.7, 0.01, 0.99)
LABEL = (SCORE > 0.5).astype(int)
VALUE = RNG.normal(size=N * REPEATS)
GUESS = VALUE + RNG.normal(size=N * REPEATS)

ALL = [(r, f) for r in range(REPEATS) for f in range(FOLDS)]


def outcome(output, truth=TRUTH, k=2, weights=None):
    return Outcome(truth, output, k, 1, weights)


def rows(repeat=None, fold=None):
    chosen = np.ones(N * REPEATS, dtype=bool)
    if repeat is not None:
        chosen &= repeat == REPEAT
    if fold is not None:
        chosen &= fold == FOLD
    return chosen


def test_counts_are_pooled_in_a_repeat_and_averaged_over_repeats():
    found = aggregate(METRICS["f1"], {}, outcome(LABEL), FOLD, REPEAT)
    pooled = [f1_score(TRUTH[rows(r)], LABEL[rows(r)]) for r in range(REPEATS)]
    assert found.value == pytest.approx(np.mean(pooled), abs=1e-14)
    assert found.aggregation == "mean_of_repeats"
    assert found.n == REPEATS * FOLDS

    by_fold = [f1_score(TRUTH[rows(*pair)], LABEL[rows(*pair)]) for pair in ALL]
    assert found.folds == tuple(ALL)
    np.testing.assert_allclose(found.fold_values, by_fold, rtol=1e-14)
    assert found.fold_mean == pytest.approx(np.mean(by_fold), abs=1e-14)
    assert found.sd == pytest.approx(np.std(by_fold, ddof=1), abs=1e-14)
    assert found.value != pytest.approx(found.fold_mean, abs=1e-6)


def test_one_repeat_is_pooled():
    first = rows(0)
    found = aggregate(
        METRICS["f1"], {}, outcome(LABEL[first], TRUTH[first]), FOLD[first], REPEAT[first]
    )
    assert found.value == pytest.approx(f1_score(TRUTH[first], LABEL[first]), abs=1e-14)
    assert (found.aggregation, found.n) == ("pooled", N)


def test_losses_are_averaged_over_examples():
    found = aggregate(METRICS["log_loss"], {}, outcome(SCORE), FOLD, REPEAT)
    by_repeat = [log_loss(TRUTH[rows(r)], SCORE[rows(r)]) for r in range(REPEATS)]
    assert found.value == pytest.approx(np.mean(by_repeat), abs=1e-14)
    assert found.aggregation == "mean_of_repeats"


def test_rmse_is_the_root_of_the_mean_loss_of_a_repeat_not_the_mean_of_roots():
    found = aggregate(METRICS["rmse"], {}, outcome(GUESS, VALUE, 0), FOLD, REPEAT)
    by_repeat = [mean_squared_error(VALUE[rows(r)], GUESS[rows(r)]) ** 0.5 for r in range(REPEATS)]
    by_fold = [mean_squared_error(VALUE[rows(*p)], GUESS[rows(*p)]) ** 0.5 for p in ALL]
    assert found.value == pytest.approx(np.mean(by_repeat), abs=1e-14)
    np.testing.assert_allclose(found.fold_values, by_fold, rtol=1e-14)


def test_ranking_metrics_are_the_mean_of_folds():
    found = aggregate(METRICS["roc_auc"], {}, outcome(SCORE), FOLD, REPEAT)
    by_fold = [roc_auc_score(TRUTH[rows(*pair)], SCORE[rows(*pair)]) for pair in ALL]
    assert found.value == pytest.approx(np.mean(by_fold), abs=1e-14)
    assert found.value == found.fold_mean
    assert (found.aggregation, found.n) == ("mean_of_folds", 12)


def test_r2_is_the_mean_of_folds():
    found = aggregate(METRICS["r2"], {}, outcome(GUESS, VALUE, 0), FOLD, REPEAT)
    by_fold = [r2_score(VALUE[rows(*pair)], GUESS[rows(*pair)]) for pair in ALL]
    assert found.value == pytest.approx(np.mean(by_fold), abs=1e-14)


def test_a_prior_only_model_has_no_auc_of_0_under_leave_one_out():
    # each training set lacks the test example, so pooled scores rank exactly wrong
    truth = np.array([0, 0, 0, 1, 1, 1])
    score = (truth.sum() - truth) / 5
    folds = np.arange(6)
    pooled = aggregate(METRICS["roc_auc"], {"pool": True}, outcome(score, truth), folds)
    assert (pooled.value, pooled.aggregation) == (0, "pooled")
    found = aggregate(METRICS["roc_auc"], {}, outcome(score, truth), folds)
    assert found.value is None
    assert found.fold_values == (None,) * 6
    assert (found.fold_mean, found.sd, found.n) == (None, None, 0)
    assert found.notes == ("undefined on these test rows",)


def test_folds_where_it_is_undefined_are_counted_and_left_out():
    truth = np.array([0, 1, 0, 1, 1, 1])
    score = np.array([0.1, 0.9, 0.8, 0.2, 0.3, 0.4])
    found = aggregate(METRICS["roc_auc"], {}, outcome(score, truth), [0, 0, 1, 1, 2, 2])
    assert found.fold_values == (1, 0, None)
    assert (found.value, found.n) == (0.5, 2)
    assert found.notes == ("undefined in 1 of 3 folds, which has no part in the mean",)


def test_repeats_where_a_count_metric_is_undefined_are_left_out():
    truth, label = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    found = aggregate(METRICS["recall"], {}, outcome(label, truth), [0] * 4, [0, 0, 1, 1])
    assert found.fold_values == (None, 0.5)
    assert found.value == 0.5
    assert found.notes == ("undefined in 1 of 2 repeats, which has no part in the mean",)


@pytest.mark.parametrize("name", ["accuracy", "log_loss", "roc_auc"])
def test_a_single_holdout_is_pooled_and_has_no_spread(name):
    found = aggregate(METRICS[name], {}, outcome(LABEL if name == "accuracy" else SCORE))
    assert found.aggregation == "pooled"
    assert found.folds == ((0, 0),)
    assert found.fold_values == (found.value,)
    assert found.sd is None


def test_repeated_holdouts_are_averaged():
    found = aggregate(METRICS["accuracy"], {}, outcome(LABEL), None, REPEAT)
    assert found.folds == ((0, 0), (1, 0), (2, 0))
    assert found.value == found.fold_mean
    assert found.aggregation == "mean_of_repeats"


def test_weights_of_ones_change_nothing_and_doubling_is_repeating_a_row():
    first = rows(0)
    truth, label, score, fold = TRUTH[first], LABEL[first], SCORE[first], FOLD[first]
    weights = RNG.integers(1, 4, N).astype(float)
    again = np.repeat(np.arange(N), weights.astype(int))
    for name, output in (("f1", label), ("brier", score), ("roc_auc", score)):
        plain = aggregate(METRICS[name], {}, outcome(output, truth), fold)
        ones = aggregate(METRICS[name], {}, outcome(output, truth, 2, np.ones(N)), fold)
        assert ones.value == pytest.approx(plain.value, abs=1e-14)
        heavy = aggregate(METRICS[name], {}, outcome(output, truth, 2, weights), fold)
        copies = aggregate(METRICS[name], {}, outcome(output[again], truth[again]), fold[again])
        assert heavy.value == pytest.approx(copies.value, abs=1e-13)
        np.testing.assert_allclose(heavy.fold_values, copies.fold_values, rtol=1e-12)


def test_the_order_of_the_predictions_does_not_matter():
    order = RNG.permutation(N * REPEATS)
    for name, output in (("f1", LABEL), ("log_loss", SCORE), ("roc_auc", SCORE)):
        one = aggregate(METRICS[name], {}, outcome(output), FOLD, REPEAT)
        other = aggregate(
            METRICS[name], {}, outcome(output[order], TRUTH[order]), FOLD[order], REPEAT[order]
        )
        assert other.folds == one.folds
        np.testing.assert_allclose(other.fold_values, one.fold_values, rtol=1e-13)
        assert other.value == pytest.approx(one.value, rel=1e-13)


@pytest.mark.parametrize("folds", [(0,), (-1, 0, 3), (2, 10**12)])
@pytest.mark.parametrize("repeats", [(0,), (1, 4)])
def test_folds_are_numbered_as_by_sorting_all_pairs(folds, repeats):
    rng = np.random.default_rng(5)
    fold, repeat = rng.choice(folds, size=40), rng.choice(repeats, size=40)
    pairs, place = np.unique(np.stack([repeat, fold], axis=1), axis=0, return_inverse=True)
    found = partition(40, fold, repeat)
    assert found.pairs == tuple(map(tuple, pairs.tolist()))
    np.testing.assert_array_equal(found.fold, place.reshape(-1))
    np.testing.assert_array_equal(found.repeat, np.unique(repeat, return_inverse=True)[1])
    assert found.repeats == len(set(repeat.tolist()))
