"""Frames of polars and pandas and dictionaries of arrays stand for the file of every source."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from studies import study

import evallang as ev
from evallang.api.checked_file import StudyError

RNG = np.random.default_rng(2)
N = 90
TRUTH = RNG.integers(0, 2, N)
SAID = {name: np.where(RNG.random(N) < share, TRUTH, 1 - TRUTH)
        for name, share in (("A", 0.9), ("B", 0.7))}  # fmt: skip
SCORE = {name: np.clip(0.5 + (TRUTH - 0.5) * lead + RNG.normal(0, 0.2, N), 0, 1)
         for name, lead in (("A", 0.8), ("B", 0.3))}  # fmt: skip
ONE_FILE = """evallang 1
predictions p from "p.csv"
  truth y
  positive 1
  models A, B
measure accuracy
"""
TWO_FILES = """evallang 1
predictions p from "a.csv", "b.csv"
  id id
  truth y
  positive 1
  models A as said in "a.csv", B as said in "b.csv"
  score A = p
  score B = p
measure accuracy, roc_auc
"""
COUNTS = """evallang 1
counts c from "c.csv"
  models A, B
  count n
measure accuracy
"""
FORMS = pytest.mark.parametrize("form", [dict, pl.DataFrame, pd.DataFrame])


def values(results):
    return {(e.model, e.metric): e.value for e in results.estimates}


@FORMS
def test_a_frame_stands_for_predictions(form, tmp_path):
    given = form({"y": TRUTH, **SAID})
    found = values(ev.run(study(ONE_FILE, tmp_path), data={"p": given}))
    assert found == pytest.approx(
        {(name, "accuracy"): accuracy_score(TRUTH, said) for name, said in SAID.items()}
    )


@FORMS
def test_a_frame_for_each_file_stands_for_predictions_of_several(form, tmp_path):
    frames = []
    for name in ("A", "B"):
        rows = RNG.permutation(N)
        columns = {"id": rows, "y": TRUTH[rows], "said": SAID[name][rows], "p": SCORE[name][rows]}
        frames.append(form(columns))
    results = ev.run(study(TWO_FILES, tmp_path), data={"p": frames})
    expected = {(n, "accuracy"): accuracy_score(TRUTH, SAID[n]) for n in SAID}
    expected |= {(n, "roc_auc"): roc_auc_score(TRUTH, SCORE[n]) for n in SAID}
    assert values(results) == pytest.approx(expected)
    assert any("given in Python" in note for note in results.record.data[0].notes)
    with pytest.raises(ValueError, match="2 files, and 1 data frame is given"):
        ev.run(study(TWO_FILES, tmp_path), data={"p": frames[0]})


@FORMS
def test_a_frame_stands_for_counts(form, tmp_path):
    given = form({"A": [1, 1, 0, 0], "B": [1, 0, 1, 0], "n": [50, 20, 10, 20]})
    found = values(ev.run(study(COUNTS, tmp_path), data={"c": given}))
    assert found == pytest.approx({("A", "accuracy"): 0.7, ("B", "accuracy"): 0.6})


def test_arrays_that_make_no_table_are_refused(tmp_path):
    with pytest.raises(ValueError, match="differ in length"):
        ev.run(study(ONE_FILE, tmp_path), data={"p": {"y": TRUTH, "A": TRUTH[:3], "B": TRUTH}})
    with pytest.raises(ValueError, match="has 2 dimensions"):
        ev.run(study(ONE_FILE, tmp_path), data={"p": {"y": TRUTH, "A": np.ones((N, 2))}})


NAMED = """evallang 1
study
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
protocol cv folds=3
measure accuracy
compare net vs tree with permutation
"""


def test_a_study_may_name_models_that_are_given_when_it_is_parsed(tmp_path):
    net = LogisticRegression(max_iter=500)
    with pytest.raises(StudyError):
        ev.parse(NAMED)
    parsed = ev.parse(NAMED, models={"net": net})
    assert parsed.plan().n_fits == 6
    of_run = values(ev.run(parsed))
    assert set(of_run) == {("tree", "accuracy"), ("net", "accuracy")}
    (tmp_path / "s.eval").write_text(NAMED)
    assert values(ev.run(ev.load(tmp_path / "s.eval", models={"net": net}))) == of_run
    assert values(ev.run(tmp_path / "s.eval", models={"net": net})) == of_run
