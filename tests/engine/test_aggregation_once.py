"""The folds of a model are aggregated once for each metric, however often they are asked for."""

from collections import Counter

import pytest
from studies import study, write_rows

from evallang.api import run
from evallang.engine import evaluation

FOUR = """\
evallang 1
study "Once"
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=3)
model bayes = GaussianNB
model near = KNeighborsClassifier
model dummy = DummyClassifier
"""


@pytest.fixture
def calls(monkeypatch):
    """Count the aggregations by metric."""
    found = Counter()
    plain = evaluation.aggregate_parts

    def counted(entry, *arguments):
        found[entry.name] += 1
        return plain(entry, *arguments)

    monkeypatch.setattr(evaluation, "aggregate_parts", counted)
    return found


def test_four_models_and_two_metrics_are_eight_aggregations(calls):
    text = FOUR + (
        "protocol repeated cv folds=3 times=2\nmeasure accuracy, macro_f1\n"
        "compare with corrected_t holm by accuracy\ncompare with corrected_t holm by macro_f1\n"
        "require accuracy of tree >= 0.5\n"
    ).replace("macro_f1", "f1(average=macro)")
    results = run(study(text))
    assert len(results.record.comparisons) == 2
    assert len(results.record.comparisons[0].pairwise) == 6
    assert calls == {"accuracy": 4, "f1": 4}


def test_each_seed_is_aggregated_once(calls):
    text = FOUR + (
        "protocol repeated cv folds=3 times=2 seeds=2\nmeasure accuracy\n"
        "compare with corrected_t holm\n"
    )
    run(study(text))
    assert calls == {"accuracy": 8}


def test_repeats_of_predictions_are_averaged_once(calls, tmp_path):
    rows = [(i, r, (i + r) % 3 % 2, i % 2) for i in range(30) for r in range(3)]
    write_rows(tmp_path, "r.csv", "item,run,a,b", rows)
    text = """\
evallang 1
predictions r from "r.csv"
  id item
  repeat run
  correct a, b
compare a, b with t
"""
    run(study(text, tmp_path))
    # the means over repeats, and the spread between them
    assert calls["accuracy"] == 4
    assert calls.total() == 4
