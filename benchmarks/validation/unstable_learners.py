"""Wilson's interval on cross-validated predictions of learners that are not stable.

Two classes, normal with unit variance about the ends of a gap that is spread evenly over the
features. The truth of the k models is their mean on 10,000 further examples; that of the
algorithm is the mean over fits of its own, on training sets of the folds' size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

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
    tally,
)
from benchmarks.validation.trees import tree_labels
from evallang.results.statistics import Interval
from evallang.stats.intervals.proportions import wilson

SECTION = Section(
    "unstable_coverage",
    "Coverage: unstable learners and rare classes",
    "The interval is Wilson's on the pooled predictions of one stratified cross-validation, for "
    "the average accuracy (or recall) of the k fitted models and for the algorithm. The "
    "learners are logistic regression with a weak penalty, an unpruned tree, and nearest "
    "neighbours whose number is chosen inside each training part (nested cross-validation).",
    ("learner", "metric and design"),
    ("the k models", "the algorithm"),
)
NARROW = (
    "Wilson's interval treats the predictions of all folds as independent. However, the "
    "predictions of a fold share one fitted model, and the models share most of their training "
    "rows. With about 100 rows and an unstable learner the interval is therefore too narrow, "
    "above all for the algorithm. The note below each table of a report states this; for a "
    "claim about the algorithm use `repeated cv` with `corrected_t`."
)
TESTED = 10_000
TRAINED = 400  # training sets whose mean error is that of the algorithm
KS = (1, 3, 5, 9, 15, 25)  # candidates of the nested choice
Rng = np.random.Generator
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Learner = Callable[[Floats, Bools, Floats], Bools]


def _logistic(x: Floats, y: Bools, new: Floats) -> Bools:
    """Fit by Newton's method with a ridge of 1/C = 1, as scikit-learn's default, and predict."""
    design = np.column_stack([x, np.ones(len(x))])
    weights = np.zeros(design.shape[1])
    ridge = np.r_[np.ones(x.shape[1]), 1e-9]
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (chance - y) + ridge * weights
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        weights -= np.linalg.solve(bend, slope)
    return np.asarray(new @ weights[:-1] + weights[-1] > 0)


def _tree(x: Floats, y: Bools, new: Floats) -> Bools:
    return tree_labels(x.astype(np.float32), y, new.astype(np.float32))


def _nearest(x: Floats, y: Bools, new: Floats, k: int) -> Bools:
    gaps = (x**2).sum(axis=1) - 2 * new @ x.T
    furthest = np.partition(gaps, k - 1, axis=1)[:, k - 1 : k]
    return np.asarray(2 * ((gaps <= furthest) & y).sum(axis=1) > k)


def _nested(x: Floats, y: Bools, new: Floats) -> Bools:
    """Choose k by five inner folds, the smallest of the best, and refit."""
    inner, n = np.arange(len(x)) % 5, len(x)
    right = np.zeros(len(KS))
    gaps = (x**2).sum(axis=1) - 2 * x @ x.T
    for fold in range(5):
        train, test = np.flatnonzero(inner != fold), np.flatnonzero(inner == fold)
        order = train[np.argsort(gaps[np.ix_(test, train)], axis=1)[:, : max(KS)]]
        for i, k in enumerate(KS):
            right[i] += ((2 * y[order[:, :k]].sum(axis=1) > k) == y[test]).sum()
    return _nearest(x, y, new, min(KS[int(np.argmax(right))], n))


@dataclass(frozen=True)
class Design:
    """A learner and what it learns: n rows, so many positive, features, folds, distance."""

    words: str
    learner: Learner
    n: int
    positives: int
    features: int
    folds: int
    gap: float

    def draw(self, rng: Rng, ups: int, downs: int) -> tuple[Floats, Bools]:
        """Draw so many positives and negatives, in random order."""
        truth = rng.permutation(ups + downs) < ups
        x = rng.standard_normal((len(truth), self.features))
        x += (truth - 0.5)[:, None] * self.gap / np.sqrt(self.features)
        return x, truth

    def rates(self, found: Bools, truth: Bools) -> tuple[float, float]:
        """Return accuracy at the share of positives of the design, and recall."""
        recall, specificity = float(found[truth].mean()), float((~found[~truth]).mean())
        share = self.positives / self.n
        return share * recall + (1 - share) * specificity, recall


@cache
def _expected(design: Design) -> tuple[float, float]:
    """Mean accuracy and recall over `TRAINED` training sets of the folds' size."""
    rng = np.random.default_rng(design.n * 1000 + design.features)
    part = 1 - 1 / design.folds
    ups = round(design.positives * part)
    downs = round((design.n - design.positives) * part)
    found = []
    for _ in range(TRAINED):
        new, truth = design.draw(rng, 2_000, 2_000)
        found.append(design.rates(design.learner(*design.draw(rng, ups, downs), new), truth))
    accuracy, recall = np.mean(found, axis=0).tolist()
    return accuracy, recall


