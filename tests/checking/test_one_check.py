"""The task of a study is that of its data, which its models may tell before they are read."""

import pytest
from studies import write_rows

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import open_study

ROWS = [(i % 5, i % 7, "ab"[i * 37 % 40 % 2]) for i in range(40)]
NUMBERS = [(i % 5, i % 7, (i * 37 % 40) / 3) for i in range(40)]
STUDY = """\
evallang 1
study
  seed 1
data visits from "visits.csv"
  target y
model one = {}
model other = {}
protocol cv folds=5
measure {}
"""


def prepared(folder, rows, models, metric):
    write_rows(folder, "visits.csv", "u,v,y", rows)
    (folder / "s.eval").write_text(STUDY.format(*models, metric))
    return read_and_plan(open_study(folder / "s.eval"))


@pytest.mark.parametrize(
    ("rows", "models", "metric", "task"),
    [
        (ROWS, ("GaussianNB", "DummyClassifier"), "accuracy", "classification"),
        (NUMBERS, ("Ridge", "DummyRegressor"), "mae", "regression"),
    ],
)
def test_models_tell_the_task_that_the_data_confirm(tmp_path, rows, models, metric, task):
    study = prepared(tmp_path, rows, models, metric).study
    assert study.task == task


def test_data_that_contradict_the_models_are_told(tmp_path):
    with pytest.raises(StudyError) as refused:
        prepared(tmp_path, ROWS, ("Ridge", "DummyRegressor"), "mae")
    assert {d.code for d in refused.value.diagnostics} == {"E115"}
    assert all("the data are for classification" in d.message for d in refused.value.diagnostics)
