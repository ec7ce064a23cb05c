"""Logs of language-model evaluations: the files of each tool to one long table of samples.

A row is a sample: `model`, `task`, `id`, `epoch`, `score`, its values (`LOG_VALUES`), and what else
the study names of it, such as `doc.subject` or `metadata.level`. Nothing in a log is executed or
unpacked to the disk, and no path of an archive is followed: its members have fixed names.
"""

import gzip
import io
import os
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from evallang.data.dataset import LOG_TOOLS, LOG_VALUES, LogSpec, PredictionsSpec, value_in
from evallang.data.files import matching_files, read_bytes, regular_file
from evallang.data.findings import Findings, Refused, counted, listed, quoted
from evallang.data.frame import Frame, frame_of
from evallang.data.json_lines import MOST_NESTED, names_inside, nested_value
from evallang.data.labels import as_number
from evallang.data.needed_columns import FINGERPRINTS
from evallang.data.path_patterns import GLOB
from evallang.data.source_columns import named_columns
from evallang.diagnostics import codes
from evallang.installation import install_extras
from evallang.limits import BYTES, LINE, ROWS, OverLimit

NAN = re.compile(rb"([:,\[]\s*)(?:NaN|(-?Infinity))(?=\s*[,}\]])")  # of Python, not of JSON
VERDICTS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MUCH = 0.01  # share of dropped samples above which a warning follows
KEPT = {"wrong": "count as wrong", "scored": "are scored"}
"""What samples do that are not dropped, by the word that keeps them."""
ZSTANDARD = 93  # the number of the method in ZIP files
SCORED = "scored"

Row = tuple[Any, int, float | None, str, Any, Any, Any, Any, Mapping[str, Any]]
"""A sample: id, epoch, score, state, the values of `LOG_VALUES`, and its record."""


class Run(Struct, frozen=True):
    """The samples of one model on one task in one log; `settings` distinguish runs of a model.

    `location` is what the study names, which may hold the logs of several models. `higher` states
    the direction of the score, where the log does, and `note` that the log is not complete.
    """

    model: str
    task: str
    source: str
    settings: Mapping[str, Any]
    rows: Callable[[], Iterable[Row]]
    higher: bool = True
    note: str | None = None
    location: str = ""


def read_log(spec: PredictionsSpec, log: LogSpec, folder: Path, findings: Findings) -> Frame:
    """Read the logs that a statement names as one table, without samples that are dropped."""
    runs: list[Run] = []
    for location in spec.paths:
        with findings.catching():
            runs += located_runs(location, folder, log)
    findings.stop_at_errors()
    columns = ("model", "task", "id", "epoch", "score", "state", *LOG_VALUES)
    more = sorted({*named_columns(spec), *FINGERPRINTS} - {*columns, "all"})
    held: list[list[Any]] = [[] for _ in (*columns, *more)]
    record: Mapping[str, Any] = {}
    located = {
        value for model, value in zip(spec.models, spec.model_values, strict=True) if model.path
    }
    for run, model in zip(runs, model_names(runs, located), strict=True):
        with findings.catching():
            for *row, record in run.rows():
                further = (nested_value(record, column) for column in more)
                for cells, value in zip(held, (model, run.task, *row, *further), strict=True):
                    cells.append(value)
            ROWS.check(f"`{spec.name}`", len(held[0]))
    findings.stop_at_errors()
    source = ", ".join(spec.paths)
    if not held[0]:
        raise Refused(codes.no_rows_in_file, f"`{source}` contains no samples", "from")
    table = pl.DataFrame(
        [
            pl.Series(name, cells, strict=False)
            for name, cells in zip((*columns, *more), held, strict=True)
            if name in columns or any(value is not None for value in cells)
        ]
    )
    nested = tuple(islice(names_inside(dict(record)), MOST_NESTED))
    table, notes = _use_states(spec, log, table, findings)
    notes = (*notes, *(run.note for run in runs if run.note is not None))
    return frame_of(source, table, untyped=False, notes=notes, nested=nested)


