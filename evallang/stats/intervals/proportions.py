"""Intervals of proportions and of ratios of counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, ONE_PREDICTION_PER_ROW, SHARES
from evallang.registry import Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import (
    MOST_COUNTED,
    bounds_inside,
    checked_level,
    labels,
    normal_quantile,
    numbers,
    t_quantile,
)
from evallang.stats.clusters import group_totals
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, within
from evallang.stats.validity import (
    ENOUGH_GROUPS,
    OF_GROUPS,
    OF_MISTAKES,
    OF_RAREST,
    OF_SIZES,
    Counted,
    Holds,
)

FROM_COUNTS = frozenset({ONE_PREDICTION_PER_ROW, COUNTS, SHARES})
CHAPTER_2 = (
    "13 of 16, R package contingencytables, tests/testthat/test-ch2.R (Fagerland, Lydersen "
    "& Laake 2017, chapter 2)"
)
R_BINOM = (
    "4 of 200, computed with R package binom: statsmodels 0.15.0, "
    "stats/tests/results/results_proportion.py"
)


def _bounds(low: float, high: float) -> dict[str, float]:
    return {"low": low, "high": high}


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        default_for=frozenset({"proportion"}),
        clustered=True,
        weights=True,
        # Otherwise it covers close to its level (Brown, Cai & DasGupta 2001)
        holds=(
            Holds(Counted.WEIGHTED, 50, "coverage of 95% intervals was 85 to 97% in simulations"),
            Holds(
                Counted.GROUPS,
                ENOUGH_GROUPS,
                "coverage of 95% intervals was 90 to 99% in simulations",
            ),
            OF_SIZES,
        ),
        when=("the metric is a proportion of independent trials, of any size and also near 0 or 1"),
        when_not="a guarantee of at least the nominal level is needed: clopper_pearson",
        formula=(
            "all proportions p for which the one observed lies within z standard errors, the "
            "standard error taken at p; with groups, and with several answers to each of few "
            "questions, n is the effective number of answers, and t takes the place of z"
        ),
        differs={
            "statsmodels": (
                "proportion_confint has method='normal' as its default, which is wald; its "
                "method='wilson' is the same as here"
            ),
            "Kish 1965": (
                "with groups the number of examples is divided by the design effect, which is "
                "not taken below 1: groups whose examples are more unlike than chance would "
                "count as more examples than there are. Two right or wrong answers a group that "
                "always disagree have a design effect of 0, and count as the rows themselves"
            ),
        },
    ),
    title="Wilson score interval",
    references=(cite("wilson1927"), cite("brown2001")),
    examples=(
        Example((13, 16, 0.95), _bounds(0.5699, 0.9341), CHAPTER_2, 5e-5),
        Example((4, 200, 0.95), _bounds(0.00780442641634947, 0.05028708690582643), R_BINOM, 1e-12),
    ),
)
def wilson(successes: int, n: int, level: float) -> Interval:
    """Score interval for a proportion, close to its nominal level for every n.

    The set of proportions that a score test does not reject (Brown, Cai & DasGupta 2001,
    eq. 4). Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked_counts(successes, n, level)
    if total == 0:
        return _undefined("wilson", level)
    return Interval("wilson", level, *score_bounds(x / total, total, z))


def score_bounds(share: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's bounds, also for an effective number of trials with decimals."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    # At the ends the bound is 0 or 1 exactly, which rounding may miss
    low = 0.0 if share <= 0 else max(centre - half, 0.0)
    return low, 1.0 if share >= 1 else min(centre + half, 1.0)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="its level is guaranteed at every number of trials",
        when="the level must be guaranteed whatever the true proportion",
        when_not="in routine use, because it is wider than necessary: wilson",
        formula=(
            "the proportions under which neither as many successes or more, nor as few or "
            "fewer, has a chance below half of 1 - level"
        ),
    ),
    title="Clopper-Pearson exact interval",
    references=(cite("clopper1934"), cite("brown2001")),
    examples=(
        Example((13, 16, 0.95), _bounds(0.5435, 0.9595), CHAPTER_2, 5e-5),
        Example((4, 200, 0.95), _bounds(0.005475565879556443, 0.05041360908989634), R_BINOM, 1e-12),
    ),
)
def clopper_pearson(successes: int, n: int, level: float) -> Interval:
    """Exact interval for a proportion, which never covers less than its level.

    Inverts two one-sided binomial tests. Raises `ValueError` where 0 <= successes <= n does
    not hold.
    """
    x, total, _ = _checked_counts(successes, n, level)
    if total == 0:
        return _undefined("clopper_pearson", level)
    return _clipped("clopper_pearson", level, *exact_bounds(x, total, level))


