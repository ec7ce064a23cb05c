"""Parts of one training part for a learning curve, each within the next larger one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evallang.protocols.protocol import Rows

Numbers = NDArray[np.int64]


def nested_subsets(
    rows: Rows, training: Numbers, sizes: Sequence[int], seed: int, *, ordered: bool = False
) -> Iterator[Numbers]:
    """Draw subsets of a training part without replacement, one for each of ascending sizes.

    `training` are sorted row numbers of `rows`, and so are the subsets, each of which contains
    the one before. In every subset each stratum has its share, to one row. Groups stay whole: of
    the groups in random order those whose number of rows is nearest to the size, at least one.
    Of rows `ordered` in time the last ones are taken, which nothing draws.
    """
    if ordered:
        places = training if rows.moments is None else rows.moments[training]
        for size in sizes:  # whole moments, so that the order of the file decides nothing
            yield training[places >= np.sort(places)[max(0, len(training) - size)]]
        return
    draws = np.random.default_rng(seed)
    strata = None if rows.strata is None else rows.strata[training]
    if rows.groups is None:
        order = _in_shares(strata, len(training), draws)
        for size in sizes:
            yield np.sort(training[order[:size]])
        return
    names, group_of = np.unique(rows.groups[training], return_inverse=True)
    of_group = None if strata is None else _most_frequent(strata, group_of, len(names))
    order = _in_shares(of_group, len(names), draws)
    reached = np.cumsum(np.bincount(group_of, minlength=len(names))[order])
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    for size in sizes:
        last = int(np.argmin(np.abs(reached - size)))
        yield training[place[group_of] <= last]


def _in_shares(strata: Numbers | None, n: int, draws: np.random.Generator) -> Numbers:
    """Return a random order of n units in which every beginning has its share of each stratum."""
    chance = draws.random(n)
    if strata is None:
        return np.argsort(chance)
    at = np.empty(n)
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        rank = np.empty(len(members))
        rank[np.argsort(chance[members])] = np.arange(len(members))
        at[members] = (rank + 0.5) / len(members)
    return np.lexsort((chance, at))


def _most_frequent(strata: Numbers, group_of: Numbers, n: int) -> Numbers:
    """Return the stratum of most rows of each group, of equally frequent ones the first."""
    _, codes = np.unique(strata, return_inverse=True)
    counts = np.zeros((n, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (group_of, codes), 1)
    return np.asarray(counts.argmax(axis=1), dtype=np.int64)
