"""Protocols in which every example is tested, by models that did not see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from evallang.bibliography import cite
from evallang.protocols.protocol import (
    ALGORITHM,
    FITTED_MODELS,
    FOLDS,
    PER_ROW,
    PROTOCOLS,
    TIMES,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import k_folds
from evallang.registry import Design, Evidence
from evallang.results.settings import OptionWords

ONCE = Yields(PER_ROW | {Evidence.FOLD_SCORES}, Design.KFOLD)
REDRAWN = replace(ONCE, redrawn=True)
REPEATED = Yields(frozenset({Evidence.FOLD_SCORES}), Design.REPEATED, once=False)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("cv",),
        yields=lambda options: REDRAWN,
        describe=lambda options: f"{options['folds']}-fold cross-validation",
        short="{folds}-fold CV",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="shuffled",
        least={"folds": 2},
        option_words={"folds": FOLDS},
        folds="folds",
        test_share=lambda options: 1 / int(options["folds"]),
        shared_training="partition",
        when=("one data set of moderate size, without tuning: every example is tested once"),
        when_not=(
            "hyper-parameters are chosen: nested cv; the claim is about the algorithm on new "
            "training sets: repeated cv; rows are ordered in time: time_series"
        ),
        differs={
            "scikit-learn": (
                "cross_val_score does not shuffle by default; here rows are always shuffled, "
                "from the study's seed, within strata"
            ),
        },
    ),
    title="k-fold cross-validation",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def cv(rows: Rows, *, folds: int = 10) -> Iterator[Split]:
    """Divide the rows into folds; each is tested once by the model trained on the others.

    Folds differ by at most one row (without groups), and keep the shares of the strata.
    Raises `ValueError` where rows, groups or members of a stratum are fewer than folds.
    """
    yield from _repeat(rows, 0, folds)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("repeated", "cv"),
        yields=lambda options: _yields_of_times(options),
        describe=lambda options: (
            f"{options['folds']}-fold cross-validation repeated {_times(options['times'])}"
        ),
        short="{times}×{folds}-fold CV",
        about=ALGORITHM,
        n_splits=lambda options: int(options["folds"]) * int(options["times"]),
        division="shuffled",
        least={"folds": 2},
        option_words={"folds": FOLDS, "times": TIMES},
        folds="folds",
        test_share=lambda options: 1 / int(options["folds"]),
        shared_training="partition",
        when="the claim is about the learning algorithm, trained on sets of this size",
        when_not=(
            "a test counts examples, such as mcnemar: cv, holdout; the claim is about one "
            "fitted model: holdout"
        ),
        differs={
            "scikit-learn": (
                "RepeatedStratifiedKFold makes the same kind of folds; the interval that is "
                "often put on its scores (t over all folds) is too narrow: corrected_t"
            ),
        },
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol repeated cv folds=5 times=4\n"
            "measure accuracy\n"
            "compare linear vs bayes with corrected_t\n"
        ),
    ),
    title="Repeated k-fold cross-validation",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def repeated_cv(rows: Rows, *, folds: int = 10, times: int = 10) -> Iterator[Split]:
    """Repeat k-fold cross-validation with other folds, so that each example is tested often.

    The values of the folds are not independent: intervals and tests must correct for the
    overlap of training sets. Raises `ValueError` as `cv` does.
    """
    for repeat in range(_require_one(times)):
        yield from _repeat(rows, repeat, folds)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("leave_one_out",),
        yields=lambda options: Yields(
            frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.LOSSES_PER_ROW})
        ),
        describe=lambda options: "leave-one-out cross-validation",
        short="leave one out",
        about=FITTED_MODELS,
        n_splits=lambda options: None,
        division="in_turn",
        test_rows=lambda options: 1,
        shared_training="partition",
        keeps_strata=False,
        when="data are so scarce that no row can be spared",
        when_not=(
            "with ranking metrics, tests over folds, or models that change with a single row "
            "(1-NN, unpruned trees): cv, repeated cv"
        ),
        example=(
            'data houses from "data/houses.csv"\n'
            "  target price\n"
            "  features area, year_built\n"
            "  task regression\n"
            "  where rooms >= 6\n"
            "\n"
            "model linear = SimpleImputer | StandardScaler | Ridge\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol leave_one_out\n"
            "measure mae\n"
        ),
    ),
    title="Leave-one-out cross-validation",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def leave_one_out(rows: Rows) -> Iterator[Split]:
    """Test each row by the model trained on all the others; fold i tests row i.

    Strata are not used. Ranking metrics cannot be computed on folds of one example. Raises
    `ValueError` for one row, and for groups, whose rows would be on both sides.
    """
    if rows.groups is not None:
        raise CannotSplit(
            "leave_one_out puts rows of one group on both sides of a split",
            "write `leave_one_group_out`",
        )
    if rows.n < 2:
        raise CannotSplit(f"leave_one_out needs 2 rows or more, and there is {rows.n}")
    everything = np.arange(rows.n, dtype=np.int64)
    for row in range(rows.n):
        yield Split(0, row, np.delete(everything, row), everything[row : row + 1])


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("nested", "cv"),
        yields=lambda options: _yields_of_times(options, validation=True),
        describe=lambda options: (
            f"nested cross-validation with {options['outer']} outer and {options['inner']} inner "
            "folds" + (f", repeated {_times(options['times'])}" if options["times"] > 1 else "")
        ),
        short="nested {outer}×{inner} CV",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["outer"]) * int(options["times"]),
        division="shuffled",
        least={"outer": 2, "inner": 2},
        option_words={
            "outer": OptionWords("Outer folds", FOLDS.effect),
            "inner": OptionWords("Inner folds", "where candidates are compared"),
            "times": TIMES,
        },
        folds="outer",
        test_share=lambda options: 1 / int(options["outer"]),
        shared_training="partition",
        inner_option="inner",
        when="hyper-parameters are chosen, and the estimate must include their choice",
        when_not=(
            "nothing is tuned: cv; you need the final hyper-parameters: `export` refits on all data"
        ),
        differs={
            "scikit-learn": (
                "cross_val_score around GridSearchCV is the same design; there inner folds "
                "follow the order of the rows; here they are shuffled, stratified as the "
                "outer ones, and the same for all models"
            ),
        },
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression(C in 1e-2..1e2 log 3)\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol nested cv outer=5 inner=5\n"
            "measure accuracy\n"
        ),
    ),
    title="Nested cross-validation",
    references=(cite("varma2006"), cite("raschka2018")),
)
def nested_cv(rows: Rows, *, outer: int = 5, inner: int = 5, times: int = 1) -> Iterator[Split]:
    """Tune by cross-validation inside each training part of an outer cross-validation.

    These are the outer splits; `inner` is the number of folds that each training part is
    divided into to choose hyper-parameters. The estimate is of the procedure that tunes
    and fits. Raises `ValueError` as `cv` does, and for fewer than 2 inner folds.
    """
    if inner < 2:
        raise CannotSplit(
            f"nested cross-validation needs at least 2 inner folds, and inner is {inner}"
        )
    for repeat in range(_require_one(times)):
        yield from _repeat(rows, repeat, outer)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("5x2cv",),
        yields=lambda options: Yields(
            frozenset({Evidence.FOLD_SCORES}), Design.FIVE_BY_TWO, once=False
        ),
        describe=lambda options: "5×2-fold cross-validation",
        short="5×2 CV",
        about=ALGORITHM,
        n_splits=lambda options: 10,
        division="shuffled",
        folds=2,
        when=("you use a 5x2cv test; under another protocol the test plans these splits itself"),
        when_not=(
            "an estimate is published, because each model is trained on half of the data: "
            "repeated cv"
        ),
    ),
    name="5x2cv",
    title="5×2-fold cross-validation",
    references=(cite("dietterich1998"), cite("raschka2018")),
)
def five_by_two_cv(rows: Rows) -> Iterator[Split]:
    """Halve the rows five times at random and train on each half in turn.

    Fold 0 of a repeat trains on the first half and tests on the second, fold 1 the other
    way round, as Dietterich's differences p(1) and p(2). The 5x2cv tests need it. Raises
    `ValueError` where a stratum has one row.
    """
    for repeat in range(5):
        yield from _repeat(rows, repeat, 2)


def _repeat(rows: Rows, repeat: int, folds: int) -> Iterator[Split]:
    for fold, (train, test) in enumerate(k_folds(rows, folds, rows.seed(repeat))):
        yield Split(repeat, fold, train, test)


def _yields_of_times(options: Mapping[str, Any], validation: bool = False) -> Yields:
    once = options["times"] == 1
    kind = ONCE if once else REPEATED
    return Yields(kind.evidence, kind.design, kind.once, validation=validation)


def _times(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def _require_one(times: int) -> int:
    if times < 1:
        raise CannotSplit(f"a protocol is run once or more, and times is {times}")
    return times
