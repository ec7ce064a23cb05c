"""`scores` statements: scores computed elsewhere, one cell per model and data set or fold."""

import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import (
    check_column,
    check_models,
    complete_texts,
    names_of_models,
)
from evallang.data.column_types import Kind
from evallang.data.data_frames import read_frame
from evallang.data.dataset import GivenModel, ScoresSpec, ScoreTable
from evallang.data.file_formats import read_file
from evallang.data.files import parts_of
from evallang.data.findings import (
    Findings,
    Refused,
    Stopped,
    counted,
    listed,
    quoted,
    refuse_each,
    written,
)
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.labels import level_codes, sorted_levels
from evallang.data.magnitudes import OffScale, check_sizes, scale_of_named
from evallang.data.odd_values import MOST_COMPARED, warn_of_numbers, warn_of_variants
from evallang.data.parts import join_parts, pattern_files, with_words
from evallang.data.path_patterns import path_pattern
from evallang.data.row_filters import select
from evallang.data.source_columns import named_columns, named_models, roles_of, source_columns
from evallang.data.text_forms import names_fold, names_replicate, names_run
from evallang.diagnostics import Diagnostic, codes
from evallang.metrics.named import named_metric

FEW_LEVELS = 8  # values of a column that may tell models or runs apart
MOST_SHOWN = 5  # models that a message about missing scores names
LEAST_DATA_SETS = 1  # complete ones; each test declares how many it needs


def read_scores(
    spec: ScoresSpec, folder: Path, given: Any = None
) -> tuple[ScoreTable | None, tuple[Diagnostic, ...]]:
    """Read a table of scores, and report everything that is wrong with it.

    Data sets and models keep the order of the file (models that of the statement), folds and
    repeats are sorted. With an error among the diagnostics there is no table. Nothing is
    raised for bad data. A data frame that is `given` replaces the file.
    """
    findings = Findings(spec.places)
    return findings.tried(_read, spec, folder, given, findings), findings.diagnostics


def _read(spec: ScoresSpec, folder: Path, given: Any, findings: Findings) -> ScoreTable:
    frame = _file(spec, folder) if given is None else read_frame(given)
    frame, excluded = select(frame.mark_missing(spec.missing, MISSING_MARKS), spec.where)
    with findings.catching():
        frame = _rows_of_metric(frame, spec)
    tools = None
    if spec.fold in frame.columns and not (spec.repeat or spec.shared_training):
        tools = named_by_tools(spec.fold or "", frame)
    if tools is not None:
        of_cv = f"{spec.fold}: names such as {frame.texts(spec.fold or '')[0]} read as "
        of_cv += "folds" if tools[1] is None else "folds and repeats"
        frame = frame.noted((f"{of_cv} of cross-validation",))
        spec = replace(
            spec, shared_training="partition", repeat=None if tools[1] is None else spec.fold
        )
    axes = _axes(frame, spec, findings, tools)
    with findings.catching():
        refuse_each(_metrics_as_places(spec, axes))
    if not spec.models:  # a column meant for a role would count as a model
        findings.stop_at_errors()
    cells = _long(frame, spec, findings) if spec.model else _wide(frame, spec, findings)
    findings.stop_at_errors()
    values, notes = _filled(frame, spec, cells, axes, findings)
    values, scaled = _as_shares(spec, values)
    spec = replace(spec, percents=bool(scaled))
    single = spec.fold is None and spec.repeat is None and spec.seed is None
    folded = spec.fold is not None and not spec.over_seeds
    repeated = spec.repeat is not None and not spec.over_seeds
    table = ScoreTable(
        spec=spec,
        models=cells.models,
        datasets=axes.datasets,
        values=values[:, :, 0] if single else values,
        missing=_lacking(values),
        folds=np.array([f for _, f in axes.pairs], dtype=np.int64) if folded else None,
        fold_labels=axes.folds if folded else None,
        repeats=np.array([r for r, _ in axes.pairs], dtype=np.int64) if repeated else None,
        repeat_labels=axes.repeats if repeated else None,
        sha256="",
        source=frame.source,
        taken=frame.taken,
        notes=(*frame.all_notes, *cells.notes, *notes, *scaled),
        source_columns=source_columns(
            frame, roles_of(spec, () if spec.model else named_models(cells.models))
        ),
        seed_labels=axes.seeds if spec.over_seeds else None,
        excluded=excluded,
    )
    return replace(table, sha256=scores_hash(table))


