"""Generated tables inside written pages, between `<!-- made: ... -->` and `<!-- end -->`."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.generator import markdown as md
from docs.generator.members import link
from evallang.api import results
from evallang.api.rows import Rows
from evallang.cli.doctor import alternatives, lowest_version
from evallang.installation import EXTRAS
from evallang.manual.explanations import clause_of, option_default, runs
from evallang.manual.glossary import REGISTRIES
from evallang.reporting.section import SECTIONS
from evallang.syntax.language import RESERVED, STATEMENTS

MARK = re.compile(r"(<!-- made: (?P<what>.+?) -->\n).*?(\n?<!-- end -->)", re.DOTALL)


def filled(text: str, path: Path) -> str:
    """Fill in every marked table; raise `KeyError` for an unknown mark."""

    def made(match: re.Match[str]) -> str:
        what, _, rest = match["what"].partition(" ")
        if what not in MAKERS:
            raise KeyError(f"{path}: nothing makes `{match['what']}`")
        return f"{match[1]}\n{MAKERS[what](rest)}\n\n<!-- end -->"

    return MARK.sub(made, text)


def _form(statement: str) -> str:
    return md.code([STATEMENTS[statement].form], "text")


def _clauses(statement: str) -> str:
    known = [clause_of(statement, clause) for clause in STATEMENTS[statement].clauses]
    return md.table(("clause", "meaning"), [(f"`{form}`", text) for form, text in known])


def _study(statement: str) -> str:
    example = STATEMENTS[statement].example
    study = md.code(example.split("\n"), "eval")
    return study if runs(example) else f"This version does not run it yet (E901).\n\n{study}"


def _options(plural: str) -> str:
    rows = []
    for entry in REGISTRIES[plural]:
        options = ", ".join(
            f"`{o.name}` {option_default(o).removeprefix('default ')}" for o in entry.options
        )
        rows.append((link(plural, entry, "reference/"), entry.title, options))
    return md.table(("name", "title", "options and their defaults"), rows)


def _statements(_: str) -> str:
    rows = [
        (f"[`{word}`](#{md.anchor(word)})", guide.summary, guide.default)
        for word, guide in STATEMENTS.items()
    ]
    return md.table(("statement", "meaning", "if it is missing"), rows)


def _sections(_: str) -> str:
    entries = sorted(SECTIONS, key=lambda entry: entry.declaration.order)
    return md.table(
        ("section", "title", "may be hidden"),
        [(f"`{e.name}`", e.title, "yes" if e.declaration.hideable else "no") for e in entries],
    )


def _reserved(_: str) -> str:
    return " ".join(f"`{word}`" for word in sorted(RESERVED))


def _differences(_: str) -> str:
    rows = []
    for plural, registry in REGISTRIES.items():
        for entry in registry:
            method = link(plural, entry, "reference/")
            for other, text in entry.declaration.differs.items():
                rows.append((other, method, md.sentence(md.capitalised(text))))
    rows.sort(key=lambda row: (row[0].lower(), row[1]))
    return md.table(("package or text", "method", "why it differs"), rows)


def _tested(_: str) -> str:
    """Format the tested versions of each package that users may need."""
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = tomllib.loads((root / "evallang/tested.toml").read_text(encoding="utf-8"))
    parts = [("every study", project["dependencies"])]
    for name, purpose in EXTRAS.items():
        parts.append((f"`{name}`: {purpose}", project["optional-dependencies"][name]))
    rows = []
    for purpose, texts in parts:
        for one in map(Requirement, texts):
            known = [n for n in alternatives(one.name) if canonicalize_name(n) in newest]
            name = known[0] if known else one.name
            tested = newest.get(canonicalize_name(name), "not tested")
            rows.append((f"`{name}`", lowest_version(one.specifier), tested, purpose))
    return md.table(("package", "lowest", "newest", "for"), rows)


TYPES = {str: "text", float: "float", int: "integer", bool: "Boolean"}


def _columns(name: str) -> str:
    table = getattr(results.Results, name).fget
    kind: type[Rows[Any]] = get_type_hints(table, vars(results))["return"]
    rows = [(f"`{c.name}`", TYPES[c.kind], c.meaning) for c in kind.COLUMNS]
    return md.table((f"column of `{name}`", "type", "meaning"), rows)


MAKERS: dict[str, Callable[[str], str]] = {
    "form": _form,
    "clauses": _clauses,
    "study": _study,
    "options": _options,
    "statements": _statements,
    "sections": _sections,
    "reserved": _reserved,
    "differences": _differences,
    "columns": _columns,
    "tested": _tested,
}
"""The functions that generate tables, by the first word of a mark."""
