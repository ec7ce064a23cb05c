"""Confusion matrices and what models agree on, with bounds of shares."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.draws import Resamples
from evallang.stats.intervals.proportions import wilson
from evallang.stats.score_counts import ratio, summing
from evallang.stats.score_curves import Predicted

WILSON, DRAWN = "Wilson", "percentile bootstrap"
ROUNDS = 1000


class CellShare(Struct, frozen=True):
    """The weight of a cell, and its share of the row; None where the row is empty."""

    count: float
    share: Number
    low: Number
    high: Number


class SharesOfRows:
    """The shares of each row of a table of predictions.

    Intervals are Wilson's for independent predictions of the same weight. Otherwise they are
    percentiles of a bootstrap of the units, and None where no round differs.

    Parameters
    ----------
    row, column : place of each prediction (n,)
    rows, columns : size of the table

    Attributes
    ----------
    method : the title of the method of the intervals
    """

    def __init__(
        self,
        predicted: Predicted,
        row: NDArray[np.int64],
        column: NDArray[np.int64],
        rows: int,
        columns: int,
    ) -> None:
        self._level, self._columns = predicted.level, columns
        self._cell = row * columns + column
        self._shape = rows, columns
        self.counts = np.bincount(self._cell, predicted.shares, minlength=rows * columns).reshape(
            self._shape
        )
        independent = predicted.units is None and predicted.weights is None
        self.method = WILSON if independent else DRAWN
        self._bounds = None if independent else self._drawn(predicted)

    def cell(self, row: int, column: int) -> CellShare:
        """Return one cell with the interval of its share."""
        count, total = float(self.counts[row, column]), float(self.counts[row].sum())
        if total <= 0:
            return CellShare(count, None, None, None)
        if self._bounds is None:
            found = wilson(int(count), int(total), self._level)
            return CellShare(count, count / total, found.low, found.high)
        low, high = (float(bound[row, column]) for bound in self._bounds)
        if np.isnan(low) or high - low <= 0:
            return CellShare(count, count / total, None, None)
        return CellShare(count, count / total, low, high)

    def _drawn(self, given: Predicted) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        codes = np.arange(given.n) if given.units is None else given.units
        names, unit = np.unique(codes, return_inverse=True)
        size = self._shape[0] * self._shape[1]
        sums = summing(self._cell, size, given.shares) @ summing(unit.reshape(-1), len(names)).T
        made = []
        units = Resamples(np.ones(len(names)))
        for block in units.blocks(np.random.default_rng(given.seed), ROUNDS):
            tables = (sums @ block.numbers).T.reshape(-1, *self._shape)
            made.append(ratio(tables, np.broadcast_to(tables.sum(2, keepdims=True), tables.shape)))
        tail = (1 - self._level) / 2
        rounds = np.concatenate(made)
        low, high = np.full((2, *self._shape), np.nan)
        known = ~np.isnan(rounds).all(axis=0)  # a row without predictions has no shares
        low[known], high[known] = np.nanquantile(rounds[:, known], [tail, 1 - tail], axis=0)
        return low, high


class Pair(Struct, frozen=True):
    """Two models: how often they predict the same, and how often which one is right.

    `same` is the share of equal predictions with its interval, `kappa` Cohen's kappa of the two
    predictions, `both`, `first`, `second` and `neither` the weight of the examples on which
    these models are right.
    """

    models: tuple[str, str]
    same: Number
    low: Number
    high: Number
    kappa: Number
    both: float
    first: float
    second: float
    neither: float


class Agreement(Struct, frozen=True):
    """All pairs of models, and the examples on which all models are right or wrong."""

    pairs: tuple[Pair, ...]
    all_right: float
    all_wrong: float
    method: str
    n: int


class ShownAgreement(Agreement, frozen=True, kw_only=True):
    """The values of an analysis of agreement; `unit`, `about` and `level` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        about="models",
        task="classification",
        needs="labels",
        shown=ShownAgreement,
        when="models of the same accuracy may be right on different examples",
        when_not="one of two models should be chosen: compare with mcnemar",
        formula=(
            "the share of examples for which two models give the same label, with Wilson's "
            "interval (the percentile bootstrap for groups, weights and repeats); Cohen's kappa "
            "of the two labels; on how many examples both, one or neither is right"
        ),
    ),
    title="Agreement of models",
    references=(cite("cohen1960"), cite("kuncheva2003")),
)
def agreement(together: Mapping[str, Predicted]) -> Agreement:
    """How often each two of the models predict the same, and are right on the same examples.

    Raises `ValueError` for fewer than two models.
    """
    if len(together) < 2:
        raise ValueError("agreement is about two models or more")
    given = next(iter(together.values()))
    right = {name: one.labels == one.truth for name, one in together.items()}
    shares, pairs, method = given.shares, [], ""
    for first, second in combinations(together, 2):
        a, b = together[first].labels, together[second].labels
        same = (a == b).astype(np.int64)
        table = SharesOfRows(given, np.zeros(given.n, dtype=np.int64), same, 1, 2)
        method, found = table.method, table.cell(0, 1)
        x, y = right[first], right[second]
        weights = [float(shares[m].sum()) for m in (x & y, x & ~y, ~x & y, ~x & ~y)]
        kappa = None if found.share is None else _kappa(given, a, b, found.share)
        pairs.append(Pair((first, second), found.share, found.low, found.high, kappa, *weights))
    every = np.stack(list(right.values()))
    return Agreement(
        pairs=tuple(pairs),
        all_right=float(shares[every.all(axis=0)].sum()),
        all_wrong=float(shares[~every.any(axis=0)].sum()),
        method=method,
        n=given.n,
    )


