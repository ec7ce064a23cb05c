"""No decision of the package is read from the wording of a message, note, reason or help."""

import ast
from collections.abc import Iterator
from pathlib import Path

from many_cases import for_each

import evallang

PACKAGE = Path(evallang.__file__).parent
TEXTS = {"message", "reason", "notes", "note", "help"}
READING = {"startswith", "endswith", "split", "rsplit", "partition", "rpartition", "find"} | {
    "replace", "removeprefix", "removesuffix",
}  # fmt: skip
ONCE = "a whole text is written once"
MARKED = "a terminal marks rows that a report prints in bold, and nothing is decided by it"
NAMED = "a note names the pattern of the parts in place of a part, and nothing is decided by it"
DRIVER = "SQLite tells the cause of an error in its message alone"
ALLOWED = {
    ("cli/summary_text.py", "note.startswith(BOLD)"): MARKED,
    ("cli/summary_text.py", "note.replace(BOLD, '*', 1)"): MARKED,
    ("data/databases.py", "reason.startswith(('not authorized', 'access to'))"): DRIVER,
    ("data/databases.py", "'no such table' not in reason"): DRIVER,
    ("data/databases.py", "reason.rpartition(' ')"): DRIVER,
    ("data/parts.py", "note.replace(frame.source, location)"): NAMED,
    ("engine/estimate_intervals.py", "note not in found.notes"): ONCE,
    ("reporting/formats/word.py", "message not in writing.notes.messages"): ONCE,
    ("results/statistics.py", "NOTE in result.notes"): ONCE,
    ("stats/validity.py", "note not in result.notes"): ONCE,
    ("reporting/estimates.py", "note not in inner"): ONCE,
}
"""Expressions that may look into a text, with the reason."""


def is_text(node: ast.AST) -> bool:
    """Return whether an expression is a text, or a list of texts, by its name."""
    match node:
        case ast.BoolOp(values=parts):
            return any(map(is_text, parts))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in TEXTS
    return False


def reads_texts(tree: ast.AST) -> Iterator[ast.AST]:
    """Iterate over the expressions that look into a text or compare it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=called), args=given):
                of_re = isinstance(owner, ast.Name) and owner.id == "re"
                if (called in READING and is_text(owner)) or (of_re and any(map(is_text, given))):
                    yield node
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() | ast.Eq() | ast.NotEq()]):
                if any(map(is_text, (left, *node.comparators))):
                    yield node
            case ast.Subscript(value=value, slice=key):
                if is_text(key) or (is_text(value) and not ast.unparse(value).endswith("notes")):
                    yield node


def test_no_decision_is_read_from_the_wording_of_a_text() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), ast.unparse(node))
        for path in PACKAGE.rglob("*.py")
        for node in reads_texts(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ALLOWED)


@for_each(
    "line",
    [
        'item.message.startswith("a correction")', 'problem.reason.partition(":")',
        '"needs" in problem.reason', 're.match("x", item.help)', "item.message[:2]",
        "note == BOUNDS_COINCIDE", "note in seen", "WORDS[found.help]",
        '(item.message or "").endswith(")")',
    ],
)  # fmt: skip
def test_the_scan_finds_what_it_looks_for(line: str) -> None:
    assert [ast.unparse(node) for node in reads_texts(ast.parse(line))] == [line.replace('"', "'")]
