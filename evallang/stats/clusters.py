"""Rows that come in groups: sums of groups and robust errors.

Groups and not rows are the sample: what happens inside a group may depend on anything.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import Clusters, Difference, Summary
from evallang.stats.basics import checked_level, labels, magnitudes, t_quantile
from evallang.stats.fold_scores import spread_is_noise

FEW_GROUPS = 30  # below, whole groups are flipped or permuted (statistics.md, 1)
LEAST_GROUPS = 6  # below, a bootstrap of whole groups has too few different resamples


def refers_to_chi2(method: str, telling: int) -> bool:
    """Return whether p of so many groups that tell two models apart is that of chi-squared."""
    return method == "chi2" or (method != "exact" and telling >= FEW_GROUPS)


def group_totals(values: NDArray[Any], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Add up the rows (n,) or (n, M) of each group."""
    if values.ndim == 1:
        return np.bincount(codes, weights=values).astype(np.float64)
    columns = [np.bincount(codes, weights=column) for column in values.T]
    return np.column_stack(columns).astype(np.float64)


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
    codes = labels(groups, len(d), "group")
    level = checked_level(level)
    count = int(codes.max(initial=-1)) + 1
    if len(d) == 0:
        return Difference(name, None, None, None, level, "clustered_t"), Clusters(0, None)
    mean = float(d.mean())
    clusters = Clusters(count, design_effect(d, codes))
    if count < 2:
        return Difference(name, mean, None, None, level, "clustered_t"), clusters
    error = math.sqrt(variance_of_mean(d, codes))
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
    return variance_of_mean(values, codes) / simple


def variance_of_mean(values: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """Return the variance of the mean by CR2 (Bell & McCaffrey 2002); rounding noise is 0.

    With groups of one size that is G/(G - 1) times the squares of the groups' residuals.
    """
    n = len(values)
    residuals = group_totals(values - values.mean(), codes)
    residuals[spread_is_noise(residuals, n * float(np.abs(values).max()))] = 0.0
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
