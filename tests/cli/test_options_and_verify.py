"""Options that cannot be meant, and what `verify` and `watch` meet in a changed folder."""

import polars as pl
import pytest
from calling import call
from studies import TWO_MODELS

from evallang.api.study_file import open_study
from evallang.cli.watch import _own_code


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "study.eval").write_text(TWO_MODELS)
    return tmp_path


@pytest.fixture
def results(folder):
    done = call("run", "study.eval", "-j", "1", "--format", "html", "--no-look", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "study-results"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--set", "a=1", "--set", "a=2"), "`--set a` is given twice"),
        (("--set", "a"), "write it as NAME=VALUE"),
        (("--memory", "much"), "`much` is not a size"),
        (("--memory", "10M"), "write 100M or more"),
        (("--memory", "1e7"), "write 100M or more"),
        (("--jobs", "1.5"), "'1.5' is not a valid whole number"),
        (("--fit-timeout", "5s"), "'5s' is not a valid number"),
        (("--store", "https://host/store"), "https://host/store"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(folder, words, told):
    done = call("run", "study.eval", *words, folder=folder)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (folder / "study-results").exists()


def test_a_study_with_errors_is_not_verified(folder, results):
    assert call("lock", "study.eval", folder=folder).returncode == 0
    (folder / "study.eval").write_text(TWO_MODELS.replace("GaussianNB", "Gausian"))
    for place in ("study.eval", "study-results"):
        done = call("verify", place, folder=folder)
        assert done.returncode == 1, place
        assert "error[E" in done.stderr


def test_what_changed_in_a_folder_of_results_is_named(folder, results):
    fits, predictions = results / "fits.csv", results / "predictions.parquet"
    whole, table = fits.read_text(), pl.read_parquet(predictions)
    lines = whole.splitlines(keepends=True)

    def verified():
        done = call("verify", "study-results", folder=folder)
        assert done.returncode == 5, done.stdout + done.stderr
        return done.stdout

    fits.write_text("".join(lines[:-1]))
    assert f"{len(lines) - 2} fits" in verified()
    fits.write_text(lines[0] + '"unclosed\0')
    assert "fits.csv" in verified()
    fits.write_text(whole)
    table.head(3).write_parquet(predictions)
    assert "3 rows of" in verified()
    predictions.write_text("no table")
    assert "unreadable" in verified()


def test_watch_follows_the_modules_of_own_code_without_importing_them(folder):
    (folder / "mine.py").write_text("raise SystemExit\n")
    (folder / "parts").mkdir()
    (folder / "parts" / "__init__.py").write_text("import mine\nraise SystemExit\n")
    text = TWO_MODELS.replace("data ", "use mine\nuse parts\n\ndata ", 1)
    (folder / "study.eval").write_text(text)
    study = open_study(folder / "study.eval")
    followed = {place.relative_to(folder.resolve()).as_posix() for place in _own_code(study)}
    assert followed == {"mine.py", "parts/__init__.py"}
    assert _own_code(None) == []
