"""The files of a `predictions` statement: read, filtered by `where` lines, joined by id.

Rows are matched by id, never by position.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from os.path import commonprefix
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from evallang.data.column_roles import check_models, names_of_models, read_ids
from evallang.data.column_types import Kind
from evallang.data.data_frames import read_frame
from evallang.data.dataset import (
    BY_ORDER,
    GivenModel,
    PredictionsSpec,
    ScorePattern,
    Where,
)
from evallang.data.file_formats import read_file
from evallang.data.files import HELD, parts_of, stem
from evallang.data.findings import (
    Findings,
    Refused,
    counted,
    listed,
    quoted,
    refuse_each,
    unknown_column,
    written,
)
from evallang.data.frame import Frame, frame_of
from evallang.data.joined_parts import JoinedParts, RowsAsked, report_joining
from evallang.data.labels import EXACT
from evallang.data.logs import MUCH, read_log
from evallang.data.needed_columns import (
    FINGERPRINTS,
    hashed_columns,
    needed_columns,
    spelled_columns,
)
from evallang.data.odd_values import MOST_COMPARED, warn_of_variants
from evallang.data.parts import (
    hashes_of,
    join_parts,
    pattern_files,
    spelled_otherwise,
    with_words,
)
from evallang.data.path_patterns import PART, path_pattern
from evallang.data.row_filters import select
from evallang.data.source_columns import model_columns, named_columns, roles_of
from evallang.diagnostics import codes
from evallang.limits import MEMORY

Excluded = tuple[tuple[str, int], ...]


def join_files(
    spec: PredictionsSpec, frames: Mapping[str, Frame], findings: Findings
) -> tuple[Frame, tuple[GivenModel, ...], Excluded]:
    """Join all files into one frame.

    Returns the frame, the models with their columns in it, and what each `where` line excluded.
    """
    if spec.every is not None:
        return _long_table(spec, spec.every, frames, findings)
    if len(frames) == 1:
        frame, excluded = select(next(iter(frames.values())), spec.where)
        frame = numbered_by_order(frame, spec)
        columns = {name: name for name in frame.columns}
        return frame, tuple(own_columns(model, columns, spec) for model in spec.models), excluded
    everywhere = [w for w in spec.where if all(w.column in f.columns for f in frames.values())]
    kept, before, notes = _filtered(frames, everywhere, findings)
    kept = {path: numbered_by_order(frame, spec) for path, frame in kept.items()}
    joined, models = join(kept, spec, findings)
    rest = [line for line in spec.where if line not in everywhere]
    frame, after = select(joined.noted(notes), rest)
    in_memory = next((one.joined for one in frames.values() if one.joined is not None), None)
    return replace(frame, joined=in_memory), models, (*before, *after)


def _long_table(
    spec: PredictionsSpec, every: GivenModel, frames: Mapping[str, Frame], findings: Findings
) -> tuple[Frame, tuple[GivenModel, ...], Excluded]:
    """Join the rows of the models of long tables by example.

    Files without a column of models, such as one of the truth, are joined to the rows of each
    model. A `where` line about a column that the rows of models lack is applied to the joined rows.
    """
    tables = [path for path, frame in frames.items() if {*spec.model} <= {*frame.columns}]
    if not tables:
        raise unknown_column(
            codes.unknown_column,
            spec.model[0],
            next(iter(frames.values())).nameable,
            ", ".join(frames),
            "model",
        )
    of_models = [
        line
        for line in spec.where
        if len(frames) == 1 or all(line.column in frames[path].columns for path in tables)
    ]
    kept, excluded, notes = _filtered(frames, of_models, findings)
    parts: dict[str, Frame] = {}
    present: list[str] = []
    for path in tables:
        frame = kept.pop(path)
        names = pl.Series(names_of_models(frame, spec.model))
        own = names.unique(maintain_order=True).to_list()
        for value in own:
            if value in present:
                raise Refused(
                    codes.file_names_unclear,
                    f"the model `{value}` is in {quoted(spec.paths)} more than once",
                    "from",
                    help="write one pattern for all files of a model, or rename one of the two",
                )
            if not spec.models or value in spec.model_values:
                parts[value] = replace(
                    frame.keep(names == value),
                    source=f"{value} in {frame.source}",
                    notes=(),
                    taken={},
                )
        present += own
        notes = tuple(dict.fromkeys((*notes, *frame.notes)))
    warn_of_variants(spec.model[0], present[:MOST_COMPARED], "model", findings)
    values = spec.model_values or tuple(present)
    models = spec.models or tuple(replace(every, name=name, label=name) for name in present)
    check_models(spec.paths, spec.model, values, present)
    models = tuple(replace(m, path=m.name) for m in models)
    renamed = dict(zip(values, models, strict=True))
    parts = {
        model.name: numbered_by_order(replace(f, cells=f.cells.drop(spec.model)), spec)
        for f, model in ((parts[value], renamed[value]) for value in values)
    }
    skipped = [name for name in present if name not in values]
    notes += (f"rows of other models skipped: {listed(skipped, 12)}",) if skipped else ()
    if len(parts) == 1 and not kept:
        (only,) = parts.values()
        columns = {name: name for name in only.columns}
        only = replace(only, taken=frame.taken)
        return only.noted(notes), tuple(own_columns(m, columns, spec) for m in models), excluded
    if spec.id is None:
        raise Refused(
            codes.id_needed_to_join,
            f"the rows of {len(parts)} models are paired by example, and no column names it",
            "model",
            "from",
            help="write `id COLUMN` below it",
        )
    first = next(iter(parts.values()))
    shared = {path: _in_each_run(part, first, spec.runs) for path, part in kept.items()}
    joined, models = join({**parts, **shared}, replace(spec, models=models), findings)
    taken = {word: some for frame in frames.values() for word, some in frame.taken.items()}
    found = replace(joined, source=", ".join(spec.paths), rows_by=spec.id, taken=taken)
    rest = [line for line in spec.where if line not in of_models]
    found, after = select(found.noted(notes), rest)
    return found, models, (*excluded, *after)


def numbered_by_order(frame: Frame, spec: PredictionsSpec) -> Frame:
    """Number the rows of each example in their order, where `repeat by order` asks for it."""
    if spec.repeat != BY_ORDER or spec.id not in frame.columns:
        return frame
    keys = [spec.id, *([spec.dataset] if spec.dataset in frame.columns else [])]
    number = pl.int_range(pl.len(), dtype=pl.Int64).over(keys).alias(BY_ORDER)
    return replace(frame, cells=frame.cells.with_columns(number))


def _in_each_run(frame: Frame, other: Frame, runs: str | None) -> Frame:
    """Return the rows of a file without repeats once for each repeat of another."""
    if runs is None or runs in frame.columns or runs not in other.columns:
        return frame
    repeats = other.cells.select(runs).unique(maintain_order=True)
    rows = np.repeat(frame.row_numbers, repeats.height)
    return replace(frame, cells=frame.cells.join(repeats, how="cross"), rows=rows, _typed={})


def read_files(
    spec: PredictionsSpec,
    folder: Path,
    findings: Findings,
    given: Sequence[Any] = (),
    asked: tuple[RowsAsked, ...] = (),
) -> dict[str, Frame]:
    """Read every file, or take the data frame that is given for it.

    `given` are data frames in the order of the files; `asked` is why the rows of files in parts are
    needed.
    """
    several = len(spec.paths) > 1
    frames: dict[str, Frame] = {
        path: read_frame(frame, path if several else None).mark_missing(spec.missing)
        for path, frame in zip(spec.paths, given, strict=False)
    }
    refuse_each(
        Refused(
            codes.file_not_found,
            f"`{model.name}` is in `{model.path}`, which is not one of the files",
            f"models {model.name}",
            help=f"they are {quoted(spec.paths)}",
        )
        for model in spec.models
        if model.path is not None and model.path not in spec.paths
    )
    if spec.log is not None and not given:
        return {", ".join(spec.paths): read_log(spec, spec.log, folder, findings)}
    for path in () if given else spec.paths:
        with findings.catching():
            frames |= _tables(path, spec, folder, asked)
    findings.stop_at_errors()
    return frames


def _tables(
    path: str, spec: PredictionsSpec, folder: Path, asked: tuple[RowsAsked, ...]
) -> dict[str, Frame]:
    """Read one file, or all files of a pattern as one table, or as one for each model."""
    pattern = path_pattern(path)
    if not pattern.words:
        return {path: read_part(pattern.plain, spec, folder)}  # `{{` is a literal brace
    found = pattern_files(path, folder)
    with parts_of(path, [file for _, file in found], folder):
        if "model" not in pattern.words:
            return {path: _stack(path, found, spec, folder, asked)}
        models = dict.fromkeys(values["model"] for values, _ in found)
        return {
            f"{path}, {model}": _stack(
                path, [one for one in found if one[0]["model"] == model], spec, folder, ()
            )
            for model in models
        }


def _stack(
    path: str,
    found: Sequence[tuple[Mapping[str, str], str]],
    spec: PredictionsSpec,
    folder: Path,
    asked: tuple[RowsAsked, ...],
) -> Frame:
    """Read files as one table, with a column for each word of their names but `{part}`."""
    alone = found[0][0].keys() == {PART}
    frames: list[Frame] = []
    for values, part in found:
        frames.append(with_words(read_part(part, spec, folder), values))
        held = sum(int(one.cells.estimated_size()) for one in frames)
        whole = int(held * len(found) / len(frames))  # as if the others were like these
        MEMORY.check(f"the parts of `{path}`", HELD * whole, COUNTED_INSTEAD)
        if alone and len(frames) == 1:
            report_joining(JoinedParts(spec.name, len(found), whole, asked))
    hashed = hashed_columns(spec, frames[0].columns)
    hashes = [hashes_of(frame, *hashed) for frame in frames if alone]
    if any(spelled_otherwise(frame, frames) for frame in frames):
        frames = [
            with_words(read_part(part, spec, folder, spelled=False), values)
            for values, part in found
        ]
    how = JoinedParts(spec.name, len(frames), held, asked)
    joined = join_parts(path, frames, hashes)
    return replace(joined, joined=how) if alone else joined


COUNTED_INSTEAD = (
    "write `roc_auc(distinct=100_000)`, whose error is stated, or measure labels alone, as by "
    "`accuracy`, so that rows are counted and not kept"
)


def read_part(part: str, spec: PredictionsSpec, folder: Path, *, spelled: bool = True) -> Frame:
    """Read a file of a statement, or one of its parts.

    With `spelled` numbers in other columns than labels are typed; else all keep their spelling.
    """
    return read_file(
        part,
        folder,
        named=named_columns(spec),
        spelled=spelled_columns(spec) if spelled else None,
        needed=needed_columns(spec),
    ).mark_missing(spec.missing)


def _filtered(
    frames: Mapping[str, Frame], lines: Sequence[Where], findings: Findings
) -> tuple[dict[str, Frame], Excluded, tuple[str, ...]]:
    """Apply to each file the lines about columns that every file has.

    So of several rows of one id (lm-evaluation-harness writes one a filter) one is kept before
    ids are matched. A line counts as having excluded the most rows that it excluded in a file.
    """
    parts: dict[str, Frame] = {}
    counts: dict[str, list[int]] = {line.written: [] for line in lines}
    for path, frame in frames.items():
        with findings.catching():
            own = [line for line in lines if line.column in frame.columns or len(frames) == 1]
            parts[path], gone = select(frame, own)
            for clause, n in gone:
                counts[clause].append(n)
    findings.stop_at_errors()
    notes = tuple(
        f"{clause}: excludes {listed(n, len(n))} rows of {listed(frames, len(n))}"
        for clause, n in counts.items()
        if len(set(n)) > 1
    )
    return parts, tuple((clause, max(n)) for clause, n in counts.items()), notes


def join(
    frames: Mapping[str, Frame], spec: PredictionsSpec, findings: Findings
) -> tuple[Frame, tuple[GivenModel, ...]]:
    """Join files by their ids, in the order of the first.

    Rows are matched by id, within the same repeat and data set where all files have those
    columns. A column that describes rows and is in several files must agree in them. Returns one
    frame for all files, and the models with their columns in it.
    """
    if spec.id is None:
        message = f"{len(frames)} files are joined by id, but no id column is named"
        fix = _stacked(frames, spec) or f"write `id {_key(frames)}` below it"
        raise Refused(codes.id_needed_to_join, message, "from", help=fix)
    frames = _with_numbered_seeds(frames, spec)
    within = [
        name
        for name in (spec.runs, spec.dataset)
        if name is not None and all(name in frame.columns for frame in frames.values())
    ]
    apart = {model.column or model.name for model in spec.models}
    rated = spec.judged == "judges"
    if not rated:
        apart.add(spec.truth or "")
    if (spec.log is not None or rated) and not spec.rows_common:
        parts = _with_gaps(frames, [spec.id, *within], findings, apart)
        if spec.log is not None:
            _warn_of_gaps(spec, parts, apart, findings)
        notes: tuple[str, ...] = ()
    else:
        parts, notes = align(frames, [spec.id, *within], spec.rows_common, findings, apart)
    return _side_by_side(parts, spec, notes, findings)


def _with_numbered_seeds(frames: Mapping[str, Frame], spec: PredictionsSpec) -> Mapping[str, Frame]:
    """Number the seeds of each model from 1 where models have seeds of different names.

    A seed distinguishes the networks of one model, which are paired with those of no other model.
    """
    column = spec.seed
    if column is None or not all(column in frame.columns for frame in frames.values()):
        return frames
    seeds = {path: frame.values(column) for path, frame in frames.items()}
    names = {path: one.unique().drop_nulls().sort() for path, one in seeds.items()}
    first, *others = (set(one.to_list()) for one in names.values())
    if all(other == first for other in others):
        return frames
    if any(len(other) != len(first) for other in others):
        has = (f"`{path}` has {counted(len(one), 'seed')}" for path, one in names.items())
        raise Refused(
            codes.readers_not_crossed,
            f"models need equal numbers of seeds: {listed(has)}",
            "seed",
            help="leave out seeds by `where`",
        )
    numbered = {}
    for path, frame in frames.items():
        numbers = range(1, len(first) + 1)
        new = seeds[path].replace_strict(names[path], numbers, default=None, return_dtype=pl.Int64)
        cells = frame.cells.with_columns(new.alias(column))
        note = f"{path}: seeds numbered from 1: {listed(map(str, names[path].to_list()), 12)}"
        numbered[path] = replace(frame, cells=cells, _typed={}).noted((note,))
    return numbered


def _stacked(frames: Mapping[str, Frame], spec: PredictionsSpec) -> str | None:
    """Propose a pattern for files whose rows are of other repeats, folds or data sets."""
    for role in ("repeat", "fold", "dataset"):
        name = getattr(spec, role)
        if name is None or not all(name in frame.columns for frame in frames.values()):
            continue
        values = [set(frame.texts(name).unique().to_list()) for frame in frames.values()]
        paths = list(frames)
        # Letter by letter: names of files differ inside a part of the path
        first = commonprefix(paths)  # noqa: RUF071
        last = commonprefix([path[::-1] for path in paths])[::-1]  # noqa: RUF071
        shortest = min(map(len, paths))
        if len(set.union(*values)) < sum(map(len, values)) or len(first) + len(last) >= shortest:
            continue
        return f'write `from "{first}{{part}}{last}"`: files of one pattern are stacked'
    return None


def _key(frames: Mapping[str, Frame]) -> str:
    """Return the one column of all files with a different value per row, or the word COLUMN."""
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
) -> tuple[Frame, tuple[GivenModel, ...]]:
    shared = [name for name in FINGERPRINTS if all(name in part.columns for part in parts.values())]
    outcomes = {column for model in spec.models for _, column in _named_columns(model, spec)}
    describing = {*roles_of(spec), *shared} - outcomes
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
                with findings.catching():
                    _compare(column, parts[first], part, spec)
                names[path, column] = column
                continue
            alone = path == first and (spec.every is None or column in describing)
            name = column if alone else f"{column} in {path}"
            names[path, column] = name
            series = part.cells[column] if untyped else _settled(part, column)
            columns.append(series.alias(name))
    models = _resolved(spec, parts, names, describing)
    findings.stop_at_errors()
    source = ", ".join(parts)
    read_notes = tuple(note for part in parts.values() for note in part.notes)
    frame = frame_of(
        source,
        pl.DataFrame(columns),
        untyped=untyped,
        notes=(*read_notes, *notes),
    )
    taken = {
        names[path, column]: words
        for path, part in parts.items()
        for column, words in part.taken.items()
    }
    return replace(frame, stated=spec.missing, taken=taken), models


def _compare(column: str, first: Frame, other: Frame, spec: PredictionsSpec) -> None:
    mine, theirs = first.values(column), other.values(column)
    if mine.dtype == theirs.dtype and mine.equals(theirs):
        return
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
    raise Refused(
        codes.files_contradict,
        f"`{column}` differs between `{first.source}` and `{other.source}` in "
        f"{counted(len(rows), 'row')}: for `{spec.id}` {key} it is {shown}",
        roles.get(column, "from"),
        help="write both files from the same version of the data",
    )


def _settled(frame: Frame, column: str) -> "pl.Series":
    """Convert a column to its type, unless its spelling holds more than its number."""
    if frame.untyped and frame.texts(column).str.contains(SPELLED_APART).any():
        return frame.texts(column)
    return frame.values(column)


def own_columns(model: GivenModel, columns: Mapping[str, str], spec: PredictionsSpec) -> GivenModel:
    """Return a model with the columns of its own file.

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
        range=None if model.range is None else tuple(columns.get(c, c) for c in model.range),
        denominator=None
        if model.denominator is None
        else columns.get(model.denominator, model.denominator),
    )
    column = model.column or model.name
    if _optional(model, spec) is not None:
        named = columns.get(column)
        if named is None or named in model_columns(spec, [replace(tied, column=None)]):
            return tied
    return replace(tied, column=columns.get(column, column))


