"""Records to JSON and back by their types, in full precision, without NaN and unknown fields.

Every name in a record that is read must be that of another record.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evallang.printable import printable_json
from evallang.results.records import SCHEMA, Comparison, Requirement, ResultsRecord
from evallang.results.shown import ShownDiagnostic, ShownOfEstimate, ShownOfTest
from evallang.results.statistics import NOT_RUN, POSTERIOR, HypothesisTestResult

PARTS = (
    "estimates", "comparisons", "selections", "requirements", "analyses", "exports", "failures",
    "warnings", "never_predicted", "best_of_many", "thresholds",
    "predictions", "risk_groups",
)  # fmt: skip
"""The lists of results whose records name data sets, protocols, models and metrics."""


def check_references(results: ResultsRecord) -> None:
    """Raise `ValueError`, with the place, for a name or a length that contradicts other records."""
    models = frozenset(model.name for model in results.models)
    known = {
        "data": frozenset(("", *(data.name for data in results.data))),
        "protocol": frozenset(protocol.name for protocol in results.protocols),
        "model": models,
    }
    for kind, records in (
        ("data", results.data), ("models", results.models), ("protocols", results.protocols),
    ):  # fmt: skip
        _check_once(kind, [record.name for record in records])
    measured = frozenset(m.name for m in results.methods if m.kind == "metric") | frozenset(
        estimate.metric for estimate in results.estimates
    )
    for part in PARTS:
        for number, record in enumerate(getattr(results, part)):
            if isinstance(record, Requirement) and record.reason is not None:
                continue  # it was not decided: its model may be missing in the data
            where = f"$.{part}[{number}]"
            for field, names in known.items():
                if field == "protocol" and getattr(record, "stage", None) == "subset":
                    continue  # an analysis may draw its fits by a design of its own
                _check_known(getattr(record, field, None), names, field, f"{where}.{field}")
            for name in getattr(record, "models", ()):
                _check_known(name, models, "model", f"{where}.models")
            if part in ("comparisons", "requirements"):
                _check_known(record.metric, measured, "metric", f"{where}.metric")
    for number, comparison in enumerate(results.comparisons):
        _check_comparison(comparison, models, f"$.comparisons[{number}]")
    for number, requirement in enumerate(results.requirements):
        needed, n = 1 if requirement.kind == "level" else 2, len(requirement.models)
        if n != needed:
            raise ValueError(f"$.requirements[{number}].models has {n} items, not {needed}")


def _check_once(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise ValueError(f"$.{kind}[{number}].name is {name!r} a second time")
        seen.add(name)


def _check_known(name: str | None, names: Iterable[str], kind: str, where: str) -> None:
    if name is not None and name not in names:
        words = "data set" if kind == "data" else kind
        raise ValueError(f"{where} is {name!r}, which is not a {words} of these results")


def _check_comparison(comparison: Comparison, models: Iterable[str], where: str) -> None:
    if comparison.omnibus is not None:
        _check_test(comparison.omnibus, models, f"{where}.omnibus")
    for number, pair in enumerate(comparison.pairwise):
        place = f"{where}.pairwise[{number}]"
        _check_test(pair, models, place)
        if len(pair.models) not in (1, 2):
            raise ValueError(f"{place}.models has {len(pair.models)} items, not 2")
    ranks = comparison.ranks
    if ranks is not None:
        for name in (*ranks.average, *ranks.intervals):
            _check_known(name, models, "model", f"{where}.ranks")


def _check_test(test: HypothesisTestResult, models: Iterable[str], where: str) -> None:
    for name in test.models:
        _check_known(name, models, "model", f"{where}.models")
    ranks: Any = test.extra.get("average_aligned_ranks")
    if ranks is not None and len(ranks) != len(test.models):
        size = len(test.models)
        raise ValueError(f"{where}.extra.average_aligned_ranks has {len(ranks)} items, not {size}")


Record = TypeVar("Record")
DIGITS = 20
"""Of an integer at most, with its sign: seeds and counts are smaller."""
NUMBER = re.compile(r"evallang/results/(?P<number>[0-9]{1,9})")
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}\Z")
SURROGATE = re.compile("[\ud800-\udfff]")


def to_plain(value: Any) -> Any:
    """Convert records to dictionaries and lists; infinite numbers become "inf" or "-inf".

    Raises `ValueError` on NaN: an undefined number is None with a note, never NaN.
    """
    return _finite(msgspec.to_builtins(value, enc_hook=_number, str_keys=True))


def _number(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else float(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value):
        raise ValueError("NaN reached the results; undefined is None, with a note")
    return "inf" if value > 0 else "-inf"


def with_tuples(value: Any) -> Any:
    """Return a JSON value as results have it when they are read."""
    if isinstance(value, dict):
        return {name: with_tuples(item) for name, item in value.items()}
    return tuple(map(with_tuples, value)) if isinstance(value, list) else value


def from_plain(kind: type[Record], value: Any) -> Record:
    """Build a record of type `kind`, ignoring unknown fields.

    Raises `ValueError` with the place if a field without a default is missing or has another type.
    """
    try:
        made = msgspec.convert(with_tuples(value), kind, strict=False)  # "inf" is a number
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    _check_as_written(msgspec.to_builtins(made, enc_hook=_number, str_keys=True), value, "$")
    return made


def _check_as_written(made: Any, value: Any, where: str) -> None:
    """Raise `ValueError` for a text that was read as a number, or as nothing."""
    if isinstance(made, dict):
        for name in made.keys() & value.keys():
            _check_as_written(made[name], value[name], f"{where}.{name}")
    elif isinstance(made, list | tuple):
        for number, (one, other) in enumerate(zip(made, value, strict=True)):
            _check_as_written(one, other, f"{where}[{number}]")
    elif isinstance(value, str) and made != value and value not in ("inf", "-inf"):
        raise ValueError(f"Expected a number, got {value!r} - at `{where}`")


def read_shown(shown: type[Struct], values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return a JSON object with the numbers of the fields that the record `shown` types.

    Raises `ValueError` that ends with `where` if a field is missing or has another type.
    """
    try:
        read = from_plain(shown, values)
    except ValueError as error:
        raise ValueError(str(error).replace("`$", f"`{where}")) from None
    numbers = {
        name: number
        for name in shown.__struct_fields__
        if isinstance(number := getattr(read, name), float) and name in values
    }
    return {**values, **numbers}


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
    record = _with_numbers(from_plain(ResultsRecord, document))
    check_references(record)
    return record


