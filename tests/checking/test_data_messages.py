"""What is said of data, kept as golden files: cases of a few lines with their files below.

A case is a title after `===`, a study, and its files after `---`; a line `* N TEXT` of a file
stands for N rows, in which `{i}` is the row, `{two}` and `{three}` its remainders.
`UPDATE_MESSAGES=1` writes the answers anew; read the diff.
"""

import os
import re
from pathlib import Path

import pytest

from evallang.api.preparing import check_data
from evallang.api.study import open_study
from evallang.diagnostics import to_text

FOLDER = Path(__file__).parents[1] / "messages" / "data"
GROUPS = sorted(FOLDER.glob("*.cases"))


def rows(line):
    found = re.fullmatch(r"\* (\d+) (.*)", line)
    if found is None:
        return [line]
    return [found[2].format(i=i, two=i % 2, three=i % 3) for i in range(int(found[1]))]


def said(case, folder, monkeypatch):
    """Write the files of a case and give what a check with its data says."""
    study, *files = re.split(r"(?m)^--- ", case)
    for number, block in enumerate([f"study.eval\nevallang 1\nstudy\n  seed 1\n{study}", *files]):
        name, _, content = block.partition("\n")
        lines = (
            content.split("\n")
            if number == 0
            else [r for x in content.split("\n") for r in rows(x)]
        )
        (folder / name.strip()).write_text("\n".join(lines).strip("\n") + "\n", encoding="utf-8")
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
        answers.append(f"=== {title}\n{said(body, folder, monkeypatch)}")
    shown = "\n".join(answers)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
