"""Names, ticks and numbers of figures where there is little room."""

import re
from itertools import pairwise

import pytest
from drawings import ungrouped

from evallang.reporting import fonts
from evallang.reporting.estimate_figures import Spread, spread
from evallang.reporting.figures.figure import COLUMN, FIRST, SIZE, UNBOUNDED, Axis, Canvas
from evallang.reporting.figures.score_lines import ScorePoint, Series, score_lines
from evallang.reporting.numbers import Scale, in_short

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


LONG = [
    "bert_base_multilingual_uncased_finetuned_on_reviews_of_2019_to_2024_v2",
    "深層学習による画像分類モデル" * 2,
    *(f"Gradient boosting of shallow trees on counts of words, version {n:03}" for n in range(12)),
]


@pytest.mark.parametrize("name", LONG[:3])
def test_a_long_name_is_broken_into_lines_and_not_cut(name):
    (lines,) = fonts.name_lines([name], SIZE, 96.0)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert 1 < len(lines) <= fonts.MOST_LINES
    assert all(fonts.width(line, SIZE) <= 96.0 for line in lines)


def test_a_name_beyond_all_lines_is_cut_and_has_its_end():
    (lines,) = fonts.name_lines(["word " * 400 + "end"], SIZE, 96.0)
    assert len(lines) <= fonts.MOST_LINES
    assert "…" in "".join(lines) and lines[-1].endswith("end")


def test_rows_of_long_names_do_not_overlap():
    rows = [Spread(name, (0.1 + i / 100, 0.4, 0.6), 0.5) for i, name in enumerate(LONG[2:])]
    drawing, _ = spread(rows, "Accuracy", "folds", Scale(2))
    names = [m.points[0][1] for m in drawing.marks if m.text and m.anchor == "right"]
    assert len(names) > 24
    assert min(after - before for before, after in pairwise(names)) >= 7.0
    assert max(names) < drawing.height


def test_panels_that_are_compared_have_one_scale():
    near, far = (
        Series("test rows", tuple(ScorePoint(x, base + x / 1e4) for x in (10, 20, 40)))
        for base in (0.5, 0.9)
    )
    heights = []
    for one in (near, far):
        drawing, _ = score_lines(
            [one], ("Rows", "Accuracy"), Scale(2), "Model", (), UNBOUNDED, FIRST, [near, far]
        )
        heights.append([m.text for m in drawing.marks if m.text and m.anchor == "right"])
    assert heights[0] == heights[1]
    assert float(heights[0][0]) <= 0.5 and float(heights[0][-1]) >= 0.9


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (1.1e12, 7.4e12), (1e-9, 7e-9), (10_000_250.0, 10_000_900.0)]
)
@pytest.mark.parametrize("width", [40.0, 200.0])
def test_ticks_are_written_apart_and_at_their_places(low, high, width):
    canvas = Canvas(40.0)
    axis = Axis(low, high, 20.0, 20.0 + width)
    canvas.ticks(axis, 20.0)
    found = [(float(x), text) for x, text in TEXT.findall(ungrouped(canvas.svg()))]
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
