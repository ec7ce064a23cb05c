"""A fitted model in, the bytes of a file that holds no code out: the sole user of skops.

skops names what it writes by addresses in memory and by random numbers; they are numbered
here in their order instead, so that the same model gives the same file.
"""

import io
import json
import re
import stat
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from evallang.models.build import BuildContext, assemble
from evallang.models.foreign_errors import error_text

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that a ZIP archive can hold
PROBED = 200  # rows on which a model read back must predict as it did
SCHEMA = "schema.json"
_STEM = re.compile(r"(.*)\.(\w+)")


class NotSaved(Exception):
    """A model that skops cannot write, or that would come back as another."""


class SavedModel(Struct, frozen=True):
    """The content of a file, its SHA-256, and the types a reader must declare as trusted."""

    content: bytes
    sha256: str
    trusted_types: tuple[str, ...]


def save(model: Any, rows: Any) -> SavedModel:
    """Write a fitted model, read it again and compare its predictions on the first rows.

    Raises `NotSaved`.
    """
    import skops.io

    try:
        content = _numbered(skops.io.dumps(model))
        trusted = tuple(skops.io.get_untrusted_types(data=content))
        again = skops.io.loads(content, trusted=list(trusted))
    # skops walks through whatever a model holds, anyone's code, and each kind it cannot
    # write raises in its own way
    except Exception as error:
        reason = f"{type(error).__name__}: {error_text(error)}"
        raise NotSaved(f"skops cannot save it: {reason}") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows here have no column names, which it would warn of
        here, there = (np.asarray(m.predict(rows[:PROBED])) for m in (model, again))
    if not np.array_equal(here, there):
        raise NotSaved("a copy read back from the file predicts other values than the model")
    return SavedModel(content, sha256(content).hexdigest(), trusted)


def set_column_names(model: Any, columns: Sequence[str], *, numeric: bool) -> Any:
    """Set the names of the columns that a model was fitted on.

    scikit-learn then refuses frames whose columns have other names or another order. A
    class that will not take them gets a first step before it that does, if all columns are
    numbers: a scaler that neither centres nor scales.
    """
    names = np.array(list(columns), dtype=object)
    if not all(_named(step, names) for step in _first_steps(model)):
        return _wrap_names(model, names) if numeric else model
    return model


def with_threshold(
    model: Any, threshold: float, positive: Any, rows: Any, context: BuildContext, codes: Any
) -> Any:
    """Return a fitted model whose label is `positive` where its score reaches a threshold.

    It is scikit-learn's own class around the model as it is, so that a saved model needs nothing
    of ours.
    """
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier

    wrapped = FixedThresholdClassifier(
        FrozenEstimator(model), threshold=threshold, pos_label=positive
    )
    labels = np.asarray(context.targets)[codes] if context.targets else codes
    return wrapped.fit(rows, labels)


def _first_steps(model: Any) -> Iterator[Any]:
    """Iterate over the steps up to the first one that rows to predict go through."""
    for _, step in getattr(model, "steps", [("", model)]):
        yield step
        if not hasattr(step, "fit_resample"):
            return


def _named(step: Any, names: Any) -> bool:
    """Set the column names of a step and of the branches of `columns(...)`."""
    try:
        step.feature_names_in_ = names
    except AttributeError:
        return False
    for _, branch, places in getattr(step, "transformers_", ()):
        if hasattr(branch, "fit") and np.ndim(places):
            _named(next(_first_steps(branch)), names[places])
    return True


def _wrap_names(model: Any, names: Any) -> Any:
    from sklearn.preprocessing import StandardScaler

    gate = StandardScaler(with_mean=False, with_std=False)
    gate.fit(np.zeros((1, len(names))))
    gate.feature_names_in_ = names
    steps = model.steps if hasattr(model, "steps") else [("model", model)]
    return assemble([("columns", gate), *steps])


# --- the same model, the same bytes --------------------------------------------------------


def _numbered(content: bytes) -> bytes:
    """Number the objects and files of an archive in the order in which they are named."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(parts.pop(SCHEMA))
    objects: dict[int, int] = {}
    files: dict[str, str] = {}
    schema = _renamed(schema, objects, files)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, new in files.items():
            archive.writestr(_entry(new), parts[name])
        archive.writestr(_entry(SCHEMA), json.dumps(schema, indent=2))
    return made.getvalue()


def is_saved_model(path: Path) -> bool:
    """Return whether a regular file is one that evallang exported, by the dates of its entries."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False
    dated = all(entry.date_time == LONG_AGO for entry in entries)
    return dated and bool(entries) and entries[-1].filename == SCHEMA


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _renamed(node: Any, objects: dict[int, int], files: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_renamed(item, objects, files) for item in node]
    if not isinstance(node, Mapping):
        return node
    made: dict[str, Any] = {}
    known = "__loader__" in node  # skops' own record, not a dictionary of the model's
    for key, value in node.items():
        if known and key == "__id__" and isinstance(value, int):
            made[key] = objects.setdefault(value, len(objects))
        elif known and key == "file" and isinstance(value, str) and _STEM.fullmatch(value):
            ending = value.rpartition(".")[2]
            made[key] = files.setdefault(value, f"{len(files)}.{ending}")
        else:
            made[key] = _renamed(value, objects, files)
    return made
