"""A page of its own for each member of each catalogue, and the indexes of the catalogues."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docs.generator import markdown as md, pictures
from docs.generator.symbols import symbols_in
from evallang.analysis import AnalysisDeclaration
from evallang.bibliography import Reference
from evallang.manual.compatibility_table import available_intervals
from evallang.manual.explanations import Part, explain_member, written
from evallang.manual.glossary import REGISTRIES
from evallang.metrics.metric import MetricDeclaration
from evallang.registry import Entry

GUIDE = Path(__file__).parents[1] / "guide"
INDEXES = {
    "tests": ("Hypothesis tests", "These tests follow `with` in a `compare` line."),
    "intervals": (
        "Intervals",
        "The clause `interval` of a `measure` line takes these intervals. The default depends on "
        "metric and protocol: see [what goes with what](what-goes-with-what.md).",
    ),
    "corrections": (
        "Corrections for many comparisons",
        "These corrections follow the test in a `compare` line. For several hypotheses the "
        "default is `holm`.",
    ),
    "protocols": ("Protocols", "These protocols may be written in a `protocol` line."),
    "metrics": ("Metrics", "These metrics may be written in a `measure` line and after `by`."),
    "analyses": ("Analyses", "These analyses may be written in an `analyze` line."),
}
"""The title of an index, and its first sentences."""
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
HEAD = ("name", "what it is", "when to use it")
BRACKETS = r"[\,\cdot\,]"
DIFFERS = "why it differs"
SECTIONS = {
    "Example": ("an example",),
    "Use": ("when to use it", "when not to use it", "advised against"),
    "Options": ("written", "options"),
    "Definition": ("in words",),
    "Properties": ("properties",),
    "Intervals": ("default interval", "why it has no interval"),
    "Goes with": ("goes with",),
    "What it promises": ("what it promises",),
    "What it is good for": ("what it is good for",),
    "From Python": ("from Python", "the figure is that of"),
    "Why it differs from other packages and texts": (),
    "Checked against": (),
    "Sources": ("sources",),
    "In the guide": (),
}
"""The sections of a page in order, and the parts of an explanation that each has."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the indexes and the pages of the members, by path without ending."""
    for plural, registry in REGISTRIES.items():
        yield plural, _index(plural)
        for entry in registry:
            yield md.place(plural, entry.name).removesuffix(".md"), _member(plural, entry)


def link(plural: str, entry: Entry[Any], folder: str = "") -> str:
    """Format a link to the page of a member, from a folder below or above the reference."""
    return f"[`{written(entry)}`]({folder}{md.place(plural, entry.name)})"


def _index(plural: str) -> str:
    title, lead = INDEXES.get(plural, (plural.capitalize(), ""))
    groups: dict[str, list[Entry[Any]]] = {}
    for entry in REGISTRIES[plural]:
        groups.setdefault(_group(entry), []).append(entry)
    blocks = []
    for group in sorted(groups):
        rows = [(link(plural, e), e.title, str(e.declaration.when)) for e in groups[group]]
        blocks += [f"## {md.capitalised(group)}" if group else "", md.table(HEAD, rows)]
    lead = f"{lead} `evallang list {plural}` lists them, and `evallang explain NAME` "
    return md.page(title, f"{lead.lstrip()}explains one in the terminal.", *blocks)


def _group(entry: Entry[Any]) -> str:
    """Return the heading of the index below which a member is; empty if it has none."""
    declared = entry.declaration
    if isinstance(declared, MetricDeclaration):
        return declared.group
    return ABOUT[declared.about] if isinstance(declared, AnalysisDeclaration) else ""


