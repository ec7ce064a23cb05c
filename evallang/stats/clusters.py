"""Rows that come in groups: sums of groups, sign-flips of whole groups, robust errors.

Groups and not rows are the sample: what happens inside a group may depend on anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import Clusters, Difference, Summary
from evallang.stats.distributions import Alternative, checked_level, t_quantile
from evallang.stats.validation import labels, magnitudes

FEW_GROUPS = 30  # below, whole groups are flipped or permuted (statistics.md, 1)
LEAST_GROUPS = 6  # below, a bootstrap of whole groups has too few different resamples
MOST_FLIPS = 1 << 20  # sign patterns that are all gone through
MOST_SUMS = 300_000_000  # numbers formed for whole-number sums; about a second
ROUNDS = 10_000
AT_ONCE = 1 << 20  # numbers held at once
SAME = 1e-9  # relative; the same sum reached by another order


class Flipped(Struct, frozen=True):
    """p of a sign-flip test of whole groups; `variant` is exact or Monte Carlo.

    `mc_se` is the Monte Carlo error of p, None where it is exact; `smallest` the least p
    that as many groups could have given.
    """

    p: float
    variant: str
    mc_se: float | None
    smallest: float


def refers_to_chi2(method: str, telling: int) -> bool:
    """Return whether p of so many groups that tell two models apart is that of chi-squared."""
    return method == "chi2" or (method != "exact" and telling >= FEW_GROUPS)


def group_codes(groups: ArrayLike, n: int) -> NDArray[np.intp]:
    """Number the groups of n rows 0, 1, ...; raises `ValueError` where there are not n."""
    return labels(groups, n, "group")


def group_totals(values: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Add up the rows (n,) or (n, M) of each group."""
    if values.ndim == 1:
        return np.bincount(codes, weights=values).astype(np.float64)
    columns = [np.bincount(codes, weights=column) for column in values.T]
    return np.column_stack(columns).astype(np.float64)


