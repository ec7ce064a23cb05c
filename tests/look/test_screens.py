"""The HTML in a browser: no violation that axe-core finds, no sideways scroll, no request."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from programs import started_browser

WIDTHS = (320, 390, 768, 1280, 1440)
SHOWN = (
    "four fitted models",
    "thirty models",
    "names of 80 characters",
    "Arabic names",
    "gates failed",
    "curves",
)
SCHEMES = {"light": WIDTHS, "dark": (WIDTHS[0], WIDTHS[-1])}  # which differ in colours alone


@pytest.fixture(scope="session")
def browser():
    with started_browser() as browser:
        yield browser


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
    for width in SCHEMES[scheme]:
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


@pytest.mark.parametrize("scripts", [True, False])
def test_every_link_of_the_page_scrolls_to_its_place(opened, scripts):
    page = opened("curves", 1280, java_script_enabled=scripts)
    targets = page.locator("a.anchor, .rail a").evaluate_all("found => found.map(a => a.hash)")
    address, height = page.url, 900
    end = page.locator("footer")
    for target in dict.fromkeys(targets):
        page.goto("about:blank")
        page.goto(address + target)
        top, foot = page.locator(target).bounding_box()["y"], end.bounding_box()
        last = foot["y"] + foot["height"] <= height + 2  # the end of the page is in sight
        assert -2 <= top <= 60 or (last and top < height), (target, top)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_contents_lead_to_every_section_and_mark_it(opened, width):
    page = opened("curves", width)
    links = page.locator(".rail a")
    for i in range(links.count()):
        links.nth(i).scroll_into_view_if_needed()
        links.nth(i).click()
        page.wait_for_timeout(30)
        marked = page.locator(".rail a[aria-current]").evaluate_all(
            "found => found.map(a => a.hash)"
        )
        assert marked == [links.nth(i).evaluate("a => a.hash")]


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
    assert ElementTree.fromstring(text).find("{http://www.w3.org/2000/svg}text") is not None
    page.goto((tmp_path / "drawing.svg").as_uri())
    page.wait_for_function("document.fonts.status === 'loaded'")
    loaded = page.evaluate(
        "Array.from(document.fonts).filter(f => f.status === 'loaded').map(f => f.family)"
    )
    assert "Evallang Sans" in {name.strip('"') for name in loaded}
    ink = page.evaluate("getComputedStyle(document.querySelector('text')).fill")
    assert ink == "rgb(26, 26, 26)"


def test_the_supplement_is_a_part_in_outline_and_contents(opened):
    page = opened("curves", 1280)
    heads = page.locator("h1, h2, h3, h4").evaluate_all(
        "found => found.map(h => [Number(h.tagName[1]), h.id])"
    )
    levels = [level for level, _ in heads]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    at = heads.index([2, "supplement"])
    assert min(levels[at + 1 :]) == 3
    parts = page.locator(".rail .part").all_inner_texts()
    assert parts == ["Main part", "Supplement"]
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("#supplement").bounding_box()["y"] < 60


def test_links_lead_to_tables_figures_and_headings(opened):
    page = opened("four fitted models", 1280)
    targets = page.locator("a.anchor").evaluate_all("found => found.map(a => a.hash)")
    assert len(targets) == len(set(targets)) > 8
    missing = page.evaluate(
        "targets => targets.filter(t => !document.getElementById(t.slice(1)))", targets
    )
    assert missing == []


TABLE = """
    head => {
        const th = head.closest("th"), rows = Array.from(th.closest("table").tBodies[0].rows);
        const right = th.getBoundingClientRect().right;
        const at = Array.from(rows[0].cells).findIndex(
            cell => Math.abs(cell.getBoundingClientRect().right - right) < 2);
        return {
            order: th.getAttribute("aria-sort"),
            sorted: th.closest("table").querySelectorAll("th[aria-sort]").length,
            focused: document.activeElement === head,
            cells: rows.map(row => [row.cells[at].textContent.trim(), row.cells[at].title]),
        };
    }
"""


@pytest.mark.parametrize("name", ["four fitted models", "a fit that failed", "curves"])
def test_every_column_is_sorted_by_the_full_value(opened, name):
    """By a click and by a key; what is missing comes last, and p < .001 by what it is."""
    page = opened(name, 1280)
    heads = page.locator("th[data-sort] button")
    assert heads.count() > 3
    for i in range(heads.count()):
        head, orders = heads.nth(i), []
        for way in (head.click, lambda: page.keyboard.press("Enter")):
            way()
            shown = head.evaluate(TABLE)
            orders.append(shown["order"])
            assert shown["sorted"] == 1 and shown["focused"]
            there = [cell for cell in shown["cells"] if cell[0] not in ("–", "")]
            assert there == shown["cells"][: len(there)]
            down = shown["order"] == "descending"
            values = [float(title.split(" to ")[0]) for _, title in there if title]
            keys = values or [text.lower() for text, _ in there]
            assert keys == sorted(keys, reverse=down)
        assert set(orders) == {"ascending", "descending"}
