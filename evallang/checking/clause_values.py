"""The values of clauses: one text, number, word, label or column, or several columns."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar, cast

from evallang.checking import values
from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Edit, Fix, codes
from evallang.models.domains import number
from evallang.source import Span
from evallang.spelling import listed
from evallang.study import Average
from evallang.syntax import nodes as n
from evallang.syntax.language import RESERVED, Clause

Item = TypeVar("Item")
COIN = 0.5  # a test that rejects as often as a coin falls, an interval that holds as often


def _single(clause: n.ClauseNode) -> n.ValueNode | None:
    """Return the one value of a clause, None where it has more or none."""
    return clause.values[0] if len(clause.values) == 1 else None


def _refuse(
    scope: Scope,
    clause: n.ClauseNode,
    takes: str,
    help_text: str | None = None,
    fixes: Sequence[Fix] = (),
) -> None:
    """Report what a clause takes, at its one value or at the whole."""
    value, message = _single(clause), f"`{clause.keyword.name}` {takes}"
    place = clause.span if value is None else value.span
    scope.report(codes.clause_value, message, place, help=help_text, fixes=fixes)


def text(scope: Scope, clause: n.ClauseNode, known: Clause | None = None) -> str | None:
    """Take the single text in quotes of a clause."""
    value, word = _single(clause), clause.keyword.name
    if isinstance(value, n.TextNode):
        return value.value
    written, fixes = "...", []
    if isinstance(value, n.NameNode):
        written = value.name
        fixes = [Fix("put it in quotes", (Edit(value.span, f'"{written}"'),))]
    _refuse(scope, clause, "takes one text in quotes", f'write `{word} "{written}"`', fixes)
    return None


def integer(scope: Scope, clause: n.ClauseNode, known: Clause) -> int | None:
    """Take the single whole number of a clause, within the bounds that the language states."""
    low, high = known.bounds
    value = _single(clause)
    if isinstance(value, n.NumberNode):
        plain = number(value.literal)
        if isinstance(plain, int) and low <= plain <= high:
            return plain
    advice = (None, []) if value is None else values.plainly(value, whole=True)
    _refuse(scope, clause, f"takes a whole number from {low} to {high}", *advice)
    return None


def share(scope: Scope, clause: n.ClauseNode, known: Clause) -> float | None:
    """Take the single number of `alpha` or `confidence`, below one half or above it."""
    value, keyword = _single(clause), clause.keyword.name
    meant, problem = ("5%" if keyword == "alpha" else "95%"), "takes a number between 0 and 1"
    if isinstance(value, n.NumberNode):
        plain = float(number(value.literal))
        misread = _other_level(keyword, plain)
        if 0 < plain < 1:
            if misread is None:
                return plain
            problem = misread
        elif 1 <= plain < 100 and not _other_level(keyword, plain / 100):
            meant = f"{value.literal.rstrip('%')}%"
    _refuse(scope, clause, problem, f"write `{keyword} {meant}`")
    return None


def _other_level(keyword: str, plain: float) -> str | None:
    """Return the objection to a level of tests where that of intervals is meant, or converse."""
    if keyword == "alpha" and plain >= COIN:
        return f"is the level of the tests, and {plain:g} is a level for intervals"
    if keyword == "confidence" and plain <= COIN:
        return f"is the level of the intervals, and {plain:g} is a level for tests"
    return None


def word(scope: Scope, clause: n.ClauseNode, known: Clause) -> str | None:
    """Take the single word of a clause, one of those that the language lists."""
    allowed, value = known.words, _single(clause)
    help_text: str | None = None
    fixes: list[Fix] = []
    if isinstance(value, n.NameNode):
        plain = value.name.replace("-", "_")
        if plain in allowed:
            return plain
        help_text, fixes = suggestion(value.name, value.span, allowed)
    elif isinstance(value, n.TextNode) and value.value in allowed:
        help_text = f"write `{value.value}`, without quotes"
        fixes = [Fix("remove the quotes", (Edit(value.span, value.value),))]
    _refuse(scope, clause, f"takes {listed(allowed)}", help_text, fixes)
    return None


def column(scope: Scope, clause: n.ClauseNode, known: Clause | None = None) -> str | None:
    """Take the single column of a clause."""
    value = _single(clause)
    if isinstance(value, n.NameNode | n.TextNode):
        return own_column(scope, value)
    _refuse(scope, clause, "takes one column, a name or a text in quotes")
    return None


def columns(scope: Scope, clause: n.ClauseNode, known: Clause) -> tuple[str, ...]:
    """Take the columns of a clause; a list in brackets counts as written out."""
    found: list[str] = []
    nodes: list[n.Node] = []
    values = clause.values
    if len(values) == 1 and isinstance(values[0], n.ListNode):
        values = values[0].items
    for value in values:
        if isinstance(value, n.NameNode | n.TextNode):
            nodes.append(value)
            found.append(own_column(scope, value))
        else:
            scope.refuse("takes_columns", value.span, clause=clause)
    return distinct(scope, nodes, found, f" in `{clause.keyword.name}`")


TAKEN: Mapping[str, Callable[[Scope, n.ClauseNode, Clause], Any]] = {
    "text": text,
    "path": text,
    "integer": integer,
    "share": share,
    "word": word,
    "column": column,
    "columns": columns,
}
"""What takes the values of a clause, by what the language declares that it takes."""


def average(node: n.NameNode | None) -> Average | None:
    """Return what counts the same in an average over data sets."""
    return cast(Average, node.name) if node is not None else None


def distinct(
    scope: Scope, nodes: Sequence[n.Node], items: Sequence[Item], place: str = ""
) -> tuple[Item, ...]:
    """Return each item of a list once; report one that appears twice, at a `place`."""
    first: dict[Item, Span] = {}
    for node, item in zip(nodes, items, strict=True):
        if item in first:
            message = f"`{scope.written(node.span)}` is written twice{place}"
            scope.report_twice(codes.clause_twice, message, node.span, first[item])
        first.setdefault(item, node.span)
    return tuple(first)


def own_column(scope: Scope, node: n.ColumnNode, *, or_target: bool = False) -> str:
    """Take a column of the author's, in quotes where it is called like a word of the language.

    With `or_target` the bare word `target` is what is predicted.
    """
    meant = or_target and isinstance(node, n.NameNode) and node.name == "target"
    if isinstance(node, n.NameNode) and node.name in RESERVED and not meant:
        scope.refuse(
            "column_is_word",
            node.span,
            node=node,
            fixes=[Fix("put it in quotes", (Edit(node.span, f'"{node.name}"'),))],
        )
    return column_name(node)


def column_name(node: n.ColumnNode) -> str:
    """Return the name of a column or model, written bare or in quotes."""
    return node.name if isinstance(node, n.NameNode) else node.value


def label(scope: Scope, node: n.ValueNode, keyword: str) -> bool | int | float | str | None:
    """Take one label: a word, a text or a number; None after a report."""
    if isinstance(node, n.NameNode):
        value = values.WORDS.get(node.name, node.name)
        return node.name if value is None else value
    if isinstance(node, n.TextNode):
        return node.value
    if isinstance(node, n.NumberNode):
        plain = number(node.literal)
        return float(plain) if isinstance(plain, Fraction) else plain
    scope.refuse("takes_label", node.span, keyword=keyword)
    return None
