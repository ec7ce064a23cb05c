"""Learning curves: training and test scores by the number of training rows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.registry import Bounds
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.basics import standard_deviation

TENTH, QUARTER, HALF = Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)
FRACTIONS = (TENTH, QUARTER, HALF, Fraction(3, 4), Fraction(1))


class SizeScores(Struct, frozen=True):
    """The scores of the fits on subsets of one size.

    Attributes
    ----------
    fraction : the share of the training part, None where a number of rows was written
    n_train : the number of rows of each subset
    train, test : the metric over all splits for each draw of subsets (draws,), NaN where undefined
    train_splits, test_splits : the metric of each split (draws, splits), NaN where it is undefined
        or the fit failed
    failed : the number of fits that failed
    """

    fraction: float | None
    n_train: tuple[int, ...]
    train: NDArray[np.float64]
    test: NDArray[np.float64]
    train_splits: NDArray[np.float64]
    test_splits: NDArray[np.float64]
    failed: int


class Learning(Struct, frozen=True):
    """The scores of one model by the size of the training set, the smallest size first.

    `n` counts the examples that are tested; `ordered` states that the subsets are the rows
    of training parts nearest in time to the test rows, and are not drawn.
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    n: int
    splits: int
    ordered: bool
    sizes: tuple[SizeScores, ...]


class LearningScore(Struct, frozen=True):
    """A score at one size: its mean over draws, and its spread.

    `sd` is the standard deviation over splits of the means over draws, and `sd_draws` that of the
    value of all splits over draws; None where there are fewer than two.
    """

    value: Number
    sd: Number
    sd_draws: Number


class LearningPoint(Struct, frozen=True):
    """The scores of the fits on subsets of one size, on their own rows and on the test rows."""

    fraction: Number
    n_train: float
    smallest: int
    largest: int
    train: LearningScore
    test: LearningScore
    failed: int


class LearningGain(Struct, frozen=True):
    """What the last step in size added to the test score, and in how many splits it helped."""

    n_from: float
    n_to: float
    value: float
    better: int
    worse: int


class LearningCurve(Struct, frozen=True):
    """Training and test scores by the number of training rows."""

    unit: str
    about: str
    n: int
    n_splits: int
    n_draws: int
    ordered: bool
    metric: str
    better: str
    points: tuple[LearningPoint, ...]
    gap: Number
    gain: LearningGain | None
    notes: tuple[str, ...]


ABOUT = (
    "the algorithm on parts of these training parts, which share rows; the spread over splits is "
    "not an interval"
)
IN_TIME = "each part has the training rows that are nearest in time to the test rows"