def _resolved(
    spec: PredictionsSpec,
    parts: Mapping[str, Frame],
    names: Mapping[tuple[str, str], str],
    describing: Collection[str],
) -> tuple[GivenModel, ...]:
    """Return the models with the columns of the joined frame in place of those of their files."""
    models: list[GivenModel] = []
    unclear: dict[str, Owners] = {}
    unknown: list[Refused] = []
    for model in spec.models:
        files = tuple(parts) if model.path is None else (model.path,)
        if model.path is None:
            owners: Owners = {}
            for path, part in parts.items():
                own = {c: c for c in part.columns if c not in describing}
                for keyword, name in _named_columns(model, spec):
                    found = keyword.startswith("scores ") and ScorePattern(name, own).found
                    if name in own or found:
                        owners.setdefault((keyword, name), []).append(path)
            owners = {named: paths for named, paths in owners.items() if len(paths) > 1}
            unclear |= {model.name: owners} if owners else {}  # a pattern is looked up in one file
        else:
            known = parts[model.path].columns
            unknown += [
                unknown_column(codes.unknown_column, column, known, model.path, keyword)
                for keyword, column in _named_columns(model, spec)
                if column not in known and "*" not in column and column != _optional(model, spec)
            ]
        columns = {name: names[path, name] for path in files[::-1] for name in parts[path].columns}
        models.append(own_columns(model, columns, spec))
    refuse_each([*unknown, *_unclear_columns(unclear, spec)])
    return tuple(models)


