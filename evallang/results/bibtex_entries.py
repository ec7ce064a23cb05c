"""A bibliography in BibTeX as records: the entries that a study cites."""

import re
from collections.abc import Iterator
from unicodedata import normalize

from msgspec import Struct

from evallang.results.provenance import ReferenceRecord

OWN = "bib:"
"""The beginning of the keys of works from the authors' bibliography."""
MOST_BYTES = 5_000_000
MOST_CHARACTERS = 200_000
"""The limit of one value, because each line of `@string` could double it."""
SKIPPED = ("comment", "preamble")
VENUES = ("journal", "booktitle", "publisher", "school", "institution", "howpublished")
START = re.compile(r"@\s*([A-Za-z]+)\s*([{(])")
FIELD = re.compile(r"\s*(?:,\s*)?([A-Za-z][\w.+-]*)\s*=\s*")
YEAR = re.compile(r"\d{4}")
CITATION = re.compile(r"\[(?:@[^\s\[\];,@]+)(?:[;,]\s*@[^\s\[\];,@]+)*\]")
"""Citations in the authors' words: `[@key]`, `[@key; @other]`."""
ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip
ACCENT = re.compile(
    r"""\{?\\(?:([`'^~"=.])\s*|([uvHckr])(?=\s|\{)\s*)(?:\{\s*(\\?[A-Za-z])\s*\}|(\\?[A-Za-z]))\}?"""
)
LETTERS = {
    r"\o": "ø", r"\O": "Ø", r"\l": "ł", r"\L": "Ł", r"\ss": "ß", r"\ae": "æ", r"\AE": "Æ",
    r"\oe": "œ", r"\OE": "Œ", r"\aa": "å", r"\AA": "Å", r"\i": "i", r"\j": "j", r"\&": "&",
    r"\%": "%", r"\_": "_", r"\#": "#", r"\$": "$", "~": "\u00a0", "---": "—", "--": "–",
}  # fmt: skip


class EntryTwice(ValueError):
    """A bibliography with two entries of one key."""


class BibtexEntry(Struct, frozen=True):
    """One entry: its kind, key and fields, in the order of the file."""

    kind: str
    key: str
    fields: tuple[tuple[str, str], ...]

    def field(self, *names: str) -> str:
        """Return the first field of these names as plain words; empty without one."""
        found = {name.lower(): value for name, value in self.fields}
        return next((plain(found[name]) for name in names if name in found), "")

    def record(self) -> ReferenceRecord:
        """Return the entry as a reference of the results."""
        year = YEAR.search(self.field("year", "date"))
        volume, number = self.field("volume"), self.field("number", "issue")
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields]
        return ReferenceRecord(
            f"{OWN}{self.key}",
            tuple(_authors(self)),
            int(year[0]) if year else 0,
            self.field("title") or self.key,
            self.field(*VENUES),
            f"{volume}({number})" if volume and number else volume,
            self.field("pages").replace("–", "-"),
            re.sub(r"^https?://(dx\.)?doi\.org/", "", self.field("doi")),
            self.kind,
            "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"]),
        )


