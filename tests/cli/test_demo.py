"""`evallang demo`: it never overwrites what is not the demo."""

import json
import os

import pytest
from calling import call
from studies import TWO_MODELS


def test_the_demo_is_copied_run_and_left_as_it_is_by_a_second_run(tmp_path, monkeypatch):
    """The study itself is run with the other examples, and as the demo with the wheel."""
    (tmp_path / "bundled").mkdir()
    (tmp_path / "bundled" / "screening.eval").write_text(TWO_MODELS)
    monkeypatch.setattr("evallang.cli.demo.files", lambda package: tmp_path / "bundled")
    monkeypatch.setenv("EVALLANG_STORE", str(tmp_path / "store"))
    for _ in range(2):
        done = call("demo", "-j", "1", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "running `evallang run evallang-demo/screening.eval`" in done.stderr
    results = tmp_path / "evallang-demo" / "screening-results" / "results.json"
    assert json.loads(results.read_text())["models"]


def study_of_another(folder):
    (folder / "screening.eval").write_text("study 'another'\n")


def bytes_of_another(folder):
    (folder / "screening.eval").write_bytes(b"\xff\xfe")


def pipe(folder):
    os.mkfifo(folder / "screening.eval")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (study_of_another, "exists and is not the demo; name another folder with -o"),
        (bytes_of_another, "it is not the demo"),
        (pipe, "is not a file; name another folder with -o"),
    ],
)
def test_what_stands_in_its_place_is_kept(tmp_path, make, words):
    (tmp_path / "there").mkdir()
    make(tmp_path / "there")
    done = call("demo", "-o", "there", folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert [p.name for p in (tmp_path / "there").iterdir()] == ["screening.eval"]
