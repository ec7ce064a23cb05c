"""Reports on scores, values and repeats that were computed elsewhere."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from studies import study

from evallang.api import run

EXAMPLES = Path(__file__).parents[2] / "examples"


def text_of(written, source, out):
    """Run a study, and give the words of its HTML report."""
    run(study(written + "report html\n", source)).save(out)
    html = (out / "report.html").read_text(encoding="utf-8")
    html = re.sub(r"<(style|script|svg)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    written = """evallang 1
scores auc "AUC" from "data/demsar_auc.csv"
  dataset "data set"
  metric "AUC"
  cite "Demšar 2006, table 6"
compare across data with friedman then nemenyi
"""
    return text_of(written, EXAMPLES, tmp_path_factory.mktemp("suite") / "out")


def test_a_report_on_a_table_says_where_its_scores_come_from(suite):
    assert "on AUC (14 data sets). The scores (AUC) were taken from published results." in suite
    assert "Demšar 2006, table 6" in suite
    assert "Direction ○ higher is better" in suite


def test_a_report_on_a_table_names_the_file_once_and_no_sizes_that_mean_nothing(suite):
    assert suite.count("data/demsar_auc.csv, SHA-256") == 1
    assert "Data: 14 data sets data/demsar_auc.csv" in suite
    assert "Score each" not in suite
    assert "Data set C4.5+m+cf C4.5+m C4.5+cf C4.5 adult (sample) 0.798" in suite


def test_a_report_says_what_repeats_of_an_example_count(tmp_path):
    rows = [f"{i},{r},{(i * 7 + r) % 3 != 0:d},{(i + r) % 2}" for r in range(3) for i in range(30)]
    (tmp_path / "r.csv").write_text("item,run,a,b\n" + "\n".join(rows) + "\n")
    written = """evallang 1
predictions quiz from "r.csv"
  id item
  repeat run
  correct a, b
  unit "questions"
compare a, b with permutation(rounds=100)
"""
    words = text_of(written, tmp_path, tmp_path / "out")
    assert "on quiz: 30 questions. Each of the questions has three repeats." in words
    assert "on new questions, with new repeats if each was sampled independently." in words
    found = re.search(r"Within questions, the standard deviation of accuracy over the repeats "
                      r"was ([\d.]+) points for a and ([\d.]+) points for b", words)  # fmt: skip
    assert "paired permutation test (swapped questions, exact)" in words
    a = np.array([[(i * 7 + r) % 3 != 0 for r in range(3)] for i in range(30)])
    b = np.array([[(i + r) % 2 for r in range(3)] for i in range(30)])
    within = [100 * np.sqrt(model.var(axis=1, ddof=1).mean()) for model in (a, b)]
    assert found is not None
    assert [float(sd) for sd in found.groups()] == pytest.approx(within, abs=0.05)


def test_scores_of_folds_are_worded_with_their_number_and_what_was_assumed(tmp_path):
    rows = [f"{k},{80 + k % 3},{78 + k % 4}" for k in range(10)]
    (tmp_path / "f.csv").write_text("fold,a,b\n" + "\n".join(rows) + "\n")
    written = """evallang 1
scores cv from "f.csv"
  fold fold
  folds of cv
  metric "Exact match"
compare a, b with corrected_t
"""
    words = text_of(written, tmp_path, tmp_path / "out")
    assert "(exact match, ten folds of each model on a data set) were taken" in words
    assert "n_test/n_train is taken as 1/9" in words
    assert "the algorithms, trained on as many examples as for these scores" in words
