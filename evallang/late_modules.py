"""Modules that wait: what numpy, SciPy and scikit-learn import at their start and seldom use.

SciPy reads every name of numpy, and so imports numpy's parts for tests and for Fortran;
scikit-learn imports `scipy.stats` and others for a few functions of a few classes. Together they
are a third of the time in which scikit-learn is imported.
"""

import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

NUMPY: dict[str, tuple[str, ...]] = {"numpy.f2py": (), "numpy.testing": ()}
SELDOM: dict[str, tuple[str, ...]] = {
    "asyncio": (),
    "scipy.integrate": ("trapezoid",),
    "scipy.interpolate": ("BSpline",),
    "scipy.linalg.interpolative": ("interp_decomp",),
    "scipy.stats": ("chi2", "gmean", "rankdata", "spearmanr"),
}
LATE = {"scipy": NUMPY, "sklearn": NUMPY | SELDOM}
"""The modules that wait while a package is imported, each with what is imported from it by name."""

UNASKED = ("__file__", "__warningregistry__", "__wrapped__")
"""Attributes that `inspect` and `warnings` look for in all modules: an answer loads none."""


class _LateModule(types.ModuleType):
    """What stands for a module until something but its late members is asked of it."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.__path__ = _LatePath(name)
        self.__dict__.update({one: _LateMember(name, one) for one in known})

    def __getattr__(self, attribute: str) -> Any:
        if attribute in UNASKED:
            raise AttributeError(attribute)
        return getattr(_imported(self.__name__), attribute)


class _LatePath(list[str]):
    """Where modules below a late module are, for which it is imported itself first."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self._module = module

    def __iter__(self) -> Iterator[str]:
        return iter(_imported(self._module).__path__)


class _LateMember:
    """What stands for a function or class of a late module until it is called or asked for more."""

    def __init__(self, module: str, name: str) -> None:
        self._place = module, name

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._member()(*given, **named)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(self._member(), attribute)

    def _member(self) -> Any:
        module, name = self._place
        return getattr(_imported(module), name)


def _imported(name: str) -> types.ModuleType:
    """Import a module itself, in place of what stands for it."""
    _remove(name)
    return importlib.import_module(name)


def _remove(name: str) -> None:
    """Remove what stands for a module: its next import is a real one."""
    if isinstance(sys.modules.get(name), _LateModule):
        del sys.modules[name]
    package, _, leaf = name.rpartition(".")
    if package and isinstance(vars(sys.modules[package]).get(leaf), _LateModule):
        delattr(sys.modules[package], leaf)


@contextmanager
def late(modules: Mapping[str, tuple[str, ...]]) -> Iterator[None]:
    """Hold back modules that are imported within the context until they are used.

    Those that are imported already stay; an import after the context is a real one.
    """
    for name, known in modules.items():
        if name not in sys.modules:
            module = sys.modules[name] = _LateModule(name, known)
            package, _, leaf = name.rpartition(".")
            if package:
                setattr(importlib.import_module(package), leaf, module)
    try:
        yield
    finally:
        for name in modules:
            _remove(name)


def import_module(name: str) -> Any:
    """Import a module; what its package seldom uses waits."""
    waiting = {} if name in sys.modules else LATE.get(name.partition(".")[0], {})
    with late(waiting):
        return importlib.import_module(name)
