"""The signs inside numbers of a text file: decimal point or comma, and what groups thousands.

A column has one convention, read from all of its cells; `7.685`, which may be either, follows the
other columns of its file. What nobody can know is reported.
"""

import re
from collections.abc import Container, Mapping

import numpy as np
import polars as pl
from msgspec import Struct

from evallang.data.findings import Refused, listed, quoted, refuse_each
from evallang.diagnostics import codes

FEW = 10  # numbers such as 7.685, below which 862 among them may be a decimal without its zeros
LOOKED_AT = 1_000  # numbers of a long column that most often tell what it is
LEAST_NUMBERS = 0.5  # share of the texts of a column from which it holds numbers, and a few words
_GAP = r"[ '’\u00a0\u202f]"
_UNCLEAR = r"[+-]?[1-9][0-9]{0,2}"
_SHAPES = {
    "short": r"[+-]?[0-9]{1,3}",
    "plain": r"[+-]?[0-9]+([eE][+-]?[0-9]+)?",
    "grouped": rf"{_UNCLEAR}({_GAP}[0-9]{{3}})+",
    "unclear.": rf"{_UNCLEAR}\.[0-9]{{3}}",
    "unclear,": rf"{_UNCLEAR},[0-9]{{3}}",
    ".": rf"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|{_UNCLEAR}(,[0-9]{{3}}){{2,}}"
    rf"|{_UNCLEAR}((,|{_GAP})[0-9]{{3}})+\.[0-9]+",
    ",": rf"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?|{_UNCLEAR}(\.[0-9]{{3}}){{2,}}"
    rf"|{_UNCLEAR}((\.|{_GAP})[0-9]{{3}})+,[0-9]+",
}
"""The ways in which a number may be written, the first that fits; `.` and `,` show which of the
two is the decimal sign."""
_GROUPS = {".": rf",|{_GAP}", ",": rf"\.|{_GAP}"}
_NUMBER = re.compile("|".join(_SHAPES.values()))


def is_number(text: str) -> bool:
    """Return whether a text is a number in one of the conventions."""
    return _NUMBER.fullmatch(text) is not None


class _Found(Struct, frozen=True):
    """The first cell of each shape in a column, and how many have a shape that is unclear.

    `grouped` tells whether a number with a sure decimal sign has groups besides, `padded` whether
    a number that is unclear ends in zero, as decimals do that all have three digits.
    """

    first: Mapping[str, str]
    unclear: int
    grouped: bool
    padded: bool = False

    @property
    def signs(self) -> list[str]:
        return [sign for sign in (".", ",") if sign in self.first]

    @property
    def unclear_signs(self) -> list[str]:
        return [sign for sign in (".", ",") if f"unclear{sign}" in self.first]


def with_decimal_points(
    cells: "pl.DataFrame",
    source: str,
    separator: str,
    used: Container[str],
) -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """Return cells of text whose numbers have a decimal point and no groups, and what to state.

    Unclear numbers are refused in the columns that are `used`.
    """
    found = {
        name: one
        for name in cells.columns
        if cells[name].dtype == pl.String and (one := _found(cells[name])) is not None
    }
    known = {one.signs[0] for one in found.values() if len(one.signs) == 1}
    floats = cells.select(pl.col(pl.Float64))
    if floats.width and any(_shows_a_point(column) for column in floats):
        known.add(".")
    decimal: dict[str, str] = {}
    faults: list[Refused] = []
    for name, one in found.items():
        sign = _decimal_sign(one, known, separator)
        if sign is not None:
            decimal[name] = sign
        elif name in used:
            faults.append(_unclear(name, one, source))
    refuse_each(faults)
    commas = [name for name, sign in decimal.items() if sign == ","]
    groups = [name for name, sign in decimal.items() if _has_groups(found[name], sign)]
    changed = [_rewritten(name, decimal[name]) for name in dict.fromkeys((*commas, *groups))]
    notes = []
    if commas:
        which = "" if len(commas) == len(decimal) else f" in {listed(commas)}"
        notes.append(f"{source}: comma read as decimal sign{which}")
    if groups:
        notes.append(f"{source}: digits in groups of three read as thousands in {listed(groups)}")
    return cells.with_columns(changed), tuple(notes)


