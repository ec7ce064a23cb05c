"""No decision of the package is read from the wording of a message, note or suggestion."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from many_cases import for_each

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
LOOKUPS = {"get", "index", "count", "pop"}

SLICED = {"notes", "title"}
"""A list of texts, and what is printed with another first letter."""

ONCE = "a whole text is written once"
WORDED = "the words of a hypothesis are adapted, and nothing is decided by them"
DRIVER = "SQLite tells the cause of an error in its message alone"
NAMED = "a note names the pattern of the parts in place of a part, and nothing is decided by it"
KEYWORD = "the keyword of a clause, not a text"
MARKED = "a terminal marks rows that a report prints in bold, and nothing is decided by it"
FORM = "the form of a test as its caller chose it, not a text"

ALLOWED = {
    ("engine/estimate_intervals.py", "note not in found.notes"): ONCE,
    ("results/statistics.py", "NOTE in result.notes"): ONCE,
    ("checking/suppression.py", "fix.title not in titles"): ONCE,
    ("stats/validity.py", "note not in result.notes"): ONCE,
    ("cli/summary_text.py", "note.startswith(BOLD)"): MARKED,
    ("cli/summary_text.py", "note.replace(BOLD, '*', 1)"): MARKED,
    ("data/parts.py", "note.replace(frame.source, location)"): NAMED,
    ("data/databases.py", "reason.startswith(('not authorized', 'access to'))"): DRIVER,
    ("data/databases.py", "'no such table' not in reason"): DRIVER,
    ("data/databases.py", "reason.rpartition(' ')"): DRIVER,
    ("engine/providers.py", "null.replace(mean, f'mean {self.metric.name}')"): WORDED,
    ("engine/providers.py", "null.replace('accuracy', self.metric.name)"): WORDED,
    ("reporting/wording.py", "null.replace('accuracy', noun)"): WORDED,
    ("results/statistics.py", "result.null.removesuffix(of_null)"): WORDED,
    ("reporting/wording.py", "wide.method.removeprefix(method)"): "the options after a name",
    ("results/statistics.py", "result.variant.removesuffix(of_variant)"): WORDED,
    (
        "reporting/protocol_table.py",
        "default.clause.replace('_', ' ')",
    ): "printed as the author would write it",
    ("stats/correctness.py", "LESS[variant]"): FORM,
    ("stats/correctness.py", "variant in LESS"): FORM,
    (
        "reporting/requirements.py",
        "i.method not in ('', 'none')",
    ): "the names of an interval that there is not",
    ("stats/hypothesis_tests/contingency.py", "LESS.get(variant)"): FORM,
    ("stats/hypothesis_tests/contingency.py", "p_values[variant]"): FORM,
    ("stats/hypothesis_tests/datasets.py", "{'chi2': df[:1], 'F': df}.get(variant)"): FORM,
    ("reporting/protocol_table.py", "CLAUSES.get(stated.clause, _capital(stated.clause))"): KEYWORD,
    ("reporting/protocol_table.py", "known.get(stated.clause, (group, name))"): KEYWORD,
    ("cli/verdicts.py", "VARIANTS.get(test.variant)"): "a variant whose words are empty is implied",
    ("reporting/estimates.py", "one.method not in main[name]"): ONCE,
    ("reporting/methods.py", "found.method not in main[estimate.metric]"): ONCE,
}
"""Expressions that may look into a text, with the reason."""


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """Iterate over what an expression may be: the operands of `or`, the arms of `if`."""
    match node:
        case ast.BoolOp(values=parts):
            yield from (value for part in parts for value in _values(part))
        case ast.IfExp(body=first, orelse=second):
            yield from (*_values(first), *_values(second))
        case ast.NamedExpr(value=value):
            yield from _values(value)
        case _:
            yield node


def _bindings(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Iterate over names and what they are bound to: assigned, or taken from in a loop."""
    for node in nodes:
        targets: list[ast.expr] = []
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.NamedExpr(target=target, value=value):
                targets = [target]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                targets = [target]
            case _:
                continue
        yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))


