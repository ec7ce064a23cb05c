"""Concordance with censoring: against R, lifelines, scikit-survival and all pairs one by one."""

import csv
from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from studies import codes

import evallang as ev
from evallang.metrics.metric import METRICS, Outcome, evaluate

REFERENCE = Path(__file__).parent / "reference"
DATA = Path(__file__).parents[2] / "examples" / "data" / "survival.csv"
ENTRY = METRICS["concordance"]


def rows_of(path):
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def example(column):
    rows = rows_of(DATA)
    truth = np.array([[float(row["months"]), float(row["died"])] for row in rows])
    weights = np.array([int(row["patient"]) % 3 for row in rows], dtype=float)
    return truth, np.array([float(row[column]) for row in rows]), weights


def one_by_one(truth, risk, weights):
    right = pairs = 0.0
    for i, (time, event) in enumerate(truth):
        for j, (later, other) in enumerate(truth):
            if i != j and event and (time < later or (time == later and not other)):
                pairs += weights[i] * weights[j]
                right += weights[i] * weights[j] * ((risk[i] > risk[j]) + (risk[i] == risk[j]) / 2)
    return right / pairs if pairs else np.nan


def drawn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 50))
    truth = np.column_stack([rng.integers(1, 12, n), rng.random(n) < 0.6]).astype(float)
    return truth, rng.integers(0, rng.integers(2, 20), n).astype(float), rng


@for_each("seed", range(40))
def test_it_counts_the_pairs_of_an_event_and_a_later_time(seed):
    truth, risk, rng = drawn(seed)
    n = len(risk)
    for weights in (np.ones(n), rng.integers(0, 4, n).astype(float), rng.random(n)):
        found = evaluate(ENTRY, {}, truth, risk, None, 0, weights)
        assert found == pytest.approx(one_by_one(truth, risk, weights), abs=1e-12, nan_ok=True)
    found = evaluate(ENTRY, {}, truth, risk)
    assert found == pytest.approx(one_by_one(truth, risk, np.ones(n)), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("row", rows_of(REFERENCE / "concordance.csv"), ids=lambda r: str(r))
def test_it_equals_the_survival_package_of_r(row):
    truth, risk, weights = example(row["column"])
    given = weights if row["weights"] == "TRUE" else None
    assert evaluate(ENTRY, {}, truth, risk, weights=given) == pytest.approx(
        float(row["value"]), abs=1e-12
    )
    if row["error"] != "NA":
        influences = ENTRY.declaration.influences(Outcome(truth, risk))
        assert np.sqrt((influences**2).sum()) == pytest.approx(float(row["error"]), abs=1e-12)


@pytest.mark.parametrize("row", rows_of(REFERENCE / "concordance_python.csv"), ids=lambda r: str(r))
def test_it_equals_lifelines_and_scikit_survival(row):
    truth, risk, _ = example(row["column"])
    assert evaluate(ENTRY, {}, truth, risk) == pytest.approx(float(row["value"]), abs=1e-12)


def test_without_censoring_and_ties_it_is_kendalls_tau_on_another_scale():
    rng = np.random.default_rng(1)
    time, risk = rng.exponential(size=80), rng.normal(size=80)
    tau = stats.kendalltau(-time, risk).statistic
    truth = np.column_stack([time, np.ones(80)])
    assert evaluate(ENTRY, {}, truth, risk) == pytest.approx((tau + 1) / 2, abs=1e-12)


@pytest.mark.parametrize(
    "truth",
    [((1, 0), (2, 0), (3, 0)), ((1, 1), (1, 1)), ((5, 1),)],
    ids=["censored", "tied", "one"],
)
def test_it_is_undefined_where_no_two_examples_can_be_compared(truth):
    times = np.array(truth, dtype=float)
    assert np.isnan(evaluate(ENTRY, {}, times, np.arange(len(times), dtype=float)))


# --- in a study ------------------------------------------------------------------------------


def run(tmp_path, text, lines="measure concordance", clauses="", score="risk"):
    (tmp_path / "p.csv").write_text(text)
    (tmp_path / "s.eval").write_text(
        "evallang 1\nstudy\n  seed 1\n"
        'predictions p from "p.csv"\n  id id\n  truth months\n  event died\n'
        f'  score a = "{score}"\n{clauses}{lines}\nreport html\n'
    )
    return ev.run(tmp_path / "s.eval", store="off").record


def table(n=60, seed=0, columns=("months", "died", "risk")):
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n).round(2)
    months = (rng.exponential(size=n) * np.exp(-risk) * 20).round(1)
    died = (rng.random(n) < 0.7).astype(int)
    rows = [
        f"{i},{i // 5},{m},{d},{r}"
        for i, (m, d, r) in enumerate(zip(months, died, risk, strict=True))
    ]
    return "id,site," + ",".join(columns) + "\n" + "\n".join(rows) + "\n", months, died, risk


def test_a_study_measures_it_with_an_interval_on_the_logit_scale(tmp_path):
    text, months, died, risk = table()
    (found,) = run(tmp_path, text).estimates
    truth = np.column_stack([months, died]).astype(float)
    value = one_by_one(truth, risk, np.ones(60))
    assert found.value == pytest.approx(value, abs=1e-12)
    influences = ENTRY.declaration.influences(Outcome(truth, risk))
    error = np.sqrt((influences**2).sum() * 60 / 59) / (value * (1 - value))
    half = stats.t.ppf(0.975, 59) * error
    logit = np.log(value / (1 - value))
    expected = 1 / (1 + np.exp(-np.array([logit - half, logit + half])))
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)
    assert found.interval.method == "jackknife"


def test_the_default_measure_is_concordance(tmp_path):
    text, *_ = table()
    (found,) = run(tmp_path, text, lines="").estimates
    assert found.metric == "concordance"


def test_counts_beside_survival_times_do_not_have_its_default_measure():
    counts = "evallang 1\ncounts k\n  models a, b\n  table [[9, 5], [6, 5]]\n"
    times = 'predictions p from "p.csv"\n  truth months\n  event died\n  score a = "risk"\n'
    assert "E203" in codes(counts + times)


def test_groups_are_the_unit_of_its_interval(tmp_path):
    text, months, died, risk = table()
    (found,) = run(tmp_path, text, lines="group by site\nmeasure concordance").estimates
    truth = np.column_stack([months, died]).astype(float)
    influences = ENTRY.declaration.influences(Outcome(truth, risk))
    sums = np.bincount(np.arange(60) // 5, weights=influences)
    value = found.value
    half = stats.t.ppf(0.975, 11) * np.sqrt((sums**2).sum() * 12 / 11) / (value * (1 - value))
    logit = np.log(value / (1 - value))
    assert found.interval.low == pytest.approx(1 / (1 + np.exp(half - logit)), abs=1e-9)


def test_swapped_risks_on_different_scales_are_compared_by_their_ranks(tmp_path):
    text, *_ = table()
    lines = text.splitlines()
    rows = [f"{line},{float(line.split(',')[4]) * 1000 + 7}" for line in lines[1:]]
    (tmp_path / "p.csv").write_text("\n".join([lines[0] + ",scaled", *rows]) + "\n")
    (tmp_path / "s.eval").write_text(
        "evallang 1\nstudy\n  seed 1\n"
        'predictions p from "p.csv"\n  id id\n  truth months\n  event died\n'
        '  score a = "risk"\n  score b = "scaled"\n'
        "compare with permutation\nreport html\n"
    )
    (compared,) = ev.run(tmp_path / "s.eval", store="off").record.comparisons
    assert compared.pairwise[0].p == 1
