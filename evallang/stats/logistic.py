"""Logistic regressions by Newton's method, for many rows of weights at once."""

import numpy as np
from numpy.typing import NDArray

CLOSEST = 1e-6  # of a probability to 0 or 1, for its logit
STEPS = 100  # of Newton's method
DONE = 1e-10
SINGULAR = 1e-12  # determinant of the information, scaled to a diagonal of 1
LARGEST = 1e4  # of a coefficient; beyond, the classes are separated


def logits(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logits of probabilities, which are kept away from 0 and 1."""
    inside = np.clip(probability, CLOSEST, 1 - CLOSEST)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def logistic_fits(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    offset: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Fit logistic regressions of y (n,) on columns (n, p) by Newton's method, for all weights.

    Returns the coefficients (B, p) of each row of weights (B, n): NaN where the classes are
    separated, one of them is missing, or the fit does not converge.
    """
    shift = np.zeros(len(y)) if offset is None else offset
    columns = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(y), columns**2)
    # With one column the likelihood has one maximum; such a step cannot jump over and away from it
    reach = 2.0 if columns == 1 else np.inf

    if not len(y):
        return np.full((len(weights), columns), np.nan)
    w = weights.astype(np.float64, copy=False)
    found, beta = (np.full((len(w), columns), value) for value in (np.nan, 0.0))
    left = np.flatnonzero(_both(y, w))
    for _ in range(STEPS):
        if not len(left):
            break
        p = _probability(np.einsum("bp,np->bn", beta[left], x) + shift)
        # einsum and not BLAS: the same bits for any number of threads
        gradient = np.einsum("bn,np->bp", w[left] * (y - p), x)
        information = np.einsum("bn,nq->bq", w[left] * p * (1 - p), products)
        information = information.reshape(-1, columns, columns)
        spread = np.sqrt(np.diagonal(information, axis1=1, axis2=2))
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = information / (spread[:, :, None] * spread[:, None, :])
            sound = np.linalg.det(scaled) > SINGULAR  # a comparison with NaN is false
        left = left[sound]
        step = np.linalg.solve(information[sound], gradient[sound][:, :, None])[:, :, 0]
        beta[left] += np.clip(step, -reach, reach)
        size = np.abs(beta[left]).max(axis=1, initial=0.0)
        done = np.abs(step).max(axis=1, initial=0.0) < DONE * (1 + size)
        found[left[done]] = beta[left[done]]
        left = left[~done & (size <= LARGEST)]
    return found


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
    """Fit intercept and slope for each row of weights (B, n); return the slopes (B,)."""
    return logistic_fits(np.column_stack([np.ones(len(y)), logit]), y, weights)[:, 1]


def weighted_intercepts(
    logit: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit the intercept with the slope at 1 for each row of weights (B, n); return (B,)."""
    return logistic_fits(np.ones((len(y), 1)), y, weights, logit)[:, 0]


def _both(y: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return where both classes have a weight (B,)."""
    return np.asarray(((w * y).sum(axis=1) > 0) & ((w * (1 - y)).sum(axis=1) > 0))


def _probability(logit: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logit)))