def _member(plural: str, entry: Entry[Any]) -> str:
    """Return the page of a member."""
    told = explain_member(entry)
    same = told.title.casefold() == told.word.casefold()
    title = f"{told.word} ({told.kind})" if same else f"{told.word}: {told.title}"
    group = _group(entry)
    index = f"[{INDEXES.get(plural, (plural.capitalize(),))[0]}](../{plural}.md)"
    lead = [f"{index} / {group}" if group else index]
    sections: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for part in told.parts:
        if part.heading.startswith(DIFFERS):
            continue
        name = next((name for name, parts in SECTIONS.items() if part.heading in parts), None)
        maker = MAKERS.get(part.heading)
        blocks = maker(plural, entry, part) if maker else [md.format_part(part)]
        (lead if name is None else sections[name]).extend(blocks)
    sections["Why it differs from other packages and texts"] = _differences(entry)
    sections["Checked against"] = _checked(entry)
    sections["In the guide"] = _guides(plural, entry)
    body = [
        block for name, blocks in sections.items() if blocks for block in (f"## {name}", *blocks)
    ]
    return md.page(title, *lead, *body)


def _definition(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    equation = getattr(entry.declaration, "equation", "")
    blocks = []
    if equation:
        blocks.append(md.code([equation], "math"))
        needs = entry.declaration.needs
        known = [
            f"${BRACKETS if symbol == '[' else symbol}$: {text}"
            for symbol, text in symbols_in(equation, needs)
        ]
        if known:
            blocks.append(md.listing(known))
    return [*blocks, md.sentence(md.capitalised(part.text))]


def _properties(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    rows = [line.partition(": ")[::2] for line in part.lines]
    return [md.table(("property", "value"), rows)]


def _lines(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    """Format lines whose heading is that of the section."""
    return [md.format_part(part).partition("\n\n")[2]]


def _published(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    return [f"*Checked against.* {md.sentence(md.capitalised(part.text))}"]


def _intervals(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    rows = [
        (
            ", ".join(f"`{place}`" if "`" not in place else place for place in found.places),
            "none" if found.default is None else _link(found.default),
            ", ".join(map(_link, found.others)),
        )
        for found in available_intervals(entry)
    ]
    return [INTERVALS, md.table(("under", "default", "others"), rows)]


def _link(interval: str) -> str:
    return link("intervals", REGISTRIES["intervals"][interval], "../")


def _example(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    record = pictures.records().get(pictures.key_of(plural, entry), {})
    blocks = [md.code(part.lines, "eval")]
    if record.get("picture"):
        alt = " ".join(str(record["alt"]).replace("[", "(").replace("]", ")").split())
        blocks.append(f"![{alt}]({entry.name}.svg)")
    return [*blocks, *record.get("tables", ())]


def _sources(plural: str, entry: Entry[Any], part: Part) -> list[str]:
    return [md.listing(_work(reference) for reference in entry.references)]


def _work(work: Reference) -> str:
    authors = ", ".join(work.authors)
    volume = f" {work.volume}" if work.volume else ""
    pages = f": {work.pages.replace('-', '–')}" if work.pages else ""
    doi = f" [doi:{work.doi}](https://doi.org/{work.doi})" if work.doi else ""
    return f"{authors} ({work.year}). {work.title}. {work.venue}{volume}{pages}.{doi}"


def _differences(entry: Entry[Any]) -> list[str]:
    differs = entry.declaration.differs
    return [md.listing(f"{other}: {text}" for other, text in differs.items())] if differs else []


def _checked(entry: Entry[Any]) -> list[str]:
    """List the published results and closed forms that the tests compare the function with."""
    lines = [
        f"{_number(example.expected['value'])}: {example.source}"
        for example in entry.examples
        if set(example.expected) == {"value"}
    ]
    return [md.listing(lines)] if lines else []


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
    return [md.listing(lines)] if lines else []


MAKERS: dict[str, Callable[[str, Entry[Any], Part], list[str]]] = {
    "in words": _definition,
    "properties": _properties,
    "options": _lines,
    "written": _lines,
    "default interval": _intervals,
    "goes with": _lines,
    "what it promises": _lines,
    "what it is good for": _lines,
    "an example": _example,
    "from Python": _lines,
    "the figure is that of": _published,
    "sources": _sources,
}
"""How the parts of an explanation are formatted, by their headings; others by `format_part`."""
