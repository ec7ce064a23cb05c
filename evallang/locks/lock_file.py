"""`study.lock`: the settings of a study at a date, as a file that is committed.

JSON with one line for each setting, sorted, so that a change is a difference of one line. An
amendment is a line too: its reason stays in the file. Names of machines and people are not in it.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evallang.effect import Effect
from evallang.frozen_records import frozen
from evallang.limits import RESULTS_BYTES, OverLimit
from evallang.locks.setting import Setting

SCHEMA = "evallang/lock/1"
SUFFIX = ".lock"


class LockRefused(Exception):
    """A lock file that cannot be read; the text is a sentence for the user."""


@frozen
class Amendment:
    """A later change of a lock: its date, its reason, and the places that it changed."""

    date: str
    reason: str
    changed: tuple[str, ...] = ()


@frozen
class Lock:
    """The settings of a study at a date, with the amendments since it was first locked."""

    date: str
    settings: tuple[Setting, ...]
    amendments: tuple[Amendment, ...] = field(default=())

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
            f"`{path.name}` has the marks of a merge conflict; "
            f"`evallang lock {path.stem}.eval --update REASON` writes it again from the study"
        )
    return _parsed(text, path.name)


def _parsed(text: str, name: str) -> Lock:
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise LockRefused(f"`{name}` is not a lock of this version ({SCHEMA})")
        lock = Lock(
            _date(document["date"]),
            tuple(_setting(one) for one in document["settings"]),
            tuple(_amendment(one) for one in document.get("amendments", [])),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LockRefused(
            f"`{name}` is damaged ({error}); `evallang lock {Path(name).stem}.eval --update "
            "REASON` writes it again from the study"
        ) from error
    if document.get("protocol_sha256") != lock.sha256:
        raise LockRefused(
            f"`{name}` was edited by hand: its settings do not have the hash that it states; "
            f"`evallang lock {Path(name).stem}.eval --update REASON` writes it again from the study"
        )
    return lock


def _setting(one: Any) -> Setting:
    return Setting(
        _text(one["section"]),
        _text(one.get("item", "")),
        _text(one.get("name", "")),
        _value(one.get("value")),
        bool(one.get("stated", True)),
        Effect[one.get("effect", "NUMBERS").upper()],
    )


def _amendment(one: Any) -> Amendment:
    changed = tuple(map(_text, one.get("changed", [])))
    return Amendment(_date(one["date"]), _text(one["reason"]), changed)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is not a text")
    return value


def _date(value: Any) -> str:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", _text(value)) is None:
        raise ValueError(f"{value!r:.40} is not a date")
    return str(value)


DEEPEST = 8  # lists inside lists; settings have two


def _value(value: Any, depth: int = 0) -> Any:
    """Return a value that a setting may have; raises `ValueError` for another."""
    if isinstance(value, list) and depth < DEEPEST:
        return [_value(one, depth + 1) for one in value]
    if value is not None and not isinstance(value, bool | int | float | str):
        raise ValueError(f"{value!r:.40} is not the value of a setting")
    return value


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
                one = _amendment(json.loads(plain))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
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
    yield from _items([_plain_amendment(one) for one in lock.amendments])
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


def _plain_amendment(one: Amendment) -> dict[str, Any]:
    return {"changed": list(one.changed), "date": one.date, "reason": one.reason}
