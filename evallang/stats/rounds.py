"""Out-of-bag predictions of bootstrap rounds, as the analysis of bias and variance reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Rounds(Struct, frozen=True):
    """The predictions of one model for the rows that each round did not draw.

    Attributes
    ----------
    truth : class code or number of each row of the data (n,)
    row, label : row and prediction of each out-of-bag prediction (p,)
    n_classes : None in a regression
    weights : weight of each row (n,), or None
    rounds, failed : the number of rounds, and of those whose fit failed
    """

    truth: NDArray[Any]
    row: NDArray[np.int64]
    label: NDArray[Any]
    n_classes: int | None
    weights: NDArray[np.float64] | None
    rounds: int
    failed: int
