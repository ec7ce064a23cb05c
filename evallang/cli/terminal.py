"""Output of the command line: every line on stdout and stderr is written here.

Each line is made printable, because it may contain text from data, files, names and options.
Colours are added to findings afterwards. A closed reader (`| head -1`, `>&-`) does not end a
command: further output is discarded, and the exit code is that of the work.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from evallang.diagnostics import (
    CODES,
    Changes,
    Diagnostic,
    Severity,
    has_errors,
    sorted_by_weight,
)
from evallang.diagnostics.text import to_text
from evallang.printable import can_redraw, printable, printable_json, printable_line, wrapped
from evallang.source import SourceFile

if TYPE_CHECKING:
    from evallang.api import Results
    from evallang.api.study_file import StudyFile


def open_streams() -> None:
    """Prepare the standard streams; discard the output to closed ones (`>&-`).

    A file opened later must not get their numbers, because libraries write to these.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)  # workers cannot start without them
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115 - for the whole process
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # for letters that its encoding lacks
            stream.reconfigure(errors="backslashreplace")


def close_streams() -> None:
    """Flush the buffers of the standard streams; text that cannot be written is lost."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            leave(stream)


def leave(stream: TextIO) -> None:
    """Discard further output to a stream whose reader or disk is gone."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # closed, or not a file
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _put(stream: TextIO, text: str) -> None:
    """Write text; raise `OSError` if stdout has a reader and cannot be written."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        leave(stream)
    except OSError:
        leave(stream)
        if stream is sys.stdout:
            raise


def write(*lines: str, keep: str = "") -> None:
    """Write lines to stdout; a line break within one is made visible, characters in `keep` stay."""
    for line in lines:
        _put(sys.stdout, printable_line(line, keep=keep) + "\n")


def write_json(document: Any) -> None:
    """Write a JSON document to stdout."""
    _put(sys.stdout, printable_json(document, indent=1) + "\n")


def write_format(text: str) -> None:
    """Write findings in a format for programs, whose texts are printable already.

    Its lines may be workflow commands. Without findings there may be no text, and no line.
    """
    for line in text.removesuffix("\n").split("\n") if text else ():
        _put(sys.stdout, printable(line) + "\n")


def write_difference(lines: Sequence[str]) -> None:
    """Write lines of a patch to stdout; keep a carriage return at the end of a line."""
    for line in lines:
        shown = line.removesuffix("\r")
        _put(sys.stdout, printable_line(shown) + line[len(shown) :] + "\n")


def write_study(text: str) -> None:
    """Write a study to stdout, unchanged to a pipe or a file and printable to a terminal."""
    if sys.stdout.isatty():
        write(*text.removesuffix("\n").split("\n"))
    else:
        sys.stdout.flush()
        try:
            sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            leave(sys.stdout)


def tell(*lines: str) -> None:
    """Write lines to stderr, wrapped on a terminal; a line break within one is made visible."""
    width = columns() if lines and sys.stderr.isatty() else None
    for line in lines:
        shown = printable(line)
        for part in [shown] if width is None else wrapped(shown, width, later="  "):
            _put(sys.stderr, printable_line(part) + "\n")


def tell_state(line: str) -> None:
    """Write a line to stderr that the next line overwrites."""
    _put(sys.stderr, f"\r{printable(line)}\x1b[K")


def clear_screen() -> None:
    """Clear the terminal, with the lines that were scrolled away, if it can be redrawn."""
    if redraws():
        _put(sys.stderr, "\x1b[H\x1b[2J\x1b[3J")


def tell_error(error: click.ClickException) -> None:
    """Write the reason why a command failed, and its usage after wrong arguments."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        tell(*error.ctx.get_usage().split("\n"))
        tell(f"Try '{error.ctx.command_path} -h' for help.", "")
    # click writes the words to choose from on lines of their own, which `tell` would escape
    said = error.format_message().replace("\n\t", " ")
    tell(f"Error: {said}")


def tell_traceback(error: BaseException) -> None:
    """Write a traceback; prefix every line, because the text of an exception may have many."""
    import traceback

    for part in traceback.format_exception(error):
        tell(*(f"| {line}" for line in part.removesuffix("\n").split("\n")))


class Failed(click.ClickException):
    """A run that failed for a reason outside the study."""

    exit_code = 3


def redraws() -> bool:
    """Return whether stderr is a terminal that can be redrawn."""
    return can_redraw(sys.stderr)


def wants_colour() -> bool:
    """Return whether to use colours on stderr: on a terminal, unless NO_COLOR is set."""
    return redraws() and "NO_COLOR" not in os.environ


NARROWEST = 30  # columns that texts of several lines are wrapped at


def columns(least: int = NARROWEST) -> int:
    """Return the width of the terminal, by default 80 and at least `least` columns.

    The variable `COLUMNS` overrides it, as for other programs.
    """
    from shutil import get_terminal_size  # it takes 2 ms to import, and few outputs are wrapped

    return max(get_terminal_size().columns, least)


