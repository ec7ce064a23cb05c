"""A checked study in; out its data, the files of its report, its planned fits, and findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.activity import Activity, report_activity
from evallang.api.checked_file import CheckedFile, StudyError, with_task
from evallang.api.live import NOTHING, Live, frame_name, hashes
from evallang.api.trust import find_own_code
from evallang.checking import waivers
from evallang.checking.data_validation import judge_planned, judge_read
from evallang.checking.rules.rule import left_open
from evallang.checking.suppression import report
from evallang.compatibility.counts import rankings_asked, rows_asked
from evallang.data.dataset import (
    BattlesSpec,
    DataSpec,
    GivenOutcomes,
    PredictionsSpec,
    ScoresSpec,
    ScoreTable,
    Table,
)
from evallang.data.files import paths_taken, regular_file
from evallang.data.findings import Findings
from evallang.data.part_counts import Counting, MapParts
from evallang.data.read_sources import ReadSources, StoredPredictions
from evallang.data.stored_results import StoredResults
from evallang.diagnostics import Diagnostic, codes, diagnose, has_errors
from evallang.hypotheses import as_read
from evallang.models.model import ModelSpec
from evallang.planning.planner import Planned
from evallang.reporting.authors_template import AuthorsTemplate
from evallang.results.bibtex_entries import (
    MOST_BYTES,
    BibtexEntry,
    EntryTwice,
    cited_keys,
    read_entries,
)
from evallang.results.provenance import ReferenceRecord
from evallang.study import SourceSpec, Study
from evallang.working_folder import safe_path

Objection = tuple[str, str]
"""Why a file cannot be used, and what to do."""


class ReportFiles(Struct, frozen=True):
    """The texts of the author's style sheet and template, and the works that the study cites."""

    style_sheet: str | None = None
    template: AuthorsTemplate | None = None
    references: tuple[ReferenceRecord, ...] = ()


def read_report_files(study: Study, folder: Path) -> tuple[ReportFiles, tuple[Diagnostic, ...]]:
    """Return what the files of a report have, and what is wrong with them."""
    settings = study.report
    if settings.style is settings.template is settings.bibliography is None:
        return ReportFiles(), ()
    from evallang.reporting.html import MOST_BYTES as MOST_OF_TEMPLATE, template_objection
    from evallang.reporting.sentences import (
        ENDING,
        MOST_BYTES as MOST_OF_SENTENCES,
        sentences_objection,
    )
    from evallang.reporting.style_sheets import MOST_BYTES as MOST_OF_STYLE, style_objection

    found: list[Diagnostic] = []

    def read(word: str, name: str | None, most: int, check: Callable[[str], Objection | None]
             ) -> str | None:  # fmt: skip
        if name is None:
            return None
        findings = Findings({word: study.places[word]})
        text = _text(name, folder, findings, most, check)
        found.extend(findings.diagnostics)
        return text

    style = read("style", settings.style, MOST_OF_STYLE, style_objection)
    page = read("template", settings.template, MOST_OF_TEMPLATE, template_objection)
    template = None
    if page is not None and settings.template is not None:
        place = folder / Path(settings.template).parent
        own = sorted(file for file in place.iterdir() if file.name.endswith(ENDING))
        texts = {
            file.name: read("template", str(file.relative_to(folder)), MOST_OF_SENTENCES,
                            partial(sentences_objection, file.name))
            for file in own
        }  # fmt: skip
        template = AuthorsTemplate(page, {name: t for name, t in texts.items() if t is not None})
    cited = _citations(study)
    text = read("bibliography", settings.bibliography, MOST_BYTES,
                lambda text: _bibliography_objection(text, cited))  # fmt: skip
    entries = _cited(read_entries(text), cited) if text is not None else []
    return ReportFiles(style, template, tuple(entry.record() for entry in entries)), tuple(found)


def _citations(study: Study) -> dict[str, str]:
    """Return the keys that a study cites, each with the clause that cites it."""
    found: dict[str, str] = {}
    for clause in ("question", "about"):
        for key in cited_keys(getattr(study, clause) or ""):
            found.setdefault(key, clause)
    for source in study.sources:
        named = _key(getattr(source, "cite", None) or "")
        if named is not None:
            found.setdefault(named, "cite")
    return found


