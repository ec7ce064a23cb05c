"""The same data through scikit-posthocs, baycomp and pingouin, called here and not quoted.

Whole numbers or hundredths are ranked alike by all; where a package is only asymptotic, our
variant of that name is asked for.
"""

import itertools

import baycomp
import numpy as np
import pandas as pd
import pingouin
import pytest
import scikit_posthocs
from many_cases import for_each
from reference_values import columns

from evallang import stats

EXACT = 1e-10
SCORES = np.column_stack(list(columns("data_sets").values()))
RANDOM = np.random.default_rng(20260)
RIGHT = RANDOM.random((80, 4)) < [0.7, 0.75, 0.6, 0.8]
PAIRS = list(itertools.combinations(range(SCORES.shape[1]), 2))
FIRST, SECOND = RANDOM.normal([[0.81], [0.79]], 0.03, (2, 24))
LONG = pd.DataFrame(
    {
        "score": SCORES.ravel(),
        "model": np.tile(list("abcde"), len(SCORES)),
        "data": np.repeat(np.arange(len(SCORES)), 5),
    }
)
TABLE = [[40, 12], [25, 23]]
OUTCOMES = pd.DataFrame(
    np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], np.ravel(TABLE), axis=0), columns=["a", "b"]
)


@for_each("pair", PAIRS)
def test_nemenyi_agrees_with_scikit_posthocs(pair):
    expected = scikit_posthocs.posthoc_nemenyi_friedman(SCORES).to_numpy()[pair]
    assert stats.nemenyi(SCORES, pair=pair, better="higher").p == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("other", [1, 2, 3, 4])
def test_bonferroni_dunn_agrees_with_scikit_posthocs_before_its_factor(other):
    # posthoc_siegel_friedman is the z of two mean ranks without a correction; ours is by k - 1
    single = scikit_posthocs.posthoc_siegel_friedman(SCORES).to_numpy()[0, other]
    found = stats.bonferroni_dunn(SCORES, pair=(0, other), better="higher").p
    assert found == pytest.approx(min(4 * single, 1.0), rel=EXACT)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "hommel", "fdr_bh"])
def test_signed_ranks_of_all_pairs_agree_with_scikit_posthocs(correction):
    # Without ties or zeros, which its scipy would not take exactly
    scores = RANDOM.normal([0.8, 0.81, 0.82, 0.83], 0.02, (12, 4))
    expected = scikit_posthocs.posthoc_wilcoxon(list(scores.T), p_adjust=correction).to_numpy()
    pairs = list(itertools.combinations(range(4), 2))
    p = [stats.wilcoxon(scores[:, i], scores[:, j]).p for i, j in pairs]
    found = getattr(stats, correction)(p)
    assert found == pytest.approx([expected[pair] for pair in pairs], rel=EXACT)


@for_each("rope", [0.0, 0.005, 0.02])
@for_each("runs", [1, 2, 4])
def test_the_correlated_posterior_agrees_with_baycomp(rope, runs):
    # Its correlation is one over the folds of a run, which are 24, 12 and 6 here
    folds = 24 // runs
    found = stats.bayes_t(
        FIRST, SECOND, rope=rope, test_train_ratio=1 / (folds - 1), better="higher"
    ).extra
    theirs = baycomp.two_on_single(FIRST, SECOND, rope, runs)
    # Differences are second minus first there, and the left tail is for the first
    assert (found["p_first"], found["p_second"]) == pytest.approx(
        (theirs[0], theirs[-1]), rel=EXACT
    )
    if rope:
        assert found["p_rope"] == pytest.approx(theirs[1], rel=EXACT)


@pytest.mark.parametrize("rope", [0.005, 0.02])
def test_the_posteriors_over_data_sets_agree_with_baycomp_to_monte_carlo_error(rope):
    x, y = SCORES[:, 1] + 1e-5, SCORES[:, 2]  # off the end of the region, which counts half there
    options = {"rope": rope, "nsamples": 2_000, "random_state": 1}
    signed = stats.bayes_signed_rank(x, y, rope=rope, samples=20_000, better="higher").extra
    # 5 standard errors of a share of 2,000
    assert [signed[f"p_{k}"] for k in ("first", "rope", "second")] == pytest.approx(
        baycomp.SignedRankTest.probs(x, y, **options), abs=5 * (0.25 / 2_000) ** 0.5
    )
    signs = stats.bayes_sign(x, y, rope=rope, better="higher").extra
    assert [signs[f"p_{k}"] for k in ("first", "rope", "second")] == pytest.approx(
        baycomp.SignTest.probs(x, y, prior=0.5, **options), abs=5 * (0.25 / 2_000) ** 0.5
    )