def _file(spec: ScoresSpec, folder: Path) -> Frame:
    """Read the file, or all files of a pattern as one table."""
    pattern = path_pattern(spec.path)
    found = pattern_files(spec.path, folder) if pattern.words else [({}, pattern.plain)]
    spelled = named_columns(replace(spec, score=None, models=(), where=()))
    with parts_of(spec.path, [path for _, path in found], folder):
        frames = [
            with_words(read_file(path, folder, named=named_columns(spec), spelled=spelled), values)
            for values, path in found
        ]
    return join_parts(spec.path, frames, ()) if pattern.words else frames[0]


def scores_hash(table: ScoreTable) -> str:
    """Hash everything in a table of scores that can change a result."""
    parts = DataHash()
    parts.text("models", [model.name for model in table.models])
    parts.text("datasets", list(table.datasets))
    parts.text("higher_is_better", table.spec.higher_is_better)
    parts.text("missing_policy", table.spec.policy)
    parts.numbers("values", table.values)
    parts.numbers("folds", table.folds)
    parts.text("fold_labels", table.fold_labels)
    parts.numbers("repeats", table.repeats)
    parts.text("repeat_labels", table.repeat_labels)
    if table.seed_labels is not None:
        parts.text("seed_labels", table.seed_labels)
    return parts.hexdigest()


def _rows_of_metric(frame: Frame, spec: ScoresSpec) -> Frame:
    """Keep the rows of one metric of a long table with several."""
    names = complete_texts(frame, spec.metric_column, "metric")
    if names is None or spec.metric is None:
        return frame
    present = tuple(dict.fromkeys(names))
    exact = [name for name in present if name == spec.metric]
    alike = exact or [name for name in present if _letters(name) == _letters(spec.metric or "")]
    if len(alike) != 1:
        found = f"has both {quoted(alike)}" if alike else f"has no `{spec.metric}`"
        raise Refused(
            codes.no_scores_of_model,
            f"`{spec.metric_column}` of `{frame.source}` {found} among its metrics",
            "measure",
            help=f"measure one of {quoted(present, 12)}; case and punctuation may differ"
            if not alike
            else "choose the rows by a line such as "
            f'`where {written(spec.metric_column or "")} = "{alike[0]}"`',
        )
    kept = pl.Series(np.array([name == alike[0] for name in names], dtype=np.bool_))
    return frame.keep(kept)


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


_FOLD_AND_REPEAT = (
    re.compile(r"(?i)fold[ _]?(?P<fold>\d+)[ ._-]*rep(?:eat)?[ _]?(?P<repeat>\d+)"),
    re.compile(r"(?i)rep(?:eat)?[ _]?(?P<repeat>\d+)[ ._-]*fold[ _]?(?P<fold>\d+)"),
    re.compile(r"Fold(?P<fold>\d+)"),
)
"""How caret and rsample (R) name the folds of cross-validation, once or repeated."""


Texts = tuple[str, ...]


def named_by_tools(column: str, frame: Frame) -> tuple[Texts, Texts | None] | None:
    """Return fold and repeat of each row where a column holds names such as `Fold01.Rep1`."""
    names = [str(name).strip() for name in frame.texts(column).to_list()]
    for pattern in _FOLD_AND_REPEAT:
        found = [match for name in names if (match := pattern.fullmatch(name))]
        if found and len(found) == len(names):
            repeats = tuple(m["repeat"] for m in found) if "repeat" in pattern.groupindex else None
            return tuple(m["fold"] for m in found), repeats
    return None


def _as_shares(
    spec: ScoresSpec, values: "NDArray[np.float64]"
) -> "tuple[NDArray[np.float64], tuple[str, ...]]":
    """Read percents of a metric that is known as a share as shares."""
    found = scale_of_named(spec.metric, values[~np.isnan(values)], f"`{spec.name}`")
    if isinstance(found, OffScale):
        raise Refused(
            codes.off_the_scale_of_its_metric,
            found.message,
            "metric",
            "measure",
            "score",
            help=found.help,
        )
    return (values, ()) if found is None else (values / 100, (found,))


