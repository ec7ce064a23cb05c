"""`evallang explain`."""

import re
from collections.abc import Iterator
from typing import Any

import click

from evallang.diagnostics import CODES, Code
from evallang.registry import Entry, Option
from evallang.study import written_option


@click.command("explain", epilog="Example: evallang explain mcnemar")
@click.argument("name", nargs=-1, required=True, metavar="NAME")
def command(name: tuple[str, ...]) -> int:
    """Explain a code, test, metric, interval, protocol, correction or class of models."""
    from evallang.checking import catalogues
    from evallang.checking.codes_loaded import load_codes
    from evallang.models.catalogue import CATALOGUE
    from evallang.spelling import closest

    load_codes()
    asked = " ".join(name)
    code = CODES.get(asked.upper()) or next(
        (c for c in CODES.values() if c.name == asked.replace("-", "_")), None
    )
    found = catalogues.members(asked)
    if code is None and not found and asked not in CATALOGUE:
        values = list(_values_called(asked))
        if values:
            click.echo("\n".join(values))
            return 0
    if code is not None:
        click.echo(_code(code))
    for entry in found:
        click.echo(_entry(entry))
    if asked in CATALOGUE:
        click.echo(_class(asked))
    if code is None and not found and asked not in CATALOGUE:
        near = closest(asked, [*catalogues.words(), *CATALOGUE])
        hint = f"; did you mean `{near}`?" if near else ""
        raise click.ClickException(f"nothing is called `{asked}`{hint}")
    return 0


def _code(code: Code) -> str:
    lines = [f"{code.code} {code.name} ({code.severity})", "", code.summary]
    if code.reason:
        lines += ["", code.reason]
    if code.wrong:
        lines += ["", "wrong:", *_indented(code.wrong)]
    if code.right:
        lines += ["", "right:", *_indented(code.right)]
    if code.source:
        lines += ["", f"source: {code.source}"]
    return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.split("\n")]


def _values_called(word: str) -> Iterator[str]:
    """Say of which options a word is a value: `.632+` is one of `estimate`."""
    from evallang.checking.catalogues import REGISTRIES

    for registry in REGISTRIES.values():
        for name in registry.names():
            entry = registry[name]
            for option in entry.options:
                if word in option.words:
                    yield (
                        f"`{word}` is a value of `{option.name}` of the {entry.kind} "
                        f"`{_written(entry)}`: evallang explain {_written(entry)}"
                    )


def _written(entry: Entry[Any]) -> str:
    """Give the words that a study has for a member: `nested cv`, not `nested_cv`."""
    return " ".join(entry.declaration.words) if entry.kind == "protocol" else entry.name


def _entry(entry: Entry[Any]) -> str:
    lines = [f"{_written(entry)} ({entry.kind}): {entry.title}", "", entry.summary]
    manual = _for_authors(entry.manual)
    if manual:
        lines += ["", manual]
    if entry.options:
        lines += ["", "options:"]
        for option in entry.options:
            words = f" ({' | '.join(option.words)})" if option.words else ""
            lines.append(f"    {option.name}: {_default(option)}{words}")
    if entry.kind == "protocol":
        lines += ["", "written:", f"    protocol {_written(entry)}"]
    for name, text in (("when", "when to use it"), ("when_not", "when not to use it")):
        said = getattr(entry.declaration, name, "")
        if said:
            lines += ["", f"{text}: {said}"]
    for package, text in getattr(entry.declaration, "differs", {}).items():
        lines += ["", f"why it differs from {package}: {text}"]
    if entry.references:
        lines += ["", "sources:"]
        lines += [f"    {r.short}, {r.title}, {r.venue}" for r in entry.references]
    return "\n".join(lines) + "\n"


NOT_GIVEN = "not given"  # how the catalogue writes a default that no study can write

PYTHON_MATTER = re.compile(
    r"\s*Raises\s+`\w+`.*?\.(?=\s|$)"
    r"|\s*(?<!\S)`[^.]*?\s(?:is|are)\s+\([\w, ]*,[\w ]*\)[^.]*\.(?=\s|$)",
    re.DOTALL,
)
"""Sentences about exceptions and shapes of arrays, which only those who call the function need."""


def _for_authors(manual: str) -> str:
    return PYTHON_MATTER.sub("", manual).strip()


def _default(option: Option) -> str:
    if option.required:
        return "needed"
    if option.default is None and option.name == "average":
        return "default binary for two classes, macro for more"
    if option.default is None:
        return "not set by default"
    return f"default {written_option(option.default)}"


def _class(name: str) -> str:
    from evallang.models.catalogue import CATALOGUE

    entry = CATALOGUE[name]
    lines = [f"{name} ({', '.join(sorted(entry.kinds))}) of {entry.module}"]
    if entry.refused:
        return f"{lines[0]}\n\n{name} {entry.refused}\n"
    lines += ["", "parameters:"]
    for parameter in entry.parameters.values():
        if parameter.refused is None:
            words = f" ({' | '.join(parameter.words)})" if parameter.words else ""
            text = parameter.default_text
            default = "no default" if text == NOT_GIVEN else f"default {text}"
            lines.append(f"    {parameter.name}: {default}{words}")
    return "\n".join(lines) + "\n"
