"""The bootstrap of a learning algorithm: out-of-bag, .632 and .632+ estimates of its error.

Every function works on errors: lower is better, 0 is perfect. A model fitted on the full
sample gives the apparent error, models fitted on resamples the errors of the rows that
they left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from evallang.frozen import frozen
from evallang.registry import lazy
from evallang.stats.reading import magnitudes, numbers, word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

SHARE = 0.632  # of the sample that a resample holds on average: 1 - 1/e, as printed
NOISE = 1e-12  # differences of errors below this are rounding, not overfitting

Estimator = Literal["oob", ".632", ".632+", "resubstitution"]


@frozen
class BootstrapError:
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
    """Give Err(1): the mean over examples of the mean loss in the rounds that left them out.

    `losses` is (B, n), NaN where an example was drawn; `weights` (n,) weigh the mean over
    examples. Also gives the number of examples that no round left out and that have no
    part in the mean; None for the error where that is all. One infinite loss makes it
    infinite. Raises `ValueError` where losses are no (B, n), or a weight is not finite.
    """
    per_example, never = _per_example(_table(losses, "losses"))
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


def standard_error(losses: ArrayLike, times: ArrayLike) -> float | None:
    """Estimate the standard error of Err(1) by the delta method after the bootstrap.

    Efron & Tibshirani 1997, section 5: the influence of example i is
    (2 + 1/(n - 1)) (E_i - Err(1)) / n + (1 - 1/n)^-n cov(N_i, q), where N_i is how often
    round b drew i and q the mean over all n of its losses out of the bag. What is only the
    noise of finitely many rounds, by the jackknife over rounds, is taken off; with many
    more examples than rounds nothing would be left, so the result is never below the
    standard error of the mean of the E_i (own rule). `losses`
    (B, n) has NaN where an example was drawn, `times` (B, n) says how often it was. None
    with fewer than three rounds or two examples, or where an example was not left out
    twice. Raises `ValueError` where the two are no (B, n), or a loss is infinite.
    """
    table, drawn = _table(losses, "losses"), _table(times, "times")
    if table.shape != drawn.shape or np.isnan(drawn).any() or np.isinf(table).any():
        raise ValueError("every loss needs the number of times its example was drawn")
    rounds, n = table.shape
    out = ~np.isnan(table)
    counts = out.sum(axis=0)
    if rounds < 3 or n < 2 or counts.min() < 2:
        return None
    known = np.where(out, table, 0.0)
    sums, q = known.sum(axis=0), known.sum(axis=1) / n
    scale, growth = (2 + 1 / (n - 1)) / n, (1 - 1 / n) ** -n
    per_example = sums / counts
    products, totals = drawn.T @ q, drawn.sum(axis=0)
    covariance = (products - totals * q.sum() / rounds) / (rounds - 1)
    influence = scale * (per_example - per_example.mean()) + growth * covariance
    without = (sums - known) / (counts - out)
    covariances = (products - drawn * q[:, None]) - (totals - drawn) * (
        (q.sum() - q) / (rounds - 1)
    )[:, None]
    influences = scale * (without - without.mean(axis=1, keepdims=True))
    influences = influences + growth * covariances / (rounds - 2)
    spread = influences - influences.mean(axis=0)
    noise = float(np.sum(spread**2)) * (rounds - 1) / rounds
    least = float(np.var(per_example, ddof=1)) / n
    return float(np.sqrt(max(float(np.sum(influence**2)) - noise, least)))


def no_information_rate(
    truth: ArrayLike, predicted: ArrayLike, k: int, weights: ArrayLike | None = None
) -> float:
    """Give gamma for 0-1 loss: sum over classes of p (1 - q) (Raschka 2018, eq. 39).

    p is a class's share of the truth, q its share of the predictions of the model fitted
    on the full sample, by `weights` (n,) where examples have them; codes outside
    0 .. k - 1 are always wrong. Raises `ValueError` where truth and predictions are no codes
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
    """Read (B, n); what is infinite is no negative number."""
    table = magnitudes(values, what)
    if table.ndim != 2 or (table == -np.inf).any():
        raise ValueError(f"{what} are given as one row of numbers for each round")
    return table


def _per_example(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    left_out = ~np.isnan(table)
    counts = left_out.sum(axis=0)
    sums = np.where(left_out, table, 0.0).sum(axis=0)
    means = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return means, int(np.sum(counts == 0))
