"""Did you mean: distances from their definition, and what is offered."""

import itertools

import pytest
from many_cases import for_each

from evallang.spelling import (
    LONGEST,
    MANY,
    MOST_COMPARED,
    Words,
    closest,
    distance,
    is_sure,
    slip_of_term,
)


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("kitten", "sitting", 3),  # the textbook example of Levenshtein's distance
        ("ab", "ba", 1),  # neighbours swapped
        ("ca", "abc", 3),  # restricted: unrestricted Damerau-Levenshtein gives 2
        ("mcnemar", "mcnmear", 1),
    ],
)
def test_edits_are_counted(first: str, second: str, edits: int) -> None:
    assert distance(first, second) == edits
    assert distance(second, first) == edits


def test_no_distance_is_below_the_shortest_path_of_single_edits() -> None:
    def neighbours(word: str) -> set[str]:
        letters = "ab"
        cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
        return {
            *(a + b[1:] for a, b in cuts if b),
            *(a + c + b[1:] for a, b in cuts if b for c in letters),
            *(a + c + b for a, b in cuts for c in letters),
            *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        }

    words = ["".join(w) for k in range(5) for w in itertools.product("ab", repeat=k)]
    for word in words:
        for other in words:
            one_step = other in neighbours(word) and other != word
            assert (distance(word, other) == 1) == one_step
            assert (distance(word, other) == 0) == (word == other)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("mcnmear", "mcnemar"),
        ("McNemar", "mcnemar"),
        ("roc-auc", "roc_auc"),
        ("accuracyy", "accuracy"),
        ("modle", "model"),
        ("measre", "measure"),
        ("frobnicate", None),
        ("xy", None),
        ("m", None),
        ("", None),
        ("m" * (LONGEST + 1), None),
    ],
)
def test_the_nearest_word_is_offered_or_none(word: str, meant: str | None) -> None:
    assert closest(word, ["accuracy", "model", "measure", "mcnemar", "roc_auc"]) == meant


def test_very_many_words_are_compared_a_few_times_and_then_by_case_alone() -> None:
    assert closest("frrest_12", Words(f"forest_{k}" for k in range(MANY))) == "forest_12"
    many = Words(f"forest_{k}" for k in range(MANY + 1))
    assert closest("frrest_12x", many) == "forest_12"
    assert is_sure("forrest_x", "forest_1", many) is False
    for _ in range(MOST_COMPARED // MANY):
        closest("something else", many)
    assert closest("frrest_12", many) is None
    assert closest("Forest_12", many) == "forest_12"


def test_words_know_what_differs_in_case_alone() -> None:
    words = Words(["Knn", "KNN", "svm"])
    assert words.alike("knn") == ["Knn", "KNN"]
    assert words.alike("nn") == []
    assert "svm" in words
    assert "SVM" not in words


@pytest.mark.parametrize(
    ("word", "meant", "others", "sure"),
    [
        ("recal", "recall", ["precision", "f1"], True),
        ("logistic-Regression", "logistic_regression", ["ridge"], True),
        ("F1", "f1", ["fbeta"], True),  # right but for its case
        ("f3", "f1", [], False),  # too short, and another number
        ("model_3", "model_1", [], False),  # another number
        ("rmae", "rmse", ["mae"], False),  # `mae` is as near
        ("5x2cv_g", "5x2cv_f", ["5x2cv_t"], False),
        ("mea", "mae", [], False),
    ],
)
def test_a_fix_is_sure_where_nothing_else_can_be_meant(word, meant, others, sure):
    assert is_sure(word, meant, [meant, *others]) is sure
    assert is_sure(word, meant, Words([*others, meant])) is sure


# Measures of the literature (scikit-learn, torchmetrics, forecasting, survival) and the term of
# the catalogue that is spelled most like each: they are different measures.
OTHER_MEASURES = {
    "smape": "mape", "mase": "mae", "icc": "mcc", "msle": "mse", "rmsle": "rmse", "wape": "mape",
    "wmape": "mape", "mdape": "mape", "nmse": "mse", "nrmse": "rmse", "mpe": "mae", "fnr": "tnr",
    "log_cosh": "log_loss", "recall_k": "recall", "precision_k": "precision", "f3": "f1",
    "r3": "r2", "rmae": "rmse", "medape": "medae", "crps": "mcc", "eer": "ece", "hss": "mcc",
}  # fmt: skip
SLIPS = {
    "acuracy": "accuracy", "accurcy": "accuracy", "rcall": "recall", "presicion": "precision",
    "roc_acu": "roc_auc", "rocauc": "roc_auc", "logloss": "log_loss", "maee": "mae",
    "rmes": "rmse", "error_rat": "error_rate", "balancd_accuracy": "balanced_accuracy",
    "specifity": "specificity", "mc": "mcc", "Balanced-Accuracy": "balanced_accuracy",
}  # fmt: skip


@for_each(("word", "term"), OTHER_MEASURES.items())
def test_another_measure_is_not_a_slip(word: str, term: str) -> None:
    assert not slip_of_term(word, term)


@pytest.mark.parametrize(("word", "term"), SLIPS.items())
def test_a_misspelt_measure_is_a_slip(word: str, term: str) -> None:
    assert slip_of_term(word, term)
