"""The correction of many McNemar tests on the same examples: discrete, or with dependence."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Bounds, Example
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    p_values,
    step_down,
)
from evallang.stats.correctness import Correctness, as_boolean, count_correct
from evallang.stats.discordant_pairs import p_of_pairs
from evallang.stats.draws import Resamples

ROUNDS = 10_000
SAME = 1e-9  # relative; the same statistic reached by another order of sums

# Discordant examples of the three pairs: 8 and 0, 6 and 0, 0 and 2
THREE_MODELS = ((1, 0, 0),) * 6 + ((1, 0, 1),) * 2 + ((1, 1, 1),) * 20


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "conservative",
        adjective="Westfall–Troendle",
        of_test="mcnemar",
        when="mcnemar compares many pairs, some with few discordant examples",
        when_not="the line uses another test: holm",
        formula=(
            "from the smallest exact p up, whichever p the test itself prints: add, over the pairs "
            "not yet rejected, the chance that their exact p could have been as small, never below "
            "the value before. With `bootstrap` studentized differences take the place of p"
        ),
        differs={
            "mcnemar holm": (
                "`holm` adjusts the p that the test prints, mid-p by default. With 5 discordant "
                "examples to 0 in two of three pairs and none in the third, mid-p is .031 and "
                "exact p .0625: `holm` gives .094 and `westfall` .125, so that `holm` is the "
                "stronger there. With 9 to 0, 1 to 0 and 0 to 8 the smallest is .0059 by `holm` "
                "and .0039 by `westfall`, because eight discordant examples or fewer never give "
                "so small an exact p"
            ),
        },
    ),
    title="Westfall, Troendle and Pennello's correction",
    references=(cite("westfall2010"),),
    examples=(
        Example(
            ((2 / 2**8, 2 / 2**6, 2 / 2**2), THREE_MODELS, ((0, 1), (0, 2), (1, 2))),
            {"0": 2 / 2**8, "1": 2 / 2**6, "2": 2 / 2**2},
            "own derivation: six discordant examples cannot give a p of 2/256, nor two one of "
            "2/64, so that nothing is added",
        ),
    ),
)
def westfall(
    p: P,
    correct: ArrayLike | Correctness,
    pairs: Sequence[tuple[int, int]],
    seed: int = 0,
    *,
    method: Literal["exact", "bootstrap"] = "exact",
    rounds: Annotated[int, Bounds(least=2)] = ROUNDS,
) -> Adjusted:
    """Correct McNemar tests of many pairs by what each of them could have shown at all.

    `exact` steps down over the exact p-values, not over the mid-p that `mcnemar` prints by
    default, whose level no correction can guarantee: each is replaced by the sum, over the pairs
    not rejected yet, of the chance that their p is as small, which is 0 for pairs with too
    few discordant examples. It controls the family-wise error rate under any dependence.
    `bootstrap` steps down over the studentized differences and refers each to the largest
    one left among `rounds` resamples of the examples, centred at the differences found, so
    that their dependence counts; p is (1 + exceeding)/(1 + rounds). Westfall, Troendle &
    Pennello 2010. `correct` is Boolean (n, M), or for `exact` its counts; `pairs` are the
    columns of each p. An undefined p stays so and counts as 1. Raises `ValueError`
    where shapes disagree.
    """
    p = p_values(p)
    try:
        chosen = [(operator.index(i), operator.index(j)) for i, j in pairs]
    except (TypeError, ValueError):
        raise ValueError("each p needs one pair of two models, by their columns") from None
    if len(chosen) != len(p):
        raise ValueError("each p needs one pair of two models")
    if not chosen:
        return ()
    if method == "exact":
        found = _discrete(count_correct(correct), chosen, p)
    else:
        if isinstance(correct, Correctness):
            raise ValueError("`westfall(bootstrap)` needs right and wrong of every example")
        found = _resampled(correct, chosen, p, seed, rounds)
    return tuple(
        None if raw is None else min(max(value, raw), 1.0)
        for raw, value in zip(p, found, strict=True)
    )


def _discrete(counts: Correctness, pairs: Sequence[tuple[int, int]], p: P) -> list[float]:
    """Step down over exact p, by the sum of the attainable levels of the pairs left."""
    tables = [counts.pair(i, j) for i, j in pairs]
    b = np.array([table[0][1] for table in tables])
    c = np.array([table[1][0] for table in tables])
    undefined = np.array([raw is None for raw in p])
    exact = p_of_pairs(b, c, "exact")
    exact[undefined] = 1.0
    order = np.argsort(exact, kind="stable")
    levels = _attainable_levels(exact[order], (b + c)[order])
    sums = [float(levels[i, i:].sum()) for i in range(len(order))]
    return _back(order, step_down(sums))


def _attainable_levels(p: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each p (rows) and each number of discordant examples: P(exact p <= p).

    That is the largest exact p that n can give and that does not exceed the given one.
    """
    low = np.broadcast_to((n + 1) // 2, (len(p), len(n))).copy()  # gives p = 1, or nearly
    high = np.broadcast_to(n + 1, low.shape).copy()
    limit = p[:, None] * (1 + SAME)
    # Smallest count that is extreme enough, by bisection
    while (low < high).any():
        middle = (low + high) // 2
        enough = p_of_pairs(middle, n - middle, "exact") <= limit
        high = np.where(enough, middle, high)
        low = np.where(enough, low, np.minimum(middle + 1, high))
    levels = np.where(low > n, 0.0, p_of_pairs(low, n - low, "exact"))
    none = np.broadcast_to(n == 0, levels.shape)
    return np.where(none, np.where(limit >= 1, 1.0, 0.0), levels)


def _resampled(
    correct: ArrayLike, pairs: Sequence[tuple[int, int]], p: P, seed: int, rounds: int
) -> list[float]:
    """Step down over studentized differences, by the largest one of each resample."""
    if rounds < 1:
        raise ValueError("a bootstrap takes one round or more")
    patterns, times = np.unique(as_boolean(correct), axis=0, return_counts=True)
    n = int(times.sum())
    if n == 0:
        return [1.0] * len(pairs)
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    signs = patterns[:, first].astype(np.float64) - patterns[:, second]
    weights = times.astype(np.float64)
    difference, total = weights @ signs, weights @ np.abs(signs)
    observed = np.abs(_studentized(difference, difference, total, n))
    observed[[raw is None for raw in p]] = 0.0
    order = np.argsort(-observed, kind="stable")
    exceeding = np.zeros(len(pairs), dtype=np.int64)
    for block in Resamples(times).blocks(np.random.default_rng(seed), rounds):
        drawn = block.numbers.T
        moved = drawn @ signs
        z = np.abs(_studentized(moved - difference, moved, drawn @ np.abs(signs), n))
        # The largest among those not rejected yet, from the last in order up
        largest = np.maximum.accumulate(z[:, order[::-1]], axis=1)[:, ::-1]
        exceeding += (largest >= observed[order] * (1 - SAME)).sum(axis=0)
    return _back(order, step_down([(1 + int(x)) / (1 + rounds) for x in exceeding]))


def _studentized(
    numerator: NDArray[np.float64],
    difference: NDArray[np.float64],
    discordant: NDArray[np.float64],
    n: int,
) -> NDArray[np.float64]:
    """Divide by the standard deviation of b - c, infinite where it is 0 and the rest is not."""
    variance = discordant - difference**2 / n
    spread = np.sqrt(np.maximum(variance, 0.0))
    flat = variance <= SAME
    z: NDArray[np.float64] = np.where(
        flat, np.where(numerator == 0, 0.0, np.inf), numerator / np.where(flat, 1.0, spread)
    )
    return z


def _back(order: NDArray[np.intp], values: list[float]) -> list[float]:
    """Restore the order of values that are sorted by p."""
    result = [0.0] * len(values)
    for place, value in zip(order.tolist(), values, strict=True):
        result[place] = value
    return result
