"""SciPy's functions imported with their docstrings as they are written."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class PlainDoc(dict[str, list[object]]):
    """The docstring of a function as it is, instead of its parsed sections."""

    def __init__(self, function: object) -> None:
        super().__init__()
        self._text = function.__doc__ or ""

    def __missing__(self, section: str) -> list[object]:
        return self.setdefault(section, [])

    def __str__(self) -> str:
        return f"\n{self._text}"  # below the signature, which SciPy removes


def unfilled(text: str, _: object = None) -> str:
    """Return a docstring without what SciPy would fill into it."""
    return text


REPLACED = (
    ("scipy._lib._docscrape", "FunctionDoc", PlainDoc),
    ("scipy._lib.doccer", "docformat", unfilled),
)
"""What parses docstrings, and what fills in the parts that several have in common."""


@contextmanager
def plain_docs() -> Iterator[None]:
    """Keep SciPy from completing the docstrings of what is imported, a fifth of the time.

    Nothing reads them in a worker. Other versions of SciPy may complete none.
    """
    usual = {}
    for place, name, plain in REPLACED:
        with suppress(ImportError, AttributeError):
            module = importlib.import_module(place)
            usual[name] = getattr(module, name)
            setattr(module, name, plain)
    try:
        yield
    finally:
        for place, module in list(sys.modules.items()):
            for _, name, plain in REPLACED if place.startswith("scipy.") else ():
                if name in usual and vars(module).get(name) is plain:
                    setattr(module, name, usual[name])
