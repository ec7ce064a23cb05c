"""Physical lines in, logical lines out: statements at the margin, clauses indented.

Inside brackets, and before a `|` that begins an indented line, a line goes on. Text in
column 0 always begins a statement (only a closing bracket may be there), so no mistake
reaches beyond its statement.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from evallang.diagnostics import Code, Diagnostic, codes, diagnose
from evallang.source import SourceFile, Span
from evallang.syntax.language import STATEMENTS
from evallang.syntax.nodes import CommentNode
from evallang.syntax.scanner import PhysicalLine, Token, physical_lines

DEEPEST = 64  # nested brackets; deeper trees would exhaust Python's stack when compared

_CLOSERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_SIGNS = {"RPAR": ")", "RSQB": "]", "RBRACE": "}"}
_GOES_ON = frozenset({"COMMA", "COLON", "EQUAL", "VBAR", "LPAR", "RPAR", "RSQB", "RBRACE"})


class LogicalLine(Struct, eq=False):
    """The first line of a statement (`at_margin`), or one clause.

    `start` and `end` enclose its physical lines. `understood` tells that the tokens are what
    the author meant although there are diagnostics; there are none where a line holds nothing
    but a stray sign.
    """

    start: int
    end: int
    at_margin: bool
    tokens: list[Token]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    understood: bool = True
    too_deep: bool = False

    @property
    def word(self) -> str:
        """Its first word."""
        return self.tokens[0].text if self.tokens else ""


class Layout(Struct, frozen=True):
    """A file as logical lines; `comments` and `tabs` (outside quotes) are the whole file's."""

    lines: tuple[LogicalLine, ...]
    comments: tuple[CommentNode, ...]
    tabs: tuple[Span, ...]


def lay_out(source: SourceFile) -> Layout:
    """Join the physical lines of a file to logical ones."""
    comments: list[CommentNode] = []
    tabs: list[Span] = []

    def noted() -> Iterator[PhysicalLine]:
        for line in _drop_texts(physical_lines(source)):
            if line.comment is not None:
                comments.append(line.comment)
            if line.tabs:
                tabs.extend(line.tabs)
            yield line

    lines = tuple(_join(source.path, noted()))  # one pass, while a line is in the cache
    return Layout(lines, tuple(comments), tuple(tabs))


def _drop_texts(lines: Iterable[PhysicalLine]) -> Iterator[PhysicalLine]:
    """Take out what is in a text over several lines, which its first line is blamed for.

    Such a text ends on a line that has a quote too many, and before the next statement.
    """
    text: list[PhysicalLine] = []  # from the line that opens it
    for line in lines:
        if text and line.at_margin and line.tokens and line.tokens[0].text in STATEMENTS:
            yield from text
            text = []
        if text and line.open_quote:
            for inside in (*text[1:], line):
                inside.silence()
            yield from (*text, line)
            text = []
        elif text or line.open_quote:
            text.append(line)
        else:
            yield line
    yield from text


def _join(path: str, lines: Iterable[PhysicalLine]) -> Iterator[LogicalLine]:
    current: LogicalLine | None = None
    brackets = _Brackets(path)
    statement = ""
    for line in lines:
        if line.silent and current is not None:
            current.end = line.end
            continue
        if not line.tokens and not line.diagnostics and line.understood:
            continue
        if current is None or not _continues(line, current, brackets, statement):
            if current is not None:
                brackets.close(current)
                yield current
            current = LogicalLine(line.start, line.end, line.at_margin, [])
            if line.at_margin:
                statement = line.tokens[0].text if line.tokens else ""
        current.end = line.end
        current.diagnostics.extend(line.diagnostics)
        current.understood = current.understood and line.understood
        for token in line.tokens:
            brackets.see(token, current)
    if current is not None:
        brackets.close(current)
        yield current


def _continues(
    line: PhysicalLine, current: LogicalLine, brackets: "_Brackets", statement: str
) -> bool:
    if not line.tokens:  # nothing but a character that means nothing
        return bool(brackets.open)
    first = line.tokens[0]
    if not brackets.open:
        return first.kind == "VBAR" and not line.at_margin
    if line.at_margin:
        return first.kind in _SIGNS
    return not _begins_clause(line, current, statement)


def _begins_clause(line: PhysicalLine, current: LogicalLine, statement: str) -> bool:
    """Return whether a line inside an open bracket is a clause all the same.

    So it is when the list before it has no comma left over and it begins with a clause
    word of its statement; one forgotten bracket then spoils one clause.
    """
    first, *rest = line.tokens
    known = STATEMENTS.get(statement)
    return (
        known is not None
        and first.text in known.clauses
        and current.tokens[-1].kind not in ("COMMA", "LPAR", "LSQB", "LBRACE", "VBAR")
        and bool(rest)
        and rest[0].kind not in _GOES_ON
        and rest[0].text != "in"
    )


class _Brackets:
    """The brackets open at a place, and the mistakes made with them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.open: list[Token] = []

    def see(self, token: Token, line: LogicalLine) -> None:
        """Take one token of a line over, or skip it where it closes nothing."""
        if token.kind in _CLOSERS:
            self.open.append(token)
            if len(self.open) > DEEPEST and not line.too_deep:
                line.too_deep = True
                message = f"brackets are nested more than {DEEPEST} deep"
                suggestion = "name inner parts with `let`"
                self._report(codes.nested_too_deep, message, token, line, suggestion)
        elif token.kind in _SIGNS:
            if not self.open:
                self._report(codes.unmatched_bracket, f"`{token.text}` closes nothing", token, line)
                return
            opener = self.open.pop()
            right = _CLOSERS[opener.kind]
            if right != token.kind:
                sign = _SIGNS[right]
                message = f"`{opener.text}` is closed by `{sign}`, not by `{token.text}`"
                self._report(codes.unmatched_bracket, message, token, line)
                token = Token(right, sign, token.start, token.end)
        line.tokens.append(token)

    def close(self, line: LogicalLine) -> None:
        """End a line: close in thought what is open, and say so once."""
        if self.open:
            opener = self.open[-1]
            sign = _SIGNS[_CLOSERS[opener.kind]]
            message = f"`{opener.text}` is never closed"
            self._report(codes.unclosed_bracket, message, opener, line, f"close it with `{sign}`")
        end = line.tokens[-1].end if line.tokens else line.end
        for opener in () if line.too_deep else reversed(self.open):  # too deep is not parsed
            kind = _CLOSERS[opener.kind]
            line.tokens.append(Token(kind, _SIGNS[kind], end, end))
        self.open.clear()

    def _report(
        self,
        code: Code,
        message: str,
        token: Token,
        line: LogicalLine,
        suggestion: str | None = None,
    ) -> None:
        if not line.understood:
            return  # a bracket may be lost in what was reported before
        span = Span(self.path, token.start, token.end)
        line.diagnostics.append(diagnose(code, message, span, help=suggestion))
        line.understood = False
