"""What a hypothesis test is: a pure function of evidence, and what evidence it needs.

The **positional** parameters of a test name the evidence that the engine hands it, out of
`stats.inputs`; its **keyword-only** parameters are the author's options. It returns a
`HypothesisTestResult` with `estimate` (the difference, first minus second, with the
interval at `level`) where it compares two models, so that a simultaneous interval is the
same call at another level. A test computes p, and never decides.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from evallang.frozen import frozen
from evallang.registry import Design, Evidence, Guidance, Registry


@frozen
class HypothesisTestDeclaration(Guidance):
    """What a test needs and what it is about.

    Attributes
    ----------
    evidence : it can be computed from any of these
    null : the null hypothesis in words
    null_under_cv : the same where each row is predicted by one of k fitted models, or empty
    designs : for fold scores, the designs it is valid for (empty: any)
    models : the smallest and largest number of models of one test (None: no limit)
    tests : what it tests: `accuracy` (right and wrong), `losses` (any mean of losses per
        example), `scores` (ranking metrics), `any` metric
    omnibus : True where it tests all models at once and a post hoc test may follow
    clustered : True where it has a form for grouped rows
    not_clustered : options whose defaults that form does not use
    weights : True where it takes weights
    self_correcting : True where it controls its family itself
    bayesian : True where it gives probabilities, not p
    implied : protocol and options to plan where the study's own does not fit
    across_data : True where its sample is the data sets
    t_over_splits : True where the mean difference over J splits is referred to t with J - 1
        degrees of freedom and the variance of the splits times (1/J + test rows / training
        rows), so that it loses power twice where splits are few
    """

    evidence: frozenset[Evidence]
    null: str
    models: tuple[int, int | None] = (2, 2)
    designs: frozenset[Design] = frozenset()
    tests: Literal["accuracy", "losses", "scores", "any"] = "any"
    omnibus: bool = False
    clustered: bool = False
    not_clustered: frozenset[str] = frozenset()
    weights: bool = False
    self_correcting: bool = False
    bayesian: bool = False
    implied: tuple[str, Mapping[str, int | float | Fraction]] | None = None
    across_data: bool = False
    t_over_splits: bool = False
    null_under_cv: str = ""


HYPOTHESIS_TESTS: Registry[HypothesisTestDeclaration] = Registry(
    "hypothesis test", "evallang.stats.hypothesis_tests"
)
"""All hypothesis tests, by canonical name."""
