"""Runs as LaTeX that needs no package, and how wide text is in the widest of common fonts."""

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from unicodedata import category, east_asian_width, name, normalize

import msgspec

from evallang.printable import without_isolates
from evallang.reporting.document import Cite, Runs, Stat
from evallang.reporting.formats.works import CitedWork
from evallang.reporting.run_writer import RunWriter

TABLES = msgspec.toml.decode(
    (files("evallang.reporting") / "latex.toml").read_bytes(), type=dict[str, dict[str, str]]
)
"""Characters as commands and texts of macros, by the names of their tables."""


def _greek(letter: str) -> str:
    """Return the command of a Greek letter: its Unicode name, but for one that differs."""
    command = name(letter).rpartition(" ")[2].lower().replace("lamda", "lambda")
    return f"$\\{command if letter.islower() else command.capitalize()}$"


AS_COMMANDS = {
    **{c: rf"{{\fontencoding{{T1}}\selectfont {c}}}" for c in "«»ÐÞðþĄąĐđĘęĮįŊŋŲų"},
    **{c: f"$_{{{n}}}$" for n, c in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{c: f"$^{{{n}}}$" for c, n in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)},
    **{c: _greek(c) for c in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"},
    **TABLES["signs"],
    **TABLES["spaces"],
    **TABLES["special"],
}
"""Characters as commands; those of the first row are in no encoding but T1."""

KNOWN = frozenset("¡¢£¥¦§¨©ª«»®¯´¶¸º¿") | {
    chr(code) for code in range(0xC0, 0x17F) if chr(code) not in "ĦħĸĿŀŉŦŧ×÷"
}
"""Letters of Latin scripts and signs that LaTeX reads as UTF-8."""

FALLBACK = "evalchar"
DEFINITION = TABLES["fallback"]["definition"].rstrip("\n")
"""A character that pdfTeX has no font for: LuaTeX and XeTeX print it where the font of the text has
it, and else all print its number, with a warning.

A line may be broken before the number. Where the letters of a word are joined, as in Arabic, LuaTeX
and XeTeX see nothing between them.
"""

LONG_WORD = 24  # characters; a longer one may be broken
PLAIN = re.compile(rf"[!'()*+,\-./0-9:;=?@A-Z\[\]a-z]{{1,{LONG_WORD}}}")
"""A word that LaTeX prints as it is: nine of ten words are."""
PIECE = 8
NUMBER = re.compile(r"[−+]?[0-9.,]+")


OPENING = re.compile(r'(?<![^\s(\[/–—-])"(?=\S)')
"""A straight quotation mark that opens a quotation."""

Citation = Callable[[tuple[str, ...]], str]


def escape(text: str, *, breaks: bool = True) -> str:
    """Return a text as LaTeX; with `breaks`, long words may be broken anywhere."""
    words = OPENING.sub("“", normalize("NFC", without_isolates(text))).split(" ")
    return " ".join(_word(word, breaks=breaks) for word in words)


def _word(word: str, *, breaks: bool) -> str:
    if PLAIN.fullmatch(word):
        return word
    made, since, left = "", 0, sum(map(_signs, word))
    long = breaks and max(sum(map(_signs, part)) for part in APART.split(word)) > LONG_WORD
    for i, c in enumerate(word):
        cut = long and since >= PIECE and left > 3 and c.isalnum()
        wide = east_asian_width(c) in ("W", "F") and category(c) == "Lo"  # Chinese, Japanese
        if cut or (made and breaks and wide):
            made, since = made + r"\hspace{0pt}", 0
        name = word[:i][-1:].isalpha() and word[i + 1 :][:1].isupper()  # of two, as Clopper–Pearson
        made += rf"\mbox{{{character(c)}}}" if c == "–" and name else character(c)
        since = 0 if c in TABLES["spaces"] else since + _signs(c)
        left -= _signs(c)
    return made.replace("}$$^{", "")  # raised figures are one exponent


APART = re.compile("[\u00a0\u202f\u2009]")


def _signs(c: str) -> int:
    """Return how many letters a character takes among those of a word that cannot be broken."""
    return 0 if c in TABLES["spaces"] or needs_fallback(character(c)) else 1


def character(c: str) -> str:
    """Return one character as LaTeX."""
    if c in AS_COMMANDS:
        return AS_COMMANDS[c]
    if c in KNOWN or (c.isascii() and c.isprintable()):
        return c
    return f"\\{FALLBACK}{{{c}}}{{{ord(c):04X}}}"


def needs_fallback(text: str) -> bool:
    """Return whether LaTeX of ours has a character that pdfTeX cannot print."""
    return f"\\{FALLBACK}{{" in text


class LatexWriter(RunWriter):
    """The runs of a report as LaTeX; citations by the keys of its bibliography.

    Prose has no `bold` words.
    """

    EMPHASIS, SUBSCRIPT = r"\textit{{{}}}", r"\textsubscript{{{}}}"
    MARK = r"\textsuperscript{{{}}}"

    def __init__(self, works: Mapping[str, CitedWork], *, bold: bool = True) -> None:
        self.works = works
        self.STRONG = r"\textbf{{{}}}" if bold else "{}"

    def write(self, row: Runs) -> str:
        """Return a row of runs, a tie before each citation."""
        made = ""
        for run in row:
            new = self.run(run)
            made = made.rstrip(" ") + new if new.startswith("~") else made + new
        return made

    def text(self, text: str) -> str:
        """Return words."""
        return escape(text)

    def stat(self, run: Stat) -> str:
        """Return a statistic as one formula, where its parts are plain numbers."""
        parts = (run.text, *run.df)
        if not all(NUMBER.fullmatch(part) for part in parts) or not run.symbol.isascii():
            return super().stat(run)
        face = "mathrm" if run.upright else "mathit"
        symbol = run.symbol.replace("_", r"\_")
        letter = symbol if len(symbol) == 1 and not run.upright else rf"\{face}{{{symbol}}}"
        value, *df = (part.replace("−", "-").replace(",", "{,}") for part in parts)
        degrees = f"({', '.join(df)})" if df else ""
        return rf"\mbox{{${letter}{degrees} {run.relation} {value}$}}"

    def cite(self, run: Cite) -> str:
        """Cite works by their keys."""
        keys = dict.fromkeys(self.works[key].key for key in run.keys if key in self.works)
        return rf"~\cite{{{','.join(keys)}}}" if keys else ""

    def code(self, text: str) -> str:
        """Return text of the language."""
        return rf"\texttt{{{escape(text)}}}"


# --- widths ------------------------------------------------------------------------------------

FONT_SIZE, BASELINE = 8.0, 9.5  # points: \footnotesize of a document of 10 points
THIRDS = {
    0.32: "!',.:;[]`ilfj\u2019\u2018",
    0.42: "()-rts",
    0.48: "cez?",
    0.54: '"$*/0123456789\\ago{}\u2013',
    0.6: "^kqvxy~Sbdhnpu",
    0.73: "ZJLFEP",
    0.83: "AHNUVXY_BCTwDR&+<=>@GKOQ\u2212\u00d7\u00b1",
    0.9: "#%m",
    1.1: "|MW\u221e\u2014",
}
WIDTHS = {c: width for width, characters in THIRDS.items() for c in characters}
"""Widths in ems of 8 points, of the wider of Computer Modern and Latin Modern."""
SPACE = 0.36
OF_NUMBER = 3.3  # ems: U+4E2D in typewriter letters
BOLDER = 1.17


def width_of(text: str, *, bold: bool = False) -> float:
    """Return at least the width of a text in points, as the print of tables."""
    ems = 0.0
    for c in normalize("NFC", text):
        if c in (" ", "\u00a0"):
            ems += SPACE
        elif c in WIDTHS:
            ems += WIDTHS[c]
        elif c in TABLES["spaces"]:
            ems += 0.2
        else:
            ems += OF_NUMBER if needs_fallback(character(c)) else 0.8
    return ems * FONT_SIZE * (BOLDER if bold else 1.0)
