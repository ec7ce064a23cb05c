"""Corrections by resamples that all comparisons of a family share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.stats.basics import Alternative, checked_level, labels, magnitudes
from evallang.stats.clusters import degrees_of_mean, group_totals
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    p_values,
)
from evallang.stats.draws import Resamples
from evallang.stats.strata import Strata, stratified_mean

SAME = 1e-9  # relative; the same value reached by another order of sums, and the same p


def drawn_p(values: ArrayLike, alternative: Alternative = "two_sided") -> NDArray[np.float64]:
    """Return the tail area of each resampled value among all of its hypothesis.

    `values` (B, m) are differences on joint resamples with replacement. Two-sided it is twice
    the smaller tail, with `greater` the share of values as large or larger. Resamples on which
    a difference is undefined are skipped, so that fewer than B rows may come back.
    """
    found = magnitudes(values, "resampled differences")
    whole = found[np.isfinite(found).all(axis=1)]
    above, below = _tail_shares(-whole), _tail_shares(whole)
    if alternative == "two_sided":
        return np.asarray(np.minimum(2 * np.minimum(above, below), 1.0))
    return above if alternative == "greater" else below


def swapped_p(
    values: ArrayLike,
    alternative: Alternative = "two_sided",
    observed: ArrayLike | None = None,
    p: Sequence[float | None] = (),
) -> NDArray[np.float64]:
    """Return the share of swapped values that are at least as large as each, by hypothesis.

    `values` (B, m) are differences under joint swaps, whose hypothesis is that swaps change
    nothing: two-sided they are compared by size. Undefined ones count as at least as large.
    With the `observed` differences (m,) and their `p`, which may be exact, values at least as
    large as the one observed get that p at most, and the others more: ties of discrete
    differences do not depend on how often they were drawn.
    """
    sizes = _by_size(values, alternative)
    shares = _tail_shares(-sizes)
    if observed is None:
        return shares
    limits = _by_size(np.atleast_2d(observed), alternative)[0]
    for j, (limit, known) in enumerate(zip(limits, p, strict=True)):
        if known is None:
            continue
        column = sizes[:, j]
        largest = np.abs(column[np.isfinite(column)]).max(initial=abs(limit))
        reached = column >= limit - SAME * largest
        least = np.nextafter(known * (1 + 2 * SAME), 1.0)
        shares[reached, j] = np.minimum(shares[reached, j], known)
        shares[~reached, j] = np.minimum(np.maximum(shares[~reached, j], least), 1.0)
    return shares


def _by_size(values: ArrayLike, alternative: Alternative) -> NDArray[np.float64]:
    """Return how far each difference is on the side that counts, infinite if undefined."""
    found = magnitudes(values, "swapped differences")
    signed = np.abs(found) if alternative == "two_sided" else found
    signed = -signed if alternative == "less" else signed
    return np.where(np.isfinite(found), signed, np.inf)


def _tail_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each value the share of its column that is not above it."""
    shares = np.empty(values.T.shape)
    for share, column in zip(shares, values.T, strict=True):
        order = np.argsort(column)
        ordered = column[order]  # values in their order are found twice as fast
        finite = np.abs(ordered[np.isfinite(ordered)])
        slack = SAME * float(finite.max(initial=0.0))
        share[order] = np.searchsorted(ordered, ordered + slack, "right") / len(column)
    return shares.T


def studentized_p(
    losses: ArrayLike,
    pairs: Sequence[tuple[int, int]],
    groups: ArrayLike | None = None,
    seed: int = 0,
    rounds: int = 10_000,
    alternative: Alternative = "two_sided",
    strata: Strata | None = None,
) -> NDArray[np.float64]:
    """Return p of the paired t tests of all pairs on joint resamples (B, m) about the means found.

    `losses` are (n, M), and each of the `pairs` two of their columns. Examples, or whole groups,
    are drawn with replacement; the mean difference of a resample, less the one found, is divided
    by the standard error of that resample (cluster-robust for groups) and referred to t. With
    `strata` each data set is drawn by itself, and the standard error is the stratified one. A
    resample without spread has p = 0 where its mean has moved, and 1 where it has not.
    """
    values = magnitudes(losses, "losses")
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    d = values[:, first] - values[:, second]
    size = SAME * np.abs(values).max(axis=0)
    least = np.maximum(size[first], size[second])
    codes = np.arange(len(d)) if groups is None else labels(groups, len(d), "group")
    parts, shares = [np.arange(len(d))], np.ones(1)
    df: Any = len(d) - 1.0 if groups is None else degrees_of_mean(codes)
    if strata is not None:
        parts, shares = strata.each(), strata.shares
        df = np.array([stratified_mean(one, strata, groups).df for one in d.T])
    rng = np.random.default_rng(seed)
    means, variances = (np.zeros((rounds, len(pairs))) for _ in range(2))
    for rows, share in zip(parts, shares, strict=True):
        units = labels(codes[rows], len(rows), "group")
        centred = d[rows] - d[rows].mean(axis=0)
        centred[np.abs(centred) <= least] = 0.0
        sizes = np.bincount(units).astype(np.float64)
        sums = group_totals(centred, units)
        blocks = Resamples(np.ones(len(sizes))).blocks(rng, rounds)
        found = [_moved(block.weights, sums, sizes) for block in blocks]
        means += share * np.concatenate([mean for mean, _ in found])
        variances += share**2 * np.concatenate([variance for _, variance in found])
    flat = variances == 0.0
    infinite = np.where(means == 0.0, 0.0, np.copysign(np.inf, means))
    z = np.where(flat, infinite, means / np.sqrt(np.where(flat, 1.0, variances)))
    if alternative == "two_sided":
        return np.asarray(2 * scipy.special.stdtr(df, -np.abs(z)))
    return np.asarray(scipy.special.stdtr(df, -z if alternative == "greater" else z))


