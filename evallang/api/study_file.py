"""Studies as Python holds them: loaded, parsed, checked and planned."""

from __future__ import annotations

import errno
import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evallang.api.checked_file import CheckedFile, StudyError
from evallang.api.live import Live
from evallang.checking import check as checker
from evallang.diagnostics import Diagnostic, Severity, has_errors
from evallang.diagnostics.text import to_text
from evallang.limits import STUDY_BYTES, OverLimit
from evallang.results.printed import Printed
from evallang.source import SourceFile
from evallang.study import Study
from evallang.syntax.repair import ParseLine, read_line
from evallang.working_folder import safe_path

MOST_PRINTED = 3
"""Diagnostics that are printed in full; each takes about five lines."""


class Findings(tuple[Diagnostic, ...]):
    """Diagnostics, sorted by place, with the files that they are about."""

    sources: Mapping[str, SourceFile]

    def __new__(
        cls, diagnostics: Iterable[Diagnostic], sources: Mapping[str, SourceFile]
    ) -> Findings:
        """Make the sequence."""
        made = super().__new__(cls, diagnostics)
        made.sources = sources
        return made

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings and hints stop no run."""
        return not has_errors(self)

    def summary(self) -> str:
        """Return how many errors, warnings and hints there are, in words."""
        found = Counter(diagnostic.severity for diagnostic in self)
        counts = [
            f"{found[severity]} {severity}{'' if found[severity] == 1 else 's'}"
            for severity in Severity
            if found[severity]
        ]
        return ", ".join(counts) or "nothing found"

    def __repr__(self) -> str:
        ordered = sorted(self, key=lambda d: list(Severity).index(d.severity))
        left = len(self) - MOST_PRINTED
        more = [f"... and {left:,} more"] if left > 0 else []
        parts = [self.summary(), to_text(ordered[:MOST_PRINTED], self.sources).rstrip("\n"), *more]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        from html import escape

        # JupyterLab breaks lines inside words, and nbconvert takes another font
        style = "font-family: monospace; word-break: normal"
        return f'<pre style="{style}">{escape(repr(self))}</pre>'


class StudyFile(CheckedFile, frozen=True):
    """A checked study file that prints itself, lists its findings and plans its fits."""

    @property
    def results_folder(self) -> Path:
        """Where a run writes, unless the caller names another folder."""
        return self.folder / (
            self.checked.resolved.report_folder or f"{Path(self.path).stem}-results"
        )

    def check(self) -> Findings:
        """Return everything the check found; raises nothing."""
        return Findings(self.checked.diagnostics, self.checked.sources)

    def _printed(self) -> Printed:
        rows = [("check", self.check().summary())]
        rows += [] if self.meant is None else _facts(self.meant)
        title = "" if self.meant is None else f" {self.meant.title}"
        return Printed(f"Study{title} ({self.path})", (), tuple(rows))

    def __repr__(self) -> str:
        return self._printed().text()

    def _repr_html_(self) -> str:
        return self._printed().html()

    @safe_path()
    def plan(self, store: str | Path | None = None, *, network: bool = False) -> Any:
        """Read the data and plan: splits, unique fits, seeds, and what the store has of them.

        Data that cannot be found leave the numbers None. `store` and `network` are as for
        `run`. Raises `StudyError` where the study or its data are faulty.
        """
        from evallang.api.preparing import read_and_plan, with_store  # a check starts without it
        from evallang.data import remote

        with remote.network(network or remote.network_allowed()):
            prepared = read_and_plan(self, missing_is_fine=True, live=self.given)
        return with_store(prepared, self, store).planned.plan


def _facts(meant: Study) -> list[tuple[str, str]]:
    """Return the statements of a study that a reader looks for first, each as a fact."""
    compared = (spec.source for spec in meant.comparisons)
    required = (spec.source for spec in meant.requirements)
    facts = [
        ("data", ", ".join(source.name for source in meant.sources)),
        ("models", ", ".join(model.name for model in meant.models)),
        ("protocols", ", ".join(protocol.name for protocol in meant.protocols)),
        ("measures", ", ".join(measure.metric.written for measure in meant.measures)),
        *(("", source) for source in (*compared, *required)),
    ]
    return [(name, value) for name, value in facts if value]


def load(
    path: str | Path,
    overrides: Mapping[str, str] | None = None,
    *,
    data: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> StudyFile:
    """Read and check a study file; raises `StudyError` when anything is an error.

    `data`, `models` and `metrics` are objects that the study names, as `run` takes them; a later
    `run` of the study uses them.
    """
    return _sound(open_study(path, overrides), Live(data or {}, models or {}, metrics or {}))


def parse(
    text: str,
    folder: str | Path = ".",
    *,
    data: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> StudyFile:
    """Check the text of a study; raises `StudyError` when anything is an error.

    `data`, `models` and `metrics` are objects that the study names, as `run` takes them; a later
    `run` of the study uses them.
    """
    study = _checked("study.eval", text, Path(folder), {})
    return _sound(study, Live(data or {}, models or {}, metrics or {}))


def _sound(study: StudyFile, given: Live) -> StudyFile:
    """Return a study with the objects that are given for it; raises `StudyError` for errors."""
    study = with_live(study, given)
    if has_errors(study.diagnostics):
        raise StudyError(study.diagnostics, study.checked.sources)
    return study


def open_study(
    path: str | Path,
    overrides: Mapping[str, str] | None = None,
    *,
    opened: Callable[[Path], None] = lambda _: None,
) -> StudyFile:
    """Read and check a study file, with all its findings; raises `OSError`.

    `opened` is called with the path of each file before it is read, included files too.
    """

    def read(file: Path) -> str:
        opened(file)
        return read_text(file)

    place = Path(path)
    return _checked(str(path), read(place), place.parent, overrides or {}, read)


def read_text(path: Path) -> str:
    """Read a study file; bytes that are not UTF-8 stay visible as lone surrogates.

    Raises `OSError`, also for what is not a regular file: a pipe may never end.
    """
    if path.exists() and not path.is_file():
        said = "a folder" if path.is_dir() else "not a regular file"
        raise OSError(errno.EINVAL, said, str(path))
    if path.exists():
        try:
            STUDY_BYTES.check("a study file", path.stat().st_size)
        except OverLimit as error:
            raise OSError(errno.EFBIG, f"{error}; {error.help}", str(path)) from error
    return path.read_bytes().decode("utf-8", "surrogateescape")


def check_text(
    text: str,
    name: str,
    folder: str | Path = ".",
    *,
    read_file: Callable[[Path], str] = read_text,
    parse_line: ParseLine = read_line,
) -> StudyFile:
    """Check the text of a study without a file, with all its findings.

    Its paths are relative to the folder; `name` is what messages call it. `read_file` returns the
    text of an included file, `parse_line` is as for `checking.check.check`.
    """
    return _checked(name, text, Path(folder), {}, read_file, parse_line)


def check(text: str, folder: str | Path = ".") -> Findings:
    """Check the text of a study and return everything that is found; raises nothing.

    Included files are looked for in `folder`.
    """
    return check_text(text, "study.eval", folder).check()


def checked_again(study: StudyFile) -> StudyFile:
    """Check a study again, now that more is known of the code that it uses."""
    task = None if study.meant is None else study.meant.task
    return replace(study, checked=checker.check_again(study.checked, task=task))


def with_live(study: StudyFile, given: Live) -> StudyFile:
    """Add objects to a study, which is checked again where models or metrics are among them."""
    before = study.given
    every = Live(
        {**before.frames, **given.frames},
        {**before.models, **given.models},
        {**before.metrics, **given.metrics},
    )
    study = replace(study, given=every)
    if (every.models.keys(), every.metrics.keys()) == (before.models.keys(), before.metrics.keys()):
        return study
    again = checker.check_again(study.checked, live=every.models, functions=every.metrics)
    return replace(study, checked=again)


def study_at(path: str | Path, read: Callable[[Path], bytes], name: str) -> StudyFile:
    """Check a study whose files, included ones too, are read by a function of their paths.

    `name` is what messages call the study; data are read from the folder as it is.
    """
    place = Path(path)

    def text_of(file: Path) -> str:
        return read(file).decode("utf-8", "surrogateescape")

    return _checked(name, text_of(place), place.parent, {}, text_of)


@safe_path()
def _checked(
    path: str,
    text: str,
    folder: Path,
    overrides: Mapping[str, str],
    read_file: Callable[[Path], str] = read_text,
    parse_line: ParseLine = read_line,
) -> StudyFile:
    shown = path.replace(os.sep, "/")
    prefix = f"{posixpath.normpath(posixpath.dirname(shown) or '.').rstrip('/')}/"

    def read(included: str) -> str:
        inside = included.removeprefix(prefix)
        if "\0" in inside:
            raise OSError(errno.EINVAL, "no file has a NUL character in its name")
        place = folder / inside
        behind = Path(os.path.realpath(place))  # `resolve` raises where links go in a circle
        if not behind.is_relative_to(os.path.realpath(folder)):
            raise OSError(errno.EPERM, "a link leads outside the study's folder", str(place))
        return read_file(place)

    found = checker.check(shown, text, read, overrides, parse_line=parse_line)
    return StudyFile(shown, text, folder, found, overrides)
