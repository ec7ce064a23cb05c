"""A report of six pages from saved results, beside matplotlib and WeasyPrint.

Ours is `evallang report` from the shell to its end: page for the screen, PDF, and the files of the
figures. The peer gets the page of the PDF ready made, draws as many figures with matplotlib, each
with one interval for each model, and has WeasyPrint set it.

    python -m benchmarks.report_pages
"""

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks._processes import in_turn, ours
from benchmarks._rows import Kind, Row, peers, report
from benchmarks._whole_commands import OFF

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STUDY, PAGES = "readmission.eval", 6
RATIO = 0.7  # times the peer, which computes no words and no tables

PEER = """
import base64
import io
import re
from pathlib import Path

import matplotlib
matplotlib.use("svg")
from matplotlib import pyplot
from weasyprint import HTML

def drawn(_):
    figure, axes = pyplot.subplots(figsize=(3.2, 1.6))
    axes.errorbar([0.6, 0.7, 0.8], [1, 2, 3], xerr=[0.05, 0.04, 0.03], fmt="o")
    axes.set_yticks([1, 2, 3], ["one", "two", "three"])
    axes.set_xlabel("score")
    file = io.BytesIO()
    figure.savefig(file, format="svg", bbox_inches="tight")
    pyplot.close(figure)
    return "data:image/svg+xml;base64," + base64.b64encode(file.getvalue()).decode()

page = Path("page.html").read_text(encoding="utf-8")
page = re.sub(r"data:image/svg\\+xml;base64,[^\\"]*", drawn, page)
Path("peer.html").write_text(page, encoding="utf-8")
HTML(string=page).write_pdf("peer.pdf", pdf_variant="pdf/ua-1")
"""


def ready_page(results: Path) -> str:
    """Return the page from which the PDF is made, with its fonts."""
    from evallang.api import Results
    from evallang.reporting.context import Context
    from evallang.reporting.html import render
    from evallang.reporting.section import build

    return render(build(Context(Results.load(results).record)), "print").html


def pages(path: Path) -> int:
    import pikepdf

    with pikepdf.open(path) as document:
        return len(document.pages)


def main() -> None:
    peers("matplotlib", "pikepdf")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        in_turn({"run": ours("run", STUDY, "--quiet", "--out", "results")}, folder, 1, **OFF)
        written = pages(folder / "results" / "report.pdf")
        if written != PAGES:
            raise SystemExit(f"the report has {written} pages")
        (folder / "page.html").write_text(ready_page(folder / "results"), encoding="utf-8")
        found = in_turn(
            {"ours": ours("report", "results"), "peer": [sys.executable, "-c", PEER]}, folder, 5
        )
    mine, theirs = found["ours"], found["peer"]
    work = f"report of {PAGES} pages from results.json: HTML, PDF, figures"
    peer = "matplotlib + WeasyPrint"
    report(
        Row(
            work,
            mine.seconds,
            peer=peer,
            theirs=theirs.seconds,
            kind=Kind.RATIO,
            limit=RATIO,
        )
    )


if __name__ == "__main__":
    main()
