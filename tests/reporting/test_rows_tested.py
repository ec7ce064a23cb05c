"""Captions say how many rows were tested, and how often."""

import pytest
from studies import study

from evallang.api import run
from evallang.reporting.context import Context
from evallang.reporting.estimates import estimates
from evallang.reporting.findings import findings

TEXT = """evallang 1
study "Cancer"
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
  unit "patients"
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
protocol {protocol}
measure accuracy
"""
ALL = 569


def caption(text):
    context = Context(run(study(text)).record)
    return "".join(run.text for run in estimates(context)[0].caption)


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ("cv folds=5", "two models on 569 patients."),
        ("holdout test=1/3", "two models on the 190 test patients (of 569)."),
        ("repeated cv folds=5 times=3", "two models on 569 patients, each tested three times."),
        ("5x2cv", "two models on 569 patients, each tested five times."),
        ("resubstitution", "two models on 569 patients."),
    ],
)
def test_a_caption_says_how_many_rows_were_tested(protocol, words):
    assert caption(TEXT.format(protocol=protocol)).endswith(words)


def test_a_series_tests_the_rows_after_the_first_training_part():
    found = caption(TEXT.format(protocol="time_series folds=5"))
    # 569 rows in six parts, the first of which is never tested
    assert found.endswith(f"on the {5 * (ALL // 6)} test patients (of 569).")


def test_repeated_holdouts_test_rows_unequally_often():
    results = run(study(TEXT.format(protocol="repeated holdout times=6 test=1/3")))
    (first, _) = results.record.estimates
    folds = sum(fold.n_test for fold in first.folds)
    assert first.tested.n < ALL
    assert first.tested.least * first.tested.n <= folds <= first.tested.most * first.tested.n
    words = Context(results.record).tested_words(Context(results.record).settings[0])
    assert words == (
        f"the {first.tested.n} test patients (of 569), each tested "
        f"{first.tested.least} to {first.tested.most} times"
    )


def test_out_of_bag_rows_are_the_tested_rows_of_a_bootstrap():
    (first, _) = run(study(TEXT.format(protocol="bootstrap rounds=50"))).record.estimates
    assert first.tested.n == ALL
    # each round leaves out .368 of the rows on average: 18 of 50
    assert first.tested.least < 18 < first.tested.most < 50


def test_the_n_of_an_omnibus_is_the_number_tested():
    text = TEXT.format(protocol="holdout test=1/3").replace(
        "model bayes", "model near = KNeighborsClassifier\nmodel bayes"
    )
    context = Context(run(study(text + "compare with cochran then mcnemar\n")).record)
    first = findings(context)[0].items[0]
    shown = "".join(getattr(run, "text", "") for run in first)
    assert "\u00a0=\u00a0190." in shown
