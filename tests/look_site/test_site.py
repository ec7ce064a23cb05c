"""Every page at three widths, light and dark; every link inside the site; search from disk."""

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import SITE, pages

WIDTHS = (390, 768, 1280)
SCHEMES = ("light", "dark")
AXE = {"resultTypes": ["violations"], "preload": False}  # which reads no style sheet from disk
PARTS = 16  # of the pages, for several processes


class Links(HTMLParser):
    """The links of a page, and the names that links to it may end with."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            elif name == "id":
                self.ids.add(value)


@cache
def parsed(path):
    return Links(path.read_text(encoding="utf-8"))


def links_to(page):
    """Iterate over the links of a page that stay on the site, as written."""
    for link in dict.fromkeys(parsed(SITE / page).links):
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            yield link, parts


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_fits_its_screen_and_axe_finds_no_violation(browser, part, scheme):
    """Nothing but boxes of their own scrolls sideways, nothing is asked of another host."""
    wrong = []
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: said.type == "error" and wrong.append((name, said.text)))
    page.on("pageerror", lambda error: wrong.append((name, str(error))))
    for name in pages()[part::PARTS]:
        page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
        page.goto((SITE / name).as_uri())
        found = Axe().run(page, options=AXE)
        if found.violations_count:
            wrong.append((name, found.generate_report()))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                wrong.append((name, f"{wide} px at {width} px"))
    context.close()
    outside = {url for url in asked if not url.startswith((SITE.as_uri(), "data:"))}
    assert not outside
    assert not wrong, "\n".join(f"{name}: {what}" for name, what in wrong)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_link_inside_the_site_leads_somewhere(part):
    lost = []
    for page in pages()[part::PARTS]:
        for link, parts in links_to(page):
            target = SITE / page
            if parts.path:
                target = (target.parent / unquote(parts.path)).resolve()
            there = target.is_relative_to(SITE) and target.is_file()
            if there and parts.fragment and target.suffix == ".html":
                there = unquote(parts.fragment) in parsed(target).ids
            if not there:
                lost.append((page, link))
    assert not lost, "\n".join(f"{page}: {link}" for page, link in lost)


def test_no_page_needs_the_root_of_a_host():
    rooted = [
        (page, link) for page in pages() for link, _ in links_to(page) if link.startswith("/")
    ]
    assert rooted == []


@pytest.mark.parametrize(
    ("word", "page"), [("mcnemar", "reference/tests/mcnemar"), ("E201", "reference/codes/E201")]
)
def test_search_from_disk_finds_the_page_of_a_word(browser, word, page):
    shown = browser.new_page()
    shown.goto(f"{(SITE / 'search.html').as_uri()}?q={word}")
    first = shown.locator(".search li a").first
    first.wait_for()
    assert re.search(rf"{page}\.html", first.get_attribute("href"))
    first.click()
    assert word.lower() in shown.locator("h1").inner_text().lower()
    shown.close()
