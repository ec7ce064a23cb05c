"""Tests on right and wrong of models on the same examples, of groups of them too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, ONE_PREDICTION_PER_ROW, SHARES
from evallang.registry import Example, Situation
from evallang.results.statistics import (
    Clusters,
    Difference,
    HypothesisTestResult,
    Interval,
    Statistic,
    Summary,
)
from evallang.stats.basics import (
    MOST_COUNTED,
    Alternative,
    checked_level,
    chi2_tail,
    f_tail,
    halved,
    labels,
    normal_p,
    normal_quantile,
    numbers,
    one_sided,
)
from evallang.stats.clusters import (
    FEW_GROUPS,
    clustered_difference,
    group_totals,
    refers_to_chi2,
)
from evallang.stats.correctness import (
    EXACT_BELOW,
    LESS,
    Correctness,
    Share,
    Shares,
    Table,
    as_boolean,
    checked_share,
    count_correct,
    p_of_pairs,
)
from evallang.stats.effect_sizes.effect_size import (
    chance_corrected_r,
    cohen_g,
    eta_squared_q,
    odds_ratio,
)
from evallang.stats.hypothesis_tests.datasets import (
    MOST_STEPS,
    exact_rank_p,
    share_from,
    squared_totals,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.resampling_tests import EQUAL, EQUAL_UNDER_CV
from evallang.stats.hypothesis_tests.swapping import flip_groups
from evallang.stats.intervals.differences import (
    CHAPTER_8,
    PAIRED_INTERVALS,
    TwoByTwo,
    newcombe_independent,
    of_accuracies,
    paired_counts,
)
from evallang.stats.power_of_pairs import POWER_OF_MCNEMAR

FEW_STEPS = 200_000  # sums formed before permutations are drawn; half a second

AT_ONCE = 1 << 20  # numbers held at once
ROUNDS = 10_000


def clustered_mcnemar(
    plain: HypothesisTestResult,
    correct: ArrayLike,
    groups: ArrayLike,
    level: float,
    seed: int,
    method: str,
    alternative: Alternative,
) -> HypothesisTestResult:
    """Turn the result of McNemar's test into that of its clustered form.

    With d_g the sum of b - c within group g: (Σ d_g)² / Σ d_g², chi-squared with one degree
    of freedom (the modified test of Obuchowski: Yang, Sun & Hardin 2010). With `exact`, or
    fewer than 30 groups that tell the models apart, whole groups swap the models instead.
    """
    matrix = as_boolean(correct)
    if matrix.shape[1] != 2:
        raise ValueError("McNemar's test takes right and wrong of two models")
    first, second = matrix[:, 0], matrix[:, 1]
    difference = first.astype(np.int8) - second  # a byte each: rows may be millions
    codes = labels(groups, len(matrix), "group")
    totals = group_totals(difference, codes)
    squares, telling = float((totals**2).sum()), int((totals != 0).sum())
    chi2 = float(totals.sum()) ** 2 / squares if squares else None
    p_chi2 = 1.0
    if squares:
        p_chi2 = normal_p(float(totals.sum()) / math.sqrt(squares), alternative)
    flipped = flip_groups(totals, seed, alternative=alternative)
    by_chi2 = refers_to_chi2(method, telling)
    estimate, clusters = clustered_difference(first, second, codes, level)
    notes: tuple[str, ...] = ()
    if telling == 0:
        notes = ("no group has more examples that one model answers rightly than the other",)
    elif by_chi2 and telling < FEW_GROUPS:
        notes = (f"only {telling} groups tell the models apart, few for the chi-squared form",)
    return replace(
        plain,
        variant="clustered chi2" if by_chi2 else f"group sign-flip, {flipped.variant}",
        statistic=Statistic("chi2", chi2) if by_chi2 else None,
        df=(1.0,) if by_chi2 else None,
        p=p_chi2 if by_chi2 else flipped.p,
        estimate=replace(estimate, name=Summary.OF_ACCURACIES),
        # Their intervals would count examples as independent
        effects=tuple(replace(effect, low=None, high=None) for effect in plain.effects),
        clusters=Clusters(clusters.n, _spread_over_groups(squares, difference)),
        extra={
            "chi2": chi2,
            "p_chi2": p_chi2,
            "p_sign_flip": flipped.p,
            "mc_se": flipped.mc_se,
            "p_smallest": flipped.smallest,
            "telling_groups": telling,
        },
        notes=notes,
    )


def clustered_cochran(
    plain: HypothesisTestResult,
    correct: ArrayLike,
    groups: ArrayLike,
    seed: int,
    method: str,
) -> HypothesisTestResult:
    """Turn the result of Cochran's test into that of its clustered form.

    The models' totals of right answers in each group take the place of examples: Q =
    (M - 1) Σ (T_j - mean)² / Σ (t_gj - mean of g)². `exact`, and fewer than 30 groups
    that tell models apart, permute the models once per group; else Q is chi-squared with
    M - 1 degrees of freedom. With two models it is the clustered form of McNemar's test.
    """
    matrix = as_boolean(correct)
    codes = labels(groups, len(matrix), "group")
    models = matrix.shape[1]
    totals = group_totals(matrix.astype(np.float64), codes)
    # Times M, so that deviations from the mean of a group are whole numbers
    centred = np.rint(models * totals - totals.sum(axis=1, keepdims=True)).astype(np.int64)
    centred = centred[(centred != 0).any(axis=1)]
    within = int((centred**2).sum())
    between = int((centred.sum(axis=0) ** 2).sum())
    count = int(codes.max(initial=-1)) + 1
    q = (models - 1) * between / within if within else None
    notes: tuple[str, ...] = ()
    p, variant, error = 1.0, "clustered chi2", None
    if q is None:
        notes = ("no group tells the models apart",)
    elif refers_to_chi2(method, len(centred)):
        p = chi2_tail(q, models - 1)
    else:
        p, variant, error = _permuted(centred, between, seed)
    rows = models * matrix.astype(np.float64) - matrix.sum(axis=1, keepdims=True)
    return replace(
        plain,
        variant=variant,
        statistic=Statistic("Q", q),
        df=(float(models - 1),) if variant == "clustered chi2" else None,
        p=p,
        clusters=Clusters(count, _spread_over_groups(float(within), rows)),
        extra={**plain.extra, "telling_groups": len(centred), "mc_se": error},
        notes=notes,
    )


def _permuted(rows: NDArray[np.int64], observed: int, seed: int) -> tuple[float, str, float | None]:
    """Permute the models once per group: all ways, or `ROUNDS` random ones."""
    exact = exact_rank_p(rows, FEW_STEPS)
    if exact is not None:
        return exact, "group permutation, exact", None
    rng = np.random.default_rng(seed)
    exceeding = 0
    batch = max(1, AT_ONCE // rows.size)
    for start in range(0, ROUNDS, batch):
        size = min(batch, ROUNDS - start)
        shuffled = rng.permuted(np.broadcast_to(rows, (size, *rows.shape)), axis=2)
        exceeding += int(((shuffled.sum(axis=1) ** 2).sum(axis=1) >= observed).sum())
    p = (1 + exceeding) / (1 + ROUNDS)
    return p, "group permutation, Monte Carlo", math.sqrt(p * (1 - p) / ROUNDS)


def _spread_over_groups(over_groups: float, rows: NDArray[Any]) -> float | None:
    """Return the design effect under the null: squares of group totals over those of rows."""
    over_rows = float((rows**2).sum())
    return over_groups / over_rows if over_rows else None


FROM_ROWS = frozenset({ONE_PREDICTION_PER_ROW, COUNTS})
FORMS = ("exact", "midp", "chi2", "corrected")

PAIR_NULL = "the two {models} have the same {accuracy}"

PAIR_NULL_UNDER_CV = (
    "the average {accuracy} over these folds is the same for both learning algorithms; the "
    "conclusion does not extend to new training sets"
)

RASCHKA_A = ((9959, 11), (1, 29))
RASCHKA_B = ((9945, 25), (15, 15))
RASCHKA_FIGURE_20 = "Raschka 2018, figure 20 and section 4.3"
CAVO_2012 = ((59, 6), (16, 80))
# Glands on which just one of two scans is right, by patient: b - c is -2 twice, -1 three times
# and 1 once, which gives the published 4.5 without groups and 2.86 with them
THYROID_ROWS = ((0, 1),) * 7 + ((1, 0),) + ((1, 1),) * 15
THYROID_PATIENTS = (0, 0, 1, 1, 2, 3, 4, 5, *range(6, 21))
THYROIDS = ((15, 1), (7, 0))


def least_p_of_pairs(discordant: int, options: Mapping[str, Any]) -> float:
    """Return the p of McNemar's test when all discordant pairs speak for the same model.

    `options` are its `method` and `alternative`.
    """
    side = options["alternative"]
    most = min(discordant, MOST_COUNTED)
    pair = (0, most) if side == "less" else (most, 0)
    return float(p_of_pairs(*pair, options["method"], side))


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS,
        PAIR_NULL,
        p_by="method",
        p_chosen=frozenset({"textbook"}),
        ungrouped_forms=dict.fromkeys(("midp", "corrected", "textbook"), "exact"),
        least_p=lambda units, models, options: least_p_of_pairs(units, options),
        large_samples={"chi2": "exact"},
        guaranteed=("method", "exact"),
        proposed=1,
        default_for=frozenset({"proportion"}),
        null_under_cv=PAIR_NULL_UNDER_CV,
        tests="correctness",
        clustered=True,
        not_clustered=frozenset({"method", "interval"}),
        power=POWER_OF_MCNEMAR,
        holds="midp and exact keep the level at every number of pairs that differ",
        when=(
            "two fitted models each have one prediction for every example, and examples or "
            "groups of them are independent"
        ),
        when_not="the claim is about learning algorithms: corrected_t, 5x2cv_f",
        differs={
            "mlxtend": "its default is Edwards' correction, which it does not stop at 0: two "
            "models without discordant pairs get p = 0 there, and 1 here",
            "statsmodels": "its default is the exact test; ours is mid-p, and exact is "
            "mcnemar(exact)",
            "Raschka 2018": (
                "4.4 takes the exact test below 25 discordant examples and Edwards' "
                "correction else, which is mcnemar(textbook); and his exact p is not stopped "
                "at 1. 4.3 gives the accuracies of models 1 and 2 as 99.6% and 99.7%, and "
                "computes 99.7% and 99.6% below: model 1 is the better one, 9970 of 10000 "
                "against 9960, and the tests are the same"
            ),
        },
        formula=(
            "of the examples on which just one model is right, b are the first's and c the "
            "second's; p is the chance that fair coin flips divide b + c at least as "
            "unevenly, the observed division counting half (midp); if b = c, midp is 1 less "
            "half the chance of this division (Fagerland et al. 2013, additional file 1)"
        ),
        first_for={Situation.SAME_ROWS_RIGHT: 1},
    ),
    title="McNemar's test",
    references=(
        cite("mcnemar1947"),
        cite("fagerland2013", "midp"),
        cite("edwards1948", "corrected"),
        cite("yang2010", "groups"),
        cite("obuchowski1998", "groups"),
    ),
    examples=(
        Example(
            (RASCHKA_A, 0.95),
            {"statistic.value": 8.33, "p": 0.0039},
            RASCHKA_FIGURE_20,
            5e-3,
            {"method": "chi2"},
        ),
        Example((RASCHKA_A, 0.95), {"extra.p_chi2": 0.0039}, RASCHKA_FIGURE_20, 5e-5),
        Example(
            (RASCHKA_B, 0.95),
            {"statistic.value": 2.5, "p": 0.1138},
            RASCHKA_FIGURE_20,
            5e-5,
            {"method": "chi2"},
        ),
        Example(
            (CAVO_2012, 0.95),
            {
                "p": 0.034690,
                "extra.p_exact": 0.052479,
                "extra.p_chi2": 0.033006,
                "extra.p_corrected": 0.055009,
            },
            CHAPTER_8,
            5e-7,
        ),
        Example(
            (CAVO_2012, 0.95), {"estimate.low": -0.1240, "estimate.high": -0.0054}, CHAPTER_8, 5e-5
        ),
        Example(
            (THYROIDS, 0.95, THYROID_ROWS, THYROID_PATIENTS),
            {"statistic.value": 2.86 * 21 / 20},
            "R package clust.bin.pair, tests/testthat, scans of the thyroid of 21 patients "
            "(Obuchowski 1998): 2.86 with her factor (G - 1)/G; rows rebuilt from 2.86 and 4.5",
            6e-3,
            {"method": "chi2"},
        ),
    ),
)
def mcnemar(
    table: TwoByTwo,
    level: float = 0.95,
    correct: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    seed: int = 0,
    *,
    method: Literal["midp", "exact", "corrected", "chi2", "textbook"] = "midp",
    interval: Literal["tango", "newcombe", "bonett_price", "agresti_min", "wald"] = "tango",
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare the accuracies of two models through the examples on which just one is right.

    With b examples on which only the first model is right and c only the second: `chi2` is
    (b - c)²/(b + c) (McNemar 1947), `corrected` max(|b - c| - 1, 0)²/(b + c) (Edwards
    1948), `exact` twice the binomial tail from max(b, c) on, at most 1, and `midp` that
    tail with half of the observed probability (Fagerland, Lydersen & Laake 2013, eq. 2;
    1 - pmf/2 for b = c). `textbook` is exact for b + c < 25, else corrected (Raschka
    2018, 4.4). All p-values are in `extra`, with `p_smallest`, the least that b + c
    discordant pairs could have given. The difference has Tango's `interval`, or the one
    named. With `alternative=greater` (`less`) only more (fewer) right answers of the first
    model count: the upper tail from b on, its mid-p, or that of (b - c)/sqrt(b + c), less 1
    in the numerator where corrected.

    `correct` (n, 2) holds the Boolean rows behind the table, `groups` (n,) where each
    belongs. Where rows come in groups, these are the sample: with d_g the sum of b - c in
    a group, (Σ d_g)² / Σ d_g² is chi-squared (the modified test of Obuchowski: Yang, Sun &
    Hardin 2010); `exact`, and fewer than 30 groups with d_g other than 0, swap the models
    in whole groups. The difference then has
    a cluster-robust interval. Raises `ValueError` where `table` is not a table of counts, or
    `correct` is missing with `groups`.
    """
    a, b, c, d = paired_counts(table)
    n = a + b + c + d
    notes: tuple[str, ...] = ()
    variant: str = method
    if method == "textbook":
        variant = "exact" if b + c < EXACT_BELOW else "corrected"
        notes = (f"{variant}, as b + c = {b + c} (exact below {EXACT_BELOW})",)
    if b + c == 0:
        notes = (*notes, "both models were right on the same examples")
    less = LESS.get(variant)
    chi2 = max(abs(b - c) - (less or 0), 0) ** 2 / (b + c) if b + c else None
    p_values = {name: float(p_of_pairs(b, c, name, alternative)) for name in FORMS}
    extra = {f"p_{name}": p for name, p in p_values.items()}
    extra["p_smallest"] = least_p_of_pairs(b + c, {"method": variant, "alternative": alternative})
    found = PAIRED_INTERVALS[interval](table, level)
    result = HypothesisTestResult(
        test="mcnemar",
        variant=variant,
        null=PAIR_NULL,
        statistic=None if less is None else Statistic("chi2", chi2),
        df=None if less is None else (1.0,),
        p=p_values[variant],
        estimate=of_accuracies((b - c) / n if n else None, found),
        effects=(odds_ratio(b, c, level), cohen_g(b, c, level)),
        table=((a, b), (c, d)),
        extra=extra,
        notes=notes,
    )
    if groups is not None:
        if correct is None:
            raise ValueError("with groups, right and wrong of every example are needed")
        result = clustered_mcnemar(result, correct, groups, level, seed, method, alternative)
    return one_sided(result, alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS | {SHARES},
        PAIR_NULL,
        intervals={"unpaired_wald": "Wald interval that takes the two as independent"},
        default_for=frozenset({"shares"}),
        null_under_cv=PAIR_NULL_UNDER_CV,
        tests="correctness",
        without_power="it takes the accuracies for those of separate test sets",
        power_as="mcnemar",
        holds="no number of examples decides: it ignores the pairs at every one",
        when=(
            "two published shares come from separate examples or lack the table of pairs, or "
            "you reproduce a published z test"
        ),
        when_not=(
            "both models were tested on the same examples and the table of pairs is known: "
            "mcnemar (Dietterich 1998)"
        ),
        differs={
            "mlxtend": "proportion_difference gives the lower tail of z as p-value and does "
            "not pool the variance; here p is two-sided",
        },
        formula=(
            "the difference of the two accuracies, divided by its standard error from the "
            "pooled accuracy and as if on two test sets, whose sizes may differ; as a normal "
            "deviate, two-sided"
        ),
    ),
    title="z test for two proportions",
    references=(cite("raschka2018"), cite("dietterich1998")),
    examples=(
        Example(
            (((60, 25), (15, 0)), 0.95),
            {"statistic.value": 10 / (200 * 0.8 * 0.2) ** 0.5},
            "own derivation: 85 and 75 right of 100 each, z = .10 / sqrt(2 (.8)(.2)/100)",
        ),
        Example(
            (Shares((3, 4), (1, 4)), 0.95),
            {"statistic.value": 2**0.5, "p": 0.15730},
            "R package contingencytables, tests/testthat/test-ch4.R, Pearson_chi_squared_test_2x2: "
            "its T = 2 is the square of z",
            5e-6,
        ),
    ),
)
def proportions_z(
    shares: TwoByTwo | Shares, level: float = 0.95, *, alternative: Alternative = "two_sided"
) -> HypothesisTestResult:
    """Compare two accuracies as if they came from two separate test sets.

    z with the pooled accuracy (Raschka 2018, 4.2), two-sided unless `alternative` names a
    side. `Shares` have an n for each model, and Newcombe's interval of the difference for two
    samples. Of a 2 x 2 table, which pairs the models, only the two shares are used, with the
    unpaired normal interval: use mcnemar. Raises `ValueError` where `shares` are neither.
    """
    samples, table = _samples(shares)
    (x, n), (y, m) = samples
    z: float | None = None
    p: float | None = None
    value: float | None = None
    notes: tuple[str, ...] = ()
    if n == 0 or m == 0:
        notes = ("no examples",)
    else:
        value = (x * m - y * n) / (n * m)
        if x + y in (0, n + m):
            p, notes = 1.0, ("z is undefined: both models are always right, or always wrong",)
        else:
            pooled = (x + y) / (n + m)
            z = value / (pooled * (1 - pooled) * (1 / n + 1 / m)) ** 0.5
            p = normal_p(z, alternative)
    found = newcombe_independent(samples, level) if table is None else _wald(samples, level)
    result = HypothesisTestResult(
        test="proportions_z",
        variant="pooled",
        null=PAIR_NULL,
        statistic=Statistic("z", z),
        p=p,
        estimate=of_accuracies(value, found),
        table=table,
        extra={} if table is not None else {"n_first": n, "n_second": m},
        notes=notes,
    )
    return one_sided(result, alternative)


