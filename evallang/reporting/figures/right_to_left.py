"""Texts that are read from the right as a row of glyphs from left to right.

WeasyPrint sets the text of a drawing letter by letter from the left, and so do the PDFs of
figures. Arabic letters are replaced by the forms that they have between their neighbours
(Unicode's presentation forms), and each run is turned. Browsers set such texts themselves.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from evallang.printable import ISOLATE, ISOLATES, POP_ISOLATE

_ISOLATED = re.compile(f"{ISOLATE}([^{ISOLATE}{POP_ISOLATE}]*){POP_ISOLATE}")
_TEXT = re.compile(r">([^<>]+)<")
_RIGHT = frozenset({"R", "AL"})
_NUMBER = frozenset({"EN", "AN"})
_MARKS = frozenset({"Mn", "Me"})
_FORMS = range(0xFE70, 0xFEFD)
_LAM = "\u0644"


def visual(text: str) -> str:
    """Return a line in the order and the forms in which it is drawn from the left."""
    if text.isascii() or not any(unicodedata.bidirectional(c) in _RIGHT for c in text):
        return "".join(c for c in text if c not in ISOLATES)
    parts = _ISOLATED.split(text)
    return "".join(_line(part) if i % 2 else _outside(part) for i, part in enumerate(parts))


def visual_svg(svg: str) -> str:
    """Return a drawing whose texts are in visual order."""
    if svg.isascii():
        return svg
    return _TEXT.sub(lambda found: f">{visual(found[1])}<", svg)


def more_forms(characters: Iterable[str]) -> str:
    """Return the forms in which these letters may be drawn."""
    known = set(characters)
    of_letters = (forms for letter, forms in _forms().items() if letter[0] in known)
    return "".join(form for forms in of_letters for form in forms.values())


def base_letters(form: str) -> str:
    """Return the letters of which a glyph is a form."""
    return unicodedata.normalize("NFKC", form) if ord(form) in _FORMS else form


def _outside(part: str) -> str:
    return _line(part) if any(unicodedata.bidirectional(c) in _RIGHT for c in part) else part


def _line(text: str) -> str:
    """Order a line whose direction is that of its first letter (a part of Unicode's rules)."""
    shaped = _shaped("".join(c for c in text if c not in ISOLATES))
    strong = (unicodedata.bidirectional(c) for c in shaped)
    base = next((kind in _RIGHT for kind in strong if kind in _RIGHT or kind == "L"), False)
    runs: list[tuple[bool, list[str]]] = []
    for cluster in _clusters(shaped):
        kind = unicodedata.bidirectional(cluster[0])
        from_right = kind in _RIGHT
        if kind not in _RIGHT and kind != "L" and kind not in _NUMBER:
            from_right = _of_neutral(kind, runs, base)
        if not runs or runs[-1][0] != from_right:
            runs.append((from_right, []))
        runs[-1][1].append(cluster)
    runs = _settled(runs, base)
    ordered = runs[::-1] if base else runs
    return "".join(
        "".join(map(_mirrored, clusters[::-1])) if from_right else "".join(clusters)
        for from_right, clusters in ordered
    )


def _of_neutral(kind: str, runs: list[tuple[bool, list[str]]], base: bool) -> bool:
    """Return the direction of a sign: one inside a number is the number's."""
    inside_number = (
        kind in ("CS", "ES", "ET")
        and bool(runs)
        and not runs[-1][0]
        and unicodedata.bidirectional(runs[-1][1][-1][0]) in _NUMBER
    )
    return False if inside_number else base


def _settled(runs: list[tuple[bool, list[str]]], base: bool) -> list[tuple[bool, list[str]]]:
    """Join a blank between two words of one direction, which is not that of the line, to them."""
    made: list[tuple[bool, list[str]]] = []
    for i, (from_right, clusters) in enumerate(runs):
        neutral = all(unicodedata.bidirectional(c[0]) in ("WS", "ON") for c in clusters)
        between = 0 < i < len(runs) - 1
        direction = (not base) if neutral and between and from_right == base else from_right
        if made and made[-1][0] == direction:
            made[-1][1].extend(clusters)
        else:
            made.append((direction, list(clusters)))
    return made


def _clusters(text: str) -> list[str]:
    """Split a text into letters with their marks."""
    made: list[str] = []
    for c in text:
        if made and unicodedata.category(c) in _MARKS:
            made[-1] += c
        else:
            made.append(c)
    return made


def _mirrored(cluster: str) -> str:
    return cluster.translate(_MIRRORED) if unicodedata.mirrored(cluster[0]) else cluster


_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def _shaped(text: str) -> str:
    """Replace Arabic letters by the forms that join their neighbours."""
    forms = _forms()
    letters = [c for c in text if unicodedata.category(c) not in _MARKS]
    places = [i for i, c in enumerate(text) if unicodedata.category(c) not in _MARKS]
    made = list(text)
    k = 0
    while k < len(letters):
        pair = letters[k] + (letters[k + 1] if k + 1 < len(letters) else "")
        two = letters[k] == _LAM and pair in forms
        found = forms.get(pair if two else letters[k])
        last = k + 1 if two else k
        if found is not None:
            before = k > 0 and _joins_next(letters[k - 1]) and "final" in found
            after = last + 1 < len(letters) and _joins_before(letters[last + 1])
            after = after and "initial" in found
            name = {(True, True): "medial", (True, False): "final", (False, True): "initial"}.get(
                (before, after), "isolated"
            )
            made[places[k]] = found.get(name, letters[k])
            if two:
                made[places[last]] = ""
        k = last + 1
    return "".join(made)


def _joins_next(letter: str) -> bool:
    return "initial" in _forms().get(letter, {})


def _joins_before(letter: str) -> bool:
    return "final" in _forms().get(letter, {})


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Return the forms of each letter, and of the two letters that are drawn as one."""
    made: dict[str, dict[str, str]] = {}
    for code in _FORMS:
        kind, *letters = unicodedata.decomposition(chr(code)).split(" ")
        if kind.startswith("<") and letters and "0020" not in letters:
            base = "".join(chr(int(letter, 16)) for letter in letters)
            made.setdefault(base, {})[kind.strip("<>")] = chr(code)
    return made
