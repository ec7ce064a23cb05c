"""Values that overflow, masks, columns of frames and words that an option does not have."""

import itertools
import math
import warnings

import baycomp
import numpy as np
import pandas as pd
import polars as pl
import pytest
from many_cases import for_each
from scipy import integrate, special as scipy_special, stats as scipy_stats

from evallang import stats

FIRST, SECOND = [0.9, 0.5, 0.6, 0.7], [0.4, 0.5, 0.3, 0.2]
TABLE = ((20, 5), (3, 4))
PAIRED = {
    "corrected_t": lambda x, y: stats.corrected_t(x, y, test_train_ratio=1 / 9),
    "kfold_t": stats.kfold_t,
    "bayes_t": lambda x, y: stats.bayes_t(x, y, rope=0.1, better="higher", test_train_ratio=1 / 9),
    "t": stats.t,
    "diebold_mariano": stats.diebold_mariano,
    "permutation": lambda x, y: stats.permutation(stats.LossSwapper(x, y)),
    "bootstrap": lambda x, y: stats.bootstrap(
        stats.DifferenceSample(stats.LossSample(x), stats.LossSample(y)), rounds=100
    ),
    "clustered_difference": lambda x, y: stats.clustered_difference(x, y, [0, 0, 1, 1]),
    "cv_clt": lambda x, y: stats.intervals.cv_clt(x, [0, 0, 1, 1], 0.95),
    "t of folds": lambda x, y: stats.intervals.t(x, 0.95),
}
RANKED = {
    "wilcoxon": stats.wilcoxon,
    "sign": stats.sign,
    "bayes_signed_rank": lambda x, y: stats.bayes_signed_rank(
        x, y, rope=0.0, samples=500, better="higher"
    ),
    "friedman": lambda x, y: stats.friedman(np.column_stack([x, y])),
    "nemenyi": lambda x, y: stats.nemenyi(np.column_stack([x, y]), better="higher"),
    "quade": lambda x, y: stats.quade(np.column_stack([x, y])),
}


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@for_each("name", PAIRED)
@for_each(("scale", "says"), [(1e300, "overflow"), (1e200, "overflow"), (1e-200, "vanish")])
def test_values_whose_squares_leave_double_precision_are_refused(name, scale, says):
    x, y = scale * np.array([1.0, 2.0, 3.0, 1.5]), scale * np.array([1.0, 1.0, 2.0, 0.5])
    with pytest.raises(ValueError, match=f"{says} when squared: rescale"):
        PAIRED[name](x, y)


@for_each("name", RANKED)
@for_each("scale", [1e-200, 1e200, 1e299])
def test_ranks_have_no_unit(name, scale):
    x, y = np.array([1.0, 2.0, 3.0, 1.5, 4.0, 7.0]), np.array([1.0, 1.5, 2.0, 0.5, 5.0, 6.0])
    plain, found = RANKED[name](x, y), RANKED[name](scale * x, scale * y)
    assert found.p == plain.p
    assert found.extra.get("p_first") == plain.extra.get("p_first")
    for effect, same in zip(found.effects, plain.effects, strict=True):
        assert effect.value == pytest.approx(same.value, rel=1e-12)
        assert effect.low == pytest.approx(same.low, rel=1e-12)


@pytest.mark.parametrize("name", RANKED)
def test_scores_whose_difference_may_overflow_are_refused(name):
    with pytest.raises(ValueError, match="overflow when subtracted: rescale"):
        RANKED[name]([1e308, 1.0, 2.0], [-1e308, 2.0, 3.0])


@pytest.mark.parametrize("name", ["corrected_t", "t", "kfold_t", "diebold_mariano"])
@pytest.mark.parametrize("power", [-300, 300])
def test_p_does_not_depend_on_the_unit_within_reach(name, power):
    # Scaling by a power of two is exact, so p is the same to the last digit
    scale = 2.0**power
    plain = PAIRED[name](np.array(FIRST), np.array(SECOND)).p
    assert PAIRED[name](scale * np.array(FIRST), scale * np.array(SECOND)).p == plain


@pytest.mark.parametrize("name", ["corrected_t", "t", "bootstrap"])
def test_masked_values_are_missing_values(name):
    # numpy's asarray hands over what lies under the mask
    masked = np.ma.masked_array([-9.9, 0.5, 0.6, 0.7], [1, 0, 0, 0])
    missing = [None, 0.5, 0.6, 0.7]

    def outcome(values):
        try:
            return PAIRED[name](values, SECOND)
        except ValueError as error:
            return str(error)

    assert outcome(masked) == outcome(missing)


def test_masked_counts_and_labels_are_refused():
    mask = [[0, 1], [0, 0]]
    with pytest.raises(ValueError, match="masked"):
        stats.mcnemar(np.ma.masked_array(TABLE, mask))
    with pytest.raises(ValueError, match="masked"):
        stats.cochran(np.ma.masked_array([[1, 0], [0, 1]], mask))


