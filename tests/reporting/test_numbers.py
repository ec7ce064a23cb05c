"""The rules for printed numbers, as properties; expected texts are APA's and the brief's own."""

import math
from decimal import Decimal

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings, strategies as st
from many_cases import for_each

from evallang.reporting import numbers
from evallang.reporting.numbers import (
    INFINITE,
    MINUS,
    NBSP,
    NOISE,
    Scale,
    bounded,
    count,
    fixed,
    interval,
    level_of_alpha,
    p_value,
    percent,
    probability,
    ratio_scale,
    scale_of,
    statistic,
)

REALS = st.floats(-1e9, 1e9, allow_subnormal=False)
NEAR = st.builds(
    lambda line, gap: min(1.0, line * (1 + gap)),
    st.sampled_from((0.05, 0.01, 0.001, 0.0005, 0.05 / 6, 1.0)),
    st.floats(-0.2, 0.2),
)
PROBABILITIES = st.one_of(st.floats(0, 1, allow_subnormal=False), NEAR)
ALPHAS = st.sampled_from((0.05, 0.01, 0.005, 0.001, 0.0005, 0.1, 0.05 / 6))
STYLES = st.sampled_from(("apa", "ama", "nejm", "sci"))
SCALES = st.builds(Scale, st.integers(0, 6), st.sampled_from((0, 2)))


def number(text: str) -> Decimal:
    """Read a printed number back."""
    mantissa, times, power = text.replace(NBSP, "").replace(MINUS, "-").partition("×10")
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
    exponent = int(power.translate(digits)) if times else 0
    return Decimal(mantissa.replace(",", "")).scaleb(exponent)


@settings(deadline=None)
@given(PROBABILITIES, ALPHAS, STYLES)
def test_a_printed_p_is_on_the_side_of_alpha_on_which_it_is(p, alpha, style):
    printed = p_value(p, alpha, style)
    if printed.relation == "=":
        assert (number(printed.text) <= Decimal(repr(alpha))) == (p <= alpha)
        assert number(printed.text) != Decimal(repr(alpha)) or p == alpha
    elif printed.relation == "<":
        assert p < alpha
    else:
        assert p > alpha


@settings(deadline=None)
@given(PROBABILITIES, ALPHAS, STYLES)
def test_no_p_is_printed_as_zero_or_one(p, alpha, style):
    printed = p_value(p, alpha, style)
    if printed.relation == "=":
        assert 0 < number(printed.text) < 1


@example(0.008333333333333335, 0.008333333333333333, "apa")
@settings(deadline=None)
@given(PROBABILITIES, ALPHAS, st.sampled_from(("apa", "ama", "nejm")))
def test_a_printed_p_says_what_is_true(p, alpha, style):
    printed = p_value(p, alpha, style)
    shown = float(number(printed.text))
    if printed.relation == "<":
        assert p < shown
    elif printed.relation == ">":
        assert p > shown
    else:
        decimals = len(printed.text.partition(".")[2])
        # In decimals, as they are rounded: a double cannot hold half a unit of the 17th place
        assert abs(Decimal(repr(p)) - number(printed.text)) <= Decimal(5).scaleb(-decimals - 1)


@for_each(
    ("p", "style", "printed"),
    # report.md, section 3.2
    [
        (0.344, "apa", ".344"),
        (0.0907, "apa", ".091"),
        (0.0002, "apa", f"<{NBSP}.001"),
        (0.9997, "apa", f">{NBSP}.999"),
        (0.0496, "apa", ".0496"),
        (0.344, "ama", ".34"),
        (0.009, "ama", ".009"),
        (0.344, "nejm", "0.34"),
        (2.8e-5, "sci", f"2.8{NBSP}×{NBSP}10⁻⁵"),
        (1.0, "apa", f">{NBSP}.999"),
        (1.0, "ama", f">{NBSP}.99"),
        (1.0, "nejm", f">{NBSP}0.99"),
        (1.0, "sci", f">{NBSP}0.99"),
    ],
)
def test_p_in_each_style(p, style, printed):
    assert p_value(p, 0.05, style).cell == printed


