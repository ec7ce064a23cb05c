"""Declarative machine-learning evaluation: a `.eval` file in, tested results and a report out."""

import sys

if (
    sys.argv[:1] == ["-m"]
    and not sys.flags.safe_path
    and sys.orig_argv[-len(sys.argv)].removeprefix("-m").partition(".")[0] == "evallang"
):
    # `python -m evallang` looks for modules in the current folder first, which is not trusted
    del sys.path[0]

from typing import TYPE_CHECKING, Any

from evallang.version import VERSION as __version__  # noqa: N811 - the customary name

if TYPE_CHECKING:
    from evallang import stats
    from evallang.api import (
        Results,
        StudyError,
        StudyFile as Study,
        check,
        compare,
        load,
        parse,
        run,
    )
    from evallang.manual.glossary import complete

__all__ = [
    "Results",
    "Study",
    "StudyError",
    "__version__",
    "check",
    "compare",
    "complete",
    "load",
    "parse",
    "run",
    "stats",
]


def __dir__() -> list[str]:
    """Return all public names, including those not imported yet, for completion in a notebook."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import evallang` is fast."""
    import importlib

    from evallang.working_folder import safe_path

    with safe_path():
        if name == "stats":
            return importlib.import_module("evallang.stats")
        if name == "complete":
            return importlib.import_module("evallang.manual.glossary").complete
        if name == "load_ipython_extension":  # of `%load_ext evallang`
            return importlib.import_module("evallang.notebook").load_ipython_extension
        if name in __all__:
            inside = "StudyFile" if name == "Study" else name
            return getattr(importlib.import_module("evallang.api"), inside)
    raise AttributeError(f"module 'evallang' has no attribute {name!r}")
