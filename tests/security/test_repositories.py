"""Repositories around a study: their commit is read, nothing that they configure is run."""

import os
import time
import zlib
from hashlib import sha256
from pathlib import Path

import pytest
from dulwich.objects import Blob
from dulwich.repo import Repo
from security.planting import called, environment, launchers, left, program, repository, written

from evallang.api.commit import commit_state
from evallang.results import codec


def state(folder, *files):
    """Return commit and state, with the time that they took held to a second or two."""
    start = time.perf_counter()
    found = commit_state(folder, [(file, None) for file in files])
    assert time.perf_counter() - start < 3
    return None if found is None else (found.commit, found.dirty)


@pytest.fixture
def study(tmp_path):
    return written(tmp_path / "tree" / "sub")


def test_no_program_that_a_repository_names_is_run(tmp_path, study):
    marks, tree = tmp_path / "marks", study.parents[1]
    (tree / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text eol=lf\n")
    commit = repository(tree)
    evil = program(tmp_path / "elsewhere" / "evil", marks)
    words = (
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {0}\n\tpager = {0}\n\teditor = {0}\n"
        "\tsshCommand = {0}\n\talternateRefsCommand = {0}\n\thooksPath = {1}\n\tworktree = /tmp\n"
        '[filter "evil"]\n\tclean = {0}\n\tsmudge = {0}\n\tprocess = {0}\n\trequired = true\n'
        '[diff "evil"]\n\ttextconv = {0}\n\tcommand = {0}\n[diff]\n\texternal = {0}\n'
        "[alias]\n\tstatus = !{0}\n\trev-parse = !{0}\n[credential]\n\thelper = !{0}\n"
        "[gpg]\n\tprogram = {0}\n[safe]\n\tbareRepository = all\n\tdirectory = *\n"
        "[include]\n\tpath = {2}\n"
    )
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tree / ".git" / "config").write_text(words.format(evil, evil.parent, pipe))
    for hook in (
        "post-index-change",
        "post-checkout",
        "fsmonitor-watchman",
        "reference-transaction",
    ):
        program(tree / ".git" / "hooks" / hook, marks)
        program(evil.parent / hook, marks)
    for place in (study.parent, tree, tmp_path / "bin"):
        program(place / "git", marks)
    os.utime(study)  # a repository's list of files is out of date, so its monitor would be asked
    env = environment(PATH=f"{tmp_path / 'bin'}:.:{os.environ['PATH']}")
    run = [*launchers()["script"], "run", "study.eval", "-j", "1", "--format", "csv"]
    done = called(run, study.parent, env)
    assert (done.returncode, left(marks)) == (0, []), done.stderr
    text = (study.parent / "study-results" / "results.json").read_text()
    git = codec.loads(text).provenance.git
    assert (git.commit, git.dirty) == (commit, False)


def test_a_bare_repository_in_the_tree_is_not_taken_for_its_own(tmp_path, study):
    commit = repository(study.parents[1])
    bare = Repo.init_bare(str(study.parent / "bare"), mkdir=True)
    bare.close()
    inner = written(study.parent / "bare" / "inner")
    assert state(inner.parent, inner) == (commit, True)  # never committed there
    alone = Repo.init_bare(str(tmp_path / "alone"), mkdir=True)
    alone.close()
    assert state(tmp_path / "alone") is None


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_changed_where_its_bytes_are_not_those_committed(tmp_path, study, packed):
    tree = study.parents[1]
    for i in range(20):  # similar files, which a pack holds as differences
        (tree / f"text{i}").write_text("line\n" * 200 + str(i))
    commit = repository(tree)
    if packed:
        repo = Repo(str(tree))
        repo.object_store.pack_loose_objects()
        repo.refs.pack_refs(all=True)
        repo.close()
        assert not list((tree / ".git" / "objects").glob("??/*"))
    assert state(study.parent, study) == (commit, False)
    same = sha256(study.read_bytes()).hexdigest()
    assert not commit_state(study.parent, [(study, same)]).dirty
    assert commit_state(study.parent, [(study, "0" * 64)]).dirty  # it changed since it was read
    new = study.with_name("new.eval")
    new.write_text("evallang 1\n")
    assert state(study.parent, study, new) == (commit, True)
    study.write_bytes(study.read_bytes().replace(b"\n", b"\r\n"))
    assert state(study.parent, study) == (commit, True)
    study.unlink()
    assert state(study.parent, study) == (commit, True)


def test_a_linked_working_folder_and_borrowed_objects_are_followed(tmp_path, study):
    tree = study.parents[1]
    commit = repository(tree)
    linked = tmp_path / "linked"
    linked.mkdir()
    own = tree / ".git" / "worktrees" / "linked"
    own.mkdir(parents=True)
    (own / "HEAD").write_text(f"{commit}\n")
    (own / "commondir").write_text("../..\n")
    (linked / ".git").write_text(f"gitdir: {own}\n")
    (linked / "sub").mkdir()
    (linked / "sub" / "study.eval").write_bytes(study.read_bytes())
    assert state(linked / "sub", linked / "sub" / "study.eval") == (commit, False)
    borrowing = tmp_path / "borrowing"
    Repo.init(str(borrowing), mkdir=True).close()
    (borrowing / ".git" / "HEAD").write_text(f"{commit}\n")
    alternates = borrowing / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{tree / '.git' / 'objects'}\n")
    (borrowing / "sub").mkdir()
    (borrowing / "sub" / "study.eval").write_bytes(study.read_bytes())
    assert state(borrowing, borrowing / "sub" / "study.eval") == (commit, False)
    alternates.write_text(f"{borrowing / '.git' / 'objects'}\n")  # from itself
    assert state(borrowing, borrowing / "sub" / "study.eval") is None


