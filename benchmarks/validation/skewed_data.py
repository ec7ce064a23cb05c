"""Groups of very different sizes, few groups, and errors with heavy tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    held,
    new_seed,
    rejections,
    tally,
    under,
)
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.intervals.few_groups import clustered_wilson
from evallang.stats.intervals.proportions import wilson
from evallang.stats.intervals.resampling import LossSample, WeightSample, bootstrap

GROUPS = Section(
    "skewed_groups",
    "Coverage: few groups, and groups of different sizes",
    "The metric is the accuracy of one model over groups in which its answers are correlated. "
    "Groups have ten rows each, or each is a fifth smaller than the one before, or one group "
    "has half of all rows. The last column is the type I error at 5 % of the paired `t` test "
    "over the same groups.",
    ("groups", "sizes", "accuracy"),
    ("wilson over groups", "wilson as if independent", "t over groups, rejects"),
)
TAILS = Section(
    "heavy_tails",
    "Coverage: errors with heavy tails",
    "A fixed regression model is evaluated on one test set. The interval is that of the "
    "bootstrap (bca) with 2,000 rounds.",
    ("metric", "errors", "n"),
    ("coverage",),
)
LARGE = (
    "If one group has half of the rows, or sizes decrease fast, few groups decide the result, "
    "however many there are. The degrees of freedom of CR2 decrease accordingly, and the "
    "shortfall is small."
)
HEAVY = (
    "With heavy tails a sample of this size usually lacks the few examples that dominate the "
    "mean, and no interval can infer them from the sample alone. W442 names a target with such "
    "tails; the interval is then too narrow."
)
ROUNDS = 2_000
Rng = np.random.Generator
Floats = NDArray[np.float64]


def sizes(groups: int, kind: str) -> NDArray[np.intp]:
    """Return the sizes of groups that have ten rows each on average, or more."""
    if kind == "equal":
        return np.full(groups, 10)
    if kind == "one has half":
        return np.r_[10 * (groups - 1), np.full(groups - 1, 10)]
    falling = 0.8 ** np.arange(groups)
    return np.maximum(2, np.rint(10 * groups * falling / falling.sum())).astype(np.intp)


def _groups(groups: int, kind: str, base: float, *claims: Claim) -> Simulation:
    codes = np.repeat(np.arange(groups), sizes(groups, kind))
    spread = sqrt(0.5)
    accuracy = float(special.ndtr(base / sqrt(1 + spread**2)))

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        clustered, plain, p = [], [], []
        for _ in range(count):
            added = base + spread * rng.standard_normal((groups, 2))[codes]
            right = rng.standard_normal(added.shape) < added
            one = clustered_wilson(right[:, 0], codes, LEVEL)[0]
            other = wilson(int(right[:, 0].sum()), len(codes), LEVEL)
            clustered.append(held(one.low, one.high, accuracy))
            plain.append(held(other.low, other.high, accuracy))
            p.append(t(right[:, 0] * 1.0, right[:, 1] * 1.0, codes).p)
        return {
            "clustered": tally(clustered),
            "plain": tally(plain),
            **under("t", rejections(p)),
        }

    cells = (str(groups), kind, f"{accuracy:.2f}")
    line = Line(cells, ("clustered", "plain", "t 5"), claims, LARGE)
    name = f"{GROUPS.key}: {', '.join(cells)}"
    return Simulation(name, GROUPS.key, 10_000, draw, (line,), 1_000)


ERRORS: Mapping[str, Callable[[Rng, int], Floats]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "t with 3 df": lambda rng, n: rng.standard_t(3, n),
    "log-normal": lambda rng, n: rng.lognormal(0.0, 1.0, n) - exp(0.5),
}
VARIANCE = {"normal": 1.0, "t with 3 df": 3.0, "log-normal": (exp(1) - 1) * exp(1)}


def _errors(metric: str, errors: str, n: int, *claims: Claim) -> Simulation:
    variance = VARIANCE[errors]
    truth = variance if metric == "mse" else 0.5

    def found(rng: Rng) -> bool:
        signal = sqrt(variance) * rng.standard_normal(n)
        error = ERRORS[errors](rng, n)
        if metric == "mse":
            sample: WeightSample = LossSample(error**2, None, None, (0.0, None))
        else:
            target = signal + error

            def r2(weights: Floats) -> Floats:
                total = weights.sum(axis=1)
                mean = weights @ target / total
                spread = weights @ target**2 - total * mean**2
                value: Floats = 1 - weights @ error**2 / spread
                return value

            sample = WeightSample(n, r2, None, (None, 1.0))
        interval = bootstrap(sample, LEVEL, new_seed(rng), rounds=ROUNDS)
        return held(interval.low, interval.high, truth)

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        return {"held": tally([found(rng) for _ in range(count)])}

    cells = (f"`{metric}`", errors, str(n))
    line = Line(cells, ("held",), claims, HEAVY)
    return Simulation(f"{TAILS.key}: {', '.join(cells)}", TAILS.key, 4_000, draw, (line,), 400)


SIMULATIONS = (
    *(
        _groups(groups, kind, base, ROUGHLY_COVERS if groups < 50 else COVERS)
        for kind in ("equal", "falling", "one has half")
        for groups in (4, 6, 8, 12, 20, 50)
        for base in (0.8, 1.8)
    ),
    *(
        _errors(metric, errors, n, ROUGHLY_COVERS)
        for metric in ("mse", "r2")
        for errors in ERRORS
        for n in (60, 100, 500)
    ),
)
