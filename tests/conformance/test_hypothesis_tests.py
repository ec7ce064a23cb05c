"""What every hypothesis test promises, whoever wrote it."""

import itertools
import math
import warnings

import numpy as np
import pytest
from worked_examples import assert_documented, assert_example, entries_of, examples_of

from evallang.registry import Design, Evidence
from evallang.results.codec import from_plain, to_plain
from evallang.results.records import HypothesisTestResult
from evallang.stats.effect_sizes import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS, INPUTS

TABLES = [
    ((0, 0), (0, 0)),  # no examples
    ((1, 0), (0, 0)),  # one example
    ((0, 1), (0, 0)),
    ((0, 0), (0, 1)),
    ((10, 0), (0, 10)),  # b + c = 0
    ((10, 0), (0, 0)),  # both perfect
    ((0, 0), (0, 10)),  # both always wrong
    ((7, 3), (0, 0)),  # the first perfect
    ((0, 0), (5, 0)),  # the second perfect, the first always wrong
    ((10, 5), (5, 10)),  # b = c
    ((80, 9), (3, 8)),
    ((9_999_000, 600), (300, 100)),
]
RANDOM = np.random.default_rng(7)
MATRICES = [
    np.ones((1, 3), dtype=bool),  # one example
    np.zeros((5, 3), dtype=bool),  # all wrong
    np.ones((5, 4), dtype=bool),  # all right
    np.tile([True, False, True], (6, 1)),  # no variation within a model
    np.repeat([[True], [False]], [4, 5], axis=0).repeat(3, axis=1),  # identical models
    RANDOM.random((12, 3)) < 0.7,
    RANDOM.random((400, 6)) < 0.9,
    np.zeros((0, 3), dtype=bool),  # no examples
]
# Third: equal in decimals, not in binary; fourth: constant difference up to rounding
FOLD_SCORES = [
    (np.array([0.9, 0.8, 0.7, 0.85]), np.array([0.8, 0.85, 0.6, 0.7])),
    (np.full(4, 0.5), np.full(4, 0.5)),
    (np.array([0.3, 0.6, 0.7]), np.array([0.1 + 0.2, 0.2 + 0.4, 0.7])),
    (np.array([0.3, 0.6, 1.1]), np.array([0.2, 0.5, 1.0])),
    (np.array([0.9, np.nan, 0.7, 0.8]), np.array([0.8, 0.85, 0.6, np.nan])),
    (np.array([0.9]), np.array([0.8])),
    (np.array([]), np.array([])),
    (np.array([np.inf, 1.0, 2.0]), np.array([1.0, 1.0, 1.0])),
]
TENS = [
    (RANDOM.random((5, 2)), RANDOM.random((5, 2))),
    (np.full((5, 2), 0.5), np.full((5, 2), 0.5)),
    (np.full((5, 2), 0.3), np.full((5, 2), 0.1 + 0.2)),
    (np.full((5, 2), 0.6), np.full((5, 2), 0.1)),
    (np.where(np.eye(5, 2) > 0, np.nan, 0.5), np.full((5, 2), 0.1)),
]


def evidence_for(entry):
    """Give arguments for every shape of evidence, degenerate ones included."""
    if "table" in entry.inputs:
        return [(table, 0.95) for table in TABLES]
    if "correct" in entry.inputs:
        return [(matrix,) for matrix in MATRICES]
    pairs = TENS if entry.declaration.designs == {Design.FIVE_BY_TWO} else FOLD_SCORES
    if "n_train" in entry.inputs:
        return [(x, y, np.full(len(x), 70), np.full(len(x), 10), 0.95) for x, y in pairs]
    return [(x, y, 0.95) for x, y in pairs]


def settings_of(entry):
    """Give every combination of the words an author may choose."""
    words = [[(o.name, word) for word in o.words] for o in entry.options if o.words]
    return [dict(choice) for choice in itertools.product(*words)]


CASES = [
    pytest.param(entry, arguments, settings, id=f"{entry.name}-{settings}-{number}")
    for entry in HYPOTHESIS_TESTS
    for settings in settings_of(entry)
    for number, arguments in enumerate(evidence_for(entry))
]
PAIRS = [case for case in CASES if case.values[0].declaration.models == (2, 2)]
OMNIBUS = [case for case in CASES if "correct" in case.values[0].inputs]
WITH_LEVEL = [entry for entry in entries_of(HYPOTHESIS_TESTS) if "level" in entry.values[0].inputs]