def _moved(
    times: NDArray[np.float64], sums: NDArray[np.float64], sizes: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean over units that came `times` (B, units), and its variance (B, m)."""
    n = times @ sizes
    means = (times @ sums) / n[:, None]
    # The variance of `clusters.clustered_difference`: squares over 1 - n_g/n, which is
    # 1 - 1/n for single examples, where their sum is the usual n - 1
    rest = np.maximum(1 - sizes / n[:, None], SAME)
    weights = times / rest
    squares = (
        weights @ sums**2
        - 2 * means * (weights @ (sums * sizes[:, None]))
        + means**2 * (weights @ sizes**2)[:, None]
    )
    noise = SAME * np.maximum(weights @ sums**2, SAME * (means * n[:, None]) ** 2)
    return means, np.where(squares <= noise, 0.0, squares) / n[:, None] ** 2


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "resampled",
        adjective="max-T",
        single_step=True,
        when=(
            "pairs share models or metrics are alike, and every interval of the family should "
            "agree with its decision"
        ),
        when_not=(
            "the test cannot be resampled jointly: holm; there are fewer than about 50 examples, "
            "or 50 groups: holm"
        ),
        formula=(
            "draw the examples (or groups) with replacement, or swap outputs, in the same way for "
            "all hypotheses, and take p of every test about what was found; adjusted p is the "
            "share of the resamples whose smallest p is at most that of the test, (1 + count)/"
            "(1 + resamples). Intervals have the level at which that share is alpha"
        ),
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model tree = DecisionTreeClassifier(max_depth=3)\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol holdout test=1/3\n"
            "measure mcc\n"
            "compare linear, bayes, tree with bootstrap max_t\n"
        ),
        differs={
            "R multcomp": (
                "its single-step p comes from the multivariate t distribution; here from "
                "resamples, which need neither normality nor equal variances"
            ),
            "R multtest": "its ss.minP does not count the observed data, so that p can be 0",
        },
    ),
    title="Single-step max-T correction",
    references=(cite("westfall1993"), cite("montielolea2019")),
    examples=(
        Example(
            (
                (0.01, 0.2, 0.5),
                ((0.9, 0.05, 0.4), (0.3, 0.9, 0.01), (0.6, 0.7, 0.8), (0.2, 0.3, 0.4)),
            ),
            {"0": 2 / 5, "1": 4 / 5, "2": 4 / 5},
            "own derivation: the smallest p of the four resamples are .05, .01, .6 and .2",
        ),
    ),
)
def max_t(p: P, resampled: ArrayLike) -> Adjusted:
    """Adjust by the smallest p of joint resamples, in a single step, with matching intervals.

    Adjusted p is (1 + resamples whose smallest p is at most p)/(1 + B), never below p. The test
    statistics are compared by their p, so that tests with other spreads count alike: for
    statistics of one distribution that is the correction by their largest (Westfall & Young
    1993). `resampled` (B, m) are p-values under the hypotheses on resamples that are joint for
    all m, and may be empty where m is 0. An undefined p stays so and its column is not counted.
    Raises `ValueError` where the columns are not those of `p`, or there is no resample.
    """
    given = p_values(p)
    if not given:
        return ()
    smallest = smallest_p(resampled, [x is not None for x in given])
    total = len(smallest)
    return tuple(
        None
        if x is None
        else min(
            max((1 + int((smallest <= x * (1 + SAME)).sum())) / (1 + total), x),
            1.0,
        )
        for x in given
    )


def smallest_p(resampled: ArrayLike, counted: list[bool]) -> NDArray[np.float64]:
    """Return the smallest p of each joint resample over the hypotheses that are `counted` (B,)."""
    drawn = np.asarray(resampled, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != len(counted) or len(drawn) == 0:
        raise ValueError("each p needs a column of p-values on one joint resample or more")
    if not ((drawn >= 0) & (drawn <= 1)).all():
        raise ValueError("p-values on resamples lie between 0 and 1")
    return np.asarray(drawn[:, counted].min(axis=1, initial=1.0))


def single_level(resampled: ArrayLike, level: float, counted: list[bool]) -> float | None:
    """Return the level of single intervals that hold together at `level`, by joint resamples.

    It is 1 less the largest alpha that `max_t` adjusts to 1 - level or less; None where the
    resamples are too few or too far apart for that: fewer than 1/(1 - level), or so skewed that
    a statistic of theirs is beyond all numbers.
    """
    alpha = 1 - checked_level(level)
    smallest = np.sort(smallest_p(resampled, counted))
    most = int(alpha * (1 + len(smallest)) * (1 + SAME)) - 1  # counted at or below that alpha
    if most < 0:
        return None
    if smallest[most] > alpha:  # an adjusted p is never below p
        return level
    # Just below the p at which there would be one resample too many
    found = float(smallest[most]) * (1 - 2 * SAME)
    single = 1 - found
    return single if single < 1 else None
