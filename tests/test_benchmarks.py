"""Rows of benchmarks, and how `make bench` tells a missed limit from a crash."""

import json
from dataclasses import asdict

import pytest

from benchmarks import __main__ as bench
from benchmarks._rows import Kind, Row, read


@pytest.mark.parametrize(
    ("kind", "value", "met"),
    [
        (Kind.RATIO, 2.0, True),
        (Kind.RATIO, 2.1, False),
        (Kind.TIMES, 0.5, True),
        (Kind.TIMES, 0.4, False),
        (Kind.MOST, 3.0, True),
        (Kind.MOST, 2.9, False),
        (Kind.LEAST, 3.0, True),
        (Kind.LEAST, 3.1, False),
    ],
)
def test_a_limit_is_about_the_figure_or_the_ratio(kind, value, met):
    row = Row("work", 3.0, peer="peer", theirs=6.0, kind=kind, limit=value)
    assert row.met is met
    assert read(json.loads(json.dumps(asdict(row)))) == row


def test_what_was_not_measured_neither_meets_nor_misses():
    assert Row("work", None, kind=Kind.MOST, limit=1.0).met is None


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("report(Row('w', 1.0, kind=Kind.MOST, limit=2))", bench.Outcome.MET),
        ("report(Row('w', 3.0, kind=Kind.MOST, limit=2))", bench.Outcome.MISSED),
        ("peers('a_package_that_nobody_has')", bench.Outcome.MET),
        ("report(Row('w', 1.0)); raise SystemExit(1)", bench.Outcome.BROKEN),
        ("import time; time.sleep(60)", bench.Outcome.BROKEN),
        ("", bench.Outcome.BROKEN),
    ],
)
def test_a_benchmark_meets_its_limits_misses_one_or_is_broken(tmp_path, monkeypatch, code, outcome):
    (tmp_path / "benchmarks").mkdir()
    rows = (bench.ROOT / "benchmarks" / "_rows.py").read_text()
    (tmp_path / "benchmarks" / "_rows.py").write_text(rows)
    (tmp_path / "benchmarks" / "tried.py").write_text(f"from benchmarks._rows import *\n{code}\n")
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "_busy", lambda: 1.0)
    found = bench._run("tried", 3)
    assert found.outcome is outcome
    page = bench._page("commit", {"cold_check": found})
    assert ("**broken**" in page) == (outcome is bench.Outcome.BROKEN)
    assert ("others used 1.0 processors" in page) == bool(found.rows)
    if outcome is bench.Outcome.MISSED:
        assert "limits missed: cold_check" in page
