"""Curves of scores: bounds at a point, bands, the equal error rate, and calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks.validation.drawn_examples import FALL, SHARES, three_classes
from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    at_least,
    held,
    tally,
)
from evallang.analysis import ANALYSES
from evallang.stats.score_curves import CurvePoint, Predicted

SECTION = Section(
    "curves",
    "Coverage: curves of scores",
    "The scores of the positives are normal with a mean of 1.2, those of the negatives with a "
    "mean of 0; 30 % of the examples are positive, and their probabilities are right. A bound "
    "is that at one point; a band holds where the whole curve of the population lies in it, for "
    "precision at the observed share of positives. Repeated examples come three times each. "
    "cost_curve states no bounds. The mean over three classes is of classes with shares of 0.5, "
    "0.3 and 0.2, whose scores for a class fall with the distance from it.",
    ("analysis", "what", "design"),
    ("coverage",),
)
GAP, SHARE = 1.2, 0.3
Rng = np.random.Generator
Floats = NDArray[np.float64]


def _draw(rng: Rng, n: int, folds: int | None, times: int) -> Predicted:
    truth = (rng.random(n) < SHARE).astype(np.int64)
    truth[:2] = 0, 1
    scores = rng.standard_normal(n) + GAP * truth
    logit = special.logit(SHARE) + GAP * scores - GAP**2 / 2
    rows = np.repeat(np.arange(n), times)
    return Predicted(
        truth=truth[rows],
        labels=truth[rows],
        scores=special.expit(logit)[rows],
        probabilities=True,
        classes=("no", "yes"),
        positive=1,
        folds=None if folds is None else rng.permutation(n)[rows] % folds,
        units=rows if times > 1 else None,
        weights=None,
        level=LEVEL,
        seed=int(rng.integers(2**32)),
    )


def _rate(x: Floats) -> Floats:
    inside = np.clip(x, 1e-12, 1 - 1e-12)
    return np.asarray(special.ndtr(GAP + special.ndtri(inside)), dtype=np.float64)


def _precision(x: Floats, share: float) -> Floats:
    alarms = special.ndtr(-(GAP - special.ndtri(np.clip(x, 1e-12, 1 - 1e-12))))
    return np.asarray(share * x / (share * x + (1 - share) * alarms), dtype=np.float64)


def _benefit(x: Floats) -> Floats:
    score = (special.logit(x) - special.logit(SHARE) + GAP**2 / 2) / GAP
    odds = x / (1 - x)
    hits, alarms = special.ndtr(GAP - score), special.ndtr(-score)
    return np.asarray(SHARE * hits - odds * (1 - SHARE) * alarms, dtype=np.float64)


Truth = Callable[[Floats, Predicted], Floats]
TRUTH: Mapping[str, Truth] = {
    "roc": lambda x, _: _rate(x),
    "det": lambda x, _: 1 - _rate(x),
    "pr": lambda x, given: _precision(x, float(given.is_positive.mean())),
    "decision_curve": lambda x, _: _benefit(x),
    "calibration": lambda x, _: x,  # the probabilities are right
}
POINT = {"roc": 0.2, "pr": 0.5, "det": 0.2, "decision_curve": 0.3, "calibration": 0.3}


def _at(points: Sequence[CurvePoint], name: str) -> Floats:
    return np.array([getattr(point, name) for point in points], dtype=np.float64)


def _band(name: str, n: int, folds: int | None, times: int, *claims: Claim) -> Simulation:
    def once(rng: Rng) -> bool:
        given = _draw(rng, n, folds, times)
        points = ANALYSES[name].function(given).points
        real = TRUTH[name](_at(points, "x"), given)
        low, high = _at(points, "band_low"), _at(points, "band_high")
        inside = (low - 1e-9 <= real) & (real <= high + 1e-9)
        return bool((inside | np.isnan(low)).all())

    return _simulation(name, "band", n, folds, times, once, claims)


def _bound(name: str, n: int, folds: int | None, times: int, *claims: Claim) -> Simulation:
    def once(rng: Rng) -> bool:
        given = _draw(rng, n, folds, times)
        points = ANALYSES[name].function(given).points
        x = _at(points, "x")
        place = int(np.argmin(np.abs(x - POINT[name])))
        (real,) = TRUTH[name](x[[place]], given)
        return held(points[place].low, points[place].high, float(real))

    what = f"bound at {POINT[name]:g}"
    return _simulation(name, what, n, folds, times, once, claims)


def _summary(name: str, what: str, real: float, n: int, times: int, *claims: Claim) -> Simulation:
    def once(rng: Rng) -> bool:
        found = ANALYSES[name].function(_draw(rng, n, None, times)).summaries
        (one,) = [summary for summary in found if summary.name == what]
        return one.low is not None and held(one.low, one.high, real)

    return _simulation(name, what, n, None, times, once, claims)


def _macro_draw(rng: Rng, n: int, folds: int | None, times: int) -> tuple[Predicted, ...]:
    """Draw examples of three classes; return each class against the rest, on the same rows."""
    plain = _draw(rng, n, None, 1)
    codes, scores = three_classes(rng, n)
    rows = np.repeat(np.arange(n), times)
    fold = None if folds is None else _stratified(codes, folds)[rows]
    return tuple(
        replace(
            plain,
            truth=(codes == code).astype(np.int64)[rows],
            labels=(codes == code).astype(np.int64)[rows],
            scores=scores[rows, code],
            probabilities=False,
            folds=fold,
            units=rows if times > 1 else None,
        )
        for code in range(3)
    )


def _stratified(codes: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    fold = np.empty(len(codes), dtype=np.int64)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % folds
    return fold


def _alarms(code: int, score: float) -> float:
    """Return the share of the examples of the other classes with a score above one."""
    others = np.arange(3) != code
    above = special.ndtr(-(score + FALL * np.abs(np.arange(3) - code)))
    return float((SHARES * above)[others].sum() / SHARES[others].sum())


def _macro_rate(x: float, _: Sequence[Predicted]) -> float:
    scores = [optimize.brentq(lambda s, c=c: _alarms(c, s) - x, -12, 12) for c in range(3)]
    return float(np.mean(special.ndtr(-np.array(scores))))


def _macro_precision(x: float, each: Sequence[Predicted]) -> float:
    score = -float(special.ndtri(x))
    shares = np.array([one.is_positive.mean() for one in each])
    alarms = np.array([_alarms(code, score) for code in range(3)])
    return float(np.mean(shares * x / (shares * x + (1 - shares) * alarms)))


MACRO: Mapping[str, tuple[float, Callable[[float, Sequence[Predicted]], float]]] = {
    "roc": (0.2, _macro_rate),
    "pr": (0.5, _macro_precision),
    "det": (0.2, lambda x, each: 1 - _macro_rate(x, each)),
}
"""Where the mean curve over classes is looked at, and its height in the population."""


def _macro_bound(name: str, n: int, folds: int | None, times: int, *claims: Claim) -> Simulation:
    macro = ANALYSES[name].declaration.macro
    assert macro is not None, "curves of classes are averaged"
    near, height = MACRO[name]

    def once(rng: Rng) -> bool:
        each = _macro_draw(rng, n, folds, times)
        points = macro(each).points
        place = int(np.argmin(np.abs(_at(points, "x") - near)))
        real = height(points[place].x, each)
        return held(points[place].low, points[place].high, real)

    what = f"mean over three classes, bound at {near:g}"
    return _simulation(name, what, n, folds, times, once, claims)


def _simulation(
    name: str,
    what: str,
    n: int,
    folds: int | None,
    times: int,
    once: Callable[[Rng], bool],
    claims: tuple[Claim, ...],
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        return {"held": tally([once(rng) for _ in range(count)])}

    where = "one test set" if folds is None else f"{folds} folds"
    design = f"n = {n}, {where}" + (", repeated" if times > 1 else "")
    line = Line((f"`{name}`", what, design), ("held",), claims)
    return Simulation(f"curves: {name}, {what}, {design}", SECTION.key, 300, draw, (line,), 50)


_DESIGNS: tuple[tuple[int, int | None, int], ...] = (
    (60, None, 1), (200, None, 1), (1000, None, 1), (200, 5, 1), (1000, 10, 1), (60, None, 3),
)  # fmt: skip
_BOUNDS = {
    "roc": _DESIGNS,
    "pr": _DESIGNS[:4],
    "det": (),
    "decision_curve": _DESIGNS,
    "calibration": _DESIGNS,
}
EQUAL_ERROR = float(special.ndtr(-GAP / 2))

SIMULATIONS = (
    *(_band(name, *design, at_least(0.92)) for name in ("roc", "pr") for design in _DESIGNS),
    *(_band("decision_curve", *design, at_least(0.9 if design[0] > 60 else 0.86))
      for design in _DESIGNS),
    *(_band("det", *design, at_least(0.92)) for design in (*_DESIGNS[:2], _DESIGNS[3])),
    *(_band("calibration", *design, at_least(0.95)) for design in _DESIGNS),
    *(_bound(name, *design, at_least(0.92)) for name in POINT for design in _BOUNDS[name]),
    *(_summary("det", "equal error rate", EQUAL_ERROR, n, times, ROUGHLY_COVERS)
      for n, times in ((60, 1), (200, 1), (1000, 1), (60, 3))),
    *(_summary("calibration", what, real, n, 1, COVERS if n > 100 else ROUGHLY_COVERS)
      for what, real in (("intercept", 0.0), ("slope", 1.0)) for n in (60, 200, 1000)),
    *(_macro_bound(name, *design, at_least(0.92)) for name in MACRO
      for design in ((60, None, 1), (200, None, 1), (200, 5, 1), (60, None, 3))),
)  # fmt: skip
