"""Intervals for an estimate over cross-validation folds or repeated splits."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.registry import Bounds, Design, Evidence, Example
from evallang.results.statistics import Interval
from evallang.stats.distributions import checked_level, normal_quantile, t_quantile
from evallang.stats.fold_scores import FoldValues, read_folds, spread_is_noise
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import magnitudes
from evallang.stats.validity import OF_OUTSIDE, OF_TAIL, Counted, Holds

# Mean 3 and variance 6, so that bounds come out in closed form
EIGHT = (3.0, 1.0, 5.0, 7.0, -1.0, 4.0, 2.0, 3.0)
T_7 = 2.3646242515927849  # 97.5 % point of t(7): scipy 1.17.1, stats.t.ppf(.975, 7)
Z_95 = 1.9599639845400542
OWN = "own derivation: computed by hand"
CONSTANT = "no width: all values are equal"


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.FOLD_SCORES}),
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

    Mean ± t(J - 1) s sqrt(1/J + n_test/n_train), with the sums of the fold sizes (Nadeau &
    Bengio 2003; Bouckaert & Frank 2004). Without sizes the ratio must be given. `values` is
    (J,); undefined ones are skipped, with a note. Raises `ValueError` where sizes are missing for
    some folds, or the ratio is unknown.
    """
    found = read_folds(values)
    factor = found.factor(n_train, n_test, test_train_ratio)
    return _t_interval("corrected_t", found, factor, level)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.FOLD_SCORES}),
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
        frozenset({Evidence.LOSSES_PER_ROW}),
        "losses",
        default_for=frozenset({"losses_over_folds"}),
        designs=frozenset({Design.KFOLD}),
        holds=(
            Holds(Counted.EXAMPLES, 30, "95% intervals covered 90 to 93% in simulations"),
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

    The mean of the losses ± z s / sqrt(n), with the variance over all examples with divisor
    n, or the mean of the variances within folds with divisors n_fold - 1 (Bayle et al.
    2020; unequal folds are pooled). `losses` and `folds` are (n,). Raises `ValueError` where
    they differ in length.
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
