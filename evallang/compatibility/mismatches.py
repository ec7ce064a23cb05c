"""Why two things do not go together: a record, and the words for what members need."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from evallang.evidence import (
    Evidence,
)
from evallang.registry import Design
from evallang.stats.intervals.interval import IntervalDeclaration

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


def form_noun(interval: IntervalDeclaration) -> str:
    """Return what an interval is for."""
    return f"`{interval.of_metric}`" if interval.of_metric else FORM_NOUNS[interval.form]


class Mismatch(Struct, frozen=True):
    """Why two things do not go together, and what to write instead.

    `lacking` tells that the reason is something that a protocol or source does not give.
    """

    reason: str
    instead: str
    lacking: bool = False


def needed_words(needed: frozenset[Evidence] | frozenset[Design]) -> str:
    """Return the words for what is needed: `one loss or one score for each example`."""
    kinds = sorted((one for one in needed if isinstance(one, Evidence)), key=lambda one: one.name)
    singly = {one.value for one in kinds if not one.totals}  # of which totals may be counted
    inputs = [one.noun for one in kinds if not (one.totals and one.value in singly)]
    designs = {one for one in needed if isinstance(one, Design)}
    named = [*inputs, *(DESIGN_NOUNS[d] for d in sorted(designs))]
    return alternatives(named) if named else "these folds"


def alternatives(words: Iterable[str]) -> str:
    """Join words as in `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def with_tests(*tests: str) -> str:
    """Propose tests, any of which may be written."""
    return "write " + alternatives(f"`with {test}`" for test in tests)
