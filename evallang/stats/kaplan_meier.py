"""The share of examples without an event up to each time, where some times are censored."""

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray


class Survival(Struct, frozen=True):
    """At each distinct time: the examples at risk just before, their events, the share after."""

    times: NDArray[np.float64]
    at_risk: NDArray[np.int64]
    events: NDArray[np.int64]
    share: NDArray[np.float64]


def kaplan_meier(times: ArrayLike, events: ArrayLike) -> Survival:
    """Return the product-limit estimate (Kaplan, Meier 1958).

    An example that is censored at the time of an event is at risk of it.
    """
    known, place = np.unique(np.asarray(times, dtype=np.float64), return_inverse=True)
    died = np.bincount(place, np.asarray(events) > 0, len(known)).astype(np.int64)
    left = np.bincount(place, minlength=len(known))
    at_risk = left[::-1].cumsum()[::-1]
    return Survival(known, at_risk, died, np.cumprod(1 - died / at_risk))
