"""Metrics of rankings by query, as of a search engine: one value for each query.

`output` is, for each query, an array of the relevance and the score of its rows (rows, 2): the
relevance is 0 or more, and a higher score ranks a row earlier. Rows with equal scores are in no
order: a value is the mean over all their orders, or counts them at the same place where it says so.
A query without a relevant row has no value (NaN).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example

LARGEST_POWER = 500  # of two; the sum of many such gains stays finite
OF_RANKINGS = (
    'predictions search "Search results" from "data/search.csv"\n'
    "  query question\n"
    "  truth relevance\n"
    '  score words = "words_score"\n'
    '  score vectors = "vectors_score"\n'
    '  unit "questions"\n'
    "\n"
    "measure {}\n"
)
ONE_QUERY = (((3.0, 0.9), (0.0, 0.8), (2.0, 0.7), (0.0, 0.6)),)
TWO_QUERIES = (
    ((1.0, 0.9), (0.0, 0.8), (1.0, 0.7)),
    ((0.0, 0.9), (1.0, 0.5), (0.0, 0.4)),
)


def _declaration(metric: str, **more: Any) -> MetricDeclaration:
    return MetricDeclaration(
        "regression",
        "losses",
        "rankings",
        "higher",
        0,
        1,
        example=OF_RANKINGS.format(metric),
        **more,
    )


@METRICS.register(
    _declaration(
        "ndcg(at=10)",
        default=True,
        of_examples="discounted gains",
        when="rows have several degrees of relevance, or the whole order of a ranking counts",
        when_not="only the first relevant row is read: mean_reciprocal_rank",
        formula=(
            "the relevance of each row (with `gain=exponential` 2 to its power, less 1) divided "
            "by log2(place + 1), summed over the first `at` places, as a share of the sum in the "
            "best order; rows with equal scores share the mean discount of their places; the mean "
            "over the queries"
        ),
        equation=(
            r"\frac{1}{Q} \sum_q \frac{DCG_q}{\max DCG_q}, \quad DCG_q = \sum_{r = "
            r"1}^{\mathrm{at}} \frac{g_{(r)}}{\log_2 (r + 1)}"
        ),
        differs={
            "scikit-learn": (
                "ndcg_score takes the same number of rows for every query, and counts a query "
                "without a relevant row as 0; here such queries are skipped"
            ),
        },
    ),
    title="Normalized discounted cumulative gain",
    references=(cite("jarvelin2002"),),
    examples=(
        Example(
            (None, ONE_QUERY, None),
            {"value": (3 + 2 / 2) / (3 + 2 / math.log2(3))},
            "by hand: places 1 and 3 of relevance 3 and 2",
        ),
    ),
)
def ndcg(
    truth: ArrayLike | None,
    output: Sequence[ArrayLike],
    positive: None,
    *,
    at: Annotated[int | None, Bounds(least=1)] = None,
    gain: Literal["linear", "exponential"] = "linear",
) -> NDArray[np.float64]:
    """The relevance at the top of each ranking, discounted by place, as a share of the best order.

    Returns one value for each query (n,). Raises `ValueError` for `at` below 1.
    """
    depth = _depth(at, "ndcg")

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        gains = _exponential(relevance) if gain == "exponential" else relevance
        discount = 1 / np.log2(np.arange(len(gains)) + 2)
        discount[len(gains) if depth is None else depth :] = 0
        best = float((np.sort(gains)[::-1] * discount).sum())
        order = np.argsort(-score, kind="stable")
        run = np.unique(-score[order], return_inverse=True)[1].reshape(-1)
        shared = np.bincount(run, discount) / np.bincount(run)
        return float((gains[order] * shared[run]).sum()) / best

    return _by_query(output, value)


@METRICS.register(
    _declaration(
        "mean_average_precision",
        of_examples="average precisions",
        when="a row is relevant or not, and all relevant rows should come early",
        when_not=(
            "rows have several degrees of relevance: ndcg; only the first relevant row is read: "
            "mean_reciprocal_rank; rows belong to no query: average_precision"
        ),
        formula=(
            "the mean, over the relevant rows of a query, of the share of relevant rows among all "
            "that have at least its score; rows with a relevance above 0 are relevant; the mean "
            "over the queries"
        ),
        equation=r"\frac{1}{Q} \sum_q \frac{1}{n_q} \sum_{i \in q: g_i > 0} P_q(s_i)",
    ),
    title="Mean average precision",
    references=(cite("manning2008"),),
    examples=(
        Example(
            (None, TWO_QUERIES, None),
            {"value": ((1 + 2 / 3) / 2 + 1 / 2) / 2},
            "by hand: relevant rows at places 1 and 3, and at place 2",
        ),
    ),
)
def mean_average_precision(
    truth: ArrayLike | None, output: Sequence[ArrayLike], positive: None
) -> NDArray[np.float64]:
    """The average precision of each query: the mean precision at its relevant rows.

    Returns one value for each query (n,).
    """

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        run = np.unique(-score, return_inverse=True)[1].reshape(-1)
        relevant = np.bincount(run, relevance > 0)
        reached = np.cumsum(relevant) / np.cumsum(np.bincount(run))
        return float((relevant * reached).sum() / relevant.sum())

    return _by_query(output, value)


@METRICS.register(
    _declaration(
        "mean_reciprocal_rank(at=10)",
        of_examples="reciprocal ranks",
        when="one relevant row is enough, as for the answer to a question",
        when_not="further relevant rows count: mean_average_precision or ndcg",
        formula=(
            "1 divided by the place of the first relevant row, 0 where it comes after the first "
            "`at`; among rows with equal scores, the mean over their orders; the mean over the "
            "queries"
        ),
        equation=(
            r"\frac{1}{Q} \sum_q \frac{1}{r_q}, \quad r_q = \min_{i \in q: g_i > 0} "
            r"\mathrm{place}(i)"
        ),
    ),
    title="Mean reciprocal rank",
    references=(cite("voorhees1999"),),
    examples=(
        Example(
            (None, TWO_QUERIES, None),
            {"value": (1 + 1 / 2) / 2},
            "by hand: the first relevant rows are at places 1 and 2",
        ),
    ),
)
def mean_reciprocal_rank(
    truth: ArrayLike | None,
    output: Sequence[ArrayLike],
    positive: None,
    *,
    at: Annotated[int | None, Bounds(least=1)] = None,
) -> NDArray[np.float64]:
    """The reciprocal of the place of the first relevant row of each query.

    Returns one value for each query (n,). Raises `ValueError` for `at` below 1.
    """
    depth = _depth(at, "mean_reciprocal_rank")

    def value(relevance: NDArray[np.float64], score: NDArray[np.float64]) -> float:
        first = score[relevance > 0].max()
        before = int((score > first).sum())
        tied = score == first
        rows, relevant = int(tied.sum()), int((relevance[tied] > 0).sum())
        found, chance = 0.0, 1.0  # that no relevant row has come yet
        for place in range(rows - relevant + 1):
            here = chance * relevant / (rows - place)
            if depth is None or before + place < depth:
                found += here / (before + place + 1)
            chance -= here
        return found

    return _by_query(output, value)


def _exponential(relevance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 2^relevance - 1, as a share of the largest power where that would overflow."""
    top = float(relevance.max())
    if top < LARGEST_POWER:
        return np.asarray(np.exp2(relevance) - 1)
    return np.asarray(np.exp2(relevance - top) - np.exp2(-top))


def _depth(at: int | None, name: str) -> int | None:
    if at is not None and at < 1:
        raise ValueError(f"`at` of {name} must be 1 or more, and it is {at}")
    return at


def _by_query(
    output: Sequence[ArrayLike],
    value: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
) -> NDArray[np.float64]:
    """Compute the value of each query; NaN without a relevant row or with a missing number."""
    found = np.full(len(output), np.nan)
    for place, one in enumerate(output):
        rows = np.asarray(one, dtype=np.float64)
        if not np.isnan(rows).any() and (rows[:, 0] > 0).any():
            found[place] = value(rows[:, 0], rows[:, 1])
    return found
