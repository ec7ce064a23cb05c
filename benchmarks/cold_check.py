"""How long is a cold `evallang check` of a 30-line study, also beside `import click, lark`?

Reports the median of both over alternating runs: of the command as users call it, and of modules
that are compiled, as those of an installed package are.

    python -m benchmarks.cold_check
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks._processes import ROOT, compile_as_installed
from benchmarks._rows import Kind, Row, report

STUDY = ROOT / "examples" / "screening.eval"
LIMIT = 5.0  # times the import
RUNS = 15


def seconds(*command: str) -> float:
    # Without the variable under which Python compiles the package at every start
    compiled = {key: v for key, v in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=compiled)
    return time.perf_counter() - start


def main() -> None:
    compile_as_installed()
    check = (str(Path(sys.executable).with_name("evallang")), "check", str(STUDY))
    floor = (sys.executable, "-c", "import click, lark")
    seconds(*check), seconds(*floor)
    ours, theirs = zip(*((seconds(*check), seconds(*floor)) for _ in range(RUNS)), strict=True)
    report(
        Row(
            "cold `evallang check` of 30 lines",
            statistics.median(ours),
            peer="import click, lark",
            theirs=statistics.median(theirs),
            kind=Kind.TIMES,
            limit=LIMIT,
        )
    )


if __name__ == "__main__":
    main()
