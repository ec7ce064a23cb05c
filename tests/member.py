"""`make member NAME=x`: what a member of a registry lacks, then the tests about it.

Of the conformance suite only the cases of this member are tried.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.validation.everything import unmeasured
from evallang.manual.explanations import illustration, python_call, written
from evallang.manual.glossary import REGISTRIES
from evallang.registry import Entry
from evallang.spelling import closest

ROOT = Path(__file__).parents[1]


def entries_named(name: str) -> list[Entry[Any]]:
    """Return the members of all registries with a name."""
    return [entry for registry in REGISTRIES.values() for entry in registry if entry.name == name]


def lacking(entry: Entry[Any]) -> Iterator[str]:
    """Iterate over what other members of the registry have, and a member does not."""
    catalogue, registry = next(
        (name, found) for name, found in REGISTRIES.items() if found.kind == entry.kind
    )
    others = [other for other in registry if other.name != entry.name]
    if not entry.summary.endswith("."):
        yield "a first sentence of its docstring that ends with a full stop"
    if not entry.references:
        yield "`references`: the works that it is taken from, `cite(KEY)` of references.bib"
    if not entry.examples and any(other.examples for other in others):
        yield "`examples`: a worked example with its published result"
    for field in ("when", "when_not", "formula"):
        here = getattr(entry.declaration, field)
        if not here and all(getattr(other.declaration, field) for other in others):
            yield f"`{field}` of its guidance"
    if not (illustration(entry) or python_call(entry)):
        yield "`example` of its guidance: lines of a study that use it"
    module = entry.function.__module__
    if module.startswith("evallang.stats.") and module.endswith(f".{entry.name}"):
        yield "another name of its module, which else stands before it in `evallang.stats`"
    if f"{entry.kind} {entry.name}" in unmeasured():
        yield f"a design in benchmarks/validation: then `make validate-full ONLY={entry.name}`"
    page = ROOT / "docs" / "reference" / f"{catalogue}.md"
    if f"`{written(entry)}`" not in page.read_text("utf-8"):
        yield "its page in docs/reference: run `make docs`"
    tests = (
        path for path in (ROOT / "tests").rglob("test_*.py") if path.parent.name != "conformance"
    )
    if not any(entry.name in path.read_text("utf-8") for path in tests):
        yield "a test with figures of another implementation"


class OnlyMember:
    """A plugin of pytest that tries the cases of one member."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _is_about(self, values: Any) -> bool:
        return any(isinstance(one, Entry) and one.name == self.name for one in values)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the tests with a case of the member, and of many cases in one test these."""
        kept = []
        for item in items:
            cases = getattr(item.function, "cases", None)
            if cases is not None:
                cases[:] = [case for case in cases if self._is_about(case[1].values())]
            called = getattr(item, "callspec", None)
            if cases or (called is not None and self._is_about(called.params.values())):
                kept.append(item)
        items[:] = kept


def main(name: str) -> int:
    """Print what a member lacks, and run the tests about it."""
    found = entries_named(name)
    if not found:
        names = [entry.name for registry in REGISTRIES.values() for entry in registry]
        near = closest(name, names)
        print(f"no member is called {name}" + (f"; perhaps {near}" if near else ""))
        return 2
    for entry in found:
        place = sys.modules[entry.function.__module__].__file__ or ""
        print(f"{entry.kind} {name}: {entry.title}, in {Path(place).relative_to(ROOT)}")
        missing = list(lacking(entry))
        print(
            "".join(f"  lacks {one}\n" for one in missing) or "  lacks nothing\n",
            end="",
            flush=True,
        )
    suite = str(ROOT / "tests" / "conformance")
    return int(pytest.main(["-q", "-p", "no:cacheprovider", suite], plugins=[OnlyMember(name)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
