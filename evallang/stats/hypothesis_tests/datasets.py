"""Friedman's test: whether some models rank better than others over many data sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import HypothesisTestResult, Statistic
from evallang.stats.distributions import chi2_tail, f_tail
from evallang.stats.effect_sizes.over_data_sets import w_of_ranks
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.power import by_value
from evallang.stats.power_of_ranks import over_data, ranked_models
from evallang.stats.rank_scores import Better, read_scores, row_ranks

FROM_DATA_SETS = frozenset({Evidence.DATASET_SCORES})
ALL_EQUAL = "on every data set all orders of the models are equally likely"
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
            "p_chi2": None if chi2 is None else chi2_tail(chi2, models - 1),
        },
        notes=notes,
    )


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
