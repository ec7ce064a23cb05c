"""Characters that mean nothing: what each was probably meant for."""

import re
from collections.abc import Callable
from typing import NamedTuple

from evallang.syntax.language import STATEMENTS, clause
from evallang.syntax.literals import quoted

_ELSEWHERE = {
    "/": "a path is written in quotes, a comment begins with `#`",
    "\\": "a path is written in quotes",
    "'": 'write text in double quotes: `"text"`',
    "%": "a percentage is written in one piece: `95%`",
    "&": "write a comma, or one `where` line for each condition",
    "*": "without a list, all are meant",
    "?": 'a sign or a sentence is written in quotes, as in `"?"`',
    "+": "steps are joined by `|`, items by commas",
    "@": "an option is written in brackets, as in `ndcg(at=10)`",
}
_ITEM_BEGINS = re.compile(r"\s*(?:(?:all\s+except|by|as|in)\s+)?")
_ITEM_ENDS = re.compile(r"(?<!\s)\s*(?:,|[<>=!]|\b(?:in|is|as)\b|$)")
_COMPARED = re.compile(r"[<>=!]|\b(?:in|is|as)\b")
_QUOTES = frozenset("\"'")
_WITHIN = " within "
_WRITTEN_ELSEWHERE = "*'\\"  # patterns, text and paths, which a column's name is not
_ARITHMETIC = "+*/^"
_DASHES = "-–—"
_PIPED = re.compile(r"->|%>%")
_REMARK = re.compile(r"//|/\*|--")


def column_in_quotes(line: str, at: int) -> str | None:
    """Return the column that a place of a line is in, in quotes: `"CRP (mg/l)"`.

    None where the line does not take columns, or where quotes are there already.
    """
    words = line.split("#")[0].split(maxsplit=1)
    start = _begin_of_columns(line, words[0], at) if len(words) > 1 else None
    if start is None:
        return None
    start = max(start, line.rfind(",", start, at) + 1)
    begins = _ITEM_BEGINS.match(line, start)
    start = start if begins is None else begins.end()
    ends = next((m.start() for m in _ITEM_ENDS.finditer(line, at) if m.start() > at), len(line))
    item = line[start:ends].strip()
    whole = _COMPARED.search(line, start, at) is None and not (
        words[0] == "where" and line[at] == "&"
    )
    return quoted(item) if item and whole and not _QUOTES & set(item) else None


def _begin_of_columns(line: str, word: str, at: int) -> int | None:
    """Return where columns begin in a line: `target COLUMN`, `measure METRIC within COLUMN`."""
    known, below = STATEMENTS.get(word), clause(word)
    if known is not None and " by COLUMN" in known.form:
        return line.index(word) + len(word)
    names_columns = below is not None and below.takes in ("column", "columns")
    if names_columns or (below is not None and below.form.startswith(f"{word} COLUMN")):
        return line.index(word) + len(word)
    within = line.rfind(_WITHIN, 0, at)
    if known is not None and "columns" in known.names.get("within", ()) and within >= 0:
        return within + len(_WITHIN)
    return None


class Stray(NamedTuple):
    """A character at a place of a text; `end` is the end of its line.

    `before` is the kind of the token before it on its line; `inside` tells whether a bracket is
    open.
    """

    text: str
    at: int
    end: int
    before: str | None
    inside: bool

    @property
    def character(self) -> str:
        """The character itself."""
        return self.text[self.at]

    @property
    def previous(self) -> str:
        """The character before it, or nothing."""
        return self.text[self.at - 1 : self.at]

    @property
    def rest(self) -> str:
        """What comes after it, without a comment."""
        return self.text[self.at + 1 : self.end].split("#")[0].strip("; \t\r")

    @property
    def means_nothing(self) -> bool:
        """Whether it is a semicolon at the end of a line, which a fix removes."""
        return self.character == ";" and not self.inside and not self.rest


class CharacterGuess(NamedTuple):
    """A guess at what a character was meant for, and a line: as written, and as it should be.

    The guess returns what to write, an empty text where nobody can tell, or None where the
    character is not its own.
    """

    guess: Callable[[Stray], str | None]
    wrong: str
    right: str


def meant_for(stray: Stray) -> str | None:
    """Return what to write instead of a character, None where nobody can tell."""
    found = (known.guess(stray) for known in GUESSES)
    return next((suggestion for suggestion in found if suggestion is not None), None) or None


