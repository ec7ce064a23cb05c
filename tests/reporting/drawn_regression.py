"""A regression study to draw: tuned regressors, tests on their folds, a fit that failed."""

import itertools
import math
from functools import cache

import numpy as np
from drawn_statistics import ALPHA, corrected_t
from fixture import cancer
from msgspec.structs import replace
from scipy import stats

from evallang.results.records import (
    Comparison,
    Difference,
    Effect,
    Estimate,
    Excluded,
    Failure,
    Family,
    HypothesisTestResult,
    Interval,
    ModelRecord,
    ProtocolRecord,
    ResultsRecord,
    Selection,
    SimultaneousInterval,
    Statistic,
)


@cache
def regression() -> ResultsRecord:
    """Give three tuned regressors under repeated cross-validation, compared by corrected t."""
    rng = np.random.default_rng(7)
    labels = {"ridge": "Ridge", "forest": "Random forest", "naive": "Mean only"}
    base = rng.normal(0, 0.4, 50)
    values = {
        "ridge": 44.0 + base + rng.normal(0, 0.5, 50),
        "forest": 43.6 + base + rng.normal(0, 0.9, 50),
        "naive": 66.0 + base + rng.normal(0, 0.6, 50),
    }
    estimates, about = [], "the algorithm, trained on 398 examples"
    for name, scores in values.items():
        low, high = corrected_t(scores, 0.95)
        mean, sd = float(scores.mean()), float(scores.std(ddof=1))
        estimates.append(
            Estimate("diabetes", "main", name, "mae", mean, "mean_of_repeats", mean, sd, 50, about,
                     interval=Interval("corrected_t", 0.95, low, high))
        )  # fmt: skip
        r2 = 1 - (mean / 67) ** 2
        note = ("undefined in 2 folds, which are excluded",) if name == "naive" else ()
        estimates.append(
            Estimate("diabetes", "main", name, "r2", None if name == "naive" else r2,
                     "mean_of_folds", r2, 0.05, 50, about, notes=note)
        )  # fmt: skip
    pairs = []
    for first, second in itertools.combinations(labels, 2):
        d = values[first] - values[second]
        low, high = corrected_t(d, 0.95)
        wide = corrected_t(d, 1 - 0.05 / 3)
        se = math.sqrt(d.var(ddof=1) * (1 / 50 + 44 / 398))
        t = float(d.mean() / se)
        p = float(2 * stats.t.sf(abs(t), 49))
        pairs.append(
            HypothesisTestResult(
                "corrected_t", "", "the two algorithms have the same mean absolute error",
                Statistic("t", t), (49.0,), p, (first, second), min(1.0, 3 * p), 3 * p <= 0.05,
                Difference("difference in mae", float(d.mean()), low, high, 0.95, "corrected_t"),
                SimultaneousInterval(*wide, 0.95, "Bonferroni"),
                (Effect("Cohen's d_z", float(d.mean() / d.std(ddof=1)), signed=True),),
            )
        )  # fmt: skip
    comparison = Comparison(
        0, "compare with corrected_t bonferroni", "diabetes", "main", "mae", ALPHA,
        Family(3, "bonferroni", False, "Bonferroni"), None, tuple(pairs), True, None,
    )  # fmt: skip
    against = replace(
        comparison, index=1, source="compare against naive with corrected_t holm exploratory",
        family=Family(2, "holm", True, "Holm"), against="naive",
        pairwise=tuple(replace(p, reject=None) for p in pairs if "naive" in p.models),
    )  # fmt: skip
    selections = tuple(
        Selection("diabetes", "main", "ridge", r, f, {"ridge__alpha": (0.1, 1.0)[(r + f) % 3 == 0]},
                  44.1, "best")
        for r in range(5)
        for f in range(10)
    )  # fmt: skip
    whole = cancer()
    return replace(
        whole,
        study=replace(whole.study, title="Predicting the progression of diabetes",
                      question="Does a forest predict progression better than ridge regression?"),
        spec=replace(whole.spec, canonical='evallang 1\nstudy "Diabetes"\n'),
        data=(
            replace(whole.data[0], name="diabetes", label="Diabetes", task="regression", n=442,
                    n_features=10, target="progression", classes=None, positive=None,
                    class_counts=None, unit="patients", cite=None, positive_label=None,
                    excluded=(Excluded("where age >= 18", 3),)),
        ),
        models=tuple(
            ModelRecord(name, label, name, {"ridge__alpha": (0.1, 1.0)} if name == "ridge" else {},
                        "estimator")
            for name, label in labels.items()
        ),
        protocols=(
            ProtocolRecord("main", "repeated_cv", {"folds": 10, "times": 5}, None, None, None, 50,
                           450, "5 times repeated 10-fold cross-validation",
                           short="5×10-fold CV", shuffled=True, shared_training="partition"),
        ),
        estimates=tuple(estimates),
        comparisons=(comparison, against),
        selections=selections,
        failures=(
            Failure("inner", "diabetes", "main", "ridge", 0, 3, {"ridge__alpha": 0.0},
                    "LinAlgError", "singular matrix"),
        ),
        diagnostics=(),
        warnings=(),
    )  # fmt: skip
