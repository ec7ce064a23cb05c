"""A line being read: its tokens so far, and what is objected to in it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, diagnose
from evallang.source import SourceFile, Span
from evallang.syntax import text_codes
from evallang.syntax.nodes import CommentNode


class Token(NamedTuple):
    """The smallest piece with a meaning; `kind` is a terminal of the grammar.

    `text` is what was meant: it differs from the file where the author misspelt a literal.
    """

    kind: str
    text: str
    start: int
    end: int


@dataclass(eq=False, repr=False, slots=True)
class PhysicalLine:
    """One line of the file: code points `start` to `end`, without its end.

    `at_margin` tells whether its text begins in column 0. `mended` tells whether the tokens
    are what the author meant, in spite of all diagnostics; `open_quote`, that a text is opened
    and not closed.
    """

    start: int
    end: int
    at_margin: bool
    tokens: list[Token] = field(default_factory=list)
    comment: CommentNode | None = None
    tabs: list[Span] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    mended: bool = True
    open_quote: bool = False
    silent: bool = False

    def silence(self) -> None:
        """Take out what was read: the line stands within a text."""
        self.tokens, self.tabs, self.diagnostics, self.comment = [], [], [], None
        self.mended = self.silent = True


class LineReader:
    """What the reader of a line writes down."""

    def __init__(self, source: SourceFile, line: PhysicalLine) -> None:
        self.text = source.text
        self.path = source.path
        self.line = line
        self.tokens = line.tokens
        self.depth = 0
        self.joined = -1  # where a character without width ends that stands within a word

    def _add(self, kind: str, text: str, start: int, end: int) -> None:
        last = self.tokens[-1] if self.tokens else None
        if self.joined == start and last is not None and last.kind == kind == "NAME":
            self.tokens.pop()
            text, start = last.text + text, last.start
        self.tokens.append(Token(kind, text, start, end))

    def _mend(
        self,
        code: Code,
        message: str,
        start: int,
        end: int,
        right: str,
        notes: list[str] | None = None,
    ) -> None:
        span = Span(self.path, start, end)
        title = f"write `{right}`" if right.strip() else "write a blank" if right else "remove it"
        fix = Fix(title, (Edit(span, right),))
        self.line.diagnostics.append(diagnose(code, message, span, notes=notes or (), fixes=[fix]))

    def _past_mending(self, found: Diagnostic) -> None:
        """Report what nobody can mend; what follows on the line may be its consequence."""
        if self.line.mended:
            self.line.diagnostics.append(found)
        self.line.mended = False

    def _space(self, word: str, start: int, end: int) -> None:
        """Report a blank that is none; one without width parts no word."""
        import unicodedata

        blank = word.isspace()
        shown = f"U+{ord(word[0]):04X}"
        if name := unicodedata.name(word[0], "").lower():
            shown += f" ({name})"
        message = f"{shown} is {'no plain blank' if blank else 'invisible and means nothing'}"
        if "\r" in word:
            message = "a carriage return alone (U+000D) ends no line"
            self._past_mending(
                diagnose(
                    text_codes.UNUSUAL_SPACE,
                    message,
                    Span(self.path, start, end),
                    help="end lines with LF or CR LF",
                )
            )
            return
        self._mend(text_codes.UNUSUAL_SPACE, message, start, end, " " if blank else "")
        if not blank:
            self.joined = end

    def _no_escape(self, start: int) -> None:
        at = Span(self.path, start, start + 2)
        shown = self.text[at.start : at.end]
        help_ = "a backslash is written `\\\\`, a path with `/`"
        fix = Fix("write two backslashes", (Edit(at, "\\" + shown),), safe=False)
        if shown == "\\'":
            help_ = "a single quote needs no backslash"
            fix = Fix("write `'`", (Edit(at, "'"),))
        elif shown == "\\u":
            help_ = f"four hexadecimal digits follow `\\u`, as in `\\u00b5`; {help_}"
        message = f"`{shown}` in a text is no escape"
        self.line.diagnostics.append(
            diagnose(text_codes.ESCAPE_IN_TEXT, message, at, help=help_, fixes=[fix])
        )
