"""Unique fits in, their outcomes out: each one split of one pipeline with its candidates.

Workers are given the path of a memory-mapped table, never its rows; every fit, also in
this process, runs under one thread of BLAS and OpenMP, so that results do not depend on
how many run at once.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property, lru_cache
from itertools import pairwise
from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, Self

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.activity import Activity, report_activity
from evallang.compatibility import metric_entry
from evallang.data.dataset import Column, Table
from evallang.engine import own_metrics
from evallang.engine.backends.backend import WHOLE, Monitor, Pool
from evallang.engine.backends.workers import Workers
from evallang.engine.fit_outcome import (
    Choice,
    FailedCandidate,
    FitOutcome,
    InnerScores,
    TrainingOutputs,
)
from evallang.engine.folder_copies import path_here
from evallang.engine.store import Store
from evallang.engine.tuning import bayes_search, choose, steps_from_simple
from evallang.engine.walk import FUNCTIONS, Ready, computes
from evallang.metrics.metric import MetricEntry, evaluate
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models import fitting
from evallang.models.abilities import classes_of
from evallang.models.build import BuildContext, modules_of
from evallang.models.columns import design_matrix
from evallang.models.foreign_errors import FitLost, Loss
from evallang.models.model import ModelSpec, search_space, with_choice
from evallang.models.own_code import OwnCode, own_files
from evallang.planning import nodes
from evallang.planning.keys import versions_here
from evallang.planning.nodes import Graph, Node
from evallang.planning.plan import FitTask
from evallang.planning.seeds import rows_hash, seed, step_seeds
from evallang.run_folders import run_folder
from evallang.stats.draws import numeric_libraries
from evallang.study import Method, Study
from evallang.user_code import speaking


class Tally:
    """Fits done, reported to a callback whenever there are more; never fewer than before.

    `planned` has the number of fits of each model: those of different models take different times.
    """

    def __init__(
        self,
        total: int,
        tell: Callable[[int, int], None] | None,
        planned: Mapping[str, int] | None = None,
    ) -> None:
        self.total, self._tell = total, tell
        self._planned = planned or {}
        self._made: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._finished, self._counted, self._told = 0, 0, 0
        self._cached, self._failed = 0, 0
        self._show(0)

    def start_from(self, n_fits: int) -> None:
        """Count fits that the store has, before any other."""
        self._counted = self._cached = n_fits
        self.finish(n_fits)

    def count(self, n_fits: int) -> None:
        """Count fits that ended within tasks that may still run."""
        self._counted += n_fits
        self._report()

    def finish(
        self, n_fits: int, model: str = "", seconds: float = 0.0, *, failed: bool = False
    ) -> None:
        """Count a task that ended with all its fits, whether each was made or not."""
        self._finished += n_fits
        self._made[model] += n_fits
        self._seconds[model] += seconds
        self._failed += failed
        self._report()

    def _report(self) -> None:
        done = min(max(self._finished, self._counted), self.total)
        # the last fit is reported by the task that ends with it: then all is done indeed
        if self._finished < self.total:
            done = min(done, self.total - 1)
        if done > self._told:
            self._told = done
            self._show(done)
            if self._tell is not None:
                self._tell(done, self.total)

    def _show(self, done: int) -> None:
        if not self.total:  # imported predictions
            return
        counts = done, self.total, self._cached, self._failed
        report_activity(Activity("fitting", "", *counts, share=self._share(done)))

    def _share(self, done: int) -> float:
        """Return the share of the work that is done; 0 while no time of a fit is known.

        A fit is expected to take the mean time of the finished fits of its model, or of all
        finished fits where it is the first one.
        """
        made = sum(self._made[model] for model in self._planned)
        spent = sum(self._seconds[model] for model in self._planned)
        if not made or not spent:
            return 0.0
        each = spent / made
        whole = sum(
            n * (self._seconds[model] / self._made[model] if self._made[model] else each)
            for model, n in self._planned.items()
        )
        running = max(done - self._finished, 0)
        return min((spent + running * each) / whole, 1.0)


TASKS_PER_WORKER = 4
"""Fewer tasks than these for each worker leave workers without one at the end."""

Place = tuple[int, int, int]
"""Which search, which inner fold and which candidate."""


class Noted(Struct):
    """What happened in fits: how long they took, and their warnings by their places."""

    seconds: float = 0.0
    fits: int = 0
    repeatable: bool = True
    warnings: list[tuple[Place, str, str]] = field(default_factory=list)

    def add(self, other: "Noted") -> None:
        """Add what happened in other fits."""
        self.seconds += other.seconds
        self.fits += other.fits
        self.repeatable = self.repeatable and other.repeatable
        self.warnings += other.warnings

    def counted(self) -> tuple[tuple[str, str, int], ...]:
        """Return every warning, with the number of fits that gave it, the first one first."""
        counts: dict[tuple[str, str], int] = {}
        for _, category, message in sorted(self.warnings, key=lambda warning: warning[0]):
            counts[category, message] = counts.get((category, message), 0) + 1
        return tuple((category, message, n) for (category, message), n in counts.items())


class Scored(Struct, frozen=True):
    """Scores of candidates in the inner folds (folds, candidates), and why some have no score."""

    scores: "NDArray[np.float64]"
    failures: Mapping[int, tuple[str, str]]


class Part(Struct, frozen=True):
    """The inner folds and the candidates of a part, by their places among all of the search.

    Several workers share a search where there are fewer tasks than work. The steps before a
    candidate are fitted once more in each part, and the parts together are what one process would
    have found, in the same order.
    """

    folds: range
    candidates: range


class SearchPart(Struct, frozen=True):
    """What a worker found for a part of a search; `lost` where it lost all of it."""

    part: Part
    scored: Scored | None
    noted: Noted
    lost: Loss | None = None


def cut(task: FitTask, pieces: int) -> list[Part]:
    """Divide a search into at least so many parts, if it has them; empty without a search.

    A search with a seed chooses its candidates on the way.
    """
    n = len(task.candidates) if task.search is None else 0
    if pieces < 2 or not n or not task.inner:
        return []
    folds = _ranges(len(task.inner), pieces)
    candidates = _ranges(n, -(-pieces // len(folds)))
    parts = [Part(some, tried) for some in folds for tried in candidates]
    return parts if len(parts) > 1 else []


def _ranges(n: int, pieces: int) -> list[range]:
    """Divide n places into ranges of about equal length."""
    ends = np.linspace(0, n, min(pieces, n) + 1).astype(int).tolist()
    return [range(first, end) for first, end in pairwise(ends)]


def joined(parts: Sequence[SearchPart]) -> tuple[Scored, Noted] | Loss:
    """Join all parts of a search, in their order; a lost part loses the task."""
    noted = Noted()
    n_folds = max(made.part.folds.stop for made in parts)
    n_candidates = max(made.part.candidates.stop for made in parts)
    scores = np.full((n_folds, n_candidates), np.nan)
    failures: dict[int, tuple[str, str]] = {}
    for made in sorted(parts, key=lambda made: (made.part.folds.start, made.part.candidates.start)):
        folds, candidates = made.part.folds, made.part.candidates
        noted.add(made.noted)
        if made.lost is not None or made.scored is None:
            assert made.lost is not None, "a part without scores was lost"
            return made.lost
        scores[folds.start : folds.stop, candidates.start : candidates.stop] = made.scored.scores
        for i, reason in made.scored.failures.items():
            failures.setdefault(candidates.start + i, reason)  # that of the first fold
    return Scored(scores, failures), noted


class SharedTable(Struct, frozen=True):
    """Where workers find a table, and the facts they need of it."""

    path: str
    sha256: str
    columns: tuple[Column, ...]
    classes: tuple[str, ...]
    positive: int | None
    classification: bool
    class_values: tuple[Any, ...] = ()


class Job(Struct, frozen=True):
    """One task with everything a worker needs to run it alone.

    `model` is the name of the first model that the task is a fit of; its prints carry it.
    The process that runs the task puts the outcome into the `store`. `losses` are fits that are
    not made again, by their place, see `Fitting.guard`. With a `part` only its candidates are
    scored, in its inner folds, which are then all that `task` has; `searched` is what the parts
    of a search have found.
    """

    task: FitTask
    table: SharedTable
    study_seed: int
    metric: Method | None
    rule: Literal["best", "one_standard_error"]
    own: OwnCode | None = None
    model: str = ""
    store: Store | None = None
    losses: Mapping[str, Loss] = field(default_factory=dict)
    part: Part | None = None
    searched: tuple[Scored, Noted] | None = None

    def run(self, monitor: Monitor) -> FitOutcome | SearchPart:
        """Choose a candidate in the inner folds, refit it, predict the test rows.

        Or score a part of the candidates.
        """
        with fitting_of(self, monitor) as held:
            if self.part is not None:
                return held.search_part(self.part)
            outcome = held.run()
        if self.store is not None:
            outcome = replace(outcome, not_kept=self.store.put(self.task, outcome))
        return outcome

    @property
    def own_code(self) -> bool:
        """Return whether a class of the pipeline, or the metric of its search, is the author's."""
        metric = self.metric is not None and self.metric.code
        return metric or any(spec.code for spec in classes_of(self.task.pipeline))

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the task without the fit at a place, which then fails with a loss."""
        return replace(self, losses={**self.losses, at: loss})


def prepare_fits(workers: Workers, models: Iterable[ModelSpec]) -> None:
    """Begin to import what fits of models need, once, before workers are forked."""
    workers.prepare((__name__, *modules_of(models)))


class RemoteNode(Struct, frozen=True):
    """A node that a worker computes: its key, and the task that is sent."""

    key: str
    task: Any

    @property
    def own_code(self) -> bool:
        """Return whether code of the author runs in it."""
        return bool(self.task.own_code)

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the node without the fit at a place, which then fails with a loss."""
        return replace(self, task=self.task.drop_lost(at, loss))


