"""The inputs that methods ask for by the names of their positional parameters.

Each input is declared here once: what it holds, its shape, what it is made for and which
evidence it rests on. The engine has one provider for each (`engine.providers`). The checker
derives from the declarations which methods can run.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from evallang.evidence import (
    COUNTS,
    DATASET_SCORES,
    FOLD_SCORES,
    GAMES,
    LOSSES_PER_ROW,
    NETWORK_SCORES,
    ONE_PREDICTION_PER_ROW,
    READER_SCORES,
    SCORES_PER_ROW,
    SHARES,
    Evidence,
)
from evallang.registry import Design


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
    ESTIMATES = "estimates"
    """The estimates of a study, which an `analyze` line asks about."""
    PAIRS = "pairs"
    """The tests of all pairs of models of one place, which an `analyze` line asks about."""
    OUTCOMES = "outcomes"
    """The held-out predictions of the models that an `analyze` line asks about."""


ASKED_BY: Mapping[str, frozenset[Subject]] = {
    "hypothesis test": frozenset({Subject.COMPARISON, Subject.DATA_SETS}),
    # A test hands its own inputs to the interval of a difference
    "interval": frozenset({Subject.ESTIMATE, Subject.COMPARISON}),
    "correction": frozenset({Subject.FAMILY}),
    "analysis": frozenset(
        {
            Subject.ANALYSIS,
            Subject.DECISIONS,
            Subject.ESTIMATES,
            Subject.PAIRS,
            Subject.OUTCOMES,
        }
    ),
}
"""The subjects of each kind of registered member."""


class Counts(StrEnum):
    """What is known of examples of which none is kept: how often each combination occurs."""

    LABELS = "labels"
    """Combinations of the truth with the labels of all models."""
    SCORES = "scores"
    """Combinations of the truth with the score of each model."""


Shape = tuple[int | str, ...]
"""The axes of an array, each a length or the symbol of one."""


class Input(Struct, frozen=True):
    """One input of a method.

    Attributes
    ----------
    holds : what it is, with shape and unit
    subjects : what it can be made for
    evidence : what it rests on, any of these; empty where it does not depend on outcomes
    by_axis : True where it is an array of one axis, of any kind of evidence that has one
    shape : the axes of an array, by length or by symbol: n examples, m models, j folds, s data
        sets, k classes; None for what is not an array.
        A test of a design with a shape of its own (`DESIGN_SHAPES`) takes folds in that shape.
    optional : True where it is None for some studies
    difference_of_right : True where a method computes from it the difference of two shares of
        right answers, which is the reverse of the difference of an error rate
    by_level : True where it changes with the confidence level of the call
    counts : the counts of examples from each of which it is made, where it takes no single rows
    """

    name: str
    holds: str
    subjects: frozenset[Subject]
    evidence: frozenset[Evidence] = frozenset()
    by_axis: bool = False
    shape: Shape | None = None
    optional: bool = False
    difference_of_right: bool = False
    by_level: bool = False
    counts: frozenset[Counts] = frozenset()

    def takes(self, evidence: Evidence) -> bool:
        """Return whether it is made from a kind of evidence."""
        return evidence in self.evidence or (self.by_axis and bool(evidence.axis))

    @property
    def of_one_fit(self) -> bool:
        """Whether it is one label or score of each example, which several seeds do not share."""
        return bool(self.evidence) and not any(one.over_seeds for one in self.evidence)


DESIGN_SHAPES: Mapping[Design, tuple[int, int]] = {Design.FIVE_BY_TWO: (5, 2)}
"""Repeats and folds of the designs whose tests take fold scores in that shape."""


class Inputs(Struct):
    """The declared inputs."""

    declared: tuple[Input, ...]

    def of(self, subject: Subject) -> Mapping[str, Input]:
        """Return the inputs that can be made for a subject, by name."""
        return {one.name: one for one in self.declared if subject in one.subjects}

    def subjects_of(self, kind: str, names: Iterable[str]) -> frozenset[Subject]:
        """Return the subjects for which a member of a kind can be given all its inputs."""
        asked = set(names)
        return frozenset(s for s in ASKED_BY[kind] if asked <= self.of(s).keys())

    def are_made(self, subject: Subject, names: Iterable[str], counts: Counts) -> bool:
        """Return whether all these inputs of a subject are made from counts of examples."""
        known = self.of(subject)
        return all(name in known and counts in known[name].counts for name in names)


_LABELS = frozenset({ONE_PREDICTION_PER_ROW, COUNTS})
_ROWS = _LABELS | {LOSSES_PER_ROW, SCORES_PER_ROW}
_BY_LABEL, _BY_SCORE = frozenset({Counts.LABELS}), frozenset({Counts.SCORES})
_COUNTED = _BY_LABEL | _BY_SCORE
_COMPARISON, _DATA_SETS = Subject.COMPARISON, Subject.DATA_SETS
_ESTIMATE, _FAMILY = Subject.ESTIMATE, Subject.FAMILY

INPUTS = Inputs(
    (
        Input(
            "table",
            "2 x 2 counts [[both right, only first right], [only second right, both wrong]]",
            frozenset({_COMPARISON}),
            counts=_BY_LABEL,
            evidence=_LABELS,
            shape=(2, 2),
            difference_of_right=True,
        ),
        Input(
            "shares",
            "`Shares`: right answers and examples of two models, or a 2 x 2 table where paired",
            frozenset({_COMPARISON}),
            counts=_BY_LABEL,
            evidence=_LABELS | {SHARES},
            shape=(2, 2),
            difference_of_right=True,
        ),
        Input(
            "correct",
            "Boolean array (n, m): whether model m is right on example i, or its `Correctness`",
            frozenset({_COMPARISON}),
            counts=_BY_LABEL,
            evidence=_LABELS | {SHARES},
            shape=("n", "m"),
        ),
        Input(
            "correct",
            "Boolean array (n, m): whether model m is right on example i",
            frozenset({_FAMILY}),
            evidence=_LABELS | {SHARES},
            shape=("n", "m"),
        ),
        Input(
            "first",
            "array of the first model: fold scores (j,), (5, 2) for 5x2cv, losses (n,), or scores "
            "on data sets (s,)",
            frozenset({_COMPARISON, _DATA_SETS}),
            by_axis=True,
        ),
        Input(
            "second",
            "array of the second model, aligned with `first`",
            frozenset({_COMPARISON, _DATA_SETS}),
            by_axis=True,
        ),
        Input(
            "n_train",
            "training rows of each fold (j,), or None where unknown",
            frozenset({_COMPARISON, _ESTIMATE}),
            evidence=frozenset({FOLD_SCORES}),
            shape=("j",),
            optional=True,
        ),
        Input(
            "n_test",
            "test rows of each fold (j,), or None where unknown",
            frozenset({_COMPARISON, _ESTIMATE}),
            evidence=frozenset({FOLD_SCORES}),
            shape=("j",),
            optional=True,
        ),
        Input(
            "groups",
            "group of each example (n,) as int codes, or None",
            frozenset({_COMPARISON, _ESTIMATE}),
            counts=_COUNTED,
            shape=("n",),
            optional=True,
        ),
        Input(
            "strata",
            "`Strata`: the data set of each example and the share of each in an average, or None",
            frozenset({_COMPARISON, _ESTIMATE}),
            counts=_COUNTED,
            optional=True,
        ),
        Input(
            "truth",
            "1 for the positive class, 0 for the negative (n,)",
            frozenset({_COMPARISON, _ESTIMATE}),
            counts=_BY_SCORE,
            shape=("n",),
        ),
        Input(
            "row_scores",
            "scores of m models on each example (n, m), higher for the positive class, or "
            "`PlacementSums`",
            frozenset({_COMPARISON}),
            counts=_BY_SCORE,
            evidence=frozenset({SCORES_PER_ROW}),
            shape=("n", "m"),
        ),
        Input(
            "folds",
            "fold of each example (n,) as int codes, or None for one test set",
            frozenset({_COMPARISON, _ESTIMATE}),
            counts=_COUNTED,
            shape=("n",),
            optional=True,
        ),
        Input(
            "readers",
            "`ReaderScores`: what each reader reached with each model, or each network of it, and "
            "its covariance over examples",
            frozenset({_COMPARISON, _ESTIMATE}),
            evidence=frozenset({READER_SCORES, NETWORK_SCORES}),
        ),
        Input(
            "strengths",
            "`Strengths`: values of models from pairwise judgements, and their robust covariance",
            frozenset({_COMPARISON, _ESTIMATE}),
            evidence=frozenset({GAMES}),
        ),
        Input(
            "swapper",
            "a `Swapper`: the difference of the metric when outputs are swapped within examples",
            frozenset({_COMPARISON}),
            counts=_BY_LABEL,
            evidence=_ROWS,
        ),
        Input(
            "sample",
            "a `Resampler` of the metric over the examples; in a comparison of the difference, "
            "first minus second",
            frozenset({_COMPARISON, _ESTIMATE}),
            counts=_BY_LABEL,
            evidence=_ROWS,
        ),
        Input(
            "difference",
            "function of a level that gives the `Difference` with the interval of the design",
            frozenset({_COMPARISON}),
            counts=_COUNTED,
            evidence=_ROWS | {SHARES, FOLD_SCORES, READER_SCORES, NETWORK_SCORES, GAMES},
        ),
        Input(
            "better",
            "`higher` or `lower`: which direction of the metric is better",
            frozenset({_COMPARISON, _DATA_SETS}),
            counts=_COUNTED,
        ),
        Input(
            "bounded",
            "True where the metric lies in [0, 1]",
            frozenset({_COMPARISON, _DATA_SETS}),
            counts=_COUNTED,
        ),
        Input(
            "level",
            "confidence level of the interval, in (0, 1)",
            frozenset({_COMPARISON, _DATA_SETS, _ESTIMATE}),
            counts=_COUNTED,
            by_level=True,
        ),
        Input(
            "seed",
            "32-bit seed of resampling",
            frozenset({_COMPARISON, _DATA_SETS, _ESTIMATE, _FAMILY}),
            counts=_COUNTED,
        ),
        Input(
            "scores",
            "scores of m models on s data sets (s, m)",
            frozenset({_DATA_SETS}),
            evidence=frozenset({DATASET_SCORES}),
            shape=("s", "m"),
        ),
        Input(
            "pair",
            "columns of `scores` that hold the two models of a pair",
            frozenset({_DATA_SETS}),
        ),
        Input(
            "scores",
            "score of each example (n,), higher for the positive class",
            frozenset({_ESTIMATE}),
            counts=_BY_SCORE,
            evidence=frozenset({SCORES_PER_ROW}),
            shape=("n",),
        ),
        Input(
            "classes",
            "class of each example (n,) as int codes",
            frozenset({_ESTIMATE}),
            shape=("n",),
        ),
        Input(
            "class_scores",
            "score of each example for each class (n, k), higher for it",
            frozenset({_ESTIMATE}),
            evidence=frozenset({SCORES_PER_ROW}),
            shape=("n", "k"),
        ),
        Input(
            "by_pairs",
            "True where areas are averaged over pairs of classes, not over classes",
            frozenset({_ESTIMATE}),
            counts=_COUNTED,
        ),
        Input(
            "parts",
            "fitted model of each example (n,) as int codes, all 0 for one",
            frozenset({_ESTIMATE}),
            shape=("n",),
        ),
        Input(
            "successes",
            "number of successes",
            frozenset({_ESTIMATE}),
            counts=_BY_LABEL,
            evidence=_LABELS | {SHARES},
            shape=(),
        ),
        Input(
            "n",
            "number of trials",
            frozenset({_ESTIMATE}),
            counts=_BY_LABEL,
            evidence=_LABELS | {SHARES},
            shape=(),
        ),
        Input(
            "losses",
            "loss of each example (n,)",
            frozenset({_ESTIMATE}),
            evidence=frozenset({LOSSES_PER_ROW}),
            shape=("n",),
        ),
        Input(
            "series",
            "loss of each moment (n,), or its share of right answers, in the order of time",
            frozenset({_ESTIMATE}),
            evidence=frozenset({LOSSES_PER_ROW}),
            shape=("n",),
        ),
        Input(
            "sums",
            "numerator and denominator of each example (n, 2), times its weight",
            frozenset({_ESTIMATE}),
            evidence=frozenset({LOSSES_PER_ROW}),
            shape=("n", 2),
        ),
        Input(
            "terms",
            "coefficient, successes, trials and set of examples of each share in a sum (s, 4); "
            "shares of one set exclude each other",
            frozenset({_ESTIMATE}),
            counts=_BY_LABEL,
            evidence=frozenset({ONE_PREDICTION_PER_ROW, SCORES_PER_ROW}),
            shape=("s", 4),
        ),
        Input(
            "paired_terms",
            "coefficient, examples that only the first and only the second model has, and trials, "
            "of each share in a sum (s, 4)",
            frozenset({_COMPARISON}),
            counts=_BY_LABEL,
            evidence=_LABELS,
            shape=("s", 4),
        ),
        Input("estimate", "value of the metric", frozenset({_ESTIMATE}), shape=(), counts=_COUNTED),
        Input(
            "influences",
            "derivative of the metric by the weight of each example (n,)",
            frozenset({_ESTIMATE}),
            counts=_BY_SCORE,
            evidence=frozenset({SCORES_PER_ROW}),
            shape=("n",),
        ),
        Input(
            "verdicts",
            "what a judge and humans say of each example (n, 2): 1 positive, 0 not, -1 no label",
            frozenset({_ESTIMATE}),
            evidence=frozenset({ONE_PREDICTION_PER_ROW}),
            shape=("n", 2),
        ),
        Input(
            "held_out",
            "`HeldOutLosses`: losses of models fitted without one fold, and without each pair of "
            "folds",
            frozenset({_ESTIMATE}),
            evidence=frozenset({LOSSES_PER_ROW}),
        ),
        Input(
            "values",
            "value of each fold or round (j,)",
            frozenset({_ESTIMATE}),
            evidence=frozenset({FOLD_SCORES}),
            shape=("j",),
        ),
        Input(
            "matrix",
            "counts (k, k), true by predicted class",
            frozenset({_ESTIMATE}),
            counts=_BY_LABEL,
            evidence=_LABELS,
            shape=("k", "k"),
        ),
        Input(
            "average",
            "how the metric is averaged over classes: binary, macro, micro or weighted",
            frozenset({_ESTIMATE}),
            counts=_COUNTED,
        ),
        Input(
            "of_counts",
            "the metric as a function of such counts (..., k, k)",
            frozenset({_ESTIMATE}),
            counts=_BY_LABEL,
            evidence=_LABELS,
        ),
        Input(
            "limits",
            "the smallest and the largest value of the metric, or None",
            frozenset({_ESTIMATE}),
            counts=_COUNTED,
        ),
        Input(
            "positive",
            "index of the positive class, or None",
            frozenset({_ESTIMATE}),
            counts=_COUNTED,
            optional=True,
        ),
        Input(
            "p",
            "p-values of the family, None where a test computes no p-value",
            frozenset({_FAMILY}),
            counts=_COUNTED,
        ),
        Input(
            "pairs",
            "indices of the two models of each p-value",
            frozenset({_FAMILY}),
            counts=_COUNTED,
        ),
        Input(
            "resampled",
            "p-values of the family on joint resamples under its hypotheses (B, m)",
            frozenset({_FAMILY}),
        ),
        Input(
            "predicted",
            "`Predicted`: the held-out predictions of one model, with level and seed",
            frozenset({Subject.OUTCOMES}),
        ),
        Input(
            "together",
            "the held-out predictions of several models of the same examples, by model",
            frozenset({Subject.OUTCOMES}),
        ),
        Input(
            "outcomes",
            "`Outcomes`: what is known of the models on one data set, and the fits that were asked "
            "for",
            frozenset({Subject.OUTCOMES}),
        ),
        Input(
            "decisions",
            "`Line`: a line with the tests of its whole family, to decide it again",
            frozenset({Subject.DECISIONS}),
            counts=_COUNTED,
        ),
        Input(
            "estimates",
            "`Estimates`: all estimates of a study, and the data set to answer for",
            frozenset({Subject.ESTIMATES}),
            counts=_COUNTED,
        ),
        Input(
            "ranking",
            "`Ranking`: the decided tests of all pairs of models, and the estimates of these",
            frozenset({Subject.PAIRS}),
            counts=_COUNTED,
        ),
        Input(
            "question",
            "`Question`: the comparison, the effect and what is to be found",
            frozenset({Subject.ANALYSIS}),
            counts=_COUNTED,
        ),
    )
)
"""Every input that a test, an interval, a correction or an analysis may name."""
