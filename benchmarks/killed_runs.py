"""A study is killed at 20 random moments and run to its end: no finished fit is lost.

Reports the seconds of the test that does it; a crash here is a lost fit, another result, or a
file that is not whole.

    python -m benchmarks.killed_runs
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks._rows import Row, report

ROOT = Path(__file__).resolve().parents[1]
KILLS = 20


def main() -> None:
    test = ("-m", "pytest", "-n", "0", "tests/engine/test_killed_runs.py")
    start = time.perf_counter()
    environment = {**os.environ, "EVALLANG_KILLS": str(KILLS)}
    subprocess.run([sys.executable, *test], check=True, cwd=ROOT, env=environment)
    seconds = time.perf_counter() - start
    report(
        Row(
            f"a study killed {KILLS} times, and run to its end",
            seconds,
            note="no finished fit is lost",
        )
    )


if __name__ == "__main__":
    main()
