"""Curves over thresholds of scores: their points, bounds and lines of cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.shown import Number
from evallang.stats.draws import Resamples
from evallang.stats.score_counts import areas_by_score, precisions_by_score, summing


class Predicted(Struct, frozen=True, dict=True):
    """The held-out predictions of one model.

    Attributes
    ----------
    truth : class of each prediction as an index (n,), or its number in a regression
    labels : predicted class (n,), -1 where it is none of the classes, or predicted number
    scores : score of the positive class (n,), higher for it, or None
    probabilities : True where the scores are probabilities
    classes : the names of the classes, empty in a regression
    positive : index of the positive class, or None
    folds : the fitted model of each prediction (n,) as int codes, None where one model made all
    units : what is drawn together (n,) as int codes, None where each prediction is one
    weights : weight of each prediction (n,), or None
    level : confidence level of intervals and bands
    seed : 32-bit seed of resampling
    """

    truth: NDArray[Any]
    labels: NDArray[Any]
    scores: NDArray[np.float64] | None
    probabilities: bool
    classes: tuple[str, ...]
    positive: int | None
    folds: NDArray[np.int64] | None
    units: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    level: float
    seed: int

    @property
    def n(self) -> int:
        """The number of predictions."""
        return len(self.truth)

    @property
    def n_units(self) -> int:
        """The number of units that are drawn together."""
        return self.n if self.units is None else len(np.unique(self.units))

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether the truth of each prediction is the positive class (n,)."""
        return np.asarray(self.truth == self.positive, dtype=bool)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weight of each prediction (n,), 1 without weights."""
        return np.ones(self.n) if self.weights is None else self.weights

    def rates(self) -> tuple[float, float, float]:
        """Return false and true positive rate and precision of the predicted classes.

        Precision is 1 where no prediction is the positive class, as its curve begins there.
        """
        called = np.flatnonzero(self.labels == self.positive)
        negative, positive = self.weights_of_classes()
        alarms, hits = self.weights_of_classes(called)
        return alarms / negative, hits / positive, hits / (alarms + hits) if len(called) else 1.0

    def weights_of_classes(self, rows: NDArray[np.intp] | None = None) -> tuple[float, float]:
        """Return the weight of the negatives and of the positives, of some rows or of all."""
        shares, up = self.shares, self.is_positive
        if rows is not None:
            shares, up = shares[rows], up[rows]
        return float(shares[~up].sum()), float(shares[up].sum())


AT_ONCE = 1 << 16  # numbers of a block of rows, which stay in the cache
ROWS_AT_ONCE = 256  # rows lie 2 apart, and so keep the slopes of their steps to 1e-13


def areas_of_lowest_costs(positives: NDArray[Any], negatives: NDArray[Any]) -> NDArray[np.float64]:
    """Return the area for each row of weights at each distinct score, rising (B, s): (B,).

    NaN where a class has no example.
    """
    found = np.full(len(positives), np.nan)
    both = (positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)
    rows = np.flatnonzero(both)
    size = max(1, min(ROWS_AT_ONCE, AT_ONCE // max(positives.shape[1], 1)))
    for start in range(0, len(rows), size):
        some = rows[start : start + size]
        found[some] = _areas(positives[some], negatives[some])
    return found


def _areas(positives: NDArray[Any], negatives: NDArray[Any]) -> NDArray[np.float64]:
    """Return the areas of rows in which both classes have examples.

    The lowest lines belong to the corners of the convex hull of the ROC curve. A side of the hull
    on which the rates rise by dt and df ends where its two lines have the same cost, at
    df / (dt + df), and the integral between these places is 1/2 less half of the sum of
    df^2 / (dt + df) over the sides. Steps are pooled into sides until the share of negatives
    rises, as isotonic regression pools them: all rows in one call, each above the one before it.
    """
    rises = (positives / positives.sum(axis=1, keepdims=True))[:, ::-1]
    runs = (negatives / negatives.sum(axis=1, keepdims=True))[:, ::-1]
    steps = rises + runs
    row, place = np.nonzero(steps)
    run, step = runs[row, place], steps[row, place]
    sides = scipy.optimize.isotonic_regression(run / step + 2.0 * row, weights=step).blocks[:-1]
    across, along = np.add.reduceat(run, sides), np.add.reduceat(step, sides)
    removed = np.bincount(row[sides], across**2 / along, minlength=len(rises))
    return np.asarray((1 - removed) / 2)


ROUNDS = 1000
TURNED = 401  # places along a curve at which rounds are compared with it
MOST_STEPS = 512  # of a curve; more distinct scores share steps with their neighbours
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


class SmoothPoint(Struct, frozen=True):
    """A point of a smooth curve with its pointwise bounds, None where they coincide."""

    x: Number
    y: Number
    low: Number
    high: Number


class Curve(Struct, frozen=True):
    """A curve of one model, its summaries, and what it was computed from.

    `chosen` is the place of the predicted classes (x, y); None of several classes and of curves
    without such a place. Points that are bins have `counts`, the weights of their examples, next to
    the `smooth` curve of all and a `histogram` of their places, in parts of 0 to 1 of equal width.
    """

    points: tuple[CurvePoint, ...]
    summaries: tuple[Summary, ...]
    references: tuple[Reference, ...]
    n: int
    positives: int
    folds: int
    notes: tuple[str, ...] = ()
    chosen: tuple[float, float] | None = None
    counts: tuple[float, ...] = ()
    smooth: tuple[SmoothPoint, ...] = ()
    histogram: tuple[float, ...] = ()


class ShownCurve(Curve, frozen=True, kw_only=True):
    """The values of an analysis that draws a curve; `unit`, `about` and `level` are the run's.

    With three classes or more a curve is about one class against the rest (`of_class`), or the
    mean of these curves (`macro`).
    """

    unit: str
    about: str
    level: float
    of_class: str | None = None
    macro: bool = False


Heights = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], "NDArray[np.float64]"]
"""From true and false positives at each step (B, s + 1), from none to all, to y on the grid."""
Band = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""The lower and the upper bounds of a curve (m,), NaN where there are none."""


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
        cells = np.bincount(2 * self.step + self.is_positive, shares, 2 * steps)
        self.cells: NDArray[np.float64] = cells.astype(np.float64)
        self.negatives, self.positives = self.cells[0::2], self.cells[1::2]

    @property
    def area(self) -> float:
        """The area under the ROC curve: the share of pairs in order, ties counting half."""
        return float(areas_by_score(*self._rising)[0])

    @property
    def lowest_cost_area(self) -> float:
        """The area under the lowest cost lines, exact and not on a grid."""
        return float(areas_of_lowest_costs(*(side.T for side in self._rising))[0])

    @property
    def average_precision(self) -> float:
        """The mean of the precision at each positive, as scikit-learn sums it."""
        return float(precisions_by_score(*self._rising)[0])

    @property
    def _rising(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.positives[::-1, None], self.negatives[::-1, None]


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
        codes = np.zeros(predicted.n, dtype=np.int64)
        if predicted.folds is not None and not pooled:
            codes = predicted.folds
        every = [np.flatnonzero(codes == fold) for fold in np.unique(codes)]
        both = [rows for rows in every if min(predicted.weights_of_classes(rows)) > 0]
        if not both:
            raise ValueError("no fold has examples of both classes")
        self.skipped = len(every) - len(both)
        self.folds = [Steps(predicted, r, most=MOST_STEPS, thresholds=thresholds) for r in both]

    def exact(self) -> list[Steps]:
        """Return the folds with every distinct score as a step."""
        return [Steps(self.predicted, fold.rows) for fold in self.folds]

    @cached_property
    def cells(self) -> NDArray[np.float64]:
        """The weights of the cells of all folds (cells,)."""
        return np.concatenate([fold.cells for fold in self.folds])

    @cached_property
    def of_units(self) -> Any:
        """The weight of each unit in each cell, a sparse matrix (cells, units)."""
        given = self.predicted
        cell = np.full(given.n, -1)
        start = 0
        for fold in self.folds:
            cell[fold.rows] = start + 2 * fold.step + fold.is_positive
            start += len(fold.cells)
        codes = np.arange(given.n) if given.units is None else given.units
        unit = np.unique(codes, return_inverse=True)[1].reshape(-1)
        return summing(cell, start, given.shares) @ summing(unit, given.n_units).T

    def average(
        self, heights: Heights, cells: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Average the curves of the folds on the grid of `heights` (m,).

        Of given weights of the cells (B, cells) it is (B, m), NaN where no fold has both classes.
        """
        given = self.cells[None] if cells is None else cells
        ends = np.cumsum([len(fold.cells) for fold in self.folds])[:-1]
        total, defined = np.zeros(1), np.zeros(len(given))
        for part in np.split(given, ends, axis=1):
            rates = [np.cumsum(part[:, side::2], axis=1) for side in (1, 0)]
            sound = (rates[0][:, -1] > 0) & (rates[1][:, -1] > 0)
            true, false = (np.pad(side[sound], ((0, 0), (1, 0))) for side in rates)
            values = heights(true, false)
            filled = np.zeros((len(given), values.shape[1]))
            filled[sound] = values
            total, defined = total + filled, defined + sound
        found = total / np.where(defined > 0, defined, np.nan)[:, None]
        return np.asarray(found[0] if cells is None else found)


def average_and_rounds(
    curves: ScoreCurves | Sequence[ScoreCurves], heights: Heights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the average curve (m,) and that of each round in which it is defined (B, m).

    Of several classes it is the mean, and all are drawn together.
    """
    each = [curves] if isinstance(curves, ScoreCurves) else list(curves)
    given, rng = each[0].predicted, np.random.default_rng(each[0].predicted.seed)
    alone = len(each) == 1 and given.units is None and given.weights is None
    source = Resamples(each[0].cells if alone else np.ones(given.n_units))
    made = []
    for block in source.blocks(rng, ROUNDS):
        drawn = [block.numbers if alone else one.of_units @ block.numbers for one in each]
        found = [one.average(heights, cells.T) for one, cells in zip(each, drawn, strict=True)]
        made.append(np.mean(found, axis=0))
    rounds = np.concatenate(made)
    average = np.mean([one.average(heights) for one in each], axis=0)
    return average, rounds[~np.isnan(rounds).any(axis=1)]


def curve_of(
    each: Sequence[ScoreCurves],
    grid: NDArray[np.float64],
    heights: Heights,
    summaries: Sequence[Summary],
    references: tuple[Reference, ...] = (),
    *,
    band: Callable[[NDArray[np.float64], NDArray[np.float64]], Band] | None = None,
    bounded: bool = True,
    pooled: bool = True,
    chosen: tuple[float, float] | None = None,
) -> Curve:
    """Return the curve of one model, or the mean of those of several classes against the rest.

    The bounds, where it is `bounded`, are percentiles of the rounds. `band` makes that of the whole
    curve from the average and the rounds; of several classes none of known coverage is known.
    """
    given, none = each[0].predicted, np.full(len(grid), np.nan)
    bounds = whole = none, none
    if bounded:
        found, rounds = average_and_rounds(each, heights)
        bounds = pointwise(rounds, given.level)
        if band is not None and len(each) == 1:
            whole = band(found, rounds)
    else:
        found = np.mean([one.average(heights) for one in each], axis=0)
    folds = max(len(one.folds) for one in each)
    mixed = none
    if pooled and all(len(one.folds) > 1 for one in each):
        others = [ScoreCurves(one.predicted, pooled=True) for one in each]
        mixed = np.mean([one.average(heights) for one in others], axis=0)
    rows = zip(grid, found, *bounds, *whole, mixed, strict=True)
    points = (CurvePoint(*(None if np.isnan(x) else float(x) for x in row)) for row in rows)
    return Curve(
        points=tuple(points),
        summaries=tuple(summaries),
        references=references,
        n=given.n,
        positives=int(given.is_positive.sum()) if len(each) == 1 else given.n,
        folds=folds,
        notes=tuple(dict.fromkeys(note for one in each for note in _notes_of(one))),
        chosen=chosen,
    )


def means_of_folds(
    each: Sequence[ScoreCurves], name: str, value: Callable[[Steps], float], *, pooled: bool = True
) -> list[Summary]:
    """Sum up curves by the mean over folds and classes, and by that of the pooled scores."""
    found = [np.mean([value(fold) for fold in one.exact()]) for one in each]
    summaries = [Summary(name, float(np.mean(found)))]
    if pooled and any(len(one.folds) > 1 for one in each):
        mixed = [value(ScoreCurves(one.predicted, pooled=True).exact()[0]) for one in each]
        summaries.append(Summary(f"{name}, folds pooled", float(np.mean(mixed))))
    return summaries


def _notes_of(curves: ScoreCurves) -> tuple[str, ...]:
    """Return the note on folds without a curve."""
    if not curves.skipped:
        return ()
    folds = "1 fold has" if curves.skipped == 1 else f"{curves.skipped} folds have"
    return (f"{folds} examples of one class only, and no curve",)


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


def percentile_bounds(values: NDArray[np.float64], level: float) -> tuple[Number, Number]:
    """Return the percentile interval of rounds (B,), None where its bounds coincide."""
    values = values[~np.isnan(values)]
    if len(values) < 2 or values.std() <= SAME:
        return None, None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return (float(low), float(high)) if high - low > SAME else (None, None)


# --- heights ----------------------------------------------------------------------------------


def _place(
    rates: NDArray[np.float64], grid: NDArray[np.float64], side: Literal["left", "right"]
) -> NDArray[np.intp]:
    """Find each grid value in each row of rising rates (B, s + 1), rates being in [0, 1]."""
    wanted = grid + (SAME if side == "right" else -SAME)
    found = [np.searchsorted(row, wanted, side) for row in rates]
    return np.array(found, dtype=np.intp).reshape(len(rates), len(grid))


def true_positive_rate(grid: NDArray[np.float64]) -> Heights:
    """Return the heights of an ROC curve, straight between its steps, at false positive rates."""

    def heights(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = false / false[:, -1:], true / true[:, -1:]
        left = np.minimum(_place(x, grid, "right") - 1, x.shape[1] - 2)
        x0, x1, y0, y1 = (
            np.take_along_axis(rates, at, axis=1) for rates in (x, y) for at in (left, left + 1)
        )
        share = np.clip((grid - x0) / np.where(x1 > x0, x1 - x0, 1.0), 0.0, 1.0)
        return np.where(x1 > x0, y0 + share * (y1 - y0), y1)

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
