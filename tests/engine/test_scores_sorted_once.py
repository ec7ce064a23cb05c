"""The scores of each model are sorted once for their area, its interval and all tests."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from studies import study, write_rows

from evallang.api import run
from evallang.stats import score_counts
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.intervals.ranking import delong as interval_of_area

N = 300
RNG = np.random.default_rng(4)
TRUTH, WARD = RNG.integers(0, 2, N), RNG.integers(0, 40, N)
SCORES = np.round(TRUTH[:, None] + RNG.normal(size=(N, 3)), 1)
WEIGHT = RNG.random(N).round(3)
STUDY = """\
evallang 1
predictions p from "scores.csv"
  id id
  truth truth
  positive 1
  score a = "a"
  score b = "b"
  score c = "c"
{more}measure roc_auc
compare with delong holm
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("given")
    rows = zip(range(N), TRUTH, *SCORES.T, WARD, WEIGHT, strict=True)
    write_rows(made, "scores.csv", "id,truth,a,b,c,ward,weight", rows)
    return made


@pytest.fixture
def sorts(monkeypatch):
    """The lengths of what is sorted."""
    lengths, counted = [], score_counts._counted
    monkeypatch.setattr(
        score_counts, "_counted", lambda v, *rest: lengths.append(len(v)) or counted(v, *rest)
    )
    return lengths


@pytest.mark.parametrize("grouped", [False, True])
def test_each_model_is_sorted_once_for_estimate_interval_and_tests(folder, sorts, grouped):
    results = run(study(STUDY.format(more="  group ward\n" if grouped else ""), folder))
    if not grouped:
        assert sorts == [N] * 6  # three models: by the checker, and for all numbers of the results
    for m, estimate in enumerate(results.estimates):
        assert estimate.value == pytest.approx(roc_auc_score(TRUTH, SCORES[:, m]), rel=1e-13)
        if not grouped:
            expected = interval_of_area(TRUTH, SCORES[:, m], 0.95)
            assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
                (expected.low, expected.high), rel=1e-12
            )
    pairwise = results.comparisons[0].pairwise
    assert len(pairwise) == 3
    for found in pairwise:
        columns = SCORES[:, ["abc".index(model) for model in found.models]]
        expected = delong(TRUTH, columns, None, WARD if grouped else None)
        assert found.statistic.value == pytest.approx(expected.statistic.value, rel=1e-10)


def test_weighted_areas_are_those_of_weighted_examples(folder):
    found = run(study(STUDY.format(more="  weight weight\n").rsplit("compare", 1)[0], folder))
    expected = roc_auc_score(TRUTH, SCORES[:, 0], sample_weight=WEIGHT)
    assert found.estimates[0].value == pytest.approx(expected, rel=1e-12)
