"""Records to JSON and back by their types, in full precision, without NaN and unknown fields."""

import json
import math
import re
import types
import typing
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import fields, replace

from evallang.printable import printable_json
from evallang.results.kinds import Among, Between, Reads
from evallang.results.records import SCHEMA, ResultsRecord
from evallang.results.references import check_references
from evallang.results.statistics import NOT_RUN, POSTERIOR

Record = TypeVar("Record")
LARGEST = 2**64
"""The largest integer in results: seeds and counts are smaller."""
LONGEST_NUMBER = 400
"""The most digits of an integer: more than the largest float has."""
NUMBER = re.compile(r"evallang/results/(?P<number>[0-9]{1,9})")
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}\Z")
SURROGATE = re.compile("[\ud800-\udfff]")


def to_plain(value: Any) -> Any:
    """Convert records to dictionaries and lists; infinite numbers become "inf" or "-inf".

    Raises `ValueError` on NaN: an undefined number is None with a note, never NaN.
    """
    if value is None or isinstance(value, str | int):  # most values by far
        return value
    kind: type = type(value)
    names = _field_names(kind)
    if names is not None:
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [to_plain(item) for item in value]
    if isinstance(value, Fraction):
        return float(value)
    number = float(value)
    if math.isnan(number):
        raise ValueError("NaN reached the results; undefined is None, with a note")
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a record class; None for other classes."""
    return kind.__struct_fields__ if issubclass(kind, Struct) else None


def with_tuples(value: Any) -> Any:
    """Return a JSON value as results have it when they are read."""
    if isinstance(value, dict):
        return {name: with_tuples(item) for name, item in value.items()}
    return tuple(map(with_tuples, value)) if isinstance(value, list) else value


def from_plain(kind: type[Record], value: Any) -> Record:
    """Build a record of type `kind`, ignoring unknown fields.

    Raises `ValueError` if a field without a default is missing or has another type.
    """
    return cast(Record, _build(kind, value, kind.__name__))


def read_shown(shown: type, values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return a JSON object with the numbers of the fields that the record `shown` types.

    Raises `ValueError` that begins with `where` if a field is missing or has another type.
    """
    return cast(Mapping[str, Any], _convert_numbers(values, _build(shown, values, where)))


def dumps(results: ResultsRecord) -> str:
    """Return the text of `results.json`."""
    return printable_json(to_plain(results), indent=1) + "\n"


