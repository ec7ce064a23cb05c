"""No decision of the package is read from the wording of a message, note or suggestion."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import evallang

PACKAGE = Path(evallang.__file__).parent
WORDING = {"message", "reason", "notes", "note", "help", "pipeline", "clause", "canonical"} | {
    "variant", "series", "method", "advised_against",
}  # fmt: skip
TEXTS = {"message", "reason", "note", "help"}
OPERATIONS = {"startswith", "endswith", "split", "rsplit", "partition", "rpartition", "find"}

ALLOWED = {
    ("engine/estimate_intervals.py", "note not in found.notes"): "a whole note is added once",
    ("results/statistics.py", "NOTE in result.notes"): "a whole note is added once",
}
"""Expressions that may look into a text, with the reason."""


def _looks_into_wording(tree: ast.AST) -> Iterator[str]:
    def is_wording(node: ast.AST, words: set[str] = WORDING) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in words

    def is_note(node: ast.AST) -> bool:
        return is_wording(node, TEXTS) or (isinstance(node, ast.Name) and node.id in TEXTS)

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func
            of_re = isinstance(called.value, ast.Name) and called.value.id == "re"
            read = called.attr in OPERATIONS and is_wording(called.value)
            if read or (of_re and any(is_wording(one) for one in node.args)):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            within = any(isinstance(one, ast.In | ast.NotIn) for one in node.ops)
            equal = any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
            sides = (node.left, *node.comparators)
            looked_up = within and any(is_wording(one) for one in node.comparators)
            if looked_up or (equal and any(map(is_note, sides))):
                yield ast.unparse(node)
        elif isinstance(node, ast.Subscript) and is_wording(node.value, WORDING - {"notes"}):
            yield ast.unparse(node)


def _found() -> set[tuple[str, str]]:
    return {
        (path.relative_to(PACKAGE).as_posix(), expression)
        for path in PACKAGE.rglob("*.py")
        for expression in _looks_into_wording(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_no_decision_is_read_from_the_wording_of_a_text() -> None:
    assert _found() == set(ALLOWED)


@pytest.mark.parametrize(
    "line",
    [
        'item.message.startswith("a correction")',
        'problem.reason.partition(":")',
        '"needs" in problem.reason',
        're.match("x", item.help)',
        "item.message[:2]",
        "note == BOUNDS_COINCIDE",
        'default.clause.startswith("tune")',
        "spec.canonical.split(LINE)",
        're.match("Dummy", model.pipeline)',
        'found.variant.startswith("cv_auc")',
        'declared.series.partition("=")',
        'interval.method.partition("(")',
        'declared.advised_against.partition(":")',
    ],
)
def test_the_scan_finds_what_it_looks_for(line: str) -> None:
    assert list(_looks_into_wording(ast.parse(line))) == [line.replace('"', "'")]
