"""Intervals of a ratio of two sums over the examples, by the delta method."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.clusters import degrees_of_sizes, group_codes, group_totals
from evallang.stats.distributions import t_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import magnitudes
from evallang.stats.validity import OF_GROUPS, OF_OUTSIDE, OF_TAIL

# Equal denominators: the ratio is a mean of .5, 1.5, 1, 1 with Student's interval
EQUAL = ((1.0, 2.0), (3.0, 2.0), (2.0, 2.0), (2.0, 2.0))
HALF = 3.182446305284263 * math.sqrt(1 / 6 / 4)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.LOSSES_PER_ROW}),
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
            'predictions speech "Speech" from "data/transcripts.csv"\n'
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
        codes = group_codes(groups, len(pairs))
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
