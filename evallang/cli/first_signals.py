"""Signals that come while the command is imported."""

import contextlib
import os
import signal
from typing import NoReturn

SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""The sentence that reports each signal which ends any command."""


def answer_first_signals() -> None:
    """End the process at once by each of these signals, until the command answers them."""
    for number in SAID:
        signal.signal(number, _end)


def _end(number: int, _: object) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, f"{SAID[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)
