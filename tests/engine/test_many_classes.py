"""Studies with many classes count the cells of the confusion matrix that occur."""

import numpy as np
from studies import study, write_rows

from evallang.api import run

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


def test_a_thousand_classes_need_no_table_of_all_pairs_of_labels(tmp_path):
    write_labels(tmp_path, 1000)
    assert not np.isnan(numbers(run(study(STUDY, tmp_path)))).any()
