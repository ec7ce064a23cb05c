"""Looks: the evaluations of a study on its test data, one line each in a file next to it.

The file is append-only and has no order, so that two branches merge line by line. A line holds
hashes and a date, and no name of a machine or person. The same protocol, data and code evaluated
again is the same look. Looks at the same test data are counted over the studies of a repository:
every one of them is a chance to fit the test data (Dwork et al. 2015; Blum and Hardt 2015).
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from statistics import NormalDist
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct

from evallang.data.dataset import GivenOutcomes, ScoreTable, Table
from evallang.data.hashing import DataHash
from evallang.data.read_sources import ReadSources

SUFFIX = ".looks.jsonl"
MOST_FILES, MOST_FOLDERS, LARGEST = 500, 20_000, 8 * 2**20
"""Files of looks, folders of a repository and bytes of a file that are read."""
PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages"})


class Look(Struct, frozen=True):
    """One evaluation: hashes of the protocol, the data, the code, and of each set of test data."""

    date: str
    study: str
    protocol: str
    data: str
    code: str
    tests: Mapping[str, str]

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes it another look: another protocol, other data, other code."""
        return self.protocol, self.data, self.code

    def line(self) -> str:
        """Return the line of the file."""
        return json.dumps(msgspec.to_builtins(self), ensure_ascii=False, separators=(",", ":"))


def looks_path(study: Path) -> Path:
    """Return the path of the looks next to a study."""
    return study.with_suffix(SUFFIX)


def look_at(
    study: str, protocol: str, read: ReadSources, code: Mapping[str, str], *, date: str
) -> Look:
    """Describe an evaluation of a study on the data that were read."""
    sources: list[Table | GivenOutcomes | ScoreTable] = [
        *read.tables.values(),
        *read.imported,
        *read.score_tables,
    ]
    data = _hash(sorted((one.spec.name, one.sha256) for one in sources))
    tests = {one.spec.name: test_hash(one) for one in sources}
    return Look(date, study, protocol, data, _hash(sorted(code.items())), tests)


def test_hash(source: Table | GivenOutcomes | ScoreTable) -> str:
    """Hash the test data of a source: ids, truth and groups, and never predictions.

    Rows with ids are sorted by them, so that another order is the same test data. Outcomes without
    truth and ids are known by their number.
    """
    digest = DataHash()
    if isinstance(source, ScoreTable):
        digest.text("datasets", sorted(source.datasets))
        return digest.hexdigest()[:32]
    if isinstance(source, GivenOutcomes) and source.test_sha256 is not None:
        return source.test_sha256[:32]
    truth = source.y if isinstance(source, Table) else source.truth
    order: Any = slice(None)
    if isinstance(source, GivenOutcomes):
        ids = source.id_column  # whole numbers stay such, which takes less memory
    else:
        ids = None if source.ids is None else pl.Series(source.ids, dtype=pl.String)
    if ids is not None:
        if not ids.is_sorted():
            order = ids.arg_sort().to_numpy()
            ids = ids[order]
        digest.texts("ids", ids, distinct=True)
    digest.text("n", source.n)
    digest.text("classes", source.classes)
    digest.codes("truth", None if truth is None else np.asarray(truth)[order])
    codes = source.group_codes
    digest.numbers("groups", None if codes is None else np.asarray(codes)[order])
    return digest.hexdigest()[:32]


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=True).encode("ascii")).hexdigest()


def read_looks(path: Path) -> tuple[Look, ...]:
    """Read the looks of a file; a line that is damaged or from a conflict is passed over."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return ()
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(_looks(text))


def _looks(text: str) -> Iterator[Look]:
    for line in text.splitlines():
        with suppress(msgspec.DecodeError, RecursionError):
            yield msgspec.json.decode(line, type=Look)


def record_look(path: Path, look: Look) -> bool:
    """Append a look unless the file has it; return whether it was new. Raises `OSError`.

    The file is locked meanwhile, so that two runs that end at once both leave their lines.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o666)
    with os.fdopen(descriptor, "r+b", closefd=True) as stream:
        if os.fstat(descriptor).st_nlink > 1:
            raise OSError(errno.EMLINK, "is a file with several names", str(path))
        _wait_for(stream.fileno())
        known = stream.read(LARGEST).decode("utf-8", "replace")
        if any(other.identity == look.identity for other in _looks(known)):
            return False
        start = "" if not known or known.endswith("\n") else "\n"
        stream.seek(0, os.SEEK_END)
        stream.write(f"{start}{look.line()}\n".encode("utf-8", "backslashreplace"))
        stream.flush()
        os.fsync(stream.fileno())
    return True


LONGEST_WAIT = 5.0
"""Seconds that a run waits for another one that writes its look."""


def _wait_for(descriptor: int) -> None:
    until = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES) or time.monotonic() > until:
                return  # a file system without locks; one short line is appended at once anyway
            time.sleep(0.01)


def repository_looks(folder: Path) -> tuple[Look, ...]:
    """Read the looks of all studies of the repository around a folder; else of the folder."""
    root = folder.resolve()
    root = next((one for one in (root, *root.parents) if (one / ".git").exists()), root)
    return each_once(look for path in _files_of_looks(root) for look in read_looks(path))


def each_once(looks: Iterable[Look]) -> tuple[Look, ...]:
    """Return looks in the order of their dates, of equal ones the earliest.

    A merge joins the lines of two branches, which may both have recorded a look.
    """
    found: dict[tuple[str, str, str, str], Look] = {}
    for look in sorted(looks, key=lambda look: look.date):
        found.setdefault((look.study, *look.identity), look)
    return tuple(found.values())


def _files_of_looks(root: Path) -> Iterable[Path]:
    found: list[Path] = []
    for seen, (place, folders, files) in enumerate(os.walk(root)):
        if seen >= MOST_FOLDERS or len(found) >= MOST_FILES:
            break
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in PASSED_OVER)
        found += [Path(place) / name for name in sorted(files) if name.endswith(SUFFIX)]
    return found[:MOST_FILES]


def looks_at(looks: Sequence[Look], tests: Iterable[str]) -> int:
    """Return the largest number of looks at one of some sets of test data."""
    return max((sum(test in one.tests.values() for one in looks) for test in tests), default=0)


@cache
def many_looks(confidence: float) -> int:
    """Return the number of looks whose best is expected beyond the bound of an interval.

    The best of k estimates with independent normal errors is expected E[max of k] standard
    errors too high; from the returned k on, that is more than the half-width of an interval at
    `confidence`.
    """
    normal = NormalDist()
    limit = normal.inv_cdf((1 + confidence) / 2)
    grid = np.arange(-10.0, 10.0, STEP)
    below = np.array([normal.cdf(x) for x in grid.tolist()])
    positive = grid >= 0
    k = 2
    while k < MOST_LOOKS and float(np.sum(positive - below**k)) * STEP < limit:
        k += max(1, k // 20)
    return min(k, MOST_LOOKS)


MOST_LOOKS, STEP = 1_000_000, 0.001


def utc(seconds: float | None = None) -> str:
    """Return a moment as text, by default now (SOURCE_DATE_EPOCH, where that is set)."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if seconds is None and epoch.isdecimal():
        seconds = float(epoch)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
