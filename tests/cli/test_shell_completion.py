"""What a shell completes: the scripts are loaded by the shells themselves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
ASKS = {
    "bash": """eval "$(evallang completion bash)"
COMP_WORDS=({words}); COMP_CWORD={last}; _evallang_completion evallang
printf '%s\\n' "${{COMPREPLY[@]}}" """,
    "fish": 'evallang completion fish | source; complete -C "{words}" | cut -f1',
}


def completed(shell, words, folder):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = ASKS[shell].format(words=words, last=len(words.split()) - 1)
    options = ["--norc"] if shell == "bash" else ["--no-config"]
    found = subprocess.run(
        [shell, *options, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(folder)},
        check=False,
    )
    assert not found.stderr
    return found.stdout.split()


@pytest.mark.parametrize("shell", ASKS)
def test_commands_and_names_are_completed(shell, tmp_path):
    assert completed(shell, "evallang verif", tmp_path) == ["verify"]
    assert completed(shell, "evallang explain mcn", tmp_path) == ["mcnemar"]
    assert completed(shell, "evallang explain LogisticRegression", tmp_path) == [
        "LogisticRegression",
        "LogisticRegressionCV",
    ]


@pytest.mark.parametrize("shell", ASKS)
def test_names_are_completed_in_any_case(shell, tmp_path):
    assert completed(shell, "evallang explain logi", tmp_path) == [
        "LogisticRegression",
        "LogisticRegressionCV",
        "logits",
    ]


@pytest.mark.parametrize("shell", ASKS)
@pytest.mark.parametrize("command", ["run s.eval", "report s-results"])
def test_formats_of_a_report_are_completed(shell, command, tmp_path):
    assert completed(shell, f"evallang {command} --format ht", tmp_path) == ["html"]


@pytest.mark.parametrize(
    "begun",
    ["check", "new --from", "verify --study", "demo -o", "run --store", "run -o", "show"],
)
def test_files_are_left_to_the_shell(begun, tmp_path):
    (tmp_path / "study.eval").write_text("evallang 1\n")
    found = completed("fish", f"evallang {begun} stu", tmp_path)
    assert found == ["study.eval"]


def test_the_script_for_zsh_is_read_by_zsh(tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    script = (
        'autoload -U compinit; compinit -u; eval "$(evallang completion zsh)"; '
        "print $_comps[evallang]"
    )
    found = subprocess.run(
        ["zsh", "-f", "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path)},
        check=False,
    )
    assert (found.stdout.strip(), found.stderr) == ("_evallang_completion", "")