def _samples(shares: TwoByTwo | Shares) -> tuple[tuple[Share, Share], Table | None]:
    """Read two shares, and the table where they are the margins of one."""
    if isinstance(shares, Shares):
        return (checked_share(shares.first), checked_share(shares.second)), None
    a, b, c, d = paired_counts(shares)
    n = a + b + c + d
    return ((a + b, n), (a + c, n)), ((a, b), (c, d))


def _wald(samples: tuple[Share, Share], level: float) -> Interval:
    """Normal interval of the difference of two proportions, cut at -1 and 1."""
    (x, n), (y, m) = samples
    z = normal_quantile(level)
    if n == 0 or m == 0:
        return Interval("unpaired_wald", level, None, None)
    first, second = x / n, y / m
    half = z * (first * (1 - first) / n + second * (1 - second) / m) ** 0.5
    low, high = max(first - second - half, -1.0), min(first - second + half, 1.0)
    return Interval("unpaired_wald", level, low, high)


EXACT_COCHRAN_BELOW = 24  # informative rows times models; Tate & Brown 1970


ALL_NULL = "all {models} have the same {accuracy}"
ALL_NULL_UNDER_CV = (
    "the average {accuracy} over these folds is the same for all learning algorithms; the "
    "conclusion does not extend to new training sets"
)
KUNCHEVA = (
    ((1, 1, 1),) * 80
    + ((1, 1, 0),) * 2
    + ((1, 0, 0),) * 2
    + ((0, 1, 1),) * 9
    + ((0, 1, 0),)
    + ((0, 0, 1),) * 3
    + ((0, 0, 0),) * 3
)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS,
        ALL_NULL,
        followed_by=("mcnemar",),
        proposed=1,
        null_under_cv=ALL_NULL_UNDER_CV,
        models=(3, None),
        tests="correctness",
        omnibus=True,
        clustered=True,
        without_power="it depends on which of the models are right together",
        power_as="mcnemar",
        holds="exact or by permutation where few examples differ",
        when=(
            "three or more fitted models each have one prediction for every example, and "
            "examples or groups of them are independent"
        ),
        when_not="there are two models: mcnemar",
        formula=(
            "how far the models' numbers of right answers lie from their mean, squared and "
            "added up, in units of what the examples on which models disagree would give by "
            "chance; referred to chi-squared with M - 1 degrees of freedom"
        ),
        differs={
            "mlxtend": (
                "cochrans_q gives the same statistic, and NaN where all models are right on "
                "the same examples; here p is 1 with a note"
            ),
            "statsmodels": (
                "cochrans_q always refers to chi-squared; here few informative examples get "
                "the exact distribution, and cochran(chi2) is theirs"
            ),
        },
    ),
    title="Cochran's Q test",
    references=(cite("cochran1950"), cite("tate1970")),
    examples=(
        Example(
            (KUNCHEVA,),
            {"statistic.value": 7.5294, "df.0": 2},
            "Raschka 2018, eq. 51 (data of Kuncheva 2004)",
            5e-5,
            {"method": "chi2"},
        ),
        Example((KUNCHEVA,), {"p": 0.023}, "Raschka 2018, below eq. 51", 5e-4, {"method": "chi2"}),
    ),
)
def cochran(
    correct: ArrayLike | Correctness,
    groups: ArrayLike | None = None,
    seed: int = 0,
    *,
    method: Literal["auto", "chi2", "exact"] = "auto",
) -> HypothesisTestResult:
    """Test whether three or more models are right equally often on the same examples.

    Q of Cochran 1950 (Raschka 2018, 4.6), chi-squared with M - 1 degrees of freedom.
    Examples on which all models are right, or all wrong, carry no information; where the
    informative ones times M are fewer than 24, `auto` takes the exact distribution of Q
    over all permutations within examples (Tate & Brown 1970). With two models Q is
    McNemar's uncorrected chi-squared. `correct` is Boolean (n, M), or its counts.

    With `groups` (n,) the totals of groups take the place of examples, and `exact`, or fewer
    than 30 groups that tell models apart, permutes the models once per group. Raises
    `ValueError` where `correct` is counts then.
    """
    counts = count_correct(correct)
    models, n = counts.n_models, counts.n
    informative = sum(counts.row_sums[1:-1])
    variant: str = method
    notes: tuple[str, ...] = ()
    if method == "auto":
        small = informative * models < EXACT_COCHRAN_BELOW
        variant = "exact" if small else "chi2"
    q, p = _cochran_q(counts)
    if informative == 0:
        notes = ("no example tells the models apart: on each, all are right or all wrong",)
        variant = "chi2" if method == "auto" else method
    elif variant == "exact":
        exact = _exact_cochran(counts)
        if exact is None:
            variant = "chi2"
            notes = (f"chi2: {informative} informative examples are too many to enumerate",)
        else:
            p = exact
    result = HypothesisTestResult(
        test="cochran",
        variant=variant,
        null=ALL_NULL,
        statistic=Statistic("Q", q),
        df=None if variant == "exact" else (float(models - 1),),
        p=p,
        effects=()
        if q is None
        else (
            eta_squared_q(q, n, models),
            chance_corrected_r(counts.successes, counts.row_sums),
        ),
        extra={"n": n, "informative": informative},
        notes=notes,
    )
    if groups is None:
        return result
    if isinstance(correct, Correctness):
        raise ValueError("with groups, right and wrong of every example are needed")
    return clustered_cochran(result, correct, groups, seed, method)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS,
        ALL_NULL,
        followed_by=("mcnemar",),
        null_under_cv=ALL_NULL_UNDER_CV,
        models=(3, None),
        tests="correctness",
        omnibus=True,
        without_power="it depends on which of the models are right together",
        power_as="mcnemar",
        holds="F allows for few examples, and rejects less often where few differ",
        when="you reproduce an analysis of variance of right and wrong answers",
        when_not="in all other cases: cochran, which assumes less",
        differs={
            "mlxtend": "it refers F to (M - 1, (M - 1) n) degrees of freedom, as Raschka "
            "prints; two-way analysis of variance and Looney have (M - 1)(n - 1)",
            "Raschka 2018": (
                "4.7 omits a square in SSA and prints (M - 1) n; the analysis of "
                "variance has the square and (M - 1)(n - 1)"
            ),
        },
        formula=(
            "a two-way analysis of variance of right (1) and wrong (0) by model and example: "
            "the mean square of models over that of what is left; referred to F with (M - 1) "
            "and (M - 1)(n - 1) degrees of freedom"
        ),
    ),
    title="Looney's F test",
    references=(cite("looney1988"), cite("raschka2018")),
    examples=(
        Example(
            (KUNCHEVA,),
            {"statistic.value": 64 * 198 / 3272, "df.0": 2, "df.1": 198},
            "own derivation: SSA 128/300 and SSAB 3272/300 by hand, on the data of Raschka "
            "2018, table 2",
        ),
    ),
)
def looney_f(correct: ArrayLike | Correctness) -> HypothesisTestResult:
    """Compare the accuracies of several models by two-way analysis of variance of zeros and ones.

    Raschka 2018, 4.7, with the square in SSA and the degrees of freedom that Looney 1988 has.
    `correct` is Boolean (n, M), or its counts. Raises
    `ValueError` where it is neither.
    """
    counts = count_correct(correct)
    models, n = counts.n_models, counts.n
    df = (float(models - 1), float((models - 1) * (n - 1)))
    between, residual = _sums_of_squares(counts)
    f: float | None
    p: float | None
    notes: tuple[str, ...] = ()
    if df[1] <= 0 or df[0] <= 0:
        f = p = None
        notes = ("undefined: it takes two examples and two models",)
    elif between == 0:
        f, p = (None if residual == 0 else 0.0), 1.0
        notes = ("all models are right equally often",)
    elif residual == 0:
        f, p = float("inf"), 0.0
        notes = ("no variation is left within examples, so F is infinite",)
    else:
        f = (between / df[0]) / (residual / df[1])
        p = f_tail(f, *df)
    return HypothesisTestResult(
        test="looney_f",
        variant="F",
        null=ALL_NULL,
        statistic=Statistic("F", f),
        df=df,
        p=p,
        extra={"n": n},
        notes=notes,
    )


