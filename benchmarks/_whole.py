"""A whole command beside a peer's whole program: from the shell to the report, each run cold.

The seconds are those of a clock, since a command may use every core; those of the processor
are printed too, as they change less on a machine that is busy. A peer that cannot finish is a
program that prints the seconds of a few resamples; it is scaled and marked so.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from _processes import Measured, measured, ours as ours_of
from _timing import compare, within

SEED = 20181113


def _printed(measured: Measured) -> Measured:
    print(
        f"    {measured.seconds:.1f} s, of the processors {measured.processor:.1f} s, "
        f"{measured.memory / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f}"
    )
    return measured


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
        run = ours_of("run", "--fresh", "study.eval", "--out", "results")
        ours = min(_printed(measured(run, folder)).seconds for _ in range(2))
        assert (folder / "results" / "report.html").exists(), "the report is part of the work"
        peers = _printed(measured([sys.executable, "-c", program], folder))
    theirs = peers.seconds if rounds is None else float(peers.printed) * rounds
    scaled = "" if rounds is None else "a few resamples"
    met = compare(work, ours, peer, theirs, held=held, scaled=scaled)
    within(work, ours, goal=goal)
    return int(not met)
