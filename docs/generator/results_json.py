"""The page of `results.json`, from its JSON Schema."""

from collections.abc import Iterator
from typing import Any

from docs.generator import markdown as md
from evallang.results.schema import schema

LEAD = """\
`evallang run` writes `results.json` into the output folder, and every written file is valid against
its JSON Schema, [results.schema.json](../../evallang/results/results.schema.json), which ships with
the package. Readers accept unknown fields. Numbers have full precision; an undefined number is
`null`, an infinite one `"inf"` or `"-inf"`. `repeat` and `fold` count from 0. Without `provenance`
the file is byte-identical for the same study, data, seed, package versions and kind of
processor."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page: the root, then every record."""
    root = schema()
    blocks = ["## The file", _fields(root)]
    for name, record in root["$defs"].items():
        blocks += [f"## {name}", record.get("description", ""), _fields(record)]
    yield "results-json", md.page("results.json", LEAD, *blocks)


def _fields(record: dict[str, Any]) -> str:
    return md.table(
        ("field", "type"),
        [(f"`{name}`", _type(kind)) for name, kind in record["properties"].items()],
    )


def _type(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{md.anchor(name)})"
    if "const" in kind:
        return f'`"{kind["const"]}"`'
    if kind.get("pattern", "").startswith("^(?:"):  # words that registrations add to
        words = kind["pattern"].removeprefix("^(?:").removesuffix(")$").split("|")
        return ", ".join(f'`"{word}"`' for word in words)
    if "enum" in kind:
        return ", ".join(f'`"{word}"`' for word in kind["enum"])
    if "anyOf" in kind:
        parts = [_type(part) for part in kind["anyOf"]]
        return " or ".join(dict.fromkeys(parts))
    if "prefixItems" in kind:
        return "list of " + ", ".join(_type(part) for part in kind["prefixItems"])
    if kind.get("type") == "array":
        return f"list of {_type(kind['items'])}" if "items" in kind else "list"
    if kind.get("type") == "object" and "additionalProperties" in kind:
        return f"object of {_type(kind['additionalProperties'])}"
    return str(kind.get("type", "anything"))
