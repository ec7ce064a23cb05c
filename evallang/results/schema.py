"""The JSON Schema of `results.json`, derived from the records.

`python -m evallang.results.schema` writes the file that the package ships.
"""

import inspect
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from evallang.results.kinds import Among
from evallang.results.records import SCHEMA, ResultsRecord

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = Path(__file__).with_name("results.schema.json")
INFINITE = {"enum": ["inf", "-inf"]}


def schema() -> dict[str, Any]:
    """Return the schema: every field is required, unknown fields are allowed."""
    definitions: dict[str, Any] = {}
    root = _record(ResultsRecord, definitions)
    root["properties"]["schema"] = {"const": SCHEMA}
    return {"$schema": DIALECT, "title": SCHEMA, **root, "$defs": dict(sorted(definitions.items()))}


def _record(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    known = fields(kind)
    summary = (inspect.getdoc(kind) or "").split("\n\n")[0]
    return {
        "description": " ".join(summary.split()),
        "type": "object",
        "properties": {f.name: _type(hints[f.name], definitions) for f in known},
        "required": [f.name for f in known],
    }


def _type(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if kind is Any:
        return {}
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        words = next((fact.words for fact in parts[1:] if isinstance(fact, Among)), None)
        return _type(parts[0], definitions) if words is None else {"enum": list(words)}
    if origin in (typing.Union, types.UnionType):
        choices = [_type(part, definitions) for part in parts if part is not type(None)]
        return {"anyOf": [*choices, {"type": "null"}]}
    if isinstance(kind, type) and issubclass(kind, Struct):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _record(kind, definitions)
        return {"$ref": f"#/$defs/{name}"}
    if origin is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return {"type": "array", "items": _type(parts[0], definitions)}
        return {
            "type": "array",
            "prefixItems": [_type(part, definitions) for part in parts],
            "minItems": len(parts),
            "maxItems": len(parts),
        }
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(parts[1], definitions)}
    if kind is float:
        return {"anyOf": [{"type": "number"}, INFINITE]}
    names = {str: "string", int: "integer", bool: "boolean"}
    return {"type": names[kind]}


def dumps() -> str:
    """Return the text of the shipped file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(dumps(), encoding="utf-8")
