"""Links in a store or a results folder are not followed, and no file of the user's is deleted."""

import json
import os
import zipfile

import pytest
from calling import call

STUDY = """\
evallang 1
study "Links"
  seed 1
data iris from sklearn iris
model bayes = GaussianNB
protocol cv folds=3
measure accuracy
report csv
"""
NAME = "0" * 32 + ".json"


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a study, with a folder of the user's beside its store."""
    (tmp_path / "study.eval").write_text(STUDY)
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("thesis.txt", NAME, ".evallang-1", "a" * 64):
        (mine / name).write_text("mine")
    return tmp_path


def everything(folder):
    return sorted((f.name, f.read_bytes()) for f in folder.iterdir())


@pytest.mark.parametrize("name", ["unfinished", "studies", "aa", "lock", "CACHEDIR.TAG"])
@pytest.mark.parametrize("command", ["run", "clear", "small"])
def test_a_link_in_a_store_is_refused_and_not_followed(folder, name, command):
    before = everything(folder / "mine")
    assert call("run", "study.eval", "--store", "store", folder=folder).returncode == 0
    place = folder / "store" / name
    if place.is_dir():
        for file in place.iterdir():
            file.unlink()
        place.rmdir()
    elif place.exists():
        place.unlink()
    place.symlink_to(folder / "mine")
    if command == "clear":
        result = call("cache", "clear", "--store", "store", folder=folder)
        assert result.returncode == 2
    else:
        more = ("--limit", "store_bytes=1") if command == "small" else ()
        result = call("run", "study.eval", "--store", "store", "--fresh", *more, folder=folder)
        assert result.returncode == 0 and "the run used no store" in result.stderr
    assert f"contains the link `{name}`" in result.stderr
    assert everything(folder / "mine") == before


@pytest.mark.parametrize("inside", ["", "unfinished"])
@pytest.mark.parametrize("mode", [0o770, 0o757])
def test_a_store_that_others_can_write_is_refused(folder, mode, inside):
    assert call("run", "study.eval", "--store", "store", folder=folder).returncode == 0
    (folder / "store" / inside).chmod(mode)
    result = call("run", "study.eval", "--store", "store", folder=folder)
    assert result.returncode == 0
    assert "other users can write to the store" in result.stderr
    assert "run `chmod go-w` on it" in result.stderr


def test_files_of_the_user_in_a_store_stay(folder):
    assert call("run", "study.eval", "--store", "store", folder=folder).returncode == 0
    store = folder / "store"
    for inside in ("unfinished", "studies", "aa"):
        (store / inside).mkdir(exist_ok=True)
        for name in ("thesis.txt", "notes.json", "b" * 64):
            (store / inside / name).write_text("mine")
    more = ("--limit", "store_bytes=1", "--fresh")
    assert call("run", "study.eval", "--store", "store", *more, folder=folder).returncode == 0
    assert call("cache", "clear", "--store", "store", folder=folder).returncode == 0
    for inside in ("unfinished", "studies", "aa"):
        for name in ("thesis.txt", "notes.json", "b" * 64):
            assert (store / inside / name).read_text() == "mine"


# --- a results folder ----------------------------------------------------------------------------


def test_a_list_that_names_a_file_of_the_user_deletes_nothing(folder):
    assert call("run", "study.eval", folder=folder).returncode == 0
    out = folder / "study-results"
    (out / "mine.txt").write_text("mine")
    (out / "tables" / "mine.txt").write_text("mine")
    listed = json.loads((out / ".evallang-files").read_text())
    digest = next(iter(listed["csv"].values()))
    for entry in (["mine.txt", "tables/mine.txt"], {"mine.txt": digest, "tables/mine.txt": ""}):
        (out / ".evallang-files").write_text(json.dumps({**listed, "markdown": entry}))
        for command in (("report", str(out), "--format=markdown"), ("run", "study.eval")):
            assert call(*command, folder=folder).returncode == 0
            assert (out / "mine.txt").read_text() == "mine"
            assert (out / "tables" / "mine.txt").read_text() == "mine"


def test_a_file_of_the_user_with_the_name_of_one_of_ours_is_kept(folder):
    assert call("run", "study.eval", folder=folder).returncode == 0
    out = folder / "study-results"
    (out / "methods.md").write_text("mine")
    (out / "tables" / "estimates-1.csv").write_text("edited")
    result = call("report", str(out), "--format=markdown,csv", folder=folder)
    assert result.returncode == 0
    for name in ("methods.md", "estimates-1.csv"):
        assert f"`{name}`, which evallang did not write as it is, is kept as" in result.stderr
    assert (out / "methods.md.kept").read_text() == "mine"
    assert (out / "tables" / "estimates-1.csv.kept").read_text() == "edited"
    (out / "tables" / "estimates-1.csv").write_text("edited again")
    result = call("run", "study.eval", folder=folder)
    assert result.returncode == 0 and "is kept as `estimates-1.csv.kept-2`" in result.stderr
    assert (out / "tables" / "estimates-1.csv.kept").read_text() == "edited"
    assert (out / "tables" / "estimates-1.csv.kept-2").read_text() == "edited again"
    assert (out / "methods.md.kept").read_text() == "mine"


