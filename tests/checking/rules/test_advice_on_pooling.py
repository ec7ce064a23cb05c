"""When pooled predictions of several fitted models are a hint, a warning, or nothing."""

import pytest
from studies import checked, codes

HEAD = """evallang 1
study
  seed 1
data wine from sklearn wine
model prior = DummyClassifier
model a = {a}
model b = GaussianNB
protocol {protocol}
compare {line}
"""


def names(a="LinearDiscriminantAnalysis", protocol="cv", line="a, b with mcnemar"):
    text = HEAD.format(a=a, protocol=protocol, line=line)
    return [d.name for d in checked(text).diagnostics]


def test_the_hint_is_given_once_for_a_study():
    text = HEAD.format(a="LinearDiscriminantAnalysis", protocol="cv", line="a, b with mcnemar")
    found = checked(text + "compare against prior with mcnemar exploratory\n").diagnostics
    assert [d.name for d in found] == ["pooled_predictions_of_several_models"]


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("holdout", "a, b with mcnemar"),
        ("cv", "a, b with corrected_t"),
        ("repeated cv", "a, b with corrected_t"),
        ("split by part", "a, b with mcnemar"),
    ],
)
def test_one_fitted_model_and_tests_over_folds_get_none(protocol, line):
    found = names(protocol=protocol, line=line)
    assert [name for name in found if name.startswith("pooled")] == []


@pytest.mark.parametrize(
    "model",
    [
        "KNeighborsClassifier(n_neighbors=1)",
        "StandardScaler | KNeighborsClassifier(n_neighbors=1)",
        "DecisionTreeClassifier",
        "DecisionTreeClassifier(criterion=entropy, max_depth=none)",
        "ExtraTreeClassifier(min_samples_leaf=1)",
    ],
)
def test_models_that_follow_single_examples_get_a_warning(model):
    assert names(a=model) == ["pooled_predictions_of_unstable_models"]


@pytest.mark.parametrize(
    "model",
    [
        "KNeighborsClassifier",
        "DecisionTreeClassifier(max_depth=3)",
        "DecisionTreeClassifier(ccp_alpha=0.01)",
        "RandomForestClassifier",
    ],
)
def test_models_that_average_or_are_pruned_get_the_hint_only(model):
    assert names(a=model) == ["pooled_predictions_of_several_models"]


def test_predictions_with_folds_get_the_hint_and_those_without_none():
    text = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b
  positive 1
{fold}compare a, b with mcnemar
"""
    folded = checked(text.format(fold="  fold fold\n")).diagnostics
    assert [d.name for d in folded] == ["pooled_predictions_of_several_models"]
    assert checked(text.format(fold="")).diagnostics == ()


def test_only_the_compared_models_count():
    text = HEAD.format(a="DecisionTreeClassifier", protocol="cv", line="b, prior with mcnemar")
    found = [d.name for d in checked(text).diagnostics]
    assert found == ["pooled_predictions_of_several_models"]


def test_values_measured_elsewhere_are_not_pooled_folds_of_this_study():
    text = (
        "evallang 1\nstudy\n  seed 1\ndata wine from sklearn wine\nmodel lr = LogisticRegression\n"
        'model base = DummyClassifier\npredictions v from "v.csv"\n  id id\n'
        '  value "BLEU" ma as "m1", mb as "m2"\nprotocol cv\nmeasure accuracy\ncompare '
    )
    assert "W316" not in codes(text + "ma, mb with permutation by BLEU\n")
    assert "W316" in codes(text + "lr, base with mcnemar\n")
