"""Errors of anyone's code: their texts, and the fits that are lost to them."""

from __future__ import annotations

import re
import signal
import threading

from msgspec import Struct

WITHOUT_MESSAGE = "raised without a message"
LONGEST_MESSAGE = 300  # characters; what is left of some messages is a copy of the data

_ADDRESS = re.compile(r"( at)? 0x[0-9a-fA-F]+")
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:)?(?:[/\\][\w.+-]+)+[/\\]([\w.+-]+)")


def clean_message(text: str) -> str:
    """Remove addresses and folders, which differ between equal runs, from a message."""
    plain = " ".join(_PATH.sub(r"\1", _ADDRESS.sub("", text)).split())
    return plain if len(plain) <= LONGEST_MESSAGE else plain[: LONGEST_MESSAGE - 1] + "…"


def error_text(error: BaseException | str) -> str:
    """Return the cleaned text of an exception or a warning, also where making it raises."""
    try:
        text = clean_message(str(error))
    except BaseException as reason:  # of the author's own `__str__`
        if is_interruption(reason) or isinstance(reason, FitLost):
            raise
        return f"its text is unknown, because `__str__` raised {type(reason).__name__}"
    if isinstance(error, SystemExit):
        return f"it ended the process: {text}" if text else "it ended the process"
    raised = isinstance(error, BaseException) and not isinstance(error, Warning)
    return WITHOUT_MESSAGE if raised and not text else text


def is_interruption(error: BaseException) -> bool:
    """Return whether an exception is a Ctrl-C, not one that the author's own code raised.

    Ctrl-C reaches the main thread alone, and no process in which the signal is blocked, as it
    is in workers. The command line ignores the signal once it has answered it. Where neither
    decides, as with Python's own handler, it is taken for a Ctrl-C.
    """
    if not isinstance(error, KeyboardInterrupt):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        return False
    return signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.default_int_handler)


class Loss(Struct, frozen=True):
    """Why a fit was lost, as results record it; elsewhere the fit may succeed."""

    error: str
    message: str


class FitLost(BaseException):
    """Raised within a fit that is lost; not an `Exception`, which own code may catch."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.message)
        self.loss = loss


def time_loss(seconds: float) -> Loss:
    """Return the loss of a fit that reached the time limit."""
    message = f"the fit took longer than the {seconds:g} s that --fit-timeout allows"
    return Loss("TimeLimit", message)


def memory_loss(size: int) -> Loss:
    """Return the loss of a fit that reached the memory limit, in bytes."""
    message = f"the fit needed more than the {size / 1e6:,.0f} MB that --memory allows a process"
    return Loss("MemoryError", message)


def process_loss(error: str, message: str) -> Loss:
    """Return the loss of a task whose own code left its process unusable."""
    return Loss(error, f"{message} (outside of the fit, in the process of own code)")


def worker_loss() -> Loss:
    """Return the loss of a fit that killed every worker of a cluster that ran it."""
    return Loss("ProcessDied", "every worker of the cluster that ran its task died of it")


def death_loss(status: int) -> Loss:
    """Return the loss of a fit whose process died; `status` is negative for a signal."""
    if status >= 0:
        said = f"the process that fitted it ended with exit code {status}"
    else:
        text = (signal.strsignal(-status) or "unknown").lower()
        said = f"the process that fitted it was killed by signal {-status} ({text})"
    if status == -signal.SIGKILL:
        said += ", which the system also sends when memory runs out"
    return Loss("ProcessDied", said)
