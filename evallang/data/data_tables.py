"""`data` statements: from a file or bundled data set to a table that models can be fitted on.

The order is fixed: missing values are marked, `where` lines applied, then types found, the
target and the columns with roles read, and what is left are the features.
"""

import gzip
import importlib.util
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import complete_texts, read_ids, read_levels, read_weights
from evallang.data.data_frames import read_frame
from evallang.data.databases import read_query
from evallang.data.dataset import DataSpec, Table
from evallang.data.features import read_features
from evallang.data.file_formats import read_file
from evallang.data.files import matching_files, stem
from evallang.data.findings import Findings, Refused, quoted, repeated, written
from evallang.data.frame import Frame, frame_of
from evallang.data.hashing import DataHash
from evallang.data.labels import group_codes
from evallang.data.odd_values import variants_in, warn_of_variants
from evallang.data.parts import pattern_files
from evallang.data.path_patterns import path_pattern
from evallang.data.row_filters import select
from evallang.data.source_columns import NOT_USED, named_columns, roles_of, source_columns
from evallang.data.target import read_target
from evallang.data.time_columns import read_moments
from evallang.diagnostics import Diagnostic, codes, has_errors, sorted_by_place
from evallang.results.codec import encodable

BUNDLED_TARGET = "target"  # what scikit-learn calls it in its frames


def read_table(
    spec: DataSpec, folder: Path, *, trusted: bool = False, frame: Any = None
) -> tuple[tuple[Table, ...], tuple[Diagnostic, ...]]:
    """Read what a `data` statement names, and report everything that is wrong with it.

    `folder` is that of the study's file; paths are relative to it. A glob gives one table
    a file, named NAME/stem, in the order of their paths; all others give one. With an error
    among the diagnostics there is no table. Nothing is raised for bad data. A query goes to
    a server only where the study is `trusted`. A `frame` of polars or pandas replaces the
    file, which is then not looked at.
    """
    findings = Findings(spec.places)
    if frame is not None:
        spec = replace(spec, kind="path", location="")
    singles = findings.tried(_single_specs, spec, folder) or ()
    tables, found = [], list(findings.diagnostics)
    for one in singles:
        findings = Findings(spec.places)  # of its own: an error in one file stops no other
        note = f"in {one.location}" if spec.kind == "glob" else None
        with findings.noting(note), findings.catching():
            tables.append(_read_one(one, folder, findings, trusted, frame))
        found += findings.diagnostics
    return () if has_errors(found) else tuple(tables), sorted_by_place(found)


def _single_specs(spec: DataSpec, folder: Path) -> list[DataSpec]:
    if spec.kind != "glob":
        return [spec]
    if path_pattern(spec.location).words:
        named = [(path, values["dataset"]) for values, path in pattern_files(spec.location, folder)]
    else:
        named = [(path, stem(path)) for path in matching_files(spec.location, folder)]
    if not named:
        fix = "patterns are relative to the study's own file; `**` stands for any folders"
        raise Refused(codes.file_not_found, f"no file matches `{spec.location}`", help=fix)
    stems = [encodable(name) for _, name in named]
    if twice := repeated(stems):
        message = f"`{spec.location}` finds several files called {quoted(twice)}"
        raise Refused(
            codes.data_sets_share_a_name, message, help="write a `data` statement for each of them"
        )
    return [
        replace(
            spec,
            name=f"{spec.name}/{name}",
            label=f"{spec.label}/{name}",
            kind="path",
            location=path,
        )
        for (path, _), name in zip(named, stems, strict=True)
    ]


def _read_one(spec: DataSpec, folder: Path, findings: Findings, trusted: bool, given: Any) -> Table:
    """Read one table; raises `Refused` and `Stopped` where there is none."""
    frame = _source(spec, folder, trusted) if given is None else read_frame(given)
    target = spec.target or (BUNDLED_TARGET if spec.kind == "sklearn" else None)
    if target is None:
        raise Refused(
            codes.no_target,
            f"`{spec.name}` does not say which column is to be predicted",
            help=f"write `target {written(frame.columns[-1])}` below it; the columns are "
            f"{quoted(frame.columns, 12)}",
        )
    frame, excluded = select(frame.mark_missing(spec.missing), spec.where)
    if frame.n < 2:
        last = next(
            (line for line in reversed(spec.where) if (line.written, 0) not in excluded), None
        )
        if last is None:
            raise Refused(
                codes.too_few_rows, f"`{frame.source}` has only one row", help="give more rows"
            )
        message = f"`{last.written}` leaves only one row"
        raise Refused(codes.too_few_rows, message, span=last.span, help="keep more rows")
    return _table(spec, frame, target, excluded, findings)