def _bibliography_objection(text: str, cited: Mapping[str, str]) -> Objection | None:
    try:
        entries = read_entries(text)
    except EntryTwice as error:
        return str(error), "remove or rename one of them"
    except ValueError as error:
        return str(error), "write entries as `@article{KEY, author = {...}, title = {...}, ...}`"
    for key, clause in cited.items():
        if key not in entries:
            return f"has no entry `{key}`, which `{clause}` cites", "add the entry, or cite another"
    for entry in _cited(entries, cited):
        if not entry.record().year:
            return f"has no year in the entry `{entry.key}`", "add `year = {...}`"
    return None


def _key(cite: str) -> str | None:
    """Return the key that a `cite` names; None for a DOI, an address or words."""
    word = cite.strip().removeprefix("@")
    plain = " " not in word and "/" not in word and not word.lower().startswith("doi:")
    return word if word and plain else None


def _cited(entries: Mapping[str, BibtexEntry], cited: Mapping[str, str]) -> list[BibtexEntry]:
    return [entries[key] for key in cited if key in entries]


def _text(
    name: str,
    folder: Path,
    findings: Findings,
    most: int,
    check: Callable[[str], Objection | None],
) -> str | None:
    path = findings.tried(regular_file, name, folder)
    if path is None:
        return None
    behind = Path(os.path.realpath(path))
    text, objection = None, None
    if not behind.is_relative_to(os.path.realpath(folder)):
        objection = "is outside the study's folder, through a link", "copy the file into the folder"
    elif path.stat().st_size > most:
        objection = f"is larger than {most:,} bytes", "remove what the report does not use"
    else:
        try:
            text = path.read_bytes().decode("utf-8-sig")
            objection = check(text)
        except UnicodeDecodeError:
            objection = "is not in UTF-8", "save it in this encoding"
        except OSError as error:
            objection = f"cannot be read: {error.strerror}", "check whether you may read the file"
    if objection is not None:
        findings.add(codes.unusable_report_file, f"`{name}` {objection[0]}", help=objection[1])
        return None
    return text


class Prepared(Struct, frozen=True):
    """A study with its data read and its fits planned.

    `paths_taken` are the paths of its files, as written, that lead out of its folder;
    `report_files` have what the author's files are for the report.
    """

    study: Study
    read: ReadSources
    planned: Planned
    diagnostics: tuple[Diagnostic, ...]
    paths_taken: tuple[str, ...] = ()
    report_files: ReportFiles = field(default_factory=ReportFiles)


