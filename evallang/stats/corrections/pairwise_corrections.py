"""Corrections for all pairs of models, by which hypotheses can be true together."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import lru_cache
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
    apply_in_order,
    p_values,
    step_down,
)
from evallang.stats.correctness import Correctness, as_boolean, count_correct, p_of_pairs
from evallang.stats.draws import Resamples

Pairs = Sequence[tuple[int, int]]
MOST_MODELS = 9  # of Bergmann and Hommel: 21,147 partitions; ten would have 115,975
ALL_PAIRS_OF_5 = tuple((i, j) for i in range(5) for j in range(i + 1, 5))
# Five classifiers on 30 data sets (García & Herrera 2008), aligned ranks
SCMAMP_P = (
    1.174850e-03,
    3.341698e-01,
    2.843421e-10,
    1.845167e-02,
    2.265711e-02,
    2.197407e-03,
    3.742777e-01,
    9.226472e-08,
    1.643229e-01,
    7.793722e-05,
)
SCMAMP = (
    "R package scmamp, vignette Statistical_assessment_of_the_differences, data of García & "
    "Herrera 2008"
)


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "conservative",
        adjective="Shaffer",
        when=("all pairs of four or more models are compared; it is never less powerful than holm"),
        when_not="models are compared with one reference, where it equals holm",
        formula=(
            "from the smallest p up: p times the largest number of pairs that can still be "
            "equal together after so many rejections, never below the value before"
        ),
    ),
    title="Shaffer's static correction",
    references=(cite("shaffer1986"), cite("garcia2008")),
    examples=(
        Example(
            (SCMAMP_P, ALL_PAIRS_OF_5),
            {
                "0": 0.007049103,
                "1": 0.6683396,
                "3": 0.0738066768,
                "4": 0.09062842,
                "5": 0.01318444,
                "7": 5.535883e-07,
                "8": 0.4929687992,
                "9": 0.0004676233,
            },
            f"{SCMAMP}, adjustShaffer",
            5e-7,
        ),
    ),
)
def shaffer(p: P, pairs: Pairs | None = None) -> Adjusted:
    """Holm's steps, each by the largest number of pairs that can still be equal together.

    Procedure S1 of Shaffer 1986: after i - 1 rejections the i-th p is multiplied by the
    largest attainable number of true hypotheses that is at most m - i + 1. `pairs` are the
    two models of each p; without them p is of all pairs, in the order of
    `itertools.combinations`. Beyond nine models whose pairs are not all there, every number
    counts as attainable, as in Holm. Raises `ValueError` where `pairs` do not fit `p`.
    """
    p = p_values(p)
    known = _checked_pairs(len(p), pairs)
    attainable = sorted(_attainable(known))

    def rule(ascending: list[float]) -> list[float]:
        m = len(ascending)
        return step_down(
            [max(s for s in attainable if s <= m - i) * x for i, x in enumerate(ascending)]
        )

    return apply_in_order(p, rule)


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "conservative",
        adjective="Bergmann–Hommel",
        most_models=MOST_MODELS,
        when=(
            "all pairs of up to nine models are compared; it is the most powerful correction "
            "of pairs without assumptions"
        ),
        when_not=(
            "there are ten or more models: shaffer; models are compared with one reference, "
            "where it equals holm"
        ),
        formula=(
            "for each set of pairs that could be equal together, Bonferroni within the set; "
            "a pair's p is the largest of its sets"
        ),
        differs={
            "scmamp": (
                "the same numbers, for up to nine models; statsmodels and scikit-posthocs "
                "have no such correction"
            ),
        },
    ),
    title="Bergmann–Hommel correction",
    references=(cite("bergmann1988"), cite("garcia2008")),
    examples=(
        Example(
            (SCMAMP_P, ALL_PAIRS_OF_5),
            {
                "0": 0.007049103,
                "1": 0.6683396,
                "3": 0.0553550076,
                "4": 0.067971317,
                "5": 0.008789629,
                "7": 5.535883e-07,
                "8": 0.1643229331,
                "9": 0.0003117489,
            },
            f"{SCMAMP}, adjustBergmannHommel",
            5e-7,
        ),
    ),
)
def bergmann_hommel(p: P, pairs: Pairs | None = None) -> Adjusted:
    """The closed test by Bonferroni of all sets of pairs that can be equal together.

    The adjusted p is the largest |I| min p over the exhaustive sets I that hold the pair
    (Bergmann & Hommel 1988). A pair can have a smaller p than another and a larger adjusted
    one. `pairs` are the two models of each p; without them p is of all pairs, in the order
    of `itertools.combinations`. Raises `ValueError` where `pairs` do not fit `p`, or
    connect more than nine models.
    """
    p = p_values(p)
    known = _checked_pairs(len(p), pairs)
    values = np.array([1.0 if x is None else float(x) for x in p])
    thresholds = np.unique(values)
    parts = _components(known)
    sizes = [_largest_sets(values, known, part, thresholds) for part in parts]
    free = np.sum([best for best, _ in sizes], axis=0) if sizes else np.zeros(0)
    adjusted: list[float | None] = [None] * len(p)
    for part, (best, holding) in zip(parts, sizes, strict=True):
        for row, place in enumerate(part):
            # Sets that hold this pair, with the largest ones of the other parts with them
            reach = thresholds <= values[place]
            value = (thresholds * (holding[row] + free - best))[reach].max()
            adjusted[place] = None if p[place] is None else float(min(value, 1.0))
    return tuple(adjusted)


def _checked_pairs(m: int, pairs: Pairs | None) -> tuple[tuple[int, int], ...]:
    """Return the pairs as ordered tuples; all pairs where there are none."""
    if pairs is None:
        models = round((1 + (1 + 8 * m) ** 0.5) / 2)
        if models * (models - 1) // 2 != m and m:
            raise ValueError(f"{m} p-values are not those of all pairs: `pairs` is needed")
        return tuple((i, j) for i in range(models) for j in range(i + 1, models))[:m]
    known = tuple((min(i, j), max(i, j)) for i, j in pairs)
    if len(known) != m or len(set(known)) != m or any(i == j for i, j in known):
        raise ValueError("each p needs one pair of two models, and no pair comes twice")
    return known


def _components(pairs: tuple[tuple[int, int], ...]) -> list[list[int]]:
    """Group the places of pairs whose models hang together."""
    label: dict[int, int] = {}
    for i, j in pairs:
        old, new = label.setdefault(j, j), label.setdefault(i, i)
        label.update({model: new for model, name in label.items() if name == old})
    groups: dict[int, list[int]] = {}
    for place, (i, _) in enumerate(pairs):
        groups.setdefault(label[i], []).append(place)
    return list(groups.values())


def _attainable(pairs: tuple[tuple[int, int], ...]) -> set[int]:
    """Return the numbers of pairs that can be equal at once, 0 included."""
    total = {0}
    for part in _components(pairs):
        models = {model for place in part for model in pairs[place]}
        if len(part) == len(models) * (len(models) - 1) // 2:
            counts = _counts_of_all_pairs(len(models))
        elif len(models) <= MOST_MODELS:
            counts = frozenset(_equal_pairs(pairs, part).sum(axis=1).tolist())
        else:
            counts = frozenset(range(len(part) + 1))
        total = {x + y for x in total for y in counts}
    return total


@lru_cache(maxsize=64)
def _counts_of_all_pairs(models: int) -> frozenset[int]:
    """Numbers of equal pairs among all: S(k) of Shaffer 1986, one class of j at a time."""
    if models < 2:
        return frozenset({0})
    return frozenset(
        j * (j - 1) // 2 + rest
        for j in range(1, models + 1)
        for rest in _counts_of_all_pairs(models - j)
    )


def _equal_pairs(pairs: tuple[tuple[int, int], ...], part: list[int]) -> NDArray[np.bool_]:
    """Return for each partition of the models which of the pairs are equal, (partitions, m)."""
    models = sorted({model for place in part for model in pairs[place]})
    if len(models) > MOST_MODELS:
        raise ValueError(
            f"`bergmann_hommel` takes the pairs of at most {MOST_MODELS} models, and here are "
            f"{len(models)}"
        )
    number = {model: k for k, model in enumerate(models)}
    classes = _partitions(len(models))
    first = [number[pairs[place][0]] for place in part]
    second = [number[pairs[place][1]] for place in part]
    equal: NDArray[np.bool_] = classes[:, first] == classes[:, second]
    return equal


@lru_cache(maxsize=16)
def _partitions(models: int) -> NDArray[np.int8]:
    """List all partitions of the models as the class of each, (partitions, models)."""
    rows = np.zeros((1, 1), dtype=np.int8)
    for _ in range(models - 1):
        last = rows.max(axis=1)
        times = last.astype(np.intp) + 2
        grown = np.repeat(rows, times, axis=0)
        starts = np.repeat(np.cumsum(times) - times, times)
        added = (np.arange(len(grown)) - starts).astype(np.int8)
        rows = np.column_stack([grown, added])
    return rows


def _largest_sets(
    values: NDArray[np.float64],
    pairs: tuple[tuple[int, int], ...],
    part: list[int],
    thresholds: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Size of the largest exhaustive set whose p all reach each threshold, (T,).

    And of the largest that holds each pair, (m, T), which counts where that pair reaches it.
    """
    equal = _equal_pairs(pairs, part)
    p = values[part]
    sizes = equal.sum(axis=1)
    smallest = np.where(equal, p, np.inf).min(axis=1)
    best = np.zeros(len(thresholds))
    holding = np.zeros((len(part), len(thresholds)))
    for column, threshold in enumerate(thresholds.tolist()):
        reaches = smallest >= threshold
        best[column] = sizes[reaches].max(initial=0)
        holding[:, column] = (equal[reaches] * sizes[reaches][:, None]).max(axis=0, initial=0)
    return best, holding


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
        drawn_by={"method": "bootstrap"},
        when="many pairs are compared by mcnemar, some with few discordant examples",
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
