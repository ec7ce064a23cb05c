"""What is said of data, kept as golden files: cases of a few lines (see `written_cases`).

`UPDATE_MESSAGES=1` writes the answers anew; read the diff.
"""

import os
from pathlib import Path

import pytest
from written_cases import Case, cases

from evallang.diagnostics.text import to_text

FOLDER = Path(__file__).parents[1] / "messages" / "data"
GROUPS = sorted(FOLDER.glob("*.cases"))


def said(text, folder, monkeypatch):
    """Give what a check of a case says with its data, or what stops its run."""
    case = Case(text, folder, monkeypatch)
    found = [d for d in case.diagnostics() if d.name != "no_baseline"]
    return to_text(found, case.opened.checked.sources)


@pytest.mark.parametrize("path", GROUPS, ids=lambda path: path.stem)
def test_what_is_said_of_data_reads_as_agreed(path, tmp_path, monkeypatch):
    answers = []
    for number, (title, body) in enumerate(cases(path)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with monkeypatch.context() as arranged:
            answers.append(f"=== {title}\n{said(body, folder, arranged)}")
    shown = "\n".join(answers)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
