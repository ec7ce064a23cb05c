"""`action.yml`: its script, run as GitHub runs it, in a folder and a home of its own."""

import contextlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import scipy.stats
import yaml
from calling import call
from dulwich.repo import Repo

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
GATE = """\
evallang 1

study "May the candidate replace production?"
  seed 1

predictions nightly from "nightly.csv"
  id id
  truth truth
  models production, candidate
  positive yes

measure accuracy

require candidate not worse than production by 10%
require accuracy of candidate >= {least}%

report csv
"""
FAILING_LINE = 1 + GATE.split("\n").index("require accuracy of candidate >= {least}%")


def step(name):
    (found,) = (step for step in STEPS if step.get("id", step.get("name")) == name)
    return found


PROMPT_GATE = """\
evallang 1

study "May the new prompt replace the old one?"
  seed 1

predictions bench from lm_eval "evals/base", "evals/change"
  metric acc
  models base in "evals/base", change in "evals/change"
  group doc.passage
  unit "questions"

measure accuracy averaged over data

require change not worse than base by 2% averaged over data

report csv
"""


@pytest.fixture
def repository(tmp_path):
    """Write a repository with a gate that passes, one that fails, and their predictions."""
    folder = tmp_path / "repository"
    (folder / "gates").mkdir(parents=True)
    rows = [
        f"{i},{t},{t},{t if i % 20 else 'no'}"
        for i in range(200)
        for t in ["yes", "no"][i % 2 :][:1]
    ]
    text = "id,truth,production,candidate\n" + "\n".join(rows) + "\n"
    (folder / "gates" / "nightly.csv").write_text(text)
    (folder / "gates" / "passing.eval").write_text(GATE.format(least=80))
    (folder / "gates" / "failing.eval").write_text(GATE.format(least=99))
    return folder


def evaluated(repository, **inputs):
    """Run the step as GitHub does: nothing but its own variables, and the declared inputs."""
    given = {name: str(known.get("default", "")) for name, known in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    home = repository.parent / "home"
    home.mkdir(exist_ok=True)
    paths = [str(Path(sys.executable).parent), *os.defpath.split(os.pathsep)]
    environment = {
        "PATH": os.pathsep.join(paths),
        "HOME": str(home),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(repository.parent / "summary.md"),
        "GITHUB_OUTPUT": str(repository.parent / "output"),
    }
    for name, value in step("evaluate")["env"].items():
        environment[name] = EXPRESSION.sub(lambda m: given[m[1].removeprefix("inputs.")], value)
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("evaluate")["run"]]
    return subprocess.run(shell, cwd=repository, env=environment, capture_output=True, text=True)


def written(repository):
    """Return what the step wrote: its outputs, and the summary."""
    lines = (repository.parent / "output").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines), (
        repository.parent / "summary.md"
    ).read_text()


def test_a_passing_and_a_failing_gate(repository):
    assert call("lock", "gates/passing.eval", folder=repository).returncode == 0
    done = evaluated(repository, studies="gates/*.eval", jobs="1")
    assert done.returncode == 4, done.stdout + done.stderr
    outputs, summary = written(repository)
    assert outputs == {"results": "evallang-results", "exit-code": "4"}
    for name in ("passing", "failing"):
        assert (repository / outputs["results"] / f"gates-{name}" / "tables").is_dir()
        looks = (repository / outputs["results"] / f"gates-{name}.looks.jsonl").read_text()
        assert looks == (repository / "gates" / f"{name}.looks.jsonl").read_text()
        assert f"## gates/{name}.eval" in summary
    assert html.unescape(summary).count("**FAIL** | accuracy of candidate >= 99%") == 1
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert len(annotations) == 1
    assert f"file=gates/failing.eval,line={FAILING_LINE}," in annotations[0]
    assert "requirement not met::accuracy of candidate >= 99%25: " in annotations[0]
    suite = ET.parse(repository / outputs["results"] / "gates-failing.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert sorted(path.name for path in (repository / "gates").iterdir()) == [
        "failing.eval", "failing.looks.jsonl", "nightly.csv",
        "passing.eval", "passing.lock", "passing.looks.jsonl",
    ]  # fmt: skip


def test_a_study_that_left_its_lock_is_not_run(repository):
    study = repository / "gates" / "passing.eval"
    assert call("lock", "gates/passing.eval", folder=repository).returncode == 0
    study.write_text(GATE.format(least=60))
    done = evaluated(repository, studies="gates/passing.eval")
    assert done.returncode == 5
    assert "PASS" not in done.stdout and "::error" in done.stdout
    assert "differs from the protocol and data locked on" in written(repository)[1]
    assert "require 2 value: 0.8 -" in written(repository)[1]


