"""Family-wise error and false discovery rate of every correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    ALPHA,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    inflated,
    new_seed,
    tally,
)
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.contingency import mcnemar

SECTION = Section(
    "corrections",
    "Family-wise error of the corrections",
    "The table gives the probability of at least one false rejection at 5 %; for `fdr_bh` and "
    "`fdr_by` it gives the mean share of false rejections among all rejections. The designs are "
    "ten independent p-values of which all or five are null, all pairs of five equal models by "
    "z tests that share the scores of the models, and the same pairs with one model much worse, "
    "so that six of ten hypotheses are true. A claim is made if the correction promises it for "
    "this dependence. `finner` keeps the level if all hypotheses are true, but not if some are "
    "false: after five rejections the next p-value is compared with 1 - .95^.6 = 3 %.",
    ("correction",),
    ("independent, 10 null", "independent, 5 null", "pairs, all null", "pairs, 6 null"),
)
MCNEMAR = Section(
    "mcnemar_families",
    "Family-wise error: McNemar tests of all pairs of models",
    "Five models are right or wrong on 100 examples, and p-values are exact. All models are "
    "equal, or one is much worse. The last column gives how often the worse model is found to "
    "differ from all four others.",
    ("correction",),
    ("all null", "6 null", "finds all 4"),
)
Rng = np.random.Generator
PAIRS = tuple(combinations(range(5), 2))
TRUE_PAIRS = np.array([4 not in pair for pair in PAIRS])
KEPT = Claim("at most 5.3 %", 0.0, 0.053)  # for claims by limit theorems and Monte Carlo p


def _p(z: NDArray[np.float64]) -> list[float]:
    """Give two-sided p-values of standard normal statistics."""
    p: list[float] = (2 * special.ndtr(-np.abs(z))).tolist()
    return p


def _independent(rng: Rng, false: int) -> tuple[list[float], NDArray[np.bool_]]:
    true = np.arange(10) >= false
    return _p(rng.standard_normal(10) + 3.0 * ~true), true


def _pairs(rng: Rng, worse: float) -> tuple[list[float], NDArray[np.bool_]]:
    scores = rng.standard_normal(5)
    scores[4] -= worse
    first, second = np.array(PAIRS).T
    true = np.ones(10, dtype=bool) if worse == 0 else TRUE_PAIRS
    return _p((scores[first] - scores[second]) / np.sqrt(2)), true


DESIGNS: Mapping[str, Callable[[Rng], tuple[list[float], NDArray[np.bool_]]]] = {
    "independent": lambda rng: _independent(rng, 0),
    "half": lambda rng: _independent(rng, 5),
    "pairs": lambda rng: _pairs(rng, 0.0),
    "worse": lambda rng: _pairs(rng, 5.0),
}


def _error(adjusted: Sequence[float | None], true: NDArray[np.bool_], controls: str) -> float:
    """Tell whether a true hypothesis is rejected, or give the share of such rejections."""
    rejected = np.array([p is not None and p <= ALPHA for p in adjusted])
    false = int((rejected & true).sum())
    return false / max(int(rejected.sum()), 1) if controls == "fdr" else float(false > 0)


def _adjust(name: str, p: list[float], design: str) -> Sequence[float | None]:
    function = CORRECTIONS[name].function
    if name in ("shaffer", "bergmann_hommel") and design in ("independent", "half"):
        # Pairs that share no model: any number of them can be true
        return function(p, tuple((2 * i, 2 * i + 1) for i in range(10)))  # type: ignore[no-any-return]  # adjusted p
    return function(p)  # type: ignore[no-any-return]  # adjusted p


def _simulation(name: str) -> Simulation:
    declared = CORRECTIONS[name].declaration

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        found: dict[str, Tally] = {}
        for design, drawn in DESIGNS.items():
            errors = []
            for _ in range(count):
                p, true = drawn(rng)
                errors.append(_error(_adjust(name, p, design), true, declared.controls or ""))
            found[design] = tally(errors)
        return found

    claims: tuple[Claim, ...] = (inflated(0.3), inflated(0.15), inflated(0.2), inflated(0.1))
    if declared.controls is not None:
        claims = (KEPT,) * (4 if declared.assumes == "any" else 2)
    if name == "finner":
        claims = (KEPT,)
    if name == "finner":
        claims = (KEPT,)
    line = Line((f"`{name}`",), tuple(DESIGNS), claims)
    replications = 10_000 if name == "bergmann_hommel" else 20_000
    return Simulation(f"{SECTION.key}: {name}", SECTION.key, replications, draw, (line,), 2_000)


IN_MCNEMAR = (
    "westfall",
    "westfall(bootstrap)",
    "holm",
    "shaffer",
    "bergmann_hommel",
    "hochberg",
    "hommel",
    "uncorrected",
)


def _families(rng: Rng, worse: float) -> Mapping[str, Sequence[float | None]]:
    difficulty = rng.normal(1.2, 1.0, (100, 1))
    right = rng.standard_normal((100, 5)) < difficulty - worse * (np.arange(5) == 4)
    counts = count_correct(right)
    p = [mcnemar(counts.pair(i, j), method="exact").p for i, j in PAIRS]
    found: dict[str, Sequence[float | None]] = {}
    for name in IN_MCNEMAR:
        function = CORRECTIONS[name.partition("(")[0]].function
        if name == "westfall":
            found[name] = function(p, counts, PAIRS)
        elif name == "westfall(bootstrap)":
            found[name] = function(p, right, PAIRS, new_seed(rng), method="bootstrap", rounds=1999)
        else:
            found[name] = function(p)
    return found


def _draw_mcnemar(rng: Rng, count: int) -> Mapping[str, Tally]:
    counts: dict[str, list[float]] = {}
    for _ in range(count):
        for name, adjusted in _families(rng, 0.0).items():
            counts.setdefault(f"{name} null", []).append(
                _error(adjusted, np.ones(10, dtype=bool), "fwer")
            )
        for name, adjusted in _families(rng, 0.9).items():
            counts.setdefault(f"{name} worse", []).append(_error(adjusted, TRUE_PAIRS, "fwer"))
            found = [p is not None and p <= ALPHA for p in adjusted]
            counts.setdefault(f"{name} power", []).append(
                float(np.all(np.array(found)[~TRUE_PAIRS]))
            )
    return {key: tally(values) for key, values in counts.items()}


def _claims(name: str) -> tuple[Claim, ...]:
    if name == "uncorrected":
        return (inflated(0.1),)
    declared = CORRECTIONS[name.partition("(")[0]].declaration
    return (KEPT, KEPT) if declared.assumes == "any" else ()


SIMULATIONS = (
    *(_simulation(entry.name) for entry in CORRECTIONS if set(entry.inputs) <= {"p", "pairs"}),
    Simulation(
        MCNEMAR.key,
        MCNEMAR.key,
        5_000,
        _draw_mcnemar,
        tuple(
            Line((f"`{name}`",), (f"{name} null", f"{name} worse", f"{name} power"), _claims(name))
            for name in IN_MCNEMAR
        ),
        250,
    ),
)
