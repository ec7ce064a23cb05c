"""Files at a revision are read from git's objects: names, packs, links, damage."""

import os
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.objects import Blob
from dulwich.repo import Repo

from evallang.api import commit as commits
from evallang.api.commit import UnknownRevision, commit_state, committed_reader

A = b"A <a@example.org>"


def committed(repository, message, **files):
    work = repository.get_worktree()
    for name, text in files.items():
        place = Path(repository.path) / name.replace("__", "/")
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
        work.stage([str(place.relative_to(repository.path))])
    return work.commit(message.encode(), author=A, committer=A).decode()


@pytest.fixture
def repository(tmp_path):
    """A repository with three commits, a branch and an annotated tag of the second."""
    made = Repo.init(tmp_path / "r", mkdir=True)
    names = [
        committed(made, "1", top="one", deep__file="deep one"),
        committed(made, "2", top="two"),
        committed(made, "3", top="three"),
    ]
    porcelain.tag_create(made, b"v2", author=A, message=b"two", annotated=True, objectish=names[1])
    made.refs[b"refs/heads/old"] = names[0].encode()
    yield made, names
    made.close()


def top(repository, revision, name="top"):
    folder = Path(repository.path)
    return committed_reader(folder, revision)(folder / name).decode()


NAMED = {"HEAD": "three", "HEAD^^": "one", "HEAD~2": "one", "HEAD~^": "one", "v2": "two",
         "v2~1": "one", "refs/tags/v2": "two", "old": "one", "refs/heads/old": "one"}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
def test_names_of_commits_are_those_of_git(repository, packed):
    made, names = repository
    if packed:
        made.refs.pack_refs(all=True)
        porcelain.repack(made)
        assert not list(Path(made.path, ".git", "refs", "tags").iterdir())
    for revision, text in NAMED.items():
        assert top(made, revision) == text, revision
    for name, text in zip(names, ("one", "two", "three"), strict=True):
        assert top(made, name) == top(made, name[:9]) == text
    assert top(made, "HEAD", "deep/file") == "deep one"


@pytest.mark.parametrize(
    "revision",
    [
        "HEAD~3",
        "HEAD^2^^^^",
        "none",
        "refs/none",
        "HEAD:top",
        "HEAD~x",
        "v2^{}",
        "abcdef0",
        "",
        "^",
    ],
)
def test_a_revision_that_git_would_not_find_is_refused(repository, revision):
    made, _ = repository
    with pytest.raises(UnknownRevision, match=r"revision|no `"):
        committed_reader(Path(made.path), revision)


def test_digits_that_begin_two_names_name_nothing(repository, monkeypatch):
    made, names = repository
    other = names[0][:7] + "0" * 33
    place = Path(made.path, ".git", "objects", other[:2])
    place.mkdir(exist_ok=True)
    (place / other[2:]).write_bytes(b"")
    with pytest.raises(UnknownRevision):
        committed_reader(Path(made.path), names[0][:7])
    assert top(made, names[0]) == "one"


def test_a_tag_of_a_file_is_no_revision(repository):
    made, _ = repository
    blob = Blob.from_string(b"content")
    made.object_store.add_object(blob)
    made.refs[b"refs/tags/blob"] = blob.id
    porcelain.tag_create(
        made, b"of_blob", author=A, message=b"b", annotated=True, objectish=blob.id
    )
    for name in ("blob", "of_blob"):
        with pytest.raises(UnknownRevision):
            committed_reader(Path(made.path), name)


def test_only_plain_files_are_read(repository):
    made, _ = repository
    folder = Path(made.path)
    (folder / "link").symlink_to("top")
    made.get_worktree().stage(["link"])
    made.get_worktree().commit(b"4", author=A, committer=A)
    read = committed_reader(folder, "HEAD")
    assert read(folder / "top") == b"three"
    for name in ("link", "deep", "deep/none", "top/file"):
        with pytest.raises(UnknownRevision, match="at `HEAD`"):
            read(folder / name)


def test_outside_a_repository_no_revision_exists(tmp_path):
    with pytest.raises(UnknownRevision, match="not in a git repository"):
        committed_reader(tmp_path, "HEAD")
    (tmp_path / ".git").write_text("not a pointer")
    with pytest.raises(UnknownRevision, match="not in a git repository"):
        committed_reader(tmp_path, "HEAD")
    assert commit_state(tmp_path, []) is None


def test_references_that_lead_nowhere_or_in_a_circle_are_refused(repository):
    made, _ = repository
    folder, git = Path(made.path), Path(made.path, ".git")
    for text in ("ref: refs/heads/a/../b", "ref: other", "xyz", "ref: refs/heads/circle"):
        (git / "refs" / "heads" / "circle").write_text(text)
        with pytest.raises(UnknownRevision):
            committed_reader(folder, "circle")
    (git / "refs" / "heads" / "circle").unlink()
    os.mkfifo(git / "refs" / "heads" / "circle")  # a pipe is not waited for
    with pytest.raises(UnknownRevision):
        committed_reader(folder, "circle")


def test_a_search_ends_with_its_time(repository, monkeypatch):
    made, _ = repository
    monkeypatch.setattr(commits, "STARTED_WITHIN", 0.0)
    with pytest.raises(UnknownRevision):
        committed_reader(Path(made.path), "HEAD")


def test_a_tree_in_place_of_a_commit_is_refused(repository):
    made, names = repository
    tree = made[names[0].encode()].tree.decode()
    blob = Blob.from_string(b"content")
    made.object_store.add_object(blob)
    for name in (tree, blob.id.decode()):
        with pytest.raises(UnknownRevision):
            committed_reader(Path(made.path), name)
        (Path(made.path, ".git") / "refs" / "heads" / "wrong").write_text(name)
        (Path(made.path, ".git") / "HEAD").write_text("ref: refs/heads/wrong")
        for revision in ("HEAD", "HEAD~1"):
            with pytest.raises(UnknownRevision):
                committed_reader(Path(made.path), revision)


def test_files_that_are_too_large_are_refused(repository, monkeypatch):
    made, _ = repository
    monkeypatch.setattr(commits, "LARGEST", len("three") - 1)
    with pytest.raises(UnknownRevision):
        top(made, "HEAD")
    assert top(made, "HEAD~1") == "two"
