"""What a hypothesis test is: a pure function of evidence, and what evidence it needs.

The **positional** parameters of a test name the evidence that the engine hands it, out of
`stats.inputs`; its **keyword-only** parameters are the author's options. It returns a
`HypothesisTestResult` with `estimate` (the difference, first minus second, with the
interval at `level`) where it compares two models, so that a simultaneous interval is the
same call at another level. A test computes p, and never decides.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from msgspec import Struct, field

from evallang.evidence import Evidence, RestsOnEvidence
from evallang.registry import Design, Guidance, Registry
from evallang.stats.intervals.interval import RoundsFor
from evallang.stats.power import PowerDeclaration
from evallang.stats.validity import Validity, judged

DifferenceForm = Literal[
    "shares",
    "readers",
    "splits",
    "proportion",
    "recalls",
    "auc",
    "losses",
    "series",
    "drawn",
    "strengths",
]
"""What the interval of a difference is made from: two shares, scores of readers, scores of
overlapping splits, right and wrong, recalls of the classes, scores of two classes, losses, losses
in the order of time, anything that can be drawn again, or pairwise judgements."""


class Estimand(Struct, frozen=True):
    """What a test is about where that is not the mean of what the examples have.

    Attributes
    ----------
    asks : what the test does to the examples, as the rest of a sentence
    statistic : what it compares between the models, such as `trimmed mean`; empty where it is
        about differences alone
    """

    asks: str
    statistic: str = ""


class ByOrder(Struct, frozen=True):
    """A result that depends on an order which chance decided.

    Attributes
    ----------
    first : from the options, what came first, such as `half`
    instead : the test that does not depend on it
    because : why not, as a part of a sentence
    """

    first: Callable[[Mapping[str, Any]], str]
    instead: str
    because: str


class HypothesisTestDeclaration(Guidance, RestsOnEvidence, frozen=True):
    """What a test needs and what it is about.

    Attributes
    ----------
    evidence : it can be computed from any of these
    null : the null hypothesis, with nouns in braces that a study may replace
    null_under_cv : the same where each row is predicted by one of k fitted models, or empty
    designs : for fold scores, the designs it is valid for (empty: any)
    models : the smallest and largest number of models of one test (None: no limit)
    tests : what it tests: `correctness` (right and wrong), `losses` (any mean of losses per
        example), `recalls` (means of the recalls of classes), `scores` (ranking
        metrics), `readers` (areas, and means over examples), `strengths` (of models, from pairwise
        judgements), `any` metric
    omnibus : True where it tests all models at once and a post hoc test may follow
    clustered : True where it has a form for grouped rows
    not_clustered : options whose defaults that form does not use
    averaged : its place among the tests of averages over data sets, the default first; 0 for
        a test without such a form
    weights : True where it takes weights
    self_correcting : True where it controls its family itself
    bayesian : True where it gives probabilities, not p
    implied : protocol and options to plan where the study's own does not fit
    across_data : True where its sample is the data sets
    t_over_splits : True where the mean difference over J splits is referred to t with J - 1
        degrees of freedom and the variance of the splits times (1/J + test rows / training
        rows), so that it loses power twice where splits are few
    estimand : what it is about where that is not the mean of the metric
    quantity : what a test of one model is about where that is not the metric
    claim : what its rejection shows; `equivalent` and `noninferior` hold within a margin
    variants : the printed words of what was really computed, where they are its own
    intervals : the printed titles of the intervals that come with it alone
    series : the option, with its value, by which it allows for dependence in time, or empty
        where it always does; None where it never does
    longer : what to write where a series depends on more of its past than the test allows for
    followed_by : the tests of pairs that may follow it, the one that needs it first
    against_reference : True where it compares every model with one reference
    by_mean_ranks : True where it ranks all models together
    least_p : from how many units count, how many models there are and the options, the smallest p
        that any outcome has: the units are examples on which a pair of models differ, or data
        sets; None where no number of them makes rejection impossible
    by_order : the order that its result depends on, None where it depends on none
    drawn : True where its p is counted over rounds drawn by chance
    rounds_for : from the options, what its rounds are drawn for where that is not its p: the
        `bounds` of an interval, or a `standard_error`
    jointly : how its pairs are resampled together, for corrections that need that: differences
        of resamples `drawn` with replacement, `swapped` outputs, or `studentized` mean losses;
        empty where they are not
    overlap_ignored : what its splits share although it takes them as independent, or empty
    instead : the test to write instead of one that is advised against
    guaranteed : the option, with its value, by which its level is guaranteed
    over_folds : the test of fold scores that an author of cross-validation means by this one
    proposed : its place among the tests that are proposed instead of another; 0 for never
    holds : from which number of what on it holds, or why no number decides
    default_for : the differences whose interval it gives unless another is written
    as_default : its options there
    p_by : the option that says how its p is computed, or empty
    p_chosen : the values of that option that choose one of the others
    ungrouped_forms : the values of that option without a form for groups, each with that of whole
        groups
    large_samples : the values of that option that refer to a large-sample distribution whatever
        the number of examples, each with the exact one
    power : how its power is computed for stated differences; None where it is not
    without_power : why it is not, as a part of a sentence
    power_as : the nearest test whose power is computed
    """

    evidence: frozenset[Evidence]
    null: str
    models: tuple[int, int | None] = (2, 2)
    designs: frozenset[Design] = frozenset()
    tests: Literal["correctness", "recalls", "losses", "scores", "readers", "strengths", "any"] = (
        "any"
    )
    omnibus: bool = False
    clustered: bool = False
    not_clustered: frozenset[str] = frozenset()
    averaged: int = 0
    weights: bool = False
    self_correcting: bool = False
    bayesian: bool = False
    implied: tuple[str, Mapping[str, int | float | Fraction]] | None = None
    across_data: bool = False
    t_over_splits: bool = False
    null_under_cv: str = ""
    estimand: Estimand | None = None
    quantity: str = ""
    claim: Literal["different", "equivalent", "noninferior"] = "different"
    variants: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, str] = field(default_factory=dict)
    series: tuple[tuple[str, int], ...] | None = None
    longer: str = ""
    followed_by: tuple[str, ...] = ()
    against_reference: bool = False
    by_mean_ranks: bool = False
    least_p: Callable[[int, int, Mapping[str, Any]], float] | None = None
    by_order: ByOrder | None = None
    drawn: bool = False
    rounds_for: RoundsFor | None = None
    jointly: Literal["", "drawn", "swapped", "studentized"] = ""
    overlap_ignored: str = ""
    instead: str = ""
    over_folds: str = ""
    guaranteed: tuple[str, str] | None = None
    proposed: int = 0
    holds: Validity = ()
    default_for: frozenset[DifferenceForm] = frozenset()
    as_default: tuple[tuple[str, str], ...] = ()
    p_by: str = ""
    p_chosen: frozenset[str] = frozenset()
    ungrouped_forms: Mapping[str, str] = field(default_factory=dict)
    large_samples: Mapping[str, str] = field(default_factory=dict)
    power: PowerDeclaration | None = None
    without_power: str = ""
    power_as: str = ""


HYPOTHESIS_TESTS: Registry[HypothesisTestDeclaration] = Registry(
    "hypothesis test",
    "evallang.stats.hypothesis_tests",
    guard=lambda function, declared, inputs: judged(function, declared.holds, inputs),
)
"""All hypothesis tests, by canonical name."""


def default_test(form: DifferenceForm) -> str:
    """Return the name of the test whose interval of a difference is the default of its form."""
    return next(entry.name for entry in HYPOTHESIS_TESTS if form in entry.declaration.default_for)
