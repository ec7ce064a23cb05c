"""Designs that packages leave to the user (design/peers.md, 2): what is said, and which one.

Defects there of methods that this version does not have: mlxtend's bias and variance of 0-1
loss, deep-significance's almost stochastic order, Conover's post hoc test in scikit-posthocs,
baycomp's and tidyposterior's hierarchical models, nested-CV intervals in mlr3inferr.
"""

import csv
import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from studies import study

from evallang import stats
from evallang.api import run

COUNTS = "evallang 1\ncounts c\n  models a, b, d\n"


def codes_of(text, folder):
    return {finding.name for finding in study(text, folder).check()}


@pytest.mark.parametrize(
    ("test", "protocol"),
    [("resampled_t", "repeated holdout times=30"), ("kfold_t", "cv folds=10")],
)
def test_a_test_of_overlapping_training_sets_is_not_offered_in_silence(test, protocol, tmp_path):
    # mlxtend's paired_ttest_resampled and paired_ttest_kfold_cv, without a word: the first
    # rejects 60 % of true hypotheses (docs/validation.md)
    text = (
        "evallang 1\ndata iris from sklearn iris\nmodel a = GaussianNB\n"
        f"model b = DecisionTreeClassifier\nprotocol {protocol}\ncompare with {test}\n"
    )
    assert "overlapping_splits_as_independent" in codes_of(text, tmp_path)


def test_pairs_behind_an_omnibus_that_does_not_reject_have_no_p():
    # autorank prints groups of its post hoc test all the same
    text = COUNTS + (
        "  pattern [1, 1, 1]: 80\n  pattern [1, 1, 0]: 4\n  pattern [1, 0, 1]: 5\n"
        "  pattern [0, 1, 1]: 4\ncompare with cochran then mcnemar\n"
    )
    (found,) = run(study(text)).record.comparisons
    assert found.omnibus.p > 0.05
    assert not found.performed
    assert all(pair.p is None and pair.reject is False for pair in found.pairwise)
    assert all(pair.estimate.low < 0 < pair.estimate.high for pair in found.pairwise)


def test_the_test_that_is_written_is_the_test_that_is_run(tmp_path):
    # autorank chooses it by Shapiro's and Bartlett's tests on the same scores
    rng = np.random.default_rng(1)
    normal, skewed = rng.normal(0.8, 0.02, (12, 3)), rng.exponential(0.1, (12, 3))
    for scores in (normal, skewed):
        write(tmp_path / "s.csv", scores)
        (found,) = run(study(SCORES + "compare across data with friedman\n", tmp_path)
                       ).record.comparisons  # fmt: skip
        assert found.omnibus.test == "friedman"


SCORES = (
    'evallang 1\nscores s from "s.csv"\n  dataset name\n  model model\n  score score\n'
    "  higher is better\n"
)


def write(path, scores, order=None):
    rows = [
        (f"data{i}", model, repr(float(scores[i, j])))
        for i, j in itertools.product(range(len(scores)), range(scores.shape[1]))
        for model in ["abcdef"[j]]
    ]
    rows = rows if order is None else [rows[i] for i in order]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("name", "model", "score"), *rows])


def test_scores_are_paired_by_their_data_sets_and_not_by_the_order_of_rows(tmp_path):
    # scikit-posthocs posthoc_wilcoxon: by the order of input
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.5, 0.9, (12, 1)) + rng.normal([0, 0.01, 0.03], 0.01, (12, 3))
    text = SCORES + "compare across data with wilcoxon holm\n"
    write(tmp_path / "s.csv", scores)
    (plain,) = run(study(text, tmp_path)).record.comparisons
    write(tmp_path / "s.csv", scores, rng.permutation(36))
    (shuffled,) = run(study(text, tmp_path)).record.comparisons
    found = {frozenset(pair.models): pair.p for pair in shuffled.pairwise}
    for pair in plain.pairwise:
        assert found[frozenset(pair.models)] == pytest.approx(pair.p, rel=1e-12)
        i, j = ("abc".index(model) for model in pair.models)
        expected = scipy_stats.wilcoxon(scores[:, i], scores[:, j]).pvalue
        assert pair.p == pytest.approx(expected, rel=1e-10)


def test_pairs_by_several_metrics_are_one_family(tmp_path):
    # julearn corrects for the pairs of each metric alone
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    rows = ["y,a,b,d"]
    for y in truth:
        rows.append(",".join(map(str, [y, *np.where(rng.random(3) < [0.8, 0.7, 0.6], y, 1 - y)])))
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n")
    text = (
        'evallang 1\npredictions p from "p.csv"\n  truth y\n  models a, b, d\n  positive 1\n'
        "measure accuracy, recall, specificity\n"
        "compare with mcnemar holm by accuracy, recall, specificity\n"
    )
    comparisons = run(study(text, tmp_path)).record.comparisons
    pairs = [pair for comparison in comparisons for pair in comparison.pairwise]
    assert [comparison.family.size for comparison in comparisons] == [9, 9, 9]
    expected = multipletests([pair.p for pair in pairs], method="holm")[1]
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(expected, rel=1e-12)


def test_overlapping_intervals_do_not_decide_a_difference():
    # inspect_ai's documentation compares two models by whether their intervals overlap
    table = [[820, 50], [26, 104]]
    first = stats.wilson(870, 1000, 0.95)
    second = stats.wilson(846, 1000, 0.95)
    assert first.low < second.high
    found = stats.mcnemar(table)
    assert found.p < 0.01
    assert found.estimate.low > 0


def test_the_seed_of_an_interval_is_no_matter_of_the_global_generator(tmp_path):
    # rliable and baycomp's single-data-set posterior draw from numpy's global state
    text = COUNTS + "  pattern [1, 1, 0]: 30\n  pattern [1, 0, 1]: 12\n  pattern [0, 1, 1]: 9\n"
    text += "compare a vs b with bootstrap\n"
    np.random.seed(1)
    one = run(study(text)).record.comparisons
    np.random.seed(2)
    assert run(study(text)).record.comparisons == one


def test_zeros_of_a_signed_rank_test_are_treated_as_its_variant_says():
    # aeon's multi-comparison matrix takes "pratt", its diagram "wilcox": the figures disagree
    first, second = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.9, 0.7, 0.6, 0.4, 0.2, 0.5]
    found = {zeros: stats.wilcoxon(first, second, zeros=zeros) for zeros in ("drop", "pratt")}
    assert found["drop"].variant == "exact, zeros=drop"
    assert found["pratt"].variant == "exact, zeros=pratt"
    # Ranks 1 to 5 of the five others, or 2 to 6 beside the zero: 2 speaks for the second
    assert [found[zeros].statistic.value for zeros in ("drop", "pratt")] == [2.0, 3.0]
