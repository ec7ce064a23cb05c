"""What the system refuses or a user interrupts: one line, an exit code, nothing left over."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from calling import call
from click.testing import CliRunner
from studies import TWO_MODELS

import evallang as ev
from evallang.cli.main import root

EVALLANG = [sys.executable, "-m", "evallang"]


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.eval"
    path.write_text(TWO_MODELS)
    return path


# --- files and folders -------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_a_folder_that_cannot_be_swapped_is_refused(study, folder):
    done = call("run", "study.eval", "-o", folder, folder=study.parent)
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: `{folder}` cannot be replaced as a whole; name a folder in it\n"
    )


def test_a_pipe_in_place_of_a_study_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for command in ("check", "fmt", "plan", "run"):
        done = call(command, "pipe", folder=tmp_path)
        assert done.returncode == 2, command
        assert done.stderr == "Error: `pipe` is not a regular file; name a .eval file\n", command


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_a_full_disk_behind_stdout_is_no_bug(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*EVALLANG, "list", "tests"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 3
    assert done.stderr == "Error: the system refused: no space left on device\n"


def test_a_reader_that_leaves_early_is_no_failure():
    # the catalogue of models is longer than any buffer between the two processes
    with subprocess.Popen(
        [*EVALLANG, "list", "models", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_the_log_of_a_bug_has_a_name_that_nobody_can_guess(monkeypatch, tmp_path):
    def broken(*_, **__):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(root, "main", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    told = "".join(call("list", "tests").stderr for _ in range(2))
    logs = list(tmp_path.glob("evallang-bug-*.log"))
    assert len(logs) == 2
    assert all(log.stat().st_mode & 0o077 == 0 for log in logs)  # for its owner's eyes only
    assert all(str(log) in told for log in logs)


# --- interruptions -----------------------------------------------------------------------------

LONG = """\
evallang 1

study "Long"
  seed 1

data d from sklearn digits

model svc = SVC(C in 1..20 step 1)
model forest = RandomForestClassifier(n_estimators=400)

protocol repeated cv folds=10 times=3
tune cv=5
measure accuracy
"""


def interrupted(folder: Path, jobs: int) -> tuple[int, str, str]:
    """Press Ctrl-C twice once the bar stands; gives the exit code, and what came before, after."""
    (folder / "long.eval").write_text(LONG)
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*EVALLANG, "run", "long.eval", "-j", str(jobs)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    ) as running:
        os.close(theirs)
        before, after = b"", b""
        while b" fits" not in before:
            before += os.read(ours, 4096)
        for _ in range(2):
            os.killpg(running.pid, signal.SIGINT)
        try:
            while piece := os.read(ours, 4096):
                after += piece
        except OSError:  # the terminal's other side is closed
            pass
        assert running.stdout.read() == b""
    os.close(ours)
    return running.returncode, before.decode(), after.decode()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_run_with_one_line_and_leaves_nothing(tmp_path, jobs):
    code, before, after = interrupted(tmp_path, jobs)
    assert code == 130
    # svc: 30 splits x (20 candidates x 5 inner folds + 1), forest: 30 splits
    assert re.search(r"\b\d+ of 3,060 fits", before)
    said = after.rpartition("\r\x1b[K")[2]
    assert said == "interrupted\r\n"
    assert [path.name for path in tmp_path.iterdir()] == ["long.eval"]


OWN = """\
import os
import signal
import time



def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def swallow(seconds):
    try:
        interrupt()
    except BaseException:
        time.sleep(seconds)


class Destroyed:
    def __del__(self):  # whose exceptions Python drops
        interrupt()


def share(truth, prediction):
    {action}
    return (truth == prediction).mean()
"""


@pytest.mark.parametrize("action", ["swallow(60)", "Destroyed(); time.sleep(60)"])
def test_ctrl_c_that_own_code_swallows_ends_the_run_too(tmp_path, action):
    (tmp_path / "own.py").write_text(OWN.format(action=action))
    study = TWO_MODELS.replace("data ", "use own\n\ndata ", 1) + "measure own.share\n"
    (tmp_path / "study.eval").write_text(study)
    done = subprocess.run(  # which would sleep for five minutes
        [*EVALLANG, "run", "study.eval", "--trust", "-j", "1"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 130 and done.stderr.endswith("interrupted\n"), done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_after_the_fits_does_not_lose_them(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("evallang.api.folder.write_fits", full)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.eval").write_text(TWO_MODELS)
    done = CliRunner().invoke(root, ["run", "study.eval", "-j", "1"])
    assert done.exit_code == 3
    kept = next(tmp_path.glob("evallang-results-*/results.json"))
    assert done.stderr.endswith(
        "cannot write `study-results`: no space left on device; the results are kept in "
        f"`{kept}`, which `evallang report` renders\n"
    )
    assert not (tmp_path / "study-results").exists()
    rendered = CliRunner().invoke(root, ["report", str(kept), "--format", "html"])
    assert rendered.stdout.splitlines() == [
        str(kept.with_name("report.html")),
        f"{kept.with_name('figures')}{os.sep}",
    ]


# --- what is said, and where -------------------------------------------------------------------


def test_results_go_behind_a_link_and_the_link_stays(study):
    real, link = study.parent / "scratch", study.parent / "link"
    real.mkdir()
    link.symlink_to(real)
    (real / "mine.txt").write_text("mine")
    ev.run(ev.load(study), jobs=1).save(study.parent / "out", ("html",))
    (study.parent / "out" / "results.json").rename(real / "results.json")
    for _ in range(2):
        ev.Results.load(real / "results.json").save(link, ("html",))
        assert link.is_symlink()
        assert (real / "report.html").is_file()
        assert (real / "mine.txt").read_text() == "mine"
    assert not list(study.parent.glob("*.evallang-*"))


@pytest.mark.parametrize("command", ["check", "data", "plan", "run"])
def test_a_table_in_place_of_a_study_is_one_line_with_what_to_write(command, tmp_path):
    (tmp_path / "scores of x.csv").write_text("y,p\n1,0.2\n")
    done = call(command, "scores of x.csv", folder=tmp_path)
    assert done.returncode == 2
    assert "`evallang new study.eval --from 'scores of x.csv'`" in done.stderr
    assert len(done.stderr.splitlines()) == 1
