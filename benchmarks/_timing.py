"""Ours and a peer's processor seconds in one process, with one BLAS thread each.

With one thread they are those on the clock of a machine that does nothing else. Import it
before numpy: the number of threads is read when numpy starts.

Three kinds of numbers are next to a figure. A *goal* is the design's and may be far; its
distance is printed and decides nothing. What the *prototype* reached is printed too. A *limit*
makes a benchmark, and `make bench`, exit with 1: one that an issue promises, or one that is
held: about half of what was reached last, or of what the prototype reached where that is less,
since a machine under load may halve a ratio.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"


ROWS = "EVALLANG_BENCHMARK_ROWS"
"""The variable that names the file to which a benchmark adds its rows."""


@dataclass(frozen=True)
class Row:
    """One figure beside a peer's, a goal and a limit; `met` is None without a limit.

    `ours` and `theirs` are in seconds or in MB; `goal` and `held` are ratios where a peer was
    measured, and otherwise in the same unit.
    """

    work: str
    ours: float
    unit: Literal["s", "MB"] = "s"
    peer: str = ""
    theirs: float | None = None
    scaled: str = ""
    goal: float | None = None
    held: float | None = None
    met: bool | None = None


def report(row: Row) -> None:
    """Add a row, with the load of the machine, to the file that `make bench` reads."""
    if place := os.environ.get(ROWS):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(row), "load": os.getloadavg()[0]}) + "\n")


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
) -> bool:
    """Print both figures and their ratio beside goal, prototype and limit; tell if that is met.

    `scaled` says from where the peer's figure was scaled, as it cannot finish the work.
    """
    ratio = theirs / ours
    note = f" (scaled from {scaled})" if scaled else ""
    print(f"  {work}")
    print(f"    evallang {written(ours)}   {peer} {written(theirs)}{note}   ratio {ratio:,.3g}x")
    beside = []
    if prototype is not None:
        beside.append(f"prototype {prototype:,g}x, {ratio / prototype:.2f} of it")
    if goal is not None:
        beside.append(f"goal {goal:,g}x, {ratio / goal:.2f} of it")
    if held is not None:
        met = "met" if ratio >= held else "MISSED"
        beside.append(f"limit held {held:,g}x, {met}")
    if beside:
        print(f"    {'   '.join(beside)}")
    met = None if held is None else ratio >= held
    report(Row(work.strip(), ours, "s", peer, theirs, scaled, goal, held, met))
    return met is not False


def within(work: str, ours: float, *, goal: float | None = None, held: float | None = None) -> bool:
    """Print a time beside its goal and its limit in seconds; tell if that is met."""
    beside = "" if goal is None else f"   goal {written(goal)}, {ours / goal:.1f} times it"
    if held is not None:
        beside += f"   limit held {written(held)}, {'met' if ours <= held else 'MISSED'}"
    print(f"  {work}: {written(ours)}{beside}")
    met = None if held is None else ours <= held
    report(Row(work.strip(), ours, "s", goal=goal, held=held, met=met))
    return met is not False


def memory(
    work: str, ours: float, *, peer: str = "", theirs: float | None = None, held: float
) -> bool:
    """Print a peak of memory in MB; `held` is a ratio beside a peer's, else MB."""
    met = ours <= held if theirs is None else theirs / ours >= held
    beside = "" if theirs is None else f", {peer} {theirs:,.0f} MB"
    limit = f"{held:,g} MB" if theirs is None else f"{held:,g}x"
    print(f"    memory {ours:,.0f} MB{beside}   limit held {limit}, {'met' if met else 'MISSED'}")
    report(Row(work.strip(), ours, "MB", peer, theirs, held=held, met=met))
    return met


def written(time_taken: float) -> str:
    """Write seconds with the unit that suits them."""
    if time_taken < 1e-3:
        return f"{time_taken * 1e6:.0f} us"
    return f"{time_taken * 1e3:.1f} ms" if time_taken < 1 else f"{time_taken:,.1f} s"
