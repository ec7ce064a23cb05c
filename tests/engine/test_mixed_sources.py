"""Sources of several kinds in one study: which of them a line is about."""

import numpy as np
import pytest
from studies import codes, errors_of, study, write_rows

from evallang.api import run
from evallang.api.checked_file import StudyError

N = 60
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, N)
LABEL = np.where(RNG.random(N) < 0.75, TRUTH, 1 - TRUTH)
MIXED = """evallang 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
protocol cv folds=3
scores s from "s.csv"
  fold fold
  folds of cv
  models nb, rf
  metric "Accuracy"
measure balanced_accuracy
"""


@pytest.fixture
def mixed(tmp_path):
    write_rows(tmp_path, "s.csv", "fold,nb,rf", [(k, 70 + k % 3, 80 + k % 2) for k in range(5)])
    return tmp_path


def test_a_line_takes_the_metric_of_the_source_that_has_its_models(mixed):
    lines = (
        "require rf better than nb\n"
        "require accuracy of rf >= 50%\n"
        "require balanced_accuracy of tree >= 50%\n"
        "compare rf, nb with corrected_t\n"
        "compare tree, bayes with permutation(rounds=100)\n"
    )
    results = run(study(MIXED + lines, mixed))
    assert [(r.data, r.metric, r.met) for r in results.requirements] == [
        ("s", "Accuracy", True),
        ("s", "Accuracy", True),
        ("iris", "balanced_accuracy", True),
    ]
    assert [(c.data, c.metric) for c in results.comparisons] == [
        ("s", "Accuracy"),
        ("iris", "balanced_accuracy"),
    ]
    metrics = {(e.data, e.metric) for e in results.estimates}
    assert metrics == {("s", "Accuracy"), ("iris", "balanced_accuracy")}


def test_a_requirement_that_no_source_can_decide_never_passes_unseen(mixed):
    assert "E109" in codes(MIXED + "require rf better than tree\n")
    unnamed = MIXED.replace("  models nb, rf\n", "") + "require rf better than tree\n"
    (line,) = run(study(unnamed, mixed)).requirements
    assert not line.met
    assert "cannot be decided" in line.reason


def test_numbers_of_two_measures_do_not_stand_in_one_statement():
    text = 'evallang 1\npredictions v from "v.csv"\n  value "F1" a\n  value "EM" b\n'
    assert "E144" in codes(text)
    stray = 'evallang 1\npredictions v from "v.csv"\n  truth y\n  models a, b\n  lower is better\n'
    assert "E144" in codes(stray)


def test_one_data_set_read_is_no_sample_of_data_sets(tmp_path):
    rows = [(i, "only", TRUTH[i], LABEL[i], TRUTH[i]) for i in range(N)]
    write_rows(tmp_path, "p.csv", "id,suite,truth,a,b", rows)
    text = """evallang 1
predictions p from "p.csv"
  id id
  dataset suite
  truth truth
  positive 1
compare a, b across data with wilcoxon
"""
    with pytest.raises(StudyError) as raised:
        run(study(text, tmp_path))
    assert [d.code for d in errors_of(raised)] == ["E201"]
