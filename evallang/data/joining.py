"""Several files of predictions into one frame, row by row by id, never by position."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evallang.data.aligning import SPELLED_APART, align
from evallang.data.codes import UNKNOWN_COLUMN
from evallang.data.dataset import GivenModel, PredictionsSpec, ScorePattern
from evallang.data.files import stem
from evallang.data.findings import Findings, counted, quoted, written
from evallang.data.frame import Frame, frame_of
from evallang.data.kinds import Kind
from evallang.data.model_scores import score_columns
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
    owners: dict[str, str] = {}
    for path, part in parts.items():
        for column in part.columns:
            owners.setdefault(column, path)
    names: dict[tuple[str, str], str] = {}
    columns: list[pl.Series] = []
    for path, part in parts.items():
        for column in part.columns:
            first = owners[column]
            if column in describing and path != first:
                _compare(column, parts[first], part, spec, findings)
                names[path, column] = column
                continue
            name = column if path == first else f"{column} in {path}"
            names[path, column] = name
            series = part.cells[column] if untyped else _settled(part, column)
            columns.append(series.alias(name))
    models = _resolved(spec, parts, names, describing, findings)
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


def own_columns(model: GivenModel, columns: Mapping[str, str], spec: PredictionsSpec) -> GivenModel:
    """Tie a model to the columns of its own file.

    `columns` maps their names in that file to those in the frame of all files. A model of
    labels without a column of its own has the one of its name, if there is one.
    """
    scores = model.scores
    if isinstance(scores, str):
        scores = ScorePattern(scores, columns)
    elif isinstance(scores, Mapping):
        scores = {label: columns.get(name, name) for label, name in scores.items()}
    elif isinstance(scores, tuple):
        scores = tuple(columns.get(name, name) for name in scores)
    tied = replace(
        model,
        score=None if model.score is None else columns.get(model.score, model.score),
        scores=scores,
    )
    column = model.column or model.name
    if _optional(model, spec) is not None:
        named = columns.get(column)
        if named is None or named in score_columns(tied):
            return tied
    return replace(tied, column=columns.get(column, column))


def _resolved(
    spec: PredictionsSpec,
    parts: Mapping[str, Frame],
    names: Mapping[tuple[str, str], str],
    describing: Collection[str],
    findings: Findings,
) -> tuple[GivenModel, ...]:
    """Return the models with the columns of the joined frame in place of those of their files."""
    models: list[GivenModel] = []
    unclear: dict[str, _Unclear] = {}
    for model in spec.models:
        files = tuple(parts) if model.path is None else (model.path,)
        if model.path is None:
            found = _in_several_files(model, spec, parts, describing)
            if found is not None:
                unclear[model.name] = found
        else:
            known = parts[model.path].columns
            for keyword, column in _named_columns(model, spec):
                if column not in known and "*" not in column and column != _optional(model, spec):
                    findings.unknown_column(UNKNOWN_COLUMN, column, known, model.path, keyword)
        columns = {name: names[path, name] for path in files[::-1] for name in parts[path].columns}
        models.append(own_columns(model, columns, spec))
    _report_unclear(unclear, spec, findings)
    return tuple(models)


@dataclass(frozen=True)
class _Unclear:
    """Columns of one model that are in several files: their names, the files, the clauses."""

    columns: tuple[str, ...]
    paths: tuple[str, ...]
    keywords: tuple[str, ...]


def _optional(model: GivenModel, spec: PredictionsSpec) -> str | None:
    """Return the column that holds a model's labels only where it exists: the one of its name."""
    settings = (model.score, model.scores, model.threshold)
    if model.column is None and spec.judged is None and any(s is not None for s in settings):
        return model.name
    return None


def _named_columns(model: GivenModel, spec: PredictionsSpec) -> list[tuple[str, str]]:
    """Return the columns of a model, or their pattern, each with the clause that names it."""
    labels = model.column or model.name
    found = [(f"{spec.judged or 'models'} {model.name}", labels)]
    if model.score is not None:
        found.append((f"score {model.name}", model.score))
    several: Iterable[str] = ()
    if isinstance(model.scores, Mapping):
        several = model.scores.values()
    elif isinstance(model.scores, tuple):
        several = model.scores
    elif isinstance(model.scores, str):
        several = (model.scores,)
    return found + [(f"scores {model.name}", column) for column in several]


def _in_several_files(
    model: GivenModel,
    spec: PredictionsSpec,
    parts: Mapping[str, Frame],
    describing: Collection[str],
) -> _Unclear | None:
    """Return the columns of a model without a file that several files have, None without any.

    A pattern is looked up in one file, so it is unclear where columns of several files fit it.
    """
    columns: list[str] = []
    paths: dict[str, None] = {}
    keywords: list[str] = []
    for keyword, name in _named_columns(model, spec):
        owners = []
        for path, part in parts.items():
            own = {c: c for c in part.columns if c not in describing}
            if name in own or (keyword.startswith("scores ") and ScorePattern(name, own).found):
                owners.append(path)
        if len(owners) > 1:
            columns.append(name)
            keywords.append(keyword)
            paths |= dict.fromkeys(owners)
    if not columns:
        return None
    return _Unclear(tuple(dict.fromkeys(columns)), tuple(paths), tuple(keywords))


def _report_unclear(
    unclear: Mapping[str, _Unclear], spec: PredictionsSpec, findings: Findings
) -> None:
    """Report each model whose columns are in several files, and how to write its file."""
    models = {model.name: model for model in spec.models}
    alone = len(unclear) == 1
    own = {name: _own_file(name, found.paths, spec, alone=alone) for name, found in unclear.items()}
    listed_models = any(word in spec.places for word in ("models", "correct", "value"))
    for name, found in unclear.items():
        named = [name] if listed_models else list(models)
        items = []
        for other in named:
            column = models[other].column
            item = written(other)
            if column is not None and column != other:
                item += f" as {written(column)}"
            if other in unclear:
                item += f' in "{own[other] or "FILE"}"'
            items.append(item)
        help_text = f"write `{'' if listed_models else 'models '}{', '.join(items)}`"
        if own[name] is None:
            help_text += f" with the file of this model: {quoted(found.paths)}"
        elif models[name].column is None:
            help_text += ": all columns of a model are then read from its file"
        verb = "is" if len(found.columns) == 1 else "are"
        only = found.columns == (name,)
        whose = f"`{name}`" if only else f"{quoted(found.columns)} of `{name}`"
        findings.add(
            AMBIGUOUS_COLUMN,
            f"{whose} {verb} in several files: {quoted(found.paths)}",
            *found.keywords,
            help=help_text,
        )


def _own_file(name: str, paths: Sequence[str], spec: PredictionsSpec, *, alone: bool) -> str | None:
    """Return the file that must be a model's own, None where more than one can be.

    It is the one file that is left when only this model lacks one, or the one file that is
    called like the model.
    """
    claimed = {model.path for model in spec.models}
    free = [path for path in paths if path not in claimed]
    called = [path for path in free if _words(name) <= _words(stem(path))]
    if alone and len(free) == 1:
        return free[0]
    return called[0] if len(called) == 1 else None


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", name.casefold()))
