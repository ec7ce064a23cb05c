"""What tests and measures read: the outcomes of all models of one source under one protocol.

However the predictions came about (fitted here, read from a file, published as counts),
from here on they look the same.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from evallang.compatibility import metric_entry
from evallang.frozen_records import frozen
from evallang.metrics.aggregation import Aggregate, aggregate
from evallang.metrics.given import of_means
from evallang.metrics.metric import MetricEntry, Outcome
from evallang.metrics.own_code import in_labels
from evallang.protocols.protocol import PROTOCOLS, ProtocolDeclaration, Yields
from evallang.registry import lazy
from evallang.study import Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


Made = TypeVar("Made")


@frozen
class FoldSize:
    """One fold: its numbers, the author's name for it, and how many rows it has."""

    repeat: int
    fold: int
    label: str | None
    n_train: int | None
    n_test: int | None


@dataclass(frozen=True)
class ModelOutcome:
    """The predictions of one model on all test rows, fold after fold.

    `labels` are class codes (-1: a label that is none of the classes) or floats (n,);
    `scores` (n, K) probabilities, (n, K) or (n,) margins, or None. `failed` lists the
    folds whose fit failed; their rows are missing.
    """

    rows: "NDArray[np.int64]"
    repeat: "NDArray[np.int64]"
    fold: "NDArray[np.int64]"
    truth: "NDArray[Any]"
    labels: "NDArray[Any]"
    scores: "NDArray[np.float64] | None"
    probabilities: bool
    failed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """All outcomes of one source under one protocol.

    `judged` tells that only right and wrong are known (class 1 is right); `own` is the metric
    of values that were measured elsewhere, and then the only one there is; `means` that what
    a metric gives one example is measured already, `each` what `group_codes` keeps together;
    `subgroups` are
    the columns that `within` names, one text for each row of the source, and `group_codes`
    its groups, `weights` their weights; `kind` and `options` are the protocol's; with
    `seeds=N` `models` are those of the first seed, and `further_seeds` those of the others,
    on the same rows; `drawn` (B, n) says how often each bootstrap round drew a row;
    `class_values` are the classes as the author's data have them.
    """

    source: str
    label: str
    unit: str
    protocol: str | None
    sha256: str
    task: str
    classes: tuple[str, ...]
    positive: int | None
    yields: Yields
    grouped: bool
    folds: tuple[FoldSize, ...]
    models: Mapping[str, ModelOutcome]
    judged: bool = False
    own: Method | None = None
    means: bool = False
    each: str = "groups"
    implied: bool = False
    subgroups: Mapping[str, "NDArray[Any]"] = field(default_factory=dict)
    group_codes: "NDArray[np.int64] | None" = None
    kind: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    drawn: "NDArray[Any] | None" = None
    weights: "NDArray[np.float64] | None" = None
    class_values: tuple[Any, ...] = ()
    further_seeds: tuple[Mapping[str, ModelOutcome], ...] = ()
    made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Make what is derived from these outcomes when it is first asked for, and keep it."""
        if key not in self.made:
            self.made[key] = make()
        found: Made = self.made[key]
        return found

    def aggregates(self, model: str, metric: Method) -> tuple[Aggregate, ...]:
        """Aggregate a metric of one model over its folds, for each seed; computed once.

        Empty where the model has no scores. Raises `OwnMetricFailed` where the author's own
        metric fails.
        """

        def make() -> tuple[Aggregate, ...]:
            found, entry, options = self.models[model], self.entry(metric), metric.keywords()
            return tuple(
                aggregate(entry, options, outcome, found.fold, found.repeat)
                for outcome in self.outcomes(model, metric)
            )

        return self.once(("aggregates", model, metric), make)

    @property
    def design(self) -> ProtocolDeclaration | None:
        """The protocol's declaration, None for outcomes that were made elsewhere."""
        return None if self.kind is None else PROTOCOLS[self.kind].declaration

    @property
    def by_rounds(self) -> bool:
        """Whether a fit on all rows precedes the rounds of a bootstrap."""
        return self.design is not None and self.design.full_sample

    @property
    def on_training_rows(self) -> bool:
        """Whether models are tested on the rows that they were fitted on."""
        return self.design is not None and self.design.tests_on_training_rows(self.options)

    @property
    def by_seed(self) -> "tuple[Evaluation, ...]":
        """The same evaluation with the outcomes of each seed of `seeds=N` alone."""
        rest = (replace(self, models=models) for models in self.further_seeds)
        return tuple(replace(one, further_seeds=()) for one in (self, *rest))

    def outcomes(self, model: str, metric: Method) -> tuple[Outcome, ...]:
        """Return what `outcome` gives for every seed; empty where the model has no scores."""
        found = [one.outcome(model, metric) for one in self.by_seed]
        return tuple(o for o in found if o is not None)

    def measures(self, metric: Method) -> bool:
        """Return whether a metric is one of these outcomes."""
        return metric == self.own if self.own is not None else metric.better is None

    def entry(self, metric: Method) -> MetricEntry:
        """Find what computes a metric here."""
        found = in_labels(metric_entry(metric), self.class_values)
        return of_means(found) if self.means else found

    def sizes(self) -> "tuple[NDArray[Any], NDArray[Any], str | None] | None":
        """Return training and test sizes of all folds (J,), and a note where they are assumed.

        Folds of unknown size stand for those of cross-validation: k - 1 parts to 1. None where
        one cross-validation has no sizes, for which tests have their own assumption, and where
        nothing is known of the splits.
        """
        train, test = ([getattr(f, name) for f in self.folds] for name in ("n_train", "n_test"))
        if not any(size is None for size in (*train, *test)):
            return np.array(train), np.array(test), None
        repeats = {fold.repeat for fold in self.folds}
        k = len({fold.fold for fold in self.folds})
        if len(repeats) < 2 or k < 2:
            return None
        note = (
            f"fold sizes are unknown: n_test/n_train is taken as 1/{k - 1}, as in "
            f"cross-validation of {k} folds"
        )
        return np.full(len(self.folds), k - 1), np.ones(len(self.folds), dtype=np.int64), note

    def outcome(self, model: str, metric: Method) -> Outcome | None:
        """Return truth and what a metric needs of a model; None where the model has no scores."""
        found = self.models[model]
        needs = self.entry(metric).declaration.needs
        k = len(self.classes)
        if needs in ("labels", "values"):
            return Outcome(found.truth, found.labels, k, self.positive, self.weights_of(model))
        if found.scores is None or (needs == "probabilities" and not found.probabilities):
            return None
        return Outcome(found.truth, found.scores, k, self.positive, self.weights_of(model))

    def weights_of(self, model: str) -> "NDArray[np.float64] | None":
        """Return the weight of each test row of a model (n,), None where rows have none."""
        return None if self.weights is None else self.weights[self.models[model].rows]

    def correct(self, model: str) -> "NDArray[np.bool_]":
        """Return on which test rows a model is right (n,)."""
        found = self.models[model]
        return np.asarray(found.truth == found.labels, dtype=bool)
