"""Frames and estimators given in Python stand for those of the file, and the results say so."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studies import study

import evallang as ev

FRAME = pl.DataFrame(
    {"age": [20.0, 30.0, float("nan"), 50.0, 60.0, 70.0] * 8, "n": list(range(48)),
     "town": ["a", "b", None, "c", "b", "c"] * 8, "ill": ["no", "no", "no", "yes", "yes", "no"] * 8}
)  # fmt: skip
VISITS = """\
study "Live"
  seed 5
data visits from "visits.csv"
  target ill
model m = columns([age, n]: SimpleImputer | StandardScaler) | LogisticRegression
protocol cv folds=4
measure accuracy
report html
"""
IRIS = 'study "Live"\n  seed 5\ndata iris from sklearn iris\n{}protocol cv folds=3\nreport html\n'


def test_a_frame_stands_for_the_file_and_has_the_hash_of_its_content(tmp_path):
    FRAME.write_csv(tmp_path / "visits.csv")
    of_file = ev.run(study(VISITS, tmp_path)).record
    (tmp_path / "visits.csv").unlink()
    given = ev.run(study(VISITS, tmp_path), data={"visits": FRAME}).record
    assert given.estimates == of_file.estimates
    assert given.data[0].sha256 == of_file.data[0].sha256
    assert given.data[0].source == "a data frame of polars given in Python"
    assert given.provenance.command == "ev.run('study.eval', data={'visits': ...})"


def test_frames_of_polars_and_pandas_are_one_data_set(tmp_path):
    other = pd.DataFrame(FRAME.to_dict(as_series=False))
    one = ev.run(study(VISITS, tmp_path), data={"visits": FRAME}).record
    two = ev.run(study(VISITS, tmp_path), data={"visits": other.set_index(other.n + 100)}).record
    assert two.estimates == one.estimates
    assert two.data[0].sha256 == one.data[0].sha256
    categories = other.assign(town=other.town.astype("category"), ill=other.ill.astype("string"))
    three = ev.run(study(VISITS, tmp_path), data={"visits": categories}).record
    assert three.data[0].sha256 == one.data[0].sha256
    assert two.data[0].source == "a data frame of pandas given in Python"


def test_an_estimator_stands_for_the_declared_model_and_scores_as_the_class_would():
    made = study(IRIS.format("model net = DummyClassifier\nmodel bayes = GaussianNB\n"))
    live = make_pipeline(StandardScaler(), LogisticRegression(C=0.5))
    record = ev.run(made, models={"net": live}).record
    same = study(
        IRIS.format("model net = StandardScaler | LogisticRegression(C=0.5)\n"
                    "model bayes = GaussianNB\n")
    )  # fmt: skip
    assert record.estimates == ev.run(same).record.estimates
    assert "LogisticRegression(C=0.5)" in record.models[0].pipeline
    assert "given in Python" in " ".join(record.models[0].notes)
    assert not hasattr(live[-1], "coef_")  # copies were fitted


class Local(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_every_process_gets_it_and_a_seed_where_it_has_none():
    made = study(IRIS.format("model net = DummyClassifier\nmodel forest = DummyClassifier\n"))
    live = {"net": Local(), "forest": RandomForestClassifier(n_estimators=3)}
    one, two = (ev.run(made, jobs=jobs, models=live).record.estimates for jobs in (1, 2))
    assert one == two


def test_what_is_no_frame_no_estimator_or_not_in_the_study_is_refused_by_name(tmp_path):
    made = study(VISITS, tmp_path)
    with pytest.raises(ValueError, match="no data called 'visit'; it has 'visits'"):
        ev.run(made, data={"visit": FRAME})
    with pytest.raises(ValueError, match="'visits' are a list, not a polars or pandas"):
        ev.run(made, data={"visits": [1, 2]})
    with pytest.raises(ValueError, match="'m' is not an estimator"):
        ev.run(made, data={"visits": FRAME}, models={"m": LogisticRegression})
