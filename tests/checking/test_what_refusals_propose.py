"""What is refused before a run, beside the cells of the table what-goes-with-what."""

import pytest
from studies import checked

TABLE = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  {clause}
model a = {a}
model b = LogisticRegression
model c = LinearDiscriminantAnalysis
protocol {protocol}
measure {measure}
{line}
"""
GIVEN = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b, c
  positive 1
  {clause}
measure {measure}
{line}
"""


def table(line="", *, a="GaussianNB", protocol="cv", measure="accuracy", clause="positive 1"):
    return errors(TABLE.format(a=a, protocol=protocol, measure=measure, line=line, clause=clause))


def given(line="", *, clause='unit "patients"', measure="accuracy"):
    return errors(GIVEN.format(clause=clause, measure=measure, line=line))


def errors(text):
    return [(d.code, d.message, d.help) for d in checked(text).diagnostics if d.code[0] == "E"]


def test_what_a_test_needs_is_named_once_and_in_a_row():
    ((_, message, _),) = table("compare a, b with mcnemar", protocol="repeated cv")
    shown = "`mcnemar` needs one prediction for each example, which `protocol repeated cv` does "
    assert message == f"{shown}not give"  # as the README shows it
    ((_, message, _),) = table("compare a, b with corrected_t", protocol="leave_one_out")
    assert "`corrected_t`" in message and "`protocol leave_one_out`" in message
    ((code, message, _),) = table("  interval wilson", protocol="repeated cv")
    assert code == "E202"
    assert message.endswith("which `protocol repeated cv` does not give")


def test_ranks_over_data_sets_are_sent_across_them():
    several = 'data e from "e.csv"\n  target y\n  positive 1\n'
    ((code, _, suggestion),) = table(several + "compare a, b, c with friedman then wilcoxon")
    assert (code, suggestion) == ("E201", "write `across data` in this line")
    assert table(several + "compare a, b, c across data with friedman then wilcoxon") == []
    ((_, _, suggestion),) = table("compare a, b, c with friedman")
    assert suggestion == "write `with cochran then mcnemar`"


def test_one_row_left_out_is_one_row_however_it_is_written():
    for protocol in ("leave_one_out", "leave_p_out p=1"):
        assert [code for code, _, _ in table(protocol=protocol, measure="roc_auc")] == ["E204"]
    assert table(protocol="leave_p_out p=2", measure="roc_auc") == []


@pytest.mark.parametrize(
    ("measure", "interval", "clause", "suggestion"),
    [
        ("recall", "wilson", "group g", "write `interval bootstrap`"),
        ("accuracy", "wilson", "group g\n  weight w", "write `interval bootstrap`"),
        ("accuracy", "clopper_pearson", "group g", "write `interval wilson`"),
        ("roc_auc", "delong", "group g", "write `interval bootstrap`"),
    ],
)
def test_an_interval_without_a_form_for_these_rows_is_refused(
    measure, interval, clause, suggestion
):
    scores = '\n  score a = "p"\n  score b = "q"\n  score c = "r"' if measure == "roc_auc" else ""
    clause += scores
    found = given(f"  interval {interval}", clause=clause, measure=measure)
    assert [(code, words) for code, _, words in found] in (
        [("E210", suggestion)], [("E202", suggestion)],
    )  # fmt: skip
    assert given(f"  {suggestion.split('`')[1]}", clause=clause, measure=measure) == []


def test_scores_are_asked_of_the_models_of_the_line_alone():
    for line in (
        "require brier of {} <= 0.2",
        "compare {}, c with permutation by brier",
        "require {} better than c in log_loss",
    ):
        assert table(line.format("b"), a="SVC") == []
        ((code, message, _),) = table(line.format("a"), a="SVC")
        assert code == "E203"
        assert "`a` gives none" in message
    ((code, _, _),) = table("require brier of b <= 0.2", a="SVC", measure="brier")
    assert code == "E203"


def test_a_search_asks_scores_of_the_models_that_are_searched():
    searched = "model k = LogisticRegression(C in [1, 10])\ntune grid by log_loss"
    assert table(searched, a="SVC", protocol="nested cv") == []
    own = "tune grid by log_loss"
    ((code, _, _),) = table(own, a="SVC(C in [1, 10])", protocol="nested cv")
    assert code == "E203"


def test_a_metric_of_classes_is_refused_where_every_model_gives_numbers():
    text = 'evallang 1\nstudy\n  seed 1\ndata d from "d.csv"\n  target y\nmodel a = {}\n'
    text += "protocol cv\nmeasure {}\n"
    ((code, message, suggestion),) = errors(text.format("Ridge", "roc_auc"))
    assert code == "E115"
    assert message == "`roc_auc` is a metric for classification, and every model is a regressor"
    assert "`mae`" in suggestion
    assert errors(text.format("Ridge", "mae")) == errors(text.format("GaussianNB", "f1")) == []
    assert [code for code, _, _ in errors(text.format("GaussianNB", "mae"))] == ["E115"]


SEARCHED = "LogisticRegression(C in [1, 10])"


@pytest.mark.parametrize(
    ("protocol", "line", "suggestion"),
    [
        ("cv", "", "write `protocol nested cv outer=5 inner=5`, or `tune grid cv=5`, to choose "
         "inside each training part"),
        ("cv", "tune random 20 by accuracy", "write `protocol nested cv outer=5 inner=5`, or "
         "`cv=5` in the line `tune`, to choose inside each training part"),
        # folds at random would mix what a series keeps in order
        ("time_series", "", "write `tune grid cv=5`, to choose inside each training part"),
        # `nested cv` keeps its own inner folds beside `cv=`
        ("x = cv\nprotocol y = nested cv", "", "write `protocol x = nested cv outer=5 inner=5`, "
         "or `tune grid cv=5`, to choose inside each training part"),
    ],
)  # fmt: skip
def test_a_search_is_sent_to_a_stage_that_goes_with_the_study(protocol, line, suggestion):
    ((code, _, words),) = table(line, a=SEARCHED, protocol=protocol)
    assert (code, words) == ("E206", suggestion)


def test_inner_folds_stand_beside_a_protocol_with_a_stage_of_its_own():
    own = ("y = nested cv outer=4 inner=2", "y = holdout test=20% validation=20%")
    for protocol in own:
        ((code, _, _),) = table("tune grid cv=3", a=SEARCHED, protocol=protocol)
        assert code == "E144"
        both = f"x = bootstrap rounds=200\nprotocol {protocol}"
        assert table("tune grid cv=3", a=SEARCHED, protocol=both) == []


@pytest.mark.parametrize("name", ["shaffer", "bergmann_hommel"])
def test_planned_pairs_that_are_all_pairs_may_be_corrected_so(name):
    line = "compare a vs b, {} with mcnemar " + name
    assert given(line.format("c vs a, b vs c")) == []
    ((code, _, suggestion),) = given(line.format("c vs a"))
    assert (code, suggestion) == (
        "E209", "write `holm`",
    )  # fmt: skip
    ((code, _, suggestion),) = given(f"compare a, b against c with mcnemar {name}")
    assert (code, suggestion) == ("E209", "write `holm`")


def test_predictions_of_the_fitted_models_are_renamed_where_a_line_cannot_compare_them():
    elsewhere = 'predictions p from "p.csv"\n  truth y\n  models {}\n  positive 1\n'
    line = elsewhere + "compare a vs b with corrected_t"
    ((code, _, help_),) = table(line.format("a, b"), protocol="repeated cv")
    assert (code, help_) == ("E201", "rename the models of `p`, or write `with mcnemar`")
    assert table(line.format("d, e"), protocol="repeated cv") == []
