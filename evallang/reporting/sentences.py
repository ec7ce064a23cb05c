"""Sentences in templates: what the report says, in `templates/sentences`, made into runs.

A file has the sentences of one topic, each a macro; Python calls it by name and gives it facts as
records. Text may have `<strong>`, `<em>`, `<sub>` and `<code>`. What a macro prints of a fact is
kept as it is: no sign in a name is markup. A line break or several spaces in a template are one
space, and none remains before a closing sign.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from evallang import diagnostics
from evallang.reporting import numbers, wording
from evallang.reporting.context import Context
from evallang.reporting.document import (
    Caution,
    Code,
    Emphasis,
    Ref,
    Run,
    Runs,
    Strong,
    Subscript,
    Text,
    listed,
    runs,
)
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.run_writer import plain

ENDING = ".sentences.j2"
TAGS: Mapping[str, Callable[[Runs], Run]] = {
    "strong": Strong,
    "em": Emphasis,
    "sub": lambda inside: Subscript(plain(inside)),
    "code": lambda inside: Code(plain(inside)),
}
TAG = re.compile(r"<[^>]*>?")
SPACE = re.compile(r"[ \n]+")
NO_SPACE_BEFORE = re.compile(r" (?=[,.;:)])|(?<=\() ")


def write(context: Context, topic: str, name: str, **facts: Any) -> Runs:
    """Return the sentences of a topic that a template makes of facts.

    Raises `jinja2.TemplateError` where the template does not fit the facts.
    """
    kept: list[Runs] = []
    module = (
        _environment().get_template(topic + ENDING).make_module({"study": context, "kept": kept})
    )
    return _parse(str(getattr(module, name)(**facts)), kept)


def caution(context: Context, topic: str, code: diagnostics.Code, **facts: Any) -> Caution:
    """Return the warning of a rule: the sentences under its name, which begin with its title."""
    lead, *body = write(context, topic, code.name, **facts)
    return Caution.from_code(code, plain((lead,)).strip(), stripped(body))


def _parse(text: str, kept: Sequence[Runs]) -> Runs:
    """Make what a template printed into runs."""
    words = NO_SPACE_BEFORE.sub("", SPACE.sub(" ", text)).strip(" ")
    stack: list[list[Run]] = [[]]
    end = 0
    for tag in TAG.finditer(words):
        stack[-1] += runs(str(Markup(words[end : tag.start()]).unescape()))
        end = tag.end()
        name = tag[0].strip("</>")
        if name.isdigit():
            stack[-1] += kept[int(name)]
        elif not tag[0].startswith("</"):
            stack.append([])
        else:
            inside = joined(stack.pop())
            stack[-1].append(TAGS[name](inside))
    stack[-1] += runs(str(Markup(words[end:]).unescape()))
    return joined(stack[0])


def joined(row: Iterable[Run]) -> Runs:
    """Return runs of which no two neighbours are plain words."""
    made: list[Run] = []
    for run in row:
        if isinstance(run, Text) and made and isinstance(made[-1], Text):
            made[-1] = Text(made[-1].text + run.text)
        else:
            made.append(run)
    return tuple(made)


def stripped(row: Sequence[Run]) -> Runs:
    """Return runs without spaces at their beginning."""
    first, *rest = row
    return runs(first.text.lstrip(" "), *rest) if isinstance(first, Text) else tuple(row)


# --- what templates can say -------------------------------------------------------------------


def _runs(names: Any, value: Any) -> Runs:
    """Return what stands in a template as runs."""
    if isinstance(value, Markup):
        return _parse(value, names["kept"])
    if isinstance(value, tuple):
        return runs(*(_runs(names, part) for part in value))
    return runs(value if isinstance(value, str | Run) else str(value))


@jinja2.pass_context
def _keep(names: Any, value: Any) -> Any:
    """Keep a printed fact aside, so that nothing in it is read as text of the template."""
    if isinstance(value, Markup):
        return Markup(value.strip(" \n"))
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises: its name is undefined
    row = _runs(names, value)
    if not row:
        return Markup("")
    names["kept"].append(row)
    return Markup(f"<{len(names['kept']) - 1}>")


@jinja2.pass_context
def _listed(names: Any, items: Iterable[Any], last: str = " and ", comma: str = ", ") -> Runs:
    """Join as a sentence lists: "a, b and c"."""
    return listed([_runs(names, item) for item in items], comma=comma, last=last)


def _first_of(items: Iterable[Any], most: int, more: str = "more") -> list[Any]:
    """Return the first of some items; the others are counted: "two more classes"."""
    every = list(items)
    rest = len(every) - most
    return [*every[:most], f"{numbers.count(rest)} {more}"] if rest > 0 else every


@jinja2.pass_context
def _capitalised(names: Any, value: Any) -> Runs:
    row = _runs(names, value)
    return wording.capitalise(row) if row else row


def of_study(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a template that asks the results, its first argument."""

    @jinja2.pass_context
    def asked(names: Any, *args: Any, **options: Any) -> Any:
        return function(names["study"], *args, **options)

    return asked


FILTERS: Mapping[str, Callable[..., Any]] = {
    # words for what results hold
    "model": of_study(Context.model),
    "data": of_study(Context.data_label),
    "protocol": of_study(Context.protocol),
    "metric": of_study(Context.metric),
    "cases": of_study(Context.cases),
    "pair": of_study(lambda study, pair: " − ".join(map(study.model, pair.models))),
    "message": of_study(wording.message_runs),
    "first_sentence": wording.first_sentence,
    "code": Code,
    # numbers
    "count": numbers.count,
    "word": wording.number_word,
    "plural": wording.plural,
    "percent": numbers.percent,
    "numbered": lambda indices: numbers.in_ranges((i + 1 for i in indices), " to "),
    "level": of_study(lambda study, alpha: numbers.level_of_alpha(alpha, study.style)),
    # sentences
    "first_of": _first_of,
    "listed": _listed,
    "capitalised": _capitalised,
    "mid_sentence": mid_sentence,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "cite": of_study(Context.cite),
    "place": of_study(Context.place),
    "several_data_sets": of_study(lambda study: len(study.results.data) > 1),
    "shows": of_study(Context.shows),
    "ref": Ref,
}


@cache
def ours() -> Mapping[str, str]:
    """Return the texts of our files by name."""
    folder = files("evallang.templates") / "sentences"
    found = (file for file in folder.iterdir() if file.name.endswith(ENDING))
    return {file.name: file.read_text(encoding="utf-8") for file in found}


@cache
def _environment(theirs: tuple[tuple[str, str], ...] = ()) -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.DictLoader({**ours(), **dict(theirs)}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_keep,
    )
    made.filters |= FILTERS
    made.globals = {**FUNCTIONS}
    return made
