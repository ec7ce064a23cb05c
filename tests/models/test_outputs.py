"""Outputs are in the study's order of classes, also where a training part lacked one."""

import numpy as np
import pytest
from many_cases import for_each

from evallang.models.fitting import predict_outputs

ROWS = np.zeros((2, 1))


class Fake:
    """A fitted model that says what it was told to say."""

    def __init__(self, predicted, classes=None, **answers):
        self.classes_ = np.asarray(classes)
        answers["predict"] = predicted
        for method, value in answers.items():
            setattr(self, method, lambda rows, value=value: np.asanyarray(value))


def test_probabilities_of_a_class_never_seen_are_zero():
    model = Fake([2, 0], [0, 2], predict_proba=[[0.25, 0.75], [1.0, 0.0]])
    out = predict_outputs(model, ROWS, 3, scores=True)
    assert out.kind == "probabilities"
    assert out.predictions.tolist() == [2, 0]
    assert out.scores.tolist() == [[0.25, 0, 0.75], [1, 0, 0]]


def test_margins_of_two_classes_are_one_number_for_the_second():
    model = Fake([0, 1], [0, 1], decision_function=[-2.0, 3.0])
    out = predict_outputs(model, ROWS, 2, scores=True)
    assert (out.kind, out.scores.tolist()) == ("margins", [-2.0, 3.0])


def test_margins_of_three_classes_keep_the_order_and_never_prefer_one_never_seen():
    model = Fake([2, 0], [0, 2], decision_function=[1.5, -0.5])  # two of three classes seen
    out = predict_outputs(model, ROWS, 3, scores=True)
    assert out.scores.shape == (2, 3)
    assert out.scores.argmax(axis=1).tolist() == [2, 0]
    assert out.scores[:, 1].max() < out.scores[:, [0, 2]].min()


def test_one_score_for_each_pair_of_classes_is_no_score_of_a_class():
    model = Fake([0, 1], [0, 1, 2, 3], decision_function=np.zeros((2, 6)))
    out = predict_outputs(model, ROWS, 4, scores=True)
    assert (out.scores, out.kind) == (None, None)


def test_labels_are_left_out_only_where_scores_take_their_place():
    pairs = Fake([3, 0], [0, 1, 2, 3], decision_function=[[0.0] * 6, [0.0] * 6])
    out = predict_outputs(pairs, ROWS, 4, scores=True, labels=False)
    assert (out.predictions.tolist(), out.scores, out.kind) == ([3, 0], None, None)
    margins = Fake([1, 0], [0, 1], decision_function=[1, -1])
    out = predict_outputs(margins, ROWS, 2, scores=True, labels=False)
    assert (out.predictions.tolist(), out.scores.tolist()) == ([0, 0], [1, -1])
    without = predict_outputs(Fake([1, 0], [0, 1]), ROWS, 2, scores=True, labels=False)
    assert without.predictions.tolist() == [1, 0]


def test_values_of_a_regressor_are_one_number_a_row():
    out = predict_outputs(Fake([1.5, 2.5]), ROWS, None, scores=True)
    assert (out.predictions.tolist(), out.scores, out.kind) == ([1.5, 2.5], None, None)


def probabilities(returned, classes=(0, 1)):
    return Fake([0, 1], list(classes), predict_proba=returned)


def margins(returned, classes=(0, 1)):
    return Fake([0, 1], list(classes), decision_function=returned)


