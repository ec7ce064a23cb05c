"""Intervals of ratios of sums, of sums of shares, and of what each example changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW, SCORES_PER_ROW
from evallang.registry import Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import (
    bounds_inside,
    checked_level,
    labels,
    magnitudes,
    numbers,
    t_quantile,
)
from evallang.stats.clusters import degrees_of_sizes, group_totals
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, within
from evallang.stats.intervals.proportions import wilson
from evallang.stats.validity import OF_GROUPS, OF_OUTSIDE, OF_TAIL, Counted, Holds

# Equal denominators: the ratio is a mean of .5, 1.5, 1, 1 with Student's interval
EQUAL = ((1.0, 2.0), (3.0, 2.0), (2.0, 2.0), (2.0, 2.0))
HALF = 3.182446305284263 * math.sqrt(1 / 6 / 4)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "sums",
        clustered=True,
        weights=True,
        default_for=frozenset({"sums", "few"}),
        holds=(
            OF_OUTSIDE,
            OF_TAIL,
            OF_GROUPS,
        ),
        when=(
            "the measure divides two sums over the examples, such as word errors by words, or is "
            "a mean over few examples or groups; 95 % intervals of 10 speakers covered 94 %, "
            "those of the bootstrap 90 %"
        ),
        when_not=(
            "a few examples carry most of the denominator or of the numerator: the interval is "
            "symmetric about the ratio, and the sums are not yet normal; bootstrap"
        ),
        formula=(
            "R ± t √(Σ e²/(1 - h)) / W: e = x - R w are the residuals of the examples, or their "
            "sums over each group, h = w/W their shares of the denominator's sum W; t has "
            "Satterthwaite's degrees of freedom, n - 1 for equal denominators"
        ),
        example=(
            'predictions speech "Speech (synthetic)" from "data/transcripts.csv"\n'
            "  id utterance\n"
            "  group speaker\n"
            '  value ratio("errors", "words") small as (small_errors, words)\n'
            "  lower is better\n"
            '  unit "utterances"\n'
            "\n"
            "measure errors_words\n"
            "  interval ratio\n"
        ),
    ),
    title="t interval of a mean or of a ratio of sums",
    references=(cite("cochran1977"), cite("bell2002", "groups")),
    examples=(
        Example(
            (EQUAL, None, 0.95),
            {"low": 1 - HALF, "high": 1 + HALF},
            "own derivation: with equal denominators the ratio is a mean, and the interval is "
            "Student's",
            tolerance=1e-9,
        ),
    ),
)
def ratio(sums: ArrayLike, groups: ArrayLike | None, level: float) -> Interval:
    """Interval of a ratio of sums, with examples or whole groups as the sample.

    `sums` (n, 2) are the numerators and denominators of the examples, times their weights;
    `groups` (n,) is the group of each, or None. The ratio is the weighted mean of the examples'
    own ratios, so that its variance is that of a weighted regression on a constant, without bias
    where the variance of a numerator is proportional to its denominator (HC2, with groups CR2:
    Bell & McCaffrey 2002). No interval without two units that have a denominator, or where all
    ratios are equal. Raises `ValueError` where a number is not finite or a denominator is negative.
    """
    pairs = magnitudes(sums, "sums")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isfinite(pairs).all():
        raise ValueError("a ratio of sums takes a finite numerator and denominator of each example")
    if (pairs[:, 1] < 0).any():
        raise ValueError("the denominators of a ratio of sums are zero or more")
    clusters = None
    if groups is not None:
        codes = labels(groups, len(pairs), "group")
        pairs = group_totals(pairs, codes)
        clusters = Clusters(len(pairs), None)
    unit = "example" if groups is None else "group"
    numerators, denominators = pairs.T
    total = float(denominators.sum())
    if int((denominators > 0).sum()) < 2:
        note = f"undefined: fewer than two {unit}s have a denominator"
        return Interval("ratio", level, None, None, (note,), clusters)
    value = float(numerators.sum()) / total
    shares = denominators / total
    residuals = numerators - value * denominators
    error = math.sqrt(float((residuals**2 / (1 - shares)).sum())) / total
    if error <= 1e-12 * max(abs(value), float(np.abs(numerators).max()) / total):
        note = f"undefined: each {unit} has the same ratio"
        return Interval("ratio", level, None, None, (note,), clusters)
    half = t_quantile(level, degrees_of_sizes(denominators)) * error
    return Interval("ratio", level, value - half, value + half, (), clusters)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, SCORES_PER_ROW}),
        "shares",
        default_for=frozenset({"shares"}),
        holds=(
            Holds(Counted.RAREST, 10, "coverage of 95% intervals was 91 to 96% in simulations"),
        ),
        when=(
            "the metric is a mean of recalls, such as balanced accuracy, or another sum of shares "
            "of examples, such as net benefit, and a class or the alarms are few"
        ),
        when_not=(
            "the metric is one share: wilson; rows belong to groups or have weights: bootstrap"
        ),
        formula=(
            "Wilson's interval of each share; the distances of the bounds from the shares, times "
            "the coefficients, are added as variances are, with the correlation of shares of the "
            "same examples"
        ),
    ),
    title="Interval of a sum of shares from Wilson's bounds (MOVER)",
    references=(cite("zou2008"), cite("newcombe_independent1998")),
    examples=(
        Example(
            (((1, 7, 34, 0), (-1, 1, 34, 1)), (-1.0, 1.0), 0.95),
            {"low": 0.0189, "high": 0.3404},
            "R package contingencytables, tests/testthat/test-ch4.R, Newcombe_hybrid_score_CI_2x2 "
            "(Fagerland, Lydersen & Laake 2017, chapter 4)",
            5e-5,
        ),
    ),
)
def sum_of_shares(
    terms: ArrayLike, limits: tuple[float | None, float | None], level: float
) -> Interval:
    """Interval of a sum of shares, each times a coefficient, from Wilson's bounds of each.

    Zou & Donner 2008. `terms` (s, 4) holds for each share its coefficient, successes, trials and
    the set of examples that are its trials: shares of one set exclude each other, and sets have no
    example in common. A share without trials is excluded from the sum. Bounds are cut at the
    `limits` of the metric. Raises `ValueError` where `terms` has another shape or counts.
    """
    checked_level(level)
    given = numbers(terms, "shares")
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError("each share has a coefficient, successes, trials and a set of examples")
    given = given[given[:, 2] > 0]
    if not len(given):
        return Interval("sum_of_shares", level, None, None, ("undefined: no share has an example",))
    bounds = [wilson(int(row[1]), int(row[2]), level) for row in given]
    shares = given[:, 1] / given[:, 2]
    low = np.array([found.low for found in bounds])
    high = np.array([found.high for found in bounds])
    c, value = given[:, 0], float((given[:, 0] * shares).sum())
    down = c * np.where(c > 0, shares - low, shares - high)
    up = c * np.where(c > 0, high - shares, low - shares)
    signs, alike = np.sign(c), _correlations(shares, given[:, 3])

    def reach(distances: NDArray[np.float64]) -> float:
        signed = signs * distances
        # einsum and not BLAS: the same bits for any number of threads
        return math.sqrt(max(float(np.einsum("i,ij,j->", signed, alike, signed)), 0.0))

    least, most = within(limits, value - reach(down), value + reach(up))
    return Interval("sum_of_shares", level, least, most)


def _correlations(shares: NDArray[np.float64], sets: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlations of the shares (s, s): of one set as of a multinomial, else 0."""
    odds = np.sqrt(shares / np.where(shares < 1, 1 - shares, np.inf))
    found = np.where(sets[:, None] == sets[None, :], -odds[:, None] * odds[None, :], 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


NO_SPREAD = 1e-12  # of the size of the estimate


class CountedInfluences(Struct, frozen=True, eq=False):
    """Distinct influences (D,) and how many examples have each (D,)."""

    values: NDArray[np.float64]
    times: NDArray[np.integer]


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({SCORES_PER_ROW}),
        "influences",
        clustered=True,
        default_for=frozenset({"influences"}),
        holds=(
            Holds(Counted.RAREST, 20, "coverage of 95% intervals was 88 to 92% in simulations"),
            Holds(Counted.OUTSIDE, 10, "coverage of 95% intervals was 80 to 90% in simulations"),
            Holds(Counted.EVENTS, 20, "coverage of 95% intervals was 77 to 91% in simulations"),
            OF_TAIL,
            OF_GROUPS,
        ),
        when=(
            "the metric is not a mean over examples, and the influence of each example on it is "
            "known: concordance, calibration_slope, calibration_intercept; it takes no resamples, "
            "so that average_precision and ranking_loss of predictions in parts need no row"
        ),
        when_not="the metric is a mean over examples: t; it has no known influences: bootstrap",
        formula=(
            "estimate ± t standard errors: the influence of an example is the derivative of the "
            "estimate by its weight, or the sum of those of a group; the standard error is the "
            "root of n/(n - 1) times the sum of their squares; on the logit scale where the "
            "metric lies between two bounds"
        ),
    ),
    title="Infinitesimal jackknife interval",
    references=(cite("efron1982"),),
    examples=(
        Example(
            # The influences of the mean of 1, 2, 3, 6, which are (x - 3)/4
            (3.0, (-0.5, -0.25, 0.0, 0.75), None, (None, None), 0.95),
            {"low": 3 - 3.182446305284263 * math.sqrt(14 / 12), "high": 3 + 3.182446305284263
             * math.sqrt(14 / 12)},
            "closed form: Student's interval of the mean of 1, 2, 3, 6",
            tolerance=1e-9,
        ),
    ),
)  # fmt: skip
def jackknife(
    estimate: float,
    influences: ArrayLike | CountedInfluences,
    groups: ArrayLike | None,
    limits: tuple[float | None, float | None],
    level: float,
) -> Interval:
    """Interval from the derivatives of an estimate by the weights of the examples.

    `influences` (n,) are those derivatives, or the distinct ones and their numbers; `groups` (n,)
    is the group of each example, or None; `limits` are the smallest and largest value of the
    metric. No interval with fewer than two units, where no influence differs from 0, and at a
    bound. Raises `ValueError` where a number is not finite.
    """
    times = influences.times if isinstance(influences, CountedInfluences) else None
    given = influences.values if isinstance(influences, CountedInfluences) else influences
    values = magnitudes(given, "influences")
    if not np.isfinite(values).all() or not math.isfinite(estimate):
        raise ValueError("an interval from influences takes finite numbers")
    clusters = None
    if groups is not None:
        values = group_totals(values, labels(groups, len(values), "group"))
        clusters = Clusters(len(values), None)
    n = len(values) if times is None else int(times.sum(dtype=np.int64))

    def undefined(why: str) -> Interval:
        return Interval("jackknife", level, None, None, (f"undefined: {why}",), clusters)

    unit = "example" if groups is None else "group"
    if n < 2:
        return undefined(f"fewer than two {unit}s")
    squares = (values**2).sum() if times is None else np.dot(values**2, times)
    error = math.sqrt(float(squares) * n / (n - 1))
    if error <= NO_SPREAD * max(abs(estimate), 1.0):
        return undefined(f"no {unit} moves the estimate")
    half = t_quantile(level, n - 1) * error
    low, high = limits
    if low is None or high is None:
        return Interval("jackknife", level, estimate - half, estimate + half, (), clusters)
    if not low < estimate < high:
        return undefined("the estimate is at a bound of the metric")
    return Interval("jackknife", level, *bounds_inside(estimate, half, low, high), (), clusters)
