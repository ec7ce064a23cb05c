"""The spelling of names, and the closest candidate to a misspelled name."""

import json
import re
import tomllib
from collections.abc import Container, Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from msgspec import Struct

RESERVED = frozenset(
    {"across", "against", "all", "best", "by", "false", "none", "on", "target", "true", "with"}
)
"""Words that cannot be names."""

LONGEST = 64  # characters; a longer word is not a typing error
LEAST_SURE = 4  # characters; a shorter word may well be meant as written
MOST_LISTED = 60  # words of a help text; the largest class of scikit-learn has 39
LONGEST_ABBREVIATION = 5  # letters: `medae` is one, `recall` is a word
MANY = 400  # names; comparing a word with more names has a cost that is counted
MOST_COMPARED = 100_000  # names in all, a third of a second; then only case is looked at


class Words(tuple[str, ...]):
    """Names that many words may be compared with; very many are compared a few times only."""

    @cached_property
    def known(self) -> frozenset[str]:
        """The names as a set."""
        return frozenset(self)

    def __contains__(self, word: object) -> bool:
        return word in self.known

    def alike(self, word: str) -> list[str]:
        """Return the names that differ from a word only in case."""
        return self._by_case.get(word.casefold(), [])

    def may_be_gone_through(self) -> bool:
        """Return whether all names may be compared with one more word; count the comparison."""
        if len(self) <= MANY:
            return True
        self._compared[0] += len(self)
        return self._compared[0] <= MOST_COMPARED

    @cached_property
    def _compared(self) -> list[int]:
        return [0]

    @cached_property
    def _by_case(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self:
            found.setdefault(name.casefold(), []).append(name)
        return found


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that an author most likely meant, or None.

    Case and the choice between `-` and `_` do not count, and a swap of neighbours counts as
    one edit. A third of the word may be wrong (one letter in words of two to five letters). Of tied
    candidates the one with the longer common beginning is returned, then the first. Once `Words`
    have been compared too often, only those that differ in case are returned.
    """
    if not 2 <= len(word) <= LONGEST:
        return None
    if isinstance(candidates, Words) and not candidates.may_be_gone_through():
        candidates = candidates.alike(word)
    return _nearest(_plain(word), candidates, max(1, len(word) // 3))


def slip_of_term(word: str, term: str) -> bool:
    """Return whether a word is a misspelled term, and not another term of the field.

    Abbreviations lie close together (`smape` and `mape`, `icc` and `mcc`), so in a part of at most
    `LONGEST_ABBREVIATION` letters a slip only swaps two neighbours, doubles a letter or drops
    one of a pair; if all other parts agree, one letter may be wrong (`error_rat`). In
    longer parts one letter in four may be wrong. A word with one more part is another term
    (`precision_k`), and so is one with other digits (`f3`).
    """
    plain, meant = _plain(word), _plain(term)
    if plain.replace("_", "") == meant.replace("_", ""):
        return True
    if [c for c in plain if c.isdigit()] != [c for c in meant if c.isdigit()]:
        return False
    parts, theirs = plain.split("_"), meant.split("_")
    if len(parts) > len(theirs):
        return False
    if len(parts) < len(theirs):
        parts, theirs = [plain.replace("_", "")], [meant.replace("_", "")]
    wrong = [(a, b) for a, b in zip(parts, theirs, strict=True) if a != b]
    one_letter = len(wrong) == 1 < len(parts) and distance(*wrong[0]) == 1
    return one_letter or all(_slip_of_part(a, b) for a, b in wrong)


def _slip_of_part(part: str, meant: str) -> bool:
    if len(meant) > LONGEST_ABBREVIATION:
        return distance(part, meant) <= max(1, len(meant) // 4)
    swapped = sorted(part) == sorted(meant) and distance(part, meant) == 1
    return swapped or _single_letters(part) == _single_letters(meant)


def _single_letters(word: str) -> str:
    return "".join(c for i, c in enumerate(word) if i == 0 or c != word[i - 1])


LOOKS_LIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧαονρ",
    "ABESIJKMHOPCTYXaeijopcyxsABEZHIKMNOPTYXaovp",
)
"""Letters of Cyrillic and Greek that look like Latin letters (UTS 39)."""


def twin(word: str, candidates: Container[str]) -> str | None:
    """Return the candidate that looks the same as a word with non-Latin letters, or None."""
    latin = word.translate(LOOKS_LIKE)
    return latin if latin != word and latin in candidates else None


def foreign_letter(word: str) -> str:
    """Return the code point of the first letter that looks Latin: U+0430 (cyrillic ...)."""
    import unicodedata

    odd = next(letter for letter in word if letter.translate(LOOKS_LIKE) != letter)
    return f"U+{ord(odd):04X} ({unicodedata.name(odd, '').lower()})"


def is_sure(word: str, near: str, candidates: Iterable[str]) -> bool:
    """Return whether a word can only be a misspelling of the candidate closest to it.

    It may be another word if it is short, if its digits differ (`f3` and `f1`), or if another
    candidate is as close (`rmae` may be `rmse` or `mae`).
    """
    if word.casefold() == near.casefold():
        return True
    plain, meant = _plain(word), _plain(near)
    digits = [[c for c in name if c.isdigit()] for name in (plain, meant)]
    if min(len(plain), len(meant)) < LEAST_SURE or digits[0] != digits[1]:
        return False
    if isinstance(candidates, Words) and not candidates.may_be_gone_through():
        return False
    others = (other for other in candidates if _plain(other) != meant)
    return _nearest(plain, others, distance(plain, meant)) is None


def _nearest(plain: str, candidates: Iterable[str], most: int) -> str | None:
    """Return the candidate with the fewest edits, at most `most`, or None."""
    places = _places(plain)
    best: str | None = None
    best_rank = (most + 1, 0)
    for candidate in candidates:
        limit = min(best_rank[0], most)
        if abs(len(candidate) - len(plain)) > limit and candidate.isascii():
            continue
        other = _plain(candidate)
        edits = _edits(places, len(plain), other, limit)
        if edits > limit or len(other) <= edits:  # no character of the candidate would remain
            continue
        rank = (edits, -_shared_start(plain, other))
        if rank < best_rank:
            best, best_rank = candidate, rank
    return best


def distance(first: str, second: str) -> int:
    """Count edits between two words: insert, delete, replace, swap two neighbours.

    This is the restricted form (optimal string alignment), in which no substring is edited twice
    (Damerau 1964; Boytsov 2011).
    """
    return _edits(_places(first), len(first), second, len(first) + len(second))


def _edits(places: dict[str, int], length: int, text: str, most: int) -> int:
    """Count edits to a word whose `places` give the positions of each character.

    The bits of `up` and `down` mark the rows in which a column of the table of distances rises
    and falls by one (Hyyrö 2003). Counting stops above `most` edits.
    """
    if not length:
        return len(text)
    last = 1 << (length - 1)
    up, down, level, before = (1 << length) - 1, 0, 0, 0
    edits, remaining = length, len(text)
    for character in text:
        here = places.get(character, 0)
        swapped = ((~level & here) << 1) & before
        level = swapped | (((here & up) + up) ^ up) | here | down
        right, left = down | ~(level | up), level & up
        if right & last:
            edits += 1
        elif left & last:
            edits -= 1
        remaining -= 1
        if edits - remaining > most:
            return most + 1
        right = right << 1 | 1
        up, down, before = left << 1 | ~(level | right), right & level, here
    return edits


def _places(word: str) -> dict[str, int]:
    """Return the positions of each character as bits."""
    found: dict[str, int] = {}
    for i, character in enumerate(word):
        found[character] = found.get(character, 0) | 1 << i
    return found


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")


def _shared_start(first: str, second: str) -> int:
    shared = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        shared += 1
    return shared


def listed(words: Iterable[str], last: str = "or") -> str:
    """Join words for a sentence: `a`, `b` or `c`."""
    known = tuple(words)
    quoted = [f"`{word}`" for word in known[:MOST_LISTED]]
    if len(known) > MOST_LISTED:
        return f"{', '.join(quoted)} and {len(known) - MOST_LISTED:,} more"
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def written_name(name: str) -> str:
    """Return the name of a column, or a text, in the form of a study: bare, or in quotes."""
    bare = re.fullmatch(r"[^\W\d]\w*(-\w+|\.[^\W\d]\w*)*", name) is not None
    if bare and name not in RESERVED and re.sub("[-.]", "_", name).isidentifier():
        return name
    return json.dumps(name, ensure_ascii=False)


class Synonyms(Struct, frozen=True):
    """What others call what a study writes, in small letters with `_`.

    `names` and `words` give, for each kind, what a study writes for a word of theirs; `numbers`
    the metric of numbers in files; `shares` and `others` list numbers that no metric here computes,
    by their better direction; `advice` tells what to write for a clause of a statement.
    """

    names: Mapping[str, Mapping[str, str]]
    words: Mapping[str, Mapping[str, str]]
    numbers: Mapping[str, str]
    shares: Mapping[Literal["higher", "lower"], tuple[str, ...]]
    others: Mapping[Literal["higher", "lower"], tuple[str, ...]]
    advice: Mapping[tuple[str, str], str]


@cache
def synonyms() -> Synonyms:
    """Return the table of `synonyms.toml`."""
    text = (files("evallang") / "synonyms.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    numbers = table["numbers"]
    return Synonyms(
        {kind: _by_other(listed) for kind, listed in table["names"].items()},
        {kind: _by_other(listed) for kind, listed in table["words"].items()},
        _by_other(numbers["named"]),
        numbers["shares"],
        numbers["others"],
        {(row["statement"], c): row["advice"] for row in table["advice"] for c in row["clauses"]},
    )


def _by_other(listed: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {other: own for own, others in listed.items() for other in others}
