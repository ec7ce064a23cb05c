"""What every hypothesis test promises, whoever wrote it."""

import itertools
import math
import warnings

import numpy as np
import pytest
from evidence import REQUIRED, arguments, cases_of
from many_cases import for_each
from validity import assert_shortfalls_are_stated, assert_validity
from worked_examples import assert_documented, assert_example, entries_of, examples_of

from evallang.evidence import FOLD_SCORES
from evallang.results.codec import from_plain, to_plain
from evallang.results.records import HypothesisTestResult
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.resampling import PairedCountSample


def settings_of(entry):
    """Give every word an author may choose, one at a time, with few rounds."""
    words = [(o.name, word) for o in entry.options for word in o.words if word != o.default]
    fixed = {o.name: REQUIRED[o.name] for o in entry.options if o.required}
    few = {o.name: 200 for o in entry.options if o.name in ("rounds", "samples")}
    return [fixed | few, *({name: word} | fixed | few for name, word in words)]


# Those over data sets have a suite of their own, test_comparisons_over_data.py
ON_ONE_DATA_SET = [entry for entry in HYPOTHESIS_TESTS if not entry.declaration.across_data]
CASES = [
    pytest.param(entry, given, turned, settings, id=f"{entry.name}-{settings}-{number}")
    for entry in ON_ONE_DATA_SET
    for settings in settings_of(entry)
    for number, (given, turned) in enumerate(cases_of(entry))
    if settings.get("alternative") is None or np.shape(given.get("row_scores", ((0, 0),)))[1] == 2
]
PAIRS = [case for case in CASES if case.values[0].declaration.models == (2, 2)]
# Non-inferiority has a direction; resamples of counts are drawn cell by cell, and swapping the
# models moves the cells
SYMMETRIC = [
    case
    for case in PAIRS
    if case.values[0].name != "noninferiority"
    and case.values[3].get("alternative") not in ("greater", "less")
    and not isinstance(case.values[1].get("sample"), PairedCountSample)
]
ONE_SIDED = [
    case
    for case in PAIRS
    if case.values[3].get("alternative") == "greater"
    and not isinstance(case.values[1].get("sample"), PairedCountSample)
]
OMNIBUS = [
    case
    for case in CASES
    if case.values[0].declaration.omnibus and "alternative" not in case.values[3]
]
WITH_LEVEL = [entry for entry in entries_of(ON_ONE_DATA_SET) if "level" in entry.values[0].inputs]


@for_each(("entry", "example"), examples_of(HYPOTHESIS_TESTS))
def test_a_worked_example_comes_out_as_published(entry, example):
    assert_example(entry, example)


@for_each(("entry", "example"), examples_of(EFFECT_SIZES))
def test_a_worked_example_of_an_effect_size_comes_out_as_published(entry, example):
    assert_example(entry, example)


@for_each("entry", entries_of(HYPOTHESIS_TESTS))
def test_a_test_is_documented_and_takes_known_evidence(entry):
    assert_documented(entry)
    assert entry.references
    assert entry.declaration.null
    assert entry.declaration.when


def test_a_test_that_needs_another_protocol_names_it():
    with_protocol = [entry for entry in HYPOTHESIS_TESTS if entry.declaration.implied is not None]
    assert with_protocol
    for entry in with_protocol:
        assert FOLD_SCORES in entry.declaration.evidence, entry.name
        assert entry.declaration.designs, entry.name


