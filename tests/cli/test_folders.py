"""Results folders: one writer at a time, no link followed, any path, all told before fits."""

import ctypes
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from calling import call
from studies import TWO_MODELS

import evallang as ev
from evallang.api import FolderRefused
from evallang.api.folder import reserved
from evallang.api.models import check_places

EVALLANG = [sys.executable, "-m", "evallang"]
SLOW_CODE = """\
import time
from pathlib import Path

from sklearn.dummy import DummyClassifier


class Slow(DummyClassifier):
    def fit(self, X, y):
        Path("fitting").touch()
        time.sleep(60)
        return super().fit(X, y)
"""
COUNTS = """\
evallang 1
counts a "A"
  models one, two
  table [[9959, 11], [1, 29]]
measure accuracy
compare with mcnemar
report csv
"""


def shell(
    *words: str | bytes, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*EVALLANG, *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def results() -> ev.Results:
    return ev.run(ev.parse(COUNTS))


@pytest.fixture(scope="module")
def fitted(tmp_path_factory) -> ev.Results:
    study = tmp_path_factory.mktemp("study") / os.fsdecode(b"\xff") / "study.eval"
    study.parent.mkdir()
    study.write_text(TWO_MODELS)
    return ev.run(study)


@contextmanager
def a_run_that_fits(folder: Path, text: str):
    """Start a run in another process; it is fitting when this returns."""
    (folder / "slow.py").write_text(SLOW_CODE)
    (folder / "study.eval").write_text(text)
    process = subprocess.Popen(
        [*EVALLANG, "run", "study.eval", "-j", "1", "--trust", "--format", "html"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(1200):
            if (folder / "fitting").exists() or process.poll() is not None:
                break
            time.sleep(0.05)
        assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.wait()


SLOW = TWO_MODELS.replace('study "Two', 'use slow\nstudy "Two').replace("GaussianNB", "slow.Slow")


# --- one writer ----------------------------------------------------------------------------------


def test_a_second_run_is_refused_before_it_fits_and_a_killed_one_blocks_nobody(tmp_path):
    with a_run_that_fits(tmp_path, SLOW) as first:
        second = shell("run", "study.eval", "-j", "1", "--trust", folder=tmp_path)
        assert first.poll() is None  # it fits on while the second is refused
        assert second.returncode == 2
        assert f"another run (process {first.pid} on " in second.stderr
        assert "is writing `study-results`" in second.stderr
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert (tmp_path / "study-results.evallang-lock").exists()  # nothing was left to delete it
    (tmp_path / "study.eval").write_text(COUNTS)
    done = shell("run", "study.eval", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("*.evallang-*"))


def test_a_report_is_not_rendered_into_a_folder_that_a_run_holds(tmp_path, results):
    results.save(tmp_path / "out", ("html",))
    with reserved(tmp_path / "out"):
        done = call("report", "out", "--format", "html", folder=tmp_path)
    assert done.returncode == 2
    assert f"another run (process {os.getpid()} on " in done.stderr


# --- links and special files ---------------------------------------------------------------------


def test_a_report_replaces_a_link_and_leaves_its_target_alone(tmp_path, results):
    results.save(tmp_path / "out", ("html",))
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    report = tmp_path / "out" / "report.html"
    report.unlink()
    report.symlink_to("../precious.txt")
    done = call("report", "out", "--format", "html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert precious.read_text() == "precious"
    assert not report.is_symlink() and "<html" in report.read_text()
    assert "`report.html`" in done.stderr and "`out`" in done.stderr


def test_what_else_is_in_the_folder_is_named_first_and_moves_as_it_is(tmp_path, results):
    out, big = tmp_path / "out", tmp_path / "big"
    results.save(out, ("html",))
    big.mkdir()
    (big / "huge.bin").write_bytes(b"0")
    (out / "latest").symlink_to("../big")
    (out / "gone").symlink_to("nowhere")
    os.mkfifo(out / "pipe")
    (out / "notes").mkdir()
    os.mkfifo(out / "notes" / "inner")
    (out / "report.html").unlink()
    (out / "report.html").symlink_to("../precious.txt")
    with reserved(out) as held:
        assert held.notes == (
            f"`gone` (link), `latest` (link), `pipe` (FIFO) in `{out}` will be kept unchanged, "
            "neither read nor followed",
            f"`report.html` (link) in `{out}` will be replaced by a file; the target of the link "
            "stays as it is",
        )
        results.save(held, ("html",))
    assert (out / "latest").readlink() == Path("../big")
    assert (out / "gone").readlink() == Path("nowhere")
    assert stat.S_ISFIFO((out / "pipe").lstat().st_mode)
    assert stat.S_ISFIFO((out / "notes" / "inner").lstat().st_mode)
    assert (out / "report.html").is_file() and not (out / "report.html").is_symlink()
    assert not (tmp_path / "precious.txt").exists()
    assert not list(tmp_path.glob("*.evallang-*"))


def test_a_folder_named_as_a_file_of_ours_is_refused(tmp_path, results):
    results.save(tmp_path / "out", ("html",))
    (tmp_path / "out" / "fits.csv").unlink(missing_ok=True)
    (tmp_path / "out" / "fits.csv").mkdir()
    with pytest.raises(FolderRefused, match=r"`fits\.csv` in .* is a folder"):
        results.save(tmp_path / "out", ("html",))


# --- an interrupted swap -------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["old away", "new in place", "files being moved"])
def test_an_interrupted_swap_is_finished_at_the_next_start(tmp_path, results, state):
    out, old, new = (tmp_path / f"out{end}" for end in ("", ".evallang-old", ".evallang-new"))
    results.save(out, ("html",))
    (out / "mine.txt").write_text("mine")
    (out / "more.txt").write_text("more")
    out.rename(old)
    results.save(tmp_path / "made", ("html",))
    (tmp_path / "made").rename(new if state == "old away" else out)
    if state == "files being moved":
        (old / "mine.txt").rename(out / "mine.txt")
    with reserved(out):
        assert (out / "mine.txt").read_text() == "mine"
        assert (out / "more.txt").read_text() == "more"
        assert (out / "results.json").is_file()
        assert not old.exists() and not new.exists()


def test_a_folder_of_the_user_beside_the_results_is_never_deleted(tmp_path, results):
    for end in (".evallang-new", ".evallang-old"):
        beside = tmp_path / f"out{end}"
        beside.mkdir()
        (beside / "thesis.tex").write_text("mine")
        with pytest.raises(FolderRefused, match="move it to another place"):
            results.save(tmp_path / "out", ("html",))
        assert (beside / "thesis.tex").read_text() == "mine"
        (beside / "thesis.tex").unlink()
        beside.rmdir()


# --- paths ---------------------------------------------------------------------------------------

PATHS = [b"new\nline", b"-dash b\xff\xfe", b"x" * 255, "é".encode() * 127]


@pytest.mark.parametrize("name", PATHS, ids=ascii)
def test_any_name_that_linux_allows_takes_results_and_their_report(tmp_path, name, fitted):
    out = tmp_path / os.fsdecode(name)
    fitted.save(out)
    again = ev.Results.load(out)
    assert again.record.estimates == fitted.record.estimates
    assert pl.read_parquet((out / "predictions.parquet").read_bytes()).height == 300
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert not list(tmp_path.glob("*.evallang-*"))


def test_a_locale_without_utf_8_loses_nothing(tmp_path):
    name = b"\xc3\xa9 s\xff.eval"
    (tmp_path / os.fsdecode(name)).write_text(COUNTS)
    settings = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    out = name.removesuffix(b".eval") + b"-results"
    for words in (("run", name), ("report", out)):
        done = shell(*words, folder=tmp_path, **settings)
        assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / os.fsdecode(out) / "results.json").read_text("utf-8"))
    assert record["provenance"]["command"].startswith("evallang run ")


# --- before the first fit ------------------------------------------------------------------------


def test_a_full_disk_is_told_before_anything_is_fitted(tmp_path, monkeypatch):
    def fitted(*_, **__):
        raise AssertionError("a fit was started")

    monkeypatch.setattr("evallang.engine.run.run", fitted)
    monkeypatch.setattr("shutil.disk_usage", lambda _: _Full)
    study = ev.parse(TWO_MODELS)
    with pytest.raises(FolderRefused, match=r"only 0\.1 MB of the disk are free"):
        ev.run(study, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


class _Full:
    free = 100_000


def test_a_folder_without_permission_is_told_before_anything_is_fitted(tmp_path):
    (tmp_path / "study.eval").write_text(TWO_MODELS)
    (tmp_path / "closed").mkdir(mode=0o555)
    code = (
        "import evallang.engine.run as engine; engine.run = None;"
        "from evallang.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "study.eval", "-j", "1", "-o", "closed/out"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=_obey_permissions if os.geteuid() == 0 else None,
    )  # fmt: skip
    assert done.returncode == 2
    assert "closed/out`: permission denied" in done.stderr
    assert not list((tmp_path / "closed").iterdir())
    assert {p.name for p in tmp_path.iterdir()} == {"study.eval", "closed"}


def test_a_store_that_may_not_be_searched_is_refused_in_one_line(tmp_path):
    (tmp_path / "study.eval").write_text(
        'evallang 1\nstudy "Closed"\ndata iris from sklearn iris\nmodel bayes = GaussianNB\n'
        "protocol cv folds=2\nmeasure accuracy\nreport csv\n"
    )
    (tmp_path / "closed").mkdir(mode=0)
    done = subprocess.run(
        [*EVALLANG, "run", "study.eval", "--quiet", "-j", "1", "--store", "closed"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=_obey_permissions if os.geteuid() == 0 else None,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith("closed` cannot be used: permission denied; the run used no store")


def _obey_permissions() -> None:
    """Take from root, which CI often is, the rights to write and search where no permission is."""
    drop_from_bounding_set = 24  # PR_CAPBSET_DROP of Linux
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if ctypes.CDLL(None, use_errno=True).prctl(drop_from_bounding_set, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), f"cannot drop the capability {capability}")


def test_an_export_that_cannot_be_written_is_told_before_anything_is_fitted(tmp_path):
    (tmp_path / "file").write_text("")
    for path, said in (("file/m.skops", "not a folder"), ("x" * 256, "file name too long")):
        with pytest.raises(FolderRefused, match=f"cannot write the model .*{said}"):
            check_places([path], tmp_path)
    check_places(["new/deep/m.skops"], tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


# --- what is refused, and what stays -------------------------------------------------------------


def test_a_model_that_cannot_be_written_at_the_end_leaves_the_results_where_they_are(
    tmp_path, monkeypatch
):
    def refuse(place, content):
        if len(content) > 1:  # not when it is tried before the fits
            raise OSError(errno.ENOSPC, "No space left on device")
        place.write_bytes(content)

    monkeypatch.setattr("evallang.api.models.write_file", refuse)
    (tmp_path / "study.eval").write_text(f"{TWO_MODELS}export tree\nreport html\n")
    done = call("run", "study.eval", "-o", "out", "-j", "1", "--quiet", folder=tmp_path)
    told = "Error: cannot write the model `tree.skops`: no space left on device; the results are in"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (3, f"{told} `out`")
    assert (tmp_path / "out" / "results.json").exists()


def test_what_an_interrupted_run_left_is_kept_beside_a_file_of_the_same_name(tmp_path, results):
    out, old = tmp_path / "out", tmp_path / "out.evallang-old"
    results.save(out)
    results.save(old)
    (old / "notes.txt").write_text("old")
    (out / "notes.txt").write_text("new")
    results.save(out)
    assert (out / "notes.txt.kept").read_text() == "old"
    assert (out / "notes.txt").read_text() == "new"


def test_a_file_that_has_taken_the_place_of_the_folder_meanwhile_is_not_replaced(tmp_path, results):
    place = tmp_path / "out"
    with reserved(place) as held:
        place.write_text("theirs")
        with pytest.raises(FolderRefused, match=r"`.*out` is a file"):
            results.save(held)
    assert place.read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_was_written_to_the_folder_meanwhile_stays_in_it(tmp_path, results):
    theirs = tmp_path / "out" / "store" / "theirs"  # as a store inside the folder
    with reserved(tmp_path / "out") as held:
        theirs.parent.mkdir(parents=True)
        theirs.write_text("theirs")
        results.save(held)
    assert theirs.read_text() == "theirs"
    assert (tmp_path / "out" / "results.json").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_old_folder_comes_back_where_the_new_one_cannot_take_its_place(
    tmp_path, results, monkeypatch
):
    out = tmp_path / "out"
    results.save(out)
    before, plain, tried = (out / "results.json").read_bytes(), Path.rename, []

    def rename(self, target):
        if self.name.endswith(".evallang-new") and target == out:
            tried.append(self)
            raise OSError(5, "input/output error")
        return plain(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="input/output error"):
        results.save(out)
    assert tried
    assert (out / "results.json").read_bytes() == before
    assert not list(tmp_path.glob("*.evallang-*"))
