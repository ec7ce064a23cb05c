"""What own code may change or end in this process, in which other fits and the results are."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import NoReturn

from evallang.working_folder import working_folder_restored


@contextmanager
def settings_restored() -> Iterator[None]:
    """Restore what decides how other models are fitted in this process.

    These are the current folder, the most recursion, how numpy treats errors of floating point,
    and scikit-learn's configuration; and the standard streams, to which others still write. Of a
    package that is not loaded nothing can be kept.
    """
    with ExitStack() as kept:
        kept.enter_context(working_folder_restored())
        kept.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        for name in ("stdin", "stdout", "stderr"):
            kept.callback(setattr, sys, name, getattr(sys, name))
        if "numpy" in sys.modules:
            from numpy import errstate

            kept.enter_context(errstate())
        if "sklearn" in sys.modules:
            from sklearn import config_context

            kept.enter_context(config_context())
        yield


@contextmanager
def child_ended() -> Iterator[None]:
    """End a process that the code within forks and that leaves it: it would go on as this one does.

    Its exit status is what Python gives at the end of a program.
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
