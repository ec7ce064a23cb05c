"""Nothing of another package is replaced, hidden or read from its insides."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import evallang

PACKAGE = Path(evallang.__file__).parent
PRIVATE = re.compile(r"_[a-z]\w*|_[A-Z]\w*")
OF_PYTHON = {"_replace", "_asdict", "_fields", "_fields_", "_exit", "_getframe"}
"""Names that Python documents in spite of the sign before them."""
SETTING = "a setting of our own process, which Python documents"
ALLOWED = {
    ("__init__.py", "sys.path[0]"): SETTING,
    ("cli/main.py", "os.environ['PATH']"): SETTING,
    ("cli/main.py", "sys.path[:]"): SETTING,
    ("cli/signals.py", "sys.unraisablehook"): SETTING,
    ("cli/terminal.py", "sys.stderr"): SETTING,
    ("cli/terminal.py", "sys.stdin"): SETTING,
    ("cli/terminal.py", "sys.stdout"): SETTING,
    ("engine/backends/fork_server.py", "sys.path[:]"): SETTING,
    ("user_code.py", "sys.stderr"): SETTING,
    ("user_code.py", "sys.stdout"): SETTING,
    ("working_folder.py", "sys.path[:]"): SETTING,
    (
        "user_code.py",
        "os._exit",
    ): "an author's code that calls it loses its fit, not the run",
    (
        "cli/main.py",
        "atexit._run_exitfuncs",
    ): "a process that ends at once still calls them, for which Python has no other name",
    ("data/hashing.py", "from _typeshed import ReadableBuffer"): "the name of a type",
    ("models/own_code.py", "sys.modules[name]"): "forgets the author's modules of another folder",
    ("models/own_code.py", "sys.path_importer_cache[known]"): "the same",
}
"""What is found and stays, with the reason."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def names_of_others(tree: ast.Module) -> set[str]:
    """Return the names that a module imports from elsewhere."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {
                alias.asname or alias.name.partition(".")[0]
                for alias in node.names
                if alias.name.partition(".")[0] != "evallang"
            }
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] != "evallang":
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def root(node: ast.expr) -> str | None:
    """Return the first name of `a.b[c].d`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def own_private_names() -> set[str]:
    """Return the private names that the package gives: functions, classes, fields, attributes."""
    found = set()
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and root(node) == "self"
            ):
                found.add(node.attr)
    return found


def changed_or_private(tree: ast.Module, own: set[str]) -> Iterator[ast.AST]:
    others = names_of_others(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] != "evallang":
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            if any(PRIVATE.fullmatch(part) for part in parts):
                yield node
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if root(node) in others:
                yield node
        elif isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
            if node.attr not in own | OF_PYTHON:
                yield node
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("setattr", "delattr")
            and root(node.args[0]) in others
        ) or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr", "setattr")
            and isinstance(name := node.args[1], ast.Constant)
            and PRIVATE.fullmatch(name.value)
            and name.value not in own | OF_PYTHON
        ):
            yield node


def test_nothing_of_another_package_is_changed_or_read_from_its_insides() -> None:
    own = own_private_names()
    found = {
        (place, ast.unparse(node))
        for place, tree in trees()
        for node in changed_or_private(tree, own)
    }
    assert found == set(ALLOWED)


def test_each_way_of_changing_another_package_is_seen() -> None:
    texts = (
        "import tempfile\ntempfile.tempdir = 'x'",
        "import sys\nsys.modules['pandas'] = None",
        "import weasyprint\nsetattr(weasyprint.HTML, 'render', None)",
        "from sklearn.base import BaseEstimator\nBaseEstimator.get_params = None",
        "from scipy._lib import doccer",
        "import lark\nlark.Lark._build_lexer",
        "known._folder",
        "getattr(page, '_page_box')",
    )
    for text in texts:
        assert list(changed_or_private(ast.parse(text), set())), text