def _source(spec: DataSpec, folder: Path, trusted: bool) -> Frame:
    if spec.kind == "sklearn":
        return bundled(spec.location)
    if spec.kind == "path":
        return read_file(
            spec.location,
            folder,
            named=named_columns(spec),
            spelled=_spelled(spec),
            used=partial(_used, spec),
        )
    return read_query(spec.location, spec.connection or "", folder, trusted=trusted)


# --- bundled data ----------------------------------------------------------------------------

_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal dimension"),
)
FEATURES: dict[str, tuple[str, ...]] = {
    "breast_cancer": (
        *(f"mean {name}" for name in _MEASURES),
        *(f"{name} error" for name in _MEASURES),
        *(f"worst {name}" for name in _MEASURES),
    ),
    "diabetes": ("age", "sex", "bmi", "bp", *(f"s{i}" for i in range(1, 7))),
    "digits": tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
    "iris": (
        *("sepal length (cm)", "sepal width (cm)"),
        *("petal length (cm)", "petal width (cm)"),
    ),
    "wine": (
        *("alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols"),
        *("flavanoids", "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue"),
        *("od280/od315_of_diluted_wines", "proline"),
    ),
}
"""The columns, which the files do not name."""
WORKS = {
    "breast_cancer": "Street WN, Wolberg WH & Mangasarian OL (1993). Nuclear feature extraction "
    "for breast tumor diagnosis. Biomedical Image Processing and Biomedical "
    "Visualization, SPIE 1905, 861–870.",
    "diabetes": "Efron B, Hastie T, Johnstone I & Tibshirani R (2004). Least angle regression. "
    "Annals of Statistics, 32(2), 407–499.",
    "digits": "Alpaydin E & Kaynak C (1998). Cascading classifiers. Kybernetika, 34(4), 369–374.",
    "iris": "Fisher RA (1936). The use of multiple measurements in taxonomic problems. Annals of "
    "Eugenics, 7(2), 179–188.",
    "wine": "Aeberhard S, Coomans D & de Vel O (1992). Comparison of classifiers in high "
    "dimensional settings. Technical report 92-02, James Cook University of North Queensland.",
}
"""What each is cited by where its statement has no `cite`, after scikit-learn's description."""


def bundled(name: str) -> Frame:
    """Return a data set that comes with scikit-learn, with the names of its classes.

    The target is called `target`. Digits keep their integer labels; diabetes is centred and scaled
    as `load_diabetes()` gives it. Its loaders give the same (a test compares them), but importing
    them takes a second: a study whose fits are in the store would miss its row of performance.md.
    """
    if name == "diabetes":
        raw = _numbers("diabetes_data_raw.csv.gz", " ")
        values = (raw - raw.mean(axis=0)) / raw.std(axis=0) / len(raw) ** 0.5
        target: list[Any] = _numbers("diabetes_target.csv.gz")[:, 0].tolist()
    elif name == "digits":
        cells = _numbers("digits.csv.gz")
        values, target = cells[:, :-1], cells[:, -1].astype(np.int64).tolist()
    else:  # the first line has the numbers of rows and columns, then the classes
        file = "wine_data.csv" if name == "wine" else f"{name}.csv"
        cells = _numbers(file, first=1)
        classes = _content(file).splitlines()[0].decode().split(",")[2:]
        values, target = cells[:, :-1], [classes[int(code)] for code in cells[:, -1]]
    columns = dict(zip(FEATURES[name], values.T, strict=True))
    frame = pl.DataFrame(columns).with_columns(pl.Series(BUNDLED_TARGET, target))
    return frame_of(f"sklearn {name}", frame, untyped=False)


def _content(name: str) -> bytes:
    found = importlib.util.find_spec("sklearn")  # does not import it
    assert found is not None and found.origin is not None, "a dependency"
    content = (Path(found.origin).parent / "datasets" / "data" / name).read_bytes()
    return gzip.decompress(content) if name.endswith(".gz") else content


