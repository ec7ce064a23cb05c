"""Do the columns suit the pipelines: names that exist, no text and no gaps where they fail."""

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from evallang.data.dataset import Table
from evallang.data.findings import quoted
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.installation import install_extras
from evallang.limits import OverLimit
from evallang.models.abilities import (
    ColumnState,
    UnusableColumns,
    classes_of,
    steps_of_new_rows,
    unusable_columns,
)
from evallang.models.catalogue import CATALOGUE, missing_package
from evallang.models.columns import unknown_columns
from evallang.models.model import ColumnsSpec, ModelSpec
from evallang.protocols.protocol import CannotSplit
from evallang.source import Span
from evallang.spelling import closest
from evallang.study import Study

SHOWN = 5  # columns that a message lists


def readiness(study: Study, table: Table) -> Iterator[Diagnostic]:
    """Report what would make a fit fail on every fold."""
    states = _states(table)
    marks = {column.name: column.marks for column in table.columns if column.marks}
    marked: dict[str, ModelSpec] = {}  # and the first model that it reaches as text
    for model in study.fitted:
        unknown = list(_unknown(model, table))
        yield from unknown
        if not unknown:
            for problem in unusable_columns(model.pipeline, states):
                if problem.problem == "text":
                    meant = [name for name in problem.columns if name in marks]
                    marked |= {name: model for name in meant if name not in marked}
                    rest = tuple(name for name in problem.columns if name not in marks)
                    problem = replace(problem, columns=rest)
                if problem.columns:
                    yield _objection(model, problem, _empty(table))
    for name, model in marked.items():
        yield _report_marks(model, name, marks[name])


def cannot_split(
    refusal: ValueError,
    span: Span | None,
    path: str = "",
    inner: str | None = None,
    *,
    part: str = "a training part",
    of_part: str | None = None,
) -> Diagnostic:
    """Report that a protocol cannot divide the rows.

    `inner` names the option for the folds inside a training part, where those are refused. An
    analysis that draws its own `part` names the option for the size of it, `of_part`.
    """
    if isinstance(refusal, OverLimit):
        return diagnose(codes.cannot_split, str(refusal), span, path=path, help=refusal.help)
    stated = refusal if isinstance(refusal, CannotSplit) else CannotSplit(str(refusal))
    message, instead = stated.reason, stated.instead
    if inner is not None:
        unspread = ", or `stratify none`" if stated.of_strata else ""
        larger = f"larger `{of_part}`, or " if of_part else ""
        message = f"in {part}, {message}"
        instead = f"write {larger}a smaller `{inner}`{unspread}"
    return diagnose(codes.cannot_split, message, span, path=path, help=instead)


def missing_packages(study: Study) -> tuple[Diagnostic, ...]:
    """Report models whose classes come from packages that are not installed."""
    found = []
    for model in study.models:
        entries = (CATALOGUE.get(spec.name) for spec in classes_of(model.pipeline) if not spec.code)
        missing = {
            entry.name: package
            for entry in entries
            if entry is not None and (package := missing_package(entry)) is not None
        }
        for name, package in missing.items():
            found.append(
                diagnose(
                    codes.package_missing,
                    f"`{name}` in `{model.name}` needs {package.title}, which is not installed",
                    model.span,
                    help=f"run `{install_extras(package.extra)}`",
                )
            )
    return tuple(found)


def _states(table: Table) -> list[ColumnState]:
    lacking = set(np.flatnonzero(np.isnan(table.numeric).any(axis=0)).tolist())
    return [
        ColumnState(
            column.name,
            column.numeric,
            column.index in lacking
            if column.numeric
            else any(not isinstance(cell, str) for cell in table.objects[:, column.index]),
            column.index,
        )
        for column in table.columns
    ]


def _unknown(model: ModelSpec, table: Table) -> Iterator[Diagnostic]:
    first = steps_of_new_rows(model.pipeline)[0]
    if not isinstance(first, ColumnsSpec):
        return
    for name in unknown_columns(first, table.columns):
        names = [column.name for column in table.columns]
        near = _nearest_column(name, names)
        yield diagnose(
            codes.unknown_feature,
            f"`{model.name}` names the column `{name}`, "
            f"which is not a feature of `{table.spec.name}`",
            model.span,
            help=f"did you mean `{near}`?" if near else f"there are {quoted(names, 12)}",
        )


def _nearest_column(name: str, columns: list[str]) -> str | None:
    """Find the column that was meant: a slip, or a name without its unit or its blanks."""
    near = closest(name, columns)
    if near is not None:
        return near
    plain = _letters(name)
    longer = [column for column in columns if _letters(column).startswith(plain)]
    return longer[0] if plain and len(longer) == 1 else None


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _empty(table: Table) -> frozenset[str]:
    """Return the numeric columns without a value in any row, of which no imputer makes one."""
    return frozenset(
        column.name
        for column in table.columns
        if column.numeric and bool(np.isnan(table.numeric[:, column.index]).all())
    )


def _report_marks(model: ModelSpec, name: str, marks: tuple[str, ...]) -> Diagnostic:
    """State once for all models that a few words make text of a column of numbers."""
    words = ", ".join(f'"{mark}"' for mark in marks)
    measured = any(sign.isdigit() for mark in marks for sign in mark)
    return diagnose(
        codes.text_reaches_estimator,
        f"`{name}` reaches `{model.name}` as text, and all its values but {words} are numbers",
        model.span,
        help="write plain numbers in the file" if measured else f"write `missing {words}`",
    )


def _objection(model: ModelSpec, problem: UnusableColumns, empty: frozenset[str]) -> Diagnostic:
    names = ", ".join(f"`{name}`" for name in problem.columns[:SHOWN])
    more = len(problem.columns) - SHOWN
    columns = names + (f" and {more} more" if more > 0 else "")
    if problem.problem == "text":
        return diagnose(
            codes.text_reaches_estimator,
            f"text reaches `{problem.class_name}` in `{model.name}`: {columns}",
            model.span,
            help="encode it by `columns(numeric: ..., categorical: "
            "OneHotEncoder(handle_unknown=ignore)) | ...`, or remove the column by "
            "`features all except`",
        )
    return diagnose(
        codes.missing_reaches_estimator,
        f"missing values reach `{problem.class_name}` in `{model.name}`: {columns}",
        model.span,
        help=f"{without} has no value in any row: remove it by `features all except`"
        if (without := quoted(name for name in problem.columns if name in empty))
        else "put `SimpleImputer` before it",
    )
