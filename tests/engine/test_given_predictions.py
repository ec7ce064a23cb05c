"""Predictions made elsewhere: several files, data sets, values, weights, logs."""

import itertools

import numpy as np
import pytest
from scipy import stats
from studies import codes, study, write_rows

from evallang.api import run

N = 60
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, N)
PROBABILITY = np.clip(0.5 + (TRUTH - 0.5) * 0.5 + RNG.normal(0, 0.25, N), 0.01, 0.99).round(3)
LABEL = np.where(RNG.random(N) < 0.75, TRUTH, 1 - TRUTH)


# --- several files -----------------------------------------------------------------------

TWO_FILES = """evallang 1
predictions p from "a.csv", "b.csv"
  id id
  truth truth
  models a as said in "a.csv", b
  score b = pb
  positive 1
{}measure accuracy, roc_auc
compare a, b with mcnemar
"""


@pytest.fixture
def two_files(tmp_path):
    write_rows(tmp_path, "a.csv", "id,truth,said", zip(range(N), TRUTH, LABEL, strict=True))
    backwards = [(f"{i}.0", f"{TRUTH[i]}.0", PROBABILITY[i]) for i in reversed(range(N))]
    write_rows(tmp_path, "b.csv", "id,truth,pb", backwards)
    return tmp_path


def without_auc(text):
    return text.replace(", roc_auc", "")


def test_rows_of_two_files_meet_by_id_whatever_their_order_and_spelling(two_files):
    results = run(study(without_auc(TWO_FILES).format(""), two_files))
    first, second = TRUTH == LABEL, (PROBABILITY >= 0.5) == TRUTH
    table = results.comparisons[0].pairwise[0].table
    assert table == (
        (int((first & second).sum()), int((first & ~second).sum())),
        (int((~first & second).sum()), int((~first & ~second).sum())),
    )
    assert {e.model: e.value for e in results.estimates} == pytest.approx(
        {"a": first.mean(), "b": second.mean()}
    )
    assert any("at least 0.5" in note for note in results.record.data[0].notes)


# --- data sets in one file ---------------------------------------------------------------


def test_a_column_of_data_sets_gives_one_family_and_comparisons_across_them(tmp_path):
    rows = [(i, f"s{i % 6}", TRUTH[i], LABEL[i], LABEL[(i + 1) % N]) for i in range(N)]
    write_rows(tmp_path, "p.csv", "id,suite,truth,a,b", rows)
    text = """evallang 1
predictions p from "p.csv"
  id id
  dataset suite
  truth truth
  positive 1
compare a, b with mcnemar
compare a, b across data with wilcoxon exploratory
"""
    results = run(study(text, tmp_path))
    assert [d.name for d in results.record.data] == [f"p/s{k}" for k in range(6)]
    *each, across = results.comparisons
    assert [c.data for c in each] == [f"p/s{k}" for k in range(6)]
    assert {(c.family.size, c.family.correction) for c in each} == {(6, "holm")}
    right = np.array([TRUTH == LABEL, np.roll(LABEL, -1) == TRUTH])
    d = [right[0, k::6].mean() - right[1, k::6].mean() for k in range(6)]
    assert across.data is None
    walsh = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)]
    assert across.pairwise[0].estimate.value == pytest.approx(np.median(walsh))
    alone = text.replace("  dataset suite\n", "").replace("compare a, b with mcnemar\n", "")
    assert "E201" in codes(alone)


# --- values and weights ------------------------------------------------------------------

VALUES = RNG.random((2, 40)).round(3)


def test_values_of_examples_are_a_metric_of_their_own(tmp_path):
    write_rows(tmp_path, "v.csv", "id,fa,fb", zip(range(40), *VALUES, strict=True))
    text = """evallang 1
predictions v from "v.csv"
  id id
  value "Edit distance" a as fa, b as fb
  lower is better
compare a, b with t
require edit_distance of a <= 90%
require a better than b by 30%
"""
    results = run(study(text, tmp_path))
    assert [(e.metric, e.value) for e in results.estimates] == [
        ("Edit distance", pytest.approx(VALUES[0].mean())),
        ("Edit distance", pytest.approx(VALUES[1].mean())),
    ]
    expected = stats.ttest_rel(VALUES[0], VALUES[1])
    assert results.comparisons[0].pairwise[0].p == pytest.approx(expected.pvalue)
    assert [r.met for r in results.requirements] == [True, False]
    (metric,) = [m for m in results.record.methods if m.kind == "metric"]
    assert (metric.name, metric.better) == ("Edit distance", "lower")
    refused = text.replace("with t", "with mcnemar")
    assert "E201" in codes(refused)
    assert "E203" in codes(text + "measure accuracy\n")


def test_weights_of_predictions_enter_the_measure_and_count_tests_refuse_them(tmp_path):
    weights = 1 + np.arange(N) % 3
    write_rows(tmp_path, "w.csv", "w,truth,a,b", zip(weights, TRUTH, LABEL, TRUTH, strict=True))
    text = """evallang 1
predictions p from "w.csv"
  truth truth
  weight w
  models a, b
  positive 1
compare a, b with permutation(rounds=100)
"""
    a, _ = run(study(text, tmp_path)).estimates
    assert a.value == pytest.approx(np.average(TRUTH == LABEL, weights=weights))
    assert "E221" in codes(text.replace("permutation(rounds=100)", "mcnemar"))
