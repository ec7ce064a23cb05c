"""`evallang list`."""

import sys
from typing import Any

import click

from evallang.cli.settings import layout_option
from evallang.cli.terminal import columns, write, write_json
from evallang.printable import wrapped

CATALOGUES = (
    *("tests", "metrics", "intervals", "protocols", "models", "corrections", "rules"),
    *("analyses", "sections", "codes", "statements", "limits"),
)


@click.command("list", epilog="Example: evallang list tests --format json")
@click.argument("catalogue", type=click.Choice(CATALOGUES), metavar="CATALOGUE")
@layout_option("How to write the list.")
def command(catalogue: str, layout: str) -> int:
    """List the words of a catalogue, each with a one-line summary; metrics are grouped.

    CATALOGUE is one of tests, metrics, intervals, protocols, models, corrections, rules,
    analyses, sections, codes, statements and limits.
    """
    from evallang.manual.glossary import entries

    found = entries(catalogue)
    if layout == "json":
        write_json(found)
        return 0
    names = [_name(entry) for entry in found]
    width = max(map(len, names), default=0)
    wide = columns() if sys.stdout.isatty() else None
    group = None
    for name, entry in zip(names, found, strict=True):
        if entry.get("group") != group:
            write(*([""] if group is not None else []), f"# {entry['group']}")
            group = entry["group"]
        write(*shown(f"{name:<{width}}  ", _line(entry), wide))
    return 0


def shown(name: str, text: str, wide: int | None) -> list[str]:
    """Wrap a line for a terminal; a pipe gets one line for each member."""
    if wide is None:
        return [name + text]
    indent = len(name) if len(name) <= wide * 2 // 3 else 4
    return wrapped(name + text, wide, later=" " * indent)


def _name(entry: dict[str, Any]) -> str:
    """Return the name of a member in a study; for a diagnostic, the code and the name."""
    name = str(entry.get("written") or entry["name"])
    return f"{entry['code']} {name}" if "code" in entry else name


def _line(entry: dict[str, Any]) -> str:
    options = ", ".join(
        option["name"] + (f"={option['default']}" if option["default"] is not None else "")
        for option in entry.get("options", [])
    )
    summary = str(entry["summary"]).rstrip(".")
    return f"{summary} ({options})" if options else summary