def _one(design: Design, rng: Rng) -> dict[str, bool]:
    x, y = design.draw(rng, design.positives, design.n - design.positives)
    fold = np.empty(design.n, dtype=np.intp)
    for chosen in (y, ~y):
        members = np.flatnonzero(chosen)
        fold[members] = rng.permutation(len(members)) % design.folds
    new, truth = design.draw(rng, TESTED // 2, TESTED // 2)
    predicted, rates = np.empty(design.n, dtype=np.bool_), []
    for k in range(design.folds):
        out = fold == k
        both = design.learner(x[~out], y[~out], np.concatenate([x[out], new]))
        predicted[out] = both[: int(out.sum())]
        rates.append(design.rates(both[int(out.sum()) :], truth))
    accuracy, recall = np.mean(rates, axis=0).tolist()
    right, hits = int((predicted == y).sum()), int((predicted & y).sum())
    intervals: dict[str, tuple[Interval, float, float]] = {
        "accuracy": (wilson(right, design.n, LEVEL), accuracy, _expected(design)[0]),
        "recall": (wilson(hits, design.positives, LEVEL), recall, _expected(design)[1]),
    }
    return {
        f"{metric} {about}": held(found.low, found.high, value)
        for metric, (found, fitted, algorithm) in intervals.items()
        for about, value in (("fitted", fitted), ("algorithm", algorithm))
    }


def _simulation(name: str, design: Design, replications: int, claim: Claim) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = [_one(design, rng) for _ in range(count)]
        return {key: tally([one[key] for one in kept]) for key in kept[0]}

    metrics = ("accuracy",) if 2 * design.positives == design.n else ("accuracy", "recall")
    lines = tuple(
        Line(
            (name, f"{metric}, {design.words}"),
            (f"{metric} fitted", f"{metric} algorithm"),
            (claim,),
            NARROW,
        )
        for metric in metrics
    )
    full = f"{SECTION.key}: {name}, {design.words}"
    return Simulation(full, SECTION.key, replications, draw, lines, max(replications // 10, 1), 10)


# rows, positives, folds; the claim is of the k models
DESIGNS = (
    (100, 50, 10, COVERS),
    (100, 10, 5, ROUGHLY_COVERS),
    (200, 20, 10, ROUGHLY_COVERS),
    (200, 100, 10, COVERS),
    (500, 50, 10, ROUGHLY_COVERS),
)


def _designs(
    name: str, learner: Learner, features: int, replications: int, most: int | None = None
) -> list[Simulation]:
    found = []
    for n, positives, folds, claim in DESIGNS[:most]:
        shares = "" if 2 * positives == n else f", {positives} positive"
        words = f"{folds}-fold cv, n = {n}{shares}, {features} features"
        design = Design(words, learner, n, positives, features, folds, 2.0)
        found.append(_simulation(name, design, replications, claim))
    return found


SIMULATIONS = (
    *_designs("logistic regression", _logistic, 20, 4_000),
    *_designs("unpruned tree", _tree, 5, 2_000),
    *_designs("nearest neighbours, nested", _nested, 5, 2_000, 3),
)
