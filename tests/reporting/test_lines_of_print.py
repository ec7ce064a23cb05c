"""Lines of a printed page end where their words end, not where WeasyPrint loses count."""

import importlib

import cases
import fixture
import pytest

from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.document import Document, Emphasis, Figure, Section, Strong, runs
from evallang.reporting.section import build

LEAST = 0.62  # of the measure; no word of these texts is longer than the rest


def lines(document):
    """Give (text, width, measure, last) of every line of running text."""
    weasyprint = importlib.import_module("weasyprint")
    page = html.render(document, "print").html
    nothing = importlib.import_module("weasyprint.urls").URLFetcher(allowed_protocols={"data"})
    rendered = weasyprint.HTML(string=page, base_url="data:,", url_fetcher=nothing).render()
    found = []
    for sheet in rendered.pages:
        for box in sheet._page_box.descendants():
            if box.element_tag not in ("p", "figcaption", "li"):
                continue
            children = getattr(box, "children", ())
            rows = [child for child in children if hasattr(child, "text_overflow")]
            for i, row in enumerate(rows):
                texts = [b for b in row.descendants() if hasattr(b, "text")]
                words = "".join(b.text for b in texts)
                if words.strip():
                    right = max(b.position_x + b.width for b in texts)
                    found.append((words, right - row.position_x, box.width, i == len(rows) - 1))
    return found


@pytest.mark.parametrize("study", [fixture.cancer, cases.no_bounds])
def test_no_line_breaks_long_before_its_end(study):
    found = lines(build(Context(study())))
    assert len([row for row in found if not row[3]]) > 12
    early = [row for row in found if not row[3] and row[1] < LEAST * row[2]]
    assert early == []


def test_no_line_starts_with_a_citation_or_the_tail_of_a_number():
    for words, *_ in lines(build(Context(fixture.cancer()))):
        start = words.lstrip("\u2060 ")
        assert start[:1] not in ".,;)", words
        assert not (words.startswith("\u2060") and start[:1].isdigit()), words


def test_a_caption_that_was_once_broken_after_its_first_letter_is_set_in_full_lines():
    """WeasyPrint 70 broke it after "a," while the sheet let glyphs kern."""
    caption = runs(
        Strong(runs("a")), ", models on the scale of R², best at the right; a bar joins models of "
        "which no pair was shown to differ (open points mark its members). ", Strong(runs("b")),
        ", below the diagonal, Holm-adjusted p (filled: at or below .05); above, difference.",
    )  # fmt: skip
    figures = tuple(Figure(f"figure-{i}", caption, ()) for i in range(1, 5))
    found = lines(Document("t", "0", "", "", "a4", (Section("s", "S", figures),)))
    assert len(found) >= 8
    assert [row for row in found if not row[3] and row[1] < LEAST * row[2]] == []


def test_a_text_that_fills_a_line_but_for_its_space_is_not_broken_after_its_first_word():
    """WeasyPrint 70 broke it there, once in two pages."""
    captions = [
        runs("This line ends with ", "many " * n + "i" * m, "; ", Emphasis(runs("p")), "-values. ")
        for n in range(26, 30)
        for m in range(1, 40)
    ]
    figures = tuple(Figure(f"figure-{i}", caption, ()) for i, caption in enumerate(captions, 1))
    found = lines(Document("t", "0", "", "", "a4", (Section("s", "S", figures),)))
    assert len([row for row in found if not row[3]]) >= 120
    assert [row for row in found if not row[3] and row[1] < LEAST * row[2]] == []
