"""What a study found, for people: records to read, tables, files, reports."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evallang.limits import RESULTS_BYTES
from evallang.registry import lazy
from evallang.results import codec, records
from evallang.working_folder import safe_path

if TYPE_CHECKING:
    import polars as pl

    from evallang.api.folder import Reserved
    from evallang.diagnostics import Diagnostic
    from evallang.engine.run import Run
else:
    pl = lazy("polars")


class Rows(tuple[Any, ...]):
    """Records that can be looked at as a table."""

    __slots__ = ()

    def to_frame(self) -> pl.DataFrame:
        """Give a polars data frame, one row a record; nested records as text columns."""
        return pl.DataFrame([_flat(codec.to_plain(item)) for item in self])


def _flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping) and key in ("interval", "estimate", "statistic", "family"):
            row |= _flat(value, f"{prefix}{key}_")
        elif isinstance(value, Mapping | list):
            row[prefix + key] = json.dumps(value, ensure_ascii=False)
        else:
            row[prefix + key] = value
    return row


class Results:
    """What a study found: records to read, to save, and to render."""

    def __init__(
        self,
        record: records.Results,
        run: Run | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        study_folder: Path | None = None,
    ) -> None:
        self.record = record
        self.diagnostics = diagnostics
        self._run = run
        self._study_folder = study_folder or Path()

    @property
    def estimates(self) -> Rows:
        """Every estimate."""
        return Rows(self.record.estimates)

    @property
    def comparisons(self) -> Rows:
        """Every comparison."""
        return Rows(self.record.comparisons)

    @property
    def requirements(self) -> Rows:
        """Every `require` line, on each data set and level, and how it was decided."""
        return Rows(self.record.requirements)

    @classmethod
    @safe_path()
    def load(cls, path: str | Path) -> Results:
        """Read a `results.json`, or the folder that holds one.

        Raises `OSError`, and `ValueError` when it is no such file, or larger than the limit.
        """
        place = Path(path)
        if place.is_dir():
            place /= "results.json"
        if place.exists() and not place.is_file():  # a pipe may never end
            raise OSError(errno.EINVAL, "not a regular file", str(place))
        with place.open("rb") as file:
            content = file.read(RESULTS_BYTES.most + 1)
        if len(content) > RESULTS_BYTES.most:
            raise RESULTS_BYTES.exceeded(f"`{place.name}`", place.stat().st_size)
        if not content.lstrip().startswith(b"{"):
            raise ValueError("not an evallang results file: it is not a JSON object")
        return cls(codec.loads(content.decode("utf-8")))

    @safe_path()
    def save(
        self, folder: str | Path | Reserved, formats: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        """Write the output folder; gives messages about what could not be written.

        Exported models are written too, below the folder of the study's file. `formats` are
        those of the report, by default the study's. Raises `FolderRefused` when the folder
        holds anything that is not ours, or another process is writing it.
        """
        from evallang.api.folder import Reserved, reserved, write_folder
        from evallang.api.models import write_models

        if not isinstance(folder, Reserved):
            with reserved(Path(folder)) as held:
                return (*held.notes, *self.save(held, formats))
        messages = write_folder(folder, self.record, self._run, formats)
        if self._run is not None:  # after the folder, in which one may stand
            write_models(self._run.models, self._study_folder)
        return messages

    @safe_path()
    def render(self, *formats: str, folder: str | Path = ".") -> tuple[str, ...]:
        """Write the report beside the results; gives messages about what could not be."""
        from evallang.reporting.report import write_report

        wanted = formats or self.record.report.formats
        return write_report(self.record, Path(folder), wanted)[1]
