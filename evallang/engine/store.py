"""Outcomes of fits, kept from run to run: one checked file per task, no model and no pickle.

An entry is an npz file of arrays, one of which is a record in JSON. It is written under a
temporary name and renamed: another process finds the whole entry or none. It ends with a SHA-256
of its content, and every value is compared with what its task allows, so that a damaged or foreign
file costs a fit and never a result.

Entries whose fits took `FLUSHED_FROM` seconds or more are flushed to the disk before they are
renamed; of the others a loss of power may take the last few seconds.
"""

import contextlib
import errno
import fcntl
import io
import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, convert, to_builtins
from numpy.typing import NDArray

from evallang.engine.fit_outcome import (
    Choice,
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

FLUSHED_FROM = 1.0  # seconds; flushing takes some 10 ms, as long as a small fit
MOST_STUDIES = 1000  # most recent ones, whose last run is recorded
KEPT_AFTER_TRIMMING = 0.9  # of the limit, so that not every run trims

FORMAT = 4
DIGEST = 32  # bytes of a SHA-256
MOST_RECORD = 64 * 1024**2  # bytes; warnings and failures of many candidates
MOST_ARRAYS = 2**16  # bytes of what a zip file says of its arrays

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

    def keeps(self, task: FitTask, outcome: FitOutcome) -> bool:
        """Return whether the outcome of a task is one to keep.

        Failed fits are not, because their reason may be outside the study: they run again.
        """
        return outcome.failure is None and outcome.repeatable and task.source_known

    def put(self, task: FitTask, outcome: FitOutcome) -> str | None:
        """Keep the outcome of a task; return why the system refused, None if it did not."""
        if not self.keeps(task, outcome):
            return None
        content = encode(task, outcome)
        place = self._places(task)[-1]
        try:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            if not stat.S_ISDIR(place.parent.lstat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "not a directory", str(place.parent))
            with self._locked(alone=False):
                self._write(place, content, flush=outcome.seconds >= FLUSHED_FROM)
        except OSError as error:
            return _reason(error)
        return None

    def _write(self, place: Path, content: bytes, *, flush: bool) -> None:
        """Write an entry under a temporary name, and rename it."""
        (self.folder / UNFINISHED).mkdir(mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=self.folder / UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                if flush:
                    os.fsync(handle)
            Path(name).replace(place)
        finally:
            Path(name).unlink(missing_ok=True)

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
        with contextlib.suppress(OSError), self._locked(alone=True):
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
        with contextlib.suppress(BlockingIOError), self._locked(alone=True):
            self._delete_unfinished()
        for item in _listed(self.folder):
            if _is_shard(item):
                with contextlib.suppress(OSError):  # it holds files of others
                    Path(item.path).rmdir()
        return found

    def _delete_unfinished(self) -> None:
        """Delete what killed processes were writing, while none writes."""
        for item in _listed(self.folder / UNFINISHED):
            if item.name.startswith(TEMPORARY):
                Path(item.path).unlink(missing_ok=True)

    def _entries(self) -> Iterator["os.DirEntry[str]"]:
        for shard in _listed(self.folder):
            if _is_shard(shard):
                for item in _listed(Path(shard.path)):
                    ours = (
                        len(item.name) == 64 and set(item.name) <= HEX
                    ) and item.name.startswith(shard.name)
                    if ours and not item.is_dir(follow_symlinks=False):
                        yield item

    def _studies(self) -> Iterator["os.DirEntry[str]"]:
        """Iterate over what is known of the last run of each study."""
        for item in _listed(self.folder / STUDIES):
            stem, _, end = item.name.partition(".")
            if len(stem) == STUDY_NAME and set(stem) <= HEX and end == "json":
                yield item

    @contextmanager
    def _locked(self, *, alone: bool) -> Iterator[None]:
        """Hold the lock of the folder: with all who write, or alone.

        Raises `BlockingIOError` where another process writes, for who would be alone.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self.folder / LOCK, flags, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
        except BlockingIOError:
            os.close(handle)
            raise
        except OSError:  # a file system without locks
            pass
        try:
            yield
        finally:
            os.close(handle)


def _is_file(place: Path) -> bool:
    try:
        return stat.S_ISREG(place.lstat().st_mode)
    except OSError:
        return False


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


# --- which folder ----------------------------------------------------------------------------


def open_store(folder: Path, *, fresh: bool = False, made: bool = True) -> Store:
    """Open the store in a folder, which is `made` where it does not exist; raise `StoreRefused`."""
    try:
        if made and not folder.exists():
            with contextlib.suppress(FileExistsError):  # a link into a circle, refused below
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if made or folder.exists():
            _check_is_ours(folder)
        if made and not (folder / TAG).exists():
            write_file(folder / TAG, TAG_TEXT)
    except OSError as error:
        raise StoreRefused(f"the store `{folder}` cannot be used: {_reason(error)}") from error
    return Store(folder, STORE_BYTES.most, fresh)


def existing_store(given: str | os.PathLike[str] | None = None) -> Store | None:
    """Open the store to look at it: nothing is made; None where it is turned off."""
    folder = store_folder(given)
    return None if folder is None else open_store(folder, made=False)


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

AtLeastOne = Annotated[int, Meta(ge=1)]
Coded = tuple[bool | int | float | str | None, ...]
"""The chosen values: a number of a distribution, or the place of a listed value."""


class _Record(Struct, frozen=True):
    """What an entry holds besides arrays; `key` is that of the task."""

    key: str
    format: int
    engine: int
    probabilities: bool
    params: Coded
    inner_score: float | None
    seconds: Annotated[float, Meta(ge=0)]
    warnings: tuple[tuple[str, str, AtLeastOne], ...]
    inner_failures: tuple[tuple[Coded, str, str], ...]
    n_fits: AtLeastOne
    asked: tuple[Coded, ...] | None
    thresholds: tuple[ChosenThreshold, ...]
    training_score: Annotated[float, Meta(gt=-2, lt=2)] | None


def encode(task: FitTask, outcome: FitOutcome) -> bytes:
    """Return the content of an entry."""
    arrays: dict[str, NDArray[Any] | None] = {"labels": outcome.labels, "scores": outcome.scores}
    if outcome.training is not None:
        arrays["training_labels"] = outcome.training.labels
        arrays["training_scores"] = outcome.training.scores
    asked = None
    if outcome.search is not None:
        arrays["search"] = outcome.search.scores
        if task.search is not None:
            asked = tuple(_coded(task, found) for found in outcome.search.candidates)
    record = _Record(
        key=task.key,
        format=FORMAT,
        engine=ENGINE,
        probabilities=outcome.probabilities,
        params=_coded(task, outcome.params),
        inner_score=outcome.inner_score,
        seconds=outcome.seconds,
        warnings=outcome.warnings,
        inner_failures=tuple(
            (_coded(task, choice), error, message)
            for choice, error, message in outcome.inner_failures
        ),
        n_fits=outcome.n_fits,
        asked=asked,
        thresholds=outcome.thresholds,
        training_score=outcome.training_score,
    )
    # not by msgspec's own, as a message may hold half a character
    text = json.dumps(to_builtins(record, enc_hook=np.generic.item)).encode("ascii")
    stream = io.BytesIO()
    given: dict[str, Any] = {name: array for name, array in arrays.items() if array is not None}
    np.savez(stream, record=np.frombuffer(text, np.uint8), **given)
    content = stream.getvalue()
    return content + sha256(content).digest()


def _coded(task: FitTask, choice: Choice) -> Coded:
    if not choice:
        return ()
    coded: list[Any] = []
    for parameter in search_space(task.pipeline):
        value = choice[parameter.name]
        domain = parameter.candidates
        listed = [identity(known) for known in domain.values]
        coded.append(value if domain.distribution else listed.index(identity(value)))
    return tuple(coded)


def decode(content: bytes, task: FitTask, n_classes: int | None) -> FitOutcome | None:
    """Return the outcome in an entry; None where it is damaged or not that of the task."""
    body = content[:-DIGEST]
    if sha256(body).digest() != content[-DIGEST:]:
        return None
    try:
        return _decoded(body, task, n_classes)
    except Exception:  # whatever a foreign file makes numpy raise
        return None


def _decoded(body: bytes, task: FitTask, n_classes: int | None) -> FitOutcome:
    """Return the outcome; raise `ValueError` or another error where a value is not of its kind."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        _require(sum(part.file_size for part in archive.infolist()) <= len(body))  # as written
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        arrays = dict(archive)
    plain = json.loads(arrays.pop("record").tobytes(), parse_constant=_refuse)
    record = convert(plain, _Record)
    _require((record.key, record.format, record.engine) == (task.key, FORMAT, ENGINE))
    _require(bool(record.thresholds) == chooses_threshold(task.pipeline.steps[-1]))
    labels, scores = _outputs(arrays, "", len(task.test), n_classes)
    training = None
    if task.training:
        training = TrainingOutputs(*_outputs(arrays, "training_", len(task.refit), n_classes))
    return FitOutcome(
        labels=labels,
        scores=scores,
        probabilities=record.probabilities,
        params=_choice(task, record.params),
        inner_score=record.inner_score,
        seconds=record.seconds,
        warnings=record.warnings,
        inner_failures=tuple(
            (_choice(task, coded), error, message)
            for coded, error, message in record.inner_failures
        ),
        n_fits=record.n_fits,
        search=_search(task, record.asked, arrays.get("search")),
        training=training,
        thresholds=record.thresholds,
        training_score=record.training_score,
    )


def _outputs(
    arrays: Mapping[str, NDArray[Any]], start: str, n: int, n_classes: int | None
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return labels, and scores if there are any, of n rows."""
    labels, scores = arrays[f"{start}labels"], arrays.get(f"{start}scores")
    _require(labels.shape == (n,))
    if n_classes is None:
        _require(labels.dtype == np.float64 and bool(np.isfinite(labels).all()) and scores is None)
    else:
        _require(labels.dtype == np.int64 and bool(((labels >= 0) & (labels < n_classes)).all()))
    if scores is not None:
        _require(scores.dtype == np.float64 and bool(np.isfinite(scores).all()))
        _require(scores.shape in ((n,), (n, n_classes)))
    return labels, scores


def _search(
    task: FitTask, asked: tuple[Coded, ...] | None, scores: NDArray[Any] | None
) -> InnerScores | None:
    if scores is None:
        return None
    _require(bool(task.inner) and (asked is None) == (task.search is None))
    candidates = task.candidates if asked is None else tuple(_choice(task, c) for c in asked)
    _require(scores.dtype == np.float64 and scores.shape == (len(task.inner), len(candidates)))
    return InnerScores(candidates, scores)


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError("not an entry of this task")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} cannot be in an entry")


def _choice(task: FitTask, coded: Coded) -> Choice:
    if not task.inner:
        _require(coded == ())
        return {}
    space = search_space(task.pipeline)
    return {p.name: _value(p.candidates, code) for p, code in zip(space, coded, strict=True)}


def _value(domain: Candidates, code: bool | int | float | str | None) -> ParameterValue:
    if isinstance(code, bool) or not isinstance(code, int | float):
        raise TypeError("neither a place nor a number")
    if domain.distribution is None:
        _require(isinstance(code, int) and code >= 0)
        listed: ParameterValue = domain.values[int(code)]
        return listed
    assert domain.low is not None and domain.high is not None, "a distribution has both"
    _require(domain.low <= code <= domain.high)
    return code


# --- reading ---------------------------------------------------------------------------------


def _most_bytes(task: FitTask, n_classes: int | None) -> int:
    """Return the size of the largest entry that a task can have."""
    tried = len(task.candidates) if task.search is None else task.search.n
    rows = len(task.test) + len(task.refit)  # training rows may be predicted too
    values = rows * (1 + max(n_classes or 0, 1)) + len(task.inner) * tried
    return MOST_RECORD + MOST_ARRAYS + 8 * values + DIGEST


def _read(place: Path, most: int) -> bytes | None:
    """Read a regular file of this user's; None where it is not, or larger than it can be."""
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        return stream.read() if ours and found.st_size <= most else None
