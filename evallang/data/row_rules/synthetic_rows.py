"""Rows that were made from other rows to balance the classes, before the study read them."""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.findings import Findings, counted
from evallang.data.row_rules.row_rule import RowDesign, once_read
from evallang.diagnostics import Code

FEWEST_ROWS = 10  # made ones; fewer move no estimate by much
LEAST_SHARE = 0.1  # of the rows of a class
MOST_DECIMALS = 5  # of what instruments and people write down
FURTHER_DECIMALS = 3  # beyond those of the other classes
MOST_COUNTED = MOST_DECIMALS - FURTHER_DECIMALS  # decimals to which others can add
LEAST_FEATURES = 0.5  # of those on a grid; a row in between is in between in most of them
SAME_ROWS = 0.5  # of the rows with further decimals in any feature, those that have them in most
FEWEST_FEATURES = 2
LEAST_DIMENSIONS = 3  # in two, points of a coarse grid are often on one line
LOOKED_AT = 200  # rows of each class
NEIGHBOURS = 30  # of each; the two ends of a made row are among the nearest few of its class
MOST_ROWS = 20_000  # looked at for decimals, and the largest class whose neighbours are looked up
LEAST_VALUES = 0.5  # distinct values for each row; a coarser feature has midpoints by chance
OPPOSITE = 1e-8  # 1 + cosine of the directions to both ends; of 10^8 random pairs one is so close
SEED = 20201120


class Evidence(Struct, frozen=True):
    """How many rows of a class look made, and why.

    Attributes
    ----------
    label : the class
    made : the number of rows that look made, of those looked at
    looked_at : the number of rows that were looked at
    words : what they have and the rows of other classes do not
    """

    label: str
    made: int
    looked_at: int
    words: str


@once_read("W445", source="Vandewiele et al. 2021; Blagus & Lusa 2015; Chawla et al. 2002")
def synthetic_rows(table: Table, design: RowDesign, findings: Findings, code: Code) -> None:
    """Rows of one class were made from other rows, as SMOTE makes them, before the split.

    A synthetic row lies between two real rows. One of the three is often tested by a model that
    was trained on the other two, and the test rows no longer have the class shares of the
    population. The rule finds synthetic rows by their decimals or by their position. Decimals: in
    at least half of the features, the same rows of one class (at least 10, and a tenth of the
    class) have three or more decimals beyond those of another class. Position: at least a tenth
    of the rows of one class lie exactly on the line between two of their 30 nearest neighbours of
    that class in three or more features, and at most a fifth as many rows of any other class.
    Independent measurements do not: of 100 million pairs of directions one is so close to
    opposite. Copies of rows are reported by `duplicated_rows`.

    Objects to:

        data visits from "visits-balanced.csv"
          target readmitted
        model logistic = LogisticRegression

    Accepts:

        data visits from "visits.csv"
          target readmitted
        model logistic = SMOTE | LogisticRegression
    """
    if table.task != "classification":
        return
    _, numbers = design.numbers(table)
    complete = ~np.isnan(numbers).any(axis=0)
    numbers = numbers if complete.all() else numbers[:, complete]  # which copies them
    if numbers.shape[1] < FEWEST_FEATURES:
        return
    found = _class_of_decimals(table, numbers) or _class_of_position(table, numbers)
    if found is None:
        return
    counts = np.bincount(table.y, minlength=len(table.classes))
    every = "both" if len(counts) == 2 else f"all {len(counts)}"
    balanced = f"; {every} classes have {counts[0]:,} rows"
    findings.add(
        code,
        f"{found.made:,} of {counted(found.looked_at, 'row')} of `{found.label}` look synthetic: "
        f"{found.words}{balanced if (counts == counts[0]).all() else ''}",
        "target",
        "from",
        help="read the raw rows, and write `SMOTE` before the classifier, a step that makes rows "
        "in training parts alone",
    )


