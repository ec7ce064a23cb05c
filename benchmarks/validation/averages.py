"""Intervals and tests of metrics that are averaged over fixed data sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy

from benchmarks.validation.simulation import (
    ALPHA,
    COVERS,
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    tally,
)
from evallang.engine.metric_samples import of_cells
from evallang.metrics.metric import METRICS
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.intervals.resampling import ScoreSample, table_sample
from evallang.stats.intervals.stratified import stratified_t
from evallang.stats.strata import Strata

SECTION = Section(
    "averages",
    "Coverage: averages over data sets",
    "Accuracies are averaged over data sets of these sizes, each with the same weight. Those of "
    "single data sets are spread evenly from .06 below to .06 above the stated mean. The interval "
    "is symmetric, and too narrow where few examples are wrong, most of all where a small data set "
    "among large ones has few. A note states that the smallest has fewer than 20 examples.",
    ("interval", "sizes", "accuracy"),
    ("coverage",),
    of_errors=True,
)
Rng = np.random.Generator


def _simulation(sizes: tuple[int, ...], accuracy: float, claim: Claim) -> Simulation:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    strata = Strata(codes, np.full(len(sizes), 1 / len(sizes)))
    rates = accuracy + np.linspace(-0.06, 0.06, len(sizes))

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        covered = []
        for _ in range(count):
            right = (rng.random(len(codes)) < rates[codes]).astype(np.float64)
            found = stratified_t(right, None, strata, LEVEL)
            assert found.low is not None and found.high is not None, "two examples or more"
            covered.append(found.low <= accuracy <= found.high)
        return {"covered": tally(covered)}

    words = ", ".join(map(str, sizes)), f"{accuracy:g}".removeprefix("0")
    line = Line(("`stratified_t`", *words), ("covered",), (claim,))
    return Simulation(f"{SECTION.key}: stratified_t, {words}", SECTION.key, 4_000, draw, (line,))


OF_SCORES = Section(
    "averages of scores",
    "Coverage: averages of F1, MCC and areas over data sets",
    "Scores of two equally good models have equal variances in both classes, and correlate by .6; "
    "a score above 1.2 predicts the positive class. Variances on each data set are those of the "
    "jackknife. Intervals are too narrow where few examples are positive, which a note states; "
    "the paired test keeps its level.",
    ("interval", "metric", "sizes", "positive", "shift"),
    ("coverage", "`t` rejects equal models"),
    of_errors=True,
)
COUNTED = ("f1", "mcc")
THRESHOLD = 1.2


def _truths(share: float, shift: float) -> list[float]:
    """Return the F1, MCC and area of a model on one population."""
    right, wrong = scipy.stats.norm.sf(THRESHOLD - np.array([shift, 0.0]))
    table = np.array([
        [(1 - share) * (1 - wrong), (1 - share) * wrong, 0.0],
        [share * (1 - right), share * right, 0.0],
    ])  # fmt: skip
    counted = [float(METRICS[name].function(table, 1)) for name in COUNTED]
    return [*counted, float(scipy.stats.norm.cdf(shift / 2**0.5))]


def pseudo_values(metric: str, truth: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Return those of a metric of two classes, of which 1 is positive (n,)."""
    return table_sample(truth, label, of_cells(METRICS[metric], {}, 1, 2)).pseudo_values()


def _of_all(truth: np.ndarray, scores: np.ndarray) -> np.ndarray:
    label = (scores > THRESHOLD).astype(np.int64)
    counted = [pseudo_values(metric, truth, label) for metric in COUNTED]
    return np.array([*counted, ScoreSample(truth, scores).pseudo_values()])


def _of_scores(
    sizes: tuple[int, ...], positive: tuple[float, ...], shift: float, claims: tuple[Claim, ...]
) -> Simulation:
    strata = Strata(np.repeat(np.arange(len(sizes)), sizes), np.full(len(sizes), 1 / len(sizes)))
    truths = np.mean([_truths(share, shift) for share in positive], axis=0)
    names = (*COUNTED, "roc_auc")

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        found: dict[str, list[bool]] = {}
        for _ in range(count):
            parts = []
            for n, share in zip(sizes, positive, strict=True):
                truth = (rng.random(n) < share).astype(np.int64)
                truth[:4] = 0, 0, 1, 1  # areas are defined without any one example
                shared, own = rng.normal(size=n), rng.normal(size=(2, n))
                both = 0.6**0.5 * shared + 0.4**0.5 * own + shift * truth
                parts.append([_of_all(truth, scores) for scores in both])
            first, second = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
            for name, x, y, value in zip(names, first, second, truths, strict=True):
                held = stratified_t(x, None, strata, LEVEL)
                assert held.low is not None and held.high is not None, "two examples or more"
                found.setdefault(f"{name} covered", []).append(held.low <= value <= held.high)
                p = t(x, y, None, LEVEL, strata).p
                found.setdefault(f"{name} rejected", []).append(p is not None and p <= ALPHA)
        return {key: tally(values) for key, values in found.items()}

    words = ", ".join(map(str, sizes)), ", ".join(f"{p:g}"[1:] for p in positive), f"{shift:g}"
    lines = tuple(
        Line(("`stratified_t`", f"`{name}`", *words), (f"{name} covered", f"{name} rejected"), (c,))
        for name, c in zip(names, claims, strict=True)
    )
    key = OF_SCORES.key
    return Simulation(f"{key}: {' '.join(words)}", key, 2_000, draw, lines, 100)


NARROW = Claim("below 95 %, above 90 %", 0.90, 0.95)
FEW = Claim("below 95 %, above 83 %", 0.83, 0.95)
DESIGNS = (
    ((50, 100, 200), (0.2, 0.3, 0.1), 1.5, (COVERS, COVERS, COVERS)),
    (
        (50, 50, 50),
        (0.2, 0.2, 0.2),
        2.5,
        (NARROW, NARROW, FEW),
    ),
    ((50, 50, 50), (0.1, 0.1, 0.1), 1.5, (FEW, FEW, FEW)),
    ((50, 50, 50), (0.1, 0.1, 0.1), 2.5, (FEW, FEW, FEW)),
)
SIMULATIONS = (
    _simulation((15, 20, 30, 40, 60), 0.5, COVERS),
    _simulation((15, 20, 30, 40, 60), 0.9, NARROW),
    _simulation((100,) * 12, 0.7, COVERS),
    _simulation((10,) * 20, 0.9, NARROW),
    _simulation((200, 200, 200, 200, 10), 0.9, FEW),
    _simulation((200, 200, 200, 10, 5), 0.9, Claim("below 80 %, above 60 %", 0.60, 0.80)),
    *(_of_scores(*design) for design in DESIGNS),
)
