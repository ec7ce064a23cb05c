"""Drawings of a page: the same points and styles as those of the file, in fewer bytes."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from evallang.reporting.figures.figure import Canvas
from evallang.reporting.inline_drawings import inline_svg, shorten_drawings

NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")


def points(path: str) -> list[tuple[float, float]]:
    """Follow a path of absolute lines or of steps, as SVG defines them."""
    start, steps = path.removesuffix("Z")[1:].split("l") if "l" in path else (path[1:], "")
    if not steps:
        numbers = [float(n) for n in NUMBER.findall(start)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    found = [tuple(float(n) for n in NUMBER.findall(start))]
    numbers = [float(n) for n in NUMBER.findall(steps)]
    for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
        found.append((found[-1][0] + dx, found[-1][1] + dy))
    return found


def on_line(point, line):
    """Return whether a point is on one of the pieces of a line."""
    for (ax, ay), (bx, by) in pairwise(line):
        cross = (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)
        inside = min(ax, bx) - 1e-6 <= point[0] <= max(ax, bx) + 1e-6
        inside &= min(ay, by) - 1e-6 <= point[1] <= max(ay, by) + 1e-6
        if abs(cross) < 1e-4 and inside:
            return True
    return False


coordinates = st.integers(-900, 23244).map(lambda n: n / 100)


@given(st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=30))
def test_a_line_of_steps_goes_through_the_same_points(places):
    canvas = Canvas(200)
    canvas.line(places)
    before = re.search(r' d="([^"]*)"', canvas.svg())[1]
    short, _ = shorten_drawings(str(inline_svg(canvas.svg(), "a line")))
    after = points(re.search(r' d="([^"]*)"', short)[1])
    assert [*after[0], *after[-1]] == pytest.approx([*points(before)[0], *points(before)[-1]])
    assert all(on_line(point, after) for point in points(before))
    assert all(on_line(point, points(before)) for point in after)


def test_parts_that_look_alike_share_a_class_and_names_are_left_as_they_are():
    canvas = Canvas(100)
    canvas.words(1, 2, 'a "style" <b> style="fill:red"')
    canvas.words(1, 12, "plain")
    canvas.dot(3, 4, filled=True)
    canvas.gridline((0, 0), (0, 9))
    canvas.box(1, 1, 2, 2, "#ffffff")
    canvas.area([(0, 0), (1, 0), (1, 1)], "#d6e7f3")
    short, rules = shorten_drawings("<p style='x'>" + str(inline_svg(canvas.svg(), 'a "b" <c>')))
    classes = re.findall(r'class="([^"]*)"', short)
    assert classes == ["d0", "d0", "d1", "d2", "d3", "d4"]
    assert '<text class="d0" x="1" y="4.47">a "style" &lt;b&gt; style="fill:red"</text>' in short
    assert short.startswith("<p style='x'><svg") and 'aria-label="a &#34;b&#34; &lt;c&gt;"' in short
    assert rules.split("\n")[1] == "svg .d1{fill:var(--data);stroke:var(--data);stroke-width:1.1}"
    assert len(rules.splitlines()) == rules.count("{") == 5
    assert '<path class="d4" d="M0 0l1 0 0 1Z"' in short
