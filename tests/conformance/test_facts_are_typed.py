"""No decision of the package is read from the wording of a message, note or suggestion."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import evallang

PACKAGE = Path(evallang.__file__).parent
WORDING = {"message", "reason", "notes", "note", "help", "pipeline", "clause", "canonical"} | {
    "variant", "series", "method", "advised_against", "null", "title",
}  # fmt: skip
TEXTS = {"message", "reason", "note", "help"}
NAMES = {"message", "reason", "note", "notes", "help", "variant", "null", "canonical"}
"""What a local variable or a parameter that is a text is called."""
OPERATIONS = {"startswith", "endswith", "split", "rsplit", "partition", "rpartition", "find"} | {
    "replace", "removeprefix", "removesuffix",
}  # fmt: skip

SLICED = {"notes", "title"}
"""A list of texts, and what is printed with another first letter."""

ONCE = "a whole text is written once"
WORDED = "the words of a hypothesis are adapted, and nothing is decided by them"
DRIVER = "SQLite tells the cause of an error in its message alone"
FORM = "the form of a test as its caller chose it, not a text"

ALLOWED = {
    ("engine/estimate_intervals.py", "note not in found.notes"): ONCE,
    ("results/statistics.py", "NOTE in result.notes"): ONCE,
    ("checking/suppression.py", "fix.title not in titles"): ONCE,
    ("reporting/requirements.py", "variant not in title"): ONCE,
    ("stats/hypothesis_tests/resampling_tests.py", "note not in plain"): ONCE,
    ("data/databases.py", "reason.startswith(('not authorized', 'access to'))"): DRIVER,
    ("data/databases.py", "'no such table' not in reason"): DRIVER,
    ("data/databases.py", "reason.rpartition(' ')"): DRIVER,
    ("engine/test_inputs.py", "null.replace(mean, f'mean {self.metric.name}')"): WORDED,
    ("engine/test_inputs.py", "null.replace('accuracies', f'{self.metric.name}s')"): WORDED,
    (
        "reporting/wording.py",
        "null.replace('their accuracies are', f'their values of {noun} are')",
    ): WORDED,
    ("results/statistics.py", "result.null.removesuffix(of_null)"): WORDED,
    ("results/statistics.py", "result.variant.removesuffix(of_variant)"): WORDED,
    (
        "reporting/protocol_table.py",
        "default.clause.replace('_', ' ')",
    ): "printed as the author would write it",
    ("stats/hypothesis_tests/contingency.py", "variant in ('exact', 'midp')"): FORM,
    ("stats/power_of_mcnemar.py", "variant in ('chi2', 'corrected')"): FORM,
    (
        "reporting/requirements.py",
        "i.method not in ('', 'none')",
    ): "the names of an interval that there is not",
    ("reporting/estimate_tables.py", "e.interval.method not in main[name]"): ONCE,
    ("reporting/methods.py", "found.method not in main[estimate.metric]"): ONCE,
}
"""Expressions that may look into a text, with the reason."""


def _looks_into_wording(tree: ast.AST) -> Iterator[str]:
    def is_wording(node: ast.AST, words: set[str] = WORDING) -> bool:
        named = isinstance(node, ast.Name) and node.id in NAMES & words
        return named or (isinstance(node, ast.Attribute) and node.attr in words)

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
            looked_up = within and any(map(is_wording, sides))
            if looked_up or (equal and any(map(is_note, sides))):
                yield ast.unparse(node)
        elif isinstance(node, ast.Subscript) and is_wording(node.value, WORDING - SLICED):
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
        'found.null.replace("accuracy", noun)',
        'reason.startswith("undefined")',
        "note in seen",
        'test.variant in ("t", "z")',
    ],
)
def test_the_scan_finds_what_it_looks_for(line: str) -> None:
    assert list(_looks_into_wording(ast.parse(line))) == [line.replace('"', "'")]