def _objection(options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what is wrong with sizes as they were written, and what to write instead."""
    if "fractions" in options and "sizes" in options:
        return "`fractions` and `sizes` both state the sizes", "remove one of them"
    for name in ("fractions", "sizes"):
        values = options.get(name)
        if values is None:
            continue
        if not all(
            isinstance(v, int | float | Fraction) and not isinstance(v, bool) for v in values
        ):
            return f"`{name}` is a list of numbers", f"write {_SUCH[name]}"
        if len(set(values)) < 2:
            return "a learning curve needs two sizes or more", f"write {_SUCH[name]}"
        if len(set(values)) < len(values):
            return f"`{name}` has a value twice", "write each size once"
        if name == "fractions" and not all(0 < v <= 1 for v in values):
            return "a fraction is above 0 and at most 1", f"write {_SUCH[name]}"
        if name == "sizes" and not all(isinstance(v, int) and v >= 2 for v in values):
            return "a size is a whole number of rows, 2 or more", f"write {_SUCH[name]}"
    return None


_SUCH = {
    "fractions": "`fractions=[10%, 50%, 100%]`",
    "sizes": "`sizes=[50, 100, 200]`",
}


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        fits="subsets",
        section="learning_curves",
        shown=LearningCurve,
        objection=_objection,
        when=(
            "the question is whether more data would help, or whether a model fits its training "
            "rows too closely"
        ),
        when_not=(
            "models are compared at the size at hand: compare; bias and variance of one size: "
            "bias_variance"
        ),
        formula=(
            "subsets of each training part are drawn without replacement, each within the next "
            "larger one, with the shares of the strata and whole groups; hyper-parameters are "
            "chosen inside each subset, and each fit is measured on its own training rows and on "
            "the test rows of the split. The value at a size is the metric over all splits, as "
            "the estimate of the protocol has it, averaged over draws; the bar is the standard "
            "deviation over splits of the means over draws. Rows whose neighbours in time are "
            "alike are not drawn: a subset has the training rows nearest to the test rows"
        ),
        differs={
            "scikit-learn": (
                "`learning_curve` takes the first rows of a training part (or shuffles them, "
                "without strata), draws once, and averages the scores of folds, also those of "
                "counts such as F1; here subsets are stratified, drawn `repeats` times, and the "
                "last point of the curve is the estimate of the protocol"
            ),
        },
        example="learning_curve(fractions=[20%, 50%, 100%], repeats=2)",
    ),
    title="Learning curve",
    references=(cite("raschka2018"),),
)
def learning_curve(
    learning: Learning,
    *,
    fractions: tuple[Fraction, ...] = FRACTIONS,
    sizes: tuple[int, ...] | None = None,
    repeats: Annotated[int, Bounds(least=1)] = 5,
) -> LearningCurve:
    """Training and test scores by the number of rows that a model was fitted on.

    The options are those of the plan, which draws the subsets. Raises `ValueError` where no fit
    gave a test score.
    """
    points = tuple(map(_point, learning.sizes))
    if all(point.test.value is None for point in points):
        raise ValueError("no fit gave a test score")
    last = points[-1]
    train, test = last.train.value, last.test.value
    return LearningCurve(
        unit="examples",
        about=ABOUT,
        n=learning.n,
        n_splits=learning.splits,
        n_draws=max(len(size.test) for size in learning.sizes),
        ordered=learning.ordered,
        metric=learning.metric,
        better=learning.better,
        points=points,
        gap=None if train is None or test is None else train - test,
        gain=_gain(learning),
        notes=(IN_TIME,) if learning.ordered else (),
    )


def _point(size: SizeScores) -> LearningPoint:
    return LearningPoint(
        fraction=size.fraction,
        n_train=float(np.mean(size.n_train)),
        smallest=min(size.n_train),
        largest=max(size.n_train),
        train=_score(size.train, size.train_splits),
        test=_score(size.test, size.test_splits),
        failed=size.failed,
    )


def _score(draws: NDArray[np.float64], splits: NDArray[np.float64]) -> LearningScore:
    known = draws[~np.isnan(draws)]
    return LearningScore(
        float(known.mean()) if len(known) else None,
        standard_deviation(_means_of_splits(splits)),
        standard_deviation(known),
    )


def _means_of_splits(splits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over draws of each split in which it is defined."""
    defined = ~np.isnan(splits)
    counts = defined.sum(axis=0)
    sums = np.where(defined, splits, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _gain(learning: Learning) -> LearningGain | None:
    """Compare the two largest sizes, split by split, by a metric that has a direction."""
    if learning.better == "nearest":
        return None
    before, last = learning.sizes[-2:]
    first, second = (np.nanmean(s.test) if not np.isnan(s.test).all() else None
                     for s in (before, last))  # fmt: skip
    if first is None or second is None:
        return None
    steps = _means_of_splits(last.test_splits) - _means_of_splits(before.test_splits)
    sign = 1.0 if learning.better == "higher" else -1.0
    steps = np.round(sign * steps[~np.isnan(steps)], 12)
    return LearningGain(
        float(np.mean(before.n_train)),
        float(np.mean(last.n_train)),
        float(second - first),
        int((steps > 0).sum()),
        int((steps < 0).sum()),
    )
