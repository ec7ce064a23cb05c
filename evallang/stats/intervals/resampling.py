"""Metrics of resampled examples, and the bootstrap interval from them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
import scipy
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW, SCORES_PER_ROW
from evallang.registry import Bounds, Example
from evallang.results.statistics import Clusters, Interval, Resamples
from evallang.stats.basics import (
    checked_level,
    example_weights,
    labels,
    magnitudes,
    normal_quantile,
    numbers,
    positives,
)
from evallang.stats.clusters import LEAST_GROUPS
from evallang.stats.draws import Block, Resamples as Drawn, Source, Statistic, draw_together
from evallang.stats.intervals.interval import (
    INTERVALS,
    IntervalDeclaration,
    Limits,
    Resampler,
    within,
)
from evallang.stats.score_counts import areas_by_score, ratio, summing, weights_by_score
from evallang.stats.validity import (
    ENOUGH_GROUPS,
    OF_MISTAKES,
    OF_OUTSIDE,
    OF_RAREST,
    OF_SIZES,
    OF_TAIL,
    Counted,
    Holds,
)

MOST_LEFT_OUT = 1000  # leave-one-out values computed one by one before blocks are excluded
BLOCKS = 200  # of units that are excluded instead
AT_ONCE = 1 << 20  # numbers of leave-one-out values that are held at once

OfWeights = Callable[["NDArray[Any]"], "NDArray[np.float64]"]
"""From weights (B, n) to values (B,), NaN where undefined."""
OfTables = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""From counts (..., *shape of a table) to values (...), NaN where undefined."""
OfCells = Callable[["NDArray[np.int64]", "NDArray[np.int64]"], OfTables]
"""From truth and label of each cell to a function of the counts of these cells (..., cells)."""
OfSums = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""From sums (columns, B) to values (B,), NaN where undefined."""


class ExampleSample(Statistic):
    """A statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(self, n: int, groups: ArrayLike | None, limits: Limits) -> None:
        self.n_examples, self.limits, self._groups = n, limits, groups
        self.unit = "examples" if groups is None else "groups"

    @cached_property
    def source(self) -> Source:
        """The examples, or the groups, of which as many are drawn as there are."""
        if self._groups is None:
            return Drawn(np.ones(self.n_examples))
        codes = labels(self._groups, self.n_examples, "group")
        return Drawn(np.ones(int(codes.max(initial=-1)) + 1), codes)

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""
        return None if self._groups is None else len(self.source.sizes)

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._where(np.ones((len(self.source.sizes), 1)))[0])

    def jackknife(
        self, most: float = MOST_LEFT_OUT
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time.

        Above `most` of them, blocks of about equal size are excluded: the acceleration of
        BCa is a ratio of moments and changes little.
        """
        block = self._blocks(most)
        every = np.arange(int(block.max(initial=-1)) + 1)
        size = max(1, AT_ONCE // max(self.n_examples, 1))
        parts = [
            self._where(block[:, None] != every[start : start + size])
            for start in range(0, len(every), size)
        ]
        return np.concatenate([np.empty(0), *parts]), np.ones(len(every))

    def pseudo_values(self) -> NDArray[np.float64]:
        """Return what each example, or group, adds to the statistic (units,).

        The pseudo-value n v - (n - 1) v₍ᵢ₎ of the statistic v on n units and v₍ᵢ₎ without one of
        them, shifted so that the mean is v: its standard error is the jackknife's (Efron 1982,
        chapter 3). All are NaN where one is undefined.
        """
        left_out = self.jackknife(math.inf)[0]
        return np.asarray(self.estimate() + (len(left_out) - 1) * (left_out.mean() - left_out))

    def _blocks(self, most: float) -> NDArray[np.intp]:
        """Return the block of each unit (units,); its examples are skipped together."""
        units = len(self.source.sizes)
        number = units if units <= most else BLOCKS
        return np.arange(units) * number // max(units, 1)

    def _where(self, times: NDArray[Any]) -> NDArray[np.float64]:
        """Return the statistic where each unit came `times` (units, B) times."""
        return self.on(Block(times.astype(np.float64), self.source.codes))


class WeightSample(ExampleSample):
    """Any statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    function : from weights (B, n) to values (B,), NaN where undefined
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        n: int,
        function: OfWeights,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        super().__init__(n, groups, limits)
        self._function = function

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        return self._function(block.weights)


