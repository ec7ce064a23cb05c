"""Ours and a peer's seconds in one process, with one BLAS thread each.

Import it before numpy: the number of threads is read when numpy starts.
"""

import os
import time
from collections.abc import Callable

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"


def seconds(work: Callable[[], object], runs: int = 5, most: float = 60.0) -> float:
    """Give the least seconds of several runs, fewer where they take long."""
    best, start = float("inf"), time.perf_counter()
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
        if time.perf_counter() - start > most / 2:
            break
    return best


def compare(
    work: str, ours: float, peer: str, theirs: float, goal: float | None, scaled: str = ""
) -> None:
    """Print both figures, their ratio and its distance from the goal, where there is one.

    `scaled` says from where the peer's figure was scaled, as it cannot finish the work.
    Goals are those of the design; limits, which make `make bench` fail, are named in issues.
    """
    ratio = theirs / ours
    note = f" (scaled from {scaled})" if scaled else ""
    print(f"  {work}")
    print(f"    evallang {written(ours)}   {peer} {written(theirs)}{note}")
    distance = "" if goal is None else f"   goal {goal:,g}x, {ratio / goal:.2f} of it"
    print(f"    ratio {ratio:,.3g}x{distance}")


def written(time_taken: float) -> str:
    """Write seconds with the unit that suits them."""
    if time_taken < 1e-3:
        return f"{time_taken * 1e6:.0f} us"
    return f"{time_taken * 1e3:.1f} ms" if time_taken < 1 else f"{time_taken:,.1f} s"
