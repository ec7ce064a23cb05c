"""Protocols that keep a part of the rows for testing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from evallang.bibliography import cite
from evallang.protocols.protocol import (
    ALGORITHM,
    FITTED_MODEL,
    PER_ROW,
    PROTOCOLS,
    TEST_SHARE,
    TIMES,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import draw, exact, part, units
from evallang.registry import Design, Evidence
from evallang.results.settings import OptionWords


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("holdout",),
        yields=lambda options: Yields(
            PER_ROW, single_fit=True, validation=options["validation"] is not None
        ),
        describe=lambda options: _describe(options),
        short="holdout",
        about=FITTED_MODEL,
        n_splits=lambda options: 1,
        division="shuffled",
        test_share=lambda options: float(options["test"]),
        train_share=lambda options: (
            1.0 - float(options["test"]) - float(options["validation"] or 0)
        ),
        option_words={
            "test": TEST_SHARE,
            "validation": OptionWords("Validation part", "share of rows to choose on"),
        },
        when=("data are plentiful or fits are expensive, and the claim is about one fitted model"),
        when_not="there are fewer than a few hundred examples: cv",
    ),
    title="Holdout",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def holdout(
    rows: Rows,
    *,
    test: float | Fraction = Fraction(1, 3),
    validation: float | Fraction | None = None,
) -> Iterator[Split]:
    """Keep a part of the rows for testing, and another for choosing hyper-parameters.

    `test` and `validation` are shares of all rows, or of all groups where there are any,
    rounded up; the rest is for training. With `validation` it is the three-way holdout.
    Raises `ValueError` where a part would be empty or could not hold every stratum.
    """
    test = _share("test", test)
    rest, tested = draw(rows, test, rows.seed(0))
    if validation is None:
        yield Split(0, 0, rest, tested)
        return
    validation = _share("validation", validation)
    if test + validation >= 1:
        raise CannotSplit(
            "test and validation together leave nothing to train on", "write smaller shares"
        )
    train, validated = draw(part(rows, rest), validation, rows.seed(1), of=units(rows))
    yield Split(0, 0, rest[train], tested, validation=rest[validated])


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("repeated", "holdout"),
        yields=lambda options: (
            Yields(frozenset({Evidence.FOLD_SCORES}), Design.RESAMPLED, once=False)
            if options["times"] > 1
            else Yields(PER_ROW, single_fit=True)
        ),
        describe=lambda options: (
            f"repeated holdout ({options['times']} times, {written(options['test'])} kept for "
            "testing)"
        ),
        short="{times} holdouts",
        about=ALGORITHM,
        n_splits=lambda options: int(options["times"]),
        division="shuffled",
        test_share=lambda options: float(options["test"]),
        train_share=lambda options: 1.0 - float(options["test"]),
        shared_training="drawn",
        option_words={"times": TIMES, "test": TEST_SHARE},
        when="as for repeated cv, with test parts of any size",
        when_not="repeated cv is affordable, which tests each example equally often",
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol repeated holdout times=15 test=1/4\n"
            "measure accuracy\n"
            "compare linear vs bayes with corrected_t\n"
        ),
    ),
    title="Repeated holdout (Monte Carlo cross-validation)",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def repeated_holdout(
    rows: Rows, *, times: int = 50, test: float | Fraction = Fraction(1, 3)
) -> Iterator[Split]:
    """Draw a test part at random again and again, each time from all rows.

    Each repeat is one holdout (fold 0). The parts overlap: intervals and tests must correct
    for that. Raises `ValueError` as `holdout` does.
    """
    if times < 1:
        raise CannotSplit(f"a protocol is run once or more, and times is {times}")
    share = _share("test", test)
    for repeat in range(times):
        train, tested = draw(rows, share, rows.seed(repeat))
        yield Split(repeat, 0, train, tested)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("resubstitution",),
        yields=lambda options: Yields(frozenset(), single_fit=True),
        describe=lambda options: "resubstitution (tested on the training examples)",
        short="resubstitution",
        about=FITTED_MODEL,
        n_splits=lambda options: 1,
        division="in_place",
        tests_on_training_rows=lambda options: True,
        keeps_strata=False,
        when="you want to show how optimistic the error on the training rows is",
        when_not="the claim is about new examples: cv, holdout",
    ),
    title="Resubstitution",
    references=(cite("raschka2018"),),
)
def resubstitution(rows: Rows) -> Iterator[Split]:
    """Train on all rows and test on the same: optimistic, and no evidence for a comparison.

    Raises `ValueError` where there are no rows.
    """
    if not rows.n:
        raise CannotSplit("resubstitution needs a row to train on, and there is none")
    everything = np.arange(rows.n, dtype=np.int64)
    yield Split(0, 0, everything, everything.copy())


def written(share: float | Fraction) -> str:
    """Return a share as readers know it: `1/3`, `20%`."""
    fraction = exact(share)
    percent = fraction * 100
    if percent.denominator == 1:
        return f"{percent.numerator}%"
    if isinstance(share, float):
        return f"{share * 100:g}%"
    return str(fraction)


def _describe(options: Mapping[str, Any]) -> str:
    text = f"holdout with {written(options['test'])} kept for testing"
    if options["validation"] is None:
        return text
    return f"{text} and {written(options['validation'])} for validation"


def _share(name: str, share: float | Fraction) -> Fraction:
    if not 0 < share < 1:
        raise CannotSplit(f"{name} must be a share between 0 and 1, and it is {share}")
    return exact(share)
