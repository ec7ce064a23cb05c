"""Metrics of several answers to one example, and what repeats are worth."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from studies import codes, study, write_rows

from evallang.api import run
from evallang.metrics.repeats import pass_all, pass_at

QUESTIONS, PASSAGES = 24, 8
RNG = np.random.default_rng(5)
EASE = RNG.random(QUESTIONS)
RIGHT = (RNG.random((2, QUESTIONS, 5)) < EASE[:, None]).astype(int)
STUDY = """evallang 1
predictions quiz from "quiz.csv"
  id question
  repeat epoch
  correct small, large
measure accuracy, pass_at(k=2), pass_all(k=2), pass_at(k=5)
"""


def written(folder, right):
    """Write a table of answers, one row for each question and epoch."""
    rows = [
        (q, q % PASSAGES, e, *right[:, q, e])
        for q in range(right.shape[1])
        for e in range(right.shape[2])
    ]
    write_rows(folder, "quiz.csv", "question,passage,epoch,small,large", rows)
    return STUDY


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_they_are_shares_of_all_choices_of_k_answers(k):
    answers = RIGHT[0]
    chosen = [[row[list(c)] for c in combinations(range(5), k)] for row in answers]
    output = np.column_stack([answers.sum(axis=1), np.full(QUESTIONS, 5)])
    some = [np.mean([c.any() for c in choices]) for choices in chosen]
    every = [np.mean([c.all() for c in choices]) for choices in chosen]
    assert pass_at(None, output, None, k=k) == pytest.approx(some, abs=1e-12)
    assert pass_all(None, output, None, k=k) == pytest.approx(every, abs=1e-12)


def test_each_example_has_its_own_number_of_answers():
    output = np.array([[3, 8], [2, 6]])
    expected = [1 - comb(5, 4) / comb(8, 4), 1 - comb(4, 4) / comb(6, 4)]
    assert pass_at(None, output, None, k=4) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="an example has 6 answers, and k is 7"):
        pass_at(None, output, None, k=7)


def test_a_study_measures_and_compares_them_by_question(tmp_path):
    text = written(tmp_path, RIGHT) + "compare large vs small with t by pass_at(k=2)\n"
    results = run(study(text, tmp_path))
    right = RIGHT.sum(axis=2)
    some = 1 - np.vectorize(lambda c: comb(5 - c, 2) / comb(5, 2))(right)
    every = np.vectorize(lambda c: comb(c, 2) / comb(5, 2))(right)
    found = {(e.model, e.metric): e for e in results.estimates}
    for row, model in enumerate(("small", "large")):
        assert found[model, "pass_at(k=2)"].value == pytest.approx(some[row].mean())
        assert found[model, "pass_all(k=2)"].value == pytest.approx(every[row].mean())
        assert found[model, "pass_at(k=5)"].value == pytest.approx((right[row] > 0).mean())
        assert found[model, "pass_at(k=2)"].interval is not None
    (pair,) = results.comparisons[0].pairwise
    expected = stats.ttest_rel(some[1], some[0])
    assert pair.p == pytest.approx(expected.pvalue)
    assert pair.estimate.value == pytest.approx((some[1] - some[0]).mean())


def test_the_standard_error_with_one_repeat_and_with_any_number(tmp_path):
    results = run(study(written(tmp_path, RIGHT), tmp_path))
    for row, model in enumerate(("small", "large")):
        (found,) = (e for e in results.estimates if (e.model, e.metric) == (model, "accuracy"))
        means = RIGHT[row].mean(axis=1)
        within, total = RIGHT[row].var(axis=1, ddof=1).mean(), means.var(ddof=1)
        between = total - within / 5
        assert found.extra["standard_error"] == pytest.approx(sqrt(total / QUESTIONS))
        assert found.extra["standard_error_of_one_repeat"] == pytest.approx(
            sqrt((between + within) / QUESTIONS)
        )
        assert found.extra["standard_error_of_any_repeats"] == pytest.approx(
            sqrt(max(between, 0) / QUESTIONS)
        )


def test_over_groups_the_standard_error_is_that_of_whole_groups(tmp_path):
    text = written(tmp_path, RIGHT).replace("  repeat epoch", "  repeat epoch\n  group passage")
    results = run(study(text, tmp_path))
    (found,) = (e for e in results.estimates if (e.model, e.metric) == ("small", "accuracy"))
    means, groups = RIGHT[0].mean(axis=1), np.arange(QUESTIONS) % PASSAGES
    fit = sm.OLS(means, np.ones(QUESTIONS)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    expected = fit.bse[0] * sqrt(PASSAGES / (PASSAGES - 1))
    assert found.extra["standard_error"] == pytest.approx(expected)


def test_equal_examples_have_an_exact_interval(tmp_path):
    right = RIGHT.copy()
    right[1, :, 0] = 1
    results = run(study(written(tmp_path, right), tmp_path))
    (found,) = (e for e in results.estimates if (e.model, e.metric) == ("large", "pass_at(k=5)"))
    low = stats.binomtest(QUESTIONS, QUESTIONS).proportion_ci(0.95, method="exact").low
    assert (found.value, found.interval.high) == (1, 1)
    assert found.interval.low == pytest.approx(low)


def test_they_need_repeats():
    assert codes(STUDY.replace("  repeat epoch\n", "")) == ["E203"] * 3


def report_of(folder, text):
    """Return the words of a report in Markdown."""
    run(study(text, folder)).render("markdown", folder=folder)
    return " ".join(w for p in folder.rglob("*.md") for w in p.read_text("utf-8").split())


def test_a_report_says_how_many_repeats_examples_have(tmp_path):
    text = written(tmp_path, RIGHT)
    assert "with one repeat, five repeats and infinitely many" in report_of(tmp_path, text)
    rows = [(q, e, *RIGHT[:, q, e]) for q in range(QUESTIONS) for e in range(5 if q else 2)]
    write_rows(tmp_path, "quiz.csv", "question,epoch,small,large", rows)
    words = report_of(tmp_path, text.replace(", pass_at(k=5)", ""))
    assert "has up to five repeats." in words
    assert "with one repeat, those at hand and infinitely many" in words


def test_examples_that_are_all_right_have_no_error_that_repeats_reduce(tmp_path):
    right = np.ones((2, 6, 3), dtype=int)
    right[0, 0] = (0, 0, 1)
    text = written(tmp_path, right).replace(", pass_at(k=5)", "")
    words = report_of(tmp_path, text)
    assert "for large; only more" not in words and "for small; only more" in words
    assert "no interval under this protocol" not in words