def encodable(record: Record) -> Record:
    r"""Return a record whose texts UTF-8 can encode; other bytes of paths become `\xff`.

    The rest of the record does not change.
    """
    return cast(Record, _encodable(record))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        if value.isascii():
            return value
        return _escaped(value) if SURROGATE.search(value) else value
    if isinstance(value, Struct):
        found = {name: getattr(value, name) for name in value.__struct_fields__}
        changed = {k: new for k, old in found.items() if (new := _encodable(old)) is not old}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        made = {_encodable(key): _encodable(item) for key, item in value.items()}
        same = all(made.get(key, made) is item for key, item in value.items())
        return value if same else made
    if isinstance(value, tuple | list):
        items = [_encodable(item) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return items if isinstance(value, list) else tuple(items)
    return value


def _escaped(text: str) -> str:
    """Replace surrogates by visible escapes; those for a byte of a path by that byte."""
    return "".join(
        f"\\x{ord(c) - 0xDC00:02x}"
        if "\udc80" <= c <= "\udcff"
        else f"\\u{ord(c):04x}"
        if "\ud800" <= c <= "\udfff"
        else c
        for c in text
    )


def loads(text: str) -> ResultsRecord:
    """Read the text of a `results.json`.

    Raises `ValueError` if it is another file or has a schema that this version cannot read.
    """
    try:
        document = json.loads(text, parse_constant=_no_constant, parse_int=_whole)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    if isinstance(document, dict) and _is_deep(document):
        raise ValueError(TOO_DEEP)
    if not isinstance(document, dict) or "schema" not in document:
        raise ValueError("not an evallang results file: it has no `schema`")
    if document["schema"] != SCHEMA:
        raise ValueError(_other_schema(document))
    _set_statuses(document)
    record = cast(ResultsRecord, _build(ResultsRecord, document, "Results"))
    check_references(record)
    return record


TOO_DEEP = "it is nested too deeply to be results"
MOST_LEVELS = 60  # three times those of any results: all that reads them calls itself


def _is_deep(document: Any) -> bool:
    """Return whether lists and objects are nested in too many levels."""
    level = [document]
    for _ in range(MOST_LEVELS):
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [v for values in inside for v in values if isinstance(v, dict | list)]
        if not level:
            return False
    return True


def _other_schema(document: Mapping[str, Any]) -> str:
    """Return why results of another schema cannot be read, and what to do."""
    schema, provenance = document["schema"], document.get("provenance")
    version = provenance.get("evallang") if isinstance(provenance, dict) else None
    by = isinstance(version, str) and VERSION.match(version)
    told = f"results of schema {schema!r}{f', written by evallang {version}' if by else ''}"
    told += f", while this version reads {SCHEMA}"
    number = NUMBER.fullmatch(schema) if isinstance(schema, str) else None
    if number is None:
        return told
    newer = int(number["number"]) > int(SCHEMA.rpartition("/")[2])
    return f"{told}; {'install the newer version' if newer else 'run the study again'}"


def _set_statuses(document: dict[str, Any]) -> None:
    """Set the status of tests in a file of a version without it.

    A test of the variant "not computed" is `not_computed`, refused for the reason of its notes; a
    pair of a comparison that was not performed is `not_performed`; a test without a p-value and
    without a posterior is `undefined`.
    """
    for comparison in _objects(document.get("comparisons")):
        for pair in _objects(comparison.get("pairwise")):
            _set_status(pair, performed=comparison.get("performed") is not False)
        for omnibus in _objects([comparison.get("omnibus")]):
            _set_status(omnibus)
    for requirement in _objects(document.get("requirements")):
        for test in _objects([requirement.get("test")]):
            _set_status(test)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Iterate over the objects of a list; `from_plain` refuses other types."""
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _set_status(test: dict[str, Any], *, performed: bool = True) -> None:
    if "status" in test:
        return
    extra = test.get("extra")
    known = extra if isinstance(extra, dict) else {}
    if test.get("variant") == NOT_RUN:
        notes = test.get("notes")
        texts = [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []
        reason = "; ".join(text.removeprefix(f"{NOT_RUN}: ") for text in texts)
        test["status"] = "not_computed"
        test["lacking"] = {"kind": "refused", "reason": reason}
    elif not performed:
        test["status"] = "not_performed"
    elif test.get("p") is None and all(known.get(key) is None for key in POSTERIOR):
        test["status"] = "undefined"


def _no_constant(written: str) -> float:
    raise ValueError(f"{written} is not a number of JSON")


def _whole(written: str) -> int:
    if len(written) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(written):,} digits is too long: {written[:20]}...")
    return int(written)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def _build(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return tuple(value) if isinstance(value, list) else value
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return _build_annotated(kind, value, where)
    if origin in (typing.Union, types.UnionType):
        choices = [part for part in typing.get_args(kind) if part is not type(None)]
        if value is None and len(choices) < len(typing.get_args(kind)):
            return None
        chosen = next((part for part in choices if part is type(value)), choices[0])
        return _build(chosen, value, where)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _build_record(kind, value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} is not a list")
        parts = typing.get_args(kind)
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(
                _build(parts[0], item, f"{where}[{number}]") for number, item in enumerate(value)
            )
        if len(value) != len(parts):
            raise ValueError(f"{where} has {len(value)} items, not {len(parts)}")
        return tuple(_build(part, item, where) for part, item in zip(parts, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} is not an object")
        part = typing.get_args(kind)[1]
        return {key: _build(part, item, f"{where}.{key}") for key, item in value.items()}
    if kind is float and value in ("inf", "-inf"):
        return float(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) > LARGEST:
            raise ValueError(f"{where} is too large")
        return float(value)
    if kind is int and isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError(f"{where} is too large")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where} is not of type {kind.__name__}")
    return value


def _build_annotated(kind: Any, value: Any, where: str) -> Any:
    base, *facts = typing.get_args(kind)
    made = _build(base, value, where)
    for fact in facts:
        if isinstance(fact, Between | Among):
            fact.check(made, where)
        elif isinstance(fact, Reads):
            made = _convert_numbers(made, _build(fact.kind, value, where))
    return made


def _convert_numbers(value: Any, shown: Any) -> Any:
    """Convert the numbers of a JSON object, in which infinite numbers are texts."""
    if not isinstance(shown, Struct):
        return value
    numbers = {
        name: number
        for name in shown.__struct_fields__
        if isinstance(number := getattr(shown, name), float) and name in value
    }
    return {**value, **numbers}


def _build_record(kind: type[Struct], value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is not an object")
    hints = _hints(kind)
    known = {}
    for f in fields(kind):
        if f.name in value:
            known[f.name] = _build(hints[f.name], value[f.name], f"{where}.{f.name}")
        elif f.required:
            raise ValueError(f"{where}.{f.name} is missing; run the study again")
    return kind(**known)
