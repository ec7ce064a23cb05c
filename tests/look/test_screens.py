"""The HTML in a browser: no violation that axe-core finds, no sideways scroll, no request."""

import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from programs import missing

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (320, 390, 768, 1280)
SHOWN = (
    "four fitted models",
    "thirty models",
    "names of 80 characters",
    "Arabic names",
    "gates failed",
    "curves",
)
SCHEMES = ("light", "dark")


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing("Chromium")
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=options)
        yield started
        started.close()


@pytest.fixture
def opened(browser, rendered):
    """Return a function that opens the report of a kind at a width, in light or dark."""
    pages = []

    def open_(name, width, scheme="light", **options):
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **options
        )
        pages.append(page)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto((rendered(name).folder / "report.html").as_uri())
        return page

    yield open_
    for page in pages:
        page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_no_violation_at_any_width(opened, name, scheme):
    page = opened(name, WIDTHS[0], scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found = Axe().run(page)
        assert found.violations_count == 0, f"{width} px\n{found.generate_report()}"


@pytest.mark.parametrize("name", SHOWN)
def test_only_tables_scroll_sideways(opened, name):
    page = opened(name, WIDTHS[0])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} px at {width} px"


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_asks_for_nothing_but_itself(opened, name):
    page = opened(name, 1280)
    others = [url for url in page.asked if not url.startswith(("file:", "data:"))]
    assert others == []
    assert sum(url.startswith("file:") for url in page.asked) == 1


@pytest.mark.parametrize("name", [name for name in SHOWN if name != "thirty models"])
def test_the_file_of_a_normal_study_is_small(rendered, name):
    size = (rendered(name).folder / "report.html").stat().st_size
    assert size < 500_000, f"{size:,} bytes"


def test_without_scripts_every_table_is_there(opened, rendered):
    with_scripts = opened("four fitted models", 1280)
    without = opened("four fitted models", 1280, java_script_enabled=False)
    assert without.locator("table").count() == with_scripts.locator("table").count() > 3
    shown = without.locator("h2").all_inner_texts()
    assert shown == with_scripts.locator("h2").all_inner_texts()


COPIED = """
    window.copied = [];
    document.execCommand = () => {
        const box = document.activeElement;
        window.copied.push(box.value);
        return true;
    };
    Object.defineProperty(navigator, "clipboard", {value: undefined});
"""


def copied(page, button):
    page.evaluate(COPIED)
    button.click()
    return page.evaluate("window.copied[0]")


def test_what_is_copied_is_what_the_files_have(opened, rendered):
    page, folder = opened("four fitted models", 1280), rendered("four fitted models").folder
    tables = page.locator("figure.table")
    checked = 0
    for i in range(tables.count()):
        figure = tables.nth(i)
        name = figure.get_attribute("id").removeprefix("table-")
        if not (folder / "tables" / f"{name}.csv").exists():
            continue
        checked += 1
        text = copied(page, figure.get_by_role("button", name="copy CSV"))
        assert text == (folder / "tables" / f"{name}.csv").read_text(encoding="utf-8")
        latex = copied(page, figure.get_by_role("button", name="copy LaTeX"))
        assert latex in (folder / "tables" / f"{name}.tex").read_text(encoding="utf-8")
    assert checked >= 2
    text = copied(page, page.get_by_role("button", name="copy BibTeX"))
    assert text == (folder / "references.bib").read_text(encoding="utf-8")
    methods = page.locator("p.methods").first
    assert "\\cite{" in copied(page, page.locator("p.methods").nth(1).get_by_text("LaTeX"))
    words = copied(page, methods.get_by_role("button", name="copy", exact=True))
    assert "copy" not in words and words.endswith(".")


def test_a_drawing_is_saved_in_the_colours_of_print(opened, tmp_path):
    page = opened("four fitted models", 1280, "dark")
    with page.expect_download() as waited:
        page.get_by_role("button", name="save SVG").first.click()
    waited.value.save_as(tmp_path / "drawing.svg")
    text = (tmp_path / "drawing.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg") and "var(--" not in text
    assert "http://www.w3.org/2000/svg" in text


@pytest.mark.parametrize("name", SHOWN)
def test_every_sideways_scroll_has_a_cue(opened, name):
    page = opened(name, WIDTHS[0])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)
        bare = page.evaluate("""
            Array.from(document.querySelectorAll(".scroll")).filter(s =>
                s.scrollWidth > s.clientWidth + 1 && (
                    getComputedStyle(s).backgroundImage === "none" ||
                    getComputedStyle(s.nextElementSibling).display === "none")).length
        """)
        assert bare == 0, f"{width} px"


def test_controls_are_not_printed(opened):
    page = opened("four fitted models", 1280)
    page.emulate_media(media="print")
    for selector in (".copy", ".rail", ".anchor", ".cue"):
        shown = page.locator(selector).evaluate_all(
            "found => found.filter(e => e.getClientRects().length > 0).length"
        )
        assert shown == 0, selector
    arrows = page.locator("th button").evaluate_all(
        "found => found.map(b => getComputedStyle(b, '::after').content)"
    )
    assert set(arrows) <= {"none", "normal"}


def test_links_lead_to_tables_figures_and_headings(opened):
    page = opened("four fitted models", 1280)
    targets = page.locator("a.anchor").evaluate_all("found => found.map(a => a.hash)")
    assert len(targets) == len(set(targets)) > 8
    missing = page.evaluate(
        "targets => targets.filter(t => !document.getElementById(t.slice(1)))", targets
    )
    assert missing == []


def test_columns_are_sorted_by_the_full_value(opened):
    page = opened("four fitted models", 1280)
    head = page.locator("#table-estimates-1 th[data-sort] button").nth(1)
    head.click()
    cell = "#table-estimates-1 tbody td:nth-of-type(1)"
    read = f"Array.from(document.querySelectorAll('{cell}')).map(c => Number(c.title))"
    down = page.evaluate(read)
    assert down == sorted(down, reverse=True)
    head.click()
    assert page.evaluate(read) == sorted(down)