def _with_numbers(record: ResultsRecord) -> ResultsRecord:
    """Return results whose further values have the types that a report reads."""

    def test(found: HypothesisTestResult | None, where: str) -> HypothesisTestResult | None:
        if found is None or not found.extra:
            return found
        return replace(found, extra=read_shown(ShownOfTest, found.extra, f"{where}.extra"))

    return replace(
        record,
        estimates=tuple(
            replace(one, extra=read_shown(ShownOfEstimate, one.extra, f"$.estimates[{i}].extra"))
            for i, one in enumerate(record.estimates)
        ),
        comparisons=tuple(
            replace(
                one,
                omnibus=test(one.omnibus, f"$.comparisons[{i}].omnibus"),
                pairwise=tuple(
                    test(pair, f"$.comparisons[{i}].pairwise[{k}]")
                    for k, pair in enumerate(one.pairwise)
                ),
            )
            for i, one in enumerate(record.comparisons)
        ),
        requirements=tuple(
            replace(one, test=test(one.test, f"$.requirements[{i}].test"))
            for i, one in enumerate(record.requirements)
        ),
        diagnostics=tuple(
            read_shown(ShownDiagnostic, one, f"$.diagnostics[{i}]")
            for i, one in enumerate(record.diagnostics)
        ),
    )


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


def _set_statuses(part: Any, *, performed: bool = True) -> None:
    """Set the status of tests in results of a version without it, wherever they are."""
    if isinstance(part, list):
        for item in part:
            _set_statuses(item, performed=performed)
    elif isinstance(part, dict) and {"test", "variant", "null"} <= part.keys():
        refused = part["variant"] == NOT_RUN
        posterior = isinstance(part.get("extra"), dict) and not part["extra"].keys().isdisjoint(
            POSTERIOR
        )
        undefined = "undefined" if part.get("p") is None and not posterior else "computed"
        status = "not_computed" if refused else undefined if performed else "not_performed"
        if "status" not in part and refused and isinstance(part.get("notes"), list):
            reason = "; ".join(str(note).removeprefix(f"{NOT_RUN}: ") for note in part["notes"])
            part["lacking"] = {"kind": "refused", "reason": reason}
        part.setdefault("status", status)
    elif isinstance(part, dict):
        for name in ("comparisons", "pairwise", "omnibus", "requirements", "test"):
            whole = part.get("performed") is not False or name != "pairwise"
            _set_statuses(part.get(name), performed=whole)


def _no_constant(written: str) -> float:
    raise ValueError(f"{written} is not a number of JSON")


def _whole(written: str) -> int:
    if len(written) > DIGITS:
        raise ValueError(f"a number of {len(written):,} digits is too long: {written[:20]}...")
    return int(written)
