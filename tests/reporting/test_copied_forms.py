"""What a reader pastes from the page, and what the findings of a page are about."""

import json
import re

import numpy as np
import pytest
from report_truth import untruths

import evallang as ev
from evallang.results.codec import to_plain

STUDY = """evallang 1
study "Two readings"
  seed 1
{source}
measure accuracy
compare a, b with {test}
report html
"""
GIVEN = """predictions p "Readings" from "p.csv"
  truth truth
  models a, b
  unit "readings"
"""
FITTED = """data wine from sklearn wine
model a = GaussianNB
model b = LinearDiscriminantAnalysis
protocol repeated cv folds=5 times=2
"""


def written(folder, source, test):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 80)
    frame = {"truth": truth, "a": np.where(rng.random(80) < 0.9, truth, 1 - truth)}
    frame["b"] = np.where(rng.random(80) < 0.6, truth, 1 - truth)
    data = {"p": frame} if source == GIVEN else {}
    study = ev.parse(STUDY.format(source=source, test=test))
    results = ev.run(study, data=data, store="off")
    results.render("html", folder=folder)
    return (folder / "report.html").read_text(encoding="utf-8"), to_plain(results.record)


def test_a_copied_sentence_cites_without_parentheses_in_parentheses(tmp_path):
    page, plain = written(tmp_path, GIVEN, "permutation(rounds=200)")
    copied = json.loads(re.search(r'id="copied">(.*?)</script>', page, re.S)[1])
    sentence = next(m["text"] for m in copied["methods"] if "We report" in m["text"])
    assert "(Wilson score interval; Wilson, 1927; Brown et al., 2001)" in sentence
    assert re.search(
        r"permutation test \(swapped readings[^()]*\) \(Edgington & Onghena, ", sentence
    )
    assert not any(untruths(page, plain).values())


@pytest.mark.parametrize(
    ("source", "test", "about"),
    [
        (GIVEN, "mcnemar", "these models on new readings"),
        (FITTED, "corrected_t", "the algorithms, trained on about 142 examples"),
    ],
)
def test_findings_state_what_they_apply_to(tmp_path, source, test, about):
    page, plain = written(tmp_path, source, test)
    (comparison,) = plain["comparisons"]
    stated = about.replace("algorithms", "algorithm")
    assert comparison["about"] == ("this fitted model" if source == GIVEN else stated)
    section = re.search(r'<section[^>]*id="findings".*?</section>', page, re.S)[0]
    assert f"The findings apply to {about}." in section


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            "compare all with mcnemar on a\ncompare all with mcnemar on b\n",
            "Under a, the findings apply to the average of the three models fitted here, not to a "
            "new training set; under b, to these fitted models on new examples.",
        ),
        (
            "compare all with mcnemar on b\n",
            "Under a, the estimates apply to the average of the three models fitted here, not to a "
            "new training set; under b, to these fitted models on new examples. The comparisons "
            "apply to these fitted models on new examples.",
        ),
    ],
)
def test_findings_state_what_they_apply_to_under_each_protocol(tmp_path, lines, words):
    text = (
        'evallang 1\nstudy "Two"\n  seed 1\ndata iris from sklearn iris\n'
        "model bayes = GaussianNB\nmodel tree = DecisionTreeClassifier(max_depth=1)\n"
        "protocol a = cv folds=3\nprotocol b = holdout test=1/3\nmeasure accuracy\n"
    )
    (tmp_path / "s.eval").write_text(text + lines + "report markdown\n", encoding="utf-8")
    ev.run(tmp_path / "s.eval").save(tmp_path / "out")
    assert f"- {words}\n" in (tmp_path / "out" / "findings.md").read_text(encoding="utf-8")


def test_the_methods_state_under_which_protocol_a_metric_has_which_interval(tmp_path):
    text = (
        'evallang 1\nstudy "Two"\n  seed 1\ndata iris from sklearn iris\n'
        "model bayes = GaussianNB\nprotocol a = repeated cv folds=3 times=2\n"
        "protocol b = holdout test=1/3\nmeasure accuracy, f1\nreport markdown\n"
    )
    (tmp_path / "s.eval").write_text(text, encoding="utf-8")
    ev.run(tmp_path / "s.eval").save(tmp_path / "out")
    methods = (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    plain = re.sub(r"\[\^\w+\]", "", methods)
    t, wilson = "corrected resampled t interval", "Wilson score interval"
    assert f"accuracy under a and F1 under a with 95% intervals ({t})" in plain
    assert f"accuracy under b with a 95% interval ({wilson})" in plain


def test_findings_of_fitted_models_and_of_algorithms_are_told_apart(tmp_path):
    source = FITTED.replace("repeated cv folds=5 times=2", "cv folds=5")
    page, plain = written(tmp_path, source, "5x2cv_t")
    assert plain["comparisons"][0]["about"] == "the algorithm, trained on about 89 examples"
    words = (
        "The estimates apply to the average of the five models fitted here, not to a new training "
        "set; the comparisons, to the algorithms, trained on about 89 examples."
    )
    assert words in page