@pytest.mark.parametrize("end", ["evallang-new", "evallang-old"])
def test_a_link_in_place_of_an_interrupted_run_is_refused(folder, end):
    assert call("run", "study.eval", "-o", "mine/results", folder=folder).returncode == 0
    (folder / "mine" / "results" / "thesis.txt").write_text("mine")
    (folder / f"study-results.{end}").symlink_to(folder / "mine" / "results")
    result = call("run", "study.eval", folder=folder)
    assert result.returncode == 2 and "is a link, which is not followed" in result.stderr
    assert (folder / "mine" / "results" / "thesis.txt").read_text() == "mine"


def test_a_results_folder_that_a_link_leads_out_of_the_studys_folder_is_refused(folder):
    there = folder / "there"
    there.mkdir()
    (there / "study.eval").write_text(STUDY)
    (there / "study-results").symlink_to(folder / "mine" / "results")
    result = call("run", "study.eval", folder=there)
    assert result.returncode == 2
    assert "`study-results` is outside the study's folder, through a link" in result.stderr
    assert not (folder / "mine" / "results").exists()
    assert call("run", "study.eval", "-o", "study-results", folder=there).returncode == 0


@pytest.mark.parametrize("name", [".evallang-files", "results.json"])
def test_deep_json_in_a_results_folder_is_none_of_ours(folder, name):
    assert call("run", "study.eval", folder=folder).returncode == 0
    (folder / "study-results" / name).write_text("[" * 100_000)
    for command in (("run", "study.eval"), ("report", "study-results"), ("show", "study-results")):
        result = call(*command, folder=folder)
        assert result.returncode in (0, 2) and "internal" not in result.stderr, result.stderr


def test_an_export_replaces_its_own_file_and_none_of_the_users(folder):
    text = STUDY.replace("report csv", 'export bayes to "bayes.skops"')
    (folder / "study.eval").write_text(text)
    other = zipfile.ZipFile(folder / "other.zip", "w")
    other.writestr("schema.json", "{}")
    other.close()
    for content in (b"mine", (folder / "other.zip").read_bytes()):
        (folder / "bayes.skops").write_bytes(content)
        result = call("run", "study.eval", folder=folder)
        assert result.returncode == 2 and "model that evallang exported" in result.stderr
        assert (folder / "bayes.skops").read_bytes() == content
        assert not (folder / "study-results").exists()
    (folder / "bayes.skops").unlink()
    (folder / "bayes.skops").symlink_to(folder / "mine" / "thesis.txt")
    assert call("run", "study.eval", folder=folder).returncode == 2
    (folder / "bayes.skops").unlink()
    for _ in range(2):
        assert call("run", "study.eval", folder=folder).returncode == 0


@pytest.mark.parametrize("name", ["study-results.evallang-lock", "study.looks.jsonl"])
def test_a_second_name_of_a_file_of_the_user_loses_it_nothing(folder, name):
    (folder / name).hardlink_to(folder / "mine" / "thesis.txt")
    result = call("run", "study.eval", folder=folder)
    assert result.returncode == (2 if name.endswith("lock") else 0)
    assert "holds something else" in result.stderr or "several names" in result.stderr
    assert (folder / "mine" / "thesis.txt").read_text() == "mine"
    assert (folder / name).exists()


CONTENTS = ("mine", "[" * 4000, "[1]", "{}", '{"pid": 1e400, "host": "", "since": ""}')


@pytest.mark.parametrize("content", CONTENTS)
def test_a_file_of_the_user_with_the_name_of_a_folders_lock_stays(folder, content):
    (folder / "study-results.evallang-lock").write_text(content)
    result = call("run", "study.eval", folder=folder)
    assert result.returncode == 2 and "the file of its lock holds something else" in result.stderr
    assert (folder / "study-results.evallang-lock").read_text() == content


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_lock_that_is_no_regular_file_is_refused(folder, kind):
    place = folder / "study.lock"
    if kind == "link":
        place.symlink_to("/dev/null")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    for command in (("lock",), ("run", "--locked"), ("verify",)):
        result = call(*command, "study.eval", folder=folder)
        assert result.returncode == 2 and "`study.lock` is not a regular file" in result.stderr


def test_a_draft_is_not_written_through_a_link(folder):
    (folder / "new.eval").symlink_to(folder / "elsewhere")
    result = call("new", "new.eval", folder=folder)
    assert result.returncode == 2 and "`new.eval` exists" in result.stderr
    assert not (folder / "elsewhere").exists()
