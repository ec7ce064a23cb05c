"""`make bench`: run every benchmark; exits with 1 when a limit is missed.

Limits are those that issues promise (`cold_check`, `long_files`, `syntax_recovery`) and those
that we hold (`_timing.py`); goals are printed with their distance and decide nothing. Name some
of the scripts to run no others; a run of all writes `RESULTS.md` with machine and versions.

    python -m benchmarks [delong bootstrap_auc ...]
"""

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "pandas", "mlxtend", "statsmodels")


def main() -> int:
    scripts = [s for s in sorted(HERE.glob("*.py")) if not s.name.startswith("_")]
    wanted = set(sys.argv[1:])
    if unknown := wanted - {script.stem for script in scripts}:
        print(f"there is no benchmark called {', '.join(sorted(unknown))}")
        return 2
    missed, written, begin = [], [], time.perf_counter()
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    machine = f"{os.cpu_count()} processors, load {load} over 1, 5 and 15 minutes before the start"
    print(machine)
    for script in scripts:
        if wanted and script.stem not in wanted:
            continue
        print(f"== {script.stem}", flush=True)
        start = time.perf_counter()
        code, lines = _run(script)
        if code:
            missed.append(script.stem)
        took = f"  ({time.perf_counter() - start:.0f} s, load {os.getloadavg()[0]:.1f})"
        print(took, flush=True)
        written += [f"## {script.stem}", "", "```", *lines, took, "```", ""]
    minutes = f"{(time.perf_counter() - begin) / 60:.1f} minutes"
    end = f"limits missed: {', '.join(missed)}" if missed else "all limits are met"
    print(minutes, end, sep="\n")
    if not wanted:
        head = ["# Benchmarks", "", "Written by `make bench`.", "", machine, ""]
        head += [*_versions(), "", f"{minutes}; {end}", ""]
        RESULTS.write_text("\n".join([*head, *written]), encoding="utf-8")
    return 1 if missed else 0


def _run(script: Path) -> tuple[int, list[str]]:
    """Run one benchmark, print what it prints as it comes, and return its exit code and lines."""
    lines = []
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    return process.returncode, lines


def _versions() -> list[str]:
    """Describe machine and versions."""
    cpu = Path("/proc/cpuinfo")
    names = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    name = next((line.split(":")[1].strip() for line in names if "model name" in line), "")
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return [
        f"{platform.system()} {platform.machine()}, {name or 'processor unknown'}",
        "",
        f"Python {platform.python_version()}, {packages}",
    ]


if __name__ == "__main__":
    sys.exit(main())