@safe_path()
def read_and_plan(
    study: CheckedFile,
    *,
    missing_is_fine: bool = False,
    errors_are_fine: bool = False,
    incomplete_is_fine: bool = False,
    trusted: bool = False,
    live: Live = NOTHING,
    counting: MapParts[Any, Any] = map,
    memory: int | None = None,
) -> Prepared:
    """Read every source of a study and plan its fits; imports nothing of the author's.

    With `missing_is_fine`, files, packages and modules that do not exist only leave their
    numbers out; with `errors_are_fine`, errors in the data are only among the diagnostics, and
    what could be read is planned; with `incomplete_is_fine`, the study may lack statements other
    than its data; a server is asked only where the study is `trusted`; `live`
    holds what is given in Python; `counting` is what counts the parts of predictions of which no
    row is needed; `memory` is what reading a file may take, None for the limit in force. Raises
    `StudyError` where the study or its data are faulty.
    """
    from evallang.data.reading import reading
    from evallang.planning.graph import graph_of, tasks_of
    from evallang.planning.planner import plan as planned_of
    from evallang.planning.readiness import missing_packages

    resolved = _resolved(study, incomplete_is_fine)
    with paths_taken() as taken, reading(memory):
        sources, read = _read(resolved, study.folder, trusted, live, counting)
        stored, found_there = _read_stored(resolved, study.folder)
    sources = replace(sources, stored=stored)
    read += found_there
    if resolved.task is None:  # only the data tell it, and measures and models depend on it
        tasks = [table.task for table in sources.tables.values()]
        tasks += [outcomes.task for outcomes in sources.imported if outcomes.values is None]
        study = with_task(study, tasks[0]) if tasks else study
    resolved = _resolved(study, incomplete_is_fine)
    report_files, faults = read_report_files(resolved, study.folder)
    read += faults
    missing = [d for d in read if d.code in (codes.file_not_found.code, codes.remote_path.code)]
    meant, modules = find_own_code(resolved, study.folder)
    meant = replace(meant, live=hashes(live.models), models=_with_hashes(meant, stored))
    packages = (*missing_packages(meant), *modules)
    as_found = as_read(meant, sources.specs)
    judged = judge_read(meant, as_found, sources)
    planned = planned_of(meant, sources)
    judged += _dependent_losses(meant, planned, sources)
    judged += judge_planned(meant, as_found, sources.tables, planned.layout.splits)
    sources = sources.released()
    graph = graph_of(meant, sources, planned)
    plan = replace(planned.plan, tasks=tasks_of(graph))
    planned = replace(planned, plan=plan, graph=graph)
    found = waivers.mark([*packages, *read, *judged, *planned.diagnostics], study.checked.gathered)
    found = list({(d.code, d.span, d.message, d.notes): d for d in found}.values())
    fine = (*missing, *packages) if missing_is_fine else ()
    stopping = [d for d in found if d not in fine]
    if not errors_are_fine:
        every = report((*study.diagnostics, *stopping), study.checked.gathered)
        if has_errors(every):
            raise StudyError(every, study.checked.sources)
    if not fine:
        everything = (*study.diagnostics, *found)
        later = left_open(resolved)
        found += waivers.unused_after_reading(everything, study.checked.gathered, later)
    diagnostics = {(d.code, d.span, d.message): d for d in (*study.diagnostics, *found)}
    said = report(diagnostics.values(), study.checked.gathered)
    return Prepared(meant, sources, planned, said, tuple(taken), report_files)


def _dependent_losses(study: Study, planned: Planned, sources: ReadSources) -> list[Diagnostic]:
    """Report tests of series of predictions whose losses are correlated beyond what they allow."""
    if not any(getattr(source, "series", False) for source in study.sources):
        return []
    from evallang.engine.evaluation import evaluation_of_outcomes
    from evallang.engine.run_diagnostics import dependent_losses

    given = [evaluation_of_outcomes(source) for source in sources.imported]
    return list(dependent_losses(study, planned.families, given))


def _resolved(study: CheckedFile, incomplete_is_fine: bool) -> Study:
    """Return the resolved study; raises `StudyError` if its check found errors."""
    incomplete = study.checked.incomplete if incomplete_is_fine else None
    if study.meant is not None:
        return study.meant
    if incomplete is None or not incomplete.sources:
        raise StudyError(study.diagnostics, study.checked.sources)
    return incomplete


def with_store(prepared: Prepared, study: CheckedFile, named: str | Path | None) -> Prepared:
    """Compare a plan with the store of fits; without one, or without the data, it stays."""
    from evallang.engine.last_plan import with_store
    from evallang.engine.store import existing_store
    from evallang.engine.store_folder import StoreRefused, study_name

    planned, tables = prepared.planned, prepared.read.tables
    try:
        store = existing_store(named)
    except StoreRefused as error:
        notes = (*planned.plan.notes, f"{error}; past fits are not known")
        told = replace(planned, plan=replace(planned.plan, notes=notes))
        return replace(prepared, planned=told)
    if store is None:
        return prepared
    known = with_store(planned, tables, store, study_name(study.place))
    return replace(prepared, planned=known)


