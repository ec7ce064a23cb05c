"""Tests over data sets: Friedman, aligned ranks, Quade, signs, Nemenyi, Bonferroni-Dunn."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import DATASET_SCORES
from evallang.registry import Example
from evallang.results.statistics import Difference, Effect, HypothesisTestResult, Statistic, Summary
from evallang.stats.basics import (
    Alternative,
    binomial_tail,
    checked_level,
    chi2_tail,
    f_tail,
    least_rejected,
    normal_p,
    normal_quantile,
    numbers,
    one_sided,
    p_of_equal_signs,
)
from evallang.stats.effect_sizes.effect_size import effects_over_data, w_of_ranks
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.power import by_value
from evallang.stats.power_of_pairs import over_data, ranked_models, signs
from evallang.stats.rank_scores import (
    Better,
    Missing,
    checked_direction,
    differences_of,
    mid_ranks,
    range_quantile,
    range_tail,
    rank_error,
    read_pair,
    read_scores,
    row_ranks,
    settled,
)

FROM_DATA_SETS = frozenset({DATASET_SCORES})
ALL_EQUAL = "on every data set all orders of the {models} are equally likely"
EXACT_UP_TO = {3: 15, 4: 8, 5: 5}  # data sets by models: under a second
MOST_STEPS = 400_000  # sums formed; about a second

# Demšar 2006, table 6: AUC of C4.5 with and without tuned m and cf on 14 data sets
DEMSAR_AUC = (
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.975),
    (0.957, 0.978, 0.946, 0.970),
)
# His ranks, where voting has .975 (2) and .975 (3): there the AUCs differ beyond print
DEMSAR_RANKS = (
    (4.0, 3.0, 2.0, 1.0),
    (1.0, 2.0, 3.0, 4.0),
    (4.0, 1.0, 2.0, 3.0),
    (4.0, 1.0, 3.0, 2.0),
    (4.0, 2.0, 3.0, 1.0),
    (1.0, 2.5, 4.0, 2.5),
    (3.0, 2.0, 4.0, 1.0),
    (2.5, 2.5, 4.0, 1.0),
    (4.0, 3.0, 2.0, 1.0),
    (2.5, 2.5, 2.5, 2.5),
    (4.0, 2.5, 1.0, 2.5),
    (3.0, 2.0, 4.0, 1.0),
    (4.0, 1.0, 2.0, 3.0),
    (3.0, 1.0, 4.0, 2.0),
)
ZHOU_RANKS = ((1.0, 2.0, 3.0), (1.0, 2.5, 2.5), (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))


def p_of_draws(scores: NDArray[np.float64], alternative: str) -> NDArray[np.float64]:
    """Return p, as `auto` computes it, of tables of scores (rounds, N, M) without ties."""
    n, models = scores.shape[1:]
    order = tuple(range(1 - models, models, 2))  # doubled, centred ranks
    doubled = 2 * scores.argsort(axis=2).argsort(axis=2) + order[0]
    exact = _variant("auto", "average", n, models) == "exact"
    ways = squared_totals((order,) * n, MOST_STEPS) if exact else None
    within = n * sum(rank * rank for rank in order)

    def p_value(between: int) -> float:
        if ways is not None:
            return share_from(ways, between)
        _, f = _statistics(between, within, n, models, "average")
        if f is None:
            return 1.0
        if f == float("inf"):
            return float((1 / math.factorial(models)) ** (n - 1))
        return f_tail(f, models - 1, (models - 1) * (n - 1))

    return by_value((doubled.sum(axis=1) ** 2).sum(axis=1), p_value)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ALL_EQUAL,
        followed_by=("nemenyi", "wilcoxon"),
        least_p=lambda units, models, options: p_of_agreement(units, models, options),
        models=(3, None),
        omnibus=True,
        across_data=True,
        power=over_data(ranked_models(p_of_draws)),
        holds="exact or by permutation over few data sets",
        when="three or more models have scores on several data sets, in any unit",
        when_not=(
            "there are two models: wilcoxon, sign; the scores are those of folds, which are "
            "not data sets: corrected_t"
        ),
        differs={
            "scipy": "friedmanchisquare refers the tie-corrected chi-squared to its limit; "
            "here F of Iman and Davenport or the exact distribution decides, and chi-squared "
            "is in `extra`",
            "autorank": "it uses the chi-squared only",
            "Zhou 2021": (
                "2.4.4 takes no account of ties: friedman(ties=ignore) gives his tau_F of "
                "24.429 on Table 2.5"
            ),
        },
        formula=(
            "rank the models on each data set, equal scores sharing their ranks; how far the "
            "average ranks lie apart, in units of what random orders would give; referred to "
            "F, or to all orders where they are few"
        ),
    ),
    title="Friedman's test",
    references=(cite("friedman1937"), cite("iman1980", "F"), cite("demsar2006"), cite("zhou2021")),
    examples=(
        Example(
            (DEMSAR_RANKS, "lower"),
            {"extra.chi2": 9.28},
            "Demšar 2006, 3.2.2, from his printed ranks (average ranks to three digits)",
            5e-3,
            {"ties": "ignore"},
        ),
        Example(
            (DEMSAR_RANKS, "lower"),
            {"statistic.value": 3.69, "df.0": 3, "df.1": 39},
            "Demšar 2006, 3.2.2, from his printed ranks (average ranks to three digits)",
            5e-3,
            {"ties": "ignore"},
        ),
        Example(
            (DEMSAR_AUC, "higher"),
            {"extra.chi2": 10.952380952380956, "extra.p_chi2": 0.011986176325417788},
            "scipy 1.17.1, friedmanchisquare, on the AUCs of Demšar 2006, table 6",
        ),
        Example(
            (ZHOU_RANKS, "lower"),
            {"statistic.value": 24.429, "df.0": 2, "df.1": 6},
            "Zhou 2021, section 2.4.4, table 2.5",
            5e-4,
            {"ties": "ignore"},
        ),
    ),
)
def friedman(
    scores: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    method: Literal["auto", "exact", "F", "chi2"] = "auto",
    ties: Literal["average", "ignore"] = "average",
    missing: Literal["leave_out", "worst"] = "leave_out",
) -> HypothesisTestResult:
    """Test whether the models rank alike over the data sets.

    The chi-squared of Friedman 1937 on average ranks, corrected for ties, becomes the F of
    Iman & Davenport 1980, (N - 1) chi2 / (N (M - 1) - chi2) with (M - 1, (M - 1)(N - 1))
    degrees of freedom: the F of the analysis of variance of the ranks. `auto` takes the
    exact distribution over all orders within data sets for up to 15 data sets with 3
    models, 8 with 4 and 5 with 5. `ties=ignore` is the form of Demšar 2006 and Zhou 2021.
    Where all data sets agree F is infinite and p is that chance, (1/M!)^(N - 1); `chi2` keeps
    its own p. Where no models differ anywhere p is 1, and the statistic undefined, or 0 with
    `ties=ignore`. A missing
    score leaves its data set out, or with `missing=worst` gets the last rank. `scores` is
    (N, M). Raises `ValueError` where it is not.
    """
    table = read_scores(scores, better, missing)
    ranks = row_ranks(table.values)
    doubled = (2 * ranks).astype(np.int64) - ranks.shape[1] - 1
    n, models = ranks.shape
    between = int((doubled.sum(axis=0) ** 2).sum())
    within = int((doubled**2).sum())
    notes = table.notes
    chi2, f = _statistics(between, within, n, models, ties)
    df = (float(models - 1), float((models - 1) * (n - 1)))
    variant = _variant(method, ties, n, models)
    p: float | None = None
    if n == 0 or (n == 1 and variant != "exact"):
        notes = (*notes, "undefined: it takes two data sets")
    elif within == 0:
        p, notes = 1.0, (*notes, "on no data set do the models differ")
    elif f == float("inf") and variant != "chi2":
        p, variant = chance_of_agreement(doubled), "exact"
        notes = (*notes, "all data sets order the models alike, so F is infinite and p exact")
    elif variant == "exact":
        p = exact_rank_p(doubled)
        if p is None:
            variant = "F"
            notes = (*notes, f"F: {n} data sets by {models} models are too many to enumerate")
    if p is None and f is not None and chi2 is not None:
        p = chi2_tail(chi2, models - 1) if variant == "chi2" else f_tail(f, *df)
    chosen = Statistic("chi2", chi2) if variant == "chi2" else Statistic("F", f)
    return HypothesisTestResult(
        test="friedman",
        variant=variant,
        null=ALL_EQUAL,
        statistic=chosen,
        df={"chi2": df[:1], "F": df}.get(variant),
        p=p,
        effects=(w_of_ranks(ranks, level, seed),) if n else (),
        extra={
            "n": n,
            "chi2": chi2,
            "df_chi2": df[0],
            "p_chi2": None if chi2 is None else chi2_tail(chi2, models - 1),
        },
        notes=notes,
    )


SURELY_ENOUGH = 20  # models, from which on agreement of two data sets is beyond chance


def p_of_agreement(units: int, models: int, options: Mapping[str, Any]) -> float:
    """Return the p of Friedman's test where all data sets agree; 0 of approximate forms."""
    counted = options["method"] in ("auto", "exact") and 2 < models < SURELY_ENOUGH
    return float(math.factorial(models)) ** (1 - units) if counted else 0.0


