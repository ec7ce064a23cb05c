"""The correction of many McNemar tests against enumeration, a plain loop and its promise."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from evallang.stats.corrections.correction import holm
from evallang.stats.corrections.pairwise_corrections import westfall
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.contingency import mcnemar


def exact_p(counts, pairs):
    return [mcnemar(counts.pair(i, j), method="exact").p for i, j in pairs]


def drawn(seed, n, models, right=0.8):
    return np.random.default_rng(seed).random((n, models)) < right


def discrete_by_definition(tables):
    """Step down by the sums of P(exact p <= p), each by listing all outcomes."""
    p = [stats.binomtest(b, b + c).pvalue if b + c else 1.0 for b, c in tables]
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, running = [0.0] * len(p), 0.0
    for i, place in enumerate(order):
        total = 0.0
        for other in order[i:]:
            n = sum(tables[other])
            outcomes = [stats.binomtest(x, n).pvalue if n else 1.0 for x in range(n + 1)]
            chances = stats.binom.pmf(range(n + 1), n, 0.5)
            close = p[place] * (1 + 1e-9)
            total += sum(chance for chance, q in zip(chances, outcomes, strict=True) if q <= close)
        running = max(running, min(total, 1.0))
        adjusted[place] = running
    return adjusted


@pytest.mark.parametrize("seed", range(8))
def test_exact_sums_the_attainable_levels_of_the_pairs_left(seed):
    matrix = drawn(seed, 15, 4)
    pairs = list(itertools.combinations(range(4), 2))
    counts = count_correct(matrix)
    tables = [(counts.pair(i, j)[0][1], counts.pair(i, j)[1][0]) for i, j in pairs]
    found = westfall(exact_p(counts, pairs), matrix, pairs)
    assert found == pytest.approx(discrete_by_definition(tables), rel=1e-9)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 60))
def test_exact_is_never_above_holm_and_never_below_the_exact_p(seed, n):
    matrix = drawn(seed, n, 4, 0.7)
    pairs = list(itertools.combinations(range(4), 2))
    p = exact_p(count_correct(matrix), pairs)
    found = westfall(p, matrix, pairs)
    for value, plain, raw in zip(found, holm(p), p, strict=True):
        assert raw * (1 - 1e-12) <= value <= plain * (1 + 1e-9)


def test_counts_and_rows_give_the_same():
    matrix = drawn(1, 300, 5)
    pairs = list(itertools.combinations(range(5), 2))
    p = exact_p(count_correct(matrix), pairs)
    assert westfall(p, count_correct(matrix), pairs) == westfall(p, matrix, pairs)
    with pytest.raises(ValueError, match="every example"):
        westfall(p, count_correct(matrix), pairs, method="bootstrap")


def test_the_bootstrap_is_that_of_resampled_rows():
    # 1,500 resamples of the rows themselves, one by one: standard error at most .013
    matrix = drawn(2, 80, 3, 0.75)
    pairs = [(0, 1), (0, 2), (1, 2)]
    d = np.column_stack([matrix[:, i].astype(int) - matrix[:, j] for i, j in pairs])
    mean, n = d.mean(axis=0), len(d)
    t = abs(mean) / d.std(axis=0) * n**0.5
    rng = np.random.default_rng(3)
    replicates = []
    for _ in range(1500):
        sample = d[rng.integers(0, n, n)]
        replicates.append(abs(sample.mean(axis=0) - mean) / sample.std(axis=0) * n**0.5)
    z, order = np.array(replicates), np.argsort(-t)
    expected, running = [0.0] * 3, 0.0
    for i, place in enumerate(order):
        running = max(running, (z[:, order[i:]].max(axis=1) >= t[place]).mean())
        expected[place] = running
    p = [mcnemar(count_correct(matrix).pair(i, j)).p for i, j in pairs]
    found = westfall(p, matrix, pairs, 5, method="bootstrap")
    assert found == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("method", ["exact", "bootstrap"])
def test_models_that_never_differ_have_p_1(method):
    matrix = np.repeat(drawn(3, 40, 1), 3, axis=1)
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert westfall([1.0] * 3, matrix, pairs, method=method) == (1.0, 1.0, 1.0)
    empty = np.zeros((0, 3), dtype=bool)
    assert westfall([1.0] * 3, empty, pairs, method=method) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("method", ["exact", "bootstrap"])
def test_an_undefined_p_stays_undefined_and_counts_as_1(method):
    matrix = drawn(4, 200, 3, 0.8)
    matrix[:30, 0] = True
    matrix[:30, 1] = False
    pairs = [(0, 1), (0, 2), (1, 2)]
    p = exact_p(count_correct(matrix), pairs)
    found = westfall([p[0], None, p[2]], matrix, pairs, method=method)
    assert found[1] is None
    # 10,000 rounds resolve a thousandth
    assert found[0] == pytest.approx(holm([p[0], 1.0, p[2]])[0], abs=1e-3)


@pytest.mark.parametrize("method", ["exact", "bootstrap"])
def test_an_empty_family_has_no_values(method):
    assert westfall([], drawn(5, 10, 2), [], method=method) == ()


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="one pair"):
        westfall([0.1, 0.2], drawn(5, 10, 2), [(0, 1)])
    with pytest.raises(ValueError, match="between 0 and 1"):
        westfall([1.5], drawn(5, 10, 2), [(0, 1)])