def _read(
    study: Study,
    folder: Path,
    trusted: bool,
    live: Live,
    mapped: MapParts[Any, Any],
) -> tuple[ReadSources, list[Diagnostic]]:
    from evallang.data.battles import read_battles
    from evallang.data.counts import read_counts
    from evallang.data.data_tables import read_table
    from evallang.data.fold_assignments import assign_folds
    from evallang.data.predictions import read_predictions
    from evallang.data.score_tables import read_scores

    asked = rows_asked(study)
    counting = None if asked else Counting(mapped, rankings_asked(study))
    tables: dict[str, Table] = {}
    given: list[GivenOutcomes] = []
    scored: list[ScoreTable] = []
    found: list[Diagnostic] = []
    for source in study.sources:
        report_activity(Activity("reading", source.name))
        frames = _several(live.frames.get(frame_name(source)))
        frame = frames[0] if frames else None
        if source.frame is not None and frame is None:
            found.append(_no_frame(source.frame, source))
            continue
        if isinstance(source, DataSpec):
            read, diagnostics = read_table(source, folder, trusted=trusted, frame=frame)
            for protocol in study.protocols:
                if protocol.path is not None:
                    assigned = [
                        assign_folds(table, protocol.path, folder, protocol.span) for table in read
                    ]
                    read = tuple(table for table, _ in assigned)
                    diagnostics = (*diagnostics, *(d for _, some in assigned for d in some))
            tables |= {table.spec.name: table for table in read}
        elif isinstance(source, PredictionsSpec):
            outcomes, diagnostics = read_predictions(source, folder, frames, counting, asked)
            given += outcomes
        elif isinstance(source, BattlesSpec):
            games, diagnostics = read_battles(source, folder, frame)
            given += [] if games is None else [games]
        elif isinstance(source, ScoresSpec):
            scores, diagnostics = read_scores(source, folder, frame)
            scored += [] if scores is None else [scores]
        else:
            counts, diagnostics = read_counts(source, folder, frame)
            given += [] if counts is None else [counts]
        found += diagnostics
    return ReadSources(tables, tuple(given), tuple(scored)), found


def _no_frame(name: str, source: SourceSpec) -> Diagnostic:
    message = f"no data frame `{name}` is given"
    help_ = "run the study in a notebook that has it, or from Python with "
    help_ += f"`data={{{name!r}: ...}}`"
    return diagnose(codes.file_not_found, message, source.places.get("from"), help=help_)


def _read_stored(
    study: Study, folder: Path
) -> tuple[dict[str, StoredPredictions], list[Diagnostic]]:
    """Read the predictions of the models that are taken from former results; each folder once."""
    from evallang.data.stored_results import predictions_of, read_stored_results

    stored: dict[str, StoredPredictions] = {}
    folders: dict[str, StoredResults | None] = {}
    found: list[Diagnostic] = []
    for model in study.models:
        source = model.stored
        if source is None:
            continue
        if source.folder not in folders:
            report_activity(Activity("reading", source.folder))
            results, diagnostics = read_stored_results(source.folder, folder, source.span)
            folders[source.folder] = results
            found += diagnostics
        former = folders[source.folder]
        if former is not None:
            own, diagnostics = predictions_of(
                former, source.folder, source.model, source.model_span
            )
            stored |= {} if own is None else {model.name: own}
            found += diagnostics
    return stored, found


def _with_hashes(study: Study, stored: Mapping[str, StoredPredictions]) -> tuple[ModelSpec, ...]:
    """Return the models, with the hashes of the predictions that are stored."""
    return tuple(
        model
        if model.stored is None or model.name not in stored
        else replace(model, stored=replace(model.stored, sha256=stored[model.name].sha256))
        for model in study.models
    )


def _several(given: Any) -> Sequence[Any]:
    """Return the data frames that are given for the files of one source."""
    if given is None:
        return ()
    return given if isinstance(given, list | tuple) else (given,)


def check_data(study: CheckedFile) -> tuple[Diagnostic, ...]:
    """Check a study and its data: everything found, sorted by place."""
    return check_and_read(study)[0]


def check_and_read(study: CheckedFile) -> tuple[tuple[Diagnostic, ...], Prepared | None]:
    """Check a study and its data, and return what was read where nothing is faulty."""
    try:
        prepared = read_and_plan(study)
    except StudyError as error:
        return error.diagnostics, None
    return prepared.diagnostics, prepared
