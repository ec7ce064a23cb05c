"""The JSON Schema of `results.json`, derived from the records.

`python -m evallang.results.schema` writes the file that the package ships.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from evallang.results.records import SCHEMA, ResultsRecord

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = Path(__file__).with_name("results.schema.json")
NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}]}
OF_READING = ("title", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
"""What msgspec says of a field and a file does not: all fields are written."""


def schema() -> dict[str, Any]:
    """Return the schema: every field is required, unknown fields are allowed."""
    _, definitions = msgspec.json.schema_components([ResultsRecord], ref_template="#/$defs/{name}")
    described = {name: _record(content) for name, content in definitions.items()}
    root = described.pop(ResultsRecord.__name__)
    root["properties"]["schema"] = {"const": SCHEMA}
    return {"$schema": DIALECT, "title": SCHEMA, **root, "$defs": dict(sorted(described.items()))}


def _record(content: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": " ".join(content["description"].split("\n\n")[0].split()),
        "type": "object",
        "properties": {name: _value(item) for name, item in content["properties"].items()},
        "required": list(content["properties"]),
    }


def _value(content: Any) -> Any:
    """Return the schema of a value, whose numbers may be infinite and are then texts."""
    if isinstance(content, list):
        return [_value(item) for item in content]
    if not isinstance(content, dict):
        return content
    if content.get("type") == "number":
        return NUMBER
    return {name: _value(item) for name, item in content.items() if name not in OF_READING}


def dumps() -> str:
    """Return the text of the shipped file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(dumps(), encoding="utf-8")