def _outermost_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child
        else:
            yield from _outermost_functions(child)


def _looks_into_wording(tree: ast.AST) -> Iterator[str]:
    """Iterate over the expressions that look into a text, also under the name of a local."""
    functions = [_Scan(function) for function in _outermost_functions(tree)]
    inside = {id(node) for function in functions for node in function.nodes}
    yield from (ast.unparse(node) for node in _Scan(tree).found() if id(node) not in inside)
    yield from (ast.unparse(node) for function in functions for node in function.found())


class _Scan:
    """The search of one function; `texts` are the locals bound to a text."""

    def __init__(self, tree: ast.AST) -> None:
        self.nodes = list(ast.walk(tree))
        self.texts: set[str] = set()
        bindings = list(_bindings(self.nodes))
        while added := {
            name for name, value in bindings if name not in self.texts and self.is_wording(value)
        }:
            self.texts |= added

    def is_wording(self, node: ast.AST, words: set[str] = WORDING) -> bool:
        names = (NAMES & words) | self.texts
        return any(
            (isinstance(one, ast.Name) and one.id in names)
            or (isinstance(one, ast.Attribute) and one.attr in words)
            for one in _values(node)
        )

    def is_note(self, node: ast.AST) -> bool:
        return self.is_wording(node, TEXTS) or (isinstance(node, ast.Name) and node.id in TEXTS)

    def found(self) -> Iterator[ast.AST]:
        for node in self.nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr=called), args=given):
                    of_re = isinstance(owner, ast.Name) and owner.id == "re"
                    read = called in OPERATIONS and self.is_wording(owner)
                    looked_up = called in LOOKUPS and any(map(self.is_wording, given[:1]))
                    if read or looked_up or (of_re and any(map(self.is_wording, given))):
                        yield node
                case ast.Compare(left=left, ops=ops, comparators=others):
                    sides = (left, *others)
                    within = any(isinstance(one, ast.In | ast.NotIn) for one in ops)
                    equal = any(isinstance(one, ast.Eq | ast.NotEq) for one in ops)
                    if (within and any(map(self.is_wording, sides))) or (
                        equal and any(map(self.is_note, sides))
                    ):
                        yield node
                case ast.Subscript(value=value, slice=key):
                    if self.is_wording(value, WORDING - SLICED) or self.is_wording(key):
                        yield node
                case ast.Match(subject=subject) if self.is_wording(subject):
                    yield subject


def _found() -> set[tuple[str, str]]:
    return {
        (path.relative_to(PACKAGE).as_posix(), expression)
        for path in PACKAGE.rglob("*.py")
        for expression in _looks_into_wording(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_no_decision_is_read_from_the_wording_of_a_text() -> None:
    assert _found() == set(ALLOWED)


@for_each(
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
        '(model.pipeline or "").endswith(")")',
        '(found.variant if found else "").startswith("cv")',
        'WORDS.get(found.reason, "")',
        "WORDS[found.help]",
    ],
)
def test_the_scan_finds_what_it_looks_for(line: str) -> None:
    assert list(_looks_into_wording(ast.parse(line))) == [line.replace('"', "'")]


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("text = item.message or ''\n    return text.startswith('a')", "text.startswith('a')"),
        ("return [w for w in item.notes if w.startswith('a')]", "w.startswith('a')"),
        ("for w in item.notes:\n        other = w\n        x = other[0]", "other[0]"),
        ("match item.message:\n        case 'too few':\n            return 1", "item.message"),
        ("return (found := item.help) and found.split('`')", "found.split('`')"),
    ],
)
def test_the_scan_follows_a_text_into_local_names(function: str, found: str) -> None:
    tree = ast.parse(f"class A:\n  def f(item):\n    {function}")
    assert list(_looks_into_wording(tree)) == [found]