def run_remote(node: RemoteNode, monitor: Monitor) -> tuple[str, Any]:
    """Compute a node, in a worker."""
    return node.key, node.task.run(monitor)


class Fitter:
    """Makes the fits that a walk asks for, in workers, and keeps them in the store.

    `tally` counts them, and `kept` those that the next run will find.
    """

    def __init__(
        self,
        study: Study,
        tables: Mapping[str, Table],
        workers: Workers,
        tally: Tally,
        *,
        own: OwnCode | None = None,
        store: Store | None = None,
    ) -> None:
        self.study, self.own, self.store, self.workers = study, own, store, workers
        self.kept = 0
        self._tables, self._tally = tables, tally
        self._nodes: dict[str, Node] = {}
        self._pool: Pool[RemoteNode, tuple[str, Any]] | None = None
        self._shared: dict[str, SharedTable] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self._open.close()

    def job(self, task: FitTask, model: str, *, stored: bool) -> Job:
        """Return a task with everything that a worker needs to run it."""
        if not self._shared:
            shared = shared_tables(self._tables, self.workers, self.own)
            self._shared = self._open.enter_context(shared)
        tuning = self.study.tuning
        return Job(
            task,
            self._shared[task.data],
            self.study.seed,
            tuning.metric if tuning else None,
            tuning.select if tuning else "best",
            self.own,
            model,
            self.store if stored and not self.workers.elsewhere else None,
        )

    def add(self, node: Node, arguments: Mapping[str, Any]) -> Ready | None:
        """Begin to compute a node; return its value where no worker is needed."""
        found = FUNCTIONS[node.kind.name](self, node, **arguments)
        if isinstance(found, Ready):
            self._tally.finish(node.n_fits, node.at.model or "")
            return found
        if self._pool is None:
            pool = self.workers.pool(run_remote, self._tally.count)
            self._pool = self._open.enter_context(pool)
        self._nodes[node.key] = node
        self._pool.add(RemoteNode(node.key, found))
        return None

    def finished(self) -> Iterator[tuple[str, Any]]:
        """Iterate over what workers have computed, until nothing is left."""
        if self._pool is not None:
            for key, value in self._pool.outcomes():
                yield key, self._noted(self._nodes.pop(key), value)

    def _noted(self, node: Node, value: Any) -> Any:
        """Count a value, and keep it where its worker has no store.

        The fits of a part of a search are counted with the fit that chooses among all of them.
        """
        if isinstance(value, SearchPart):
            return value
        if isinstance(value, FitOutcome):
            task = node.given["task"]
            if self.workers.elsewhere and self.store is not None:
                value = replace(value, not_kept=self.store.put(task, value))
            if self.store is not None and value.not_kept is None and self.store.keeps(task, value):
                self.kept += node.n_fits
        seconds, failed = getattr(value, "seconds", 0.0), getattr(value, "failure", None)
        self._tally.finish(node.n_fits, node.at.model or "", seconds, failed=failed is not None)
        return value


