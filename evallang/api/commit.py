"""The commit a study was run at: read from the files of a repository, without git.

Git runs programs that a repository's configuration names. Nothing here starts a process or
reads a configuration, an index, an attribute or a hook: only `HEAD`, references and objects.
Every file is opened as a plain file of limited size, so that pipes, devices and compressed
bombs end the search instead of the run.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha1, sha256
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field

from evallang.results.records import GitState

LARGEST = 16 * 2**20
"""Bytes of an object, a list of references or a file of the study; beyond it nothing is stated."""
MOST_LINKS = 5
"""How many references, and lists of further object folders, may lead to one another."""
LONGEST = 1.0
"""Seconds after which a search ends without an answer."""

COMMIT, TREE, BLOB, TAG, OFFSET_DELTA, REFERENCE_DELTA = 1, 2, 3, 4, 6, 7
KINDS = {b"commit": COMMIT, b"tree": TREE, b"blob": BLOB, b"tag": TAG}


class _NoAnswer(Exception):
    """A repository that is damaged, unusual or hostile."""


def commit_state(folder: Path, files: Iterable[tuple[Path, str | None]]) -> GitState | None:
    """Read the commit of the repository around `folder`, and whether `files` are as in it.

    `files` are paths with the SHA-256 of the bytes that were used, where it is known. A file is
    changed if its bytes differ from those committed, whatever filters a repository declares, or
    if it was never committed. Returns None outside a repository and for one that cannot be read.
    """
    try:
        return _commit_state(folder, files)
    # A repository is anyone's files, read by a library: whatever it raises means no answer.
    except Exception:
        return None


def _commit_state(folder: Path, files: Iterable[tuple[Path, str | None]]) -> GitState | None:
    until = time.monotonic() + LONGEST
    found = _repository(Path(os.path.realpath(folder)))
    if found is None:
        return None
    root, own, common = found
    commit = _resolve(b"HEAD", own, common)
    objects = _Objects(_object_folders(common), until)
    tree = objects.tree_of(commit)
    changed = any(not _is_committed(*file, root, tree, objects) for file in files)
    return GitState(commit, changed)


class UnknownRevision(Exception):
    """A revision, or a file at one, that a repository does not have."""


def committed_reader(folder: Path, revision: str) -> Callable[[Path], bytes]:
    """Return a function that reads files as they were at a revision.

    A revision is `HEAD`, a branch, a tag or a commit (seven digits at least), with `~N` and `^`
    for ancestors. Raises `UnknownRevision` here and when the function is called.
    """
    try:
        found = _repository(Path(os.path.realpath(folder)))
        if found is None:
            raise UnknownRevision(f"`{folder}` is not in a git repository")
        root, own, common = found
        objects = _Objects(_object_folders(common), time.monotonic() + LONGEST)
        tree = objects.tree_of(_commit_named(revision, own, common, objects))
    except UnknownRevision:
        raise
    # As above: whatever a damaged repository makes a library raise means that it cannot be read.
    except Exception as error:
        raise UnknownRevision(f"there is no revision `{revision}` here that can be read") from error

    def read(path: Path) -> bytes:
        objects.until = time.monotonic() + LONGEST
        place = Path(os.path.realpath(path.parent)) / path.name
        try:
            return _committed(place.relative_to(root), tree, objects)
        except Exception as error:
            raise UnknownRevision(f"there is no `{path.name}` at `{revision}`") from error

    return read


def revision_place(folder: Path, name: str) -> Path:
    """Return the place of a file of `REVISION:NAME` as git reads it in a folder.

    The name begins at the top of the repository, or in the folder if it begins with `./` or `../`.
    """
    here = Path(os.path.realpath(folder))
    try:
        found = _repository(here)
    except Exception:  # a damaged repository, which reading a file of it reports
        found = None
    if found is None or name.startswith(("./", "../", "/")):
        return folder / name
    return folder / os.path.relpath(found[0] / name, here)


def _commit_named(revision: str, own: Path, common: Path, objects: _Objects) -> str:
    """Find the commit of a revision; the first parent is followed for `~N` and each `^`."""
    match = re.fullmatch(r"([^~^:\s]+)((?:~\d*|\^)*)", revision)
    if match is None:
        raise _NoAnswer
    commit = _named(match[1], own, common, objects)
    steps = re.findall(r"~(\d*)|(\^)", match[2])
    for number, parent in steps:
        for _ in range(1 if parent else int(number or 1)):
            commit = objects.parents_of(commit)[0]
    return commit


def _named(name: str, own: Path, common: Path, objects: _Objects) -> str:
    if name == "HEAD":
        return _resolve(b"HEAD", own, common)
    for start in ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"):
        reference = (start + name).encode()
        if reference.startswith(b"refs/"):
            with contextlib.suppress(_NoAnswer, OSError):
                return objects.commit_of(_resolve(reference, own, common))
    if re.fullmatch("[0-9a-f]{7,40}", name):
        return objects.commit_of(name if len(name) == 40 else objects.completed(name))
    raise _NoAnswer


def _committed(place: Path, tree: str, objects: _Objects) -> bytes:
    """Return the content of a file of a tree."""
    *folders, name = (os.fsencode(part) for part in place.parts)
    for folder in folders:
        tree = objects.entries(tree)[folder][1]
    mode, blob = objects.entries(tree)[name]
    if not stat.S_ISREG(mode):
        raise _NoAnswer
    return objects.read(blob)[1]


def _repository(folder: Path) -> tuple[Path, Path, Path] | None:
    """Find the nearest repository: its working folder, its own files and its shared files."""
    for root in (folder, *folder.parents):
        place = root / ".git"
        if place.is_file():
            pointer = _content(place, 4096).decode()
            if not pointer.startswith("gitdir:"):
                return None
            place = root / pointer.removeprefix("gitdir:").strip()
        if not (place / "HEAD").is_file():
            continue
        common = place
        if (place / "commondir").is_file():
            common = place / _content(place / "commondir", 4096).decode().strip()
        if (common / "objects").is_dir():
            return root, place, common
    return None


def _open(path: Path) -> BinaryIO:
    """Open a plain file; a pipe is not waited for. Raises `_NoAnswer` for anything else."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _NoAnswer
    return os.fdopen(handle, "rb")


