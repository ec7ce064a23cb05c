"""What a protocol is: a function from rows to splits, and what its predictions are good for.

A member `f(rows, *, options)` takes a `Rows`, yields `Split`s with repeats and folds
numbered from 0, and has its options as keyword-only parameters. What it yields is
declared, so that validity, default intervals and the manual are computed and never listed
by hand. It raises `ValueError` with one sentence where the rows do not allow the splits.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.evidence import SERIES, Evidence, RestsOnEvidence
from evallang.registry import Bounds, Design, Guidance, Registry
from evallang.results.settings import OptionWords
from evallang.spelling import written_name


class CannotSplit(ValueError):
    """A protocol cannot divide the rows; `instead` is the fix, if one is known.

    `of_strata` tells that rows which are not stratified might be divided.
    """

    def __init__(self, reason: str, instead: str | None = None, *, of_strata: bool = False) -> None:
        super().__init__(reason if instead is None else f"{reason}: {instead}")
        self.reason = reason
        self.instead = instead
        self.of_strata = of_strata


class Rows(Struct, frozen=True):
    """What a protocol may look at: never features, never models.

    Attributes
    ----------
    n : number of rows
    strata : int codes (n,) whose shares are kept, or None
    groups : int codes (n,) of rows that stay together, or None
    assignment : text (n,) of the author's own split, or None
    seed : gives the 32-bit seed of a repeat
    moments : the place of each row in time (n,), equal for equal moments; None for the order of
        the rows
    further_assignments : the same for repeats 1, 2, ... of a given split
    inner_strata : int codes (n,) of the strata that folds inside a training part keep, or None
    """

    n: int
    strata: "NDArray[np.int64] | None"
    groups: "NDArray[np.int64] | None"
    assignment: tuple[str, ...] | None
    seed: Callable[[int], int]
    further_assignments: tuple[tuple[str, ...], ...] = ()
    moments: "NDArray[np.int64] | None" = None
    inner_strata: "NDArray[np.int64] | None" = None


class Split(Struct, frozen=True):
    """One split: sorted row numbers; `validation` only in a three-way holdout.

    `train` holds a row several times where a bootstrap drew it so; `label` is the author's
    own name of the fold.
    """

    repeat: int
    fold: int
    train: "NDArray[np.int64]"
    test: "NDArray[np.int64]"
    validation: "NDArray[np.int64] | None" = None
    label: str | None = None


class Yields(Struct, RestsOnEvidence, frozen=True):
    """What a protocol gives to measures and tests, for given options.

    `once` tells that no example is predicted more than once, `averaged` that several predictions of
    an example stand as their mean; `run_word` whose they are; `single_fit` that one fitted model
    predicts all of them; `judges` that these are ratings by judges; `validation` that it has a
    stage to tune in; `weighted` that examples carry weights, which the data say and no protocol
    does; `seeds` that every fit is repeated with other seeds, so that an example has the mean of
    several predictions; `one_group_a_fold` that each test part is one group, which shows no spread
    between groups; `redrawn` that an interval may divide the rows again into as many `folds`, and
    fit again; `sizes_known` that something tells how many rows a split tests for each training row;
    `of_data_sets` that examples have what they add to a metric of their data set;
    `neighbours` that rows next to each other are alike, so that no statistic may take them as
    independent, and `optimistic` that models are tested on rows that they were trained on, which is
    evidence of nothing: a protocol declares both, and `ProtocolDeclaration.yields` sets them.
    """

    evidence: frozenset[Evidence]
    design: Design | None = None
    once: bool = True
    single_fit: bool = False
    validation: bool = False
    grouped: bool = False
    neighbours: bool = False
    optimistic: bool = False
    averaged: bool = False
    run_word: Literal["repeat", "reader", "seed"] = "repeat"
    weighted: bool = False
    judges: bool = False
    seeds: bool = False
    one_group_a_fold: bool = False
    redrawn: bool = False
    sizes_known: bool = True
    of_data_sets: bool = False


Division = Literal["shuffled", "resampled", "in_turn", "in_place"]
"""How rows are put into parts: at random, drawn with replacement, each part in turn, or as is."""
SharedTraining = Literal["partition", "drawn"]
Dependence = Literal["independent", "neighbours"]
"""How rows depend on each other: not at all, or those next to each other in time are alike."""
Training = Literal["past", "around", "other"]
"""What a part is tested by: a model of the rows before it, of the rows before and after it where
neighbours are alike, or of other rows, whatever their places."""
Inner = Callable[
    [Rows, Mapping[str, Any], int, int],
    Iterable[tuple["NDArray[np.int64]", "NDArray[np.int64]"]],
]
"""A function from the rows of a training part, the protocol's options, a number of folds and a
seed to the (train, test) positions of each inner fold."""


class ProtocolDeclaration(Guidance, frozen=True):
    """How a protocol is written, how it divides rows, and what it yields.

    Callables take all options, defaults filled in. What rows depend on, what is trained on and
    how a training part is divided have no default: statistics, searches and advice follow them.

    Attributes
    ----------
    words : the words of the form (("nested", "cv"))
    gives : what it gives to measures and tests, except dependence
    describe : the design for readers, such that "stratified" may precede it ("10-fold
        cross-validation")
    short : the design in the head of a report, where options are fields ("{folds}-fold CV")
    about : what an estimate is about under the default options (`about` below: under any)
    n_splits : the number of splits, None where it depends on the rows
    division : `shuffled` where rows are dealt at random, `resampled` where they are drawn with
        replacement, `in_turn` where every row, group or combination is tested, `in_place`
        where nothing is drawn and rows keep their order
    dependence : `independent` where each row is taken as a new one, `neighbours` where rows follow
        one another, in the order of their column of time or of the file
    training : where the training rows of a part lie: in its `past`, `around` it, or `other`
    inner : divides a training part to choose hyper-parameters in it, as the rows are divided
        outside: in the same direction, with the same gap
    folds : the option that gives the number of folds of one repeat, or that number where it
        is fixed; None where a repeat is not divided into folds
    test_share : the share of rows that one split tests, None where the options do not tell
    test_rows : the number of rows that one split tests, None where the options do not tell
    train_share : the share of rows that one split trains on, None where `folds` tells or the
        options do not
    inner_option : the option that gives the number of inner folds
    shared_training : how the share that two training sets have in common follows from the
        sizes of their parts: those of a `partition`, or `drawn` at random; None where it does
        not
    forms : the ways to write it where words and options are not all
    tests_on_training_rows : whether estimates are optimistic by design
    full_sample : True where a split with fold -1 comes first, which trains and tests on all
        rows
    keeps_strata : False where strata are not used
    of_assignment : what the author's own assignment of rows yields once it is read (its values
        and the number of repeats); None where the protocol takes no such assignment
    option_words : what readers call each option, and what it decides
    one_class_fix : what to write where a training part has rows of one class alone
    """

    words: tuple[str, ...]
    gives: Callable[[Mapping[str, Any]], Yields]
    describe: Callable[[Mapping[str, Any]], str]
    short: str
    about: str
    n_splits: Callable[[Mapping[str, Any]], int | None]
    division: Division
    dependence: Dependence
    training: Training
    inner: Inner
    folds: str | int | None = None
    test_share: Callable[[Mapping[str, Any]], float | None] = lambda options: None
    test_rows: Callable[[Mapping[str, Any]], int | None] = lambda options: None
    train_share: Callable[[Mapping[str, Any]], float | None] = lambda options: None
    inner_option: str | None = None
    shared_training: SharedTraining | None = None
    forms: tuple[str, ...] = ()
    tests_on_training_rows: Callable[[Mapping[str, Any]], bool] = lambda options: False
    full_sample: bool = False
    keeps_strata: bool = True
    of_assignment: Callable[[Sequence[str], int], Yields] | None = None
    option_words: Mapping[str, OptionWords] = field(default_factory=dict)
    one_class_fix: str = "write fewer folds, or another protocol"

    def __post_init__(self) -> None:
        """Check that dependence and training agree; raises `ValueError` where they do not."""
        if self.neighbours == (self.training == "other"):
            raise ValueError(
                f"protocol {' '.join(self.words)}: declare `dependence='neighbours'` with "
                "`training='past'` or `training='around'`, or `dependence='independent'` with "
                "`training='other'`"
            )

    @property
    def neighbours(self) -> bool:
        """Whether rows next to each other are alike, so that their order is read."""
        return self.dependence == "neighbours"

    def yields(self, options: Mapping[str, Any]) -> Yields:
        """Return what it gives to measures and tests under these options.

        Where neighbours are alike that is a series: labels and losses in their order, and neither
        scores to rank nor folds to average. An optimistic score is evidence of nothing.
        """
        found = self.gives(options)
        if self.tests_on_training_rows(options):
            return replace(found, evidence=frozenset(), design=None, optimistic=True)
        if not self.neighbours:
            return found
        return replace(found, evidence=found.evidence & SERIES, design=None, neighbours=True)

    def draws_at_random(self) -> bool:
        """Return whether chance decides which rows are in which part."""
        return self.division in ("shuffled", "resampled")

    def cuts_groups(self, options: Mapping[str, Any]) -> bool:
        """Return whether single rows are excluded, so that a group is cut."""
        return self.division == "in_turn" and not self.yields(options).grouped

    def number_of_folds(self, options: Mapping[str, Any]) -> int | None:
        """Return the number of folds of one repeat, None where there are none."""
        found = options.get(self.folds) if isinstance(self.folds, str) else self.folds
        return found if isinstance(found, int) else None


PROTOCOLS: Registry[ProtocolDeclaration] = Registry("protocol", "evallang.protocols")
"""All protocols, by canonical name (`nested_cv`)."""

Whole = Annotated[int, Bounds(least=1)]
Several = Annotated[int, Bounds(least=2)]
Share = Annotated[float | Fraction, Bounds(above=0, below=1)]
"""Kinds of options that several protocols have: numbers of one or more, of two or more, shares."""

FOLDS = OptionWords("Folds", "each row is tested once in a repetition")
TIMES = OptionWords("Repetitions", "how often all splits are drawn")
TEST_SHARE = OptionWords("Test part", "share of rows that is tested")
"""What readers call options that several protocols have."""

FITTED_MODEL = "this fitted model"
FITTED_MODELS = "the average of the {k} models fitted here, not to a new training set"
ALGORITHM = "the algorithm, trained on {n_train} examples"
NEW_GROUPS = "new groups from the same population"
REPEATS = "this model on new examples, with new repeats if each was sampled independently"
JUDGES = "these judges on new examples"
THESE_RUNS = {
    "reader": "the average of these {k} readers",
    "seed": "the average of these {k} networks",
    "repeat": REPEATS,
}
AS_GIVEN = "the score as it was given"
ALGORITHM_ELSEWHERE = "the algorithm, trained on as many examples as for these scores"
"""What an estimate and its interval are about; `{k}` and `{n_train}` are filled in later."""


def written(
    kind: str,
    options: Mapping[str, Any],
    *,
    by: str | None = None,
    path: str | None = None,
    seeds: int = 1,
) -> str:
    """Return a protocol as a study writes it after `protocol`: `repeated cv folds=10 times=3`.

    `options` are all of them; those that are None are not written. `by` and `path` are the
    column and the file of a split that the author made.
    """
    parts = list(PROTOCOLS[kind].declaration.words)
    if by is not None:
        parts += ["by", written_name(by)]
    if path is not None:
        parts += ["from", json.dumps(path, ensure_ascii=False)]
    parts += [f"{name}={written_number(v)}" for name, v in options.items() if v is not None]
    if seeds > 1:
        parts.append(f"seeds={seeds}")
    return " ".join(parts)


def written_number(value: object) -> str:
    """Return an option's value as an author writes it: a third as `1/3`, words as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        near = Fraction(value).limit_denominator(100)
        exact = repr(value)
        return str(near) if len(exact) > 8 and float(near) == value else exact
    return str(value)


def subject_of_yields(yields: Yields, grouped: bool = False) -> str:
    """Return what an estimate is about from what the protocol yields."""
    if yields.evidence and all(one.scope for one in yields.evidence):
        return next(one.scope for one in yields.evidence)
    in_groups = grouped or yields.grouped
    if yields.judges:
        return f"these judges on {NEW_GROUPS}" if in_groups else JUDGES
    if yields.averaged:
        return NEW_GROUPS if in_groups else THESE_RUNS[yields.run_word]
    if not yields.once:
        return f"{ALGORITHM}, on {NEW_GROUPS}" if in_groups else ALGORITHM
    subject = FITTED_MODEL if yields.single_fit and not yields.seeds else FITTED_MODELS
    known = subject.partition(", not ")[0]  # a new training set goes without saying
    return f"{known} on {NEW_GROUPS}" if in_groups else subject
