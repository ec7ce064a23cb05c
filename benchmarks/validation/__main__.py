"""`make validate` and `make validate-full`: run simulations, print or write the page.

Exit status 1 where a claim fails that no sentence of the page explains.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.validation.everything import SECTIONS, SIMULATIONS, unmeasured
from benchmarks.validation.page import failures, page
from benchmarks.validation.record import Record, read, write
from benchmarks.validation.running import SEED, replications, run
from benchmarks.validation.simulation import Simulation, Tally

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"


def main() -> int:
    """Read the options, run what is not measured yet, and report what does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of all replications")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="simulations whose name holds this")
    parser.add_argument("--again", action="store_true", help="measure anew what is recorded")
    parser.add_argument("--record", type=Path, default=None, help="file of what is measured")
    parser.add_argument("--write", type=Path, default=None, help="file to write the page to")
    parser.add_argument("--page-only", action="store_true", help="run nothing")
    options = parser.parse_args()
    lacking = unmeasured()
    if lacking:
        print(f"nothing measures {', '.join(lacking)}", file=sys.stderr)
        return 2
    records = read(options.record) if options.record else {}
    start = time.perf_counter()
    wanted = {s.name: replications(s, options.share) for s in SIMULATIONS}

    def lacks(simulation: Simulation) -> bool:
        known = records.get(simulation.name)
        measured = known is not None and known.answers(simulation, SEED, wanted[simulation.name])
        return options.only in simulation.name and (options.again or not measured)

    def done(name: str, found: Mapping[str, Tally]) -> None:
        day = datetime.now(UTC).date().isoformat()
        records[name] = Record(SEED, wanted[name], day, found)
        if options.record:
            write(options.record, records, SIMULATIONS)
        passed = time.perf_counter() - start
        print(f"{passed:6.0f} s  {name}", file=sys.stderr, flush=True)

    pending = [] if options.page_only else [s for s in SIMULATIONS if lacks(s)]
    run(pending, options.share, options.jobs, done)
    shown = [s for s in SIMULATIONS if s.name in records]
    text = page(SECTIONS, shown, records)
    if options.write is None:
        print(text)
    else:
        options.write.write_text(text, encoding="utf-8")
    failed = failures(shown, records)
    for failure in failed:
        print(failure.words, file=sys.stderr)
    unexplained = [failure for failure in failed if not failure.line.shortfall]
    print(
        f"{time.perf_counter() - start:.0f} s, {len(failed)} claims fail, "
        f"{len(unexplained)} of them without a sentence; "
        f"{len(SIMULATIONS) - len(shown)} simulations are not measured yet",
        file=sys.stderr,
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
