"""What code that is not ours raises: its text, and whether it was an interruption."""

import re
import signal
import threading

from evallang.models.losses import FitLost

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
