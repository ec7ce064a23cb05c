"""Drawings as parts of a page on the screen: in its colours, with styles that they share."""

import re
from itertools import pairwise
from typing import Any

import markupsafe

from evallang.reporting.figures.figure import COLOURS

DRAWING = re.compile(r'<svg role="img" aria-label=.*?</svg>', re.S)
STYLED = re.compile(r'<(?:path|text|circle|rect)\b[^<>]*? style="([^"<]*)"')
PATH = re.compile(r' d="M([^"Z]*)(Z?)"')
ATTRIBUTES = re.compile(r' (?:class|style)="[^"]*"')


def inline_svg(svg: str, alt: str) -> Any:
    """Embed an evallang drawing in the page: its colours become those of the page."""
    for literal, variable in COLOURS.items():
        svg = svg.replace(f":{literal}", f":{variable}")
    label = markupsafe.escape(alt)
    opened = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return markupsafe.Markup(opened)


def literal_colours() -> dict[str, str]:
    """Return the colours of drawings that are saved, by the variables of the page."""
    return {variable: literal for literal, variable in COLOURS.items()}


def shorten_drawings(html: str) -> tuple[str, str]:
    """Write the drawings of a page in fewer bytes, and return the style rules that they share.

    A style stands hundreds of times on a page with a dozen drawings, and was half of its bytes;
    a curve is shorter as steps from point to point. Both draw exactly the same.
    """
    names: dict[str, str] = {}

    def classed(part: re.Match[str]) -> str:
        name = names.setdefault(part[1], f"d{len(names)}")
        tag, _, rest = ATTRIBUTES.sub("", part[0]).partition(" ")
        rest = PATH.sub(lambda path: f' d="{_steps(path[1])}{path[2]}"', f" {rest}")
        return f'{tag} class="{name}"{rest}'

    text = DRAWING.sub(lambda drawing: STYLED.sub(classed, drawing[0]), html)
    return text, "".join(f"svg .{name}{{{style}}}\n" for style, name in names.items())


def _steps(points: str) -> str:
    """Return a path through points as steps in hundredths, with no point inside a straight line."""
    places = [tuple(round(100 * float(n)) for n in p.split(" ")) for p in points.split("L")]
    steps: list[tuple[int, int]] = []
    for (x, y), (next_x, next_y) in pairwise(places):
        dx, dy = next_x - x, next_y - y
        last_x, last_y = steps[-1] if steps else (0, 0)
        if steps and dx * last_y == dy * last_x and dx * last_x + dy * last_y > 0:
            steps[-1] = (last_x + dx, last_y + dy)
        else:
            steps.append((dx, dy))
    text = "l" + " ".join(_hundredths(n) for step in steps for n in step)
    return "M" + " ".join(map(_hundredths, places[0])) + text.replace(" -", "-")


def _hundredths(n: int) -> str:
    """Return a number of hundredths in the fewest characters."""
    text = f"{abs(n) // 100 or ''}.{abs(n) % 100:02d}".rstrip("0").rstrip(".")
    return ("-" if n < 0 else "") + (text or "0")
