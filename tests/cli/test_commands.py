"""The command line as a user meets it: output, exit codes, and never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from calling import call
from click.testing import CliRunner
from studies import TWO_MODELS

from evallang.cli.main import COMMANDS, root


def shell(*words: str, folder: Path | None = None, stdin: str | None = None):
    """Run the command in a process of its own, as a shell would."""
    return subprocess.run(
        [sys.executable, "-m", "evallang", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.eval"
    path.write_text(TWO_MODELS)
    return path


def test_every_command_has_help_with_an_example():
    for name in COMMANDS:
        result = CliRunner().invoke(root, [name, "--help"])
        assert result.exit_code == 0
        assert "Example: evallang" in result.output


def test_an_unknown_command_is_wrong_use_with_a_suggestion():
    done = call("chekc", "study.eval")
    assert done.returncode == 2
    assert "did you mean `check`?" in done.stderr


def test_a_missing_file_is_wrong_use(tmp_path):
    for name in ("check", "fmt", "plan", "run"):
        done = call(name, "nowhere.eval", folder=tmp_path)
        assert done.returncode == 2, name
        assert "there is no file `nowhere.eval`" in done.stderr


def test_an_error_gives_exit_code_1_and_the_place(study):
    study.write_text(TWO_MODELS.replace("mcnemar", "mcnemmar"))
    done = call("check", "study.eval", folder=study.parent)
    assert done.returncode == 1
    assert "error[E121] there is no test called `mcnemmar`" in done.stderr
    assert "study.eval:9:14" in done.stderr
    assert "did you mean `mcnemar`?" in done.stderr


def test_warnings_alone_are_0_and_strict_makes_them_1(study):
    text = TWO_MODELS.replace("model bayes", "model lda = LinearDiscriminantAnalysis\nmodel bayes")
    study.write_text(text.replace("with mcnemar", "with mcnemar uncorrected"))
    assert call("check", "study.eval", folder=study.parent).returncode == 0
    assert call("check", "--strict", "study.eval", folder=study.parent).returncode == 1


def test_check_json_is_the_contract(study):
    study.write_text(TWO_MODELS.replace("accuracy", "acuracy"))
    done = call("check", "--format", "json", "study.eval", folder=study.parent)
    document = json.loads(done.stdout)
    assert document["format_version"] == "1.0"
    assert document["valid"] is False
    assert document["error_count"] == 1
    (found,) = document["diagnostics"]
    assert found["code"] == "E120"
    assert found["name"] == "unknown_metric"
    assert found["severity"] == "error"
    assert found["path"] == "study.eval"
    line = TWO_MODELS.split("\n").index("measure accuracy") + 1
    assert found["range"]["start"] == {
        "line": line,
        "column": 9,
        "offset": TWO_MODELS.index("accuracy"),
    }
    assert found["range"]["end"]["column"] == 16
    assert found["fixes"][0]["applicability"] == "safe"
    assert found["allowed_because"] is None
    assert {"related", "notes", "help"} <= set(found)
    assert found["url"] == f"reference/codes/{found['code']}.html"


def test_check_fix_mends_a_misspelt_word(study):
    study.write_text(TWO_MODELS.replace("accuracy", "acuracy"))
    assert call("check", "--fix", "study.eval", folder=study.parent).returncode == 0
    assert study.read_text() == TWO_MODELS


def test_files_beside_one_that_cannot_be_read_are_checked_all_the_same(study):
    study.write_text(TWO_MODELS.replace("accuracy", "acuracy"))
    done = call("check", "no.eval", "study.eval", "none.eval", folder=study.parent)
    assert done.returncode == 2
    assert "--> study.eval:" in done.stderr and "1 error" in done.stderr
    assert "there is no file `no.eval`" in done.stderr
    assert "there is no file `none.eval`" in done.stderr


def test_fmt_check_tells_without_writing(study):
    untidy = TWO_MODELS.replace("  seed 1", "      seed 1   ")
    study.write_text(untidy)
    done = call("fmt", "--check", "study.eval", folder=study.parent)
    assert done.returncode == 1
    assert study.read_text() == untidy
    diff = call("fmt", "--diff", "study.eval", folder=study.parent)
    assert diff.returncode == 0
    assert "-      seed 1   \n+  seed 1\n" in diff.stdout
    assert call("fmt", "study.eval", folder=study.parent).returncode == 0
    assert study.read_text() == TWO_MODELS
    assert call("fmt", "--check", "study.eval", folder=study.parent).returncode == 0


def test_plan_json_is_the_contract(study):
    document = json.loads(
        call("plan", "--format", "json", "study.eval", folder=study.parent).stdout
    )
    assert document["schema"] == "evallang/plan/1"
    assert document["n_fits"] == 10
    assert {t["kind"] for t in document["tasks"]} == {"fit", "estimate", "compare", "report"}
    fields = {
        "key", "kind", "data", "protocol", "model", "repeat", "fold", "n_fits", "needs", "cached",
        "stale_because",
    }  # fmt: skip
    assert all(fields == set(task) for task in document["tasks"])
    keys = {task["key"] for task in document["tasks"]}
    assert all(need in keys for task in document["tasks"] for need in task["needs"])
    defaults = {d["clause"]: d["value"] for d in document["defaults"]}
    assert defaults["study alpha"] == 0.05


def test_plan_draws_the_graph(study):
    mermaid = call("plan", "--format", "mermaid", "study.eval", folder=study.parent).stdout
    assert mermaid.startswith("flowchart LR\n")
    dot = call("plan", "--format", "dot", "study.eval", folder=study.parent).stdout
    assert dot.startswith("digraph plan {") and dot.rstrip().endswith("}")


def test_run_writes_the_folder_and_says_where(study):
    done = shell("run", "study.eval", "-j", "1", folder=study.parent)
    assert done.returncode == 0, done.stderr
    folder = study.parent / "study-results"
    names = {item.name for item in folder.iterdir()}
    assert {"results.json", "predictions.parquet", "fits.csv", "report.html"} <= names
    assert "study-results" in done.stdout
    assert json.loads((folder / "results.json").read_text())["schema"] == "evallang/results/1"


def test_a_folder_that_is_not_ours_is_refused_before_anything_runs(study):
    (study.parent / "mine").mkdir()
    (study.parent / "mine" / "thesis.txt").write_text("years of work")
    done = call("run", "study.eval", "-o", "mine", folder=study.parent)
    assert done.returncode == 2
    assert "mine" in done.stderr
    assert [item.name for item in (study.parent / "mine").iterdir()] == ["thesis.txt"]


def test_a_faulty_study_is_not_run(study):
    study.write_text(TWO_MODELS.replace("GaussianNB", "GausianNB"))
    done = call("run", "study.eval", folder=study.parent)
    assert done.returncode == 1
    assert "did you mean `GaussianNB`?" in done.stderr
    assert not (study.parent / "study-results").exists()


def test_set_overrides_a_let(study):
    study.write_text(TWO_MODELS.replace("max_depth=3", "max_depth=depth") + "let depth = 3\n")
    done = call("run", "study.eval", "-j", "1", "--set", "depth=1", folder=study.parent)
    assert done.returncode == 0, done.stderr
    results = json.loads((study.parent / "study-results" / "results.json").read_text())
    assert results["spec"]["overrides"] == {"depth": "1"}
    assert results["models"][0]["pipeline"] == "DecisionTreeClassifier(max_depth=1)"
    wrong = call("run", "study.eval", "--set", "dept=1", folder=study.parent)
    assert wrong.returncode == 1
    assert "did you mean `depth`?" in wrong.stderr


def test_report_renders_again_without_the_data(study):
    assert call("run", "study.eval", "-j", "1", folder=study.parent).returncode == 0
    folder = study.parent / "study-results"
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    study.unlink()
    done = call("report", "study-results", "--format", "html", folder=study.parent)
    assert done.returncode == 0, done.stderr
    assert (folder / "report.html").read_bytes() == before


def test_list_gives_every_catalogue_as_text_and_json():
    for catalogue in (
        "tests", "metrics", "intervals", "protocols", "models", "corrections", "rules",
    ):  # fmt: skip
        text = call("list", catalogue)
        assert text.returncode == 0
        entries = json.loads(call("list", catalogue, "--format", "json").stdout)
        lines = [line for line in text.stdout.splitlines() if line and not line.startswith("#")]
        assert len(entries) == len(lines)
        assert all(entry["name"] and entry["summary"] for entry in entries)