@settings(deadline=None)
@given(REALS, SCALES, st.booleans())
def test_a_zero_has_no_sign_and_a_minus_is_the_true_one(value, scale, signed):
    printed = fixed(value, scale, signed=signed)
    assert "-" not in printed
    if number(printed.lstrip("+")) == 0:
        assert printed[0] not in (MINUS, "+")
    assert printed.startswith(MINUS) == (number(printed.lstrip("+")) < 0)


@settings(deadline=None)
@given(REALS, SCALES)
def test_rounding_moves_a_number_by_half_its_last_digit_at_most(value, scale):
    exact = Decimal(repr(value)).scaleb(scale.power)
    assert abs(number(fixed(value, scale)) - exact) <= Decimal("0.5").scaleb(-scale.decimals)


@settings(deadline=None)
@given(st.one_of(st.floats(-1, 1), NEAR), SCALES, st.sampled_from((0.0, 1.0, -0.02)))
def test_a_bound_keeps_its_side_of_the_null(value, scale, null):
    shown = number(fixed(value, scale, null=null))
    line = Decimal(repr(null)).scaleb(scale.power)
    exact = Decimal(repr(value)).scaleb(scale.power)
    if abs(value - null) > NOISE:
        assert (shown > line) == (exact > line)
        assert (shown < line) == (exact < line)


@settings(deadline=None)
@given(REALS, REALS, SCALES)
def test_an_interval_holds_no_place_to_break(low, high, scale):
    printed = interval(low, high, scale)
    assert " " not in printed
    assert printed.startswith("[")
    assert f",{NBSP}" in printed


def test_a_bound_near_zero_gets_the_digits_that_show_its_side():
    # report.md, section 3.2: [0.02, 4.1], not [0.0, 4.1]
    assert interval(0.0002, 0.041, Scale(1, 2), null=0.0) == f"[0.02,{NBSP}4.1]"


@settings(deadline=None)
@given(st.lists(st.floats(1e-7, 1e3), min_size=1, max_size=6))
def test_the_last_digit_is_a_tenth_of_the_smallest_half_width(halves):
    scale = scale_of(halves, [], percent=False)
    assert 10.0**-scale.decimals <= min(halves) / 10 * (1 + 1e-9) or scale.decimals == 8
    if scale.decimals > 0:
        assert 10.0 ** -(scale.decimals - 1) > min(halves) / 10 * (1 - 1e-9)


def test_a_number_with_an_interval_has_three_significant_digits_at_most():
    # report.md, 6: ".98935 (.00654) is .989 (.007)"
    scale = scale_of([0.00654], [0.98935], percent=False)
    assert (fixed(0.98935, scale), fixed(0.00654, scale)) == ("0.989", "0.007")
    assert scale_of([0.0004], [0.995], percent=False) == Scale(4)  # the interval keeps its width
    assert scale_of([0.45], [12.345], percent=False) == Scale(1)
    assert scale_of([0.0454], [0.0493], percent=False) == Scale(3)


def test_a_percentage_of_fewer_than_ten_thousand_cases_has_one_decimal():
    assert scale_of([0.001], [0.98], percent=True, n=9_999) == Scale(1, 2)
    assert scale_of([0.0018], [0.98], percent=True, n=10_000) == Scale(2, 2)


def test_a_percentage_has_the_decimals_that_its_interval_needs():
    assert scale_of([0.0002], [0.9998], percent=True, n=9_999) == Scale(3, 2)