def _content(path: Path, most: int = LARGEST) -> bytes:
    with _open(path) as stream:
        found = stream.read(most + 1)
    if len(found) > most:
        raise _NoAnswer
    return found


def _resolve(name: bytes, own: Path, common: Path) -> str:
    """Follow a reference to a commit; those of `refs/` are shared, `HEAD` is not."""
    for _ in range(MOST_LINKS):
        if name != b"HEAD" and (not name.startswith(b"refs/") or b".." in name):
            break
        place = (own if name == b"HEAD" else common) / os.fsdecode(name)
        text = _content(place).strip() if place.exists() else _packed_reference(name, common)
        if not text.startswith(b"ref:"):
            commit = text.decode("ascii")
            if len(commit) == 40 and set(commit) <= set("0123456789abcdef"):
                return commit
            break
        name = text.removeprefix(b"ref:").strip()
    raise _NoAnswer


def _packed_reference(name: bytes, common: Path) -> bytes:
    for line in _content(common / "packed-refs").splitlines():
        commit, _, listed = line.partition(b" ")
        if listed == name:
            return commit
    raise _NoAnswer


def _object_folders(common: Path) -> list[Path]:
    """List where objects may lie: the repository, and those that it borrows from."""
    found, new = [], [common / "objects"]
    for _ in range(MOST_LINKS):
        found += new
        listed = [(place, place / "info" / "alternates") for place in new]
        new = [
            place / os.fsdecode(line.strip())
            for place, file in listed
            if file.is_file()
            for line in _content(file, 2**16).splitlines()
            if line.strip() and not line.startswith(b"#")
        ][:100]
    return found


class _Objects(Struct):
    """The objects of a repository, read within a time limit."""

    folders: list[Path]
    until: float
    _trees: dict[str, dict[bytes, tuple[int, str]]] = field(default_factory=dict)

    def tree_of(self, commit: str) -> str:
        from dulwich.objects import Commit

        kind, content = self.read(commit)
        found = Commit.from_string(content)
        if kind != COMMIT or not isinstance(found, Commit):
            raise _NoAnswer
        return bytes(found.tree).decode("ascii")

    def parents_of(self, commit: str) -> tuple[str, ...]:
        """Return the parents of a commit."""
        from dulwich.objects import Commit

        kind, content = self.read(commit)
        found = Commit.from_string(content)
        if kind != COMMIT or not isinstance(found, Commit):
            raise _NoAnswer
        return tuple(parent.decode("ascii") for parent in found.parents)

    def commit_of(self, name: str) -> str:
        """Return the commit that an annotated tag names, or the commit itself."""
        from dulwich.objects import Tag

        for _ in range(MOST_LINKS):
            kind, content = self.read(name)
            if kind == COMMIT:
                return name
            found = Tag.from_string(content)
            if kind != TAG or not isinstance(found, Tag):
                break
            name = found.object[1].decode("ascii")
        raise _NoAnswer

    def completed(self, start: str) -> str:
        """Return the name of the only object that begins with some digits."""
        found: set[str] = set()
        for folder in self.folders:
            self._look_at_clock()
            place = folder / start[:2]
            if place.is_dir():
                found |= {
                    start[:2] + p.name for p in place.iterdir() if p.name.startswith(start[2:])
                }
            for index, _ in _packs(folder):
                found |= {name for name in _names_in(index) if name.startswith(start)}
        if len(found) != 1:
            raise _NoAnswer
        return found.pop()

    def entries(self, tree: str) -> Mapping[bytes, tuple[int, str]]:
        """Read a folder as committed: mode and object of each name."""
        from dulwich.objects import parse_tree

        if tree not in self._trees:
            kind, content = self.read(tree)
            if kind != TREE:
                raise _NoAnswer
            self._trees[tree] = {
                name: (mode, sha.decode("ascii") if len(sha) == 40 else sha.hex())
                for name, mode, sha in parse_tree(content, 20)
            }
        return self._trees[tree]

    def read(self, name: str, links: int = MOST_LINKS) -> tuple[int, bytes]:
        """Find an object: its type and its content."""
        for folder in self.folders:
            self._look_at_clock()
            loose = folder / name[:2] / name[2:]
            if loose.is_file():
                return _unpacked_loose(_content(loose))
            for index, pack in _packs(folder):
                self._look_at_clock()
                offset = _offset_in(index, name)
                if offset is not None:
                    return self._from_pack(pack, offset, links)
        raise _NoAnswer

    def _from_pack(self, path: Path, offset: int, links: int) -> tuple[int, bytes]:
        from dulwich.pack import apply_delta

        changes: list[bytes] = []
        with _open(path) as stream:
            while True:
                self._look_at_clock()
                kind, size, base = _header(stream, offset)
                content = _inflated(stream, size)
                if kind == OFFSET_DELTA:
                    changes.append(content)
                    offset -= int(base)
                elif kind == REFERENCE_DELTA:
                    if not links:
                        raise _NoAnswer
                    changes.append(content)
                    kind, content = self.read(str(base), links - 1)
                    break
                else:
                    break
                if sum(map(len, changes)) > LARGEST:
                    raise _NoAnswer
        for change in reversed(changes):
            self._look_at_clock()
            if _size_after(change) > LARGEST:
                raise _NoAnswer
            content = b"".join(apply_delta(content, change))
        return kind, content

    def _look_at_clock(self) -> None:
        if time.monotonic() > self.until:
            raise _NoAnswer


