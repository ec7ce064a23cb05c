"""Objects given in Python instead of what a study says: data frames and estimators."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.models.own_code import OwnCode, distributions_of
from evallang.results.records import ResultsRecord
from evallang.study import Study

LONGEST = 200  # signs of an object's text that results keep


class Live(Struct, frozen=True):
    """Data frames by the name of their source, estimators by that of their model.

    A frame is one of polars or pandas or a dictionary of arrays; for `predictions` from several
    files a list of them, one for each file in the order of the statement.
    """

    frames: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, Any] = field(default_factory=dict)


NOTHING = Live()


def checked(live: Live, study: Study | None) -> None:
    """Raise `ValueError` for a frame of data that the study does not have, or no estimator."""
    every = () if study is None else study.sources
    sources = {getattr(source, "declared_name", source.name): source for source in every}
    for name, given in live.frames.items():
        if study is not None and name not in sources:
            raise ValueError(f"the study has no data called {name!r}; it has {_listed(sources)}")
        paths = getattr(sources.get(name), "paths", ("",))
        several = len(paths) > 1 and isinstance(given, list | tuple)
        frames = given if several else [given]
        if len(frames) != len(paths):
            raise ValueError(
                f"the data {name!r} are read from {len(paths)} files, and {len(frames)} data "
                f"{'frame is' if len(frames) == 1 else 'frames are'} given: give a list with one "
                "for each file"
            )
        from evallang.data.data_frames import is_frame  # a check of a file starts without it

        for frame in frames:
            if not is_frame(frame):
                raise ValueError(
                    f"the data {name!r} are a {type(frame).__name__}, not a polars or pandas data "
                    "frame or a dictionary of arrays"
                )
    for name, model in live.models.items():
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise ValueError(
                f"the model {name!r} is not an estimator: it needs the methods fit and predict, "
                "and is given as an instance, not as a class"
            )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def own_code(study: Study, folder: Path, models: Mapping[str, Any]) -> OwnCode:
    """Provide the fits with what they may make instances of besides the catalogue."""
    from evallang.checking.own_code import live_name
    from evallang.study import own_sources

    live = {live_name(name): model for name, model in models.items()}
    return OwnCode(str(folder.resolve()), own_sources(study), live)


def hashes(models: Mapping[str, Any]) -> dict[str, str]:
    """Hash estimators by class and parameters; empty where these do not tell all of one."""
    from evallang.checking.own_code import live_name

    return {live_name(name): _hash(model) for name, model in models.items()}


def _hash(model: Any) -> str:
    """Return the hash of an object whose parameters are plain data and whose class is installed.

    The source of any other class, as one of a notebook, may change from one run to the next.
    """
    kind = type(model)
    versions = _installed(kind)
    if not versions or "<locals>" in kind.__qualname__:
        return ""
    named = f"{kind.__module__}.{kind.__qualname__}"
    try:
        text = json.dumps([named, versions, model.get_params()], sort_keys=True, allow_nan=False)
    except (AttributeError, TypeError, ValueError):
        return ""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def _installed(kind: type) -> dict[str, str]:
    """Return the distributions of a class with their versions; none for one that is edited."""
    from importlib import metadata  # slow, and no check of a file needs it

    top = kind.__module__.partition(".")[0]
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    found = distributions_of(top)
    if file is None or not all(
        Path(file).is_relative_to(str(metadata.distribution(name).locate_file("")))
        for name in found
    ):
        return {}
    return found


def described(record: ResultsRecord, models: Mapping[str, Any]) -> ResultsRecord:
    """Record in the results which models were objects, and what they were."""
    if not models:
        return record
    made = tuple(
        replace(
            model,
            pipeline=_text(models[model.name]),
            notes=(*model.notes, "an object given in Python; a fresh copy was fitted each time"),
        )
        if model.name in models
        else model
        for model in record.models
    )
    return replace(record, models=made)


def _text(model: Any) -> str:
    """Return the text of an object in one line, without its address in memory."""
    from evallang.models.foreign_errors import clean_message

    text = clean_message(repr(model))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
