"""Output of an author's own code goes to stderr, after the name of the model or metric.

Standard output carries verdicts and tables, which other programs read. Lines that Python code
writes to either stream are made printable, so that they cannot forge a line of evallang in a
log; output past Python's streams (C code, child processes) reaches stderr unchanged.
"""

import codecs
import ctypes
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import Any

from evallang.printable import ERASED, can_redraw, write_lines
from evallang.process_settings import child_ended, settings_restored

LONGEST = 65_536
"""The largest number of characters of a line that is held until the line ends."""

UNNAMED = "output"
"""The prefix of a line whose model or metric is unknown."""

_SPEAKER: ContextVar[str] = ContextVar("speaker", default="")
_LOCK = threading.Lock()


class _ToStderr(io.TextIOBase):
    """A replacement of `sys.stdout` that writes whole lines to stderr, after the speaker's name."""

    def __init__(self) -> None:
        self._last = ""
        self._begun = ""

    def write(self, text: str, /) -> int:
        self._last = _SPEAKER.get() or self._last  # a thread that own code started has no name
        *lines, self._begun = (self._begun + text).split("\n")
        self._print(*lines)
        if len(self._begun) > LONGEST:
            self.end_line()
        return len(text)

    def end_line(self) -> None:
        """Print an incomplete line without waiting for its end."""
        begun, self._begun = self._begun, ""
        if begun:
            self._print(begun)

    def _print(self, *lines: str) -> None:
        stream = self._stream()
        if lines and stream is not None:
            start = self._last or UNNAMED
            whole = [self._shown(line.removesuffix("\r")) for line in lines]
            # a full disk or a reader that is gone costs the line and not the fit
            with suppress(OSError, ValueError):
                first = ERASED if can_redraw(stream) else ""  # the progress of the main process
                write_lines(stream, *(f"{start}: {line}" for line in whole), first=first)

    def _shown(self, line: str) -> str:
        return line

    def _stream(self) -> Any:
        return sys.stderr.whole if isinstance(sys.stderr, _Named) else sys.stderr

    def close(self) -> None:
        """Stay open: other models write to it too."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._stream().fileno())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def buffer(self) -> Any:
        """A stream for code that writes bytes, which are decoded as UTF-8 and printed as lines."""
        return _Bytes(self)


class _Named(_ToStderr):
    """A replacement of `sys.stderr`: lines of a model or metric bear its name, others do not."""

    def __init__(self, whole: Any) -> None:
        super().__init__()
        self.whole = whole

    def write(self, text: str, /) -> int:
        return super().write(text) if _SPEAKER.get() else int(self.whole.write(text))

    def _stream(self) -> Any:
        return self.whole

    def _shown(self, line: str) -> str:
        return line.rpartition("\r")[2]  # of a progress bar that redraws its line, the last state

    def flush(self) -> None:
        with suppress(OSError, ValueError) if _SPEAKER.get() else nullcontext():
            self.whole.flush()

    def isatty(self) -> bool:
        return not _SPEAKER.get() and bool(self.whole.isatty())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self.whole.encoding)

    @property
    def buffer(self) -> Any:
        return super().buffer if _SPEAKER.get() else self.whole.buffer


class _Bytes(io.RawIOBase):
    """A stream of bytes that writes to a stream of text."""

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
    """Run a model or metric: prefix its output with its name, and undo its changes of settings."""
    token = _SPEAKER.set(name)
    try:
        with settings_restored(), child_ended():
            yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _ToStderr):
                stream.end_line()
        _SPEAKER.reset(token)


class _Spared:
    """Standard output while it is reserved for evallang, shared by all runs of this process."""

    def __init__(self) -> None:
        self.runs = 0
        self.stream: Any = None
        self.copy: int | None = None

    def begin(self) -> None:
        """Redirect all output to stderr, including that of C code."""
        self.runs += 1
        if self.runs > 1:
            return
        flush_streams()
        self.stream, sys.stdout = sys.stdout, _ToStderr()
        if sys.stderr is not None:
            sys.stderr = _Named(sys.stderr)
        with suppress(OSError):  # one of them is closed
            self.copy = os.dup(1)
            os.dup2(2, 1)

    def end(self) -> None:
        """Restore standard output after the last run."""
        self.runs -= 1
        if self.runs:
            return
        flush_streams()
        if isinstance(sys.stdout, _ToStderr):
            sys.stdout.end_line()
        sys.stdout = self.stream
        if isinstance(sys.stderr, _Named):
            sys.stderr = sys.stderr.whole
        if self.copy is not None:
            os.dup2(self.copy, 1)
            os.close(self.copy)
            self.copy = None


_SPARED = _Spared()


@contextmanager
def stdout_spared() -> Iterator[None]:
    """Redirect all output within the context to stderr, including that of C code."""
    with _LOCK:
        _SPARED.begin()
    try:
        yield
    finally:
        with _LOCK:
            _SPARED.end()


def leave_stdout_to_us() -> None:
    """Redirect all further output of this process to stderr, in workers and before the exit."""
    with _LOCK:
        if not _SPARED.runs:
            _SPARED.begin()


def flush_streams() -> None:
    """Flush the buffers of Python and of C."""
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(AttributeError, OSError, ValueError):
            if stream is not None:
                stream.flush()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).fflush(None)