# --- the axes ------------------------------------------------------------------------------


class Cells(Struct, frozen=True):
    """The scores of a file, row by row.

    `block` is (n, k) float64, missing = NaN, with k models in a wide table and 1 in a long
    one; `model_of_cell`, of the same shape, holds the code of each cell's model, -1 for one
    that the statement does not name.
    """

    models: tuple[GivenModel, ...]
    block: "NDArray[np.float64]"
    model_of_cell: "NDArray[np.int64]"
    notes: tuple[str, ...] = ()


class _Axes(Struct, frozen=True):
    """The levels of data sets, folds, repeats and seeds, and each row's place among them.

    `pairs` are the (repeat, fold) codes that occur, sorted.
    """

    datasets: tuple[str, ...]
    folds: tuple[str, ...]
    repeats: tuple[str, ...]
    seeds: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    dataset: "NDArray[np.int64]"
    pair: "NDArray[np.int64]"
    seed: "NDArray[np.int64]"


def _axes(
    frame: Frame,
    spec: ScoresSpec,
    findings: Findings,
    tools: tuple[Texts, Texts | None] | None,
) -> _Axes:
    """Return the levels of each axis; a column that is not named is one level for all rows."""
    one = ("",) * frame.n
    texts = functools.partial(findings.tried, complete_texts, frame)
    datasets = texts(spec.dataset, "dataset") or (spec.name,) * frame.n
    folds = texts(spec.fold, "fold") or one
    repeats = texts(spec.repeat, "repeat") or one
    if tools is not None:
        folds, repeats = tools[0], tools[1] or one
    seeds = texts(spec.seed, "seed") or one
    set_levels = tuple(dict.fromkeys(datasets))
    warn_of_variants(spec.dataset or "", set_levels[:MOST_COMPARED], "dataset", findings)
    fold_levels, repeat_levels, seed_levels = map(sorted_levels, (folds, repeats, seeds))
    coded = np.stack((level_codes(repeats, repeat_levels), level_codes(folds, fold_levels)))
    pairs, pair = np.unique(coded, axis=1, return_inverse=True)
    return _Axes(
        set_levels,
        fold_levels,
        repeat_levels,
        seed_levels,
        tuple(map(tuple, pairs.T.tolist())),
        level_codes(datasets, set_levels),
        pair.reshape(-1),
        level_codes(seeds, seed_levels),
    )


def _metrics_as_places(spec: ScoresSpec, axes: _Axes) -> Iterator[Refused]:
    """Iterate over the columns of metrics that are given as those of data sets or repeats."""
    for word in ("dataset", "fold", "repeat", "seed"):
        column, levels = getattr(spec, word), getattr(axes, f"{word}s")
        if column is not None and len(levels) > 1 and all(map(named_metric, levels)):
            yield Refused(
                codes.off_the_scale_of_its_metric,
                f"`{column}` contains the names of metrics, {quoted(levels)}, and cannot be the "
                f"column after `{word}`",
                word,
                help=f"write `metric {written(column)}` instead, and `measure NAME` for one of its "
                "metrics",
            )


# --- the block -----------------------------------------------------------------------------


