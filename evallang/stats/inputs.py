"""The inputs that methods ask for by the names of their positional parameters.

Each input is declared here once: what it holds, its shape, what it is made for and which
evidence it rests on. The engine has one provider for each (`engine.providers`). The checker
derives from the declarations which methods can run.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from evallang.registry import Design, Evidence


class Subject(StrEnum):
    """What the inputs of one call are about."""

    COMPARISON = "comparison"
    """Some models of one source under one protocol, by one metric."""
    DATA_SETS = "data_sets"
    """The scores of some models on several data sets."""
    ESTIMATE = "estimate"
    """One model by one metric."""
    FAMILY = "family"
    """All hypotheses that a correction adjusts together."""
    ANALYSIS = "analysis"
    """What an `analyze` line asks about the `compare` lines of a study."""
    DECISIONS = "decisions"
    """A `compare` line that an `analyze` line decides again."""
    OUTCOMES = "outcomes"
    """The held-out predictions of the models that an `analyze` line asks about."""


ASKED_BY: Mapping[str, frozenset[Subject]] = {
    "hypothesis test": frozenset({Subject.COMPARISON, Subject.DATA_SETS}),
    # A test hands its own inputs to the interval of a difference
    "interval": frozenset({Subject.ESTIMATE, Subject.COMPARISON}),
    "correction": frozenset({Subject.FAMILY}),
    "analysis": frozenset({Subject.ANALYSIS, Subject.DECISIONS, Subject.OUTCOMES}),
}
"""The subjects of each kind of registered member."""

Shape = tuple[int | str, ...]
"""The axes of an array, each a length or the symbol of one."""


class Input(Struct, frozen=True):
    """One input of a method.

    Attributes
    ----------
    holds : what it is, with shape and unit
    subjects : what it can be made for
    evidence : what it rests on, any of these; empty where it does not depend on outcomes
    shape : the axes of an array, by length or by symbol: n examples, m models, j folds, s data
        sets, k classes; None for what is not an array; by kind of evidence where they differ.
        A test of a design with a shape of its own (`DESIGN_SHAPES`) takes folds in that shape.
    optional : True where it is None for some studies
    difference_of_right : True where a method computes from it the difference of two shares of
        right answers, which is the reverse of the difference of an error rate
    by_level : True where it changes with the confidence level of the call
    """

    name: str
    holds: str
    subjects: frozenset[Subject]
    evidence: frozenset[Evidence] = frozenset()
    shape: Shape | Mapping[Evidence, Shape] | None = None
    optional: bool = False
    difference_of_right: bool = False
    by_level: bool = False

    @property
    def of_one_fit(self) -> bool:
        """Whether it is one label or score of each example, which several seeds do not share."""
        return bool(self.evidence) and not self.evidence & {
            Evidence.LOSSES_PER_ROW,
            Evidence.FOLD_SCORES,
            Evidence.DATASET_SCORES,
        }


DESIGN_SHAPES: Mapping[Design, tuple[int, int]] = {Design.FIVE_BY_TWO: (5, 2)}
"""Repeats and folds of the designs whose tests take fold scores in that shape."""


class Inputs:
    """The declared inputs, by subject and name."""

    def __init__(self) -> None:
        self._declared: dict[tuple[Subject, str], Input] = {}

    def declare(
        self,
        name: str,
        holds: str,
        *subjects: Subject,
        evidence: Iterable[Evidence] = (),
        shape: Shape | Mapping[Evidence, Shape] | None = None,
        optional: bool = False,
        difference_of_right: bool = False,
        by_level: bool = False,
    ) -> Input:
        """Declare an input; raises `ValueError` when the name is taken for a subject."""
        made = Input(
            name,
            holds,
            frozenset(subjects),
            frozenset(evidence),
            shape,
            optional,
            difference_of_right,
            by_level,
        )
        for subject in subjects:
            if (subject, name) in self._declared:
                raise ValueError(f"the input {name} of a {subject} is declared twice")
            self._declared[subject, name] = made
        return made

    def of(self, subject: Subject) -> Mapping[str, Input]:
        """Return the inputs that can be made for a subject, by name."""
        return {name: found for (about, name), found in self._declared.items() if about is subject}

    def subjects_of(self, kind: str, names: Iterable[str]) -> frozenset[Subject]:
        """Return the subjects for which a member of a kind can be given all its inputs."""
        asked = set(names)
        return frozenset(s for s in ASKED_BY[kind] if asked <= self.of(s).keys())


INPUTS = Inputs()
"""Every input that a test, an interval, a correction or an analysis may name."""

_LABELS = frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS})
_UNITS: Mapping[Evidence, Shape] = {
    Evidence.LOSSES_PER_ROW: ("n",),
    Evidence.FOLD_SCORES: ("j",),
    Evidence.DATASET_SCORES: ("s",),
}
_ROWS = _LABELS | {Evidence.LOSSES_PER_ROW, Evidence.SCORES_PER_ROW}
_COMPARISON, _DATA_SETS = Subject.COMPARISON, Subject.DATA_SETS
_ESTIMATE, _FAMILY = Subject.ESTIMATE, Subject.FAMILY

INPUTS.declare(
    "table",
    "2 x 2 counts [[both right, only first right], [only second right, both wrong]]",
    _COMPARISON,
    evidence=_LABELS,
    shape=(2, 2),
    difference_of_right=True,
)
INPUTS.declare(
    "shares",
    "`Shares`: right answers and examples of two models, or a 2 x 2 table where paired",
    _COMPARISON,
    evidence=_LABELS | {Evidence.SHARES},
    shape=(2, 2),
    difference_of_right=True,
)
INPUTS.declare(
    "correct",
    "Boolean array (n, m): whether model m is right on example i, or its `Correctness`",
    _COMPARISON,
    _FAMILY,
    evidence=_LABELS | {Evidence.SHARES},
    shape=("n", "m"),
)
INPUTS.declare(
    "first",
    "array of the first model: fold scores (j,), (5, 2) for 5x2cv, losses (n,), or scores on "
    "data sets (s,)",
    _COMPARISON,
    _DATA_SETS,
    evidence=_UNITS,
    shape=_UNITS,
)
INPUTS.declare(
    "second",
    "array of the second model, aligned with `first`",
    _COMPARISON,
    _DATA_SETS,
    evidence=_UNITS,
    shape=_UNITS,
)
INPUTS.declare(
    "n_train",
    "training rows of each fold (j,), or None where unknown",
    _COMPARISON,
    _ESTIMATE,
    evidence={Evidence.FOLD_SCORES},
    shape=("j",),
    optional=True,
)
INPUTS.declare(
    "n_test",
    "test rows of each fold (j,), or None where unknown",
    _COMPARISON,
    _ESTIMATE,
    evidence={Evidence.FOLD_SCORES},
    shape=("j",),
    optional=True,
)
INPUTS.declare(
    "groups",
    "group of each example (n,) as int codes, or None",
    _COMPARISON,
    _ESTIMATE,
    shape=("n",),
    optional=True,
)
INPUTS.declare(
    "truth",
    "1 for the positive class, 0 for the negative (n,)",
    _COMPARISON,
    _ESTIMATE,
    shape=("n",),
)
INPUTS.declare(
    "row_scores",
    "scores of m models on each example (n, m), higher for the positive class, or `PlacementSums`",
    _COMPARISON,
    evidence={Evidence.SCORES_PER_ROW},
    shape=("n", "m"),
)
INPUTS.declare(
    "folds",
    "fold of each example (n,) as int codes, or None for one test set",
    _COMPARISON,
    _ESTIMATE,
    shape=("n",),
    optional=True,
)
INPUTS.declare(
    "readers",
    "`ReaderScores`: what each reader reached with each model, and its covariance over examples",
    _COMPARISON,
    _ESTIMATE,
    evidence={Evidence.READER_SCORES},
)
INPUTS.declare(
    "swapper",
    "a `Swapper`: the difference of the metric when outputs are swapped within examples",
    _COMPARISON,
    evidence=_ROWS,
)
INPUTS.declare(
    "sample",
    "a `Resampler` of the metric over the examples; in a comparison of the difference, first "
    "minus second",
    _COMPARISON,
    _ESTIMATE,
    evidence=_ROWS,
)
INPUTS.declare(
    "difference",
    "function of a level that gives the `Difference` with the interval of the design",
    _COMPARISON,
    evidence=frozenset(Evidence) - {Evidence.DATASET_SCORES},
)
INPUTS.declare(
    "better",
    "`higher` or `lower`: which direction of the metric is better",
    _COMPARISON,
    _DATA_SETS,
)
INPUTS.declare("bounded", "True where the metric lies in [0, 1]", _COMPARISON, _DATA_SETS)
INPUTS.declare(
    "level",
    "confidence level of the interval, in (0, 1)",
    _COMPARISON,
    _DATA_SETS,
    _ESTIMATE,
    by_level=True,
)
INPUTS.declare("seed", "32-bit seed of resampling", _COMPARISON, _DATA_SETS, _ESTIMATE, _FAMILY)
INPUTS.declare(
    "scores",
    "scores of m models on s data sets (s, m)",
    _DATA_SETS,
    evidence={Evidence.DATASET_SCORES},
    shape=("s", "m"),
)
INPUTS.declare("pair", "columns of `scores` that hold the two models of a pair", _DATA_SETS)
INPUTS.declare(
    "scores",
    "score of each example (n,), higher for the positive class",
    _ESTIMATE,
    evidence={Evidence.SCORES_PER_ROW},
    shape=("n",),
)
INPUTS.declare("classes", "class of each example (n,) as int codes", _ESTIMATE, shape=("n",))
INPUTS.declare(
    "class_scores",
    "score of each example for each class (n, k), higher for it",
    _ESTIMATE,
    evidence={Evidence.SCORES_PER_ROW},
    shape=("n", "k"),
)
INPUTS.declare(
    "by_pairs", "True where areas are averaged over pairs of classes, not over classes", _ESTIMATE
)
INPUTS.declare(
    "parts",
    "fitted model of each example (n,) as int codes, all 0 for one",
    _ESTIMATE,
    shape=("n",),
)
INPUTS.declare(
    "successes",
    "number of successes",
    _ESTIMATE,
    evidence=_LABELS | {Evidence.SHARES},
    shape=(),
)
INPUTS.declare("n", "number of trials", _ESTIMATE, evidence=_LABELS | {Evidence.SHARES}, shape=())
INPUTS.declare(
    "losses",
    "loss of each example (n,)",
    _ESTIMATE,
    evidence={Evidence.LOSSES_PER_ROW},
    shape=("n",),
)
INPUTS.declare(
    "series",
    "loss of each moment (n,), or its share of right answers, in the order of time",
    _ESTIMATE,
    evidence={Evidence.LOSSES_PER_ROW},
    shape=("n",),
)
INPUTS.declare(
    "sums",
    "numerator and denominator of each example (n, 2), times its weight",
    _ESTIMATE,
    evidence={Evidence.LOSSES_PER_ROW},
    shape=("n", 2),
)
INPUTS.declare(
    "terms",
    "coefficient, successes, trials and set of examples of each share in a sum (s, 4); shares of "
    "one set exclude each other",
    _ESTIMATE,
    evidence={Evidence.ONE_PREDICTION_PER_ROW, Evidence.SCORES_PER_ROW},
    shape=("s", 4),
)
INPUTS.declare(
    "paired_terms",
    "coefficient, examples that only the first and only the second model has, and trials, of each "
    "share in a sum (s, 4)",
    _COMPARISON,
    evidence=_LABELS,
    shape=("s", 4),
)
INPUTS.declare("estimate", "value of the metric", _ESTIMATE, shape=())
INPUTS.declare(
    "influences",
    "derivative of the metric by the weight of each example (n,)",
    _ESTIMATE,
    evidence={Evidence.SCORES_PER_ROW},
    shape=("n",),
)
INPUTS.declare(
    "held_out",
    "`HeldOutLosses`: losses of models fitted without one fold, and without each pair of folds",
    _ESTIMATE,
    evidence={Evidence.LOSSES_PER_ROW},
)
INPUTS.declare(
    "values",
    "value of each fold or round (j,)",
    _ESTIMATE,
    evidence={Evidence.FOLD_SCORES},
    shape=("j",),
)
INPUTS.declare(
    "matrix",
    "counts (k, k), true by predicted class",
    _ESTIMATE,
    evidence=_LABELS,
    shape=("k", "k"),
)
INPUTS.declare(
    "average",
    "how the metric is averaged over classes: binary, macro, micro or weighted",
    _ESTIMATE,
)
INPUTS.declare(
    "of_counts",
    "the metric as a function of such counts (..., k, k)",
    _ESTIMATE,
    evidence=_LABELS,
)
INPUTS.declare("limits", "the smallest and the largest value of the metric, or None", _ESTIMATE)
INPUTS.declare("positive", "index of the positive class, or None", _ESTIMATE, optional=True)
INPUTS.declare(
    "p",
    "p-values of the family, None where a test computes no p-value",
    _FAMILY,
)
INPUTS.declare("pairs", "indices of the two models of each p-value", _FAMILY)
INPUTS.declare(
    "resampled",
    "p-values of the family on joint resamples under its hypotheses (B, m)",
    _FAMILY,
)
INPUTS.declare(
    "predicted",
    "`Predicted`: the held-out predictions of one model, with level and seed",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "together",
    "the held-out predictions of several models of the same examples, by model",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "searches",
    "`Searches`: what the search inside each training part chose for one model, and its scores",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "runs",
    "`Runs`: the scores and predictions of one model for every split and seed",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "out_of_bag",
    "`Rounds`: the predictions of one model for the rows that bootstrap rounds did not draw",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "shuffled",
    "`Shuffled`: the score of one model under a protocol, and its scores where the target was "
    "shuffled",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "learning",
    "`Learning`: the scores of one model on its training rows and on the test rows, by the number "
    "of training rows",
    Subject.OUTCOMES,
)
INPUTS.declare(
    "decided",
    "`LineDecisions`: what other tests and corrections decide on the hypotheses of a line",
    Subject.DECISIONS,
)
INPUTS.declare(
    "question", "`Question`: the comparison, the effect and what is to be found", Subject.ANALYSIS
)
