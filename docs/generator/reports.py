"""Run some examples, and take pictures of their reports for the site.

`python -m docs.generator.reports` writes into `build/reports`, which `docs/conf.py` puts into the
site. A page shows the report of an example where it has the comment `<!-- report: NAME -->`.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from docs.generator.browser import chromium

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reports.md"
MARK = re.compile(r"<!-- report: (\w+) -->")
MADE = ROOT / "build" / "reports"  # what the root of the site has too
FOLDER = MADE / "reports"
WIDE, HIGH = 1280, 960  # of a screen
A4 = (833, 1179)
PAGES, SCALE = 2, 1.4  # of a PDF that are shown, and pixels for a point


def pictures(example: str) -> str:
    """Return what a page at the root shows of the report of an example, as far as it was made."""
    shown = [
        f'<a href="{path}/{target}"><img src="{path}/{name}" alt="{words} of the report" '
        f'width="{wide}" height="{high}" loading="lazy"></a>'
        for path in [f"reports/{example}"]
        for name, target, words, (wide, high) in [
            ("screen.png", "report.html", "HTML: the first screen", (WIDE, HIGH)),
            *((f"page-{i}.png", "report.pdf", f"PDF: page {i}", A4) for i in range(1, PAGES + 1)),
        ]
        if (MADE / path / name).exists()
    ]
    return "\n".join(['<div class="report">', *shown, "</div>"])


def main() -> int:
    """Run the examples that the page names, and write their reports and pictures."""
    from evallang.api.running import run

    names = MARK.findall(PAGE.read_text(encoding="utf-8"))
    shutil.rmtree(MADE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        examples = Path(made) / "examples"
        shutil.copytree(ROOT / "examples", examples)
        for name in names:
            folder = examples / name
            results = run(examples / f"{name}.eval", trust=True)
            for message in results.render("html", "pdf", folder=folder):
                print(f"{name}: {message}")
            (FOLDER / name).mkdir(parents=True)
            for file in folder.glob("report.*"):
                shutil.copy(file, FOLDER / name)
    _print_pages(names)
    _take_screens(names)
    return 0


def _print_pages(names: Sequence[str]) -> None:
    import pypdfium2

    for name in names:
        file = FOLDER / name / "report.pdf"
        if not file.exists():
            continue
        with pypdfium2.PdfDocument(file) as document:
            for i in range(min(PAGES, len(document))):
                image = document[i].render(scale=SCALE).to_pil()
                image.quantize(64).save(FOLDER / name / f"page-{i + 1}.png", optimize=True)


def _take_screens(names: Sequence[str]) -> None:
    with chromium() as browser:
        if browser is None:
            print("without Chromium the site has no pictures of screens: apt-get install chromium")
            return
        page = browser.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
        for name in names:
            page.goto((FOLDER / name / "report.html").as_uri())
            page.screenshot(path=FOLDER / name / "screen.png")


if __name__ == "__main__":
    sys.exit(main())
