"""What own code may change or end in this process, in which other fits and the results are."""

import importlib
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from typing import Any, NoReturn

from evallang.working_folder import working_folder_restored

SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
    if hasattr(signal, name)
)
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
            if hasattr(signal, "setitimer") and not any(signal.getitimer(signal.ITIMER_REAL)):
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
