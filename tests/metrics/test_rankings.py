"""Rankings by query: against scikit-learn and all orders of ties, and as a study reads them."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from sklearn.metrics import average_precision_score, ndcg_score

import evallang as ev
from evallang.metrics.metric import METRICS


def value(name, relevance, score, **options):
    query = np.column_stack([relevance, score]).astype(float)
    return METRICS[name].function(None, [query], None, **options)[0]


def drawn(seed, most=8):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, most))
    relevance = rng.integers(0, 4, rows)
    relevance[rng.integers(rows)] = 2
    return relevance.astype(float), rng.integers(0, 5, rows).astype(float)


@for_each("at", [None, 1, 3, 20])
@for_each("seed", range(25))
def test_ndcg_equals_scikit_learn_with_ties(seed, at):
    relevance, score = drawn(seed, 30)
    found = value("ndcg", relevance, score, at=at)
    assert found == pytest.approx(ndcg_score([relevance], [score], k=at), abs=1e-12)
    found = value("ndcg", relevance, score, at=at, gain="exponential")
    assert found == pytest.approx(ndcg_score([2**relevance - 1], [score], k=at), abs=1e-12)


@for_each("seed", range(25))
def test_average_precision_of_a_query_equals_scikit_learn(seed):
    relevance, score = drawn(seed, 30)
    expected = average_precision_score(relevance > 0, score)
    assert value("mean_average_precision", relevance, score) == pytest.approx(expected, abs=1e-12)


@for_each("at", [None, 2])
@for_each("seed", range(25))
def test_the_reciprocal_rank_is_the_mean_over_all_orders_of_ties(seed, at):
    relevance, score = drawn(seed, 7)
    found = []
    for order in permutations(range(len(score))):
        if all(score[a] >= score[b] for a, b in pairwise(order)):
            place = 1 + next(i for i, row in enumerate(order) if relevance[row] > 0)
            found.append(1 / place if at is None or place <= at else 0.0)
    expected = np.mean(found)
    assert value("mean_reciprocal_rank", relevance, score, at=at) == pytest.approx(
        expected, abs=1e-12
    )


def test_a_query_without_a_relevant_row_has_no_value():
    for name in ("ndcg", "mean_average_precision", "mean_reciprocal_rank"):
        assert np.isnan(value(name, [0, 0], [1, 2]))


# --- in a study ------------------------------------------------------------------------------


def study(tmp_path, lines, queries=40, empty=0, clauses=""):
    rng = np.random.default_rng(3)
    rows, truth = [], {}
    for query in range(queries):
        n = int(rng.integers(3, 8))
        relevance = np.append(rng.integers(0, 3, n), 0 if query < empty else 1)
        if query < empty:
            relevance[:] = 0
        a, b = (relevance + rng.normal(size=len(relevance)) * s for s in (1.5, 0.7))
        truth[query] = relevance, a.round(3), b.round(3)
        rows += [
            f"q{query},s{query % 8},{r},{x},{y}"
            for r, x, y in zip(relevance, *truth[query][1:], strict=True)
        ]
    shuffled = np.random.default_rng(0).permutation(rows)
    (tmp_path / "p.csv").write_text("query,site,rel,a,b\n" + "\n".join(shuffled) + "\n")
    head = 'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  query query\n  truth rel\n'
    (tmp_path / "s.eval").write_text(
        f'{head}{clauses}  score a = "a"\n  score b = "b"\n{lines}\nreport html\n'
    )
    return ev.run(tmp_path / "s.eval", store="off").record, truth


def test_the_query_is_the_unit_of_estimates_intervals_and_tests(tmp_path):
    record, truth = study(tmp_path, "measure ndcg\ncompare with t")
    of_a, of_b = (
        np.array([ndcg_score([q[0]], [q[side]]) for q in truth.values()]) for side in (1, 2)
    )
    a = next(e for e in record.estimates if e.model == "a")
    assert (a.value, a.n) == (pytest.approx(of_a.mean(), abs=1e-12), 40)
    found = stats.bootstrap((of_a,), np.mean, n_resamples=20_000, random_state=1)
    expected = found.confidence_interval
    assert (a.interval.low, a.interval.high) == pytest.approx(
        (expected.low, expected.high), abs=0.003
    )  # Monte Carlo error of both
    (pair,) = record.comparisons[0].pairwise
    assert pair.p == pytest.approx(stats.ttest_rel(of_a, of_b).pvalue, rel=1e-9)


def test_queries_without_a_relevant_row_are_left_out_and_counted(tmp_path):
    record, truth = study(tmp_path, "measure mean_reciprocal_rank", empty=4)
    assert record.estimates[0].n == 36
    rows = sum(len(truth[q][0]) for q in range(4))
    assert (
        f"{rows} rows skipped, because their queries have no relevant row" in record.data[0].notes
    )


def test_groups_of_queries_are_the_unit(tmp_path):
    record, _ = study(tmp_path, "measure ndcg", clauses="  group site\n")
    assert record.data[0].groups == 8
    found = record.estimates[0]
    assert found.interval.low < found.value < found.interval.high
    assert found.interval.clusters.n == 8
    assert any(note.startswith("with fewer than 50 groups,") for note in found.notes)


def test_the_default_measure_is_ndcg(tmp_path):
    record, _ = study(tmp_path, "")
    assert {e.metric for e in record.estimates} == {"ndcg"}