def _variant(method: str, ties: str, n: int, models: int) -> str:
    """Return how p is to be computed."""
    if method != "auto":
        return method
    if ties == "ignore":
        return "F"
    return "exact" if n <= EXACT_UP_TO.get(models, 0) else "F"


def _statistics(
    between: int, within: int, n: int, models: int, ties: str
) -> tuple[float | None, float | None]:
    """Return chi-squared and F from sums of squares of doubled, centred ranks."""
    if n and ties == "ignore":  # defined where everything is tied: 0
        within = n * models * (models * models - 1) // 3
    if within == 0 or n == 0:
        return None, None
    chi2 = (models - 1) * between / within
    if n == 1:
        return chi2, None
    residual = n * within - between
    return chi2, (n - 1) * between / residual if residual else float("inf")


def exact_rank_p(rows: NDArray[np.int64], most_steps: int = MOST_STEPS) -> float | None:
    """P(sum of squared column totals >= observed) when each row is permuted on its own.

    None where more than `most_steps` sums would be formed.
    """
    ways = squared_totals(tuple(map(tuple, rows.tolist())), most_steps)
    return None if ways is None else share_from(ways, int((rows.sum(axis=0) ** 2).sum()))


def share_from(ways: Counter[int], least: int) -> float:
    """Return the share of the arrangements whose sum of squares is as large."""
    return sum(times for value, times in ways.items() if value >= least) / ways.total()


