"""Scores of a model on shuffled targets, as the test against chance reads them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Shuffled(Struct, frozen=True):
    """The score of one model on the target as it is, and on shuffled ones.

    Attributes
    ----------
    observed : the estimate of the protocol on the target as it is
    scores : the same for each shuffled target (rounds,), NaN where it is undefined or a fit failed
    ways : in how many ways the target can be shuffled, infinite where they are too many to count
    within : the columns within whose levels it was shuffled
    groups : how many groups were shuffled whole; None where single examples were
    others : `observed` and `scores` of the other models that the line is about, on the same
        shuffled targets
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    n: int
    observed: float
    scores: NDArray[np.float64]
    ways: float
    within: tuple[str, ...]
    groups: int | None
    others: tuple[tuple[float, NDArray[np.float64]], ...] = ()
