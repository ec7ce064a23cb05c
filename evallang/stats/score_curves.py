"""Held-out scores as a curve: of each fold, their average, the pooled one, and its bands.

A curve is computed from cells: the positives and negatives at each step of the score. Rounds of
a bootstrap draw the counts of the cells (independent predictions) or the units, so that a round
costs no sorting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.shown import Number
from evallang.stats.cost_lines import area_of_lowest_costs
from evallang.stats.draws import Resamples, drawn_weights
from evallang.stats.predicted import Predicted
from evallang.stats.weightings import summing

ROUNDS = 1000
TURNED = 401  # places along a curve at which rounds are compared with it
MOST_STEPS = 512  # of a curve; more distinct scores share steps with their neighbours
AT_ONCE = 1 << 22  # numbers of a block of rounds
SAME = 1e-9  # rates that differ by less are one


class CurvePoint(Struct, frozen=True):
    """A point of a curve: pointwise bounds, bounds of the simultaneous band, the pooled curve."""

    x: Number
    y: Number
    low: Number
    high: Number
    band_low: Number
    band_high: Number
    pooled: Number


class Summary(Struct, frozen=True):
    """A number that sums up a curve, with its interval."""

    name: str
    value: Number
    low: Number = None
    high: Number = None


class Reference(Struct, frozen=True):
    """A line that a curve is read against, through some points (x, y)."""

    name: str
    points: tuple[tuple[float, float], ...]


class Curve(Struct, frozen=True):
    """A curve of one model, its summaries, and what it was computed from."""

    points: tuple[CurvePoint, ...]
    summaries: tuple[Summary, ...]
    references: tuple[Reference, ...]
    n: int
    positives: int
    folds: int
    notes: tuple[str, ...] = ()


class ShownCurve(Struct, frozen=True):
    """The values of an analysis that draws a curve; `unit`, `about` and `level` are the run's.

    With three classes or more a curve is about one class against the rest (`of_class`), or the
    mean of these curves (`macro`).
    """

    unit: str
    about: str
    level: float
    points: tuple[CurvePoint, ...]
    summaries: tuple[Summary, ...]
    references: tuple[Reference, ...]
    n: int
    positives: int
    folds: int
    notes: tuple[str, ...] = ()
    of_class: str | None = None
    macro: bool = False


Heights = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], "NDArray[np.float64]"]
"""From true and false positives at each step (B, s + 1), from none to all, to y on the grid."""


class Steps:
    """The scores of some predictions in steps from the highest to the lowest, ties in one.

    `most` is the largest number of steps.

    Attributes
    ----------
    positives, negatives : weight at each step (s,)
    step : of each prediction (n,)
    """

    def __init__(
        self,
        predicted: Predicted,
        rows: NDArray[np.intp],
        *,
        most: int | None = None,
        thresholds: NDArray[np.float64] | None = None,
    ) -> None:
        assert predicted.scores is not None, "a curve is drawn from scores"
        scores = predicted.scores[rows]
        if thresholds is not None:
            steps = len(thresholds) + 1
            step = len(thresholds) - np.searchsorted(thresholds, scores, side="right")
        else:
            step = np.unique(-scores, return_inverse=True)[1].reshape(-1)
            if most is not None and step.max() >= most:
                before = np.concatenate([[0], np.cumsum(np.bincount(step))[:-1]])
                step = np.unique((before * most // len(rows))[step], return_inverse=True)[1]
            steps = int(step.max()) + 1
        self.rows, self.step = rows, step.reshape(-1)
        self.is_positive = predicted.is_positive[rows]
        shares = predicted.shares[rows]
        both = np.bincount(2 * self.step + self.is_positive, shares, 2 * steps)
        self.negatives, self.positives = both[0::2], both[1::2]

    @property
    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """True and false positives above each threshold (1, s + 1)."""
        return _sums(np.atleast_2d(self.positives)), _sums(np.atleast_2d(self.negatives))

    @property
    def area(self) -> float:
        """The area under the ROC curve: the share of pairs in order, ties counting half."""
        above = np.cumsum(self.positives) - self.positives / 2
        total = self.positives.sum() * self.negatives.sum()
        return float((above * self.negatives).sum() / total)

    @property
    def lowest_cost_area(self) -> float:
        """The area under the lowest cost lines, exact and not on a grid."""
        return area_of_lowest_costs(self.positives[::-1], self.negatives[::-1])

    @property
    def average_precision(self) -> float:
        """The mean of the precision at each positive, as scikit-learn sums it."""
        true = np.cumsum(self.positives)
        precision = true / np.maximum(true + np.cumsum(self.negatives), np.finfo(float).tiny)
        return float((precision * self.positives).sum() / self.positives.sum())


def _sums(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up cells (B, s) from the highest score, from none to all (B, s + 1)."""
    made = np.zeros((len(cells), cells.shape[1] + 1))
    np.cumsum(cells, axis=1, out=made[:, 1:])
    return made


