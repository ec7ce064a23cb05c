"""Protocols that divide rows: at random or by time, in folds, in two parts, by bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.evidence import FOLD_SCORES, LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW, PER_ROW
from evallang.protocols.protocol import (
    ALGORITHM,
    FITTED_MODEL,
    FITTED_MODELS,
    FOLDS,
    PROTOCOLS,
    TEST_SHARE,
    TIMES,
    CannotSplit,
    Inner,
    ProtocolDeclaration,
    Rows,
    Several,
    Share,
    Split,
    Whole,
    Yields,
)
from evallang.protocols.splitting import (
    Numbers,
    draw,
    exact,
    k_folds,
    keep_groups_whole,
    part,
    shuffled_folds,
    units,
)
from evallang.registry import Bounds, Design
from evallang.results.settings import OptionWords

ONCE = Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD)
REDRAWN = replace(ONCE, redrawn=True)
REPEATED = Yields(frozenset({FOLD_SCORES}), Design.REPEATED, once=False)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("cv",),
        gives=lambda options: REDRAWN,
        describe=lambda options: f"{options['folds']}-fold cross-validation",
        short="{folds}-fold CV",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="shuffled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
def cv(rows: Rows, *, folds: Several = 10) -> Iterator[Split]:
    """Divide the rows into folds; each is tested once by the model trained on the others.

    Folds differ by at most one row (without groups), and keep the shares of the strata.
    Raises `ValueError` where rows, groups or members of a stratum are fewer than folds.
    """
    yield from _repeat(rows, 0, folds)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("repeated", "cv"),
        gives=lambda options: _yields_of_times(options),
        describe=lambda options: (
            f"{options['folds']}-fold cross-validation repeated {_times(options['times'])}"
        ),
        short="{times}×{folds}-fold CV",
        about=ALGORITHM,
        n_splits=lambda options: int(options["folds"]) * int(options["times"]),
        division="shuffled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
def repeated_cv(rows: Rows, *, folds: Several = 10, times: Whole = 10) -> Iterator[Split]:
    """Repeat k-fold cross-validation with other folds, so that each example is tested often.

    The values of the folds are not independent: intervals and tests must correct for the
    overlap of training sets. Raises `ValueError` as `cv` does.
    """
    for repeat in range(_require_one(times)):
        yield from _repeat(rows, repeat, folds)


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("leave_one_out",),
        gives=lambda options: Yields(frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW})),
        describe=lambda options: "leave-one-out cross-validation",
        short="leave one out",
        about=FITTED_MODELS,
        n_splits=lambda options: None,
        division="in_turn",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
        gives=lambda options: _yields_of_times(options, validation=True),
        describe=lambda options: (
            f"nested cross-validation with {options['outer']} outer and {options['inner']} inner "
            "folds" + (f", repeated {_times(options['times'])}" if options["times"] > 1 else "")
        ),
        short="nested {outer}×{inner} CV",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["outer"]) * int(options["times"]),
        division="shuffled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
def nested_cv(
    rows: Rows, *, outer: Several = 5, inner: Several = 5, times: Whole = 1
) -> Iterator[Split]:
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
        gives=lambda options: Yields(frozenset({FOLD_SCORES}), Design.FIVE_BY_TWO, once=False),
        describe=lambda options: "5×2-fold cross-validation",
        short="5×2 CV",
        about=ALGORITHM,
        n_splits=lambda options: 10,
        division="shuffled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("holdout",),
        gives=lambda options: Yields(
            PER_ROW, single_fit=True, validation=options["validation"] is not None
        ),
        describe=lambda options: _describe(options),
        short="holdout",
        about=FITTED_MODEL,
        n_splits=lambda options: 1,
        division="shuffled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
    test: Share = Fraction(1, 3),
    validation: Annotated[float | Fraction | None, Bounds(above=0, below=1)] = None,
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
        gives=lambda options: (
            Yields(frozenset({FOLD_SCORES}), Design.RESAMPLED, once=False)
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
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
    rows: Rows, *, times: Whole = 50, test: Share = Fraction(1, 3)
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
        gives=lambda options: Yields(PER_ROW, single_fit=True),
        describe=lambda options: "resubstitution (tested on the training examples)",
        short="resubstitution",
        about=FITTED_MODEL,
        n_splits=lambda options: 1,
        division="in_place",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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


ESTIMATES = {"oob": "out-of-bag", "resubstitution": "resubstitution estimate of the"}


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("bootstrap",),
        gives=lambda options: Yields(frozenset(), once=False),
        describe=lambda options: (
            f"{ESTIMATES.get(options['estimate'], options['estimate'])} bootstrap with "
            f"{options['rounds']} rounds"
        ),
        short="{rounds} bootstraps",
        about=ALGORITHM,
        n_splits=lambda options: int(options["rounds"]) + 1,
        division="resampled",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
        option_words={
            "rounds": OptionWords("Rounds", "training samples drawn"),
            "estimate": OptionWords("Bootstrap estimate", ""),
        },
        tests_on_training_rows=lambda options: options["estimate"] == "resubstitution",
        full_sample=True,
        keeps_strata=False,
        when="the error on small data should be estimated with little variance",
        when_not=(
            "models are compared by a test: repeated cv with corrected_t; models that memorize "
            "their training rows (1-NN, unpruned trees) are estimated by `.632`: `.632+`"
        ),
        formula=(
            "err is the error of the model trained and tested on all rows, Err(1) the mean "
            "error of each row over the rounds that held it out; `.632` is .368 err + .632 "
            "Err(1); `.632+` shifts the weight to Err(1) as it nears the error gamma of a "
            "model whose predictions do not depend on the truth. The standard error is that of "
            "the delta method after the bootstrap (Efron and Tibshirani 1997, section 5), less the "
            "noise of finitely many rounds by the jackknife over rounds, and at least the standard "
            "error of the mean of the rows' out-of-bag errors: the last two are an additional rule"
        ),
        differs={
            "Efron & Tibshirani 1997": (
                "where Err(1) is above gamma, their formula as printed adds the correction to "
                "the .632 estimate, in which Err(1) is not capped: with an apparent error of "
                ".1, Err(1) = .6 and gamma = .5 that is .563; here Err(1) is capped in both "
                "places, and the estimate is gamma, .5, so that it never exceeds the error of "
                "a rule without information"
            ),
            "mlxtend": (
                "bootstrap_point632_score takes the training error of the bootstrap models "
                "in place of the full model's, averages rounds in place of rows, and its "
                "`.632+` has no bounds: 5-NN on noise gave rounds from -55.9 to 10.4 there; "
                "here .478, which Efron and Tibshirani's definition gives"
            ),
            "Raschka 2018": (
                "eq. 37 prints another denominator of R: gamma is to be taken less the "
                "resubstitution error"
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
            "protocol bootstrap rounds=50 estimate=.632+\n"
            "measure error_rate\n"
        ),
    ),
    title="Bootstrap",
    references=(cite("efron1997"), cite("raschka2018"), cite("zhou2021")),
)
def bootstrap(
    rows: Rows,
    *,
    rounds: Whole = 200,
    estimate: Literal["oob", ".632", ".632+", "resubstitution"] = ".632+",
) -> Iterator[Split]:
    """Train on n rows drawn with replacement and test on those that were not drawn.

    The first split, fold -1, trains and tests on all rows: the apparent error that `.632`,
    `.632+` and `resubstitution` need. Then fold i is round i: `train` holds a row as often
    as it was drawn, `test` the rows out of the bag. Whole groups are drawn where there are
    any. Strata are not used, since the weight .632 is that of simple sampling. A draw that
    leaves no row out is drawn again. A round depends on its own seed alone, so more rounds
    only add to those there are. Raises `ValueError` for fewer than 2 rows or groups.
    """
    if rounds < 1:
        raise CannotSplit(f"bootstrap needs a round or more, and rounds is {rounds}")
    number = units(rows)
    if number < 2:
        raise CannotSplit("bootstrap needs 2 rows (or groups) or more to leave one out")
    everything = np.arange(rows.n, dtype=np.int64)
    yield Split(0, -1, everything, everything.copy())
    unit = everything if rows.groups is None else np.unique(rows.groups, return_inverse=True)[1]
    for fold in range(rounds):
        rng = np.random.default_rng(rows.seed(fold))
        times = np.full(number, 1)
        while times.all():
            times = np.bincount(rng.integers(number, size=number), minlength=number)
        drawn = times[unit]
        yield Split(0, fold, np.repeat(everything, drawn), np.flatnonzero(drawn == 0))


def _rows(number: int) -> str:
    return "one row" if number == 1 else f"{number} rows"


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("time_series",),
        gives=lambda options: Yields(frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW})),
        describe=lambda options: (
            f"forward chaining over {options['folds']} test periods"
            + (f" with a gap of {_rows(options['gap'])}" if options["gap"] else "")
        ),
        short="{folds} steps forward",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="in_place",
        dependence="neighbours",
        training="past",
        inner=lambda rows, options, folds, seed: later_periods(rows, options, folds, seed),
        keeps_strata=False,
        option_words={
            "folds": FOLDS,
            "gap": OptionWords("Gap", ""),
            "test": OptionWords("Test part", "rows of each test period"),
        },
        one_class_fix="write fewer folds, if the rows are in the order of time",
        when=("rows are ordered in time, and the model will predict later rows from earlier ones"),
        when_not="rows are independent: cv",
        differs={
            "scikit-learn": (
                "TimeSeriesSplit makes the same parts for the same number of folds, gap and "
                "test size"
            ),
        },
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol time_series folds=5\n"
            "measure mae\n"
        ),
    ),
    title="Time series: forward chaining",
    references=(cite("tashman2000"),),
)
def time_series(
    rows: Rows,
    *,
    folds: Several = 5,
    gap: Annotated[int, Bounds(least=0)] = 0,
    test: Annotated[int | None, Bounds(least=1)] = None,
) -> Iterator[Split]:
    """Test on consecutive periods, each by the model trained on all rows before it.

    Rows are in the order of their column of time, else of the file. The last `folds` periods of
    `test` rows (by default n // (folds + 1)) are tested; `gap` rows before each are omitted from
    training. Rows of one moment stay together, and then periods and gap count moments. The first
    rows are never tested, and strata are not used. Raises `ValueError` where too few rows
    are left to train on, or where a group has rows on both sides.
    """
    yield from forward_chaining(rows, folds, gap, test)


def forward_chaining(
    rows: Rows, folds: int, gap: int = 0, test: int | None = None
) -> Iterator[Split]:
    """Yield the splits of `time_series`, as scikit-learn's TimeSeriesSplit does."""
    if folds < 2:
        raise CannotSplit(f"time_series needs at least 2 folds, and folds is {folds}")
    if gap < 0 or (test is not None and test < 1):
        raise CannotSplit("gap must be 0 rows or more, and test 1 row or more")
    places = np.arange(rows.n, dtype=np.int64) if rows.moments is None else rows.moments
    n = int(places.max()) + 1
    size = n // (folds + 1) if test is None else test
    first = n - folds * size
    if size < 1 or first - gap < 1:
        unit = "rows" if n == rows.n else "moments"
        raise CannotSplit(
            f"{n} {unit} leave none to train on before the first of {folds} test periods",
            "write fewer folds, a smaller gap or a smaller test",
        )
    for fold in range(folds):
        start = first + fold * size
        train = np.flatnonzero(places < start - gap)
        tested = np.flatnonzero((places >= start) & (places < start + size))
        keep_groups_whole(rows, train, tested)
        yield Split(0, fold, train, tested)


def later_periods(
    rows: Rows, options: Mapping[str, Any], folds: int, seed: int
) -> Iterator[tuple[Numbers, Numbers]]:
    """Divide a training part into periods, each tested by the rows before it; no gap is left."""
    for one in forward_chaining(rows, folds):
        yield one.train, one.test


def inner_splits(
    rows: Rows,
    training: NDArray[np.int64],
    *,
    inner: Inner,
    options: Mapping[str, Any],
    folds: int,
    seed: int,
) -> Iterator[Split]:
    """Divide a training part as the rows are divided outside, by `inner` of the protocol.

    `training` are sorted row numbers of `rows` (an outer split's `train`), and so are those
    of the splits; `seed` is derived from the outer repeat and fold, never from a model, so
    that all models are tuned on the same folds. Copies of a row in a bootstrap sample stay
    together (Janitza et al. 2016). Raises `ValueError` where rows, groups or members of a
    stratum are fewer than folds.
    """
    distinct, copies = np.unique(training, return_counts=True)
    for fold, sides in enumerate(inner(part(rows, distinct), options, folds, seed)):
        train, test = (np.repeat(distinct[side], copies[side]) for side in sides)
        yield Split(0, fold, train, test)
