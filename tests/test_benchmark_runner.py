"""`make bench` tells a missed limit from a broken script, and keeps the rows measured before."""

import json

import pytest

import benchmarks.__main__ as runner

ROW = "from benchmarks._timing import compare, memory, within\n"


def ran(tmp_path, text):
    script = tmp_path / "made.py"
    script.write_text(text, encoding="utf-8")
    return runner._run("made", script)


@pytest.fixture(autouse=True)
def _found(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(runner.HERE.parent))


@pytest.mark.parametrize(("text", "outcome"), [
    ("print('fine')", "met"),
    ("import sys; sys.exit(1)", "missed"),
    ("import sys; sys.exit(3)", "broken (exit 3)"),
    ("import nothing_of_this_name", "broken (an error)"),
    ("raise SystemExit('evallang run exited with 2: no such file')", "broken (an error)"),
    ("import os; os.kill(os.getpid(), 9)", "broken (exit -9)"),
])  # fmt: skip
def test_a_script_has_one_of_three_outcomes(tmp_path, text, outcome):
    assert ran(tmp_path, text).outcome == outcome


def test_a_script_that_takes_too_long_is_ended_with_what_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "LONGEST", 3)
    text = ROW + (
        "within('first', 1.0, held=2.0)\n"
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    )
    found = ran(tmp_path, text)
    assert found.outcome == "broken (more than 3 s)"
    assert [row["work"] for row in found.rows] == ["first"]
    assert found.seconds < 60


def test_rows_become_a_table(tmp_path):
    text = ROW + (
        "compare('sorting', 0.5, 'a peer', 1.0, goal=4, held=3, scaled='a few')\n"
        "within('reading', 2.5, goal=2.0)\n"
        "memory('reading', 410.0, held=400)\n"
    )
    found = ran(tmp_path, text)
    found.load = 0.1
    lines = runner._page([found], 2).splitlines()
    assert (
        "| sorting | 500.0 ms | a peer 1.0 s (scaled from a few) | 2x | 4x | 3x | **missed** |"
        in lines
    )
    assert "| reading | 2.5 s |  |  | 2.0 s |  |  |" in lines
    assert "| reading | 410 MB |  |  |  | 400 MB | **missed** |" in lines
    assert "1 of 2 scripts ran." in lines
    found.load = 5.0
    assert "| 500.0 ms * |" in runner._page([found], 1)


def test_a_stopped_run_is_resumed_on_the_same_sources_alone(tmp_path, monkeypatch):
    kept = tmp_path / "measured.json"
    monkeypatch.setattr(runner, "UNFINISHED", kept)
    one = {"seconds": 1.0, "load": 0.0, "rows": [], "lines": []}
    outcomes = {"a": "met", "b": "missed", "c": "broken (exit 3)"}
    found = [{"name": name, "outcome": outcome, **one} for name, outcome in outcomes.items()]
    kept.write_text(json.dumps({"sources": "s", "found": found}), encoding="utf-8")
    assert list(runner._measured_before("s")) == ["a", "b"]
    assert runner._measured_before("other") == {}