@lru_cache(1024)  # two effects of a pair have the same
def exact_bounds(successes: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's bounds, also for an effective number of trials with decimals.

    `n` is above 0.
    """
    tail = (1 - level) / 2
    low = (
        0.0
        if successes <= 0
        else float(scipy.special.betaincinv(successes, n - successes + 1, tail))
    )
    high = (
        1.0
        if successes >= n
        else float(scipy.special.betainccinv(successes + 1, n - successes, tail))
    )
    return low, high


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="it covers 95 % or more at every number of trials (Brown, Cai & DasGupta 2001)",
        when="you need a formula that can be checked by hand",
        when_not=(
            "the proportion is near 0 or 1, where it is wider than wilson and truncated: wilson"
        ),
        formula=(
            "add z²/2 successes and z²/2 failures; the new proportion ± z times the root of "
            "it times 1 less it, over the new number of trials"
        ),
    ),
    title="Agresti-Coull interval",
    references=(cite("agresti1998"), cite("brown2001")),
    examples=(
        Example((4, 200, 0.95), _bounds(0.005991954548218395, 0.0520995587739575), R_BINOM, 1e-12),
    ),
)
def agresti_coull(successes: int, n: int, level: float) -> Interval:
    """Wald interval after adding z²/2 successes and z²/2 failures.

    Brown, Cai & DasGupta 2001; adding 2 and 2, as is often printed, is its rounding
    at 95 %. Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked_counts(successes, n, level)
    if total == 0:
        return _undefined("agresti_coull", level)
    centre = (x + z * z / 2) / (total + z * z)
    half = z * (centre * (1 - centre) / (total + z * z)) ** 0.5
    return _clipped("agresti_coull", level, centre - half, centre + half)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        holds="it covers close to its level at every number of trials (Brown, Cai & DasGupta 2001)",
        when="you need a Bayesian interpretation with a non-informative prior",
        when_not="the level must be guaranteed: clopper_pearson",
        formula=(
            "the middle share `level` of the beta distribution with successes + ½ and failures + ½"
        ),
    ),
    title="Jeffreys interval",
    references=(cite("brown2001"),),
    examples=(Example((13, 16, 0.95), _bounds(0.5792, 0.9442), CHAPTER_2, 5e-5),),
)
def jeffreys(successes: int, n: int, level: float) -> Interval:
    """Equal-tailed posterior interval for a proportion under Jeffreys' prior Beta(½, ½).

    The lower bound is 0 for no success and the upper 1 for no failure (Brown, Cai &
    DasGupta 2001). Raises `ValueError` where 0 <= successes <= n does not
    hold.
    """
    x, total, _ = _checked_counts(successes, n, level)
    if total == 0:
        return _undefined("jeffreys", level)
    tail = (1 - level) / 2
    low = 0.0 if x == 0 else float(scipy.special.betaincinv(x + 0.5, total - x + 0.5, tail))
    high = 1.0 if x == total else float(scipy.special.betainccinv(x + 0.5, total - x + 0.5, tail))
    return _clipped("jeffreys", level, low, high)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_COUNTS,
        "proportion",
        advised_against="its coverage is erratic and too low, and near 0 or 1 it has no width "
        "or leaves the range",
        advised_by="Brown, Cai & DasGupta 2001",
        holds="no number of trials decides: it is advised against at every one",
        when="you reproduce a published table",
        when_not="in all other cases: wilson",
        formula="the proportion ± z times the root of it times 1 less it, over n",
    ),
    title="Wald interval (normal approximation)",
    references=(cite("raschka2018"), cite("brown2001")),
    examples=(
        Example((4, 200, 0.95), _bounds(0.000597346459104517, 0.0394026535408955), R_BINOM, 1e-12),
    ),
)
def wald(successes: int, n: int, level: float) -> Interval:
    """Normal approximation p ± z sqrt(p(1 - p)/n), cut at 0 and 1.

    Raschka 2018, section 1.7. Raises `ValueError` where 0 <= successes <= n does not hold.
    """
    x, total, z = _checked_counts(successes, n, level)
    if total == 0:
        return _undefined("wald", level)
    share = x / total
    half = z * (share * (1 - share) / total) ** 0.5
    notes = ("no width: the approximation fails at 0 and 1",) if x in (0, total) else ()
    return _clipped("wald", level, share - half, share + half, notes)