@computes(nodes.FIT)
def fit(fitter: Fitter, node: Node, task: FitTask, parts: Sequence[SearchPart] = ()) -> Job:
    """Return the job of a fit, of a search in parts what is left of it."""
    job = fitter.job(task, node.at.model or "", stored=True)
    found = joined(parts) if parts else None
    if isinstance(found, Loss):
        return job.drop_lost(WHOLE, found)
    return job if found is None else replace(job, searched=found)


@computes(nodes.SCORES)
def scores(fitter: Fitter, node: Node, task: FitTask, part: Part) -> Job:
    """Return the job of a part of a search, without the rows of other inner folds."""
    inner = task.inner[part.folds.start : part.folds.stop]
    job = fitter.job(task, node.at.model or "", stored=False)
    return replace(job, task=replace(task, inner=inner), part=part)


def cut_searches(graph: Graph, keys: Iterable[str], parallel: int) -> Graph:
    """Return a graph in which searches are cut where there are few fits for so many workers."""
    keys = list(keys)
    pieces = -(-TASKS_PER_WORKER * parallel // len(keys)) if parallel > 1 and keys else 1
    made = Graph(dict(graph.nodes), graph.ends)
    for key in keys:
        node = graph.nodes[key]
        task: FitTask = node.given["task"]
        parts = [
            made.add(
                nodes.SCORES,
                {},
                {"task": task, "part": part},
                key=f"{key} {part.folds} {part.candidates}",
                at=node.at,
            )
            for part in cut(task, pieces)
        ]
        if parts:
            made.nodes[key] = replace(node, inputs={"parts": tuple(parts)})
    return made


def stored_outcomes(
    store: Store, tables: Mapping[str, Table], graph: Graph, keys: Iterable[str]
) -> dict[str, FitOutcome]:
    """Return the outcomes of fits that a store has."""
    found = {}
    for key in keys:
        task: FitTask = graph.nodes[key].given["task"]
        table = tables[task.data]
        n_classes = len(table.classes) if table.task == "classification" else None
        outcome = store.get(task, n_classes)
        if outcome is not None:
            found[key] = outcome
    return found


Arrays = tuple[Any, Any, Any]
"""Design matrix, targets, and weights or None."""

_IN_PROCESS: dict[str, Arrays] = {}


@contextmanager
def shared_tables(
    tables: Mapping[str, Table],
    workers: Workers,
    own: OwnCode | None = None,
) -> Iterator[dict[str, SharedTable]]:
    """Lay tables where workers find them: in this process, or memory-mapped in a folder.

    Workers of a cluster have copies of the folder and of the author's own code.
    """
    with nullcontext() if workers.in_process else run_folder() as folder:
        found: dict[str, SharedTable] = {}
        try:
            for number, (name, table) in enumerate(tables.items()):
                if folder is None:
                    path = f"memory:{name}"
                    matrix = design_matrix(table.numeric, table.objects)
                    _IN_PROCESS[path] = (matrix, table.y, table.weights)
                else:
                    path = str(folder / f"table-{number}")
                    _write(path, table)
                found[name] = SharedTable(
                    path,
                    table.sha256,
                    table.columns,
                    table.classes,
                    table.positive,
                    table.task == "classification",
                    tuple(table.class_values) if table.task == "classification" else (),
                )
            with workers.sharing(lambda: _files(folder, own), forget_tables):
                yield found
        finally:
            _IN_PROCESS.clear()


def forget_tables() -> None:
    """Drop the tables that this process has mapped, when their files are removed."""
    _mapped.cache_clear()


def _files(folder: Path | None, own: OwnCode | None) -> dict[str, dict[str, bytes]]:
    """Read the files that workers of a cluster need, by their folders: tables and own code."""
    found = {}
    if folder is not None:
        tables = (file for file in folder.iterdir() if file.suffix in (".npy", ".json"))
        found[str(folder)] = {file.name: file.read_bytes() for file in tables}
    if own is not None and own.sources:
        place = Path(own.folder)
        files = own_files(own.sources, place)
        found[own.folder] = {str(f.relative_to(place)): f.read_bytes() for f in files}
    return found


def versions_of(task: FitTask) -> Mapping[str, str]:
    """Return the versions of the packages that a fit depends on, by name."""
    return {} if task.facts is None else task.facts.versions


def _write(path: str, table: Table) -> None:
    """Write the arrays of a table, each to a file; text as numbers of its distinct values."""
    arrays = {"numeric": table.numeric, "y": table.y, "weights": table.weights}
    if table.objects.shape[1]:
        number_of: dict[str, int] = {}
        codes = [
            number_of.setdefault(cell, len(number_of)) if isinstance(cell, str) else MISSING
            for cell in table.objects.ravel()
        ]
        arrays["text"] = np.array(codes, dtype=np.int32).reshape(table.objects.shape)
        Path(f"{path}-values.json").write_text(json.dumps(list(number_of)), encoding="ascii")
    for name, array in arrays.items():
        if array is not None:
            file = Path(f"{path}-{name}.npy")
            try:
                with file.open("wb") as stream:
                    # numpy's own writing to a file does not say why the system refuses
                    np.save(SimpleNamespace(write=stream.write), array, allow_pickle=False)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(file)) from error


