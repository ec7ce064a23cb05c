"""A study of logs of language-model evaluations, or of a folder of tables.

The tool is known by names and fields of the files. Every score of the samples is read; the study is
about one with right and wrong, else about the first that is a number. Folders without such logs
have a table for each model, with an identifier and either the truth with one prediction, or whether
it was right.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct

from evallang.api.checked_file import StudyError
from evallang.data.dataset import LOG_TOOLS, LogSpec
from evallang.data.file_formats import read_file
from evallang.data.files import ending
from evallang.data.findings import Findings, Refused
from evallang.data.frame import Frame, frame_of
from evallang.data.json_lines import names_inside, nested_value
from evallang.data.logs import (
    READERS,
    SAMPLES,
    Run,
    briefly,
    fix_of,
    located_runs,
    model_names,
    recognised,
)
from evallang.data.path_patterns import matching
from evallang.data.text_forms import names_identifier, names_unit
from evallang.diagnostics import codes
from evallang.drafts.columns import (
    Column,
    Use,
    clauses_of_truth,
    facts_of,
    guess_columns,
    predicted_columns,
    right_or_wrong,
    with_fields,
)
from evallang.drafts.measured import names_question, right_column, rows_of_question
from evallang.drafts.writing import (
    DraftRefused,
    Goal,
    bare_name,
    comment,
    head,
    listed,
    measures_for,
    paired,
    quoted,
    written,
)
from evallang.limits import OverLimit
from evallang.registry import Situation


def lines_from_logs(source: Path, folder: Path, goal: Goal) -> Iterator[str] | None:
    """Return the lines of a study of a log, or of all models that have a log in a folder.

    None for a file that is not a log. Raises `DraftRefused` where no log can be read, and
    `StudyError` for a broken file.
    """
    paths = [source] if source.is_file() else []
    if source.is_dir():
        try:
            paths = [source / path for path in matching("**/*", source)]
        except OverLimit as error:
            raise DraftRefused(f"`{source}`: {error}") from error
    known = recognised([path for path in paths if path.is_file()])
    if known is not None:
        tool, logs = known
        if READERS[tool].runs is None:
            told = f"`{source}` holds {LOG_TOOLS[tool].title}"
            raise DraftRefused(f"{told}; {fix_of(tool, logs, folder)}")
        found = SAMPLES.fullmatch(source.name)
        return _from_tool(tool, logs, found and found["task"], folder, goal)
    if not source.is_dir():
        return None
    files = [path.relative_to(source) for path in paths if ending(path.name) is not None]
    if not files:
        raise DraftRefused(
            f"`{source}` has no log or table; a folder needs one file for each model, in CSV, TSV, "
            "Parquet or JSON Lines"
        )
    return _from_tables(source, folder, files, goal)


# --- logs of a tool ----------------------------------------------------------------------------


class _Score(Struct, frozen=True):
    """One score of each sample: what is read for it, and its values by task, model and sample."""

    read: LogSpec
    locations: tuple[str, ...]
    values: Mapping[str, Mapping[str, Mapping[tuple[Any, int], float | None]]]
    higher: bool
    epochs: bool
    first: Mapping[str, Sequence[Mapping[str, Any]]]
    """The records of the samples of each task by the first model."""

    def is_of_all(self, task: str, models: Sequence[str]) -> bool:
        """Return whether all models have it on a task."""
        return len(self.values.get(task, ())) == len(models)

    @property
    def right(self) -> bool:
        """Whether all values are right or wrong."""
        every = (some.values() for models in self.values.values() for some in models.values())
        return {value for some in every for value in some} <= {0.0, 1.0, None}

    def has_pairs(self, task: str) -> bool:
        """Return whether two models have a value of the same example of a task."""
        examples = Counter(
            example
            for some in self.values[task].values()
            for example in {key[0] for key, value in some.items() if value is not None}
        )
        return max(examples.values(), default=0) > 1

    @property
    def name(self) -> str:
        """What it is called."""
        return self.read.metric or self.read.scorer or "score"


def _from_tool(
    tool: str, paths: Sequence[Path], task: str | None, folder: Path, goal: Goal
) -> Iterator[str]:
    locations, findings = [_location(path, folder) for path in paths], Findings({})
    found = findings.tried(_scores, tool, locations, folder)
    if found is None:
        raise StudyError(findings.diagnostics, {})
    known, unfinished, unread = found
    if not known:
        raise DraftRefused(f"no evaluation in {listed(locations)} ended with scores")
    models = list(dict.fromkeys(m for one in known for some in one.values.values() for m in some))
    tasks = list(dict.fromkeys(name for one in known for name in one.values))
    shared = [
        name
        for name in tasks
        if task in (None, name) and any(one.is_of_all(name, models) for one in known)
    ]
    if not shared:
        raise DraftRefused(
            f"the models in {listed(locations)} have no task in common; they have {listed(tasks)}"
        )
    chosen: list[tuple[_Score, list[str]]] = []
    left = dict.fromkeys(shared)
    for one in sorted(known, key=lambda one: not one.right):
        own = [name for name in left if one.is_of_all(name, models)]
        fits = not chosen or (one.right, one.right or one.name) == (
            chosen[0][0].right,
            one.right or chosen[0][0].name,
        )
        if own and fits:
            chosen.append((one, own))
            left = {name: None for name in left if name not in own}
    first = chosen[0][0]
    yield from head(
        "Which model answers more questions?" if first.right else "Which model does better?"
    )
    if unfinished:
        yield from comment(f"Not here, since they did not end: {listed(unfinished)}")
    if task is None and any(path.name.startswith("results_") for path in paths):
        yield "# Of tasks that were run several times, the newest run"
    absent = [name for name in tasks if name not in shared]
    if absent and task is None:
        yield from comment(f"Not here, since not all models have them: {listed(absent)}")
    if left:
        yield from comment(f"Not here, since they have another measure: {listed(list(left))}")
    if unread:
        yield from comment(
            f"Not here, since no example has a number of its own: {listed(list(unread))}"
        )
    names = _names({model: model for model in models})
    for one, own in chosen:
        count = f"{len(models):,} models" if len(models) > 1 else "one model"
        title = LOG_TOOLS[tool].title
        yield f"# {title[0].upper()}{title[1:]}: {count}"
        name = "bench" if one is first else bare_name(f"{one.name} {one.read.filter or ''}")
        logs = ", ".join(map(quoted, briefly(one.locations, folder)))
        yield f"predictions {name} from {tool} {logs}"
        yield from _clauses(one, own, known)
        for model, bare in names.items():
            label = "" if model == bare else f" {quoted(model)}"
            yield f"  models {bare}{label} as {quoted(model)}"
        yield ""
    measured = "accuracy" if first.right else first.name
    averaged = sum(len(own) for _, own in chosen) > 1
    if averaged:
        yield "# The mean of the tasks, each with the same weight, and that of each task"
    elif first.right:
        yield "# The share of the answers that are right"
    if first.right or averaged:
        yield f"measure {written(measured)}{' averaged over data' if averaged else ''}"
        yield ""
    apart = [name for one, own in chosen for name in own if not one.has_pairs(name)]
    if apart and len(models) > 1 and goal != "estimate":
        yield from comment(
            f"No comparison: no two models have a score of the same example of {listed(apart)}. "
            "Name logs of the same questions to compare them"
        )
        return
    whole = first.right and not any(one.epochs for one, _ in chosen)
    same_rows = Situation.SAME_ROWS_RIGHT if whole else Situation.SAME_ROWS
    margin = "5%" if first.right else "0.05"
    yield from paired(list(names.values()), goal, same_rows, measured, margin, averaged=averaged)


def _clauses(one: _Score, tasks: Sequence[str], known: Sequence[_Score]) -> Iterator[str]:
    """Iterate over the clauses of a statement: the score, the tasks, repeats and groups."""
    for word in ("metric", "filter", "scorer"):
        value = getattr(one.read, word)
        alike = [o for o in known if word != "filter" or o.read.metric == one.read.metric]
        if len({getattr(other.read, word) for other in alike}) > 1:
            here = [o.read for o in alike if not o.values.keys().isdisjoint(tasks)]
            also = dict.fromkeys(getattr(read, word) for read in here)
            del also[value]
            if also:
                yield from comment(f"Also logged: {listed(list(also))}")
            yield f"  {word} {written(value)}"
    if {*tasks} != {*one.values}:
        some = ", ".join(map(quoted, tasks))
        yield f"  where task = {some}" if len(tasks) == 1 else f"  where task in [{some}]"
    if one.epochs:
        yield "  # Each question was asked in several epochs, which are its repeats"
    group = _group(one.first[tasks[0]])
    if group is not None:
        yield f"  # `{group.name}`: {group.why}"
        yield f"  group {written(group.name)}"
    if not one.right:
        yield f"  value {quoted(one.name)} all"
        yield f"  {'higher' if one.higher else 'lower'} is better"


def _scores(
    tool: str, locations: Sequence[str], folder: Path
) -> tuple[list[_Score], list[str], list[str]]:
    """Read every score that is a number.

    Returns the scores, the logs of evaluations that did not end, and the metrics, each with its
    task, that give an example no number.
    """
    unfinished, scores = list[str](), list[_Score]()
    unread: dict[str, None] = {}
    refusals: list[Refused] = []
    choices_at = READERS[tool].choices
    assert choices_at is not None, "other tools are refused"
    choices = {location: choices_at(location, folder) for location in locations}
    for choice in dict.fromkeys(one for some in choices.values() for one in some):
        runs: list[tuple[str, Run]] = []
        for location in locations:
            if choice not in choices[location]:
                continue
            try:
                runs += [(location, run) for run in located_runs(location, folder, choice)]
            except Refused as refused:
                if refused.code is codes.unfinished_log:
                    unfinished.append(location)
                elif refused.code is not codes.unclear_score_of_log:
                    raise
                refusals.append(refused)
        values: dict[str, dict[str, dict[tuple[Any, int], float | None]]] = {}
        first: dict[str, list[Mapping[str, Any]]] = {}
        epochs, kept = False, dict[str, None]()
        names = model_names([run for _, run in runs])
        for (location, run), model in zip(runs, names, strict=True):
            try:
                rows = list(run.rows())
            except Refused as refused:
                if refused.code is not codes.unclear_score_of_log:
                    raise
                refusals.append(refused)
                unread.setdefault(f"{choice.metric or choice.scorer} of {run.task}")
                continue
            values.setdefault(run.task, {})[model] = {row[:2]: row[2] for row in rows}
            first.setdefault(run.task, [row[-1] for row in rows])
            epochs = epochs or any(row[1] > 1 for row in rows)
            kept.setdefault(location)
        if values:
            higher = all(run.higher for _, run in runs)
            scores.append(_Score(choice, tuple(kept), values, higher, epochs, first))
    if refusals and not scores:
        raise refusals[0]
    return scores, list(dict.fromkeys(unfinished)), list(unread)


def _group(records: Sequence[Mapping[str, Any]]) -> Column | None:
    """Return the part of the samples whose name and values are those of a unit of several."""
    inside = dict.fromkeys(name for record in records[:1] for name in names_inside(dict(record)))
    last = {name: name.rpartition(".")[2] for name in inside}
    likely = [one for one in inside if names_unit(last[one]) or names_identifier(last[one])]
    cells = {one: [nested_value(record, one) for record in records] for one in likely}
    table = pl.DataFrame([pl.Series(name, some, strict=False) for name, some in cells.items()])
    columns = guess_columns(frame_of("samples", table, untyped=False))
    return next((column for column in columns if column.use is Use.GROUP), None)


# --- a table for each model --------------------------------------------------------------------


class _Log(Struct, frozen=True):
    """One file: where it is, whose it is, and what it has."""

    location: str
    model: str
    frame: Frame
    columns: tuple[Column, ...]


def _from_tables(source: Path, folder: Path, paths: Sequence[Path], goal: Goal) -> Iterator[str]:
    places = Counter(path.parent for path in paths)
    if len(places) > 1 and max(places.values()) > 1:
        one = _location(source / paths[0], folder)
        raise DraftRefused(
            f"`{source}` has several files in each of several folders; write {quoted(one)} after "
            "`predictions NAME from`, with `{model}` and `{dataset}` in place of what names the "
            "model and the task, and `{part}` in place of a date"
        )
    logs = []
    labels = _labels(paths)
    for path in paths:
        location = _location(source / path, folder)
        findings = Findings({})
        frame = findings.tried(read_file, location, folder)
        if frame is None:
            raise StudyError(findings.diagnostics, {})
        frame = with_fields(frame, location, folder).mark_missing()
        logs.append(_Log(location, labels[path], frame, guess_columns(frame)))
    shared = [
        name for name in logs[0].frame.columns if all(name in log.frame.columns for log in logs)
    ]
    unique = [name for name in shared if all(_column_of(log, name).use is Use.ID for log in logs)]
    ids = unique or [n for n in shared if all(names_question(_column_of(log, n)) for log in logs)]
    needed = (
        "the file of each model needs an id, and the truth with one prediction, or a column "
        "`correct` of 0 and 1"
    )
    if not ids and len(logs) > 1:
        raise DraftRefused(f"the tables in `{source}` have no id in common; {needed}")
    names = _names({log.location: log.model for log in logs})
    found = [predicted_columns(log.columns, log.frame) for log in logs]
    right = [[c for c in log.columns if c.name not in ids and right_or_wrong(c)] for log in logs]
    named = [right_column(some) for some in right]
    right = [some if one is None else [one] for some, one in zip(right, named, strict=True)]
    both = [pair for pair in found if pair is not None and len(pair[1]) == 1]
    several = len(logs) > 1
    lines = [f"predictions given from {', '.join(quoted(log.location) for log in logs)}"]
    repeats = False
    if ids:
        identifier = _column_of(logs[0], ids[0])
        lines += [f"  # `{ids[0]}`: {identifier.why}"] if unique else []
        lines.append(f"  id {written(ids[0])}")
        rows, repeats = rows_of_question(logs[0].frame, logs[0].columns, identifier, None)
        lines += rows
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
        name = names[log.location]
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
    if repeats:
        same_rows = Situation.SAME_ROWS
    yield from paired(list(names.values()), goal, same_rows, measures[0], margin)


def _column_of(log: _Log, name: str) -> Column:
    return next(column for column in log.columns if column.name == name)


def _labels(paths: Sequence[Path]) -> dict[Path, str]:
    """Return what names each file: its stem, or the folder that it is in."""
    stems = [path.name.partition(".")[0] for path in paths]
    if len(set(stems)) == len(stems):
        return dict(zip(paths, stems, strict=True))
    return {path: path.parent.as_posix().replace("/", "_") for path in paths}


def _names(labels: Mapping[str, str]) -> dict[str, str]:
    """Return a name of a study for each model: the last part of its label, made bare."""
    bare = {place: bare_name(label.rpartition("/")[2]) for place, label in labels.items()}
    times = Counter(bare.values())
    return {
        place: name if times[name] == 1 else f"m{number}"
        for number, (place, name) in enumerate(bare.items(), start=1)
    }


def _location(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")
