"""The package as it is shipped."""

import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from studies import TWO_MODELS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_list_of_packages_is_the_list_of_folders():
    stated = set(PROJECT["tool"]["setuptools"]["packages"])
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "evallang").rglob("__init__.py")
    }
    mapped = {"evallang.grammar", "evallang.templates", "evallang.examples"}
    assert stated == found | mapped
    for name in mapped:
        assert (ROOT / PROJECT["tool"]["setuptools"]["package-dir"][name] / "__init__.py").exists()


@pytest.mark.slow
def test_the_wheel_checks_and_formats_from_an_empty_folder(tmp_path):
    wheels, copy = tmp_path / "wheels", tmp_path / "copy"
    # from a copy: a `build` folder left in the checkout would bring deleted files back
    kept = shutil.ignore_patterns(".*", "build", "tests", "__pycache__", "*-results")
    shutil.copytree(ROOT, copy, ignore=kept)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", wheels, copy],
        check=True,
        capture_output=True,
    )
    (wheel,) = wheels.glob("evallang-*.whl")
    names = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", wheel], check=True, capture_output=True, text=True
    ).stdout
    for name in (
        "evallang/grammar/evallang.lark",
        "evallang/grammar/evallang.table",
        "evallang/templates/report.html.j2",
        "evallang/models/catalogue.json",
        "evallang/results/results.schema.json",
        "evallang/examples/screening.eval",
        "evallang/examples/data/visits.csv",
        "evallang/py.typed",
    ):
        assert name in names, name
    # its dependencies are those of this environment; only evallang itself is the wheel's
    venv.create(tmp_path / "venv", with_pip=False)
    site = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-e", wheel, site], check=True, capture_output=True
    )
    here = next(p for p in map(Path, sys.path) if (p / "lark").is_dir())
    (site / "dependencies.pth").write_text(f"{here}\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "study.eval").write_text(TWO_MODELS)
    python = tmp_path / "venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-c", "import evallang; print(evallang.__file__)"],
        cwd=empty,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(site) in done.stdout
    for command in (["fmt", "--check", "study.eval"], ["check", "study.eval"], ["demo"]):
        done = subprocess.run(
            [python, "-m", "evallang", *command], cwd=empty, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert (empty / "evallang-demo" / "screening-results" / "report.html").exists()
