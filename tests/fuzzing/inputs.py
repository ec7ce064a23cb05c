"""Inputs by number: the same number gives the same text on every machine.

Most are samples with a few edits, or lines derived from the grammar; some are bytes from
nowhere, brackets without end, or a line of a megabyte.
"""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES

from . import derivation

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ("tests/samples", "tests/checking/sound", "tests/messages", "examples")

ODD_CHARACTERS = (
    "\x00", "\ud800", "\udcff", "\ufeff", "\r", "\r\n", "\t", "\x0b", "\x0c", "\x1b[2J", "\x7f",
    "\x85", "\xa0", "\xad", "\u061c", "\u200b", "\u200d", "\u200f", "\u202e", "\u2028", "\u2066",
    "\u3000", "“", "‘", "≥", "×", "−", "…", "＝", "ß", "İ", "ı", "ǅ", "e\u0301", "שלום", "مرحبا",
    "मॉडल", "模型", "한글", "🧪", "👩‍🔬", "𝔽", "²", "½", "٣", "１", "\U0010ffff", "Ω", "K",
)  # fmt: skip
SIGNS = "()[]{}\"'|,:=<>.#%/\\-+_ \n\t0123456789abcXYZ"


@cache
def corpus() -> tuple[str, ...]:
    """Give the studies to edit: samples, examples, messages' studies, codes' examples."""
    found = [
        path.read_text(encoding="utf-8")
        for folder in STUDIES
        for path in sorted((ROOT / folder).rglob("*.eval"))
    ]
    load_codes()
    for code in sorted(CODES):
        found += [
            text + "\n" for text in (CODES[code].words.wrong, CODES[code].words.right) if text
        ]
    return tuple(found)


def text_of(number: int) -> tuple[str, str]:
    """Give the kind of an input, and its text."""
    chance = random.Random(f"evallang {number}")
    (kind,) = chance.choices(list(KINDS), weights=[often for often, _ in KINDS.values()])
    text = KINDS[kind][1](chance)
    if chance.random() < 0.1:
        text = text.replace("\n", "\r\n")
    if chance.random() < 0.05:
        text = "\ufeff" + text
    return kind, text


def edited(chance: random.Random) -> str:
    """Give a sample with a few edits of characters, words and lines."""
    text = chance.choice(corpus())
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        text = chance.choice(EDITS)(text, chance)
    return text


def revalued(chance: random.Random) -> str:
    """Give a sample with other values: its tree stays, its sense does not."""
    text = chance.choice(corpus())
    for _ in range(chance.choice([1, 1, 2, 4])):
        words = list(derivation_words(text))
        if not words:
            break
        start, end = chance.choice(words)
        new = chance.choice(
            (derivation.NUMBERS, derivation.RANGES, derivation.TEXTS, derivation.AUTHORS,
             derivation.catalogue_words())
        )  # fmt: skip
        text = text[:start] + chance.choice(new) + text[end:]
    return text


def derived(chance: random.Random) -> str:
    """Give statements derived from the grammar, some with clauses."""
    lines = ["evallang 1"] if chance.random() < 0.9 else []
    for _ in range(chance.randrange(1, 7)):
        lines.append(derivation.line("statement", chance))
        lines += [
            "  " + derivation.line("clause", chance)
            for _ in range(chance.choice([0, 0, 0, 1, 2, 4]))
        ]
    return "\n".join(lines) + "\n"


def grafted(chance: random.Random) -> str:
    """Give a sample with lines derived from the grammar among its own."""
    lines = chance.choice(corpus()).split("\n")
    for _ in range(chance.randrange(1, 5)):
        start = chance.choice(["statement", "clause"])
        indent = "  " if start == "clause" else ""
        lines.insert(chance.randrange(len(lines) + 1), indent + derivation.line(start, chance))
    return "\n".join(lines)


def spliced(chance: random.Random) -> str:
    """Give the lines of two samples, shuffled into one another."""
    lines = chance.choice(corpus()).split("\n") + chance.choice(corpus()).split("\n")
    keep = [line for line in lines if chance.random() < 0.8]
    if chance.random() < 0.3:
        chance.shuffle(keep)
    return "\n".join(keep)


def soup(chance: random.Random) -> str:
    """Give words of the language and of the catalogues without any order."""
    words = derivation.catalogue_words()
    pool = (*words, *derivation.NUMBERS, *derivation.TEXTS, *SIGNS, *derivation.RANGES)
    lines = []
    for _ in range(chance.randrange(1, 12)):
        indent = chance.choice(["", "", "  ", "\t"])
        lines.append(indent + " ".join(chance.choices(pool, k=chance.randrange(1, 14))))
    return "\n".join(lines)


