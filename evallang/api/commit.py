"""The commit a study was run at: what dulwich reads in a process of its own, without git.

Git runs programs that a repository's configuration names. Here no configuration, index, attribute
or hook is read: only `HEAD`, references and objects. They are anyone's files, which may be pipes,
devices or compressed bombs; so the process that reads them has little time and memory.
"""

import os
import re
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from evallang.own_python import own_environment, own_python
from evallang.results.records import GitState

LARGEST = 16 * 2**20
"""Bytes of a file of the study; beyond it nothing is stated."""
MEMORY = 2**28
"""Bytes that reading a repository may take."""
LONGEST = 1
"""Seconds of work after which a search ends without an answer."""
WAITED = 2
"""The same in seconds of a clock, which a busy machine needs, in multiples of these."""
STARTED_WITHIN = 20.0
"""Seconds in which a process must start and answer, on whatever machine."""

REVISION = re.compile(r"([^~^:@{}\s]+)((?:[~^]\d*)*)")
"""A name, or at least four digits, of a commit, and the way to an ancestor."""


class UnknownRevision(Exception):
    """A revision, or a file at one, that a repository does not have."""


class _Question(Struct, frozen=True):
    """Which files to read: their places below the root of a repository, at a revision."""

    own: str
    common: str
    revision: str
    files: Sequence[str]


class _Answer(Struct, frozen=True):
    """The commit of a revision, and the content of each file, None where it is missing."""

    commit: str
    contents: Sequence[bytes | None]


def commit_state(folder: Path, files: Iterable[tuple[Path, str | None]]) -> GitState | None:
    """Read the commit of the repository around `folder`, and whether `files` are as in it.

    `files` are paths with the SHA-256 of the bytes that were used, where it is known. A file is
    changed if its bytes differ from those committed, whatever filters a repository declares, or
    if it was never committed. Returns None outside a repository and for one that cannot be read.
    """
    places = [(Path(os.path.realpath(path)), used) for path, used in files]
    try:
        root, own, common = _repository(folder)
        inside = [path for path, _ in places if path.is_relative_to(root)]
        found = _asked(own, common, "HEAD", [str(path.relative_to(root)) for path in inside])
        committed = dict(zip(inside, found.contents, strict=True))
        return GitState(
            found.commit, any(_is_changed(*place, committed.get(place[0])) for place in places)
        )
    except (UnknownRevision, OSError):
        return None


def _is_changed(path: Path, used: str | None, committed: bytes | None) -> bool:
    """Return whether a file has other bytes than those committed, or had when it was used."""
    if committed is None or not path.is_file() or path.stat().st_size != len(committed):
        return True
    content = path.read_bytes()
    return content != committed or used not in (None, sha256(content).hexdigest())


def committed_reader(folder: Path, revision: str) -> Callable[[Path], bytes]:
    """Return a function that reads files as they were at a revision.

    A revision is `HEAD`, a branch, a tag or a commit (four digits at least), with `~N` and `^`
    for ancestors. Raises `UnknownRevision` here and when the function is called.
    """
    root, own, common = _repository(folder)
    commit = _asked(own, common, revision, []).commit

    def read(path: Path) -> bytes:
        place = Path(os.path.realpath(path.parent)) / path.name
        content = None
        if place.is_relative_to(root):
            content = _asked(own, common, commit, [str(place.relative_to(root))]).contents[0]
        if content is None:
            raise UnknownRevision(f"there is no `{path.name}` at `{revision}`")
        return content

    return read


def revision_place(folder: Path, name: str) -> Path:
    """Return the place of a file of `REVISION:NAME` as git reads it in a folder.

    The name begins at the top of the repository, or in the folder if it begins with `./` or `../`.
    """
    if name.startswith(("./", "../", "/")):
        return folder / name
    try:
        root = _repository(folder)[0]
    except (UnknownRevision, OSError):  # which reading a file of it reports
        return folder / name
    return folder / os.path.relpath(root / name, os.path.realpath(folder))


def _repository(folder: Path) -> tuple[Path, Path, Path]:
    """Find the nearest repository: its working folder, its own files and its shared files."""
    here = Path(os.path.realpath(folder))
    for root in (here, *here.parents):
        place = root / ".git"
        if place.is_file():  # of a linked working folder
            place = root / _line(place).removeprefix("gitdir:").strip()
        if (place / "HEAD").is_file():
            shared = place / "commondir"
            common = place / _line(shared) if shared.is_file() else place
            if (common / "objects").is_dir():
                return root, place, common
    raise UnknownRevision(f"`{folder}` is not in a git repository")


def _line(path: Path) -> str:
    """Return the path that a small file consists of."""
    with path.open("rb") as stream:
        return os.fsdecode(stream.read(4096).strip())


def _asked(own: Path, common: Path, revision: str, files: Sequence[str]) -> _Answer:
    """Ask a process with limits. Raises `UnknownRevision` where it has no answer."""
    question = _Question(str(own), str(common), revision, files)
    command = own_python("from evallang.api.commit import answer; answer()", *_limits())
    try:
        done = subprocess.run(
            command,
            input=msgspec.json.encode(question),
            capture_output=True,
            env=own_environment(),
            timeout=STARTED_WITHIN,
            check=True,
        )
        return msgspec.json.decode(done.stdout, type=_Answer)
    except (subprocess.SubprocessError, OSError, UnicodeError, msgspec.MsgspecError) as error:
        raise UnknownRevision(f"there is no revision `{revision}` here that can be read") from error


def _limits() -> Sequence[str]:
    return (str(LONGEST), str(MEMORY), str(LARGEST))


# --- in the process that reads -----------------------------------------------------------------


def answer() -> None:
    """Answer the question on standard input, within the limits of the command line."""
    from dulwich.object_store import DiskObjectStore
    from dulwich.objectspec import parse_commit, parse_object
    from dulwich.refs import DiskRefsContainer
    from dulwich.repo import BaseRepo

    seconds, memory, largest = map(int, sys.argv[1:])
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=_Question)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(WAITED * seconds)  # which ends a process that waits for a pipe, too
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    repository: Any = BaseRepo(  # whose annotations ask for a Repo, which reads a configuration
        DiskObjectStore(f"{question.common}/objects"),
        DiskRefsContainer(question.common, question.own),
    )
    match = REVISION.fullmatch(question.revision)
    if match is None:
        raise UnknownRevision
    commit = parse_commit(repository, match[1])
    for step in re.findall(r"[~^]\d*", match[2]):
        parent: Any = parse_object(repository, commit.id.decode() + step)
        commit = parse_commit(repository, parent)
    read = [_content(repository, commit.tree, file, largest) for file in question.files]
    with os.fdopen(1, "wb") as answer:
        answer.write(msgspec.json.encode(_Answer(commit.id.decode(), read)))


def _content(repository: Any, tree: Any, file: str, largest: int) -> bytes | None:
    """Return the content of a plain file of a tree, None where it is missing."""
    from dulwich.errors import NotTreeError
    from dulwich.object_store import tree_lookup_path

    try:
        mode, name = tree_lookup_path(repository.__getitem__, tree, os.fsencode(file))
    except (KeyError, NotTreeError):
        return None
    if not stat.S_ISREG(mode):
        return None
    content: bytes = repository[name].data
    if len(content) > largest:
        raise UnknownRevision
    return content
