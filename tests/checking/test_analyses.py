"""`analyze` lines that cannot be computed, and what to write instead."""

import pytest
from calling import call
from studies import checked

CLASSES = """\
evallang 1
study
  seed 1
data wine from sklearn wine
model tree = DecisionTreeClassifier(max_depth=3)
model bayes = GaussianNB
protocol cv folds=5
measure accuracy
"""
ANSWERS = """\
evallang 1
study
  seed 1
predictions p from "p.csv"
  truth truth
  models a
measure accuracy
"""


def errors(text):
    return [(d.code, d.message, d.help) for d in checked(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("fractions=[10%, 1], sizes=[10, 20]", "`fractions` and `sizes` both state the sizes"),
        ("sizes=[20]", "a learning curve needs two sizes or more"),
        ("sizes=[20, 20, 30]", "`sizes` has a value twice"),
        ("fractions=[0.5, 2]", "a fraction is above 0 and at most 1"),
        ("sizes=[1, 20]", "a size is a whole number of rows, 2 or more"),
        ("sizes=[2.5, 20]", "a size is a whole number of rows, 2 or more"),
        ("sizes=[a, 20]", "`sizes` is a list of numbers"),
    ],
)
def test_sizes_of_a_learning_curve_that_cannot_be(written, words):
    found = errors(f"{CLASSES}analyze learning_curve({written})\n")
    assert len(found) == 1
    assert words in found[0][1]


def test_what_is_for_another_task_is_told_when_the_file_is_read(tmp_path):
    (tmp_path / "p.csv").write_text("truth,a\n1.5,1.25\n2.5,2.25\n0.5,0.75\n")
    text = ANSWERS.replace("accuracy", "mae").replace("  models a\n", '  models a\n  id "truth"\n')
    (tmp_path / "study.eval").write_text(f"{text}analyze confusion\n")
    done = call("check", "--data", "study.eval", folder=tmp_path)
    shown = " ".join((done.stdout + done.stderr).split())
    assert "`confusion` is for classification" in shown


def test_scores_beyond_one_are_no_probabilities_for_a_calibration(tmp_path):
    (tmp_path / "p.csv").write_text("truth,a\nyes,2.5\nno,-1.5\nyes,0.5\nno,0.25\n")
    text = ANSWERS.replace("  models a\n", "  positive yes\n  models a\n  score a = a\n")
    (tmp_path / "study.eval").write_text(f"{text}analyze calibration\n")
    done = call("check", "--data", "study.eval", folder=tmp_path)
    shown = " ".join((done.stdout + done.stderr).split())
    assert "needs probabilities" in shown
    assert "calibrate the scores" in shown
