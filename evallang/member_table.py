"""The member table: the declarations of all members, read without importing their modules.

A check compares the declarations of many tests, intervals and metrics, and calls none of them. The
package ships the table, as plain JSON: a member's module is imported when its function, or a
function in its declaration, is first called. A missing or stale table has no effect but the time
that imports take: the checksums of all sources that the members were read from are in the file.

`python -m evallang.manual.member_table` writes the table.
"""

import importlib
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, reduce
from io import FileIO
from pathlib import Path
from typing import Any

from evallang.frozen_records import frozen

FORMAT = 1
"""Changes with the shape of the saved table."""

_PACKAGE = Path(__file__).parent
TABLE = _PACKAGE / "members.table"

Steps = list[list[Any]]
"""The way from a declaration to a value in it: attributes, and items of mappings and tuples."""
Found = Callable[[], Any]
"""Returns the declaration in the member's own module, which it imports."""


@frozen
class SavedMember:
    """A member in the table: what a registry says of it before its module is imported.

    `declaration` and `options` are encoded; `listed` is False for a member that authors cannot
    write.
    """

    name: str
    title: str
    module: str
    inputs: tuple[str, ...]
    options: Any
    declaration: Any
    listed: bool


def saved_members(package: str) -> tuple[SavedMember, ...] | None:
    """Return the members of a package, None where the table does not have them or is stale."""
    rows = _table().get(package)
    if rows is None:
        return None
    return tuple(SavedMember(n, t, m, tuple(i), o, d, listed) for n, t, m, i, o, d, listed in rows)


def write(members: Mapping[str, Iterable[SavedMember]], modules: Iterable[str]) -> Path:
    """Save the members by package, with the checksums of the modules that they were read from."""
    content = {
        "format": FORMAT,
        "sources": {name: _checksum(name) for name in _sources(modules)},
        "folders": {_folder(package): _listing(_folder(package)) for package in members},
        "members": {
            package: [[getattr(one, name) for name in SavedMember.__match_args__] for one in some]
            for package, some in members.items()
        },
    }
    TABLE.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    return TABLE


@cache
def _table() -> Mapping[str, list[list[Any]]]:
    """Return the rows of the table by package, none where it is missing or stale."""
    try:
        content = json.loads(TABLE.read_bytes())
        fresh = (
            content["format"] == FORMAT
            and all(_listing(name) == had for name, had in content["folders"].items())
            and all(_checksum(name) == had for name, had in content["sources"].items())
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
    members: Mapping[str, list[list[Any]]] = content["members"]
    return members if fresh else {}


def _sources(modules: Iterable[str]) -> list[str]:
    """Return the sources of imported modules, by their paths from the folder of the package."""
    files = {Path(sys.modules[name].__file__ or "") for name in modules}
    return sorted(f.relative_to(_PACKAGE).as_posix() for f in files if f.is_relative_to(_PACKAGE))


def _folder(package: str) -> str:
    return package.partition(".")[2].replace(".", "/")


def _listing(folder: str) -> list[str]:
    return sorted(path.name for path in (_PACKAGE / folder).iterdir() if path.suffix == ".py")


def _checksum(source: str) -> int:
    with FileIO(f"{_PACKAGE}/{source}") as file:  # two hundred files, in two milliseconds
        return zlib.crc32(file.readall())


def encode(value: Any, steps: Steps | None = None) -> Any:
    """Encode a value of a declaration as JSON; `steps` lead to it from the declaration.

    Raises `TypeError` for a value of another kind than declarations have.
    """
    steps = steps or []
    if isinstance(value, Enum):
        return {"enum": [*_name(type(value)), value.name]}
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [encode(item, [*steps, ["item", place]]) for place, item in enumerate(value)]
    if isinstance(value, frozenset):
        return {"set": sorted((encode(item) for item in value), key=json.dumps)}
    if isinstance(value, Mapping):
        pairs = (
            [encode(key), encode(item, [*steps, ["item", key]])] for key, item in value.items()
        )
        return {"mapping": list(pairs)}
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, type):
        return {"class": _name(value)}
    if is_dataclass(value):
        return {"record": [*_name(type(value)), _encode_fields(value, steps)]}
    if callable(value):
        return {"function": steps}
    raise TypeError(f"a declaration with {value!r} cannot be saved")


def _encode_fields(record: Any, steps: Steps) -> dict[str, Any]:
    """Encode the fields that are not at their defaults."""
    encoded = {}
    for item in fields(record):
        value = getattr(record, item.name)
        made = item.default_factory() if item.default_factory is not MISSING else item.default
        if value is not made and (callable(value) or value != made):
            encoded[item.name] = encode(value, [*steps, ["attribute", item.name]])
    return encoded


def _name(class_: type) -> list[str]:
    return [class_.__module__, class_.__qualname__]


def decode(value: Any, found: Found) -> Any:
    """Decode a value; a function in it is that of the declaration that `found` returns."""
    kind = value.__class__
    if kind is list:
        return tuple([decode(item, found) for item in value])
    if kind is dict:
        ((kind, content),) = value.items()
        return _DECODERS[kind](content, found)
    return value


def _decode_record(content: Any, found: Found) -> Any:
    module, name, fields = content
    given = {key: decode(item, found) for key, item in fields.items()}
    return _class(module, name)(**given)


def _decode_function(steps: Steps, found: Found) -> Any:
    @cache
    def function() -> Any:
        return reduce(_step, steps, found())

    def call(*given: Any, **named: Any) -> Any:
        return function()(*given, **named)

    return call


def _step(value: Any, step: list[Any]) -> Any:
    kind, name = step
    return getattr(value, name) if kind == "attribute" else value[name]


@cache
def _class(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


_DECODERS: Mapping[str, Callable[[Any, Found], Any]] = {
    "enum": lambda content, found: _class(*content[:2])[content[2]],
    "set": lambda content, found: frozenset([decode(item, found) for item in content]),
    "mapping": lambda content, found: {
        decode(key, found): decode(item, found) for key, item in content
    },
    "fraction": lambda content, found: Fraction(*content),
    "class": lambda content, found: _class(*content),
    "record": _decode_record,
    "function": _decode_function,
}
