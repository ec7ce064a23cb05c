"""Holes at the foot of pages: which they are, and the rules of style that fill them.

A figure or a short table is not broken over pages. Where one has no room, the rest of its page
stays empty. Where that is more than a third of the page, its drawings are set smaller, as far as
their text can be read, or the table is broken after all; where neither fills the page, the words
before them do.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

LARGEST_HOLE = 0.32  # of the depth of a page
LEAST_SCALE = 0.8  # of a drawing that does not state its own
SIZE_OF_A_LISTING, LINE_OF_A_LISTING = 6.6, 1.3  # points, and in em, as in print.css
LEAST_SIZE_OF_A_LISTING = 6.1  # points: then its lines are set closer
LEAST_SCALE_OF_A_LISTING, MOST_SCALE_OF_A_LISTING = 0.8, 0.93
NEAR = 1 / 3  # of a page: what begins further down did not cause the hole before it
SPARE = 30.0  # pixels: margins that the top of a page drops, before a heading the most
SPARE_OF_A_LISTING = 8.0  # pixels: it is never the first of its page
MOST_LAYOUTS = 4
MOST_PAGES = 60  # of all layouts: those of a long report take seconds each
NAMED = re.compile(r"#[\w-]+|\.listing")
READ = ("children", "content_box_y", "descendants", "element_tag", "height", "position_y")
"""What is read of a box."""


class Hole(Struct, frozen=True):
    """An empty foot of a page: its depth, and what begins the next page."""

    depth: float
    next_page: Any


def may_lay_out_again(layouts: int, pages: int) -> bool:
    """Return whether a hole is worth a further layout of so many pages."""
    return layouts < MOST_LAYOUTS and (layouts + 1) * pages <= MOST_PAGES


def rules_against_holes(pages: Sequence[Any], before: Sequence[str]) -> str:
    """Return a rule for the first hole that one can fill; empty where there is none.

    `before` are the rules that were used: what they name is not changed again. Without the boxes
    of the pages, which WeasyPrint may rename, there is no rule: a hole stays.
    """
    boxes = [_box_of(page) for page in pages]
    if any(box is None for box in boxes):
        return ""
    for hole in _holes(boxes):
        rule = _rule(hole)
        named = [NAMED.findall(made) for made in before]
        if rule and NAMED.findall(rule) not in named:
            return rule
    return ""


def _box_of(page: Any) -> Any:
    """Return the box of a page; None where it has not the form that this module reads.

    The public part of a page has the places of elements, but not their ends.
    """
    box = getattr(page, "_page_box", None)
    return box if all(hasattr(box, name) for name in READ) else None


def _holes(boxes: Sequence[Any]) -> Iterator[Hole]:
    for box, following in pairwise(boxes):
        end = box.content_box_y() + box.height
        depth = end - max((_end(leaf) for leaf in _leaves(_body(box))), default=end)
        if depth > LARGEST_HOLE * box.height:
            yield Hole(depth, following)


def _body(page_box: Any) -> Any:
    return page_box.children[0]


def _leaves(box: Any) -> Iterator[Any]:
    """Iterate over the lines and the drawings of a page."""
    for one in box.descendants():
        if not hasattr(one, "children") or not one.children or type(one).__name__ == "LineBox":
            yield one


def _end(box: Any) -> float:
    return float(box.position_y + (box.height if isinstance(box.height, int | float) else 0))


def _rule(hole: Hole) -> str:
    """Return the rule that makes the first figure or table of a page fit before it."""
    page = hole.next_page
    top = page.content_box_y()
    for box in _body(page).descendants():
        if box.element_tag != "figure" or box.element is None:
            continue
        name, classes = box.element.get("id"), (box.element.get("class") or "").split()
        if "listing" in classes:
            return _closer(hole, box, top)
        if not name or box.position_y - top > NEAR * page.height:
            return ""
        if "table" in classes:
            return f"#{name}{{break-inside:auto!important}}{_release_words(name)}"
        return _smaller(hole, box, name, top) if "drawing" in classes else ""
    return ""


def _release_words(name: str) -> str:
    """Return the rule that lets the words before a figure or a table end a page."""
    return f":is(p.plain,p.line):has(+ #{name}){{break-after:auto!important}}"


def _closer(hole: Hole, figure: Any, top: float) -> str:
    """Return the rule that sets a listing smaller, which is too short to be broken."""
    listed = next((box for box in figure.descendants() if box.element_tag == "pre"), None)
    if listed is None:
        return ""
    around = float(listed.position_y + listed.margin_height()) - top - float(listed.height)
    scale = (hole.depth - SPARE - SPARE_OF_A_LISTING - around) / float(listed.height)
    if scale < LEAST_SCALE_OF_A_LISTING:
        return ""
    scale = min(scale, MOST_SCALE_OF_A_LISTING)
    size = max(LEAST_SIZE_OF_A_LISTING, SIZE_OF_A_LISTING * scale)
    line = LINE_OF_A_LISTING * scale * SIZE_OF_A_LISTING / size
    return f".listing pre{{font-size:{size:.2f}pt!important;line-height:{line:.3f}!important}}"


def _smaller(hole: Hole, figure: Any, name: str, top: float) -> str:
    """Return the rule that sets the drawings of a figure smaller.

    `data-least-scale` is the scale at which the smallest text of the figure can still be read.
    """
    least = float(figure.element.get("data-least-scale") or LEAST_SCALE)
    drawn = [b for b in figure.descendants() if b.element_tag == "img" and b.element is not None]
    if not drawn:
        return ""
    first = [b for b in drawn if abs(b.position_y - drawn[0].position_y) < 1]
    deepest = max(float(b.height) for b in first)
    end = max(_end(b) for b in first)
    if len(first) == len(drawn):  # the caption is on the same page
        end = max(_end(leaf) for leaf in _leaves(figure))
    scale = (hole.depth - SPARE - (end - top - deepest)) / deepest
    if scale < least and figure.position_y - top > SPARE:  # the words before it have room
        return _release_words(name)
    if not least <= scale < 1:
        return ""
    return f"#{name} .panel img{{width:{100 * scale:.1f}%!important;margin:0 auto}}"