def cited_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites as `[@key]`."""
    found = (re.findall(r"@([^\s\[\];,@]+)", one) for one in CITATION.findall(text))
    return tuple(dict.fromkeys(key for keys in found for key in keys))


def read_entries(text: str) -> dict[str, BibtexEntry]:
    """Read the entries of a bibliography by their keys; raises `ValueError` with the line."""
    words: dict[str, str] = {}
    found: dict[str, BibtexEntry] = {}
    at = 0
    while start := START.search(text, at):
        kind, close = start[1].lower(), "}" if start[2] == "{" else ")"
        if kind in SKIPPED:
            at = _closing(text, start.end(), close)
            continue
        at = start.end()
        key = ""
        if kind != "string":
            end = re.compile(r"\s*([^\s,{}()]+)\s*(?=[,})])").match(text, at)
            if end is None:
                raise ValueError(f"has an entry without a key in line {_line(text, at)}")
            key, at = end[1], end.end()
        fields, at = _fields(text, at, close, words)
        if kind == "string":
            words |= {name.lower(): value for name, value in fields}
            continue
        if key in found:
            raise EntryTwice(f"has two entries `{key}`, the second in line {_line(text, at)}")
        found[key] = BibtexEntry(kind, key, tuple(fields))
    return found


def _fields(
    text: str, at: int, close: str, words: dict[str, str]
) -> tuple[list[tuple[str, str]], int]:
    fields: list[tuple[str, str]] = []
    while field := FIELD.match(text, at):
        value, at = _value(text, field.end(), words)
        fields.append((field[1], value))
    end = re.compile(r"[\s,]*").match(text, at)
    at = end.end() if end else at
    if text[at : at + 1] != close:
        raise ValueError(f"is not BibTeX in line {_line(text, at)}")
    return fields, at + 1


def _value(text: str, at: int, words: dict[str, str]) -> tuple[str, int]:
    """Read a value: parts in braces, in quotes, numbers and words, joined by #."""
    made = ""
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] == "{":
            end = _closing(text, at + 1, "}")
            part = text[at + 1 : end - 1]
        elif text[at : at + 1] == '"':
            end = _quoted(text, at + 1)
            part = text[at + 1 : end - 1]
        else:
            word = re.compile(r"[^\s,#{}()\"]+").match(text, at)
            if word is None:
                raise ValueError(f"is not BibTeX in line {_line(text, at)}")
            part, end = words.get(word[0].lower(), word[0]), word.end()
        made += re.sub(r"\s+", " ", part)
        if len(made) > MOST_CHARACTERS:
            raise ValueError(
                f"has a value of more than {MOST_CHARACTERS:,} characters in line {_line(text, at)}"
            )
        more = re.compile(r"\s*#").match(text, end)
        if more is None:
            return made.strip(), end
        at = more.end()


def _closing(text: str, at: int, close: str) -> int:
    """Return the place after the sign that closes what is open."""
    depth, start = 0, at
    while at < len(text):
        c = text[at]
        if c == "\\":
            at += 1
        elif c == close and depth == 0:
            return at + 1
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
        at += 1
    raise ValueError(f"does not close what is open in line {_line(text, start)}")


def _quoted(text: str, at: int) -> int:
    depth, start = 0, at
    while at < len(text):
        c = text[at]
        if c == "\\":
            at += 1
        elif c == '"' and depth == 0:
            return at + 1
        depth += (c == "{") - (c == "}")
        at += 1
    raise ValueError(f"does not close the quotes of line {_line(text, start)}")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def plain(value: str) -> str:
    """Return a value as words: accents as letters, without braces and commands."""
    text = ACCENT.sub(_accented, value)
    for command, letter in sorted(LETTERS.items(), key=lambda item: -len(item[0])):
        if command[0] == "\\" and command[1].isalpha():
            text = re.sub(rf"{re.escape(command)}(?![A-Za-z])\s*", letter, text)
        else:
            text = text.replace(command, letter)
    text = re.sub(r"\\[A-Za-z]+\s*", "", text)
    return re.sub(" +", " ", normalize("NFC", re.sub(r"[{}$\\]", "", text))).strip()


def _accented(found: re.Match[str]) -> str:
    letter = (found[3] or found[4]).removeprefix("\\")
    return normalize("NFC", letter + ACCENTS[found[1] or found[2]])


def _authors(entry: BibtexEntry) -> Iterator[str]:
    """Iterate over the authors as the report lists them: family name, then initials."""
    raw = {name.lower(): value for name, value in entry.fields}
    names = re.split(r"(?<!\s)\s+and\s+", raw.get("author") or raw.get("editor") or "")
    for name in filter(None, names):
        if name.startswith("{") and _closing(name, 1, "}") == len(name):
            yield plain(name)
            continue
        parts = [plain(part) for part in name.split(",")]
        family, given = parts[0], parts[-1] if len(parts) > 1 else ""
        if not given:
            *first, family = plain(name).split(" ")
            while first and first[-1][:1].islower():
                family = f"{first.pop()} {family}"
            given = " ".join(first)
        initials = "".join(w[0] for w in re.split(r"[\s.]+", given) if w and w[0].isalpha())
        yield f"{family} {initials.upper()}".strip()