def _cochran_q(counts: Correctness) -> tuple[float | None, float]:
    """Q and its chi-squared p, in whole numbers up to the last division."""
    models, successes = counts.n_models, counts.successes
    total = sum(successes)
    squares = sum(r * r * times for r, times in enumerate(counts.row_sums))
    within = models * total - squares
    if within == 0:
        return None, 1.0
    q = (models - 1) * (models * sum(g * g for g in successes) - total * total) / within
    return q, chi2_tail(q, models - 1)


def _sums_of_squares(counts: Correctness) -> tuple[float, float]:
    """SSA and SSAB times n M, which are whole numbers, over n M."""
    n, models, successes = counts.n, counts.n_models, counts.successes
    total = sum(successes)
    squares = sum(r * r * times for r, times in enumerate(counts.row_sums))
    between = models * sum(g * g for g in successes) - total * total
    rows = n * squares - total * total
    residual = n * models * total - total * total - between - rows
    scale = max(n * models, 1)
    return between / scale, residual / scale


def _exact_cochran(counts: Correctness) -> float | None:
    """P(Q >= observed) when the answers to each example are permuted among the models.

    Given the row sums, Q grows with the sum of squares of the columns' totals. None where more than
    `MOST_STEPS` sums would be needed.
    """
    models = counts.n_models
    rows = [
        (1,) * right + (0,) * (models - right)
        for right in range(1, models)
        for _ in range(counts.row_sums[right])
    ]
    ways = squared_totals(tuple(rows), MOST_STEPS)
    certain = counts.row_sums[models]
    observed = sum((g - certain) ** 2 for g in counts.successes)
    return None if ways is None else share_from(ways, observed)


