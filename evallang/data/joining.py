"""Several files of predictions into one frame, row by row by id, never by position."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evallang.data.aligning import SPELLED_APART, align
from evallang.data.codes import UNKNOWN_COLUMN
from evallang.data.dataset import GivenModel, PredictionsSpec
from evallang.data.findings import Findings, counted, quoted, written
from evallang.data.frame import Frame, frame_of
from evallang.data.kinds import Kind
from evallang.data.outcome_codes import AMBIGUOUS_COLUMN, FILES_CONFLICT, ID_NEEDED
from evallang.registry import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

FINGERPRINTS = ("doc_hash", "target_hash")  # of lm-evaluation-harness: one document, one hash


@dataclass(frozen=True)
class Joined:
    """One frame for all files, and the models with their columns in it."""

    frame: Frame
    models: tuple[GivenModel, ...]


def join(frames: Mapping[str, Frame], spec: PredictionsSpec, findings: Findings) -> Joined | None:
    """Join files by their ids, in the order of the first; None after a finding.

    Rows are matched by id, within the same repeat and data set where all files have those
    columns. A column that describes rows and stands in several files must agree in them.
    """
    if spec.id is None:
        message = f"{len(frames)} files are joined by id, and no id column is named"
        findings.add(ID_NEEDED, message, "from", help=f"write `id {_key(frames)}` below it")
        return None
    within = [
        name
        for name in (spec.repeat, spec.dataset)
        if name is not None and all(name in frame.columns for frame in frames.values())
    ]
    apart = {spec.truth or "", *(model.column or model.name for model in spec.models)}
    aligned = align(frames, [spec.id, *within], spec.rows_common, findings, apart)
    if aligned is None:
        return None
    parts, notes = aligned
    return _side_by_side(parts, spec, notes, findings)


def _key(frames: Mapping[str, Frame]) -> str:
    """Name the one column that every file has and that names its rows; else the word COLUMN."""
    first, *others = frames.values()
    shared = [
        name
        for name in first.columns
        if all(name in frame.columns for frame in others)
        and all(frame.cells[name].n_unique() == frame.n for frame in frames.values())
    ]
    return written(shared[0]) if len(shared) == 1 else "COLUMN"


def _side_by_side(
    parts: Mapping[str, Frame],
    spec: PredictionsSpec,
    notes: tuple[str, ...],
    findings: Findings,
) -> Joined | None:
    shared = [name for name in FINGERPRINTS if all(name in part.columns for part in parts.values())]
    describing = {*_describing(spec), *shared}
    untyped = all(part.untyped for part in parts.values())
    owners: dict[str, list[str]] = {}
    for path, part in parts.items():
        for column in part.columns:
            owners.setdefault(column, []).append(path)
    names: dict[tuple[str, str], str] = {}
    columns: list[pl.Series] = []
    for path, part in parts.items():
        for column in part.columns:
            first = owners[column][0]
            if column in describing and path != first:
                _compare(column, parts[first], part, spec, findings)
                names[path, column] = column
                continue
            name = column if path == first else f"{column} in {path}"
            names[path, column] = name
            series = part.cells[column] if untyped else _settled(part, column)
            columns.append(series.alias(name))
    models = _resolved(spec.models, parts, owners, names, findings)
    if findings.failed:
        return None
    source = ", ".join(parts)
    read_notes = tuple(note for part in parts.values() for note in part.notes)
    frame = frame_of(
        source,
        pl.DataFrame(columns),
        untyped=untyped,
        decimal_comma=any(part.decimal_comma for part in parts.values()),
        notes=(*read_notes, *notes),
    )
    return Joined(frame, models)


def _describing(spec: PredictionsSpec) -> set[str]:
    """Give the columns that describe rows, not models."""
    single = (spec.truth, spec.id, spec.group, spec.fold, spec.repeat, spec.dataset, spec.weight)
    names = {name for name in single if name is not None}
    return names | set(spec.subgroups) | {line.column for line in spec.where}


def _compare(
    column: str, first: Frame, other: Frame, spec: PredictionsSpec, findings: Findings
) -> None:
    mine, theirs = first.values(column), other.values(column)
    numeric = (Kind.NUMBER, Kind.BOOLEAN)
    if first.kind(column) in numeric and other.kind(column) in numeric:
        equal = mine.cast(pl.Float64).eq_missing(theirs.cast(pl.Float64))
    else:
        equal = first.texts(column).eq_missing(other.texts(column))
    rows = (~equal).arg_true().to_list()
    if not rows:
        return
    row = rows[0]
    key = first.texts(spec.id or column)[row]
    values = [frame.texts(column)[row] for frame in (first, other)]
    shown = " and ".join("missing" if value is None else f"`{value}`" for value in values)
    roles = {spec.truth: "truth", spec.group: "group", spec.weight: "weight", spec.fold: "fold"}
    findings.add(
        FILES_CONFLICT,
        f"`{column}` differs between `{first.source}` and `{other.source}` in "
        f"{counted(len(rows), 'row')}: for `{spec.id}` {key} it is {shown}",
        roles.get(column, "from"),
        help="write both files from one version of the data",
    )


def _settled(frame: Frame, column: str) -> "pl.Series":
    """Give a column its type, unless its spelling is more than its number."""
    if frame.untyped and frame.texts(column).str.contains(SPELLED_APART).any():
        return frame.texts(column)
    return frame.values(column)


def _resolved(
    models: tuple[GivenModel, ...],
    parts: Mapping[str, Frame],
    owners: Mapping[str, list[str]],
    names: Mapping[tuple[str, str], str],
    findings: Findings,
) -> tuple[GivenModel, ...]:
    """Give the models with the columns of the joined frame in place of those of their files."""

    def find(model: GivenModel, column: str, keyword: str) -> str:
        if model.path is not None:
            if (model.path, column) in names:
                return names[model.path, column]
            if model.path in parts:
                known = parts[model.path].columns
                findings.unknown_column(UNKNOWN_COLUMN, column, known, model.path, keyword)
        elif len(owners.get(column, ())) > 1:
            findings.add(
                AMBIGUOUS_COLUMN,
                f"`{column}` of `{model.name}` stands in several files: {quoted(owners[column])}",
                keyword,
                help=f"write {_in_file(model, column, owners[column][0], keyword)}",
            )
        return column

    found = []
    for model in models:
        scores = model.scores
        if isinstance(scores, Mapping):
            scores = {label: find(model, c, f"scores {model.name}") for label, c in scores.items()}
        elif isinstance(scores, tuple):
            scores = tuple(find(model, c, f"scores {model.name}") for c in scores)
        elif isinstance(scores, str) and model.path is not None:
            scores = _pattern_in(scores, model.path, parts, names)
        found.append(
            replace(
                model,
                column=None
                if model.column is None
                else find(model, model.column, f"models {model.name}"),
                score=None
                if model.score is None
                else find(model, model.score, f"score {model.name}"),
                scores=scores,
            )
        )
    return tuple(found)


def _in_file(model: GivenModel, column: str, path: str, keyword: str) -> str:
    """Spell how a study says in which file a column of a model stands."""
    if keyword.startswith("score"):
        return f'`models {model.name} in "{path}"`, where all columns of the model then stand'
    other = "" if column == model.name else f" as {written(column)}"
    return f'`{model.name}{other} in "{path}"`'


def _pattern_in(
    pattern: str,
    path: str,
    parts: Mapping[str, Frame],
    names: Mapping[tuple[str, str], str],
) -> str | dict[str, str]:
    """Give a pattern of one file's columns as a mapping label -> column of the joined frame."""
    before, _, after = pattern.partition("*")
    return {
        column[len(before) : len(column) - len(after)]: names[path, column]
        for column in parts[path].columns
        if column.startswith(before) and column.endswith(after)
    } or pattern
