"""Type I error of the tests on right and wrong, losses and scores of examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.drawn_examples import (
    autoregression,
    exchangeable_losses,
    moving_losses,
    normal_scores,
    table,
)
from benchmarks.validation.one_design import Draw, designs
from benchmarks.validation.simulation import GUARANTEED, NOMINAL, ROUGHLY, Section, below, inflated
from evallang.stats.hypothesis_tests.contingency import cochran, looney_f, mcnemar, proportions_z
from evallang.stats.hypothesis_tests.equivalence import (
    noninferiority,
    over_folds,
    paired_proportions,
    tost,
)
from evallang.stats.hypothesis_tests.losses import diebold_mariano, t, wilcoxon
from evallang.stats.hypothesis_tests.one_sample import binomial, single_t
from evallang.stats.hypothesis_tests.ranking_curves import delong

SECTION = Section(
    "examples",
    "Type I error: tests on one prediction per example",
    "The true accuracy, loss or area of the models is equal by construction; for `tost`, "
    "`noninferiority` and `binomial` it is on the boundary of the null hypothesis. "
    "`proportions_z` treats the accuracies as those of two test sets: it rejects too rarely if "
    "the models err on the same examples, and too often if they err on different ones.",
    ("test", "design"),
    ("at 5 %", "at 1 %"),
)
Rng = np.random.Generator
ALIKE = (0.7, 0.08, 0.08)  # both right, only the first, only the second
APART = (0.4, 0.3, 0.3)
ON_THE_MARGIN = (0.7, 0.08, 0.13)


def _mcnemar(rng: Rng) -> float | None:
    return mcnemar(table(rng, 200, *ALIKE)).p


def _proportions_z(cells: tuple[float, float, float]) -> Draw:
    return lambda rng: proportions_z(table(rng, 200, *cells)).p


def _correct(rng: Rng, n: int, models: int) -> NDArray[np.bool_]:
    """Draw right and wrong of exchangeable models, alike through the difficulty of examples."""
    difficulty = rng.normal(1.0, 1.0, (n, 1))
    return rng.standard_normal((n, models)) < difficulty


def _cochran(n: int, models: int) -> Draw:
    return lambda rng: cochran(_correct(rng, n, models)).p


def _looney(rng: Rng) -> float | None:
    return looney_f(_correct(rng, 200, 5)).p


def _binomial(rng: Rng) -> float | None:
    return binomial(rng.random((100, 1)) >= 0.2, threshold=0.2).p


def _t(rng: Rng) -> float | None:
    return t(*exchangeable_losses(rng, 100)).p


def _t_of_series(rng: Rng) -> float | None:
    return t(*moving_losses(rng, 100, 3)).p


def _wilcoxon(rng: Rng) -> float | None:
    return wilcoxon(*exchangeable_losses(rng, 100), better="lower").p


def _diebold_mariano(horizon: int) -> Draw:
    return lambda rng: diebold_mariano(*moving_losses(rng, 100, horizon), horizon=horizon).p


def _of_dependent_losses(n: int, r: float, **options: Any) -> Draw:
    def p(rng: Rng) -> float | None:
        return diebold_mariano(autoregression(rng, n, r), np.zeros(n), **options).p

    return p


def _delong(models: int, folds: int = 0) -> Draw:
    def p(rng: Rng) -> float | None:
        truth, scores = normal_scores(rng, 200, models)
        return delong(truth, scores, rng.permutation(200) % folds if folds else None).p

    return p


def _noninferiority(rng: Rng) -> float | None:
    return noninferiority(
        paired_proportions(table(rng, 300, *ON_THE_MARGIN)), margin=0.05, better="higher"
    ).p


def _tost(rng: Rng) -> float | None:
    return tost(paired_proportions(table(rng, 300, *ON_THE_MARGIN)), margin=0.05).p


def _tost_of_folds(rng: Rng) -> float | None:
    first, second = rng.normal(0.0, 0.03, 10), rng.normal(0.05, 0.03, 10)
    # Independent scores: with next to no test rows per training row the plain t is left
    return tost(over_folds(first, second, (10**9,) * 10, (1,) * 10), margin=0.05).p


def _single_t(rng: Rng) -> float | None:
    return single_t(rng.normal(0.8, 0.03, 10), threshold=0.8).p


SIMULATIONS = designs(
    SECTION.key,
    ("mcnemar", "n = 200, 16 % discordant", _mcnemar, 40_000, NOMINAL),
    ("proportions_z", "the same, 22 % errors alike", _proportions_z(ALIKE), 40_000, below(0.02)),
    ("proportions_z", "30 % errors, none alike", _proportions_z(APART), 40_000, inflated(0.08)),
    ("cochran", "n = 200, 5 models, chi2", _cochran(200, 5), 40_000, NOMINAL),
    ("cochran", "n = 7, 3 models, exact", _cochran(7, 3), 20_000, GUARANTEED),
    ("looney_f", "n = 200, 5 models", _looney, 40_000, NOMINAL),
    ("binomial", "n = 100, error 20 %, one-sided", _binomial, 40_000, GUARANTEED),
    ("t", "n = 100, squared errors", _t, 40_000, NOMINAL),
    ("t", "errors dependent to lag 2, which it ignores", _t_of_series, 40_000, inflated(0.08)),
    ("wilcoxon", "n = 100, squared errors", _wilcoxon, 20_000, NOMINAL),
    ("diebold_mariano", "n = 100, horizon 1", _diebold_mariano(1), 40_000, NOMINAL),
    (
        "diebold_mariano(horizon=3)",
        "n = 100, errors dependent to lag 2",
        _diebold_mariano(3),
        40_000,
        ROUGHLY,
    ),
    (
        "diebold_mariano",
        "n = 104, differences correlate by .77, which horizon 1 ignores",
        _of_dependent_losses(104, 0.77),
        10_000,
        inflated(0.4),
    ),
    *(
        (
            "diebold_mariano(newey_west)",
            f"n = {n}, differences correlate by {words}",
            _of_dependent_losses(n, r, variance="newey_west"),
            4_000,
            claim,
        )
        for n, r, words, claim in (
            (104, 0.0, "0", ROUGHLY),
            (104, 0.5, ".5", ROUGHLY),
            (104, 0.77, ".77", below(0.08)),
            (104, 0.9, ".9", below(0.12)),
            (300, 0.77, ".77", ROUGHLY),
        )
    ),
    ("delong", "n = 200, 2 models", _delong(2), 40_000, NOMINAL),
    ("delong", "n = 200, 4 models, chi2", _delong(4), 20_000, ROUGHLY),
    ("delong", "n = 200, 2 fixed models, in 5 folds", _delong(2, 5), 10_000, ROUGHLY),
    ("noninferiority", "n = 300, 5 points worse", _noninferiority, 10_000, NOMINAL),
    ("tost", "n = 300, 5 points apart", _tost, 10_000, ROUGHLY),
    ("tost", "ten independent fold scores", _tost_of_folds, 10_000, NOMINAL),
    ("single_t", "ten independent scores", _single_t, 40_000, NOMINAL),
)
