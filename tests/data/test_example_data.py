"""The data of the examples: made by their generator, read without a finding."""

import importlib.util
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec, GivenModel, PredictionsSpec, ScoresSpec, Where
from evallang.data.predictions import read_predictions
from evallang.data.score_tables import read_scores
from evallang.data.table_rules import check_table
from evallang.source import Span

EXAMPLES = Path(str(files("evallang.examples")))


def test_the_generator_makes_the_committed_files(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("make", EXAMPLES / "data" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    monkeypatch.setattr(make, "HERE", tmp_path)
    make.main()
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == [
        "alarms_models.csv",
        "alarms_rule.csv",
        "houses.csv",
        "load.csv",
        "load_ranges.csv",
        "quiz_large.jsonl",
        "quiz_small.jsonl",
        "readings.csv",
        "reviews_predictions.csv",
        "search.csv",
        *(f"sorting_{number}.csv" for number in range(1, 9)),
        "suite_auc.csv",
        "survey.csv",
        "survival.csv",
        "transcripts.csv",
        "visits.csv",
    ]
    for name in made:
        assert (tmp_path / name).read_bytes() == (EXAMPLES / "data" / name).read_bytes()


@pytest.mark.parametrize(
    ("clauses", "task", "n"),
    [
        (
            {
                "location": "data/visits.csv",
                "target": "readmitted",
                "positive": "yes",
                "id": "visit_id",
                "group": "patient_id",
                "missing": ("?",),
                "categorical": ("ward", "insurance"),
            },
            "classification",
            380,
        ),
        ({"location": "data/houses.csv", "target": "price"}, "regression", 300),
    ],
)
def test_example_tables_are_read_without_a_finding(clauses, task, n):
    spec = DataSpec(name="d", label="d", kind="path", statement="data d", **clauses)
    (table,), found = read_table(spec, EXAMPLES)
    assert found == ()
    assert (table.task, table.n) == (task, n)
    assert check_table(table, folds=10) == ()


def test_example_predictions_are_read_without_a_finding():
    models = tuple(
        GivenModel(name, name, column=name, score=f"{name}_p")
        for name in ("bag_of_words", "encoder", "large")
    )
    spec = PredictionsSpec(
        name="reviews",
        label="reviews",
        paths=("data/reviews_predictions.csv",),
        statement="predictions reviews",
        truth="truth",
        models=models,
        id="id",
        subgroups=("source",),
    )
    (made,), found = read_predictions(spec, EXAMPLES)
    assert found == ()
    assert made.n == 500
    assert made.probabilities == {"bag_of_words", "encoder", "large"}
    # labels were written at a threshold of 0.5 on the probabilities as written
    for name in made.predictions:
        assert ((made.scores[name] >= 0.5) == made.predictions[name]).all()


def test_the_example_suite_lacks_one_score_and_says_so():
    spec = ScoresSpec("suite", "suite", "data/suite_auc.csv", "scores suite", dataset="data_set")
    table, found = read_scores(spec, EXAMPLES)
    assert [d.code for d in found] == ["W421"]
    assert (table.values.shape, int(table.missing.sum())) == ((24, 5), 1)
    assert len(table.compared()[0]) == 23
    assert 0.5 < np.nanmin(table.values) < np.nanmax(table.values) < 1


def test_the_example_logs_are_joined_by_question_after_one_filter_is_chosen():
    paths = ("data/quiz_small.jsonl", "data/quiz_large.jsonl")
    line = Where("filter", "=", "strict-match", "filter = strict-match", Span("quiz.eval", 0, 1))
    spec = PredictionsSpec(
        name="quiz",
        label="quiz",
        paths=paths,
        statement="predictions quiz",
        truth=None,
        judged="correct",
        models=tuple(
            GivenModel(path[10:15], path[10:15], column="exact_match", path=path) for path in paths
        ),
        id="doc_id",
        group="doc.passage",
        where=(line,),
    )
    (made,), found = read_predictions(spec, EXAMPLES)
    assert found == ()
    assert (made.n, len(set(made.groups)), made.excluded) == (
        150,
        30,
        (("filter = strict-match", 150),),
    )
    assert made.correct["large"].mean() > made.correct["small"].mean()