def _filled(
    frame: Frame, spec: ScoresSpec, cells: Cells, axes: _Axes, findings: Findings
) -> "tuple[NDArray[np.float64], tuple[str, ...]]":
    """Return the scores by data set, model and fold or seed."""
    shape = (len(axes.datasets), len(cells.models), len(axes.pairs), len(axes.seeds))
    values = np.full(shape, np.nan)
    rows = np.repeat(np.arange(frame.n), cells.block.shape[1])
    models = cells.model_of_cell.ravel()
    kept = models >= 0
    places = (axes.dataset[rows][kept], models[kept], axes.pair[rows][kept], axes.seed[rows][kept])
    flat = np.ravel_multi_index(places, shape)
    first = np.full(values.size, -1, dtype=np.int64)
    _, where = np.unique(flat, return_index=True)
    first[flat[where]] = rows[kept][where]
    again = np.setdiff1d(np.arange(len(flat)), where)
    if len(again):
        cell = int(again[0])
        row, earlier = int(rows[kept][cell]), int(first[flat[cell]])
        n = len(again)
        others = f", as {'does' if n == 2 else 'do'} {counted(n - 1, 'other cell')}"
        raise Refused(
            codes.score_given_twice,
            f"{frame.place(row)} of `{frame.source}` repeats the score of "
            f"`{cells.models[int(places[1][cell])].name}` {_place_words(frame, spec, row)}in "
            f"{frame.place(earlier)}{others if n > 1 else ''}",
            "fold",
            "dataset",
            "models",
            "model",
            help=_unnamed(frame, spec, row, earlier)
            or "keep one of them, or add a column that tells the rows apart",
        )
    values.ravel()[flat] = cells.block.ravel()[kept]
    _check_folds(values, spec, cells, axes)
    if spec.over_seeds:
        values, notes = _report_missing(values[:, :, 0], spec, cells, axes, findings)
        note = (
            f"{spec.seed}: {counted(len(axes.seeds), 'seed')} of each model share their data, so "
            "that their spread shows how training varies and not how other data would differ"
        )
        return values, (*notes, note)
    values, notes = _report_missing(values.mean(axis=3), spec, cells, axes, findings)
    if spec.seed is None:
        return values, notes
    note = f"{spec.seed}: each score is the mean over {counted(len(axes.seeds), 'seed')}"
    return values, (*notes, note)


def _unnamed(frame: Frame, spec: ScoresSpec, row: int, earlier: int) -> str | None:
    """Return the clauses for columns without a role in which two rows differ, None without any."""
    free = [name for name in frame.columns if name not in named_columns(spec)]
    differ = [
        name
        for name in free
        if (texts := frame.texts(name))[row] != texts[earlier]
        and texts.n_unique() <= max(FEW_LEVELS, frame.n**0.5)
    ]
    if not spec.model and not spec.models:
        differ = []  # any column may be a model
    lines: list[str] = []
    for name in differ:
        column, word = written(name), name.casefold()
        values = frame.texts(name).unique().to_list()
        if spec.model and ("metric" in word or all(map(named_metric, values))):
            if spec.metric_column is None:
                lines.append(f"`metric {column}` and `measure NAME` for one of its metrics")
        elif names_run(name) and spec.seed is None:
            lines.append(f"`seed {column}`")
        elif names_fold(name) and spec.fold is None:
            lines.append(f"`fold {column}`")
        elif names_replicate(name) and spec.repeat is None:
            lines.append(f"`repeat {column}`")
        elif spec.model and frame.kind(name) is Kind.TEXT:
            columns = ", ".join(map(written, (*spec.model, name)))
            lines.append(f"`model {columns}` if `{name}` tells models apart")
    if lines:
        return f"write {' or '.join(lines)}: the rows differ there"
    words = [word for word in ("dataset", "fold", "repeat", "seed") if getattr(spec, word) is None]
    if not words or not free:
        return None
    named = " or ".join(f"`{word} COLUMN`" for word in words)
    return f"write {named} to name the columns that distinguish the rows"


def _place_words(frame: Frame, spec: ScoresSpec, row: int) -> str:
    """Format the place of a row: `on iris, fold 3, repeat 1 `."""
    words = []
    if spec.dataset is not None:
        words.append(f"on {frame.texts(spec.dataset)[row]}")
    for word, column in (("fold", spec.fold), ("repeat", spec.repeat), ("seed", spec.seed)):
        if column is not None:
            words.append(f"{word} {frame.texts(column)[row]}")
    return ", ".join(words) + " " if words else ""


