"""What a terminal is shown: diagnostics in colour where that is welcome."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from evallang.diagnostics import Diagnostic, Severity, to_text
from evallang.source import SourceFile


def wants_colour(stream_is_terminal: bool) -> bool:
    """Tell whether to paint: on a terminal, unless NO_COLOR says otherwise."""
    return stream_is_terminal and "NO_COLOR" not in os.environ


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
    if not place.exists():
        raise click.ClickException(f"there is no file `{path}`")
    if place.is_dir():
        raise click.ClickException(f"`{path}` is a folder; name a .eval file in it")
    return place
