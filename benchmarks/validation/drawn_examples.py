"""Examples that several models of equal merit are tested on."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Table = tuple[tuple[int, int], tuple[int, int]]


def table(rng: np.random.Generator, n: int, both: float, first: float, second: float) -> Table:
    """Draw a 2 x 2 table from the chances of both right, only the first, only the second."""
    chances = (both, first, second, 1 - both - first - second)
    a, b, c, d = rng.multinomial(n, chances).tolist()
    return (a, b), (c, d)


def exchangeable_losses(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Draw squared errors of two models that share part of their error."""
    shared = rng.standard_normal(n)
    first, second = shared + rng.standard_normal(n), shared + rng.standard_normal(n)
    return first**2, second**2


def moving_losses(rng: np.random.Generator, n: int, order: int) -> tuple[Floats, Floats]:
    """Draw squared errors of two forecasts, dependent up to lag `order` - 1."""
    first, second = (
        np.convolve(rng.standard_normal(n + order - 1), np.ones(order), "valid") for _ in range(2)
    )
    return first**2, second**2


def autoregression(rng: np.random.Generator, n: int, r: float) -> Floats:
    """Draw standard normal values whose neighbours correlate by `r`, and others by its powers."""
    drawn = rng.standard_normal(n)
    for i in range(1, n):
        drawn[i] = r * drawn[i - 1] + sqrt(1 - r * r) * drawn[i]
    return drawn


def normal_scores(
    rng: np.random.Generator, n: int, models: int
) -> tuple[NDArray[np.bool_], Floats]:
    """Draw classes, half of each, and correlated scores with one area for every model."""
    truth = np.arange(n) < n // 2
    shared = rng.standard_normal((n, 1))
    return truth, truth[:, None] + 0.7 * shared + 0.7 * rng.standard_normal((n, models))


def joint_counts(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """Count truth by the labels of two models of equal merit, (2, 2, 2); 40 % are positive."""
    truth = rng.random(n) < 0.4
    difficulty = rng.normal(0.9, 1.0, n)
    first, second = (truth ^ (rng.standard_normal(n) > difficulty) for _ in range(2))
    joint = np.zeros((2, 2, 2), dtype=np.int64)
    np.add.at(joint, (truth.astype(int), first.astype(int), second.astype(int)), 1)
    return joint


def f1(matrix: Floats) -> Floats:
    """Give F1 of the second class of matrices (..., 2, 2)."""
    right = 2 * matrix[..., 1, 1]
    value: Floats = right / (right + matrix[..., 0, 1] + matrix[..., 1, 0])
    return value


SHARES = np.array([0.5, 0.3, 0.2])
"""Shares of three classes, whose scores for a class fall with the distance from it."""
FALL = 1.3


def three_classes(
    rng: np.random.Generator, n: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw the classes of n examples, two or more of each, and a score of each for each class."""
    codes = rng.choice(3, n, p=SHARES)
    codes[:6] = (0, 1, 2) * 2
    distance = np.abs(codes[:, None] - np.arange(3))
    return codes, rng.standard_normal((n, 3)) - FALL * distance
