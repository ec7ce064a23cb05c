"""Ticks are round, few, and around what is drawn."""

import pytest
from hypothesis import given, settings, strategies as st

from evallang.reporting.figures.figure import Axis, round_ticks
from evallang.reporting.numbers import Scale, fixed

ENDS = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(low=ENDS, length=st.floats(1e-3, 1e6), most=st.integers(3, 8))
@settings(max_examples=300)
def test_ticks_enclose_the_ends_in_a_few_round_steps(low, length, most):
    high = low + length
    ticks = round_ticks(low, high, most)
    step = ticks[1] - ticks[0]
    slack = 1e-6 * step
    assert ticks[0] <= low + slack
    assert high - slack <= ticks[-1]
    assert sum(low - slack <= t <= high + slack for t in ticks) >= 2
    assert f"{step:.4e}"[:6] in {"1.0000", "2.0000", "2.5000", "5.0000"}
    # a smaller step than needed is taken only so that two ticks are inside
    assert len(ticks) <= 2 * most + 2


def test_ends_on_a_tick_add_no_other():
    assert Axis(0.95, 1.0, 0, 100).ticks == [0.95, 0.96, 0.97, 0.98, 0.99, 1.0]
    assert Axis(50, 100, 0, 100).ticks == [50, 60, 70, 80, 90, 100]


def test_ends_that_coincide_or_overflow_still_make_a_scale():
    for low, high in [(3, 3), (0, 0), (5e-324, 1e-323), (1, 1 + 1e-15), (-1e308, 1e308)]:
        axis = Axis(low, high, 0, 100)
        assert axis.low < axis.high
        assert 0 <= axis(low) <= axis(high) <= 100


@pytest.mark.parametrize("factor", [1e40, 1e-40])
def test_ticks_of_huge_and_tiny_values_differ_and_are_printed_with_a_power(factor):
    axis = Axis(1.1 * factor, 3.9 * factor, 0, 100)
    plain = Axis(1.1, 3.9, 0, 100)
    assert axis.ticks == pytest.approx([tick * factor for tick in plain.ticks], rel=1e-9)
    texts = [fixed(tick, Scale(axis.decimals)) for tick in axis.ticks if tick]
    assert len(set(texts)) == len(texts)
    assert all("10" in text and len(text) < 15 for text in texts)


@pytest.mark.parametrize(
    ("low", "high", "possible", "ticks"),
    [
        (0.96, 1.03, (0.0, 1.0), [0.96, 0.98, 1.0]),  # a bar of one standard deviation
        (1.0, 1.0, (0.0, 1.0), [0.99, 0.995, 1.0]),  # all folds right
        (-0.05, 0.12, (0.0, None), [0.0, 0.05, 0.1, 0.15]),
        (0.2, 0.9, (None, None), [0.2, 0.4, 0.6, 0.8, 1.0]),
        (1.4, 2.9, (1.0, 3.0), [1.0, 1.5, 2.0, 2.5, 3.0]),  # ranks of three models
    ],
)
def test_no_tick_is_at_a_value_that_cannot_exist(low, high, possible, ticks):
    axis = Axis(low, high, 0, 100, possible=possible)
    assert axis.ticks == pytest.approx(ticks, abs=1e-12)
    assert axis.low <= low and high <= axis.high  # what is beyond a bound is drawn all the same


@given(low=st.floats(0, 1), length=st.floats(0, 1), most=st.integers(3, 8))
@settings(max_examples=200)
def test_scales_of_shares_have_ticks_from_0_to_1(low, length, most):
    axis = Axis(low, low + length, 0, 100, most, (0.0, 1.0))
    assert axis.ticks and min(axis.ticks) >= -1e-9 and max(axis.ticks) <= 1 + 1e-9


def test_an_axis_is_broken_before_spans_far_from_its_values():
    axis = Axis(90.0, 98.0, 0.0, 200.0, far=[(58.7, 66.6), (120.0, 121.0)])
    below, main, above = axis.parts
    assert below[3] < main[2] < main[3] < above[2]
    places = [axis(value) for value in (58.7, 66.6, 90.0, 98.0, 120.0, 121.0)]
    assert places == sorted(places)
    assert places[0] >= 0.0 and places[-1] <= 200.0
    assert main[2] <= places[2] < places[3] <= main[3]
    assert axis.low <= 90.0 and axis.high >= 98.0  # of the main part
    assert [tick for tick in axis.ticks if tick < 90.0] == [63.0]


def test_a_value_far_from_all_others_has_a_tick_of_its_own():
    axis = Axis(0.95, 0.99, 0.0, 100.0, far=[(0.5, 0.5)])
    assert 0.5 in axis.ticks
    assert axis(0.5) < axis.parts[1][2] <= axis(0.95)
