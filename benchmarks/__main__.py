"""`make bench`: run every benchmark and write `RESULTS.md` as the figures come.

Limits are those that issues promise (`cold_check`, `long_files`, `syntax_recovery`) and those
that we hold (`_timing.py`); goals are written with their distance and decide nothing. Exits with
1 when a limit is missed, and with 2 when a benchmark broke or took too long.

    python -m benchmarks [--resume] [delong bootstrap_auc ...]

With names, only those run and no page is written. `--resume` keeps what an earlier run that was
stopped has measured on the same sources.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks._timing import ROWS, Row, written

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
UNFINISHED = HERE / ".measured.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "pandas", "mlxtend", "statsmodels")
LONGEST = 420  # seconds of one script
BUSY = 0.7  # load before a script, above which its figures are marked
OUTCOMES = {0: "met", 1: "missed"}


@dataclass
class Found:
    """What one script gave: its outcome, its rows and what it printed."""

    name: str
    outcome: str
    seconds: float
    load: float
    rows: list[dict[str, object]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def main() -> int:
    scripts = {s.stem: s for s in sorted(HERE.glob("*.py")) if not s.name.startswith("_")}
    options = argparse.ArgumentParser(prog="python -m benchmarks")
    options.add_argument("--resume", action="store_true", help="keep what a stopped run measured")
    options.add_argument("name", nargs="*", help=f"one of {', '.join(scripts)}; default: all")
    wanted = options.parse_args()
    if unknown := set(wanted.name) - set(scripts):
        options.error(f"there is no benchmark called {', '.join(sorted(unknown))}")
    sources = _sources()
    found = _measured_before(sources) if wanted.resume else {}
    print(_machine(), flush=True)
    for name, script in scripts.items():
        if name in found or (wanted.name and name not in wanted.name):
            continue
        print(f"== {name}", flush=True)
        found[name] = one = _run(name, script)
        print(f"  {one.outcome}, {one.seconds:.0f} s, load {one.load:.1f} before", flush=True)
        if not wanted.name:
            _write_whole(UNFINISHED, json.dumps(
                {"sources": sources, "found": [dataclasses.asdict(f) for f in found.values()]}
            ))  # fmt: skip
            _write_whole(RESULTS, _page(list(found.values()), len(scripts)))
    if not wanted.name:
        UNFINISHED.unlink(missing_ok=True)
    worst = {f.outcome for f in found.values()}
    print(f"{sum(f.seconds for f in found.values()) / 60:.1f} minutes; {_summary(found.values())}")
    return 2 if worst - set(OUTCOMES.values()) else int("missed" in worst)


def _run(name: str, script: Path) -> Found:
    """Run one benchmark, print what it prints as it comes, and end it when it takes too long."""
    load, start, lines = os.getloadavg()[0], time.perf_counter(), []
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        # A user's command keeps its bytecode, whatever the variables of this shell say
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONUNBUFFERED": "1", ROWS: str(rows)}
        process = subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment, start_new_session=True,
        )  # fmt: skip
        late = False

        def end(*_: object) -> None:
            nonlocal late
            late = True
            os.killpg(process.pid, signal.SIGKILL)

        signal.signal(signal.SIGALRM, end)
        signal.alarm(LONGEST)
        try:
            for line in process.stdout or ():
                print(line, end="", flush=True)
                lines.append(line.rstrip())
            process.wait()
        finally:
            signal.alarm(0)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        outcome = OUTCOMES.get(process.returncode, f"broken (exit {process.returncode})")
        if late:
            outcome = f"broken (more than {LONGEST} s)"
        elif process.returncode == 1 and lines and _is_traceback(lines):
            outcome = "broken (an error)"
        kept = [json.loads(line) for line in rows.read_text().splitlines()] if rows.exists() else []
    return Found(name, outcome, time.perf_counter() - start, load, kept, lines)


def _is_traceback(lines: list[str]) -> bool:
    """Tell a Python error, or a command that failed, from a limit that was missed."""
    return any(line.startswith("Traceback (most recent call last)") for line in lines) or (
        " exited with " in lines[-1] or " took more than " in lines[-1]
    )


def _page(found: list[Found], scripts: int) -> str:
    """Write the page: machine, versions, a table of the figures, and what was printed."""
    page = ["# Benchmarks", "", "Written by `make bench`.", "", _machine(), "", *_versions(), ""]
    if len(found) < scripts:
        page += [f"{len(found)} of {scripts} scripts ran.", ""]
    page += [f"{sum(f.seconds for f in found) / 60:.1f} minutes; {_summary(found)}.", ""]
    page += ["A ratio is the peer's figure divided by ours. A figure marked * was measured on a",
             f"busy machine (load above {BUSY} before its script).", "",
             "| Work | evallang | Peer | Ratio | Goal | Limit | |",
             "| --- | ---: | --- | ---: | ---: | ---: | --- |"]  # fmt: skip
    for one in found:
        page += [_table_row(row, busy=one.load > BUSY) for row in one.rows]
    page.append("")
    for one in found:
        page += [f"## {one.name}", "", f"{one.outcome}, {one.seconds:.0f} s, load {one.load:.1f} "
                 "before it", "", "```", *one.lines, "```", ""]  # fmt: skip
    return "\n".join(page)


def _table_row(values: dict[str, object], *, busy: bool) -> str:
    names = {f.name for f in dataclasses.fields(Row)}
    row = Row(**{k: v for k, v in values.items() if k in names})  # type: ignore[arg-type]

    def figure(value: float | None) -> str:
        if value is None:
            return ""
        return written(value) if row.unit == "s" else f"{value:,.0f} MB"

    def line(value: float | None) -> str:
        if value is None:
            return ""
        return figure(value) if row.theirs is None else f"{value:,g}x"

    ratio = "" if row.theirs is None else f"{row.theirs / row.ours:,.3g}x"
    peer = f"{row.peer} {figure(row.theirs)}".strip()
    peer += f" (scaled from {row.scaled})" if row.scaled else ""
    met = {True: "met", False: "**missed**", None: ""}[row.met]
    mark = " *" if busy else ""
    cells = (row.work, figure(row.ours) + mark, peer, ratio, line(row.goal), line(row.held), met)
    return f"| {' | '.join(cells)} |"


def _summary(found: object) -> str:
    every = list(found)  # type: ignore[call-overload]
    bad = [f"{one.name} {one.outcome}" for one in every if one.outcome != "met"]
    return ", ".join(bad) if bad else "all limits are met"


def _machine() -> str:
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    memory = f"{pages * size / 1e9:.0f} GB"
    return f"{os.cpu_count()} processors, {memory}; load {load} over 1, 5 and 15 minutes"


def _versions() -> list[str]:
    """Describe machine and versions; a package that is missing is said to be."""
    cpu = Path("/proc/cpuinfo")
    names = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    name = next((line.split(":")[1].strip() for line in names if "model name" in line), "")
    packages = ", ".join(f"{package} {_version(package)}" for package in PACKAGES)
    return [
        f"{platform.system()} {platform.machine()}, {name or 'processor unknown'}",
        "",
        f"Python {platform.python_version()}, {packages}; sources {_sources()[:10]}",
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _sources() -> str:
    """Hash the package and the benchmarks, so that a run is not resumed on other sources."""
    digest = hashlib.sha256()
    for file in sorted([*HERE.glob("*.py"), *(HERE.parent / "evallang").rglob("*.py")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _measured_before(sources: str) -> dict[str, Found]:
    try:
        kept = json.loads(UNFINISHED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if kept["sources"] != sources:
        return {}
    found = [Found(**one) for one in kept["found"]]
    return {one.name: one for one in found if one.outcome in OUTCOMES.values()}


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is never half there."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(main())