@pytest.mark.parametrize(("entry", "example"), examples_of(HYPOTHESIS_TESTS))
def test_a_worked_example_comes_out_as_published(entry, example):
    assert_example(entry, example)


@pytest.mark.parametrize(("entry", "example"), examples_of(EFFECT_SIZES))
def test_a_worked_example_of_an_effect_size_comes_out_as_published(entry, example):
    assert_example(entry, example)


@pytest.mark.parametrize("entry", entries_of(HYPOTHESIS_TESTS))
def test_a_test_is_documented_and_takes_known_evidence(entry):
    assert_documented(entry, INPUTS)
    assert entry.references
    assert entry.declaration.null
    assert entry.declaration.when


@pytest.mark.parametrize("entry", entries_of(HYPOTHESIS_TESTS))
def test_a_test_that_needs_another_protocol_names_it(entry):
    if entry.declaration.implied is not None:
        assert Evidence.FOLD_SCORES in entry.declaration.evidence
        assert entry.declaration.designs


@pytest.mark.parametrize(("entry", "arguments", "settings"), CASES)
def test_any_evidence_gives_a_result_without_warning_or_nan(entry, arguments, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = entry.function(*arguments, **settings)
    assert isinstance(result, HypothesisTestResult)
    assert result.test == entry.name
    assert result.variant
    assert result.null
    plain = to_plain(result)  # refuses NaN
    assert to_plain(from_plain(HypothesisTestResult, plain)) == plain
    if result.p is None:
        assert result.notes, "an undefined p says why"
    else:
        assert 0.0 <= result.p <= 1.0
        assert isinstance(result.p, float)
    for effect in result.effects:
        assert effect.name in EFFECT_SIZES
        if effect.low is not None and effect.high is not None:
            assert effect.low <= effect.value <= effect.high


@pytest.mark.parametrize(("entry", "arguments", "settings"), PAIRS)
def test_a_test_of_two_models_estimates_their_difference(entry, arguments, settings):
    estimate = entry.function(*arguments, **settings).estimate
    assert estimate.level == 0.95
    if estimate.low is not None:
        assert estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize(("entry", "arguments", "settings"), PAIRS)
def test_swapping_the_models_swaps_the_difference_and_nothing_else(entry, arguments, settings):
    if "table" in entry.inputs:
        (a, b), (c, d) = arguments[0]
        swapped = (((a, c), (b, d)), *arguments[1:])
    else:
        swapped = (arguments[1], arguments[0], *arguments[2:])
    one, other = entry.function(*arguments, **settings), entry.function(*swapped, **settings)
    assert other.p == pytest.approx(one.p, rel=1e-12) if one.p else other.p == one.p
    assert other.variant == one.variant
    assert mirrored(one.estimate.value, other.estimate.value)
    assert mirrored(one.estimate.low, other.estimate.high)
    assert mirrored(one.estimate.high, other.estimate.low)
    if one.statistic is not None and one.statistic.name in ("t", "z"):
        assert mirrored(one.statistic.value, other.statistic.value)
    elif one.statistic is not None:
        assert other.statistic == one.statistic


def mirrored(one, other):
    """Tell whether two numbers are each other's negative, or both undefined."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, -other, rel_tol=1e-9, abs_tol=1e-14)


@pytest.mark.parametrize(("entry", "arguments", "settings"), OMNIBUS)
def test_the_order_of_the_models_does_not_matter_to_an_omnibus(entry, arguments, settings):
    one = entry.function(arguments[0], **settings)
    other = entry.function(arguments[0][:, ::-1], **settings)
    assert to_plain(one) == to_plain(other)


@pytest.mark.parametrize(("entry", "arguments", "settings"), PAIRS)
def test_a_higher_level_widens_the_interval_of_the_difference(entry, arguments, settings):
    found = [
        entry.function(*arguments[:-1], level, **settings).estimate
        for level in (0.5, 0.9, 0.95, 0.999)
    ]
    for narrow, wide in itertools.pairwise(found):
        if narrow.low is not None:
            assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.parametrize("entry", WITH_LEVEL)
def test_a_level_outside_0_and_1_is_refused(entry):
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="between 0 and 1"):
            entry.function(*evidence_for(entry)[0][:-1], level)
