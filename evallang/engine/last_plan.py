"""The plan of the last run of a study, which a store keeps: why fits are to do, and their time.

One JSON file for each study file, written when a run ends: what each fit was made of, at the
place where its outcome was used, and how long it took.
"""

import contextlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.dataset import Table
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.store import Store
from evallang.engine.store_folder import STUDIES, file_of_study
from evallang.models.abilities import classes_of
from evallang.models.model import PipelineSpec
from evallang.planning.keys import KeyFacts, searches
from evallang.planning.plan import FitTask, Place
from evallang.planning.planner import Planned
from evallang.results.files import write_file

FORMAT = 4
MOST_BYTES = 200 * 1024**2  # of the file of one study
MOST_STUDIES = 100  # that an estimate of time looks at, the last run first
LARGEST_RATIO = 10.0  # between the sizes of two training sets of which one tells of the other

At = tuple[str | int, ...]
"""Data, protocol, model, repeat, fold and number of the seed; of a fit that an analysis asks for
also the number of the analysis, of the draw and of the size."""

_MODEL, _ANALYSIS = 2, 6
"""The places of the model, and of the analysis, in an `At`."""


class LastFit(Struct, frozen=True):
    """One fit of the last run: its training values, its time, and the facts of its key.

    `facts` and `classes` are at the place `shared` of the file, without the two hashes of rows.
    """

    at: At
    shared: int
    rows: str
    splits: str
    size: int
    seconds: float
    n_fits: int
    kept: bool


class LastPlan(Struct, frozen=True):
    """The fits of the last run of a study, and the facts and classes that they share."""

    format: int = FORMAT
    shared: tuple[tuple[KeyFacts, str], ...] = ()
    fits: tuple[LastFit, ...] = ()

    def facts(self, fit: LastFit) -> KeyFacts:
        """Return what a fit was made of."""
        return replace(self.shared[fit.shared][0], rows=fit.rows, splits=fit.splits)


def remember(
    store: Store,
    name: str,
    planned: Planned,
    tables: Mapping[str, Table],
    outcomes: Mapping[str, FitOutcome],
) -> None:
    """Write the plan of a run, and delete what exceeds the limit of the store with it.

    A store that cannot be written forgets it.
    """
    places: dict[bytes, int] = {}
    shared: list[tuple[KeyFacts, str]] = []
    fits = []
    tasks = planned.fits
    for key, at in _uses(planned):
        task, outcome = tasks[key], outcomes[key]
        if task.facts is None:
            continue
        known = (replace(task.facts, rows="", splits=""), classes_text(task.pipeline))
        number = places.setdefault(msgspec.json.encode(known, order="sorted"), len(shared))
        if number == len(shared):
            shared.append(known)
        fits.append(
            LastFit(
                at,
                number,
                task.facts.rows,
                task.facts.splits,
                training_size(task, tables[task.data]),
                outcome.seconds,
                outcome.n_fits,
                outcome.failure is None and outcome.repeatable,
            )
        )
    content = msgspec.json.encode(LastPlan(FORMAT, tuple(shared), tuple(fits)))
    with contextlib.suppress(OSError):
        (store.folder / STUDIES).mkdir(mode=0o700, exist_ok=True)
        write_file(file_of_study(store.folder, name), content)
    store.sweep()


