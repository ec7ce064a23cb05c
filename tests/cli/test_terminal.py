"""Standard streams that are closed, or whose reader is gone, and paths that cannot be."""

import io
import sys

import pytest

from evallang.cli import terminal
from evallang.cli.progress import Progress


class Shown(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("name", "value", "redraws", "colour"),
    [("TERM", "xterm", True, True), ("TERM", "dumb", False, False), ("NO_COLOR", "", True, False)],
)
def test_a_terminal_is_redrawn_and_coloured_as_its_user_says(
    monkeypatch, name, value, redraws, colour
):
    monkeypatch.setattr(sys, "stderr", Shown())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert (terminal.redraws(), terminal.wants_colour()) == (redraws, colour)
    assert Progress(shown=False).terminal == redraws


@pytest.mark.parametrize("stream", [Shown, io.StringIO])
def test_a_message_is_wrapped_on_a_terminal_and_one_line_elsewhere(monkeypatch, stream):
    shown = stream()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "40")
    said = "the store `/a/folder` cannot be used ::error::, and none is kept\nPASS 1"
    terminal.tell(said)
    lines = shown.getvalue().splitlines()
    assert " ".join(line.strip() for line in lines) == said.replace("\n", "\\n").replace(
        " ::", " \\x3a:" if len(lines) > 1 else " ::"
    )
    assert (len(lines) > 1) == shown.isatty()
    assert all(len(line) <= 43 and line.startswith("  ") for line in lines[1:])
