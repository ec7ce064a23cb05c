"""Signals that end a command: in one line on stderr, with an exit code, and in two seconds.

Imported before all else, so that a signal is answered while the command is imported.
"""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

SAID = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "the terminal was closed",
}
"""The sentence that reports each signal which ends a command."""
AGAIN = 0.02  # seconds
WOKEN_AFTER = 0.1  # seconds
ANSWERED_WITHIN = 1.0  # seconds
ENDED_WITHIN = 1.7  # seconds, of the two in which a signal ends a run
FOUND: list[int] = []
"""The signal that was answered, if any."""
_ANSWERED = threading.Event()
ENDED = threading.Event()


def answer_first() -> None:
    """End the process at once by a signal, until the command answers them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)


def _end_at_once(number: int, _: object) -> NoReturn:
    with suppress(OSError):
        os.write(2, f"{SAID[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def answer() -> None:
    """Answer each signal by a `KeyboardInterrupt`, which ends the command as Ctrl-C does.

    Python cannot raise it while a fit in this process is in C code, and some code swallows it: a
    thread ends the process where that takes too long.
    """
    for number in SAID:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # by nohup
            signal.signal(number, _interrupt)
    sys.unraisablehook = _answer_again
    _start_watching()
    os.register_at_fork(after_in_child=_leave_to_others)


def _start_watching() -> None:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(woken,), name="signals", daemon=True).start()


def _interrupt(number: int, _: object) -> NoReturn:
    """End the command at the first signal; a second one must not interrupt the clean-up."""
    if ENDED.is_set():
        os._exit(128 + number)
    FOUND.append(number)
    _ANSWERED.set()
    for other in SAID:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt


def _answer_again(dropped: "sys.UnraisableHookArgs") -> None:
    """Answer a signal again whose exception Python has dropped, as in a destructor."""
    if not (FOUND and isinstance(dropped.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(dropped)
        return
    number = FOUND.pop()
    signal.signal(number, _interrupt)
    threading.Timer(AGAIN, os.kill, (os.getpid(), number)).start()


def _leave_to_others() -> None:
    """Restore the usual handlers in a process that other code forks.

    A signal to the child would also end the command, whose pipe of signals it has.
    """
    signal.set_wakeup_fd(-1)
    for number in SAID:
        if signal.getsignal(number) is _interrupt:
            usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, usual)


def _watch(woken: int) -> None:
    while (number := os.read(woken, 1)[0]) not in SAID:
        pass
    if _ends_in_time(number):
        return
    from evallang.cli.terminal import redraws, tell_state

    if redraws():
        tell_state("")
    os._exit(report(number))


def _ends_in_time(number: int) -> bool:
    """Wait for the end of the command; return whether it ends, all times counted from now."""
    began = time.monotonic()
    if not _ANSWERED.wait(WOKEN_AFTER):
        _wake_main_thread(number)
    return all(
        event.wait(max(began + seconds - time.monotonic(), 0))
        for event, seconds in ((_ANSWERED, ANSWERED_WITHIN), (ENDED, ENDED_WITHIN))
    )


def _wake_main_thread(number: int) -> None:
    """Send a signal again, to end what the main thread waits for, such as a lock.

    polars has a handler of its own for Ctrl-C, after which the system continues to wait.
    """
    signal.siginterrupt(number, True)
    ident = threading.main_thread().ident
    assert ident is not None
    signal.pthread_kill(ident, number)


def report(number: int, more: str = "") -> int:
    """State which signal ends the command, and what else is known; return its exit code."""
    from evallang.cli.terminal import tell

    tell(SAID[signal.Signals(number)] + (f": {more}" if more else ""))
    return 128 + number


def report_ending(more: str) -> int:
    """State the signal of a command that was interrupted; return its exit code."""
    return report(FOUND[0] if FOUND else signal.SIGINT, more)
