"""Fenced blocks of Markdown pages, and what is done with each kind.

```` ```eval ```` is a whole study, checked; `run` in its first line runs it, `file=NAME`
writes it for the commands of the page, `fragment` are lines of one, `wrong` and `right` show
what a diagnostic objects to and what it accepts. `console` holds commands after `$` with what
they print; `python` runs in one namespace per page, and a block `text printed` below it is
what it prints. `...` stands for anything.
"""

import re
from typing import NamedTuple

FENCE = re.compile(r"^```(?P<language>\w*) *(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    """One fenced block: its language, the words after it, its text and its line."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int


def blocks_of(page):
    """Give the fenced blocks of a page, in order."""
    return [
        Block(
            m["language"], tuple(m["words"].split()), m["text"], page[: m.start()].count("\n") + 1
        )
        for m in FENCE.finditer(page)
    ]


def commands_of(text):
    """Split a console block into commands and what each of them prints."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(printed)) for command, printed in found]


SLOW = re.compile(
    r"(starting|reading|fitting|computing|rendering|\d+ of \d+ fits)\b.*  (\d+ min )?\d+ s"
)
"""The progress of a command that takes ten seconds or more, as on a busy machine."""


def matches(expected, printed):
    """Tell whether something was printed as a page shows it, `...` being anything."""
    parts = [re.escape(part) for part in expected.strip().split("...")]
    wanted = re.compile(r"\s*".join(["", ".*?".join(parts), ""]), re.S)
    lines = "\n".join(line.rstrip() for line in printed.splitlines() if not SLOW.match(line))
    return wanted.fullmatch(lines) is not None
