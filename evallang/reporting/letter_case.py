"""Titles of methods as they are in a sentence: capitals, signs of print, options."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from importlib.resources import files

import msgspec
from msgspec import Struct

from evallang.reporting.numbers import NBSP


class TitleWords(Struct, frozen=True):
    """The words of `titles.toml`, which says what each of its tables has."""

    adjectives: str
    common: str
    groups: str
    options: Mapping[str, str]
    letters: Mapping[str, str]
    forms: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]


WORDS = msgspec.toml.decode(
    (files("evallang.reporting") / "titles.toml").read_bytes(), type=TitleWords
)
COMMON, ADJECTIVES, GROUPS = (
    frozenset(words.split()) for words in (WORDS.common, WORDS.adjectives, WORDS.groups)
)


def mid_sentence(title: str) -> str:
    """Return a title as it is inside a sentence; names of persons keep their capital."""
    first, space, rest = title.partition(" ")
    common = re.sub(r"-\d+$", "-k", first.lower()) in COMMON  # top-3
    return first[:1].lower() + first[1:] + space + rest if common else title


def axis_words(title: str) -> str:
    """Return the title of an axis as it is inside a sentence; abbreviations keep their capitals."""
    first = title.partition(" ")[0]
    written_so = any(letter.isupper() or letter.isdigit() for letter in first[1:])  # F1
    return title if written_so or len(first) == 1 else title[:1].lower() + title[1:]


def capitalised(text: str, names: Iterable[str] = ()) -> str:
    """Capitalise the beginning of a sentence or a title, unless it is written small.

    That is own code (`mypkg.metrics.f`), a name with capitals inside (`mAP`), the letter of a
    statistic, and any of `names`: what the authors of a study call its models and data.
    """
    first = text.partition(" ")[0].rstrip(".,:;")
    cased = first[:1].islower() and any(letter.isupper() for letter in first[1:])
    letter = len(first) == 1 and first != "a"
    small = (
        cased
        or letter
        or "." in first
        or any(text.startswith(name) and not re.match(r"\w", text[len(name) :]) for name in names)
    )
    return text if small else text[:1].upper() + text[1:]


def with_noun(words: str, names: Collection[str], noun: str, *, begins: bool) -> str:
    """Return words with a noun before small names that begin a sentence: "Model base had".

    There is none before a letter, as of "k nearest neighbours", nor before a name that a sign
    follows, as in a legend.
    """
    small = [name for name in names if not name[:1].isupper() and name[1:2] != " "]
    if not small:
        return words
    first, further = (
        "|".join(map(re.escape, sorted(some, key=len, reverse=True))) for some in (small, names)
    )
    start = rf"(?<=[.?!] ){'|^ ?' if begins else ''}"
    found = rf"({start})({first})(?=(, (?:{further})\b| and )| [a-z(])"
    return re.sub(found, lambda m: f"{m[1]}{noun}{'s' if m[3] else ''} {m[2]}", words)


def written_options(written: str) -> str:
    """Return the options of a canonical name for readers: "(average=macro)" is "macro"."""
    parts = [part.strip() for part in re.findall(r'(?:"(?:[^"\\]|\\.)*+"?|[^(),"])++', written)]
    named = [part.partition("=") for part in parts if part]
    named = [
        (k, sign, json.loads(v) if v[1:] and v[0] == v[-1] == '"' else v) for k, sign, v in named
    ]
    words = [
        WORDS.options.get(value or key, value or key)
        if key in ("average", "method") or not value
        else WORDS.values[key][value]
        if value in WORDS.values.get(key, {})
        else WORDS.forms[key].format(value)
        if key in WORDS.forms and "anchor" not in dict(pair[::2] for pair in named)
        else f"{WORDS.letters.get(key) or key.replace('_', ' ')}{NBSP}={NBSP}{value}"
        for key, _, value in named
    ]
    return ", ".join(word for word in words if word)


def titled(title: str, options: str, *, in_brackets: bool = True) -> str:
    """Combine a title with its options: "Percentile bootstrap interval", "F1 (macro)".

    A title that sentences have inside brackets itself is followed by a comma instead.
    """
    word = options.strip("()")
    if word in ADJECTIVES:
        return capitalised(f"{written_options(options)} {mid_sentence(title)}")
    words = written_options(options)
    if not in_brackets or options.startswith(","):
        return title + (f", {words}" if words else "")
    return title + (f" ({words})" if words else "")


def abbreviated(short: str, options: str) -> str:
    """Combine an abbreviation with the options of a name: "nDCG@10", "AUC (macro)"."""
    ranks = re.search(r"\bat=(\d+)(, )?", options)
    if ranks is None or "anchor=" in options:
        return titled(short, options)
    return titled(f"{short}@{ranks[1]}", options.replace(ranks[0], ""))


def printed(title: str) -> str:
    """Format a title with the signs of print: "Cohen’s", "5×2 cv"."""
    return title.replace("'", "’").replace("5x2cv", "5×2 cv")
