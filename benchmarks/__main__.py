"""`make bench`: run every benchmark; exits with 1 when a limit is missed.

Limits are those that issues promise (`cold_check`, `long_files`, `syntax_recovery`) and those
that we hold (`_timing.py`); goals are printed with their distance and decide nothing. Name some
of the scripts to run no others.

    python -m benchmarks [delong bootstrap_auc ...]
"""

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    scripts = [s for s in sorted(HERE.glob("*.py")) if not s.name.startswith("_")]
    wanted = set(sys.argv[1:])
    if unknown := wanted - {script.stem for script in scripts}:
        print(f"there is no benchmark called {', '.join(sorted(unknown))}")
        return 2
    missed, begin = [], time.perf_counter()
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load} over 1, 5 and 15 minutes before the start")
    for script in scripts:
        if wanted and script.stem not in wanted:
            continue
        print(f"== {script.stem}", flush=True)
        start = time.perf_counter()
        if subprocess.run([sys.executable, str(script)], check=False).returncode:
            missed.append(script.stem)
        print(f"  ({time.perf_counter() - start:.0f} s, load {os.getloadavg()[0]:.1f})", flush=True)
    print(f"{(time.perf_counter() - begin) / 60:.1f} minutes")
    print(f"limits missed: {', '.join(missed)}" if missed else "all limits are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
