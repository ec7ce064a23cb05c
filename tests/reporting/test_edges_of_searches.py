"""A search that keeps choosing the last of its candidates is told of, one that cannot is not."""

import fixture
import pytest
from msgspec.structs import replace
from studies import study

from evallang.api import run
from evallang.models.catalogue import bounds
from evallang.reporting.context import Context
from evallang.reporting.limits import cautions
from evallang.reporting.searches import search_at_the_edge
from evallang.results.records import ModelRecord, Selection


def searched(candidates, chosen, parameter="C", bounds=(None, None)):
    """Give the cancer study with a model that was searched so."""
    whole = fixture.cancer()
    tuned, bounds = {parameter: tuple(candidates)}, {parameter: bounds}
    model = ModelRecord("svm", "SVM (RBF)", "SVC", tuned, "estimator", bounds=bounds)
    selections = tuple(
        Selection("cancer", "main", "svm", 0, fold, {parameter: value}, 0.9, "best")
        for fold, value in enumerate(chosen)
    )
    models = tuple(model if m.name == "svm" else m for m in whole.models)
    return Context(replace(whole, models=models, selections=selections))


@pytest.mark.parametrize(
    ("candidates", "chosen", "told"),
    [
        ([0.1, 1, 10], [10, 10, 10, 1], "C of SVM (RBF) was the largest of its candidates, 10, in"),
        ([10, 1, 0.1], [0.1, 0.1, 1, 1], "the smallest of its candidates, 0.1, in 2 of 4 searches"),
        ([0.1, 1, 10], [10, 1, 1], None),
        ([1, 10], [10, 10, 10], None),  # each of two candidates is an end
        (["rbf", "linear", "poly"], ["rbf", "rbf", "rbf"], None),
        ([True, False, True], [True, True, True], None),
    ],
)  # fmt: skip
def test_an_end_that_half_of_the_searches_chose_is_told(candidates, chosen, told):
    found = search_at_the_edge(searched(candidates, chosen))
    assert (found is None) is (told is None)
    if told is not None:
        said = "".join(getattr(run, "text", str(run)) for run in found.body)
        assert told in said


@pytest.mark.parametrize(
    ("parameter", "candidates", "closed", "open_end"),
    [
        ("n_neighbors", [1, 3, 5, 7], 1, 7),
        ("ccp_alpha", [0.0, 0.01, 0.1], 0.0, 0.1),
        ("max_depth", [2, 4, 8, None], 8, 2),
    ],
)
def test_an_end_with_nothing_beyond_is_not(parameter, candidates, closed, open_end):
    assert search_at_the_edge(searched(candidates, [closed] * 5, parameter)) is None
    assert search_at_the_edge(searched(candidates, [open_end] * 5, parameter)) is not None


@pytest.mark.parametrize(
    ("owner", "parameter", "candidates", "closed", "open_end"),
    [
        ("ElasticNet", "l1_ratio", [0.1, 0.5, 1.0], 1.0, 0.1),
        ("RandomForestClassifier", "max_features", [0.3, 0.6, 1.0], 1.0, 0.3),
        ("RandomForestClassifier", "max_features", [2, 4, 8], None, 8),
        ("RandomForestClassifier", "min_samples_split", [2, 4, 8], 2, 8),
        ("XGBClassifier", "colsample_bytree", [0.3, 0.6, 1.0], 1.0, 0.3),
        ("SVC", "C", [0.1, 0.5, 1.0], None, 1.0),
        ("Unknown", "share", [0.1, 0.5, 1.0], None, 1.0),
    ],
)
def test_the_bounds_of_the_catalogue_close_an_end(owner, parameter, candidates, closed, open_end):
    ends = bounds(owner, parameter, candidates)
    assert search_at_the_edge(searched(candidates, [open_end] * 5, parameter, ends)) is not None
    if closed is not None:
        assert search_at_the_edge(searched(candidates, [closed] * 5, parameter, ends)) is None
        assert search_at_the_edge(searched(candidates, [closed] * 5, parameter)) is not None


def test_a_run_records_the_bounds_of_what_it_searched():
    text = (
        'evallang 1\nstudy "S"\n  seed 1\ndata d from sklearn wine\n'
        "model a = SGDClassifier(l1_ratio in [0.1, 0.5, 1.0], penalty in [l1, elasticnet])\n"
        "protocol nested cv outer=2 inner=2\nmeasure accuracy\n"
    )
    (model,) = run(study(text)).record.models
    assert model.bounds == {"l1_ratio": (0.0, 1.0)}


def test_it_stands_among_the_warnings_of_the_report():
    found = cautions(searched([0.1, 1, 10], [10] * 5))
    assert [caution.code for caution in found].count("W509") == 1
    assert "W509" not in [c.code for c in cautions(searched([0.1, 1, 10], [1] * 5))]