def _check_folds(
    values: "NDArray[np.float64]", spec: ScoresSpec, cells: Cells, axes: _Axes
) -> None:
    """Check that every cell that has scores has one in every fold of every repeat."""
    crossed = len(axes.folds) * len(axes.repeats)
    if len(axes.pairs) < crossed:
        repeat, fold = next(
            (r, f)
            for r in range(len(axes.repeats))
            for f in range(len(axes.folds))
            if (r, f) not in set(axes.pairs)
        )
        raise Refused(
            codes.folds_differ,
            f"`{spec.path}` has no fold {axes.folds[fold]} in repeat {axes.repeats[repeat]}, but "
            "other repeats have it",
            "fold",
            "repeat",
            help="use the same folds in every repeat",
        )
    present = ~np.isnan(values.reshape(*values.shape[:2], -1))
    partly = np.argwhere(present.any(axis=2) & ~present.all(axis=2))
    if len(partly) == 0:
        return
    data, model = (int(code) for code in partly[0])
    pair, seed = divmod(int(np.flatnonzero(~present[data, model])[0]), len(axes.seeds))
    repeat, fold = axes.pairs[pair]
    words = [f"fold {axes.folds[fold]}"] if spec.fold is not None else []
    words += [f"repeat {axes.repeats[repeat]}"] if spec.repeat is not None else []
    words += [f"seed {axes.seeds[seed]}"] if spec.seed is not None else []
    place = f" on {axes.datasets[data]}" if spec.dataset is not None else ""
    more = len(partly) - 1
    others = f"; {counted(more, 'other cell')} {'lacks' if more == 1 else 'lack'} some too"
    others = others if more else ""
    raise Refused(
        codes.folds_differ,
        f"`{cells.models[model].name}` has {int(present[data, model].sum())} of "
        f"{present.shape[2]} scores{place}, but none in {' of '.join(words)}{others}",
        "fold",
        "repeat",
        "seed",
        "models",
        "score",
        help=f"write scores for all {'folds' if spec.fold or spec.repeat else 'seeds'} of a data "
        "set, or for none",
    )


def _report_missing(
    values: "NDArray[np.float64]",
    spec: ScoresSpec,
    cells: Cells,
    axes: _Axes,
    findings: Findings,
) -> "tuple[NDArray[np.float64], tuple[str, ...]]":
    """Report missing scores; no complete data set is refused."""
    missing = _lacking(values)
    if not missing.any():
        return values, ()
    empty = [cells.models[code].name for code in np.flatnonzero(missing.all(axis=0)).tolist()]
    complete = int((~missing.any(axis=1)).sum())
    if empty or (spec.policy == "leave_out" and complete < LEAST_DATA_SETS):
        message = (
            f"`{spec.path}` has no score of {quoted(empty)}"
            if empty
            else f"none of the {counted(len(axes.datasets), 'data set')} of `{spec.path}` has a "
            f"score of each of the {len(cells.models)} models"
        )
        raise Refused(
            codes.no_complete_data_set,
            message,
            "models",
            "model",
            help=_often_scored(cells, missing),
        )
    lacking = [
        f"`{axes.datasets[row]}` (without {quoted(_names(cells.models, missing[row]), MOST_SHOWN)})"
        for row in np.flatnonzero(missing.any(axis=1)).tolist()
    ]
    done = (
        f"{complete} of {len(axes.datasets)} are used in tests of all models, unless tests rank a "
        "missing score last by `missing=worst`"
        if spec.policy == "leave_out"
        else "missing scores are ranked last"
    )
    message = (
        f"{counted(len(lacking), 'data set')} {'lacks' if len(lacking) == 1 else 'lack'} a score "
        f"of at least one model: {listed(lacking)}; {done}"
    )
    fix = "run the missing ones, or say in the paper why they are missing"
    findings.add(codes.missing_score, message, "models", "score", "model", help=fix)
    return values, (message,)


def _often_scored(cells: Cells, missing: "NDArray[np.bool_]") -> str:
    """Propose the models that are left if those with the fewest scores are skipped."""
    kept = [code for code in range(missing.shape[1]) if not missing[:, code].all()]
    while len(kept) > 1 and int((~missing[:, kept].any(axis=1)).sum()) < LEAST_DATA_SETS:
        kept.remove(max(kept, key=lambda code: int(missing[:, code].sum())))
    if len(kept) < 2:
        return "give scores of two models on the same data sets"
    names = ", ".join(written(cells.models[code].name) for code in kept)
    skipped = "model" if missing.shape[1] - len(kept) == 1 else "models"
    return f"write `models {names}` to skip the {skipped} with few scores"


