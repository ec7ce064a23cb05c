"""`.pre-commit-hooks.yaml`: its fields, and what each hook does to staged files."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from calling import call
from studies import TWO_MODELS

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}


@pytest.fixture
def staged(tmp_path):
    """Write two studies with locks."""
    names = ["one.eval", "two.eval"]
    for name in names:
        (tmp_path / name).write_text(TWO_MODELS)
    assert call("fmt", *names, folder=tmp_path).returncode == 0
    assert call("lock", *names, folder=tmp_path).returncode == 0
    return tmp_path


def hooked(name, folder):
    """Call a hook as pre-commit does, with the files that match its pattern at the end."""
    program, *words = shlex.split(HOOKS[name]["entry"])
    assert program == "evallang"
    files = [f.name for f in folder.iterdir() if re.search(HOOKS[name]["files"], f.name)]
    assert sorted(files) == ["one.eval", "two.eval"]
    return call(*words, *sorted(files), folder=folder)


def change(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def test_every_hook_has_the_fields_that_are_required():
    assert set(HOOKS) == {"evallang-check", "evallang-fmt", "evallang-lock"}
    for hook in HOOKS.values():
        assert {"id", "name", "entry", "language", "files"} <= set(hook)
        assert hook["language"] == "python"  # installs this package, whose script is the entry


@pytest.mark.parametrize("name", HOOKS)
def test_sound_files_pass_unchanged(name, staged):
    before = {f.name: f.read_bytes() for f in staged.iterdir()}
    assert hooked(name, staged).returncode == 0
    assert {f.name: f.read_bytes() for f in staged.iterdir()} == before


@pytest.mark.parametrize("file", ["one.eval", "two.eval"])
def test_a_faulty_study_is_refused(file, staged):
    change(staged / file, "accuracy", "acuracy")
    done = hooked("evallang-check", staged)
    assert done.returncode == 1
    assert f"--> {file}:" in done.stderr


def test_an_untidy_study_is_formatted(staged):
    tidy = (staged / "two.eval").read_text()
    change(staged / "two.eval", "  seed 1", "     seed 1  ")
    hooked("evallang-fmt", staged)
    assert (staged / "two.eval").read_text() == tidy


@pytest.mark.parametrize("file", ["one.eval", "two.eval"])
def test_a_study_that_left_its_lock_is_refused(file, staged):
    change(staged / file, "seed 1", "seed 2")
    done = hooked("evallang-lock", staged)
    assert done.returncode == 5
    assert f"{file}:" in done.stdout and "seed: 1 -> 2" in done.stdout


def test_a_study_without_a_lock_is_refused_and_the_others_are_compared(staged):
    (staged / "one.lock").unlink()
    change(staged / "two.eval", "seed 1", "seed 2")
    done = hooked("evallang-lock", staged)
    assert done.returncode == 2
    assert "there is no `one.lock`" in done.stderr
    assert "seed: 1 -> 2" in done.stdout
