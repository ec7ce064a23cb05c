"""A study file with what its check found, and the error that states why it cannot be run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.api.live import NOTHING, Live
from evallang.checking import check as checker
from evallang.checking.check import Checked
from evallang.data.dataset import Task
from evallang.diagnostics import Diagnostic
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile
from evallang.study import Study


class StudyError(Exception):
    """A study that cannot be run; `diagnostics` say why, the text lays them out."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, SourceFile]):
        self.diagnostics = tuple(diagnostics)
        self.sources = sources
        super().__init__("\n" + to_text(self.diagnostics, sources))


class CheckedFile(Struct, frozen=True):
    """A study file with what its check found.

    `meant` is the resolved study, None where anything is an error; `folder` is where the
    file stands, against which its paths are read; `given` holds the objects of Python.
    """

    path: str
    text: str
    folder: Path
    checked: Checked
    overrides: Mapping[str, str] = field(default_factory=dict)
    given: Live = NOTHING

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything the check found, sorted by place."""
        return self.checked.diagnostics

    @property
    def meant(self) -> Study | None:
        """The resolved study, None where anything is an error."""
        return self.checked.study

    @property
    def place(self) -> Path:
        """The file itself, by the folder that it is read from."""
        return self.folder / Path(self.path).name


def with_task(study: CheckedFile, task: Task) -> CheckedFile:
    """Return the study for the task that its data have shown."""
    return replace(study, checked=checker.check_again(study.checked, task=task))
