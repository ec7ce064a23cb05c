"""What keeps a run whole while an author's own code runs in one of its processes.

Output of own code goes to stderr, after the name of the model or metric: standard output carries
verdicts and tables, which other programs read. Lines that Python code writes to either stream are
made printable, so that they cannot forge a line of evallang in a log; output past Python's streams
(C code, child processes) reaches stderr unchanged. Settings of the process that own code changes
are restored, since other fits and the results are in it, and it cannot end the process.
"""

import codecs
import ctypes
import importlib
import io
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from typing import Any, NoReturn

from evallang.printable import ERASED, can_redraw, write_lines
from evallang.working_folder import working_folder_restored

# --- settings of the process -------------------------------------------------------------------

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""Signals that end a run, for which packages install handlers of their own."""

_KEPT: ContextVar[ExitStack | None] = ContextVar("kept", default=None)


@contextmanager
def settings_restored() -> Iterator[None]:
    """Restore what decides how other models are fitted in this process.

    These are the current folder, the mode of new files, the most recursion, how numpy treats
    errors of floating point, and scikit-learn's configuration; the standard streams, to which
    others still write; the handlers of signals that end a run, and that no timer runs; and the
    generators that `seed_shared_draws` seeds. Of a package that is not loaded nothing can be kept.
    """
    with ExitStack() as kept:
        token = _KEPT.set(kept)
        kept.callback(_KEPT.reset, token)
        kept.enter_context(working_folder_restored())
        mask = os.umask(0o77)
        os.umask(mask)
        kept.callback(os.umask, mask)
        kept.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        for name in ("stdin", "stdout", "stderr"):
            kept.callback(setattr, sys, name, getattr(sys, name))
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                kept.callback(_handle, number, signal.getsignal(number))
            if not any(signal.getitimer(signal.ITIMER_REAL)):
                kept.callback(signal.setitimer, signal.ITIMER_REAL, 0)
        if "numpy" in sys.modules:
            from numpy import errstate

            kept.enter_context(errstate())
        if "sklearn" in sys.modules:
            from sklearn import config_context

            kept.enter_context(config_context())
        yield


def _handle(number: int, handler: Any) -> None:
    """Restore the handler of a signal; None is a handler that Python did not install.

    A signal that is ignored stays so: the command line ignores all once it has answered one.
    """
    if handler is not None and signal.getsignal(number) not in (handler, signal.SIG_IGN):
        signal.signal(number, handler)


def seed_shared_draws(seed: int) -> None:
    """Seed the generators of `random` and `numpy.random`, from which own code may draw.

    Its draws would otherwise depend on the earlier fits of this process. `settings_restored`
    restores the generators; outside of it nothing is seeded. `seed` has 32 bits.
    """
    kept = _KEPT.get()
    if kept is None:
        return
    of_numpy: Any = importlib.import_module("numpy.random")
    ours = _bits()
    if of_numpy.get_bit_generator() is not ours:
        kept.callback(of_numpy.set_bit_generator, of_numpy.get_bit_generator())
        kept.callback(random.setstate, random.getstate())
        of_numpy.set_bit_generator(ours)
    of_numpy.seed(seed)
    random.seed(seed)


@cache
def _bits() -> Any:
    """Make a separate generator, so that no state of another has to be copied."""
    from numpy.random import MT19937

    return MT19937(0)


@contextmanager
def child_ended() -> Iterator[None]:
    """End a forked process where it leaves the code within: it would continue as its parent does.

    Its exit status is that of a Python program that ends there.
    """
    process = os.getpid()
    try:
        yield
    except BaseException as error:
        if os.getpid() != process:
            _end_child(error)
        raise
    if os.getpid() != process:
        _end_child(None)


def _end_child(error: BaseException | None) -> NoReturn:
    status: object = 0
    if isinstance(error, SystemExit):
        status = error.code or 0
    elif error is not None:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status if isinstance(status, int) else 1)


@contextmanager
def process_kept() -> Iterator[None]:
    """Have `os._exit` of other code raise `SystemExit`: a run would end as if nothing had failed.

    A process that the code forks ends as it should, and so does this one by our own calls.
    """
    end, process = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if os.getpid() != process or caller.partition(".")[0] == __name__.partition(".")[0]:
            end(status)
        raise SystemExit(status)

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = end


# --- output ------------------------------------------------------------------------------------

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
