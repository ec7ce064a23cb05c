"""A study in, its results out, in a folder where one is named."""

from __future__ import annotations

import logging
import posixpath
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evallang.api.checked_file import StudyError
from evallang.api.commit import commit_state
from evallang.api.folder import reserved
from evallang.api.live import NOTHING, Live, checked, described, own_code
from evallang.api.locking import history_of, refuse_unlocked
from evallang.api.models import check_places
from evallang.api.own_metrics import import_own_metrics
from evallang.api.preparing import read_and_plan
from evallang.api.results import Results
from evallang.api.study_file import StudyFile, open_study, with_live
from evallang.api.trust import is_trusted, refuse_without_consent
from evallang.checking import waivers
from evallang.data import remote
from evallang.data.findings import counted
from evallang.diagnostics import has_errors
from evallang.diagnostics.formats import to_record
from evallang.engine.backends.backend import FitLimits, WorkersLost as WorkersLost
from evallang.engine.backends.cluster import Cluster, Tls, address_error, missing_package
from evallang.engine.backends.workers import Workers
from evallang.engine.fits import prepare_fits
from evallang.engine.store import Store
from evallang.models.own_code import find, sources
from evallang.printable import printable_line
from evallang.results import codec, records
from evallang.study import Study
from evallang.user_code import process_kept, stdout_spared
from evallang.working_folder import safe_path, working_folder_restored

Progress = Callable[[int, int], None]

LOG = logging.getLogger("evallang")
LOG.addHandler(logging.NullHandler())


class RunFailed(Exception):
    """A run in which fits, or metrics of the author's own, failed.

    What was computed is in `results`.
    """

    def __init__(self, results: Results, folder: Path | None) -> None:
        self.results = results
        self.folder = folder
        record = results.record
        measured = sum(failure.stage == "measure" for failure in record.failures)
        fits = record.provenance.fits.failed
        said = [f"{counted(fits, 'fit')} failed"] if fits or not measured else []
        said += [f"{counted(measured, 'measurement')} failed"] if measured else []
        super().__init__(f"{' and '.join(said)}; what was computed is kept")


def run(
    study: StudyFile | str | Path,
    *,
    jobs: int = 1,
    fit_timeout: float | None = None,
    memory: int | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    command: str = "",
    trust: bool = False,
    data: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    fast_paths: bool = True,
    look: bool | None = None,
    locked: bool = False,
    dask: str | None = None,
    tls: Tls | None = None,
    warn: Callable[[str], None] | None = None,
    network: bool = False,
) -> Results:
    """Run a study; writes its folder where `out` is given.

    `progress` is called with the fits done and the fits planned, those of exported models among
    them: once before the first, then whenever some are done. `fit_timeout` limits the seconds of
    each fit, `memory` the bytes of each process that reads or fits; a fit that reaches one of them
    fails, and the others go on. Models that the study exports are written when the results are
    saved. `data` are frames of polars or pandas, or dictionaries of arrays, that stand for the
    files of sources (a list of them for several files), `models` estimators that stand for, or are
    added to, those of the study, `metrics` functions of truth and prediction that the study
    measures by name. Whatever is printed meanwhile goes to stderr, with the name of the model or
    metric that printed it. Fits whose outcome a past run has kept are not run again: `store` is the
    folder of these outcomes (by default EVALLANG_STORE, or the user's cache folder), "off" for
    none; with `fresh` all fits are run again and kept. `trust` lets the study run its author's own
    code and ask servers, `network` lets it read data from `s3://`, `gs://`, `az://` and `https://`;
    with `look` the evaluation is recorded in a file next to the study, as the command line does
    (False: its line is a note of the results), and with `locked` a study that differs from its lock
    is refused before anything is fitted. `dask` is the address of a Dask scheduler, or `local:N`:
    its workers make the fits and count predictions in parts, `tls` has the files of an encrypted
    connection, and `warn` is called with each warning about the workers; `fast_paths` is ignored
    since 0.2. Raises `StudyError` where study or data are faulty, `NotTrusted` where own code has
    no consent, `FolderRefused` where the folder or a model cannot be written, `NotLocked` or
    `LockRefused` where it is not the locked study, `ValueError` for objects that are not a frame or
    an estimator of the study, for `jobs` or limits with which nothing can be fitted, or for a wrong
    address, `WorkersLost` where the processes for fits cannot be had or the cluster is lost, and
    `RunFailed` (with what was computed) when a fit failed.
    """
    live = Live(data or {}, models or {}, metrics or {})
    given = study.given if isinstance(study, StudyFile) else NOTHING
    limits = FitLimits(fit_timeout, memory)
    if limits.objection is not None:
        raise ValueError(limits.objection)
    if jobs < 1:
        raise ValueError(f"`jobs` must be at least 1, not {jobs}")
    cluster = None if dask is None else _cluster(dask, tls or Tls(), limits, warn)
    workers = Workers(jobs, limits, cluster)
    objects = (live.models, live.metrics, given.models, given.metrics)
    own = safe_path(live=any(objects))
    allowed = remote.network(network or remote.network_allowed())
    with own, working_folder_restored(), process_kept(), stdout_spared(), closing(workers), allowed:
        if out is None:
            study = _loaded(study, live)
            return _run(study, workers, progress, command, trust, store, fresh, look, locked)
        with reserved(Path(out)) as place:
            study = _loaded(study, live)
            try:
                results = _run(study, workers, progress, command, trust, store, fresh, look, locked)
            except RunFailed as failed:
                failed.results.save(place, jobs=jobs)
                raise RunFailed(failed.results, Path(out)) from None
            results.save(place, jobs=jobs)
            LOG.info("wrote the results to %s", printable_line(str(out)))
        return results


