"""Matrices of pairs: their text can be read at the final size, and what has no room is omitted."""

import re
from itertools import combinations
from types import SimpleNamespace

import pytest

from evallang.reporting.figures import placing
from evallang.reporting.figures.figure import LEAST_SIZE, smallest_text
from evallang.reporting.figures.matrices import win_matrix
from evallang.results.records import Ranks

CONTEXT = SimpleNamespace(model=lambda name: f"Candidate classifier {name}")
TEXT = re.compile(r">([^<>]+)</text>")


def drawn(n, sets=30):
    """Draw the wins of models of which each is better than the next on all data sets but ten."""
    names = [str(i) for i in range(n)]
    rows = tuple((a, b, sets - 10, 6, 4) for a, b in combinations(names, 2))
    ranks = Ranks({name: float(i + 1) for i, name in enumerate(names)}, sets, None, rows)
    return win_matrix(CONTEXT, ranks, names)


@pytest.mark.parametrize("n", [3, 6, 7, 9, 10, 14, 20])
def test_texts_of_a_matrix_can_be_read_in_both_widths(n):
    matrix = drawn(n)
    assert smallest_text([matrix.svg]) >= LEAST_SIZE
    for width in (placing.SINGLE, placing.DOUBLE):
        marks = placing.sheet([matrix.svg], width).marks
        sizes = [dict(m.style)["font-size"] for m in marks if m.tag == "text"]
        assert min(float(size.removesuffix("px")) for size in sizes) >= LEAST_SIZE
        boxes = [m.numbers for m in marks if m.tag == "rect"]
        assert all(a + w <= c + 1e-6 or c + d <= a + 1e-6 or b + h <= e + 1e-6 or e + f <= b + 1e-6
                   for (a, b, w, h), (c, e, d, f) in combinations(boxes, 2))  # fmt: skip


@pytest.mark.parametrize(
    ("n", "shown", "keyed"),
    [(3, "20/6/4", False), (6, "20/6/4", False), (9, "20/6/4", True), (12, "20", False)],
)
def test_names_make_room_for_numbers_where_that_is_enough(n, shown, keyed):
    matrix = drawn(n)
    texts = TEXT.findall(matrix.svg)
    assert texts.count(shown) == n * (n - 1) / 2
    assert matrix.numbers == (shown == "20/6/4", True)
    named = [text for text in texts if "Cand" in text]
    assert len(named) == (2 * n if n <= 5 else n)  # few have their names above the columns too
    if keyed:
        assert named == [f"{i + 1}\u2002Candidate classifier {i}" for i in range(n)]
        foot = max(float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', matrix.svg))
        lines = re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>\d+\u2002', matrix.svg)
        assert all(float(y) > foot for y in lines) and len(lines) == n
