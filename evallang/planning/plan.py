"""What a plan is: the execution graph and its numbers, as a readable document."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from evallang.models.model import ParameterValue, PipelineSpec
from evallang.planning.keys import KeyFacts
from evallang.protocols.protocol import Split
from evallang.results.printed import Head, Printed, number as printed_number
from evallang.results.records import DataRecord, Default, ProtocolRecord

SCHEMA = "evallang/plan/1"


class Task(Struct, frozen=True):
    """One node of the graph: `fit`, `estimate`, `compare`, `analyze`, `export`, `report`."""

    key: str
    kind: str
    data: str | None
    protocol: str | None
    model: str | None
    repeat: int | None
    fold: int | None
    n_fits: int
    needs: tuple[str, ...]
    cached: bool = False
    stale_because: str | None = None


class Plan(Struct, frozen=True):
    """A resolved study: every protocol, every default, every task.

    `n_fits` counts calls of `fit` after equal ones are made one, `n_fits_naive` those of
    a run in which every pairwise test fits its two models itself, and `n_cached` those that the
    store has (None without one). `seconds` estimates the others, one after another, by past runs.
    """

    n_fits: int | None
    n_fits_naive: int | None
    n_cached: int | None
    seconds: float | None
    protocols: tuple[ProtocolRecord, ...]
    defaults: tuple[Default, ...]
    tasks: tuple[Task, ...]
    notes: tuple[str, ...] = ()

    def _printed(self) -> Printed:
        fits = "an unknown number of" if self.n_fits is None else f"{self.n_fits:,}"
        naive = "" if self.n_fits_naive is None else f" ({self.n_fits_naive:,} without sharing)"
        heads = (Head("protocol"), Head("splits", number=True), Head("fits", number=True))
        rows = tuple(
            (p.written or p.kind, printed_number(p.n_splits), printed_number(p.n_fits))
            for p in self.protocols
        )
        kept = f", {self.n_cached:,} in the store" if self.n_cached else ""
        return Printed(f"Plan: {fits} fits{naive}{kept}", heads if rows else (), rows, self.notes)

    def __repr__(self) -> str:
        return self._printed().text()

    def _repr_html_(self) -> str:
        return self._printed().html()


class BayesSearch(Struct, frozen=True):
    """A search whose candidates depend on the scores before them: how many, and its seed."""

    n: int
    seed: int


class FitTask(Struct, frozen=True):
    """One split of one pipeline, with all candidates behind it: the unit of work.

    `inner` are (train, validation) rows in which candidates are scored; `refit` are the
    rows on which the chosen candidate is fitted (training, with validation in a three-way
    holdout). Row numbers count the rows of the table as read. With a `search` candidates
    are found on the way, and none are listed. `repetition` counts the seeds of `seeds=N`. With
    `training` the rows of `refit` are predicted too; the key is the same, as are the fit and its
    predictions of the test rows. With a `threshold` the label is the positive class from this score
    on.
    With a `target_of` the target of each row is that of another row, whose number it has.
    `source_known` is False where equal keys need not mean equal outcomes, and `facts` are the
    parts of the key; both for the store.
    """

    key: str
    data: str
    pipeline: PipelineSpec
    candidates: tuple[Mapping[str, ParameterValue], ...]
    refit: "NDArray[np.int64]"
    test: "NDArray[np.int64]"
    inner: tuple[tuple["NDArray[np.int64]", "NDArray[np.int64]"], ...]
    search: BayesSearch | None = None
    repetition: int = 0
    source_known: bool = True
    facts: KeyFacts | None = None
    training: bool = False
    threshold: float | None = None
    target_of: "NDArray[np.int64] | None" = None

    @property
    def n_fits(self) -> int:
        """The number of calls of `fit` on a whole pipeline, of a `search` the most."""
        tried = self.search.n if self.search is not None else len(self.candidates)
        return len(self.inner) * tried + 1


class Place(Struct, frozen=True):
    """Where the outcome of a task is used: a model on a split of a protocol, with one seed."""

    data: str
    protocol: str
    model: str
    split: Split
    key: str
    seed: int = 0


class SubsetPlace(Struct, frozen=True):
    """Where the outcome of a fit that an analysis asks for is used.

    `analysis` is the place of the item among the analyses of the study, `times` counts how often
    subsets of one training part were drawn, or the target was shuffled, and `size` the subsets of
    one draw, the smallest first.
    """

    analysis: int
    data: str
    protocol: str
    model: str
    split: Split
    times: int
    size: int
    key: str


Scheme = Literal["written", "chosen", "searched"]
"""How an exported model comes by its hyper-parameters: nothing to choose, they are the
choice of one split, or searched for again on all rows."""


class ExportTask(Struct, frozen=True):
    """One model to be fitted on all rows, and how its hyper-parameters are chosen.

    `task.refit` are all rows; `task.inner` is empty unless the scheme is `searched`.
    `chosen_in` are the keys of the fits whose choices the scheme looks at, in order.
    """

    model: str
    protocol: str
    scheme: Scheme
    task: FitTask
    chosen_in: tuple[str, ...] = ()


class StoredOutcome(Struct, frozen=True):
    """The stored predictions of a model on the test rows of all splits, one seed's.

    `labels` are class codes or values (n,), `scores` probabilities or margins, or None, both in
    the order of the splits and their test rows; `failed` are the folds without predictions.
    """

    labels: "NDArray[Any]"
    scores: "NDArray[Any] | None"
    probabilities: bool
    failed: tuple[tuple[int, int], ...] = ()


class Layout(Struct, frozen=True):
    """The arrays behind a plan: splits of each protocol on each table, and the uses of fits.

    `exports` has the models that may be exported, by name: all of them under `export best`.
    `stored` has the predictions of models that are not fitted, by data set, protocol and model;
    `subsets` the fits of learning curves.
    """

    splits: Mapping[tuple[str, str], tuple[Split, ...]]
    places: tuple[Place, ...]
    exports: Mapping[str, ExportTask] = field(default_factory=dict)
    stored: Mapping[tuple[str, str, str], tuple[StoredOutcome, ...]] = field(default_factory=dict)
    subsets: tuple[SubsetPlace, ...] = ()

    @property
    def uses(self) -> "tuple[Place | SubsetPlace, ...]":
        """Every place where the outcome of a fit is used, those of protocols first."""
        return (*self.places, *self.subsets)


def to_plain(plan: Plan, data: Sequence[DataRecord] = ()) -> dict[str, Any]:
    """Return the document of `plan --format json` (tasks folded by kind above 10,000).

    `data` are the sources as results describe them, every column with its role among them.
    """
    from evallang.results.codec import to_plain as plain

    tasks = [plain(task) for task in plan.tasks]
    if len(tasks) > FOLDED_ABOVE:
        tasks = _folded(plan.tasks)
    return {
        "schema": SCHEMA,
        "n_fits": plan.n_fits,
        "n_fits_naive": plan.n_fits_naive,
        "n_cached": plan.n_cached,
        "seconds": plan.seconds,
        "data": plain(tuple(data)),
        "protocols": plain(plan.protocols),
        "defaults": plain(plan.defaults),
        "tasks": tasks,
    }


FOLDED_ABOVE = 10_000  # tasks; interfaces.md, plan


def _folded(tasks: tuple[Task, ...]) -> list[dict[str, Any]]:
    """Fold the tasks of one kind, data set, protocol and model into one."""
    groups: dict[tuple[str, str | None, str | None, str | None], list[Task]] = {}
    for task in tasks:
        groups.setdefault((task.kind, task.data, task.protocol, task.model), []).append(task)
    return [
        {
            "key": None,
            "kind": kind,
            "data": data,
            "protocol": protocol,
            "model": model,
            "repeat": None,
            "fold": None,
            "n_fits": sum(task.n_fits for task in members),
            "needs": [],
            "cached": all(task.cached for task in members),
            "stale_because": ", ".join(
                dict.fromkeys(task.stale_because for task in members if task.stale_because)
            )
            or None,
            "n_tasks": len(members),
        }
        for (kind, data, protocol, model), members in groups.items()
    ]