def _lacking(values: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    """Return for each data set and model whether there is no score in any fold (N, M)."""
    return np.asarray(np.isnan(values).all(axis=2), dtype=np.bool_)


def _names(models: Sequence[GivenModel], chosen: Any) -> list[str]:
    return [model.name for model, is_chosen in zip(models, chosen, strict=True) if is_chosen]


MISSING_MARKS = ("-", "–", "—")
"""What published tables write for a run that failed, besides the usual words."""


def _wide(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells:
    roles = named_columns(spec)
    models = tuple(replace(m, column=m.column or m.name) for m in spec.models) or tuple(
        GivenModel(name, name, column=name)
        for place, name in enumerate(frame.columns, 1)
        if name not in roles and name != f"column_{place}"
    )
    if not models:
        message = f"no column of `{frame.source}` is left for a model"
        raise Refused(
            codes.no_models_in_file, message, "models",
            help="the scores of a model are a column, or write `model COLUMN` and `score COLUMN`; "
            f"the columns are {quoted(frame.columns)}",
        )  # fmt: skip
    arrays: list[NDArray[np.float64]] = []
    for model in models:
        with findings.catching():
            arrays.append(_numbers(frame, model.column or model.name, "models", findings))
    findings.stop_at_errors()
    coded = np.broadcast_to(np.arange(len(models)), (frame.n, len(models)))
    return Cells(models, np.column_stack(arrays), coded)


def _long(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells:
    names = findings.tried(names_of_models, frame, spec.model)
    numbers = _numbers(frame, spec.score or "", "score", findings)
    if names is None:
        raise Stopped
    present = tuple(dict.fromkeys(names))
    warn_of_variants(spec.model[0], present[:MOST_COMPARED], "model", findings)
    models = spec.models or tuple(GivenModel(name, name, column=name) for name in present)
    places = {model.column or model.name: code for code, model in enumerate(models)}
    check_models([frame.source], spec.model, tuple(places), present)
    others = [name for name in present if name not in places]
    rows = counted(sum(name not in places for name in names), "row")
    notes = (f"{rows} of other models skipped: {listed(others, 12)}",) if others else ()
    coded = np.array([places.get(name, -1) for name in names], dtype=np.int64)[:, None]
    return Cells(models, numbers[:, None], coded, notes)


def _numbers(frame: Frame, column: str, keyword: str, findings: Findings) -> "NDArray[np.float64]":
    """Return a column of scores as float64, missing = NaN."""
    check_column(frame, column, keyword)
    values = frame.values(column)
    kind = Kind.EMPTY if values.null_count() == len(values) else None
    if kind is None and not values.dtype.is_numeric():
        kind = frame.kind(column)
        cells = frame.texts(column)
        odd = (cells.cast(pl.Float64, strict=False).is_null() & values.is_not_null()).arg_true()
        as_text = kind is Kind.TEXT and len(odd) > 0  # categories may be spelled as numbers
        shown = f"{cells[odd[0]]!r} in {frame.place(odd[0])}" if as_text else frame.content(column)
        raise Refused(
            codes.score_not_numeric,
            f"`{column}` of `{frame.source}` must contain numbers but contains {shown}",
            keyword,
            help="write one number per cell, such as 0.912; a missing score is an empty cell or "
            "a word that `missing` names",
        )
    numbers = values.cast(pl.Float64)
    infinite = numbers.is_infinite().fill_null(False).arg_true().to_list()
    if infinite:
        message = f"`{column}` of `{frame.source}` is infinite in {frame.places(infinite)}"
        fix = "leave the cell empty if the score is missing"
        raise Refused(codes.score_not_numeric, message, keyword, help=fix)
    found = np.array(numbers.fill_null(float("nan")).to_numpy(), dtype=np.float64)
    what = f"`{column}` of `{frame.source}`"
    empty = "leave the cell empty if the score is missing"
    warn_of_numbers(frame, column, keyword, findings)
    check_sizes(frame, found, what, keyword, empty)
    return found
