"""The fits of `interval nested_cv`: without each fold, and without each pair of folds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated

import numpy as np

from evallang.protocols.protocol import (
    ALGORITHM,
    FOLDS,
    PROTOCOLS,
    TIMES,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import k_folds
from evallang.registry import Bounds


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("folds", "and", "pairs"),
        yields=lambda options: Yields(frozenset(), once=False),
        describe=lambda options: (
            f"{options['folds']}-fold cross-validation repeated {options['repeats']} times, with "
            "further fits that omit each pair of folds"
        ),
        short="{repeats}×{folds}-fold CV and pairs",
        about=ALGORITHM,
        n_splits=lambda options: (
            options["repeats"] * options["folds"] * (options["folds"] + 1) // 2
        ),
        division="shuffled",
        least={"folds": 3},
        option_words={"folds": FOLDS, "repeats": TIMES},
        folds="folds",
        when="an interval requires it",
        when_not="a study states its own protocol: cv, nested cv",
    ),
    title="Cross-validation without each pair of folds",
    listed=False,
)
def folds_and_pairs(
    rows: Rows, *, folds: int, repeats: Annotated[int, Bounds(least=1)]
) -> Iterator[Split]:
    """Test each fold by a model without it, and each pair of folds by a model without both.

    In every repeat, splits 0 to `folds` - 1 omit one fold; those after them omit two, in the
    order of `pairs_of`, and test the rows of both. One fit without folds i and j serves the
    inner cross-validation of i and that of j (Bates, Hastie & Tibshirani 2024, algorithm 1).
    Raises `ValueError` as `cv` does, and for fewer than three folds.
    """
    if folds < 3:
        raise CannotSplit(
            f"a model without a pair of folds needs at least 3 folds, and folds is {folds}"
        )
    everything = np.arange(rows.n, dtype=np.int64)
    for repeat in range(repeats):
        tested = []
        for fold, (train, test) in enumerate(k_folds(rows, folds, rows.seed(repeat))):
            tested.append(test)
            yield Split(repeat, fold, train, test)
        for number, (one, other) in enumerate(pairs_of(folds), start=folds):
            both = np.sort(np.concatenate([tested[one], tested[other]]))
            yield Split(repeat, number, np.setdiff1d(everything, both), both)


def pairs_of(folds: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of folds in the order of their splits."""
    return tuple(combinations(range(folds), 2))
