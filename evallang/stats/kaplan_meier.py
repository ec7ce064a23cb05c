"""The share of examples without an event up to each time, where some times are censored."""

from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray


class Survival(Struct, frozen=True):
    """At each distinct time: the examples at risk just before, their events, the share after.

    `low` and `high` are bounds of the share, NaN where it is 0 or 1.
    """

    times: NDArray[np.float64]
    at_risk: NDArray[np.int64]
    events: NDArray[np.int64]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def kaplan_meier(times: ArrayLike, events: ArrayLike, level: float) -> Survival:
    """Return the product-limit estimate (Kaplan, Meier 1958) with intervals of each time.

    An example that is censored at the time of an event is at risk of it. The intervals are those of
    log(-log(share)) with Greenwood's variance (Borgan, Liestøl 1990).
    """
    known, place = np.unique(np.asarray(times, dtype=np.float64), return_inverse=True)
    died = np.bincount(place, np.asarray(events) > 0, len(known)).astype(np.int64)
    left = np.bincount(place, minlength=len(known))
    at_risk = left[::-1].cumsum()[::-1]
    share = np.cumprod(1 - died / at_risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(died / (at_risk * (at_risk - died)))
        reach = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(greenwood) / np.log(share)
        low, high = (share ** np.exp(sign * reach) for sign in (-1, 1))
    inside = (share > 0) & (share < 1)
    low, high = (np.where(inside, bound, np.nan) for bound in (low, high))
    return Survival(known, at_risk, died, share, low, high)
