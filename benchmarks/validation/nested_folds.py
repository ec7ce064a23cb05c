"""The interval of nested cross-validation next to those of one cross-validation.

Two learners are linear in the target, so that all fits without a fold or a pair of folds follow
from one decomposition, and the error of a fit is known in closed form; the third is an unpruned
tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from benchmarks.validation.simulation import (
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    held,
    tally,
)
from benchmarks.validation.trees import tree_labels
from evallang.protocols.assigned import pairs_of
from evallang.stats.intervals.cross_validation import ALONE, HeldOutLosses, cv_clt, nested_cv

SECTION = Section(
    "nested_folds_coverage",
    "Coverage: nested cross-validation for the algorithm at n",
    "The interval `nested_cv` and the naive interval of one 10-fold cross-validation (`cv_clt`) on "
    "the same data. The truth is the expected error of the algorithm trained on all n rows, and "
    "next to it that of the one model fitted to all rows. Width is the mean width as a share of "
    "that of the naive interval. The first design follows Bates, Hastie and "
    "Tibshirani (2024): 90 rows, 1,000 features of which four count, and a linear classifier "
    "(here by ridge regression on ±1).",
    ("interval", "learner and metric"),
    ("coverage", "the fit to all rows", "width, % of naive"),
)
K = 10
TRAINED = 400  # training sets whose mean error is that of the algorithm
Rng = np.random.Generator
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Held = Callable[[Codes], Floats]
"""From rows that are omitted from training to the loss of each of them."""


@dataclass(frozen=True)
class Sample:
    """One drawn data set: the losses of omitted rows, and the error of the fit to all rows."""

    n: int
    held_out: Held
    fitted: float
    algorithm: float


def all_held_out(rng: Rng, sample: Sample, repeats: int) -> HeldOutLosses:
    """Compute the losses without each fold and without each pair of folds."""
    losses, places = [], []
    for repeat in range(repeats):
        fold = rng.permutation(np.arange(sample.n) % K)
        for one, other in [(k, ALONE) for k in range(K)] + list(pairs_of(K)):
            rows = np.flatnonzero((fold == one) | (fold == other))
            partner = np.full(len(rows), ALONE)
            if other != ALONE:
                partner = one + other - fold[rows]
            losses.append(sample.held_out(rows))
            places.append((np.full(len(rows), repeat), fold[rows], partner))
    found = [np.concatenate([place[i] for place in places]) for i in range(3)]
    return HeldOutLosses(np.concatenate(losses), *found)


# --- ridge classifier on more features than rows -------------------------------------------

FEATURES, SIGNALS, RIDGE = 1_000, 4, 100.0


def _error(cosine: Floats | float) -> Floats:
    """Return the error of a direction at an angle to the true one, by quadrature."""
    u, weights = np.polynomial.hermite_e.hermegauss(80)
    rho = np.clip(np.atleast_1d(cosine), -0.999_999, 0.999_999)[:, None]
    up = ndtr(rho * u / np.sqrt(1 - rho**2))
    chance = expit(np.sqrt(SIGNALS) * u)
    wrong = chance * (1 - up) + (1 - chance) * up
    found: Floats = wrong @ weights / weights.sum()
    return found


def _many_features(rng: Rng, n: int) -> tuple[Floats, Floats, float]:
    """Draw features and labels; gives the inverse of the regularized kernel, labels, error."""
    x = rng.standard_normal((n, FEATURES))
    y = np.where(rng.random(n) < expit(x[:, :SIGNALS].sum(axis=1)), 1.0, -1.0)
    inverse = np.linalg.inv(x @ x.T + RIDGE * np.eye(n))
    weights = x.T @ (inverse @ y)
    cosine = weights[:SIGNALS].sum() / np.sqrt(SIGNALS) / np.linalg.norm(weights)
    return inverse, y, float(_error(cosine)[0])


@cache
def _expected_of_ridge(n: int) -> float:
    """Mean error over `TRAINED` training sets."""
    rng = np.random.default_rng(n)
    return float(np.mean([_many_features(rng, n)[2] for _ in range(TRAINED)]))


def ridge(rng: Rng) -> Sample:
    """Draw 90 rows for a ridge classifier; its loss is the error."""
    n = 90
    inverse, y, fitted = _many_features(rng, n)
    solved = inverse @ y

    def held_out(rows: Codes) -> Floats:
        # the residual of omitted rows: (H_SS)^-1 (H y)_S with H the inverse
        residual = np.linalg.solve(inverse[np.ix_(rows, rows)], solved[rows])
        return np.asarray((y[rows] - residual) * y[rows] <= 0, dtype=np.float64)

    return Sample(n, held_out, fitted, _expected_of_ridge(n))


# --- least squares -------------------------------------------------------------------------

COLUMNS = 20


def least_squares(rng: Rng) -> Sample:
    """Draw 100 rows of 20 features and unit noise; the loss is the squared error."""
    n = 100
    x, y = rng.standard_normal((n, COLUMNS)), rng.standard_normal(n)
    solution = np.linalg.lstsq(x, y, rcond=None)[0]
    hat = x @ np.linalg.solve(x.T @ x, x.T)
    left = y - hat @ y

    def held_out(rows: Codes) -> Floats:
        block = np.eye(len(rows)) - hat[np.ix_(rows, rows)]
        return np.asarray(np.linalg.solve(block, left[rows]) ** 2)

    return Sample(n, held_out, 1 + float(solution @ solution), 1 + COLUMNS / (n - COLUMNS - 1))


# --- an unpruned tree ----------------------------------------------------------------------

TESTED = 4_000


def _two_classes(rng: Rng, n: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    truth = rng.permutation(n) < n // 2
    x = rng.standard_normal((n, 5)) + (truth - 0.5)[:, None] * 2 / np.sqrt(5)
    return x.astype(np.float32), truth


def _tree_error(rng: Rng, x: NDArray[np.float32], y: NDArray[np.bool_]) -> float:
    new, truth = _two_classes(rng, TESTED)
    return float((tree_labels(x, y, new) != truth).mean())


@cache
def _expected_of_tree(n: int) -> float:
    """Mean error over `TRAINED` training sets."""
    rng = np.random.default_rng(n)
    return float(np.mean([_tree_error(rng, *_two_classes(rng, n)) for _ in range(TRAINED)]))


def tree(rng: Rng) -> Sample:
    """Draw 100 rows for an unpruned tree; the loss is the error."""
    n = 100
    x, y = _two_classes(rng, n)

    def held_out(rows: Codes) -> Floats:
        kept = np.setdiff1d(np.arange(n), rows)
        return np.asarray(tree_labels(x[kept], y[kept], x[rows]) != y[rows], dtype=np.float64)

    return Sample(n, held_out, _tree_error(rng, x, y), _expected_of_tree(n))


# --- simulations ---------------------------------------------------------------------------


def _one(draw: Callable[[Rng], Sample], repeats: int, rng: Rng) -> dict[str, float]:
    sample = draw(rng)
    losses = all_held_out(rng, sample, repeats)
    x, repeat, fold, partner = (
        np.asarray(part) for part in (losses.losses, losses.repeats, losses.folds, losses.partner)
    )
    first = (repeat == 0) & (partner == ALONE)
    nested = nested_cv(losses, LEVEL, repeats=repeats)
    naive = cv_clt(x[first], fold[first], LEVEL)
    found: dict[str, float] = {}
    for name, one in (("nested", nested), ("naive", naive)):
        assert one.low is not None and one.high is not None, "losses are finite"
        found[f"{name} algorithm"] = held(one.low, one.high, sample.algorithm)
        found[f"{name} fitted"] = held(one.low, one.high, sample.fitted)
        found[f"{name} width"] = one.high - one.low
    naive_width = found.pop("naive width")
    found["nested width"] /= naive_width
    return found


def _simulation(
    words: str,
    draw: Callable[[Rng], Sample],
    repeats: int,
    replications: int,
    block: int,
    claim: Claim,
) -> Simulation:
    def drawn(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = [_one(draw, repeats, rng) for _ in range(count)]
        return {key: tally([one[key] for one in kept]) for key in kept[0]}

    lines = (
        Line(
            ("`nested_cv`", f"{words}, {repeats} repeats"),
            ("nested algorithm", "nested fitted", "nested width"),
            (claim,),
        ),
        Line(("`cv_clt`", words), ("naive algorithm", "naive fitted")),
    )
    name = f"{SECTION.key}: {words}"
    return Simulation(name, SECTION.key, replications, drawn, lines, block, 2)


RIDGE_WORDS = "ridge classifier, n = 90, p = 1,000, error rate"
SIMULATIONS = (
    _simulation(RIDGE_WORDS, ridge, 100, 1_000, 50, ROUGHLY_COVERS),
    _simulation(
        "least squares, n = 100, p = 20, mse", least_squares, 100, 1_000, 50, ROUGHLY_COVERS
    ),
    _simulation("unpruned tree, n = 100, p = 5, error rate", tree, 50, 100, 20, ROUGHLY_COVERS),
)
