"""The package as it is shipped."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from studies import TWO_MODELS

from evallang.version import VERSION

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


def test_every_table_of_data_is_shipped():
    shipped = PROJECT["tool"]["setuptools"]["package-data"]
    for path in (ROOT / "evallang").rglob("*.*"):
        if path.suffix in (".toml", ".bib", ".json"):
            package = ".".join(path.parent.relative_to(ROOT).parts)
            assert any(path.match(pattern) for pattern in shipped.get(package, ())), path


def test_every_file_that_states_the_version_states_this_one():
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = msgspec.yaml.decode((ROOT / "CITATION.cff").read_bytes())
    extension = json.loads((ROOT / "editors/vscode/package.json").read_bytes())
    assert re.search(r"^## (\S+)", log, re.M)[1] == VERSION
    assert cited["version"] == extension["version"] == VERSION
    assert str(cited["date-released"])[:7] == re.search(r"^## \S+ \((.+)\)", log, re.M)[1]


def test_the_installed_metadata_are_those_of_this_version():
    found = metadata.metadata("evallang")
    assert found["Version"] == VERSION
    assert found["Requires-Python"] == PROJECT["project"]["requires-python"]
    groups = set(PROJECT["project"]["optional-dependencies"])
    assert set(found.get_all("Provides-Extra")) == groups
    (script,) = metadata.entry_points(group="console_scripts", name="evallang")
    assert callable(script.load())
    for line in found.get_all("Classifier"):
        assert line in PROJECT["project"]["classifiers"]


@pytest.mark.slow
def test_the_wheel_formats_and_runs_from_an_empty_folder(tmp_path):
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
        "evallang/templates/report.html.j2",
        "evallang/models/catalogue.json",
        "evallang/results/results.schema.json",
        "evallang/examples/screening.eval",
        "evallang/examples/data/visits.csv",
        "evallang/py.typed",
        "evallang/tested.toml",
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
    where = "import evallang, sys; sys.exit(not evallang.__file__.startswith(sys.argv[1]))"
    for command in (
        ["-c", where, site],
        ["-m", "evallang", "fmt", "--check", "study.eval"],
        ["-m", "evallang", "demo"],
    ):
        done = subprocess.run([python, *command], cwd=empty, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (empty / "evallang-demo" / "screening-results" / "report.html").exists()


def make_in(folder: Path, target: str, **commands: str) -> subprocess.CompletedProcess[str]:
    """Run make in an empty folder, on a machine where `commands` are these shell scripts."""
    bin_folder = folder / "commands"
    bin_folder.mkdir()
    for name, script in commands.items():
        (bin_folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{script}\n")
        (bin_folder / name.replace("_", "-")).chmod(0o755)
    for name in ("sh", "grep", "uname"):
        (bin_folder / name).symlink_to(shutil.which(name))
    make = shutil.which("make")
    return subprocess.run(
        [make, "-f", ROOT / "Makefile", target, f"VENV={folder / 'made'}"],
        cwd=folder,
        env={"PATH": str(bin_folder)},
        capture_output=True,
        text=True,
    )


NO_PANGO, ROOT_USER, PLAIN_USER = "exit 0", "echo 0", "echo 1000"
needs_make = pytest.mark.skipif(
    shutil.which("make") is None and "CI" not in os.environ, reason="no make on this machine"
)


@needs_make
def test_make_goes_on_without_pdf_when_packages_cannot_be_installed(tmp_path):
    done = make_in(tmp_path, "system", ldconfig=NO_PANGO, id=ROOT_USER, apt_get="exit 100")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("for PDF reports: apt-get install libpango-1.0-0 ")
    assert done.stdout.count("\n") == 1


@needs_make
def test_make_says_in_one_line_that_debians_venv_package_is_missing(tmp_path):
    done = make_in(tmp_path, str(tmp_path / "made/bin/pip"), python3="exit 1", id=PLAIN_USER)
    assert done.returncode != 0
    assert done.stdout == "python3 cannot make an environment: apt-get install python3-venv\n"


@needs_make
def test_make_installs_debians_venv_package_as_root(tmp_path):
    installed = tmp_path / "installed"
    done = make_in(
        tmp_path,
        str(tmp_path / "made/bin/pip"),
        python3=f'[ -e {installed} ] || [ "$1" = -m ]',
        id=ROOT_USER,
        apt_get=f'case "$*" in *python3-venv*) : > {installed};; esac',
    )
    assert done.returncode == 0, done.stderr
    assert installed.exists()
    assert done.stdout == f"python3 -m venv --clear {tmp_path / 'made'}\n"
