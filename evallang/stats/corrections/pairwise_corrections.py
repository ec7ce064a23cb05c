"""Corrections that know which hypotheses about pairs of models can be true together.

If A equals B and B equals C, then A equals C: which pairs are equal is a partition of the
models into classes. `pairs` names two models for each p; pairs that share no model even by
way of others, such as those of another metric, are free of each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    apply_in_order,
    p_values,
    step_down,
)

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
