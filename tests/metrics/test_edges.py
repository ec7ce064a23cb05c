"""What metrics are where scikit-learn warns, refuses, or has no such metric."""

import numpy as np
import pytest
from many_cases import for_each
from msgspec.structs import replace

from evallang.metrics.aggregation import aggregate
from evallang.metrics.metric import (
    METRICS,
    Outcome,
    canonical,
    confusion,
    confusions,
    evaluate,
    is_binary,
    successes,
)

ONES, ZEROS = np.ones(4, dtype=int), np.zeros(4, dtype=int)


def metric(name, truth, output, k=2, positive=1, **options):
    return evaluate(METRICS[name], options, np.array(truth), np.array(output), positive, k)


# --- undefined ---------------------------------------------------------------------------


@for_each(
    ("name", "truth", "output"),
    [
        ("recall", ZEROS, ONES),
        ("specificity", ONES, ONES),
        ("cohen_kappa", ONES, ONES),
        ("roc_auc", ONES, np.array([0.1, 0.2, 0.3, 0.4])),
        ("average_precision", ZEROS, np.array([0.1, 0.2, 0.3, 0.4])),
        ("r2", np.array([2.0, 2.0]), np.array([2.0, 2.0])),
        ("r2", np.array([2.0]), np.array([3.0])),
        ("accuracy", np.array([], dtype=int), np.array([], dtype=int)),
        ("mse", np.array([]), np.array([])),
    ],
)
def test_undefined_is_nan(name, truth, output):
    assert np.isnan(metric(name, truth, output))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_roc_auc_is_undefined_where_one_of_three_classes_is_absent(multi_class):
    scores = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1]])
    assert np.isnan(metric("roc_auc", [0, 1, 0], scores, 3, None, multi_class=multi_class))


def test_a_missing_score_makes_a_ranking_undefined():
    assert np.isnan(metric("roc_auc", [0, 1, 1], [0.1, np.nan, 0.3]))
    assert np.isnan(metric("average_precision", [0, 1, 1], [0.1, np.nan, 0.3]))


@pytest.mark.parametrize("name", ["precision", "f1", "jaccard"])
def test_a_share_of_nothing_is_undefined(name):
    # scikit-learn gives 0 and warns; a model that never predicts a class has no precision
    assert np.isnan(metric(name, ZEROS, ZEROS))


def test_the_precision_of_a_class_never_predicted_is_undefined():
    assert np.isnan(metric("precision", ONES, ZEROS))
    assert np.isnan(metric("npv", ZEROS, ONES))


def test_missing_every_positive_is_an_f1_of_zero():
    assert metric("f1", ONES, ZEROS) == 0
    assert metric("jaccard", ONES, ZEROS) == 0


def test_mcc_is_zero_where_its_denominator_is_as_in_scikit_learn():
    assert metric("mcc", ZEROS, ZEROS) == 0
    assert metric("mcc", ONES, ZEROS) == 0


def test_macro_recall_is_balanced_accuracy_where_a_class_has_no_examples():
    # class 2 is predicted and never true: scikit-learn's recall_score counts a 0 for it
    truth, predicted = [0, 0, 1, 1], [0, 2, 1, 1]
    assert metric("recall", truth, predicted, 3) == 0.75
    assert metric("balanced_accuracy", truth, predicted, 3) == 0.75


# --- labels that are not class ---------------------------------------------------------------


def test_a_label_that_is_no_class_is_counted_in_a_column_of_its_own():
    matrix = confusion(np.array([0, 1, 1, 0]), np.array([0, -1, 1, -1]), 2)
    np.testing.assert_array_equal(matrix, [[1, 0, 1], [0, 1, 1]])
    assert matrix.dtype == np.int64


def test_a_label_that_is_no_class_is_wrong():
    truth, predicted = [0, 1, 1, 0], [0, -1, 1, -1]
    assert metric("accuracy", truth, predicted) == 0.5
    assert metric("error_rate", truth, predicted) == 0.5
    assert metric("recall", truth, predicted) == 0.5
    assert metric("specificity", truth, predicted) == 0.5
    assert metric("precision", truth, predicted) == 1
    assert metric("npv", truth, predicted) == 1
    assert metric("f1", truth, predicted) == 2 / 3  # 2 tp / (2 tp + fp + fn) = 2 / (2 + 0 + 1)


def test_right_and_wrong_alone_give_accuracy_with_one_class():
    right = np.array([True, True, False, True])
    assert metric("accuracy", ZEROS, np.where(right, 0, -1), 1, None) == 0.75


def test_a_label_that_is_no_class_costs_as_much_as_the_costliest():
    costs = ((0, 50), (10, 3))
    assert metric("cost", [0, 1], [-1, -1], matrix=costs) == (50 + 10) / 2


def test_metrics_take_k_columns_where_every_label_is_a_class():
    square, wide = [[3, 1], [2, 4]], [[3, 1, 0], [2, 4, 0]]
    for entry in METRICS:
        if entry.declaration.form == "counts":
            options = {
                "fbeta": {"beta": 2},
                "cost": {"matrix": ((0, 1), (1, 0))},
                "normalized_cost": {"share": 0.3},
            }
            chosen = options.get(entry.name, {})
            assert entry.function(square, 1, **chosen) == entry.function(wide, 1, **chosen)


# --- options ------------------------------------------------------------------------------


def test_cost_weighs_each_kind_of_mistake():
    # by hand: one of three false alarms at 50, two of three misses at 10
    assert (
        metric("cost", [0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1], matrix=[[0, 50], [10, 0]])
        == (50 + 2 * 10) / 6
    )


