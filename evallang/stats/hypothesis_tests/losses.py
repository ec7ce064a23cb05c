"""Tests of losses per example: t, Diebold-Mariano, and Wilcoxon's, on data sets too."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
import scipy
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import DATASET_SCORES, LOSSES_PER_ROW
from evallang.registry import Bounds, Example, Situation
from evallang.results.statistics import (
    Clusters,
    Difference,
    Effect,
    HypothesisTestResult,
    Statistic,
    Summary,
)
from evallang.stats.basics import (
    Alternative,
    checked_level,
    labels,
    normal_p,
    one_sided,
    p_of_equal_signs,
    subtractable,
)
from evallang.stats.clusters import degrees_of_mean, design_effect, variance_of_mean
from evallang.stats.effect_sizes.effect_size import cohen_dz, effect, effects_over_data, hedges_g
from evallang.stats.fold_scores import NOISE, aligned, differences, spread_is_noise, t_result
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    Estimand,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.swapping import flip_chances
from evallang.stats.intervals.series import (
    autocovariances,
    default_lag,
    dependence_beyond,
    standard_error,
    strong_dependence,
)
from evallang.stats.power import by_value
from evallang.stats.power_of_metrics import POWER_OF_SERIES, POWER_OF_T
from evallang.stats.power_of_pairs import over_data, signed_ranks
from evallang.stats.rank_scores import Better, checked_direction, mid_ranks
from evallang.stats.strata import Strata, stratified_mean
from evallang.stats.validity import OF_SKEWED_LOSSES, OF_TRUE, Counted, Holds

NULL = "the two {models} have the same mean {loss}"
SAME_FORECASTS = "the two forecasts have the same expected loss"
NULL_UNDER_CV = (
    "the average {loss} over these folds is the same for both learning algorithms; the conclusion "
    "does not extend to new training sets"
)
SLEEP_FIRST = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SLEEP_SECOND = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
SLEEP = "R 4.2.2, t.test(extra ~ group, sleep, paired = TRUE), Student's sleep data"
OWN = "own derivation: computed by hand"


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({LOSSES_PER_ROW}),
        NULL,
        intervals={
            "paired_t": "t interval of the paired differences",
            "clustered_t": "Clustered t interval",
        },
        averaged=2,
        default_for=frozenset({"losses"}),
        jointly="studentized",
        null_under_cv=NULL_UNDER_CV,
        tests="losses",
        over_folds="corrected_t",
        clustered=True,
        power=POWER_OF_T,
        holds=(
            *OF_SKEWED_LOSSES,
            Holds(
                Counted.EXAMPLES,
                100,
                f"the test rejected 7 to 21% {OF_TRUE} where the errors of one model are skewed",
            ),
        ),
        when=(
            "two models have losses on the same examples, which are independent or come in "
            "independent groups; or examples have shares of right answers over several runs"
        ),
        when_not=(
            "examples are ordered in time: diebold_mariano; the scores are those of folds: "
            "corrected_t; a few examples dominate the mean: permutation"
        ),
        formula=(
            "the mean difference of the losses, divided by its standard error from the "
            "differences themselves; referred to t with n - 1 degrees of freedom. Averaged over "
            "data sets, with the stratified standard error and Satterthwaite's degrees of freedom"
        ),
        differs={
            "scipy": (
                "ttest_rel is the same without groups; it gives NaN where no difference "
                "differs from 0, and here p is 1 with a note"
            ),
            "Inspect AI": (
                "its clustered standard error has the factor G/(G - 1) whatever the sizes of "
                "groups; here CR2 allows for unlike sizes, and is the same for groups of one size"
            ),
        },
    ),
    title="Paired t test",
    references=(
        cite("student1908"),
        cite("cameron2015", "groups"),
        cite("bell2002", "groups"),
        cite("cochran1977", "stratified"),
    ),
    examples=(
        Example(
            (SLEEP_FIRST, SLEEP_SECOND, None, 0.95),
            {
                "statistic.value": -4.0621,
                "df.0": 9,
                "p": 0.002833,
                "estimate.low": -2.4598858,
                "estimate.high": -0.7001142,
            },
            SLEEP,
            5e-5,
        ),
        Example(
            # groups of two: sums of 1 and 5 about the mean 1.5, that is -2 and 2
            ((0.0, 1.0, 2.0, 3.0), (0.0,) * 4, (0, 0, 1, 1), 0.95),
            {"statistic.value": 1.5, "df.0": 1},
            f"{OWN}, 1.5 / sqrt(2 (4 + 4) / 16)",
        ),
    ),
)
def t(
    first: ArrayLike,
    second: ArrayLike,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    strata: Strata | None = None,
    *,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare the mean losses of two models on the same examples.

    With groups the standard error
    is the cluster-robust one, from the sums of each group, and t has Satterthwaite's degrees of
    freedom (CR2: Bell & McCaffrey 2002): with groups of one size the factor is G/(G - 1) and
    t has G - 1, with a few large groups it has fewer. `alternative=greater` asks only whether
    the first has the larger loss. With `strata` the means of the data sets are averaged, and the
    standard error is the stratified one. `first`, `second` and `groups` are (n,). Raises
    `ValueError` where their shapes differ, or a data set has a single example.
    """
    checked_level(level)
    x, y = _losses(first, second)
    form, method = ("paired", "paired_t") if groups is None else ("clustered", "clustered_t")
    if strata is not None:
        form, method = "stratified", "stratified_t"
    plain = _plain("t", form, NULL, method, level, _lacking(x, y))
    if plain.notes:
        return plain
    d, constant = differences(x, y)
    if strata is not None:
        found = stratified_mean(d, strata, groups)
        plain = replace(plain, clusters=found.clusters)
        return _with_error(plain, found.mean, found.error, found.df, alternative)
    n = len(d)
    mean = _mean_of(d)
    sd = 0.0 if constant else float(d.std(ddof=1))
    if groups is None:
        effects = cohen_dz(mean, sd), hedges_g(mean, sd, n - 1)
        plain = replace(plain, effects=effects)
        return _with_error(plain, mean, sd / math.sqrt(n), n - 1, alternative)
    codes = labels(groups, n, "group")
    count = int(codes.max()) + 1
    if count < 2:
        return replace(plain, notes=("undefined: it takes two groups",))
    error = 0.0 if constant else math.sqrt(variance_of_mean(d, codes))
    plain = replace(plain, clusters=Clusters(count, design_effect(d, codes)))
    return _with_error(plain, mean, error, degrees_of_mean(codes), alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({LOSSES_PER_ROW}),
        SAME_FORECASTS,
        series=(),
        longer="write `diebold_mariano(newey_west)`, or `horizon=H` if the forecasts are H steps "
        "ahead",
        tests="losses",
        power=POWER_OF_SERIES,
        holds=(Holds(Counted.MOMENTS, 15, f"the test rejected 7 to 24% {OF_TRUE}"),),
        when="two forecasts of one series have losses in the order of time",
        when_not="examples are independent: t or permutation",
        differs={
            "statsmodels": "its default takes more lags than horizon - 1, and Bartlett weights; "
            "with newey_west and the same lag the variance is that of cov_type='HAC' before it is "
            "divided by 1 - (lag + 1)/n, and t replaces the normal distribution",
        },
        formula=(
            "the mean difference of the losses, divided by the root of its variance in which "
            "neighbours up to horizon - 1 steps apart may be correlated, shrunk for short "
            "series; referred to t with n - 1 degrees of freedom. With newey_west, neighbours up "
            "to a stated lag are correlated, with weights that fall, and t has the degrees of "
            "freedom that these leave"
        ),
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model tree = DecisionTreeRegressor(max_depth=2)\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol time_series folds=5\n"
            "measure mae\n"
            "compare linear vs tree with diebold_mariano\n"
        ),
        first_for={Situation.TIME: 1},
        default_for=frozenset({"series"}),
        as_default=(("variance", "newey_west"),),
    ),
    title="Diebold–Mariano test",
    references=(
        cite("diebold1995"),
        cite("harvey1997"),
        cite("newey1987", "newey_west"),
        cite("lazarus2018", "newey_west"),
    ),
    examples=(
        Example(
            # d - mean is -1, 0, 1, 0: autocovariances 2/4 and 0, so that V = .5/4
            ((0.0, 1.0, 2.0, 1.0), (0.0,) * 4, 0.95),
            {"statistic.value": math.sqrt(3 / 4) / math.sqrt(0.5 / 4), "df.0": 3},
            f"{OWN}, sqrt((4 - 1)/4) times 1 / sqrt(1/8)",
        ),
        Example(
            ((0.0, 1.0, 2.0, 1.0), (0.0,) * 4, 0.95),
            {"statistic.value": math.sqrt((5 - 4 + 2 / 4) / 4) / math.sqrt(0.5 / 4)},
            f"{OWN}, sqrt((4 + 1 - 4 + 2/4)/4) times 1 / sqrt(1/8)",
            options={"horizon": 2},
        ),
        Example(
            # Bartlett's weights 1 and 1/2, the second autocovariance 0; 1 - 2/4 is left
            ((0.0, 1.0, 2.0, 1.0), (0.0,) * 4, 0.95),
            {"statistic.value": 1 / math.sqrt(0.5 / 4 / 0.5), "df.0": 8 / 3},
            f"{OWN}, 1 / sqrt(1/8 / (1 - 2/4)) and 4 / (1 + 2 (1/2)^2)",
            options={"variance": "newey_west", "lag": 1},
        ),
    ),
)
def diebold_mariano(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    horizon: Annotated[int, Bounds(least=1)] = 1,
    variance: Literal["harvey", "newey_west"] = "harvey",
    lag: Annotated[int | None, Bounds(least=0)] = None,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare two forecasts of a series by their losses, allowing for dependence in time.

    The mean loss difference over the root of (c0 + 2 c1 + ... + 2 c(h - 1)) / n, with
    autocovariances c of divisor n up to lag `horizon` - 1 (Diebold & Mariano 1995), times
    sqrt((n + 1 - 2h + h(h - 1)/n) / n), with n - 1 degrees of freedom (Harvey, Leybourne &
    Newbold 1997). Where that sum is not positive, lags get Bartlett's weights, with a note.
    `newey_west` takes the variance of the interval `newey_west` instead, for losses that are
    correlated beyond the horizon: Bartlett's weights up to `lag`, by default that of the
    interval and at least `horizon` - 1, with the degrees of freedom of these weights (Lazarus
    et al. 2018). A written `lag` asks for it too. `alternative=greater` asks only whether the
    first has the larger loss. `first` and `second` are losses (n,) in the order of time; a note
    tells where they are correlated beyond the horizon. Raises `ValueError` where `horizon` is
    below 1, or `lag` below `horizon` - 1.
    """
    checked_level(level)
    if lag is not None and lag < horizon - 1:
        raise ValueError("the lag is at least the horizon less 1")
    x, y = _losses(first, second)
    if variance == "newey_west" or lag is not None:
        return _with_all_lags(x, y, level, horizon, lag, alternative)
    notes = _lacking(x, y)
    if not notes and horizon >= len(x):
        notes = (f"undefined: {len(x)} losses are too few for horizon {horizon}",)
    test = "diebold_mariano"
    plain = _plain(test, f"horizon {horizon}", SAME_FORECASTS, test, level, notes)
    if notes:
        return plain
    d, constant = differences(x, y)
    n = len(d)
    total = 0.0 if constant else _long_run(d, horizon, bartlett=False)
    # An exact 0 may come out as a rest of rounding on either side
    if not constant and total <= 1e-12 * float(d.var()):
        total = _long_run(d, horizon, bartlett=True)
        notes = ("the estimated variance is not positive: lags get Bartlett's weights",)
    beyond = dependence_beyond(d, horizon)
    if beyond is not None:
        notes = (*notes, beyond.note)
    factor = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    error = math.sqrt(max(total, 0.0) / n / factor)
    extra = {} if beyond is None else beyond.facts
    plain = replace(plain, extra=extra, notes=notes)
    return _with_error(plain, _mean_of(d), error, n - 1, alternative)


def _with_all_lags(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    level: float,
    horizon: int,
    lag: int | None,
    alternative: Alternative,
) -> HypothesisTestResult:
    """Return the test with Newey and West's variance and the degrees of freedom it leaves."""
    n = len(x)
    chosen = max(default_lag(n), horizon - 1) if lag is None else lag
    notes = _lacking(x, y)
    if not notes and chosen + 2 > n:
        notes = (f"undefined: {n} losses are too few for a lag of {chosen}",)
    # The interval is that of the mean of the differences
    given = SAME_FORECASTS, f"newey_west(lag={chosen})", level, notes
    plain = _plain("diebold_mariano", f"Newey–West, lag {chosen}", *given)
    if notes:
        return plain
    d, constant = differences(x, y)
    error, df = (0.0, float(n - 1)) if constant else standard_error(d, chosen)
    note = None if constant else strong_dependence(d, chosen)
    plain = replace(plain, notes=() if note is None else (note,))
    return _with_error(plain, _mean_of(d), error, df, alternative)


def _long_run(d: NDArray[np.float64], horizon: int, *, bartlett: bool) -> float:
    """Return the long-run variance of a series from its autocovariances below `horizon`."""
    covariances = autocovariances(d, horizon - 1)
    weights = 1 - np.arange(horizon) / horizon if bartlett else np.ones(horizon)
    return 2 * float(covariances @ weights) - float(covariances[0])


def _losses(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = aligned(first, second)
    if x.ndim != 1:
        raise ValueError("losses are given as one row for each model")
    return x, y


def _lacking(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[str, ...]:
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return ("undefined: a loss is missing or not finite",)
    return ("undefined: it takes losses on two examples",) if len(x) < 2 else ()


def _mean_of(d: NDArray[np.float64]) -> float:
    mean = float(d.mean())
    return 0.0 if spread_is_noise(mean, float(np.abs(d).max())) else mean


def _with_error(
    plain: HypothesisTestResult, mean: float, error: float, df: float, alternative: Alternative
) -> HypothesisTestResult:
    """Return the t test of a mean difference with its standard error."""
    plain = replace(plain, extra={"standard_error": error, **plain.extra})
    return t_result(plain, mean, error, df, alternative)


def _plain(
    test: str, variant: str, null: str, method: str, level: float, notes: tuple[str, ...]
) -> HypothesisTestResult:
    """Return the result that is undefined for the reasons in the notes, or yet to be filled in."""
    return HypothesisTestResult(
        test=test,
        variant=variant,
        null=null,
        statistic=Statistic("t", None),
        estimate=Difference(Summary.DIFFERENCE, None, None, None, level, method),
        notes=notes,
    )


NULL_OF_RANKS = "the differences between the two {models} are distributed symmetrically around 0"
EXACT_UP_TO = 500  # differences other than 0; about a tenth of a second
WALSH_UP_TO = 1000  # half a million averages
EFFECTS_UP_TO = 200  # pairs whose effect sizes are resampled; a tenth of a second

# Hollander & Wolfe 1973, the depression data of R's wilcox.test
FACTOR_FIRST = (1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
FACTOR_SECOND = (0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)


WILCOXON_VARIANTS = {
    f"{p}, zeros={zeros}": f"{p_words}, {zero_words}"
    for p, p_words in (("exact", "exact"), ("normal", "normal approximation"))
    for zeros, zero_words in (
        ("drop", "zero differences dropped"),
        ("pratt", "zero differences ranked and then dropped"),
        ("split", "ranks of zero differences split between the models"),
    )
}
"""Printed words of the forms of the signed-rank test."""


def p_of_draws(differences: NDArray[np.float64], alternative: Alternative) -> NDArray[np.float64]:
    """Return the exact p of samples of differences (rounds, n) without zeros and ties."""
    n = differences.shape[1]
    ranks = np.abs(differences).argsort(axis=1).argsort(axis=1) + 1
    total, every = n * (n + 1) // 2, np.arange(1.0, n + 1)
    plus = (ranks * (differences > 0)).sum(axis=1)
    return by_value(plus, lambda w: _exact_p(every, w, total - w, alternative))


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({LOSSES_PER_ROW, DATASET_SCORES}),
        NULL_OF_RANKS,
        variants=WILCOXON_VARIANTS,
        p_by="method",
        p_chosen=frozenset({"auto"}),
        least_p=p_of_equal_signs,
        estimand=Estimand("ranks the differences of the examples"),
        tests="losses",
        power=over_data(signed_ranks(p_of_draws)),
        holds="exact where few differ",
        when=(
            "two models are compared over several data sets, or have losses per example with "
            "heavy tails"
        ),
        when_not=(
            "the question is about the mean loss: t or permutation; the scores are those of "
            "folds: corrected_t"
        ),
        differs={
            "Demsar 2006": "his z takes the variance N (N + 1)(2 N + 1) / 24, which counts the "
            "shared ranks of the zeros as random and ignores ties; here zeros=split takes the "
            "variance of the ranks whose sign can vary. On his two C4.5 columns z is -2.542 by "
            "his formula and -2.549 here, the exact p .0078",
            "autorank": "it tests in the direction that the data show, so that its 5 % are 8 to "
            "10 %; here both tails count",
            "scipy": "its default drops to the normal approximation where some of more than 13 "
            "differences tie or are 0; here the exact distribution of the mid-ranks is taken",
        },
        formula=(
            "rank the absolute differences and add the ranks of the positive ones; p is the "
            "chance that fair coin flips of the signs give a sum as far from its mean"
        ),
    ),
    title="Wilcoxon signed-rank test",
    references=(
        cite("wilcoxon1945"),
        cite("pratt1959", "zeros=pratt"),
        cite("demsar2006", "zeros=split"),
        cite("hodgeslehmann1963"),
    ),
    examples=(
        Example(
            (FACTOR_FIRST, FACTOR_SECOND, "higher", 0.95),
            {"extra.w_plus": 40, "p": 0.0390625},
            "R 4.2.2, wilcox.test(x, y, paired = TRUE) on the depression data of its help page",
        ),
    ),
)
def wilcoxon(
    first: ArrayLike,
    second: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    zeros: Literal["drop", "pratt", "split"] = "drop",
    method: Literal["auto", "exact", "normal"] = "auto",
    missing: Literal["leave_out", "worst"] = "leave_out",
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare two models by the signed ranks of their differences.

    Differences of 0 are omitted (`drop`, Wilcoxon 1945), ranked and then omitted (`pratt`,
    1959), or ranked and shared by both sides (`split`; of an odd number one is omitted, Demšar
    2006). Equal sizes get mid-ranks; `auto` takes the exact distribution of their signs up to
    500 differences, else the normal one with the variance of the mid-ranks.
    `alternative=greater` asks only whether the first has the larger values. It is about ranks,
    not about the mean: the estimate is the pseudo-median, the median of the means of all pairs
    of differences (Hodges & Lehmann 1963), with the interval of values that the test does not
    reject; beyond 1,000 differences it is their mean without an interval. Effect sizes have
    bootstrap intervals up to 200 pairs. A missing value (NaN) leaves its pair out, or with
    `missing=worst` is worse than any other. `better` is the metric's direction. `first` and
    `second` are (n,). Raises `ValueError` where their shapes differ.
    """
    checked_level(level)
    if better is not None or missing == "worst":
        checked_direction(better)
    x, y = aligned(first, second, subtractable)
    if x.ndim != 1:
        raise ValueError("a signed-rank test takes one row of values for each model")
    x, y, outright, notes = _present(x, y, better, missing)
    if len(x) + len(outright) == 0 or np.isinf(x).any() or np.isinf(y).any():
        reason = "a value is infinite" if len(x) else "no values"
        return _undefined(level, (*notes, f"undefined: {reason}"))
    present, _ = differences(x, y)
    beyond = 2 * float(np.abs(present).max(initial=0.0)) + 1
    d = np.concatenate([present, beyond * outright])
    noise = NOISE * np.concatenate([np.maximum(np.abs(x), np.abs(y)), np.zeros(len(outright))])
    ranks, left_out = _signed_ranks(d, noise, zeros)
    plus, minus = float(ranks[ranks > 0].sum()), float(-ranks[ranks < 0].sum())
    exact = method == "exact" or (method == "auto" and len(ranks) <= EXACT_UP_TO)
    if len(ranks) == 0:
        p, notes = 1.0, (*notes, "all differences are 0")
    elif exact:
        p = _exact_p(np.abs(ranks), plus, minus, alternative)
    else:
        p = normal_p((plus - minus) / math.sqrt(float((ranks**2).sum())), alternative)
    shared = _shared(d, zeros)
    extra: dict[str, float | int | None] = {
        "w_plus": plus + shared,
        "w_minus": minus + shared,
        "n_zero": left_out,
    }
    if len(present):
        extra["mean_difference"] = float(present.mean())
    if 0 < len(present) <= EFFECTS_UP_TO:
        effects = effects_over_data(first, second, level, seed)
    else:
        effects = (_rank_biserial(plus, minus),)
    estimate = _location(present, level, bounded=len(outright) == 0)
    if estimate.low is None and len(present) <= WALSH_UP_TO:
        verb = " is" if len(present) == 1 else "s are"
        why = (
            "a pair without a value has no difference"
            if len(outright)
            else f"{len(present)} difference{verb} too few to bound it"
        )
        notes = (*notes, f"no {100 * level:g}% interval: {why}")
    result = HypothesisTestResult(
        test="wilcoxon",
        variant=("exact" if exact else "normal") + f", zeros={zeros}",
        null=NULL_OF_RANKS,
        statistic=Statistic("T", min(plus, minus) + shared),
        p=p,
        estimate=estimate,
        effects=effects,
        extra=extra,
        notes=notes,
    )
    return one_sided(result, alternative)


def _rank_biserial(plus: float, minus: float) -> Effect:
    """Return the rank sum above 0 minus that below 0, as a share of both (Kerby 2014)."""
    total = plus + minus
    return effect("rank-biserial correlation", (plus - minus) / total if total else None)


def _signed_ranks(
    d: NDArray[np.float64], noise: NDArray[np.float64], zeros: str
) -> tuple[NDArray[np.float64], int]:
    """Return the signed mid-ranks of the differences other than 0, and the number of zeros.

    `noise` (n,) is the rounding noise of each difference.
    """
    lost = int((d == 0).sum())
    shared = 0 if zeros == "drop" else lost - lost % 2 if zeros == "split" else lost
    kept = np.concatenate([d[d != 0], np.zeros(shared)])
    ranks = mid_ranks(np.abs(kept), np.append(noise[d != 0], np.zeros(shared))) * np.sign(kept)
    return ranks[kept != 0], lost


def _shared(d: NDArray[np.float64], zeros: str) -> float:
    """Return the ranks of the zeros that each side gets: half of 1 + 2 + ... + Z."""
    if zeros != "split":
        return 0.0
    count = int((d == 0).sum())
    count -= count % 2
    return count * (count + 1) / 4


def _exact_p(
    ranks: NDArray[np.float64], plus: float, minus: float, alternative: Alternative
) -> float:
    """Return the tail of W when every rank has either sign with probability one half."""
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))  # mid-ranks are whole or half numbers
    unit = 1 if (doubled % 2).any() else 2
    chances = flip_chances(tuple((doubled // unit).tolist()))
    if alternative == "two_sided":
        return min(2 * float(chances[round(2 * max(plus, minus)) // unit :].sum()), 1.0)
    reached = plus if alternative == "greater" else minus
    return min(float(chances[round(2 * reached) // unit :].sum()), 1.0)


def _location(d: NDArray[np.float64], level: float, *, bounded: bool) -> Difference:
    """Return the median of the Walsh averages, with the bounds that the test does not reject."""
    n = len(d)
    if n == 0:
        return Difference(Summary.DIFFERENCE, None, None, None, level, "none")
    if n > WALSH_UP_TO:
        return Difference(Summary.DIFFERENCE, float(d.mean()), None, None, level, "none")
    upper = np.triu_indices(n)
    walsh = np.sort((d[upper[0]] + d[upper[1]]) / 2)
    tail = _lower_tail(n, (1 - level) / 2)
    middle, name = float(np.median(walsh)), Summary.PSEUDO_MEDIAN
    if tail == 0 or not bounded:
        return Difference(name, middle, None, None, level, "none")
    low, high = float(walsh[tail - 1]), float(walsh[len(walsh) - tail])
    return Difference(name, middle, low, high, level, "wilcoxon")


def _lower_tail(n: int, area: float) -> int:
    """Return how many values of W, from 0 on, have a probability of at most `area` together."""
    if n > EXACT_UP_TO:
        mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(math.floor(mean + float(scipy.special.ndtri(area)) * sd), 0)
    chances = flip_chances(tuple(range(1, n + 1)))
    return int((np.cumsum(chances) <= area).sum())


def _present(
    x: NDArray[np.float64], y: NDArray[np.float64], better: Better | None, missing: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Leave out missing values; with `worst`, give the signs of the pairs that lack one.

    A missing value is worse than any other; two that are missing tie.
    """
    no_x, no_y = np.isnan(x), np.isnan(y)
    lacking = no_x | no_y
    lost, kept = int(lacking.sum()), ~lacking
    if not lost:
        return x, y, np.zeros(0), ()
    if missing == "leave_out":
        note = f"{lost} of {len(x)} pairs lack a value and are excluded"
        return x[kept], y[kept], np.zeros(0), (note,)
    favour = no_y[lacking].astype(np.float64) - no_x[lacking]
    sign = -1.0 if better == "lower" else 1.0
    return x[kept], y[kept], sign * favour, (f"{lost} pairs lack a value, which counts as worst",)


def _undefined(level: float, notes: tuple[str, ...]) -> HypothesisTestResult:
    return HypothesisTestResult(
        test="wilcoxon",
        variant="exact",
        null=NULL_OF_RANKS,
        statistic=Statistic("T", None),
        estimate=Difference(Summary.DIFFERENCE, None, None, None, level, "none"),
        notes=notes,
    )
