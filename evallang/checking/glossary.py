"""Every word that can be asked for, and what answers: the index of the reference."""

from collections.abc import Iterator

from evallang.checking import explanations, unbuilt
from evallang.checking.catalogues import REGISTRIES, members
from evallang.checking.codes_loaded import load_codes
from evallang.checking.explanations import Explanation, Part, written
from evallang.checking.other_names import OTHER_NAMES, meant_by
from evallang.checking.statements import WORD_MEANINGS
from evallang.diagnostics import CODES, Code
from evallang.models.catalogue import CATALOGUE
from evallang.spelling import closest
from evallang.syntax.keywords import CLAUSES, CONNECTIVES, STATEMENTS

LATER: dict[str, frozenset[str]] = {
    "metric": unbuilt.METRICS,
    "hypothesis test": unbuilt.TESTS,
    "interval": unbuilt.INTERVALS,
    "correction": unbuilt.CORRECTIONS,
    "analysis": unbuilt.ANALYSES,
    "format": unbuilt.FORMATS,
}


def explain(asked: str) -> tuple[Explanation, ...]:
    """Explain everything that has this name: a code, members of catalogues, a class, a word.

    `bootstrap` is a protocol, a test and an interval, and all three answer. Empty where
    nothing is called so.
    """
    code = code_called(asked)
    found = [explanations.of_code(code)] if code else []
    found += [explanations.of_entry(entry) for entry in members(asked)]
    if asked in CATALOGUE:
        found.append(explanations.of_class(asked))
    if not found:
        found += _value(asked)
    if asked in STATEMENTS:
        found.append(explanations.of_statement(asked))
    elif asked in CLAUSES:
        found.append(explanations.of_clause(asked))
    elif not found and (asked in CONNECTIVES or asked in WORD_MEANINGS):
        found.append(explanations.of_connective(asked))
    if not found:
        found += _later(asked)
    return tuple(found)


def code_called(asked: str) -> Code | None:
    """Find a diagnostic by its code, in any case, or by its name."""
    load_codes()
    name = asked.replace("-", "_").replace(" ", "_")
    return CODES.get(asked.upper()) or next((c for c in CODES.values() if c.name == name), None)


def nearest(asked: str) -> str | None:
    """Name the word that is spelt most like this one, in any catalogue or case."""
    known = words()
    by_case = {word.lower(): word for word in known}
    elsewhere = (meant_by(what, asked) for what in OTHER_NAMES)
    meant = next((word for word in elsewhere if word is not None), None)
    return by_case.get(asked.lower()) or meant or closest(asked, known)


def words() -> list[str]:
    """Give every word that can be asked for."""
    load_codes()
    found = [name for registry in REGISTRIES.values() for name in registry.names()]
    found += [written(entry) for entry in REGISTRIES["protocols"]]
    found += [code.code for code in CODES.values()] + [code.name for code in CODES.values()]
    found += [name for names in LATER.values() for name in sorted(names)]
    found += [*CATALOGUE, *STATEMENTS, *CLAUSES, *sorted(CONNECTIVES | set(WORD_MEANINGS))]
    return list(dict.fromkeys(found))


def _value(word: str) -> Iterator[Explanation]:
    """Say of which options a word is a value: `.632+` is one of `estimate`."""
    found = [
        (option, entry)
        for registry in REGISTRIES.values()
        for entry in registry
        for option in entry.options
        if word in option.words
    ]
    if len(found) == 1:
        ((option, entry),) = found
        text = f"`{word}` is a value of `{option.name}` of the {entry.kind} `{written(entry)}`."
        parts = (Part("", text), *explanations.of_entry(entry).parts)
        yield Explanation(word, f"value of `{option.name}`", "", parts)
    elif found:
        lines = tuple(f"`{option.name}` of the {e.kind} `{written(e)}`" for option, e in found)
        yield Explanation(word, "value", "", (Part("a value of", lines=lines),))


def _later(word: str) -> Iterator[Explanation]:
    """Say that a word is stated by the language and not built yet."""
    name = word.replace("-", "_")
    for kind, names in LATER.items():
        if name in names:
            text = "The language states it, and this version cannot run it: a study that uses it "
            yield Explanation(word, kind, "", (Part("", text + "is refused by E901."),))