def _cluster(
    address: str, tls: Tls, limits: FitLimits, warn: Callable[[str], None] | None
) -> Cluster:
    reason = cluster_error(address, tls, limits)
    if reason is not None:
        raise ValueError(reason)
    return Cluster(address, tls, warn or LOG.warning)


def cluster_error(address: str, tls: Tls, limits: FitLimits) -> str | None:
    """Return why a cluster cannot be used, None where nothing is known to be wrong."""
    if limits.any:
        return "a limit of time or memory for each fit cannot be kept on a Dask cluster"
    return address_error(address, tls) or missing_package()


def _run(
    study: StudyFile,
    workers: Workers,
    progress: Progress | None,
    command: str,
    trust: bool,
    named_store: str | Path | None,
    fresh: bool,
    look: bool | None,
    locked: bool,
) -> Results:
    live = study.given
    checked(live, study.meant)
    if study.meant is not None:
        refuse_without_consent(study.meant, trust)
        workers = replace(workers, own_code=bool(study.meant.uses))
        if study.meant.models:  # they import scikit-learn while the data are read
            with suppress(OSError):  # without a process; the fits say so, where any are left
                prepare_fits(workers, study.meant.models)
    store, notes = _store(named_store, fresh=fresh)
    from evallang.engine import run as engine

    LOG.info("checked %s: findings %d", printable_line(study.path), len(study.diagnostics))
    started, clock = time.time(), time.perf_counter()
    with import_own_metrics(study) as study:
        prepared = read_and_plan(
            study,
            trusted=is_trusted(trust),
            live=live,
            counting=workers.map,
            memory=workers.limits.memory,
        )
        LOG.info(
            "read the data and planned the fits: sources %d, fits %d",
            len(prepared.study.sources),
            prepared.planned.plan.n_fits or 0,
        )
        if locked:
            refuse_unlocked(study, prepared)
        check_places((export.path for export in prepared.study.exports), study.folder)
        if progress is not None:
            progress(0, prepared.planned.plan.n_fits or 0)
        done = engine.run(
            prepared.study,
            prepared.read,
            prepared.planned,
            workers=workers,
            progress=progress,
            code=own_code(prepared.study, study.folder, live),
            store=store,
        )
    if store is not None:
        from evallang.engine.last_plan import remember
        from evallang.engine.store_folder import study_name

        name = study_name(study.place)
        remember(store, name, prepared.planned, prepared.read.tables, done.outcomes)
    if done.not_kept is not None and store is not None:
        notes.append(f"the store `{store.folder}` could not keep all fits: {done.not_kept}")
    for note in notes:
        LOG.warning("%s", printable_line(note))
    history = history_of(study, prepared, look)
    notes += history.notes
    provenance = replace(
        done.results.provenance,
        git=commit_state(study.folder, _own_files(study, prepared.study)),
        command=command or _command(study, live, trust),
        paths_taken=prepared.paths_taken,
        lock=history.lock,
        looks=history.looks,
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        seconds=round(time.perf_counter() - clock, 3),
    )
    from evallang.engine.run_diagnostics import unlike_workers

    made = done.results.provenance.fits.run
    unlike = unlike_workers(prepared.study, made, workers.unlike)
    in_results = waivers.mark_after_run(done.diagnostics, study.checked.gathered)
    of_results = (*prepared.diagnostics, *in_results, *unlike)
    diagnostics = (*of_results, *history.diagnostics)
    template = prepared.report_files.template
    record = replace(
        described(done.results, live.models),
        provenance=provenance,
        style_sheet=prepared.report_files.style_sheet,
        template_sha256=None if template is None else template.sha256,
        references=(*done.results.references, *prepared.report_files.references),
        diagnostics=tuple(to_record(d, study.checked.sources) for d in of_results),
    )
    record = codec.encodable(_relative_paths(record, study))
    results = Results(record, done, diagnostics, study.folder, tuple(notes), template)
    fits = record.provenance.fits
    LOG.info(
        "ran the study: fits %d, failed %d, seconds %.1f", fits.run, fits.failed, provenance.seconds
    )
    if any(failure.stage != "inner" for failure in record.failures):
        raise RunFailed(results, None)
    return results


