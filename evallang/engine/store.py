"""Outcomes of fits, kept from run to run: one checked file per task, no model and no pickle.

An entry is written to a temporary file, which is then renamed: another process finds the whole
entry or none. It ends with a SHA-256 of its content, and every value is compared with what its
task allows, so that a damaged or foreign file costs a fit and never a result.

Entries whose fits took `FLUSHED_FROM` seconds or more are flushed to the disk before they are
renamed; of the others a loss of power may take the last few seconds.
"""

import contextlib
import errno
import json
import math
import os
import stat
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.engine.fit_outcome import (
    Choice,
    FailedCandidate,
    FitOutcome,
    InnerScores,
    TrainingOutputs,
)
from evallang.engine.store_folder import STUDIES, STUDY_NAME, StoreRefused, store_folder
from evallang.limits import STORE_BYTES
from evallang.models.model import Candidates, ParameterValue, identity, search_space
from evallang.models.thresholds import ChosenThreshold, chooses_threshold
from evallang.planning.keys import ENGINE
from evallang.planning.plan import FitTask
from evallang.results.files import TEMPORARY, write_file

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

FLUSHED_FROM = 1.0  # seconds; flushing takes some 10 ms, as long as a small fit
MOST_STUDIES = 1000  # most recent ones, whose last run is recorded
KEPT_AFTER_TRIMMING = 0.9  # of the limit, so that not every run trims

MAGIC, FORMAT = b"evallang outcome", 3
_HEAD = struct.Struct("<16sHHI")
"""Magic, version of the format, engine number, length of the header."""
DIGEST = 32  # bytes of a SHA-256
MOST_HEADER = 64 * 1024**2  # bytes; warnings and failures of many candidates
ALIGNED = 8  # bytes to which arrays are aligned

TAG, LOCK, UNFINISHED = "CACHEDIR.TAG", "lock", "unfinished"
TAG_TEXT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# This folder is a store of evallang: outcomes of fits, which may be deleted at any time.\n"
    b"# https://bford.info/cachedir/\n"
)


class Contents(Struct, frozen=True):
    """The number of entries of a store, and their size in bytes."""

    entries: int
    size: int


