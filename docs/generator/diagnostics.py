"""The pages of diagnostics: one for each code, and the indexes of errors and of rules."""

from collections.abc import Iterator

from docs.generator import markdown as md
from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Code
from evallang.manual.explanations import explain_code

PASSES = {
    "E0": "Syntax",
    "E1": "Names, types, options, units",
    "E2": "Analyses that cannot be computed or have no meaning",
    "E4": "Data",
    "E6": "Files and logs",
    "E9": "Not in this version",
    "W0": "Layout",
    "W1": "Names and waivers",
    "W3": "Designs that the literature advises against",
    "W4": "Data",
    "W6": "Files and logs",
    "W5": "Results: printed in the reports that they concern",
}
INDEXES = {
    "errors": (
        "E",
        "Errors",
        "An error stops a run before anything is fitted; `evallang check` finds all of them "
        "at once. `evallang explain CODE` prints an entry.",
    ),
    "rules": (
        "W",
        "Rules: warnings and hints",
        "A warning or hint is advice and stops nothing (with `check --strict`, warnings do). "
        "`# evallang: allow RULE because REASON` on the line, or above it, accepts a finding, "
        "and the report prints the reason; `# evallang: allow RULE in this file because "
        "REASON` before the first statement after `evallang` holds for the file.",
    ),
}
"""The first letter of the codes of an index, its title and its first paragraph."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the two indexes and the pages of their codes, by path without ending."""
    load_codes()
    codes = sorted(CODES.values(), key=lambda code: code.code)
    for index, (letter, title, lead) in INDEXES.items():
        blocks = []
        for start, heading in PASSES.items():
            some = [code for code in codes if code.code.startswith(start)]
            if start[0] != letter or not some:
                continue
            rows = [
                (f"[{c.code}]({md.place('codes', c.code)})", f"`{c.name}`", c.words.summary)
                for c in some
            ]
            blocks += [f"## {heading}", md.table(("code", "name", "message"), rows)]
            parent = f"[{title.partition(':')[0]}](../{index}.md) / {heading.partition(':')[0]}"
            for code in some:
                yield f"codes/{code.code}", _page(code, parent)
        yield index, md.page(title, lead, *blocks)


def _page(code: Code, parent: str) -> str:
    told = explain_code(code)
    fixed = "" if code.waivable or told.kind == "error" else ", cannot be waived"
    blocks = [f"{parent} / {told.kind}{fixed}", f"**{told.title.rstrip('.')}.**"]
    return md.page(told.word, *blocks, *map(md.format_part, told.parts))
