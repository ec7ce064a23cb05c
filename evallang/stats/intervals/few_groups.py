"""Intervals of few groups, and of weighted examples by their effective number."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import LOSSES_PER_ROW
from evallang.registry import Bounds, Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import (
    checked_level,
    example_weights,
    labels,
    magnitudes,
    normal_quantile,
    numbers,
    t_quantile,
)
from evallang.stats.clusters import (
    LEAST_GROUPS,
    degrees_of_mean,
    design_effect,
    group_totals,
    variance_of_mean,
)
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, Limits
from evallang.stats.intervals.proportions import score_bounds
from evallang.stats.intervals.resampling import SumSample
from evallang.stats.score_counts import ratio
from evallang.stats.validity import OF_TAIL, Counted, Holds


def effective_n(weights: ArrayLike) -> float:
    """Return the number of equally weighted examples that tell as much, (Σ w)² / Σ w².

    Kish 1965. 0 where all weights are 0. Raises `ValueError` where one is negative or not
    finite.
    """
    w = example_weights(weights)
    squares = float((w * w).sum())
    return float(w.sum()) ** 2 / squares if squares else 0.0


def clustered_wilson(
    right: ArrayLike, groups: ArrayLike, level: float
) -> tuple[Interval, Clusters]:
    """Wilson's interval for a proportion of examples in groups, with n over the design effect.

    The design effect comes from the variance over groups by CR2, and t with Satterthwaite's
    degrees of freedom takes the place of z (Bell & McCaffrey 2002; own derivation for Wilson's).
    Where no example differs from the rest the design effect is unknown, and each group
    counts as one example. The groups are part of the interval too. `right` is Boolean (n,).
    Raises `ValueError` where shapes disagree.
    """
    x = _shares(right)
    codes = labels(groups, len(x), "group")
    count = int(codes.max(initial=-1)) + 1
    effect = design_effect(x, codes)
    clusters = Clusters(count, effect)
    if count < 2:
        note = "undefined: the spread over groups takes two groups"
        return Interval("wilson", level, None, None, (note,), clusters), clusters
    notes: tuple[str, ...] = ()
    if effect is None:
        size, df = float(count), None
        notes = (f"the examples do not differ, so that each of the {count} groups counts as one",)
    else:
        # Groups more alike than chance has it: at most the rows themselves are counted
        size, df = len(x) / max(effect, 1.0), degrees_of_mean(codes)
    found = _score_interval(float(x.mean()), size, level, notes, df)
    return replace(found, clusters=clusters), clusters


OF_MEANS = "the number of answers is the effective one, by the spread of the means of the examples"


def wilson_of_means(values: ArrayLike, groups: ArrayLike | None, level: float) -> Interval:
    """Wilson's interval for a mean of examples that have several repeats each.

    `values` (n,) are the means of the examples, from 0 to 1, and `groups` (n,) the group of each
    or None. The effective number of right or wrong answers is m (1 - m) over the variance of the
    mean m, and t takes the place of z, as with groups (own derivation after Korn & Graubard 1998,
    who do so for Clopper's and Pearson's interval). Both bounds are the mean where no example
    differs from the rest. Raises `ValueError` where shapes disagree.
    """
    x = _shares(values)
    codes = np.arange(len(x)) if groups is None else labels(groups, len(x), "group")
    count = int(codes.max(initial=-1)) + 1
    clusters = None if groups is None else Clusters(count, design_effect(x, codes))
    if count < 2:
        note = f"undefined: the spread takes two {'examples' if groups is None else 'groups'}"
        return Interval("wilson", level, None, None, (note,), clusters)
    mean, variance = float(x.mean()), variance_of_mean(x, codes)
    if not variance > 0:
        return Interval("wilson", level, mean, mean, (), clusters)
    size = mean * (1 - mean) / variance
    found = _score_interval(mean, size, level, (OF_MEANS,), degrees_of_mean(codes))
    return replace(found, clusters=clusters)


def weighted_wilson(right: ArrayLike, weights: ArrayLike, level: float) -> Interval:
    """Wilson's interval for a weighted proportion, with the effective number of examples.

    `right` is Boolean (n,). Raises `ValueError` where shapes disagree or a weight is negative.
    """
    x, w = _shares(right), example_weights(weights)
    if x.shape != w.shape:
        raise ValueError("every example needs one weight")
    size = effective_n(w)
    if size == 0:
        return Interval("wilson", level, None, None, ("no examples",))
    notes = (f"effective sample size, {size:.4g} (of {len(x)} weighted examples)",)
    return _score_interval(float(w @ x) / float(w.sum()), size, level, notes)


def weighted_loss_sample(
    losses: ArrayLike,
    weights: ArrayLike,
    groups: ArrayLike | None = None,
    limits: Limits = (None, None),
    transform: Literal["sqrt"] | None = None,
) -> SumSample:
    """Make the sample of a weighted mean of losses (n,), or of its root, for `bootstrap`."""
    values = magnitudes(losses, "losses")
    if transform == "sqrt" and (values < 0).any():
        raise ValueError("the root of a mean takes losses of 0 or more")
    if values.shape != np.shape(weights):
        raise ValueError("every example needs one weight")

    w = example_weights(weights)

    def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        means = ratio(sums[0], sums[1])
        return np.sqrt(means) if transform == "sqrt" else means

    return SumSample(np.array([w * values, w]), mean, groups, limits)


def _score_interval(
    share: float, n: float, level: float, notes: tuple[str, ...], df: float | None = None
) -> Interval:
    """Wilson's interval for a number of examples that need not be whole."""
    z = normal_quantile(level) if df is None else t_quantile(level, df)
    return Interval("wilson", level, *score_bounds(share, n, z), notes)


def _shares(right: ArrayLike) -> NDArray[np.float64]:
    """Read which examples count as right, 1 or 0, or as a part of it."""
    x = numbers(right, "right and wrong")
    if x.ndim != 1 or not ((x >= 0) & (x <= 1)).all():
        raise ValueError("right and wrong are given as one row of 1 and 0")
    return x


SIX_POINTS = (1.5, 1.0, 0.5)  # squares of the weights, each with both signs
EVERY_UP_TO = 1 << 16  # combinations of weights that are all gone through: 6 groups
SAME = 1e-9  # relative; the same t reached by another order of sums
NARROW = 1e-9  # of the standard error: where the search for a bound ends


def _two_alike() -> Example:
    # Six groups of one row: reflecting the values at their mean reflects the interval
    values = (1.0, 2.0, 3.0, 5.0, 6.0, 7.0)
    return Example(
        (values, None, 0.95, 1),
        {"low": 1.499578, "high": 6.500422},
        "second implementation: Student's t of all 6^6 samples x* = θ + w (x - θ), bisected on θ",
        2e-6,
    )


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "losses",
        clustered=True,
        holds=(
            Holds(
                Counted.GROUPS,
                12,
                "coverage of 95% intervals of log-normal losses was 82% in simulations",
            ),
            OF_TAIL,
        ),
        when=(
            "a mean of losses rests on 6 to about 12 groups of unlike sizes, such as patients or "
            "speakers"
        ),
        when_not=(
            "there are fewer than 6 groups, for which no interval is reliable; many groups: "
            "bootstrap"
        ),
        formula=(
            "all means θ for which the t of the data is not among the share 1 - level of the "
            "largest t of samples in which the residuals of whole groups about θ are multiplied "
            "by ±√½, ±1 or ±√1.5; t has the cluster-robust standard error"
        ),
        example=(
            'data visits from "data/visits.csv"\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  id visit_id\n"
            "  task regression\n"
            "\n"
            "group by patient_id\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol holdout test=1/3\n"
            "measure mae\n"
            "  interval wild_clusters\n"
        ),
    ),
    title="Wild cluster bootstrap interval",
    references=(cite("webb2014"),),
    examples=(_two_alike(),),
)
def wild_clusters(
    losses: ArrayLike,
    groups: ArrayLike | None,
    level: float,
    seed: int,
    *,
    rounds: Annotated[int, Bounds(least=99)] = 9_999,
) -> Interval:
    """Interval of a mean over few groups that inverts a wild cluster bootstrap test.

    For a mean θ the sums of the residuals of each group about θ are multiplied by weights of
    Webb's six-point distribution; p is the share of the samples whose t about θ is at least as
    large as that of the data, and the interval holds all θ with p above 1 - level. With six groups
    all weights are gone through, else `rounds` are drawn. `losses` (n,) are the values, `groups`
    (n,) is the group of each, or None where each row is one. No interval with fewer than six
    groups or without spread. Raises `ValueError` where shapes disagree or `rounds` is below 99.
    """
    alpha = 1 - checked_level(level)
    values = magnitudes(losses, "losses")
    if values.ndim != 1:
        raise ValueError("losses are given as one row")
    n = len(values)
    codes = np.arange(n) if groups is None else labels(groups, n, "group")
    count = int(codes.max(initial=-1)) + 1
    clusters = None if groups is None else Clusters(count, None)

    def undefined(why: str) -> Interval:
        return Interval("wild_clusters", level, None, None, (f"undefined: {why}",), clusters)

    if not np.isfinite(values).all():
        return undefined("a loss is missing or not finite")
    if count < LEAST_GROUPS:
        return undefined(f"{count} groups are fewer than {LEAST_GROUPS}")
    sums, sizes = group_totals(values, codes), np.bincount(codes).astype(np.float64)
    found = _Inverted(sums, sizes, _weights(count, seed, rounds))
    if found.error <= SAME * float(np.abs(values).max()):
        return undefined("all groups have the same mean")
    low, high = (found.bound(side, alpha) for side in (-1.0, 1.0))
    draws = None if found.exact else rounds
    return Interval("wild_clusters", level, low, high, (), clusters, draws=draws)


