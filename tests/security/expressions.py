"""The regular expressions of the package, and texts that make backtracking ones slow.

Run as a program, it names the modules with expressions that are made of others, matches each other
one against long texts, and names those that need some hundred times the processor time of a linear
one.
"""

import ast
import itertools
import pkgutil
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from re import _constants as codes, _parser as parser
from typing import Any

import evallang

ANCHORED = frozenset({"match", "fullmatch"})
METHODS = ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}
LENGTH = 4_000
SECONDS = 0.02
"""Of processor time; an expression that looks at each character a few times needs milliseconds."""


@dataclass(frozen=True)
class Expression:
    """A regular expression: where it is written, and the methods that are called on it."""

    place: str
    text: str | bytes
    flags: int
    methods: frozenset[str]


def expressions() -> tuple[list[Expression], list[str]]:
    """Return all expressions of the package, and the places of those that are made of others.

    `manual` reads nothing but the package's own texts.
    """
    root = Path(evallang.__file__).parent
    trees: dict[str, ast.Module] = {}
    for module in pkgutil.walk_packages([str(root)], "evallang."):
        path = root.joinpath(*module.name.split(".")[1:])
        file = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
        read = not module.name.startswith("evallang.manual")
        if file.is_file() and read and not module.name.endswith("__main__"):
            trees[module.name] = ast.parse(file.read_text(encoding="utf-8"))
    used = _uses(trees)
    private = {name: _uses({name: tree}) for name, tree in trees.items()}
    found, computed = [], []
    for name, tree in trees.items():
        assigned = {
            id(node.value): target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        followed = {
            id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            method = _function(call)
            if method is None or not call.args:
                continue
            place = f"{name}:{call.lineno}"
            try:
                text, flags = _values(call, name, method)
            except Exception:
                computed.append(place)
                continue
            if method != "compile":
                methods = {method}
            elif id(call) in followed:
                methods = {followed[id(call)]}
            else:
                called = assigned.get(id(call), "")
                uses = private[name] if called.startswith("_") else used
                methods = uses.get(called, set()) or METHODS
            found.append(Expression(place, text, flags, frozenset(methods) & METHODS))
    texts = {expression.text for expression in found}
    for name in trees:
        for value in vars(import_module(name)).values():
            compiled = isinstance(value, re.Pattern) or type(value).__name__ == "_LatePattern"
            if compiled and value.pattern not in texts:
                texts.add(value.pattern)
                found.append(Expression(name, value.pattern, value.flags, ANCHORED))
    return found, computed


def _uses(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """Return the methods that are called on each name, in any module."""
    used: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                if isinstance(node.value, ast.Name):
                    used.setdefault(node.value.id, set()).add(node.attr)
                elif isinstance(node.value, ast.Attribute):
                    used.setdefault(node.value.attr, set()).add(node.attr)
    return used


def _function(call: ast.Call) -> str | None:
    function = call.func
    of_re = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    if of_re and function.value.id == "re" and function.attr in METHODS | {"compile"}:
        return function.attr
    return None


def _values(call: ast.Call, module: str, method: str) -> tuple[str | bytes, int]:
    names = vars(import_module(module))

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), module, "eval"), dict(names))

    place = {"sub": 4, "subn": 4, "split": 3}.get(method, 1 if method == "compile" else 2)
    flags = [call.args[place]] if len(call.args) > place else []
    flags += [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    text = value(call.args[0])
    if not isinstance(text, str | bytes):
        raise TypeError(text)
    return text, int(value(flags[0])) if flags else 0


# --- texts -------------------------------------------------------------------------------------


def texts(expression: Expression) -> Iterator[str]:
    """Yield long texts that the repetitions of an expression match, and that then fail."""
    text = expression.text
    plain = text.decode("latin-1") if isinstance(text, bytes) else text
    tree = parser.parse(plain, expression.flags & ~re.LOCALE)
    pieces = list(dict.fromkeys(_pieces(tree)))[:14]
    seen = set()
    for size in (1, 2, 3):
        for chosen in itertools.permutations(pieces, size) if size > 1 else ((p,) for p in pieces):
            unit = "".join(chosen)
            for lead in ("", "".join(pieces[:1])):
                made = (lead + unit * (LENGTH // max(len(unit), 1)))[:LENGTH] + "\0\n"
                if (size < 3 or len(pieces) < 7) and made not in seen:
                    seen.add(made)
                    yield made


def _pieces(tree: Any) -> Iterator[str]:
    """Yield a text for each character, set and run of literals of an expression."""
    run = ""
    for code, value in tree:
        if code is codes.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        if code is codes.IN:
            yield from _members(value)
        elif code is codes.NOT_LITERAL or code is codes.ANY:
            yield "x"
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from _pieces(value[2])
        elif code is codes.SUBPATTERN:
            yield from _pieces(value[3])
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _pieces(branch)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _pieces(value[1])
        elif code is codes.ATOMIC_GROUP:
            yield from _pieces(value)
    if run:
        yield run


SAMPLES = "x1 \t,;:/?@=#&.-+_\\\"'[](){}<>|!A\n\u00e9"


def _members(items: Any) -> Iterator[str]:
    """Yield characters of a set: each that it names, or the first that it does not exclude."""
    one = re.compile("[" + "".join(_written(item) for item in items) + "]", re.DOTALL)
    yield from [c for c in SAMPLES if one.match(c)][:3] or [
        chr(value) for code, value in items if code is codes.LITERAL
    ][:1]


def _written(item: Any) -> str:
    code, value = item
    if code is codes.NEGATE:
        return "^"
    if code is codes.LITERAL:
        return re.escape(chr(value))
    if code is codes.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}
    word = str(value).removeprefix("CATEGORY_")
    letter = names[word.removeprefix("NOT_")]
    return "\\" + (letter.upper() if word.startswith("NOT_") else letter)


# --- measuring ---------------------------------------------------------------------------------


class Slow(Exception):
    """A match that does not end."""


CONTROL = Expression("control", r"\s*[=:]", 0, frozenset({"search"}))
"""An expression that takes quadratic time, to show that such ones are found."""


def slow(expressions: Iterable[Expression]) -> Iterator[str]:
    """Yield the expressions that take more than `SECONDS` of processor time on one text."""

    def ring(*_: object) -> None:
        raise Slow

    signal.signal(signal.SIGVTALRM, ring)
    for expression in expressions:
        pattern = re.compile(expression.text, expression.flags)
        methods = [m for m in ("fullmatch", "match") if m in expression.methods]
        if expression.methods - ANCHORED:
            methods.append("search")
        for text, method in itertools.product(texts(expression), methods):
            given = (
                text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
            )
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                if method == "search":
                    for _ in pattern.finditer(given):
                        pass
                else:
                    getattr(pattern, method)(given)
            except Slow:
                yield f"{expression.place} {method} {expression.text!r} on {text[:30]!r}..."
                break
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)


if __name__ == "__main__":
    known, made = expressions()
    modules = sorted({place.partition(":")[0] for place in made})
    for line in (*(f"made of others {name}" for name in modules), *slow([*known, CONTROL])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
