"""The playground in headless Chromium: what it finds is what `evallang check` finds."""

import functools
import json
import subprocess
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"
STUDIES = json.loads((SITE / "playground/studies.json").read_text("utf-8"))
TEXTS = {title: text for group in STUDIES.values() for title, text in group.items()}
MISSPELT = "A misspelt metric and a misspelt model"
COMPUTED = {"W310", "W317", "W357"}  # by rules that need SciPy, as the page states
LOADED = 180_000  # ms, on a busy machine
expect.set_options(timeout=60_000)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/playground/index.html"
    server.shutdown()


@pytest.fixture(scope="module")
def opened(browser, address):
    """The page with the checker loaded, which keeps what it shows; and the requests it made."""
    page = browser.new_page()
    page.set_default_timeout(LOADED)
    page.requests = []
    page.on("request", lambda request: page.requests.append(request.url))
    began = time.monotonic()
    page.goto(address)
    expect(page.locator("#summary")).not_to_be_empty(timeout=LOADED)
    page.evaluate("const before = show; show = (found) => before((window.shown = found)); 0")
    print(f"\nthe first answer came after {time.monotonic() - began:.1f} s")
    return page


def load(page, title):
    """Load a study of the list; return what the checker answers."""
    page.select_option("#examples", "")
    page.locator("#study").fill("evallang 1\n")
    page.select_option("#examples", title)
    return answer(page)


def answer(page):
    """Return what the checker answers for the text as it is now."""
    expect(page.locator("#findings")).to_have_attribute("aria-busy", "false")
    return page.evaluate("window.shown")


@pytest.mark.parametrize("title", TEXTS)
def test_findings_are_those_of_the_command(opened, title, tmp_path):
    (tmp_path / "study.eval").write_text(TEXTS[title], "utf-8")
    command = (sys.executable, "-m", "evallang", "check", "--format", "json", "study.eval")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    shown = load(opened, title)
    assert set(shown["skipped"]) <= COMPUTED
    found = [{k: v for k, v in one.items() if k != "text"} for one in shown["findings"]]
    expected = json.loads(done.stdout)["diagnostics"]
    assert found == [one for one in expected if one["code"] not in shown["skipped"]]


def test_an_example_loads_clean(opened):
    load(opened, "Three simple classifiers of wine cultivars")
    expect(opened.locator("#summary")).to_have_text("Nothing found.")


def test_a_fix_is_applied(opened):
    load(opened, MISSPELT)
    finding = opened.locator("#findings li", has_text="acuracy")
    expect(finding.locator("a").first).to_have_text("E120")
    assert finding.locator("a").first.get_attribute("href").endswith("/reference/codes/E120.html")
    finding.get_by_role("button").last.click()
    expect(opened.locator("#study")).to_have_value(TEXTS[MISSPELT].replace("acuracy", "accuracy"))
    expect(opened.locator("#summary")).to_have_text("1 error.")


def test_all_safe_fixes_and_the_format_are_applied(opened):
    load(opened, MISSPELT)
    opened.locator("#study").press("Control+End")
    opened.keyboard.insert_text("report   html\n")
    opened.click("#fix")
    expect(opened.locator("#summary")).to_contain_text("Nothing found.")
    opened.click("#format")
    fixed = TEXTS[MISSPELT].replace("acuracy", "accuracy").replace("Regresion", "Regression")
    expect(opened.locator("#study")).to_have_value(f"{fixed}report html\n")


def test_an_edit_is_answered(opened):
    load(opened, MISSPELT)
    opened.locator("#study").press("Control+End")
    took = []
    for key in "report html":
        began = time.monotonic()
        opened.keyboard.type(key)
        answer(opened)
        took.append(1000 * (time.monotonic() - began))
    print(f"\nan edit is shown after {sorted(took)[len(took) // 2]:.0f} ms, 150 of them of waiting")
    assert len(answer(opened)["findings"]) == 2


def test_an_address_restores_the_text(opened, browser):
    load(opened, MISSPELT)
    opened.click("#share")
    opened.wait_for_function("location.hash.length > 20")
    other = browser.new_page()
    other.set_default_timeout(LOADED)
    other.goto(opened.url)
    expect(other.locator("#study")).to_have_value(TEXTS[MISSPELT])
    expect(other.locator("#summary")).to_have_text("2 errors.", timeout=LOADED)
    other.close()


def test_only_this_host_is_asked(opened, address):
    host = address.removesuffix("playground/index.html")
    assert opened.requests
    assert [url for url in opened.requests if not url.startswith((host, "blob:", "data:"))] == []


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(opened, scheme, width):
    load(opened, MISSPELT)
    opened.set_viewport_size({"width": width, "height": 900})
    opened.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()


def test_from_disk_it_says_what_to_do(browser):
    page = browser.new_page()
    page.goto((SITE / "playground/index.html").as_uri())
    expect(page.locator("#state")).to_contain_text("make site-serve")
    page.close()