MISSING = -1
"""The number of a missing text: the last place of the list of values."""


@lru_cache(maxsize=8)
def _mapped(path: str) -> Arrays:
    """Map the arrays of a table of this run; several processes share the memory of numbers."""

    def found(name: str) -> Any:
        file = Path(f"{path}-{name}.npy")
        if not file.exists():
            return None
        try:
            return np.load(file, mmap_mode="r", allow_pickle=False)
        except ValueError:  # a file without values cannot be mapped
            return np.load(file, allow_pickle=False)

    numeric, text = found("numeric"), found("text")
    if text is None:
        return numeric, found("y"), found("weights")
    values = json.loads(Path(f"{path}-values.json").read_text(encoding="ascii"))
    objects = np.array([*values, np.nan], dtype=object)[text]
    return design_matrix(numeric, objects), found("y"), found("weights")


@contextmanager
def fitting_of(job: Job, monitor: Monitor) -> "Iterator[Fitting]":
    """Find the rows of a task, and hold BLAS and OpenMP to one thread meanwhile."""
    place = path_here(job.table.path)
    arrays = _IN_PROCESS.get(place) or _mapped(place)
    if job.own is not None:
        job = replace(job, own=replace(job.own, folder=path_here(job.own.folder)))
    one_thread = numeric_libraries().limit(limits=1)
    with one_thread, speaking(job.model):
        held = Fitting(job, arrays, monitor)
        if place != job.table.path:  # a worker of a cluster, whose packages may differ
            versions = versions_of(job.task)
            here = versions_here(versions)
            held.noted.repeatable = all(here[name] == versions[name] for name in versions)
        yield held