def show(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> None:
    """Print findings to stderr, except waived ones; `show_accepted` lists those."""
    shown = [d for d in diagnostics if d.allowed_because is None]
    if shown:
        width = columns() if sys.stderr.isatty() else None
        text = to_text(shown, sources, colour=wants_colour(), width=width)
        _put(sys.stderr, text + "\n")


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Count findings in words: `2 errors and 1 warning`."""
    counted = [d for d in diagnostics if d.allowed_because is None]
    parts = []
    for severity in Severity:
        n = sum(d.severity is severity for d in counted)
        if n:
            parts.append(f"{n} {severity}{'s' if n > 1 else ''}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 2 else parts)


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


NOT_READ = "the data were not read: `--data` looks for leakage, copies and groups in their rows"


def show_accepted(diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]) -> None:
    """Print a line for each finding that the author accepted, with its reason."""
    for found in sorted_by_weight(diagnostics):
        if found.allowed_because is None:
            continue
        source = sources.get(found.path or "")
        place = found.path or "the study"
        if source is not None and found.span is not None:
            place += f":{source.position(found.span.start).line}"
        tell(f"accepted in {place}: {found.name}, because {found.allowed_because}")


def conclusion(diagnostics: Sequence[Diagnostic], *, read: bool) -> str:
    """State how many findings there are, and what the warnings change in the conclusion.

    `read` is whether the data were read, or there are none to read. Warnings are counted in the
    order of `sorted_by_weight`.
    """
    counted = [d for d in sorted_by_weight(diagnostics) if d.allowed_because is None]
    warnings = [d for d in counted if d.severity is Severity.WARNING]
    words = summary(counted) or "no findings"
    accepted = len(diagnostics) - len(counted)
    if accepted:
        words += f", {accepted} accepted by the study file"
    if has_errors(counted):
        return words
    unread = "" if read else f"; {NOT_READ}"
    changed: dict[Changes, list[int]] = {}
    for place, warning in enumerate(warnings):
        changed.setdefault(CODES[warning.code].changes, []).append(place)
    parts = [
        f"{_which(places, len(warnings))} {what}"
        for what, places in changed.items()
        if what is not Changes.READING and places[-1] < len(ORDINALS)
    ]
    return (f"{words}: {', '.join(parts)}" if parts else words) + unread


def _which(places: Sequence[int], of: int) -> str:
    """Format the places of warnings, with the verb: `the first two change`."""
    if of == 1:
        return "it changes"
    if len(places) == of:
        return "both warnings change" if of == 2 else "all warnings change"
    if len(places) == 1:
        return f"the {ORDINALS[places[0]]} changes"
    if len(places) == 2:
        return f"the {ORDINALS[places[0]]} and {ORDINALS[places[1]]} change"
    return f"the {ORDINALS[places[0]]} to the {ORDINALS[places[-1]]} change"


def study_path(path: str) -> Path:
    """Return the path of a study file; raise `click.ClickException` if it is not a file."""
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
        raise click.ClickException(f"`{path}` is not a regular file; name a .eval file")
    from evallang.data.files import ENDINGS

    if place.suffix != ".eval" and place.name.lower().endswith(ENDINGS):
        raise click.ClickException(
            f"`{path}` holds data, and this command takes a study; write "
            f"`evallang new study.eval --from {shlex.quote(path)}`, which drafts a study of it"
        )
    return place


def read_study(path: str, overrides: Mapping[str, str] | None = None) -> "StudyFile":
    """Read and check a study file; raise `click.ClickException` if it cannot be read."""
    from evallang.api.study_file import open_study

    try:
        return open_study(study_path(path), overrides)
    except OSError as error:
        raise click.ClickException(cannot("read", path, error)) from error


def read_results(place: str) -> "Results":
    """Read a results folder or its results.json; raise `click.ClickException` if it cannot."""
    from evallang.api import Results
    from evallang.limits import OverLimit

    path = Path(place)
    if not path.exists():
        raise click.ClickException(f"there is no file or folder `{place}`")
    if not path.is_dir() and not path.is_file():
        raise click.ClickException(f"`{place}` is not a regular file; name a results.json")
    try:
        return Results.load(path)
    except FileNotFoundError as error:
        raise click.ClickException(f"`{place}` does not contain a results.json") from error
    except OSError as error:
        raise click.ClickException(cannot("read", place, error)) from error
    except OverLimit as error:
        raise click.ClickException(f"{error}; {error.help}") from error
    except ValueError as error:
        raise click.ClickException(f"cannot read `{place}`: {error}") from error


def cannot(verb: str, path: str | Path, error: OSError) -> str:
    """Return the message of a system error: "cannot write `results`: no space left on device"."""
    said = error.strerror or str(error)
    return f"cannot {verb} `{path}`: {said[:1].lower()}{said[1:]}"
