"""The programs of the system without which a part of evallang cannot be tested."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from docs.generator.browser import chromium


def missing(program: str) -> None:
    """Skip the tests that need a program; in CI, which installs it, they fail."""
    reason = f"there is no {program}, which `.ci/run` and `make look` install where they may"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def started_browser() -> Iterator[Any]:
    """Yield a headless Chromium."""
    with chromium() as browser:
        if browser is None:
            missing("Chromium")
        yield browser
