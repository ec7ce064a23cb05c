"""The bootstrap of a learning algorithm: out-of-bag, .632 and .632+ estimates of its error.

Every function works on errors: lower is better, 0 is perfect. A model fitted on the full
sample gives the apparent error, models fitted on resamples the errors of the rows that
were not drawn.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.basics import labels, magnitudes, numbers, word
from evallang.stats.score_counts import ratio, summing

SHARE = 0.632  # of the sample that a resample holds on average: 1 - 1/e, as printed
NOISE = 1e-12  # differences of errors below this are rounding, not overfitting

Estimator = Literal["oob", ".632", ".632+", "resubstitution"]


class BootstrapError(Struct, frozen=True):
    """An estimate of the error with its parts.

    Attributes
    ----------
    value : the estimate asked for
    resubstitution : apparent error of the model fitted on the full sample
    oob : leave-one-out bootstrap error Err(1)
    gamma : no-information error
    R : relative overfitting rate, in [0, 1]
    weight : that of Err(1) in the .632+ estimate, from .632 to 1
    """

    value: float
    resubstitution: float
    oob: float
    gamma: float
    R: float
    weight: float


def bootstrap_error(
    resubstitution: float, oob: float, gamma: float, estimate: Estimator
) -> BootstrapError:
    """Combine apparent and out-of-bag error (Efron & Tibshirani 1997).

    Err(1)' = min(Err(1), gamma); R = (Err(1)' - err) / (gamma - err) where both differences
    are positive, else 0; the weight is .632 / (1 - .368 R), so that the estimate stays
    between the apparent and the no-information error. Raises `ValueError` where an error is
    not a finite number, or `estimate` is none of the four.
    """
    word(estimate, get_args(Estimator), "estimate")
    if not np.isfinite(numbers([resubstitution, oob, gamma], "errors")).all():
        raise ValueError("the apparent, out-of-bag and no-information errors are finite numbers")
    capped = min(oob, gamma)
    overfits = capped - resubstitution > NOISE and gamma - resubstitution > NOISE
    rate = (capped - resubstitution) / (gamma - resubstitution) if overfits else 0.0
    weight = SHARE / (1 - (1 - SHARE) * rate)
    values = {
        "resubstitution": resubstitution,
        "oob": oob,
        ".632": (1 - SHARE) * resubstitution + SHARE * oob,
        ".632+": (1 - weight) * resubstitution + weight * capped,
    }
    return BootstrapError(values[estimate], resubstitution, oob, gamma, rate, weight)


def leave_one_out_error(
    losses: ArrayLike, weights: ArrayLike | None = None
) -> tuple[float | None, int]:
    """Return Err(1): the mean over examples of the mean loss in the rounds that held them out.

    `losses` is (B, n), NaN where an example was drawn; `weights` (n,) weigh the mean over
    examples. The second value is the number of examples that no round held out, which are not
    in the mean; the error is None where those are all. One infinite loss makes it infinite.
    Raises `ValueError` where losses are not (B, n), or a weight is not finite.
    """
    per_example, never = _errors_per_example(_table(losses, "losses"))
    known = ~np.isnan(per_example)
    if weights is None:
        return (float(per_example[known].mean()) if known.any() else None), never
    given = numbers(weights, "weights")
    if given.shape != known.shape or not (np.isfinite(given) & (given >= 0)).all():
        raise ValueError("weights are finite numbers, zero or more, one for each example")
    share = given[known]
    if not share.any():
        return None, never
    return float(np.average(per_example[known], weights=share)), never


def standard_error(
    losses: ArrayLike,
    times: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> float | None:
    """Estimate the standard error of Err(1) by the delta method after the bootstrap.

    The root of the summed squares of `influences`. What is only the noise of finitely many
    rounds, by the jackknife over rounds, is taken off; with many more units than rounds
    nothing would be left, so the result is never below the standard error of the mean of
    the E_i (own rule). `losses` (B, n) has NaN where an example was drawn, `times` (B, n)
    says how often it was; `weights` and `groups` (n,) as in `influences`. None with fewer
    than three rounds or two units, or where an example was not held out twice. Raises
    `ValueError` where losses and times are not (B, n), or a loss is infinite.
    """
    table, drawn = _table(losses, "losses"), _table(times, "times")
    if table.shape != drawn.shape or np.isnan(drawn).any() or np.isinf(table).any():
        raise ValueError("every loss needs the number of times its example was drawn")
    rounds, out = len(table), ~np.isnan(table)
    codes, w = _units(table, weights, groups)
    number = int(codes.max(initial=-1)) + 1
    if rounds < 3 or number < 2 or out.sum(axis=0).min() < 2 or w.sum() <= 0:
        return None
    influence = influences(table, drawn, weights, groups)
    # The same without each round in turn, whose products are taken off the sums of all
    counts, known = out.sum(axis=0), np.where(out, table, 0.0)
    drawn, q = drawn[:, np.unique(codes, return_index=True)[1]], known @ w / w.sum()
    others = (drawn.sum(axis=0) - drawn) * ((q.sum() - q) / (rounds - 1))[:, None]
    covariances = (drawn.T @ q - drawn * q[:, None] - others) / (rounds - 2)
    without = (known.sum(axis=0) - known) / (counts - out)
    spread = _influence(without, covariances, codes, w)
    noise = float(np.sum((spread - spread.mean(axis=0)) ** 2)) * (rounds - 1) / rounds
    on_means = _on_means(known.sum(axis=0)[None] / counts, codes, w)
    least = float(np.sum(on_means**2)) * number / (number - 1)
    return float(np.sqrt(max(float(np.sum(influence**2)) - noise, least)))


def influences(
    losses: ArrayLike,
    times: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the influence of each unit on Err(1): an example, or a group of them (G,).

    Of n examples, Efron & Tibshirani 1997, section 5: (2 + 1/(n - 1)) (E_i - Err(1)) / n +
    (1 - 1/n)^-n cov(N_i, q), where N_i is how often a round drew i and q the mean over all n
    of its losses out of the bag. Where whole groups are drawn and examples have weights, the
    same derivative (own derivation) is (S_g - Err(1) W_g) / W + (G S_g / W - Err(1)) / (G - 1)
    + (1 - 1/G)^-G cov(N_g, q), with W_g the weight of the group, W that of all, S_g the
    weighted sum of its E_i and q the weighted mean.
    """
    table = np.asarray(losses, dtype=np.float64)
    codes, w = _units(table, weights, groups)
    drawn = np.asarray(times, dtype=np.float64)[:, np.unique(codes, return_index=True)[1]]
    q = np.where(np.isnan(table), 0.0, table) @ w / w.sum()
    covariance = (drawn - drawn.mean(axis=0)).T @ q / (len(table) - 1)
    per_example = _errors_per_example(table)[0]
    return np.asarray(_influence(per_example[None], covariance[None], codes, w)[0])


