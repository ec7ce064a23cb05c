"""Estimates, power and pairs that packages get wrong (design/peers.md): ours, and which one."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from studies import study

from evallang import stats
from evallang.api import run
from evallang.reporting.decisions import groups
from evallang.results.records import Comparison, Family, HypothesisTestResult


def test_two_proportions_have_two_tails():
    # mlxtend 0.25 proportion_difference(.9, .8, 100): .977, and swapped .023
    z = 0.1 / math.sqrt(2 * 0.85 * 0.15 / 100)
    p = 2 * scipy_stats.norm.sf(z)
    for table in ([[75, 15], [5, 5]], [[75, 5], [15, 5]]):
        assert stats.proportions_z(table).p == pytest.approx(p, rel=1e-10)


def test_cochrans_q_of_equal_models_is_no_evidence():
    assert stats.cochran(np.ones((20, 3))).p == 1.0  # mlxtend 0.25: nan


def test_the_ends_of_a_bootstrap_interval_are_values_of_the_sample():
    # mlxtend 0.25 bootstrap: its own quantile, with an index beyond the last replicate
    sample = stats.LossSample(np.arange(40.0))
    found = stats.intervals.bootstrap(sample, 0.999, 1, method="percentile", rounds=200)
    assert 0 < found.low < found.high < 39


def test_a_table_of_three_classes_is_no_table_of_right_and_wrong():
    # statsmodels before 0.15 took a corner of it in silence
    with pytest.raises(ValueError, match="2 x 2"):
        stats.mcnemar([[5, 1, 2], [3, 6, 1], [0, 2, 4]])


def test_a_single_fold_has_no_p():
    # Weka's PairedStatsCorrected: p = 1 for one value or none
    found = stats.corrected_t([0.9], [0.8], [90], [10])
    assert found.p is None
    assert found.notes


def test_the_level_of_an_interval_is_the_one_asked_for():
    # autorank: alpha / k twice in its Bayesian path; Tukey's intervals the same for any alpha
    scores = np.random.default_rng(7).random((2, 12))
    widths = []
    for level in (0.9, 0.95, 0.999):
        found = stats.wilcoxon(*scores, level=level).estimate
        assert found.level == level
        widths.append(found.high - found.low)
    assert widths == sorted(widths)
    posterior = stats.bayes_t(
        *scores, [80] * 12, [20] * 12, bounded=True, level=0.9, better="higher"
    )
    assert posterior.estimate.level == 0.9


def test_three_data_sets_are_few_but_no_error():
    # autorank refuses fewer than five
    assert stats.friedman([[0.9, 0.8, 0.7], [0.5, 0.6, 0.4], [0.3, 0.2, 0.1]]).p > 0.05


def test_two_models_do_not_depend_on_which_others_are_compared():
    # Nemenyi's test (autorank, scikit-posthocs, aeon): p of A and B from 5.7e-6 to .93 with the
    # same scores (Benavoli, Corani & Mangili 2016); the signed-rank test has one p
    rng = np.random.default_rng(8)
    a = rng.random(20)
    b = a - 0.01 - 0.001 * rng.random(20)
    between = np.column_stack([a, b, *(a - 0.002 * i for i in (1, 2, 3))])
    far = np.column_stack([a, b, *(a - i for i in (1, 2, 3))])
    assert (
        stats.nemenyi(between, better="higher").p
        < 0.001
        < 0.05
        < stats.nemenyi(far, better="higher").p
    )
    assert stats.wilcoxon(a, b).p == pytest.approx(2 / 2**20, rel=1e-12)


def test_a_posterior_reads_no_file(tmp_path, monkeypatch):
    # baycomp's HierarchicalTest unpickles last-sample.pickle of the current folder
    monkeypatch.chdir(tmp_path)
    (tmp_path / "last-sample.pickle").write_bytes(b"not a pickle")
    found = stats.bayes_signed_rank([0.9, 0.8, 0.7], [0.5, 0.4, 0.6], samples=500, better="higher")
    assert found.extra["p_first"] > 0.5
    assert [path.name for path in tmp_path.iterdir()] == ["last-sample.pickle"]


def decided(models, apart):
    """A comparison of all pairs, of which those in `apart` are rejected."""
    pairs = tuple(
        HypothesisTestResult(
            "wilcoxon", "exact", "null", p=0.01 if set(pair) in apart else 0.5, models=pair,
            reject=set(pair) in apart,
        )
        for pair in itertools.combinations(models, 2)
    )  # fmt: skip
    return Comparison(
        index=0, source="compare", data=None, protocol=None, metric="auc", alpha=0.05,
        family=Family(len(pairs), "holm", False), omnibus=None, pairwise=pairs, performed=True,
        reason=None, ranks=None,
    )  # fmt: skip


def test_groups_follow_every_decision_and_not_the_first_of_a_row():
    # aeon's _build_cliques: once i and j differ, all models beyond j count as different from i
    found = groups("abcd", decided("abcd", [{"a", "b"}]))
    assert set(map(frozenset, found)) == {frozenset("acd"), frozenset("bcd")}


def test_models_that_all_differ_share_no_bar():
    # scikit-posthocs #82: one bar is drawn all the same
    apart = [set(pair) for pair in itertools.combinations("abc", 2)]
    assert all(len(members) < 2 for members in groups("abc", decided("abc", apart)))


def test_folds_of_a_file_sorted_by_class_hold_all_classes(tmp_path):
    # mlxtend 0.25 paired_ttest_kfold_cv: plain KFold without shuffling; on iris with three folds
    # each test part is a class that was never trained on: (nan, nan)
    text = (
        "evallang 1\ndata iris from sklearn iris\nmodel a = GaussianNB\n"
        "model b = DummyClassifier\nprotocol cv folds=3\nmeasure accuracy\ncompare with kfold_t\n"
    )
    record = run(study(text, tmp_path)).record
    (test,) = record.comparisons[0].pairwise
    assert 0 < test.p < 0.05
    assert record.estimates[0].value > 0.9


def test_upper_tails_are_not_1_minus_lower_ones():
    # scikit-posthocs #2: 1 - cdf, which is 0 beyond sixteen digits
    d = np.full(40, 1.0) + np.linspace(-0.01, 0.01, 40)
    t = stats.t(d, np.zeros(40))
    assert 0 < t.p < 1e-60
    assert t.p == pytest.approx(2 * scipy_stats.t.sf(t.statistic.value, 39), rel=1e-8)
    assert 0 < stats.mcnemar([[0, 500], [10, 0]], method="chi2").p < 1e-100


def test_every_pair_of_every_data_set_is_in_the_family():
    # Weka's Experimenter tests each cell at alpha; julearn corrects for each metric alone
    text = "evallang 1\n" + "".join(
        f"counts {name}\n  models x, y\n  table [[40, {b}], [4, 10]]\n"
        for name, b in (("one", 12), ("two", 9), ("three", 15))
    )
    comparisons = run(study(text + "compare with mcnemar\n")).record.comparisons
    assert [c.family.size for c in comparisons] == [3, 3, 3]
    p = [c.pairwise[0].p for c in comparisons]
    adjusted = [c.pairwise[0].p_adjusted for c in comparisons]
    assert adjusted == pytest.approx(stats.holm(p), rel=1e-12)
