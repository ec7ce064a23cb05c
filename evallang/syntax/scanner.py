"""Convert physical lines to tokens; correct misspelled literals and report them.

A corrected token reads as the author meant it, so that the rest of the line is still checked.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, codes, diagnose
from evallang.printable import printable
from evallang.source import SourceFile, Span
from evallang.syntax.language import declares
from evallang.syntax.literals import quoted, unescaped, unheld
from evallang.syntax.nodes import CommentNode
from evallang.syntax.slips import advice_on_character, habit, slips


class Token(NamedTuple):
    """The smallest piece with a meaning; `kind` is a terminal of the grammar.

    `text` is what was meant: it differs from the file where the author misspelled a literal.
    """

    kind: str
    text: str
    start: int
    end: int


class PhysicalLine(Struct, eq=False):
    """One line of the file: code points `start` to `end`, without its end.

    `at_margin` tells whether its text begins in column 0. `understood` tells whether the tokens
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
    understood: bool = True
    open_quote: bool = False
    silent: bool = False

    def silence(self) -> None:
        """Take out what was read: the line stands within a text."""
        self.tokens, self.tabs, self.diagnostics, self.comment = [], [], [], None
        self.understood = self.silent = True


PUNCTUATION = {
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "{": "LBRACE",
    "}": "RBRACE",
    ",": "COMMA",
    ":": "COLON",
    "|": "VBAR",
    "=": "EQUAL",
    "..": "RANGE",
    "<": "OPERATOR",
    ">": "OPERATOR",
    "<=": "OPERATOR",
    ">=": "OPERATOR",
    "!=": "OPERATOR",
}
"""Signs and their terminals; `=` is an OPERATOR where the grammar has no `=` of its own."""

LONGEST_NUMBER = 40  # characters; longer ones are not built from groups
MOST_OBJECTIONS = 100  # in one line; whoever has more has no study at hand
DEEPEST_READ = 200  # brackets open on one line: nothing behind them is looked at

TYPOGRAPHIC = {
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "…": "..",
    "＝": "=",
    "，": ",",
    "、": ",",
    "：": ":",
    **dict(zip("（）［］｛｝｜", "()[]{}|", strict=True)),
}
FOREIGN = {"==": "=", "=>": ">=", "=<": "<=", "<>": "!=", "~=": "!=", "=!": "!=", ":=": "="}
CONSTANTS = {"True": "true", "False": "false", "None": "none"}