class SumSample(ExampleSample):
    """A function of sums of some numbers of each example: one product for a block of resamples.

    Parameters
    ----------
    columns : numbers of each example, a dense or sparse matrix (columns, n)
    of_sums : from sums to values
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        columns: Any,
        of_sums: OfSums,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        super().__init__(columns.shape[1], groups, limits)
        self._columns, self._of_sums = columns, of_sums

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        return self._of_sums(self._sums @ block.numbers)

    def jackknife(
        self, most: float = MOST_LEFT_OUT
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, or block of them at a time."""
        block = self._blocks(most)
        sums = self._sums @ summing(block, int(block.max(initial=-1)) + 1).T
        own = sums if isinstance(sums, np.ndarray) else sums.toarray()
        # Those before and those after, which lose no digits as a difference from all does
        before, after = np.zeros(own.shape), np.zeros(own.shape)
        before[:, 1:] = np.cumsum(own[:, :-1], axis=1)
        after[:, :-1] = np.cumsum(own[:, :0:-1], axis=1)[:, ::-1]
        return self._of_sums(before + after), np.ones(own.shape[1])

    @cached_property
    def _sums(self) -> Any:
        """The numbers of each unit (columns, units)."""
        codes = self.source.codes
        if codes is None:
            return self._columns
        return self._columns @ summing(codes, len(self.source.sizes)).T


