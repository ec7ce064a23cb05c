"""The order of pairs: better minus worse, with every number that has a direction, and no other."""

import math

import drawn_statistics
import pytest
from hypothesis import given, strategies as st

from evallang.reporting.contrasts import contrast
from evallang.reporting.orientation import turned
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


def test_a_contrast_has_the_numbers_of_its_pair_whichever_model_it_is_about():
    pair = drawn_statistics.mcnemar(("a", "b"), 500, 12, 3, 9)
    for model, other in (("a", "b"), ("b", "a")):
        found = contrast(pair, model)
        assert (found.model, found.other, found.leads) == (model, other, model == "a")
        assert found.pair is pair
        assert found.value == pytest.approx(9 / 524, abs=1e-15)  # (12 - 3) / 524
