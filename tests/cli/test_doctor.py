"""`evallang doctor`: what is installed, what is missing, and how to get it."""

import ctypes
import json
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from calling import call
from lowest import PROJECT
from many_cases import for_each
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from evallang.installation import DEBIAN, EXTRAS, INSTALL_PDF, install_extras
from evallang.models.packages import PACKAGES

PYPROJECT = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
GROUPS = PYPROJECT["optional-dependencies"]
TESTED = tomllib.loads((PROJECT.parent / "evallang" / "tested.toml").read_text(encoding="utf-8"))


@pytest.fixture
def pretend(monkeypatch):
    """Pretend that packages have other versions, or with None that they are missing."""

    def change(**versions):
        known = metadata.version

        def version(name):
            if name not in versions:
                return known(name)
            if versions[name] is None:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(metadata, "version", version)

    return change


def doctor(*words):
    done = call("doctor", *words)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_each_extra_for_users_has_a_purpose_and_all_has_each_of_them():
    developers = {"test", "coverage", "lint", "peers", "unit", "look", "node", "site"}
    assert set(GROUPS) - developers == {*EXTRAS, "all"}
    included = set()
    for text in GROUPS["all"]:
        included |= Requirement(text).extras
    assert included == set(EXTRAS)


def test_what_all_tests_use_has_a_newest_tested_version_above_the_lowest():
    used = set().union(*(Requirement(text).extras for text in GROUPS["unit"]))
    lists = [PYPROJECT["dependencies"], *(GROUPS[name] for name in EXTRAS if name in used)]
    for one in (Requirement(text) for listed in lists for text in listed):
        lowest = next(s.version for s in one.specifier if s.operator == ">=")
        assert Version(TESTED[canonicalize_name(one.name)]) >= Version(lowest), one


def test_a_whole_installation_is_ready_and_fits_in_80_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("EVALLANG_STORE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process started"))
    code, printed = doctor()
    assert code == 0
    assert max(map(len, printed.splitlines())) <= 80
    assert "store of fits           ~/.cache/evallang/store\n" in printed
    assert str(tmp_path) not in printed
    for name in EXTRAS:
        assert f"\n{name} " in printed
    assert not list(tmp_path.iterdir())


def test_a_missing_extra_is_named_with_its_command_and_a_study_can_run(pretend):
    pretend(fastexcel=None)
    code, printed = doctor()
    assert code == 0
    assert "data in Excel workbooks                   fastexcel missing\n" in printed
    code, printed = doctor("--format", "json")
    found = json.loads(printed)
    assert (found["schema"], found["ready"]) == ("evallang/doctor/1", True)
    (excel,) = (extra for extra in found["extras"] if extra["name"] == "excel")
    assert excel == {
        "name": "excel",
        "purpose": EXTRAS["excel"],
        "installed": False,
        "install": install_extras("excel"),
    }


@for_each("version", [None, "1.0"])
def test_a_dependency_of_every_study_that_is_missing_or_too_old_gives_1(version, pretend):
    pretend(numpy=version)
    code, printed = doctor()
    assert code == 1
    assert "  pip install evallang\n" in printed
    assert version is None or "numpy 1.0 is not supported: the lowest version is 2.0" in printed


def test_a_version_newer_than_the_tests_is_noted(pretend):
    pretend(numpy="99.1")
    code, printed = doctor()
    assert code == 0
    assert f"numpy 99.1 is newer than what the tests ran with: {TESTED['numpy']}\n" in printed


def test_two_packages_that_overwrite_each_other_are_noted(pretend):
    (names,) = (p.distributions for p in PACKAGES.values() if len(p.distributions) > 1)
    pretend(**dict.fromkeys(names, TESTED["xgboost-cpu"]))
    printed = doctor()[1]
    assert f"{' and '.join(names)} overwrite each other" in printed
    assert "not among the packages" not in printed


def test_libraries_of_the_pdf_that_are_missing_have_the_command_of_the_message(monkeypatch):
    def refuse(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    code, printed = doctor()
    assert code == 0
    (command,) = (line for line in printed.splitlines() if "libpango" in line or "brew" in line)
    assert command.strip() in INSTALL_PDF


def test_make_installs_the_libraries_that_the_messages_name():
    text = (PROJECT.parent / "Makefile").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("PANGO := "))
    assert f"apt-get install {line.removeprefix('PANGO := ')}" == DEBIAN
    assert f"`{DEBIAN}`" in (PROJECT.parent / "README.md").read_text(encoding="utf-8")


def test_a_store_that_cannot_be_used_is_reported(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    tmp_path.chmod(0o700)
    code, printed = doctor("--store", str(tmp_path))
    assert code == 0
    assert "contains files and is not a store of evallang" in printed
    assert "store of fits           off\n" in doctor("--store", "off")[1]


def test_without_metadata_the_command_says_that_pip_does_not_know_evallang(monkeypatch):
    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", unknown)
    done = call("doctor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "was not installed by pip" in done.stderr


def test_no_module_repeats_the_command_that_installs_an_extra():
    package = PROJECT.parent / "evallang"
    for path in package.rglob("*.py"):
        if path.name != "installation.py":
            code = "\n".join(
                line
                for line in path.read_text(encoding="utf-8").splitlines()
                if not line.lstrip().startswith(("Needs `", "#"))
            )
            assert "pip install 'evallang[" not in code, path


def test_the_texts_that_name_an_extra_name_one_that_exists():
    for path in (
        *Path(PROJECT.parent, "evallang").rglob("*.toml"),
        *Path(PROJECT.parent, "docs").glob("*.md"),
        *Path(PROJECT.parent, "docs", "guide").glob("*.md"),
        PROJECT.parent / "README.md",
    ):
        for part in path.read_text(encoding="utf-8").split("evallang[")[1:]:
            names = part.partition("]")[0].split(",")
            assert set(names) <= set(GROUPS), path