def may_be_grouped(numbers: "pl.Series") -> bool:
    """Return whether floats may be thousands with points: all below 1000, some of them whole.

    Their spelling tells.
    """
    values = numbers.to_numpy()
    for known in (values[:LOOKED_AT], values):
        known = np.abs(known[~np.isnan(known)])
        if (known >= 1000).any():
            return False
        broken = known[known % 1 != 0]
        if (broken < 1).any() or (broken.round(3) != broken).any():
            return False
    return FEW <= len(broken) < len(known)


def _found(cells: "pl.Series") -> _Found | None:
    """Return the shapes of the numbers of a column; None where it holds plain numbers or text."""
    texts = cells.drop_nulls().unique(maintain_order=True)
    if not texts.str.contains(rf"[0-9]{_GAP}[0-9]|,|\.").any():
        return None
    with_digits = texts.filter(texts.str.contains("[0-9]"))
    every = f"^({'|'.join(_SHAPES.values())})$"
    if len(with_digits) < LEAST_NUMBERS * len(texts) or not with_digits.str.contains(every).all():
        return None
    first: dict[str, str] = {}
    unclear, grouped, padded, rest = 0, False, False, with_digits
    for shape, pattern in _SHAPES.items():
        fits = rest.str.contains(f"^({pattern})$")
        if fits.any():
            first[shape] = str(rest.filter(fits)[0])
            if shape.startswith("unclear"):
                unclear += int(fits.sum())
                padded = padded or bool(rest.filter(fits).str.ends_with("0").any())
            if shape in _GROUPS:
                grouped = bool(rest.filter(fits).str.contains(_GROUPS[shape]).any())
            rest = rest.filter(~fits)
    first.pop("plain", None)
    return _Found(first, unclear, grouped, padded)


def _decimal_sign(one: _Found, known: set[str], separator: str) -> str | None:
    """Return the decimal sign of a column, None where it cannot be known."""
    if len(one.signs) == 1:
        return one.signs[0]
    if len(one.signs) == 2 or len(one.unclear_signs) == 2:
        return None
    if not one.unclear_signs:
        return "."
    (sign,) = one.unclear_signs
    other = "," if sign == "." else "."
    mixed = "short" in one.first  # 862 among 7.685: with three decimals it would be 862.000
    if len(known) == 1:
        (decimal,) = known
        contradicted = decimal == sign and mixed and one.padded and one.unclear >= FEW
        return None if contradicted else decimal
    if known:
        return None
    if sign == ".":
        certain = separator != ";" and not (mixed and one.unclear >= FEW)
        return sign if certain else None
    if separator == ";":
        return None if mixed else sign
    return other if mixed and (separator == "," or one.unclear >= FEW) else None


def _has_groups(one: _Found, decimal: str) -> bool:
    """Return whether a column has a number whose digits are in groups."""
    group = "," if decimal == "." else "."
    shapes = {f"unclear{group}", "grouped"} & set(one.first)
    return bool(shapes) or one.grouped


def _shows_a_point(numbers: "pl.Series") -> bool:
    """Return whether numbers have a fraction that no group of three digits has."""
    fractions = numbers.filter(numbers % 1 != 0)
    return bool(((fractions.abs() < 1) | (fractions.round(3) != fractions)).any())


def _rewritten(name: str, decimal: str) -> "pl.Expr":
    """Rewrite the numbers of a column with a decimal point and without groups."""
    column = pl.col(name)
    group = rf"{_GAP}|\." if decimal == "," else f"{_GAP}|,"
    plain = column.str.replace_all(group, "").str.replace(",", ".", literal=True)
    return pl.when(column.str.contains(f"^({'|'.join(_SHAPES.values())})$")).then(plain).otherwise(
        column
    )  # fmt: skip


def _unclear(name: str, one: _Found, source: str) -> Refused:
    if len(one.signs) == 2 or len(one.unclear_signs) == 2:
        signs = (".", ",") if len(one.signs) == 2 else ("unclear.", "unclear,")
        shown = quoted(one.first[sign] for sign in signs)
        message = f"`{name}` of `{source}` has numbers with a point and with a comma: {shown}"
        fix = "write all numbers of the column with a decimal point"
    else:
        (sign,) = one.unclear_signs
        text = one.first[f"unclear{sign}"]
        small, large = text.replace(",", "."), text.replace(sign, "")
        message = f"`{text}` in `{name}` of `{source}` may mean {small} or {large}"
        fix = f"write `{large}` without a sign for thousands, or `{small}0` with another decimal"
    return Refused(codes.unclear_numbers, message, help=fix)
