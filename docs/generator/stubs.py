"""Stubs of the numeric core: where each name that is imported when first used is defined.

Type checkers and editors read them in place of the `__init__` that looks the names up.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from evallang import stats
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

WRITTEN = (
    "# Written by `python -m docs.generator` from the registries: do not edit.\n# ruff: noqa\n"
)
LONGEST = 100


def stubs() -> Iterator[tuple[str, str]]:
    """Return the path of each stub and its text."""
    found = {name: getattr(stats, name) for name in dir(stats) if name not in stats.ROOMS}
    rooms = "".join(f"from evallang.stats import {name} as {name}\n" for name in stats.ROOMS)
    yield "evallang/stats/__init__.pyi", _stub(found, rooms)
    for room, registry in zip(stats.ROOMS, (HYPOTHESIS_TESTS, INTERVALS), strict=True):
        members = {e.name: e.function for e in registry if e.name.isidentifier()}
        yield f"evallang/stats/{room}/__init__.pyi", _stub(members)


def _stub(members: Mapping[str, Any], more: str = "") -> str:
    lines = []
    for name, member in members.items():
        line = f"from {member.__module__} import {member.__name__} as {name}"
        if len(line) > LONGEST:
            line = f"from {member.__module__} import (\n    {member.__name__} as {name},\n)"
        lines.append(line)
    return f"{WRITTEN}{more}" + "".join(f"{line}\n" for line in sorted(lines))
