"""JSON Lines: one object a line; types come with the values."""

import io
import json
import re
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from evallang.data.column_types import table_of
from evallang.data.files import check_size
from evallang.data.findings import Refused, quoted
from evallang.data.frame import Frame, frame_of
from evallang.data.path_patterns import sheet_of
from evallang.data.text_tables import checked_text
from evallang.diagnostics import codes
from evallang.limits import LINE, NESTING

JSON_WORDS = {list: "list", str: "text", bool: "word", type(None): "word"}
BRACKETS = re.compile(rb'[\[{\]}]|"(?:[^"\\]|\\.)*+"?')  # or a text, in which they mean nothing
SIZE_CHECKED = 1_000  # rows after which the size is looked at, and whenever a column is new
BYTES_OF_A_CELL = 32  # its place in a list, then in a table, and some objects
MOST_NESTED = 200  # names inside objects that a suggestion is looked for among


def read_json_lines(data: bytes, source: str, *, named: frozenset[str] = frozenset()) -> Frame:
    """Read a JSON Lines file.

    A key that a line lacks is missing there. Columns whose values are of several types
    become text; lists and objects are kept as one opaque column each. The fields inside
    them becomes a column where `named`, the columns that the study names, holds its dotted
    name: `doc.subject`, `filtered_resps.0`.
    """
    if not data.strip():
        raise Refused(codes.no_rows_in_file, f"`{source}` is empty")
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    names: dict[str, None] = {}
    dotted = sorted(name for name in named if "." in name)
    for number, record in _records(checked_text(data, source), source):
        record |= {
            name: value
            for name in dotted
            if name not in record and (value := nested_value(record, name)) is not None
        }
        records.append(record)
        lines.append(number)
        if not record.keys() <= names.keys() or not len(lines) % SIZE_CHECKED:
            names |= dict.fromkeys(record)
            check_size(source, len(lines), len(names), BYTES_OF_A_CELL * len(names))
    if not names:
        raise Refused(codes.no_rows_in_file, f"`{source}` contains no rows")
    cells = table_of((name, [record.get(name) for record in records]) for name in names)
    nested = tuple(islice(names_inside(records[0]), MOST_NESTED))
    return frame_of(source, cells, untyped=False, lines=lines, nested=nested)


KEY = "key"  # the column of the names of an object that is read as rows


def _records(data: bytes, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Iterate over the objects of a file, each with the number of its line, or of its row.

    A file that is one array, or an array or object that the path names (`log.json#results`), has
    its items as rows; the rows of an object have its names in a column.
    """
    file, inside = sheet_of(source)
    if not file.lower().endswith((".json", ".json.gz")) and not data.lstrip().startswith(b"["):
        for number, ended in enumerate(io.BytesIO(data), 1):
            line = ended.removesuffix(b"\n")
            if line.strip():
                yield number, _record(line, f"line {number} of `{source}`")
        return
    whole = _record(b'{"":%b}' % data, f"`{file}`")[""]
    found = whole if inside is None else nested_value(whole, inside)
    if isinstance(found, dict):
        rows = [
            {KEY: key, **(item if isinstance(item, dict) else {"value": item})}
            for key, some in found.items()
            for item in (some if isinstance(some, list) else [some])
        ]
    else:
        rows = found if isinstance(found, list) else []
    odd = [item for item in rows if not isinstance(item, dict)]
    if odd or found is None or (inside is None and isinstance(found, dict)):
        lists = list(names_of_rows(whole)) if inside is None or found is None else []
        raise Refused(
            codes.malformed_json_line,
            f"`{source}` is not an array of objects",
            help=f"name one: {quoted(f'{file}#{name}' for name in lists)}"
            if lists
            else "write an array of objects, or one object a line in a file called .jsonl",
        )
    yield from enumerate(rows, 1)


def names_of_rows(value: Any, before: str = "") -> Iterator[str]:
    """Iterate over the dotted names of arrays of objects, or of objects of these, in an object."""
    nested = value.items() if isinstance(value, dict) else ()
    for name, item in ((key, one) for key, one in nested if isinstance(one, dict | list)):
        parts = [item] if isinstance(item, list) else [*item.values()] if len(item) > 1 else []
        if parts and all(isinstance(p, list) and p and isinstance(p[0], dict) for p in parts):
            yield before + name
        else:
            yield from names_of_rows(item, f"{before}{name}.")


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
    return "write one JSON object a line"


def nested_value(value: Any, name: str) -> Any:
    """Return the value of a dotted name inside an object or list, None where nothing does."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        cuts = [place for place, letter in enumerate(name) if letter == "."]
        parts = ((value.get(name[:cut]), name[cut + 1 :]) for cut in cuts)
        found = (nested_value(part, rest) for part, rest in parts if isinstance(part, dict | list))
        return next((item for item in found if item is not None), None)
    head, _, rest = name.partition(".")
    if not head.isdecimal() or int(head) >= len(value):
        return None
    item = value[int(head)]
    if not rest:
        return item
    return nested_value(item, rest) if isinstance(item, dict | list) else None


def names_inside(record: dict[str, Any], before: str = "") -> Iterator[str]:
    """Iterate over the dotted names of the values inside a record."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from names_inside(value, f"{before}{name}.")
        elif before:
            yield before + name


def _record(line: bytes, place: str) -> dict[str, Any]:
    """Return the object of a line, whose names have no blanks around them."""
    LINE.check(place, len(line))
    if line.count(b"[") + line.count(b"{") > NESTING.most:
        NESTING.check(place, _depth(line))
    fault = "names a column twice"
    try:
        record = json.loads(line, object_pairs_hook=_object)
        if b"\\u" in line:
            json.dumps(record, ensure_ascii=False).encode("utf-8")
        if isinstance(record, dict):
            return _object([(name.strip(), value) for name, value in record.items()])
        fault = f"is a {JSON_WORDS.get(type(record), 'number')}, not an object"
    except UnicodeEncodeError:
        fault = "contains half of a surrogate pair, which a text cannot have"
    except json.JSONDecodeError as error:
        fault = f"is not JSON: {error.msg} at character {error.pos + 1:,}"
    except _NamedTwiceError:
        pass
    except ValueError:
        fault = f"contains a whole number of more than {sys.get_int_max_str_digits():,} digits"
    except RecursionError as error:
        fault = f"is not JSON: {error}"
    raise Refused(codes.malformed_json_line, f"{place} {fault}", help=_suggest_fix(line))


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
