"""Templates as Python modules, written when the package is built.

Jinja takes longer to compile our templates than to render them. A module that is missing, or that
was made from another text or by another Jinja, is compiled in memory.

`python -m evallang.reporting.template_modules` writes the modules next to the templates.
"""

import pkgutil
import zlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from evallang.registry import lazy

jinja2 = lazy("jinja2")

PACKAGE = "evallang.templates"


def shipped_or_compiled(sources: Mapping[str, str]) -> Any:
    """Return a loader of templates, by name, that compiles those without a shipped module."""

    class Loader(jinja2.DictLoader):  # type: ignore[misc, name-defined]
        """The loader."""

        def load(self, environment: Any, name: str, globals: Any = None) -> Any:  # noqa: A002
            module = _shipped(name, sources[name])
            if module is None:
                return super().load(environment, name, globals)
            return environment.template_class.from_module_dict(environment, module, globals or {})

    return Loader(sources)


def write(environment: Any, sources: Mapping[str, str], folder: Path) -> None:
    """Compile templates, by name, and save their modules in a folder."""
    for name, source in sources.items():
        code = environment.compile(source, name, raw=True, defer_init=True)
        text = f"{code}\nmade_from = {_fingerprint(source)!r}\n"
        (folder / f"{_module(name)}.py").write_text(text, encoding="utf-8")


def _shipped(name: str, source: str) -> dict[str, Any] | None:
    try:
        module = vars(import_module(f"{PACKAGE}.{_module(name)}"))
    except ModuleNotFoundError:
        return None
    return module if module.get("made_from") == _fingerprint(source) else None


def _module(name: str) -> str:
    return "compiled_" + name.partition(".")[0]


def _fingerprint(source: str) -> str:
    """Return the checksums of a template and of the code of Jinja that compiles it."""
    compiler = pkgutil.get_data("jinja2", "compiler.py") or b""
    return f"{zlib.crc32(source.encode()):08x} by {zlib.crc32(compiler):08x}"