def _checked_counts(successes: int, n: int, level: float) -> tuple[int, int, float]:
    try:
        x, total = int(successes), int(n)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{successes} of {n} is not a count of successes among trials") from None
    if x != successes or total != n or not 0 <= x <= total or total > MOST_COUNTED:
        raise ValueError(f"{successes} of {n} is not a count of successes among trials up to 2^53")
    return x, total, normal_quantile(level)


def _clipped(
    method: str, level: float, low: float, high: float, notes: tuple[str, ...] = ()
) -> Interval:
    return Interval(method, level, max(low, 0.0), min(high, 1.0), notes)


def _undefined(method: str, level: float) -> Interval:
    return Interval(method, checked_level(level), None, None, ("no trials",))


Average = Literal["binary", "macro", "micro", "weighted"]
AVERAGES = ("binary", "macro", "micro", "weighted")
Z_95 = 1.9599639845400542
OWN = "own derivation: computed by hand"
# Both classes: F1 .8, 16 right and 4 wrong of 20
EVEN = ((8, 2), (2, 8))


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, COUNTS}),
        "one_metric",
        of_metric="f1",
        holds=(OF_RAREST, OF_MISTAKES),
        when="you need F1 of independent examples in closed form",
        when_not="a class has few true or predicted examples: bootstrap",
        formula=(
            "F1 ± z standard errors on the logit scale, the variance from how each cell of "
            "the confusion matrix moves F1"
        ),
        differs={
            "confidenceinterval": (
                "its intervals are symmetric and leave [0, 1], such as (.548, 1.113); "
                "takahashi(plain) is that form, cut at the ends"
            ),
        },
    ),
    title="Delta-method interval for F1",
    references=(cite("takahashi2022"),),
    examples=(
        Example(
            (EVEN, "micro", None, 0.95),
            {
                "low": 0.8 - Z_95 * math.sqrt(0.8 * 0.2 / 20),
                "high": 0.8 + Z_95 * math.sqrt(0.8 * 0.2 / 20),
            },
            f"{OWN}: micro F1 is accuracy, .8 ± z sqrt(.8 (.2)/20)",
            options={"scale": "plain"},
        ),
        Example(
            (EVEN, "macro", None, 0.95),
            # F (1 - F)(2 - F)/s = .192 for each class with s = 1, and 2 (.2)(.8)(.8) across,
            # over r² n = 80
            {
                "low": 0.8 - Z_95 * math.sqrt((2 * 0.192 + 0.256) / 80),
                "high": 0.8 + Z_95 * math.sqrt((2 * 0.192 + 0.256) / 80),
            },
            f"{OWN}, .8 ± z sqrt(.64/80)",
            options={"scale": "plain"},
        ),
        Example(
            (EVEN, "binary", 1, 0.95),
            {
                "low": 1 / (1 + math.exp(-math.log(4) + Z_95 * math.sqrt(0.192 / 20) / 0.16)),
                "high": 1 / (1 + math.exp(-math.log(4) - Z_95 * math.sqrt(0.192 / 20) / 0.16)),
            },
            f"{OWN}, logit .8 ± z sqrt(.192/20) / (.8 (.2))",
        ),
    ),
)
def takahashi(
    matrix: ArrayLike,
    average: Average,
    positive: int | None,
    level: float,
    *,
    scale: Literal["logit", "plain"] = "logit",
) -> Interval:
    """Interval for F1 with the delta method's variance, on the logit scale.

    The variance is that of the multinomial counts times the squared gradient of F1, for
    micro and macro averages (Takahashi, Yamamoto, Kuchiba & Koyama 2022), one class, or the
    average weighted by the true classes (the same method, own derivation). The logit
    keeps the bounds inside [0, 1]; `plain` is the paper's form, cut there. At F1 = 0 or 1
    the variance is 0 and says nothing, and there is no interval. `matrix` is (k, k), true
    by predicted class; `positive` the class of `binary`. Raises `ValueError` where
    `matrix` is not a table of counts or `positive` is missing.
    """
    z = normal_quantile(level)
    counts = _checked_matrix(matrix, average, positive)
    n = float(counts.sum())
    if n == 0:
        return Interval("takahashi", level, None, None, ("no examples",))
    found = _value_and_gradient(counts / n, average, positive)
    if found is None:
        reason = "undefined: a class is neither true nor predicted"
        return Interval("takahashi", level, None, None, (reason,))
    value, gradient = found
    shares = counts / n
    centre = float((shares * gradient).sum())
    variance = float((shares * (gradient - centre) ** 2).sum()) / n
    if not 0 < value < 1 or variance <= 0:
        reason = f"undefined: F1 is {value:g}, where the delta method has no variance"
        return Interval("takahashi", level, None, None, (reason,))
    error = math.sqrt(variance)
    if scale == "plain":
        low, high = max(value - z * error, 0.0), min(value + z * error, 1.0)
        return Interval("takahashi", level, low, high)
    return Interval("takahashi", level, *bounds_inside(value, z * error))


