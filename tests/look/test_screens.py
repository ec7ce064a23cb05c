"""The HTML in a browser: no violation that axe-core finds, no sideways scroll, no request."""

import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

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
        pytest.skip("there is no Chromium, which `make look` installs where it may")
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
