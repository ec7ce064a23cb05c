"""How long is a cold `evallang check` of a 30-line study beside `import click, lark`?

Prints the median of both over alternating runs, their ratio and the distance from the
limit; exits with 1 when the limit is missed.

    python benchmarks/cold_check.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "examples" / "screening.eval"
LIMIT = 3.0  # times the import
RUNS = 15


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> int:
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "evallang")], check=True)
    check = ("-m", "evallang", "check", str(STUDY))
    floor = ("-c", "import click, lark")
    seconds(*check), seconds(*floor)
    ours, theirs = zip(*((seconds(*check), seconds(*floor)) for _ in range(RUNS)), strict=True)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"evallang check    {a * 1000:6.0f} ms")
    print(f"import click,lark {b * 1000:6.0f} ms")
    print(f"ratio             {a / b:6.2f}   limit {LIMIT}, distance {LIMIT - a / b:+.2f}")
    return 0 if a / b <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