@pytest.mark.parametrize(
    "matrix", [((0, 1),), ((0, 1), (1,)), (0, 1), ((0, "a"), (1, 0)), ((0, 1, 2), (1, 0, 2))]
)
def test_a_cost_matrix_of_another_shape_is_refused_in_words(matrix):
    with pytest.raises(ValueError, match="the matrix of cost must"):
        metric("cost", [0, 1], [0, 1], matrix=matrix)


def test_binary_averages_are_refused_for_three_classes():
    with pytest.raises(ValueError, match="there are 3 classes: write average=macro"):
        metric("f1", [0, 1, 2], [0, 1, 2], 3, None, average="binary")


def test_the_average_is_binary_for_two_classes_and_macro_for_more():
    two = ([0, 1, 1, 0, 1], [0, 1, 0, 1, 1])
    three = ([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1])
    assert metric("f1", *two) == metric("f1", *two, average="binary")
    assert metric("f1", *two) != metric("f1", *two, average="macro")
    assert metric("f1", *three, 3, None) == metric("f1", *three, 3, None, average="macro")


def test_canonical_names_show_the_options_that_were_written():
    assert canonical("f1", {}) == "f1"
    assert canonical("f1", {"average": "macro"}) == "f1(average=macro)"
    assert canonical("roc_auc", {"pool": True}) == "roc_auc(pool=true)"
    assert canonical("fbeta", {"beta": 0.5, "average": None}) == "fbeta(beta=0.5, average=none)"
    assert canonical("cost", {"matrix": ((0, 50), (10, 0))}) == "cost(matrix=[[0, 50], [10, 0]])"


# --- counts -------------------------------------------------------------------------------


def test_counts_of_parts_are_those_of_each_part_alone():
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 3, 50), rng.integers(-1, 3, 50)
    part, weights = rng.integers(0, 4, 50), rng.random(50)
    for chosen in (None, weights):
        together = confusions(truth, predicted, 3, part, 5, chosen)
        assert together.shape == (5, 3, 4)
        for p in range(5):
            rows = part == p
            alone = confusion(
                truth[rows], predicted[rows], 3, None if chosen is None else chosen[rows]
            )
            np.testing.assert_allclose(together[p], alone, rtol=1e-14)


def test_large_counts_do_not_overflow():
    # n^4 = 1e28 is beyond 64-bit integers; phi of (a d - b c) / sqrt(row and column sums)
    counts = np.array([[4_000_000, 1_000_000], [2_000_000, 3_000_000]])
    expected = (4 * 3 - 1 * 2) / np.sqrt(5.0 * 5.0 * 6.0 * 4.0)
    assert METRICS["mcc"].function(counts, 1) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # 344 liver scans, Altman & Bland 1994: BMJ 308:1552 and 309:102
        ("recall", (231, 258)),
        ("specificity", (54, 86)),
        ("precision", (231, 263)),
        ("npv", (54, 81)),
        ("accuracy", (285, 344)),
        ("error_rate", (285, 344)),
        ("f1", None),
        ("mcc", None),
    ],
)
def test_proportions_know_their_successes_and_trials(name, expected):
    counts = np.array([[54, 32, 0], [27, 231, 0]])
    assert successes(METRICS[name], {}, counts, 1) == expected


def test_successes_over_trials_is_the_metric():
    rng = np.random.default_rng(8)
    truth, predicted = rng.integers(0, 2, 60), rng.integers(-1, 2, 60)
    counts = confusion(truth, predicted, 2)
    for positive in (0, 1):
        for entry in METRICS:
            found = None
            if entry.declaration.form == "counts" and entry.declaration.proportion:
                found = successes(entry, {}, counts, positive)
            if found is not None:
                share = found[0] / found[1]
                value = 1 - share if entry.declaration.complement else share
                assert metric(entry.name, truth, predicted, 2, positive) == pytest.approx(
                    value, abs=1e-15
                )


def test_an_averaged_recall_is_no_proportion():
    counts = np.array([[54, 32, 0], [27, 231, 0]])
    assert successes(METRICS["recall"], {"average": "macro"}, counts, 1) is None
    three = np.ones((3, 4))
    assert successes(METRICS["recall"], {}, three, None) is None
    assert successes(METRICS["accuracy"], {}, three, None) == (3, 12)
    assert is_binary({"average": "binary"}, 2)
    assert not is_binary({"average": "micro"}, 2)


@pytest.mark.parametrize(
    ("truth", "predicted", "remark"),
    [
        ((0.0, 1, 2), (1, 1, 2), "the truth is 0 in 1 of 3 examples"),
        ((0.001, 1, 2), (0.002, 1.5, 2), "1 of 3 examples have a truth below a hundredth"),
        ((0.001, 1, 2), (0.001, 1.5, 2), None),  # a truth near 0 that is predicted exactly
        ((0.5, 1, 2), (0.1, 0.1, 0.1), None),
        ((3.0, 1, 2), (3.0, 1, 2), None),
    ],
)
def test_a_percentage_error_states_where_the_truth_is_near_0(truth, predicted, remark):
    outcome = Outcome(np.array(truth), np.array(predicted, dtype=float))
    found = aggregate(METRICS["mape"], {}, outcome)
    assert len(found.notes) == (remark is not None)
    assert all(note.startswith(remark) for note in found.notes)
    weighted = replace(outcome, weights=np.array([0.0, 1, 1]))
    near = any("hundredth" in note for note in aggregate(METRICS["mape"], {}, weighted).notes)
    assert not near
