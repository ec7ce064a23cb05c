"""Drawings read back and placed on a sheet: stretched to a width, side by side, with letters.

A drawing is the SVG of a `Canvas`. Only its plot (`Canvas.plot`) is stretched: names, numbers and
markers keep their size, so that text is 5 to 8 points at every width.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from xml.etree import ElementTree

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    CAP_HEIGHT,
    GRID,
    INK,
    POINTS_PER_MM,
    SVG,
    Anchor,
    styled_text,
)

SINGLE = 89 * POINTS_PER_MM  # one column of a journal
DOUBLE = 183 * POINTS_PER_MM  # two columns
GUTTER = 5 * POINTS_PER_MM
LETTER = 12.0  # points above a panel for its letter
LETTER_SIZE = 8.0
BELOW = 6.0  # points between two rows of panels
TICK = 2.5  # points
AXIS = (("fill", "none"), ("stroke", INK), ("stroke-width", "0.6"))
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Mark(Struct, frozen=True):
    """A shape or a text: its tag, its places and its style, in points of the sheet."""

    tag: str
    numbers: tuple[float, ...]
    style: tuple[tuple[str, str], ...]
    text: str = ""
    closed: bool = False


class Sheet(Struct, frozen=True):
    """Marks on a sheet of a size in points."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def sheet(drawings: Sequence[str], width: float, *, grid: bool = True) -> Sheet:
    """Place drawings in columns of a sheet: one below 140 mm, else two for more than one.

    Without a grid, as journals want it, hairlines are short ticks outside of the axes.
    """
    columns = 2 if width > 140 * POINTS_PER_MM and len(drawings) > 1 else 1
    wide = (width - GUTTER * (columns - 1)) / columns
    lettered = len(drawings) > 1
    marks: list[Mark] = []
    top = 0.0
    for start in range(0, len(drawings), columns):
        row = [_read(svg, grid=grid) for svg in drawings[start : start + columns]]
        above = LETTER if lettered else 0.0
        for k, drawing in enumerate(row):
            left = k * (wide + GUTTER)
            if lettered:
                marks.append(_letter("abcdef"[start + k], left, top))
            marks += _placed(drawing, wide, left, top + above)
        top += above + max(drawing.height for drawing in row) + BELOW
    return Sheet(width, top - BELOW, tuple(marks))


def as_drawn(svg: str) -> Sheet:
    """Return the sheet of a drawing in its own size."""
    drawing = _read(svg, grid=True)
    return Sheet(drawing.width, drawing.height, drawing.marks)


class _Drawing(Struct, frozen=True):
    width: float
    height: float
    plot: tuple[float, float] | None
    marks: tuple[Mark, ...]


def _read(svg: str, *, grid: bool) -> _Drawing:
    root = ElementTree.fromstring(svg)
    width, height = map(float, root.get("viewBox", "0 0 0 0").split()[2:])
    plot = [float(n) for n in root.get("data-plot", "").split()]
    marks = tuple(_marks(root, grid=grid))
    return _Drawing(width, height, (plot[0], plot[1]) if plot else None, marks)


def _marks(root: ElementTree.Element, *, grid: bool) -> Iterator[Mark]:
    places = {"circle": ("cx", "cy", "r"), "rect": ("x", "y", "width", "height"),
              "text": ("x", "y")}  # fmt: skip
    for element in root:
        tag = element.tag.rpartition("}")[2]
        pairs = (part.partition(":") for part in element.get("style", "").split(";"))
        style = tuple((name, value) for name, _, value in pairs)
        if tag == "path":
            path = element.get("d", "")
            numbers = tuple(map(float, _NUMBER.findall(path)))
            if element.get("class") == GRID and not grid:
                yield Mark(tag, _tick(numbers), AXIS)
                continue
            yield Mark(tag, numbers, style, closed=path.endswith("Z"))
        elif tag in places:
            numbers = tuple(float(element.get(name, "0")) for name in places[tag])
            yield Mark(tag, numbers, style, element.text or "")
        else:
            raise ValueError(f"a drawing has no <{tag}>")


