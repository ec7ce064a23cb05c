"""The area under the ROC curve of a model that knows the share of the classes and no more."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.validation.populations import area
from benchmarks.validation.simulation import Claim, Line, Section, Simulation, Tally, tally

SECTION = Section(
    "dummies",
    "AUC of a model that knows nothing",
    "The model predicts the share of positives among its training examples, so its true area is "
    ".5. If scores are pooled over folds, holding out an example lowers the score of its own "
    "class, and under leave-one-out the area is 0. The mean of the areas of the folds is .5.",
    ("protocol", "n"),
    ("pooled", "mean over folds"),
    unit="",
)
LESS = Claim("pooled below .45", 0.0, 0.45)


def _simulation(protocol: str, n: int, k: int | None, replications: int) -> Simulation:
    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        pooled, folds = [], []
        for _ in range(count):
            truth = rng.random(n) < 0.5
            if truth.all() or not truth.any():
                continue
            fold = rng.permutation(n) if k is None else rng.permutation(n) % k
            sizes, ups = np.bincount(fold), np.bincount(fold, weights=truth)
            scores = ((truth.sum() - ups) / (n - sizes))[fold]
            pooled.append(area(truth, scores))
            areas = [area(truth[fold == f], scores[fold == f]) for f in range(k or 0)]
            folds.extend([one for one in areas if not np.isnan(one)])
        return {"pooled": tally(pooled), "folds": tally(folds)}

    keys = ("pooled",) if k is None else ("pooled", "folds")
    zero = Claim("pooled 0", 0.0, 0.0)
    half = Claim("mean .5", 0.5, 0.5)
    claims = (zero,) if k is None else (LESS, half)
    line = Line((protocol, str(n)), keys, claims)
    name = f"{SECTION.key}: {protocol}, {n}"
    return Simulation(name, SECTION.key, replications, draw, (line,), replications // 5)


SIMULATIONS = (
    _simulation("leave_one_out", 50, None, 2_000),
    _simulation("10-fold cv", 50, 10, 2_000),
    _simulation("10-fold cv", 200, 10, 2_000),
    _simulation("5-fold cv", 200, 5, 2_000),
)
