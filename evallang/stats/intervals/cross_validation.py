"""Intervals of means over the folds of a cross-validation."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import FOLD_SCORES, LOSSES_PER_ROW
from evallang.registry import Bounds, Design, Example
from evallang.results.statistics import Interval
from evallang.stats.basics import checked_level, magnitudes, normal_quantile, t_quantile
from evallang.stats.fold_scores import FoldValues, read_folds, spread_is_noise
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validity import OF_OUTSIDE, OF_TAIL, Counted, Holds

# Mean 3 and variance 6, so that bounds come out in closed form
EIGHT = (3.0, 1.0, 5.0, 7.0, -1.0, 4.0, 2.0, 3.0)
T_7 = 2.3646242515927849  # 97.5 % point of t(7): scipy 1.17.1, stats.t.ppf(.975, 7)
Z_95 = 1.9599639845400542
OWN = "own derivation: computed by hand"
CONSTANT = "no width: all values are equal"


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({FOLD_SCORES}),
        "fold_values",
        allows_overlap=True,
        default_for=frozenset({"splits"}),
        designs=frozenset({Design.KFOLD, Design.REPEATED, Design.RESAMPLED}),
        holds="t allows for few folds; the variance is an approximation at every number of them",
        when=(
            "the claim is about the learning algorithm, under repeated cross-validation or "
            "repeated holdout"
        ),
        when_not="under leave-one-out, leave-one-group-out, or time series",
        formula=(
            "the mean over J splits ± the quantile of t with J - 1 degrees of freedom, times "
            "the root of the variance times (1/J + test rows / training rows)"
        ),
        differs={
            "scikit-learn": (
                "std_test_score over folds is often read as a standard error; it takes no "
                "account of overlapping training sets"
            ),
        },
    ),
    title="Corrected resampled t interval",
    references=(cite("nadeau2003"), cite("bouckaert2004")),
    examples=(
        Example(
            (EIGHT, (70,) * 8, (10,) * 8, 0.95),
            {
                "low": 3 - T_7 * math.sqrt(6 * (1 / 8 + 1 / 7)),
                "high": 3 + T_7 * math.sqrt(6 * (1 / 8 + 1 / 7)),
            },
            f"{OWN}, 3 ± t sqrt(6 (1/8 + 1/7))",
        ),
    ),
)
def corrected_t(
    values: ArrayLike,
    n_train: ArrayLike | None,
    n_test: ArrayLike | None,
    level: float,
    *,
    test_train_ratio: Annotated[float | None, Bounds(above=0)] = None,
) -> Interval:
    """t interval over J splits whose variance allows for overlapping training sets.

    The ratio of test to training rows is that of the sums of the fold sizes (Nadeau & Bengio 2003;
    Bouckaert & Frank 2004). Without sizes the ratio must be given. `values` is (J,); undefined
    ones are skipped, with a note. Raises `ValueError` where sizes are missing for some folds, or
    the ratio is unknown.
    """
    found = read_folds(values)
    factor = found.factor(n_train, n_test, test_train_ratio)
    return _t_interval("corrected_t", found, factor, level)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({FOLD_SCORES}),
        "fold_values",
        advised_against="training sets overlap, so that it is too narrow",
        advised_by="Nadeau & Bengio 2003",
        holds="no number of folds decides: it is advised against at every one",
        when="you reproduce a published interval",
        when_not="in all other cases: corrected_t",
        formula=(
            "the mean ± the quantile of t with J - 1 degrees of freedom, times the standard "
            "deviation over the root of J"
        ),
        differs={
            "scikit-learn": (
                "cross_val_score(...).mean() ± 2 std() of the old manual is not an interval for "
                "the mean at all"
            ),
        },
    ),
    title="t interval over folds or rounds",
    references=(cite("raschka2018"),),
    examples=(
        Example(
            (EIGHT, 0.95),
            {"low": 3 - T_7 * math.sqrt(6 / 8), "high": 3 + T_7 * math.sqrt(6 / 8)},
            f"{OWN}, 3 ± t sqrt(6/8)",
        ),
    ),
)
def t(values: ArrayLike, level: float) -> Interval:
    """Mean ± t(J - 1) s / sqrt(J), as if the J values were independent, which they are not.

    Raschka 2018, section 2.4. `values` is (J,); undefined ones are skipped, with a note.
    Raises `ValueError` where it is not one row.
    """
    found = read_folds(values)
    return _t_interval("t", found, found.plain_factor, level)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "losses",
        default_for=frozenset({"losses_over_folds"}),
        designs=frozenset({Design.KFOLD}),
        holds=(
            Holds(Counted.EXAMPLES, 10, "95% intervals of normal values cover 60 to 90%"),
            Holds(Counted.EXAMPLES, 30, "coverage of 95% intervals was 90 to 93% in simulations"),
            OF_OUTSIDE,
            OF_TAIL,
        ),
        when=("the metric is a mean over examples, each predicted once in k-fold cross-validation"),
        when_not="the claim is about the algorithm on new training sets: corrected_t",
        formula="the mean of all losses ± z times their standard deviation over the root of n",
    ),
    title="Cross-validation interval by the central limit theorem",
    references=(cite("bayle2020"),),
    examples=(
        Example(
            ((1.0, 3.0, 2.0, 6.0), (0, 0, 1, 1), 0.95),
            {"low": 3 - Z_95 * math.sqrt(14 / 4 / 4), "high": 3 + Z_95 * math.sqrt(14 / 4 / 4)},
            f"{OWN}, 3 ± z sqrt(3.5 / 4)",
        ),
        Example(
            ((1.0, 3.0, 2.0, 6.0), (0, 0, 1, 1), 0.95),
            {"low": 3 - Z_95 * math.sqrt(5 / 4), "high": 3 + Z_95 * math.sqrt(5 / 4)},
            f"{OWN}, 3 ± z sqrt(((2 + 8) / 2) / 4)",
            options={"variance": "within_fold"},
        ),
    ),
)
def cv_clt(
    losses: ArrayLike,
    folds: ArrayLike,
    level: float,
    *,
    variance: Literal["all_pairs", "within_fold"] = "all_pairs",
) -> Interval:
    """Normal interval for the average test error of the k models of a cross-validation.

    The variance is that over all examples with divisor n, or the mean of the variances within folds
    with divisors n_fold - 1 (Bayle et al. 2020; unequal folds are pooled). `losses` and `folds` are
    (n,). Raises `ValueError` where they differ in length.
    """
    x, codes = magnitudes(losses, "losses"), np.asarray(folds)
    z, n = normal_quantile(level), len(x)
    method = f"cv_clt({variance})"
    if codes.shape != x.shape:
        raise ValueError("every example needs its fold")
    if n == 0 or not np.isfinite(x).all():
        return Interval(method, level, None, None, ("undefined: a loss is not finite, or missing",))
    mean = float(x.mean())
    if variance == "all_pairs":
        squares, divisor = float(((x - mean) ** 2).sum()), n
    else:
        _, where = np.unique(codes, return_inverse=True)
        means = np.bincount(where, weights=x) / np.bincount(where)
        squares, divisor = float(((x - means[where]) ** 2).sum()), n - len(means)
    if divisor <= 0:
        return Interval(method, level, None, None, ("undefined: every fold has one example",))
    noise = bool(spread_is_noise(x.max() - x.min(), float(np.abs(x).max())))
    half = 0.0 if noise else z * math.sqrt(squares / divisor / n)
    return Interval(method, level, mean - half, mean + half, (CONSTANT,) if noise else ())


def _t_interval(method: str, found: FoldValues, factor: float, level: float) -> Interval:
    """Mean ± t s sqrt(factor)."""
    checked_level(level)
    x, notes = found.values, found.notes
    if len(x) < 2:
        more = "undefined: it takes values on two folds"
        return Interval(method, level, None, None, (*notes, more))
    mean = float(x.mean())
    half = t_quantile(level, len(x) - 1) * found.sd * math.sqrt(factor)
    notes = (*notes, CONSTANT) if found.constant else notes
    return Interval(method, level, mean - half, mean + half, notes)


ALONE = -1  # no second fold was omitted from training
FEWEST_FOLDS = 3  # a model without a pair of folds needs a third to train on


class HeldOutLosses(Struct, frozen=True):
    """Losses of rows that a model was not fitted on, one for each row and model.

    Attributes
    ----------
    losses : the loss, or 1 for right and 0 for wrong (m,)
    repeats : the repeat, from 0 (m,)
    folds : the fold of the row in that repeat, from 0 (m,)
    partner : the other fold that the model was not fitted on, -1 where there was none (m,)
    """

    losses: ArrayLike
    repeats: ArrayLike
    folds: ArrayLike
    partner: ArrayLike


# Three folds of two rows in one repeat. The mean inner losses are 5.5, 5.5 and 2.5, the mean of
# all 12 is 4.5 and their variance 71/11.
INNER = (2, 4, 3, 5, 1, 3, 6, 8, 2, 4, 7, 9)
PLACES = (
    (0,) * 18,
    (0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 0, 0, 2, 2, 1, 1, 2, 2),
    (ALONE,) * 6 + (1, 1, 0, 0, 2, 2, 0, 0, 2, 2, 1, 1),
)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "means",
        designs=frozenset({Design.KFOLD}),
        allows_overlap=True,
        implied="folds_and_pairs",
        about="the algorithm, trained on {n} examples",
        holds="its variance comes from held-out folds, and t allows for few of them",
        when=(
            "the claim is about the algorithm, the data set is small or the learner unstable, "
            "and the metric is a mean over examples"
        ),
        when_not=(
            "fits are expensive: corrected_t under repeated cv; the claim is about the models "
            "fitted here: wilson, cv_clt; rows come in groups: bootstrap"
        ),
        formula=(
            "the mean over repeats of cross-validation minus (K - 2)/K times the amount by which "
            "the mean over models without two folds exceeds it, ± z times a standard error: the "
            "root of (K - 1)/K times the mean over folds of (a² - b), where a is the mean of the "
            "inner minus the mean of the outer losses and b the variance of the mean outer loss; "
            "bounded by the naive standard error and the root of K times it"
        ),
        differs={
            "nestedcv": (
                "the R package multiplies the difference of the two means by 1 + ((K - 2)/K)^1.5 "
                "where the packages cv and mlr3inferr, after the paper, have 1 + (K - 2)/K; it "
                "takes the second mean from further cross-validations, and here the outer folds of "
                "all repeats give it without further fits; it drops rows where K does not divide n"
            ),
        },
        example=(
            "data iris from sklearn iris\n"
            "\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=3\n"
            "measure accuracy\n"
            "  interval nested_cv(repeats=50)\n"
        ),
    ),
    title="Interval by nested cross-validation",
    references=(cite("bates2024"),),
    examples=(
        Example(
            (HeldOutLosses((3, 5, 3, 3, 3, 5, *INNER), *PLACES), 0.95),
            {
                "low": 61 / 18 - Z_95 * math.sqrt(35 / 18),
                "high": 61 / 18 + Z_95 * math.sqrt(35 / 18),
            },
            f"{OWN}: a 1.5, 2.5, -1.5; b 1, 0, 1; error² 2/3 (10.75 - 2)/3; centre 9/2 - 4/3 5/6",
            options={"repeats": 1},
        ),
        Example(
            (HeldOutLosses((1, 3, 2, 2, 5, 7, *INNER), *PLACES), 0.95),
            {
                "low": 53 / 18 - Z_95 * math.sqrt(71 / 22),
                "high": 53 / 18 + Z_95 * math.sqrt(71 / 22),
            },
            f"{OWN}: 2/3 (36.75 - 2)/3 is above 3 SE² = 3 · 71/66; centre 9/2 - 4/3 7/6",
            options={"repeats": 1},
        ),
    ),
)
def nested_cv(
    held_out: HeldOutLosses, level: float, *, repeats: Annotated[int, Bounds(least=1)] = 200
) -> Interval:
    """Normal interval for the expected error of the algorithm, trained on all n rows.

    Bates, Hastie & Tibshirani 2024, algorithm 1. In each repeat and for each fold k, the mean
    loss of the models without k and one other fold (an inner cross-validation) is compared with
    the mean loss on k of the model without k. The centre removes the bias of smaller training
    sets.

    `repeats` is 200 as in the paper, because chance decides the width otherwise: with 100 rows,
    10 folds and unpruned trees, the width of one data set varied between runs by 11 to 15%
    (standard deviation) with 50 repeats and by 1 to 9% with 200. One repeat is K (K + 1)/2 fits
    of each model.

    Raises `ValueError` where the arrays differ in length, where there are not so many repeats or
    fewer than three folds, and where a repeat lacks a fold or a pair.
    """
    checked_level(level)
    x = magnitudes(held_out.losses, "losses")
    repeat, fold, partner = (
        np.asarray(codes, dtype=np.int64)
        for codes in (held_out.repeats, held_out.folds, held_out.partner)
    )
    if not x.shape == repeat.shape == fold.shape == partner.shape or x.ndim != 1:
        raise ValueError("every loss needs its repeat, its fold and the other fold")
    if not len(x) or not np.isfinite(x).all():
        return _undefined(level, "a loss is not finite, or missing")
    k, found = int(fold.max()) + 1, int(repeat.max()) + 1
    if found != repeats:
        raise ValueError(f"{repeats} repeats are asked for, and the losses have {found}")
    if k < FEWEST_FOLDS:
        raise ValueError(f"the interval needs at least {FEWEST_FOLDS} folds, and there are {k}")
    outer = partner == ALONE
    tested = _Sums(x[outer], repeat[outer] * k + fold[outer], repeats * k)
    inner = _Sums(x[~outer], repeat[~outer] * k + partner[~outer], repeats * k)
    if not (tested.n.all() and inner.n.all()):
        raise ValueError("a repeat lacks the losses of a fold, or of the models without it")
    if (tested.n < 2).any():
        return _undefined(level, "a fold has one example")
    n, all_inner = int(outer.sum()) // repeats, x[~outer]
    excess = inner.mean - tested.mean
    mse = float(np.mean(excess**2 - tested.variance / tested.n)) * (k - 1) / k
    naive = float(all_inner.std(ddof=1)) / math.sqrt(n)
    error = min(max(math.sqrt(max(mse, 0.0)), naive), math.sqrt(k) * naive)
    two, one = float(all_inner.mean()), float(x[outer].mean())
    centre = two - (1 + (k - 2) / k) * (two - one)
    noise = bool(spread_is_noise(x.max() - x.min(), float(np.abs(x).max())))
    half = 0.0 if noise else normal_quantile(level) * error
    notes = (CONSTANT,) if noise else (_centred(repeats, k),)
    return Interval("nested_cv", level, centre - half, centre + half, notes)


class _Sums:
    """Number, mean and variance (divisor n - 1) of the losses of each fold of each repeat."""

    def __init__(self, x: NDArray[np.float64], cell: NDArray[np.int64], cells: int) -> None:
        self.n = np.bincount(cell, minlength=cells)
        self.mean = np.bincount(cell, x, cells) / np.maximum(self.n, 1)
        squares = np.bincount(cell, (x - self.mean[cell]) ** 2, cells)
        self.variance = squares / np.maximum(self.n - 1, 1)


def _centred(repeats: int, k: int) -> str:
    return (
        f"the interval is centred on the mean over {repeats} repeats, corrected for training on "
        f"{k - 1} of {k} folds, and not on the mean of one cross-validation"
    )


def _undefined(level: float, reason: str) -> Interval:
    return Interval("nested_cv", level, None, None, (f"undefined: {reason}",))
