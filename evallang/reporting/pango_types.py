"""The types of Pango's functions, as WeasyPrint declares them, compiled beforehand.

WeasyPrint declares them as text in C, and to read that text takes longer than to lay out a page.
`pango_types.json` has what cffi makes of it. Another text, of another WeasyPrint, is read as ever.

`python -m evallang.reporting.pango_types` writes the file again.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from evallang.registry import lazy

cffi = lazy("cffi")
backend = lazy("_cffi_backend")

FILE = "pango_types.json"


@contextmanager
def declared_beforehand() -> Iterator[None]:
    """Replace the reading of declarations by our file, for what is imported in the context."""
    module: Any = importlib.import_module("cffi")
    parsing = module.FFI
    module.FFI = lambda: _Interface(parsing)
    try:
        yield
    finally:
        module.FFI = parsing


class _Interface:
    """An interface to C functions, once they are declared."""

    def __init__(self, parsing: Any) -> None:
        self._parsing, self._texts = parsing, []  # type: Any, list[str]

    def cdef(self, text: str) -> None:
        """Declare functions in addition to those of former texts."""
        self._texts.append(text)
        made = _compiled(self._texts)
        if made is None:
            made = self._parsing()
            for declared in self._texts:
                made.cdef(declared)
        for name in dir(made):
            if not name.startswith("_") and name != "cdef":
                setattr(self, name, getattr(made, name))


def _compiled(texts: Sequence[str]) -> Any:
    """Return the interface of our file; None where it was made from other texts."""
    saved = json.loads(pkgutil.get_data("evallang.reporting", FILE) or b"{}")
    if saved.get("texts") != _fingerprint(texts):
        return None
    arguments = {name: _as_read(value) for name, value in saved["arguments"].items()}
    try:
        return backend.FFI("pango_types", **arguments)
    except ImportError:  # a cffi whose compiled form is another
        return None


def _fingerprint(texts: Sequence[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


def _as_read(value: Any) -> Any:
    """Return a value of the file in the types that cffi takes."""
    if isinstance(value, list):
        return tuple(map(_as_read, value))
    return value.encode("latin-1") if isinstance(value, str) else value


def _as_written(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_as_written, value))
    return value.decode("latin-1") if isinstance(value, bytes) else value


def compiled(texts: Sequence[str]) -> dict[str, Any]:
    """Compile declarations to the content of the file."""
    import ast
    import tempfile
    from pathlib import Path

    interface = cffi.FFI()
    interface.set_source("pango_types", None)
    for text in texts:
        interface.cdef(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pango_types.py"
        interface.emit_python_code(str(path))
        tree = ast.parse(path.read_text(encoding="utf-8"))
    (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = {str(named.arg): ast.literal_eval(named.value) for named in call.keywords}
    arguments = {name: _as_written(value) for name, value in found.items()}
    return {"texts": _fingerprint(texts), "arguments": arguments}


def weasyprints_texts() -> list[str]:
    """Return the declarations of the WeasyPrint that is installed."""
    import ast
    from importlib.util import find_spec
    from pathlib import Path

    package = find_spec("weasyprint")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("WeasyPrint is not installed")
    source = (Path(package.origin).parent / "text" / "ffi.py").read_text(encoding="utf-8")
    return [
        str(ast.literal_eval(node.args[0]))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ffi.cdef"
    ]


if __name__ == "__main__":
    from importlib.resources import files
    from pathlib import Path

    content = json.dumps(compiled(weasyprints_texts()), indent=0)
    Path(str(files("evallang.reporting") / FILE)).write_text(content + "\n", encoding="utf-8")
