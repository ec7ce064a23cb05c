"""Numbers as a reader sees them: what a report prints, in prose, table or drawing, is made here.

Rules: a minus is U+2212 and never comes before a printed zero; an interval and a p-value
keep on their side of the null and of alpha, with more digits where rounding would move
them; no p is printed as zero; what belongs together is joined by no-break spaces.
"""

import math
import re
from collections.abc import Iterable
from decimal import Context, Decimal
from statistics import NormalDist
from typing import Literal, TypeGuard

from msgspec import Struct

MINUS = "\u2212"
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NBSP = "\u00a0"
UNDEFINED = "\u2013"  # an en dash: its note states the reason
INFINITE = "\u221e"
NOISE = 1e-12  # closer to the null is rounding error of the computation, not a side
MOST_DECIMALS = 20  # more than any float near 0.05 has
COLUMN_DECIMALS = 8  # of a column; smaller numbers get a power of ten
POWER_DIGITS = 4  # of a number with a power of ten
MOST_DIGITS = 17  # tell any two floats apart
HUGE = 1e12  # from here on a number before the point is longer than a line of an interval holds
LARGE, SHORT = 1e6, 3  # where a short number gets a power of ten, and its digits
TINY = 1e-4  # below, a number whose column needs more decimals gets a power of ten
ROUNDED_TO_ONE_DECIMAL_BELOW = 10_000  # cases; more support a second decimal of a percentage

Style = Literal["apa", "ama", "nejm", "sci"]
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Scale(Struct, frozen=True):
    """How one column is printed: `decimals`, and the power of ten that turns 0.98 into 98.

    Huge and tiny numbers are printed with a power of ten and at most `digits` digits; `decimals`
    is below zero where the last of them is above the point.
    """

    decimals: int
    power: int = 0
    digits: int = POWER_DIGITS

    def more(self, decimals: int) -> "Scale":
        """Return the same scale with at least so many decimals."""
        return Scale(max(self.decimals, decimals), self.power, self.digits)


def fixed(
    value: float | None, scale: Scale, *, signed: bool = False, null: float | None = None
) -> str:
    """Print a number with the decimals of its column.

    With `null`, decimals are added until the printed number is on the side of the null on
    which the number is, so that "0.02" is never "0.0".
    """
    if value is None:
        return UNDEFINED
    if math.isinf(value):
        return INFINITE if value > 0 else MINUS + INFINITE
    exact = _decimal(value).scaleb(scale.power)
    if _needs_power(exact, scale):
        return _with_power(exact, scale, signed=signed)
    if scale.decimals > COLUMN_DECIMALS and not exact:
        return "0"
    lines = []
    if null is not None and abs(value - null) > NOISE:
        lines.append(_decimal(null).scaleb(scale.power))
    most = COLUMN_DECIMALS if scale.digits == POWER_DIGITS else MOST_DECIMALS
    rounded, decimals = _round_beside(exact, min(max(scale.decimals, 0), most), lines)
    return _sign(rounded, f"{abs(rounded):,.{decimals}f}", signed)


def settled(scale: Scale, numbers: Iterable[tuple[float | None, float | None]]) -> Scale:
    """Return the scale on which all of several numbers are on their side of a line.

    Each of `numbers` comes with its line, or None. Numbers that are read together then have
    the same decimals.
    """
    decimals = scale.decimals
    for value, line in numbers:
        if value is None or line is None or not math.isfinite(value) or abs(value - line) <= NOISE:
            continue
        exact, null = (_decimal(number).scaleb(scale.power) for number in (value, line))
        if not _needs_power(exact, scale):
            decimals = max(decimals, _round_beside(exact, max(decimals, 0), [null])[1])
    return scale.more(decimals)


def _needs_power(exact: Decimal, scale: Scale) -> bool:
    """Return whether a number is too large or too small for the decimals of its column."""
    size = abs(exact)
    return size >= HUGE or (0 < size < TINY and scale.decimals > COLUMN_DECIMALS)


def in_short(value: float | None) -> str:
    """Print a number in three digits, large and tiny ones with a power of ten."""
    if value is None or not math.isfinite(value):
        return fixed(value, Scale(0))
    exact = _decimal(value)
    decimals = SHORT - 1 - exact.adjusted() if exact else 0
    if abs(exact) >= LARGE or 0 < abs(exact) < TINY:
        return _with_power(exact, Scale(decimals, digits=SHORT), signed=False)
    return fixed(value, Scale(max(0, decimals)))


