"""A search that several workers share chooses, warns and fails as in one process."""

from dataclasses import replace

import numpy as np
import pytest
from studies import study

import evallang as ev
from evallang.engine.search_parts import cut
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
    assert {s.model for s in one.selections} == {"line", "svm"}


def task(last, n, **changes):
    rows = np.arange(4)
    candidates = tuple({"a": i} for i in range(n))
    pipeline = PipelineSpec((EstimatorSpec(last),))
    whole = FitTask("key", "data", pipeline, candidates, rows, rows, ((rows, rows),))
    return replace(whole, **changes)


@pytest.mark.parametrize(("n", "pieces"), [(7, 3), (2, 8), (30, 4)])
def test_every_candidate_is_in_one_part(n, pieces):
    parts = cut(task("SVC", n), pieces)
    assert len(parts) == min(n, pieces)
    assert [i for part in parts for i in part] == list(range(n))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(
    "whole",
    [
        task("SVC", 1),
        task("SVC", 9, inner=()),
        task("SVC", 0, search=BayesSearch(9, 1)),
        task("KNeighborsClassifier", 9),
    ],
    ids=["one candidate", "no inner folds", "model-based", "neighbours"],
)
def test_other_searches_stay_whole(whole):
    assert cut(whole, 4) == []
    assert cut(task("SVC", 9), 1) == []
