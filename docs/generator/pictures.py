"""Run the examples of metrics and analyses, and draw what they show: their pictures.

`python -m docs.generator.pictures` draws those whose study has changed, and those named;
`--all` draws all, which takes half a minute. A picture is beside the page of its member, and
`pictures.json` has its numbers in words, the tables of an analysis, and the hash of its study.
"""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evallang.manual.explanations import illustration
from evallang.manual.glossary import REGISTRIES
from evallang.registry import Entry

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
RECORDS = Path(__file__).parent / "pictures.json"
COMMAND = "python -m docs.generator.pictures"
MARGIN = 6.0  # points of paper around a picture, which may be shown on a dark page
MOST_ROWS = 12  # rows of a table that a page shows


PICTURED = ("metrics", "analyses")
"""The catalogues whose members have a picture of what their example shows."""


def subjects() -> Iterator[tuple[str, Entry[Any]]]:
    """Iterate over the members that have a picture, with the plural of their catalogue."""
    for plural in PICTURED:
        for entry in REGISTRIES[plural]:
            yield plural, entry


def path_of(plural: str, entry: Entry[Any]) -> Path:
    """Return the path of the picture of a member."""
    return REFERENCE / plural / f"{entry.name}.svg"


def key_of(plural: str, entry: Entry[Any]) -> str:
    """Return the name under which `pictures.json` has a member."""
    return f"{plural}/{entry.name}"


def study_hash(entry: Entry[Any]) -> str:
    """Return the hash of the study that a picture shows."""
    return hashlib.sha256((illustration(entry) or "").encode()).hexdigest()[:16]


def records() -> dict[str, dict[str, Any]]:
    """Read what is known of the pictures."""
    if not RECORDS.exists():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(RECORDS.read_text(encoding="utf-8"))
    return found


def stale() -> list[str]:
    """Return the members whose picture is missing, or shows another study than their page."""
    known = records()
    found = []
    for plural, entry in subjects():
        record = known.get(key_of(plural, entry), {})
        missing = record.get("picture", True) and not path_of(plural, entry).exists()
        if missing or record.get("study") != study_hash(entry):
            found.append(key_of(plural, entry))
    return found


def picture(results: Any, plural: str) -> tuple[str | None, dict[str, Any]]:
    """Draw what the results of an example show: the SVG, and what is recorded of it.

    An analysis is shown by the figures and tables that the report would lack without it, a metric
    by the figure of its estimates. None where there are tables only.
    """
    from evallang.reporting.report import alternative_text

    blocks = _blocks(results)
    if plural == "analyses":
        others = {block.id for block in _blocks(replace(results, analyses=()))}
        shown = [block for block in blocks if block.id not in others]
    else:
        shown = [block for block in blocks if block.kind == "figure"][:1]
    figures = [block for block in shown if block.kind == "figure"]
    tables = [_table(results, block) for block in shown if block.kind == "table"]
    record: dict[str, Any] = {"picture": bool(figures), "alt": "", "tables": tables}
    if not figures:
        return None, record
    alt = " ".join(alternative_text(figure) for figure in figures).replace("\u00a0", " ")
    panels = [panel.drawing for figure in figures for panel in figure.panels]
    return on_paper(panels, alt), record | {"alt": alt}


def _blocks(results: Any) -> list[Any]:
    from evallang.reporting.context import Context
    from evallang.reporting.section import build

    sections = build(Context(results)).sections
    return [b for section in sections for b in section.blocks if b.kind in ("figure", "table")]


def _table(results: Any, table: Any) -> str:
    from evallang.reporting.formats.markdown import MarkdownWriter, table_lines

    short = replace(table, rows=table.rows[:MOST_ROWS])
    lines = list(table_lines(short, MarkdownWriter({})))
    if len(table.rows) > MOST_ROWS:
        lines += ["", f"The first {MOST_ROWS} of {len(table.rows)} rows."]
    return "\n".join(lines)


