"""Why two things do not go together: a record, and the words for what members need."""

from collections.abc import Iterable, Mapping

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


class Mismatch(Struct, frozen=True):
    """Why two things do not go together, and what to write instead.

    `lacking` tells that the reason is something that a protocol or source does not give.
    """

    reason: str
    instead: str
    lacking: bool = False


def needed_words(needed: frozenset[Evidence] | frozenset[Design]) -> str:
    """Return the words for what is needed: `one loss or one score for each example`."""
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


def with_tests(*tests: str) -> str:
    """Propose tests, any of which may be written."""
    return "write " + alternatives(f"`with {test}`" for test in tests)
