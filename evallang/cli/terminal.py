"""What a terminal is shown: diagnostics in colour where that is welcome."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evallang.diagnostics import Diagnostic, Severity
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile

if TYPE_CHECKING:
    from evallang.api.study import Study


class Failed(click.ClickException):
    """A run that failed for a reason outside the study."""

    exit_code = 3


def wants_colour(stream_is_terminal: bool) -> bool:
    """Tell whether to paint: on a terminal, unless NO_COLOR says otherwise."""
    return stream_is_terminal and "NO_COLOR" not in os.environ


def columns() -> int:
    """Give the width of the terminal, 80 where nothing shows one; it is never too narrow to read.

    The variable `COLUMNS` says otherwise, as for other programs.
    """
    return max(shutil.get_terminal_size().columns, NARROWEST)


NARROWEST = 30


def show(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> None:
    """Print findings to stderr; those that are allowed only count in results and report."""
    shown = [d for d in diagnostics if d.allowed_because is None]
    if shown:
        colour = wants_colour(sys.stderr.isatty())
        click.echo(to_text(shown, sources, colour=colour), err=True, color=colour)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Count findings in words: `2 errors and 1 warning`."""
    counted = [d for d in diagnostics if d.allowed_because is None]
    parts = []
    for severity in Severity:
        n = sum(d.severity is severity for d in counted)
        if n:
            parts.append(f"{n} {severity}{'s' if n > 1 else ''}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 2 else parts)


def study_path(path: str) -> Path:
    """Take the path of a study file; raises `click.ClickException` when it is none."""
    place = Path(path)
    try:
        found, regular = place.exists(), place.is_file()
    except OSError as error:
        raise click.ClickException(cannot("read", path, error)) from error
    if not found or not path:
        raise click.ClickException(f"there is no file `{path}`")
    if place.is_dir():
        raise click.ClickException(f"`{path}` is a folder; name a .eval file in it")
    if not regular:
        raise click.ClickException(f"`{path}` is no regular file; name a .eval file")
    return place


def read_study(path: str, overrides: Mapping[str, str] | None = None) -> "Study":
    """Read and check a study file; raises `click.ClickException` when it cannot be read."""
    from evallang.api.study import open_study

    try:
        return open_study(study_path(path), overrides)
    except OSError as error:
        raise click.ClickException(cannot("read", path, error)) from error


def cannot(verb: str, path: str | Path, error: OSError) -> str:
    """Word what the system refused: "cannot write `results`: no space left on device"."""
    said = error.strerror or str(error)
    return f"cannot {verb} `{path}`: {said[:1].lower()}{said[1:]}"
