"""Studies with many classes count the cells of the confusion matrix that occur."""

import numpy as np
import pytest
from studies import study, write_rows

from evallang.api import run
from evallang.engine import metric_samples, test_inputs

STUDY = """evallang 1
predictions p from "labels.csv"
  truth truth
  models a, b
  task classification
measure f1(average=macro), mcc
  interval bootstrap(rounds=200)
compare a vs b with bootstrap(rounds=200) by f1(average=macro)
compare a vs b with permutation(rounds=200) by mcc
"""


def numbers(results):
    intervals = [(e.value, e.interval.low, e.interval.high) for e in results.estimates]
    tests = [t for c in results.comparisons for t in c.pairwise]
    differences = [(t.estimate.value, t.estimate.low, t.estimate.high, t.p) for t in tests]
    return [x for found in (*intervals, *differences) for x in found]


def write_labels(folder, k):
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, 400)
    a, b = (np.where(rng.random(400) < p, truth, rng.integers(0, k + 1, 400)) for p in (0.6, 0.7))
    write_rows(folder, "labels.csv", "truth,a,b", zip(truth, a, b, strict=True))


@pytest.mark.parametrize("k", [12, 40])
def test_the_numbers_are_those_of_whole_matrices(tmp_path, monkeypatch, k):
    write_labels(tmp_path, k)
    found = numbers(run(study(STUDY, tmp_path)))
    for module in (metric_samples, test_inputs):
        monkeypatch.setattr(module, "MANY_CELLS", 1 << 40)
    expected = numbers(run(study(STUDY, tmp_path)))
    assert len(found) == 4 * 3 + 2 * 4
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_a_thousand_classes_need_no_table_of_all_pairs_of_labels(tmp_path, monkeypatch):
    def refused(*_):
        raise AssertionError("a table of a thousand million cells")

    write_labels(tmp_path, 1000)
    monkeypatch.setattr(test_inputs.ComparedModels, "joint", refused)
    assert not np.isnan(numbers(run(study(STUDY, tmp_path)))).any()
