"""Intervals where examples come in groups or carry weights, so that n overstates what is known.

Groups: n over the design effect takes the place of n. Weights: (Σ w)² / Σ w² does (Kish
1965), and the bootstrap multiplies how often an example was drawn by its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import Clusters, Interval
from evallang.stats.clusters import degrees_of_mean, design_effect, group_codes
from evallang.stats.distributions import normal_quantile, t_quantile
from evallang.stats.intervals.interval import Limits
from evallang.stats.intervals.proportions import score_bounds
from evallang.stats.intervals.resampling import SumSample, WeightSample
from evallang.stats.validation import example_weights, magnitudes, numbers
from evallang.stats.weightings import ratio


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
    codes = group_codes(groups, len(x))
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


def weighted_sample(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    weights: ArrayLike,
    groups: ArrayLike | None = None,
    limits: Limits = (None, None),
) -> WeightSample:
    """Make the sample of a weighted statistic, for `bootstrap`.

    Examples, or whole groups, are drawn with equal chances and keep their weights.
    `function` goes from weights (B, n) to values (B,), NaN where undefined. Raises
    `ValueError` where a weight is negative.
    """
    w = example_weights(weights)
    return WeightSample(len(w), lambda times: function(times * w), groups, limits)


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