PATH = re.compile(r'(?<= d=")[^"]*')
DECIMALS = re.compile(r"-?\d+\.\d\d")
"""Places with two decimals in the paths of a drawing, of which one is enough on a screen."""
TEXT = re.compile(r'<text x="[^"]*" y="[^"]*" style="(?P<style>[^"]*)">(?P<text>[^<]*)</text>')


def on_paper(panels: Sequence[Any], alt: str) -> str:
    """Put drawings on white paper, each text as long as in the font that it was measured in.

    Code hosts show pictures without their fonts, on white or black pages.
    """
    from html import unescape

    from evallang.reporting import fonts
    from evallang.reporting.figures.figure import POINTS_PER_MM
    from evallang.reporting.report import WIDTHS, arrange, svg_file

    width = WIDTHS["nature"]["double" if len(panels) > 1 else "single"]
    sheet = arrange(panels, width * POINTS_PER_MM)
    svg = svg_file(sheet, alt, "")

    def shortened(match: re.Match[str]) -> str:
        return f"{float(match[0]):.1f}".removesuffix(".0")

    def measured(match: re.Match[str]) -> str:
        style = match["style"]
        size = re.search(r"font-size:([\d.]+)px", style)
        text = unescape(match["text"])
        if size is None or len(text) < 2:
            return match[0]
        long = fonts.width(text, float(size[1]), bold="font-weight:600" in style)
        return match[0].replace(
            " style=", f' textLength="{long:.1f}" lengthAdjust="spacingAndGlyphs" style=', 1
        )

    wide, high = sheet.width + 2 * MARGIN, sheet.height + 2 * MARGIN
    head = f'viewBox="{-MARGIN:g} {-MARGIN:g} {wide:.2f} {high:.2f}"'
    svg = re.sub(r'width="[^"]*mm" height="[^"]*mm" viewBox="[^"]*"', f'width="{wide:.2f}pt" '
                 f'height="{high:.2f}pt" {head}', svg, count=1)  # fmt: skip
    paper = f'<rect x="{-MARGIN:g}" y="{-MARGIN:g}" width="{wide:.2f}" height="{high:.2f}" '
    svg = svg.replace("<style></style>", f'{paper}style="fill:#fff"/>', 1)
    svg = PATH.sub(lambda path: DECIMALS.sub(shortened, path[0]), svg)
    return TEXT.sub(measured, svg)


def draw(names: Mapping[str, Entry[Any]]) -> None:
    """Run the examples of members, and write their pictures and records."""
    from evallang.api.running import run

    known = records()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(ROOT / "examples" / "data", folder / "data")
        for name, entry in names.items():
            plural = name.partition("/")[0]
            study = folder / "study.eval"
            study.write_text(illustration(entry) or "", encoding="utf-8")
            results = run(study).record
            svg, record = picture(results, plural)
            path = path_of(plural, entry)
            path.parent.mkdir(parents=True, exist_ok=True)
            if svg is not None:
                path.write_text(svg, encoding="utf-8")
            known[name] = {"study": study_hash(entry), **record}
            print(f"drew {name}")
    kept = {key_of(*subject) for subject in subjects()}
    text = json.dumps({n: known[n] for n in sorted(known) if n in kept}, indent=1,
                      ensure_ascii=False)  # fmt: skip
    RECORDS.write_text(text + "\n", encoding="utf-8")
    for path in [p for plural in PICTURED for p in (REFERENCE / plural).glob("*.svg")]:
        name = f"{path.parent.name}/{path.stem}"
        if not known.get(name, {}).get("picture"):
            path.unlink()


def main() -> int:
    """Draw the pictures that are named, all, or those that are out of date."""
    every = {key_of(*subject): subject[1] for subject in subjects()}
    given = sys.argv[1:]
    if given == ["--all"]:
        names = list(every)
    elif given:
        names = [name for name in every if name in given or name.partition("/")[2] in given]
    else:
        names = stale()
    draw({name: every[name] for name in names})
    return 0


if __name__ == "__main__":
    sys.exit(main())
