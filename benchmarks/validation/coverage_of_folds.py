"""Coverage of the default intervals under cross-validation, repeats and the bootstrap.

The truth comes from the population in closed form: of the k models that were fitted, or
of the algorithm, whose expected value is taken over a million training sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation import populations
from benchmarks.validation.populations import Bools, Floats, area, centroids, out_of_fold, training
from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    below,
    held,
    tally,
)
from evallang.results.statistics import Interval
from evallang.stats.basics import normal_quantile
from evallang.stats.intervals.cross_validation import corrected_t, cv_clt, t
from evallang.stats.intervals.proportions import wilson
from evallang.stats.intervals.ranking import cv_auc
from evallang.stats.learning_bootstrap import (
    bootstrap_error,
    leave_one_out_error,
    no_information_rate,
    standard_error,
)

SECTION = Section(
    "folds_coverage",
    "Coverage: cross-validation",
    "The learner is the nearest mean of classes on n = 200, and least squares for the mean "
    "squared error. Coverage depends on the quantity that an interval is about: Wilson's "
    "interval on the pooled predictions of one cross-validation is about the k fitted models. "
    "On repeated cross-validation it would count each example ten times, and `corrected_t` is "
    "the default.",
    ("interval", "metric and protocol", "truth"),
    ("coverage",),
)
EFRON = Section(
    "bootstrap_coverage",
    "Coverage: the bootstrap of the algorithm",
    "The interval is the value ± 1.96 standard errors of Efron and Tibshirani (1997, section 5) "
    "with 200 rounds, for the nearest mean of classes. The standard error is that of Err(1); "
    "scaled to the other estimates it is approximate, and labelled as such.",
    ("estimate", "n"),
    ("the algorithm, n examples", "the model fitted"),
)
N, K, TIMES = 200, 10, 10
HOLDOUTS = 30
FITTED, ALGORITHM = "the k models", "the algorithm"
FEATURES = 5  # of the regression
Rng = np.random.Generator


def _by_fold(right: Bools, fold: NDArray[np.intp]) -> Floats:
    means: Floats = np.bincount(fold, weights=right) / np.bincount(fold)
    return means


def _areas(truth: Bools, scores: Floats, fold: NDArray[np.intp]) -> list[float]:
    return [area(truth[fold == f], scores[fold == f]) for f in range(K)]


def _classified(rng: Rng) -> dict[str, tuple[Interval, float]]:
    """Draw one sample, cross-validate it ten times, and make every interval."""
    truth, halves = populations.draw(rng, N, 1)
    features = halves[0]
    accuracies: list[Floats] = []
    areas: list[list[float]] = []
    successes = 0
    found: dict[str, tuple[Interval, float]] = {}
    expected = 1 - populations.expected_error(N - N // K)
    area = populations.expected_area(N - N // K)
    for repeat in range(TIMES):
        fold = populations.folds(rng, N, K)
        models = centroids(truth, features, training(fold))
        scores = out_of_fold(models, features, fold)
        right = (scores > 0) == truth
        successes += int(right.sum())
        accuracies.append(_by_fold(right, fold))
        areas.append(_areas(truth, scores, fold))
        if repeat == 0:
            one = wilson(successes, N, LEVEL)
            found["wilson fitted"] = one, 1 - float(models.errors().mean())
            found["wilson algorithm"] = one, expected
            mean = cv_auc(truth, scores, fold, LEVEL)
            found["cv_auc fitted"] = mean, float(models.areas().mean())
            found["cv_auc algorithm"] = mean, area
            sizes = (N - N // K,) * K, (N // K,) * K
            found["corrected_t cv"] = corrected_t(accuracies[0], *sizes, LEVEL), expected
            found["t cv"] = t(accuracies[0], LEVEL), expected
    sizes = (N - N // K,) * K * TIMES, (N // K,) * K * TIMES
    values = np.concatenate(accuracies)
    found["wilson repeated"] = wilson(successes, N * TIMES, LEVEL), expected
    found["t repeated"] = t(values, LEVEL), expected
    found["corrected_t repeated"] = corrected_t(values, *sizes, LEVEL), expected
    found["corrected_t auc"] = corrected_t(np.concatenate(areas), *sizes, LEVEL), area
    return found


def _held_out(rng: Rng) -> dict[str, tuple[Interval, float]]:
    """Draw one sample and hold out a quarter of it, thirty times."""
    truth, halves = populations.draw(rng, N, 1)
    out = N // 4
    train = np.array([rng.permutation(N) >= out for _ in range(HOLDOUTS)])
    scores = centroids(truth, halves[0], train).scores(halves[0])
    right = ((scores > 0) == truth) & ~train
    values = right.sum(axis=1) / out
    sizes = (N - out,) * HOLDOUTS, (out,) * HOLDOUTS
    expected = 1 - populations.expected_error(N - out)
    return {
        "corrected_t": (corrected_t(values, *sizes, LEVEL), expected),
        "t": (t(values, LEVEL), expected),
    }


def _regressed(rng: Rng) -> dict[str, tuple[Interval, float]]:
    """Least squares on normal features: the true error of each fit is 1 + its squared distance."""
    weights = np.ones(FEATURES)
    features = rng.standard_normal((N, FEATURES))
    target = features @ weights + rng.standard_normal(N)
    losses, fitted, means = np.empty(N), [], []
    kept: tuple[Floats, NDArray[np.intp], float] | None = None
    for _ in range(TIMES):
        fold = populations.folds(rng, N, K)
        for f in range(K):
            out = fold == f
            found = np.linalg.lstsq(features[~out], target[~out], rcond=None)[0]
            losses[out] = (target[out] - features[out] @ found) ** 2
            means.append(losses[out].mean())
            fitted.append(1 + float(((found - weights) ** 2).sum()))
        if kept is None:
            kept = losses.copy(), fold, float(np.mean(fitted))
    assert kept is not None, "there is a first repeat"
    n_train = N - N // K
    expected = 1 + FEATURES / (n_train - FEATURES - 1)  # mean of an inverse Wishart matrix
    sizes = (n_train,) * K * TIMES, (N // K,) * K * TIMES
    return {
        "cv_clt": (cv_clt(kept[0], kept[1], LEVEL), kept[2]),
        "cv_clt within": (cv_clt(kept[0], kept[1], LEVEL, variance="within_fold"), kept[2]),
        "corrected_t": (corrected_t(means, *sizes, LEVEL), expected),
    }


def _resampled(n: int) -> Callable[[Rng], dict[str, tuple[Interval, float]]]:
    def found(rng: Rng) -> dict[str, tuple[Interval, float]]:
        truth, halves = populations.draw(rng, n, 1)
        features, rounds = halves[0], 200
        drawn = np.array(
            [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(rounds)], np.float64
        )
        wrong = (centroids(truth, features, drawn).scores(features) > 0) != truth
        losses = np.where(drawn == 0, wrong, np.nan)
        full = centroids(truth, features, np.ones((1, n)))
        predicted = full.scores(features)[0] > 0
        oob, _ = leave_one_out_error(losses)
        error = standard_error(losses, drawn)
        assert error is not None, "two hundred rounds leave every example out"
        gamma = no_information_rate(truth.astype(int), predicted.astype(int), 2)
        made: dict[str, tuple[Interval, float]] = {}
        for kind in ("oob", ".632", ".632+"):
            value = bootstrap_error(float((predicted != truth).mean()), oob, gamma, kind).value
            reach = normal_quantile(LEVEL) * error * (value / oob if oob else 0.0)
            interval = Interval("bootstrap_se", LEVEL, value - reach, value + reach)
            made[f"{kind} algorithm"] = interval, populations.expected_error(n)
            made[f"{kind} fitted"] = interval, float(full.errors()[0])
        return made

    return found


def _simulation(
    name: str,
    section: Section,
    intervals: Callable[[Rng], dict[str, tuple[Interval, float]]],
    replications: int,
    *lines: Line,
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        counts: dict[str, list[bool]] = {}
        for _ in range(count):
            for key, (found, truth) in intervals(rng).items():
                counts.setdefault(key, []).append(held(found.low, found.high, truth))
        return {key: tally(values) for key, values in counts.items()}

    return Simulation(
        f"{section.key}: {name}", section.key, replications, draw, lines, replications // 20
    )


def _line(key: str, design: str, truth: str, *claims: Claim) -> Line:
    return Line((f"`{key.split()[0]}`", design, truth), (key,), claims)


def _estimates(n: int) -> tuple[Line, ...]:
    return tuple(
        Line((f"`{kind}`", str(n)), (f"{kind} algorithm", f"{kind} fitted"), claims)
        for kind, claims in (
            ("oob", (ROUGHLY_COVERS,)),
            (".632", (ROUGHLY_COVERS,)),
            (".632+", (ROUGHLY_COVERS,)),
        )
    )


CV, REPEATED = "10-fold cv", "10-fold cv, 10 times"
SIMULATIONS = (
    _simulation(
        "classified",
        SECTION,
        _classified,
        10_000,
        _line("wilson fitted", f"accuracy, {CV}", FITTED, COVERS),
        _line("wilson algorithm", f"accuracy, {CV}", ALGORITHM),
        _line("wilson repeated", f"accuracy, {REPEATED}", ALGORITHM, below(0.6)),
        _line("t repeated", f"accuracy, {REPEATED}", ALGORITHM, below(0.6)),
        _line("corrected_t repeated", f"accuracy, {REPEATED}", ALGORITHM, ROUGHLY_COVERS),
        _line("corrected_t cv", f"accuracy, {CV}", ALGORITHM),
        _line("t cv", f"accuracy, {CV}", ALGORITHM),
        _line("cv_auc fitted", f"AUC, {CV}", FITTED, ROUGHLY_COVERS),
        _line("cv_auc algorithm", f"AUC, {CV}", ALGORITHM),
        _line("corrected_t auc", f"AUC, {REPEATED}", ALGORITHM, ROUGHLY_COVERS),
    ),
    _simulation(
        "held out",
        SECTION,
        _held_out,
        20_000,
        _line("corrected_t", "accuracy, 30 holdouts of a quarter", ALGORITHM, ROUGHLY_COVERS),
        _line("t", "accuracy, 30 holdouts of a quarter", ALGORITHM, below(0.7)),
    ),
    _simulation(
        "regressed",
        SECTION,
        _regressed,
        4_000,
        _line("cv_clt", f"mean squared error, {CV}", FITTED, COVERS),
        _line("cv_clt within", f"the same, variance within folds, {CV}", FITTED, COVERS),
        _line("corrected_t", f"mean squared error, {REPEATED}", ALGORITHM, ROUGHLY_COVERS),
    ),
    _simulation("n = 50", EFRON, _resampled(50), 4_000, *_estimates(50)),
    _simulation("n = 200", EFRON, _resampled(200), 4_000, *_estimates(200)),
)
