"""Commands whose streams are closed, each a fork of one process that has imported them all.

A whole start of each would take most of a second. A fork has what a start finds: descriptors that
are closed, and no stream above them, or a stream whose reader has gone or whose disk is full.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

CLOSED = ("closed", "left by its reader", "full")
"""What a shell writes as `>&- 2>&- <&-`, `2>&1 | head -c 1` and `> /dev/full`."""
WARM = (
    "polars",
    "evallang.api.running",
    "evallang.data.predictions",
    "evallang.engine.run",
    "evallang.models.catalogue",
    "evallang.reporting.report",
)


def ended(cases: list[tuple[str, list[str], Path]]) -> list[int]:
    """Run commands to their end: for each how its streams are closed, its words and its folder.

    Returns their exit codes. What a command says on stderr is in `said` in its folder.
    """
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps([(how, words, str(folder)) for how, words, folder in cases]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    found: list[int] = json.loads(done.stdout)
    return found


def _exit_code(how: str, words: list[str], folder: str) -> int:
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        _close(how, writes, folder)
        os.environ["TMPDIR"], tempfile.tempdir = folder, None
        os.chdir(folder)
        sys.argv = ["evallang", *words]
        import_module("evallang.cli.main").main()
    os.close(writes)
    if how == "left by its reader":
        os.read(reads, 1)
    os.close(reads)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _close(how: str, pipe: int, folder: str) -> None:
    """Arrange descriptors and streams as Python's start finds and makes them."""
    said = os.open(f"{folder}/said", os.O_WRONLY | os.O_CREAT)
    full = os.open("/dev/full", os.O_WRONLY)
    out, err = (full, said) if how == "full" else (pipe, pipe)
    os.dup2(out, 1)
    os.dup2(err, 2)
    for number in (said, full, pipe):
        os.close(number)
    if how == "closed":
        os.closerange(0, 3)
        sys.stdin = sys.stdout = sys.stderr = None
    else:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    commands = import_module("evallang.cli.main").COMMANDS
    for name in (*WARM, *(f"evallang.cli.{module}" for module, _ in commands.values())):
        import_module(name)
    print(json.dumps([_exit_code(*case) for case in json.load(sys.stdin)]))
