"""Features that were scaled with the numbers of all rows before the study read them."""

import numpy as np
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.findings import Findings
from evallang.data.row_rules.row_rule import RowDesign, once_read
from evallang.diagnostics import Code

NEARLY = 1e-6  # relative to a feature's spread; sums of n standardised values are not exactly 0
ROUNDED = 1e-3  # the same, of z-scores written with three decimals
LEAST_ROWS_ROUNDED = 30  # in which two columns of draws have such means and spreads by chance less
LEAST_VALUES = 3  # different ones; a feature of two is an indicator, which no scaler changes
LEAST_ROOM = 0.01  # mean distances of values; probabilities that round to 0 and 1 lie denser
LOWS = (0.0, -1.0)  # least values of features that are scaled to end at 1
FINE = 1e3  # values on a grid of thousandths are shares written as such, not scaled numbers
MOSTLY = 0.5  # of a feature's values off that grid


@once_read("W414", source="Raschka 2018, 3.9; Kaufman et al. 2012; Kapoor & Narayanan 2023")
def already_standardised_features(
    table: Table, design: RowDesign, findings: Findings, code: Code
) -> None:
    """The numeric features were scaled before the data were split.

    Means, spreads or extremes of the test rows have then influenced the training rows. Use the
    raw values, and write the scaler as a step of the model, where it is fitted on the training
    rows alone. The rule looks at all numeric features with more than two values: either each has
    mean 0 and the same spread (1, up to a thousandth), or each has 0 and 1 (or -1 and 1) as its
    extremes and most values between thousandths. Two columns of independent draws have such means
    and spreads in less than one of a thousand tables. Shares with up to three decimals, and
    probabilities that round to 0 and 1, are not reported.

    Objects to:

        data visits from "visits-scaled.csv"
          target readmitted
        model logistic = LogisticRegression

    Accepts:

        data visits from "visits.csv"
          target readmitted
        model logistic = StandardScaler | LogisticRegression
    """
    if table.excluded or table.n < 2:
        return
    every, columns = _columns(table.numeric)
    if len(columns) < 2:
        return
    ends = None
    if _have_common_spread(every):  # indicators may be scaled as well, or stay as they are
        number = len(every)
    elif _have_common_spread(columns):
        number = len(columns)
    elif (ends := _common_range(columns)) is not None:
        number = len(every) if _end_at(every, ends) else len(columns)
    else:
        return
    some = "" if number == len(every) else " with more than two values"
    what = "mean 0 and the same spread" if ends is None else f"{ends:.0f} and 1 as extreme values"
    scaler = "StandardScaler" if ends is None else "MinMaxScaler"
    if ends == -1:
        scaler = "MaxAbsScaler"
    findings.add(
        code,
        f"{'both' if number == 2 else f'all {number}'} numeric features{some} of "
        f"`{table.source}` have {what}",
        "features",
        help="scikit-learn supplies them so: read the raw values from a file, or say why this "
        "does no harm: `# evallang: allow already_standardised_features because ...`"
        if table.spec.kind == "sklearn"
        else f"use the raw values, and write `{scaler}` as a step of the model",
    )


def _columns(
    numeric: "NDArray[np.float64]",
) -> "tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]":
    """Return the present values of each feature that varies, and of those with more values."""
    present = [values[~np.isnan(values)] for values in numeric.T]
    every = [values for values in present if len(values) and values.min() < values.max()]
    more = [v for v in every if not bool(((v == v.min()) | (v == v.max())).all())]
    return every, more


def _have_common_spread(columns: "list[NDArray[np.float64]]") -> bool:
    """Return whether all features have mean 0 and one spread that scalers give."""
    spreads = np.array([values.std() for values in columns])
    n = np.array([len(values) for values in columns])
    means = np.array([abs(values.mean()) for values in columns])
    exact = bool((means < NEARLY * spreads).all()) and any(
        np.allclose(spreads, unit, rtol=NEARLY)
        for unit in (np.ones(len(n)), np.sqrt((n - 1) / n), 1 / np.sqrt(n))
    )
    if exact or n.min() < LEAST_ROWS_ROUNDED:
        return exact
    rounded = any(
        np.allclose(spreads, unit, rtol=ROUNDED) for unit in (np.ones(len(n)), np.sqrt((n - 1) / n))
    )
    return bool((means < ROUNDED * spreads).all()) and rounded


def _common_range(columns: "list[NDArray[np.float64]]") -> float | None:
    """Return the least value, 0 or -1, of features that all end at 1; None of others."""
    for low in LOWS:
        if _end_at(columns, low):
            free = float(np.median([_room_at_ends(values) for values in columns]))
            fine = all(_are_fine(values) for values in columns)
            return low if fine and free >= LEAST_ROOM else None
    return None


def _end_at(columns: "list[NDArray[np.float64]]", low: float) -> bool:
    return all(
        abs(values.min() - low) < NEARLY and abs(values.max() - 1) < NEARLY for values in columns
    )


def _room_at_ends(values: "NDArray[np.float64]") -> float:
    """Return how far the values next to both ends are from them, in mean distances of values."""
    inside = values[(values > values.min()) & (values < values.max())]
    low, high = values.min(), values.max()
    room = min(inside.min() - low, high - inside.max())
    return float(room / (high - low) * len(values))


def _are_fine(values: "NDArray[np.float64]") -> bool:
    """Return whether most values are between the thousandths."""
    scaled = values * FINE
    return bool((np.abs(scaled - np.round(scaled)) > NEARLY).mean() >= MOSTLY)
