"""A share of the fits of a study, for a store in which a last run finds those of all shares."""

from __future__ import annotations

import logging
from contextlib import closing
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evallang.api.checked_file import StudyError
from evallang.api.live import NOTHING, own_code
from evallang.api.own_metrics import import_own_metrics
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import StudyFile
from evallang.api.trust import is_trusted, refuse_without_consent
from evallang.diagnostics import has_errors
from evallang.engine.backends.workers import Workers
from evallang.printable import printable_line
from evallang.user_code import stdout_spared
from evallang.working_folder import safe_path, working_folder_restored

LOG = logging.getLogger("evallang")


class Shard(Struct, frozen=True):
    """Share `number` of `of`, counted from 1."""

    number: int
    of: int


class NoStore(Exception):
    """Fits of a share that cannot be kept, so that no other run would find them."""


class DoneShare(Struct, frozen=True):
    """Tasks of a share: all of them, those that the store had, and those whose fit failed.

    `failures` are the different errors.
    """

    tasks: int
    stored: int
    failed: int
    failures: tuple[str, ...]


def run_share(
    study: StudyFile,
    shard: Shard,
    workers: Workers,
    *,
    trust: bool = False,
    store: str | Path | None = None,
    fresh: bool = False,
) -> DoneShare:
    """Make the fits of one share and keep them in the store; nothing else is computed.

    Raises `StudyError` for a faulty study or data, `NotTrusted` for own code without consent,
    `NoStore` where fits cannot be kept, and `WorkersLost` where the processes for fits are lost.
    """
    from evallang.engine.store import open_store
    from evallang.engine.store_folder import StoreRefused, store_folder

    if has_errors(study.diagnostics) or study.meant is None:
        raise StudyError(study.diagnostics, study.checked.sources)
    refuse_without_consent(study.meant, trust)
    workers = replace(workers, own_code=bool(study.meant.uses))
    try:
        folder = store_folder(store)
        kept = None if folder is None else open_store(folder, fresh=fresh)
    except StoreRefused as error:
        raise NoStore(f"{error}; no fit could be kept") from error
    if kept is None:
        raise NoStore("a share of the fits needs a store, and it is off; name one with --store")
    from evallang.engine.run import run_fits

    with (
        safe_path(),
        working_folder_restored(),
        stdout_spared(),
        closing(workers),
        import_own_metrics(study) as imported,
    ):
        prepared = read_and_plan(
            imported, trusted=is_trusted(trust), live=NOTHING, memory=workers.limits.memory
        )
        fits = prepared.planned.fits
        if not all(task.source_known for task in fits.values()):
            raise NoStore("the fits of code with an unknown source cannot be kept in a store")
        # every n-th one, so that costly models are spread over all shares
        keys = list(islice(fits, shard.number - 1, None, shard.of))
        outcomes, stored = run_fits(
            prepared.study,
            prepared.read,
            prepared.planned,
            keys,
            workers=workers,
            code=own_code(prepared.study, study.folder),
            store=kept,
        )
    not_kept = next((o.not_kept for o in outcomes.values() if o.not_kept), None)
    if not_kept is not None:
        raise NoStore(f"the store `{kept.folder}` could not keep all fits: {not_kept}")
    failures = [o.failure for o in outcomes.values() if o.failure is not None]
    reasons = tuple(dict.fromkeys(f"{error}: {message}" for error, message in failures))
    LOG.info("made a share of %s: tasks %d", printable_line(study.path), len(outcomes))
    return DoneShare(len(outcomes), len(stored), len(failures), reasons)