def flip_groups(
    totals: ArrayLike,
    seed: int = 0,
    rounds: int = ROUNDS,
    alternative: Alternative = "two_sided",
) -> Flipped:
    """Test that totals of groups lie about 0 alike: the sign of each may be flipped.

    p = P(|Σ ±t_g| >= |Σ t_g|) over all signs, or with `alternative=greater` that of
    Σ ±t_g >= Σ t_g: for whole numbers from the distribution of
    their sum, for others by going through up to 2^20 patterns, beyond by `rounds` random
    ones, (1 + exceeding)/(1 + rounds). Totals of 0 say nothing. Raises `ValueError` where
    a total is not finite.
    """
    given = magnitudes(totals, "totals of groups")
    if not np.isfinite(given).all():
        raise ValueError("totals of groups are finite numbers")
    sums = np.abs(given[given != 0])
    both = alternative == "two_sided"
    observed = abs(float(given.sum())) if both else float(given.sum())
    observed = -observed if alternative == "less" else observed
    smallest = min(2.0 ** (both - len(sums)), 1.0)
    if len(sums) == 0 or (both and observed <= SAME * float(sums.max())):
        return Flipped(1.0, "exact", None, smallest)
    whole = bool((sums == np.rint(sums)).all())
    if whole and float(sums.sum()) * len(sums) <= MOST_SUMS:
        tail = _whole_flips(sums, observed)
        return Flipped(min(2 * tail, 1.0) if both else tail, "exact", None, smallest)
    limit = observed - SAME * float(sums.max())
    if 2 ** (len(sums) - 1) <= MOST_FLIPS // 2:
        reached = sums[:1]
        for total in sums[1:].tolist():
            reached = np.concatenate([reached + total, reached - total])
        # The first sign stands for its opposite as well: each sum comes with its negative
        tails = (reached >= limit).mean() + (-reached >= limit).mean()
        return Flipped(float(tails if both else tails / 2), "exact", None, smallest)
    rng = np.random.default_rng(seed)
    exceeding = 0
    batch = max(1, AT_ONCE // len(sums))
    for start in range(0, rounds, batch):
        signs = 2.0 * rng.integers(0, 2, (min(batch, rounds - start), len(sums))) - 1
        drawn = signs @ sums
        exceeding += int(((np.abs(drawn) if both else drawn) >= limit).sum())
    p = (1 + exceeding) / (1 + rounds)
    return Flipped(p, "Monte Carlo", math.sqrt(p * (1 - p) / rounds), smallest)


def _whole_flips(sums: NDArray[np.float64], observed: float) -> float:
    """P(Σ ±t_g >= observed) for whole numbers, from the distribution of the positive part."""
    steps = sums.astype(np.int64).tolist()
    # Σ ± t = 2 (positive part) - Σ t
    return min(float(flip_chances(steps)[(sum(steps) + round(observed)) // 2 :].sum()), 1.0)


def flip_chances(steps: Sequence[int]) -> NDArray[np.float64]:
    """Return the probabilities of the sums 0, 1, ... of the steps that a fair coin picks."""
    chances = np.zeros(sum(steps) + 1)
    chances[0], reach = 1.0, 0
    for step in steps:
        reach += step
        chances[: reach + 1] /= 2
        moved = chances[: reach + 1 - step].copy()
        chances[step : reach + 1] += moved
    return chances


def clustered_difference(
    first: ArrayLike,
    second: ArrayLike,
    groups: ArrayLike,
    level: float = 0.95,
    name: str = Summary.DIFFERENCE,
) -> tuple[Difference, Clusters]:
    """Return the mean of paired differences with a cluster-robust interval.

    The variance of the mean is Σ e_g² / (1 - n_g/n) / n², e_g the sum of the residuals of the
    n_g rows of group g, with Student's t on Satterthwaite's degrees of freedom (CR2: Bell &
    McCaffrey 2002); with groups of one size G/(G - 1) Σ e_g² / n² and G - 1. No interval with
    fewer than two groups. The design effect is that variance over the one of independent rows.
    `first` and `second` are (n,). Raises `ValueError` where shapes disagree or a value is not
    finite.
    """
    x, y = magnitudes(first, "values"), magnitudes(second, "values")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("both models need a value on every row")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("both models need a finite value on every row")
    d = x - y
    del x, y  # of ten million rows, 80 megabytes each
    codes = group_codes(groups, len(d))
    level = checked_level(level)
    count = int(codes.max(initial=-1)) + 1
    if len(d) == 0:
        return Difference(name, None, None, None, level, "clustered_t"), Clusters(0, None)
    mean = float(d.mean())
    clusters = Clusters(count, design_effect(d, codes))
    if count < 2:
        return Difference(name, mean, None, None, level, "clustered_t"), clusters
    error = math.sqrt(_variance_of_mean(d, codes))
    half = t_quantile(level, degrees_of_mean(codes)) * error
    return Difference(name, mean, mean - half, mean + half, level, "clustered_t"), clusters


def design_effect(values: NDArray[np.float64], codes: NDArray[np.intp]) -> float | None:
    """Variance of the mean over groups, as a multiple of that of independent rows.

    None with fewer than two groups, or where the values do not vary.
    """
    n = len(values)
    if n < 2 or codes.max() < 1:
        return None
    simple = float(values.var(ddof=1)) / n
    if simple <= (1e-12 * float(np.abs(values).max())) ** 2:
        return None
    return _variance_of_mean(values, codes) / simple


def _variance_of_mean(values: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """Return the variance of the mean by CR2 (Bell & McCaffrey 2002).

    With groups of one size that is G/(G - 1) times the squares of the groups' residuals.
    """
    n = len(values)
    residuals = group_totals(values - values.mean(), codes)
    rest = 1 - np.bincount(codes) / n
    return float((residuals**2 / rest).sum() / n**2)


def degrees_of_mean(codes: NDArray[np.intp]) -> float:
    """Return Satterthwaite's degrees of freedom of the variance of a mean over groups.

    Bell & McCaffrey 2002, for rows that are independent and of one variance: G - 1 for two or
    more groups of one size, fewer where a few groups hold most of the rows.
    """
    return degrees_of_sizes(np.bincount(codes).astype(np.float64))


def degrees_of_sizes(sizes: NDArray[np.float64]) -> float:
    """Return the same for units of these sizes, which may be sums of weights."""
    n = float(sizes.sum())
    scaled = sizes**2 / (1 - sizes / n)
    across = (float(scaled.sum()) ** 2 - float((scaled**2).sum())) / n**2
    return n**2 / (float((sizes**2).sum()) + across)
