"""A pair read from its other model: every number with a direction is turned, no other."""

import math

import drawn_statistics
import pytest
from hypothesis import given, strategies as st

from evallang.reporting.contrasts import as_lead, contrast, turned
from evallang.results.records import (
    Difference,
    Effect,
    HypothesisTestResult,
    SimultaneousInterval,
    Statistic,
)

numbers = st.floats(-9, 9).map(lambda x: round(x, 6) + 0.0)
counts = st.integers(0, 99)


@st.composite
def pairs(draw):
    low, value, high = sorted(draw(st.tuples(numbers, numbers, numbers)))
    return HypothesisTestResult(
        "mcnemar",
        "midp",
        "no difference",
        Statistic(draw(st.sampled_from(["t", "z", "F", "chi2", "Q"])), draw(numbers)),
        (9.0,),
        draw(st.floats(0, 1)),
        ("a", "b"),
        estimate=Difference("difference", value, low, high, 0.95, "tango"),
        simultaneous=SimultaneousInterval(low, high, 0.95, "tango"),
        effects=(
            Effect("Cohen's d_z", draw(numbers), signed=True),
            Effect("eta^2_Q", draw(st.floats(0, 1)), signed=False),
        ),
        table=((draw(counts), draw(counts)), (draw(counts), draw(counts))),
        extra={"p_first": 0.7, "p_rope": 0.2, "p_second": 0.1, "mc_se": 0.01},
    )


@given(pairs())
def test_turning_twice_gives_the_same_pair(pair):
    assert turned(turned(pair)) == pair


@given(pairs())
def test_what_has_a_direction_is_turned_and_the_rest_stays(pair):
    other = turned(pair)
    assert other.models == ("b", "a")
    assert (other.p, other.df, other.test) == (pair.p, pair.df, pair.test)
    (a, b), (c, d) = pair.table
    assert other.table == ((a, c), (b, d))
    sign = -1 if pair.statistic.name in ("t", "z") else 1
    assert other.statistic.value == sign * pair.statistic.value
    assert other.estimate.value == -pair.estimate.value
    assert (other.estimate.low, other.estimate.high) == (-pair.estimate.high, -pair.estimate.low)
    assert other.effects[0].value == -pair.effects[0].value
    assert other.effects[1] == pair.effects[1]
    assert other.extra == {"p_first": 0.1, "p_rope": 0.2, "p_second": 0.7, "mc_se": 0.01}


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_turned_pair_is_the_test_of_the_models_in_the_other_order(b, c):
    made = turned(drawn_statistics.mcnemar(("a", "b"), 500, b, c, 9))
    expected = drawn_statistics.mcnemar(("b", "a"), 500, c, b, 9)
    assert made.table == expected.table
    assert made.estimate.low == pytest.approx(expected.estimate.low, abs=1e-12)
    assert made.estimate.high == pytest.approx(expected.estimate.high, abs=1e-12)
    ratio, wanted = made.effects[0], expected.effects[0]
    for mine, theirs in ((ratio.value, wanted.value), (ratio.low, wanted.low),
                         (ratio.high, wanted.high)):  # fmt: skip
        if theirs is None or math.isinf(theirs):
            assert mine == theirs
        else:
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_a_contrast_has_its_own_model_first_in_the_pair():
    found = contrast(drawn_statistics.mcnemar(("a", "b"), 500, 3, 12, 9), "b")
    assert (found.model, found.other) == ("b", "a")
    assert found.pair.models == ("b", "a")
    assert found.pair.table == ((500, 12), (3, 9))
    assert found.value == pytest.approx(9 / 524, abs=1e-15)  # (12 - 3) / 524


def test_a_lead_of_smaller_values_is_told_without_a_minus_sign():
    found = HypothesisTestResult(
        "corrected_t",
        "t",
        "no difference",
        models=("ridge", "forest"),
        statistic=Statistic("t", -0.5),
        effects=(Effect("Cohen's d_z", -0.25, -1.0, 0.5, signed=True),),
    )
    led = as_lead(found)
    assert led.models == found.models
    assert led.statistic == Statistic("t", 0.5)
    assert led.effects == (Effect("Cohen's d_z", 0.25, -0.5, 1.0, signed=True),)


def test_counts_of_a_lead_keep_their_models():
    found = drawn_statistics.mcnemar(("a", "b"), 500, 3, 12, 9)
    assert as_lead(found) is found
