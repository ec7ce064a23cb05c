"""Every metric agrees with scikit-learn on the same predictions to 1e-12."""

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import assume, given, settings, strategies as st

from evallang.metrics.metric import METRICS, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # scikit-learn's, where undefined

many = settings(max_examples=40, deadline=None)


def ours(name, truth, output, k=0, positive=None, weights=None, **options):
    return evaluate(METRICS[name], options, truth, output, positive, k, weights)


def agrees(value, expected, name=""):
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12, err_msg=name)


@st.composite
def labels(draw, k):
    """Truth and predictions of k classes; every class is in the truth; perhaps weights."""
    n = draw(st.integers(0, 40))
    code = st.integers(0, k - 1)
    truth = [*range(k), *draw(st.lists(code, min_size=n, max_size=n))]
    predicted = draw(st.lists(code, min_size=n + k, max_size=n + k))
    weights = draw(st.none() | st.lists(st.integers(1, 9), min_size=n + k, max_size=n + k))
    return (
        np.array(truth),
        np.array(predicted),
        None if weights is None else np.array(weights, dtype=float),
    )


@st.composite
def scored(draw, k):
    """Truth of k classes, all of them present, and probabilities with many ties."""
    truth, _, weights = draw(labels(k))
    share = st.lists(st.integers(1, 6), min_size=k, max_size=k)
    raw = np.array(draw(st.lists(share, min_size=len(truth), max_size=len(truth))), dtype=float)
    return truth, raw / raw.sum(axis=1, keepdims=True), weights


@st.composite
def values(draw):
    n = draw(st.integers(2, 40))
    number = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
    column = st.lists(number, min_size=n, max_size=n)
    weights = draw(st.none() | st.lists(st.integers(1, 9), min_size=n, max_size=n))
    return (
        np.array(draw(column)),
        np.array(draw(column)),
        None if weights is None else np.array(weights, dtype=float),
    )


# --- counts -----------------------------------------------------------------------------

PLAIN = {
    "accuracy": theirs.accuracy_score,
    "error_rate": theirs.zero_one_loss,
    "balanced_accuracy": theirs.balanced_accuracy_score,
    "mcc": theirs.matthews_corrcoef,
    "cohen_kappa": theirs.cohen_kappa_score,
}
AVERAGED = {
    "precision": theirs.precision_score,
    "recall": theirs.recall_score,
    "f1": theirs.f1_score,
    "jaccard": theirs.jaccard_score,
}


@many
@given(labels(3) | labels(2))
def test_metrics_of_all_classes_agree(drawn):
    truth, predicted, weights = drawn
    k = truth.max() + 1
    for name, score in PLAIN.items():
        expected = score(truth, predicted, sample_weight=weights)
        agrees(ours(name, truth, predicted, k, 1, weights), expected, name)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@many
@given(labels(3) | labels(2))
def test_averages_over_classes_agree(average, drawn):
    truth, predicted, weights = drawn
    k = truth.max() + 1
    for name, score in AVERAGED.items():
        expected = score(truth, predicted, average=average, sample_weight=weights)
        agrees(ours(name, truth, predicted, k, 1, weights, average=average), expected, name)


@pytest.mark.parametrize("positive", [0, 1])
@many
@given(labels(2))
def test_metrics_of_the_positive_class_agree(positive, drawn):
    truth, predicted, weights = drawn
    for name, score in AVERAGED.items():
        expected = score(truth, predicted, pos_label=positive, sample_weight=weights)
        found = ours(name, truth, predicted, 2, positive, weights)
        if np.isnan(found):
            assert expected == 0, name  # scikit-learn's word for a share of nothing
            continue
        agrees(found, expected, name)
        found = ours(name, truth, predicted, 2, positive, weights, average="binary")
        agrees(found, expected, name)


@pytest.mark.parametrize("beta", [0, 0.5, 2])
@many
@given(labels(3))
def test_f_beta_agrees(beta, drawn):
    truth, predicted, weights = drawn
    for average in ("macro", "micro", "weighted"):
        options = {"beta": beta, "average": average}
        expected = theirs.fbeta_score(truth, predicted, sample_weight=weights, **options)
        agrees(ours("fbeta", truth, predicted, 3, None, weights, **options), expected, average)


@many
@given(labels(2))
def test_specificity_and_npv_are_recall_and_precision_of_the_other_class(drawn):
    truth, predicted, weights = drawn
    expected = theirs.recall_score(truth, predicted, pos_label=0, sample_weight=weights)
    agrees(ours("specificity", truth, predicted, 2, 1, weights), expected)
    expected = theirs.precision_score(
        truth, predicted, pos_label=0, sample_weight=weights, zero_division=np.nan
    )
    agrees(ours("npv", truth, predicted, 2, 1, weights), expected)


@pytest.mark.parametrize(("name", "score"), [("specificity", "recall"), ("npv", "precision")])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@many
@given(labels(3))
def test_specificity_and_npv_of_many_classes_are_those_of_each_against_the_rest(
    name, score, average, drawn
):
    truth, predicted, _ = drawn
    by_class = [AVERAGED[score](truth != c, predicted != c) for c in range(3)]
    weights = None if average == "macro" else np.bincount(truth)
    expected = np.average(by_class, weights=weights)
    agrees(ours(name, truth, predicted, 3, average=average), expected)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@many
