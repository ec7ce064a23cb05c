"""Every bundled study runs as a user would run it, and its report says what it found."""

import io
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import jsonschema
import pikepdf
import pytest
from calling import call
from many_cases import for_each
from msgspec.structs import replace
from report_truth import misoriented, untruths

import evallang as ev
from evallang.reporting import html, pdf
from evallang.reporting.context import Context
from evallang.reporting.report import write_report
from evallang.reporting.section import build
from evallang.results import schema

# What a dependency deprecates is mended before a user can see it; `make test-lowest`, where old
# versions meet new ones, sets PYTHONWARNINGS itself.
KINDS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
WARNINGS = {"PYTHONWARNINGS": ",".join(f"error::{kind.__name__}" for kind in KINDS)}
SCHEMA = jsonschema.Draft202012Validator(schema.schema())
EXAMPLES = Path(__file__).parents[1] / "examples"
STUDIES = sorted(EXAMPLES.glob("*.eval"))
FROM_THE_SHELL = [path for path in STUDIES if "\nuse " in path.read_text(encoding="utf-8")]
"""Those that import code of the author, into a process of their own."""


def runs_in_this_process(folder, name):
    with warnings.catch_warnings():
        if "PYTHONWARNINGS" not in os.environ:
            for kind in KINDS:
                warnings.simplefilter("error", kind)
        return call("run", name, "-j", "1", folder=folder)


def runs_from_the_shell(folder, name):
    for module in EXAMPLES.glob("*.py"):
        shutil.copy(module, folder)
    return subprocess.run(
        [sys.executable, "-m", "evallang", "run", name, "-j", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**WARNINGS, **os.environ, "EVALLANG_TRUST": "1"},
    )


def other_forms(folder):
    """Return the LaTeX and Markdown of a report, and what the terminal shows.

    Macros take the models in the order of a paper.
    """
    record = ev.Results.load(folder / "results.json").record
    paths, _ = write_report(record, folder / "forms", ["latex", "markdown"], figures=False)
    shown = call("show", folder.name, folder=folder.parent)
    texts = [
        path.read_text(encoding="utf-8")
        for path in paths
        if path.suffix in (".tex", ".md") and path.name != "macros.tex"
    ]
    return [*texts, shown.stdout]


MOST_PAGES = dict.fromkeys(
    ("screening", "holdout", "deploy", "reviews", "gate", "survey", "filters", "risk_curves",
     "training_size", "planning"), 4
)  # fmt: skip
"""The most pages of the main part of a report."""


def pages_of_main_part(record):
    """Count the pages of the main part of a report."""
    only = replace(record, report=replace(record.report, part="main"))
    page = html.render(build(Context(only)), "print").html
    with pikepdf.open(io.BytesIO(pdf.write(page, "0" * 10))) as document:
        return len(document.pages)


@pytest.mark.usefixtures("no_layout")  # the pages of each kind of report are laid out in tests/look
@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path, monkeypatch):
    shutil.copy(path, tmp_path)
    shutil.copytree(EXAMPLES / "data", tmp_path / "data")
    run = runs_from_the_shell if path in FROM_THE_SHELL else runs_in_this_process
    done = run(tmp_path, path.name)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / f"{path.stem}-results"
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    SCHEMA.validate(results)
    assert results["estimates"]
    assert results["failures"] == []
    for comparison in results["comparisons"]:
        assert comparison["omnibus"] or comparison["pairwise"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    for model in results["models"]:
        assert model["label"] in page
    assert not any(found := untruths(page, results).values()), found
    assert misoriented([page, *other_forms(folder)], results) == []
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF-")
    if path.stem in MOST_PAGES:
        monkeypatch.undo()
        record = ev.Results.load(folder / "results.json").record
        assert pages_of_main_part(record) <= MOST_PAGES[path.stem]


@for_each("path", STUDIES, ids=lambda path: path.stem)
def test_an_example_says_first_what_it_shows(path):
    assert path.read_text(encoding="utf-8").startswith("# ")
