"""Bootstrap intervals: any metric, over the test examples or over groups of them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
import scipy
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.registry import Bounds, Evidence, Example
from evallang.results.statistics import Clusters, Interval, Resamples
from evallang.stats.clusters import LEAST_GROUPS
from evallang.stats.distributions import checked_level, normal_quantile
from evallang.stats.intervals.interval import (
    INTERVALS,
    IntervalDeclaration,
    Resampler,
)
from evallang.stats.intervals.resampling import CountSample
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

Method = Literal["bca", "percentile", "basic", "se"]
TIE = 1e-12  # relative; the same value reached by another order of sums


def _share_right(matrix: Any) -> Any:
    """Share of the main diagonal, for the worked example."""
    return (matrix[..., 0, 0] + matrix[..., 1, 1]) / matrix.sum((-1, -2))


def _half_right(method: Method) -> Example:
    # 10 of 20 right: the 2.5 % and 97.5 % points of binomial(20, 1/2) are 6 and 14, with
    # P(X <= 5) = .0207 and P(X <= 6) = .0577 far enough from .025 on either side
    return Example(
        (CountSample(((5, 5), (5, 5)), _share_right, (0.0, 1.0)), 0.95, 1),
        {"low": 0.3, "high": 0.7},
        "own derivation: binomial quantiles",
        options={"method": method},
    )


@INTERVALS.register(
    IntervalDeclaration(
        frozenset(
            {
                Evidence.ONE_PREDICTION_PER_ROW,
                Evidence.LOSSES_PER_ROW,
                Evidence.SCORES_PER_ROW,
                Evidence.COUNTS,
            }
        ),
        "sample",
        default_for=frozenset({"drawn"}),
        clustered=True,
        weights=True,
        holds=(
            Holds(Counted.EXAMPLES, 30, "95% intervals covered 90 to 93% in simulations"),
            OF_RAREST,
            OF_OUTSIDE,
            OF_MISTAKES,
            OF_TAIL,
            Holds(Counted.WEIGHTED, 200, "95% intervals covered 91 to 93% in simulations"),
            Holds(
                Counted.GROUPS,
                ENOUGH_GROUPS,
                "95% intervals covered 82 to 93% in simulations",
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
    examples=(_half_right("bca"), _half_right("percentile"), _half_right("basic")),
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
        if rounds < 2:
            raise ValueError("a bootstrap takes at least 2 rounds")
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
        self._values = np.sort(
            drawn[np.isfinite(drawn)]
        )  # quantiles of sorted values are found sooner
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
        notes, (least, most) = self._notes, self._sample.limits
        if (least is not None and low < least) or (most is not None and high > most):
            notes = (*notes, "cut at the end of the metric's range")
        low = low if least is None else max(low, least)
        high = high if most is None else min(high, most)
        return Interval(name, level, low, high, notes)
