"""Stability of choices: counts, agreement of pairs and spreads, against sums written out here."""

from itertools import combinations
from statistics import mean, stdev

import numpy as np
import pytest

from evallang.analyses.searches import FoldSearch, SearchedParameter, Searches
from evallang.analyses.stability import stability_of

CHOSEN = [
    {"C": 1.0, "kernel": "rbf"},
    {"C": 10.0, "kernel": "rbf"},
    {"C": 1.0, "kernel": "linear"},
    {"C": 1.0, "kernel": "rbf"},
    {"C": 0.1, "kernel": "linear"},
]
INNER = [0.9, 0.8, 0.85, 0.95, 0.7]
TEST = [0.8, None, 0.75, 0.9, 0.6]


def searched(chosen=CHOSEN, C=(0.1, 1.0, 10.0, 100.0)):
    folds = tuple(
        FoldSearch(0, i, params, INNER[i % 5], TEST[i % 5], (params,), np.zeros((2, 1)), (0,))
        for i, params in enumerate(chosen)
    )
    parameters = (
        SearchedParameter("C", C, "[0.1, 1.0, 10.0, 100.0]"),
        SearchedParameter("kernel", ("linear", "rbf"), "[linear, rbf]"),
    )
    return Searches(parameters, 8, "accuracy", "higher", "best", folds)


def pairs_alike(values):
    pairs = list(combinations(values, 2))
    return sum(a == b for a, b in pairs) / len(pairs)


def test_every_candidate_is_counted_also_those_never_chosen():
    found = stability_of(searched())
    C, kernel = found.parameters
    assert [(c.value, c.count, c.share) for c in C.choices] == [
        (0.1, 1, 0.2), (1.0, 3, 0.6), (10.0, 1, 0.2), (100.0, 0, 0.0),
    ]  # fmt: skip
    assert [(c.value, c.count) for c in kernel.choices] == [("linear", 2), ("rbf", 3)]
    assert (C.modal_share, kernel.modal_share) == (0.6, 0.6)
    assert (C.at_smallest, C.at_largest) == (1, 0)
    assert (kernel.at_smallest, kernel.at_largest) == (None, None)


def test_agreement_is_the_share_of_equal_pairs():
    found = stability_of(searched())
    for parameter in found.parameters:
        values = [params[parameter.name] for params in CHOSEN]
        assert parameter.alike == pytest.approx(pairs_alike(values), abs=1e-15)
    assert found.alike == pytest.approx(pairs_alike(CHOSEN), abs=1e-15)
    assert found.parameters[0].by_chance == 0.25


def test_combinations_are_listed_the_most_frequent_first():
    found = stability_of(searched())
    assert [(dict(c.params), c.count) for c in found.combinations] == [
        ({"C": 1.0, "kernel": "rbf"}, 2),
        ({"C": 10.0, "kernel": "rbf"}, 1),
        ({"C": 1.0, "kernel": "linear"}, 1),
        ({"C": 0.1, "kernel": "linear"}, 1),
    ]
    assert found.modal_share == 0.4


def test_spreads_skip_what_is_undefined():
    found = stability_of(searched())
    assert found.inner.mean == pytest.approx(mean(INNER), abs=1e-15)
    assert found.inner.sd == pytest.approx(stdev(INNER), abs=1e-15)
    known = [value for value in TEST if value is not None]
    assert (found.test.n, found.test.lowest, found.test.highest) == (4, 0.6, 0.9)
    assert found.test.sd == pytest.approx(stdev(known), abs=1e-15)


def test_values_that_python_holds_for_equal_are_told_apart():
    chosen = [{"C": v, "kernel": "rbf"} for v in (1, 1.0, True)]
    found = stability_of(searched(chosen, C=(1, 1.0, True)))
    assert [c.count for c in found.parameters[0].choices] == [1, 1, 1]
    assert found.parameters[0].alike == 0


def test_of_a_distribution_the_chosen_values_are_listed_in_order():
    found = stability_of(searched(C=()))
    assert [c.value for c in found.parameters[0].choices] == [0.1, 1.0, 10.0]
    assert found.parameters[0].by_chance is None


def test_one_search_cannot_agree_with_itself():
    with pytest.raises(ValueError, match="fewer than two searches"):
        stability_of(searched(CHOSEN[:1]))