@given(labels(3), st.integers(0, 2**32 - 1))
def test_labels_that_are_no_class_agree_with_labels_given_to_scikit_learn(average, drawn, seed):
    truth, predicted, _ = drawn
    predicted = np.where(np.random.default_rng(seed).random(len(truth)) < 0.3, -1, predicted)
    for name, score in AVERAGED.items():
        expected = score(truth, predicted, average=average, labels=[0, 1, 2])
        agrees(ours(name, truth, predicted, 3, average=average), expected, name)


@many
@given(labels(3), st.integers(0, 2**32 - 1))
def test_labels_that_are_no_class_are_wrong_in_metrics_of_all_classes(drawn, seed):
    truth, predicted, _ = drawn
    predicted = np.where(np.random.default_rng(seed).random(len(truth)) < 0.3, -1, predicted)
    for name in ("accuracy", "error_rate", "mcc", "cohen_kappa"):
        agrees(ours(name, truth, predicted, 3), PLAIN[name](truth, predicted), name)


def test_classes_that_do_not_occur_have_no_part_in_macro_f1():
    truth, predicted = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
    expected = theirs.f1_score(truth, predicted, average="macro")
    agrees(ours("f1", truth, predicted, 4), expected)


# --- probabilities and scores -------------------------------------------------------------


@many
@given(scored(3) | scored(2))
def test_log_loss_agrees(drawn):
    truth, probability, weights = drawn
    expected = theirs.log_loss(
        truth, probability, labels=list(range(probability.shape[1])), sample_weight=weights
    )
    agrees(ours("log_loss", truth, probability, 0, 1, weights), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_log_loss_of_certain_and_wrong_probabilities_agrees(dtype):
    truth = np.array([0, 1, 1])
    probability = np.array([[0, 1], [0, 1], [0.25, 0.75]], dtype=dtype)
    agrees(ours("log_loss", truth, probability, 2, 1), theirs.log_loss(truth, probability))


@many
@given(scored(3) | scored(2))
def test_brier_agrees(drawn):
    truth, probability, weights = drawn
    k = probability.shape[1]
    one_or_all = probability if k > 2 else probability[:, 1]
    expected = theirs.brier_score_loss(
        truth, one_or_all, labels=list(range(k)), sample_weight=weights
    )
    agrees(ours("brier", truth, probability, k, 1, weights), expected)
    if k == 2:
        agrees(ours("brier", truth, probability[:, 1], k, 1, weights), expected)
        agrees(ours("brier", truth, probability[:, 0], k, 0, weights), expected)


@many
@given(scored(2))
def test_a_column_for_the_positive_class_is_as_good_as_two(drawn):
    truth, probability, _ = drawn
    for name in ("log_loss", "brier", "roc_auc", "average_precision"):
        for positive in (0, 1):
            both = ours(name, truth, probability, 2, positive)
            agrees(ours(name, truth, probability[:, positive], 2, positive), both)


@many
@given(scored(2))
def test_binary_roc_auc_and_average_precision_agree(drawn):
    truth, probability, weights = drawn
    for name, score in (
        ("roc_auc", theirs.roc_auc_score),
        ("average_precision", theirs.average_precision_score),
    ):
        for positive in (0, 1):
            expected = score(truth == positive, probability[:, positive], sample_weight=weights)
            agrees(ours(name, truth, probability, 2, positive, weights), expected)


@many
@given(scored(3))
def test_roc_auc_of_many_classes_agrees(drawn):
    truth, probability, weights = drawn
    expected = theirs.roc_auc_score(
        truth, probability, multi_class="ovr", average="macro", sample_weight=weights
    )
    agrees(ours("roc_auc", truth, probability, 3, None, weights), expected)
    expected = theirs.roc_auc_score(truth, probability, multi_class="ovo", average="macro")
    agrees(ours("roc_auc", truth, probability, 3, multi_class="ovo"), expected)


@many
@given(scored(3))
def test_average_precision_of_many_classes_agrees(drawn):
    truth, probability, weights = drawn
    expected = theirs.average_precision_score(truth, probability, sample_weight=weights)
    agrees(ours("average_precision", truth, probability, 3, None, weights), expected)


# --- values -------------------------------------------------------------------------------

WEIGHTED = {
    "mse": theirs.mean_squared_error,
    "rmse": theirs.root_mean_squared_error,
    "mae": theirs.mean_absolute_error,
    "mape": theirs.mean_absolute_percentage_error,
    "medae": theirs.median_absolute_error,
}


@pytest.mark.parametrize("name", WEIGHTED)
@many
@given(values())
def test_metrics_of_values_agree(name, drawn):
    truth, predicted, weights = drawn
    expected = WEIGHTED[name](truth, predicted, sample_weight=weights)
    agrees(ours(name, truth, predicted, weights=weights), expected)


@many
@given(values())
def test_max_error_agrees(drawn):
    truth, predicted, _ = drawn
    agrees(ours("max_error", truth, predicted), theirs.max_error(truth, predicted))


@many
@given(values())
def test_r2_agrees_where_the_truth_varies(drawn):
    truth, predicted, weights = drawn
    assume(np.ptp(truth) > 1)
    expected = theirs.r2_score(truth, predicted, sample_weight=weights)
    np.testing.assert_allclose(
        ours("r2", truth, predicted, weights=weights), expected, rtol=1e-12, atol=1e-12
    )
