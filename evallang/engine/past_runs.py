"""What a store knows of past runs: of what each fit was made, and how long it took.

One JSON file for each study file, written when a run ends, so that a plan can state why a fit
is not in the store, and estimate the time of those that are not.
"""

import contextlib
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
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
from evallang.planning.plan import FitTask, Layout, Place, Plan, SubsetPlace, Task
from evallang.results.files import write_file

FORMAT = 3
MOST_BYTES = 200 * 1024**2  # of the file of one study
MOST_STUDIES = 100  # that an estimate of time looks at, the last run first
LARGEST_RATIO = 10.0  # between the sizes of two training sets of which one tells of the other

At = tuple[str | int, ...]
"""Data, protocol, model, repeat, fold and number of the seed; of a fit that an analysis asks for
also the number of the analysis, of the draw and of the size."""

_WHOSE, _PLACE_OF_ANALYSIS = 3, 6
"""The number of leading parts that identify the owner of a place, and the index of its analysis."""


_Row = tuple[At, int, str, str, int, float, int, str | None]
"""A fit in a file: its place, the number of the facts that it shares with others, its own hashes
of rows and splits, and the rest of a `PastFit`."""


class _File(Struct, frozen=True):
    """The file of a study: facts without `rows` and `splits`, with the classes, and the fits."""

    format: int
    facts: tuple[tuple[KeyFacts, str], ...]
    fits: tuple[_Row, ...]


class PastFit(Struct, frozen=True):
    """One fit of a past run: the facts of its key, its time, and its training values.

    `not_kept` is why the store did not keep its outcome, None where it did.
    """

    facts: KeyFacts
    classes: str
    size: int
    seconds: float
    n_fits: int
    not_kept: str | None


PastRun = Mapping[At, PastFit]
"""The fits of the last run of a study, by where they were used."""


def remember(
    store: Store,
    name: str,
    layout: Layout,
    tables: Mapping[str, Table],
    outcomes: Mapping[str, FitOutcome],
) -> None:
    """Write the fits of a run, and delete what exceeds the limit of the store with them.

    A store that cannot be written forgets them.
    """
    places: dict[bytes, int] = {}
    shared: list[tuple[KeyFacts, str]] = []
    fits = []
    for place in _places(layout):
        task, outcome = layout.tasks[place.key], outcomes[place.key]
        if task.facts is None:
            continue
        known = (replace(task.facts, rows="", splits=""), classes_text(task.pipeline))
        number = places.setdefault(msgspec.json.encode(known, order="sorted"), len(shared))
        if number == len(shared):
            shared.append(known)
        size = training_size(task, tables[task.data])
        own = (task.facts.rows, task.facts.splits, size)
        made = (outcome.seconds, outcome.n_fits, _why_not_kept(outcome))
        fits.append((_place_of(place), number, *own, *made))
    content = msgspec.json.encode(_File(FORMAT, tuple(shared), tuple(fits)))
    with contextlib.suppress(OSError):
        (store.folder / STUDIES).mkdir(mode=0o700, exist_ok=True)
        write_file(file_of_study(store.folder, name), content)
    store.sweep()


FAILED = "they failed in the last run"
NOT_REPEATABLE = "a candidate failed by chance or a worker had other versions of packages"


def _why_not_kept(outcome: FitOutcome) -> str | None:
    if outcome.failure is not None:
        return FAILED
    return None if outcome.repeatable else NOT_REPEATABLE


def past_run(store: Store, name: str) -> PastRun:
    """Return the last run of a study, without fits where none is known."""
    return _read(file_of_study(store.folder, name))


def _read(path: Path) -> PastRun:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return {}
        found = msgspec.json.decode(path.read_bytes(), type=_File)
        if found.format != FORMAT:
            return {}
        fits = {}
        for at, number, rows, splits, size, seconds, n_fits, not_kept in found.fits:
            facts, classes = found.facts[number]
            own = replace(facts, rows=rows, splits=splits)
            fits[at] = PastFit(own, classes, size, seconds, n_fits, not_kept)
    except (OSError, msgspec.MsgspecError, LookupError):
        return {}
    return fits


def _places(layout: Layout) -> Iterator[Place | SubsetPlace]:
    yield from layout.places
    yield from layout.subsets


def _place_of(place: Place | SubsetPlace) -> At:
    split = place.split
    whose: At = (place.data, place.protocol, place.model, split.repeat, split.fold)
    if isinstance(place, Place):
        return *whose, place.seed
    return *whose, 0, place.analysis, place.times, place.size


def _owner(at: At) -> At:
    """Return what the places of one model under one protocol, or in one analysis, share."""
    return at[:_WHOSE] + at[_PLACE_OF_ANALYSIS : _PLACE_OF_ANALYSIS + 1]


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
    reasons = _Reasons(layout, past, store)
    lacking = [task for key, task in layout.tasks.items() if key not in kept]
    return replace(
        plan,
        n_cached=sum(layout.tasks[key].n_fits for key in kept),
        seconds=_seconds(lacking, tables, store) if lacking else 0.0,
        tasks=tuple(_marked(task, layout, kept, reasons) for task in plan.tasks),
    )