class LossSample(SumSample):
    """The mean of a loss per example, or its square root.

    Parameters
    ----------
    losses : (n,)
    transform : `sqrt` for the root of the mean
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic

    Raises `ValueError` where losses are not a row of numbers, or negative under a root.
    """

    def __init__(
        self,
        losses: ArrayLike,
        transform: Literal["sqrt"] | None = None,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        values = magnitudes(losses, "losses")
        if values.ndim != 1:
            raise ValueError("losses are given as one row")
        if transform == "sqrt" and (values < 0).any():
            raise ValueError("the root of a mean takes losses of 0 or more")

        def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            means = ratio(sums[0], sums[1])
            return np.sqrt(means) if transform == "sqrt" else means

        super().__init__(np.array([values, np.ones(len(values))]), mean, groups, limits)


class ScoreSample(WeightSample):
    """The area under the ROC curve; scores are sorted once for all resamples.

    Parameters
    ----------
    truth : 1 for positives (n,)
    scores : (n,), higher for positives
    groups : codes (n,) of groups that are drawn as a whole, or None
    weights : of the examples (n,), which multiply how often each was drawn, or None
    """

    def __init__(
        self,
        truth: ArrayLike,
        scores: ArrayLike,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        values, positive = numbers(scores, "scores"), positives(truth)
        if values.shape != positive.shape or values.ndim != 1:
            raise ValueError("every example needs one score")
        if np.isnan(values).any():
            raise ValueError("a score is missing")
        own = None if weights is None else example_weights(weights)
        if own is not None and own.shape != values.shape:
            raise ValueError("every example needs one weight")
        sides = weights_by_score(positive, values, own)
        super().__init__(
            len(values), lambda drawn: areas_by_score(*sides(drawn)), groups, (0.0, 1.0)
        )


def table_sample(
    truth: NDArray[np.int64],
    label: NDArray[np.int64],
    of_cells: OfCells,
    groups: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    limits: Limits = (None, None),
) -> SumSample:
    """Return the sample of a metric of a table of examples, or of their weights, drawn one by one.

    `truth` and `label` (n,) are codes from 0 on.
    """
    base = int(label.max(initial=0)) + 1
    occurring, places = np.unique(truth * base + label, return_inverse=True)
    own = None if weights is None else example_weights(weights)
    metric = of_cells(*np.divmod(occurring, base))
    columns = summing(places.reshape(-1), len(occurring), own)
    return SumSample(columns, lambda sums: metric(sums.T), groups, limits)


def spread_out(
    occurring: NDArray[np.integer], shape: tuple[int, ...], metric: OfTables
) -> OfTables:
    """Turn a metric of tables into one of the counts of the cells that occur (..., cells)."""
    size = int(np.prod(shape))

    def of_cells(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        given = counts.reshape(int(np.prod(counts.shape[:-1])), len(occurring))
        values, rows = np.empty(len(given)), max(1, AT_ONCE // size)
        for start in range(0, len(given), rows):
            some = given[start : start + rows]
            # One row for each cell: each step of the metric is one pass over all tables
            tables = np.zeros((size, len(some)))
            tables[occurring] = some.T
            shaped = np.moveaxis(tables.reshape(*shape, -1), -1, 0)
            values[start : start + rows] = metric(shaped)
        return values.reshape(counts.shape[:-1])

    return of_cells


def mean_sample(samples: Sequence[ExampleSample]) -> ExampleSample:
    """Return the mean of several statistics of the same examples as one statistic.

    Raises `ValueError` where they are not of as many examples and of the same groups.
    """
    first, *others = samples
    if not others:
        return first
    if not all(first.source.alike(other.source) for other in others):
        raise ValueError("the statistics are not of the same examples")
    return _MeanSample(samples)


class _MeanSample(ExampleSample):
    """The mean of several statistics of the same examples."""

    def __init__(self, samples: Sequence[ExampleSample]) -> None:
        super().__init__(samples[0].n_examples, samples[0]._groups, samples[0].limits)
        self._samples = samples

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the mean on each resample of a block (B,)."""
        return np.asarray(np.mean([sample.on(block) for sample in self._samples], axis=0))


class PatternSample(Statistic):
    """A statistic of counts of distinct patterns, such as the cells of a confusion matrix.

    A resample of the examples is, in distribution, a multinomial draw over their patterns: the
    same work for any number of examples.

    Parameters
    ----------
    counts : how often each pattern occurs, once or more (P,)
    statistic : from counts (..., P) as float64 to values (...), NaN where undefined
    limits : range of the statistic
    """

    unit = "examples"
    n_groups = None

    def __init__(
        self, counts: ArrayLike, statistic: OfTables, limits: Limits = (None, None)
    ) -> None:
        self._counts = np.asarray(counts, dtype=np.int64)
        self._statistic, self.limits = statistic, limits
        self.n_examples = int(self._counts.sum())

    @cached_property
    def source(self) -> Source:
        """The patterns."""
        return Drawn(self._counts)

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        return self._statistic(block.numbers.T)

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._statistic(self._counts.astype(np.float64)))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example of each pattern."""
        times = self._counts.astype(np.float64)
        size = max(1, AT_ONCE // max(len(times), 1))
        parts = [
            self._statistic(times - np.eye(min(size, len(times) - start), len(times), start))
            for start in range(0, len(times), size)
        ]
        return np.concatenate([np.empty(0), *parts]), times


class CountSample(PatternSample):
    """A metric of the confusion matrix of one model.

    Parameters
    ----------
    matrix : counts (k, k), true class by predicted class
    function : from matrices (..., k, k) to values (...)
    limits : range of the metric
    """

    def __init__(
        self, matrix: ArrayLike, function: OfTables, limits: Limits = (None, None)
    ) -> None:
        counts = np.asarray(matrix)
        cells = np.flatnonzero(counts)
        super().__init__(counts.ravel()[cells], spread_out(cells, counts.shape, function), limits)


class PairedCountSample(CountSample):
    """The difference of a metric of two models, first minus second, on the same examples.

    Parameters
    ----------
    joint : counts (k, k, k), true class by the first and by the second model's prediction
    function : from matrices (..., k, k) to values (...)
    limits : range of the difference
    """

    def __init__(self, joint: ArrayLike, function: OfTables, limits: Limits = (None, None)) -> None:
        def difference(tables: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(function(tables.sum(-1)) - function(tables.sum(-2)))

        super().__init__(joint, difference, limits)


class DifferenceSample:
    """The difference of two statistics of the same examples, first minus second.

    Each resample holds the same examples for both. Raises `ValueError` where they are not of
    one kind: row by row with as many examples and the same groups, or counts of the same
    patterns.
    """

    def __init__(self, first: Resampler, second: Resampler, limits: Limits = (None, None)) -> None:
        both = isinstance(first, Statistic) and isinstance(second, Statistic)
        if not (both and first.source.alike(second.source)):  # type: ignore[attr-defined]  # both are
            raise ValueError("the two statistics are not of the same examples")
        draw_together((first, second))
        self._first, self._second, self.limits = first, second, limits
        self.unit, self.n_groups = first.unit, first.n_groups
        self.n_examples: int | None = getattr(first, "n_examples", None)

    def estimate(self) -> float:
        """Return the difference on the sample as it is."""
        return self._first.estimate() - self._second.estimate()

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the difference on `rounds` resamples, the same for both."""
        same = copy.deepcopy(rng)
        return self._first.replicates(same, rounds) - self._second.replicates(rng, rounds)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, for both."""
        (first, times), (second, _) = self._first.jackknife(), self._second.jackknife()
        return first - second, times


Method = Literal["bca", "percentile", "basic", "se"]
TIE = 1e-12  # relative; the same value reached by another order of sums


def share_right(matrix: Any) -> Any:
    """Share of the main diagonal, for the worked examples."""
    return (matrix[..., 0, 0] + matrix[..., 1, 1]) / matrix.sum((-1, -2))


def _half_right(method: Method) -> Example:
    # 10 of 20 right: the 2.5 % and 97.5 % points of binomial(20, 1/2) are 6 and 14, with
    # P(X <= 5) = .0207 and P(X <= 6) = .0577 far enough from .025 on either side
    return Example(
        (CountSample(((5, 5), (5, 5)), share_right, (0.0, 1.0)), 0.95, 1),
        {"low": 0.3, "high": 0.7},
        "own derivation: binomial quantiles",
        options={"method": method},
    )


def what_rounds_are_for(options: Mapping[str, Any]) -> Literal["bounds", "standard_error"]:
    """Return what rounds of the bootstrap are drawn for: one of its forms needs no tails."""
    return "standard_error" if options.get("method") == "se" else "bounds"


@INTERVALS.register(
    IntervalDeclaration(
        frozenset(
            {
                ONE_PREDICTION_PER_ROW,
                LOSSES_PER_ROW,
                SCORES_PER_ROW,
                COUNTS,
            }
        ),
        "sample",
        default_for=frozenset({"drawn"}),
        rounds_for=what_rounds_are_for,
        clustered=True,
        weights=True,
        holds=(
            Holds(Counted.EXAMPLES, 10, "coverage of 95% intervals was 43 to 91% in simulations"),
            Holds(Counted.EXAMPLES, 30, "coverage of 95% intervals was 90 to 93% in simulations"),
            OF_RAREST,
            OF_OUTSIDE,
            OF_MISTAKES,
            OF_TAIL,
            Holds(Counted.WEIGHTED, 200, "coverage of 95% intervals was 91 to 93% in simulations"),
            Holds(
                Counted.GROUPS,
                ENOUGH_GROUPS,
                "coverage of 95% intervals was 82 to 93% in simulations",
            ),
            OF_SIZES,
        ),
        when="the metric has no interval of its own, and examples are independent",
        when_not=(
            "there are fewer than about 20 examples, or the metric is at the end of its range"
        ),
        formula=(
            "draw the test examples (or whole groups) with replacement and take the metric "
            "each time; the interval holds the middle share `level` of the values, with both "
            "ends moved for bias and skewness (bca)"
        ),
        differs={
            "mlxtend": (
                "bootstrap() takes percentiles, with a quantile of its own; here the default is bca"
            ),
        },
    ),
    title="Bootstrap interval",
    references=(cite("efron1994"), cite("efron1987", "bca"), cite("raschka2018")),
    examples=lambda: (_half_right("bca"), _half_right("percentile"), _half_right("basic")),
)
def bootstrap(
    sample: Resampler,
    level: float,
    seed: int,
    *,
    method: Method = "bca",
    rounds: Annotated[int, Bounds(least=2)] = 10_000,
) -> Interval:
    """Bootstrap over the test examples, or over groups, with the model held fixed.

    `percentile` takes the quantiles of the replicates, `basic` reflects them at the estimate,
    `se` is the estimate ± z times their standard deviation, and `bca` corrects the
    percentiles for bias and acceleration (Efron 1987; Efron & Tibshirani 1994,
    ties with the estimate by half). Resamples on which the metric is undefined are
    skipped and counted in a note; bounds are cut at the limits of the metric. Raises
    `ValueError` where `rounds` is below 2.
    """
    checked_level(level)
    return ResampledBounds(sample, seed, method, rounds).interval(level)


def histogram(values: NDArray[np.float64]) -> Resamples | None:
    """Count values that differ in at most `MOST_BINS` equal bins from the least to the largest.

    Values on a grid, such as shares of the same number of examples, are in the middle of bins of
    as many steps each. None where all are equal.
    """
    found, each = np.unique(values, return_counts=True)
    low, high = float(found[0]), float(found[-1])
    size = max(abs(low), abs(high))
    gaps = np.diff(found)
    gaps = gaps[gaps > GRID * size]
    if not len(gaps):
        return None
    step, length = float(gaps.min()), high - low
    steps = length / step
    even = np.abs((found - low) / step - np.rint((found - low) / step)).max() < GRID_SLACK
    if even and steps < MOST_STEPS:
        number = round(steps) + 1
        wide = -(-number // MOST_BINS)
        bins = -(-number // wide)
        low, high = low - step / 2, low - step / 2 + bins * wide * step
    else:
        bins = MOST_BINS
    # An edge belongs to the bin above it, whatever the last digit of the value
    at = np.floor((found - low) / (high - low) * bins + EDGE).astype(np.int64)
    counts = np.bincount(np.clip(at, 0, bins - 1), each, minlength=bins)
    return Resamples(len(values), low, high, tuple(int(n) for n in counts))


MOST_BINS = 40
MOST_STEPS = 4000  # of a grid; a finer one cannot be told from no grid
GRID = 1e-9  # relative: values nearer than this are one value
GRID_SLACK = 1e-3  # of a step
EDGE = 1e-7  # of a bin


class ResampledBounds:
    """The bootstrap intervals of a statistic at any level, all on the same resamples.

    Parameters
    ----------
    sample : what is resampled
    seed : of the resamples
    method : as in `bootstrap`
    rounds : number of resamples, 2 or more

    Attributes
    ----------
    estimate : the statistic on the sample as it is

    Raises `ValueError` where a parameter is not one of these.
    """

    def __init__(self, sample: Resampler, seed: int, method: Method, rounds: int) -> None:
        if not hasattr(sample, "replicates"):
            raise ValueError(
                "a bootstrap interval takes a sample of a statistic, such as "
                "`LossSample(losses)` or `ScoreSample(truth, scores)`"
            )
        self._sample, self._method = sample, method
        self.estimate = sample.estimate()
        self._notes = self._why_not_drawn()
        self._values = np.empty(0)
        if self._notes:
            return
        drawn = sample.replicates(np.random.default_rng(seed), rounds)
        self._values = drawn[np.isfinite(drawn)]
        lost = rounds - len(self._values)
        if lost:
            self._notes = (f"undefined on {lost} of {rounds} resamples, which are excluded",)

    def interval(self, level: float) -> Interval:
        """Return the interval of a level, with the groups drawn and a picture of the resamples."""
        n_groups = self._sample.n_groups
        clusters = None if n_groups is None else Clusters(n_groups, None)
        resamples = histogram(self._values) if self._vary else None
        return replace(self.bounds(level), clusters=clusters, resamples=resamples)

    def bounds(self, level: float) -> Interval:
        """Return the interval of a level by itself."""
        name = f"bootstrap({self._method})"
        if len(self._values) < 2:
            return Interval(name, level, None, None, self._notes)
        if not self._vary:
            notes = (*self._notes, "no width: all resamples give the same value")
            return Interval(name, level, self.estimate, self.estimate, notes)
        if self._method == "se":
            half = normal_quantile(level) * float(self._values.std(ddof=1))
            return self._cut(name, level, self.estimate - half, self.estimate + half)
        tails = (1 - level) / 2, (1 + level) / 2
        if self._method == "bca":
            if math.isnan(self._bias):
                more = "undefined: all resamples lie on one side of the estimate"
                return Interval(name, level, None, None, (*self._notes, more))
            z = self._bias + normal_quantile(level) * np.array([-1.0, 1.0])
            tails = scipy.special.ndtr(self._bias + z / (1 - self._acceleration * z))
        low, high = np.quantile(self._values, tails).tolist()
        if self._method == "basic":
            low, high = 2 * self.estimate - high, 2 * self.estimate - low
        return self._cut(name, level, low, high)

    def _why_not_drawn(self) -> tuple[str, ...]:
        if not math.isfinite(self.estimate):
            return ("undefined on the sample itself",)
        groups = self._sample.n_groups
        if groups is None or groups >= LEAST_GROUPS:
            return ()
        found = "1 group is" if groups == 1 else f"{groups} groups are"
        return (f"undefined: {found} too few to be drawn from",)

    @cached_property
    def _vary(self) -> bool:
        values = self._values
        if len(values) < 2:
            return False
        return bool(values.max() - values.min() > TIE * abs(self.estimate))

    @cached_property
    def _bias(self) -> float:
        """The normal quantile of the share of resamples below the estimate, ties by half.

        NaN where all others lie on one side.
        """
        values = self._values
        tie = TIE * max(abs(self.estimate), float(np.abs(values).max()))
        below, above = (values < self.estimate - tie).sum(), (values > self.estimate + tie).sum()
        share = (1 + (below - above) / len(values)) / 2
        return float(scipy.special.ndtri(share)) if 0 < share < 1 else math.nan

    @cached_property
    def _acceleration(self) -> float:
        """The skewness of the influence of single examples over 6 (Efron 1987)."""
        left_out, times = self._sample.jackknife()
        known = np.isfinite(left_out)
        values, weights = left_out[known], times[known]
        total = float(weights.sum())
        gaps = float(values @ weights) / max(total, 1.0) - values
        squares = float(weights @ gaps**2)
        if squares <= (TIE * float(np.abs(values).max(initial=0.0))) ** 2 * total:
            return 0.0
        return float(weights @ gaps**3 / (6 * squares**1.5))

    def _cut(self, name: str, level: float, low: float, high: float) -> Interval:
        """Keep the bounds inside the range of the metric."""
        notes, bounds = self._notes, within(self._sample.limits, low, high)
        if bounds != (low, high):
            notes = (*notes, "cut at the end of the metric's range")
        return Interval(name, level, *bounds, notes, draws=len(self._values))