_SPECIAL = "“”„‟«»‘’‚‛≥≤≠…＝，、：（）［］｛｝｜×−–—"
_INVISIBLE = r"\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff"
_LETTER = rf"[^\x00-@\[-\^`{{-\x7f\s{_INVISIBLE}{_SPECIAL}]"  # `isidentifier` has the last word
_WORD = rf"[^\x00-/:-@\[-\^`{{-\x7f\s{_INVISIBLE}{_SPECIAL}]"
_TOKEN = re.compile(
    rf"""
      (?P<blank>[ \t]+)
    | (?P<name>{_LETTER}{_WORD}*(?:[.\-]{_WORD}+)*)
    | (?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T][0-9:]+Z?)?(?!{_WORD}))
    | (?P<grouped>[1-9][0-9_]{{,39}}(?:,[0-9]{{3}}){{,12}},0[0-9]{{2}}
        (?:,[0-9]{{3}}){{,12}}(?![.%]?{_WORD}))
    | (?P<number>[-−]?\.?[0-9]
        (?:(?<=[eE])[+\-−–](?=[0-9])|-(?=[A-Za-z])|\.(?!\.)|/(?=[0-9])|%|×|{_WORD})*\+?)
    | (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<dots>\.{{3,}})
    | (?P<sign>\.\.|<=|>=|!=|==|=>|=<|=!|<>|~=|:=|[][(){{}},:|=<>])
    | (?P<comment>\#.*)
    | (?P<curly>[“”„‟«»][^“”„‟«»"]*[“”„‟«»"])
    | (?P<single>(?<!\w)'(?:[^'"\#]|"[^'"\#]*")*'|[‘’‚‛][^‘’‚‛'"\#]*[‘’‚‛'])
    | (?P<quote>".*)
    | (?P<typographic>[≥≤≠…＝，、：（）［］｛｝｜])
    | (?P<space>[^\S\n]+|[{_INVISIBLE}]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_INTEGER = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_NUMBER = re.compile(
    rf"-?(?:{_INTEGER}(?:\.{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?%?|-?{_INTEGER}/{_INTEGER}"
)
_ZEROS = re.compile(r"(-?)0[0-9_]+((?:\.[0-9]+)?%?)")
_TERM = re.compile(r"[0-9]+x[0-9]+[A-Za-z][\w-]*|\.[0-9]+\+", re.ASCII)
_TIMES = re.compile(r"([0-9]+)[xX]([0-9]+)", re.ASCII)
_FIVE_BY_TWO = re.compile(r"([0-9])[xX]([0-9])(?:[-_]?[cC][vV])?((?:_[tTfF])?)", re.ASCII)
_FOLDS = re.compile(r"[0-9]+[-_]?folds?(?:[-_][A-Za-z][\w-]*)?", re.ASCII)
"""What others call a cross-validation: the catalogue of protocols says what to write."""
_LETTERED = re.compile(r"(?![0-9]+[eE]$)[0-9_]+[^\W\d_]")
_RULE = re.compile(r"[ \t]*([=*~_+-])\1{3,}(?=[ \t\r]*$)")
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')


def physical_lines(source: SourceFile) -> Iterator[PhysicalLine]:
    """Cut a file into its lines, each with its tokens; time grows with its length alone."""
    text, start = source.text, 0
    while True:
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        stop = start + len(text[start:end].rstrip(" \t\r"))
        carriage = text.find("\r", stop, end)  # a file written twice ends its lines in \r\r\n
        stop = end if carriage < 0 else carriage
        margin = 1 if start == 0 and text.startswith("\ufeff") else start
        at_margin = margin < stop and not text[margin].isspace()
        yield _Scanner(source, PhysicalLine(start, stop, at_margin)).scan(margin)
        if newline < 0:
            return
        start = newline + 1


class _Scanner:
    """Reads one physical line."""

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

    def _correct(
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

    def _report_unreadable(self, found: Diagnostic) -> None:
        """Report what nobody can correct; what follows on the line may be its consequence."""
        if self.line.understood:
            self.line.diagnostics.append(found)
        self.line.understood = False

    def _space(self, word: str, start: int, end: int) -> None:
        """Report a character that looks like a blank; one without width separates no words."""
        import unicodedata

        blank = word.isspace()
        shown = f"U+{ord(word[0]):04X}"
        if name := unicodedata.name(word[0], "").lower():
            shown += f" ({name})"
        message = f"{shown} is {'not a plain space' if blank else 'invisible and means nothing'}"
        if "\r" in word:
            message = "a carriage return alone (U+000D) ends no line"
            self._report_unreadable(
                diagnose(
                    codes.unusual_space,
                    message,
                    Span(self.path, start, end),
                    help="end lines with LF or CR LF",
                )
            )
            return
        self._correct(codes.unusual_space, message, start, end, " " if blank else "")
        if not blank:
            self.joined = end

    def _no_escape(self, start: int) -> None:
        at = Span(self.path, start, start + 2)
        shown = self.text[at.start : at.end]
        right = "'" if shown == "\\'" else "\\" + shown
        fix = Fix(f"write `{right}`", (Edit(at, right),), safe=right == "'")
        message = f"`{shown}` is not a valid escape"
        help_ = "a backslash is written `\\\\`, a path with `/`, and `\\u` takes four digits"
        self.line.diagnostics.append(
            diagnose(codes.unknown_escape, message, at, help=help_, fixes=[fix])
        )

    def scan(self, margin: int) -> PhysicalLine:
        """Read it from the margin, which a byte order mark may move."""
        if rule := _RULE.match(self.text, margin, self.line.end):
            message = f"a line of `{rule[1]}` is not part of the language"
            span = Span(self.path, rule.start(1), rule.end())
            found = diagnose(
                codes.unexpected_character, message, span, help="a comment begins with `#`"
            )
            self._report_unreadable(found)
            return self.line
        for match in _TOKEN.finditer(self.text, margin, self.line.end):
            if len(self.line.diagnostics) > MOST_OBJECTIONS or self.depth > DEEPEST_READ:
                self.line.understood = self.depth > DEEPEST_READ  # the layout says what is too deep
                break
            kind = match.lastgroup
            word, start, end = match.group(), match.start(), match.end()
            if kind == "blank":
                if "\t" in word:
                    self.line.tabs.append(Span(self.path, start, end))
                continue
            if kind == "name":
                self._name(word, start, end)
            elif kind == "sign":
                self._sign(word, start, end)
            elif kind == "number":
                self._number(word, start, end)
            elif kind == "grouped":
                self._grouped(word, start, end)
            elif kind == "text":
                self._text(word, start, end)
            elif kind == "comment":
                span = Span(self.path, start, end)
                self.line.comment = CommentNode(word.rstrip(), not self.tokens, span=span)
            else:
                self._mistake(kind or "other", word, start, end)
        return self.line

    def _name(self, word: str, start: int, end: int) -> None:
        if not word.isascii() and not word.replace("-", "_").replace(".", "_").isidentifier():
            odd = next(
                (i for i, c in enumerate(word) if not (c in "-." or ("a" + c).isidentifier())),
                0,  # every character may be in a name, and the first may not begin one
            )
            self._unexpected(word[odd], start + odd)
            return
        if word in CONSTANTS:
            right = CONSTANTS[word]
            self._correct(
                codes.python_constant, f"`{word}` is written `{right}` here", start, end, right
            )
            word = right
        self._add("NAME", word, start, end)

    def _sign(self, word: str, start: int, end: int) -> None:
        self.depth += (word in "([{") - (word in ")]}")
        right = FOREIGN.get(word)
        if right == "=" and self.tokens and self.tokens[0].text == "require":
            self._add("OPERATOR", word, start, end)  # no bound, with one `=` or with two
            return
        if right is not None:
            message = f"`{word}` belongs to other languages; here it is `{right}`"
            self._correct(codes.foreign_operator, message, start, end, right)
            word = right
        self._add(PUNCTUATION[word], word, start, end)

    def _number(self, word: str, start: int, end: int) -> None:
        right = word.replace("×", "x").replace("−", "-").replace("–", "-")
        if right != word and (_NUMBER.fullmatch(right) or _TERM.fullmatch(right)):
            message = f"`{word}` is written `{right}`"
            self._correct(codes.typographic_sign, message, start, end, right)
            word = right
        if _NUMBER.fullmatch(word):
            self._add("NUMBER", self._sized(word, start, end), start, end)
        elif _TERM.fullmatch(word) or (
            self.tokens and self.tokens[0].text == "protocol" and _FOLDS.fullmatch(word)
        ):
            self._add("NAME", word, start, end)
        elif re.fullmatch(rf"-?{_INTEGER}\.", word):
            message = f"a digit follows the point of a number: `{word}0`"
            self._correct(codes.malformed_number, message, start, end, f"{word}0")
            self._add("NUMBER", f"{word}0", start, end)
        elif zeros := _ZEROS.fullmatch(word):
            self._zeros(word, zeros, start, end)
        else:
            self._malformed(word, start, end)

    def _sized(self, word: str, start: int, end: int) -> str:
        """Return a number, or 1 for one that no float comes near or that divides by zero."""
        problem = unheld(word)
        if problem is None:
            return word
        shown = word if len(word) <= LONGEST_NUMBER else f"{word[:LONGEST_NUMBER]}…"
        span = Span(self.path, start, end)
        self._report_unreadable(diagnose(codes.malformed_number, f"`{shown}` {problem}", span))
        return "1"

    def _grouped(self, word: str, start: int, end: int) -> None:
        right = word.replace(",", "_")
        message = f"digits are grouped by `_`: `{word}` is `{right}`"
        self._correct(codes.leading_zero, message, start, end, right)
        self._add("NUMBER", right, start, end)

    def _zeros(self, word: str, zeros: re.Match[str], start: int, end: int) -> None:
        """Report `007`."""
        sign, rest = zeros.groups()
        digits = word.removeprefix(sign).removesuffix(rest).replace("_", "").lstrip("0") or "0"
        right = f"{sign}{digits}{rest}"
        message = f"a number has no leading zeros: `{word}` is `{right}`"
        note = f"a label that is written so in the data is written in quotes: `{quoted(word)}`"
        self._correct(codes.leading_zero, message, start, end, right, [note])
        self._add("NUMBER", right, start, end)

    def _malformed(self, word: str, start: int, end: int) -> None:
        span = Span(self.path, start, end)
        if _LETTERED.match(word) and "." not in word and "%" not in word:
            code, message = codes.name_begins_with_digit, f"`{word}` begins with a digit"
            help_ = "names begin with a letter"
            if self.tokens and self.tokens[-1].kind in ("EQUAL", "OPERATOR"):
                help_ = f"a number has no unit after it; write text in quotes: `{quoted(word)}`"
            elif len(self.tokens) != 1 or not declares(self.tokens[0].text):
                help_ += f"; a column of this name is written in quotes: `{quoted(word)}`"
            before = [token.text for token in self.tokens]
            if before[:1] == ["protocol"] and len(before) > 1 and _TIMES.fullmatch(word):
                line, at = self._here(start)
                known = habit(line, at, at + len(word), slips().habit)
                help_ = help_ if known is None else known.advice
            elif named := _FIVE_BY_TWO.fullmatch(word):
                help_ = f"did you mean `{named[1]}x{named[2]}cv{named[3].casefold()}`?"
        else:
            code, message = codes.malformed_number, f"`{word}` is not a number"
            help_ = "numbers are written `3`, `1_000`, `0.05`, `.5`, `1e-3`, `95%` or `1/3`"
            if _TERM.fullmatch(f".{word}"):
                help_ = f"did you mean `.{word}`?"
        self._report_unreadable(diagnose(code, message, span, help=help_))
        self._add("NAME", word, start, end)

    def _text(self, word: str, start: int, end: int) -> None:
        """Check the escapes; what `\\` does not escape is taken for a backslash."""
        if "\\" in word:
            for escape in _ESCAPE.finditer(word):
                if len(escape.group()) == 1:
                    self._no_escape(start + escape.start())
            word = _ESCAPE.sub(lambda m: "\\\\" if len(m.group()) == 1 else m.group(), word)
            if any("\ud800" <= c <= "\udfff" for c in unescaped(word)):
                message = "a text holds half of a surrogate pair, which is not a character"
                span = Span(self.path, start, end)
                suggestion = "write the character itself, or both halves one after the other"
                found = diagnose(codes.unknown_escape, message, span, help=suggestion)
                self._report_unreadable(found)
                word = '""'
        self._add("TEXT", word, start, end)

    def _mistake(self, kind: str, word: str, start: int, end: int) -> None:
        span = Span(self.path, start, end)
        if kind == "date":
            code = codes.date_without_quotes
            if self.tokens and self.tokens[0].text == "seed":
                right = word[:10].replace("-", "")
                self._correct(code, f"a seed is a whole number: `{right}`", start, end, right)
                self._add("NUMBER", right, start, end)
                return
            right = quoted(word)
            self._correct(code, f"a date is written in quotes: `{right}`", start, end, right)
            self._add("TEXT", right, start, end)
        elif kind in ("single", "curly"):
            code = codes.single_quotes if word[0] in "'‘’‚‛" else codes.curly_quotes
            right = quoted(word[1:-1])
            kinds = "typographic" if word[0] in _SPECIAL else "single"
            plain = "double" if kinds == "single" else "plain double"
            message = f"text is written in {plain} quotes, not in {kinds} ones"
            self._correct(code, message, start, end, right)
            self._add("TEXT", right, start, end)
        elif kind == "quote":
            message = "a quote is opened here and not closed on this line"
            help_ = 'close it with `"`; text in quotes never spans lines'
            help_ += '; a quote inside a text is written `\\"`'
            self._report_unreadable(diagnose(codes.unclosed_quote, message, span, help=help_))
            self.line.open_quote = True
            self._add("TEXT", quoted(word[1:].rstrip()), start, end)
        elif kind == "typographic":
            right = TYPOGRAPHIC[word]
            self.depth += (right in "([{") - (right in ")]}")
            self._correct(
                codes.typographic_sign, f"`{word}` is written `{right}`", start, end, right
            )
            self._add(PUNCTUATION[right], right, start, end)
        elif kind == "dots":
            message = f"`{word}` is written `..`"
            help_ = "a number after it begins with its zero, as in `0..0.5`"
            fix = Fix("write `..`", (Edit(span, ".."),), safe=False)  # `0...5` may be 0 to 0.5
            code = codes.typographic_sign
            self.line.diagnostics.append(diagnose(code, message, span, help=help_, fixes=[fix]))
            self._add("RANGE", "..", start, end)
        elif kind == "space":
            self._space(word, start, end)
        elif word == "%" and self.tokens and self.tokens[-1].kind == "NUMBER":
            number = self.tokens.pop()
            right = f"{number.text}%"
            found = self.line.diagnostics
            blank = Span(self.path, number.end, start)
            if found and found[-1].span == blank:
                found.pop()  # an unusual one, and it goes
            message = f"a percentage is written in one piece: `{right}`"
            self._correct(codes.number_in_pieces, message, number.start, end, right)
            self._add("NUMBER", right, number.start, end)
        else:
            self._unexpected(word, start)

    def _unexpected(self, character: str, start: int) -> None:
        span = Span(self.path, start, start + 1)
        if character in "\x00" or "\ud800" <= character <= "\udfff":
            self.line.understood = False  # reported once for the file
            return
        if not self.line.understood:
            return
        shown = f"`{character}`" if printable(character) == character else f"U+{ord(character):04X}"
        line, at = self._here(start)
        ends_line = not self.depth and re.fullmatch(r";[;\s]*(#.*)?", line[at:]) is not None
        fixes = [Fix(f"remove {shown}", (Edit(span, ""),))] if ends_line else []
        code, message = codes.unexpected_character, f"{shown} is unexpected here"
        help_ = advice_on_character(line, at)
        found = diagnose(code, message, span, help=help_, fixes=fixes)
        if ends_line:
            self.line.diagnostics.append(found)
        else:
            self._report_unreadable(found)

    def _here(self, start: int) -> tuple[str, int]:
        """Return the text of the line, and where in it a place is."""
        begins = self.text.rfind("\n", 0, start) + 1
        return self.text[begins : self.line.end], start - begins