@pytest.mark.parametrize(
    ("values", "percent", "printed"),
    [
        ([0.8531, -0.00123], False, ["0.853", f"{MINUS}0.001"]),  # R² beside a mean
        ([12.3456, 0.0123], False, ["12.346", "0.012"]),
        ([0.000212, 0.0000101], False, ["0.000212", "0.000010"]),
        ([91.2, 104.9], False, ["91.2", "104.9"]),
        ([0.0647, 0.0712], True, ["6.5", "7.1"]),  # a percentage error
        ([0.00046, 0.00031], True, ["0.046", "0.031"]),
        ([0.0005], True, ["0.05"]),  # a margin
        ([0.005, 0.02], True, ["0.5", "2.0"]),
    ],
)
def test_numbers_without_intervals_have_the_decimals_of_the_largest(values, percent, printed):
    scale = scale_of([], values, percent=percent)
    assert [fixed(value, scale) for value in values] == printed


@settings(deadline=None)
@given(st.floats(-1, 1, allow_subnormal=False))
def test_a_coefficient_has_no_leading_zero_and_does_not_vanish(value):
    printed = bounded(value)
    assert not printed.lstrip(MINUS).startswith("0.")
    assert number(printed) != 0 or abs(value) < 1e-14


@settings(deadline=None)
@given(st.lists(st.floats(1e-4, 1e4), min_size=1))
def test_no_ratio_is_printed_as_zero(ratios):
    scale = ratio_scale(ratios)
    assert all(number(fixed(ratio, scale)) > 0 for ratio in ratios)


def test_open_bounds_undefined_values_and_counts_have_their_signs():
    assert fixed(math.inf, Scale(1)) == INFINITE
    assert fixed(-math.inf, Scale(1)) == MINUS + INFINITE
    assert fixed(None, Scale(1)) == "–"
    assert count(9959) == "9,959"
    assert fixed(0.021, Scale(1, 2), signed=True) == "+2.1"
    assert fixed(-0.003, Scale(1, 2), signed=True) == f"{MINUS}0.3"
    assert fixed(-0.0003, Scale(1, 2), signed=True) == "0.0"


def test_levels_and_statistics():
    assert percent(0.95) == "95%"
    assert percent(1 - 0.05 / 6) == "99.17%"
    assert level_of_alpha(0.05) == ".05"
    assert statistic(30.6134) == "30.61"
    assert statistic(0.0004) == "0.0004"


def test_the_last_digit_of_a_ratio_is_a_tenth_of_its_narrowest_interval():
    # 1/7 with the exact interval [.016, .622] (review of Kuncheva's counts): half-width .303.
    assert ratio_scale([1 / 7, 7 / 3], [0.303, 6.7]) == Scale(2)
    assert ratio_scale([9.3, 11.5], [22.5, 48.9]) == Scale(1)


@given(st.floats(0, 1))
def test_a_posterior_probability_is_never_all_or_nothing(value):
    text = probability(value)
    assert text not in (".000", "1.000")
    if text.startswith("."):
        assert abs(float(text) - value) <= 0.0005 + 1e-12


@pytest.mark.parametrize(
    ("low", "value", "high", "printed"),
    [
        # two digits of the half-width, as for 1.9, 2.6 and 3.8 without the power
        (1.9e54, 2.64e54, 3.8e54, ("2.64 × 10⁵⁴", "[1.90 × 10⁵⁴, 3.80 × 10⁵⁴]")),
        (1.9e-41, 2.64e-41, 3.8e-41, ("2.64 × 10⁻⁴¹", "[1.90 × 10⁻⁴¹, 3.80 × 10⁻⁴¹]")),
        (-1.4e20, 0.0, 2.5e20, ("0", f"[{MINUS}1.4 × 10²⁰, 2.5 × 10²⁰]")),
        (26, 50, 92, ("50", "[26, 92]")),
    ],
)
def test_huge_and_tiny_numbers_have_a_power_of_ten(low, value, high, printed):
    scale = scale_of([(high - low) / 2], [value, high], percent=False)
    texts = fixed(value, scale), interval(low, high, scale)
    assert tuple(text.replace(NBSP, " ") for text in texts) == printed


