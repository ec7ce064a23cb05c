"""Objects given in Python instead of what a study says: data frames and estimators."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.data.dataset import ScoresSpec
from evallang.models.own_code import OwnCode, distributions_of
from evallang.results.records import ModelRecord, ResultsRecord
from evallang.study import SourceSpec, Study

LONGEST = 200  # signs of an object's text that results keep


class Live(Struct, frozen=True):
    """Data frames by the name of their source, estimators and metrics by their names.

    A source `from frame NAME` takes the frame of this name. A frame is one of polars or pandas or a
    dictionary of arrays; for `predictions` from several files a list of them, one for each file in
    the order of the statement.
    """

    frames: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)


NOTHING = Live()


def checked(live: Live, study: Study | None) -> None:
    """Raise `ValueError` for a frame that the study does not read, or an object of no use."""
    every = () if study is None else study.sources
    sources = {frame_name(source): source for source in every}
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
                from evallang.checking.values import article

                raise ValueError(
                    f"the data {name!r} are {article(type(frame).__name__)}, not a polars or "
                    "pandas data frame or a dictionary of arrays"
                )
    for name, model in live.models.items():
        if not is_estimator(model):
            raise ValueError(
                f"the model {name!r} is not an estimator: it needs the methods fit and predict "
                "(a step of a pipeline: fit and transform), and is given as an instance, not as a "
                "class"
            )
    for name, metric in live.metrics.items():
        if not callable(metric):
            raise ValueError(f"the metric {name!r} is not a function")


def frame_name(source: SourceSpec) -> str:
    """Return the name under which a frame is given for a source."""
    if source.frame is not None:
        return source.frame
    return source.declared_name if isinstance(source, ScoresSpec) else source.name


def is_estimator(given: Any) -> bool:
    """Return whether something is an instance that is fitted and then predicts or transforms."""
    able = hasattr(given, "predict") or hasattr(given, "transform")
    return hasattr(given, "fit") and able and not isinstance(given, type)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def own_code(study: Study, folder: Path, given: Live = NOTHING) -> OwnCode:
    """Provide the fits with what they may make instances of or call besides the catalogue."""
    from evallang.checking.own_code import live_name
    from evallang.study import own_sources

    live = {live_name(name): model for name, model in given.models.items()}
    return OwnCode(str(folder.resolve()), own_sources(study), live, given.metrics)


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
    """Record in the results which models have steps that were objects, and what they were."""
    return replace(record, models=tuple(_described(model, models) for model in record.models))


def _described(model: ModelRecord, models: Mapping[str, Any]) -> ModelRecord:
    from evallang.checking.own_code import live_name

    steps = {step.name for step in model.steps}
    given = [name for name in models if live_name(name) in steps]
    if not given:
        return model
    pipeline = model.pipeline or ""
    for name in sorted(given, key=len, reverse=True):  # one name may be the beginning of another
        pipeline = pipeline.replace(live_name(name), _text(models[name]))
    note = "an object given in Python; a fresh copy was fitted each time"
    return replace(model, pipeline=pipeline, notes=(*model.notes, note))


def _text(model: Any) -> str:
    """Return the text of an object in one line, without its address in memory."""
    from evallang.models.foreign_errors import clean_message

    text = clean_message(repr(model))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
