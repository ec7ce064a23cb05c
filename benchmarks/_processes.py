"""Whole commands as a user starts them: seconds on the clock and peak memory of all processes.

Our command and the peer's run in turn, so that both meet the same load; of several rounds the
least counts. Memory is that of a process and all its descendants, sampled from /proc: a page
that several share counts once, in equal parts. To count the shares takes milliseconds for each
process, which on two processors would slow down what is measured; therefore they are counted when
the resident pages, which cost microseconds, reach a new peak, and otherwise twice a second.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
PAUSE = 0.02  # seconds between two samples
PAGE = os.sysconf("SC_PAGE_SIZE")
HIGHER = 1.02
"""Times the peak of the resident pages at which shared pages are counted at once."""
SELDOM = 0.5  # seconds between two counts otherwise
LONGEST = 300
"""Seconds that one command may take."""
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Measured:
    """What one command took.

    Seconds from start to end and of the processors, those of the processes that it waited for
    included; the peak of the memory in bytes; and what it printed.
    """

    seconds: float
    processor: float
    memory: int
    output: str


def compile_as_installed() -> None:
    """Write the byte code that an installed package has."""
    kept = {key: v for key, v in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    packages = [str(ROOT / name) for name in ("evallang", "grammar", "templates")]
    command = [sys.executable, "-m", "compileall", "-q", *packages]
    subprocess.run(command, check=True, env=kept, cwd=ROOT)


def measured(command: Sequence[str], folder: Path, **more: str) -> Measured:
    """Run a command to its end and measure it.

    Raises `SystemExit` if it fails or takes longer than `LONGEST`, at which its whole process tree
    is killed.
    """
    environment = {**os.environ, **ONE_THREAD, **more}
    # A file, because a command that fills a pipe waits until somebody reads it.
    with tempfile.TemporaryFile() as output:
        start, status, memory = time.perf_counter(), None, _Peak()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while status is None:
                memory.sample(process.pid)
                if time.perf_counter() - start > LONGEST:
                    raise SystemExit(f"{' '.join(command)} took more than {LONGEST} s")
                time.sleep(PAUSE)
                # The use of this command alone, and not of all that ran before it
                ended, code, use = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    status = process.returncode = os.waitstatus_to_exitcode(code)
            seconds = time.perf_counter() - start
        finally:
            if status is None:
                _kill(process.pid)
                process.wait()
        output.seek(0)
        said = output.read().decode(errors="replace")
    if status:
        raise SystemExit(f"{' '.join(command)} exited with {status}: {said[-2000:]}")
    return Measured(seconds, use.ru_utime + use.ru_stime, memory.bytes, said)


def in_turn(
    commands: Mapping[str, Sequence[str]], folder: Path, rounds: int = 3, **more: str
) -> dict[str, Measured]:
    """Measure several commands in turn; the least of each figure."""
    found: dict[str, Measured] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            now = measured(command, folder, **more)
            before = found.get(name, now)
            found[name] = Measured(
                min(now.seconds, before.seconds),
                min(now.processor, before.processor),
                min(now.memory, before.memory),
                now.output,
            )
    return found


def ours(*arguments: str) -> list[str]:
    """Return the command line of evallang with these arguments."""
    return [sys.executable, "-m", "evallang", *arguments]


def _kill(root: int) -> None:
    """Kill a process and all processes below it."""
    for pid in _family(root):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class _Peak:
    """The most memory of a process and all processes below it so far; 0 without /proc."""

    def __init__(self) -> None:
        self.bytes = 0
        self._resident = 0
        self._counted = 0.0

    def sample(self, root: int) -> None:
        """Count the memory now, if it may be more than ever before."""
        family = [Path(f"/proc/{pid}") for pid in _family(root)]
        resident = sum(map(_resident, family))
        now = time.perf_counter()
        waited = now - self._counted > SELDOM
        if resident > HIGHER * self._resident or (waited and resident > self.bytes):
            self._resident, self._counted = max(resident, self._resident), now
            self.bytes = max(self.bytes, sum(map(_share, family)))


def _family(root: int) -> list[int]:
    """Return a process and all processes below it."""
    found = [root]
    for pid in found:
        with suppress(OSError):
            children = Path(f"/proc/{pid}/task").glob("*/children")
            found += [int(child) for file in children for child in file.read_text().split()]
    return found


def _resident(process: Path) -> int:
    """Return the bytes of a process in memory, shared ones included; 0 if it has ended."""
    try:
        return int((process / "statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _share(process: Path) -> int:
    """Return the proportional share of a process; its resident set where the system has none."""
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, IndexError, StopIteration):
        return _resident(process)