def _value_and_gradient(
    p: NDArray[np.float64], average: str, positive: int | None
) -> tuple[float, NDArray[np.float64]] | None:
    """Return F1 and its derivatives by the cells' probabilities; None where F1 is undefined."""
    hits = np.diag(p)
    if average == "micro":
        return float(hits.sum()), np.eye(len(p))
    sums = p.sum(axis=0) + p.sum(axis=1)
    if average == "binary":
        weights = np.zeros(len(p))
        weights[positive] = 1.0
    elif average == "macro":
        weights = np.full(len(p), 1 / len(p))
    else:
        weights = p.sum(axis=1)
    if (sums[weights > 0] == 0).any():
        return None
    scores = np.divide(2 * hits, sums, out=np.zeros(len(p)), where=sums > 0)
    # F = 2 hits / sums: a cell off the diagonal is in the sums of its row and its column
    slopes = np.divide(weights * scores, sums, out=np.zeros(len(p)), where=sums > 0)
    gradient = -(slopes[:, None] + slopes[None, :])
    doubled = np.divide(2 * weights, sums, out=np.zeros(len(p)), where=sums > 0)
    gradient[np.diag_indices(len(p))] += doubled
    if average == "weighted":
        gradient += scores[:, None]
    return float(weights @ scores), gradient


def _checked_matrix(matrix: ArrayLike, average: str, positive: int | None) -> NDArray[np.float64]:
    counts = numbers(matrix, "counts")
    countable = ((counts >= 0) & (counts <= MOST_COUNTED)).all()
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not countable:
        raise ValueError("a confusion matrix holds counts of true by predicted classes")
    if average not in AVERAGES:
        raise ValueError(f"F1 is averaged as {', '.join(AVERAGES)}, not {average!r}")
    if average == "binary" and positive not in range(len(counts)):
        raise ValueError("binary F1 is that of a class, and none is named")
    return counts


STEP = 1e-4  # relative step of the differences; their error is of the order of its square


