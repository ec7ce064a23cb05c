"""The LALR(1) machine: tokens of one logical line in, its node out, or where it stuck.

Some thirty lines of driving a table; with them a study is read without importing lark.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from evallang.diagnostics import Diagnostic
from evallang.source import Span
from evallang.syntax.node_builder import NodeBuilder, action
from evallang.syntax.parse_table import MISSING, SPLICE, parse_table
from evallang.syntax.scanner import Token

END = "$END"


class Run(Struct, frozen=True):
    """What became of a line: a node with findings, or the token (by number) that does not fit.

    `stack` holds the states before that token.
    """

    node: Any
    diagnostics: tuple[Diagnostic, ...] = ()
    stuck_at: int | None = None
    stack: tuple[int, ...] = ()


class Reading(Struct, frozen=True):
    """What a line was read as: its node, if any, and what was found in it."""

    node: Any
    diagnostics: tuple[Diagnostic, ...]


def run(path: str, start: str, tokens: Sequence[Token]) -> Run:
    """Parse one logical line as a `statement` or as a `clause`."""
    table = parse_table()
    actions = _actions()
    builder = NodeBuilder(path, tokens[0])
    last = table.ends[start]
    stack = [table.starts[start]]
    values: list[Any] = []
    starts: list[int] = []
    ends: list[int] = []
    states, rules = table.states, table.rules
    end = tokens[-1].end
    for index, token in enumerate((*tokens, Token(END, "", end, end))):
        before = tuple(stack)
        symbol, otherwise = _symbols(table.words, token)
        while True:
            row = states[stack[-1]]
            action = row.get(symbol)
            if action is None:
                action = row.get(otherwise)
            if action is None:  # reductions made on the way here would hide what fits
                return Run(None, (), index, before)
            if action >= 0:
                stack.append(action)
                values.append(token)
                starts.append(token.start)
                ends.append(token.end)
                break
            rule = rules[~action]
            size = rule.size  # never 0: the grammar is compiled without empty rules
            kids: list[Any] = []
            for child in rule.template:
                if child == MISSING:
                    kids.append(None)
                elif child >= SPLICE:
                    inner = values[child - SPLICE - size]
                    if kids:
                        kids.extend(inner)
                    else:
                        kids = inner  # a bare sequence has one owner: it grows in place
                else:
                    kids.append(values[child - size])
            if not rule.action or (rule.transparent and len(kids) == 1):
                value = kids if not rule.action else kids[0]
            else:
                value = actions[~action](builder, kids, Span(path, starts[-size], ends[-1]))
            starts[-size:] = [starts[-size]]
            ends[-size:] = [ends[-1]]
            values[-size:] = [value]
            del stack[-size:]
            stack.append(states[stack[-1]][rule.origin])
            if token.kind == END and stack[-1] == last and len(stack) == 2:
                return Run(values[-1], tuple(builder.diagnostics))
    raise AssertionError("the end of a line is always the last step")


def advance(stack: Sequence[int], tokens: Iterable[Token]) -> tuple[list[int], int]:
    """Take tokens as far as they fit, building nothing: the states then, and how many fit."""
    table = parse_table()
    states = list(stack)
    taken = 0
    for token in tokens:
        before = list(states)
        symbol, otherwise = _symbols(table.words, token)
        while True:
            row = table.states[states[-1]]
            action = row.get(symbol)
            if action is None:
                action = row.get(otherwise)
            if action is None:
                return before, taken
            if action >= 0:
                states.append(action)
                break
            rule = table.rules[~action]
            del states[-rule.size :]
            states.append(table.states[states[-1]][rule.origin])
            if token.kind == END and len(states) == 2:
                break
        taken += 1
    return states, taken


def accepts(stack: Sequence[int], token: Token) -> bool:
    """Return whether a token fits next."""
    return advance(stack, (token,))[1] == 1


def expected(stack: Sequence[int]) -> tuple[str, ...]:
    """List the terminals that fit in these states, keywords and signs as they are written."""
    table = parse_table()
    written = {name: text for text, name in table.words.items()}
    found = []
    for symbol in table.states[stack[-1]]:
        if symbol.isupper() or symbol == END:
            token = Token(symbol, written.get(symbol, ""), 0, 0)
            if accepts(stack, token):
                found.append(written.get(symbol, symbol))
    return tuple(found)


def _symbols(words: Mapping[str, str], token: Token) -> tuple[str, str]:
    """Return the terminals of a token: keyword and name, `=` and operator."""
    kind = token.kind
    if kind == "NAME":
        return words.get(token.text, kind), kind
    return kind, "OPERATOR" if kind == "EQUAL" else kind


@cache
def _actions() -> tuple[Any, ...]:
    return tuple(action(rule.action) if rule.action else None for rule in parse_table().rules)