def _with_power(exact: Decimal, scale: Scale, *, signed: bool) -> str:
    """Print a number with a power of ten: "2.64 × 10⁵⁴"."""
    digits = min(max(exact.adjusted() + scale.decimals + 1, 2), scale.digits)
    mantissa, _, exponent = f"{abs(exact):.{digits - 1}e}".lower().partition("e")
    power = str(int(exponent)).translate(SUPERSCRIPTS)
    return _sign(exact, f"{mantissa}{NBSP}×{NBSP}10{power}", signed)


def interval(
    low: float | None,
    high: float | None,
    scale: Scale,
    *,
    null: float | None = None,
    nulls: tuple[float | None, float | None] | None = None,
) -> str:
    """Print an interval in brackets: "[96.8, 99.0]", unbroken; `nulls` has one for each bound.

    Bounds that differ are printed with the digits that show it.
    """
    if low is None and high is None:
        return UNDEFINED
    first, second = (null, null) if nulls is None else nulls
    bounds = (fixed(low, scale, null=first), fixed(high, scale, null=second))
    sizes = [_decimal(bound).scaleb(scale.power) for bound in (low, high) if _is_finite(bound)]
    if any(abs(size) >= HUGE for size in sizes):
        bounds = (_as_large(low, bounds[0], scale), _as_large(high, bounds[1], scale))
    if bounds[0] == bounds[1] and low is not None and high is not None and low < high:
        width = (high - low) * 10**scale.power
        if width <= NOISE * max(abs(low), abs(high)) * 10**scale.power:
            return f"[{bounds[0]},{NBSP}{bounds[1]}]"
        scale = Scale(math.ceil(1 - math.log10(width / 2)), scale.power, MOST_DIGITS)
        bounds = (fixed(low, scale, null=first), fixed(high, scale, null=second))
    return f"[{bounds[0]},{NBSP}{bounds[1]}]"


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def parameter_value(value: object) -> str:
    """Print a value of a parameter, numbers with decimals to three significant digits."""
    if not isinstance(value, float):
        return str(value)
    return f"{value if value.is_integer() else float(f'{value:.3g}'):.6g}"


