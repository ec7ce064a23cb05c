"""`scores` statements: scores computed elsewhere, one cell per model and data set or fold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evallang.data.codes import (
    FOLDS_DIFFER,
    MISSING_SCORE,
    NO_COMPLETE_DATA_SET,
    NO_MODELS,
    NO_SUCH_MODEL,
    SCORE_NOT_NUMERIC,
    SCORE_TWICE,
)
from evallang.data.column_roles import column_exists, complete_texts
from evallang.data.column_types import Kind, typed_cells
from evallang.data.data_frames import read_frame
from evallang.data.dataset import GivenModel, ScoresSpec, ScoreTable
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, counted, listed, quoted, written
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.labels import sort_labels
from evallang.data.magnitudes import sizes_are_usable
from evallang.data.odd_values import warn_of_numbers
from evallang.data.source_columns import roles_in_scores, source_columns
from evallang.diagnostics import Diagnostic
from evallang.registry import lazy
from evallang.spelling import closest

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")


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
    roles = (spec.dataset, spec.fold, spec.repeat, spec.model)
    spelled = frozenset(name for name in roles if name is not None)
    frame = (
        read_file(spec.path, folder, findings, named=_named(spec), spelled=spelled)
        if given is None
        else read_frame(given)
    )
    if frame is None:
        return None, findings.diagnostics
    frame = frame.mark_missing(spec.missing)
    axes = _axes(frame, spec, findings)
    if findings.failed and not spec.models:  # a column meant for a role would count as a model
        return None, findings.diagnostics
    cells = read_cells(frame, spec, findings)
    if findings.failed or cells is None:
        return None, findings.diagnostics
    filled = _filled(frame, spec, cells, axes, findings)
    if filled is None:
        return None, findings.diagnostics
    values, notes = filled
    single = spec.fold is None and spec.repeat is None
    table = ScoreTable(
        spec=spec,
        models=cells.models,
        datasets=axes.datasets,
        values=values[:, :, 0] if single else values,
        missing=_lacking(values),
        folds=None if spec.fold is None else np.array([f for _, f in axes.pairs], dtype=np.int64),
        fold_labels=axes.folds if spec.fold is not None else None,
        repeats=(
            None if spec.repeat is None else np.array([r for r, _ in axes.pairs], dtype=np.int64)
        ),
        repeat_labels=axes.repeats if spec.repeat is not None else None,
        sha256="",
        source=frame.source,
        taken=frame.taken,
        notes=(*frame.notes, *cells.notes, *notes),
        source_columns=source_columns(frame, roles_in_scores(spec, cells.models)),
    )
    return replace(table, sha256=scores_hash(table)), findings.diagnostics


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
    return parts.hexdigest()


def _named(spec: ScoresSpec) -> frozenset[str]:
    single = (spec.dataset, spec.fold, spec.repeat, spec.model, spec.score)
    names = {name for name in single if name is not None}
    if spec.model is None:
        names |= {model.column or model.name for model in spec.models}
    return frozenset(names)


# --- the axes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cells:
    """The scores of a file, row by row.

    `block` is (n, k) float64, missing = NaN, with k models in a wide table and 1 in a long
    one; `model_of_cell`, of the same shape, holds the code of each cell's model, -1 for one
    that the statement does not name.
    """

    models: tuple[GivenModel, ...]
    block: "NDArray[np.float64]"
    model_of_cell: "NDArray[np.int64]"
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Axes:
    """The levels of data sets, folds and repeats, and each row's place among them.

    `pairs` are the (repeat, fold) codes that occur, sorted; they are the last axis.
    """

    datasets: tuple[str, ...]
    folds: tuple[str, ...]
    repeats: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    dataset: "NDArray[np.int64]"
    pair: "NDArray[np.int64]"


def _texts(
    frame: Frame, column: str | None, keyword: str, findings: Findings
) -> tuple[str, ...] | None:
    return complete_texts(frame, column, keyword, findings, filtered=False)


def _axes(frame: Frame, spec: ScoresSpec, findings: Findings) -> _Axes:
    """Return the levels of each axis; a column that is not named is one level for all rows."""
    one = ("",) * frame.n
    datasets = _texts(frame, spec.dataset, "dataset", findings) or (spec.name,) * frame.n
    folds = _texts(frame, spec.fold, "fold", findings) or one
    repeats = _texts(frame, spec.repeat, "repeat", findings) or one
    set_levels = tuple(dict.fromkeys(datasets))
    fold_levels = tuple(map(str, sort_labels(set(folds))))
    repeat_levels = tuple(map(str, sort_labels(set(repeats))))
    coded = list(zip(_codes(repeats, repeat_levels), _codes(folds, fold_levels), strict=True))
    pairs = tuple(sorted(set(coded)))
    places = {pair: place for place, pair in enumerate(pairs)}
    return _Axes(
        set_levels,
        fold_levels,
        repeat_levels,
        pairs,
        np.array(_codes(datasets, set_levels), dtype=np.int64),
        np.array([places[pair] for pair in coded], dtype=np.int64),
    )


def _codes(texts: Sequence[str], levels: Sequence[str]) -> list[int]:
    places = {level: code for code, level in enumerate(levels)}
    return [places[text] for text in texts]


# --- the block -----------------------------------------------------------------------------


def _filled(
    frame: Frame, spec: ScoresSpec, cells: Cells, axes: _Axes, findings: Findings
) -> "tuple[NDArray[np.float64], tuple[str, ...]] | None":
    """Return the scores by data set, model and fold; None after a finding."""
    shape = (len(axes.datasets), len(cells.models), len(axes.pairs))
    values = np.full(shape, np.nan)
    rows = np.repeat(np.arange(frame.n), cells.block.shape[1])
    models = cells.model_of_cell.ravel()
    kept = models >= 0
    places = (axes.dataset[rows][kept], models[kept], axes.pair[rows][kept])
    flat = np.ravel_multi_index(places, shape)
    first = np.full(values.size, -1, dtype=np.int64)
    _, where = np.unique(flat, return_index=True)
    first[flat[where]] = rows[kept][where]
    again = np.setdiff1d(np.arange(len(flat)), where)
    if len(again):
        cell = int(again[0])
        _report_twice(frame, spec, cells, int(rows[kept][cell]), int(first[flat[cell]]),
                      int(places[1][cell]), len(again), findings)  # fmt: skip
        return None
    values.ravel()[flat] = cells.block.ravel()[kept]
    if not _same_folds(values, spec, cells, axes, findings):
        return None
    return _report_missing(values, spec, cells, axes, findings)


def _report_twice(
    frame: Frame,
    spec: ScoresSpec,
    cells: Cells,
    row: int,
    earlier: int,
    model: int,
    n: int,
    findings: Findings,
) -> None:
    unnamed = [
        word
        for word, column in (
            ("dataset", spec.dataset),
            ("fold", spec.fold),
            ("repeat", spec.repeat),
        )
        if column is None
    ]
    do = "does" if n == 2 else "do"
    others = f", as {do} {counted(n - 1, 'other cell')}" if n > 1 else ""
    findings.add(
        SCORE_TWICE,
        f"{frame.place(row)} of `{frame.source}` repeats the score of `{cells.models[model].name}` "
        f"{_place_words(frame, spec, row)}in {frame.place(earlier)}{others}",
        "fold",
        "dataset",
        "models",
        "model",
        help=f"write {' or '.join(f'`{word} COLUMN`' for word in unnamed)} to name the columns "
        "that distinguish the rows"
        if unnamed
        else "keep one of them",
    )


def _place_words(frame: Frame, spec: ScoresSpec, row: int) -> str:
    """Format the place of a row: `on iris, fold 3, repeat 1 `."""
    words = []
    if spec.dataset is not None:
        words.append(f"on {frame.texts(spec.dataset)[row]}")
    for word, column in (("fold", spec.fold), ("repeat", spec.repeat)):
        if column is not None:
            words.append(f"{word} {frame.texts(column)[row]}")
    return ", ".join(words) + " " if words else ""


def _same_folds(
    values: "NDArray[np.float64]",
    spec: ScoresSpec,
    cells: Cells,
    axes: _Axes,
    findings: Findings,
) -> bool:
    """Check that every cell that has scores has one in every fold of every repeat."""
    crossed = len(axes.folds) * len(axes.repeats)
    if len(axes.pairs) < crossed:
        repeat, fold = next(
            (r, f)
            for r in range(len(axes.repeats))
            for f in range(len(axes.folds))
            if (r, f) not in set(axes.pairs)
        )
        findings.add(
            FOLDS_DIFFER,
            f"`{spec.path}` has no fold {axes.folds[fold]} in repeat {axes.repeats[repeat]}, but "
            "other repeats have it",
            "fold",
            "repeat",
            help="use the same folds in every repeat",
        )
        return False
    present = ~np.isnan(values)
    partly = np.argwhere(present.any(axis=2) & ~present.all(axis=2))
    if len(partly) == 0:
        return True
    data, model = (int(code) for code in partly[0])
    repeat, fold = axes.pairs[int(np.flatnonzero(~present[data, model])[0])]
    words = [f"fold {axes.folds[fold]}"] if spec.fold is not None else []
    words += [f"repeat {axes.repeats[repeat]}"] if spec.repeat is not None else []
    place = f" on {axes.datasets[data]}" if spec.dataset is not None else ""
    more = len(partly) - 1
    others = f"; {counted(more, 'other cell')} {'lacks' if more == 1 else 'lack'} some too"
    others = others if more else ""
    findings.add(
        FOLDS_DIFFER,
        f"`{cells.models[model].name}` has {int(present[data, model].sum())} of "
        f"{values.shape[2]} scores{place}, but none in {' of '.join(words)}{others}",
        "fold",
        "repeat",
        "models",
        "score",
        help="write scores for all folds of a data set, or for none",
    )
    return False


def _report_missing(
    values: "NDArray[np.float64]",
    spec: ScoresSpec,
    cells: Cells,
    axes: _Axes,
    findings: Findings,
) -> "tuple[NDArray[np.float64], tuple[str, ...]] | None":
    """Report missing scores; None where no complete data set is left."""
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
        findings.add(
            NO_COMPLETE_DATA_SET, message, "models", "model", help=_often_scored(cells, missing)
        )  # fmt: skip
        return None
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
    findings.add(MISSING_SCORE, message, "models", "score", "model", help=fix)
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


def read_cells(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells | None:
    """Read the cells of a wide or long table; None after a finding."""
    return _long(frame, spec, findings) if spec.model is not None else _wide(frame, spec, findings)


def _wide(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells | None:
    roles = {spec.dataset, spec.fold, spec.repeat}
    models = tuple(replace(m, column=m.column or m.name) for m in spec.models) or tuple(
        GivenModel(name, name, column=name)
        for place, name in enumerate(frame.columns, 1)
        if name not in roles and name != f"column_{place}"
    )
    if not models:
        message = f"no column of `{frame.source}` is left for a model"
        findings.add(
            NO_MODELS, message, "models",
            help="the scores of a model are a column, or write `model COLUMN` and `score COLUMN`; "
            f"the columns are {quoted(frame.columns)}",
        )  # fmt: skip
        return None
    columns: list[NDArray[np.float64] | None] = []
    notes: list[str] = []
    for model in models:
        column = model.column or model.name
        if column_exists(frame, column, "models", findings):
            numbers, marks = _numbers(frame, column, spec, "models", findings)
            columns.append(numbers)
            notes += marks
    arrays = [column for column in columns if column is not None]
    if len(arrays) < len(models):
        return None
    codes = np.broadcast_to(np.arange(len(models)), (frame.n, len(models)))
    return Cells(models, np.column_stack(arrays), codes, tuple(notes))


def _long(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells | None:
    names = complete_texts(frame, spec.model, "model", findings, filtered=False)
    if not column_exists(frame, spec.score, "score", findings) or names is None:
        return None
    numbers, notes = _numbers(frame, spec.score or "", spec, "score", findings)
    if numbers is None:
        return None
    present = tuple(dict.fromkeys(names))
    models = spec.models or tuple(GivenModel(name, name, column=name) for name in present)
    places: dict[str, int] = {}
    for code, model in enumerate(models):
        named = model.column or model.name
        places[named] = code
        if named not in present:
            near = closest(named, present)
            findings.add(
                NO_SUCH_MODEL,
                f"no row of `{frame.source}` has `{named}` in `{spec.model}`",
                "models",
                help=f"did you mean `{near}`?" if near else f"there are {quoted(present, 12)}",
            )
    if findings.failed:
        return None
    others = [name for name in present if name not in places]
    if others:
        rows = sum(name not in places for name in names)
        notes = (*notes, f"{counted(rows, 'row')} of other models skipped: {listed(others, 12)}")
    codes = np.array([places.get(name, -1) for name in names], dtype=np.int64)[:, None]
    return Cells(models, numbers[:, None], codes, tuple(notes))


def _numbers(
    frame: Frame, column: str, spec: ScoresSpec, keyword: str, findings: Findings
) -> "tuple[NDArray[np.float64] | None, tuple[str, ...]]":
    """Return a column of scores as float64, missing = NaN, and the marks read as missing."""
    by_default = spec.missing is None
    values, notes = (
        _read_marks_as_missing(frame, column) if by_default else (frame.values(column), ())
    )
    kind = Kind.EMPTY if values.null_count() == len(values) else None
    if kind is None and not values.dtype.is_numeric():
        kind = frame.kind(column)
        cells = frame.texts(column)
        odd = (cells.cast(pl.Float64, strict=False).is_null() & values.is_not_null()).arg_true()
        as_text = kind is Kind.TEXT and len(odd) > 0  # categories may be spelled as numbers
        shown = f"{cells[odd[0]]!r} in {frame.place(odd[0])}" if as_text else frame.content(column)
        findings.add(
            SCORE_NOT_NUMERIC,
            f"`{column}` of `{frame.source}` must contain numbers but contains {shown}",
            keyword,
            help="write one number per cell, such as 0.912; an empty cell is a missing score, or "
            "a word that `missing` names",
        )
        return None, ()
    numbers = values.cast(pl.Float64)
    infinite = numbers.is_infinite().fill_null(False).arg_true().to_list()
    if infinite:
        message = f"`{column}` of `{frame.source}` is infinite in {frame.places(infinite)}"
        fix = "leave the cell empty if the score is missing"
        findings.add(SCORE_NOT_NUMERIC, message, keyword, help=fix)
        return None, ()
    found = np.array(numbers.fill_null(float("nan")).to_numpy(), dtype=np.float64)
    what = f"`{column}` of `{frame.source}`"
    empty = "leave the cell empty if the score is missing"
    warn_of_numbers(frame, column, keyword, findings)
    usable = sizes_are_usable(frame, found, what, keyword, findings, empty)
    return (found, notes) if usable else (None, ())


def _read_marks_as_missing(frame: Frame, column: str) -> "tuple[pl.Series, tuple[str, ...]]":
    """Read the marks of a missing score as missing, and convert the rest."""
    values = frame.values(column)
    if values.dtype != pl.String:
        return values, ()
    marked = values.is_in(MISSING_MARKS).fill_null(False)
    if not marked.any():
        return values, ()
    marks = listed(values.filter(marked).unique().sort().to_list())
    note = f"{column}: {marks} read as missing in {counted(int(marked.sum()), 'row')}"
    return typed_cells(values.set(marked, None)), (note,)
