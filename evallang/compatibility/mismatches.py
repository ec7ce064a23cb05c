"""Why two things do not go together: a record of facts, and the one place that words them."""

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct

from evallang.registry import Design, Evidence

NOUNS: Mapping[Evidence, str] = {
    Evidence.ONE_PREDICTION_PER_ROW: "one prediction for each example",
    Evidence.LOSSES_PER_ROW: "one loss for each example",
    Evidence.SCORES_PER_ROW: "one score for each example",
    Evidence.FOLD_SCORES: "scores of folds",
    Evidence.DATASET_SCORES: "scores of several data sets",
    Evidence.COUNTS: "counts of right and wrong",
    Evidence.SHARES: "how many examples each model has right, and of how many",
    Evidence.READER_SCORES: "a sample of readers of the same examples (`reader COLUMN random`)",
}
DESIGN_NOUNS: Mapping[Design, str] = {
    Design.KFOLD: "the folds of one cross-validation",
    Design.REPEATED: "repeated cross-validation",
    Design.RESAMPLED: "repeated holdouts",
    Design.FIVE_BY_TWO: "five repeats of two folds",
}
FORM_NOUNS: Mapping[str, str] = {
    "proportion": "proportions",
    "losses": "losses that each example has of its own",
    "auc": "`roc_auc`",
    "areas": "`roc_auc`",
    "paired": "the difference of two proportions",
    "independent": "the difference of two proportions",
    "f1": "`f1`",
    "cells": "metrics of the confusion matrix",
    "sums": "ratios of sums",
    "influences": "metrics of which the influence of each example is known, such as `concordance` "
    "and `average_precision`",
    "readers": "`roc_auc` of two classes and means over examples, such as accuracy and losses",
    "shares": "weighted sums of shares, such as balanced accuracy",
    "series": "mean losses, their roots, and accuracy",
    "means": "means over examples, such as accuracy and losses",
}
"""What the intervals of each form are for."""


class Kind(Enum):
    """Why a test or an interval does not go with a metric, a protocol or the rows.

    The value words it: of the `member`, what is `needed`, and the `metric`.
    """

    NO_EVIDENCE = "`{member}` needs {needed}"
    NO_INTERVAL_OF_DIFFERENCE = "`{member}` needs a sound interval of the difference"
    ONE_GROUP_A_FOLD = "`{member}` needs two groups in each fold, and here a fold is one group"
    SINGLE_SWAPS_IN_TIME = "`{member}` swaps single examples, and neighbours in time are alike"
    ROWS_IN_TIME = "`{member}` treats examples as independent, and rows in time are not"
    ROWS_NOT_IN_TIME = "`{member}` reads examples in the order of time, which nothing here tells"
    UNPAIRED_SHARES = "`{member}` compares models example by example, and shares are not paired"
    ROWS_OF_GROUPS = "`{member}` treats rows as independent, and those of a group are not"
    WEIGHTS = "`{member}` counts every example once, and these examples have weights"
    GROUPS_IN_TIME = "`{member}` has no form for groups"
    GROUPS_AND_WEIGHTS = "`{member}` has a form for groups and one for weights, and none for both"
    GROUPS_OF_OTHER_METRIC = (
        "`{member}` has a form for groups of accuracy alone, and not of `{metric}`"
    )
    PREDICTED_OFTEN = "`{member}` counts each example once, and here it is predicted several times"
    UNSOUND_DESIGN = "`{member}` is not sound over {needed}"
    NO_SOUND_INTERVAL = "no interval of `{metric}` from single examples is sound"
    OTHER_FORM = "`{member}` is for {needed}, and `{metric}` is not"
    OTHER_METRIC = "`{member}` is for {needed}, and `{metric}` is another metric"
    SEVERAL_FITS = "`{member}` takes the scores of one fitted model, and here each fold has its own"
    SINGLE_FIT = (
        "`{member}` averages over the folds of one cross-validation, and here one model is tested"
    )
    FOLDS_OF_ITS_OWN = (
        "`{member}` divides the rows into folds of its own, which goes with `cv` alone"
    )
    SEVERAL_SEEDS = (
        "`{member}` fits each model once on each training part, and here fits are repeated with "
        "several seeds"
    )
    NOT_ACCURACY = "`{member}` tests accuracy, not `{metric}`"
    SINGLE_ANSWERS = (
        "`{member}` compares means of several runs or of groups, and here every example has a "
        "single right or wrong answer"
    )
    ONE_VALUE_PER_SET = (
        "`{member}` compares two values per example; `{metric}` is one value per test set"
    )
    ONLY_COUNTED = (
        "`{member}` compares two values per example; `{metric}` only counts each example as right "
        "or wrong"
    )
    NOT_OF_READERS = (
        "`{member}` compares areas under the ROC curve and means over examples, not `{metric}`"
    )
    NOT_AREA = "`{member}` compares areas under the ROC curve, not `{metric}`"
    NOT_RECALLS = "`{member}` compares means of the recalls of classes, not `{metric}`"
    NO_REGION = (
        "`{member}` has no region of practical equivalence for `{metric}`, since its default of 1% "
        "is for metrics that always lie between 0 and 1"
    )

    @property
    def lacking(self) -> bool:
        """Whether the reason is something that a protocol or source does not give."""
        return self in (Kind.NO_EVIDENCE, Kind.NO_INTERVAL_OF_DIFFERENCE, Kind.ONE_GROUP_A_FOLD)


