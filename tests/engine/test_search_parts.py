"""A search that several workers share chooses, warns and fails as in one process."""

import numpy as np
import pytest
from msgspec.structs import replace
from studies import study

import evallang as ev
from evallang.engine.fits import cut
from evallang.models.model import EstimatorSpec, PipelineSpec
from evallang.planning.plan import BayesSearch, FitTask
from evallang.results import codec

STUDY = """evallang 1
study
  seed 1
data wine from sklearn wine
model line = StandardScaler | PCA(n_components in [2, 60, 5]) \
| LogisticRegression(C in [0.1, 1, 10], max_iter in [1, 100])
model wide = PCA(n_components in [60, 70]) | GaussianNB
model svm = StandardScaler | SVC(C in [0.1, 1, 10], gamma in [0.01, 0.1])
model near = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 3, 5], p in [1, 2])
protocol holdout test=30%
tune cv=3
measure accuracy
"""


def results(jobs):
    try:
        found = ev.run(study(STUDY), jobs=jobs, store="off").record
    except ev.api.RunFailed as failed:
        found = failed.results.record
    made = replace(found.provenance, started="", seconds=0.0)
    return replace(found, provenance=made)


def test_results_do_not_depend_on_how_many_share_a_search():
    one, several = results(1), results(3)
    assert codec.dumps(one) == codec.dumps(several)
    # candidates warn, some of them fail, and of one model all
    assert {warning.category for warning in one.warnings} == {"ConvergenceWarning"}
    assert {(f.model, f.stage) for f in one.failures} == {
        ("line", "inner"), ("wide", "inner"), ("wide", "outer")
    }  # fmt: skip
    assert {s.model for s in one.selections} == {"line", "svm", "near"}


def task(last, n, **changes):
    rows = np.arange(4)
    candidates = tuple({"a": i} for i in range(n))
    pipeline = PipelineSpec((EstimatorSpec(last),))
    whole = FitTask("key", "data", pipeline, candidates, rows, rows, ((rows, rows),))
    return replace(whole, **changes)


@pytest.mark.parametrize(
    ("folds", "n", "pieces", "parts"),
    [(1, 7, 3, 3), (1, 2, 8, 2), (3, 30, 8, 9), (5, 1, 8, 5), (10, 4, 2, 2)],
)
def test_every_candidate_is_in_one_part_of_every_fold(folds, n, pieces, parts):
    rows = np.arange(4)
    found = cut(task("SVC", n, inner=((rows, rows),) * folds), pieces)
    assert len(found) == parts
    tried = [(fold, i) for part in found for fold in part.folds for i in part.candidates]
    assert sorted(tried) == [(fold, i) for fold in range(folds) for i in range(n)]
    sizes = [len(part.folds) * len(part.candidates) for part in found]
    assert max(sizes) <= -(-folds // min(folds, pieces)) * -(-n // (parts // min(folds, pieces)))


@pytest.mark.parametrize(
    "whole",
    [
        task("SVC", 1),
        task("SVC", 9, inner=()),
        task("SVC", 0, search=BayesSearch(9, 1)),
    ],
    ids=["one candidate", "no inner folds", "model-based"],
)
def test_other_searches_stay_whole(whole):
    assert cut(whole, 4) == []
    assert cut(task("SVC", 9), 1) == []
