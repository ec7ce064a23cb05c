"""JSON Lines: one object a line; types come with the values."""

import json
from typing import TYPE_CHECKING, Any

from evallang.data.codes import EMPTY_FILE, MALFORMED_JSON
from evallang.data.delimited import checked_text
from evallang.data.findings import Findings
from evallang.data.frame import Frame, frame_of
from evallang.data.kinds import plain_types
from evallang.data.labels import label_text
from evallang.registry import lazy
from evallang.source import Span

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


def read_json_lines(
    data: bytes, source: str, findings: Findings, *, span: Span | None = None
) -> Frame | None:
    """Read a JSON Lines file; None after a finding.

    A key that a line lacks is missing there. Columns whose values are of several types
    become text; lists and objects are kept as one opaque column each.
    """
    checked = checked_text(data, source, findings, span)
    if checked is None:
        return None
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    for number, line in enumerate(checked.split(b"\n"), 1):
        if not line.strip():
            continue
        record = _record(line)
        if isinstance(record, str):
            findings.add(MALFORMED_JSON, f"line {number} of {source} {record}", span=span)
            return None
        for name, value in record.items():
            column = columns.setdefault(name.strip(), [])
            column.extend([None] * (len(lines) - len(column)))
            column.append(value)
        lines.append(number)
    if not lines or not columns:
        findings.add(EMPTY_FILE, f"{source} holds no rows", span=span)
        return None
    for column in columns.values():
        column.extend([None] * (len(lines) - len(column)))
    series = [_series(name, column) for name, column in columns.items()]
    return frame_of(source, pl.DataFrame(series), untyped=False, lines=lines)


def _record(line: bytes) -> dict[str, Any] | str:
    """Give the object of a line, or what is wrong with it."""
    try:
        record = json.loads(line)
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, which no text has"
    except (ValueError, RecursionError) as error:
        return f"is no JSON: {error}"
    if not isinstance(record, dict):
        return f"is {type(record).__name__} and not an object"
    names = [name.strip() for name in record]
    if len(set(names)) < len(names):
        return "names a column twice"
    return record


def _series(name: str, values: list[Any]) -> "pl.Series":
    types = {type(value) for value in values if value is not None}
    if types & {list, dict}:
        texts = [None if v is None else json.dumps(v, ensure_ascii=False) for v in values]
        return pl.Series(name, [None if t is None else t.encode() for t in texts], pl.Binary)
    if not types:
        return pl.Series(name, values, pl.Null)
    if types == {bool}:
        return pl.Series(name, values, pl.Boolean)
    if types == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        return pl.Series(name, values, pl.Int64)
    if types <= {int, float}:
        numbers = [None if v is None else _float(v) for v in values]
        return plain_types(pl.Series(name, numbers, pl.Float64))
    texts = [None if v is None else label_text(v) for v in values]
    return plain_types(pl.Series(name, texts, pl.String))


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
