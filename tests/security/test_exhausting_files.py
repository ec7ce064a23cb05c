"""Files made to exhaust the memory: each is an error that names it, and costs nothing else."""

import json
import os
import signal
import subprocess
import time

import polars as pl
import pytest
from calling import call

import evallang.data.reading
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, Refused
from evallang.data.reading import read_apart, reading
from evallang.limits import LIMITS, OverLimit, limits

MEMORY = 10**8  # bytes that each of these files exceeds
STUDY = """evallang 1

predictions good from "good.csv"
  truth truth
  models a, b

predictions bad from "{}"
  truth truth
  models a, b

measure accuracy
"""


def write_lists(folder):
    """Write a Parquet file of few rows and cells, as its metadata say, and 160 MB of zeros."""
    table = pl.select(truth=pl.lit(1), a=pl.zeros(2 * 10**7, dtype=pl.Int64).implode())
    table.write_parquet(folder / "lists.parquet", compression="zstd")


def write_gzip(folder):
    """Write a Parquet file of 4 million rows that repeat one, gzipped page by page."""
    table = pl.select(truth=pl.repeat(1, 4_000_000), a=pl.repeat("yes", 4_000_000))
    table.write_parquet(folder / "gzip.parquet", compression="gzip")


def write_keys(folder):
    """Write lines of which each has a key of its own, which make a square."""
    lines = (json.dumps({"truth": 1, f"a{i}": 1}) for i in range(3000))
    (folder / "keys.jsonl").write_text("\n".join(lines))


def write_columns(folder):
    """Write a text of 10^6 columns."""
    names = ",".join(map("c{}".format, range(10**6)))
    (folder / "columns.csv").write_text(f"truth,{names}\n" + "1," * 10**6 + "1\n")


WRITERS = {
    "lists.parquet": write_lists,
    "gzip.parquet": write_gzip,
    "keys.jsonl": write_keys,
    "columns.csv": write_columns,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_beyond_the_memory_is_an_error_that_names_it(tmp_path, name):
    WRITERS[name](tmp_path)
    assert (tmp_path / name).stat().st_size < 20 * 10**6
    findings = Findings({})
    with limits(memory=MEMORY, columns=10**7):
        assert findings.tried(read_file, name, tmp_path) is None
    (found,) = findings.diagnostics
    assert found.code == "E404" and f"`{name}`" in found.message and "100,000,000" in found.message
    assert "`--limit memory=" in found.help


@pytest.mark.parametrize("command", [("run", "--memory", "100M"), ("check", "--data")])
def test_every_other_finding_is_kept(tmp_path, command):
    write_lists(tmp_path)
    (tmp_path / "good.csv").write_text("truth,a,b\n1,1,0\n0,0,\n")
    (tmp_path / "study.eval").write_text(STUDY.format("lists.parquet"))
    limit = () if "--memory" in command else ("--limit", f"memory={MEMORY}")
    done = call(*command, "study.eval", *limit, folder=tmp_path)
    assert done.returncode == 1
    assert "E404] `lists.parquet`, while it is read: more bytes than the limit" in done.stderr
    assert "`b` is missing in row 2 (line 3)" in done.stderr


def test_the_limit_that_the_help_proposes_comes_before_the_memory_of_fits():
    with reading(MEMORY), reading():
        assert LIMITS["memory"].most == MEMORY
    with limits(memory=2 * MEMORY), reading(MEMORY):
        assert LIMITS["memory"].most == 2 * MEMORY


def test_reading_has_a_limit_of_time_where_one_is_set():
    with limits(read_seconds=1), pytest.raises(OverLimit, match="`x`: more seconds than the limit"):
        read_apart("`x`", time.sleep, 600)


def test_a_crash_is_reported_and_the_next_file_is_read():
    with reading():
        with pytest.raises(Refused, match="the process that reads it ended with code 7"):
            read_apart("`x`", os._exit, 7)
        assert read_apart("`y`", len, "abc") == 3


def _lack_once(marker):
    if not marker.exists():
        marker.touch()
        raise MemoryError
    return "read"


def test_what_earlier_files_left_in_the_process_fails_no_later_one(tmp_path):
    with reading():
        read_apart("`x`", len, "abc")
        assert read_apart("`y`", _lack_once, tmp_path / "marker") == "read"


def test_a_process_that_waits_for_memory_for_ever_is_ended(monkeypatch):
    monkeypatch.setattr(evallang.data.reading, "STUCK", 7)
    monkeypatch.setattr(evallang.data.reading, "EVERY", 0.1)
    with pytest.raises(OverLimit, match="while it is read"):
        read_apart("`rows.csv`", time.sleep, 60)
    assert read_apart("the query", time.sleep, 1.5, alone=False) is None


def _stop_for_a_while():
    subprocess.Popen(["sh", "-c", f"sleep 1.5; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)
    return "read"


def test_a_process_that_a_scheduler_stops_for_a_while_goes_on(monkeypatch):
    monkeypatch.setattr(evallang.data.reading, "STUCK", 7)
    monkeypatch.setattr(evallang.data.reading, "EVERY", 0.1)
    assert read_apart("`rows.csv`", _stop_for_a_while) == "read"
