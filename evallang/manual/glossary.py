"""Everything `list` and `explain` name: tables of members, words that mean them, completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from evallang.analysis import ANALYSES
from evallang.checking.clauses import BUNDLED
from evallang.checking.rules.rule import load_codes
from evallang.checking.synonyms import OTHER_NAMES, OTHER_WORDS, is_member, meant_by
from evallang.checking.values import CATALOGUES
from evallang.diagnostics import CODES, Code, current_name
from evallang.limits import LIMITS
from evallang.manual import explanations
from evallang.manual.explanations import Explanation, Part, option_default, written
from evallang.models.catalogue import CATALOGUE, unavailable
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry, Option, Registry
from evallang.source import SourceFile
from evallang.spelling import closest, slip_of_term, written_name
from evallang.study import written_option
from evallang.syntax import completion, nodes as n
from evallang.syntax.completion import Names
from evallang.syntax.language import (
    STATEMENTS,
    WORD_MEANINGS,
    clause,
    clause_words,
)
from evallang.syntax.line_parser import connectives
from evallang.syntax.parser import parse

REGISTRIES: dict[str, Registry[Any]] = {
    **{f"{what}s": registry for what, registry, _ in CATALOGUES if what != "analysis"},
    "analyses": ANALYSES,
    "protocols": PROTOCOLS,
}


def entries(catalogue: str) -> list[dict[str, Any]]:
    """List one catalogue by its plural (`tests`, `models`, `rules` ...), sorted by name."""
    if catalogue == "models":
        return [
            {
                "name": name,
                "title": name,
                "summary": f"{', '.join(sorted(entry.kinds))} of {entry.module}",
                "options": [
                    {"name": p.name, "default": p.default_text, "words": list(p.words)}
                    for p in entry.parameters.values()
                    if p.refused is None
                ],
            }
            for name, entry in sorted(CATALOGUE.items())
            if entry.refused is None and unavailable(entry) is None
        ]
    if catalogue == "limits":
        return [
            {"name": limit.name, "summary": f"{limit.bounds}: {limit.stated}"}
            for limit in LIMITS.values()
        ]
    if catalogue == "statements":
        return [
            {
                "name": word,
                "title": word,
                "summary": known.summary,
                "form": known.form,
                "clauses": [clause.form for clause in known.clauses.values()],
            }
            for word, known in STATEMENTS.items()
        ]
    if catalogue == "sections":
        from evallang.reporting.section import SECTIONS

        return [
            {"name": entry.name, "title": entry.title, "summary": entry.title}
            for entry in sorted(SECTIONS, key=lambda entry: entry.declaration.order)
            if entry.declaration.hideable
        ]
    if catalogue in ("rules", "codes"):
        load_codes()
        return [
            {
                "name": code.name,
                "code": code.code,
                "title": code.name.replace("_", " "),
                "severity": str(code.severity),
                "summary": code.words.summary,
            }
            for code in sorted(CODES.values(), key=lambda c: c.code)
            if catalogue == "codes" or code.waivable
        ]
    found = [record(entry) for entry in REGISTRIES[catalogue]]
    return sorted(found, key=lambda entry: entry.get("group", ""))


def record(entry: Entry[Any]) -> dict[str, Any]:
    """Return what a catalogue knows of one member."""
    found: dict[str, Any] = {
        "name": entry.name,
        "kind": entry.kind,
        "title": entry.title,
        "summary": entry.summary,
        "when": entry.declaration.when,
        "when_not": entry.declaration.when_not,
        "formula": entry.declaration.formula,
        "differs": dict(entry.declaration.differs),
        "options": [_option_of_list(option) for option in entry.options],
        "references": [reference.short for reference in entry.references],
    }
    if (group := getattr(entry.declaration, "group", None)) is not None:
        found["group"] = group
    if entry.kind == "protocol":
        found["written"] = " ".join(entry.declaration.words)
    return found


def _option_of_list(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "required": option.required,
        "default": None
        if option.required or option.default is None
        else written_option(option.default),
        "words": list(option.words),
    }


def members(name: str) -> list[Entry[Any]]:
    """Find every member of any catalogue that has this name; `bootstrap` has two."""
    word = name.replace("-", "_")
    found = []
    for registry in REGISTRIES.values():
        entry = registry.get(word)
        if entry is None and registry is PROTOCOLS:
            spaced = tuple(name.replace("-", "_").split())
            entry = next((e for e in PROTOCOLS if e.declaration.words == spaced), None)
        if entry is not None:
            found.append(entry)
    return found


MOST_CLASSES = 20  # named where a parameter is explained


SHARE = re.compile(r"-?[0-9.]+%|[0-9]+/[0-9]+")


def explain(asked: str) -> tuple[Explanation, ...]:
    """Explain everything that has this name: a code, members of catalogues, a class, a word.

    `bootstrap` is a protocol, a test and an interval, and all three answer. Quotes, capitals
    and options in brackets do not matter, and a title is a name. Empty where nothing has
    that name.
    """
    for word in _readings(asked):
        found = tuple(_called(word))
        if found:
            return found
    return ()


def _readings(asked: str) -> Iterator[str]:
    """Yield the spellings under which a word may be in the index, the nearest first."""
    plain = asked.strip().strip("\"'`").strip()
    bare = re.sub(r"\s*\(.*\)$", "", plain).replace("×", "x")
    for word in dict.fromkeys((plain, bare)):
        yield word
        known = {name.casefold(): name for name in words()}
        if word.casefold() in known:
            yield known[word.casefold()]
    yield "_".join(plain.split())
    if any(form.startswith(f"{plain} ") or form == plain for form in _forms()):
        yield plain.split()[0]
    titles = {
        entry.title.casefold(): written(entry)
        for registry in REGISTRIES.values()
        for entry in registry
    }
    titled = titles.get(plain.casefold())
    if titled and _elsewhere(plain) in (None, titled):  # a paired t test of folds is corrected_t
        yield titled


def _forms() -> Iterator[str]:
    """Yield the lines that a study may have: `group by COLUMN`, `higher is better`."""
    yield from (known.form for known in STATEMENTS.values())
    yield from (known.form for word in clause_words() if (known := clause(word)))
    yield from (form for entry in REGISTRIES["protocols"] for form in entry.declaration.forms)


def _called(asked: str) -> Iterator[Explanation]:
    """Explain what has exactly this name, in the order in which a study meets it."""
    code = code_called(asked)
    if code and code.name != asked:
        yield explanations.explain_code(code)
        return
    found = [explanations.explain_member(entry) for entry in members(asked)]
    if asked in CATALOGUE:
        found.append(explanations.explain_class(asked))
    own = bool(found)
    if asked in STATEMENTS:
        found.append(explanations.explain_statement(asked))
    elif clause(asked) is not None:
        found.append(explanations.explain_clause(asked))
    elif asked in WORD_MEANINGS:
        found.append(explanations.explain_connective(asked))
    if not own:
        found += _value(asked)
        found += _option(asked)
    if not found:
        found += _parameter(asked)
    if not found and asked in connectives():
        found.append(explanations.explain_connective(asked))
    if code:
        found.append(explanations.explain_code(code))
    if not found and SHARE.fullmatch(asked):
        found.append(Explanation(asked, "share", "", (Part("", SHARE_MEANING),)))
    yield from found


SHARE_MEANING = (
    "Written in one piece: `95%` is 0.95, and `1/3` the exact ratio. After `confidence` and `at` "
    "it is a level, in `test=20%` a share of the rows, and in `by 2%` a margin in the metric's "
    "unit: 0.02."
)


def code_called(asked: str) -> Code | None:
    """Find a diagnostic by its code, in any case, or by its name."""
    load_codes()
    name = current_name(asked.replace("-", "_").replace(" ", "_"))
    return CODES.get(asked.upper()) or next((c for c in CODES.values() if c.name == name), None)


def nearest(asked: str) -> str | None:
    """Return the word that is spelled most like this one, in any catalogue or case."""
    known = words()
    by_case = {word.lower(): word for word in known}
    near = by_case.get(asked.lower()) or _elsewhere(asked)
    if near is not None:
        return near
    near = closest(asked, known)
    another = near is not None and is_member("metric", near) and not slip_of_term(asked, near)
    return None if another else near


def _elsewhere(asked: str) -> str | None:
    """Find what others call so; `roc curve` is rather `roc` than `roc_auc`."""
    spelled = "_".join(asked.casefold().split())
    found = [word for what in OTHER_NAMES if (word := meant_by(what, asked))]
    found += [word for what in OTHER_NAMES if (word := meant_by(what, spelled))]
    found += [word for words in OTHER_WORDS.values() if (word := words.get(spelled))]
    return next((word for word in found if spelled.startswith(word)), next(iter(found), None))


def words() -> list[str]:
    """Return every word that can be asked for."""
    load_codes()
    found = [name for registry in REGISTRIES.values() for name in registry.names()]
    found += [written(entry) for entry in REGISTRIES["protocols"]]
    found += [code.code for code in CODES.values()] + [code.name for code in CODES.values()]
    found += sorted(
        {option.name for registry in REGISTRIES.values() for e in registry for option in e.options}
    )
    found += [*CATALOGUE, *STATEMENTS, *clause_words(), *sorted(connectives() | set(WORD_MEANINGS))]
    return list(dict.fromkeys(found))


def _value(word: str) -> Iterator[Explanation]:
    """State of which options a word is a value: `.632+` is one of `estimate`."""
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
        parts = (Part("", text), *explanations.explain_member(entry).parts)
        yield Explanation(word, f"value of `{option.name}`", "", parts)
    elif found:
        lines = tuple(f"`{option.name}` of the {e.kind} `{written(e)}`" for option, e in found)
        yield Explanation(word, "value", "", (Part("a value of", lines=lines),))


def _option(word: str) -> Iterator[Explanation]:
    """State of which members a word is an option."""
    name = word.replace("-", "_")
    lines = tuple(
        f"{entry.kind} `{written(entry)}`: {explanations.option_line(option)}"
        for registry in REGISTRIES.values()
        for entry in registry
        if (option := entry.option(name)) is not None
    )
    if lines:
        yield Explanation(name, "option", "", (Part("an option of", lines=lines),))


def _parameter(word: str) -> Iterator[Explanation]:
    """State of which classes a word is a parameter."""
    classes = [
        known.name
        for known in CATALOGUE.values()
        if word in known.parameters and known.parameters[word].refused is None
    ]
    if classes:
        text = ", ".join(classes[:MOST_CLASSES])
        if len(classes) > MOST_CLASSES:
            text += f" and {len(classes) - MOST_CLASSES} more"
        yield Explanation(word, "parameter", "", (Part("a parameter of", text),))


class Completion(Struct, frozen=True):
    """A word that may follow: its text, what it is, and one line about it."""

    text: str
    kind: str
    summary: str = ""

    def __str__(self) -> str:
        """Return the text."""
        return self.text


def complete(
    text: str,
    line: int,
    column: int,
    columns: Callable[[], Iterable[str]] = tuple,
    statements: Iterable[n.StatementNode] | None = None,
) -> tuple[Completion, ...]:
    """Return the words that may be at a place of a study, those that begin as typed.

    `line` and `column` count from 1, as in messages; the place is before the character there.
    Words of the language come first, then names in the order of their catalogue. The study may be
    incomplete or faulty, and nothing but the text is read. `columns` returns those of the data; it
    is called where a column may be. `statements` are those of the whole study, where the text is
    one of its files.
    """
    source = SourceFile("", text)
    starts = source.line_starts
    if not 1 <= line <= len(starts):
        raise ValueError(f"the text has {len(starts)} lines, and line {line} is asked for")
    offset = starts[line - 1] + min(max(column - 1, 0), len(source.line(line)))
    place = completion.place(text, offset)
    found = [_word(word) for word in place.words]
    if statements is None:
        statements = parse(source)[0].statements
    declared = completion.declared(statements) if place.names else {}
    for names in place.names:
        known = declared.get(names.kind, ())
        if names.kind == "columns":
            known = (*known, *map(written_name, columns()))
        found += _named(names, known)
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
