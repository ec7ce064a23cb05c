"""The files of a `predictions` statement: read, filtered by `where` lines, joined by id."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evallang.data.dataset import GivenModel, PredictionsSpec, Where
from evallang.data.findings import Findings, listed, quoted
from evallang.data.frame import Frame
from evallang.data.joining import join, own_columns
from evallang.data.live import read_frame
from evallang.data.model_scores import score_columns
from evallang.data.selection import select
from evallang.data.source_codes import FILE_NOT_FOUND
from evallang.data.tables import read_file

Excluded = tuple[tuple[str, int], ...]


def read_sources(
    spec: PredictionsSpec, folder: Path, findings: Findings, given: Sequence[Any] = ()
) -> tuple[Frame, tuple[GivenModel, ...], Excluded] | None:
    """Read all files into one frame; None after a finding.

    `given` are data frames that stand for the files, in their order. Gives the frame, the models
    with their columns in it, and what each `where` line excluded.
    """
    frames = _files(spec, folder, findings, given)
    if frames is None:
        return None
    if len(frames) == 1:
        (only,) = frames.values()
        frame, excluded = select(only, spec.where, findings)
        columns = {name: name for name in frame.columns}
        models = tuple(own_columns(model, columns, spec) for model in spec.models)
        return None if findings.failed else (frame, models, excluded)
    everywhere = [w for w in spec.where if all(w.column in f.columns for f in frames.values())]
    filtered = _filtered(frames, everywhere, findings)
    if filtered is None:
        return None
    frames, before, notes = filtered
    joined = join(frames, spec, findings)
    if joined is None:
        return None
    rest = [line for line in spec.where if line not in everywhere]
    frame, after = select(joined.frame.noted(notes), rest, findings)
    return None if findings.failed else (frame, joined.models, (*before, *after))


def role_columns(spec: PredictionsSpec) -> list[str]:
    """Give the columns that clauses name for anything but a model."""
    single = (spec.truth, spec.id, spec.group, spec.fold, spec.repeat, spec.dataset, spec.weight)
    names = [name for name in single if name is not None]
    return [*names, *spec.subgroups, *(line.column for line in spec.where)]


def answer_columns(spec: PredictionsSpec, models: Sequence[GivenModel]) -> frozenset[str]:
    """Give the columns of the truth and of what models say, which are no kinds of rows."""
    names = {model.column or model.name for model in models} | {spec.truth or ""}
    for model in models:
        names |= score_columns(model)
    return frozenset(names)


def _named(spec: PredictionsSpec) -> frozenset[str]:
    """Give the columns that the statement names."""
    names = set(role_columns(spec))
    for model in spec.models:
        names |= {model.column or model.name} | score_columns(model)
    return frozenset(names)


def _spelled(spec: PredictionsSpec) -> frozenset[str] | None:
    """Give the columns that may be read as text: roles and labels, not scores and values."""
    if not spec.models:
        return None
    names = set(role_columns(spec))
    if spec.judged is None and spec.task != "regression":
        names |= {model.column or model.name for model in spec.models}
    return frozenset(names)


def _files(
    spec: PredictionsSpec, folder: Path, findings: Findings, given: Sequence[Any]
) -> dict[str, Frame] | None:
    """Read every file, or take the data frame that is given for it."""
    several = len(spec.paths) > 1
    frames: dict[str, Frame] = {
        path: read_frame(frame, path if several else None)
        for path, frame in zip(spec.paths, given, strict=False)
    }
    for path in () if given else spec.paths:
        frame = read_file(path, folder, findings, named=_named(spec), spelled=_spelled(spec))
        if frame is not None:
            frames[path] = frame
    for model in spec.models:
        if model.path is not None and model.path not in spec.paths:
            message = f"`{model.name}` is in `{model.path}`, which is none of the files"
            findings.add(
                FILE_NOT_FOUND,
                message,
                f"models {model.name}",
                help=f"they are {quoted(spec.paths)}",
            )
    return None if findings.failed else frames


def _filtered(
    frames: Mapping[str, Frame], lines: Sequence[Where], findings: Findings
) -> tuple[dict[str, Frame], Excluded, tuple[str, ...]] | None:
    """Apply to each file the lines about columns that every file has; None after a finding.

    So of several rows of one id (lm-evaluation-harness writes one a filter) one is kept before
    ids are matched. A line counts as having excluded the most rows that it excluded in a file.
    """
    parts: dict[str, Frame] = {}
    counts: dict[str, list[int]] = {line.written: [] for line in lines}
    for path, frame in frames.items():
        parts[path], gone = select(frame, lines, findings)
        for clause, n in gone:
            counts[clause].append(n)
    if findings.failed:
        return None
    notes = tuple(
        f"{clause}: excludes {listed(n, len(n))} rows of {listed(frames, len(n))}"
        for clause, n in counts.items()
        if len(set(n)) > 1
    )
    return parts, tuple((clause, max(n)) for clause, n in counts.items()), notes
