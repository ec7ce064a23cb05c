"""Every word that can be asked for, and what answers: the index of the reference."""

import re
from collections.abc import Iterator

from evallang.checking.all_codes import load_codes
from evallang.checking.synonyms import OTHER_NAMES, OTHER_WORDS, is_member, meant_by
from evallang.diagnostics import CODES, Code, current_name
from evallang.manual import explanations
from evallang.manual.catalogues import REGISTRIES, members
from evallang.manual.explanations import Explanation, Part, written
from evallang.models.catalogue import CATALOGUE
from evallang.spelling import closest, slip_of_term
from evallang.syntax.language import (
    STATEMENTS,
    WORD_MEANINGS,
    clause,
    clause_words,
)
from evallang.syntax.line_parser import connectives

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