def pipe_of_another_language(stray: Stray) -> str | None:
    """Take `->` and `%>%` for `|`."""
    piped = _PIPED.match(stray.text, stray.at, stray.end)
    return "steps are joined by `|`" if piped else None


def semicolon(stray: Stray) -> str | None:
    """Take `;` for the end of a statement or for a comma."""
    if stray.character != ";":
        return None
    if stray.inside:
        return "items are separated by commas"
    if stray.rest:
        return "a statement ends with its line, and items are separated by commas"
    return "a statement ends with its line"


def remark(stray: Stray) -> str | None:
    """Take `//`, `/*` and `--` for the begin of a comment."""
    begins = _REMARK.match(stray.text, stray.at, stray.end)
    return "a comment begins with `#`" if begins else None


def line_that_goes_on(stray: Stray) -> str | None:
    """Take a backslash at the end for a line that goes on."""
    if stray.character == "\\" and not stray.text[stray.at + 1 : stray.end].strip():
        return "a line goes on inside brackets, or before a `|` that begins the next"
    return None


def tilde(stray: Stray) -> str | None:
    """Take `~` for a distribution or for the formula of a model."""
    if stray.character != "~":
        return None
    if stray.inside:
        return "`in` searches a parameter: `C in 1e-4..1e4 loguniform`"
    return "`target` names one column, `features` the others"


def arithmetic(stray: Stray) -> str | None:
    """Take a sign behind a number for a computation."""
    if stray.character in _ARITHMETIC and stray.before == "NUMBER":
        return "nothing is computed in a study: write the number"
    return None


def dash(stray: Stray) -> str | None:
    """Take a dash for the begin of an item, a range or an arrow."""
    if stray.character not in _DASHES:
        return None
    if stray.before is None:
        return "items are on one line, separated by commas"
    if stray.before == "NUMBER":
        return "a range is written with `..`"
    return "a value is given with `=`" if stray.previous == "<" else ""


def pattern_without_quotes(stray: Stray) -> str | None:
    """Take `p_*` for a pattern."""
    if stray.character == "*" and stray.previous.strip():
        return 'a pattern is written in quotes, as in `"p_*"`'
    return None


def apostrophe(stray: Stray) -> str | None:
    """Take `'` behind a letter for a part of a name."""
    if stray.character == "'" and stray.previous.isalnum() and stray.before == "NAME":
        return "a name has no apostrophe"
    return None


def column_with_special_characters(stray: Stray) -> str | None:
    """Take `CRP (mg/l)` for the name of a column."""
    begins = stray.text.rfind("\n", 0, stray.at) + 1
    column = column_in_quotes(stray.text[begins : stray.end], stray.at - begins)
    if column is None or stray.character in _WRITTEN_ELSEWHERE:
        return None
    return f"a column name with special characters is written in quotes: `{column}`"


def sign_of_another_language(stray: Stray) -> str | None:
    """Return what stands for a sign here."""
    return _ELSEWHERE.get(stray.character)


GUESSES = (
    CharacterGuess(
        pipe_of_another_language,
        "model m = StandardScaler -> SVC",
        "model m = StandardScaler | SVC",
    ),
    CharacterGuess(semicolon, "measure accuracy; f1", "measure accuracy, f1"),
    CharacterGuess(remark, "measure accuracy // the first", "measure accuracy  # the first"),
    CharacterGuess(line_that_goes_on, "model m = A \\\n  | B", "model m = A\n  | B"),
    CharacterGuess(tilde, "model m = SVC(C ~ 1)", "model m = SVC(C in 1e-4..1e4 loguniform)"),
    CharacterGuess(arithmetic, "study\n  seed 2 + 3", "study\n  seed 5"),
    CharacterGuess(dash, "model m <- SVC", "model m = SVC"),
    CharacterGuess(
        pattern_without_quotes,
        'predictions p from "p.csv"\n  scores a = p_*',
        'predictions p from "p.csv"\n  scores a = "p_*"',
    ),
    CharacterGuess(
        apostrophe,
        "data d from sklearn iris\n  target patient's",
        'data d from sklearn iris\n  target "patient\'s"',
    ),
    CharacterGuess(
        column_with_special_characters,
        'data d from "d.csv"\n  target CRP mg/l',
        'data d from "d.csv"\n  target "CRP mg/l"',
    ),
    CharacterGuess(sign_of_another_language, "measure accuracy & f1", "measure accuracy, f1"),
)
"""The guesses at a character, the most special first."""
