"""Complete a word of a study: what may follow at a place, from the table and the catalogues."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from evallang.checking.clauses import BUNDLED
from evallang.manual.catalogues import REGISTRIES, entries
from evallang.manual.explanations import option_default
from evallang.models.catalogue import CATALOGUE, unavailable
from evallang.syntax import completion
from evallang.syntax.completion import Names
from evallang.syntax.language import STATEMENTS, WORD_MEANINGS, clause


class Completion(Struct, frozen=True):
    """A word that may follow: its text, what it is, and one line about it."""

    text: str
    kind: str
    summary: str = ""

    def __str__(self) -> str:
        """Return the text."""
        return self.text


def complete(text: str, line: int, column: int) -> tuple[Completion, ...]:
    """Return the words that may be at a place of a study, those that begin as typed.

    `line` and `column` count from 1, as in messages; the place is before the character there.
    Words of the language come first, then names in the order of their catalogue. The study may be
    incomplete or faulty, and nothing but the text is read.
    """
    lines = text.splitlines(keepends=True) or [""]
    if not 1 <= line <= len(lines) + 1:
        raise ValueError(f"the text has {len(lines)} lines, and line {line} is asked for")
    start = sum(map(len, lines[: line - 1]))
    width = len(lines[line - 1].rstrip("\r\n")) if line <= len(lines) else 0
    offset = start + min(max(column - 1, 0), width)
    place = completion.place(text, offset)
    found = [_word(word) for word in place.words]
    declared = completion.declared(text) if place.names else {}
    for names in place.names:
        found += _named(names, declared.get(names.kind, ()))
    typed = place.typed.casefold()
    fitting = (kept for kept in found if kept.text.casefold().startswith(typed))
    return tuple({kept.text: kept for kept in reversed([*fitting])}.values())[::-1]


def _word(word: str) -> Completion:
    if word in STATEMENTS:
        return Completion(word, "statement", STATEMENTS[word].summary)
    known = clause(word)
    if known is not None:
        return Completion(word, "clause", known.summary)
    return Completion(word, "word", WORD_MEANINGS.get(word, ""))


def _named(names: Names, declared: Iterable[str]) -> Iterator[Completion]:
    """Iterate over the names of a kind; options and values where a member is named."""
    if names.of:
        yield from _options(names)
    elif names.kind in ("columns", "model", "protocol", "let"):
        kind = names.kind.removesuffix("s")
        yield from (Completion(name, kind) for name in declared)
    elif names.kind == "bundled":
        yield from (Completion(name, "data set", task) for name, task in BUNDLED.items())
    elif names.kind == "protocols":
        for entry in REGISTRIES["protocols"]:
            words = entry.declaration.words
            if words[: len(names.before)] == names.before and len(words) > len(names.before):
                rest = " ".join(words[len(names.before) :])
                yield Completion(rest, "protocol", entry.summary)
    else:
        kind = {"analyses": "analysis"}.get(names.kind, names.kind.removesuffix("s"))
        for member in entries(names.kind):
            yield Completion(member["name"], kind, member["summary"])


def _options(names: Names) -> Iterator[Completion]:
    """Iterate over the options of a member, or over the words that one of them takes."""
    if names.kind == "models":
        known = CATALOGUE.get(names.of)
        if known is None or known.refused or unavailable(known):
            return
        taken = {p.name: p for p in known.parameters.values() if p.refused is None}
        if not names.option:
            yield from (
                Completion(p.name, "parameter", f"default {p.default_text}") for p in taken.values()
            )
        elif names.option in taken:
            yield from (Completion(word, "value") for word in taken[names.option].words)
        return
    registry = REGISTRIES.get(names.kind)
    entry = None if registry is None else registry.get(names.of.replace("-", "_"))
    if entry is None:
        return
    if names.option:
        option = entry.option(names.option)
        yield from (Completion(w, "value") for w in (option.words if option else ()))
        return
    for option in entry.options:
        yield Completion(option.name, "option", option_default(option))
    for option in entry.options:
        if names.kind != "protocols":
            yield from (Completion(word, "value", f"of {option.name}") for word in option.words)
