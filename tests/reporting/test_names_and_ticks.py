"""Names, ticks and numbers of figures where there is little room."""

import re
from itertools import pairwise

import pytest

from evallang.reporting import fonts
from evallang.reporting.figures.figure import COLUMN, SIZE, Axis, Canvas
from evallang.reporting.numbers import in_short

TEXT = re.compile(r'<text x="([-\d.]+)" y="[-\d.]+" style="[^"]*?">([^<]*)</text>')


@pytest.mark.parametrize("limit", [40.0, 62.0, 96.0])
def test_long_names_that_end_otherwise_remain_apart(limit):
    names = [f"Gradient boosting of shallow trees, version {number}" for number in range(12)]
    shown = [fonts.shorten_name(name, SIZE, limit) for name in names]
    assert len(set(shown)) == len(names)
    for name, text in zip(names, shown, strict=True):
        start, _, end = text.partition("…")
        assert name.startswith(start) and name.endswith(end) and start and end
        assert fonts.width(text, SIZE) <= limit + 1e-9


def test_a_name_with_room_is_whole_and_signs_around_one_stay_in_pairs():
    assert fonts.shorten_name("Random forest", SIZE, 96.0) == "Random forest"
    isolated = "\u2068" + "الانحدار اللوجستي " * 4 + "\u2069"
    text = fonts.shorten_name(isolated, SIZE, 60.0)
    assert text.count("\u2068") == text.count("\u2069") == 1 and "…" in text


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (1.1e12, 7.4e12), (1e-9, 7e-9), (10_000_250.0, 10_000_900.0)]
)
@pytest.mark.parametrize("width", [40.0, 200.0])
def test_ticks_are_written_apart_and_at_their_places(low, high, width):
    canvas = Canvas(40.0)
    axis = Axis(low, high, 20.0, 20.0 + width)
    canvas.ticks(axis, 20.0)
    found = [(float(x), text) for x, text in TEXT.findall(canvas.svg())]
    assert found
    ends = [(x - fonts.width(t, SIZE) / 2, x + fonts.width(t, SIZE) / 2) for x, t in found]
    assert all(first[1] < second[0] for first, second in pairwise(ends))
    assert all(start >= -0.01 and end <= COLUMN + 0.01 for start, end in ends)
    assert len({text for _, text in axis.texts()}) == len(axis.texts())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2_058_177_815_514.0, "2.06 × 10¹²"),
        (-692_073.204, "−692,073"),
        (1.234e-9, "1.23 × 10⁻⁹"),
        (0.90812, "0.908"),
        (0.0, "0"),
        (None, "–"),
        (float("inf"), "∞"),
    ],
)
def test_a_short_number_has_three_digits(value, text):
    assert in_short(value).replace("\N{NO-BREAK SPACE}", " ") == text
