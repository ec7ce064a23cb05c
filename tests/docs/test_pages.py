"""Every example of the documentation is executed, and every generated page is up to date."""

import contextlib
import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from blocks import blocks_of, commands_of, matches
from calling import call
from dulwich import porcelain
from dulwich.repo import Repo
from many_cases import for_each
from studies import checked, study
from yaml import safe_load

import evallang as ev
from docs.generator import markdown as md
from evallang.cli.main import COMMANDS, root
from evallang.diagnostics import Severity

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    pytest.param(path, id=str(path.relative_to(ROOT)))
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
]
WRITTEN = [p for p in PAGES if p.values[0].parent in (DOCS, DOCS / "guide")]
UNFINISHED = {
    "unknown_name",
    "statement_twice",
    "missing_statement",
    "missing_clause",
    "models_never_meet",
}
"""What lines taken out of a study may lack."""
SET_UP = {"make", "pip", "apt-get", "brew", "cd"}
"""Commands that fetch or install something, which no test may."""

SMALL = """\
evallang 1

study "A published table"
  seed 1

counts published
  models small, large
  table [[9945, 25], [15, 15]]

measure accuracy
compare small vs large with mcnemar
report html
"""
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)


def anchor_of(heading):
    """Give the anchor that code hosts make of a heading."""
    kept = [c for c in heading.lower() if c.isalnum() or c in " -_"]
    return "".join(kept).strip().replace(" ", "-")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as the pages assume it: the data of the examples, and what writes logs."""
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "data")
    shutil.copy(DOCS / "guide" / "write_logs.py", tmp_path)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "protocol.eval").write_text("protocol cv folds=5\nmeasure accuracy\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_generated_page_is_what_the_registries_say(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["docs.generator", "--check"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("docs.generator", run_name="__main__")
    assert ended.value.code == 0, "run `make docs` and commit docs/\n" + capsys.readouterr().out


@for_each("path", PAGES)
def test_every_link_inside_the_documentation_leads_somewhere(path):
    text = path.read_text(encoding="utf-8")
    for _, target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        place, _, anchor = target.partition("#")
        found = (path.parent / place).resolve() if place else path
        assert found.exists(), target
        if anchor and found.suffix == ".md":
            headings = HEADING.findall(found.read_text(encoding="utf-8"))
            assert anchor in {anchor_of(heading) for heading in headings}, target


@for_each("path", PAGES)
def test_every_study_of_a_page_is_sound(path):
    """Whole studies have no error, and fragments none but what the rest would declare."""
    files = {"lab/protocol.eval": "protocol cv folds=5\nmeasure accuracy\n"}
    for block in blocks_of(path.read_text(encoding="utf-8")):
        if block.language != "eval" or {"wrong", "right"} & set(block.words):
            continue  # those of diagnostics: tests/checking and tests/conformance run them
        text = block.text if "fragment" not in block.words else f"evallang 1\n{block.text}"
        if block.text.startswith("evallang "):
            text = block.text
        may = {"not_in_this_version"} | (UNFINISHED if "fragment" in block.words else set())
        names = {
            d.name for d in checked(text, files).diagnostics if d.severity is Severity.ERROR
        } - may
        assert not names, f"line {block.line}: {names}"


@pytest.mark.parametrize("path", WRITTEN)
def test_every_example_of_a_page_does_what_stands_below_it(path, folder):
    space = {}
    printed = ""
    last = 0
    for block in blocks_of(path.read_text(encoding="utf-8")):
        where = f"line {block.line} of {path.name}"
        for word in block.words:
            if word.startswith("file="):
                file = Path(word.removeprefix("file="))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")
        if block.language == "eval":
            if "run" in block.words:
                assert ev.run(study(block.text, folder)).record.estimates, where
        elif block.language == "console":
            for command, expected in commands_of(block.text):
                if command.split()[0] not in SET_UP:
                    last, printed = shell(command, last)
                    assert matches(expected, printed), f"{where}, {command}:\n{printed}"
        elif block.language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, where, "exec"), space)
            printed = out.getvalue()
        elif block.language == "text" and "printed" in block.words:
            assert matches(block.text, printed), f"{where}:\n{printed}"
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "yaml":
            check_steps(safe_load(block.text))


def test_the_studies_of_the_readme_run(folder):
    subprocess.run([sys.executable, "write_logs.py"], check=True)
    found = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    texts = [block.text for block in found if block.words == ("run",)]
    assert len(texts) == 3
    for text in texts:
        here = study(text, folder)
        assert here.diagnostics == (), text
        assert ev.run(here).record.estimates, text


def check_steps(workflow):
    """Check that each use of the action gives inputs that it declares, and those that it needs."""
    inputs = safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    required = {name for name, known in inputs.items() if known.get("required")}
    jobs = workflow.get("jobs", {}).values()
    for step in (step for job in jobs for step in job["steps"]):
        if "/evallang@" in step.get("uses", ""):
            assert required <= set(step["with"]) <= set(inputs)
            assert all(isinstance(value, str) for value in step["with"].values())


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("demo", "watch")])
def test_the_example_of_a_command_runs(name, folder):
    """`demo` runs in tests/test_packaging.py, `watch` in tests/cli/test_watch.py."""
    (folder / "study.eval").write_text(SMALL, encoding="utf-8")
    command = root.get_command(click.Context(root), name)
    if name == "new":
        rows = "".join(f"{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(60))
        (folder / "visits.csv").write_text(f"age,outcome\n{rows}", encoding="utf-8")
    if name in ("report", "show", "verify"):
        assert shell("evallang run study.eval -j 1", 0)[0] == 0
    if name == "diff":
        for said in ("git init", "git add study.eval", "git commit -m one", "git commit -m two"):
            shell(said, 0)
    code, printed = shell(command.epilog.removeprefix("Example: "), 0)
    assert code in (0, 1 if name == "fmt" else 0), printed


def with_dulwich(words):
    """Do what a page does with git, without starting it."""
    if words[0] == "init":
        branch = {"default_branch": words[2].encode()} if words[1:2] == ["-b"] else {}
        Repo.init(".", **branch).close()
        return
    with contextlib.closing(Repo(".")) as repository:
        if words[0] == "add":
            repository.get_worktree().stage(words[1:])
        elif words[0] == "config":
            *section, name = words[1].encode().split(b".")
            config = repository.get_config()
            config.set(tuple(section), name, words[2].encode())
            config.write_to_path()
        elif words[0] == "switch":
            if words[1] == "-c":
                porcelain.branch_create(repository, words[2])
            porcelain.checkout(repository, words[-1])
        else:
            assert words[:2] == ["commit", "-m"], words
            made = {"message": words[2].encode(), "author": b"A <a@example.org>"}
            repository.get_worktree().commit(**made, committer=made["author"])


def shell(command, last):
    """Run one command as a reader would; gives its exit code and what it printed."""
    if command == "echo $?":
        return last, f"{last}\n"
    words = shlex.split(command)
    if words[0] == "echo" and words[2] == ">>":
        with Path(words[3]).open("a", encoding="utf-8") as file:
            file.write(f"{words[1]}\n")
        return 0, ""
    if words[0] == "git":
        with_dulwich(words[1:])
        return 0, ""
    assert words[0] in ("evallang", "cat", "python"), f"a page may not run `{words[0]}`"
    if words[0] == "evallang":
        done = call(*words[1:], together=True)
        return done.returncode, done.stdout
    if words[0] == "python":
        words[0] = sys.executable
    done = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout


def test_a_name_of_code_begins_as_it_is_written():
    assert md.capitalised("cross_val_score averages") == "cross_val_score averages"
    assert md.capitalised("diff.resamples is") == "diff.resamples is"
    assert md.capitalised("bootstrap() takes") == "bootstrap() takes"
    assert md.capitalised("eq. 37 prints") == "Eq. 37 prints"
    assert md.capitalised("it ranks") == "It ranks"
