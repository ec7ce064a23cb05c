"""What people write who come from elsewhere, and the advice to them: the rows of `slips.toml`."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from evallang.syntax.language import STATEMENTS, clause
from evallang.syntax.literals import quoted

_ITEM_BEGINS = re.compile(r"\s*(?:(?:all\s+except|by|as|in)\s+)?")
_ITEM_ENDS = re.compile(r"(?<!\s)\s*(?:,|[<>=!]|\b(?:in|is|as)\b|$)")
_COMPARED = re.compile(r"[<>=!]|\b(?:in|is|as)\b")
_WITHIN = " within "
MOST_AROUND = 200  # characters of a line on each side of what does not fit


class Habit(msgspec.Struct, frozen=True):
    """What is `found` in a line whose misfit is enclosed in ⟦ and ⟧, and what to write instead.

    `word` is the word that is in the way where the line ends too early.
    """

    found: str
    advice: str
    message: str = ""
    word: str = ""
    wrong: str = ""
    right: str = ""


class Slips(msgspec.Struct, frozen=True):
    """The rows about lines, about characters and about single signs, and words for words."""

    habit: Sequence[Habit]
    character: Sequence[Habit]
    sign: Sequence[Habit]
    words: Mapping[str, str]


@cache
def slips() -> Slips:
    """Return the rows of `slips.toml`."""
    text = (files("evallang.syntax") / "slips.toml").read_bytes()
    return msgspec.toml.decode(text, type=Slips)


def habit(line: str, start: int, end: int, rows: Sequence[Habit]) -> Habit | None:
    """Return the first row that is found about a place of a line, its advice on this line."""
    begin = max(0, start - MOST_AROUND)
    head = "".join(line.split(maxsplit=1)[:1])[:MOST_AROUND] if begin else ""
    misfit, rest = line[start:end][:MOST_AROUND], line[end : end + MOST_AROUND]
    marked = f"{head} {line[begin:start]}".lstrip() + f"⟦{misfit}⟧{rest}"
    for row in rows:
        if match := re.search(row.found, marked):
            groups = {name: text or "..." for name, text in match.groupdict().items()}
            return replace(row, advice=row.advice.format_map(groups)) if groups else row
    return None


def advice_on_character(line: str, at: int) -> str | None:
    """Return what a character that means nothing was probably meant for."""
    known = habit(line, at, at + 1, slips().character)
    if known is None and line[at] not in "*'\\-–—":  # patterns, text, paths and ranges
        column = advice_on_column(line, at)
        if column is not None:
            return column
    known = known or habit(line, at, at + 1, slips().sign)
    return None if known is None else known.advice


def advice_on_column(line: str, at: int) -> str | None:
    """Advise on the name of a column with special characters: `CRP (mg/l)`."""
    column = _column_in_quotes(line, at)
    if column is None:
        return None
    return f"a column name with special characters is written in quotes: `{column}`"


def _column_in_quotes(line: str, at: int) -> str | None:
    """Return the column that a place of a line is in, in quotes.

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
    compared = _COMPARED.search(line, start, at) is not None or (
        words[0] == "where" and line[at] == "&"
    )
    return None if not item or compared or set("\"'") & set(item) else quoted(item)


def _begin_of_columns(line: str, word: str, at: int) -> int | None:
    """Return where columns begin in a line: `target COLUMN`, `measure METRIC within COLUMN`."""
    known, below = STATEMENTS.get(word), clause(word)
    by_columns = known is not None and " by COLUMN" in known.form
    names_columns = below is not None and (
        below.takes in ("column", "columns") or below.form.startswith(f"{word} COLUMN")
    )
    if by_columns or names_columns:
        return line.index(word) + len(word)
    within = line.rfind(_WITHIN, 0, at)
    if known is not None and "columns" in known.names.get("within", ()) and within >= 0:
        return within + len(_WITHIN)
    return None
