"""Characters that mean nothing: what each was probably meant for."""

import re

from evallang.syntax.language import STATEMENTS, clause
from evallang.syntax.literals import quoted

_ELSEWHERE = {
    "/": "a path stands in quotes, a comment begins with `#`",
    "\\": "a path stands in quotes",
    "'": 'text stands in double quotes: `"text"`',
    "%": "a percentage is written in one piece: `95%`",
    "&": "write a comma, or one `where` line for each condition",
    "*": "a list that is left out stands for all",
    "?": 'a sign or a sentence stands in quotes, as in `"?"`',
    "+": "steps are joined by `|`, items by commas",
}
_ITEM_BEGINS = re.compile(r"\s*(?:(?:all\s+except|by|as|in)\s+)?")
_ITEM_ENDS = re.compile(r"\s*(?:,|[<>=!]|\b(?:in|is|as)\b|$)")
_COMPARED = re.compile(r"[<>=!]|\b(?:in|is|as)\b")
_QUOTES = frozenset("\"'")
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
    if len(words) < 2 or not _takes_columns(words[0]):
        return None
    start = line.index(words[0]) + len(words[0])
    start = max(start, line.rfind(",", start, at) + 1)
    begins = _ITEM_BEGINS.match(line, start)
    start = start if begins is None else begins.end()
    ends = next((m.start() for m in _ITEM_ENDS.finditer(line, at) if m.start() > at), len(line))
    item = line[start:ends].strip()
    whole = _COMPARED.search(line, start, at) is None and not (
        words[0] == "where" and line[at] == "&"
    )
    return quoted(item) if item and whole and not _QUOTES & set(item) else None


def _takes_columns(word: str) -> bool:
    """Return whether columns follow a first word: `target COLUMN`, `group by COLUMN`."""
    known, below = STATEMENTS.get(word), clause(word)
    if known is not None and " by COLUMN" in known.form:
        return True
    return below is not None and below.form.startswith(f"{word} COLUMN")


def meant_for(
    text: str, at: int, end: int, before: str | None, *, inside: bool
) -> tuple[str | None, bool]:
    """Say what to write instead of the character at a place, and whether nothing is meant by it.

    `before` is the kind of the token before it on its line, which ends at `end`; `inside`
    tells whether a bracket is open.
    """
    character = text[at]
    if _PIPED.match(text, at, end):
        return "steps are joined by `|`", False
    if character == ";":
        if inside:
            return "items are parted by commas", False
        rest = text[at + 1 : end].split("#")[0].strip("; \t\r")
        if rest:
            way_out = "a statement ends with its line, and items are parted by commas"
            return way_out, False
        return "a statement ends with its line", True
    if _REMARK.match(text, at, end):
        return "a comment begins with `#`", False
    if character == "\\" and not text[at + 1 : end].strip():
        return "a line goes on inside brackets, or before a `|` that begins the next", False
    if character == "~":
        way_out = "`in` searches a parameter: `C in 1e-4..1e4 loguniform`"
        return way_out if inside else "`target` names one column, `features` the others", False
    if character in _ARITHMETIC and before == "NUMBER":
        return "nothing is computed in a study: write the number", False
    if character in _DASHES:
        if before is None:
            return "items stand on one line, parted by commas", False
        if before == "NUMBER":
            return "a range is written with `..`", False
        if text[at - 1] == "<":
            return "a value is given with `=`", False
        return None, False
    if character == "*" and text[at - 1 : at].strip():
        return 'a pattern stands in quotes, as in `"p_*"`', False
    if character == "'" and text[at - 1 : at].isalnum() and before == "NAME":
        return "a name has no apostrophe", False
    begins = text.rfind("\n", 0, at) + 1
    column = column_in_quotes(text[begins:end], at - begins)
    if column is not None and character not in _WRITTEN_ELSEWHERE:
        return f"a column name with special characters is put in quotes: `{column}`", False
    return _ELSEWHERE.get(character), False