class ScoreCurves:
    """The curves of the folds of one model, and what resamples them.

    Folds whose predictions have one class have no curve; `skipped` counts them. With rising
    `thresholds` a step is what lies between two of them. Raises `ValueError` where no fold has
    both classes.
    """

    def __init__(
        self,
        predicted: Predicted,
        *,
        pooled: bool = False,
        thresholds: NDArray[np.float64] | None = None,
    ) -> None:
        self.predicted = predicted
        rows = np.arange(predicted.n)
        codes = np.zeros(predicted.n, dtype=np.int64)
        if predicted.folds is not None and not pooled:
            codes = predicted.folds
        every = [rows[codes == fold] for fold in np.unique(codes)]
        weights = [predicted.weights_of_classes(part) for part in every]
        both = [r for r, sides in zip(every, weights, strict=True) if min(sides) > 0]
        if not both:
            raise ValueError("no fold has examples of both classes")
        self.skipped = len(every) - len(both)
        self.folds = [Steps(predicted, r, most=MOST_STEPS, thresholds=thresholds) for r in both]

    def exact(self) -> list[Steps]:
        """Return the folds with every distinct score as a step."""
        return [Steps(self.predicted, fold.rows) for fold in self.folds]

    def average(self, heights: Heights) -> NDArray[np.float64]:
        """Average the curves of the folds on the grid of `heights` (m,)."""
        each = np.stack([heights(*fold.sums)[0] for fold in self.folds])
        return np.asarray(each.mean(axis=0), dtype=np.float64)

    def resample(self, heights: Heights) -> NDArray[np.float64]:
        """Return the average curve in each round of a bootstrap (B, m), NaN where undefined."""
        return np.concatenate([self._averages(heights, drawn) for drawn in self._cells()])

    def _averages(self, heights: Heights, drawn: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Average the curves of the folds in each round, from the weights of their cells."""
        total: NDArray[np.float64] | float = 0.0
        defined: NDArray[np.int64] | int = 0
        for cells in drawn:
            negatives, positives = cells[:, 0::2], cells[:, 1::2]
            sound = (positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)
            values = heights(_sums(positives[sound]), _sums(negatives[sound]))
            filled = np.zeros((len(cells), values.shape[1]))
            filled[sound] = values
            total, defined = total + filled, np.asarray(defined + sound, dtype=np.int64)
        count = np.asarray(defined, dtype=np.float64)
        return np.asarray(total / np.where(count > 0, count, np.nan)[:, None])

    def _cells(self) -> Iterator[list[NDArray[np.float64]]]:
        """Draw the weights of the cells of all folds, some rounds at a time."""
        rng = np.random.default_rng(self.predicted.seed)
        ends = np.cumsum([2 * len(fold.positives) for fold in self.folds])[:-1]
        draw = self._drawn_cells() if self._independent else self._drawn_units()
        size = max(1, AT_ONCE // self._width)
        for start in range(0, ROUNDS, size):
            yield np.split(draw(rng, min(size, ROUNDS - start)), ends, axis=1)

    @property
    def _independent(self) -> bool:
        return self.predicted.units is None and self.predicted.weights is None

    @property
    def width(self) -> int:
        """The number of cells of all folds."""
        return sum(2 * len(fold.positives) for fold in self.folds)

    @property
    def _width(self) -> int:
        return self.width if self._independent else max(self.width, self.predicted.n)

    def _drawn_cells(self) -> Callable[[np.random.Generator, int], NDArray[np.float64]]:
        sizes = np.concatenate(
            [np.column_stack([f.negatives, f.positives]).ravel() for f in self.folds]
        ).astype(np.int64)
        source = Resamples(sizes)
        return lambda rng, rounds: source.draw(rng, rounds).T.astype(float)

    def _drawn_units(self) -> Callable[[np.random.Generator, int], NDArray[np.float64]]:
        given = self.predicted
        n_units = given.n_units
        cells = self._cells_of_units()
        return lambda rng, rounds: cells(drawn_weights(rng, n_units, rounds))

    def rounds_of(self, heights: Heights, times: NDArray[Any]) -> NDArray[np.float64]:
        """Return the average curve where units are drawn `times` (B, units), NaN if undefined."""
        ends = np.cumsum([2 * len(fold.positives) for fold in self.folds])[:-1]
        return self._averages(heights, np.split(self._cells_of_units()(times), ends, axis=1))

    def _cells_of_units(self) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
        """Return what makes the weights of all cells from how often each unit is drawn."""
        given = self.predicted
        starts = np.cumsum([0, *(2 * len(fold.positives) for fold in self.folds)])
        cell = np.full(given.n, -1)
        for start, fold in zip(starts, self.folds, strict=False):
            cell[fold.rows] = start + 2 * fold.step + fold.is_positive
        codes = np.arange(given.n) if given.units is None else given.units
        unit = np.unique(codes, return_inverse=True)[1].reshape(-1)
        sums = summing(cell, int(starts[-1]), given.shares) @ summing(unit, given.n_units).T
        return lambda times: (sums @ times.T.astype(np.float64)).T


def macro_curve(
    each: Sequence[ScoreCurves],
    grid: NDArray[np.float64],
    heights: Heights,
    summaries: tuple[Summary, ...],
    references: tuple[Reference, ...],
    *,
    bounded: bool = True,
) -> Curve:
    """Return the mean of the curves of several classes, each against the rest.

    All classes are drawn together: the bounds, where they are `bounded`, are percentiles of the
    mean in the rounds. There is no band for the whole curve, since none of known coverage is.
    """
    found = np.mean([curves.average(heights) for curves in each], axis=0)
    bounds = pointwise(_macro_rounds(each, heights), each[0].predicted.level) if bounded else None
    pooled = [pooled_heights(curves, heights) for curves in each]
    known = [curve for curve in pooled if curve is not None]
    mean = np.mean(known, axis=0) if len(known) == len(each) else None
    given = each[0].predicted
    points = points_of(grid, found, bounds, None, mean)
    notes = dict.fromkeys(note for curves in each for note in notes_of(curves))
    return Curve(
        points=points,
        summaries=summaries,
        references=references,
        n=given.n,
        positives=given.n,
        folds=max(len(curves.folds) for curves in each),
        notes=tuple(notes),
    )


def _macro_rounds(each: Sequence[ScoreCurves], heights: Heights) -> NDArray[np.float64]:
    """Return the mean curve of all classes in each round in which all are defined (B, m)."""
    given = each[0].predicted
    rng = np.random.default_rng(given.seed)
    size = max(1, AT_ONCE // max(given.n, *(curves.width for curves in each)))
    made = []
    for start in range(0, ROUNDS, size):
        times = drawn_weights(rng, given.n_units, min(size, ROUNDS - start))
        made.append(np.mean([curves.rounds_of(heights, times) for curves in each], axis=0))
    rounds = np.concatenate(made)
    return np.asarray(rounds[~np.isnan(rounds).any(axis=1)])


Band = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The lower and the upper bounds of a curve (m,), NaN where there are none."""


def average_and_rounds(
    curves: ScoreCurves, heights: Heights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the average curve (m,) and that of each round in which it is defined (B, m)."""
    rounds = curves.resample(heights)
    return curves.average(heights), rounds[~np.isnan(rounds).any(axis=1)]


def pointwise(rounds: NDArray[np.float64], level: float) -> Band:
    """Return percentiles of the rounds (B, m) at each point, NaN where they coincide."""
    tail = (1 - level) / 2
    low, high = np.quantile(rounds, [tail, 1 - tail], axis=0)
    varies = (rounds.std(axis=0) > SAME) & (high - low > SAME)
    return np.where(varies, low, np.nan), np.where(varies, high, np.nan)


def sup_t_band(
    found: NDArray[np.float64],
    rounds: NDArray[np.float64],
    level: float,
    among: NDArray[np.bool_],
) -> Band:
    """Return a band for some points at once: the estimate plus and minus a multiple of its sd.

    The multiple is the level's quantile of the largest standardized deviation of a round from
    the estimate at the points `among` (m,) (Montiel Olea & Plagborg-Møller 2019). For curves
    without steep parts, at points that rest on enough examples.
    """
    sd = rounds.std(axis=0, ddof=1)
    varies = (sd > SAME) & among
    low, high = np.full((2, len(found)), np.nan)
    if varies.any():
        largest = np.abs((rounds - found)[:, varies] / sd[varies]).max(axis=1)
        half = np.quantile(largest, level) * sd[varies]
        low[varies], high[varies] = found[varies] - half, found[varies] + half
    return low, high


def fixed_width_band(
    curves: ScoreCurves,
    grid: NDArray[np.float64],
    found: NDArray[np.float64],
    rounds: NDArray[np.float64],
) -> Band:
    """Return a band for a whole ROC curve, of one width across the curve (Campbell 1994).

    The curve moves up and left, or down and right, by a multiple of 1 / sqrt(positives) and
    1 / sqrt(negatives). The multiple is the level's quantile of the largest distance, in that
    direction, of a round from the estimate; so steep parts need no large vertical bounds.
    """
    given = curves.predicted
    positives = given.is_positive.sum()
    across, up = math.sqrt(given.n - positives), math.sqrt(positives)
    along = np.linspace(0.0, across + up, TURNED)

    x = np.concatenate([[0.0], grid, [1.0]]) * across

    def turned(heights: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        y = np.pad(heights, ((0, 0), (1, 1)), constant_values=(0.0, 1.0)) * up
        for along_curve, above in zip(x + y, y - x, strict=True):
            yield np.interp(along, along_curve, above)

    (centre,) = turned(found[None])
    if len(rounds):
        largest = np.array([np.abs(one - centre).max() for one in turned(rounds)])
        width = float(np.quantile(largest, given.level))
    if not len(rounds) or width <= SAME:
        empty = np.full(len(grid), np.nan)
        return empty, empty
    bounds = []
    for moved in (centre - width, centre + width):
        x = np.maximum.accumulate((along - moved) / 2 / across)
        y = (along + moved) / 2 / up
        bounds.append(np.clip(np.interp(grid, x, y, left=y[0], right=y[-1]), 0.0, 1.0))
    return bounds[0], bounds[1]


def points_of(
    grid: NDArray[np.float64],
    found: NDArray[np.float64],
    bounds: Band | None = None,
    band: Band | None = None,
    pooled: NDArray[np.float64] | None = None,
) -> tuple[CurvePoint, ...]:
    """Join a curve (m,) with its bounds, its band and the pooled curve."""
    none = np.full(len(grid), np.nan)
    columns = (grid, found, *(bounds or (none, none)), *(band or (none, none)))
    other = none if pooled is None else pooled
    rows = zip(*columns, other, strict=True)
    return tuple(CurvePoint(*map(_number, row)) for row in rows)


def pooled_heights(curves: ScoreCurves, heights: Heights) -> NDArray[np.float64] | None:
    """Return the curve of the scores of all folds together, None where there is one fold."""
    if len(curves.folds) < 2:
        return None
    return ScoreCurves(curves.predicted, pooled=True).average(heights)


def _number(value: float) -> Number:
    return None if np.isnan(value) else float(value)


def curve_of(
    curves: ScoreCurves,
    points: tuple[CurvePoint, ...],
    summaries: tuple[Summary, ...],
    references: tuple[Reference, ...],
) -> Curve:
    """Join a curve with what it was computed from."""
    given = curves.predicted
    return Curve(
        points=points,
        summaries=summaries,
        references=references,
        n=given.n,
        positives=int(given.is_positive.sum()),
        folds=len(curves.folds),
        notes=notes_of(curves),
    )


def percentile_bounds(values: NDArray[np.float64], level: float) -> tuple[Number, Number]:
    """Return the percentile interval of rounds (B,), None where its bounds coincide."""
    values = values[~np.isnan(values)]
    if len(values) < 2 or values.std() <= SAME:
        return None, None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return (float(low), float(high)) if high - low > SAME else (None, None)


def notes_of(curves: ScoreCurves) -> tuple[str, ...]:
    """Return the note on folds without a curve."""
    if not curves.skipped:
        return ()
    folds = "1 fold has" if curves.skipped == 1 else f"{curves.skipped} folds have"
    return (f"{folds} examples of one class only, and no curve",)


# --- heights ----------------------------------------------------------------------------------


def _place(
    rates: NDArray[np.float64], grid: NDArray[np.float64], side: Literal["left", "right"]
) -> NDArray[np.intp]:
    """Find each grid value in each row of rising rates (B, s + 1), rates being in [0, 1]."""
    # Each rate is found on the grid, which stays in the cache, and rates are counted up to there
    wanted = grid + (SAME if side == "right" else -SAME)
    at = np.searchsorted(wanted, rates, side="left" if side == "right" else "right")
    cells = len(grid) + 1
    at += cells * np.arange(len(rates))[:, None]
    times = np.bincount(at.ravel(), minlength=len(rates) * cells).reshape(-1, cells)
    return np.cumsum(times[:, :-1], axis=1, dtype=np.intp)


IN_CACHE = 16_384  # heights computed together, for which the processor's cache has room


def true_positive_rate(grid: NDArray[np.float64]) -> Heights:
    """Return the heights of an ROC curve, straight between its steps, at false positive rates."""

    def heights(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        risen = np.empty((len(true), len(grid)))
        size = max(1, IN_CACHE // len(grid))
        for start in range(0, len(true), size):
            part = slice(start, start + size)
            risen[part] = some(true[part], false[part])
        return risen

    def some(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = false / false[:, -1:], true / true[:, -1:]
        left = np.minimum(_place(x, grid, "right") - 1, x.shape[1] - 2)
        left += x.shape[1] * np.arange(len(x))[:, None]  # places in all rows together
        right = left + 1
        x0, x1, y0, y1 = x.take(left), x.take(right), y.take(left), y.take(right)
        upright = x1 <= x0
        x1 -= x0
        x1[upright] = 1.0
        share = np.subtract(grid, x0, out=x0)
        share /= x1
        np.clip(share, 0.0, 1.0, out=share)
        risen = np.subtract(y1, y0, out=x1)
        risen *= share
        risen += y0
        np.copyto(risen, y1, where=upright)
        return np.asarray(risen, dtype=np.float64)

    return heights


def precision_at_recall(grid: NDArray[np.float64]) -> Heights:
    """Return the precision at the highest threshold that reaches each recall above 0."""

    def heights(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.minimum(_place(true / true[:, -1:], grid, "left"), true.shape[1] - 1)
        rows = np.arange(len(true))[:, None]
        found = true[rows, at]
        return np.asarray(found / (found + false[rows, at]), dtype=np.float64)

    return heights


def lowest_cost(grid: NDArray[np.float64]) -> Heights:
    """Return the lower envelope of the cost lines at probability costs (Zhou 2021, 2.3.4)."""

    def heights(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        missed, alarms = 1 - true / true[:, -1:], false / false[:, -1:]
        return np.stack([(missed * c + alarms * (1 - c)).min(axis=1) for c in grid], axis=1)

    return heights


def net_benefit(thresholds: NDArray[np.float64]) -> Heights:
    """Return the net benefit at rising thresholds (m,), of steps between the thresholds."""
    odds = thresholds / (1 - thresholds)
    column = np.arange(len(thresholds), 0, -1)

    def heights(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        total = true[:, -1:] + false[:, -1:]
        return np.asarray((true[:, column] - odds * false[:, column]) / total, dtype=np.float64)

    return heights


def area_under(heights: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the area under each curve (B, m) over the grid by the trapezoidal rule (B,)."""
    found = np.trapezoid(heights, grid, axis=-1)
    return np.atleast_1d(np.asarray(found, dtype=np.float64))