def _influence(
    errors: NDArray[np.float64],
    covariances: NDArray[np.float64],
    codes: NDArray[np.intp],
    w: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return influences (k, G) from errors of examples (k, n) and covariances (k, G)."""
    number, total = covariances.shape[1], w.sum()
    sums = (errors * w) @ summing(codes, number).T
    moved = (number * sums / total - (errors @ w / total)[:, None]) / (number - 1)
    growth = (1 - 1 / number) ** -number
    return np.asarray(_on_means(errors, codes, w) + moved + growth * covariances)


def _units(
    table: NDArray[np.float64], weights: ArrayLike | None, groups: ArrayLike | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the unit and the weight of each example (n,)."""
    n = table.shape[1]
    codes = np.arange(n) if groups is None else labels(groups, n, "group")
    return codes, np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)


def _on_means(
    errors: NDArray[np.float64], codes: NDArray[np.intp], w: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return each unit's influence on the mean of the errors (k, n), the models held fixed."""
    centred = w * (errors - (errors @ w / w.sum())[:, None])
    return np.asarray(centred @ summing(codes, int(codes.max()) + 1).T / w.sum())


def no_information_rate(
    truth: ArrayLike, predicted: ArrayLike, k: int, weights: ArrayLike | None = None
) -> float:
    """Return gamma for 0-1 loss: sum over classes of p (1 - q) (Raschka 2018, eq. 39).

    p is a class's share of the truth, q its share of the predictions of the model fitted
    on the full sample, by `weights` (n,) where examples have them; codes outside
    0 .. k - 1 are always wrong. Raises `ValueError` where truth and predictions are not codes
    of the same examples, at least one, or a weight is negative.
    """
    actual, codes = np.asarray(truth), np.asarray(predicted)
    if (
        not {actual.dtype.kind, codes.dtype.kind} <= set("iub")
        or actual.ndim != 1
        or actual.shape != codes.shape
        or not len(codes)
        or not isinstance(k, int | np.integer)
        or k < 1
        or actual.min() < 0
    ):
        raise ValueError("classes are given as whole numbers from 0, one truth and one prediction")
    weight = np.ones(len(codes)) if weights is None else numbers(weights, "weights")
    if weight.shape != codes.shape or not (weight >= 0).all() or not 0 < weight.sum() < np.inf:
        raise ValueError("weights are finite numbers, zero or more, one for each example")
    known = (codes >= 0) & (codes < k)
    shares = np.bincount(actual, weight, minlength=k)[:k] / weight.sum()
    given = np.bincount(codes[known], weight[known], minlength=k) / weight.sum()
    return float(np.sum(shares * (1 - given)))


def _table(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Read (B, n); what is infinite is not a negative number."""
    table = magnitudes(values, what)
    if table.ndim != 2 or (table == -np.inf).any():
        raise ValueError(f"{what} are given as one row of numbers for each round")
    return table


def _errors_per_example(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    left_out = ~np.isnan(table)
    counts = left_out.sum(axis=0)
    sums = np.where(left_out, table, 0.0).sum(axis=0)
    return ratio(sums, counts), int(np.sum(counts == 0))
