"""What an interval is: a pure function of evidence and level, and what evidence it needs.

As with tests, **positional** parameters name the evidence out of `stats.inputs`, keyword-only
parameters are the author's options.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from evallang.evidence import Evidence, RestsOnEvidence
from evallang.registry import Design, Guidance, Registry
from evallang.stats.validity import Validity, judged

Limits = tuple[float | None, float | None]


def within(limits: Limits, low: float, high: float) -> tuple[float, float]:
    """Return bounds, cut at the limits of a metric."""
    least, most = limits
    return low if least is None else max(low, least), high if most is None else min(high, most)


"""The range of a statistic, None where it is unbounded."""


class Resampler(Protocol):
    """A statistic that can be recomputed on resamples of its examples.

    `limits` are the smallest and largest value that the statistic can take, None where it is
    unbounded; `unit` says what is drawn ("examples", "groups").
    """

    @property
    def limits(self) -> Limits:
        """The range of the statistic."""

    unit: str
    """What is drawn with replacement, as a plural."""

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""

    def replicates(self, rng: "np.random.Generator", rounds: int) -> "NDArray[np.float64]":
        """Return the statistic on `rounds` resamples with replacement; NaN where undefined."""

    def jackknife(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Return leave-one-out values of the distinct examples, and how often each occurs."""


EstimateForm = Literal[
    "splits",
    "readers",
    "proportion",
    "auc",
    "auc_over_folds",
    "areas",
    "losses_over_folds",
    "sums",
    "influences",
    "series",
    "drawn",
    "shares",
    "few",
    "averaged",
    "strengths",
    "verdicts",
]
"""What the interval of an estimate is made from: scores of overlapping splits or of readers, right
and wrong, scores of one model or of the models of folds, scores of three classes or more, losses
of the models of folds, sums of one test set, what each example changes in a metric of one test
set, a series, or anything drawn again, a sum of shares, a mean
over few examples, means of data sets that are averaged, pairwise judgements, or verdicts of a judge
whose errors are estimated."""


RoundsFor = Callable[[Mapping[str, Any]], Literal["bounds", "standard_error"]]
"""A function from the options to what rounds are drawn for."""


class IntervalDeclaration(Guidance, RestsOnEvidence, frozen=True):
    """What an interval needs.

    Attributes
    ----------
    evidence : it can be computed from any of these
    designs : for fold scores, the designs it is valid for (empty: any)
    form : `proportion` (successes of n), `losses`, `auc`, `areas` (a mean of areas
        over classes), `fold_values`, `sample` (any
        metric over examples), `paired` (difference of two proportions on the same examples),
        `independent` (the same on examples of their own), `one_metric`, `cells` (any metric of
        the confusion matrix), `means` (what each example adds to a metric that is a mean over
        examples: losses, right or wrong), `sums` (a ratio of sums over the examples), `influences`
        (what each example changes in a metric that is not a mean), `series` (losses, or right and
        wrong, in the order of time), `readers`
        (areas, and means over examples, of several readers), `shares` (a weighted sum of shares),
        `strata` (a mean over examples, averaged over data sets),
        `strengths` (of models, from pairwise judgements), `verdicts` (a corrected rate)
    of_metric : the name of the `one_metric`
    clustered, weights : True where it has such a form
    advised_against : why not to use it, or empty
    advised_by : who advises against it
    as_option : its word in the option `interval` of a test, where that is not its name
    rounds_for : from the options, what its rounds are drawn for; None without rounds
    of_difference : its printed title where it is one of a difference, if that is another method
    allows_overlap : True where it allows for training sets that share rows
    implied : the protocol whose fits it is made from, in addition to those of the study's own; its
        options are those of the interval and of the study's own protocol with the same names
    about : what it is about, where that is not what the estimate is about; `{n}` is filled in
    holds : from which number of what on it holds, or why no number decides
    default_for : the estimates whose interval it is unless another is written
    """

    evidence: frozenset[Evidence]
    form: Literal[
        "proportion",
        "losses",
        "auc",
        "areas",
        "fold_values",
        "sample",
        "paired",
        "independent",
        "one_metric",
        "cells",
        "means",
        "sums",
        "influences",
        "readers",
        "series",
        "shares",
        "strata",
        "strengths",
        "verdicts",
    ]
    designs: frozenset[Design] = frozenset()
    of_metric: str = ""
    clustered: bool = False
    weights: bool = False
    advised_against: str = ""
    advised_by: str = ""
    as_option: str = ""
    rounds_for: RoundsFor | None = None
    of_difference: str = ""
    allows_overlap: bool = False
    implied: str = ""
    about: str = ""
    holds: Validity = ()
    default_for: frozenset[EstimateForm] = frozenset()


INTERVALS: Registry[IntervalDeclaration] = Registry(
    "interval",
    "evallang.stats.intervals",
    guard=lambda function, declared, inputs: judged(function, declared.holds, inputs),
)
"""All intervals, by canonical name."""


def default_of(form: EstimateForm) -> str:
    """Return the name of the interval that is the default of its form."""
    return next(entry.name for entry in INTERVALS if form in entry.declaration.default_for)