def _numbers(name: str, separator: str = ",", *, first: int = 0) -> "NDArray[np.float64]":
    """Parse the lines of a file from line `first` on (n, p)."""
    text = _content(name).decode().splitlines()[first:]
    return np.array([line.split(separator) for line in text], dtype=np.float64)


def _used(spec: DataSpec, columns: Sequence[str]) -> frozenset[str]:
    """Return the columns that a statement uses: named ones, and all others as features."""
    others = set() if spec.features is not None else {*columns} - {*(spec.features_except or ())}
    return named_columns(replace(spec, features_except=None)) | others


def _spelled(spec: DataSpec) -> frozenset[str]:
    """Return the columns that may be read as text: all that are named but plain features."""
    return named_columns(replace(spec, features=None, features_except=None))


def _table(
    spec: DataSpec,
    frame: Frame,
    target_column: str,
    excluded: tuple[tuple[str, int], ...],
    findings: Findings,
) -> Table:
    tried = findings.tried
    target = tried(read_target, frame, _add_known_task(spec), target_column, findings)
    features = tried(read_features, frame, spec, target_column, findings)
    named = tried(read_ids, frame, spec.id)
    row_ids = None if named is None else tuple(frame.texts(spec.id or "").to_list())
    groups = tried(complete_texts, frame, spec.group, "group")
    if groups is not None:
        warn_of_variants(spec.group or "", variants_in(frame, spec.group or ""), "group", findings)
    split = tried(complete_texts, frame, spec.split, "split")
    row_weights = tried(read_weights, frame, spec.weight)
    strata = read_levels(frame, spec.strata, "stratify", findings)
    subgroups = read_levels(frame, spec.subgroups, "within", findings)
    moments = tried(read_moments, frame, spec, {target_column})
    findings.stop_at_errors()
    assert target is not None and features is not None, "errors have stopped the reading"
    roles = roles_of(spec, (), (c.name for c in features.columns), target_column)
    columns = source_columns(frame, roles)
    table = Table(
        spec=spec,
        task=target.task,
        columns=features.columns,
        numeric=features.numeric,
        objects=features.objects,
        y=target.y if target.task == "regression" else target.y.astype("int64"),
        classes=target.classes,
        class_values=target.class_values,
        positive=target.positive,
        rows=frame.row_numbers,
        ids=row_ids,
        groups=groups,
        group_codes=None if groups is None else group_codes(groups),
        weights=row_weights,
        split=split,
        strata=strata,
        subgroups=subgroups,
        moments=moments,
        excluded=excluded,
        sha256="",
        source=frame.source,
        taken=frame.taken,
        target=target_column,
        notes=(*frame.all_notes, *target.notes),
        source_columns=columns,
        unused={c.name: frame.values(c.name) for c in columns if c.role == NOT_USED},
        keys={n: frame.values(n) for n in (spec.id, spec.time) if n in frame.columns and n},
    )
    return replace(table, sha256=table_hash(table))


def _add_known_task(spec: DataSpec) -> DataSpec:
    """Fill in the task of a bundled data set, which no selection of rows may change."""
    if spec.kind != "sklearn" or spec.task is not None or spec.target not in (None, BUNDLED_TARGET):
        return spec
    return replace(spec, task="regression" if spec.location == "diabetes" else "classification")


def table_hash(table: Table) -> str:
    """Hash everything in a table that can change a result."""
    parts = DataHash()
    parts.text("task", table.task)
    parts.text("columns", [[c.name, c.numeric, c.index] for c in table.columns])
    parts.numbers("numeric", table.numeric)
    for place in range(table.objects.shape[1]):
        parts.texts(f"objects.{place}", table.objects[:, place])
    parts.numbers("y", table.y)
    parts.text("classes", [[type(v).__name__, v] for v in table.class_values])
    parts.text("positive", table.positive)
    parts.texts("ids", table.ids, distinct=True)
    parts.texts("groups", table.groups)
    parts.numbers("weights", table.weights)
    parts.texts("split", table.split)
    if table.moments is not None:
        parts.numbers("moments", table.moments.ranks)
    parts.columns("strata", table.strata)
    parts.columns("subgroups", table.subgroups)
    return parts.hexdigest()
