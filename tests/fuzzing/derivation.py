"""Lines derived from the grammar at random: every expansion, words of the catalogues."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from lark import Lark
from lark.grammar import NonTerminal, Symbol, Terminal
from lark.lexer import Lexer, Token

from evallang.checking.values import CATALOGUES
from evallang.models.catalogue import CATALOGUE
from evallang.protocols.protocol import PROTOCOLS
from evallang.syntax.language import STATEMENTS

GRAMMAR = Path(__file__).resolve().parents[2] / "grammar" / "evallang.lark"
DEEPEST = 14  # expansions inside one another; then only the shortest way out is taken

AUTHORS = (
    "a", "b", "tree", "forest", "knn", "main", "iris", "x", "y", "fold", "data", "report", "model",
    "gpt-4", "Sepal.Length", "target", "best", "all", "none", "true", "naïve", "模型", "модель",
    "نموذج", "דגם", "नमूना", "ﬁt", "ª", "a\u0301", "x" * 200,
)  # fmt: skip
NUMBERS = (
    "0", "1", "2", "5", "10", "-1", "0.05", ".5", "1e-3", "95%", "1/3", "1_000", "1e999", "-1e999",
    "1e-999", "9" * 400, "1" + "0" * 18, "1/0", "0/1", "-0", "0.0", "1e308", "120%", "1/999999999",
    "4294967296", "0." + "3" * 300, "1e9999999", "18446744073709551616",
)  # fmt: skip
RANGES = (
    "0..1e18", "1..10 step 0", "1..10 step -1", "0..0.2 step 0.05", "1e-3..1e3 log 7",
    "15..1 step -2", "1..2 log 1", "0..1 log 3", "-1..1 log 5", "0..1e999", "0.0..1.0 uniform",
    "1..1 step 1", "1e-4..1e4 loguniform", "0..1 loguniform", "1..1e6", "0..1 step 1e-9",
    "1..10 log 1000000000", "1..2 step 1/3", "1e308..1e-308 log 3", "5%..1 step 5%",
)  # fmt: skip
TEXTS = ('"a"', '""', '"a, b"', '"\\u0000"', '"\\ud800"', '"x.csv"', '"../../etc/passwd"',
         '"https://e.org/x.csv"', '"*.csv"', '"lab/protocol.eval"', '"\\n"', '"‮abc"', '"%s {0}"',
         '"<b>&amp;"', '"' + "long " * 60 + '"')  # fmt: skip


@cache
def catalogue_words() -> tuple[str, ...]:
    """Give every word that a catalogue knows: classes, parameters, methods, options."""
    words: set[str] = set()
    for _, registry, _ in CATALOGUES:
        for entry in registry:
            words.add(entry.name)
            words.update(option.name for option in entry.options)
    for entry in PROTOCOLS:
        words.update(entry.declaration.words)
        words.update(option.name for option in entry.options)
    for name, known in CATALOGUE.items():
        words.add(name)
        words.update(known.parameters)
        for parameter in known.parameters.values():
            words.update(parameter.words)
    for statement in STATEMENTS.values():
        words.update(statement.clauses)
    return tuple(sorted((words | set(STATEMENTS)) - {""}))


@cache
def rules() -> tuple[
    Mapping[str, Sequence[Sequence[Symbol]]], Mapping[str, int], Mapping[str, str]
]:
    """Give the expansions of each rule, how deep each must go at least, and the keywords."""
    lark = Lark(GRAMMAR.read_text(encoding="utf-8"), start=["statement", "clause"], lexer=_NoLexer)
    found: dict[str, list[Sequence[Symbol]]] = {}
    for rule in lark.rules:
        found.setdefault(rule.origin.name, []).append(rule.expansion)
    depths = dict.fromkeys(found, 10**6)
    for _ in found:
        for name, expansions in found.items():
            depths[name] = min(_depth(expansion, depths) for expansion in expansions)
    words = {term.name: term.pattern.value for term in lark.terminals}
    return found, depths, words


class _NoLexer(Lexer):
    """Lark shall not compare the patterns of terminals: the tokens of the language are ours."""

    def __init__(self, _: object) -> None: ...

    def lex(self, *_: object) -> Iterator[Token]:
        return iter(())


def line(start: str, chance: random.Random) -> str:
    """Derive one line from `statement` or `clause`."""
    return " ".join(_derive(NonTerminal(start), chance, 0))


def _derive(symbol: Symbol, chance: random.Random, depth: int) -> list[str]:
    found, depths, words = rules()
    if isinstance(symbol, Terminal):
        return [_token(symbol.name, words, chance)]
    expansions = found[symbol.name]
    if depth > DEEPEST:
        least = depths[symbol.name]
        expansions = [e for e in expansions if _depth(e, depths) == least]
    return [
        token for part in chance.choice(expansions) for token in _derive(part, chance, depth + 1)
    ]


def _depth(expansion: Sequence[Symbol], depths: Mapping[str, int]) -> int:
    return 1 + max((depths[s.name] for s in expansion if isinstance(s, NonTerminal)), default=0)


def _token(name: str, words: Mapping[str, str], chance: random.Random) -> str:
    if name == "NAME":
        return chance.choice(AUTHORS if chance.random() < 0.5 else catalogue_words())
    if name == "NUMBER":
        return chance.choice(NUMBERS)
    if name == "TEXT":
        return chance.choice(TEXTS) if chance.random() < 0.8 else json.dumps(_any_text(chance))
    if name == "OPERATOR":
        return chance.choice(["=", "!=", "<", "<=", ">", ">="])
    return words[name]


def _any_text(chance: random.Random) -> str:
    return "".join(chr(chance.randrange(1, 0x3000)) for _ in range(chance.randrange(12)))
