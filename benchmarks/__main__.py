"""`make bench`: run every benchmark and write `benchmarks/RESULTS.md` as the rows come.

Each benchmark is a process with a time limit and reports rows (`_rows.py`). A row meets its limit
or misses it; a benchmark that crashes or takes too long is broken. Exits with 1 when a limit
is missed, and with 2 when a benchmark is broken.

    python -m benchmarks [NAME ...]

With names, only these are run and printed, and the page stays as it is.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks._processes import ROOT, compile_as_installed
from benchmarks._rows import ROWS, Row, cells, read

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PACKAGES = (
    "evallang", "numpy", "scipy", "scikit-learn", "polars", "pandas", "mlxtend", "statsmodels",
    "scikit-posthocs",
)  # fmt: skip
BUSY = 0.3  # processors in use by others, above which figures are doubtful

SCRIPTS = {
    "nested_cv": 240,
    "resampling_tests": 120,
    "again": 120,
    "two_workers": 240,
    "short_fits": 240,
    "long_table": 120,
    "labels": 120,
    "scores": 240,
    "regression": 240,
    "groups": 120,
    "many_labels": 120,
    "parts": 360,
    "logs": 120,
    "post_hoc_tests": 60,
    "cold_check": 60,
    "long_studies": 240,
    "editor": 60,
    "demo": 60,
    "report_pages": 120,
    "killed_runs": 240,
    "syntax_recovery": 120,
}
"""The benchmarks in the order of the page, with the seconds that each may take."""
LONGEST = 27 * 60
"""Seconds that all of them may take: one that would begin later is broken."""


class Outcome(StrEnum):
    """How a benchmark ended."""

    MET = "met"
    MISSED = "missed"
    BROKEN = "broken"


@dataclass(frozen=True)
class Measurement:
    """What one benchmark gave."""

    outcome: Outcome
    rows: tuple[Row, ...]
    seconds: float
    busy: float
    reason: str = ""


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SCRIPTS))
    names = options.parse_args().names
    if unknown := [name for name in names if name not in SCRIPTS]:
        options.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    compile_as_installed()
    begin, state, found = time.monotonic(), _state(), dict[str, Measurement]()
    for name in names or SCRIPTS:
        print(f"== {name}", flush=True)
        left = LONGEST - (time.monotonic() - begin)
        found[name] = now = _run(name, min(SCRIPTS[name], left))
        said = ": ".join(filter(None, [now.outcome, now.reason]))
        print(f"  {said} ({now.seconds:.0f} s)", flush=True)
        if not names:
            _replace(RESULTS, _page(state, found))
    outcomes = {one.outcome for one in found.values()}
    print(f"{(time.monotonic() - begin) / 60:.1f} minutes; {_ending(found)}")
    return 2 if Outcome.BROKEN in outcomes else int(Outcome.MISSED in outcomes)


def _run(name: str, limit: float) -> Measurement:
    """Run one benchmark in a process group of its own, which is killed at the limit."""
    if limit <= 0:
        reason = f"all together took more than {LONGEST // 60} minutes"
        return Measurement(Outcome.BROKEN, (), 0, 0, reason)
    busy, start = _busy(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        rows.touch()
        # A user's command keeps its bytecode, whatever the variables of this shell say
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONUNBUFFERED": "1", ROWS: str(rows), "TMPDIR": folder}
        with subprocess.Popen(
            [sys.executable, "-m", f"benchmarks.{name}"],
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        ) as process:
            try:
                code = process.wait(limit)
                reason = "" if code == 0 else f"it ended with the code {code}"
            except subprocess.TimeoutExpired:
                reason = f"it took more than {limit:.0f} s"
            finally:
                # What it started may outlive it
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        found = tuple(read(json.loads(line)) for line in rows.read_text().splitlines())
    if not reason and not found:
        reason = "it reported no row"
    outcome = Outcome.MISSED if any(row.met is False for row in found) else Outcome.MET
    seconds = time.monotonic() - start
    return Measurement(Outcome.BROKEN if reason else outcome, found, seconds, busy, reason)


def _busy() -> float:
    """Return how many processors others use now; the load where the system tells only that."""
    try:
        first = _processor_times()
        time.sleep(1)
        idle, whole = (b - a for a, b in zip(first, _processor_times(), strict=True))
    except OSError:
        return os.getloadavg()[0]
    return (os.cpu_count() or 1) * (1 - idle / max(whole, 1))


def _processor_times() -> tuple[int, int]:
    """Return the idle and the whole time of all processors since the start of the system."""
    with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123
        times = [int(part) for part in file.readline().split()[1:9]]
    return times[3] + times[4], sum(times)


# --- the record and the page ------------------------------------------------------------------


def _state() -> str:
    """Name the commit, and changes of it; "unknown" outside a git checkout."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD").strip()
        changes = _git("diff", "HEAD", "--", ".", ":!benchmarks/RESULTS.md")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit} and changes {sha256(changes.encode()).hexdigest()[:8]}" if changes else commit


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def _page(state: str, found: Mapping[str, Measurement]) -> str:
    """Write all measurements as one table."""
    minutes = sum(one.seconds for one in found.values()) / 60
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` at {state}, {time.strftime('%Y-%m-%d')}, in "
        f"{minutes:.1f} minutes; {_ending(found)}.",
        "",
        *_machine(),
        "",
        "A ratio is the peer's figure over ours.",
        "",
    ]
    if rest := [name for name in SCRIPTS if name not in found]:
        lines += [f"Not measured yet: {', '.join(rest)}.", ""]
    head = ("benchmark", "work", "evallang", "peer", "ratio", "limit", "note")
    lines += [_line(head), _line(["---"] * len(head))]
    for name, one in found.items():
        doubt = f"others used {one.busy:.1f} processors before it" if one.busy > BUSY else ""
        for row in one.rows:
            *texts, note = cells(row)
            lines.append(_line([name, *texts, "; ".join(filter(None, [note, doubt]))]))
        if one.outcome is Outcome.BROKEN:
            lines.append(_line([name, "**broken**", "", "", "", "", one.reason]))
    return "\n".join([*lines, ""])


def _line(texts: "list[str] | tuple[str, ...]") -> str:
    return f"| {' | '.join(text.replace('|', '&#124;') for text in texts)} |"


def _ending(found: Mapping[str, Measurement]) -> str:
    ends = []
    for outcome, words in ((Outcome.MISSED, "limits missed"), (Outcome.BROKEN, "broken")):
        if names := [name for name, one in found.items() if one.outcome is outcome]:
            ends.append(f"{words}: {', '.join(names)}")
    return "; ".join(ends) or "all limits are met"


def _machine() -> list[str]:
    """Describe the machine, its load now, and the versions."""
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    packages = ", ".join(f"{package} {_version(package)}" for package in PACKAGES)
    return [
        f"{platform.system()} {platform.release()} {platform.machine()}; {_processor()}, "
        f"{os.cpu_count()} processors, {_memory()}; load {load} over 1, 5 and 15 minutes at the "
        "end, which is mostly that of the benchmarks.",
        "",
        f"Python {platform.python_version()}, {packages}.",
    ]


def _processor() -> str:
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "processor unknown")


def _memory() -> str:
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return "memory unknown"
    return f"{pages / 1e9:.1f} GB of memory"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _replace(path: Path, text: str) -> None:
    """Write a file, of which a reader finds the former or the new content."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


if __name__ == "__main__":
    sys.exit(main())
