"""`study.lock`: the settings of a study at a date, as a file that is committed.

JSON with one line for each setting, sorted, so that a change is a difference of one line. An
amendment is a line too: its reason stays in the file. Names of machines and people are not in it.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from evallang.effect import Effect
from evallang.limits import RESULTS_BYTES, OverLimit
from evallang.locks.settings import Setting

SCHEMA = "evallang/lock/1"
SUFFIX = ".lock"


class LockRefused(Exception):
    """A lock file that cannot be read; the text is a sentence for the user."""


Date = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


class Amendment(Struct, frozen=True):
    """A later change of a lock: its date, its reason, and the places that it changed."""

    date: Date
    reason: str
    changed: tuple[str, ...] = ()


class Lock(Struct, frozen=True):
    """The settings of a study at a date, with the amendments since it was first locked."""

    date: str
    settings: tuple[Setting, ...]
    amendments: tuple[Amendment, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of the protocol: of every setting that is more than words."""
        return protocol_hash(self.settings)

    @property
    def has_other_draws(self) -> bool:
        """Whether a version locked the study that drew other splits and resamples."""
        engines = [s.value for s in self.settings if (s.section, s.name) == ("version", "engine")]
        return any(str(engine) in OLDER_ENGINES for engine in engines)


OLDER_ENGINES = frozenset("1234")
"""Numbers of the engine whose draws were made from hashes of the data (CHANGELOG)."""
NOT_PROTOCOL = frozenset({"version", "rows", "splits", "use"})
"""Sections that a lock holds and that are not part of the protocol: data, code and versions."""


def protocol_hash(settings: Sequence[Setting]) -> str:
    """Hash the settings that are more than words; data, code and versions have their own."""
    kept = sorted(
        json.dumps([s.section, s.item, s.name, s.value], ensure_ascii=True)
        for s in settings
        if s.effect is not Effect.WORDS and s.section not in NOT_PROTOCOL
    )
    return sha256("\n".join(kept).encode("ascii")).hexdigest()


def lock_path(study: Path) -> Path:
    """Return the path of the lock next to a study."""
    return study.with_suffix(SUFFIX)


def locked_study(lock: Path) -> Path:
    """Return the path of the study next to a lock."""
    other = lock.with_suffix(".evallang")
    return other if other.is_file() else lock.with_suffix(".eval")


def read_lock(path: Path) -> Lock | None:
    """Read a lock; None where there is no file. Raises `LockRefused`."""
    try:
        if not path.is_file():
            if os.path.lexists(path):
                raise LockRefused(f"`{path.name}` is not a regular file; remove it")
            return None
        RESULTS_BYTES.check("a lock", path.stat().st_size)
        text = path.read_text(encoding="utf-8")
    except OverLimit as error:
        raise LockRefused(f"`{path.name}` cannot be read: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise LockRefused(f"`{path.name}` cannot be read: {error}") from error
    if CONFLICT.search(text):
        raise LockRefused(
            f"`{path.name}` has the marks of a merge conflict; `evallang lock "
            f"{locked_study(path).name} --update REASON` writes it again from the study"
        )
    return _parsed(text, path)


class _Line(Struct, frozen=True):
    """A setting as a lock has it."""

    section: str
    item: str = ""
    name: str = ""
    value: bool | int | float | str | list[Any] | None = None
    stated: bool = True
    effect: Annotated[str, Meta(pattern=f"^(?:{'|'.join(Effect.__members__).lower()})$")] = (
        "numbers"
    )

    @property
    def setting(self) -> Setting:
        effect = Effect[self.effect.upper()]
        return Setting(self.section, self.item, self.name, self.value, self.stated, effect)


class _File(Struct, frozen=True):
    schema: str
    date: Date
    protocol_sha256: str
    settings: tuple[_Line, ...]
    amendments: tuple[Amendment, ...] = ()


def _parsed(text: str, path: Path) -> Lock:
    name, study = path.name, locked_study(path).name
    try:
        found = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        raise LockRefused(
            f"`{name}` is damaged ({error}); `evallang lock {study} --update "
            "REASON` writes it again from the study"
        ) from error
    if found.schema != SCHEMA:
        raise LockRefused(f"`{name}` is not a lock of this version ({SCHEMA})")
    lock = Lock(found.date, tuple(line.setting for line in found.settings), found.amendments)
    if found.protocol_sha256 != lock.sha256:
        raise LockRefused(
            f"`{name}` was edited by hand: its settings do not have the hash that it states; "
            f"`evallang lock {study} --update REASON` writes it again from the study"
        )
    return lock


def has_conflict(path: Path) -> bool:
    """Return whether a file cannot be read as a lock and may be written again."""
    try:
        return path.is_file() and read_lock(path) is None
    except LockRefused:
        return True


CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |$)", re.MULTILINE)


def amendments_in_conflict(path: Path) -> tuple[str, tuple[Amendment, ...]]:
    """Recover the first date and all amendments of a lock with the marks of a conflict, or damaged.

    Every amendment is a line of its own, and those of both sides are kept.
    """
    dates, found = [], {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "", ()
    for line in lines:
        plain = line.strip().rstrip(",")
        if match := re.fullmatch(r'"date": "([^"]*)"', plain):
            dates.append(match[1])
        if plain.startswith(('{"changed"', '{"date"')):
            try:
                one = msgspec.json.decode(plain, type=Amendment)
            except (msgspec.DecodeError, RecursionError):
                continue
            found[one.date, one.reason] = one
    ordered = sorted(found.values(), key=lambda one: one.date)
    return min(dates, default=""), tuple(ordered)


def lock_text(lock: Lock) -> str:
    """Return the text of a lock file: one line for each setting and each amendment, sorted."""
    return "\n".join(_lines(lock)) + "\n"


def _lines(lock: Lock) -> Iterator[str]:
    yield "{"
    yield f' "schema": {json.dumps(SCHEMA)},'
    yield f' "date": {json.dumps(lock.date)},'
    yield f' "protocol_sha256": {json.dumps(lock.sha256)},'
    yield ' "amendments": ['
    yield from _items(
        [
            {"changed": list(one.changed), "date": one.date, "reason": one.reason}
            for one in lock.amendments
        ]
    )
    yield " ],"
    yield ' "settings": ['
    ordered = sorted(lock.settings, key=_order)
    yield from _items([_plain_setting(one) for one in ordered])
    yield " ]"
    yield "}"


def _order(setting: Setting) -> tuple[str, int, str, str]:
    number = int(setting.item) if setting.item.isdecimal() else 0
    return setting.section, number, setting.item, setting.name


def _items(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    for i, one in enumerate(found):
        comma = "," if i + 1 < len(found) else ""
        yield f"  {json.dumps(one, ensure_ascii=False)}{comma}"


def _plain_setting(one: Setting) -> dict[str, Any]:
    document: dict[str, Any] = {"section": one.section}
    document |= {"item": one.item} if one.item else {}
    document |= {"name": one.name, "value": one.value, "stated": one.stated}
    return document | {"effect": one.effect.name.lower()}
