"""Sizes of numbers that double precision can square, sum and tell apart, and that a metric has."""

import re

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.findings import Refused
from evallang.data.frame import Frame
from evallang.diagnostics import codes
from evallang.limits import LARGEST_NUMBER, LARGEST_WORD, SMALLEST_NUMBER
from evallang.metrics.named import named_metric

MOST_EXACT = 2**53  # every whole number up to it is a double
LOST_SHARE = 1e-6  # of the range of a column, which rounding may cost
UNIT = "write the column in another unit, such as a power of ten"


def check_sizes(
    frame: Frame,
    numbers: "NDArray[np.float64]",
    what: str,
    keyword: str,
    instead: str = "exclude such rows by `where`",
) -> None:
    """Refuse finite numbers (n,) that cannot be squared and summed.

    `what` names the column in a message, and `instead` says what else removes a huge number.
    Errors are squared, and squared again where their spread is computed: numbers above
    `LARGEST_NUMBER` overflow, and a column whose numbers are all below `SMALLEST_NUMBER` vanishes.
    """
    sizes = np.abs(numbers)
    largest = float(np.nanmax(sizes)) if (~np.isnan(sizes)).any() else 0.0
    if largest > LARGEST_NUMBER:
        rows = np.flatnonzero(sizes > LARGEST_NUMBER).tolist()
        raise Refused(
            codes.unusable_size,
            f"{what} is beyond {LARGEST_WORD} in {frame.places(rows)}: "
            f"{numbers[rows[0]]:.4g}, whose square cannot be summed",
            keyword,
            help=f"{UNIT}, or {instead}",
        )
    if 0 < largest < SMALLEST_NUMBER:
        raise Refused(
            codes.unusable_size,
            f"{what} is nowhere above {SMALLEST_NUMBER:.0e}: the largest number is "
            f"{largest:.4g}, whose square vanishes",
            keyword,
            help=UNIT,
        )


def check_whole_numbers(frame: Frame, column: str, what: str, keyword: str) -> None:
    """Refuse whole numbers that lose their differences as doubles."""
    values = frame.values(column)
    if not values.dtype.is_integer() or values.null_count() == len(values):
        return
    low, high = int(values.min()), int(values.max())  # type: ignore[arg-type]
    if low >= -MOST_EXACT and high <= MOST_EXACT:
        return
    rounded = values.cast(pl.Float64).cast(values.dtype, strict=False)
    changed = values.ne_missing(rounded).arg_true().to_list()
    spacing = float(np.spacing(float(max(abs(low), abs(high)))))
    if not changed or spacing <= LOST_SHARE * (high - low):
        return
    raise Refused(
        codes.unusable_size,
        f"{what} has whole numbers whose last digits are lost, as {values[changed[0]]} in "
        f"{frame.place(changed[0])}",
        keyword,
        help="subtract a constant from the truth and from every prediction, so that the numbers "
        "stay below 9e15",
    )


def check_decimals(numbers: "NDArray[np.float64]", what: str, keyword: str) -> None:
    """Refuse finite numbers (n,) that differ by no more than rounding.

    For what was measured; predictions may well agree but for the rounding of a sum.
    """
    if not len(numbers):
        return
    low, high = float(numbers.min()), float(numbers.max())
    spacing = float(np.spacing(max(abs(low), abs(high))))
    if low == high or spacing <= LOST_SHARE * (high - low):
        return
    raise Refused(
        codes.unusable_size,
        f"the numbers of {what} differ only in digits that double precision rounds, from "
        f"{low!r} to {high!r}",
        keyword,
        help="subtract a constant from the truth and from every prediction before the file is "
        "written",
    )


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
