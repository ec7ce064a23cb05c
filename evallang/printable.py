"""Untrusted text made printable, so that it cannot move a cursor or begin a line.

Cells, labels, names of columns and files, options and messages of an author's own code pass
`printable` before a terminal, a log or a page shows them. Letters of every script remain;
control and format characters (which could reverse the reading order), line separators,
surrogates and unassigned code points become visible escapes.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any, TextIO
from unicodedata import bidirectional, category, east_asian_width

import msgspec

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]"
)
"""Letters and marks without a glyph that `str.isprintable` accepts. The selectors U+FE0E and
U+FE0F are not among them, because they choose between the text form and the picture of a sign."""

_MARKED_COMMAND = re.compile(r"##(?=\w*\[)")
"""The start of commands that runners find anywhere in a line: `##[error]`, `##vso[`, ...
"""

_COMMAND = re.compile(r"(\s*):(?=:[A-Za-z])")
"""The start of a line that is a workflow command of GitHub: `::error::`."""

_FORMULA = re.compile("([;\t])([=+@＝＋＠-])")

ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
ISOLATES = ISOLATE + POP_ISOLATE
"""The signs around a name that is read from the right, so that what follows keeps its order."""
_FROM_THE_RIGHT = frozenset({"R", "AL", "AN"})

_ADDRESS = re.compile(r"[^\s\"'`]+")
_HOST = re.compile(r"[^/?#]*")
_PORT = re.compile(r"[0-9]+[/?#]")
_SECRET = re.compile(r"key|token|secret|passw|sig|credential", re.IGNORECASE)
"""What the names of the parts of an address hold that nobody else may see."""

_SURROGATES = re.compile(r"[\ud800-\udfff]")

_WORDS = re.compile(r"( *)([^ ]+)")


def terminal_width(text: str) -> int:
    """Return the columns that a terminal gives to a text: two to a wide sign, none to a mark."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(c) in "WF") for c in text
    )


def cut(text: str, width: int) -> str:
    """Return the beginning of a text that fits into columns of a terminal."""
    text = text[: max(width, 0)]
    while terminal_width(text) > width > 0:
        text = text[:-1]
    return text


def wrapped(
    text: str, width: int, first: str = "", later: str = "", *, broken: bool = False
) -> list[str]:
    """Break a text at spaces into lines of at most `width` columns of a terminal.

    The lines begin with `first` and `later`. A longer word stays in one piece, so that a path can
    be copied, unless it is to be broken between characters.
    """
    if not broken and terminal_width(first) + terminal_width(text) <= width:
        return [first + text]
    room = width - max(terminal_width(first), terminal_width(later))
    lines, line, empty = [], first, True
    for gap, word in _WORDS.findall(text):
        spaces = gap
        for piece in _pieces(word, room) if broken else (word,):
            if not empty and terminal_width(line + spaces + piece) > width:
                lines.append(line)
                line, empty = later, True
            line += piece if empty and lines else spaces + piece
            empty, spaces = False, ""
    return _closed([*lines, line])


def _pieces(word: str, width: int) -> Iterator[str]:
    """Break a word that is wider than a line; marks stay with their letter."""
    piece, used = "", 0
    for character in word:
        wide = terminal_width(character)
        if used + wide > width:
            yield piece
            piece, used = "", 0
        piece += character
        used += wide
    if piece:
        yield piece


def _closed(lines: list[str]) -> list[str]:
    """Complete the signs around names that were broken, so that each line keeps its own order."""
    open_ = 0
    for i, line in enumerate(lines):
        before = open_
        open_ += line.count(ISOLATE) - line.count(POP_ISOLATE)
        if before or open_:
            words = line.lstrip(" ")
            margin = line[: len(line) - len(words)]
            lines[i] = f"{margin}{ISOLATE * before}{words}{POP_ISOLATE * open_}"
    return lines


def printable(text: str, *, keep: str = "") -> str:
    """Return the text as one line of visible characters; those in `keep` are not changed.

    A tab becomes a space, a byte that was not UTF-8 its value (`\\x80`), and any other character
    without a glyph its escape in Python (`\\x1b`, `\\u202e`). Users, passwords and keys in
    addresses become stars.
    """
    text = without_credentials(text)
    if "##" in text:
        text = _MARKED_COMMAND.sub(r"#\\x23", text)
    if text.isprintable() and (text.isascii() or not _INVISIBLE.search(text)):
        return text
    return "".join(c if _is_visible(c) or c in keep else _escape(c) for c in text)


