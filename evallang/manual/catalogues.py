"""The catalogues as plain records: for `list`, `explain`, editors and the reference."""

from typing import Any

from evallang.checking.all_codes import load_codes
from evallang.checking.values import CATALOGUES
from evallang.diagnostics import CODES
from evallang.limits import LIMITS
from evallang.models.catalogue import CATALOGUE, unavailable
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry, Option, Registry
from evallang.stats.analyses.analysis import ANALYSES
from evallang.study import written_option
from evallang.syntax.language import STATEMENTS

REGISTRIES: dict[str, Registry[Any]] = {
    **{f"{what}s": registry for what, registry, _ in CATALOGUES if what != "analysis"},
    "analyses": ANALYSES,
    "protocols": PROTOCOLS,
}


def entries(catalogue: str) -> list[dict[str, Any]]:
    """List one catalogue by its plural (`tests`, `models`, `rules` ...), sorted by name."""
    if catalogue == "models":
        return [
            {
                "name": name,
                "title": name,
                "summary": f"{', '.join(sorted(entry.kinds))} of {entry.module}",
                "options": [
                    {"name": p.name, "default": p.default_text, "words": list(p.words)}
                    for p in entry.parameters.values()
                    if p.refused is None
                ],
            }
            for name, entry in sorted(CATALOGUE.items())
            if entry.refused is None and unavailable(entry) is None
        ]
    if catalogue == "limits":
        return [
            {"name": limit.name, "summary": f"{limit.bounds}: {limit.stated}"}
            for limit in LIMITS.values()
        ]
    if catalogue == "statements":
        return [
            {
                "name": word,
                "title": word,
                "summary": known.summary,
                "form": known.form,
                "clauses": [clause.form for clause in known.clauses.values()],
            }
            for word, known in STATEMENTS.items()
        ]
    if catalogue == "sections":
        from evallang.reporting.section import SECTIONS

        return [
            {"name": entry.name, "title": entry.title, "summary": entry.title}
            for entry in sorted(SECTIONS, key=lambda entry: entry.declaration.order)
            if entry.declaration.hideable
        ]
    if catalogue in ("rules", "codes"):
        load_codes()
        return [
            {
                "name": code.name,
                "code": code.code,
                "title": code.name.replace("_", " "),
                "severity": str(code.severity),
                "summary": code.words.summary,
            }
            for code in sorted(CODES.values(), key=lambda c: c.code)
            if catalogue == "codes" or code.waivable
        ]
    found = [record(entry) for entry in REGISTRIES[catalogue]]
    return sorted(found, key=lambda entry: entry.get("group", ""))


def record(entry: Entry[Any]) -> dict[str, Any]:
    """Return what a catalogue knows of one member."""
    found: dict[str, Any] = {
        "name": entry.name,
        "kind": entry.kind,
        "title": entry.title,
        "summary": entry.summary,
        "when": entry.declaration.when,
        "when_not": entry.declaration.when_not,
        "formula": entry.declaration.formula,
        "differs": dict(entry.declaration.differs),
        "options": [_option(option) for option in entry.options],
        "references": [reference.short for reference in entry.references],
    }
    if (group := getattr(entry.declaration, "group", None)) is not None:
        found["group"] = group
    if entry.kind == "protocol":
        found["written"] = " ".join(entry.declaration.words)
    return found


def _option(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "required": option.required,
        "default": None
        if option.required or option.default is None
        else written_option(option.default),
        "words": list(option.words),
    }


def members(name: str) -> list[Entry[Any]]:
    """Find every member of any catalogue that has this name; `bootstrap` has two."""
    word = name.replace("-", "_")
    found = []
    for registry in REGISTRIES.values():
        entry = registry.get(word)
        if entry is None and registry is PROTOCOLS:
            spaced = tuple(name.replace("-", "_").split())
            entry = next((e for e in PROTOCOLS if e.declaration.words == spaced), None)
        if entry is not None:
            found.append(entry)
    return found