def _kappa(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Cohen's kappa of matrices (..., k, k), for the worked example."""
    p = counts / counts.sum((-2, -1), keepdims=True)
    agreed = np.trace(p, axis1=-2, axis2=-1)
    chance = (p.sum(-1) * p.sum(-2)).sum(-1)
    value: NDArray[np.float64] = (agreed - chance) / (1 - chance)
    return value


# Even margins: kappa is 2 p_o - 1, so that its standard error is 2 sqrt(p_o (1 - p_o) / n)
EVEN_KAPPA = ((40, 10), (10, 40))
HALF = Z_95 * 2 * math.sqrt(0.8 * 0.2 / 100) / (1 - 0.6**2)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, COUNTS}),
        "cells",
        holds=(
            Holds(
                Counted.RAREST,
                20,
                "coverage of 95% intervals was 72% with 5 and 90% with 10 in simulations",
            ),
            OF_MISTAKES,
        ),
        when=(
            "the metric depends on the confusion matrix of independent examples, and the "
            "interval should need no resampling"
        ),
        when_not=(
            "a class has few examples and the metric is balanced accuracy (95 % intervals covered "
            "72 % with 5 examples of the rarer class, 90 % with 10, 94 % with 20), or the mean of "
            "other recalls: sum_of_shares; the metric is a proportion, or F1 of one class: wilson"
        ),
        formula=(
            "the variance of the metric is that of the multinomial counts times the squared "
            "slope of the metric in each cell; ± z standard errors on the logit scale for a "
            "metric from 0 to 1, on Fisher's scale (artanh) for one from -1 to 1, else as it is"
        ),
    ),
    title="Delta-method interval of the confusion matrix",
    references=(cite("agresti2013"),),
    examples=(
        Example(
            (EVEN_KAPPA, _kappa, (-1.0, 1.0), 0.95),
            {
                "low": math.tanh(math.atanh(0.6) - HALF),
                "high": math.tanh(math.atanh(0.6) + HALF),
            },
            "own derivation: with even margins kappa is 2 p - 1 of the share p that agrees",
            tolerance=1e-6,
        ),
    ),
)
def delta(
    matrix: ArrayLike,
    of_counts: Callable[[NDArray[Any]], NDArray[np.float64]],
    limits: tuple[float | None, float | None],
    level: float,
) -> Interval:
    """Interval of a metric of the confusion matrix with the delta method's variance.

    `matrix` (k, k) counts examples by true and predicted class, `of_counts` computes the metric
    of matrices (..., k, k), `limits` is its range. The slopes are central differences with
    relative steps. A metric at an end of its range, or one that no cell moves, has no variance,
    and there is no interval. Raises `ValueError` where `matrix` is not a table of counts.
    """
    z = normal_quantile(level)
    counts = numbers(matrix, "counts")
    if counts.ndim != 2 or not ((counts >= 0) & (counts <= MOST_COUNTED)).all():
        raise ValueError("a confusion matrix holds counts of true by predicted classes")
    n = float(counts.sum())
    if n == 0:
        return _none(level, "no examples")
    value = float(of_counts(counts))
    if not math.isfinite(value):
        return _none(level, "undefined for these counts")
    shares = counts / n
    slopes = _slopes(counts, of_counts) * n
    centre = float((shares * slopes).sum())
    variance = float((shares * (slopes - centre) ** 2).sum()) / n
    low, high = limits
    inside = (low is None or value > low) and (high is None or value < high)
    if not inside or not variance > STEP**2 * max(value**2, 1e-12):
        return _none(level, f"undefined: at {value:g} the delta method has no variance")
    half = z * math.sqrt(variance)
    if low is None or high is None:
        return Interval("delta", level, *within(limits, value - half, value + half))
    # artanh of the place in a range is half its logit: one scale for both
    return Interval("delta", level, *bounds_inside(value, half, low, high))