class Store(Struct, frozen=True):
    """A folder with outcomes of fits by the keys of their tasks.

    Attributes
    ----------
    folder : absolute path
    limit : bytes above which the entries that were not used for longest are deleted
    fresh : whether entries are written and not read
    """

    folder: Path
    limit: int
    fresh: bool = False

    # --- entries ---------------------------------------------------------------------------------

    def get(self, task: FitTask, n_classes: int | None) -> FitOutcome | None:
        """Return the outcome of a task, or None; delete an entry that is damaged.

        `n_classes` is None for regression.
        """
        if self.fresh or not task.source_known:
            return None
        found = (self._get(place, task, n_classes) for place in self._places(task))
        return next((outcome for outcome in found if outcome is not None), None)

    def _get(self, place: Path, task: FitTask, n_classes: int | None) -> FitOutcome | None:
        try:
            content = _read(place, _most_bytes(task, n_classes))
            outcome = None if content is None else decode(content, task, n_classes)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.ELOOP:  # a link is never followed
                return None
            outcome = None
        if outcome is None:
            with contextlib.suppress(OSError):
                place.unlink()
            return None
        with contextlib.suppress(OSError):  # the time of the last use; a folder may be read-only
            os.utime(place)
        return outcome

    def has(self, task: FitTask) -> bool:
        """Return whether there is an entry for a task, without reading it."""
        return task.source_known and any(map(_is_file, self._places(task)))

    def put(self, task: FitTask, outcome: FitOutcome) -> str | None:
        """Keep the outcome of a task; return why the system refused, None if it did not.

        Failed fits are not kept, because their reason may be outside the study: they run again.
        """
        if outcome.failure is not None or not outcome.repeatable or not task.source_known:
            return None
        content = encode(task, outcome)
        place = self._places(task)[-1]
        try:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            if not stat.S_ISDIR(place.parent.lstat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "not a directory", str(place.parent))
            with self._unfinished() as (stream, beside):
                stream.write(content)
                stream.flush()
                if outcome.seconds >= FLUSHED_FROM:
                    os.fsync(stream.fileno())
                _move_folder_aside(place)
                beside.replace(place)
        except OSError as error:
            return _reason(error)
        return None

    @contextmanager
    def _unfinished(self) -> Iterator[tuple[Any, Path]]:
        """Open a temporary file that is locked as long as its process is writing it."""
        (self.folder / UNFINISHED).mkdir(mode=0o700, exist_ok=True)
        while True:
            handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=self.folder / UNFINISHED)
            beside = Path(name)
            with os.fdopen(handle, "wb") as stream:
                _flock(handle, wait=True)
                if not os.fstat(handle).st_nlink:
                    continue  # another run took it for a dead one's before it was locked
                try:
                    yield stream, beside
                finally:
                    beside.unlink(missing_ok=True)
                return

    def _places(self, task: FitTask) -> tuple[Path, ...]:
        """Return where an outcome of a task may be: with predictions of training rows elsewhere.

        An outcome that has them serves a task that asks for none; the last place is where the
        outcome of a task is kept.
        """
        further = sha256(f"{task.key} training".encode("ascii")).hexdigest()
        keys = (further,) if task.training else (further, task.key)
        return tuple(self.folder / key[:2] / key for key in keys)

    # --- the folder ------------------------------------------------------------------------------

    def sweep(self) -> None:
        """Delete what dead processes left, and the entries that exceed the limit."""
        with contextlib.suppress(OSError), self._locked() as alone:
            if not alone:
                return
            self._delete_unfinished()
            studies = _oldest_first(self._studies())
            for _, path in studies[:-MOST_STUDIES]:
                Path(path).unlink(missing_ok=True)
            files = _oldest_first([*self._entries(), *self._studies()])
            size = sum(found.st_size for found, _ in files)
            if size <= self.limit:
                return
            for found, path in files:
                if size <= self.limit * KEPT_AFTER_TRIMMING:
                    return
                Path(path).unlink(missing_ok=True)
                size -= found.st_size

    def contents(self) -> Contents:
        """Count the entries, and the bytes of all that is kept."""
        entries = _oldest_first(self._entries())
        files = entries + _oldest_first(self._studies())
        return Contents(len(entries), sum(found.st_size for found, _ in files))

    def clear(self) -> Contents:
        """Delete every entry and all that is known of past runs; return what there was.

        Files that a store does not write stay. Raises `OSError`.
        """
        found = self.contents()
        for item in (*self._entries(), *self._studies()):
            Path(item.path).unlink(missing_ok=True)
        self._delete_unfinished()
        for item in _listed(self.folder):
            if _is_shard(item):
                with contextlib.suppress(OSError):  # it holds files of others
                    Path(item.path).rmdir()
        return found

    def _delete_unfinished(self) -> None:
        for item in _listed(self.folder / UNFINISHED):
            if item.name.startswith(TEMPORARY):
                _delete_if_dead(Path(item.path))

    def _entries(self) -> Iterator["os.DirEntry[str]"]:
        for shard in _listed(self.folder):
            if _is_shard(shard):
                for item in _listed(Path(shard.path)):
                    ours = _is_key(item.name) and item.name.startswith(shard.name)
                    if ours and not item.is_dir(follow_symlinks=False):
                        yield item

    def _studies(self) -> Iterator["os.DirEntry[str]"]:
        """Iterate over what is known of the last run of each study."""
        for item in _listed(self.folder / STUDIES):
            stem, _, end = item.name.partition(".")
            if len(stem) == STUDY_NAME and set(stem) <= HEX and end == "json":
                yield item

    @contextmanager
    def _locked(self) -> Iterator[bool]:
        """Hold the lock of the folder; yield False where another process holds it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self.folder / LOCK, flags, 0o600)
        try:
            yield _flock(handle, wait=False)
        finally:
            os.close(handle)


def _is_file(place: Path) -> bool:
    try:
        return stat.S_ISREG(place.lstat().st_mode)
    except OSError:
        return False


ASIDE = "-folder"


def _move_folder_aside(place: Path) -> None:
    """Rename a folder that has the name of an entry: it is not this store's to delete."""
    if place.is_dir() and not place.is_symlink():
        place.rename(place.with_name(place.name + ASIDE))


def _reason(error: OSError) -> str:
    said = error.strerror or str(error)
    return f"{said[:1].lower()}{said[1:]}"