def last_plan(path: Path) -> LastPlan:
    """Read the plan of the last run of a study, without fits where none is known."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return LastPlan()
        found = msgspec.json.decode(path.read_bytes(), type=LastPlan)
    except (OSError, msgspec.MsgspecError):
        return LastPlan()
    sound = found.format == FORMAT and all(0 <= f.shared < len(found.shared) for f in found.fits)
    return found if sound else LastPlan()


def _uses(planned: Planned) -> Iterator[tuple[str, At]]:
    """Iterate over the keys of fits and the places where their outcomes are used."""
    for place in planned.layout.uses:
        whose = (place.data, place.protocol, place.model, place.split.repeat, place.split.fold)
        if isinstance(place, Place):
            yield place.key, (*whose, place.seed)
        else:
            yield place.key, (*whose, 0, place.analysis, place.times, place.size)


def classes_text(pipeline: PipelineSpec) -> str:
    """Return the classes of a pipeline, without their parameters."""
    return " | ".join(spec.name for spec in classes_of(pipeline))


def training_size(task: FitTask, table: Table) -> int:
    """Return the number of values that a model is trained on."""
    n_features: int = table.numeric.shape[1] + table.objects.shape[1]
    return len(task.refit) * n_features


# --- a plan compared with the store --------------------------------------------------------


def with_store(planned: Planned, tables: Mapping[str, Table], store: Store, name: str) -> Planned:
    """Return a plan with what the store has, why it lacks the rest, and how long that takes."""
    tasks = planned.fits
    if planned.plan.n_fits is None or not tasks:
        return planned
    last = last_plan(file_of_study(store.folder, name))
    before = {fit.at: last.facts(fit) for fit in last.fits}
    kept = {fit.at: fit.kept for fit in last.fits}
    owners = {_owner(at) for at in before}
    use = dict(reversed([*_uses(planned)]))  # the first of several

    def reason(task: FitTask) -> str | None:
        """Return why a fit is not in the store; None if the last run had none of its owner."""
        at = use[task.key]
        if task.facts is None or _owner(at) not in owners:
            return None
        if at not in before:
            return "the last run had no such fit"
        if not task.source_known:
            return "the source of own code is not known and no outcome is kept"
        if found := list(_changes(before[at], task.facts, at)):
            return ", ".join(found)
        if not kept[at]:
            return "they failed, or could not be kept, in the last run"
        if task.training and store.has(replace(task, training=False)):
            return "the store has their outcomes without the training rows, which an analysis needs"
        return "their outcomes are no longer in the store"

    lacking = {key: task for key, task in tasks.items() if not store.has(task)}
    marked = tuple(
        task
        if task.key not in tasks
        else replace(task, stale_because=reason(lacking[task.key]))
        if task.key in lacking
        else replace(task, cached=True)
        for task in planned.plan.tasks
    )
    plan = replace(
        planned.plan,
        n_cached=sum(task.n_fits for key, task in tasks.items() if key not in lacking),
        seconds=_seconds(list(lacking.values()), tables, store) if lacking else 0.0,
        tasks=marked,
    )
    return replace(planned, plan=plan)


def _owner(at: At) -> At:
    """Return what the places of one model under one protocol, or in one analysis, share."""
    return at[: _MODEL + 1] + at[_ANALYSIS : _ANALYSIS + 1]


def _changes(old: KeyFacts, now: KeyFacts, at: At) -> Iterator[str]:
    """Iterate over what has changed since the last run of a fit."""
    for name, version in now.versions.items():
        earlier = old.versions.get(name, "none")
        if earlier == version or (name not in old.versions and old.pipeline != now.pipeline):
            continue
        changed = f"{name} {earlier} -> {version}"
        yield "the kind of processor changed" if name == "processor" else changed
    same_rows = old.data == now.data and old.seed == now.seed
    if old.data != now.data:
        yield "the data or their description in the study changed"
    if old.seed != now.seed:
        yield f"the seed changed ({old.seed} -> {now.seed})"
    if old.pipeline != now.pipeline:
        yield f"the classes or parameters of {at[_MODEL]} changed"
    if old.threshold != now.threshold:
        yield f"the threshold of {at[_MODEL]} changed"
    if old.tuning != now.tuning:
        yield "the search changed"
    if old.code != now.code:
        yield "own code or a package that it imports changed"
    if same_rows and old.splits != now.splits:
        yield "the splits changed" if len(at) <= _ANALYSIS else "the training parts changed"
    elif same_rows and old.rows != now.rows and searches(old) and searches(now):
        yield "the inner folds changed"


def _seconds(lacking: Sequence[FitTask], tables: Mapping[str, Table], store: Store) -> float | None:
    """Return the seconds of fits one after another, None where no past fit tells of one.

    Fits of the same model on the same data tell most, then those of the same classes; of these,
    those on the nearest number of values, in proportion.
    """
    times: dict[Hashable, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for plan in _latest(store):
        for fit in plan.fits:
            facts, classes = plan.shared[fit.shared]
            for alike in ((facts.data, facts.pipeline), classes):
                if fit.kept and fit.n_fits:
                    times[alike][fit.size].append(fit.seconds / fit.n_fits)
    # not means, as the first fit of a process waits for imports
    known = {
        alike: {size: median(each) for size, each in sizes.items()}
        for alike, sizes in times.items()
    }
    total = 0.0
    for task in lacking:
        exact = None if task.facts is None else (task.facts.data, task.facts.pipeline)
        sizes = known.get(exact) or known.get(classes_text(task.pipeline)) or {}
        size = max(training_size(task, tables[task.data]), 1)
        near = min(sizes, key=lambda other: abs(math.log(max(other, 1) / size)), default=0)
        ratio = size / max(near, 1)
        if not sizes or not 1 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
            return None
        total += sizes[near] * ratio * task.n_fits
    return round(total, 3)


def _latest(store: Store) -> Iterator[LastPlan]:
    with contextlib.suppress(OSError):
        files = list((store.folder / STUDIES).glob("*.json"))
        files.sort(key=lambda file: file.lstat().st_mtime_ns, reverse=True)
        yield from map(last_plan, files[:MOST_STUDIES])
