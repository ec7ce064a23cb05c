"""The programs of the system without which a part of evallang cannot be tested."""

import os

import pytest


def missing(program: str) -> None:
    """Skip the tests that need a program; in CI, which installs it, they fail."""
    reason = f"there is no {program}, which `.ci/run` and `make look` install where they may"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
