"""A study and the lock next to it: write it, compare with it, record looks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evallang.api.preparing import Prepared, read_and_plan
from evallang.api.study_file import StudyFile
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.effect import Effect
from evallang.locks.changes import Change, changes
from evallang.locks.lock_file import (
    Amendment,
    Lock,
    LockRefused,
    amendments_in_conflict,
    has_conflict,
    lock_path,
    lock_text,
    locked_study,
    protocol_hash,
    read_lock,
)
from evallang.locks.looks import (
    look_at,
    looks_at,
    looks_path,
    many_looks,
    record_look,
    repository_looks,
    utc,
)
from evallang.locks.settings import Setting, settings_of
from evallang.results.files import write_file
from evallang.results.provenance import LockState
from evallang.source import SourceFile
from evallang.study import own_sources
from evallang.working_folder import safe_path

Notes = tuple[str, ...]
PEOPLE = frozenset({"authors"})
"""Settings of a study that are not written into a lock."""


class Verdict(Struct, frozen=True):
    """What a study and its lock differ in; `lock` is None where there is none."""

    path: Path
    lock: Lock | None
    changes: tuple[Change, ...]
    sources: Mapping[str, SourceFile]
    updated: bool = False
    """Whether the lock was replaced."""
    written: bool = False
    """Whether there was no lock and one was written."""

    @property
    def advice(self) -> tuple[str, ...]:
        """The advice where the lock differs because its version drew other splits."""
        if self.same or self.lock is None or not self.lock.has_other_draws:
            return ()
        study = locked_study(self.path).name
        return (
            f"`{self.path.name}` was written by a version that drew other splits and resamples; "
            f'`evallang lock {study} --update "other draws"` locks the study again',
        )

    @property
    def same(self) -> bool:
        """Whether protocol and data are the locked ones; words do not count."""
        return self.lock is not None and not any(
            change.effect is not Effect.WORDS for change in self.changes
        )


@safe_path()
def settings_in_force(
    study: StudyFile, prepared: Prepared | None = None, *, content: bool = True
) -> tuple[Setting, ...]:
    """List every setting of a study and what its data are; raises `StudyError`.

    Reads the data unless they were read for `prepared`; without `content` it skips them.
    """
    from evallang.engine.build_results import data_records

    found = prepared or read_and_plan(study)
    data = data_records(found.study, found.read) if content else ()
    families, records = found.planned.families, found.planned.plan.protocols
    return settings_of(found.study, families, data, records, found.read, content=content)


def locked_settings(study: StudyFile, prepared: Prepared | None = None) -> tuple[Setting, ...]:
    """List the settings that a lock holds: all but the names of people."""
    every = settings_in_force(study, prepared)
    return tuple(s for s in every if not (s.section == "study" and s.name in PEOPLE))


def verify_study(study: StudyFile, prepared: Prepared | None = None) -> Verdict:
    """Compare a study and its data with the lock next to it.

    Raises `StudyError` where the study cannot be read, and `LockRefused` for its lock.
    """
    path = lock_path(study.place)
    lock = read_lock(path)
    sources = study.checked.sources
    if lock is None:
        return Verdict(path, None, (), sources)
    now = locked_settings(study, prepared)
    return Verdict(path, lock, changes(lock.settings, now), sources)


def write_lock(study: StudyFile, reason: str | None = None) -> Verdict:
    """Lock a study; return what differs from the former lock.

    Without a `reason` a lock that differs is left as it is. With one the lock is replaced, and
    the reason stays in it; amendments on both sides of a merge conflict are kept. Raises
    `StudyError`, `LockRefused` and `OSError`.
    """
    path = lock_path(study.place)
    now = locked_settings(study)
    conflict = reason is not None and has_conflict(path)
    before = None if conflict else read_lock(path)
    found: tuple[Change, ...] = ()
    if conflict:
        first, amendments = amendments_in_conflict(path)
        before = Lock(first or utc()[:10], (), amendments)
    elif before is not None:
        found = changes(before.settings, now)
        if not found or reason is None:
            return Verdict(path, before, found, study.checked.sources)
    date = utc()[:10]
    lock = Lock(date, now)
    if before is not None and reason is not None:
        amended = tuple(change.place for change in found) or ("merge conflict",)
        amendment = Amendment(date, reason, amended)
        lock = replace(lock, date=before.date, amendments=(*before.amendments, amendment))
    write_file(path, lock_text(lock).encode("utf-8"))
    sources, new = study.checked.sources, before is None
    return Verdict(path, lock, found, sources, updated=not new, written=new)


class NotLocked(Exception):
    """A study is not the one that its lock fixes; `verdict` has the differences."""

    def __init__(self, verdict: Verdict, study: str, date: str) -> None:
        super().__init__(f"{study} differs from the protocol and data locked on {date}")
        self.verdict = verdict


def refuse_unlocked(study: StudyFile, prepared: Prepared) -> None:
    """Raise `NotLocked` where a study differs from its lock, `LockRefused` without a lock."""
    verdict = verify_study(study, prepared)
    if verdict.lock is None:
        raise LockRefused(
            f"there is no `{verdict.path.name}`; `evallang lock {study.path}` writes it"
        )
    if not verdict.same:
        raise NotLocked(verdict, study.path, verdict.lock.date)


class History(Struct, frozen=True):
    """What the files next to a study say of a run: its lock, its looks, and notes for the user."""

    lock: LockState | None = None
    looks: int | None = None
    notes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def history_of(study: StudyFile, prepared: Prepared, record: bool | None) -> History:
    """Compare a run with the lock next to its study, and record it as a look.

    A look that cannot be written, or shall not be (`record` False), is a note that holds its line;
    with None there is no note either. Looks are counted wherever any are recorded.
    """
    if not study.place.is_file():
        return History()
    state, notes = _state_of_lock(study, prepared)
    protocol = protocol_hash(settings_in_force(study, prepared, content=False))
    code = own_sources(prepared.study)
    look = look_at(study.place.stem, protocol, prepared.read, code, date=utc())
    path = looks_path(study.place)
    if record:
        try:
            record_look(path, look)
        except OSError as error:
            notes += (f"`{path.name}` cannot be written ({error.strerror}): {look.line()}",)
    elif record is not None:
        notes += (f"look: {look.line()}",)
    known = repository_looks(study.place.parent)
    if not known and not record:
        return History(state, None, notes)
    others = [one for one in known if (one.study, one.identity) != (look.study, look.identity)]
    number = 1 + looks_at(others, look.tests.values())
    found = (*_many_looks(prepared, number), *_more_than_stated(prepared, number))
    return History(state, number, notes, found)


def _state_of_lock(study: StudyFile, prepared: Prepared) -> tuple[LockState | None, Notes]:
    try:
        verdict = verify_study(study, prepared)
    except LockRefused as error:
        return None, (f"warning: {error}; this run is not compared with it",)
    lock = verdict.lock
    if lock is None:
        return None, ()
    state = LockState(lock.sha256, lock.date, verdict.same)
    if verdict.same:
        return state, ()
    grave = [change for change in verdict.changes if change.effect is not Effect.WORDS]
    more = f" and {len(grave) - 1} more" if len(grave) > 1 else ""
    told = f"differs from the protocol locked on {lock.date}: {grave[0].place}{more}"
    told = f"warning: {told}; `evallang verify {study.path}` lists the differences"
    return state, (told, *verdict.advice)


def _many_looks(prepared: Prepared, number: int) -> tuple[Diagnostic, ...]:
    limit = many_looks(prepared.study.confidence)
    if number < limit:
        return ()
    source = prepared.study.sources[0]
    named = next(iter(source.places.values()), None)
    return (
        diagnose(
            codes.many_looks,
            f"this is look {number} at the same test data, and the best of {limit} looks is "
            "expected to be too high by the half-width of its interval",
            named,
            path=prepared.study.path,
            notes=[
                "every choice after a look fits the test data a little: Dwork et al., The reusable "
                "holdout, Science 2015; Blum & Hardt, The Ladder, ICML 2015"
            ],
            help="choose among candidates in the training data, and evaluate on new test data; "
            "`evallang log` lists the looks",
        ),
    )


def _more_than_stated(prepared: Prepared, number: int) -> tuple[Diagnostic, ...]:
    study = prepared.study
    if study.looks is None or number <= study.looks or not study.requirements:
        return ()
    return (
        diagnose(
            codes.more_looks_than_stated,
            f"this is look {number} at the same test data, and the requirements are decided at "
            f"the level for `looks {study.looks}`",
            study.places.get("looks"),
            path=study.path,
            help="decide on new test data; `evallang log` lists the looks",
        ),
    )
