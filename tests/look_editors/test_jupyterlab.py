"""The notebook of the examples in JupyterLab, in headless Chromium: progress, results, themes."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from programs import started_browser

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/gallery/notebook.png"  # drawn where it is not there
PAPER = {"Light": "rgb(26, 26, 26)", "Dark": "rgb(232, 230, 225)"}
"""The colour of text in each theme: the ink of the report."""


@pytest.fixture
def address(tmp_path):
    """Start JupyterLab in a folder with the notebook; return its address."""
    shutil.copy(ROOT / "examples/notebook.ipynb", tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.token=look"]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={tmp_path}"],
        env=os.environ | {"HOME": str(tmp_path), "EVALLANG_STORE": "off"},
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    for _ in range(120):
        try:
            urllib.request.urlopen(f"{url}/api?token=look")
            break
        except OSError:
            time.sleep(0.5)
    yield f"{url}/lab/tree/notebook.ipynb?token=look&reset"
    server.terminate()
    server.wait()


def test_results_of_a_cell_take_the_colours_of_the_theme(address):
    with started_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 2400})

        def command(name):
            page.keyboard.press("Control+Shift+C")
            page.locator(".lm-CommandPalette-input").fill(name)
            page.wait_for_timeout(1000)
            page.keyboard.press("Enter")

        page.goto(address)
        cells = page.locator(".jp-Notebook .jp-CodeCell")
        expect(cells.first).to_be_visible(timeout=90_000)
        cells.first.click()
        page.wait_for_timeout(3000)
        command("Run All Cells")
        results = page.locator(".evallang")
        expect(results).to_have_count(2, timeout=180_000)
        findings = page.locator(".jp-OutputArea-output pre", has_text="hint[").first
        expect(findings).to_have_css("word-break", "normal")
        for theme, ink in PAPER.items():
            command(f"Use Theme: JupyterLab {theme}")
            expect(page.locator("body")).to_have_attribute(
                "data-jp-theme-light", "true" if theme == "Light" else "false"
            )
            for part in (
                results.first.locator("tbody td").first,
                results.first.locator("li").first,
            ):
                expect(part).to_have_css("color", ink)
            expect(results.last.locator("svg").first).to_be_visible()
            if not PICTURE.exists():
                _draw(page, results.first)
            left = results.first.locator("tbody th").first
            expect(left).to_have_css("text-align", "left")
        assert "Traceback" not in page.locator(".jp-Notebook").inner_text()
    assert PICTURE.stat().st_size < 150_000


def _draw(page: Page, results: Locator) -> None:
    """Draw the cell of the study, with what is below it as far as the first table."""
    cell = page.locator(".jp-CodeCell", has=results).first.bounding_box()
    table = results.locator("figure.table").first.bounding_box()
    height = table["y"] + table["height"] - cell["y"]
    page.screenshot(path=PICTURE, clip={**cell, "height": height})