def _weights(groups: int, seed: int, rounds: int) -> NDArray[np.float64]:
    """Return weights of the groups, all combinations of few groups and else draws (B, groups)."""
    points = np.array([side * math.sqrt(x) for x in SIX_POINTS for side in (1, -1)])
    if len(points) ** groups <= EVERY_UP_TO:
        places = np.indices((len(points),) * groups).reshape(groups, -1).T
    else:
        places = np.random.default_rng(seed).integers(0, len(points), (rounds, groups))
    return np.asarray(points[places])


class _Inverted:
    """The test of a mean, as a function of the mean."""

    def __init__(
        self,
        sums: NDArray[np.float64],
        sizes: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self._sums, self._sizes, self._weights = sums, sizes, weights
        self._n = float(sizes.sum())
        self._rest = 1 - sizes / self._n
        self.exact = len(weights) == len(SIX_POINTS * 2) ** len(sums)  # no weight is drawn
        self.mean = float(sums.sum()) / self._n
        self.error = self._errors((sums - sizes * self.mean)[None])[0]

    def _errors(self, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return standard errors from sums of residuals of the groups (B, groups)."""
        return np.asarray(np.sqrt((residuals**2 / self._rest).sum(axis=1)) / self._n)

    def p(self, theta: float) -> float:
        """Return p of a mean."""
        observed = abs(self.mean - theta) / self.error
        moved = self._weights * (self._sums - self._sizes * theta)
        means = moved.sum(axis=1) / self._n
        errors = self._errors(moved - means[:, None] * self._sizes)
        reached = np.abs(means) >= observed * errors * (1 - SAME)
        extra = 0 if self.exact else 1  # the sample itself is one of those that are drawn
        return (int(reached.sum()) + extra) / (len(reached) + extra)

    def bound(self, side: float, alpha: float) -> float:
        """Return where p falls to alpha on one side of the mean, by bisection."""
        near, far = 0.0, 1.0
        while self.p(self.mean + side * far * self.error) > alpha:
            near, far = far, 2 * far
        while far - near > NARROW * far:
            middle = (near + far) / 2
            if self.p(self.mean + side * middle * self.error) > alpha:
                near = middle
            else:
                far = middle
        return float(self.mean + side * far * self.error)
