"""What a store knows of past runs: of what each fit was made, and how long it took.

One JSON file for each study file, written when a run ends, so that a plan can state why a fit
is not in the store, and estimate the time of those that are not.
"""

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evallang.data.dataset import Table
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.store import Store
from evallang.engine.store_folder import STUDIES, file_of_study
from evallang.frozen_records import frozen
from evallang.models.abilities import classes_of
from evallang.models.model import PipelineSpec
from evallang.planning.keys import KeyFacts
from evallang.planning.plan import FitTask, Layout, Place, Plan, Task
from evallang.results.files import write_file

FORMAT = 1
MOST_BYTES = 200 * 1024**2  # of the file of one study
MOST_STUDIES = 100  # that an estimate of time looks at, the last run first
LARGEST_RATIO = 10.0  # between the sizes of two training sets of which one tells of the other

At = tuple[str, str, str, int, int, int]
"""Data, protocol, model, repeat, fold and number of the seed."""


@frozen
class PastFit:
    """One fit of a past run: the facts of its key, its time, and its training values."""

    facts: KeyFacts
    classes: str
    size: int
    seconds: float
    n_fits: int
    failed: bool


@dataclass(frozen=True)
class PastRun:
    """The fits of the last run of a study, by where they were used."""

    fits: Mapping[At, PastFit]


def remember(
    store: Store,
    name: str,
    layout: Layout,
    tables: Mapping[str, Table],
    outcomes: Mapping[str, FitOutcome],
) -> None:
    """Write the fits of a run; a store that cannot be written forgets them."""
    facts: dict[str, int] = {}
    known: list[dict[str, Any]] = []
    rows: list[list[Any]] = []
    for place in layout.places:
        task, outcome = layout.tasks[place.key], outcomes[place.key]
        if task.facts is None:
            continue
        plain = asdict(replace(task.facts, rows=""))
        text = json.dumps(plain, sort_keys=True)
        if text not in facts:
            facts[text] = len(known)
            known.append(plain | {"classes": classes_text(task.pipeline)})
        size, failed = training_size(task, tables[task.data]), outcome.failure is not None
        made = [size, outcome.seconds, outcome.n_fits, failed]
        rows.append([*_place_of(place), facts[text], task.facts.rows, *made])
    document = {"format": FORMAT, "facts": known, "fits": rows}
    with contextlib.suppress(OSError):
        (store.folder / STUDIES).mkdir(mode=0o700, exist_ok=True)
        write_file(file_of_study(store.folder, name), json.dumps(document).encode("ascii"))


def past_run(store: Store, name: str) -> PastRun:
    """Return the last run of a study, without fits where none is known."""
    return _read(file_of_study(store.folder, name))


def _read(path: Path) -> PastRun:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return PastRun({})
        document = json.loads(path.read_bytes())
        if document["format"] != FORMAT:
            return PastRun({})
        facts = [dict(found) for found in document["facts"]]
        classes = [str(found.pop("classes")) for found in facts]
        fits = {}
        for *at, number, rows, size, seconds, n_fits, failed in document["fits"]:
            made = KeyFacts(**(facts[number] | {"rows": rows}))
            key: At = (at[0], at[1], at[2], at[3], at[4], at[5])
            fits[key] = PastFit(made, classes[number], size, float(seconds), n_fits, failed)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return PastRun({})
    return PastRun(fits)


def _place_of(place: Place) -> At:
    split = place.split
    return place.data, place.protocol, place.model, split.repeat, split.fold, place.seed


def classes_text(pipeline: PipelineSpec) -> str:
    """Return the classes of a pipeline, without their parameters."""
    return " | ".join(spec.name for spec in classes_of(pipeline))


def training_size(task: FitTask, table: Table) -> int:
    """Return the number of values that a model is trained on."""
    n_features: int = table.numeric.shape[1] + table.objects.shape[1]
    return len(task.refit) * n_features


# --- a plan compared with the store --------------------------------------------------------