def without_credentials(text: str) -> str:
    """Replace users, passwords and keys in addresses by stars, one for each letter."""
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda found: _starred(found[0]), text)


def _starred(word: str) -> str:
    """Return an address with stars; no character is looked at more than a few times."""
    made, done, last, start = [], 0, word.rfind("@"), word.find("://")
    while start >= 0:
        start += len("://")
        host = _HOST.match(word, start)
        user, colon, _ = ("" if host is None else host[0]).partition(":")
        password = start + len(user) + 1
        end = -1 if host is None else word.rfind("@", start + 1, host.end())
        if end < 0 and user and colon and not _PORT.match(word, password):
            end = last if last >= password else -1  # keys of S3 may hold a slash
        if end >= 0:
            made += [word[done:start], "*" * (end - start)]
            done = start = end
        start = word.find("://", start)
    host_hidden = "".join([*made, word[done:]])
    path, *query = re.split("([?&;].*)", word, maxsplit=1)
    value_hidden = path + "".join(map(_without_secret, re.split("([&;])", "".join(query))))
    if host_hidden == word:
        return value_hidden
    both = zip(host_hidden, value_hidden, strict=True)
    return "".join("*" if "*" in signs else signs[0] for signs in both)


def _without_secret(part: str) -> str:
    """Return `name=value` with stars for the value, where the name tells that it is secret."""
    name = _SECRET.search(part)
    start = -1 if name is None else part.find("=", name.end()) + 1
    if start <= 0:
        return part
    fragment = part.find("#", start)
    end = len(part) if fragment < 0 else fragment
    return part[:start] + "*" * (end - start) + part[end:]


def isolated(text: str) -> str:
    """Return a name, between signs that isolate it from its line if it is read from the right."""
    if text.isascii() or text.startswith(ISOLATE):
        return text
    turns = any(bidirectional(c) in _FROM_THE_RIGHT for c in text)
    return f"{ISOLATE}{text}{POP_ISOLATE}" if turns else text


def without_isolates(text: str) -> str:
    """Return a text without the signs that `isolated` adds, for files that programs read."""
    return text.replace(ISOLATE, "").replace(POP_ISOLATE, "")


def inert(text: str) -> str:
    """Return a text for a cell of a CSV file, quoted where a spreadsheet would run it.

    Spreadsheets ignore spaces before a formula, and some divide rows at semicolons.
    """
    text = _FORMULA.sub(r"\1'\2", without_isolates(text))
    return f"'{text}" if text.lstrip().startswith(tuple("=+-@＝＋－＠")) else text


def printable_line(text: str, *, keep: str = "") -> str:
    """Return a line for a terminal or a log that does not begin a workflow command."""
    shown = printable(text, keep=keep)
    found = _COMMAND.match(shown)
    return f"{found[1]}\\x3a{shown[found.end() :]}" if found else shown


ERASED = "\r\x1b[K"
"""What erases the line of a terminal that shows progress, so that another begins in its place."""


def can_redraw(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that is not `TERM=dumb`, so that lines can change."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write_lines(stream: TextIO, *lines: str, first: str = "") -> None:
    """Write lines to a stream, `first` as it is; a line break within one is made visible."""
    stream.write(first + "".join(f"{printable_line(line)}\n" for line in lines))


def printable_json(document: Any, *, indent: int) -> str:
    """Return the text of a JSON document in which every character is visible.

    A parser of the text gets the same document, except for surrogates, which UTF-8 cannot encode.
    """
    plain = writable(json.dumps(document, ensure_ascii=False, allow_nan=False))
    text = msgspec.json.format(plain, indent=indent)  # `json.dumps` indents without C
    if _visible_json(whole := text.replace("\n", "")) == whole:  # nearly always, and in one look
        return text
    return "\n".join(_visible_json(line) for line in text.split("\n"))


def writable(text: str) -> str:
    """Replace surrogates (bytes of a file that was not UTF-8), which UTF-8 cannot encode."""
    return _SURROGATES.sub("\ufffd", text)


def _visible_json(line: str) -> str:
    line = _MARKED_COMMAND.sub(r"#\\u0023", line)
    if line.isprintable() and (line.isascii() or not _INVISIBLE.search(line)):
        return line
    return "".join(c if _is_visible(c) else json.dumps(c)[1:-1] for c in line)


def _is_visible(character: str) -> bool:
    return character.isprintable() and not _INVISIBLE.match(character)


def _escape(character: str) -> str:
    if character == "\t":
        return " "
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"  # a byte that was not UTF-8
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
