"""Ours and a peer's seconds in one process, with one BLAS thread each.

They are processor seconds, which in one thread are those on the clock of a machine that does
nothing else. What starts threads of its own is measured by the clock, and the note says what
the processors took. Import it before numpy: the number of threads is read when numpy starts.
"""

import os
import time
from collections.abc import Callable

from benchmarks._rows import Bound, Kind, Row, report

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"


def seconds(work: Callable[[], object], runs: int = 5, most: float = 60.0) -> float:
    """Give the least processor seconds of several runs, fewer where they take long."""
    best, start = float("inf"), time.perf_counter()
    for _ in range(runs):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
        if time.perf_counter() - start > most / 2:
            break
    return best


def clock(work: Callable[[], object], runs: int = 3) -> tuple[float, str]:
    """Give the least seconds on the clock, and a note of the processor seconds of that run."""
    found = []
    for _ in range(runs):
        begin, processors = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - begin, time.process_time() - processors))
    seconds, processors = min(found)
    return seconds, f"in two threads, {processors:.1f} s of the processors"


def compare(
    work: str,
    ours: float,
    peer: str,
    theirs: float,
    *,
    goal: float | None = None,
    prototype: float | None = None,
    held: float | None = None,
    scaled: str = "",
    note: str = "",
) -> None:
    """Report both figures, their ratio, goal and limit.

    `scaled` says from where the peer's figure was scaled, as it cannot finish the work.
    """
    notes = [note] if note else []
    notes += [f"peer scaled from {scaled}"] if scaled else []
    notes += [] if prototype is None else [f"prototype {prototype:,g}x"]
    report(
        Row(
            work,
            ours,
            peer=peer,
            theirs=theirs,
            limit=None if held is None else Bound(Kind.RATIO, held),
            goal=None if goal is None else Bound(Kind.RATIO, goal),
            note="; ".join(notes),
        )
    )


def within(
    work: str,
    ours: float,
    *,
    goal: float | None = None,
    held: float | None = None,
    note: str = "",
) -> None:
    """Report a time beside its goal and its limit in seconds."""
    limit = None if held is None else Bound(Kind.MOST, held)
    aim = None if goal is None else Bound(Kind.MOST, goal)
    report(Row(work, ours, limit=limit, goal=aim, note=note))