AT_THE_END: Place = (1 << 62, 0, 0)
"""The place of the fit after all searches."""


class Fitting:
    """One task being run, in a worker."""

    def __init__(self, job: Job, arrays: Arrays, monitor: Monitor) -> None:
        self.job, self.monitor = job, monitor
        self.X, self.y, self.weights = arrays
        if job.task.target_of is not None:
            self.y = self.y[job.task.target_of]
        self.noted = Noted()
        self.inner_scores: InnerScores | None = None
        self._stage = "refit"
        self._searched = 0

    def run(self) -> FitOutcome:
        """Choose, fit and predict."""
        task = self.job.task
        whole = self.job.losses.get(WHOLE)
        if whole is not None:
            self.noted.repeatable = False
            return self._failed({}, (whole.error, whole.message), ())
        if self.job.searched is not None:
            self.noted.add(self.job.searched[1])
        choice, score, inner_failures, refused = self.choose()
        if refused is not None:
            return self._failed(choice, refused, inner_failures)
        pipeline = with_choice(task.pipeline, choice) if task.inner else task.pipeline
        outcome = self._fit([pipeline], task.refit, task.test, scores=True, training=task.training)[
            0
        ]
        if outcome.failure is not None or outcome.outputs is None:
            failure = outcome.failure
            reason = (failure.error, failure.message) if failure else ("ValueError", NO_SCORE)
            return self._failed(choice, reason, inner_failures)
        outputs, again = outcome.outputs, outcome.again
        training = None
        if again is not None:
            training = TrainingOutputs(self._labels(again), self._oriented(again.scores))
        return FitOutcome(
            self._labels(outputs),
            self._oriented(outputs.scores),
            outputs.kind == "probabilities",
            choice,
            score,
            self.noted.seconds,
            self.noted.counted(),
            None,
            tuple(inner_failures),
            self.noted.fits,
            self.noted.repeatable,
            search=self.inner_scores,
            training=training,
            thresholds=outcome.thresholds,
            training_score=outcome.training_score,
        )

    def search_part(self, part: Part) -> SearchPart:
        """Score some of the candidates in some of the inner folds."""
        lost = self.job.losses.get(WHOLE)
        if lost is not None:
            return SearchPart(part, None, self.noted, lost)
        some = part.candidates
        scored = self._scored(
            self.job.task.candidates[some.start : some.stop], some.start, part.folds.start
        )
        return SearchPart(part, scored, self.noted)

    @contextmanager
    def guard(self, step: fitting.FitStep) -> Iterator[None]:
        """Guard a step of a fit, at a place that is the same whenever the task runs."""
        at = f"{self._stage} {step.first} {step.n} {step.depth}"
        if at in self.job.losses:
            raise FitLost(self.job.losses[at])
        with self.monitor.fitting(at, ends=step.last, seconds=step.seconds):
            yield

    def choose(self) -> tuple[Choice, float | None, list[FailedCandidate], tuple[str, str] | None]:
        """Return the chosen candidate, its score, the failed ones, and why none was chosen."""
        task = self.job.task
        if not task.inner:
            return {}, None, [], None
        candidates, by_fold, failures = self._search()
        self.inner_scores = InnerScores(tuple(candidates), by_fold)
        scores = by_fold.mean(axis=0)
        left = [(candidates[i], error, message) for i, (error, message) in sorted(failures.items())]
        usable = [i for i, s in enumerate(scores) if i not in failures and not isnan(s)]
        if not usable:
            first = left[0][1:] if left else ("ValueError", NO_SCORE)
            return {}, None, left, first
        steps = steps_from_simple(task.pipeline, candidates)
        best = choose(by_fold, usable, self.job.rule, self._better(), steps)
        return candidates[best], float(scores[best]), left, None

    def _better(self) -> Literal["higher", "lower"]:
        return self._entry.declaration.direction if self.job.metric else "higher"

    @cached_property
    def _entry(self) -> MetricEntry:
        """What candidates are chosen by."""
        metric, table = self.job.metric, self.job.table
        if metric is None:
            raise ValueError("a search needs a metric to choose by")
        if metric.code:
            return own_metrics.worker_metric(metric, self.job.own, table.class_values)
        return metric_entry(metric)

    def _search(
        self,
    ) -> "tuple[Sequence[Choice], NDArray[np.float64], Mapping[int, tuple[str, str]]]":
        """Return the candidates, their scores (folds, candidates), and which of them failed."""
        task = self.job.task
        if task.search is None:
            searched = self.job.searched
            found = self._scored(task.candidates) if searched is None else searched[0]
            return task.candidates, found.scores, found.failures

        def score(choice: Choice) -> "NDArray[np.float64] | tuple[str, str]":
            scored = self._scored([choice])
            found: NDArray[np.float64] = scored.scores[:, 0]
            return scored.failures.get(0, found)

        space = search_space(task.pipeline)
        return bayes_search(space, task.search, self._better(), score)

    def _scored(self, candidates: Sequence[Choice], first: int = 0, first_fold: int = 0) -> Scored:
        """Score candidates in every inner fold of the task, NaN where undefined.

        `first` and `first_fold` are the places of the first of them among all of the search.
        """
        task, metric = self.job.task, self.job.metric
        assert metric is not None, "a search has a metric to choose by"
        entry = self._entry
        needs = entry.declaration.needs
        pipelines = [with_choice(task.pipeline, choice) for choice in candidates]
        scores = np.full((len(task.inner), len(pipelines)), np.nan)
        self._searched += 1
        failures: dict[int, tuple[str, str]] = {}
        for fold, (train, validation) in enumerate(task.inner):
            self._stage = f"search {self._searched}"
            fitted = self._fit(
                pipelines,
                train,
                validation,
                scores=needs in ("scores", "probabilities") or task.threshold is not None,
                at=(self._searched, first_fold + fold, first),
            )
            self._stage = "refit"
            for i, outcome in enumerate(fitted):
                if outcome.failure is not None or outcome.outputs is None:
                    failure = outcome.failure
                    failures.setdefault(
                        i, (failure.error, failure.message) if failure else ("ValueError", NO_SCORE)
                    )
                    continue
                outputs = outcome.outputs
                output: NDArray[Any] | None = self._labels(outputs)
                if needs in ("scores", "probabilities"):
                    output = self._oriented(outputs.scores)
                if output is None:
                    failures.setdefault(i, ("ValueError", NO_SCORE))
                    continue
                try:
                    scores[fold, i] = evaluate(
                        entry,
                        metric.keywords(),
                        self.y[validation],
                        output,
                        self.job.table.positive,
                        len(self.job.table.classes),
                        None if self.weights is None else self.weights[validation],
                    )
                except OwnMetricFailed as error:
                    self.noted.repeatable = False  # its code may depend on more than its arguments
                    failures.setdefault(i, (error.error, f"{metric.written}: {error.message}"))
        return Scored(scores, failures)

    def context(self, train: "NDArray[np.int64]") -> BuildContext:
        """Return what building a pipeline needs, for these training rows."""
        table = self.job.table
        return BuildContext(
            columns=table.columns,
            seed=step_seeds(self.job.study_seed, rows_hash(train), self.job.task.repetition),
            classes=table.classes if table.classification else (),
            positive=table.positive,
            own_class=(self.job.own or OwnCode()).resolve,
        )

    def data(
        self,
        train: "NDArray[np.int64]",
        test: "NDArray[np.int64]",
        *,
        scores: bool,
        training: bool = False,
        final: bool = False,
    ) -> fitting.FitData:
        """Return the rows of one fit, with `training` to be predicted on its own rows too.

        The `final` fit of a task scores a sample of its training rows, for a comparison with its
        test rows that a single row, or a shuffled target, does not allow.
        """
        classification = self.job.table.classification
        sampled = final and len(test) > 1 and self.job.task.target_of is None
        return fitting.FitData(
            X=self.X,
            y=self.y,
            train=train,
            test=test,
            n_classes=len(self.job.table.classes) if classification else None,
            scores=scores and classification,
            weights=self.weights,
            guard=self.guard,
            again=train if training else None,
            sample_seed=seed(self.job.study_seed, "training score", rows_hash(train))
            if sampled
            else None,
        )

    def _fit(
        self,
        pipelines: Sequence[Any],
        train: "NDArray[np.int64]",
        test: "NDArray[np.int64]",
        *,
        scores: bool,
        at: Place = AT_THE_END,
        training: bool = False,
    ) -> tuple[fitting.FitOutcome, ...]:
        """Fit pipelines and note what happened; `at` is the place of the first of them."""
        search, fold, first = at
        noted = self.noted
        final = at == AT_THE_END
        data = self.data(train, test, scores=scores, training=training, final=final)
        outcomes = tuple(
            map(self._require_scores, fitting.fit_candidates(pipelines, data, self.context(train)))
        )
        noted.fits += len(outcomes)
        for number, outcome in enumerate(outcomes):
            noted.seconds += outcome.seconds
            if outcome.failure is not None:
                noted.repeatable = noted.repeatable and outcome.failure.of_the_fit
            place = (search, fold, first + number)
            noted.warnings += [(place, c.category, c.message) for c in outcome.warnings]
        return outcomes

    def _require_scores(self, outcome: fitting.FitOutcome) -> fitting.FitOutcome:
        """Return the outcome, or a failed one where the study has a threshold and it no scores.

        Whether an own class has scores is known only after its fit.
        """
        outputs = outcome.outputs
        if self.job.task.threshold is None or outputs is None or outputs.scores is not None:
            return outcome
        return replace(
            outcome, outputs=None, failure=fitting.FitFailure("ValueError", SCORES_NEEDED, True)
        )

    def _labels(self, outputs: fitting.Outputs) -> "NDArray[Any]":
        """Return the predicted labels, by the threshold of the study where it states one."""
        threshold, positive = self.job.task.threshold, self.job.table.positive
        if threshold is None or positive is None:
            return outputs.predictions
        scores = self._oriented(outputs.scores)
        assert scores is not None, "a fit without scores has failed"
        single = scores if scores.ndim == 1 else scores[:, positive]
        labels: NDArray[Any] = np.where(single >= threshold, positive, 1 - positive)
        return labels.astype(outputs.predictions.dtype)

    def _oriented(self, scores: "NDArray[np.float64] | None") -> "NDArray[np.float64] | None":
        """Turn margins of the second of two classes into those of the positive one."""
        if scores is not None and scores.ndim == 1 and self.job.table.positive == 0:
            return -scores
        return scores

    def _failed(
        self,
        choice: Choice,
        reason: tuple[str, str],
        inner_failures: Sequence[FailedCandidate],
    ) -> FitOutcome:
        return FitOutcome(
            np.zeros(0),
            None,
            False,
            choice,
            None,
            self.noted.seconds,
            self.noted.counted(),
            reason,
            tuple(inner_failures),
            self.noted.fits,
            self.noted.repeatable,
        )


SCORES_NEEDED = (
    "a `threshold` needs scores, but the class has neither `predict_proba` nor `decision_function`"
)
NO_SCORE = "the metric that candidates are chosen by is undefined for all of them"