def _pack(folder: Path, entries: list[bytes], names: list[str]) -> None:
    """Write a pack of these bytes, whatever they are, with a list that names them."""
    import struct

    place = folder / "objects" / "pack"
    place.mkdir(parents=True, exist_ok=True)
    body, offsets = b"PACK" + struct.pack(">LL", 2, len(entries)), []
    for entry in entries:
        offsets.append(len(body))
        body += entry
    (place / "pack-0.pack").write_bytes(body + bytes(20))
    listed = sorted(zip([bytes.fromhex(n) for n in names], offsets, strict=True))
    counts = [sum(name[0] <= first for name, _ in listed) for first in range(256)]
    index = b"\xfftOc" + struct.pack(">L", 2) + struct.pack(">256L", *counts)
    index += b"".join(name for name, _ in listed) + bytes(4 * len(listed))
    index += b"".join(struct.pack(">L", offset) for _, offset in listed) + bytes(40)
    (place / "pack-0.idx").write_bytes(index)


def _head(kind: int, size: int) -> bytes:
    made, byte, size = [], kind << 4 | size & 15, size >> 4
    while size:
        made.append(byte | 128)
        byte, size = size & 127, size >> 7
    return bytes([*made, byte])


def _number(size: int) -> bytes:
    made = []
    while size > 127:
        made.append(size & 127 | 128)
        size >>= 7
    return bytes([*made, size])


def _bomb(pieces: int) -> bytes:
    """Return a packed commit of ten million zeros a piece, each packed the same."""
    said, zeros = b"commit %d\0" % (pieces * 10**7), bytes(10**7)
    packer = zlib.compressobj(9)
    begun = packer.compress(said) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush()[:-4]
    high, low = divmod(zlib.adler32(said), 2**16)  # a zero adds nothing but `low` to `high`
    high = (high + low * len(zeros) * pieces) % 65521
    return begun + piece * pieces + end + (high << 16 | low).to_bytes(4, "big")


HERE, THERE = "11" * 20, "22" * 20


def damage(kind: str, tree: Path, commit: str, tmp_path: Path) -> None:
    """Make a repository one that would hang, fill the memory or go in circles."""
    git = tree / ".git"
    loose = git / "objects" / commit[:2] / commit[2:]
    if kind == "pipe for HEAD":
        (git / "HEAD").unlink()
        os.mkfifo(git / "HEAD")
    elif kind == "pipe for .git":
        git.rename(tmp_path / "away")
        os.mkfifo(git)
    elif kind == "device for a reference":
        (git / "HEAD").write_text("ref: refs/heads/x\n")
        (git / "refs" / "heads" / "x").symlink_to("/dev/zero")
    elif kind == "references in a circle":
        (git / "HEAD").write_text("ref: refs/heads/x\n")
        (git / "refs" / "heads" / "x").write_text("ref: refs/heads/x\n")
    elif kind == "reference outside":
        (tmp_path / "secret").write_text(f"{commit}\n")
        (git / "HEAD").write_text("ref: refs/../../../secret\n")
    elif kind == "bytes for HEAD":
        (git / "HEAD").write_bytes(b"\xff\0" * 50)
    elif kind == "folder for HEAD":
        (git / "HEAD").unlink()
        (git / "HEAD").mkdir()
    elif kind == "bomb":
        loose.chmod(0o644)
        loose.write_bytes(_bomb(300))
    elif kind == "blob for a commit":
        (git / "HEAD").write_text(Blob.from_string(b"x").id.decode() + "\n")
    else:
        (git / "HEAD").write_text(f"{HERE}\n")
        change = zlib.compress(_number(9) + _number(9) + b"\x91\x09")
        if kind == "differences in a circle":
            entry = _head(7, 4) + bytes.fromhex(THERE) + change
            other = _head(7, 4) + bytes.fromhex(HERE) + change
            _pack(git, [entry, other], [HERE, THERE])
        elif kind == "large object in a pack":
            _pack(git, [_head(1, 2**40) + zlib.compress(bytes(100))], [HERE])
        elif kind == "object longer than it says":
            _pack(git, [_head(1, 10) + zlib.compress(bytes(50_000_000))], [HERE])
        elif kind == "large difference":
            base = _head(1, 2**16) + zlib.compress(bytes(2**16))
            ops = _number(2**16) + _number(2**16 * 10**6) + b"\x80" * 10**6
            delta = _head(7, len(ops)) + bytes.fromhex(THERE) + zlib.compress(ops)
            _pack(git, [delta, base], [HERE, THERE])
        elif kind == "list of a pack cut off":
            _pack(git, [change], [HERE])
            place = git / "objects" / "pack" / "pack-0.idx"
            place.write_bytes(place.read_bytes()[:600])
        else:
            assert kind == "pipe for a pack"
            _pack(git, [change], [HERE])
            (git / "objects" / "pack" / "pack-0.pack").unlink()
            os.mkfifo(git / "objects" / "pack" / "pack-0.pack")


@pytest.mark.parametrize(
    "kind",
    [
        "pipe for HEAD", "pipe for .git", "device for a reference", "references in a circle",
        "reference outside", "bytes for HEAD", "folder for HEAD", "bomb", "blob for a commit",
        "differences in a circle", "large object in a pack", "object longer than it says",
        "large difference", "list of a pack cut off", "pipe for a pack",
    ],
)  # fmt: skip
def test_a_damaged_or_hostile_repository_gives_no_commit_and_takes_no_time(tmp_path, study, kind):
    tree = study.parents[1]
    commit = repository(tree)
    assert state(study.parent, study) == (commit, False)
    damage(kind, tree, commit, tmp_path)
    assert state(study.parent, study) is None
