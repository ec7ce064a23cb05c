"""Every number of a study as a LaTeX macro, so that a paper prints what the results hold."""

import re
from collections.abc import Iterator

from evallang.reporting.context import Context, Setting
from evallang.reporting.contrasts import contrast, contrast_interval
from evallang.reporting.document import Runs, runs
from evallang.reporting.formats.latex_text import TABLES, LatexWriter
from evallang.reporting.formats.works import slug
from evallang.reporting.numbers import count, level_of_alpha
from evallang.reporting.orientation import turned
from evallang.reporting.run_writer import plain
from evallang.reporting.wording import estimate_interval, p_stat, signed_amount, value_text
from evallang.results.records import Comparison

NAME = re.compile(r"[A-Za-z0-9_.+:()=,/ -]+")
"""A name that can be written between the braces of a macro as it is."""

COMMANDS = {
    "estimate": 1,
    "interval": 1,  # of an estimate
    "difference": 2,  # first minus second
    "differenceinterval": 2,
    "p": 2,  # that decides, with its letter
    "n": 0,  # examples tested
}
"""The macros, and how many models each takes."""

FACTS = ("seed", "alpha", "report")
"""The macros of a study itself, which take nothing."""


def macros(context: Context, study: str) -> str:
    """Return the file of macros: their definitions, then a line for every number.

    `study` is the name of the study in a paper that reads the macros of several.
    """
    commands = []
    for name, models in COMMANDS.items():
        key = {0: "", 1: "#2", 2: "#2@#3"}[models]
        commands.append(
            rf"\newcommand*{{\eval{name}}}[{models + 1}][\evallang@place{{{name}}}]"
            rf"{{\evallang@get{{{name}}}{{#1}}{{{key}}}}}"
        )
    commands += [
        rf"\newcommand*{{\eval{name}}}{{\evallang@get{{{name}}}{{}}{{}}}}" for name in FACTS
    ]
    facts = (
        str(context.results.study.seed),
        level_of_alpha(context.alpha, context.style),
        context.report_id,
    )
    shared = TABLES["macros"]["shared"].replace("COMMANDS", "\n".join(commands))
    lines = [
        *TABLES["macros"]["guide"].split("\n"),
        r"\makeatletter",
        *shared.split("\n"),
        rf"\evallang@open{{{study}}}{{{context.report_id}}}",
        *(
            rf"\evallang@set{{{name}}}{{}}{{}}{{{value}}}"
            for name, value in zip(FACTS, facts, strict=True)
        ),
    ]
    first: dict[str, str] = {}
    body: dict[tuple[str, str, str], str] = {}
    writer = LatexWriter({})
    for name, places, key, value in _numbers(context):
        first.setdefault(name, places[0])
        for place in places:
            use = f"\\eval{name}" + (f"[{place}]" if place != first[name] else "")
            use += "".join(f"{{{model}}}" for model in key.split("@") if model)
            shown = plain(value).replace("\u00a0", " ")
            line = rf"\evallang@set{{{name}}}{{{place}}}{{{key}}}{{{writer.write(value)}}}"
            body.setdefault((name, place, key), f"{line}% {use}: {shown}")
    lines += [rf"\evallang@set{{first}}{{{name}}}{{}}{{{place}}}" for name, place in first.items()]
    return "\n".join([*lines, *body.values(), r"\makeatother"]) + "\n"


def key_of(name: str) -> str:
    """Return a name as it is written in a macro."""
    return name if NAME.fullmatch(name) and "@" not in name else slug(name)


Number = tuple[str, tuple[str, ...], str, Runs]
"""A macro, the places where it has a value, the models that it takes, and the value."""


def _numbers(context: Context) -> Iterator[Number]:
    for setting in context.settings:
        yield from _of_setting(context, setting)
    for comparison in context.results.comparisons:
        yield from _of_comparison(context, comparison)


def _of_setting(context: Context, setting: Setting) -> Iterator[Number]:
    n = context.n_tested(setting)
    if n is not None:
        yield "n", _places(context, None, setting.data, setting.protocol), "", runs(count(n))
    for name in context.metrics(setting):
        metric, scale = context.metric(name), context.scale(setting, name)
        places = _places(context, name, setting.data, setting.protocol)
        for found in context.estimates(setting, name):
            if found.value is None:
                continue
            key = key_of(found.model)
            yield "estimate", places, key, runs(value_text(metric, found.value, scale))
            if words := estimate_interval(found, scale):
                yield "interval", places, key, words


def _of_comparison(context: Context, comparison: Comparison) -> Iterator[Number]:
    places = _places(context, comparison.metric, comparison.data, comparison.protocol)
    place = (comparison.metric, comparison.data, comparison.protocol)
    every = context.results.comparisons
    if len({c.index for c in every if (c.metric, c.data, c.protocol) == place}) > 1:
        places += tuple(f"{place}/{comparison.index + 1}" for place in places if place)
    words, scale = context.difference_words(comparison), context.difference_scale(comparison)
    for pair in comparison.pairwise:
        if len(pair.models) != 2:
            continue
        for model in pair.models:
            seen = contrast(pair if model == pair.models[0] else turned(pair), model)
            key = f"{key_of(model)}@{key_of(seen.other)}"
            if seen.value is not None:
                yield "difference", places, key, signed_amount(words, seen.value, scale)
            if interval := contrast_interval(seen, scale):
                yield "differenceinterval", places, key, interval
            if seen.p is not None:
                error = pair.mc_se
                yield "p", places, key, runs(p_stat(context, seen.p, comparison.alpha, error))


def _places(
    context: Context, metric: str | None, data: str | None, protocol: str | None
) -> tuple[str, ...]:
    """Return the words that select a place, from none to all of them."""
    words = [] if metric is None else [key_of(metric)]
    made = list(words) or [""]
    lead = words[0] if words else ""
    if len(context.results.data) > 1 and data is not None:
        lead = f"{lead}@{key_of(data)}".lstrip("@")
        made.append(lead)
    if protocol is not None and context.several_protocols:
        made.append(f"{lead}@{key_of(protocol)}".lstrip("@"))
    return tuple(made)