def test_cochran_agrees_with_pingouin():
    found = stats.cochran(RIGHT, method="chi2")
    long = pd.DataFrame(RIGHT.astype(int)).melt(ignore_index=False).reset_index()
    theirs = pingouin.cochran(long, dv="value", within="variable", subject="index")
    assert found.statistic.value == pytest.approx(theirs["Q"].iloc[0], rel=EXACT)
    assert found.p == pytest.approx(theirs["p_unc"].iloc[0], rel=EXACT)


@pytest.mark.parametrize(("ours", "theirs"), [("chi2", "chisq"), ("F", "f")])
def test_friedman_agrees_with_pingouin_on_ties(ours, theirs):
    expected = pingouin.friedman(LONG, dv="score", within="model", subject="data", method=theirs)
    found = stats.friedman(SCORES, method=ours)
    value = found.extra["chi2"] if ours == "chi2" else found.statistic.value
    assert value == pytest.approx(expected["Q" if ours == "chi2" else "F"].iloc[0], rel=EXACT)
    # Its F has M - 1 - 2/N degrees of freedom (Kendall's correction), Iman and Davenport's M - 1
    if ours == "chi2":
        assert found.p == pytest.approx(expected["p_unc"].iloc[0], rel=EXACT)
    assert found.effects[0].value == pytest.approx(expected["W"].iloc[0], rel=EXACT)


@pytest.mark.parametrize(("ours", "theirs"), [("chi2", False), ("corrected", True)])
def test_mcnemar_agrees_with_pingouin(ours, theirs):
    _, found = pingouin.chi2_mcnemar(OUTCOMES, "a", "b", correction=theirs)
    test = stats.mcnemar(TABLE, method=ours)
    assert test.statistic.value == pytest.approx(found["chi2"].iloc[0], rel=EXACT)
    assert test.p == pytest.approx(found["p_approx"].iloc[0], rel=EXACT)
    assert test.extra["p_exact"] == pytest.approx(found["p_exact"].iloc[0], rel=EXACT)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_the_paired_t_agrees_with_pingouin(alternative):
    spelled = alternative.replace("_", "-")
    expected = pingouin.ttest(FIRST, SECOND, paired=True, alternative=spelled)
    found = stats.t(FIRST, SECOND, alternative=alternative)
    assert found.statistic.value == pytest.approx(expected["T"].iloc[0], rel=EXACT)
    assert found.p == pytest.approx(expected["p_val"].iloc[0], rel=EXACT)


def test_effect_sizes_agree_with_pingouin():
    d = FIRST - SECOND
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    # One sample against 0 is d_z; its Hedges' g has the approximate factor 1 - 3/(4 n - 9)
    expected = pingouin.compute_effsize(d, 0.0, eftype="cohen")
    assert stats.cohen_dz(mean, sd).value == pytest.approx(expected, rel=EXACT)
    signed = pingouin.wilcoxon(FIRST, SECOND)["RBC"].iloc[0]
    assert stats.rank_biserial(FIRST, SECOND).value == pytest.approx(signed, rel=EXACT)


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05])
def test_equivalence_agrees_with_pingouin(margin):
    expected = pingouin.tost(FIRST, SECOND, bound=margin, paired=True)["pval"].iloc[0]
    # Folds that share no rows: n_test/n_train all but 0
    found = stats.tost(stats.over_folds(FIRST, SECOND, [1e15] * 24, [1e-3] * 24), margin=margin)
    assert found.p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["bonf", "sidak", "holm", "fdr_bh", "fdr_by"])
def test_corrections_agree_with_pingouin(name):
    p = RANDOM.random(9) ** 3
    _, expected = pingouin.multicomp(p, method=name)
    ours = "bonferroni" if name == "bonf" else name
    assert getattr(stats, ours)(p) == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize(("difference", "n"), [(0.01, 10), (0.02, 24), (0.05, 8)])
def test_the_power_of_a_paired_t_agrees_with_pingouin(difference, n):
    expected = pingouin.power_ttest(d=difference / 0.03, n=n, contrast="paired")
    assert stats.t_power(difference, 0.03, n).power == pytest.approx(expected, rel=1e-8)
