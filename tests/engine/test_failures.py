"""Fits that fail and fits that warn: recorded with their place, and the rest goes on."""

import re

import pytest
from studies import study

from evallang.api import run
from evallang.api.results import read_record
from evallang.api.running import RunFailed
from evallang.results import codec
from evallang.results.statistics import Lacking

HEAD = (
    'evallang 1\nstudy "s"\n  seed 4\ndata iris from sklearn iris\n  where target in [setosa, '
    "versicolor]\n"
)
# NuSVC cannot be fitted where nu is above twice the share of the rarer class (its docs)
UNEVEN = HEAD.replace("iris\n  where", 'iris\n  where "sepal length (cm)" > 4.9\n  where')


def test_a_fit_that_fails_is_recorded_and_the_rest_goes_on(tmp_path):
    text = UNEVEN + (
        "model bad = NuSVC(nu=1)\nmodel good = GaussianNB\nmodel tree = DecisionTreeClassifier\n"
        "protocol cv folds=3\nmeasure accuracy\ncompare with mcnemar\n"
    )
    with pytest.raises(RunFailed) as caught:
        run(study(text), out=tmp_path / "out")
    record = caught.value.results.record
    assert [(f.stage, f.model, f.fold, f.error) for f in record.failures] == [
        ("outer", "bad", fold, "ValueError") for fold in range(3)
    ]
    assert record.provenance.fits.failed == 3
    values = {e.model: e.value for e in record.estimates}
    assert values["bad"] is None
    assert values["good"] is not None and values["tree"] is not None
    pairs = {pair.models: pair for pair in record.comparisons[0].pairwise}
    assert pairs["good", "tree"].p is not None
    for lacking in (("bad", "good"), ("bad", "tree")):
        assert pairs[lacking].p is None
        assert pairs[lacking].status == "not_computed"
        assert pairs[lacking].lacking == Lacking("fit", "a fit of bad failed", "bad")
        assert "not computed: a fit of bad failed" in pairs[lacking].notes
    assert pairs["good", "tree"].status == "computed"
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_candidate_that_fails_is_left_out_of_the_choice():
    text = UNEVEN + (
        "model svm = NuSVC(nu in [1, 0.2])\nprotocol nested cv outer=3 inner=3\nmeasure accuracy\n"
    )
    record = run(study(text)).record
    assert {s.params["nu"] for s in record.selections} == {0.2}
    assert [(f.stage, f.fold, f.params["nu"]) for f in record.failures] == [
        ("inner", fold, 1) for fold in range(3)
    ]
    assert record.estimates[0].value is not None


def test_warnings_are_counted_once_per_model():
    text = HEAD + (
        "model slow = LogisticRegression(max_iter=1)\nmodel good = GaussianNB\n"
        "protocol cv folds=4\nmeasure accuracy\n"
    )
    (found,) = run(study(text)).record.warnings
    assert (found.model, found.category, found.n) == ("slow", "ConvergenceWarning", 4)


def report_of(folder):
    page = (folder / "report.html").read_text()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


def test_a_comparison_whose_only_pair_lost_a_fit_was_not_performed(tmp_path):
    text = UNEVEN + (
        "model bad = NuSVC(nu=1)\nmodel good = GaussianNB\n"
        "protocol cv folds=3\nmeasure accuracy\ncompare bad, good with mcnemar\n"
    )
    with pytest.raises(RunFailed) as caught:
        run(study(text), out=tmp_path / "out")
    (comparison,) = caught.value.results.record.comparisons
    assert (comparison.performed, comparison.reason) == (
        False,
        "not computed: a fit of bad failed",
    )
    words = report_of(tmp_path / "out")
    assert "good and bad were to be compared on accuracy using McNemar’s test" in words
    lost = "good and bad were not compared in accuracy, because fits of bad failed."
    assert lost in words
    assert "by McNemar’s test at a level" not in words


def test_results_with_failed_bootstrap_rounds_of_an_analysis_are_read_again():
    text = """evallang 1
data wine from sklearn wine
model a = GaussianNB
model bad = StandardScaler | MultinomialNB
protocol cv folds=3
analyze bias_variance(rounds=3)
"""
    with pytest.raises(RunFailed) as caught:
        run(study(text))
    results = caught.value.results.record
    assert {f.protocol for f in results.failures if f.stage == "subset"} == {"bootstrap"}
    assert read_record(codec.dumps(results)).failures == results.failures
