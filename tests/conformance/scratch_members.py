"""Register a scratch member for one test, and remove it afterwards."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import evallang
from evallang.checking.rules.rule import RULES, load_codes
from evallang.diagnostics import CODES
from evallang.manual import compatibility_table
from evallang.registry import Registry


@contextmanager
def registered(module: str, *registries: Registry[Any]) -> Iterator[None]:
    """Import one module of `scratch`, which adds a member to each registry, and remove them."""
    for registry in registries:
        registry.names()  # the members of the package come first
    before = [dict(registry._entries) for registry in registries]
    compatibility_table.settings.cache_clear()
    importlib.import_module(f"scratch.{module}")
    for registry, members in zip(registries, before, strict=True):
        assert len(registry._entries) == len(members) + 1
    try:
        yield
    finally:
        del sys.modules[f"scratch.{module}"]
        for registry, members in zip(registries, before, strict=True):
            registry._entries.clear()
            registry._entries.update(members)
        compatibility_table.settings.cache_clear()


@contextmanager
def registered_rule(module: str) -> Iterator[None]:
    """Import one module of `scratch`, which registers a rule, and remove rule and code after."""
    load_codes()
    before = (dict(RULES), dict(CODES))
    importlib.import_module(f"scratch.{module}")
    assert len(RULES) == len(before[0]) + 1
    try:
        yield
    finally:
        del sys.modules[f"scratch.{module}"]
        for known, members in zip((RULES, CODES), before, strict=True):
            known.clear()
            known.update(members)


def files_that_name(*words: str) -> list[str]:
    """Find the files of the package in which one of these words occurs."""
    root = Path(evallang.__file__).parent
    files = [*root.rglob("*.py"), *root.rglob("*.json"), *root.rglob("*.j2")]
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            found.append(path.relative_to(root).as_posix())
    return found
