"""The filters above the tables of the built reference, worked by keyboard in Chromium."""

from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "build" / "site" / "reference"


@pytest.fixture
def opened(browser):
    """Return a function that opens a page of the reference from disk."""

    def opened(name):
        page = browser.new_page()
        page.goto((REFERENCE / f"{name}.html").as_uri())
        return page

    return opened


def shown(page, frame=""):
    """Return the visible body rows of the tables below a selector, as texts of their cells."""
    return page.eval_on_selector_all(
        f"{frame}tbody tr",
        """rows => rows.filter(row => row.checkVisibility()).map(row =>
            [...row.cells].filter(cell => cell.checkVisibility()).map(cell => cell.innerText))""",
    )


def test_the_column_of_a_protocol_shows_its_tests_alone(opened):
    page = opened("what-goes-with-what")
    page.get_by_label("Only what fits").first.focus()
    page.keyboard.type("time_series")
    page.keyboard.press("Enter")
    rows = shown(page, "#tests ")
    assert {len(row) for row in rows} == {2}
    marks = {row[0]: row[1] for row in rows}
    assert marks["permutation"] == "block="
    assert marks["diebold_mariano"] == "✓"
    assert "mcnemar" not in marks
    assert page.get_by_role("status").first.inner_text().startswith(f"{len(rows)} of ")
    assert len(shown(page, "#intervals ")[0]) > 2


def test_text_finds_rows_and_hides_the_sections_without_any(opened):
    page = opened("errors")
    every = len(shown(page))
    page.get_by_label("Filter rows").focus()
    page.keyboard.type("evidence")
    rows = shown(page)
    assert "E201" in {row[0] for row in rows}
    assert len(rows) < every / 10
    assert not page.locator("section:has(> h2:has-text('Syntax'))").is_visible()
    page.get_by_label("Filter rows").fill("")
    assert len(shown(page)) == every


def test_a_page_without_long_tables_has_no_filter(opened):
    assert opened("metrics/mcc").get_by_label("Filter rows").count() == 0
