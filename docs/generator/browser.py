"""Starting a headless Chromium, which takes pictures for the site and looks at pages in tests."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser of Playwright, or None if no Chromium is installed."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        yield None
        return
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=options)
        yield browser
        browser.close()
