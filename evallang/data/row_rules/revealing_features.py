"""One feature that tells the target almost by itself, as a result of it would."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.data.dataset import Column, Table
from evallang.data.findings import Findings, written
from evallang.data.row_rules.row_rule import RowDesign, once_read
from evallang.data.row_rules.strengths import area, ranks, squared_correlation
from evallang.diagnostics import Code

LEAST_ROWS = 50  # in fewer, one of several sound features separates two classes by chance
FEWEST_OF_A_CLASS = 10
FEWEST_FEATURES = 3  # among fewer none can be alone
GIVES_AWAY = {"classification": 0.99, "regression": 0.98}
"""Area under the curve and R2; the best single feature of breast_cancer has .975."""
FAR_BELOW = {"classification": 0.95, "regression": 0.9}
"""What all other features must stay below: of well separated classes several reach more."""
BINS = 5  # rows of an interval that predicts its commonest class, of more than two classes
MOST_ROWS = 20_000
"""Rows that are looked at, of two classes half of them from each: the standard error of an area of
.99 is then .0007, and that of an R2 of .98 is .0003."""
SEED = 20121218
MOST_LEVELS = 0.1  # levels of a category for each row; of more each level names few rows


@once_read("W446", source="Kaufman et al. 2012; Kapoor & Narayanan 2023")
def feature_gives_the_target_away(
    table: Table, design: RowDesign, findings: Findings, code: Code
) -> None:
    """One feature alone predicts the target almost perfectly, and no other comes close.

    Such a feature is mostly recorded after the outcome or derived from it, such as the place to
    which a patient was discharged, and is missing when a prediction is needed. The rule reports
    a feature with an area under the ROC curve of at least .99 if all other features stay below
    .95. With more than two classes it uses the balanced accuracy of intervals of 5 rows, and for
    a numeric target an R2 (by a line or by ranks) of at least .98 and below .9. The best feature
    of a sound data set has less, such as .975 in breast_cancer, or several features separate the
    classes. The target with little noise is found as well. A previous value of a series may
    predict the target so well, so R2 does not count under `time_series`. The rule needs at least
    50 rows, 10 rows of each class and 3 features.

    Objects to:

        data stays from "stays.csv"
          target died

    Accepts:

        data stays from "stays.csv"
          target died
          features all except discharged_to
    """
    columns = design.columns(table)
    if table.n < LEAST_ROWS or len(columns) < FEWEST_FEATURES:
        return
    if table.task == "classification":
        counts = np.bincount(table.y, minlength=len(table.classes))
        if len(counts) < 2 or counts.min() < FEWEST_OF_A_CLASS:
            return
    elif design.neighbours:
        return
    found = strengths(table, columns)
    if sum(value > 0 for value, _ in found) < FEWEST_FEATURES:
        return
    (best, name), (second, runner_up) = found[:2]
    if best < GIVES_AWAY[table.task] or second >= FAR_BELOW[table.task]:
        return
    findings.add(
        code,
        f"`{name}` alone predicts `{table.target}` with {scale_of(table)} of "
        f"{written_strength(best)}; the next feature, `{runner_up}`, has "
        f"{written_strength(second)}",
        "features",
        "target",
        help=f"write `features all except {written(name)}` if it is known only after the outcome"
        if table.spec.features is None
        else f"remove `{name}` from the features if it is known only after the outcome",
    )


def scale_of(table: Table) -> str:
    """Return the noun, with its article, of the scale on which a feature's strength is."""
    if table.task == "regression":
        return "an R2"
    return "an area under the ROC curve" if len(table.classes) == 2 else "a balanced accuracy"


def written_strength(value: float) -> str:
    """Format a strength: `.975`."""
    return f"{value:.3f}".removeprefix("0")


def strengths(table: Table, columns: Iterable[Column]) -> list[tuple[float, str]]:
    """Return how well each feature predicts the target by itself, with its name, best first.

    Of more than 20,000 rows, 20,000 that are drawn with a fixed seed are examined.
    """
    two = table.task == "classification" and len(table.classes) == 2
    rows = _drawn(table.y, of_each=two) if table.n > MOST_ROWS else np.arange(table.n)
    y = table.y[rows]
    return sorted(((_strength(table, one, rows, y), one.name) for one in columns), reverse=True)


def _strength(table: Table, column: Column, rows: "NDArray[np.int64]", y: "NDArray[Any]") -> float:
    """Return how well one feature predicts the target by itself, `y` in these rows (n,).

    The area under the curve for two classes, balanced accuracy for more, R2 for numbers. A
    category predicts the mean target of its level, and a missing value is a value of its own,
    below all others. O(n log n).
    """
    from_all = table.numeric if column.numeric else table.objects
    values: NDArray[Any] = from_all[rows, column.index]
    several = table.task == "classification" and len(table.classes) > 2
    if column.numeric:
        missing = np.isnan(values)
        if missing.all():
            return 0.0
        lowest = np.nanmin(values) - 1
        numbers: NDArray[np.float64] = np.where(missing, lowest, values)
        if numbers.min() == numbers.max():
            return 0.0
        if several:
            return _balanced_accuracy(_intervals(numbers), y, len(table.classes))
    else:
        levels = _levels(values)
        if levels is None:
            return 0.0
        if several:
            return _balanced_accuracy(levels, y, len(table.classes))
        numbers = (np.bincount(levels, weights=y) / np.bincount(levels))[levels]
    if table.task == "regression":
        return max(squared_correlation(numbers, y), squared_correlation(ranks(numbers), ranks(y)))
    return area(numbers, y == 1) if 0 < int((y == 1).sum()) < len(y) else 0.0


def _drawn(y: "NDArray[Any]", *, of_each: bool) -> "NDArray[np.int64]":
    """Draw rows with a fixed seed; `of_each` draws half of them from each of two classes.

    An area under the curve does not depend on how common a class is, and a rare one has few rows.
    """
    draw = np.random.default_rng(SEED)
    if not of_each:
        return draw.integers(0, len(y), MOST_ROWS)
    found = []
    for code in (0, 1):
        rows = np.flatnonzero(y == code)
        half = MOST_ROWS // 2
        found.append(rows if len(rows) <= half else rows[draw.integers(0, len(rows), half)])
    return np.concatenate(found)


def _levels(texts: "NDArray[np.object_]") -> "NDArray[np.int64] | None":
    """Return a number for each category; None where most levels name few rows, or all one."""
    numbers: dict[str, int] = {}
    levels = np.array([numbers.setdefault(str(text), len(numbers)) for text in texts.tolist()])
    return levels if 1 < len(numbers) <= MOST_LEVELS * len(texts) else None


def _intervals(values: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Return the interval (n,) of each value: 5 rows each, equal values together."""
    order = np.argsort(values, kind="stable")
    arranged = values[order]
    new = np.r_[True, arranged[1:] != arranged[:-1]]
    starts = np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = starts // BINS
    return found


def _balanced_accuracy(
    parts: "NDArray[np.int64]", labels: "NDArray[np.int64]", classes: int
) -> float:
    """Return the mean recall where each part predicts its commonest class, classes weighted."""
    counts = np.zeros((int(parts.max()) + 1, classes))
    np.add.at(counts, (parts, labels), 1)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    winners = shares.argmax(axis=1)
    return float(shares[np.arange(len(winners)), winners].sum() / classes)