def model_names(runs: Sequence[Run], located: Container[str] = ()) -> list[str]:
    """Return the name of each run's model, with the settings that distinguish runs of one name.

    `located` are the names with their location (`value_in`) of models that the study so chooses.
    """
    names: list[str] = []
    for run in runs:
        if (only := value_in(None, run.location)) in located:
            names.append(only)
            continue
        own = value_in(run.model, run.location) in located
        alike = [
            one
            for one in runs
            if (one.model, one.task) == (run.model, run.task)
            and (not own or one.location == run.location)
        ]
        every = {key for one in alike for key in one.settings}
        differ = sorted(k for k in every if len({str(one.settings.get(k)) for one in alike}) > 1)
        shown = ", ".join(f"{key}={run.settings.get(key)}" for key in differ)
        name = f"{run.model} ({shown})" if shown else run.model
        whole = value_in(name, run.location)
        names.append(whole if whole in located else name)
    for location in dict.fromkeys(run.location for run in runs):
        held = dict.fromkeys(run.model for run in runs if run.location == location)
        if value_in(None, location) in located and len(held) > 1:
            raise Refused(
                codes.no_scores_of_model,
                f"`{location}` holds {counted(len(held), 'model')}, and the study does not say "
                "which",
                "models",
                "from",
                help=f'write `models NAME as "MODEL" in "{location}"` with one of '
                f"{quoted(held, 12)}",
            )
    keys = [(name, run.task) for name, run in zip(names, runs, strict=True)]
    for key, run in zip(keys, runs, strict=True):
        if keys.count(key) > 1:
            same = [one for one, other in zip(runs, keys, strict=True) if other == key]
            sources = [one.source for one in same]
            name = run.model if key[0] == value_in(None, run.location) else key[0]
            places = sorted({one.location for one in same})
            chosen = [
                f'{own} as "{name}" in "{place}"'
                for own, place in zip(("before", "after"), places, strict=False)
            ]
            raise Refused(
                codes.model_logged_twice,
                f"{quoted(sources, 12)} hold the same model `{name}` on the task `{run.task}`",
                "from",
                help="keep one of these files"
                + (
                    f", or write `models {', '.join(chosen)}`"
                    if len(places) == len(same) == 2
                    else ", or name each in a statement of its own"
                ),
            )
    return names