def with_store(
    plan: Plan, layout: Layout, tables: Mapping[str, Table], store: Store, name: str
) -> Plan:
    """Return a plan with what the store has, why it lacks the rest, and how long that takes."""
    if plan.n_fits is None or not layout.tasks:
        return plan
    past = past_run(store, name)
    kept = {key for key, task in layout.tasks.items() if store.has(task)}
    places: dict[str, Place] = {}
    for place in layout.places:
        places.setdefault(place.key, place)
    lacking = [task for key, task in layout.tasks.items() if key not in kept]
    return replace(
        plan,
        n_cached=sum(layout.tasks[key].n_fits for key in kept),
        seconds=_seconds(lacking, tables, store) if lacking else 0.0,
        tasks=tuple(_marked(task, layout, kept, places, past) for task in plan.tasks),
    )


def _marked(
    task: Task, layout: Layout, kept: set[str], places: Mapping[str, Place], past: PastRun
) -> Task:
    if task.key not in layout.tasks:
        return task
    if task.key in kept:
        return replace(task, cached=True)
    if task.key not in places:  # a part of a training part, whose fits no past run lists
        return task
    place, now = places[task.key], layout.tasks[task.key].facts
    before = past.fits.get(_place_of(place))
    if before is None:
        same = (place.data, place.protocol, place.model)
        known = any(at[:3] == same for at in past.fits)
        return replace(task, stale_because="the splits changed" if known else None)
    return replace(task, stale_because=None if now is None else _reason(before, now, place.model))


def _reason(before: PastFit, now: KeyFacts, model: str) -> str:
    """State what has changed since the last run of a fit."""
    old, found = before.facts, []
    for name, version in now.versions.items():
        earlier = old.versions.get(name, "none")
        if name == "processor" and earlier != version:
            found.append("the kind of processor changed")
        elif earlier != version:
            found.append(f"{name} {earlier} -> {version}")
    if old.data != now.data:
        found.append("the data changed")
    if old.seed != now.seed:
        found.append(f"the seed changed ({old.seed} -> {now.seed})")
    if old.pipeline != now.pipeline:
        found.append(f"the classes or parameters of {model} changed")
    if old.tuning != now.tuning:
        found.append("the search changed")
    if old.code != now.code:
        found.append("own code changed")
    if old.rows != now.rows and not (old.data != now.data or old.seed != now.seed):
        found.append("the splits changed")
    if found:
        return ", ".join(found)
    return "its last fit failed" if before.failed else "it was deleted from the store"


def _seconds(lacking: list[FitTask], tables: Mapping[str, Table], store: Store) -> float | None:
    """Return the seconds of fits one after another, None where no past fit tells of one."""
    fits = [fit for run in _latest(store) for fit in run.fits.values()]
    exact: dict[tuple[str, str], list[float]] = {}
    similar: dict[str, list[tuple[int, float]]] = {}
    for fit in fits:
        if fit.n_fits and not fit.failed:
            each = fit.seconds / fit.n_fits
            exact.setdefault((fit.facts.data, fit.facts.pipeline), []).append(each)
            similar.setdefault(fit.classes, []).append((fit.size, each))
    total = 0.0
    for task in lacking:
        same = [] if task.facts is None else exact.get((task.facts.data, task.facts.pipeline), [])
        alike = similar.get(classes_text(task.pipeline), [])
        size = training_size(task, tables[task.data])
        mean = sum(same) / len(same) if same else _scaled(alike, size)
        if mean is None:
            return None
        total += mean * task.n_fits
    return round(total, 3)


def _scaled(known: list[tuple[int, float]], size: int) -> float | None:
    """Return the seconds of a fit by those of the nearest size, in proportion to the size."""
    if not known or not size:
        return None
    near = min((fit[0] for fit in known), key=lambda other: abs(math.log(max(other, 1) / size)))
    times = [each for other, each in known if other == near]
    ratio, each = size / max(near, 1), sum(times) / len(times)
    return each * ratio if 1 / LARGEST_RATIO <= ratio <= LARGEST_RATIO else None


def _latest(store: Store) -> Iterator[PastRun]:
    with contextlib.suppress(OSError):
        files = list((store.folder / STUDIES).glob("*.json"))
        files.sort(key=lambda file: file.lstat().st_mtime_ns, reverse=True)
        yield from map(_read, files[:MOST_STUDIES])
