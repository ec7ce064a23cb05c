"""Right answers of two models, each on examples of its own: nothing pairs them."""

from __future__ import annotations

from msgspec import Struct

from evallang.stats.validation import MOST_COUNTED

Share = tuple[int, int]
"""How many examples are right, and of how many."""


class Shares(Struct, frozen=True):
    """What two models have right, each of its own examples: (right, n)."""

    first: Share
    second: Share


def checked_share(share: Share) -> Share:
    """Read one share as two ints; raises `ValueError` where 0 <= right <= n does not hold."""
    try:
        given = tuple(share)
        right, n = (int(x) for x in given)
        whole = (right, n) == given
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a share is (right, n), two whole numbers") from None
    if not whole or not 0 <= right <= n <= MOST_COUNTED:
        raise ValueError(f"{given[0]} of {given[1]} is not a share of examples")
    return right, n