def _store(named: str | Path | None, *, fresh: bool) -> tuple[Store | None, list[str]]:
    """Open the store of fits; where there cannot be one, return the reason."""
    from evallang.engine.store import open_store
    from evallang.engine.store_folder import StoreRefused, store_folder

    try:
        folder = store_folder(named)
        return (None if folder is None else open_store(folder, fresh=fresh)), []
    except StoreRefused as error:
        return None, [f"{error}; the run used no store"]


def _loaded(study: StudyFile | str | Path, live: Live) -> StudyFile:
    """Read a study, or take one, with the objects that are given for it."""
    again = with_live(study if isinstance(study, StudyFile) else open_study(study), live)
    if has_errors(again.diagnostics):
        raise StudyError(again.diagnostics, again.checked.sources)
    return again


def _command(study: StudyFile, live: Live, trust: bool) -> str:
    """Record how the study was run, for the record."""
    if live == NOTHING:
        return f"evallang run {study.path}{' --trust' if trust else ''}"
    parts = [repr(study.path)]
    parts += [f"data={{{_names(live.frames)}}}"] if live.frames else []
    parts += [f"models={{{_names(live.models)}}}"] if live.models else []
    parts += [f"metrics={{{_names(live.metrics)}}}"] if live.metrics else []
    return f"ev.run({', '.join(parts)})"


def _names(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name!r}: ..." for name in given)


def _relative_paths(record: records.ResultsRecord, study: StudyFile) -> records.ResultsRecord:
    """Return the paths of files relative to the study, so that results are the same anywhere."""
    start = posixpath.dirname(study.path) or "."

    def relative(path: str) -> str:
        return posixpath.relpath(path, start) if path else path

    def renamed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                k: relative(v) if k == "path" and isinstance(v, str) else renamed(v)
                for k, v in value.items()
            }
        return [renamed(item) for item in value] if isinstance(value, list) else value

    spec = record.spec
    files = tuple(replace(f, path=relative(f.path)) for f in spec.files)
    return replace(
        record,
        spec=replace(spec, path=relative(spec.path), files=files),
        diagnostics=tuple(renamed(dict(d)) for d in record.diagnostics),
    )


def _own_files(study: StudyFile, meant: Study) -> Iterator[tuple[Path, str | None]]:
    """List the files of a study and of its author's own code below its folder."""
    start = posixpath.dirname(study.path) or "."
    for file in meant.files:
        yield study.folder / posixpath.relpath(file.path, start), file.sha256
    for use in meant.uses:
        package = find(use.module, study.folder.resolve())
        if package is not None and package.is_relative_to(study.folder.resolve()):
            for file_of_it in sources(package):
                yield file_of_it, None
