"""`evallang explain`."""

from typing import Any

import click

from evallang.diagnostics import CODES, Code
from evallang.registry import Entry


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


def _entry(entry: Entry[Any]) -> str:
    lines = [f"{entry.name} ({entry.kind}): {entry.title}", "", entry.summary]
    if entry.manual:
        lines += ["", entry.manual]
    if entry.options:
        lines += ["", "options:"]
        for option in entry.options:
            words = f" ({' | '.join(option.words)})" if option.words else ""
            default = "needed" if option.required else f"default {option.default}"
            lines.append(f"    {option.name}: {default}{words}")
    if entry.kind == "protocol":
        lines += ["", "written:", f"    protocol {' '.join(entry.declaration.words)}"]
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
            lines.append(f"    {parameter.name}: default {parameter.default_text}{words}")
    return "\n".join(lines) + "\n"