CORRECTIONS = ["holm", "hochberg", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "finner",
               "li", "shaffer", "bergmann_hommel", "uncorrected", "holm_sidak"]  # fmt: skip


@for_each("name", CORRECTIONS)
def test_p_values_are_read_by_their_places_and_not_by_an_index(name):
    p = [0.3, 0.001, 0.02]
    correct = getattr(stats, name)
    expected = correct(p)
    for given in (
        pd.Series(p, index=[2, 0, 1]),
        pd.Series(p, index=["a", "b", "c"]),
        pl.Series(p),
        np.array(p),
        (x for x in p),
    ):
        assert correct(given) == expected
    assert correct(np.ma.masked_array(p, [0, 0, 1])) == correct([0.3, 0.001, None])


@for_each("name", CORRECTIONS)
@for_each("p", [0.3, None, ["small"], [1.5], [float("nan")], [10**400], {"a": 2}])
def test_what_is_no_row_of_p_values_is_refused(name, p):
    with pytest.raises(ValueError, match="p-values lie between 0 and 1"):
        getattr(stats, name)(p)


WORDS = {
    "alternative": lambda: stats.mcnemar(TABLE, alternative="both"),
    "alternative of t": lambda: stats.t(FIRST, SECOND, alternative="larger"),
    "method": lambda: stats.mcnemar(TABLE, method="midpoint"),
    "interval": lambda: stats.mcnemar(TABLE, interval="score"),
    "zeros": lambda: stats.wilcoxon(FIRST, SECOND, zeros="wilcox"),
    "missing": lambda: stats.sign(FIRST, SECOND, missing="drop"),
    "ties": lambda: stats.friedman([[1, 2, 3]] * 4, ties="min"),
    "numerator": lambda: stats.five_by_two_t(
        np.ones((5, 2)), np.ones((5, 2)), numerator="last"
    ),
    "variance": lambda: stats.intervals.cv_clt(FIRST, [0, 0, 1, 1], 0.95, variance="in"),
    "bootstrap": lambda: stats.intervals.bootstrap(
        stats.LossSample(FIRST), 0.95, 1, method="BCa"
    ),
    "better": lambda: stats.decide_superior(stats.wilson(3, 9, 0.95), "up"),
    "relation": lambda: stats.decide_level(stats.wilson(3, 9, 0.95), 0.2, ">"),
    "correction": lambda: stats.corrected_alpha(0.05, 3, "tukey"),
    "simultaneous": lambda: stats.simultaneous_level("tukey", 0.95, 3),
    "variant": lambda: stats.mcnemar_power(0.02, 0.08, 300, variant="mid-p"),
    "rank test": lambda: stats.rank_power("kruskal", 0.02, 0.08, 9),
    "estimate": lambda: stats.bootstrap_error(0.1, 0.2, 0.5, "632+"),
}  # fmt: skip


@for_each("name", WORDS)
def test_a_word_that_an_option_does_not_have_is_no_other_word(name):
    with pytest.raises(ValueError, match="is one of"):
        WORDS[name]()


def test_the_nearest_word_is_named():
    with pytest.raises(ValueError, match="not 'two-side', perhaps `two_sided`"):
        stats.mcnemar(TABLE, alternative="two-side")


NAN, INF = float("nan"), float("inf")
NOT_FINITE = {
    "clustered difference": lambda x: stats.clustered_difference([x, 1.0], [0.5, 1.0], [0, 1]),
    "clustered wilson": lambda x: stats.clustered_wilson([x, 1, 0], [0, 1, 2], 0.95),
    "weighted wilson": lambda x: stats.weighted_wilson([x, 1, 0], [1, 1, 2], 0.95),
    "weights": lambda x: stats.effective_n([x, 1.0]),
    "apparent error": lambda x: stats.bootstrap_error(x, 0.3, 0.5, ".632+"),
    "gamma": lambda x: stats.bootstrap_error(0.1, 0.3, x, ".632"),
    "weights of rounds": lambda x: stats.leave_one_out_error([[0.1, 0.2]], [x, 1.0]),
    "number of models": lambda x: stats.critical_difference(x, 9),
    "number of data sets": lambda x: stats.mcnemar_power(None, 0.1, x, 0.05, 0.8),
    "n of a power": lambda x: stats.mcnemar_power(0.02, 0.08, x),
    "n of a t": lambda x: stats.t_power(0.02, 0.08, x),
    "sd of a t": lambda x: stats.t_power(0.02, x, 9),
    "ratio of a t": lambda x: stats.t_power(0.02, 0.1, 9, test_train_ratio=x),
    "target": lambda x: stats.mcnemar_power(0.02, 0.08, None, target=x),
    "family": lambda x: stats.corrected_alpha(0.05, x),
    "family of intervals": lambda x: stats.simultaneous_level("holm", 0.95, x),
    "ratio": lambda x: stats.corrected_t(FIRST, SECOND, test_train_ratio=x),
    "fold sizes": lambda x: stats.corrected_t(FIRST, SECOND, [x] * 4, [x] * 4),
    "pair": lambda x: stats.nemenyi(np.ones((3, 3)), pair=(0, x), better="higher"),
    "pair of columns": lambda x: stats.westfall([0.1], [[1, 0]], [(0, x)]),
    "count of a pattern": lambda x: stats.count_patterns([[1, 0]], [x]),
    "counts of classes": lambda x: stats.takahashi([[x, 1], [2, 3]], "macro", None, 0.95),
}


