"""Every bundled study runs as a user would run it, and its report says what it found."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from evallang.results import schema

# What a dependency deprecates is mended before a user can see it; `make test-lowest`, where old
# versions meet new ones, sets PYTHONWARNINGS itself.
KINDS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
WARNINGS = {"PYTHONWARNINGS": ",".join(f"error::{kind}" for kind in KINDS)}
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.eval")), ids=lambda path: path.stem)
def test_an_example_runs_from_the_shell(path, tmp_path):
    shutil.copy(path, tmp_path)
    for module in EXAMPLES.glob("*.py"):  # the author's own code, which one of them uses
        shutil.copy(module, tmp_path)
    shutil.copytree(EXAMPLES / "data", tmp_path / "data")
    done = subprocess.run(
        [sys.executable, "-m", "evallang", "run", path.name, "-j", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**WARNINGS, **os.environ, "EVALLANG_TRUST": "1"},
    )
    assert done.returncode == 0, done.stderr
    folder = tmp_path / f"{path.stem}-results"
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, schema.schema())
    assert results["estimates"]
    assert results["failures"] == []
    for comparison in results["comparisons"]:
        assert comparison["omnibus"] or comparison["pairwise"]
    html = (folder / "report.html").read_text(encoding="utf-8")
    for model in results["models"]:
        assert model["label"] in html
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.eval")), ids=lambda path: path.stem)
def test_an_example_says_first_what_it_shows(path):
    assert path.read_text(encoding="utf-8").startswith("# ")
