"""A file is parsed once and checked once, whatever its task."""

import pytest
from studies import write_rows

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import open_study
from evallang.checking import check, include

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


@pytest.fixture
def counted(monkeypatch):
    """Count parses and checks."""
    counts = {"parses": 0, "checks": 0}

    def counting(name, function):
        def counted(*args, **kwargs):
            counts[name] += 1
            return function(*args, **kwargs)

        return counted

    monkeypatch.setattr(include, "parse_lines", counting("parses", include.parse_lines))
    monkeypatch.setattr(check, "_check", counting("checks", check._check))
    return counts


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
def test_models_tell_the_task_that_the_data_confirm(tmp_path, counted, rows, models, metric, task):
    study = prepared(tmp_path, rows, models, metric).study
    assert study.task == task
    assert counted == {"parses": 1, "checks": 1}


def test_data_that_contradict_the_models_are_checked_again_without_a_parse(tmp_path, counted):
    with pytest.raises(StudyError) as refused:
        prepared(tmp_path, ROWS, ("Ridge", "DummyRegressor"), "mae")
    assert {d.code for d in refused.value.diagnostics} == {"E115"}
    assert all("the data are for classification" in d.message for d in refused.value.diagnostics)
    assert counted == {"parses": 1, "checks": 2}


def test_an_included_file_is_parsed_once_too(tmp_path, counted):
    (tmp_path / "part.eval").write_text("protocol cv folds=5\n")
    write_rows(tmp_path, "visits.csv", "u,v,y", ROWS)
    text = STUDY.format("GaussianNB", "DummyClassifier", "accuracy")
    text = text.replace("protocol cv folds=5", 'include "part.eval"')
    (tmp_path / "s.eval").write_text(text)
    read_and_plan(open_study(tmp_path / "s.eval"))
    assert counted == {"parses": 2, "checks": 1}
