"""What every metric promises, whoever wrote it."""

import numpy as np
import pytest
from many_cases import for_each

from evallang.metrics.metric import METRICS, Outcome, confusions, evaluate

REQUIRED_OPTIONS = {
    "fbeta": {"beta": 2.0},
    "cost": {"matrix": ((0, 5), (1, 0))},
    "normalized_cost": {"share": 0.3},
    "net_benefit": {"threshold": 0.3},
    "top_k_accuracy": {"k": 1},
    "pass_at": {"k": 2},
    "pass_all": {"k": 2},
    "pinball": {"quantile": 0.7},
    "interval_score": {"level": 0.8},
    "mase": {"scale": 2.5},
    "recall_at_specificity": {"at_specificity": 0.7},
    "specificity_at_recall": {"at_recall": 0.7},
}
HIGHEST = {
    "corrected_rate": lambda truth: (truth != 0).mean(),
    "net_benefit": np.mean,
}  # no model exceeds the share of positives

UNLISTED = [METRICS[name] for entry in METRICS for name in entry.declaration.under_option.values()]
OF_GAMES = [e for e in METRICS if e.declaration.needs == "games"]
"""Metrics of all models at once, which give a value of each and a covariance."""
OF_ONE_MODEL = [e for e in (*METRICS, *UNLISTED) if e not in OF_GAMES]
every_metric = for_each("entry", OF_ONE_MODEL, ids=lambda e: e.name)
directed = for_each(
    "entry",
    [e for e in OF_ONE_MODEL if e.declaration.directed],
    ids=lambda e: e.name,
)
every_count = for_each(
    "entry", [e for e in METRICS if e.declaration.form == "counts"], ids=lambda e: e.name
)


def averages():
    for entry in METRICS:
        if entry.declaration.form == "counts":
            option = entry.option("average")
            for average in (None, *(option.words if option else ())):
                yield pytest.param(entry, average, id=f"{entry.name}-{average}")


def sample(entry, seed=0, n=60):
    rng = np.random.default_rng(seed)
    if entry.declaration.needs == "risks":
        truth = np.column_stack([rng.exponential(size=n), rng.random(n) < 0.7])
        return truth, rng.normal(size=n) - truth[:, 0]
    if entry.declaration.needs == "rankings":
        return np.zeros(n), rankings(rng, n, 2.0)
    if entry.declaration.needs == "repeats":
        answers = rng.integers(2, 6, n)
        return np.zeros(n), np.column_stack([rng.integers(0, answers + 1), answers])
    if entry.declaration.needs == "ratings":
        seen = rng.integers(1, 5, n)[:, None] + rng.integers(0, 2, (n, 3))
        return np.zeros(n), np.where(rng.random((n, 3)) < 0.2, np.nan, seen)
    if entry.declaration.needs == "verdicts":
        truth = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
        said = np.where(rng.random(n) < 0.8, truth, 1 - truth)
        return np.where(np.arange(n) % 3, truth, -1), said
    if entry.declaration.task == "regression":
        truth = rng.normal(5, 2, n)
        middle = truth + rng.normal(size=n)
        ranges = np.column_stack([middle - 0.5, middle + 1])
        return truth, ranges if entry.declaration.needs == "ranges" else middle
    truth = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    if entry.declaration.needs == "labels":
        return truth, np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    positive = np.clip(truth * 0.2 + rng.random(n) * 0.7, 0.01, 0.99)
    return truth, np.column_stack([1 - positive, positive])


def rankings(rng, n, noise):
    """Draw the relevance and the score of some rows of each query."""
    found = np.empty(n, dtype=object)
    for query in range(n):
        relevance = np.append(rng.integers(0, 4, rng.integers(2, 9)), 2).astype(float)
        found[query] = np.column_stack(
            [relevance, relevance + noise * rng.normal(size=len(relevance))]
        )
    return found


def value(entry, truth, output, **options):
    options = REQUIRED_OPTIONS.get(entry.name, {}) | options
    return evaluate(entry, options, truth, output, 1, 2)


@every_metric
def test_its_worked_examples_come_out(entry):
    assert entry.examples
    for example in entry.examples:
        assert example.source
        found = np.mean(entry.function(*example.arguments, **example.options))
        found = float(found) ** 0.5 if entry.declaration.transform == "sqrt" else float(found)
        assert found == pytest.approx(example.expected["value"], abs=example.tolerance)


@for_each("entry", OF_GAMES, ids=lambda e: e.name)
def test_the_worked_examples_of_battles_come_out(entry):
    assert entry.examples
    for example in entry.examples:
        found = entry.function(*example.arguments, **example.options).values
        assert found == pytest.approx(example.expected["values"], abs=example.tolerance)


@for_each("entry", [*METRICS, *UNLISTED], ids=lambda e: e.name)
def test_it_is_documented_with_a_source(entry):
    assert entry.title
    assert entry.summary.endswith(".")
    assert entry.references


