"""The plot of average ranks of Zhou (2021), section 2.4.4 and figure 2.8."""

import math
import re

import pytest
from drawings import ungrouped

from evallang.reporting.figures.figure import FIRST
from evallang.reporting.figures.grouping import rank_plot

# Three algorithms on four data sets: q = 2.344 (table 2.7) gives CD = 1.657 by equation 2.36. Our
# ranks are some of which the section says the same: A and B, and B and C, differ by less than CD,
# and A and C by more.
REACH = 2.344 * math.sqrt(3 * 4 / (6 * 4))
RANKS = {"A": 1.0, "B": 2.125, "C": 2.875}
SEGMENT = re.compile(r'<path d="M([\d.]+) ([\d.]+)L([\d.]+) \2" style="[^"]*stroke-width:1.4"')
DOT = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)"')


@pytest.fixture(scope="module")
def segments():
    drawing, _ = rank_plot(
        {name: name for name in RANKS}, RANKS, REACH, 3, dict.fromkeys(RANKS, FIRST)
    )
    svg = ungrouped(drawing.svg())
    found = [tuple(map(float, each)) for each in SEGMENT.findall(svg)]
    dots = [tuple(map(float, each)) for each in DOT.findall(svg)]
    return dict(zip(RANKS, zip(found, dots, strict=True), strict=True))


def test_the_critical_difference_is_that_of_the_book():
    assert pytest.approx(1.657, abs=5e-4) == REACH
    _, alt = rank_plot({name: name for name in RANKS}, RANKS, REACH, 3, dict.fromkeys(RANKS, FIRST))
    assert "1.66" in alt


def test_segments_are_centred_at_the_ranks_and_as_long_as_the_critical_difference(segments):
    places = {name: dot[0] for name, (_, dot) in segments.items()}
    unit = (places["C"] - places["A"]) / (RANKS["C"] - RANKS["A"])
    assert places["B"] - places["A"] == pytest.approx(unit * 1.125, abs=0.02)
    for (left, y, right), (x, of_dot) in segments.values():
        assert (left + right) / 2 == pytest.approx(x, abs=0.02) and y == of_dot
        assert right - left == pytest.approx(unit * 1.657, abs=0.05)


@pytest.mark.parametrize(("pair", "overlap"), [("AB", True), ("BC", True), ("AC", False)])
def test_segments_overlap_where_the_algorithms_do_not_differ(segments, pair, overlap):
    (first, _), (second, _) = (segments[name] for name in pair)
    assert (second[0] < first[2]) is overlap
