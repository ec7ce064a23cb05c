"""JSON Lines: one object a line; types come with the values."""

import io
import json
import re
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from evallang.data.codes import EMPTY_FILE, MALFORMED_JSON
from evallang.data.column_types import table_of
from evallang.data.delimited import checked_text
from evallang.data.files import check_size
from evallang.data.findings import Findings
from evallang.data.frame import Frame, frame_of
from evallang.limits import LINE, NESTING, OverLimit
from evallang.source import Span

JSON_WORDS = {list: "list", str: "text", bool: "word", type(None): "word"}
BRACKETS = re.compile(rb'[\[{\]}]|"(?:[^"\\]|\\.)*+"?')  # or a text, in which they mean nothing
SIZE_CHECKED = 1_000  # rows after which the size is looked at, and whenever a column is new
BYTES_OF_A_CELL = 32  # its place in a list, then in a table, and some objects
MOST_NESTED = 200  # names inside objects that a suggestion is looked for among


def read_json_lines(
    data: bytes,
    source: str,
    findings: Findings,
    *,
    named: frozenset[str] = frozenset(),
    span: Span | None = None,
) -> Frame | None:
    """Read a JSON Lines file; None after a finding.

    A key that a line lacks is missing there. Columns whose values are of several types
    become text; lists and objects are kept as one opaque column each. The fields inside
    them becomes a column where `named`, the columns that the study names, holds its dotted
    name: `doc.subject`, `filtered_resps.0`.
    """
    checked = checked_text(data, source, findings, span)
    if checked is None:
        return None
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    nested: tuple[str, ...] = ()
    dotted = sorted(name for name in named if "." in name)
    known = 0
    for number, ended in enumerate(io.BytesIO(checked), 1):
        line = ended.removesuffix(b"\n")
        if not line.strip():
            continue
        try:
            if len(columns) > known or not len(lines) % SIZE_CHECKED:
                known = len(columns)
                check_size(source, len(lines), known, BYTES_OF_A_CELL * known)
            record = _record(line, f"line {number} of `{source}`")
        except OverLimit as error:
            findings.over_limit(error, span=span)
            return None
        if isinstance(record, str):
            message = f"line {number} of `{source}` {record}"
            findings.add(MALFORMED_JSON, message, span=span, help=_suggest_fix(line))
            return None
        inside = ((name, _nested_value(record, name)) for name in dotted if name not in record)
        found = [(name, value) for name, value in inside if value is not None]
        if not lines:
            nested = tuple(islice(_names_inside(record), MOST_NESTED))
        for name, value in (*record.items(), *found):
            column = columns.setdefault(name.strip(), [])
            column.extend([None] * (len(lines) - len(column)))
            column.append(value)
        lines.append(number)
    if not lines or not columns:
        findings.add(EMPTY_FILE, f"`{source}` contains no rows", span=span)
        return None
    for column in columns.values():
        column.extend([None] * (len(lines) - len(column)))
    return frame_of(source, table_of(columns.items()), untyped=False, lines=lines, nested=nested)


def _suggest_fix(line: bytes) -> str:
    """Return how to make one JSON object of a line that is not one."""
    text = line.strip()
    if text.startswith(b"{'"):
        return "write it by `json.dumps`: names and texts are in double quotes"
    if text.startswith(b"{") and text.endswith(b"},"):
        return "remove the comma at the end of each line"
    if text.startswith(b"["):
        return "write one object a line, without the brackets of a list"
    if text == b"{":
        return "write each object on one line"
    return 'write one object a line, such as `{"id": 1, "truth": "cat"}`'


def _nested_value(value: Any, name: str) -> Any:
    """Return the value of a dotted name inside an object or list, None where nothing does."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        cuts = [place for place, letter in enumerate(name) if letter == "."]
        parts = ((value.get(name[:cut]), name[cut + 1 :]) for cut in cuts)
        found = (_nested_value(part, rest) for part, rest in parts if isinstance(part, dict | list))
        return next((item for item in found if item is not None), None)
    head, _, rest = name.partition(".")
    if not head.isdecimal() or int(head) >= len(value):
        return None
    item = value[int(head)]
    if not rest:
        return item
    return _nested_value(item, rest) if isinstance(item, dict | list) else None


def _names_inside(record: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _names_inside(value, f"{before}{name}.")
        elif before:
            yield before + name


def _record(line: bytes, place: str) -> dict[str, Any] | str:
    """Return the object of a line, or what is wrong with it; raises `OverLimit`."""
    LINE.check(place, len(line))
    if line.count(b"[") + line.count(b"{") > NESTING.most:
        NESTING.check(place, _depth(line))
    try:
        record = json.loads(line, object_pairs_hook=_object)
        if b"\\u" in line:
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "contains half of a surrogate pair, which a text cannot have"
    except json.JSONDecodeError as error:
        return f"is not JSON: {error.msg} at character {error.pos + 1:,}"
    except _NamedTwiceError:
        return "names a column twice"
    except ValueError:
        return f"contains a whole number of more than {sys.get_int_max_str_digits():,} digits"
    except RecursionError as error:
        return f"is not JSON: {error}"
    if not isinstance(record, dict):
        return f"is a {JSON_WORDS.get(type(record), 'number')}, not an object"
    names = [name.strip() for name in record]
    if len(set(names)) < len(names):
        return "names a column twice"
    return record


class _NamedTwiceError(ValueError):
    """An object of a line has two fields of one name."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its fields; raises `_NamedTwiceError` where one would hide another."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _NamedTwiceError
    return made


def _depth(line: bytes) -> int:
    """Count how deep brackets are nested, those in texts apart."""
    deepest = depth = 0
    for mark in BRACKETS.finditer(line):
        opened = mark.group()[0] in b"[{"
        depth += opened - (mark.group()[0] in b"]}")
        deepest = max(deepest, depth)
    return deepest