def _kappa(given: Predicted, a: object, b: object, same: float) -> Number:
    """Return Cohen's kappa of two rows of labels, None where each names one class only."""
    k, total = len(given.classes) + 1, given.shares.sum()
    first, second = (
        np.bincount(np.asarray(labels) + 1, given.shares, minlength=k) / total for labels in (a, b)
    )
    chance = float((first * second).sum())
    return None if chance >= 1 else (same - chance) / (1 - chance)


class ConfusionCell(Struct, frozen=True):
    """How many examples of one class were predicted to be of another, and their share."""

    truth: str
    predicted: str
    count: float
    share: Number
    low: Number
    high: Number


class Confusion(Struct, frozen=True):
    """The cells, row by row; `predicted` is empty for labels that are none of the classes."""

    classes: tuple[str, ...]
    cells: tuple[ConfusionCell, ...]
    method: str
    n: int


class ShownConfusion(Confusion, frozen=True, kw_only=True):
    """The values of a confusion matrix that a report reads; `unit`, `about` are the run's."""

    unit: str
    about: str
    level: float


@ANALYSES.register(
    AnalysisDeclaration(
        task="classification",
        needs="labels",
        shown=ShownConfusion,
        when="readers need to see which mistakes a model makes",
        when_not="two models are compared: compare; one rate is of interest: recall, precision",
        formula=(
            "the number of predictions for each true and predicted class; the share of each row "
            "with Wilson's interval, with the percentile bootstrap where rows are drawn in "
            "groups, have weights, or are predicted several times"
        ),
        equation=r"\frac{C_{ij}}{\sum_j C_{ij}}",
    ),
    title="Confusion matrix",
    references=(cite("zhou2021"),),
)
def confusion(predicted: Predicted) -> Confusion:
    """The counts of true by predicted classes, and the share of each row with its interval."""
    k = len(predicted.classes)
    strange = bool((predicted.labels < 0).any())
    column = np.where(predicted.labels < 0, k, predicted.labels).astype(np.int64)
    shares = SharesOfRows(predicted, predicted.truth.astype(np.int64), column, k, k + strange)
    names = (*predicted.classes, "")
    cells = []
    for row in range(k):
        for place in range(k + strange):
            found = shares.cell(row, place)
            cells.append(
                ConfusionCell(
                    names[row], names[place], found.count, found.share, found.low, found.high
                )
            )
    return Confusion(predicted.classes, tuple(cells), shares.method, predicted.n)
