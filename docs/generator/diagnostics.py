"""The pages of diagnostics: errors by pass, and rules of good practice."""

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
    "W5": "Results: printed in the reports that they concern; they cannot be waived",
}


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the page of errors and the page of rules."""
    load_codes()
    codes = sorted(CODES.values(), key=lambda code: code.code)
    yield (
        "errors",
        _page(
            "Errors",
            "An error stops a run before anything is fitted; `evallang check` finds all of them "
            "at once. `evallang explain CODE` prints an entry.",
            [code for code in codes if code.code.startswith("E")],
        ),
    )
    yield (
        "rules",
        _page(
            "Rules: warnings and hints",
            "A warning or hint is advice and stops nothing (with `check --strict`, warnings do). "
            "`# evallang: allow RULE because REASON` on the line, or above it, accepts a finding, "
            "and the report prints the reason; `# evallang: allow RULE in this file because "
            "REASON` before the first statement after `evallang` holds for the file.",
            [code for code in codes if code.code.startswith("W")],
        ),
    )


def _page(title: str, lead: str, codes: list[Code]) -> str:
    blocks = []
    for start, heading in PASSES.items():
        some = [code for code in codes if code.code.startswith(start)]
        if not some:
            continue
        blocks.append(f"## {heading}")
        blocks.append(
            md.table(
                ("code", "name", "message"),
                [
                    (f"[{c.code}](#{md.anchor(_word(c))})", f"`{c.name}`", c.words.summary)
                    for c in some
                ],
            )
        )
        blocks += [md.explanation(explain_code(code), level=3) for code in some]
    return md.page(title, lead, *blocks)


def _word(code: Code) -> str:
    return f"{code.code} {code.name}"
