"""Small studies for tests, and short ways to check and run them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from evallang.api.checked_file import StudyError
from evallang.api.results import Results
from evallang.api.running import run
from evallang.api.study_file import StudyFile, _checked
from evallang.checking.check import Checked, check
from evallang.diagnostics import Diagnostic

TWO_MODELS = """\
evallang 1
study "Two models"
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=3)
model bayes = GaussianNB
protocol cv folds=5
measure accuracy
compare with mcnemar
"""


def checked(text: str, files: Mapping[str, str] | None = None, **overrides: str) -> Checked:
    """Check a text; `files` are what includes may read."""

    def read(path: str) -> str:
        if files is None or path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    return check("study.eval", text, read, overrides)


@cache
def checked_once(text: str) -> Checked:
    """Check a text once in a process: several tests ask about the same files."""
    return checked(text)


def codes(text: str, files: Mapping[str, str] | None = None) -> list[str]:
    """Give the codes a check reports, in order of place, each with those told along with it."""
    return codes_told(checked(text, files).diagnostics)


def codes_told(found: Iterable[Diagnostic]) -> list[str]:
    """Give the codes of findings, each followed by those of its clause's other errors."""
    return [
        code
        for item in found
        for code in (item.code, *(related.code for related in item.related))
        if code is not None
    ]


def study(text: str, folder: Path | str = ".") -> StudyFile:
    """Check a text into a study that can be planned and run."""
    return _checked("study.eval", text, Path(folder), {})


def run_into(folder: Path, made: StudyFile) -> Results:
    """Run a study and write its results, without the report that takes as long as small fits."""
    results = run(made)
    results.save(folder, ())
    return results


def write_rows(folder: Path, name: str, header: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file."""
    lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def errors_of(raised: pytest.ExceptionInfo[StudyError]) -> list[Diagnostic]:
    """Give the errors that a study was refused for."""
    return [d for d in raised.value.diagnostics if d.severity == "error"]


def words_of(page: Path) -> str:
    """Give the words of a report in HTML, without code and drawings."""
    html = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page.read_text(encoding="utf-8"))
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))