def _is_finite(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _as_large(value: float | None, printed: str, scale: Scale) -> str:
    """Return a bound with a power of ten if it is large, as the other bound has one."""
    if not _is_finite(value):
        return printed
    exact = _decimal(value).scaleb(scale.power)
    return _with_power(exact, scale, signed=False) if abs(exact) >= LARGE else printed


ROUNDING = 1e-12  # share of the largest value below which another is a rounding error


def error_of_bounds(
    low: float | None, high: float | None, level: float, draws: int | None
) -> float | None:
    """Return the Monte Carlo error of the bounds of an interval; None where they are exact.

    It is the standard error of a sample quantile, sqrt(q (1 - q) / draws) over the density there,
    of a normal distribution whose central share `level` is as wide as the interval; None too
    where no such distribution exists.
    """
    if draws is None or draws < 1 or not _is_finite(low) or not _is_finite(high):
        return None
    quantile = (1 + level) / 2
    if not 0.5 < quantile < 1:  # results may state a level of 0 or 1, or one that rounds to it
        return None
    tail = NormalDist().inv_cdf(quantile)
    spread = (high - low) / 2 / tail
    share = (1 - level**2) / 4 / draws  # q (1 - q) of either tail
    return spread * math.sqrt(share) / NormalDist().pdf(tail)


def scale_of(
    half_widths: Iterable[float | None],
    values: Iterable[float | None],
    *,
    percent: bool,
    n: int | None = None,
    errors: Iterable[float | None] = (),
) -> Scale:
    """Choose the decimals of a column.

    The last digit is at most a tenth of the smallest half-width of an interval, or at most that
    half-width where the largest number has three significant digits then. A percentage of
    fewer than 10,000 cases has one decimal, unless an interval is narrower than that decimal.
    Without intervals percentages have one decimal, or the two significant digits of the largest
    below 1 if the second is not 0. Other numbers have three significant digits of the smallest
    value, but no more decimals than three, or than three digits of the largest take.

    Digits below the largest of the Monte Carlo `errors` of bounds are not printed, as for p, but
    the last digit stays below the smallest half-width.
    """
    power = 2 if percent else 0
    error = max((e * 10**power for e in errors if e is not None), default=None)
    scaled = [w * 10**power for w in half_widths if w is not None]
    scaled_values = [abs(v) * 10**power for v in values if v is not None]
    sizes = [size for size in scaled_values if 0 < size < math.inf]
    largest = max(sizes, default=0.0)
    widths = [w for w in scaled if ROUNDING * largest < w < math.inf]
    least = -math.inf if largest >= HUGE else 0
    if widths:
        few = percent and n is not None and n < ROUNDED_TO_ONE_DECIMAL_BELOW
        needed = math.ceil(1 - math.log10(min(widths)))
        most = needed
        if few and least == 0 and min(widths) >= 0.1:
            most = 1
        elif sizes and not percent:
            most = min(needed, _decimals(max(sizes), 3))
        most = settled_decimals(most, error, least)
        return Scale(int(max(least, most, needed - 1)), power)  # never an interval of no width
    if percent:
        decimals = max(1, _decimals(max(sizes, default=1.0), 2))
        while decimals > 1 and all(
            abs(round(s, decimals - 1) - round(s, decimals)) <= ROUNDING for s in sizes
        ):
            decimals -= 1
        return Scale(decimals, power)
    sizes = [size for size in sizes if size > ROUNDING * max(sizes)]
    if not sizes:
        return Scale(3, power)
    most = max(3, _decimals(max(sizes), 3))
    return Scale(int(max(least, min(_decimals(min(sizes), 3), most))), power)


def _decimals(size: float, digits: int) -> int:
    """Return the decimals with which a number has so many significant digits."""
    return digits - 1 - math.floor(math.log10(size))


def ratio_scale(values: Iterable[float | None], half_widths: Iterable[float | None] = ()) -> Scale:
    """Choose the decimals of a column of ratios: one, or what its narrowest interval needs.

    The last digit is at most a tenth of the smallest half-width, as for estimates.
    """
    widths = [w for w in half_widths if w is not None and 0 < w < math.inf]
    sizes = [v for v in values if v is not None and 0 < v < math.inf]
    least = min(widths) / 10 if widths else min(sizes, default=0.1)
    return Scale(1) if least >= 0.1 else Scale(6 if least < 1e-6 else math.ceil(-math.log10(least)))


class PValue(Struct, frozen=True):
    """A printed p: the letter, the relation (`=`, `<`, `>`) and the figures."""

    symbol: str
    relation: str
    text: str

    @property
    def cell(self) -> str:
        """As it is in a table, where the head already says p."""
        return self.text if self.relation == "=" else f"{self.relation}{NBSP}{self.text}"


def p_value(p: float, alpha: float, style: Style = "apa", error: float | None = None) -> PValue:
    """Print a p-value so that the reader sees on which side of alpha it is.

    `apa` .344, < .001, > .999; `ama` .34, .009; `nejm` the same with a leading zero;
    `sci` 2.8 × 10⁻⁵. A p of 1 has the form of every p that rounds to 1. Digits below the Monte
    Carlo `error` of a p from random draws are not printed, unless they show its side of alpha.
    """
    symbol = "P" if style in ("ama", "nejm") else "p"
    if style == "sci":
        return PValue(symbol, *_scientific(p, alpha))
    leading = style == "nejm"
    exact, line = _decimal(p), _decimal(alpha)
    floor = min(Decimal("0.001"), line)
    if exact < floor:
        return PValue(symbol, "<", _share(format(floor, "f"), leading))
    few = settled_decimals(3 if style == "apa" or exact < Decimal("0.01") else 2, error)
    if _round(exact, few) == 1:
        return PValue(symbol, ">", _share(str(1 - Decimal(10) ** -few), leading))
    if style != "apa" and Decimal("0.045") <= exact < Decimal("0.055"):
        few = 3  # AMA: a third figure where two would hide the side of .05
    rounded, decimals = _round_beside(exact, few, [line, Decimal(0)])
    return PValue(symbol, "=", _share(f"{rounded:.{decimals}f}", leading))


LEADING_ZEROS = ("nejm", "sci")


def bounded(value: float | None, decimals: int = 3, style: Style = "apa") -> str:
    """Print a number that cannot exceed 1 in size, such as a coefficient: ".018".

    `nejm` and `sci` keep the zero before the point, as they do for p: "0.018".
    """
    if value is None:
        return UNDEFINED
    exact = _decimal(value)
    rounded, decimals = _round_beside(exact, decimals, [Decimal(0)])
    text = _share(f"{abs(rounded):.{decimals}f}", style in LEADING_ZEROS)
    return _sign(rounded, text, False)


def settled_decimals(decimals: int, error: float | None, least: float = 1) -> int:
    """Return the decimals that other random draws would not change, of at most so many."""
    return int(max(least, min(decimals, math.floor(-math.log10(error))))) if error else decimals


def probability(value: float | None, style: Style = "apa", error: float | None = None) -> str:
    """Print a posterior probability: ".962", "< .001"; never all or nothing by rounding."""
    if value is None:
        return UNDEFINED
    leading = "0" if style in LEADING_ZEROS else ""
    if value < 0.0005:
        return f"<{NBSP}{leading}.001"
    if value >= 0.9995:
        return f">{NBSP}{leading}.999"
    return bounded(value, settled_decimals(3, error), style)


def statistic(value: float | None) -> str:
    """Print a test statistic with two decimals, more where it would vanish."""
    return fixed(value, Scale(2), null=0.0)


def degrees(value: float) -> str:
    """Print degrees of freedom: whole where they are whole."""
    return fixed(value, Scale(0 if float(value).is_integer() else 1))


def count(n: int) -> str:
    """Print a count: "9,959" has its comma, as the field prints it."""
    return _sign(Decimal(n), f"{abs(n):,}", False)


def number_word(n: int) -> str:
    """Return a count as a word up to ten."""
    return COUNTS[n] if 0 <= n < len(COUNTS) else count(n)


def in_words(text: str) -> str:
    """Write the counts below ten in a text as words: "with five seeds"."""
    return re.sub(r"(?<![^\s(])\d(?= [a-z])", lambda number: number_word(int(number[0])), text)


def between(numbers: Iterable[int]) -> str:
    """Print the least and the greatest of some counts: "5 to 10"; one where they are equal."""
    known = sorted(set(numbers))
    return " to ".join(count(n) for n in dict.fromkeys((known[0], known[-1])))


def in_ranges(numbers: Iterable[int], to: str = "–") -> str:
    """Print numbers in their order, three and more in a row as a range: "2–4, 6"."""
    groups: list[list[int]] = []
    for number in sorted(set(numbers)):
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(
        f"{group[0]}{to}{group[-1]}" if len(group) > 2 else ", ".join(map(str, group))
        for group in groups
    )


def percent(level: float) -> str:
    """Print a confidence level: "95%", "99.17%"."""
    text = format(_round(_decimal(level).scaleb(2), 2).normalize(), "f")
    return f"{text}%"


SIX_DIGITS = Context(prec=6)


def level_of_alpha(alpha: float, style: Style = "apa") -> str:
    """Print a level of significance: ".05", ".00416667"; "0.05" where p has its zero."""
    return _share(format(_decimal(alpha).normalize(SIX_DIGITS), "f"), style in LEADING_ZEROS)


def _decimal(value: float) -> Decimal:
    """Take the shortest decimal that is the float, so that 0.125 in percent is 12.5 exactly."""
    return Decimal(repr(float(value)))


def _round(value: Decimal, decimals: int) -> Decimal:
    return Decimal(f"{value:.{decimals}f}")


def _round_beside(exact: Decimal, decimals: int, lines: Iterable[Decimal]) -> tuple[Decimal, int]:
    """Round with as many decimals as keep the number on its side of every line."""
    sides = [(line, exact.compare(line)) for line in lines]
    rounded = _round(exact, decimals)
    while decimals < MOST_DECIMALS and any(rounded.compare(line) != side for line, side in sides):
        decimals += 1
        rounded = _round(exact, decimals)
    return rounded, decimals


def _sign(rounded: Decimal, text: str, signed: bool) -> str:
    if rounded < 0:
        return MINUS + text
    return f"+{text}" if signed and rounded > 0 else text


def _share(text: str, leading: bool) -> str:
    """Drop the zero before the point where the number cannot exceed 1."""
    return text if leading or not text.startswith("0.") else text[1:]


def _scientific(p: float, alpha: float) -> tuple[str, str]:
    """Print two significant digits, and a power of ten below .001."""
    exact, line = _decimal(p), _decimal(alpha)
    if exact == 0:
        return "<", f"10{'-300'.translate(SUPERSCRIPTS)}"
    if _round(exact, 2) == 1:
        return ">", "0.99"
    digits = 2
    rounded = Decimal(f"{exact:.1e}")
    while rounded.compare(line) != exact.compare(line):
        digits += 1
        rounded = Decimal(f"{exact:.{digits - 1}e}")
    mantissa, _, exponent = f"{exact:.{digits - 1}e}".lower().partition("e")
    power = int(exponent)
    if power >= -3:
        return "=", format(rounded, "f")
    return "=", f"{mantissa}{NBSP}×{NBSP}10{str(power).translate(SUPERSCRIPTS)}"
