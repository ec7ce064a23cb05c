"""Whether measured numbers lie on the scale that the name of their metric tells."""

import re

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.metrics.named import named_metric

PERCENT = re.compile(r"(?i)%|percent|\bpct\b")


class OffScale(Struct, frozen=True):
    """Why numbers cannot be those of the metric they are called by, and what to write."""

    message: str
    help: str


def scale_of_named(
    metric: str | None, values: "NDArray[np.float64]", where: str
) -> str | OffScale | None:
    """Return a note where numbers are percents of a share, and an objection to other odd ones.

    None where they lie on the scale of the metric, or its scale is unknown.
    """
    named = None if metric is None else named_metric(metric)
    if named is None or not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    above = named.high is not None and high > named.high
    below = named.low is not None and low < named.low
    # Of errors below 1 % no number is above 1, but a name such as `error rate (%)` tells the scale
    by_name = named.better == "lower" and PERCENT.search(metric or "") is not None
    in_percents = by_name or (above and float(np.median(values)) > 1)
    if named.share and low >= 0 and high <= 100 and in_percents:
        return f"{metric}: {low:g} to {high:g} read as percents, so that 1% is one point"
    if not (above or below):
        return None
    if below and not above and high <= 0:
        return OffScale(
            f"`{metric}` is never negative, and {where} has {low:g} to {high:g}",
            f"write the negated metric by its own name, `neg_{named.name or metric}`, which is "
            "better when it is higher, or remove the signs",
        )
    bounds = (
        f"{named.low:g} to {named.high:g}" if named.low is not None else f"at most {named.high:g}"
    )
    bounds = bounds if named.high is not None else f"at least {named.low:g}"
    further = " or from 0 to 100" if named.share else ""
    if named.share and named.better == "lower":
        further += f", called `{metric} (%)`"
    return OffScale(
        f"`{metric}` is a number of {bounds}, and {where} has {low:g} to {high:g}",
        f"write all of its values on one scale, {bounds}{further}, or name another metric",
    )