def _use_states(
    spec: PredictionsSpec, log: LogSpec, table: pl.DataFrame, findings: Findings
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Score or drop the samples that the tool could not score, and count them by model."""
    policy = dict(log.samples)
    state, score = pl.col("state"), pl.col("score").cast(pl.Float64)
    use = state.replace_strict(policy, default=SCORED, return_dtype=pl.String)
    table = table.with_columns(pl.when(use == "wrong").then(0.0).otherwise(score).alias("score"))
    counts = table.group_by("model", "state", maintain_order=True).len().rows()
    notes = tuple(
        f"{model}: {counted(n, 'sample')} {state}, {policy[state]}"
        for model, state, n in counts
        if state != SCORED
    )
    dropped = table.select((use == "dropped").alias("dropped"))["dropped"]
    if dropped.sum() > MUCH * len(table):
        lost = table.filter(dropped)["state"].unique(maintain_order=True)
        kept_as = {one: "scored" if one == "limited" else "wrong" for one in lost}
        wrong = (use == "dropped") & (state != "limited")  # a limited sample has a score
        means = table.group_by("model", maintain_order=True).agg(
            score.filter(use != "dropped").mean().alias("without"),
            pl.when(wrong).then(0.0).otherwise(score).mean().alias("with"),
        )
        told = " or ".join(KEPT[use] for use in sorted(set(kept_as.values()), reverse=True))
        shown = [
            f"{m} {without:.3g} ({whole:.3g} if they {told})" for m, without, whole in means.rows()
        ]
        findings.add(
            codes.samples_dropped,
            f"{int(dropped.sum()):,} of {counted(len(table), 'sample')} are dropped from "
            f"`{spec.name}`; mean scores: {listed(shown, 12)}",
            "samples",
            "from",
            help=f"write `samples {', '.join(' '.join(one) for one in kept_as.items())}` to count "
            f"them{' as wrong' if told == KEPT['wrong'] else ''}",
        )
    return table.filter(~dropped).drop("state"), notes


def _read(location: str, folder: Path) -> bytes:
    path = regular_file(location, folder)
    BYTES.check(f"`{location}`", path.stat().st_size)
    return read_bytes(path, location)


def _decoded(data: bytes, place: str, kind: Any = dict[str, Any]) -> Any:
    """Decode JSON that may hold a bare NaN, which becomes null, or Infinity, which becomes text."""
    if b"NaN" in data or b"Infinity" in data:
        data = NAN.sub(lambda m: m[1] + (b'"%b"' % m[2] if m[2] else b"null"), data)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        fix = "name the logs alone; a table is read without the name of a tool"
        raise _unreadable(place, f"is not a log of this tool: {error}", fix) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(place, f"cannot be read as a log: {error}") from error


def _unreadable(
    place: str, fault: str, fix: str = "write the log again, or name another"
) -> Refused:
    return Refused(codes.unreadable_log, f"{place} {fault}", "from", help=fix)


def _score(value: Any, place: str, name: str) -> float | None:
    """Read the score of a sample: a number, a verdict of Inspect AI; None without one."""
    if isinstance(value, str):
        value = VERDICTS.get(value, WORDS.get(value.lower(), as_number(value)))
    elif value is None:
        return None
    if isinstance(value, bool | int | float) and abs(value) <= sys.float_info.max:
        return float(value)
    if value != value:
        return None
    raise Refused(
        codes.unclear_score_of_log,
        f"`{name}` is not one number in {place}",
        "scorer",
        "metric",
        "from",
        help="name another that gives each sample a number",
    )


def _one_of(known: Iterable[str], stated: str | None, word: str, place: str) -> str:
    """Return the one that is read of several metrics, filters or scorers."""
    names = list(dict.fromkeys(known))
    if not names:
        raise Refused(
            codes.unclear_score_of_log,
            f"{place} has no scored samples",
            "from",
            help="score them by `inspect score`, or run the evaluation again with `--log-samples`",
        )
    if stated in names or (stated is None and len(names) == 1):
        return stated or names[0]
    fault = f"has no {word} `{stated}`" if stated else f"has {counted(len(names), word)}"
    raise Refused(
        codes.unclear_score_of_log,
        f"{place} {fault}",
        word,
        "from",
        help=f"write `{word} NAME` with one of {quoted(names, 12)}",
    )


# --- lm-evaluation-harness ---------------------------------------------------------------------

DATE = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[\d.]*"
SAMPLES = re.compile(rf"samples_(?P<task>.+)_(?P<date>{DATE})\.jsonl(\.gz)?")
RESULTS = re.compile(rf".*_(?P<date>{DATE})\.json|results\.json")


class _LmEval(Struct):
    """What is read of a file of results."""

    results: dict[str, dict[str, Any]]
    configs: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] | None = None
    model_name: str | None = None
    higher_is_better: dict[str, dict[str, Any] | None] | None = None


def _lm_eval(location: str, folder: Path, log: LogSpec) -> list[Run]:
    """Return the tasks of a folder of results, or of one file of results.

    Tasks without the metric or filter that is named are skipped, and so are metrics of a whole
    corpus, such as perplexity: of a sample they have a list of parts. The first run notes them.
    """
    runs, skipped = list[Run](), dict[str, list[str]]()
    for file, facts in _results(location, folder):
        settings = (facts.config or {}).get("model_args") or {}
        if isinstance(settings, str):
            settings = dict(pair.partition("=")[::2] for pair in settings.split(","))
        place, _, name = file.rpartition("/")
        model = str(facts.model_name or settings.get("pretrained") or Path(place).name)
        for task, samples in _samples(place or ".", name, facts, folder):
            path = regular_file(samples, folder)
            first = next((record for _, record in _lines(samples, path)), {})
            known = _measured(facts, task)
            whole = [m for m, _ in known if m != log.metric and isinstance(first.get(m), list)]
            measured = [one for one in known if one[0] not in whole]
            if whole and log.metric is None:
                reason = f"{quoted(dict.fromkeys(whole))}, computed on a whole corpus"
                skipped.setdefault(f"{model}: skipped {reason}, in ", []).append(task)
            asked = (log.metric, log.filter)
            if all(
                any(a not in (None, x) for a, x in zip(asked, m, strict=True)) for m in measured
            ):
                if asked != (None, None):
                    reason = quoted(a for a in asked if a is not None)
                    skipped.setdefault(f"{model}: tasks without {reason} skipped: ", []).append(
                        task
                    )
                continue
            of_filter = [m for m, f in measured if log.filter in (None, f)]
            metric = _one_of(of_filter, log.metric, "metric", f"`{samples}`")
            of_metric = [f for m, f in measured if m == metric]
            how = _one_of(of_metric, log.filter, "filter", f"`{samples}`")
            filters = [f for m, f in known if m == metric]
            rows = partial(_lm_eval_rows, samples, path, metric, how, filters)
            better = (facts.higher_is_better or {}).get(task) or {}
            runs.append(Run(model, task, samples, settings, rows, better.get(metric) is not False))
    note = "; ".join(reason + quoted(tasks, 12) for reason, tasks in skipped.items())
    if not runs:
        raise Refused(
            codes.unclear_score_of_log,
            f"`{location}` has no samples with a score of their own" + (note and f" ({note})"),
            "metric",
            "filter",
            "from",
            help="run lm-evaluation-harness with `--log_samples`, or name another metric or filter",
        )
    return [replace(runs[0], note=note or None), *runs[1:]]


def _samples(place: str, results: str, facts: _LmEval, folder: Path) -> Iterator[tuple[str, str]]:
    """Iterate over the tasks of a file of results, each with its file of samples.

    The files of one run have its date; those until version 0.4.2 have the model's arguments.
    """
    date = RESULTS.fullmatch(results)
    arguments = re.sub("[/=]", "__", str((facts.config or {}).get("model_args")))
    undated = {f"{arguments}_{task}.jsonl": task for task in facts.configs}
    for path in matching_files(f"{place}/*.jsonl*", folder):
        name = path.rpartition("/")[2]
        found = SAMPLES.fullmatch(name)
        if found is not None and date is not None and found["date"] == date["date"]:
            yield found["task"], path
        elif name in undated:
            yield undated[name], path


def _results(location: str, folder: Path) -> list[tuple[str, _LmEval]]:
    """Read the files of results of a folder, or one such file."""
    one = location.rstrip("/")
    files = [one]
    if not one.endswith(".json"):
        found = matching_files(f"{one}/**/*.json", folder)
        files = [file for file in found if RESULTS.fullmatch(file.rpartition("/")[2])]
    if not files:
        if not GLOB.search(one) and not (folder / one).is_dir():
            regular_file(one, folder)
        raise _unreadable(f"`{location}`", "has no `results_DATE.json`", "name a folder of results")
    return [(file, _decoded(_read(file, folder), f"`{file}`", _LmEval)) for file in files]


def _measured(facts: _LmEval, task: str) -> list[list[str]]:
    """Return the metrics of a task, each with its filter."""
    known = facts.results.get(task, {})
    return [key.split(",", 1) for key in known if "," in key and "_stderr," not in key]


def _lm_eval_choices(location: str, folder: Path) -> list[LogSpec]:
    return [
        LogSpec("lm_eval", metric=metric, filter=how)
        for _, facts in _results(location, folder)
        for task in facts.results
        for metric, how in _measured(facts, task)
    ]


def _lm_eval_rows(
    file: str, path: Path, metric: str, how: str, filters: Sequence[str]
) -> Iterator[Row]:
    """Iterate over the samples of one filter; until version 0.4.5 only their order tells it."""
    times = Counter[Any]()
    for place, record in _lines(file, path):
        number = record.get("doc_id")
        its_filter = record.get("filter")
        if its_filter is None:
            its_filter = filters[min(times[str(number)], len(filters) - 1)]
            times[str(number)] += 1
        if its_filter == how:
            score = _score(record.get(metric), place, metric)
            state = SCORED if score is not None else "unscored"
            yield number, 1, score, state, None, None, None, None, record


def _lines(file: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the objects of a file of JSON Lines, or of an array, each with its place."""
    BYTES.check(f"`{file}`", path.stat().st_size)
    with io.BytesIO(read_bytes(path, file)) if file.endswith(".gz") else path.open("rb") as stream:
        if stream.read(1) == b"[":
            whole = _decoded(b"[" + stream.read(), f"`{file}`", list[dict[str, Any]])
            yield from ((f"item {n} of `{file}`", one) for n, one in enumerate(whole, 1))
            return
        stream.seek(0)
        for number, line in enumerate(stream, 1):
            place = f"line {number} of `{file}`"
            LINE.check(place, len(line))
            if line.strip():
                yield place, _decoded(line, place)


# --- Inspect AI --------------------------------------------------------------------------------


class _Score(Struct):
    value: Any = None


class InspectSample(Struct):
    """What is read of a sample of Inspect AI, or of its summary."""

    id: int | str
    epoch: int = 1
    scores: dict[str, _Score] | None = None
    score: _Score | None = None
    error: Any = None
    limit: Any = None
    model_usage: dict[str, dict[str, Any]] = field(default_factory=dict)
    total_time: float | None = None
    metadata: dict[str, Any] | None = None
    target: Any = None


class _Evaluation(Struct):
    model: str
    task: str
    model_args: dict[str, Any] | None = None
    task_args: dict[str, Any] | None = None
    model_generate_config: dict[str, Any] | None = None


class _Plan(Struct):
    config: dict[str, Any] | None = None


class InspectLog(Struct):
    """What is read of a log of Inspect AI; `score` and `results` are of its first versions."""

    eval: _Evaluation
    plan: _Plan | None = None
    status: str = "started"
    results: dict[str, Any] | None = None
    samples: list[InspectSample] | None = None


def _inspect(location: str, folder: Path, log: LogSpec) -> list[Run]:
    """Return the logs that a path or pattern names, each with its task.

    A pattern skips texts such as study files, which have the ending of logs.
    """
    paths = [location]
    if GLOB.search(location):
        found = matching_files(location, folder)
        paths = [path for path in found if not _is_study(_read(path, folder))]
    if not paths:
        raise Refused(codes.file_not_found, f"no log matches `{location}`", "from")
    runs = []
    for path in paths:
        whole = inspect_log(path, folder)
        if whole.status != "success" and not log.unfinished:
            raise Refused(
                codes.unfinished_log,
                f"the evaluation in `{path}` is not complete: its status is `{whole.status}`",
                "from",
                help="run it again by `inspect eval-retry`, or write `unfinished read` below it",
            )
        if whole.samples is None:
            raise _unreadable(f"`{path}`", "has no samples", "write logs with `--log-samples`")
        facts = whole.eval
        settings = {**(facts.model_args or {}), **(facts.task_args or {})}
        settings |= {
            **(facts.model_generate_config or {}),
            **((whole.plan or _Plan()).config or {}),
        }
        rows = partial(_inspect_rows, path, whole.samples, log.scorer)
        note = None
        if whole.status != "success":
            note = f"`{path}` is not complete: its status is `{whole.status}`"
        runs.append(Run(facts.model, facts.task, path, settings, rows, note=note))
    return runs


def _is_study(content: bytes) -> bool:
    """Return whether a file is a text, which begins unlike a log in JSON."""
    try:
        return content.decode().lstrip()[:1] not in ("", "{") and b"\0" not in content
    except UnicodeDecodeError:
        return False


def inspect_log(path: str, folder: Path) -> InspectLog:
    """Read a log of either format: JSON, or a ZIP file with a summary of its samples."""
    content = _read(path, folder)
    if not content.startswith(b"PK\x03\x04"):
        whole: InspectLog = _decoded(content, f"`{path}`", InspectLog)
        scorer = ((whole.results or {}).get("scorer") or {}).get("name", "score")
        for sample in whole.samples or ():
            if sample.score is not None:
                sample.scores = {scorer: sample.score}
        return whole
    try:
        with _zip_module().ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            if len(names) < len(archive.namelist()):
                raise _unreadable(f"`{path}`", "has several members of one name")
            found: InspectLog
            if "header.json" in names:
                found = _decoded(_member(archive, "header.json", path), f"`{path}`", InspectLog)
                parts = ["summaries.json"]
            else:  # of a log that did not end
                found = _decoded(
                    _member(archive, "_journal/start.json", path), f"`{path}`", InspectLog
                )
                parts = sorted(n for n in names if n.startswith("_journal/summaries/"))
            lists = [
                _decoded(_member(archive, n, path), f"`{path}`", list[InspectSample]) for n in parts
            ]
    except _damaged() as error:
        raise _unreadable(f"`{path}`", f"is damaged or incomplete: {error}") from error
    return replace(found, samples=[sample for some in lists for sample in some])


def _zip_module() -> Any:
    """Return the module that reads ZIP files, with Zstandard where that is installed."""
    return import_module("backports.zstd.zipfile") if _has_zstandard() else zipfile


def _has_zstandard() -> bool:
    return find_spec("backports") is not None and find_spec("backports.zstd") is not None


def _damaged() -> tuple[type[Exception], ...]:
    """Return what is raised for archives and members that cannot be unpacked."""
    found = (_zip_module().BadZipFile, zlib.error, EOFError, OSError, NotImplementedError)
    return (*found, import_module("backports.zstd").ZstdError) if _has_zstandard() else found


def _member(archive: Any, name: str, path: str) -> bytes:
    """Unpack a member of a log within the limits; its size is looked at before and after."""
    try:
        info = archive.getinfo(name)
    except KeyError as error:
        raise _unreadable(f"`{path}`", f"has no `{name}`") from error
    if info.compress_type == ZSTANDARD and not _has_zstandard() and sys.version_info < (3, 14):
        fix = install_extras("logs")
        raise _unreadable(f"`{path}`", "is compressed by Zstandard, which is not installed", fix)
    BYTES.check(f"`{name}` in `{path}`", info.file_size)
    with archive.open(info) as stream:
        return cast(bytes, stream.read(info.file_size + 1))


def _scorers_of(samples: Sequence[InspectSample]) -> list[str]:
    """Return the names of the scores of samples, those inside a score as `rubric.relevance`."""
    known: dict[str, None] = {}
    for sample in samples:
        for name, score in (sample.scores or {}).items():
            inside = score.value if isinstance(score.value, dict) else None
            names = [name] if inside is None else [f"{name}.{key}" for key in inside]
            known.update(dict.fromkeys(names))
    return list(known)


def _inspect_choices(location: str, folder: Path) -> list[LogSpec]:
    samples = inspect_log(location, folder).samples or []
    names = _scorers_of(samples)
    return [LogSpec("inspect", scorer=name) for name in names] or [LogSpec("inspect")]


def _score_of(sample: InspectSample, scorer: str, path: str) -> float | None:
    """Return a score of a sample, None without one."""
    scores = sample.scores or {}
    name, _, key = scorer.rpartition(".")
    value = scores[scorer].value if scorer in scores else None
    if name in scores and isinstance(scores[name].value, dict):
        value = scores[name].value.get(key)
    return _score(value, f"sample `{sample.id}` of `{path}`", scorer)


def _inspect_rows(path: str, samples: Sequence[InspectSample], scorer: str | None) -> Iterator[Row]:
    chosen = _one_of(_scorers_of(samples), scorer, "scorer", f"`{path}`")
    for sample in samples:
        found = _score_of(sample, chosen, path)
        state = SCORED if sample.limit is None else "limited"
        if sample.error is not None:
            state = "errored"
        elif found is None:
            state = "unscored"
        usage = [
            [u[key] for u in sample.model_usage.values() if u.get(key) is not None]
            for key in ("input_tokens", "output_tokens", "total_cost")
        ]
        tokens_in, tokens_out, cost = (sum(some) if some else None for some in usage)
        record = {"metadata": sample.metadata, "target": sample.target}
        more = tokens_in, tokens_out, sample.total_time, cost
        yield sample.id, sample.epoch, found, state, *more, record


# --- Every Eval Ever ---------------------------------------------------------------------------


class _Tokens(Struct):
    input_tokens: float | None = None
    output_tokens: float | None = None


class _Times(Struct):
    """Milliseconds; converters fill either, and Inspect AI's gives waiting as latency."""

    latency_ms: float | None = None
    generation_time_ms: float | None = None


class _Instance(Struct):
    """What is read of a line of Every Eval Ever; a sample has one for each of its metrics."""

    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: dict[str, Any]
    evaluation_result_id: str | None = None
    token_usage: _Tokens | None = None
    performance: _Times | None = None
    error: Any = None
    metadata: dict[str, Any] | None = None


def _instances(location: str, folder: Path) -> Iterator[tuple[str, str, _Instance, dict[str, Any]]]:
    """Iterate over the lines of instance-level files, by the schema of version 0.3.0."""
    paths = matching_files(location, folder) if GLOB.search(location) else [location]
    if not paths:
        raise Refused(codes.file_not_found, f"no file matches `{location}`", "from")
    for path in paths:
        for place, record in _lines(path, regular_file(path, folder)):
            try:
                yield path, place, msgspec.convert(record, _Instance), record
            except msgspec.ValidationError as error:
                raise _unreadable(place, f"is not a sample of this format: {error}") from error


def _every_eval_ever(location: str, folder: Path, log: LogSpec) -> list[Run]:
    """Return the models and tasks of instance-level files, each of which is of one evaluation."""
    rows: dict[tuple[str, str, str], dict[str, list[Row]]] = {}
    for path, place, one, record in _instances(location, folder):
        usage, times = one.token_usage or _Tokens(), one.performance or _Times()
        spent = max(times.latency_ms or 0, times.generation_time_ms or 0) / 1000
        epoch = as_number(str((one.metadata or {}).get("epoch", 1)))
        row = (
            one.sample_id,
            1 if epoch is None else int(epoch),
            _score(one.evaluation.get("score"), place, "evaluation.score"),
            "errored" if one.error else SCORED,
            *(usage.input_tokens, usage.output_tokens),
            *(spent or None, None),
            record,
        )
        metrics = rows.setdefault((one.model_id, one.evaluation_name, path), {})
        metrics.setdefault(one.evaluation_result_id or "score", []).append(row)
    runs = []
    for key, metrics in rows.items():
        if log.metric is None or log.metric in metrics:
            chosen = _one_of(metrics, log.metric, "metric", f"`{key[1]}` in `{key[2]}`")
            runs.append(Run(*key, {}, partial(iter, metrics[chosen])))
    if rows and not runs:
        known = dict.fromkeys(metric for metrics in rows.values() for metric in metrics)
        _one_of(known, log.metric, "metric", f"`{location}`")
    return runs


def _every_eval_ever_choices(location: str, folder: Path) -> list[LogSpec]:
    names = [one.evaluation_result_id or "score" for _, _, one, _ in _instances(location, folder)]
    return [LogSpec("every_eval_ever", metric=name) for name in dict.fromkeys(names)]


# --- the tools ---------------------------------------------------------------------------------


def _lm_eval_among(paths: Sequence[Path]) -> list[Path]:
    """Return the folders with samples; where a task was run again, the newest files of results."""
    tasks: dict[Path, set[str]] = {}
    chosen: list[Path] = []
    for path in paths:
        found = SAMPLES.fullmatch(path.name)
        results = path.with_name(f"results_{found['date']}.json") if found else path
        if found and results.is_file():
            tasks.setdefault(results, set()).add(found["task"])
        elif RESULTS.fullmatch(path.name) and re.match(rb'\{\s*"results":\s*\{', _start(path)):
            tasks.setdefault(path, set())
    for place in sorted({results.parent for results in tasks}):
        own, known = sorted((one for one in tasks if one.parent == place), reverse=True), set[str]()
        newest = []
        for results in own:
            if known.isdisjoint(tasks[results]):
                newest.append(results)
                known |= tasks[results]
        chosen += [place] if newest == own and len(paths) > 1 else newest
    return chosen


def _inspect_among(paths: Sequence[Path]) -> list[Path]:
    """Return the files that begin as the logs of Inspect AI do: a ZIP file, or JSON."""
    endings = (".eval", ".json", ".json.gz")
    starts = {path: _start(path) for path in paths if path.name.endswith(endings)}
    return [
        path
        for path, start in starts.items()
        if start.startswith(b"PK\x03\x04") or (b'"eval"' in start and b'"status"' in start)
    ]


def _every_eval_ever_among(paths: Sequence[Path]) -> list[Path]:
    """Return the files whose first record has the fields of this format."""
    fields = (b'"model_id"', b'"evaluation_name"', b'"sample_id"')
    endings = (".jsonl", ".jsonl.gz")
    lines = {path: _start(path) for path in paths if path.name.endswith(endings)}
    return [path for path, start in lines.items() if all(one in start for one in fields)]


def _helm_among(paths: Sequence[Path]) -> list[Path]:
    """Return the folder of all runs, which have files of these names."""
    names = ("per_instance_stats.json", "scenario_state.json", "display_predictions.json")
    places = [path.parent for path in paths if path.name in (*names, "run_spec.json")]
    return [Path(os.path.commonpath(places))] if places else []


def _start(path: Path) -> bytes:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        try:
            return file.read(4096)
        except (OSError, EOFError, zlib.error):  # its reader reports a damaged file
            return b""


class Reader(NamedTuple):
    """Which of some files a statement names as logs of a tool, their runs, and how to read them.

    `runs` returns the runs of a location, and `choices` what to read of it for each of the scores
    that its samples have, in the order of the log.
    """

    among: Callable[[Sequence[Path]], list[Path]]
    runs: Callable[[str, Path, LogSpec], list[Run]] | None = None
    choices: Callable[[str, Path], list[LogSpec]] | None = None


READERS: Mapping[str, Reader] = {
    "lm_eval": Reader(_lm_eval_among, _lm_eval, _lm_eval_choices),
    "inspect": Reader(_inspect_among, _inspect, _inspect_choices),
    "every_eval_ever": Reader(_every_eval_ever_among, _every_eval_ever, _every_eval_ever_choices),
    "helm": Reader(_helm_among),
}


def recognised(paths: Sequence[Path]) -> tuple[str, list[Path]] | None:
    """Return the tool of the logs among some files, and what a statement names of them."""
    for tool, known in READERS.items():
        if found := known.among(paths):
            return tool, found
    return None


def fix_of(tool: str, found: Sequence[Path], folder: Path) -> str:
    """Return what to write, or to do, to read the logs of a tool."""
    places = [os.path.relpath(path, folder).replace(os.sep, "/") for path in found]
    shown = ", ".join(f'"{place}"' for place in briefly(places, folder))
    return LOG_TOOLS[tool].fix.format(tool=tool, paths=shown)


def briefly(locations: Sequence[str], folder: Path) -> Sequence[str]:
    """Return locations, as a pattern where they are all such files of a folder."""
    place, _, name = locations[0].rpartition("/")
    pattern = f"{place}/*{Path(name).suffix}" if place else ""
    if len(locations) > 1 and sorted(locations) == matching_files(pattern, folder):
        return [pattern]
    return locations


def located_runs(location: str, folder: Path, log: LogSpec) -> list[Run]:
    """Return the runs of a location, and name its tool where the study names another."""
    read = READERS[log.tool].runs
    assert read is not None, "the grammar has no other tool"
    try:
        return [replace(run, location=location) for run in read(location, folder, log)]
    except Refused as refused:
        wrong = (codes.unreadable_log, codes.unreadable_file, codes.file_not_found)
        if refused.code not in wrong:
            raise
        found = recognised(_files_at(location, folder))
        if found is None or (found[0] == log.tool and refused.code is not codes.unreadable_file):
            raise
        tool, places = found
        raise _unreadable(
            f"`{location}`", f"holds {LOG_TOOLS[tool].title}", fix_of(tool, places, folder)
        ) from refused


def _files_at(location: str, folder: Path) -> list[Path]:
    """Return the files that a location names, or that are in its folder."""
    pattern = location if GLOB.search(location) else f"{location.rstrip('/')}/**/*"
    try:
        names = [location] if (folder / location).is_file() else matching_files(pattern, folder)
    except (OverLimit, OSError, ValueError):
        return []
    return [path for name in names if (path := folder / name).is_file()]