@for_each("name", NOT_FINITE)
@for_each("value", [NAN, INF])
def test_what_has_to_be_finite_is_refused_in_a_sentence_and_never_nan(name, value):
    with pytest.raises(ValueError, match=r"^[a-z0-9`].*[^.]$") as refused:
        NOT_FINITE[name](value)
    for foreign in ("NaN to integer", "could not convert", "unpack", "infinity"):
        assert foreign not in str(refused.value)


def test_counts_that_are_no_longer_exact_are_refused():
    with pytest.raises(ValueError, match="2\\^53"):
        stats.mcnemar([[1e300, 5], [3, 1e300]])
    with pytest.raises(ValueError, match="2\\^53"):
        stats.jeffreys(10**30, 10**31, 0.95)
    assert 0 < stats.wilson(10**14, 10**15, 0.95).low < 0.1


def test_a_root_of_a_mean_takes_no_negative_losses():
    with pytest.raises(ValueError, match="losses of 0 or more"):
        stats.LossSample([-1.0, 2.0], transform="sqrt")
    with pytest.raises(ValueError, match="losses of 0 or more"):
        stats.weighted_loss_sample([-1.0, 2.0], [1, 1], transform="sqrt")


def test_effect_sizes_of_nothing_are_none():
    assert stats.eta_squared_q(2.0, 0, 3).value is None
    assert stats.eta_squared_q(2.0, 10, 1).value is None
    assert stats.cohen_dz(INF, 1.0).value is None
    assert stats.hedges_g(0.1, 0.2, INF).value is None


@for_each("difference", [0.05, 0.2, 0.5, 5.0])
@for_each("n", [2, 3, 9, 100])
def test_the_power_of_a_large_difference_is_a_number(n, difference):
    # scipy 1.17.1 special.nctdtr(8, 15, -2.3) is NaN, and so was the power of t; here the two
    # tails by adaptive quadrature over the chi distribution of S
    found = stats.t_power(difference, 0.1, n).power
    df, shift = n - 1, difference / 0.1 * math.sqrt(n)
    bound = scipy_special.stdtrit(df, 0.975)

    def density(s):
        constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
        return math.exp(constant + scipy_special.xlogy(df - 1, s) - df * s * s / 2)

    def tails(s):
        both = scipy_special.ndtr(shift - bound * s) + scipy_special.ndtr(-shift - bound * s)
        return density(s) * both

    ends = sorted({0.0, *(min(max((shift + z) / bound, 0.0), 12.0) for z in (-8, 0, 8)), 1.0, 12.0})
    parts = itertools.pairwise(ends)
    expected = sum(integrate.quad(tails, *part, epsabs=1e-13, epsrel=1e-12)[0] for part in parts)
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("test", [stats.wilcoxon, stats.sign])
def test_data_sets_in_units_of_their_own_do_not_drown_in_the_largest(test):
    # Squared errors of prices beside those of shares: .05 is far below 1e-12 of 1e13, and was 0
    first = [1e13, 0.10, 0.20, 0.30, 0.25, 0.40]
    second = [0.9e13, 0.05, 0.10, 0.10, 0.05, 0.10]
    # All six differences have one sign: 2 / 2^6
    assert test(first, second).p == pytest.approx(2 / 2**6, rel=1e-12)


def test_signed_ranks_in_units_of_their_own_are_those_of_scipy():
    first = [1e13, 0.05, 0.20, 0.30, 0.26, 0.40]
    second = [0.9e13, 0.10, 0.10, 0.10, 0.05, 0.10]
    expected = scipy_stats.wilcoxon(np.subtract(first, second)).pvalue
    assert stats.wilcoxon(first, second).p == pytest.approx(expected, rel=1e-12)


def test_the_posterior_over_data_sets_in_units_of_their_own_knows_the_small_ones():
    first, second = [1e13, 0.05, 0.1, 0.2, 0.2, 0.3], [0.9e13, 0.1, 0.2, 0.4, 0.4, 0.6]
    # The second has the larger values on five of six data sets; Monte Carlo error .002 each
    theirs = baycomp.SignedRankTest.probs(
        np.array(first), np.array(second), rope=0, nsamples=50_000, random_state=1
    )
    found = stats.bayes_signed_rank(first, second, bounded=False, rope=0.0, better="higher")
    assert found.extra["p_first"] == pytest.approx(theirs[0], abs=0.01)
    assert found.extra["p_second"] == pytest.approx(theirs[-1], abs=0.01)