Owners = dict[tuple[str, str], list[str]]
"""The files that have a column of one model, by the clause and the name."""


def _optional(model: GivenModel, spec: PredictionsSpec) -> str | None:
    """Return the column that holds a model's labels only where it exists: the one of its name."""
    settings = (model.score, model.scores, model.threshold, model.range)
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
    found += [(f"scores {model.name}", column) for column in several]
    if model.denominator is not None:
        found.append((f"value {model.name}", model.denominator))
    return found + [(f"range {model.name}", column) for column in model.range or ()]


def _unclear_columns(unclear: Mapping[str, Owners], spec: PredictionsSpec) -> Iterator[Refused]:
    """Iterate over each model whose columns are in several files, and how to write its file."""
    models = {model.name: model for model in spec.models}
    files = {
        name: tuple(dict.fromkeys(path for paths in owners.values() for path in paths))
        for name, owners in unclear.items()
    }
    own = {name: _own_file(name, files[name], spec, alone=len(files) == 1) for name in files}
    listed_models = any(word in spec.places for word in ("models", "correct", "value", "judges"))
    for name, owners in unclear.items():
        items = []
        for other in [name] if listed_models else models:
            column = models[other].column or other
            item = written(other) + (f" as {written(column)}" if column != other else "")
            items.append(item + (f' in "{own[other] or "FILE"}"' if other in unclear else ""))
        help_text = f"write `{'' if listed_models else 'models '}{', '.join(items)}`"
        if own[name] is None:
            help_text += f" with the file of this model: {quoted(files[name])}"
        elif models[name].column is None:
            help_text += ": all columns of a model are then read from its file"
        columns = tuple(dict.fromkeys(column for _, column in owners))
        whose = f"`{name}`" if columns == (name,) else f"{quoted(columns)} of `{name}`"
        yield Refused(
            codes.column_in_several_files,
            f"{whose} {'is' if len(columns) == 1 else 'are'} in several files: "
            f"{quoted(files[name])}",
            *(keyword for keyword, _ in owners),
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


SPELLED_APART = r"^[+-]?0[0-9]"  # 007: text that would lose its spelling as a number
COUNTS_INSTEAD = (
    "; for two different test sets, write `counts` with `right MODEL = RIGHT of TOTAL` for each "
    "model"
)
MOST_LISTED = 5  # keys that a message lists before "and N more"
ROW = "row"  # of the source, next to the keys "0", "1" ...


def align(
    frames: Mapping[str, Frame],
    keys: Sequence[str],
    common_only: bool,
    findings: Findings,
    apart: Collection[str] = (),
) -> tuple[dict[str, Frame], tuple[str, ...]]:
    """Align all files with the rows of the first, in its order.

    `keys` are the columns that name a row, the id first. They are compared as numbers where
    they are numbers in every file (1 and 1.0 are one id), else as text. Rows that are not in
    every file are an error, or with `common_only` skipped and counted. `apart` are the columns
    of truth and models.
    """
    for frame in frames.values():
        findings.tried(read_ids, frame, keys[0], within=keys[1:], apart=apart)
    findings.stop_at_errors()
    names = [str(place) for place in range(len(keys))]
    spelled = [_key_texts(frames, key) for key in keys]
    rows = {
        path: pl.DataFrame(
            [one[path].alias(name) for one, name in zip(spelled, names, strict=True)]
        ).with_row_index(ROW)
        for path in frames
    }
    refuse_each(_same_number_twice(frames, rows, keys[0], names))
    every = pl.concat([own.select(names) for own in rows.values()]).unique(maintain_order=True)
    first, *others = rows.values()
    common = first.select(names)
    for own in others:
        common = common.join(own.select(names), on=names, how="semi", maintain_order="left")
    notes: tuple[str, ...] = ()
    if common.height < every.height:
        if not common_only or common.height == 0:
            refuse_each(_lacking(rows, every, keys))
        left = counted(every.height - common.height, "row")
        notes = (f"rows common: {left} of {every.height:,} skipped, not in every file",)
        for key, name in zip(keys[1:], names[1:], strict=True):
            gone = every[name].unique(maintain_order=True)
            gone = gone.filter(~gone.is_in(common[name].unique().implode()))
            if len(gone):
                note = (
                    f"rows common: no row of `{key}` {listed(gone.to_list(), 12)} is in every file"
                )
                notes = (*notes, note)
    parts = {}
    for path, frame in frames.items():
        order = common.join(rows[path], on=names, how="left", maintain_order="left")[ROW]
        places = frame.row_numbers[order.to_numpy()]
        parts[path] = replace(frame, cells=frame.cells[order], rows=places, _typed={})
    return parts, notes


def _with_gaps(
    frames: Mapping[str, Frame],
    keys: Sequence[str],
    findings: Findings,
    apart: Collection[str],
) -> dict[str, Frame]:
    """Align the samples of all models; what a model was not scored on is missing in its columns.

    What describes a sample, which is every column but those `apart`, is that of another model.
    """
    for frame in frames.values():
        findings.tried(read_ids, frame, keys[0], within=keys[1:], apart=apart)
    findings.stop_at_errors()
    spelled = [_key_texts(frames, key) for key in keys]
    rows = {
        path: pl.DataFrame([one[path].alias(str(i)) for i, one in enumerate(spelled)])
        for path in frames
    }
    every = pl.concat(rows.values()).unique(maintain_order=True)
    names = every.columns
    held: dict[str, pl.DataFrame] = {}
    for path, frame in frames.items():
        own = pl.concat([rows[path], frame.cells], how="horizontal")
        held[path] = every.join(own, on=names, how="left", maintain_order="left").drop(names)
    parts: dict[str, Frame] = {}
    for path, cells in held.items():
        others = [one for other, one in held.items() if other != path]
        filled = [
            pl.select(pl.coalesce(cells[c], *(one[c] for one in others if c in one.columns)))
            .to_series()
            .alias(c)
            for c in cells.columns
            if c not in apart
        ]
        whole = cells.with_columns(filled)
        parts[path] = replace(frames[path], cells=whole, rows=range(len(whole)), _typed={})
    return parts


def _warn_of_gaps(
    spec: PredictionsSpec, parts: Mapping[str, Frame], apart: Collection[str], findings: Findings
) -> None:
    """Warn where more than 1 % of the samples lack a score of some model."""
    scored = pl.DataFrame(
        [
            part.cells[column].is_not_null().alias(model)
            for model, part in parts.items()
            for column in part.columns
            if column in apart
        ]
    )
    every, common = len(scored), scored.fold(lambda a, b: a & b).sum()
    if every - common > MUCH * every:
        sizes = [f"{model} {scored[model].sum():,}" for model in scored.columns]
        known = [written(model) for model in scored.columns if scored[model].any()]
        instead = "name logs of the same questions"
        if len(known) < len(sizes):
            instead = f"name only the models that have scores: `models {', '.join(known)}`"
        findings.add(
            codes.different_samples,
            f"{common:,} of {every:,} samples of `{spec.name}` have a score of every model: "
            f"{listed(sizes, 12)}",
            "from",
            help="write `rows common` to score every model on the samples that all have"
            if common
            else instead,
        )


def _key_texts(frames: Mapping[str, Frame], key: str) -> "dict[str, pl.Series]":
    """Format a key column so that equal keys of all files are equal texts."""
    texts = {path: frame.texts(key) for path, frame in frames.items()}
    if any(frame.kind(key) is not Kind.NUMBER for frame in frames.values()):
        return texts
    if any(column.str.contains(SPELLED_APART).any() for column in texts.values()):
        return texts
    numbers = {path: frame.values(key) for path, frame in frames.items()}
    if all(column.dtype.is_integer() for column in numbers.values()):
        return {path: column.cast(pl.Int128).cast(pl.String) for path, column in numbers.items()}
    floats = {path: column.cast(pl.Float64) for path, column in numbers.items()}
    if any((column.abs() > EXACT).any() for column in floats.values()):
        return texts
    return {path: column.cast(pl.String) for path, column in floats.items()}


def _same_number_twice(
    frames: Mapping[str, Frame],
    rows: "Mapping[str, pl.DataFrame]",
    key: str,
    names: list[str],
) -> Iterator[Refused]:
    """Iterate over the files with ids that are one number in two spellings."""
    for path, own in rows.items():
        twice = own.filter(own.select(names).is_duplicated())[ROW].to_list()
        if twice:
            found = quoted(dict.fromkeys(frames[path].texts(key)[twice].to_list()))
            message = f"`{key}` names more than one row of `{path}`: {found} are the same number"
            fix = "write each id in the same way in all files"
            yield Refused(codes.id_occurs_twice, message, "id", help=fix)


def _lacking(
    rows: "Mapping[str, pl.DataFrame]", every: "pl.DataFrame", columns: Sequence[str]
) -> Iterator[Refused]:
    """Iterate over the files that lack rows of others."""
    names, column = every.columns, columns[0]
    keyed = " / ".join(f"`{name}`" for name in columns)
    common = every
    for own in rows.values():
        common = common.join(own, on=names, how="semi")
    for path, own in rows.items():
        lacking = every.join(own, on=names, how="anti", maintain_order="left")
        if lacking.height == 0:
            continue
        others = [other for other in rows if other != path]
        shared = own.join(
            pl.concat([rows[other].select(names) for other in others]), on=names, how="semi"
        )
        notes = []
        if shared.height == 0:
            looks = [f"{part[names[0]][0]} in `{other}`" for other, part in rows.items()]
            notes = [f"no `{column}` of `{path}` is in another file; the first are {listed(looks)}"]
        keys = [" / ".join(map(str, key)) for key in lacking.head(MOST_LISTED).rows()]
        more = lacking.height - len(keys)
        shown = ", ".join(keys) + (f" and {more:,} more" if more else "")
        yield Refused(
            codes.files_differ_in_rows,
            f"`{path}` lacks {counted(lacking.height, 'row')} that others have: {keyed} {shown}",
            "rows",
            "id",
            help=(
                "write `rows common` to keep only the rows that all have"
                if len(common)
                else f"spell `{column}` alike in all files, or name by `id` a shared column"
            )
            + (COUNTS_INSTEAD if len(columns) == 1 else ""),
            notes=notes,
        )
