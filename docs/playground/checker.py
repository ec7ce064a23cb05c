"""The checker of evallang in a page: findings, fixes and the canonical format of a text, as JSON.

Runs in Pyodide. Packages that a browser does not have are stand-ins: modules import names from
them, and a call raises `ModuleNotFoundError`, for which the page skips a rule that computes.
"""

import json
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType

ABSENT = frozenset(
    (
        *("_multiprocessing", "_posixshmem", "cloudpickle", "fontTools", "jinja2", "markupsafe"),
        *("numpy", "polars", "resource", "scipy", "threadpoolctl", "tinycss2"),
    )
)
PATH = "study.eval"

computing: set[str] = set()
"""Codes of the rules that asked a stand-in to compute in the current check."""


class Name:
    """A name of an absent package: modules mention it while they are imported."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "Name":
        if name.startswith("__"):
            raise AttributeError(name)
        return Name(f"{self._name}.{name}")

    def __call__(self, *_: object, **__: object) -> "Name":
        """Return the name itself while a module is imported; raise `ModuleNotFoundError` later."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name == "<module>" and "evallang." in frame.f_globals["__name__"]:
                return self  # a constant of a module, or a decorator
            frame = frame.f_back
        raise ModuleNotFoundError(f"the page does not have {self._name}", name=self._name)

    def __getitem__(self, _: object) -> "Name":
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return ()

    __mul__ = __or__ = __rmul__ = __ror__ = __getitem__


class StandIn(ModuleType):
    """A module of an absent package."""

    def __getattr__(self, name: str) -> Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return Name(f"{self.__name__}.{name}")


class StandIns(MetaPathFinder, Loader):
    """Finds the modules of absent packages."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return a stand-in for a module of an absent package."""
        absent = name.partition(".")[0] in ABSENT
        return ModuleSpec(name, self, is_package=True) if absent else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Set the limits of a process, which a browser does not have."""
        if module.__name__ == "resource":
            module.RLIMIT_AS, module.RLIM_INFINITY = 0, -1
            module.getrlimit = lambda _: (-1, -1)


sys.meta_path.insert(0, StandIns())

from msgspec.structs import replace  # noqa: E402

from evallang.checking.rules.rule import RULES, Objection, Rule, load_rules  # noqa: E402
from evallang.checking.waivers import canonical  # noqa: E402
from evallang.diagnostics.formats import to_record  # noqa: E402
from evallang.diagnostics.text import to_text  # noqa: E402
from evallang.editor.document import Document  # noqa: E402
from evallang.editor.fixes import apply_safe_fixes  # noqa: E402
from evallang.source import SourceFile  # noqa: E402
from evallang.syntax.formatter import format_parsed  # noqa: E402
from evallang.syntax.parser import parse_lines  # noqa: E402


def skipping(rule: Rule) -> Rule:
    """Return a rule that finds nothing, and is noted, where it asks a stand-in to compute."""

    def find(known: object) -> list[Objection]:
        try:
            return list(rule.find(known))
        except ModuleNotFoundError:
            computing.add(rule.code.code)
            return []

    return replace(rule, find=find)


load_rules()
RULES.update({name: skipping(rule) for name, rule in RULES.items()})
document = Document(Path(PATH), "")


def check(text: str) -> str:
    """Return what is found in a text, and the codes of the rules that were skipped."""
    computing.clear()
    document.text = text
    sources = document.study.checked.sources
    found = [
        {**to_record(diagnostic, sources), "text": to_text([diagnostic], sources)}
        for diagnostic in document.study.diagnostics
    ]
    return json.dumps({"findings": found, "skipped": sorted(computing)})


def fix(text: str) -> str:
    """Return a text with all safe fixes applied."""
    return apply_safe_fixes(text, PATH, lambda text: document.check_with(PATH, text).diagnostics)[0]


def format_text(text: str) -> str:
    """Return a text in its canonical format; as it is where it cannot be read."""
    source = SourceFile(PATH, text)
    parsed = parse_lines(source)
    return text if parsed.refused else format_parsed(source, parsed, canonical)
