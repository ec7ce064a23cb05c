"""One logical line through lark's LALR parser: tokens in, its node out, or where it stuck.

lark compiles `grammar/evallang.lark` at each start. Our tokens are fed to its interactive parser,
because whether a word is a keyword or a name depends on what the parser has read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token as LarkToken, UnexpectedToken
from lark.lexer import Lexer, PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser
from msgspec import Struct

from evallang.diagnostics import Diagnostic
from evallang.syntax.language import RESERVED, clause_words
from evallang.syntax.scanner import Token
from evallang.syntax.tree import node_of

END = "$END"
STARTS = ("statement", "clause")


class Run(Struct, frozen=True):
    """What became of a line: a node with findings, or the token (by number) that does not fit."""

    node: Any
    diagnostics: tuple[Diagnostic, ...] = ()
    stuck_at: int | None = None


class Reading(Struct, frozen=True):
    """What a line was read as: its node, if any, and what was found in it."""

    node: Any
    diagnostics: tuple[Diagnostic, ...]


class _NoLexer(Lexer):
    """No lexer: the tokens are ours, and lark compares no patterns."""

    def __init__(self, conf: object) -> None: ...

    def lex(self, *_: object) -> Iterator[LarkToken]:
        return iter(())


def text_of_grammar() -> str:
    """Return the grammar as it is written."""
    return (files("evallang.grammar") / "evallang.lark").read_text(encoding="utf-8")


@cache
def grammar() -> Lark:
    """Return the compiled grammar; raises lark's `GrammarError` on any conflict."""
    return Lark(
        text_of_grammar(),
        parser="lalr",
        lexer=_NoLexer,
        start=list(STARTS),
        strict=True,
        propagate_positions=True,
    )


@cache
def terminals() -> Mapping[str, str]:
    """Return the terminals of keywords and signs by how these are written."""
    known = grammar().terminals
    return {t.pattern.value: t.name for t in known if isinstance(t.pattern, PatternStr)}


@cache
def written() -> Mapping[str, str]:
    """Return keywords and signs by their terminals."""
    return {name: text for text, name in terminals().items()}


def run(path: str, start: str, tokens: Sequence[Token]) -> Run:
    """Parse one logical line as a `statement` or as a `clause`."""
    parser = grammar().parse_interactive(start=start)
    end = tokens[-1].end
    for index, token in enumerate((*tokens, Token(END, "", end, end))):
        tree = _fed(parser, token)
        if tree is _STUCK:
            return Run(None, (), index)
    return Run(*node_of(path, tokens[0], tree))


_STUCK = object()


def _fed(parser: InteractiveParser, token: Token) -> Any:
    """Feed a token; return the tree at the end of a line, and `_STUCK` where it does not fit."""
    kind, otherwise = token.kind, token.kind
    if kind == "NAME":
        kind = terminals().get(token.text, kind)
    elif kind == "EQUAL":
        otherwise = "OPERATOR"
    for one in (kind, otherwise) if kind in parser.choices() else (otherwise,):
        try:
            return parser.feed_token(
                LarkToken(one, token.text, start_pos=token.start, end_pos=token.end)
            )
        except UnexpectedToken:
            continue
    return _STUCK


class Prefix:
    """The beginning of a line: what may follow it, without making nodes."""

    def __init__(self, parser: InteractiveParser) -> None:
        self._parser = parser

    @property
    def states(self) -> tuple[Any, ...]:
        """The states of the parser, which decide what may follow."""
        return tuple(self._parser.parser_state.state_stack)

    def advance(self, tokens: Iterable[Token]) -> tuple["Prefix", int]:
        """Take tokens as far as they fit: the beginning with them, and how many fit."""
        reached, taken = self._parser.copy(deepcopy_values=False), 0
        for token in tokens:
            before = reached.copy(deepcopy_values=False)
            if _fed(reached, token) is _STUCK:
                return Prefix(before), taken
            taken += 1
        return Prefix(reached), taken

    def expected(self) -> tuple[str, ...]:
        """List the terminals that fit, keywords and signs as they are written."""
        return tuple(sorted(written().get(name, name) for name in self._parser.accepts()))


def _without_trees(start: str) -> InteractiveParser:
    """Return a parser that makes no trees, as lark's own `accepts` does."""
    parser = grammar().parse_interactive(start=start)
    parser.parser_state.parse_conf = copy(parser.parser_state.parse_conf)
    parser.parser_state.parse_conf.callbacks = {}
    return parser


def prefix(start: str, tokens: Sequence[Token] = ()) -> Prefix:
    """Return the beginning of a line with these tokens, as far as they fit."""
    return Prefix(_without_trees(start)).advance(tokens)[0]


def read_as(start: str, tokens: Sequence[Token]) -> list[str]:
    """Return the terminals as which the tokens of a line are read, as far as they fit.

    A keyword has a terminal of its own; where it is a name, it is read as `NAME`.
    """
    parser, found = _without_trees(start), list[str]()
    for token in tokens:
        if _fed(parser, token) is _STUCK:
            break
        found.append(parser.parser_state.value_stack[-1].type)
    return found


@cache
def connectives() -> frozenset[str]:
    """Return the words between the parts of a line: those that the grammar takes inside one."""
    first = {word for start in STARTS for word in prefix(start).expected()}
    words = {word for word in terminals() if word.isalpha()} - first
    return frozenset(words) | (RESERVED - set(clause_words()))
