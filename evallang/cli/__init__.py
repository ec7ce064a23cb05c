"""The command line; the module of a command is imported when the command is called."""

import contextlib
import os
import signal
from typing import NoReturn

SAID = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""The sentence that reports each signal which ends any command."""


def main() -> NoReturn:
    """Run the command. A signal ends it while what cleans up after one is still imported, too."""
    for number in SAID:
        signal.signal(number, _end)
    from evallang.cli.main import main as run

    run()


def _end(number: int, _: object) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, f"{SAID[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)
