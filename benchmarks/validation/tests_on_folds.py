"""Two algorithms of equal merit on real splits: tests on fold scores, and on predictions.

The null of the tests on fold scores is about algorithms: the same expected error over
training sets. The features come as two exchangeable halves (`populations`), and each of
the two algorithms sees one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation import populations
from benchmarks.validation.populations import Bools, Floats
from benchmarks.validation.simulation import (
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    both_levels,
    inflated,
    rejections,
    under,
)
from evallang.stats.hypothesis_tests.folds import (
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    kfold_t,
    resampled_t,
)
from evallang.stats.hypothesis_tests.one_sample import single_t

SECTION = Section(
    "folds",
    "Type I error: tests on scores of folds",
    "Two algorithms have the same expected error, each on its own exchangeable half of the "
    "features, with n = 200 and accuracy as metric. `resampled_t` and `kfold_t` treat "
    "overlapping training sets as independent (Dietterich 1998). `corrected_t` accounts for the "
    "overlap (Nadeau & Bengio 2003), which is enough for the stable nearest mean, but not quite "
    "for five neighbours over many splits. The 5x2cv tests, which train on half of the "
    "examples, are liberal there too. `single_t` compares one algorithm with its true expected "
    "accuracy.",
    ("test", "protocol", "learner"),
    ("at 5 %", "at 1 %"),
)
N = 200
TIMES = 30
LEARNERS = ("nearest mean", "5 nearest neighbours")


Draw = Callable[[np.random.Generator, int], Mapping[str, Tally]]


class _Learner:
    """Whether the predictions of one algorithm on one sample are right, by any splits."""

    def __init__(self, name: str, truth: Bools, features: Floats) -> None:
        self._truth, self._features, self._name = truth, features, name
        if name != "nearest mean":
            self._order = populations.neighbour_order(features)

    def folds(self, fold: NDArray[np.intp]) -> Bools:
        """Judge each example by the model that did not see it, (n,)."""
        if self._name == "nearest mean":
            models = populations.centroids(self._truth, self._features, populations.training(fold))
            predicted = populations.out_of_fold(models, self._features, fold) > 0
        else:
            trains = fold[self._order] != fold[:, None]
            predicted = populations.nearest(self._truth, self._order, trains)
        right: Bools = predicted == self._truth
        return right

    def split(self, train: Bools) -> Bools:
        """Judge the examples that `train` (n,) leaves out."""
        out = ~train
        if self._name == "nearest mean":
            models = populations.centroids(self._truth, self._features, train[None])
            predicted = models.scores(self._features[out])[0] > 0
        else:
            order = self._order[out]
            predicted = populations.nearest(self._truth, order, train[order])
        right: Bools = predicted == self._truth[out]
        return right


def _fold_means(right: Bools, fold: NDArray[np.intp]) -> Floats:
    sums: Floats = np.bincount(fold, weights=right) / np.bincount(fold)
    return sums


def _scores(rng: np.random.Generator, learner: str) -> dict[str, tuple[Floats, Floats]]:
    """Draw one sample and score both algorithms under every protocol."""
    truth, features = populations.draw(rng, N)
    pair = [_Learner(learner, truth, half) for half in features]

    def cv(k: int) -> list[Floats]:
        fold = populations.folds(rng, N, k)
        return [_fold_means(one.folds(fold), fold) for one in pair]

    tens, twos = [cv(10) for _ in range(10)], [cv(2) for _ in range(5)]
    rounds = []
    for _ in range(TIMES):
        train = rng.permutation(N) >= N // 3
        rounds.append([one.split(train).mean() for one in pair])
    first, second = np.array(rounds).T
    return {
        "cv": (tens[0][0], tens[0][1]),
        "repeated": (np.concatenate([a for a, _ in tens]), np.concatenate([b for _, b in tens])),
        "resampled": (first, second),
        "5x2": (np.array([a for a, _ in twos]), np.array([b for _, b in twos])),
    }


def _draw(learner: str) -> Draw:
    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        p: dict[str, list[float | None]] = {key: [] for key, *_ in ROWS}
        expected = 1 - populations.expected_error(N * 9 // 10)
        for _ in range(count):
            scores = _scores(rng, learner)
            p["kfold"].append(kfold_t(*scores["cv"]).p)
            p["resampled"].append(resampled_t(*scores["resampled"]).p)
            p["t cv"].append(corrected_t(*scores["cv"], (180,) * 10, (20,) * 10).p)
            p["t repeated"].append(corrected_t(*scores["repeated"], (180,) * 100, (20,) * 100).p)
            sizes = (N - N // 3,) * TIMES, (N // 3,) * TIMES
            p["t resampled"].append(corrected_t(*scores["resampled"], *sizes).p)
            p["5x2 t"].append(five_by_two_t(*scores["5x2"]).p)
            p["5x2 mean"].append(five_by_two_t(*scores["5x2"], numerator="mean").p)
            p["5x2 f"].append(five_by_two_f(*scores["5x2"]).p)
            if learner == "nearest mean":
                p["single"].append(single_t(scores["cv"][0], threshold=expected).p)
        found: dict[str, Tally] = {}
        for key, values in p.items():
            if values:
                found.update(under(key, rejections(values)))
        return found

    return draw


STABLE = {"corrected_t": (Claim("at most 6 %", 0.0, 0.06),)}
UNSTABLE = {"kfold_t": (inflated(0.06),)}
ROWS: tuple[tuple[str, str, str], ...] = (
    ("resampled", "resampled_t", "30 holdouts of a third"),
    ("kfold", "kfold_t", "10-fold cv"),
    ("t cv", "corrected_t", "10-fold cv"),
    ("t repeated", "corrected_t", "10-fold cv, 10 times"),
    ("t resampled", "corrected_t", "30 holdouts of a third"),
    ("5x2 t", "5x2cv_t", "5x2cv"),
    ("5x2 mean", "5x2cv_t(numerator=mean)", "5x2cv"),
    ("5x2 f", "5x2cv_f", "5x2cv"),
    ("single", "single_t", "10-fold cv"),
)


def _lines(learner: str) -> tuple[Line, ...]:
    claims = STABLE if learner == "nearest mean" else UNSTABLE
    claims = {"resampled_t": (inflated(0.25),), **claims}
    return tuple(
        Line((f"`{test}`", protocol, learner), both_levels(key), claims.get(test, ()))
        for key, test, protocol in ROWS
        if key != "single" or learner == "nearest mean"
    )


SIMULATIONS = tuple(
    Simulation(
        f"{SECTION.key}: {learner}", SECTION.key, 10_000, _draw(learner), _lines(learner), 250
    )
    for learner in LEARNERS
)
