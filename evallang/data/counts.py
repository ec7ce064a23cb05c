"""`counts` statements: a published table of right and wrong, expanded to one row an example."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import check_column
from evallang.data.column_types import Kind
from evallang.data.data_frames import read_frame
from evallang.data.dataset import CountsSpec, GivenModel, GivenOutcomes, SourceColumn
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, Refused, listed, quoted
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.labels import as_number
from evallang.data.source_columns import named_columns, named_models, roles_of, source_columns
from evallang.diagnostics import Code, Diagnostic, codes
from evallang.limits import EXAMPLES, OverLimit

Pattern = tuple[int, ...]


def read_counts(
    spec: CountsSpec, folder: Path, given: Any = None
) -> tuple[GivenOutcomes | None, tuple[Diagnostic, ...]]:
    """Expand the counts of a table, or of a file of patterns, to right and wrong per example.

    The rows are in the order of their patterns, all right first, whatever order they were
    written in. With an error among the diagnostics there are no outcomes. Nothing is raised
    for bad data.
    """
    findings = Findings(spec.places)
    return findings.tried(_read, spec, folder, given, findings), findings.diagnostics


def _read(spec: CountsSpec, folder: Path, given: Any, findings: Findings) -> GivenOutcomes:
    if spec.shares:
        return _share_outcomes(spec)
    models, written, source, notes = spec.models, spec.patterns, "counts", tuple[str, ...]()
    columns: tuple[SourceColumn, ...] = ()
    if spec.path is not None:
        frame = (
            read_file(spec.path, folder, named=named_columns(spec))
            if given is None
            else read_frame(given)
        ).mark_missing()
        models = models or tuple(
            GivenModel(name, name, column=name) for name in frame.columns if name != spec.count
        )
        written = _file_patterns(frame, spec, models, findings)
        source, notes = frame.source, frame.all_notes
        columns = source_columns(frame, roles_of(spec, named_models(models)))
    if not models:
        raise Refused(codes.no_models_in_file, f"`{spec.name}` names no models", "models")
    outcomes = _expanded(spec, models, _checked(written, len(models), findings))
    return replace(outcomes, source=source, notes=notes, source_columns=columns)


def _file_patterns(
    frame: Frame, spec: CountsSpec, models: tuple[GivenModel, ...], findings: Findings
) -> tuple[tuple[Pattern, int], ...]:
    read = [findings.tried(_zeros_and_ones, frame, model.column or model.name) for model in models]
    counts = _counts(frame, spec.count)
    findings.stop_at_errors()
    rows = zip(*(column for column in read if column is not None), strict=True)
    patterns = list(zip(rows, counts, strict=True))
    if spec.count is not None:
        return tuple(patterns)
    summed: dict[Pattern, int] = {}
    for pattern, count in patterns:
        summed[pattern] = summed.get(pattern, 0) + count
    return tuple(summed.items())


def _zeros_and_ones(frame: Frame, column: str) -> list[int]:
    _check_cells(frame, column, codes.pattern_does_not_fit_models, "models")
    values = [as_number(value) for value in frame.values(column).to_list()]
    odd = [row for row, value in enumerate(values) if value not in (0, 1)]
    if odd:
        message = f"`{column}` is neither 0 nor 1 in {frame.places(odd)}"
        fix = "write 1 where the model is right and 0 where it is wrong"
        raise Refused(codes.pattern_does_not_fit_models, message, "models", help=fix)
    return [int(value) for value in values if value is not None]


def _check_cells(frame: Frame, column: str, code: Code, keyword: str) -> None:
    """Refuse a column that does not exist or lacks a cell: what is counted is known."""
    check_column(frame, column, keyword)
    rows = frame.missing_rows(column)
    if rows:
        words = frame.taken.get(column)
        read = f", where it reads {quoted(tuple(words))}" if words else ""
        never = "no example has the pattern" if keyword == "count" else "a missing answer is wrong"
        fix = f"remove these rows from the file, or write 0 where {never}"
        message = f"`{column}` is missing in {frame.places(rows)}{read}"
        raise Refused(code, message, keyword, help=fix)


def _counts(frame: Frame, column: str | None) -> list[int]:
    """Return the count of each row; without a `count` column every row is one example."""
    if column is None:
        return [1] * frame.n
    _check_cells(frame, column, codes.count_is_not_a_whole_number, "count")
    numeric = frame.kind(column) is Kind.NUMBER
    values = frame.values(column).cast(pl.Float64) if numeric else pl.Series([None] * frame.n)
    odd = [
        row
        for row, value in enumerate(values.to_list())
        if value is None or value < 0 or not float(value).is_integer()
    ]
    if odd:
        message = f"`{column}` is not a whole number of examples in {frame.places(odd)}"
        fix = "write how many examples there are, not a share of them"
        raise Refused(codes.count_is_not_a_whole_number, message, "count", help=fix)
    return values.cast(pl.Int64).to_list()


def _checked(
    written: Iterable[tuple[Pattern, int]], models: int, findings: Findings
) -> dict[Pattern, int]:
    """Check shape and count of every pattern, and give them as a mapping."""
    counts: dict[Pattern, int] = {}
    again: dict[Pattern, None] = {}
    places = ("pattern", "table", "count")
    for pattern, count in written:
        if len(pattern) != models or any(mark not in (0, 1) for mark in pattern):
            findings.add(
                codes.pattern_does_not_fit_models,
                f"the pattern `[{listed(pattern, 20)}]` does not contain 0 or 1 for each of "
                f"{models} models",
                *places,
                help="write a 1 for each model that is right and a 0 for each that is wrong",
            )
        elif isinstance(count, bool) or not isinstance(count, int) or count < 0:
            message = f"the pattern `[{listed(pattern, 20)}]` counts {count} examples"
            findings.add(codes.count_is_not_a_whole_number, message, *places)
        elif pattern in counts:
            again[pattern] = None
        else:
            counts[pattern] = count
    if again:
        shown = quoted((f"[{listed(pattern, 20)}]" for pattern in again), 4)
        message = f"{shown} {'is' if len(again) == 1 else 'are'} given more than once"
        findings.add(
            codes.pattern_given_twice, message, *places, help="give each pattern once, with the sum"
        )
    findings.stop_at_errors()
    total = sum(counts.values())
    if total == 0:
        fix = "write the number of examples of each pattern"
        raise Refused(
            codes.no_examples_counted, "the counts add up to no examples", *places, help=fix
        )
    _check_total(total, *places)
    return counts


def _check_total(total: int, *places: str) -> None:
    try:
        EXAMPLES.check("the counts", total, "count a sample of the examples")
    except OverLimit as error:
        raise Refused(
            codes.too_many_examples_counted, str(error), *places, help=error.help
        ) from error


def _share_outcomes(spec: CountsSpec) -> GivenOutcomes:
    """Expand what each model has right to its own rows, the right ones first."""
    total = sum(n for _, n in spec.shares)
    _check_total(total, "right")
    correct = {
        model.name: np.arange(n) < right
        for model, (right, n) in zip(spec.models, spec.shares, strict=True)
    }
    names = [model.name for model in spec.models]
    return _outcomes(spec, spec.models, correct, total, ["shares", [names, spec.shares]])


def _expanded(
    spec: CountsSpec, models: tuple[GivenModel, ...], counts: dict[Pattern, int]
) -> GivenOutcomes:
    order = sorted((pattern for pattern in counts if counts[pattern]), reverse=True)
    times = [counts[pattern] for pattern in order]
    correct = {
        model.name: np.repeat(np.array([pattern[i] for pattern in order], dtype=bool), times)
        for i, model in enumerate(models)
    }
    written = ["counts", [[model.name for model in models], order, times]]
    return _outcomes(spec, models, correct, sum(times), written)


def _outcomes(
    spec: CountsSpec,
    models: tuple[GivenModel, ...],
    correct: "dict[str, NDArray[np.bool_]]",
    n: int,
    hashed: list[Any],
) -> GivenOutcomes:
    parts = DataHash()
    parts.text(*hashed)
    return GivenOutcomes(
        spec=spec,
        kind="counts",
        models=models,
        task="classification",
        n=n,
        sha256=parts.hexdigest(),
        source="counts",
        correct=correct,
    )