def _tick(line: Sequence[float]) -> tuple[float, ...]:
    """Return the tick of a hairline: below its foot, or left of its start."""
    left, top, right, foot = line
    if left == right:
        low = max(top, foot)
        return (left, low, left, low + TICK)
    return (left - TICK, top, left, top)


def _placed(drawing: _Drawing, width: float, left: float, top: float) -> Iterator[Mark]:
    across = _across(drawing, width)
    for mark in drawing.marks:
        n = mark.numbers
        if mark.tag == "path":
            made = tuple(left + across(v) if i % 2 == 0 else top + v for i, v in enumerate(n))
        elif mark.tag == "rect":
            start, end = across(n[0]), across(n[0] + n[2])
            made = (left + start, top + n[1], end - start, n[3])
        else:
            made = (left + across(n[0]), top + n[1], *n[2:])
        yield Mark(mark.tag, made, mark.style, mark.text, mark.closed)


def _across(drawing: _Drawing, width: float) -> Callable[[float], float]:
    """Return where a place of a drawing is in a wider one."""
    more = width - drawing.width
    if drawing.plot is None:
        return lambda x: x + more / 2
    start, end = drawing.plot
    factor = (end - start + more) / (end - start)

    def across(x: float) -> float:
        inside = min(max(x, start), end)
        return x + (inside - start) * (factor - 1)

    return across


def _letter(letter: str, left: float, top: float) -> Mark:
    style = styled_text(LETTER_SIZE, INK, bold=True)
    pairs = tuple(
        (name, value) for name, _, value in (part.partition(":") for part in style.split(";"))
    )
    return Mark("text", (left, top + CAP_HEIGHT * LETTER_SIZE + 1), pairs, letter)


def characters(sheet_: Sheet) -> str:
    """Return the characters of the texts of a sheet."""
    return "".join(sorted({c for mark in sheet_.marks for c in mark.text}))


def anchor(mark: Mark) -> Anchor:
    """Return where a text stands relative to its place."""
    words: dict[str, Anchor] = {"middle": "center", "end": "right"}
    return words.get(dict(mark.style).get("text-anchor", ""), "left")


FAMILY = (
    f"'{fonts.SANS}','Source Sans 3','Source Sans Pro','{fonts.FALLBACK}','{fonts.CODES}',"
    "Arial,sans-serif"
)


def svg_file(sheet_: Sheet, alt: str, styles: str) -> str:
    """Write a sheet as a file of its own, with its fonts and its numbers in words."""
    from html import escape

    wide, high = (f"{n / POINTS_PER_MM:.2f}".rstrip("0").rstrip(".")
                  for n in (sheet_.width, sheet_.height))  # fmt: skip
    size = f'width="{wide}mm" height="{high}mm"'
    box = f'viewBox="0 0 {sheet_.width:.2f} {sheet_.height:.2f}"'
    body = "".join(map(_element, sheet_.marks))
    return (
        f'<svg xmlns="{SVG}" {size} {box} role="img"><title>{escape(alt)}</title>'
        f"<style>{styles}</style>{body}</svg>\n"
    )


def _element(mark: Mark) -> str:
    from html import escape

    pairs = dict(mark.style)
    if "font-family" in pairs:
        pairs["font-family"] = FAMILY
    style = escape(";".join(f"{name}:{value}" for name, value in pairs.items() if name))
    n = [f"{value:.2f}".rstrip("0").rstrip(".") for value in mark.numbers]
    if mark.tag == "path":
        points = "L".join(f"{n[i]} {n[i + 1]}" for i in range(0, len(n), 2))
        return f'<path d="M{points}{"Z" if mark.closed else ""}" style="{style}"/>'
    if mark.tag == "circle":
        return f'<circle cx="{n[0]}" cy="{n[1]}" r="{n[2]}" style="{style}"/>'
    if mark.tag == "rect":
        size = f'width="{n[2]}" height="{n[3]}"'
        return f'<rect x="{n[0]}" y="{n[1]}" {size} style="{style}"/>'
    return f'<text x="{n[0]}" y="{n[1]}" style="{style}">{escape(mark.text, quote=False)}</text>'
