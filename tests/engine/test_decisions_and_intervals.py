"""In a row, p and interval at the same level say the same, or the row states that they do not."""

import numpy as np
import pytest

from evallang.api import StudyError, open_study, run
from evallang.engine.comparisons import SAME_LEVEL
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

RANDOM = np.random.default_rng(8)
N = 48
TRUTH = np.tile([0, 1, 1], N // 3)
LABELS = {m: np.where(RANDOM.random(N) < s, TRUTH, 1 - TRUTH) for m, s in (("a", 0.9), ("b", 0.7))}
SCORES = {m: np.round(TRUTH * s + RANDOM.normal(0, 1, N), 4) for m, s in (("a", 1.7), ("b", 0.6))}
VALUES = np.round(RANDOM.normal(0, 2, N), 4)
NUMBERS = {m: np.round(VALUES + RANDOM.normal(0, s, N), 4) for m, s in (("a", 0.8), ("b", 1.2))}
COLUMNS = {
    "t": np.arange(N),
    "g": np.arange(N) // 4,
    "k": np.arange(N) % 4,
    "y": TRUTH,
    "v": VALUES,
}
COLUMNS |= {f"l_{m}": x for m, x in LABELS.items()} | {f"s_{m}": x for m, x in SCORES.items()}
COLUMNS |= {f"n_{m}": x for m, x in NUMBERS.items()}
OF_LABELS = (
    "  truth y\n  models a as l_a, b as l_b\n  score a = s_a\n  score b = s_b\n  positive 1\n"
)
OF_NUMBERS = "  truth v\n  models a as n_a, b as n_b\n  task regression\n"
SOURCES = {
    "labels": OF_LABELS,
    "labels in groups": f"{OF_LABELS}  group g\n",
    "labels in folds": f"{OF_LABELS}  fold k\n",
    "numbers": OF_NUMBERS,
    "numbers in groups": f"{OF_NUMBERS}  group g\n",
    "numbers in time": f"{OF_NUMBERS}  time t\n",
    "labels in time": f"{OF_LABELS}  time t\n",
}
METRICS = {"truth y": ("accuracy", "f1", "roc_auc", "brier", "balanced_accuracy"),
           "truth v": ("mae", "rmse", "r2")}  # fmt: skip
OPTIONS = {"permutation": ("rounds=299", "block=4"), "bootstrap": ("rounds=299",),
           "diebold_mariano": ("", "newey_west"), "mcnemar": ("", "exact", "chi2")}  # fmt: skip
TESTS = [
    e.name for e in HYPOTHESIS_TESTS if e.declaration.models[0] == 2 and not e.declaration.bayesian
]


def rows_of(folder, source, metric, test):
    """Give the pairs of a study, none where it is refused."""
    text = (
        f'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  id t\n{source}'
        f"measure {metric}\ncompare a vs b with {test} by {metric}\n"
    )
    (folder / "study.eval").write_text(text)
    try:
        return run(open_study(folder / "study.eval"), jobs=1).comparisons[0].pairwise
    except StudyError:
        return ()


@pytest.mark.parametrize("name", TESTS)
def test_p_and_interval_agree_or_the_row_says_why_not(name, tmp_path):
    rows = [",".join(map(str, row)) for row in zip(*COLUMNS.values(), strict=True)]
    (tmp_path / "p.csv").write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    for options in OPTIONS.get(name, ("",)):
        test = f"{name}({options})" if options else name
        for source in SOURCES.values():
            for metric in next(m for truth, m in METRICS.items() if truth in source):
                for row in rows_of(tmp_path, source, metric, test):
                    found = row.estimate
                    if row.p is None or found is None or found.low is None or found.high is None:
                        continue
                    if "margin" in row.extra or abs(found.level - 0.95) > SAME_LEVEL:
                        continue
                    excludes = not found.low <= 0 <= found.high
                    said = any("do not agree" in note for note in row.notes)
                    assert (excludes == (row.p <= 0.05)) != said, (test, metric, row)
                    if name == "permutation":  # p and interval come from the same swaps
                        assert not said
