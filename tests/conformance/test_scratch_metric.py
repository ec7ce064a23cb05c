"""A metric is one module: the balanced error goes the whole way, and nothing else names it."""

import re
from html import unescape

import pytest
from click.testing import CliRunner
from scratch_members import files_that_name, registered
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from studies import checked, codes, study

from docs.generator import fitting, members
from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.cli.main import root
from evallang.metrics.metric import METRICS

STUDY = """\
evallang 1
study "Tumours"
  seed 7
data cancer from sklearn breast_cancer
  positive malignant
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
protocol holdout test=1/3
measure balanced_error, balanced_accuracy
compare tree vs bayes with permutation(rounds=1000) by balanced_error
require balanced_error of bayes <= 20%
report html
"""


@pytest.fixture(autouse=True)
def _balanced_error():
    with registered("balanced_error", METRICS):
        yield


def words_of(page):
    text = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


@pytest.mark.parametrize("test", ["mcnemar", "t", "delong"])
def test_tests_of_another_metric_are_refused(test):
    assert "E207" in codes(STUDY.replace("permutation(rounds=1000)", test))


def test_an_interval_of_a_proportion_is_refused():
    text = STUDY.replace("balanced_error, balanced_accuracy", "balanced_error\n  interval wilson")
    (error,) = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert error.message == "`wilson` is for proportions, and `balanced_error` is not"
    assert error.help == "write `interval bootstrap`"


def test_it_is_estimated_compared_and_reported(tmp_path):
    made = study(STUDY)
    ((split,),) = read_and_plan(made).planned.layout.splits.values()
    results = run(made)
    record = results.record
    error, accuracy = (
        {e.model: e for e in record.estimates if e.metric == name}
        for name in ("balanced_error", "balanced_accuracy")
    )
    features, target = load_breast_cancer(return_X_y=True)
    bayes = GaussianNB().fit(features[split.train], target[split.train])
    known = balanced_accuracy_score(target[split.test], bayes.predict(features[split.test]))
    assert error["bayes"].value == pytest.approx(1 - known, abs=1e-12)
    for model, found in error.items():
        assert found.value == pytest.approx(1 - accuracy[model].value, abs=1e-12)
        assert found.interval.method == "bootstrap(bca)"
        assert 0 <= found.interval.low < found.value < found.interval.high < 0.3
    (comparison,) = record.comparisons
    (pair,) = comparison.pairwise
    difference = error["tree"].value - error["bayes"].value
    assert pair.estimate.value == pytest.approx(difference, abs=1e-12)
    (required,) = record.requirements
    assert required.met
    results.save(tmp_path / "found")
    words = words_of((tmp_path / "found" / "report.html").read_text(encoding="utf-8"))
    lowest = min(error, key=lambda model: error[model].value)
    assert lowest == "bayes"  # the finding of its requirement states its value
    assert "Balanced error, %" in words
    assert "Balanced error: lower is better." in words
    assert "The requirement was met. Balanced error of bayes at most 20%" in words


def test_it_is_listed_explained_and_documented():
    listed = CliRunner().invoke(root, ["list", "metrics"]).output
    assert "balanced_error" in listed
    explained = CliRunner().invoke(root, ["explain", "balanced_error"]).output
    assert "balanced_error (metric): Balanced error" in explained
    assert "bootstrap: cv, holdout" in explained
    made = dict((*members.pages(), *fitting.pages()))
    assert "(metrics/balanced_error.md)" in made["metrics"]
    assert "# balanced_error" in made["metrics/balanced_error"]
    assert "balanced_error" in made["what-goes-with-what"]


def test_nothing_else_names_it():
    assert files_that_name("balanced_error", "balanced error", "Balanced error") == []
