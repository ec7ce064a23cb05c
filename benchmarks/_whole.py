"""A whole command beside a peer's whole program: from the shell to the report, each run cold.

The seconds are those of a clock, since a command may use every core; those of the processor
are printed too, as they change less on a machine that is busy. A peer that cannot finish is a
program that prints the seconds of a few resamples; it is scaled and marked so.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _timing import compare, within

SEED = 20181113


def measured(command: list[str], folder: Path) -> tuple[float, str]:
    """Run a command, print its seconds and peak memory, and return seconds and its output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    memory, load = after.ru_maxrss / 1024, os.getloadavg()[0]
    print(
        f"    {seconds:.1f} s, of a processor {spent:.1f} s, "
        f"largest process so far {memory:.0f} MB, load {load:.1f}"
    )
    return seconds, done.stdout


def whole_command(
    work: str,
    study: str,
    write: Callable[[Path], None],
    peer: str,
    program: str,
    *,
    goal: float,
    held: float,
    rounds: int | None = None,
) -> int:
    """Compare `evallang run` on a study with a peer's program; return 1 when a limit is missed.

    `goal` is in seconds, `held` the least ratio; with `rounds` the program prints the seconds
    of one resample for all models and metrics, and its figure is `rounds` times that.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        (folder / "study.eval").write_text(study, encoding="utf-8")
        run = [sys.executable, "-m", "evallang", "run", "study.eval", "--out", "results"]
        ours = min(measured(run, folder)[0] for _ in range(2))
        assert (folder / "results" / "report.html").exists(), "the report is part of the work"
        theirs, said = measured([sys.executable, "-c", program], folder)
    if rounds is not None:
        theirs = float(said) * rounds
    scaled = "" if rounds is None else "a few resamples"
    met = compare(work, ours, peer, theirs, held=held, scaled=scaled)
    within(work, ours, goal=goal)
    return int(not met)
