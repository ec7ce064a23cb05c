"""Populations whose truth is known in closed form, and learners small enough to run often.

Two classes, each normal with unit variance about `±SHIFT/2` on every feature. The features
come as two halves that are exchangeable, so that one algorithm on either half is a pair of
algorithms with exactly the same expected error, which yet errs on different examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

FEATURES = 4  # of each half
SHIFT = 0.7  # between the classes, on each feature: the best error is 24 %
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def draw(rng: np.random.Generator, n: int, halves: int = 2) -> tuple[Bools, Floats]:
    """Draw n examples: their class (n,), and their features (halves, n, FEATURES)."""
    truth = rng.random(n) < 0.5
    features = rng.standard_normal((halves, n, FEATURES))
    features += (truth - 0.5)[:, None] * SHIFT
    return truth, features


def folds(rng: np.random.Generator, n: int, k: int) -> NDArray[np.intp]:
    """Divide n examples at random into k folds that differ by one at most."""
    return np.asarray(rng.permutation(n) % k)


def training(fold: NDArray[np.intp]) -> Bools:
    """Tell which examples train the model of each fold, (k, n)."""
    return np.asarray(fold != np.arange(fold.max() + 1)[:, None])


def area(truth: Bools, scores: Floats) -> float:
    """Return the area under the ROC curve by mid-ranks, NaN where a class is missing."""
    ups = int(truth.sum())
    if not 0 < ups < len(truth):
        return np.nan
    above = stats.rankdata(scores)[truth].sum() - ups * (ups + 1) / 2
    return float(above / (ups * (len(truth) - ups)))


@dataclass(frozen=True, eq=False)
class Centroids:
    """J classifiers by the nearer of two class means: score w x - c, positive for class 1.

    Attributes
    ----------
    weights : (J, FEATURES)
    cuts : (J,)
    """

    weights: Floats
    cuts: Floats

    def scores(self, features: Floats) -> Floats:
        """Score examples (n, FEATURES) by every classifier, (J, n)."""
        scores: Floats = self.weights @ features.T - self.cuts[:, None]
        return scores

    def errors(self) -> Floats:
        """Give the true error of each classifier, from the normal distribution."""
        length = np.sqrt((self.weights**2).sum(axis=1))
        reach = self.weights.sum(axis=1) * SHIFT / 2
        missed = special.ndtr((self.cuts - reach) / length)
        false = special.ndtr((-self.cuts - reach) / length)
        return np.asarray((missed + false) / 2)

    def areas(self) -> Floats:
        """Give the true area under the ROC curve of each classifier."""
        length = np.sqrt((self.weights**2).sum(axis=1))
        return np.asarray(special.ndtr(self.weights.sum(axis=1) * SHIFT / (length * np.sqrt(2))))


def centroids(truth: Bools, features: Floats, train: Bools | Floats) -> Centroids:
    """Fit on the examples that `train` (J, n) says, as often as it says."""
    times = train.astype(np.float64)
    ups = times * truth
    downs = times - ups
    high = ups @ features / np.maximum(ups.sum(axis=1), 1)[:, None]
    low = downs @ features / np.maximum(downs.sum(axis=1), 1)[:, None]
    weights = high - low
    return Centroids(weights, (weights * (high + low)).sum(axis=1) / 2)


def out_of_fold(models: Centroids, features: Floats, fold: NDArray[np.intp]) -> Floats:
    """Score each example by the classifier that did not see it, (n,)."""
    return (models.weights[fold] * features).sum(axis=1) - models.cuts[fold]


NEIGHBOURS = 5
LOOKED_AT = 80  # nearest examples among which training ones are looked for


def neighbour_order(features: Floats) -> NDArray[np.intp]:
    """Give for each example the others by distance, the nearest `LOOKED_AT` of them."""
    squares = (features**2).sum(axis=1)
    gaps = squares[:, None] + squares - 2 * features @ features.T
    np.fill_diagonal(gaps, np.inf)
    return np.argsort(gaps, axis=1)[:, :LOOKED_AT]


def nearest(truth: Bools, order: NDArray[np.intp], trains: Bools) -> Bools:
    """Predict by the five nearest training examples; `trains` (rows, LOOKED_AT) tells which."""
    chosen = trains & (np.cumsum(trains, axis=1, dtype=np.int16) <= NEIGHBOURS)
    return np.asarray(2 * (truth[order] & chosen).sum(axis=1) > NEIGHBOURS)


@cache
def expected_error(n_train: int) -> float:
    """Expected error of the nearest mean trained on n examples, over a million training sets."""
    return float(_many(n_train).errors().mean())


@cache
def expected_area(n_train: int) -> float:
    """Expected area under the ROC curve of the nearest mean trained on n examples."""
    return float(_many(n_train).areas().mean())


@cache
def _many(n_train: int) -> Centroids:
    """Draw class means and not examples: they are normal with variance one over their number."""
    rng = np.random.default_rng(n_train)
    rounds = 1_000_000
    ups = np.clip(rng.binomial(n_train, 0.5, rounds), 1, n_train - 1)
    high = SHIFT / 2 + rng.standard_normal((rounds, FEATURES)) / np.sqrt(ups)[:, None]
    low = -SHIFT / 2 + rng.standard_normal((rounds, FEATURES)) / np.sqrt(n_train - ups)[:, None]
    weights = high - low
    return Centroids(weights, (weights * (high + low)).sum(axis=1) / 2)
