"""A study of a folder of logs: one file for each model, with one row for each example.

The sample logs of lm-evaluation-harness are known by their names, `samples_TASK_DATE.jsonl`, as
its option `--log_samples` writes them; the results file in the same folder names the model. Other
folders have tables with an identifier and either the truth with one prediction, or whether it was
right.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from evallang.api.checked_file import StudyError
from evallang.data.column_types import Kind
from evallang.data.file_formats import read_file
from evallang.data.files import ending
from evallang.data.findings import Findings
from evallang.data.frame import Frame
from evallang.data.logs import InspectLog, inspect_log, score_of, scorers_of
from evallang.data.path_patterns import matching
from evallang.data.text_forms import names_identifier, names_unit
from evallang.drafts.columns import (
    Column,
    Use,
    clauses_of_truth,
    facts_of,
    guess_columns,
    predicted_columns,
    right_or_wrong,
)
from evallang.drafts.writing import (
    DraftRefused,
    Goal,
    comment,
    head,
    listed,
    measures_for,
    paired,
    quoted,
    written,
)
from evallang.limits import RESULTS_BYTES, OverLimit
from evallang.registry import Situation

SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[\d.]*)\.jsonl")
HELM = (
    "convert them by `every_eval_ever convert helm --log_path FOLDER`, and write `predictions NAME "
    'from every_eval_ever "FILE.jsonl"`'
)
HELM_FILES = frozenset(
    {"per_instance_stats.json", "scenario_state.json", "display_predictions.json"}
)
MOST_TASKS = 100
EXAMPLE = "doc_id"  # what lm-evaluation-harness calls the number of an example


class _Log(Struct, frozen=True):
    """One file: where it is, whose it is, and what it has."""

    location: str
    model: str
    frame: Frame
    columns: tuple[Column, ...]


def lines_from_logs(source: Path, folder: Path, goal: Goal) -> Iterator[str]:
    """Iterate over the lines of a study of all models that have a log in a folder.

    Raises `DraftRefused` where no log can be read, and `StudyError` for a broken file.
    """
    try:
        paths = [Path(path) for path in matching("**/*", source) if (source / path).is_file()]
    except OverLimit as error:
        raise DraftRefused(f"`{source}`: {error}") from error
    samples = [path for path in paths if SAMPLES.fullmatch(path.name)]
    if samples:
        return _from_samples(source, folder, samples, goal)
    for path in paths:
        if path.name in HELM_FILES:
            raise DraftRefused(f"`{source}` has runs of HELM, which cannot be read; {HELM}")
    logs = [source / path for path in paths if is_inspect_log(source / path)]
    if logs:
        return lines_from_inspect(logs, folder, goal)
    tables = [path for path in paths if ending(path.name) is not None]
    if not tables:
        raise DraftRefused(
            f"`{source}` has no log or table; a folder needs one file for each model, in CSV, TSV, "
            "Parquet or JSON Lines"
        )
    return _from_tables(source, folder, tables, goal)


def lines_from_samples(source: Path, folder: Path, goal: Goal) -> Iterator[str]:
    """Iterate over the lines of a study of one file of samples of lm-evaluation-harness."""
    return _from_samples(source.parent, folder, [Path(source.name)], goal)


def is_inspect_log(path: Path) -> bool:
    """Return whether a file begins as the logs of Inspect AI do: a ZIP file, or JSON."""
    if path.suffix not in (".eval", ".json"):
        return False
    with path.open("rb") as file:
        start = file.read(4096)
    return start.startswith(b"PK\x03\x04") or (b'"eval"' in start and b'"status"' in start)


def _read(location: str, folder: Path, named: frozenset[str] = frozenset()) -> Frame:
    findings = Findings({})
    frame = findings.tried(read_file, location, folder, named=named)
    if frame is None:
        raise StudyError(findings.diagnostics, {})
    return frame.mark_missing()


def _location(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


# --- lm-evaluation-harness ---------------------------------------------------------------------


class _Outcome(Struct, frozen=True):
    """The column of all models that a task is measured by."""

    name: str
    right: bool
    others: tuple[str, ...]


def _from_samples(source: Path, folder: Path, paths: Sequence[Path], goal: Goal) -> Iterator[str]:
    newest: dict[tuple[Path, str], Path] = {}
    for path in paths:
        found = SAMPLES.fullmatch(path.name)
        assert found is not None
        at = path.parent, found["task"]
        if at not in newest or newest[at].name < path.name:
            newest[at] = path
    facts = {place: _results_file(source / place) for place, _ in newest}
    labels = {place: str(_name_of_model(facts[place], source / place)) for place in facts}
    names = _names(labels)
    by_task: dict[str, dict[Path, Path]] = {}
    for (place, task), path in sorted(newest.items()):
        by_task.setdefault(task, {})[place] = path
    shared = {task: files for task, files in by_task.items() if len(files) == len(names)}
    if not shared:
        raise DraftRefused(
            f"the models in `{source}` have no task in common; they have {listed(sorted(by_task))}"
        )
    if len(shared) > MOST_TASKS:
        raise DraftRefused(
            f"`{source}` has {len(shared):,} tasks, more than {MOST_TASKS}; name a folder with "
            "fewer"
        )
    statements: dict[bool, list[str]] = {True: [], False: []}
    tasks: dict[bool, list[str]] = {True: [], False: []}
    others: list[str] = []
    measure = ""
    for task, files in shared.items():
        frames = {
            place: _read(_location(source / path, folder), folder) for place, path in files.items()
        }
        higher = facts[next(iter(files))].get("higher_is_better", {})
        outcome = _outcome(frames, task, source)
        locations = {place: _location(source / path, folder) for place, path in files.items()}
        lines = _statement(task, locations, frames, outcome, names, labels, higher, folder)
        if not outcome.right:
            measure = measure or outcome.name
            if outcome.name != measure:
                others.append(task)
                continue
        statements[outcome.right] += lines
        tasks[outcome.right].append(task)
    right = bool(statements[True])
    yield from head("Which model answers more questions?" if right else "Which model does better?")
    missing = sorted(set(by_task) - set(shared))
    if missing:
        yield from comment(f"Not here, since not all models have them: {listed(missing)}")
    others += tasks[False] if right else []
    if others:
        yield from comment(f"Not here, since they have another measure: {listed(others)}")
    if len(paths) > len(newest):
        yield "# Of tasks that were run several times, the newest run"
    yield from statements[right]
    measured = "accuracy" if right else measure
    yield "# The share of the answers that are right" if right else "# The mean over the examples"
    yield f"measure {measured}"
    yield ""
    same_rows = Situation.SAME_ROWS_RIGHT if right else Situation.SAME_ROWS
    yield from paired(list(names.values()), goal, same_rows, measured, "5%" if right else "0.05")


def _results_file(place: Path) -> dict[str, object]:
    """Return what the newest results file of a folder of samples says, empty without one."""
    for path in sorted(place.glob("results_*.json"), reverse=True):
        try:
            RESULTS_BYTES.check(f"`{path}`", path.stat().st_size)
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError, OverLimit):
            continue
        if isinstance(found, dict):
            return found
    return {}


def _name_of_model(facts: Mapping[str, object], place: Path) -> str:
    name = facts.get("model_name")
    return name if isinstance(name, str) and name else place.resolve().name


def _names(labels: Mapping[Path, str]) -> dict[Path, str]:
    """Return a name of a study for each model: the last part of its label, made bare."""
    bare = {place: _bare(label.rpartition("/")[2]) for place, label in labels.items()}
    times = Counter(bare.values())
    return {
        place: name if times[name] == 1 else f"m{number}"
        for number, (place, name) in enumerate(bare.items(), start=1)
    }


def _bare(label: str) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_").lower()
    return name if re.match(r"[a-z]", name) and written(name) == name else f"m_{name}"


def _outcome(frames: Mapping[Path, Frame], task: str, source: Path) -> _Outcome:
    """Choose the first metric that all models have of all examples; right or wrong goes first."""
    tables = [{column.name: column for column in guess_columns(frame)} for frame in frames.values()]
    able = [
        name
        for name, column in tables[0].items()
        if name != EXAMPLE
        and all(
            name in table
            and table[name].kind in (Kind.NUMBER, Kind.BOOLEAN)
            and not table[name].missing
            for table in tables
        )
    ]
    right = [name for name in able if all(right_or_wrong(table[name]) for table in tables)]
    if not able:
        raise DraftRefused(
            f"the samples of `{task}` in `{source}` have no metric with a number for each example"
        )
    chosen = (right or able)[0]
    return _Outcome(chosen, bool(right), tuple(name for name in able if name != chosen))


def _statement(
    task: str,
    locations: Mapping[Path, str],
    frames: Mapping[Path, Frame],
    outcome: _Outcome,
    names: Mapping[Path, str],
    labels: Mapping[Path, str],
    higher: object,
    folder: Path,
) -> Iterator[str]:
    files = ", ".join(map(quoted, locations.values()))
    joined = f"{len(locations):,} models, joined by the example"
    yield f"# Samples of lm-evaluation-harness: {joined if len(locations) > 1 else 'one model'}"
    label = "" if _bare(task) == task else f" {quoted(task)}"
    yield f"predictions {_bare(task)}{label} from {files}"
    yield f"  id {EXAMPLE}"
    group = _group_of_examples(locations, frames, folder)
    if group is not None:
        yield f"  # `{group.name}`: {group.why}"
        yield f"  group {written(group.name)}"
    if outcome.others:
        yield from comment(f"Also logged: {listed(outcome.others)}")
    kind = "correct" if outcome.right else f"value {quoted(outcome.name)}"
    several = len(locations) > 1
    for place, location in locations.items():
        label = "" if labels[place] == names[place] else f" {quoted(labels[place])}"
        end = f" in {quoted(location)}" if several else ""
        yield f"  {kind} {names[place]}{label} as {written(outcome.name)}{end}"
    if not outcome.right:
        better = higher.get(task, {}) if isinstance(higher, dict) else {}
        lower = isinstance(better, dict) and better.get(outcome.name) is False
        yield f"  {'lower' if lower else 'higher'} is better"
    first = next(iter(frames.values()))
    if "filter" in first.columns:
        filters = first.values("filter").drop_nulls().unique(maintain_order=True).to_list()
        if len(filters) > 1:
            yield from comment(f"How the answers were read; there is also {listed(filters[1:])}")
            yield f"  where filter = {quoted(str(filters[0]))}"
    yield ""


def _group_of_examples(
    locations: Mapping[Path, str], frames: Mapping[Path, Frame], folder: Path
) -> Column | None:
    """Return the part of the examples whose name and values are those of a unit of several."""
    place, frame = next(iter(frames.items()))
    parts = [name for name in frame.nested if name.startswith("doc.")]
    last = {name: name.rpartition(".")[2] for name in parts}
    likely = [one for one in parts if names_unit(last[one]) or names_identifier(last[one])]
    if not likely:
        return None
    again = _read(locations[place], folder, frozenset(likely))
    groups = [c for c in guess_columns(again) if c.name in likely and c.use is Use.GROUP]
    return groups[0] if groups else None


# --- Inspect AI --------------------------------------------------------------------------------


def lines_from_inspect(paths: Sequence[Path], folder: Path, goal: Goal) -> Iterator[str]:
    """Iterate over the lines of a study of logs of Inspect AI; raises `StudyError`."""
    read: dict[str, InspectLog] = {}
    for path in paths:
        location, findings = _location(path, folder), Findings({})
        found = findings.tried(inspect_log, location, folder)
        if found is None:
            raise StudyError(findings.diagnostics, {})
        read[location] = found
    ended = {place: log for place, log in read.items() if log.status == "success" and log.samples}
    if not ended:
        raise DraftRefused(f"no evaluation in {listed(list(read))} ended with samples")
    labels = {
        Path(str(log.eval.get("model"))): str(log.eval.get("model")) for log in ended.values()
    }
    names = _names(labels)
    samples = {place: log.samples or [] for place, log in ended.items()}
    known = [scorers_of(some) for some in samples.values()]
    shared = [name for name in known[0] if all(name in other for other in known)]
    values: dict[str, set[float | None]] = {}
    for scorer in shared:
        findings = Findings({})
        with findings.catching():
            values[scorer] = {
                score_of(one, scorer, place) for place, some in samples.items() for one in some
            }
    right = [scorer for scorer in values if values[scorer] <= {0.0, 1.0, None}]
    if not values:
        raise DraftRefused(f"the logs {listed(list(ended))} have no scorer with numbers in common")
    chosen = (right or list(values))[0]
    repeats = any(one.epoch > 1 for some in samples.values() for one in some)
    yield from head("Which model answers more questions?" if right else "Which model does better?")
    unfinished = [place for place in read if place not in ended]
    if unfinished:
        yield from comment(f"Not here, since they did not end: {listed(unfinished)}")
    yield f"predictions quiz from inspect {', '.join(map(quoted, ended))}"
    if len(shared) > 1:
        yield from comment(f"Also logged: {listed([name for name in shared if name != chosen])}")
        yield f"  scorer {written(chosen)}"
    if repeats:
        yield "  # Each question was asked in several epochs, which are its repeats"
    if not right:
        yield f"  value {quoted(chosen)} all"
        yield "  higher is better"
    for place, name in names.items():
        label = "" if labels[place] == name else f" {quoted(labels[place])}"
        yield f"  models {name}{label} as {quoted(labels[place])}"
    yield ""
    if right:
        yield "# The share of the answers that are right"
        yield "measure accuracy"
        yield ""
    whole = right and not repeats
    same_rows = Situation.SAME_ROWS_RIGHT if whole else Situation.SAME_ROWS
    measured = "accuracy" if right else chosen
    yield from paired(list(names.values()), goal, same_rows, measured, "5%" if right else "0.05")


# --- a table for each model --------------------------------------------------------------------


def _from_tables(source: Path, folder: Path, paths: Sequence[Path], goal: Goal) -> Iterator[str]:
    logs = []
    labels = _labels(paths)
    for path in paths:
        location = _location(source / path, folder)
        frame = _read(location, folder)
        logs.append(_Log(location, labels[path], frame, guess_columns(frame)))
    shared = [
        name for name in logs[0].frame.columns if all(name in log.frame.columns for log in logs)
    ]
    ids = [name for name in shared if all(_column_of(log, name).use is Use.ID for log in logs)]
    needed = (
        "the file of each model needs an id, and the truth with one prediction, or a column "
        "`correct` of 0 and 1"
    )
    if not ids and len(logs) > 1:
        raise DraftRefused(f"the tables in `{source}` have no id in common; {needed}")
    names = _names({Path(log.location): log.model for log in logs})
    found = [predicted_columns(log.columns, log.frame) for log in logs]
    right = [[c for c in log.columns if c.name not in ids and right_or_wrong(c)] for log in logs]
    both = [pair for pair in found if pair is not None and len(pair[1]) == 1]
    several = len(logs) > 1
    lines = [f"predictions given from {', '.join(quoted(log.location) for log in logs)}"]
    if ids:
        lines += [f"  # `{ids[0]}`: {_column_of(logs[0], ids[0]).why}", f"  id {written(ids[0])}"]
    if len(both) == len(logs) and len({truth.name for truth, _ in both}) == 1:
        truth = both[0][0]
        facts = facts_of(truth)
        lines.append(f"  truth {written(truth.name)}")
        columns = [made[0].name for _, made in both]
        word, margin = "models", "5%" if truth.is_classes else "1"
        measures, why = measures_for(facts, scores=False, most=1)
        same_rows = facts.same_rows
        lines += clauses_of_truth(truth)
    elif all(len(columns) == 1 for columns in right):
        columns = [one.name for (one,) in right]
        word, margin = "correct", "5%"
        measures, same_rows = ("accuracy",), Situation.SAME_ROWS_RIGHT
        why = "The share of the answers that are right"
    else:
        raise DraftRefused(f"the tables in `{source}` are not the logs of models; {needed}")
    for log, column in zip(logs, columns, strict=True):
        name = names[Path(log.location)]
        label = "" if log.model == name else f" {quoted(log.model)}"
        end = f" in {quoted(log.location)}" if several else ""
        lines.append(f"  {word} {name}{label} as {written(column)}{end}")
    yield from head("Which model predicts best?")
    yield f"# {len(logs):,} models, a file each, joined by the id" if several else "# One model"
    yield from lines
    yield ""
    yield from comment(why)
    yield f"measure {', '.join(measures)}"
    yield ""
    yield from paired(list(names.values()), goal, same_rows, measures[0], margin)


def _column_of(log: _Log, name: str) -> Column:
    return next(column for column in log.columns if column.name == name)


def _labels(paths: Sequence[Path]) -> dict[Path, str]:
    """Return what names each file: its stem, or the folder that it is in."""
    stems = [path.name.partition(".")[0] for path in paths]
    if len(set(stems)) == len(stems):
        return dict(zip(paths, stems, strict=True))
    return {path: path.parent.as_posix().replace("/", "_") for path in paths}