def test_the_summary_states_what_changed_since_the_base(repository):
    with contextlib.closing(Repo.init(repository)) as git:
        git.get_worktree().stage(["gates/passing.eval"])
        author = b"A <a@example.org>"
        git.get_worktree().commit(message=b"one", author=author, committer=author)
    (repository / "gates" / "passing.eval").write_text(GATE.format(least=60))
    studies = "./gates/passing.eval gates/failing.eval"
    done = evaluated(repository, studies=studies, base="HEAD", jobs="1")
    assert done.returncode == 4  # of the failing gate, which is new since the base
    assert done.stdout.count("::notice title=evallang::") == 1
    summary = written(repository)[1]
    assert summary.count("## Changes of the protocol") == 1
    assert "require 2 value | 0.8 | 0.6 |" in summary


def test_a_lock_that_is_required_and_missing_fails(repository):
    done = evaluated(repository, studies="gates/passing.eval", lock="required")
    assert done.returncode == 2
    assert "there is no `passing.lock`" in done.stderr


def test_errors_are_annotated_and_summarized(repository):
    study = repository / "gates" / "passing.eval"
    study.write_text(GATE.format(least=80).replace("measure accuracy", "measure acuracy"))
    done = evaluated(repository, studies="gates/passing.eval")
    assert done.returncode == 1
    assert "::error file=gates/passing.eval,line=12," in done.stdout
    assert "**Errors: " in written(repository)[1]


@pytest.mark.parametrize(
    "inputs",
    [
        {"studies": ""},
        {"studies": "gates/none.eval"},
        {"studies": "gates/passing.eval other/*.eval"},
        {"studies": "gates/passing.eval", "lock": "yes"},
        {"studies": "gates/passing.eval", "trust": "1"},
        {"studies": "$(touch gates/planted) `touch gates/planted`"},
    ],
)
def test_wrong_inputs_run_nothing(inputs, repository):
    done = evaluated(repository, **inputs)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1].startswith("::error title=evallang::")
    assert not (repository / "evallang-results").exists()
    assert not (repository / "gates" / "planted").exists()


def test_inputs_reach_commands_as_variables_only():
    """An expression inside a script would let the text of an input run as code."""
    for one in STEPS:
        assert not EXPRESSION.search(one.get("run", ""))
        assert ("run" in one) == ("shell" in one)


def test_every_input_is_declared_and_used():
    used = set(re.findall(r"inputs\.([\w-]+)", str(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    assert shutil.which(str(ROOT / ".ci" / "action.sh")), "the script is executable"


def test_the_report_is_uploaded_whatever_happened():
    upload = next(
        one for one in STEPS if one.get("uses", "").startswith("actions/upload-artifact@")
    )
    assert upload["if"].startswith("always()")
    assert upload["with"]["path"] == "${{ steps.evaluate.outputs.results }}"
    assert STEPS.index(upload) > STEPS.index(step("evaluate"))


def test_a_link_of_a_pull_request_brings_no_file_of_the_runner_into_the_artifact(repository):
    (repository.parent / "token").write_text("secret")
    looks = repository / "gates" / "passing.looks.jsonl"
    looks.symlink_to(repository.parent / "token")
    done = evaluated(repository, studies="gates/passing.eval")
    assert done.returncode == 0, done.stderr
    assert not (repository / "evallang-results" / "gates-passing.looks.jsonl").exists()
    looks.unlink()
    (repository / "evallang-results" / "x").symlink_to(repository.parent / "token")
    done = evaluated(repository, studies="gates/passing.eval")
    assert done.returncode == 2 and "the folder is or contains a link" in done.stdout


def test_a_change_of_a_prompt_is_gated_on_the_logs_of_both_prompts(repository):
    """The same model ran with both; equal logs are not worse, and swapped ones are."""
    writer = ROOT / "docs" / "guide" / "write_logs.py"
    subprocess.run([sys.executable, writer], cwd=repository, check=True)
    (repository / "prompt.eval").write_text(PROMPT_GATE)
    done = evaluated(repository, studies="prompt.eval", jobs="1")
    assert done.returncode == 0, done.stdout + done.stderr
    scores = {
        (place, task): [json.loads(line)["acc"] for line in file.read_text().splitlines()]
        for place in ("base", "change")
        for file in (repository / "evals" / place).glob("samples_*.jsonl")
        for task in [file.name.split("_")[1]]
    }
    tasks = {task for _, task in scores}
    lead = np.mean([np.mean(scores["change", t]) - np.mean(scores["base", t]) for t in tasks])
    answer = (
        f"| PASS | change not worse than base by 2% averaged over data | {100 * lead:.1f} points"
    )
    summary = written(repository)[1]
    assert answer in summary
    low, high = map(float, re.findall(r"points \[(-?[\d.]+), (-?[\d.]+)\]", summary)[0])
    half = (high - low) / 2
    equal = scipy.stats.norm.cdf(1.96 * (2 / half - 1))
    assert f"| {equal:.0%} if the models are equal; 80% with a margin of" in summary
    (repository / "evals" / "change").rename(repository / "evals" / "old")
    (repository / "evals" / "base").rename(repository / "evals" / "change")
    (repository / "evals" / "old").rename(repository / "evals" / "base")
    done = evaluated(repository, studies="prompt.eval", jobs="1")
    assert done.returncode == 4
    assert "::error file=prompt.eval,line=14," in done.stdout