ONE_CLASS = ((1.0, 6.0, 16.0, 161.0),)  # the interval is Agresti and Min's of its pairs


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW}),
        EQUAL,
        tests="recalls",
        intervals={"paired_recalls": "interval of paired recalls (MOVER)"},
        default_for=frozenset({"recalls"}),
        null_under_cv=EQUAL_UNDER_CV,
        without_power="it depends on how many examples of each class one model alone has right",
        power_as="bootstrap",
        holds="conservative at every number: half an example is added to each kind of pair",
        when=(
            "two models are compared on the same examples by balanced accuracy or another mean of "
            "recalls, and a class has few examples"
        ),
        when_not=(
            "the metric is another one, or rows belong to groups: permutation or bootstrap; a "
            "higher power matters and outputs are exchangeable: permutation"
        ),
        formula=(
            "the difference of the recalls of each class, with the interval that adds half an "
            "example to each kind of pair (Agresti & Min 2005); the squared distances of its "
            "bounds from the difference, times the squared weights of the classes, are added; p is "
            "the smallest alpha at which the interval of level 1 - alpha leaves 0 out"
        ),
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol holdout test=1/3\n"
            "measure balanced_accuracy\n"
            "compare linear vs bayes with paired_recalls\n"
        ),
    ),
    title="Test of a mean of paired recalls",
    references=(cite("zou2008"), cite("agresti2005")),
    examples=(
        Example(
            (ONE_CLASS, 0.95),
            {"estimate.low": -0.1182, "estimate.high": -0.0045},
            CHAPTER_8,
            5e-5,
        ),
    ),
)
def paired_recalls(
    paired_terms: ArrayLike, level: float = 0.95, *, alternative: Alternative = "two_sided"
) -> HypothesisTestResult:
    """Test a difference of two means of recalls by the interval that just excludes 0.

    `paired_terms` (s, 4) holds for each class its weight, how many of its examples only the first
    and only the second model has right, and how many there are. The interval adds the squared
    distances of the bounds of Agresti & Min 2005 from the difference of each class (Zou & Donner
    2008). Raises `ValueError` where the shape is another one.
    """
    checked_level(level)
    given = numbers(paired_terms, "pairs of the classes")
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError("each class has a weight, two numbers of pairs that differ, and examples")
    given = given[given[:, 3] > 0]
    if not len(given):
        nothing = Difference(Summary.DIFFERENCE, None, None, None, level, "none")
        why = ("undefined: no class has an example",)
        return HypothesisTestResult(
            "paired_recalls", "paired recalls", EQUAL, estimate=nothing, notes=why
        )
    c, first, second, n = given.T
    differences = (first - second) / n
    value = float((c * differences).sum())
    # Agresti & Min: half an example is added to each of the four kinds of pairs
    p, q = (first + 0.5) / (n + 2), (second + 0.5) / (n + 2)
    shift = c * (differences - (p - q))
    error = c * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    z = _at_zero(abs(value), shift if value >= 0 else -shift, error)
    quantile = normal_quantile(level)

    def reach(side: float) -> float:
        return math.sqrt(float(((side * shift + quantile * error) ** 2).sum()))

    result = HypothesisTestResult(
        test="paired_recalls",
        variant="paired recalls",
        null=EQUAL,
        statistic=Statistic("z", z if value >= 0 else -z),
        p=halved(normal_p(z), value, alternative),
        estimate=Difference(
            Summary.DIFFERENCE,
            value,
            max(value - reach(1.0), -1.0),
            min(value + reach(-1.0), 1.0),
            level,
            "paired_recalls",
        ),
    )
    return one_sided(result, alternative)


def _at_zero(value: float, shift: NDArray[np.float64], error: NDArray[np.float64]) -> float:
    """Return the z at which the bound that faces 0 is 0: Σ (shift + z error)² = value²."""
    a, b = float((error**2).sum()), float((shift * error).sum())
    left = value**2 - float((shift**2).sum())
    return max((math.sqrt(max(b * b + a * left, 0.0)) - b) / a, 0.0) if left > 0 else 0.0