def bytes_from_nowhere(chance: random.Random) -> str:
    """Give random bytes, as the command line reads them."""
    raw = chance.randbytes(chance.choice([1, 10, 100, 1000, 4000]))
    return raw.decode("utf-8", "surrogateescape")


def characters_from_anywhere(chance: random.Random) -> str:
    """Give random characters of all of Unicode, surrogates too."""
    top = chance.choice([0x80, 0x300, 0x3000, 0x10FFFF])
    return "".join(chr(chance.randrange(top)) for _ in range(chance.randrange(400)))


def nested(chance: random.Random) -> str:
    """Give brackets, calls or steps nested deep, closed or not."""
    depth = chance.choice([10, 60, 64, 65, 70, 500, 20_000])
    opening, inner, closing = chance.choice(
        [("[", "1", "]"), ("(", "1", ")"), ("{a: ", "1", "}"), ("A(b=", "C", ")"),
         ("columns(a: ", "B", ")"), ("[(", "1, 2", ",)]"), ("A | ", "B", ""), ("not ", "a", "")]
    )  # fmt: skip
    closed = depth if chance.random() < 0.7 else chance.randrange(depth)
    before, after = chance.choice(
        [("let x = ", ""), ("model x = ", ""), ("measure ", ""), ("model m = SVC(C in ", ")"),
         ("data d from ", ""), ("compare ", " with mcnemar"), ("study\n  seed ", "")]
    )  # fmt: skip
    return f"evallang 1\n{before}{opening * depth}{inner}{closing * closed}{after}\n"


def long(chance: random.Random) -> str:
    """Give a line of a megabyte, or a file of many lines."""
    size = chance.choice([10_000, 100_000, 1_000_000])
    piece = chance.choice(
        ["a", "9", "[", '"', "(", " ", "\t", "#", "ß", "模", "\x00", ".", "-", "a, ", "1, ", "a b ",
         "a=1 ", "\\", "|", "A | ", "\n", "measure f1\n", "  seed 1\n", "x-", "a.b", "1..2 ", "e",
         "compare a vs b, ", "\u202e", "'", "{a: 1}, ", "\n\n#\n", "1_0", "1e", "%", "«", "—"]
    )  # fmt: skip
    before = chance.choice(
        ["", "evallang 1\nlet x = ", "evallang 1\nlet x = [", "model m = SVC(C in [",
         "data d from sklearn iris\n  features ", 'study "', "measure ", "report ", "# ",
         "compare ", "counts c\n  models ", "counts c\n  table [[",
         "data d from sklearn iris\n  where a in ["]
    )  # fmt: skip
    return before + piece * (size // len(piece)) + chance.choice(["", "\n", "]\n", '"\n', ")]\n"])


def derivation_words(text: str) -> list[tuple[int, int]]:
    """Give where the words of a text stand, comments left out."""
    return [m.span() for m in re.finditer(r"(?m)#.*|\"[^\"\n]*\"|[\w.%-]+", text) if m[0][0] != "#"]


def _delete(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.choice([1, 1, 1, 5, 40]) :]


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    new = chance.choice(ODD_CHARACTERS) if chance.random() < 0.5 else chance.choice(SIGNS)
    return text[:at] + new * chance.choice([1, 1, 1, 3]) + text[at:]


def _swap_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def _repeat_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    line = chance.choice(lines)
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _indent(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    lines[at] = lines[at].lstrip() if lines[at][:1].isspace() else chance.choice("\t ") + lines[at]
    return "\n".join(lines)


def _word(text: str, chance: random.Random) -> str:
    words = derivation_words(text)
    if not words:
        return text
    start, end = chance.choice(words)
    first, second = chance.choice(words)
    return text[:start] + text[first:second] + text[end:]


def _byte(text: str, chance: random.Random) -> str:
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    if raw:
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    return bytes(raw).decode("utf-8", "surrogateescape")


EDITS: tuple[Callable[[str, random.Random], str], ...] = (
    _delete, _insert, _insert, _swap_lines, _repeat_line, _indent, _word, _word, _byte,
)  # fmt: skip
KINDS: dict[str, tuple[float, Callable[[random.Random], str]]] = {
    "edited": (30, edited),
    "revalued": (25, revalued),
    "derived": (15, derived),
    "grafted": (10, grafted),
    "spliced": (8, spliced),
    "soup": (5, soup),
    "bytes": (3, bytes_from_nowhere),
    "characters": (2, characters_from_anywhere),
    "nested": (1.5, nested),
    "long": (0.5, long),
}
"""Kind -> how often, and what makes it."""
