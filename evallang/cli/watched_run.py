"""A run that `evallang watch` starts, and that ends with it, however it ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

START = "from evallang.cli.watched_run import main; main()"


def start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start `evallang` with words in a process of its own.

    Its stdin is a pipe that the system closes with this process; that ends it.
    """
    # -P: no module next to the study is imported in place of an installed one
    return subprocess.Popen([sys.executable, "-P", "-c", START, *words], stdin=subprocess.PIPE)


def main() -> NoReturn:
    """Run the command, until it ends or the pipe is closed; its stdin is empty."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def end() -> None:
        os.read(pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, name="watched", daemon=True).start()
    from evallang.cli import main as run

    run()