def _listed(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _oldest_first(items: Iterable["os.DirEntry[str]"]) -> list[tuple[os.stat_result, str]]:
    """Return status and path of the files that still exist, the least recently used first."""
    found = []
    for item in items:
        with contextlib.suppress(FileNotFoundError):
            found.append((item.stat(follow_symlinks=False), item.path))
    return sorted(found, key=lambda file: file[0].st_mtime_ns)


HEX = frozenset("0123456789abcdef")


def _is_shard(item: "os.DirEntry[str]") -> bool:
    return len(item.name) == 2 and set(item.name) <= HEX and item.is_dir(follow_symlinks=False)


def _is_key(name: str) -> bool:
    return len(name) == 64 and set(name) <= HEX


def _flock(handle: int, *, wait: bool) -> bool:
    """Lock an open file; return False where another process holds it, True without locks."""
    try:
        if fcntl is None:
            raise OSError(errno.ENOSYS, "no locks")
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _delete_if_dead(path: Path) -> None:
    """Delete a temporary file whose process has ended, which no longer locks it."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if _flock(handle, wait=False):
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


# --- which folder ----------------------------------------------------------------------------


def open_store(folder: Path, *, fresh: bool = False) -> Store:
    """Open the store in a folder, which is made where it does not exist; raise `StoreRefused`."""
    try:
        if not folder.exists():
            with contextlib.suppress(FileExistsError):  # a link into a circle, refused below
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_is_ours(folder)
        if not (folder / TAG).exists():
            write_file(folder / TAG, TAG_TEXT)
    except OSError as error:
        raise StoreRefused(f"the store `{folder}` cannot be used: {_reason(error)}") from error
    return Store(folder, STORE_BYTES.most, fresh)


def existing_store(given: str | os.PathLike[str] | None = None) -> Store | None:
    """Open the store to look at it: nothing is made; None where it is turned off."""
    folder = store_folder(given)
    if folder is None:
        return None
    try:
        if folder.exists():
            _check_is_ours(folder)
    except OSError as error:
        raise StoreRefused(f"the store `{folder}` cannot be used: {_reason(error)}") from error
    return Store(folder, STORE_BYTES.most)


def _check_is_ours(folder: Path) -> None:
    """Refuse a folder that other users can write, because an entry decides results."""
    found = folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise StoreRefused(f"the store `{folder}` is not a folder")
    _check_owner(found, folder)
    for item in _listed(folder):
        if item.is_symlink():
            raise StoreRefused(
                f"the store `{folder}` contains the link `{item.name}`, and nothing follows a link "
                "there; remove it"
            )
        if item.is_dir():
            _check_owner(item.stat(), Path(item.path))
    others = [i.name for i in _listed(folder) if not i.name.startswith(TEMPORARY)]
    tag = folder / TAG
    if others and not (tag.is_file() and b"evallang" in tag.read_bytes()[:1000]):
        raise StoreRefused(
            f"the store `{folder}` contains files and is not a store of evallang; name an empty or "
            "new folder"
        )


def _check_owner(found: os.stat_result, folder: Path) -> None:
    if found.st_uid != os.geteuid():
        raise StoreRefused(f"the store `{folder}` belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreRefused(
            f"other users can write to the store `{folder}`; run `chmod go-w` on it if it is yours "
            "alone, or name another folder"
        )


# --- the format of an entry ------------------------------------------------------------------


def encode(task: FitTask, outcome: FitOutcome) -> bytes:
    """Return the content of an entry."""
    arrays = [_little_endian(outcome.labels)]
    if outcome.scores is not None:
        arrays.append(_little_endian(outcome.scores))
    if outcome.training is not None:
        arrays.append(_little_endian(outcome.training.labels))
        if outcome.training.scores is not None:
            arrays.append(_little_endian(outcome.training.scores))
    search: dict[str, Any] | None = None
    if outcome.search is not None:
        arrays.append(_little_endian(outcome.search.scores))
        found = outcome.search.candidates
        search = {"asked": None if task.search is None else [_coded(task, c) for c in found]}
    header = {
        "key": task.key,
        "arrays": [[array.dtype.str, list(array.shape)] for array in arrays],
        "probabilities": outcome.probabilities,
        "params": _coded(task, outcome.params),
        "inner_score": outcome.inner_score,
        "seconds": outcome.seconds,
        "warnings": outcome.warnings,
        "inner_failures": [
            [_coded(task, choice), error, message]
            for choice, error, message in outcome.inner_failures
        ],
        "n_fits": outcome.n_fits,
        "search": search,
        "training": outcome.training is not None,
        "training_score": outcome.training_score,
    }
    if outcome.thresholds:
        header["thresholds"] = [[t.value, t.scores, t.member] for t in outcome.thresholds]
    text = json.dumps(header).encode("ascii")
    text += b" " * (-(_HEAD.size + len(text)) % ALIGNED)
    parts = [_HEAD.pack(MAGIC, FORMAT, ENGINE, len(text)), text]
    parts += [array.tobytes() for array in arrays]
    content = b"".join(parts)
    return content + sha256(content).digest()


def _little_endian(array: "NDArray[Any]") -> "NDArray[Any]":
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _coded(task: FitTask, choice: Choice) -> list[Any]:
    """Return the chosen values: a number of a distribution, or the place of a listed value."""
    if not choice:
        return []
    coded: list[Any] = []
    for parameter in search_space(task.pipeline):
        value = choice[parameter.name]
        domain = parameter.candidates
        listed = [identity(known) for known in domain.values]
        coded.append(value if domain.distribution else listed.index(identity(value)))
    return coded


def decode(content: bytearray, task: FitTask, n_classes: int | None) -> FitOutcome | None:
    """Return the outcome in an entry; None where it is damaged or not that of the task."""
    body = memoryview(content)[:-DIGEST]
    if sha256(body).digest() != bytes(content[-DIGEST:]):
        return None
    try:
        return _decoded(body, task, n_classes)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, struct.error):
        return None


def _decoded(body: memoryview, task: FitTask, n_classes: int | None) -> FitOutcome:
    """Return the outcome; raise `ValueError` or another error where a value is not of its kind."""
    header, start = _header(body, len(body) + DIGEST)
    _require(header["key"] == task.key)
    arrays: list[NDArray[Any]] = []
    for kind, shape in header["arrays"]:
        count = math.prod(shape)
        array = np.frombuffer(body, dtype=np.dtype(kind), count=count, offset=start)
        arrays.append(array.reshape(shape).astype(array.dtype.newbyteorder("="), copy=False))
        start += array.nbytes
    search = _search(task, header["search"], arrays)
    trained = header.get("training", False)
    _require(isinstance(trained, bool) and (trained or not task.training))
    _require(start == len(body) and len(arrays) in ((2, 4) if trained else (1, 2)))
    own, further = (arrays[: len(arrays) // 2], arrays[len(arrays) // 2 :]) if trained else (
        arrays, [],
    )  # fmt: skip
    labels, scores = _outputs(own, len(task.test), n_classes)
    training = None
    if task.training:
        training = TrainingOutputs(*_outputs(further, len(task.refit), n_classes))
    probabilities, seconds = header["probabilities"], header["seconds"]
    _require(isinstance(probabilities, bool) and _is_number(seconds) and seconds >= 0)
    score, trained_score = header["inner_score"], header["training_score"]
    _require(score is None or _is_number(score))
    _require(trained_score is None or (_is_number(trained_score) and -2 < trained_score < 2))
    n_fits = header["n_fits"]
    _require(type(n_fits) is int and n_fits >= 1)
    return FitOutcome(
        labels=labels,
        scores=scores,
        probabilities=probabilities,
        params=_choice(task, header["params"]),
        inner_score=score,
        seconds=float(seconds),
        warnings=tuple(_warning(item) for item in header["warnings"]),
        inner_failures=tuple(_failure(task, item) for item in header["inner_failures"]),
        n_fits=n_fits,
        search=search,
        training=training,
        thresholds=_thresholds(task, header.get("thresholds", [])),
        training_score=trained_score,
    )


def _thresholds(task: FitTask, found: Any) -> tuple[ChosenThreshold, ...]:
    """Return the thresholds that a fit chose; entries of older versions lack them."""
    _require(isinstance(found, list))
    _require(bool(found) == chooses_threshold(task.pipeline.steps[-1]))
    made = []
    for value, scores, member in found:
        _require(_is_number(value) and scores in ("probabilities", "margins"))
        _require(isinstance(member, str))
        made.append(ChosenThreshold(float(value), scores, member))
    return tuple(made)


def _outputs(
    arrays: "list[NDArray[Any]]", n: int, n_classes: int | None
) -> "tuple[NDArray[Any], NDArray[Any] | None]":
    """Return labels, and scores if there are any, of n rows."""
    labels, scores = arrays[0], arrays[1] if len(arrays) == 2 else None
    _require(labels.shape == (n,))
    if n_classes is None:
        _require(labels.dtype == np.float64 and bool(np.isfinite(labels).all()) and scores is None)
    else:
        _require(labels.dtype == np.int64 and bool(((labels >= 0) & (labels < n_classes)).all()))
    if scores is not None:
        _require(scores.dtype == np.float64 and bool(np.isfinite(scores).all()))
        _require(scores.shape in ((n,), (n, n_classes)))
    return labels, scores


def _search(task: FitTask, header: Any, arrays: "list[NDArray[Any]]") -> InnerScores | None:
    """Take the scores of a search, which come last, from the arrays of an entry."""
    if header is None:
        return None
    _require(isinstance(header, dict) and bool(task.inner))
    asked = header["asked"]
    _require((asked is None) == (task.search is None))
    candidates = task.candidates if asked is None else tuple(_choice(task, c) for c in asked)
    scores = arrays.pop()
    _require(scores.dtype == np.float64 and scores.shape == (len(task.inner), len(candidates)))
    return InnerScores(candidates, scores)


def _header(body: "memoryview | bytes", size: int) -> tuple[Mapping[str, Any], int]:
    """Return the header of an entry and where its arrays begin; `size` is that of the file."""
    magic, version, engine, length = _HEAD.unpack_from(body)
    _require((magic, version, engine) == (MAGIC, FORMAT, ENGINE) and length <= MOST_HEADER)
    end = _HEAD.size + length
    header = json.loads(bytes(body[_HEAD.size : end]))
    _require(isinstance(header, dict))
    sizes = 0
    for kind, shape in header["arrays"]:
        _require(kind in ("<i8", "<f8") and 1 <= len(shape) <= 2)
        _require(all(type(length) is int and length >= 0 for length in shape))
        sizes += 8 * math.prod(shape)
    _require(end + sizes + DIGEST == size)
    return header, end


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError("not an entry of this task")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _choice(task: FitTask, coded: Any) -> Choice:
    if not task.inner:
        _require(coded == [])
        return {}
    space = search_space(task.pipeline)
    return {p.name: _value(p.candidates, code) for p, code in zip(space, coded, strict=True)}


def _value(domain: Candidates, code: Any) -> ParameterValue:
    if domain.distribution is None:
        _require(type(code) is int and code >= 0)
        listed: ParameterValue = domain.values[code]
        return listed
    if domain.low is None or domain.high is None or not isinstance(code, int | float):
        raise TypeError("not a number of a distribution")
    _require(not isinstance(code, bool) and domain.low <= code <= domain.high)
    return code


def _warning(item: Any) -> tuple[str, str, int]:
    category, message, n = item
    _require(isinstance(category, str) and isinstance(message, str))
    _require(type(n) is int and n >= 1)
    return category, message, n


def _failure(task: FitTask, item: Any) -> FailedCandidate:
    coded, error, message = item
    _require(isinstance(error, str) and isinstance(message, str))
    return _choice(task, coded), error, message


# --- reading ---------------------------------------------------------------------------------


def _most_bytes(task: FitTask, n_classes: int | None) -> int:
    """Return the size of the largest entry that a task can have."""
    tried = len(task.candidates) if task.search is None else task.search.n
    rows = len(task.test) + len(task.refit)  # training rows may be predicted too
    values = rows * (1 + max(n_classes or 0, 1)) + len(task.inner) * tried
    return _HEAD.size + MOST_HEADER + 8 * values + DIGEST


def _read(place: Path, most: int) -> bytearray | None:
    """Read a regular file of this user's; None where it is not, or not as long as it says."""
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb", buffering=0) as stream:
        found = os.fstat(handle)
        whole = found.st_size
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or whole > most:
            return None
        if whole < _HEAD.size + DIGEST:
            return None
        head = os.pread(handle, _HEAD.size, 0)
        try:
            length = _HEAD.unpack(head)[-1]
            _header(os.pread(handle, _HEAD.size + min(length, MOST_HEADER), 0), whole)
        except (ValueError, TypeError, KeyError, RecursionError, struct.error):
            return None
        content = bytearray(whole)
        view, done = memoryview(content), 0
        while done < whole:
            got = stream.readinto(view[done:])
            if not got:
                return None  # it became shorter meanwhile
            done += got
        return content