def _marked(task: Task, layout: Layout, kept: set[str], reasons: "_Reasons") -> Task:
    if task.key not in layout.tasks:
        return task
    if task.key in kept:
        return replace(task, cached=True)
    return replace(task, stale_because=reasons.of(task.key))


class _Reasons:
    """Why fits of a layout are not in the store, by the last run of the study."""

    def __init__(self, layout: Layout, past: PastRun, store: Store) -> None:
        self._tasks, self._past, self._store = layout.tasks, past, store
        self._places: dict[str, At] = {}
        for place in _places(layout):
            self._places.setdefault(place.key, _place_of(place))
        self._known = {_owner(at) for at in past}
        self._with_any_seed = {at[:-1] for at in past}

    def of(self, key: str) -> str | None:
        """Return why a fit is not in the store; None if the last run had none of its owner."""
        task = self._tasks[key]
        at = self._places.get(key)
        if at is None or task.facts is None or _owner(at) not in self._known:
            return None
        before = self._past.get(at)
        if before is None:
            return self._addition(at)
        if not task.source_known:
            return "the source of own code is not known and no outcome is kept"
        found = list(_changes(before.facts, task.facts, at))
        return ", ".join(found) or before.not_kept or self._loss(task)

    def _loss(self, task: FitTask) -> str:
        if task.training and self._store.has(replace(task, training=False)):
            return "the store has their outcomes without the training rows, which an analysis needs"
        return "their outcomes are no longer in the store"

    def _addition(self, at: At) -> str:
        """Return why the last run had no fit at a place, where it had others of the same owner."""
        if len(at) > _PLACE_OF_ANALYSIS:
            return "the analysis asks for more fits"
        if at[:-1] in self._with_any_seed:
            return "the last run had fewer seeds"
        return (
            "the splits changed" if _owner(at) in self._moved else "the last run had fewer splits"
        )

    @cached_property
    def _moved(self) -> set[At]:
        """The owners of fits that the last run made on other rows."""
        moved = set()
        for key, at in self._places.items():
            before, now = self._past.get(at), self._tasks[key].facts
            if before is not None and now is not None and before.facts.splits != now.splits:
                moved.add(_owner(at))
        return moved


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
        yield f"the classes or parameters of {at[_WHOSE - 1]} changed"
    if old.threshold != now.threshold:
        yield f"the threshold of {at[_WHOSE - 1]} changed"
    if old.tuning != now.tuning:
        yield "the search changed"
    if old.code != now.code:
        yield "own code or a package that it imports changed"
    if same_rows and old.splits != now.splits:
        of_protocol = len(at) <= _PLACE_OF_ANALYSIS
        yield "the splits changed" if of_protocol else "the training parts changed"
    elif same_rows and old.rows != now.rows and searches(old) and searches(now):
        yield "the inner folds changed"


def _seconds(lacking: list[FitTask], tables: Mapping[str, Table], store: Store) -> float | None:
    """Return the seconds of fits one after another, None where no past fit tells of one."""
    known: dict[Hashable, dict[int, list[float]]] = {}
    for fit in (fit for run in _latest(store) for fit in run.values()):
        if fit.n_fits and fit.not_kept != FAILED:
            for alike in ((fit.facts.data, fit.facts.pipeline), fit.classes):
                times = known.setdefault(alike, {}).setdefault(fit.size, [])
                times.append(fit.seconds / fit.n_fits)
    found: dict[tuple[Hashable, int], float | None] = {}
    total = 0.0
    for task in lacking:
        exact = None if task.facts is None else (task.facts.data, task.facts.pipeline)
        of: Hashable = exact if exact in known else classes_text(task.pipeline)
        size = training_size(task, tables[task.data])
        if (of, size) not in found:
            found[of, size] = _scaled(known.get(of, {}), size)
        each = found[of, size]
        if each is None:
            return None
        total += each * task.n_fits
    return round(total, 3)


def _scaled(known: Mapping[int, Sequence[float]], size: int) -> float | None:
    """Return the seconds of a fit by those of the nearest size, in proportion to the size."""
    if not known or not size:
        return None
    near = min(known, key=lambda other: abs(math.log(max(other, 1) / size)))
    # not the mean, as the first fit of a process waits for imports
    each, ratio = median(known[near]), size / max(near, 1)
    return each * ratio if 1 / LARGEST_RATIO <= ratio <= LARGEST_RATIO else None


def _latest(store: Store) -> Iterator[PastRun]:
    with contextlib.suppress(OSError):
        files = list((store.folder / STUDIES).glob("*.json"))
        files.sort(key=lambda file: file.lstat().st_mtime_ns, reverse=True)
        yield from map(_read, files[:MOST_STUDIES])