@lru_cache(maxsize=4)
def squared_totals(rows: tuple[tuple[int, ...], ...], most_steps: int) -> Counter[int] | None:
    """Count the arrangements of the rows by their sum of squared column totals.

    Whole numbers of equally likely arrangements. What follows a row depends on the totals in any
    order, so that they are kept in descending order. None where more than `most_steps` sums would
    be formed.
    """
    ways: dict[tuple[int, ...], int] = {(0,) * len(rows[0]): 1}
    steps = 0
    for place, row in enumerate(rows):
        steps += len(ways) * (1 if place == 0 else _arrangements(list(row)))
        if steps > most_steps:
            return None
        # The first may stand as it is: permuting all rows alike changes nothing
        arrangements = [row] if place == 0 else list(_arranged(row))
        following: Counter[tuple[int, ...]] = Counter()
        for totals, times in ways.items():
            for arranged in arrangements:
                added = sorted(map(int.__add__, totals, arranged), reverse=True)
                following[tuple(added)] += times
        ways = following
    squares: Counter[int] = Counter()
    for totals, times in ways.items():
        squares[sum(total * total for total in totals)] += times
    return squares


def _arranged(row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the distinct orders of a row."""
    if not row:
        yield ()
    for value in sorted(set(row)):
        place = row.index(value)
        for rest in _arranged(row[:place] + row[place + 1 :]):
            yield (value, *rest)


def chance_of_agreement(rows: NDArray[np.int64]) -> float:
    """Return the chance that all rows come in one order: (1/M!)^(N - 1) without ties."""
    return float((1 / _arrangements(rows[0].tolist())) ** (len(rows) - 1))


def _arrangements(row: list[int]) -> int:
    """Count the distinct orders of a row, M! over the factorials of its ties."""
    ties = math.prod(math.factorial(times) for times in Counter(row).values())
    return math.factorial(len(row)) // ties


ALIGNED_NULL = "apart from the level of each data set, the scores of all {models} are alike"
# Conover 1999, p. 375: five brands of hand lotion sold in seven stores
LOTIONS = (
    (5.0, 4.0, 7.0, 10.0, 12.0),
    (1.0, 3.0, 1.0, 0.0, 2.0),
    (16.0, 12.0, 22.0, 22.0, 35.0),
    (5.0, 4.0, 3.0, 5.0, 4.0),
    (10.0, 9.0, 7.0, 13.0, 10.0),
    (19.0, 18.0, 28.0, 37.0, 58.0),
    (10.0, 7.0, 6.0, 8.0, 7.0),
)
# Less their means: -1, 1, 0 and -4, 1, 3 and -6, 1, 5, with ranks 3, 6, 4; 2, 6, 8; 1, 6, 9
THREE_SETS = ((3.0, 5.0, 4.0), (10.0, 15.0, 17.0), (18.0, 25.0, 29.0))
FEW_STEPS = 50_000  # sums formed; a tenth of a second


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ALIGNED_NULL,
        followed_by=("nemenyi", "wilcoxon"),
        models=(3, None),
        omnibus=True,
        across_data=True,
        without_power="it depends on how far apart the scores of each data set are",
        power_as="friedman",
        holds="exact or by permutation over few data sets",
        when=("there are few models, and differences of scores are comparable across data sets"),
        when_not="data sets differ in difficulty or unit: friedman",
        differs={
            "Garcia et al. 2010": "their statistic has the variance of ranks without ties; "
            "here ties lower it, as the permutations within data sets do",
        },
        formula=(
            "take each data set's mean off its scores and rank all scores of all data sets "
            "together; how far the models' rank sums lie apart, in units of what random "
            "orders within data sets would give; referred to chi-squared"
        ),
    ),
    title="Friedman's aligned-ranks test",
    references=(cite("hodges1962"), cite("garcia2010")),
    examples=(
        Example(
            (THREE_SETS, "higher"),
            {
                "statistic.value": 2 * (81 + 9 + 36) / (283 - (13**2 + 16**2 + 16**2) / 3),
                "extra.average_aligned_ranks.0": 10 - 6 / 3,
                "extra.average_aligned_ranks.1": 10 - 18 / 3,
                "extra.average_aligned_ranks.2": 10 - 21 / 3,
            },
            "own derivation: ranks by hand, rank sums 6, 18, 21, sum of squares 283",
        ),
    ),
)
def friedman_aligned(
    scores: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    method: Literal["auto", "exact", "chi2"] = "auto",
) -> HypothesisTestResult:
    """Test whether the models score alike, by ranks of scores minus each data set's mean.

    T = (M - 1) Σ (R_j - mean)² / Σ (r_ij - mean of row i)², chi-squared with M - 1 degrees of
    freedom: García et al. 2010, with the variance that ties leave. `exact` goes through all
    permutations within data sets, `auto` where they are few. A data set without all scores is
    skipped. `extra.average_aligned_ranks` holds the average of each model (M,), 1 being the best
    of all scores. `scores` is (N, M). Raises `ValueError` where it is not.
    """
    checked_level(level)
    table = read_scores(scores, better, finite=True)
    ranks = _aligned_ranks(table.values)
    n, models = ranks.shape
    doubled = np.rint(2 * ranks * models).astype(np.int64)
    doubled -= (doubled.sum(axis=1) // max(models, 1))[:, None]
    between = int((doubled.sum(axis=0) ** 2).sum())
    within = int((doubled**2).sum())
    notes = table.notes
    variant = "chi2" if method == "auto" else method
    t: float | None = None
    p: float | None = None
    if n == 0:
        notes = (*notes, "undefined: no data set has all scores")
    elif within == 0:
        p, notes = 1.0, (*notes, "on no data set do the models differ")
    else:
        t = (models - 1) * between / within
        exact = exact_rank_p(doubled, FEW_STEPS if method == "auto" else MOST_STEPS)
        if method != "chi2" and exact is not None:
            p, variant = exact, "exact"
        else:
            p, variant = chi2_tail(t, models - 1), "chi2"
            if method == "exact":
                notes = (*notes, f"chi2: {n} data sets are too many to enumerate")
    return HypothesisTestResult(
        test="friedman_aligned",
        variant=variant,
        null=ALIGNED_NULL,
        statistic=Statistic("T", t),
        df=(float(models - 1),) if variant == "chi2" else None,
        p=p,
        extra={
            "n": n,
            "p_chi2": None if t is None else chi2_tail(t, models - 1),
            # rank 1 is the best of all N M scores, as in the average ranks of Friedman's test
            "average_aligned_ranks": [n * models + 1 - float(r) for r in ranks.mean(axis=0)]
            if n
            else None,
        },
        notes=notes,
    )


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ALIGNED_NULL,
        followed_by=("nemenyi", "wilcoxon"),
        models=(3, None),
        omnibus=True,
        across_data=True,
        without_power="it depends on how far apart the scores of each data set are",
        power_as="friedman",
        holds="exact or by permutation over few data sets",
        when=("there are few models, and data sets on which models differ more should weigh more"),
        when_not="data sets differ in difficulty or unit: friedman",
        formula=(
            "rank the models on each data set, and the data sets by the range of their "
            "scores; an analysis of variance of the models' ranks, each multiplied by the "
            "rank of its data set; referred to F"
        ),
    ),
    title="Quade's test",
    references=(cite("quade1979"), cite("garcia2010")),
    examples=(
        Example(
            (LOTIONS, "higher"),
            {"statistic.value": 3.8293, "df.0": 4, "df.1": 24, "p": 0.01519},
            "R 4.2.2, example(quade.test), data of Conover 1999, p. 375",
            5e-5,
        ),
    ),
)
def quade(
    scores: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> HypothesisTestResult:
    """Test whether the models score alike, with data sets weighted by the rank of their range.

    F = (N - 1) B / (A - B) with (M - 1, (M - 1)(N - 1)) degrees of freedom. Where all data sets
    agree F is infinite and p is that chance, (1/M!)^(N - 1). A data set without all scores is
    skipped. `scores` is (N, M). Raises `ValueError` where it is not.
    """
    checked_level(level)
    table = read_scores(scores, better, finite=True)
    values = table.values
    n, models = values.shape
    spread = values.max(axis=1, initial=-np.inf) - values.min(axis=1, initial=np.inf)
    weights = np.rint(2 * mid_ranks(settled(spread, np.abs(values).max(axis=1, initial=0.0))))
    ranks = row_ranks(values)
    centred = (2 * ranks).astype(np.int64) - models - 1
    weighted = centred * weights.astype(np.int64)[:, None]
    total = int((weighted**2).sum())
    between = int((weighted.sum(axis=0) ** 2).sum())
    residual = n * total - between
    df = (float(models - 1), float((models - 1) * (n - 1)))
    notes, variant = table.notes, "F"
    f: float | None = None
    p: float | None = None
    if n < 2:
        notes = (*notes, "undefined: it takes two data sets with all scores")
    elif total == 0:
        p, notes = 1.0, (*notes, "on no data set do the models differ")
    elif residual == 0:
        f, p, variant = float("inf"), chance_of_agreement(centred), "exact"
        notes = (*notes, "all data sets order the models alike, so F is infinite and p exact")
    else:
        f = (n - 1) * between / residual
        p = f_tail(f, *df)
    return HypothesisTestResult(
        test="quade",
        variant=variant,
        null=ALIGNED_NULL,
        statistic=Statistic("F", f),
        df=df if variant == "F" and n > 1 else None,
        p=p,
        extra={"n": n},
        notes=notes,
    )


def _aligned_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank all values together after the mean of their row is taken off; 1 is the smallest."""
    if not len(values):
        return values
    aligned = values - values.mean(axis=1, keepdims=True)
    scale = np.repeat(np.abs(values).max(axis=1), values.shape[1])
    return mid_ranks(settled(aligned.ravel(), scale)).reshape(values.shape)


SIGN_NULL = "on a data set each of the two {models} is equally likely to be the better one"
TUNED_M = tuple(row[1] for row in DEMSAR_AUC)
PLAIN = tuple(row[0] for row in DEMSAR_AUC)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        SIGN_NULL,
        intervals={"sign": "exact interval of the median"},
        least_p=p_of_equal_signs,
        across_data=True,
        power=over_data(signs),
        holds="exact at every number of data sets",
        when=(
            "two models have scores on several data sets, and differences are not comparable "
            "across data sets"
        ),
        when_not=("differences can be ranked across data sets: wilcoxon, which is more powerful"),
        differs={
            "Demsar 2006": "his table of critical values is the normal approximation: 11 of 14 "
            "counts as p < .05 there, and has exactly p = .057",
        },
        formula=(
            "of the data sets on which one model is better, count the first's; p is the "
            "chance that fair coin flips divide them at least as unevenly"
        ),
    ),
    title="Sign test",
    references=(cite("dixon1946"), cite("demsar2006")),
    examples=(
        Example(
            (TUNED_M, PLAIN, "higher", 0.95),
            {"extra.wins": 10, "extra.ties": 2, "extra.losses": 2},
            "Demšar 2006, table 2 and section 3.1.4 (11 of 14 with one of the two ties)",
        ),
        Example(
            (TUNED_M, PLAIN, "higher", 0.95),
            {"p": 2 * (1 + 14 + 91 + 364) / 2**14},
            "own derivation: twice the chance of 11 or more of 14, ties split as in Demšar 2006",
            options={"zeros": "split"},
        ),
    ),
)
def sign(
    first: ArrayLike,
    second: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    zeros: Literal["drop", "split"] = "drop",
    missing: Literal["leave_out", "worst"] = "leave_out",
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare two models by the number of data sets on which each is the better one.

    Exact binomial p, two-sided, or with `alternative=greater` for larger scores of the
    first alone. Ties are dropped, or with `zeros=split` shared between
    both, one of an odd number omitted (Demšar 2006, 3.1.4). The estimate is the median
    difference with the interval between order statistics that the binomial distribution
    gives. A missing score leaves its data set out, or with `missing=worst` loses. `first`
    and `second` are (N,). Raises `ValueError` where their shapes differ.
    """
    checked_level(level)
    table = read_pair(first, second, better, missing)
    d = differences_of(table.values)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ties = len(d) - wins - losses
    shared = ties // 2 if zeros == "split" else 0
    larger, n = max(wins, losses) + shared, wins + losses + 2 * shared
    notes = table.notes
    p: float | None = min(2 * float(binomial_tail(larger, n)), 1.0)
    if alternative != "two_sided":
        first_wins = (alternative == "greater") == (better != "lower")
        p = float(binomial_tail((wins if first_wins else losses) + shared, n))
    if len(d) == 0:
        p, notes = None, (*notes, "undefined: no data set has both scores")
    elif n == 0:
        notes = (*notes, "on no data set do the models differ")
    raw = -d if better == "lower" else d
    low, high = _median_bounds(raw, level)
    result = HypothesisTestResult(
        test="sign",
        variant="exact",
        null=SIGN_NULL,
        statistic=Statistic("S", float(larger)),
        p=p,
        estimate=Difference(Summary.MEDIAN, median_of(raw), low, high, level, "sign"),
        effects=effects_over_data(first, second, level, seed),
        extra={"n": len(d), "wins": wins, "ties": ties, "losses": losses},
        notes=notes,
    )
    return one_sided(result, alternative)


def median_of(values: NDArray[np.float64]) -> float | None:
    """Return the median; None of no values, or half way between two infinities."""
    if not len(values):
        return None
    ordered: list[float] = np.sort(values).tolist()
    lower, upper = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    middle = lower if lower == upper else (lower + upper) / 2
    return None if math.isnan(middle) else middle


def _median_bounds(values: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    """Return the k-th smallest and largest value, k as large as the level allows."""
    n = len(values)
    k = n + 1 - least_rejected(n, 0.5, (1 - level) / 2)
    if k == 0:
        return None, None
    ordered = np.sort(values)
    return float(ordered[k - 1]), float(ordered[n - k])


RANK_NULL = "the two {models} have the same expected rank among all {models} compared"


class _Compared(Struct, frozen=True, eq=False):
    """Two models among `models` on `n` data sets: their average ranks and their effects."""

    models: int
    n: int
    ranks: tuple[float, float] | None
    effects: tuple[Effect, ...]
    notes: tuple[str, ...]

    @property
    def error(self) -> float:
        """The standard error of the difference in average rank; 0 without data sets."""
        return rank_error(self.models, self.n) if self.n else 0.0

    @property
    def z(self) -> float:
        """The difference in average rank over its standard error; 0 without data sets."""
        return (self.ranks[0] - self.ranks[1]) / self.error if self.ranks else 0.0


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        RANK_NULL,
        by_mean_ranks=True,
        instead="wilcoxon",
        self_correcting=True,
        across_data=True,
        without_power="it depends on how all models rank on every data set",
        power_as="wilcoxon",
        holds="it follows an omnibus test, and is conservative over few data sets",
        when="you draw a critical-difference diagram after friedman",
        when_not=(
            "in all other cases, because the decision about two models depends on the other "
            "models (Benavoli, Corani & Mangili 2016): wilcoxon with holm"
        ),
        differs={
            "aeon": "its table of critical values is read one place too far, as if there were "
            "M + 1 models, so that differences are missed",
        },
        formula=(
            "the difference of the two average ranks, divided by the root of M (M + 1) / (6 "
            "N); p is the chance that M normal variables span as much (studentized range "
            "with infinite degrees of freedom)"
        ),
    ),
    title="Nemenyi's test",
    references=(cite("nemenyi1963"), cite("demsar2006"), cite("zhou2021"), cite("benavoli2016")),
    examples=(
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"extra.critical_difference": 1.25},
            "Demšar 2006, 3.2.2, 2.569 sqrt(4 * 5 / (6 * 14))",
            5e-3,
        ),
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.90),
            {"extra.critical_difference": 1.12, "estimate.value": 1.179},
            "Demšar 2006, 3.2.2",
            5e-3,
        ),
        Example(
            (ZHOU_RANKS, "lower", (0, 2), 0.95),
            {"extra.critical_difference": 1.657},
            "Zhou 2021, section 2.4.4",
            5e-4,
        ),
    ),
)
def nemenyi(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int] = (0, 1),
    level: float = 0.95,
    seed: int = 0,
    *,
    missing: Literal["leave_out", "worst"] = "leave_out",
) -> HypothesisTestResult:
    """Compare all pairs of models by their average ranks.

    Two average ranks that lie CD = q sqrt(M (M + 1) / (6 N)) apart or more differ; q is the
    quantile of the studentized range of M variables over the square root of 2. p holds for all
    pairs together. The estimate is the difference in
    average rank, first minus second, ± CD: below 0 the first is better. `scores` is (N, M),
    `pair` names two of its columns. Raises `ValueError` otherwise.
    """
    found = _compared(scores, better, pair, missing, level, seed)
    quantile = range_quantile(level, found.models) / math.sqrt(2)
    p = range_tail(math.sqrt(2) * abs(found.z), found.models)
    return _rank_result("nemenyi", found, p, quantile, level)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        RANK_NULL,
        by_mean_ranks=True,
        instead="wilcoxon",
        against_reference=True,
        self_correcting=True,
        across_data=True,
        without_power="it depends on how all models rank on every data set",
        power_as="wilcoxon",
        holds="it follows an omnibus test, and is conservative over few data sets",
        when=("all models are compared with one after friedman, and you draw a figure of ranks"),
        when_not="in all other cases: wilcoxon with holm, which is more powerful",
        formula=(
            "the difference of the two average ranks, divided by the root of M (M + 1) / (6 "
            "N), as a normal deviate; its two-sided p times the number of comparisons with "
            "the reference"
        ),
    ),
    title="Bonferroni-Dunn test",
    references=(cite("dunn1961"), cite("demsar2006")),
    examples=(
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"extra.critical_difference": 1.16},
            "Demšar 2006, 3.2.2, 2.394 sqrt(4 * 5 / (6 * 14)) = 1.168, printed as 1.16",
            1e-2,
        ),
        Example(
            (DEMSAR_RANKS, "lower", (0, 3), 0.95),
            {"statistic.value": 2.416, "p": 3 * 0.016},
            "Demšar 2006, 3.2.2, z = 1.179/.488 and p = .016 before the correction for three",
            2e-3,
        ),
    ),
)
def bonferroni_dunn(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int] = (0, 1),
    level: float = 0.95,
    seed: int = 0,
    *,
    missing: Literal["leave_out", "worst"] = "leave_out",
) -> HypothesisTestResult:
    """Compare each model with a control by average ranks.

    The estimate is the difference in average rank with its simultaneous interval. `scores` is (N,
    M) with the reference among the columns, `pair` a model and the reference. Raises `ValueError`
    otherwise.
    """
    found = _compared(scores, better, pair, missing, level, seed)
    comparisons = found.models - 1
    quantile = normal_quantile(1 - (1 - checked_level(level)) / comparisons)
    p = min(comparisons * normal_p(found.z), 1.0)
    return _rank_result("bonferroni_dunn", found, p, quantile, level)


def _compared(
    scores: ArrayLike,
    better: Better,
    pair: Sequence[int],
    missing: Missing,
    level: float,
    seed: int,
) -> _Compared:
    """Rank all models and pick two; raises `ValueError` where `pair` names no two columns."""
    checked_direction(better)
    given = numbers(scores, "scores")
    table = read_scores(given, better, missing)
    n, models = table.values.shape
    try:
        first, second = (operator.index(column) for column in pair)
    except (TypeError, ValueError):
        first = second = -1
    if first == second or not {first, second} <= set(range(models)):
        raise ValueError(f"a pair names two of the {models} columns of scores, not {pair!r}")
    x, y = given[table.kept][:, [first, second]].T
    ranks = None
    if n:
        average = row_ranks(table.values).mean(axis=0)
        ranks = float(average[first]), float(average[second])
    return _Compared(models, n, ranks, effects_over_data(x, y, level, seed), table.notes)


def _rank_result(
    test: str, found: _Compared, p: float, quantile: float, level: float
) -> HypothesisTestResult:
    """Build the result of a test of the difference in average rank over its error."""
    reach = quantile * found.error
    name = "difference in average rank"
    if found.ranks is None:
        return HypothesisTestResult(
            test=test,
            variant="z",
            null=RANK_NULL,
            statistic=Statistic("z", None),
            estimate=Difference(name, None, None, None, level, test),
            effects=found.effects,
            notes=(*found.notes, "undefined: no data set has a score of every model"),
        )
    value = found.ranks[0] - found.ranks[1]
    return HypothesisTestResult(
        test=test,
        variant="z",
        null=RANK_NULL,
        statistic=Statistic("z", found.z),
        p=p,
        estimate=Difference(name, value, value - reach, value + reach, level, test),
        effects=found.effects,
        extra={
            "n": found.n,
            "critical_difference": reach,
            "rank_first": found.ranks[0],
            "rank_second": found.ranks[1],
        },
        notes=found.notes,
    )