def _class_of_decimals(table: Table, numbers: "NDArray[np.float64]") -> Evidence | None:
    """Return the class whose rows have further decimals in most features."""
    classes, y = len(table.classes), table.y
    if table.n > MOST_ROWS:
        chosen = np.random.default_rng(SEED).permutation(table.n)[:MOST_ROWS]
        numbers, y = numbers[chosen], y[chosen]
    places = [_decimals(numbers[:, i], y, classes) for i in range(numbers.shape[1])]
    for label in range(classes):
        rows = y == label
        odd = [
            ~_is_on_grid(numbers[rows, i], min(others) + FURTHER_DECIMALS - 1)
            for i, found in enumerate(places)
            if (others := [d for c, d in enumerate(found) if c != label and d is not None])
        ]
        if len(odd) < max(FEWEST_FEATURES, LEAST_FEATURES * numbers.shape[1]):
            continue
        share = np.mean(odd, axis=0)
        made = share >= LEAST_FEATURES
        some = share > 0
        n_made, n_rows = int(made.sum()), int(rows.sum())
        least = max(FEWEST_ROWS, LEAST_SHARE * n_rows, SAME_ROWS * int(some.sum()))
        if n_made < least:
            continue
        most = max(
            decimals
            for found in places
            for c, decimals in enumerate(found)
            if c != label and decimals is not None
        )
        return Evidence(
            table.classes[label],
            n_made,
            n_rows,
            f"their values have at least {FURTHER_DECIMALS} decimals more than those of other "
            f"classes, which have at most {most}",
        )
    return None


def _decimals(
    values: "NDArray[np.float64]", labels: "NDArray[np.int64]", classes: int
) -> "list[int | None]":
    """Return the number of decimals of each class's values, None where none can have more."""
    least = np.zeros(len(values), dtype=np.int64)
    for decimals in range(MOST_COUNTED + 1):
        off = least == decimals
        if not off.any():
            break
        least[off & ~_is_on_grid(values, decimals)] = decimals + 1
    most = [int(least[labels == c].max(initial=0)) for c in range(classes)]
    return [d if d <= MOST_COUNTED else None for d in most]


def _is_on_grid(values: "NDArray[np.float64]", decimals: int) -> "NDArray[np.bool_]":
    scaled = values * 10.0**decimals
    found: NDArray[np.bool_] = np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(
        1, np.abs(scaled)
    )
    return found


def _class_of_position(table: Table, numbers: "NDArray[np.float64]") -> Evidence | None:
    """Return the class whose rows lie between two others far more often than other classes'."""
    if np.bincount(table.y).min() > MOST_ROWS:
        return None
    fine = _fine_columns(numbers)
    if fine.shape[1] < LEAST_DIMENSIONS:
        return None
    spread = fine.std(axis=0)
    fine = fine / np.where(spread > 0, spread, 1)
    draw = np.random.default_rng(SEED)
    between: dict[int, tuple[int, int]] = {}
    for label in range(len(table.classes)):
        rows = fine[table.y == label]
        if 3 <= len(rows) <= MOST_ROWS:
            between[label] = _count_between(rows, draw)
    if len(between) < 2:
        return None
    shares = {label: made / looked_at for label, (made, looked_at) in between.items()}
    label = max(shares, key=lambda one: shares[one])
    others = max(share for one, share in shares.items() if one != label)
    made, looked_at = between[label]
    if made < FEWEST_ROWS or shares[label] < LEAST_SHARE or others > shares[label] / 5:
        return None
    return Evidence(
        table.classes[label],
        made,
        looked_at,
        f"they lie exactly on the line between two others, as {others:.0%} of other classes do",
    )


def _fine_columns(numbers: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the features of which half of the values differ, or more."""
    some = numbers
    if len(numbers) > MOST_ROWS:
        some = numbers[np.random.default_rng(SEED).permutation(len(numbers))[:MOST_ROWS]]
    kept = [
        i for i in range(some.shape[1]) if len(np.unique(some[:, i])) >= LEAST_VALUES * len(some)
    ]
    return numbers[:, kept]


def _count_between(rows: "NDArray[np.float64]", draw: "np.random.Generator") -> tuple[int, int]:
    """Return how many rows of a class lie on a line between two others, and of how many."""
    chosen = np.sort(draw.permutation(len(rows))[:LOOKED_AT])
    squares = (rows * rows).sum(axis=1)
    distances = squares[chosen, None] + squares - 2 * rows[chosen] @ rows.T
    distances[np.arange(len(chosen)), chosen] = np.inf
    k = min(NEIGHBOURS, len(rows) - 1)
    nearest = np.argpartition(distances, k - 1, axis=1)[:, :k]
    made = 0
    for row, near in zip(chosen, nearest, strict=True):
        steps = rows[near] - rows[row]
        lengths = np.sqrt((steps * steps).sum(axis=1))
        steps = steps[lengths > 0] / lengths[lengths > 0, None]
        made += bool(len(steps) > 1 and (steps @ steps.T).min() <= -1 + OPPOSITE)
    return made, len(chosen)
