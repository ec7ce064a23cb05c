"""Measure how often W516 and W517 report models with and without information, by simulation.

    python -m benchmarks.chance_models [--replications N]

Ten normal features, three of which carry the information, five folds. Each line states the design,
the mean score on test rows and on training rows, and the share of studies with a report. Designs of
100 rows have N replications, larger ones fewer, at least 8: 25 take about three minutes of
processor time.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from evallang.engine.run_diagnostics import ABOVE_CHANCE, FAR, above_chance

FEATURES, INFORMATIVE, FOLDS, SEED = 10, 3, 5, 2026
CLASSIFIERS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(20, random_state=0),
    "neighbours": KNeighborsClassifier(3),
    "linear": LogisticRegression(),
}
REGRESSORS = {
    "tree": DecisionTreeRegressor(random_state=0),
    "forest": RandomForestRegressor(20, random_state=0),
    "neighbours": KNeighborsRegressor(3),
    "linear": Ridge(),
}
EFFECTS = {"classification": (0.0, 0.5, 1.0, 2.0), "regression": (0.0, 0.3, 0.6, 1.5)}
"""Distances between two classes, and slopes beside noise with a standard deviation of 1."""


def rows(
    task: str, n: int, share: float, effect: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return features and targets of n rows, of which a `share` is positive."""
    x = rng.normal(size=(n, FEATURES))
    if task == "regression":
        return x, effect * x[:, :INFORMATIVE].sum(axis=1) / INFORMATIVE**0.5 + rng.normal(size=n)
    y = np.zeros(n, dtype=np.int64)
    y[: round(share * n)] = 1
    x[y == 1, :INFORMATIVE] += effect / INFORMATIVE**0.5
    return x, y


def study(task: str, model: Any, x: Any, y: Any) -> tuple[float, float, float]:
    """Return the score on test rows, its distance from chance, and the score on training rows."""
    kind = KFold if task == "regression" else StratifiedKFold
    fold, labels, scores = np.zeros(len(y), dtype=np.int64), np.zeros(len(y)), np.zeros((len(y), 2))
    trained = []
    n_classes = None if task == "regression" else 2
    for number, (train, test) in enumerate(kind(FOLDS, shuffle=True, random_state=1).split(x, y)):
        model.fit(x[train], y[train])
        fold[test], labels[test] = number, model.predict(x[test])
        inside = None
        if n_classes:
            scores[test], inside = model.predict_proba(x[test]), model.predict_proba(x[train])
        one = np.zeros(len(train), dtype=np.int64)
        found = above_chance(
            y[train], model.predict(x[train]), inside, (one,), one, n_classes=n_classes
        )
        assert found is not None, "training rows have both classes"
        trained.append(found[0])
    ways = (fold, np.zeros_like(fold))
    tested = above_chance(
        y, labels, scores if n_classes else None, ways, np.arange(len(y)), n_classes=n_classes
    )
    assert tested is not None, "the rows have both classes"
    return tested[0], tested[1], float(np.mean(trained))


def lines(replications: int) -> Iterator[str]:
    """Yield a row of the table for each design."""
    for task, models in (("classification", CLASSIFIERS), ("regression", REGRESSORS)):
        for name, model in models.items():
            for n in (100, 300, 1000):
                for share in (0.5, 0.1) if task == "classification" else (0.5,):
                    for effect in EFFECTS[task]:
                        rng = np.random.default_rng([SEED, n, round(10 * effect)])
                        found = np.array(
                            [
                                study(task, model, *rows(task, n, share, effect, rng))
                                for _ in range(max(8, replications * 100 // n))
                            ]
                        )
                        test, z, train = found.T
                        none, far = z < ABOVE_CHANCE, train - test >= FAR[task]
                        design = f"{task} {name}, {n} rows, share {share}, effect {effect}"
                        yield (
                            f"| {design} | {test.mean():.2f} | {train.mean():.2f} | "
                            f"{(none & far).mean():.0%} | {(none & ~far).mean():.0%} |"
                        )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--replications", type=int, default=25)
    print("| design | test | training | W516 | W517 |\n| --- | --: | --: | --: | --: |")
    for line in lines(options.parse_args().replications):
        print(line, flush=True)
