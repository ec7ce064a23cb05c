"""What a help proposes goes with the metric, the data and the other lines of the study."""

import pytest
from applied_help import applied
from studies import checked

HEAD = "evallang 1\nstudy\n  seed 3\n"
CLASSES = """data d from "d.csv"
  target y
  positive 1
model a = LogisticRegression
model b = {b}
model c = GaussianNB
protocol {protocol}
measure {metric}
{lines}
"""
NUMBERS = """data d from "d.csv"
  target y
  task regression
model a = Ridge
model b = KNeighborsRegressor
protocol holdout
measure rmse
{lines}
"""
BENCHMARK = """scores s from "s.csv"
  dataset data
  models a, b
  metric "score"
  higher is better
{lines}
"""
READINGS = """predictions r from "r.csv"
  id utterance
  reader who random
  value ratio("errors", "words") new as (e1, words), old as (e2, words)
{lines}
"""


def classes(lines, metric="accuracy", protocol="cv folds=10", b="LinearDiscriminantAnalysis"):
    return CLASSES.format(lines=lines, metric=metric, protocol=protocol, b=b)


FOUND = [
    ("E208", classes("compare a vs b with wilcoxon then 5x2cv_t", protocol="holdout")),
    ("E208", classes("compare a vs b with proportions_z then sign by log_loss")),
    ("E208", classes("compare a vs b with bonferroni_dunn then sign", protocol="holdout")),
    ("E208", NUMBERS.format(lines="compare a vs b with mcnemar then proportions_z holm")),
    ("E208", NUMBERS.format(lines="compare a vs b with bayes_t then sign")),
    ("E208", BENCHMARK.format(lines="compare a vs b across data with permutation then sign")),
    ("E205", NUMBERS.format(lines="compare a, b with friedman")),
    ("E205", BENCHMARK.format(lines="compare a, b across data with cochran")),
    ("E205", classes("compare a, b with quade then mcnemar holm by balanced_accuracy")),
    ("E205", classes("compare a, b with cochran then bonferroni_dunn", protocol="holdout")),
    ("E201", BENCHMARK.format(lines="compare a vs b across data with delong")),
    ("E228", classes("compare a vs b with delong", "calibration_slope", "holdout")),
    ("W310", classes("compare a vs b with kfold_t\ncompare a vs c with mcnemar")),
    ("W316", classes("compare a vs b with mcnemar\ncompare a, b, c with cochran then mcnemar")),
    ("W357", classes("compare a vs b with corrected_t\ncompare a vs c with mcnemar")),
    ("W358", classes("compare a vs b with delong by roc_auc", "average_precision")),
    ("E220", classes("compare a vs b with mcnemar\nanalyze variance", protocol="holdout")),
    ("E220", classes("analyze variance", protocol="holdout", b="RandomForestClassifier")),
]


@pytest.mark.parametrize(("code", "study"), FOUND)
def test_a_study_with_the_help_written_has_no_other_error(code, study):
    found = checked(HEAD + study).diagnostics
    meant = next(d for d in found if d.code == code)
    after = applied(HEAD + study, meant)
    again = checked(after).diagnostics
    known = {d.code for d in found}
    new = [d for d in again if d.severity == "error" and d.code not in known]
    assert new == [], after
    assert (code, meant.message) not in {(d.code, d.message) for d in again}, after


def test_a_search_that_is_lacking_is_told_before_the_splits():
    study = classes("analyze stability", protocol="holdout")
    assert [d.code for d in checked(HEAD + study).diagnostics if d.severity == "error"] == ["E219"]


def test_random_readers_have_no_metric_of_sums():
    study = READINGS.format(lines="compare new vs old with bootstrap")
    (found,) = (d for d in checked(HEAD + study).diagnostics if d.code == "E201")
    assert found.help == "remove `random` after `reader`: the readers are then fixed"
