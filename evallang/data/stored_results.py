"""The results folder of a former run in, its record and its predictions out.

Both files are read as files of predictions are: regular files below the limits, never from a
network, nothing unpickled. The predictions must have the hash that the results record.
"""

from hashlib import sha256
from pathlib import Path

import polars as pl
from msgspec import Struct

from evallang.data.file_formats import parquet_cells
from evallang.data.files import open_file, read_bytes, regular_file
from evallang.data.findings import Findings, Refused, quoted
from evallang.data.read_sources import StoredPredictions
from evallang.data.reading import read_apart
from evallang.diagnostics import Diagnostic, codes
from evallang.limits import RESULTS_BYTES
from evallang.results import codec
from evallang.results.files import PREDICTIONS, RESULTS
from evallang.results.records import ResultsRecord
from evallang.source import Span
from evallang.spelling import closest

AGAIN = "run the former study again, and leave its results folder as it is"


class StoredResults(Struct, frozen=True):
    """The results of a former run: their record, their predictions, and the hash of these."""

    record: ResultsRecord
    cells: "pl.DataFrame"
    sha256: str


def read_stored_results(
    written: str, folder: Path, span: Span | None
) -> tuple[StoredResults | None, tuple[Diagnostic, ...]]:
    """Read the results folder that a study names; None after a finding."""
    findings = Findings({}, span)
    return findings.tried(_stored, written, folder), findings.diagnostics


def predictions_of(
    found: StoredResults, written: str, model: str, span: Span | None
) -> tuple[StoredPredictions | None, tuple[Diagnostic, ...]]:
    """Return the predictions of one model; None after a finding."""
    findings = Findings({}, span)
    return findings.tried(_predictions_of, found, written, model), findings.diagnostics


def _predictions_of(found: StoredResults, written: str, model: str) -> StoredPredictions:
    models = {one.name: one for one in found.record.models}
    cells = found.cells.filter(pl.col("model") == model)
    if model not in models:
        near = closest(model, models)
        fix = f"did you mean `{near}`?" if near else f"they have {quoted(models, 12)}"
        message = f"the results in `{written}` have no model `{model}`"
        raise Refused(codes.stored_results_unusable, message, help=fix)
    if not len(cells):
        message = (
            f"the results in `{written}` have no predictions of `{model}`: all of its fits failed"
        )
        fix = "name another model, or run the former study again"
        raise Refused(codes.stored_results_unusable, message, help=fix)
    return StoredPredictions(written, models[model], found.record, cells, found.sha256)


def _stored(written: str, folder: Path) -> StoredResults:
    location = f"{written}/{RESULTS}"
    path = regular_file(location, folder)
    RESULTS_BYTES.check(f"`{location}`", path.stat().st_size)
    content = read_bytes(path, location)
    try:
        record = codec.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = str(error).split("\n")[0]
        message = f"`{location}` cannot be read as results of evallang: {reason}"
        raise Refused(codes.stored_results_unusable, message, help=AGAIN) from error
    digest = record.provenance.predictions_sha256
    return StoredResults(record, _predictions(written, folder, record), digest or "")


def _predictions(written: str, folder: Path, record: ResultsRecord) -> "pl.DataFrame":
    """Read the predictions, whose hash and columns must be those that the results state."""
    location = f"{written}/{PREDICTIONS}"
    stated = record.provenance.predictions_sha256
    if stated is None:
        none = record.provenance.fits.planned == 0
        why = "no run of it had predictions" if none else "an older version made them"
        message = f"the results in `{written}` record no hash of their predictions: {why}"
        fix = "name the results of a study that fits models, run with this version"
        raise Refused(codes.stored_results_unusable, message, help=fix)
    if not (folder / location).exists():
        message = f"the file `{PREDICTIONS}` is missing in `{written}`"
        fix = "put it back next to `results.json`, or run the former study again"
        raise Refused(codes.stored_results_unusable, message, help=fix)
    open_file(location, folder)
    cells = read_apart(f"`{location}`", _unaltered_cells, location, folder.absolute(), stated)
    if not _is_complete(cells):
        message = f"`{location}` does not have the columns of predictions"
        raise Refused(codes.stored_results_unusable, message, help=AGAIN)
    return cells


def _unaltered_cells(location: str, folder: Path, stated: str) -> "pl.DataFrame":
    content = read_bytes(open_file(location, folder), location)
    if sha256(content).hexdigest() != stated:
        message = f"`{location}` was altered: its hash is not the one that its results record"
        raise Refused(codes.stored_results_unusable, message, help=AGAIN)
    return parquet_cells(content, location)


def _is_complete(cells: "pl.DataFrame") -> bool:
    """Return whether every column has the type that a run writes."""
    types = cells.schema
    texts = all(types.get(name) == pl.String for name in ("data", "protocol", "model"))
    whole = all(
        types.get(name) == pl.Int64 and not cells[name].null_count()
        for name in ("repeat", "fold", "row", *(["seed"] if "seed" in types else []))
    )
    answers = all(types.get(name) in (pl.String, pl.Float64) for name in ("truth", "prediction"))
    scores = all(types[name].is_numeric() for name in types if name.startswith("score_"))
    return texts and whole and answers and scores
