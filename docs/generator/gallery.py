"""Run some examples, and write `docs/gallery.md` with the figures of their reports.

`python -m docs.generator.gallery` runs the examples that have changed, and those named. The
pictures are in `docs/gallery`; `gallery.json` has captions, numbers in words and hashes of studies.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from docs.generator.pictures import on_paper

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PICTURES = DOCS / "gallery"
PAGE = DOCS / "gallery.md"
RECORDS = Path(__file__).parent / "gallery.json"
COMMAND = "python -m docs.generator.gallery"
EXAMPLES = ("screening", "reviews", "sorting_machines", "risk_curves", "training_size", "gate")
HEAD = """# Gallery of figures

The figures in the reports of some [examples](../examples). A run writes each of its figures to
`figures/` of its results, as SVG and PDF, one and two columns wide, with its numbers in words.
"""


def study_hash(example: str) -> str:
    """Return the hash of the study of an example."""
    return hashlib.sha256((ROOT / "examples" / f"{example}.eval").read_bytes()).hexdigest()[:16]


def records() -> dict[str, Any]:
    """Read what is known of the examples."""
    if not RECORDS.exists():
        return {}
    found: dict[str, Any] = json.loads(RECORDS.read_text(encoding="utf-8"))
    return found


def stale() -> list[str]:
    """Return the examples whose figures are of another study."""
    known = records()
    return [name for name in EXAMPLES if known.get(name, {}).get("study") != study_hash(name)]


def page() -> str:
    """Return the page that shows all figures."""
    known = records()
    lines = [HEAD]
    for name in EXAMPLES:
        record = known[name]
        lines += [f"## {record['title']}", "", f"[examples/{name}.eval](../examples/{name}.eval)"]
        for figure, words in record["figures"].items():
            title = f"Figure {figure} of {record['title']}".replace("[", "\\[").replace("]", "\\]")
            lines += ["", f"![{title}](gallery/{name}-{figure}.svg)", "", words["caption"]]
            lines += ["", "<details><summary>The numbers in words</summary>", ""]
            lines += [words["alt"].replace("[", "\\[").replace("]", "\\]"), "", "</details>"]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def drawn(results: Any, example: str) -> dict[str, Any]:
    """Write the pictures of the figures of an example; return what is recorded of them."""
    from evallang.cli.summary_text import text_lines
    from evallang.reporting.context import Context
    from evallang.reporting.report import alternative_text, figure_name, figures_of, plain
    from evallang.reporting.section import build
    from evallang.reporting.summary import summary

    document = build(Context(results))
    PICTURES.mkdir(exist_ok=True)
    for path in PICTURES.glob(f"{example}-*.svg"):
        path.unlink()
    made = {}
    for figure in figures_of(document):
        alt = alternative_text(figure).replace("\u00a0", " ")
        name = figure_name(figure.id)
        svg = on_paper([panel.drawing for panel in figure.panels], alt)
        (PICTURES / f"{example}-{name}.svg").write_text(svg, encoding="utf-8")
        made[name] = {"caption": plain(figure.caption).replace("\u00a0", " "), "alt": alt}
    lines = [line.rstrip() for line in text_lines(summary(results))]
    end = next(i for i, line in enumerate(lines) if line.startswith("Table"))
    return {
        "title": document.title,
        "study": study_hash(example),
        "printed": [line.replace("\u00a0", " ") for line in lines[:end]],
        "figures": made,
    }


def main() -> int:
    """Draw the examples that are named, or those that are out of date, and write the page."""
    from evallang.api.running import run

    known = records()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "examples"
        shutil.copytree(ROOT / "examples", folder)
        for name in sys.argv[1:] or stale():
            known[name] = drawn(run(folder / f"{name}.eval", trust=True).record, name)
            print(f"drew {name}")
    kept = {name: known[name] for name in EXAMPLES}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    RECORDS.write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
