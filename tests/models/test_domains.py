"""Domains become candidate values exactly as language.md, section 2, says."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from many_cases import for_each

from evallang.models.domains import distribution, draw, geometric, linear, number


@for_each(
    ("literal", "value"),
    [
        ("3", 3),
        ("1_000", 1000),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("-1", -1),
        ("95%", 0.95),
        ("12.5%", 0.125),
        ("1/3", Fraction(1, 3)),
        ("2.", 2.0),
    ],
)
def test_a_literal_is_read_as_written(literal, value):
    assert number(literal) == value
    assert type(number(literal)) is type(value)


@pytest.mark.parametrize("literal", ["1/0", "x", "", "1..2", "--1"])
def test_text_that_is_no_number_is_refused(literal):
    with pytest.raises(ValueError, match=r"not a number|by zero"):
        number(literal)


@for_each(
    ("start", "stop", "step", "values"),
    [  # by hand
        ("0", "0.2", "0.05", (0.0, 0.05, 0.1, 0.15, 0.2)),
        ("15", "1", "-2", (15, 13, 11, 9, 7, 5, 3, 1)),
        ("1", "4", None, (1, 2, 3, 4)),
        ("1", "6", "2", (1, 3, 5)),
        ("0.3", "0.1", "-0.1", (0.3, 0.2, 0.1)),
        ("0", "1", "1/3", (0.0, 1 / 3, 2 / 3, 1.0)),
        ("10%", "30%", "10%", (0.1, 0.2, 0.3)),
        ("1_000", "3_000", "1e3", (1000.0, 2000.0, 3000.0)),
        ("5", "5", None, (5,)),
    ],
)
def test_a_range_steps_in_exact_fractions(start, stop, step, values):
    found = linear(start, stop, step)
    assert found == values
    assert [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize(
    ("start", "stop", "step", "message"),
    [
        ("0", "1.0", None, "needs a step"),
        ("1", "15", "-1", "rises, so its step must be positive"),
        ("15", "1", None, "falls, so its step must be negative"),
        ("1", "2", "0", "step of 0"),
        ("1", "100_001", None, "100,001 values"),
    ],
)
def test_a_range_without_end_is_refused(start, stop, step, message):
    with pytest.raises(ValueError, match=message):
        linear(start, stop, step)


@given(st.integers(-500, 500), st.integers(1, 60), st.integers(1, 90), st.integers(0, 4))
def test_a_range_has_every_step_and_its_end_whatever_the_decimals(start, step, count, places):
    def literal(units: int) -> str:
        sign, digits = "-" if units < 0 else "", str(abs(units)).rjust(places + 1, "0")
        return sign + digits[:-places] + "." + digits[-places:] if places else f"{sign}{digits}"

    stop = start + step * count
    values = linear(literal(start), literal(stop), literal(step))
    # exact decimals divided once, so that each value is the float next to its decimal
    assert values == tuple((start + i * step) / 10**places for i in range(count + 1))
    assert linear(literal(stop), literal(start), literal(-step)) == values[::-1]


@pytest.mark.parametrize(
    ("start", "stop", "n", "values"),
    [
        ("1e-3", "1e3", "7", (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)),
        ("1000", "1", "4", (1000, 100, 10, 1)),
        ("1", "10", "20", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),  # rounded, duplicates dropped
        ("1.0", "2", "3", (1.0, 1.41421356237, 2.0)),  # sqrt 2 to 12 digits
    ],
)
def test_a_geometric_domain_has_exact_ends_and_rounded_inner_points(start, stop, n, values):
    found = geometric(start, stop, n)
    assert found == values
    assert [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize(
    ("start", "stop", "n", "message"),
    [
        ("0", "1", "3", "above 0"),
        ("-1", "-10", "3", "above 0"),
        ("1", "2", "1", "2 or more"),
        ("1", "2", "2.5", "2 or more"),
        ("1", "2", "200000", "200,000 values"),
    ],
)
def test_a_geometric_domain_that_makes_no_sense_is_refused(start, stop, n, message):
    with pytest.raises(ValueError, match=message):
        geometric(start, stop, n)


@given(st.floats(1e-8, 1e8), st.floats(1e-8, 1e8), st.integers(2, 40))
def test_a_geometric_domain_turns_around_and_agrees_with_logarithms(low, high, n):
    values = geometric(repr(low), repr(high), str(n))
    assert (values[0], values[-1]) == (low, high)
    assert values[::-1] == geometric(repr(high), repr(low), str(n))
    if len(values) == n:
        for i, value in enumerate(values):  # numpy's own formula, to 12 digits
            assert value == pytest.approx(low * (high / low) ** (i / (n - 1)), rel=1e-11)


@given(st.floats(0, 1), st.sampled_from(["uniform", "loguniform"]))
def test_draws_stay_in_their_range_and_rise_with_the_share(share, word):
    whole = distribution("1", "10", word)
    assert draw(whole, share) in range(1, 11)
    real = distribution("0.5", "8.0", word)
    assert 0.5 <= draw(real, share / 2) <= draw(real, share) <= 8.0


@pytest.mark.parametrize(
    ("start", "stop", "word"),
    [("2", "1", "uniform"), ("0", "1", "loguniform"), ("1", "2", "normal")],
)
def test_a_distribution_that_makes_no_sense_is_refused(start, stop, word):
    with pytest.raises(ValueError, match=r"must rise|above 0|not name a distribution"):
        distribution(start, stop, word)
