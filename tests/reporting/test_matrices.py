"""Matrices of pairs: their text can be read at the final size, and what has no room is omitted."""

import re
from itertools import combinations, permutations, product
from types import SimpleNamespace

import pytest

from evallang.reporting.figures.class_matrix import matrix_of_classes
from evallang.reporting.figures.figure import (
    FIRST,
    LEAST_SIZE,
    POINTS_PER_MM,
    smallest_text,
)
from evallang.reporting.figures.grouping import rank_plot
from evallang.reporting.figures.matrices import win_matrix
from evallang.reporting.figures.stacks import name_of_pair, stacked_bars
from evallang.reporting.numbers import Scale, in_ranges
from evallang.reporting.report import TALLEST, WIDTHS, arrange

CONTEXT = SimpleNamespace(model=lambda name: f"Candidate classifier {name}")
TEXT = re.compile(r">([^<>]+)</text>")


def drawn(n, sets=30):
    """Draw the wins of models of which each is better than the next on all data sets but ten."""
    names = [str(i) for i in range(n)]
    pairs = list(combinations(names, 2))
    counts = dict.fromkeys(pairs, (sets - 10, 6, 4))
    counts |= {pair[::-1]: (4, 6, sets - 10) for pair in pairs}
    return win_matrix(CONTEXT, counts, names)


@pytest.mark.parametrize("n", [3, 6, 7, 9, 10, 14, 20])
def test_texts_of_a_matrix_can_be_read_in_both_widths(n):
    matrix = drawn(n)
    assert smallest_text([matrix.drawing]) >= LEAST_SIZE
    for width in {w for widths in WIDTHS.values() for w in widths.values()}:
        sheet = arrange([matrix.drawing], width * POINTS_PER_MM)
        assert smallest_text([sheet]) >= LEAST_SIZE
        boxes = [mark.points for mark in sheet.marks if mark.tag == "rect"]
        for ((a, b), (c, d)), ((e, f), (g, h)) in combinations(boxes, 2):
            assert c <= e + 1e-6 or g <= a + 1e-6 or d <= f + 1e-6 or h <= b + 1e-6


@pytest.mark.parametrize(
    ("n", "sets", "shown", "keyed"),
    [
        (3, 30, "20/6/4", False),
        (6, 30, "20/6/4", False),
        (9, 30, "20/6/4", False),
        (11, 15, "5/6/4", True),
        (12, 30, "20", False),
    ],
)
def test_names_make_room_for_numbers_where_that_is_enough(n, sets, shown, keyed):
    matrix = drawn(n, sets)
    svg = matrix.drawing.svg()
    texts = TEXT.findall(svg)
    assert texts.count(shown) == n * (n - 1) / 2
    assert matrix.numbers == ("/" in shown, True)
    named = [text for text in texts if "Cand" in text]
    assert len(named) == (2 * n if n <= 5 else n)  # few have their names above the columns too
    if keyed:
        assert named == [f"{i + 1}\u2002Candidate classifier {i}" for i in range(n)]
        foot = max(float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', svg))
        lines = re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>\d+\u2002', svg)
        assert all(float(y) > foot for y in lines) and len(lines) == n


@pytest.mark.parametrize("n", [6, 10, 11, 30])
def test_long_names_of_a_matrix_are_whole_in_its_key(n):
    names = [f"Gradient boosting of shallow trees, calibrated, version {i}, May" for i in range(n)]
    counts = dict.fromkeys(permutations(names, 2), (1, 2, 3))
    matrix = win_matrix(SimpleNamespace(model=str), counts, names)
    cells = {(a, b): {"count": 1, "share": float(a == b)} for a, b in product(names, names)}
    heat, _ = matrix_of_classes("Net", names, cells)
    ranks = {name: float(i + 1) for i, name in enumerate(names)}
    looks = dict.fromkeys(names, FIRST)
    lines, _ = rank_plot({name: name for name in names}, ranks, 1.0, n, looks)
    written = "".join(TEXT.findall(lines.svg())).replace(" ", "")
    assert "…" not in written and all(name.replace(" ", "") in written for name in names)
    for drawing in (matrix.drawing, heat):
        written = " ".join(TEXT.findall(drawing.svg()))
        assert all(f"{i + 1}\u2002{name}" in written for i, name in enumerate(names))
        assert "…" not in written
        assert drawing.height < TALLEST * POINTS_PER_MM
    assert matrix.alt.endswith(f"{n - 1} to {n} 1 / 2 / 3.")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([1], "1"), ([1, 2], "1, 2"), ([2, 3, 4, 7, 9, 10], "2–4, 7, 9, 10"), ([1, 2, 3, 4], "1–4")],
)
def test_numbers_of_points_in_one_place_are_one_text(numbers, text):
    assert in_ranges(numbers) == text


def test_a_pair_of_long_names_has_two_lines():
    assert name_of_pair(["A", "B"], "and") == "A and B"
    long = ["Gradient boosting, many trees", "Logistic regression, elastic net"]
    assert name_of_pair(long, "and") == f"{long[0]}\nand {long[1]}"
    drawing, alt = stacked_bars(
        [(name_of_pair(long, "and"), [3, 1])], ("a", "b"), "n", Scale(0), "x"
    )
    texts = TEXT.findall(drawing.svg())
    assert any(text.startswith("and Logistic") for text in texts) and "\n" not in alt


@pytest.mark.parametrize("most", [1, 2, 3, 7, 40])
def test_an_axis_of_counts_has_whole_numbers(most):
    drawing, _ = stacked_bars(
        [("A", [most, 0])], ("a", "b"), "Settings", Scale(0), "x", 90, (0, most)
    )
    ticks = [text for text in TEXT.findall(drawing.svg()) if re.fullmatch(r"[\d.]+", text)]
    assert len(ticks) > 1 and all(tick.isdigit() and int(tick) <= most for tick in ticks)