def _slopes(
    counts: NDArray[np.float64], of_counts: Callable[[NDArray[Any]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the derivative of the metric by each cell's count; 0 where a cell is empty.

    Such a cell has a share of 0, and so no part in the variance.
    """
    cells = np.argwhere(counts > 0)
    moved = np.repeat(counts[None, None], 2 * len(cells), axis=0).reshape(
        2, len(cells), *counts.shape
    )
    steps = STEP * counts[tuple(cells.T)]
    each = np.arange(len(cells))
    moved[0, each, cells[:, 0], cells[:, 1]] -= steps
    moved[1, each, cells[:, 0], cells[:, 1]] += steps
    below, above = of_counts(moved)
    slopes = np.zeros(counts.shape)
    slopes[tuple(cells.T)] = (above - below) / (2 * steps)
    return slopes


def _none(level: float, reason: str) -> Interval:
    return Interval("delta", level, None, None, (reason,))


# 400 examples, of which humans called 10 positive and 10 not; the judge is wrong on one of each
# and calls 190 of the other 380 positive
TWENTY_LABELLED = (
    *((1, 1),) * 9, (0, 1), (1, 0), *((0, 0),) * 9, *((1, -1),) * 190, *((0, -1),) * 190
)  # fmt: skip
HALF_BY_HAND = 1.5 * Z_95 * math.sqrt(1 / 18 / (400 + Z_95**2) + 5 / 864)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW}),
        "verdicts",
        clustered=True,
        default_for=frozenset({"verdicts"}),
        holds=(OF_GROUPS,),
        when="a judge labels all examples and humans some, however few errors of it they find",
        when_not="examples have weights: bootstrap",
        example=(
            'predictions answers "Answers" from "data/ratings.csv"\n'
            "  judges gpt, claude truth human\n"
            "  positive acceptable\n"
            "\n"
            "measure corrected_rate\n"
            "  interval lang_reiczigel\n"
        ),
        formula=(
            "corrected rate ± z standard errors by the delta method, after one success and one "
            "failure are added to sensitivity and to specificity, and z²/2 of each to the share "
            "that the judge calls positive; moved by 2z² times (rate less the share of labelled "
            "positives) times the variance of sensitivity, less the same of negatives and "
            "specificity. Those shares, and covariances in the standard error, are there because "
            "the labelled examples are some of all; in the paper they are samples of their own. "
            "With groups, what their examples contribute is added up, and z is t with one degree "
            "of freedom less than there are groups"
        ),
    ),
    title="Lang–Reiczigel interval",
    references=(cite("lang2014"),),
    examples=(
        Example(
            (TWENTY_LABELLED, None, 0.95),
            _bounds(0.5 - HALF_BY_HAND, 0.5 + HALF_BY_HAND),
            f"{OWN}: sensitivity and specificity of 10/12 and a rate of 1/2, which is not moved",
            tolerance=1e-9,
        ),
    ),
)
def lang_reiczigel(verdicts: ArrayLike, groups: ArrayLike | None, level: float) -> Interval:
    """Interval of a corrected rate, with the errors of the judge estimated from few labels.

    `verdicts` (n, 2) are what the judge and humans say of each example: 1 positive, 0 not, and -1
    without a label by humans; `groups` (n,) is the group of each example, or None. No interval
    where the judge is not shown to be better than chance, or with fewer than two groups. Raises
    `ValueError` for verdicts other than numbers, a level outside (0, 1), and missing groups.
    """
    said, truth = numbers(verdicts, "verdicts").T
    quantile = z = normal_quantile(level)
    there, absent = truth == 1, truth == 0
    trials = np.array([np.ones(len(said)), there, absent])
    right = np.array([said, there & (said == 1), absent & (said == 0)])
    added = np.array([z * z / 2, 1, 1])  # successes, and failures
    n = trials.sum(axis=1) + 2 * added
    shares = (right.sum(axis=1) + added) / n
    rest, skill = (float(shares[i] + shares[2] - 1) for i in (0, 1))
    if skill <= 0:
        return _undefined_rate(level, "the judge is not shown to be better than chance")
    rate = rest / skill
    slopes = np.array([1, -rate, 1 - rate]) / n / skill
    moves = slopes @ (right - trials * shares[:, None])
    units, clusters = 1.0, None
    if groups is not None:
        moves = group_totals(moves, labels(groups, len(moves), "group"))
        if len(moves) < 2:
            return _undefined_rate(level, "fewer than two groups")
        clusters, quantile = Clusters(len(moves), None), t_quantile(level, len(moves) - 1)
        units = len(moves) / (len(moves) - 1)
    of_added = added @ (slopes**2 * (shares**2 + (1 - shares) ** 2))
    half = quantile * math.sqrt(units * float((moves**2).sum()) + float(of_added))
    variances = (shares * (1 - shares) / n)[1:]
    more = np.array([rate, 1 - rate]) - trials[1:].mean(axis=1)
    middle = rate + 2 * z * z * float(variances @ (more * [1, -1]))
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return Interval("lang_reiczigel", level, low, high, (), clusters)


def _undefined_rate(level: float, reason: str) -> Interval:
    return Interval("lang_reiczigel", level, None, None, (f"undefined: {reason}",))
