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
    ("E205", classes("compare a, b with cochran then bonferroni_dunn", protocol="holdout")),
    ("E201", BENCHMARK.format(lines="compare a vs b across data with delong")),
    ("E228", classes("compare a vs b with delong", "calibration_slope", "holdout")),
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
