"""The one writer of the command line: every line on stdout and stderr passes through here.

Each line is made printable, whatever it holds of data, files, names and options. Colours are
added to findings afterwards. A reader that is gone (`| head -1`, `>&-`) ends no command: what
is left is written nowhere, and the exit code is that of the work.
"""

import os
import shutil
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from evallang.diagnostics import Diagnostic, Severity
from evallang.diagnostics.text import to_text
from evallang.printable import printable, printable_json, printable_line
from evallang.source import SourceFile

if TYPE_CHECKING:
    from evallang.api.study import Study


def open_streams() -> None:
    """Prepare the standard streams; closed ones (`>&-`) lead nowhere from now on.

    A file opened later must not take their numbers: libraries write to those.
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
        if hasattr(stream, "reconfigure"):  # letters that its encoding lacks
            stream.reconfigure(errors="backslashreplace")


def close_streams() -> None:
    """Write what libraries left in the buffers; what cannot be written is lost."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            leave(stream)


def leave(stream: TextIO) -> None:
    """Send what is still to be written nowhere: its reader or its disk is gone."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # closed, or not a file
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _put(stream: TextIO, text: str) -> None:
    """Write text; raises `OSError` where stdout has a reader and cannot be written."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        leave(stream)
    except OSError:
        leave(stream)
        if stream is sys.stdout:
            raise


def write(*lines: str) -> None:
    """Write lines to stdout; a line break within one is made visible."""
    for line in lines:
        _put(sys.stdout, printable_line(line) + "\n")


def write_json(document: Any, indent: int = 1) -> None:
    """Write a JSON document to stdout."""
    _put(sys.stdout, printable_json(document, indent=indent) + "\n")


def write_format(text: str) -> None:
    """Write findings in a format for machines, whose words were made printable in it.

    Its lines may be workflow commands.
    """
    for line in text.removesuffix("\n").split("\n"):
        _put(sys.stdout, printable(line) + "\n")


def write_difference(lines: Sequence[str]) -> None:
    """Write lines of a patch to stdout, where a carriage return that ends one stays."""
    for line in lines:
        shown = line.removesuffix("\r")
        _put(sys.stdout, printable_line(shown) + line[len(shown) :] + "\n")


def write_study(text: str) -> None:
    """Write a study to stdout: as it is into a pipe or a file, printable on a terminal."""
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
    """Write lines to stderr; a line break within one is made visible."""
    for line in lines:
        _put(sys.stderr, printable_line(line) + "\n")


def tell_state(line: str) -> None:
    """Write a line to stderr that the next one takes the place of."""
    _put(sys.stderr, f"\r{printable(line)}\x1b[K")


def tell_error(error: click.ClickException) -> None:
    """Write why a command refused; after a wrong use, how it is used."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        tell(*error.ctx.get_usage().split("\n"))
        tell(f"Try '{error.ctx.command_path} -h' for help.", "")
    tell(f"Error: {error.format_message()}")


def tell_traceback(error: BaseException) -> None:
    """Write a traceback, each line behind a mark: the text of an exception may have many."""
    for part in traceback.format_exception(error):
        tell(*(f"| {line}" for line in part.removesuffix("\n").split("\n")))


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
        terminal = sys.stderr.isatty()
        width = columns() if terminal else None
        text = to_text(shown, sources, colour=wants_colour(terminal), width=width)
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
