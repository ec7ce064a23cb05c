"""What is said of data, kept as golden files: cases of a few lines with their files below.

A case is a title after `===`, a study, and its files after `---`; a line `* N TEXT` of a file
stands for N rows, in which `{i}` is the row, `{two}`, `{three}` and `{ten}` its remainders. A
file `as latin-1` is written so, one `as sql` is a database that these lines make. A line
`! NAME = VALUE` sets a limit of the package, `! without PACKAGE` takes one away.
`UPDATE_MESSAGES=1` writes the answers anew; read the diff.
"""

import ast
import os
import re
import sqlite3
import sys
from pathlib import Path

import pytest

from evallang.api.preparing import check_data
from evallang.api.study import open_study
from evallang.diagnostics.text import to_text
from evallang.models import catalogue, packages
from evallang.planning import planner

FOLDER = Path(__file__).parents[1] / "messages" / "data"
GROUPS = sorted(FOLDER.glob("*.cases"))


def rows(line):
    found = re.fullmatch(r"\* (\d+) (.*)", line)
    if found is None:
        return [line]
    return [found[2].format(i=i, two=i % 2, three=i % 3, ten=i % 10) for i in range(int(found[1]))]


def write(path, content, form):
    """Write one file of a case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(r for line in content.split("\n") for r in rows(line)).strip("\n")
    if form == "sql":
        with sqlite3.connect(path) as connection:
            connection.executescript(text)
        connection.close()
    else:
        text = ast.literal_eval(text) if form == "literal" else text + "\n" * bool(text)
        path.write_bytes(text.encode(form if form not in ("literal", "") else "utf-8"))


def arrange(line, monkeypatch):
    """Do what a line `! ...` says."""
    if package := re.fullmatch(r"! without (\w+)", line):
        monkeypatch.setitem(sys.modules, package[1], None)
        monkeypatch.setattr(packages, "installed", lambda asked: asked.name != package[1])
        monkeypatch.setattr(catalogue, "installed", lambda asked: asked.name != package[1])
        monkeypatch.setattr(planner, "installed", lambda asked: "none")
    else:
        name, _, value = line.removeprefix("! ").partition(" = ")
        monkeypatch.setattr(name, ast.literal_eval(value))


def said(case, folder, monkeypatch):
    """Write the files of a case and give what a check with its data says."""
    study, *files = re.split(r"(?m)^--- ", case)
    for line in re.findall(r"(?m)^! .*$", study):
        arrange(line, monkeypatch)
    study = re.sub(r"(?m)^! .*\n", "", study)
    if not study.startswith("evallang"):
        study = f"evallang 1\nstudy\n  seed 1\n{study}"
    (folder / "study.eval").write_text(study, encoding="utf-8")
    for block in files:
        head, _, content = block.partition("\n")
        name, _, form = head.strip().partition(" as ")
        write(folder / name, content, form)
    monkeypatch.chdir(folder)
    opened = open_study("study.eval")
    found = [d for d in check_data(opened) if d.name != "no_baseline"]
    return to_text(found, opened.checked.sources)


@pytest.mark.parametrize("path", GROUPS, ids=lambda path: path.stem)
def test_what_is_said_of_data_reads_as_agreed(path, tmp_path, monkeypatch):
    answers = []
    for number, case in enumerate(re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]):
        title, _, body = case.partition("\n")
        folder = tmp_path / str(number)
        folder.mkdir()
        with monkeypatch.context() as arranged:
            answers.append(f"=== {title}\n{said(body, folder, arranged)}")
    shown = "\n".join(answers)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
