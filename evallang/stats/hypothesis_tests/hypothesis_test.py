"""What a hypothesis test is: a pure function of evidence, and what evidence it needs.

The **positional** parameters of a test name the evidence that the engine hands it, out of
`INPUTS`; its **keyword-only** parameters are the author's options. It returns a
`HypothesisTestResult` with `estimate` (the difference, first minus second, with the
interval at `level`) where it compares two models, so that a simultaneous interval is the
same call at another level. A test computes p, and never decides.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from evallang.frozen import frozen
from evallang.registry import Design, Evidence, Guidance, Registry

INPUTS: Mapping[str, str] = {
    "table": "2 x 2 counts [[both right, only first right], [only second right, both wrong]]",
    "shares": "`Shares`: right answers and examples of two models, or a 2 x 2 table where paired",
    "correct": "Boolean array (n, M): whether model m is right on example i, or its `Correctness`",
    "first": "array of the first model: fold scores (J,), (5, 2) for 5x2cv, or losses (n,)",
    "second": "array of the second model, aligned with `first`",
    "n_train": "training rows of each fold (J,), or None where unknown",
    "n_test": "test rows of each fold (J,), or None where unknown",
    "scores": "scores of M models on N data sets (N, M)",
    "pair": "columns of `scores` that hold the two models of a pair",
    "groups": "group of each example (n,) as int codes, or None",
    "truth": "1 for the positive class, 0 for the negative (n,)",
    "row_scores": "scores of M models on each example (n, M), higher for the positive class",
    "folds": "fold of each example (n,) as int codes, or None for one test set",
    "level": "confidence level of the interval of the estimate",
    "swapper": "a `Swapper`: the difference of the metric when outputs are swapped within examples",
    "sample": "a `Resampler` of the difference of the metric, first minus second, or None",
    "difference": "function of a level that gives the `Difference` with the interval of the design",
    "better": "`higher` or `lower`: which direction of the metric is better",
    "bounded": "True where the metric lies in [0, 1]",
    "seed": "32-bit seed of resampling",
}
"""Every name that a positional parameter of a test may have, with what it holds."""


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
