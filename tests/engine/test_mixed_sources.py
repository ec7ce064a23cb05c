"""Sources of several kinds in one study: which of them a line is about."""

import pytest
from studies import codes, study, write_rows

from evallang.api import run

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
