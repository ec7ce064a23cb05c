"""Means of several data sets that are averaged: each data set is a fixed stratum."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import Clusters
from evallang.stats.basics import labels, magnitudes
from evallang.stats.clusters import degrees_of_mean, variance_of_mean
from evallang.stats.fold_scores import spread_is_noise


class Strata(Struct, frozen=True, eq=False):
    """The data set of each example, as a code (n,), and the share of each in the average (D,).

    `names` are those of the data sets in messages, if these are known.
    """

    codes: NDArray[np.int64]
    shares: NDArray[np.float64]
    names: tuple[str, ...] = ()

    def each(self) -> list[NDArray[np.intp]]:
        """Return the examples of each data set."""
        return [np.flatnonzero(self.codes == one) for one in range(len(self.shares))]

    def weights(self) -> NDArray[np.float64]:
        """Return a weight of each example (n,), 1 on average: their mean is that of the shares."""
        sizes = np.bincount(self.codes, minlength=len(self.shares))
        return np.asarray((self.shares / sizes)[self.codes] * len(self.codes))


class StratifiedMean(Struct, frozen=True):
    """A mean of data sets' means, its standard error, and the degrees of freedom of that.

    `clusters` describes the groups whose sums are the units; None where examples are.
    """

    mean: float
    error: float
    df: float
    clusters: Clusters | None = None


def stratified_mean(
    values: ArrayLike, strata: Strata, groups: ArrayLike | None = None
) -> StratifiedMean:
    """Average the means of the data sets by their shares, with the stratified standard error.

    The variance is that of each data set's mean times its squared share, summed: s²/n, or with
    groups the cluster-robust one (CR2). Its degrees of freedom are Satterthwaite's (Cochran 1977,
    5.4). `values` and `groups` are (n,), and no group is of two data sets. Raises `ValueError`
    where a data set has fewer than two units.
    """
    x = magnitudes(values, "values")
    codes = None if groups is None else labels(groups, len(x), "group")
    order = np.argsort(strata.codes, kind="stable")
    sizes = np.bincount(strata.codes, minlength=len(strata.shares))
    _require_two(sizes, strata, "examples")
    ordered, starts = x[order], np.cumsum(sizes) - sizes
    low, high = (end.reduceat(ordered, starts) for end in (np.minimum, np.maximum))
    means = np.add.reduceat(ordered, starts) / sizes
    squares = np.add.reduceat((ordered - np.repeat(means, sizes)) ** 2, starts)
    noise = spread_is_noise(high - low, np.maximum(np.abs(low), np.abs(high)))
    variances = plain = np.where(noise, 0.0, squares / (sizes - 1) / sizes)
    freedom = np.asarray(sizes - 1.0)
    if codes is not None:
        each = np.split(order, starts[1:])
        units = [labels(codes[rows], len(rows), "group") for rows in each]
        _require_two(np.array([own.max() + 1 for own in units]), strata, "groups")
        freedom = np.array([degrees_of_mean(own) for own in units])
        found = [variance_of_mean(x[rows], own) for rows, own in zip(each, units, strict=True)]
        variances = np.where(noise, 0.0, found)
    parts = strata.shares**2 * variances
    total = float(parts.sum())
    df = total**2 / float((parts**2 / freedom).sum()) if total > 0 else float(freedom.sum())
    clusters = None
    if codes is not None:
        simple = float((strata.shares**2 * plain).sum())
        clusters = Clusters(int(codes.max()) + 1, total / simple if simple > 0 else None)
    return StratifiedMean(float(strata.shares @ means), math.sqrt(total), df, clusters)


def _require_two(numbers: NDArray[np.int64], strata: Strata, units: str) -> None:
    if (few := np.flatnonzero(numbers < 2)).size:
        name = strata.names[few[0]] if strata.names else "a data set"
        raise ValueError(f"{name} has fewer than two {units}")
