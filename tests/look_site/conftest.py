"""The pages of the site, which `make site` has built, and a browser that looks at them."""

from functools import cache
from pathlib import Path

import pytest
from programs import started_browser

SITE = Path(__file__).parents[2] / "build" / "site"


@cache
def pages():
    """Give the addresses of the pages from the root of the site; reports are looked at by look."""
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    return [page for page in found if not page.startswith(("reports/", "_static/"))]


@pytest.fixture(scope="session")
def browser():
    with started_browser() as browser:
        yield browser
