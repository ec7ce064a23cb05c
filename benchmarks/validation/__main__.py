"""`make validate`: run every simulation, print and write the page; 1 when a claim fails."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.validation.everything import SECTIONS, SIMULATIONS, unmeasured
from benchmarks.validation.page import failures, page
from benchmarks.validation.running import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"


def main() -> int:
    """Read the options, run, and say what does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of all replications")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="sections whose key holds this")
    parser.add_argument("--write", type=Path, default=None, help="file to write the page to")
    options = parser.parse_args()
    lacking = unmeasured()
    if lacking:
        print(f"nothing measures {', '.join(lacking)}", file=sys.stderr)
        return 2
    simulations = [s for s in SIMULATIONS if options.only in s.section]
    start = time.perf_counter()

    def done(name: str, block: int, blocks: int) -> None:
        if block == blocks:
            print(f"{time.perf_counter() - start:6.0f} s  {name}", file=sys.stderr, flush=True)

    found = run(simulations, options.share, options.jobs, done)
    command = "make validate"
    if options.share != 1:
        command = (
            f"python -m benchmarks.validation --share {options.share:g} --write docs/validation.md"
        )
    text = page(SECTIONS, simulations, found, options.share, command)
    print(text)
    if options.write is not None:
        options.write.write_text(text, encoding="utf-8")
    failed = failures(simulations, found)
    for failure in failed:
        print(failure, file=sys.stderr)
    print(f"{time.perf_counter() - start:.0f} s, {len(failed)} claims fail", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