@given(
    st.floats(1e-90, 1e90),
    st.floats(1e-11, 0.9),
    st.sampled_from([Scale(0), Scale(1), Scale(1, 2), Scale(8), Scale(40), Scale(-30)]),
)
def test_bounds_that_differ_are_printed_so(low, share, scale):
    high = low * (1 + share)
    bounds = interval(low, high, scale)[1:-1].split(f",{NBSP}")
    assert bounds[0] != bounds[1]
    assert interval(low, low, scale)[1:-1].split(f",{NBSP}")[0] == fixed(low, scale)


def test_a_column_without_intervals_keeps_three_digits_of_tiny_values():
    scale = scale_of([], [2.64e-41, 0.0], percent=False)
    assert fixed(2.64e-41, scale).replace(NBSP, " ") == "2.64 × 10⁻⁴¹"
    assert fixed(0.0, scale) == "0"


@pytest.mark.parametrize("style", ["apa", "ama", "nejm", "sci"])
def test_every_share_of_a_style_has_the_zero_that_its_p_has(style):
    leading = numbers.p_value(0.344, 0.05, style).text.startswith("0.")
    assert leading == (style in ("nejm", "sci"))
    for text in (
        numbers.bounded(0.04, style=style),
        numbers.probability(0.962, style),
        numbers.level_of_alpha(0.05, style),
        numbers.probability(0.0, style).removeprefix("<\u00a0"),
        numbers.probability(1.0, style).removeprefix(">\u00a0"),
    ):
        assert text.startswith("0.") == leading
    assert numbers.bounded(-0.04, style="nejm") == "\u22120.040"


@pytest.mark.parametrize(
    ("p", "error", "shown"),
    [
        (0.2301, 0.0042, ".23"),  # 10,000 rounds: other seeds give .226 to .234
        (0.2301, None, ".230"),
        (0.0528, 0.0022, ".053"),  # .05 would hide the side of alpha
        (0.9973, 0.003, "> .99"),
        (0.31, 0.046, ".3"),  # 99 rounds
    ],
)
def test_a_p_from_draws_has_no_digits_below_its_monte_carlo_error(p, error, shown):
    assert p_value(p, 0.05, error=error).cell.replace(NBSP, " ") == shown


def test_the_error_of_bounds_is_that_of_quantiles_of_draws():
    rng = np.random.default_rng(4)
    for level, draws in ((0.95, 2_000), (0.9, 500)):
        tails = ((1 - level) / 2, (1 + level) / 2)
        bounds_ = np.quantile(rng.standard_normal((2_000, draws)), tails, axis=1)
        low, high = scipy.stats.norm.ppf(tails)
        found = numbers.error_of_bounds(float(low), float(high), level, draws)
        assert found == pytest.approx(bounds_.std(axis=1).mean(), rel=0.1)
    assert numbers.error_of_bounds(0.1, 0.2, 0.95, None) is None
    for level in (0.0, 5e-324, math.nextafter(1.0, 0.0), 1.0):
        assert numbers.error_of_bounds(0.1, 0.2, level, 2_000) is None


@given(
    st.lists(st.floats(1e-4, 1e2), min_size=1, max_size=6), st.integers(100, 20_000), st.booleans()
)
@settings(deadline=None)
def test_bounds_from_draws_have_no_digits_that_other_draws_move(halves, draws, share):
    errors = [numbers.error_of_bounds(0.0, 2 * half, 0.95, draws) for half in halves]
    scale = scale_of(halves, [], percent=share, errors=errors)
    plain = scale_of(halves, [], percent=share)
    unit, size = 10.0**-scale.decimals, 100 if share else 1
    assert scale.decimals <= plain.decimals
    assert unit >= max(errors) * size or scale.decimals in (0, plain.decimals - 1)
    assert scale.decimals in (plain.decimals, plain.decimals - 1)