@for_each("entry, given, turned, settings", CASES)
def test_any_evidence_gives_a_result_without_warning_or_nan(entry, given, turned, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = entry.function(*arguments(entry, given), **settings)
    assert isinstance(result, HypothesisTestResult)
    assert result.test == entry.name
    assert result.variant
    assert result.null
    plain = to_plain(result)  # refuses NaN
    assert to_plain(from_plain(HypothesisTestResult, plain)) == plain
    if result.p is None and not entry.declaration.bayesian:
        assert result.notes, "an undefined p says why"
    if result.p is not None:
        assert 0.0 <= result.p <= 1.0
        assert isinstance(result.p, float)
    for effect in result.effects:
        assert effect.name in EFFECT_SIZES
        if effect.low is not None and effect.high is not None:
            assert effect.low <= effect.value <= effect.high


@for_each("entry, given, turned, settings", PAIRS)
def test_a_test_of_two_models_estimates_their_difference(entry, given, turned, settings):
    estimate = entry.function(*arguments(entry, given), **settings).estimate
    one_sided = "margin" in settings  # p <= alpha is the interval of level 1 - 2 alpha
    assert estimate.level == pytest.approx(0.9 if one_sided else 0.95)
    if estimate.low is not None:
        assert estimate.low <= estimate.value <= estimate.high


@for_each("entry, given, turned, settings", SYMMETRIC)
def test_swapping_the_models_swaps_the_difference_and_nothing_else(entry, given, turned, settings):
    one = entry.function(*arguments(entry, given), **settings)
    other = entry.function(*arguments(entry, turned), **settings)
    assert other.p == pytest.approx(one.p, rel=1e-12) if one.p else other.p == one.p
    assert other.variant == one.variant
    assert mirrored(one.estimate.value, other.estimate.value)
    assert mirrored(one.estimate.low, other.estimate.high)
    assert mirrored(one.estimate.high, other.estimate.low)
    if one.statistic is not None and one.statistic.name in ("t", "z"):
        assert mirrored(one.statistic.value, other.statistic.value)
    elif one.statistic is not None:
        assert other.statistic == one.statistic


@for_each("entry, given, turned, settings", ONE_SIDED)
def test_swapping_the_models_swaps_the_sides(entry, given, turned, settings):
    one = entry.function(*arguments(entry, given), **settings)
    other = entry.function(*arguments(entry, turned), **settings | {"alternative": "less"})
    # counts are swapped by other draws when the models change places: 5 Monte Carlo errors
    drawn = 5 * math.sqrt(2) * one.extra.get("mc_se", 0.0)
    assert other.p == (pytest.approx(one.p, rel=1e-9, abs=drawn) if one.p else one.p)
    both = entry.function(*arguments(entry, given), **settings | {"alternative": "two_sided"})
    if one.p is None:
        assert both.p is None
        return
    # Two tails hold each outcome at least once, and a sided p is half of the two-sided one or
    # more; random swaps and mid-p add half an outcome, and draws their error
    least = min(one.p, entry.function(
        *arguments(entry, given), **settings | {"alternative": "less"}
    ).p)  # fmt: skip
    assert both.p <= 2 * least * (1 + 1e-9) + 0.02 + drawn
    assert "one-sided: greater" in one.variant
    assert "larger value" in one.null
    assert (one.estimate.low, one.estimate.high) == (both.estimate.low, both.estimate.high)


def mirrored(one, other):
    """Tell whether two numbers are each other's negative, or both undefined."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, -other, rel_tol=1e-9, abs_tol=1e-14)


@for_each("entry, given, turned, settings", OMNIBUS)
def test_the_order_of_the_models_does_not_matter_to_an_omnibus(entry, given, turned, settings):
    one = entry.function(*arguments(entry, given), **settings)
    other = entry.function(*arguments(entry, turned), **settings)
    assert (one.p, other.p) == (None, None) or other.p == pytest.approx(one.p, rel=1e-9)
    assert (other.variant, other.df, other.notes) == (one.variant, one.df, one.notes)


@for_each("entry, given, turned, settings", PAIRS)
def test_a_higher_level_widens_the_interval_of_the_difference(entry, given, turned, settings):
    found = [
        entry.function(*arguments(entry, given, level=level), **settings).estimate
        for level in (0.5, 0.9, 0.95, 0.999)
    ]
    for narrow, wide in itertools.pairwise(found):
        # The exact interval of few values ends where a level is out of reach
        if narrow.low is not None and wide.low is not None:
            assert wide.low <= narrow.low <= narrow.high <= wide.high


@for_each("entry", WITH_LEVEL)
def test_a_level_outside_0_and_1_is_refused(entry):
    given, _ = cases_of(entry)[0]
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="between 0 and 1"):
            entry.function(*arguments(entry, given, level=level), **settings_of(entry)[0])


@for_each("entry", entries_of(HYPOTHESIS_TESTS))
def test_a_test_declares_from_which_number_on_it_holds(entry):
    assert_validity(entry)


@for_each("entry, given, turned, settings", CASES)
def test_fewer_than_a_test_declares_leave_the_note_or_no_p(entry, given, turned, settings):
    found = entry.function(*arguments(entry, given), **settings)
    assert_shortfalls_are_stated(entry, arguments(entry, given), found)