@every_metric
def test_its_inputs_are_those_of_its_form(entry):
    expected = {
        "counts": ("counts", "positive"),
        "losses": ("truth", "output", "positive"),
        "scores": ("truth", "output", "positive", "weights"),
    }
    assert entry.inputs == expected[entry.declaration.form]
    assert (entry.declaration.form == "counts") == (entry.declaration.needs == "labels")


@every_metric
@for_each("seed", range(5))
def test_its_values_are_in_the_declared_range(entry, seed):
    found = value(entry, *sample(entry, seed))
    assert np.isfinite(found)
    low, high = entry.declaration.low, entry.declaration.high
    assert low is None or found >= low, f"declare `low` of {entry.name}: it was {found}"
    assert high is None or found <= high, f"declare `high` of {entry.name}: it was {found}"


@directed
def test_a_perfect_model_is_better_than_a_poor_one_in_the_declared_direction(entry):
    truth, output = sample(entry)
    if entry.declaration.needs == "ranges":
        perfect = np.column_stack([truth, truth])
    elif entry.declaration.needs == "repeats":
        perfect = output[:, [1, 1]]
    elif entry.declaration.needs == "ratings":
        perfect = output[:, [0, 0, 0]]
    elif entry.declaration.needs == "risks":
        perfect = -truth[:, 0]
    elif entry.declaration.needs == "rankings":
        perfect = rankings(np.random.default_rng(0), len(truth), 0.0)
    elif entry.declaration.task == "regression" or entry.declaration.needs == "labels":
        perfect = truth.copy()
    else:
        perfect = np.column_stack([1.0 - truth, truth.astype(float)])
    best, found = value(entry, truth, perfect), value(entry, truth, output)
    if entry.declaration.better == "higher":
        assert best > found
        highest = HIGHEST.get(entry.name, lambda truth: entry.declaration.high)(truth)
        assert highest is None or best == pytest.approx(highest)
    else:
        assert best < found
        assert best == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "entry", [e for e in METRICS if e.declaration.ideal is not None], ids=lambda e: e.name
)
def test_a_metric_without_a_direction_has_its_best_value_where_probabilities_are_shares(entry):
    truth = np.tile([0, 0, 0, 1, 0, 1, 1, 1], 5)
    output = np.tile([0.25] * 4 + [0.75] * 4, 5)
    assert value(entry, truth, output) == pytest.approx(entry.declaration.ideal, abs=1e-12)
    with pytest.raises(ValueError, match="neither more nor less"):
        _ = entry.declaration.direction


@every_metric
def test_an_influence_is_the_derivative_by_a_weight(entry):
    declared = entry.declaration
    if declared.influences is None:
        return
    truth, output = sample(entry)
    found = declared.influences(Outcome(truth, output, 2, 1))
    assert found.sum() == pytest.approx(0, abs=1e-9)
    for row in (0, 7, 31):
        step = np.zeros(len(truth))
        step[row] = 1e-5
        up, down = (evaluate(entry, {}, truth, output, 1, 2, 1 + s * step) for s in (1, -1))
        assert found[row] == pytest.approx((up - down) / 2e-5, abs=1e-7)


@every_metric
def test_weights_of_ones_change_nothing_and_zeros_leave_rows_out(entry):
    truth, output = sample(entry)
    options = REQUIRED_OPTIONS.get(entry.name, {})
    plain = evaluate(entry, options, truth, output, 1, 2)
    ones = evaluate(entry, options, truth, output, 1, 2, np.ones(len(truth)))
    assert ones == pytest.approx(plain, rel=1e-13)
    if entry.name == "max_error":
        return  # says that weights do not change it
    half = (np.arange(len(truth)) < 40).astype(float)
    kept = evaluate(entry, options, truth[:40], output[:40], 1, 2)
    assert evaluate(entry, options, truth, output, 1, 2, half) == pytest.approx(kept, rel=1e-12)


@for_each(("entry", "average"), list(averages()))
def test_leading_axes_are_a_loop(entry, average):
    options = REQUIRED_OPTIONS.get(entry.name, {}) | ({"average": average} if average else {})
    rng = np.random.default_rng(4)
    matrices = confusions(
        rng.integers(0, 2, 90), rng.integers(-1, 2, 90), 2, np.repeat(np.arange(6), 15), 6
    )
    matrices[0] = 0  # an empty replicate
    matrices[1] = [[5, 0, 0], [0, 0, 0]]  # one class only
    together = entry.function(matrices.reshape(2, 3, 2, 3), 1, **options)
    assert np.shape(together) == (2, 3)
    alone = [float(entry.function(matrix, 1, **options)) for matrix in matrices]
    np.testing.assert_array_equal(np.ravel(together), alone)


@every_count
def test_a_proportion_has_percent_as_its_unit_and_a_range_from_0_to_1(entry):
    if entry.declaration.proportion is not None:
        assert entry.declaration.unit == "percent"
        assert (entry.declaration.low, entry.declaration.high) == (0, 1)
    else:
        assert not entry.declaration.complement
