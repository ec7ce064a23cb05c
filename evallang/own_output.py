"""What code prints that is not ours: to stderr, with the name of the model or metric in front.

Standard output carries verdicts and tables, which other programs read. Lines that Python code
prints are made printable, so that they forge no line of ours in a log; what goes past Python's
streams (C code, child processes) reaches stderr as it is.
"""

import codecs
import ctypes
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from evallang.printable import write_lines
from evallang.working_folder import working_folder_restored

LONGEST = 65_536
"""Characters of a line that are kept until it ends."""

UNNAMED = "output"
"""What stands in front of a line that no model or metric is known to have printed."""

_SPEAKER: ContextVar[str] = ContextVar("speaker", default="")
_LOCK = threading.Lock()


class _ToStderr(io.TextIOBase):
    """Stands for `sys.stdout`: whole lines go to stderr, each with who printed it."""

    def __init__(self) -> None:
        self._last = ""
        self._begun = ""

    def write(self, text: str, /) -> int:
        self._last = _SPEAKER.get() or self._last  # a thread of its own code knows no name
        *lines, self._begun = (self._begun + text).split("\n")
        self._print(*lines)
        if len(self._begun) > LONGEST:
            self.end_line()
        return len(text)

    def end_line(self) -> None:
        """Print what was begun without waiting for the end of its line."""
        begun, self._begun = self._begun, ""
        if begun:
            self._print(begun)

    def _print(self, *lines: str) -> None:
        if lines and sys.stderr is not None:
            start = self._last or UNNAMED
            whole = [line.removesuffix("\r") for line in lines]
            write_lines(sys.stderr, *(f"{start}: {line}" for line in whole))

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return sys.stderr.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def buffer(self) -> Any:
        """A stream for code that writes bytes; they are read as UTF-8 and printed as lines."""
        return _Bytes(self)


class _Bytes(io.RawIOBase):
    """The bytes of a stream of text."""

    def __init__(self, text: _ToStderr) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def write(self, content: Any, /) -> int:
        found = bytes(content)
        self._text.write(self._decoder.decode(found))
        return len(found)

    def writable(self) -> bool:
        return True


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Let a model or metric run: its prints carry its name, its change of folder ends with it."""
    token = _SPEAKER.set(name)
    try:
        with working_folder_restored():
            yield
    finally:
        if isinstance(sys.stdout, _ToStderr):
            sys.stdout.end_line()
        _SPEAKER.reset(token)


class _Spared:
    """Standard output while it is kept for us: once for all runs of this process."""

    def __init__(self) -> None:
        self.runs = 0
        self.stream: Any = None
        self.copy: int | None = None

    def begin(self) -> None:
        """Send everything that is printed to stderr, by whatever way."""
        self.runs += 1
        if self.runs > 1:
            return
        _flush()
        self.stream, sys.stdout = sys.stdout, _ToStderr()
        with suppress(OSError):  # one of them is closed
            self.copy = os.dup(1)
            os.dup2(2, 1)

    def end(self) -> None:
        """Give standard output back after the last run."""
        self.runs -= 1
        if self.runs:
            return
        _flush()
        if isinstance(sys.stdout, _ToStderr):
            sys.stdout.end_line()
        sys.stdout = self.stream
        if self.copy is not None:
            os.dup2(self.copy, 1)
            os.close(self.copy)
            self.copy = None


_SPARED = _Spared()


@contextmanager
def stdout_spared() -> Iterator[None]:
    """Keep standard output clean: what is printed meanwhile goes to stderr, by C code too."""
    with _LOCK:
        _SPARED.begin()
    try:
        yield
    finally:
        with _LOCK:
            _SPARED.end()


def leave_stdout_to_us() -> None:
    """Send all that this process prints from now on to stderr: in workers, and at the end."""
    with _LOCK:
        if not _SPARED.runs:
            _SPARED.begin()


def _flush() -> None:
    """Write out what waits in buffers of Python and of C."""
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(AttributeError, OSError, ValueError):
            if stream is not None:
                stream.flush()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).fflush(None)