class Proposal(Enum):
    """What an author can write instead. The value words it, of the fields of an `Alternative`."""

    TESTS = "write {tests}"
    TESTS_OF_BLOCKS = "write {tests}, whose blocks are as long as the dependence"
    METRIC = "write `by {metric}`"
    METRIC_OR_TESTS = "write `by {metric}`, or {tests}"
    PROTOCOL = "write `protocol {protocol}`"
    PROTOCOL_AND_TESTS = "write `protocol {protocol}` and {tests}"
    CLAIM = "write {claim} in place of this line"
    PROTOCOL_AND_CLAIM = "write `protocol {protocol}`, and {claim} in place of this line"
    REGION = "write `{test}(rope=...)` in the unit of `{metric}`"
    INTERVAL = "write `interval {interval}`"
    NO_INTERVAL = "remove the interval"
    UNGROUPED = "remove the group and write {tests}, which takes all rows of a moment together"
    NO_LINE = "remove the line: the value of each fold is shown"
    FIXED_READERS = "remove `random` after `reader`: the readers are then fixed"
    OWN_LINE = "give `{metric}` a `measure` line of its own"


class Claim(Struct, frozen=True):
    """A requirement on one model, as the parts of its line."""

    metric: str
    model: str
    sign: str
    value: str

    @property
    def written(self) -> str:
        """The `require` line."""
        return f"require {self.metric} of {self.model} {self.sign} {self.value}"


class Alternative(Struct, frozen=True):
    """What goes together: a kind of proposal, and the names of what it proposes as written.

    Attributes
    ----------
    kind : the kind of proposal
    tests : the tests, any of which may be written
    protocol : the protocol with its options
    interval : the interval
    metric : the metric that the proposal is about
    claim : the requirement that decides the same question
    """

    kind: Proposal
    tests: tuple[str, ...] = ()
    protocol: str = ""
    interval: str = ""
    metric: str = ""
    claim: Claim | None = None

    @property
    def words(self) -> str:
        """The proposal as an instruction."""
        return self.kind.value.format(
            tests=alternatives(f"`with {test}`" for test in self.tests) if self.tests else "",
            test=self.tests[0] if self.tests else "",
            protocol=self.protocol,
            interval=self.interval,
            metric=self.metric,
            claim=f"`{self.claim.written}`" if self.claim is not None else "",
        )


class Mismatch(Struct, frozen=True):
    """Why two things do not go together, and what to write instead.

    Attributes
    ----------
    kind : what is in the way
    member : the test or interval that cannot be used
    instead : what goes together
    metric : the metric, as it is written, where the reason is about it
    needed : the inputs, the designs or the form that the member is for
    """

    kind: Kind
    member: str
    instead: Alternative
    metric: str = ""
    needed: frozenset[Evidence] | frozenset[Design] | str = frozenset()

    @property
    def reason(self) -> str:
        """The mismatch in words."""
        needed = _words(self.needed)
        return self.kind.value.format(member=self.member, needed=needed, metric=self.metric)


def _words(needed: frozenset[Evidence] | frozenset[Design] | str) -> str:
    """Return the words for what is needed: `one loss or one score for each example`."""
    if isinstance(needed, str):
        return FORM_NOUNS[needed]
    inputs = {one for one in needed if isinstance(one, Evidence)}
    if Evidence.ONE_PREDICTION_PER_ROW in inputs:
        # Counts and shares are counts of such predictions
        inputs -= {Evidence.COUNTS, Evidence.SHARES}
    designs = {one for one in needed if isinstance(one, Design)}
    named = [*(NOUNS[one] for one in sorted(inputs)), *(DESIGN_NOUNS[d] for d in sorted(designs))]
    return alternatives(named) if named else "these folds"


def alternatives(words: Iterable[str]) -> str:
    """Join words as in `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
