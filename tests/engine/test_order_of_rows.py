"""Rows in another order give the same numbers, or are refused where only their order tells time."""

import numpy as np
import pytest

from evallang.api import open_study, run
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.engine.run_diagnostics import HYPOTHESIS_TESTS
from evallang.evidence import LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW, SCORES_PER_ROW
from evallang.study import Method

RANDOM = np.random.default_rng(5)
N = 60
TRUTH = RANDOM.integers(0, 2, N)
MODELS = {m: np.where(RANDOM.random(N) < share, TRUTH, 1 - TRUTH) for m, share in
          (("a", 0.8), ("b", 0.65), ("c", 0.7))}  # fmt: skip
SCORES = {m: np.round(labels + RANDOM.normal(0, 0.8, N), 6) for m, labels in MODELS.items()}
NUMBERS = {"y": RANDOM.normal(size=N).cumsum().round(6)}
NUMBERS |= {m: (NUMBERS["y"] + RANDOM.normal(0, s, N)).round(6) for m, s in (("a", 1), ("b", 2))}
ON_ROWS = frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW, SCORES_PER_ROW})
OPTIONS = {"tost": "margin=0.5", "noninferiority": "margin=0.5", "permutation": "rounds=200",
           "bootstrap": "rounds=200", "bayes_mcnemar": "rope=1%"}  # fmt: skip
BY = {
    "correctness": "accuracy",
    "losses": "mae",
    "scores": "roc_auc",
    "any": "f1",
    "recalls": "balanced_accuracy",
}


def written(name, unit, folder, order):
    """Write predictions in an order of their rows; return their statement."""
    columns = {"t": np.arange(N)} | (NUMBERS if unit == "mae" else {"y": TRUTH, **MODELS})
    if unit != "mae":
        columns |= {f"s_{m}": scores for m, scores in SCORES.items()}
    rows = [",".join(str(values[i]) for values in columns.values()) for i in order]
    (folder / f"{name}.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    models = (
        "a, b" if unit == "mae" else "a, b, c\n  score a = s_a\n  score b = s_b\n  score c = s_c"
    )
    return f'predictions p from "{name}.csv"\n  id t\n  truth y\n  models {models}\n'


def pairs_of(name, folder, line, metric, order, clause=""):
    text = (
        f"evallang 1\nstudy\n  seed 1\n{written(name, metric, folder, order)}{clause}"
        f"measure {metric}\n{line}"
    )
    (folder / f"{name}.eval").write_text(text)
    results = run(open_study(folder / f"{name}.eval"), jobs=1)
    (found,) = results.comparisons
    tests = [*found.pairwise, *([found.omnibus] if found.omnibus is not None else [])]
    return tests, results


TESTS = [
    entry.name
    for entry in HYPOTHESIS_TESTS
    if entry.declaration.evidence & ON_ROWS and entry.declaration.models != (1, 1)
]


@pytest.mark.parametrize("name", TESTS)
def test_permuted_rows_give_the_same_numbers(name, tmp_path):
    declared = HYPOTHESIS_TESTS[name].declaration
    metric = BY.get(declared.tests, "accuracy")
    options = f"({OPTIONS[name]})" if name in OPTIONS else ""
    models = "a, b, c" if declared.models[0] > 2 else "a vs b"
    line = f"compare {models} with {name}{options} by {metric}\n"
    drawn = declared.drawn or declared.jointly == "drawn"
    orders = (np.arange(N), RANDOM.permutation(N), np.arange(N)[::-1])
    results = [
        pairs_of(f"p{k}", tmp_path, line, metric, order)[0] for k, order in enumerate(orders)
    ]
    assert reads_order(Method(name)) == (name == "diebold_mariano")
    for tests in results[1:]:
        for one, other in zip(results[0], tests, strict=True):
            assert one.p is not None or one.extra
            if drawn:
                assert one.p == pytest.approx(other.p, abs=0.08)
                continue
            assert one.p == (None if other.p is None else pytest.approx(other.p, rel=1e-6))
            if one.estimate is not None:
                bounds = [(e.value, e.low, e.high) for e in (one.estimate, other.estimate)]
                for x, y in zip(*bounds, strict=True):
                    assert x == pytest.approx(y, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("test", ["permutation(block=6)", "diebold_mariano(newey_west)"])
def test_series_are_sorted_by_their_time(test, tmp_path):
    line, order = f"compare a vs b with {test}\n", RANDOM.permutation(N)
    (one,), first = pairs_of("sorted", tmp_path, line, "mae", np.arange(N))
    (other,), second = pairs_of("shuffled", tmp_path, line, "mae", order)
    assert one.p == pytest.approx(other.p, rel=1e-9)
    assert one.estimate.low == pytest.approx(other.estimate.low, rel=1e-9)
    for a, b in zip(first.estimates, second.estimates, strict=True):
        assert a.interval.method.startswith("newey_west")
        assert a.interval.low == pytest.approx(b.interval.low, rel=1e-9)
    (stated,) = [d.value for d in second.record.study.defaults if d.clause == "time of p"]
    assert stated == "t"
    # by the order of the file the shuffled rows would have given another p
    (file,), _ = pairs_of("as-is", tmp_path, line, "mae", order, "  time none\n")
    assert file.estimate.low != pytest.approx(one.estimate.low, rel=1e-3)
