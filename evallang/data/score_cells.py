"""The cells of a table of scores, wide or long, as numbers with their models."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evallang.data.dataset import GivenModel, ScoresSpec
from evallang.data.findings import Findings, counted, listed, quoted
from evallang.data.frame import Frame
from evallang.data.kinds import Kind, typed_cells
from evallang.data.outcome_codes import NO_MODELS
from evallang.data.roles import complete_texts, known
from evallang.data.score_codes import NO_SUCH_MODEL, SCORE_NOT_NUMERIC
from evallang.registry import lazy
from evallang.spelling import closest

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")

MISSING_MARKS = ("-", "–", "—", "?", "na", "n/a", "nan", "null", "none")
"""What published tables write for a run that failed, in any case; stated where it is met."""


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
        findings.add(NO_MODELS, message, "models", help="write `models A, B` below it")
        return None
    columns: list[NDArray[np.float64] | None] = []
    notes: list[str] = []
    for model in models:
        column = model.column or model.name
        if known(frame, column, "models", findings):
            numbers, marks = _numbers(frame, column, "models", findings)
            columns.append(numbers)
            notes += marks
    arrays = [column for column in columns if column is not None]
    if len(arrays) < len(models):
        return None
    codes = np.broadcast_to(np.arange(len(models)), (frame.n, len(models)))
    return Cells(models, np.column_stack(arrays), codes, tuple(notes))


def _long(frame: Frame, spec: ScoresSpec, findings: Findings) -> Cells | None:
    names = complete_texts(frame, spec.model, "model", findings, filtered=False)
    if not known(frame, spec.score, "score", findings) or names is None:
        return None
    numbers, notes = _numbers(frame, spec.score or "", "score", findings)
    if numbers is None:
        return None
    present = tuple(dict.fromkeys(names))
    models = spec.models or tuple(GivenModel(name, name, column=name) for name in present)
    places: dict[str, int] = {}
    for code, model in enumerate(models):
        written = model.column or model.name
        places[written] = code
        if written not in present:
            near = closest(written, present)
            findings.add(
                NO_SUCH_MODEL,
                f"no row of `{frame.source}` has `{written}` in `{spec.model}`",
                "models",
                help=f"did you mean `{near}`?" if near else f"there are {quoted(present, 12)}",
            )
    if findings.failed:
        return None
    others = [name for name in present if name not in places]
    if others:
        rows = sum(name not in places for name in names)
        notes = (*notes, f"{counted(rows, 'row')} of other models left out: {listed(others, 12)}")
    codes = np.array([places.get(name, -1) for name in names], dtype=np.int64)[:, None]
    return Cells(models, numbers[:, None], codes, tuple(notes))


def _numbers(
    frame: Frame, column: str, keyword: str, findings: Findings
) -> "tuple[NDArray[np.float64] | None, tuple[str, ...]]":
    """Give a column of scores as float64, missing = NaN, and the marks read as missing."""
    values, notes = _without_marks(frame, column)
    kind = Kind.EMPTY if values.null_count() == len(values) else None
    if kind is None and not values.dtype.is_numeric():
        kind = frame.kind(column)
        cells = frame.texts(column)
        odd = (cells.cast(pl.Float64, strict=False).is_null() & values.is_not_null()).arg_true()
        as_text = kind is Kind.TEXT and len(odd) > 0  # categories may be spelled as numbers
        shown = f"{cells[odd[0]]!r} in {frame.place(odd[0])}" if as_text else str(kind)
        findings.add(
            SCORE_NOT_NUMERIC,
            f"`{column}` of `{frame.source}` must hold numbers and holds {shown}",
            keyword,
            help="write one number a cell, as 0.912; an empty cell is a missing score",
        )
        return None, ()
    numbers = values.cast(pl.Float64)
    infinite = numbers.is_infinite().fill_null(False).arg_true().to_list()
    if infinite:
        message = f"`{column}` of `{frame.source}` is infinite in {frame.places(infinite)}"
        way_out = "leave the cell empty if the score is missing"
        findings.add(SCORE_NOT_NUMERIC, message, keyword, help=way_out)
        return None, ()
    return np.array(numbers.fill_null(float("nan")).to_numpy(), dtype=np.float64), notes


def _without_marks(frame: Frame, column: str) -> "tuple[pl.Series, tuple[str, ...]]":
    """Read the marks of a missing score as such, and type the rest."""
    values = frame.values(column)
    if values.dtype != pl.String:
        return values, ()
    marked = values.str.to_lowercase().is_in(MISSING_MARKS).fill_null(False)
    if not marked.any():
        return values, ()
    marks = listed(values.filter(marked).unique().sort().to_list())
    note = f"{column}: {marks} read as missing in {counted(int(marked.sum()), 'row')}"
    return typed_cells(values.set(marked, None), decimal_comma=frame.decimal_comma), (note,)