def _packs(folder: Path) -> Iterator[tuple[Path, Path]]:
    place = folder / "pack"
    if place.is_dir():
        for index in place.glob("*.idx"):
            yield index, index.with_suffix(".pack")


def _offset_in(index: Path, name: str) -> int | None:
    from dulwich.object_format import SHA1
    from dulwich.objects import RawObjectID
    from dulwich.pack import load_pack_index_file

    listed = load_pack_index_file(index, _open(index), SHA1)
    try:
        return int(listed.object_offset(RawObjectID(bytes.fromhex(name))))
    except KeyError:
        return None
    finally:
        listed.close()


def _names_in(index: Path) -> Iterator[str]:
    from dulwich.object_format import SHA1
    from dulwich.pack import load_pack_index_file

    listed = load_pack_index_file(index, _open(index), SHA1)
    try:
        yield from (bytes(name).hex() for name, *_ in listed.iterentries())
    finally:
        listed.close()


def _unpacked_loose(compressed: bytes) -> tuple[int, bytes]:
    whole = zlib.decompressobj().decompress(compressed, LARGEST + 1)
    head, _, content = whole.partition(b"\0")
    kind, _, size = head.partition(b" ")
    if len(whole) > LARGEST or int(size) != len(content):
        raise _NoAnswer
    return KINDS[kind], content


def _header(stream: BinaryIO, offset: int) -> tuple[int, int, int | str]:
    """Read the head of an object in a pack: type, size, and the base of a difference.

    The base is a distance back in the pack, or the name of an object. The stream is left
    where the compressed content starts.
    """
    if offset < 0:
        raise _NoAnswer
    stream.seek(offset)
    byte = stream.read(1)[0]
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 128:
        byte = stream.read(1)[0]
        size |= (byte & 127) << shift
        shift += 7
    if size > LARGEST:
        raise _NoAnswer
    if kind == REFERENCE_DELTA:
        return kind, size, stream.read(20).hex()
    distance = 0
    if kind == OFFSET_DELTA:
        byte = stream.read(1)[0]
        distance = byte & 127
        while byte & 128:
            byte = stream.read(1)[0]
            distance = (distance + 1) << 7 | byte & 127
        if distance <= 0:
            raise _NoAnswer
    return kind, size, distance


def _inflated(stream: BinaryIO, size: int) -> bytes:
    inflate, found = zlib.decompressobj(), b""
    while len(found) <= size and not inflate.eof:
        block = inflate.unconsumed_tail or stream.read(2**16)
        if not block:
            break
        found += inflate.decompress(block, size + 1 - len(found))
    if len(found) != size:
        raise _NoAnswer
    return found


def _size_after(change: bytes) -> int:
    """Read from a difference how large its result is: the second number at its start."""
    place, sizes = 0, []
    for _ in range(2):
        size = shift = 0
        while True:
            byte = change[place]
            place += 1
            size |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                break
        sizes.append(size)
    return sizes[1]


def _is_committed(path: Path, used: str | None, root: Path, tree: str, objects: _Objects) -> bool:
    """Return whether a file has the bytes committed at its place, and had them when used."""
    place = Path(os.path.realpath(path))
    if not place.is_relative_to(root) or not place.is_file():
        return False
    *folders, name = (os.fsencode(part) for part in place.relative_to(root).parts)
    for folder in folders:
        mode, inner = objects.entries(tree).get(folder, (0, ""))
        if not stat.S_ISDIR(mode):
            return False
        tree = inner
    mode, blob = objects.entries(tree).get(name, (0, ""))
    content = _content(place)
    same = sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == blob
    unchanged = used is None or sha256(content).hexdigest() == used
    return same and unchanged and stat.S_ISREG(mode)
