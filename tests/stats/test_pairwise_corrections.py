"""Shaffer's and Bergmann-Hommel's corrections against scmamp and closed tests by enumeration."""

import csv
import itertools
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from evallang.stats.corrections import correction as registered
from evallang.stats.corrections.pairwise_corrections import bergmann_hommel, shaffer

REFERENCE = Path(__file__).parent / "reference"
SCMAMP = list(csv.DictReader((REFERENCE / "scmamp.csv").open(encoding="utf-8")))


def family(models):
    """p-values of all pairs of some models."""
    m = models * (models - 1) // 2
    return st.lists(st.floats(1e-9, 1), min_size=m, max_size=m)


def partitions(models):
    """All ways to divide a list into classes, the slow way."""
    if not models:
        yield []
        return
    head, *rest = models
    for smaller in partitions(rest):
        for i, block in enumerate(smaller):
            yield [*smaller[:i], [head, *block], *smaller[i + 1 :]]
        yield [[head], *smaller]


def exhaustive_sets(pairs):
    """Places of the pairs that are equal, for every partition of the models."""
    models = sorted({model for pair in pairs for model in pair})
    for classes in partitions(models):
        name = {model: k for k, block in enumerate(classes) for model in block}
        yield [place for place, (i, j) in enumerate(pairs) if name[i] == name[j]]


def closed_by_logic(p, pairs):
    """Largest |I| min p over the exhaustive sets that hold each pair."""
    adjusted = [0.0] * len(p)
    for chosen in exhaustive_sets(pairs):
        for place in chosen:
            value = min(len(chosen) * min(p[i] for i in chosen), 1.0)
            adjusted[place] = max(adjusted[place], value)
    return tuple(adjusted)


def shaffer_by_definition(p, pairs):
    """Multiply the i-th p by the largest attainable number of true hypotheses left."""
    counts = {len(chosen) for chosen in exhaustive_sets(pairs)}
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted, running = [0.0] * len(p), 0.0
    for i, place in enumerate(order):
        left = max(count for count in counts if count <= len(p) - i)
        running = max(running, min(left * p[place], 1.0))
        adjusted[place] = running
    return tuple(adjusted)


ALL_PAIRS_OF_4 = list(itertools.combinations(range(4), 2))
SOME_PAIRS = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (5, 6)]
TWO_METRICS = [*itertools.combinations(range(3), 2), *itertools.combinations(range(10, 13), 2)]


@pytest.mark.parametrize(("correction", "column"), [(shaffer, 3), (bergmann_hommel, 4)])
def test_the_adjusted_values_are_those_of_scmamp(correction, column):
    # Printed to seven digits there
    names = list(SCMAMP[0])
    p = [float(row["p"]) for row in SCMAMP]
    pairs = [(int(row["first"]), int(row["second"])) for row in SCMAMP]
    expected = [float(row[names[column]]) for row in SCMAMP]
    assert correction(p, pairs) == pytest.approx(expected, rel=1e-6)


@given(p=family(4))
def test_bergmann_hommel_is_the_closed_test_of_attainable_sets(p):
    assert bergmann_hommel(p) == pytest.approx(closed_by_logic(p, ALL_PAIRS_OF_4), rel=1e-12)


@given(p=family(4))
def test_shaffer_multiplies_by_the_largest_attainable_number(p):
    assert shaffer(p) == pytest.approx(shaffer_by_definition(p, ALL_PAIRS_OF_4), rel=1e-12)


@pytest.mark.parametrize("pairs", [SOME_PAIRS, TWO_METRICS])
@given(p=st.lists(st.floats(1e-9, 1), min_size=6, max_size=6))
def test_planned_pairs_and_several_metrics_have_their_own_logic(pairs, p):
    assert bergmann_hommel(p, pairs) == pytest.approx(closed_by_logic(p, pairs), rel=1e-12)
    assert shaffer(p, pairs) == pytest.approx(shaffer_by_definition(p, pairs), rel=1e-12)


@given(p=family(5))
def test_bergmann_hommel_rejects_what_shaffer_does_and_shaffer_what_holm_does(p):
    for sharp, plain in zip(bergmann_hommel(p), shaffer(p), strict=True):
        assert sharp <= plain * (1 + 1e-12)
    for sharp, plain in zip(shaffer(p), registered.holm(p), strict=True):
        assert sharp <= plain * (1 + 1e-12)


@given(p=st.lists(st.floats(1e-9, 1), min_size=4, max_size=4))
def test_pairs_against_one_model_are_holms(p):
    pairs = [(0, 1), (2, 0), (0, 3), (4, 0)]
    expected = registered.holm(p)
    assert shaffer(p, pairs) == pytest.approx(expected, rel=1e-12)
    assert bergmann_hommel(p, pairs) == pytest.approx(expected, rel=1e-12)


@given(p=family(4), seed=st.randoms())
def test_each_pair_gets_its_own_value_back_in_any_order(p, seed):
    order = list(range(6))
    seed.shuffle(order)
    for correction in (shaffer, bergmann_hommel):
        adjusted = correction(p)
        shuffled = correction([p[i] for i in order], [ALL_PAIRS_OF_4[i] for i in order])
        assert shuffled == pytest.approx([adjusted[i] for i in order], rel=1e-12)


def test_many_models_are_no_matter_to_shaffer():
    m = 40 * 39 // 2
    assert shaffer([0.5 / m] * m)[0] == pytest.approx(0.5, rel=1e-12)
    # All pairs but one of twelve models: Holm's multipliers, which are valid and no sharper
    pairs = list(itertools.combinations(range(12), 2))[1:]
    p = [(i + 1) / 1000 for i in range(len(pairs))]
    assert shaffer(p, pairs) == pytest.approx(registered.holm(p), rel=1e-12)


def test_ten_models_are_too_many_for_bergmann_hommel():
    assert len(bergmann_hommel([0.01] * 36)) == 36
    with pytest.raises(ValueError, match="at most 9 models, and here are 10"):
        bergmann_hommel([0.01] * 45)
    # Two metrics of six models are two parts, and not twelve models
    pairs = [(i + k, j + k) for k in (0, 6) for i, j in itertools.combinations(range(6), 2)]
    assert bergmann_hommel([0.01] * 30, pairs)[0] == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("correction", [shaffer, bergmann_hommel])
def test_pairs_fit_the_p_values(correction):
    with pytest.raises(ValueError, match="`pairs` is needed"):
        correction([0.1, 0.2])
    for pairs in ([(0, 1)], [(0, 1), (1, 0)], [(0, 1), (2, 2)]):
        with pytest.raises(ValueError, match="one pair of two models"):
            correction([0.1, 0.2], pairs)


def test_a_pair_with_a_smaller_p_may_have_a_larger_adjusted_one():
    # Pairs of 0 to 3; only 2-3 can be equal together with 0-1
    p = [0.03, 0.2, 0.2, 0.2, 0.2, 0.031]
    expected = closed_by_logic(p, ALL_PAIRS_OF_4)
    assert bergmann_hommel(p) == pytest.approx(expected, rel=1e-12)
