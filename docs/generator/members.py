"""A page of its own for each metric and analysis, and the index of their catalogues."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docs.generator import markdown as md, pictures
from docs.generator.symbols import symbols_in
from evallang.bibliography import Reference
from evallang.manual.compatibility_table import available_intervals
from evallang.manual.explanations import Part, explain_member
from evallang.manual.glossary import REGISTRIES
from evallang.metrics.metric import MetricDeclaration
from evallang.registry import Entry

GUIDE = Path(__file__).parents[1] / "guide"
LEADS = {
    "metrics": "These metrics may be written in a `measure` line and after `by`.",
    "analyses": "These analyses may be written in an `analyze` line.",
}
ABOUT = {
    "model": "of each model, from its held-out predictions",
    "models": "of all models together, from their held-out predictions",
    "estimates": "of the estimates of all models",
    "pairs": "of all pairs of models",
    "lines": "of the lines that compare models",
    "decisions": "of the lines that compare models",
}
"""The groups of analyses, by what they are about."""
INTERVALS = """\
The default is used where nothing is written; others follow `interval` below the `measure` line, as
[Intervals](../intervals.md) explains. Grouped or weighted rows, or more than two classes, may
change the default."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the indexes and the pages of the members, by path without ending."""
    for plural in md.PAGED:
        yield plural, _index(plural)
        for entry in REGISTRIES[plural]:
            yield f"{plural}/{entry.name}", _member(plural, entry)


def _index(plural: str) -> str:
    groups: dict[str, list[Entry[Any]]] = {}
    for entry in REGISTRIES[plural]:
        groups.setdefault(_group(entry), []).append(entry)
    blocks = []
    for group in sorted(groups):
        rows = [
            (f"[`{entry.name}`]({md.place(plural, entry.name)})", entry.title, _when(entry))
            for entry in groups[group]
        ]
        blocks += [f"## {md.capitalised(group)}", md.table(HEAD, rows)]
    lead = f"{LEADS[plural]} `evallang list {plural}` lists them, and `evallang explain NAME` "
    return md.page(plural.capitalize(), f"{lead}explains one in the terminal.", *blocks)


DIFFERS = "why it differs"
BRACKETS = r"[\,\cdot\,]"
HEAD = ("name", "what it is", "when to use it")


def _group(entry: Entry[Any]) -> str:
    declared = entry.declaration
    return declared.group if isinstance(declared, MetricDeclaration) else ABOUT[declared.about]


def _when(entry: Entry[Any]) -> str:
    return str(entry.declaration.when)


def _member(plural: str, entry: Entry[Any]) -> str:
    """Return the page of a member."""
    told = explain_member(entry)
    title = "" if told.title == told.word else f"**{told.title.rstrip('.')}.**"
    blocks = [f"[{plural.capitalize()}](../{plural}.md) / {_group(entry)}", title]
    for part in told.parts:
        if part.heading.startswith(DIFFERS):
            continue
        if part.heading == "sources":
            blocks += [*_differences(plural, entry), *_checked(entry)]
        maker = MAKERS.get(part.heading)
        blocks += maker(plural, entry, part) if maker else [md.format_part(part)]
    return md.page(told.word, *blocks, *_guides(plural, entry))


def _definition(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    equation = entry.declaration.equation
    blocks = ["## Definition"]
    if equation:
        blocks.append(md.code([equation], "math"))
        needs = entry.declaration.needs
        known = [
            f"${BRACKETS if symbol == '[' else symbol}$: {text}"
            for symbol, text in symbols_in(equation, needs)
        ]
        if known:
            blocks.append(md.listing(known))
    return [*blocks, md.format_part(part)]


def _properties(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    rows = [line.partition(": ")[::2] for line in part.lines]
    return ["## Properties", md.table(("property", "value"), rows)]


def _options(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    return ["## Options", md.format_part(part).partition("\n\n")[2]]


def _use(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    return ["## Use", md.format_part(part)]


def _intervals(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    rows = [
        (
            ", ".join(f"`{place}`" if "`" not in place else place for place in found.places),
            "none" if found.default is None else _link(found.default),
            ", ".join(map(_link, found.others)),
        )
        for found in available_intervals(entry)
    ]
    return ["## Intervals", INTERVALS, md.table(("under", "default", "others"), rows)]


def _link(interval: str) -> str:
    return f"[`{interval}`](../intervals.md#{md.anchor(interval)})"


def _example(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    record = pictures.records().get(pictures.key_of(plural, entry), {})
    blocks = ["## Example", md.code(part.lines, "eval")]
    if record.get("picture"):
        alt = " ".join(str(record["alt"]).replace("[", "(").replace("]", ")").split())
        blocks += ["## What it shows", f"![{alt}]({entry.name}.svg)"]
    elif record.get("tables"):
        blocks.append("## What it shows")
    blocks += record.get("tables", ())
    return blocks


def _sources(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    return ["## Sources", md.listing(_work(reference) for reference in entry.references)]


def _work(work: Reference) -> str:
    authors = ", ".join(work.authors)
    volume = f" {work.volume}" if work.volume else ""
    pages = f": {work.pages.replace('-', '–')}" if work.pages else ""
    doi = f" [doi:{work.doi}](https://doi.org/{work.doi})" if work.doi else ""
    return f"{authors} ({work.year}). {work.title}. {work.venue}{volume}{pages}.{doi}"


def _differences(plural: str, entry: Entry[Any]) -> list[str]:
    differs = entry.declaration.differs
    lines = [f"{other}: {text}" for other, text in differs.items()]
    return ["## Why it differs from other packages and texts", md.listing(lines)] if lines else []


def _checked(entry: Entry[Any]) -> list[str]:
    """List the published results and closed forms that the tests compare the function with."""
    lines = [
        f"{_number(example.expected['value'])}: {example.source}"
        for example in entry.examples
        if set(example.expected) == {"value"}
    ]
    return ["## Checked against", md.listing(lines)] if lines else []


def _number(value: float) -> str:
    return f"{value:.6g}"


@cache
def _guide_pages() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted(GUIDE.glob("*.md"))}


def _guides(plural: str, entry: Entry[Any]) -> list[str]:
    """List the pages of the guide that refer to a member."""
    lines = [
        f"[{text.partition(chr(10))[0].lstrip('# ')}](../../guide/{path.name})"
        for path, text in _guide_pages().items()
        if f"(../reference/{md.place(plural, entry.name)})" in text
    ]
    return ["## In the guide", md.listing(lines)] if lines else []


MAKERS: dict[str, Callable[[str, Entry[Any], Part], list[str]]] = {
    "in words": _definition,
    "properties": _properties,
    "options": _options,
    "when to use it": _use,
    "default interval": _intervals,
    "an example": _example,
    "sources": _sources,
}
"""How the parts of an explanation are set, by their headings; others as in the catalogues."""
