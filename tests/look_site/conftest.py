"""The pages of the site, which `make site` has built, and a browser that looks at them."""

import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from programs import missing

SITE = Path(__file__).parents[2] / "build" / "site"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@cache
def pages():
    """Give the addresses of the pages from the root of the site; reports are looked at by look."""
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    return [page for page in found if not page.startswith(("reports/", "_static/"))]


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
