"""Every bundled study runs as a user would run it, and its report says what it found."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import jsonschema
import pytest
from calling import call
from many_cases import for_each
from report_truth import misoriented, untruths

import evallang as ev
from evallang.reporting.report import write_report
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


@pytest.mark.usefixtures("no_layout")  # the pages of each kind of report are laid out in tests/look
@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
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
    html = (folder / "report.html").read_text(encoding="utf-8")
    for model in results["models"]:
        assert model["label"] in html
    assert not any(found := untruths(html, results).values()), found
    assert misoriented([html, *other_forms(folder)], results) == []
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF-")


@for_each("path", STUDIES, ids=lambda path: path.stem)
def test_an_example_says_first_what_it_shows(path):
    assert path.read_text(encoding="utf-8").startswith("# ")
