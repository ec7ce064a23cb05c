"""Where each score stands among those of the other class: what areas under ROC curves are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evallang.registry import lazy
from evallang.stats.ascending import ascending

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

MOST_IN_HALF = 1 << 30  # examples whose doubled numbers fit into 32 bits


def doubled_type(n: int) -> type[np.signedinteger]:
    """Return the type of twice the number of examples that one of n outranks."""
    return np.int32 if n < MOST_IN_HALF else np.int64


def twice_outranked(
    positive: NDArray[np.bool_], values: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.signedinteger]]:
    """Return the places of all scores (n,) in ascending order, and what each outranks, doubled.

    A positive outranks the negatives with a lower score, a negative the positives with a
    higher one; ties count half, so that the double is a whole number. The second array is in
    ascending order of the scores. Scores tie where they are equal bit by bit.
    """
    n = len(values)
    whole = doubled_type(n)
    order, ordered = ascending(values)
    up = positive[order]
    ups = np.cumsum(up, dtype=whole)  # positives up to each place and with it
    total = ups[-1] if n else whole(0)
    if not (ordered[1:] == ordered[:-1]).any():
        outranked = np.where(up, np.arange(1, n + 1, dtype=whole), total)
        outranked -= ups
        outranked *= 2
        return order, outranked
    # Of each run of equal scores: the positives before it, and those with it
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    del ordered
    last = np.append(first[1:], n) - 1
    both = ups[last]
    both[1:] += ups[last[:-1]]
    del ups
    below, sizes = (first + last + 1).astype(whole) - both, last - first + 1
    outranked = np.repeat(below, sizes)
    np.copyto(outranked, np.repeat(2 * total - both, sizes), where=~up)
    return order, outranked