@for_each(
    ("model", "n_classes", "message"),
    [
        (Fake([1.0, -2e200]), None, "`predict` returned .*200; the squares of numbers beyond 1e45"),
        (Fake([1.0, np.nan]), None, "`predict` returned nan; every number must be finite"),
        (Fake([1.0, np.inf]), None, "`predict` returned inf"),
        (Fake([[1.0], [2.0]]), None, r"`predict` .* shape \(2, 1\) for 2 rows; .* number per row"),
        (Fake([[1.0, 2.0], [3.0, 4.0]]), None, r"shape \(2, 2\) for 2 rows"),
        (Fake([1.0, 2.0, 3.0]), None, r"shape \(3,\) for 2 rows"),
        (Fake(1.0), None, r"shape \(\) for 2 rows"),
        (Fake([0, 5], [0, 1]), 2, "`predict` returned 5, which is not a class .* given as 0 to 1"),
        (Fake(np.ma.array([0, 1], mask=[0, 1]), [0, 1]), 2, "`predict` returned masked values"),
        (Fake(np.ma.array([0.5, 1], mask=[0, 1])), None, "`predict` returned masked values"),
        (Fake([0, -1], [0, 1]), 2, "`predict` returned -1, which is not a class"),
        (Fake([0, 0.7], [0, 1]), 2, "`predict` returned 0.7, which is not a class"),
        (Fake([0, np.nan], [0, 1]), 2, "`predict` returned nan, which is not a class"),
        (Fake(["0", "1"], [0, 1]), 2, "`predict` returned '0', which is not a class"),
        (Fake([0], [0, 1]), 2, r"shape \(1,\) for 2 rows; .* label per row"),
        (Fake([[1, 0], [0, 1]], [0, 1]), 2, r"shape \(2, 2\) for 2 rows"),
        (Fake([0, 1], [0, 7], predict_proba=np.eye(2)), 2, "`classes_` holds 7"),
        (probabilities([[np.nan, 1], [0, 1]]), 2, "`predict_proba` returned nan"),
        (probabilities([[1, 0], [0.5, 14.5]]), 2, r"\[0.5, 14.5\] in row 1 .* between 0 and 1"),
        (probabilities([[-0.5, 1.5], [0, 1]]), 2, r"\[-0.5, 1.5\] in row 0 of its input"),
        (probabilities([[0.5, 0.5], [0.7, 0.7]]), 2, "whose sum is 1.4"),
        (probabilities([[0.5, 0.5], [0, 0]]), 2, "whose sum is 0"),
        (probabilities([[0.5], [0.5]]), 2, r"shape \(2, 1\) for 2 rows and 2 classes"),
        (probabilities([0.5, 0.5]), 2, r"shape \(2,\) for 2 rows and 2 classes"),
        (probabilities([[0.5, 0.5]]), 2, r"shape \(1, 2\) for 2 rows and 2 classes"),
        (probabilities(np.eye(2), classes=(0, 1, 2)), 3, r"shape \(2, 2\) .* 3 classes"),
        (margins([[1.0], [-1.0]]), 2, r"`decision_function` .* \(2, 1\) for 2 rows and 2 classes"),
        (margins([1.0]), 2, r"shape \(1,\) for 2 rows"),
        (margins([1.0, -1.0], classes=(0, 1, 2)), 3, r"shape \(2,\) .* return the shape \(2, 3\)"),
        (margins([[1.0, 2, 3, 4]] * 2, classes=(0, 1, 2)), 3, r"shape \(2, 4\)"),
        (margins([np.inf, 1.0]), 2, "`decision_function` returned inf"),
    ],
)
def test_what_cannot_be_measured_is_an_error(model, n_classes, message):
    with pytest.raises(ValueError, match=message):
        predict_outputs(model, ROWS, n_classes, scores=True)


def test_the_rows_asked_for_count_not_those_that_a_transformer_left():
    with pytest.raises(ValueError, match=r"shape \(2,\) for 3 rows"):
        predict_outputs(Fake([0, 1], [0, 1]), ROWS, 2, scores=False, n=3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_probabilities_of_few_digits_are_probabilities(dtype):
    rng = np.random.default_rng(3)
    table = rng.dirichlet(np.ones(7), size=2).astype(dtype)
    out = predict_outputs(probabilities(table, range(7)), ROWS, 7, scores=True)
    assert out.kind == "probabilities"
    assert np.array_equal(out.scores, table.astype(np.float64))
