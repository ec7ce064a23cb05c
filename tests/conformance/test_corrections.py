"""What every correction promises, whoever wrote it."""

import itertools

import pytest
from hypothesis import given, settings, strategies as st
from many_cases import for_each
from worked_examples import assert_documented, assert_example, entries_of, examples_of

from evallang.stats.corrections.correction import CORRECTIONS, simultaneous_level

P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.05, 0.5, 1.0]), max_size=12)
# Those that need to know which models a p is about have a file of their own
ENTRIES = entries_of([entry for entry in CORRECTIONS if entry.inputs == ("p",)])
calmly = settings(deadline=None, max_examples=50)  # no test asserts on a clock


@for_each(("entry", "example"), examples_of(CORRECTIONS))
def test_a_worked_example_comes_out_as_published(entry, example):
    assert_example(entry, example)


@for_each("entry", ENTRIES)
def test_a_correction_is_documented_and_takes_p_values(entry):
    assert_documented(entry)
    assert entry.references or entry.name == "uncorrected"
    assert entry.declaration.when


@pytest.mark.parametrize("entry", ENTRIES)
@calmly
@given(p=P_VALUES)
def test_adjusted_values_are_no_smaller_and_at_most_1(entry, p):
    adjusted = entry.function(p)
    assert len(adjusted) == len(p)
    assert all(raw <= value <= 1 for raw, value in zip(p, adjusted, strict=True))


@pytest.mark.parametrize("entry", ENTRIES)
@calmly
@given(p=P_VALUES)
def test_adjusted_values_keep_the_order_of_the_raw_ones(entry, p):
    pairs = sorted(zip(p, entry.function(p), strict=True))
    values = [value for _, value in pairs]
    # Equal up to rounding: 3 * 0.1 and 0.30000000000000004
    assert all(x <= y * (1 + 1e-12) for x, y in itertools.pairwise(values))


@pytest.mark.parametrize("entry", ENTRIES)
@calmly
@given(p=P_VALUES, seed=st.randoms())
def test_each_hypothesis_gets_its_own_value_back_in_any_order(entry, p, seed):
    order = list(range(len(p)))
    seed.shuffle(order)
    adjusted = entry.function(p)
    shuffled = entry.function([p[i] for i in order])
    assert shuffled == pytest.approx(tuple(adjusted[i] for i in order), rel=1e-12)


@pytest.mark.parametrize("entry", ENTRIES)
@calmly
@given(p=st.floats(0, 1))
def test_a_single_hypothesis_is_not_corrected(entry, p):
    assert entry.function([p]) == pytest.approx((p,), rel=1e-12)


@for_each("entry", ENTRIES)
def test_an_empty_family_has_no_values(entry):
    assert entry.function([]) == ()


@for_each("entry", ENTRIES)
def test_an_undefined_p_counts_as_a_hypothesis_and_stays_undefined(entry):
    adjusted = entry.function([0.01, None, 0.02])
    assert adjusted[1] is None
    assert (adjusted[0], adjusted[2]) == tuple(entry.function([0.01, 1.0, 0.02])[i] for i in (0, 2))


@for_each("entry", ENTRIES)
@for_each("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(entry, wrong):
    with pytest.raises(ValueError, match="between 0 and 1"):
        entry.function([0.5, wrong])


@for_each("entry", ENTRIES)
def test_simultaneous_intervals_are_at_least_as_wide_and_equal_for_one_hypothesis(entry):
    if entry.declaration.simultaneous is None:
        assert simultaneous_level(entry.name, 0.95, 5, 3) is None
        return
    assert simultaneous_level(entry.name, 0.95, 1, 1) == pytest.approx(0.95, rel=1e-15)
    levels = [simultaneous_level(entry.name, 0.95, m, 1) for m in (1, 2, 10, 190)]
    assert levels == sorted(levels)
    assert levels[-1] < 1
