"""Logistic regression of outcomes on the logits of their predicted probabilities (Cox 1958)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evallang.stats.weightings import in_batches

CLOSEST = 1e-6  # of a probability to 0 or 1, for its logit
STEPS = 100  # of Newton's method
DONE = 1e-10
LARGEST = 1e4  # of a coefficient; beyond, the classes are separated


def logits(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logits of probabilities, which are kept away from 0 and 1."""
    inside = np.clip(probability, CLOSEST, 1 - CLOSEST)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def logistic_fit(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    offset: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    """Fit a logistic regression of y (n,) on columns (n, p) by Newton's method.

    Returns coefficients and standard errors (p,), and None where the classes are separated or
    the fit does not converge.
    """
    beta, shift = np.zeros(x.shape[1]), np.zeros(len(y)) if offset is None else offset
    errors = np.full(x.shape[1], np.nan)
    for _ in range(STEPS):
        p = _probability(shift + (x * beta).sum(axis=1))
        gradient = (x * (w * (y - p))[:, None]).sum(axis=0)
        information = np.einsum("ni,n,nj->ij", x, w * p * (1 - p), x)
        try:
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return None, errors
        step = (inverse * gradient).sum(axis=1)
        beta = beta + step
        variances = np.diag(inverse)
        if not np.isfinite(beta).all() or np.abs(beta).max() > LARGEST or not (variances > 0).all():
            return None, errors
        if np.abs(step).max() < DONE * (1 + np.abs(beta).max()):
            return beta, np.sqrt(variances)
    return None, errors


def logistic_influences(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    beta: NDArray[np.float64],
    offset: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the derivatives of the coefficients by the weight of each example (n, p)."""
    shift = 0.0 if offset is None else offset
    p = _probability(shift + (x * beta).sum(axis=1))
    information = np.einsum("ni,n,nj->ij", x, p * (1 - p), x)
    scores = x * (y - p)[:, None]
    # einsum and not BLAS: the same bits for any number of threads
    return np.asarray(np.einsum("np,pq->nq", scores, np.linalg.inv(information)))


def weighted_slopes(
    logit: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit intercept and slope for each row of weights (B, n); return the slopes (B,).

    NaN where the classes are separated, or one of them is missing.
    """
    return _in_batches(_slopes, logit, y, weights)


def weighted_intercepts(
    logit: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit the intercept with the slope at 1 for each row of weights (B, n); return (B,).

    NaN where a class is missing.
    """
    return _in_batches(_intercepts, logit, y, weights)


def _in_batches(
    fit: object, logit: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    assert callable(fit), "one of the two below"
    each = in_batches(lambda some: fit(logit, y, some.astype(np.float64, copy=False)), len(y))
    return each(weights)


def _slopes(
    logit: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]
) -> NDArray[np.float64]:
    found = np.full(len(w), np.nan)
    left = np.flatnonzero(_both(y, w))
    a, b = np.zeros(len(w)), np.zeros(len(w))
    for _ in range(STEPS):
        if not len(left):
            break
        drawn = w[left]
        p = _probability(a[left, None] + b[left, None] * logit)
        residual, variance = drawn * (y - p), drawn * p * (1 - p)
        first, second = residual.sum(axis=1), (residual * logit).sum(axis=1)
        s0 = variance.sum(axis=1)
        s1, s2 = (variance * logit).sum(axis=1), (variance * logit**2).sum(axis=1)
        det = s0 * s2 - s1**2
        sound = det > 1e-12 * s0 * s2
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(sound, (s2 * first - s1 * second) / det, np.nan)
            down = np.where(sound, (s0 * second - s1 * first) / det, np.nan)
        a[left] += up
        b[left] += down
        size = np.maximum(np.abs(a[left]), np.abs(b[left]))
        done = np.maximum(np.abs(up), np.abs(down)) < DONE * (1 + size)
        found[left[done]] = b[left[done]]
        left = left[~done & (size <= LARGEST)]  # a comparison with NaN is false
    return found


def _intercepts(
    logit: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]
) -> NDArray[np.float64]:
    found = np.full(len(w), np.nan)
    left = np.flatnonzero(_both(y, w))
    a = np.zeros(len(w))
    for _ in range(STEPS):
        if not len(left):
            break
        drawn = w[left]
        p = _probability(a[left, None] + logit)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (drawn * (y - p)).sum(axis=1) / (drawn * p * (1 - p)).sum(axis=1)
        # The likelihood has one maximum; a step of at most 2 cannot jump over and away from it
        a[left] += np.clip(step, -2, 2)
        done = np.abs(step) < DONE * (1 + np.abs(a[left]))
        found[left[done]] = a[left[done]]
        left = left[~done & (np.abs(a[left]) <= LARGEST)]
    return found


def _both(y: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return where both classes have a weight (B,)."""
    return np.asarray(((w * y).sum(axis=1) > 0) & ((w * (1 - y)).sum(axis=1) > 0))


def _probability(logit: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logit)))
