"""What tests and measures read: the outcomes of all models of one source under one protocol.

However the predictions came about (fitted here, read from a file, published as counts),
from here on they look the same.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility import (
    is_mean_of_rows,
    is_mean_or_root,
    metric_entry,
    own_metric,
    yields_of,
)
from evallang.data.dataset import GivenOutcomes, PredictionsSpec, ScoreTable
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.rounded_scores import round_scores
from evallang.metrics.aggregation import Aggregate, Partition, aggregate_parts, partition
from evallang.metrics.metric import NOT_KEPT, CountedLabels, MetricEntry, Outcome
from evallang.metrics.named import mean_over_repeats
from evallang.metrics.own_code import OwnMetricFailed, wrap_labels
from evallang.planning.defaults import yields_of_scores
from evallang.protocols.protocol import PROTOCOLS, ProtocolDeclaration, Yields
from evallang.results.records import Estimate, FoldValue, Tested
from evallang.stats.battles import Battles, Strengths
from evallang.stats.clusters import variance_of_mean
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import Resampler
from evallang.stats.score_counts import PlacementSums, ScoreCounts, place_scores
from evallang.stats.strata import Strata
from evallang.study import Average, Method

ROUNDING = 1e-9  # of the reciprocal of a ratio
NONE_TESTED = Tested(0, 0, 0)


class FoldSize(Struct, frozen=True):
    """One fold: its numbers, the author's name for it, and how many rows it has."""

    repeat: int
    fold: int
    label: str | None = None
    n_train: int | None = None
    n_test: int | None = None


class ModelOutcome(Struct, frozen=True):
    """The predictions of one model on all test rows, fold after fold.

    `labels` are class codes (-1: a label that is none of the classes) or floats (n,);
    `scores` (n, K) probabilities, (n, K) or (n,) margins, or None. `failed` lists the
    folds whose fit failed; their rows are missing. `fitted` are the other folds of models that
    were fitted here, and `parts` the folds and repeats of the rows, where these are counted.
    """

    rows: "NDArray[np.signedinteger]"
    repeat: "NDArray[np.int64]"
    fold: "NDArray[np.int64]"
    truth: "NDArray[Any]"
    labels: "NDArray[Any]"
    scores: "NDArray[np.float64] | None" = None
    probabilities: bool = False
    failed: tuple[tuple[int, int], ...] = ()
    fitted: tuple["FittedFold", ...] = ()
    parts: Partition | None = None

    def take(self, kept: "NDArray[np.bool_] | None") -> "ModelOutcome":
        """Keep some of the rows, all with None."""
        if kept is None:
            return self
        held = ("rows", "repeat", "fold", "truth", "labels")
        scores = None if self.scores is None else self.scores[kept]
        return replace(self, **{n: getattr(self, n)[kept] for n in held}, scores=scores, parts=None)


class CountedRows(Struct, frozen=True):
    """The distinct rows of a source (P,), as codes, and how often each occurs.

    `rankings` are the counted scores of the models that have them, and `placements` the products
    of their placements, in the same order; None where they were not asked for.
    """

    truth: "NDArray[Any]"
    labels: Mapping[str, "NDArray[Any]"]
    times: "NDArray[np.int64]"
    rankings: "Mapping[str, ScoreCounts] | None" = None
    placements: "PlacementSums | None" = None

    @property
    def n(self) -> int:
        """The number of rows that were counted."""
        return int(self.times.sum())

    def of_class(self, code: int | None) -> int | None:
        """Return the number of rows of a class; None for no class."""
        return None if code is None else int(self.times[self.truth == code].sum())

    def take(self, kept: "NDArray[np.bool_]") -> "CountedRows":
        """Keep some of the distinct rows."""
        labels = {model: found[kept] for model, found in self.labels.items()}
        return CountedRows(self.truth[kept], labels, self.times[kept])


class FittedFold(Struct, frozen=True):
    """The repeat and fold of a fit, and what came of it."""

    repeat: int
    fold: int
    outcome: FitOutcome


class Measured(Struct, frozen=True):
    """What a metric makes of the outcomes of all models, once for all that reads it.

    `read` are the outcomes as the metric reads them, `outcomes` those of each seed, `aggregates`
    how they combine or why the author's own metric failed, `losses` those of examples where
    models are compared by them, `placements` of models on the same rows where the metric ranks,
    and `samples` what draws the metric of a model again, where that is asked for.
    """

    read: "Evaluation"
    outcomes: Mapping[str, tuple[Outcome, ...]]
    aggregates: Mapping[str, tuple[Aggregate, ...] | OwnMetricFailed]
    losses: "Mapping[str, tuple[NDArray[np.float64], ...]]"
    placements: Mapping[tuple[str, ...], PlacementSums]
    samples: Mapping[str, Resampler]


class Averaged(Struct, frozen=True, eq=False):
    """The data sets whose examples an evaluation joins.

    `codes` are the data set of each row, `names` their labels; `without` are the models that have
    no average, each with the reason. `about` is what an estimate on
    one of the data sets is about, and `fits` the number of fits of a model on all of them. `again`
    averages over the examples that some models share, for a metric that is not a mean over them,
    and `rarest` then counts those of the rarest class of each data set, together.
    """

    over: Average
    about: str
    fits: int
    codes: "NDArray[np.int64]"
    names: tuple[str, ...]
    without: Mapping[str, str]
    again: "Callable[[Sequence[str]], Evaluation] | None" = None
    rarest: int | None = None


class Evaluation(Struct, frozen=True):
    """All outcomes of one source under one protocol, or of several that are averaged.

    `n` is the number of rows of the source, whatever the models give; `judged` tells
    that only right and wrong are known (class 1 is right); `gaps` that some models were not
    scored on every example; `rated` that models are judges, whose
    ratings are the scores, and of whose labels or truth some are missing (-1); `own` is the metric
    of values that were measured elsewhere, and then the only one there is; `means` that what
    a metric gives one example is measured already, `each` what `group_codes` keeps together;
    `subgroups` are
    the columns that `within` names, one text for each row of the source, and `group_codes`
    its groups, `weights` their weights; `kind` and `options` are the protocol's; with
    `seeds=N` `models` are those of the first seed, and `further_seeds` those of the others,
    on the same rows; `drawn` (B, n) says how often each bootstrap round drew a row;
    `class_values` are the classes as the author's data have them; `further_fits` are the
    evaluations of the protocols that an interval of this one's estimates implies;
    `test_train_ratio` is that of folds whose sizes are unknown, None where nothing states it. Of a
    source
    whose rows were counted, `counted` has the distinct ones, to which the arrays of `subgroups`
    belong, and those of `models` are not kept. `moments` are the places of its rows in time, None
    for the order of the source. `average` are the data sets whose examples these are. `measured`
    is what is computed already, by metric, and `tested` the rows of each model that are counted
    already. `battles` are pairwise judgements, and `strengths` what a metric makes of them.
    """

    source: str
    label: str
    unit: str
    protocol: str | None
    n: int
    task: str
    classes: tuple[str, ...]
    positive: int | None
    yields: Yields
    grouped: bool
    folds: tuple[FoldSize, ...]
    models: Mapping[str, ModelOutcome]
    judged: bool = False
    rated: bool = False
    gaps: bool = False
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
    further_fits: "tuple[Evaluation, ...]" = ()
    test_train_ratio: float | None = None
    counted: CountedRows | None = None
    moments: "NDArray[np.int64] | None" = None
    average: Averaged | None = None
    measured: Mapping[Method, Measured] = field(default_factory=dict)
    tested: Mapping[str, Tested | None] = field(default_factory=dict)
    battles: Battles | None = None
    strengths: Strengths | None = None

    @property
    def data(self) -> str | None:
        """The name of the source, None where several are averaged."""
        return self.source if self.average is None else None

    @property
    def averaged(self) -> Average | None:
        """What counts the same in an average of data sets, None for one data set."""
        return None if self.average is None else self.average.over

    def without_average(self, model: str) -> str | None:
        """Return why a model has no average over the data sets, None where it has one."""
        return None if self.average is None else self.average.without.get(model)

    def strata_of(self, model: str) -> Strata | None:
        """Return the data sets of the rows of a model and their shares of the average.

        None without an average of this model. Raises `ValueError` where none of these rows is of a
        data set.
        """
        found = self.models[model]
        if self.average is None or found.failed or model in self.average.without:
            return None
        codes = self.average.codes[found.rows]
        sizes = np.bincount(codes, minlength=len(self.average.names))
        if not sizes.all():
            missing = self.average.names[int(sizes.argmin())]
            raise ValueError(f"the models share no {self.unit} of {missing}")
        each = sizes if self.average.over == "rows" else np.ones(len(sizes))
        return Strata(codes, each / each.sum(), self.average.names)

    def altered(self, **changes: Any) -> "Evaluation":
        """Return the evaluation with other outcomes, of which nothing is computed yet."""
        return replace(self, measured={}, tested={}, **changes)

    def groups_of(self, model: str) -> "NDArray[np.int64] | None":
        """Return the group of each row of a model, None where each row is alone."""
        codes = self.group_codes
        return None if codes is None else codes[self.models[model].rows]

    def places_in_time(self, model: str) -> "NDArray[np.int64]":
        """Return the place of each row of a model in time (n,), from 0, equal at one moment."""
        rows = self.models[model].rows
        moments = rows if self.moments is None else self.moments[rows]
        return np.asarray(np.unique(moments, return_inverse=True)[1])

    def by_moment(self, model: str, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Return one value for each moment, in their order, from those of the rows of a model.

        It is their sum, times moments by rows, so that the mean over moments is that over rows.
        """
        summed = np.bincount(self.places_in_time(model), weights=values)
        return np.asarray(summed * (len(summed) / len(values)))

    def aggregates(self, model: str, metric: Method) -> tuple[Aggregate, ...]:
        """Aggregate a metric of one model over its folds, for each seed.

        Empty where the model has no scores. Raises `OwnMetricFailed` where the author's own
        metric fails.
        """
        if metric in self.measured:
            found = self.measured[metric].aggregates[model]
            if isinstance(found, OwnMetricFailed):
                raise found
            return found
        placed = self.placements_of(model, metric)
        return self.combine(model, metric, self.outcomes(model, metric), placed)

    def combine(
        self,
        model: str,
        metric: Method,
        outcomes: Sequence[Outcome],
        placed: PlacementSums | None,
    ) -> tuple[Aggregate, ...]:
        """Combine the outcomes of each seed over folds, with the area where it is known."""
        entry, options, parts = self.entry(metric), metric.keywords(), self.partition(model)
        whole = None if placed is None else float(placed.areas[0])
        return tuple(aggregate_parts(entry, options, one, parts, whole) for one in outcomes)

    @property
    def draws(self) -> tuple[tuple[str, Mapping[str, Any]] | None, str, int]:
        """What is drawn again: under which protocol, which units, and how many."""
        protocol = None if self.kind is None else (self.kind, self.options)
        if self.group_codes is None:
            return protocol, "rows", self.n
        return protocol, "groups", int(self.group_codes.max()) + 1

    @property
    def design(self) -> ProtocolDeclaration | None:
        """The protocol's declaration, None for outcomes that were computed elsewhere."""
        return None if self.kind is None else PROTOCOLS[self.kind].declaration

    @property
    def by_rounds(self) -> bool:
        """Whether a fit on all rows precedes the rounds of a bootstrap."""
        return self.design is not None and self.design.full_sample

    @property
    def on_training_rows(self) -> bool:
        """Whether models are tested on the rows that they were fitted on."""
        return self.yields.optimistic

    @property
    def by_seed(self) -> "tuple[Evaluation, ...]":
        """The same evaluation with the outcomes of each seed of `seeds=N` alone."""
        every = (self.models, *self.further_seeds)
        return tuple(self.altered(models=models, further_seeds=()) for models in every)

    def outcomes(self, model: str, metric: Method) -> tuple[Outcome, ...]:
        """Return what `outcome` gives for every seed; empty where the model has no scores."""
        if metric in self.measured:
            return self.measured[metric].outcomes[model]
        found = [one.outcome(model, metric) for one in self.by_seed]
        return tuple(o for o in found if o is not None)

    def losses(self, model: str, metric: Method) -> "tuple[NDArray[np.float64], ...]":
        """Return the loss of each example of a model (n,), once for every seed."""
        if metric in self.measured and model in self.measured[metric].losses:
            return self.measured[metric].losses[model]
        function, options = self.entry(metric).function, metric.keywords()
        return tuple(
            np.asarray(function(o.truth, o.output, o.positive, **options))
            for o in self.outcomes(model, metric)
        )

    def measures(self, metric: Method) -> bool:
        """Return whether a metric is one of these outcomes."""
        return metric == self.own if self.own is not None else metric.better is None

    def entry(self, metric: Method) -> MetricEntry:
        """Find what computes a metric here."""
        found = wrap_labels(metric_entry(metric), self.class_values)
        if not self.means:
            return found
        found = mean_over_repeats(found)
        if self.average is None:
            return found
        return replace(found, declaration=replace(found.declaration, transform=None))

    def sizes(self) -> "tuple[NDArray[Any], NDArray[Any], str | None] | None":
        """Return training and test sizes of all folds (J,), and a note where they are assumed.

        Folds of unknown size have the stated ratio. Those of predictions, which test every
        example once, stand for cross-validation: k - 1 parts to 1. None where nothing is known.
        """
        train, test = ([getattr(f, name) for f in self.folds] for name in ("n_train", "n_test"))
        if not any(size is None for size in (*train, *test)):
            return np.array(train), np.array(test), None
        n, k = len(self.folds), len({fold.fold for fold in self.folds})
        ratio = self.test_train_ratio
        if ratio is None and self.unit != "scores" and k > 1:
            ratio = 1 / (k - 1)
        if ratio is None:
            return None
        parts = round(1 / ratio)
        if abs(parts * ratio - 1) > ROUNDING:
            return np.ones(n), np.full(n, ratio), f"n_test/n_train is {ratio:.3g}, as stated"
        note = f"fold sizes are unknown: n_test/n_train is taken as 1/{parts}"
        if parts == k - 1:
            note += f", as in cross-validation of {k} folds"
        return np.full(n, parts), np.ones(n, dtype=np.int64), note

    def outcome(self, model: str, metric: Method) -> Outcome | None:
        """Return truth and what a metric reads of a model; None where the model has no scores."""
        if metric in self.measured:
            return next(iter(self.measured[metric].outcomes[model]), None)
        found = self.as_given(model, metric)
        return found if found is None or self.means else round_scores(found, metric)

    def as_given(self, model: str, metric: Method) -> Outcome | None:
        """Return truth and what a metric needs of a model, with scores as they are."""
        found = self.models[model]
        needs = self.entry(metric).declaration.needs
        k = len(self.classes)
        if self.counted is not None:
            return self._counted_outcome(self.counted, model, needs)
        if needs in ("repeats", "games") and not self.means:
            return None
        if needs in ("labels", "values", "risks", "repeats", "verdicts", "games"):
            return Outcome(found.truth, found.labels, k, self.positive, self.weights_of(model))
        if found.scores is None or (needs == "probabilities" and not found.probabilities):
            return None
        return Outcome(found.truth, found.scores, k, self.positive, self.weights_of(model))

    def _counted_outcome(self, rows: CountedRows, model: str, needs: str) -> Outcome | None:
        k = len(self.classes)
        if needs == "labels":
            labels = CountedLabels(rows.truth, rows.labels[model], rows.times)
            return Outcome(NOT_KEPT, NOT_KEPT, k, self.positive, counted=labels)
        assert needs == "scores" and rows.rankings is not None, "counts suffice for the study"
        if model not in rows.rankings:
            return None
        return Outcome(NOT_KEPT, NOT_KEPT, k, self.positive, ranked=rows.rankings[model])

    def positive_rows(self, model: str) -> "NDArray[np.bool_]":
        """Return which rows of a model are positive (n,)."""
        return np.asarray(self.models[model].truth == self.positive, dtype=np.bool_)

    def positive_scores(self, model: str, metric: Method) -> "NDArray[np.float64]":
        """Return the score of the positive class for each row (n,)."""
        outcome = self.outcome(model, metric)
        if outcome is None:
            raise ValueError(f"{model} gives no scores")
        scores = outcome.output
        return scores if scores.ndim == 1 else scores[:, outcome.positive]

    def placement_sums(self, models: Sequence[str], metric: Method) -> "PlacementSums":
        """Return the areas of models on the same rows, and the products of their placements."""
        known = self.measured[metric].placements if metric in self.measured else {}
        for alike, found in known.items():
            if set(models) <= set(alike):
                return found.of([alike.index(model) for model in models])
        scores = [self.positive_scores(model, metric) for model in models]
        return place_scores(self.positive_rows(models[0]), scores)

    def placements_of(self, model: str, metric: Method) -> "PlacementSums | None":
        """Return the area of one model and its variances; None where its estimate is another."""
        placed = self.places_scores(metric)
        if not placed or self.models[model].scores is None or len(self.partition(model).pairs) != 1:
            return None
        return self.placement_sums((model,), metric)

    def places_scores(self, metric: Method) -> bool:
        """Return whether a metric is the area of one fit's scores of two classes."""
        plain = self.weights is None and not self.further_seeds and self.counted is None
        ranked = self.entry(metric).declaration.ranks == "area" and self.positive is not None
        return plain and ranked and len(self.classes) == 2 and self.yields.single_fit

    def on_the_same_rows(self, model: str) -> tuple[str, ...]:
        """Return the models whose test rows are those of a model, in the same order."""
        rows = self.models[model].rows
        return tuple(
            name
            for name, found in self.models.items()
            if found.rows is rows or np.array_equal(found.rows, rows)
        )

    def on_common_rows(self, models: Sequence[str]) -> "Evaluation":
        """Return some models with the rows that all of them have, in place of the rows of each.

        Models without a common row, such as shares of other examples, are returned as they are.
        """
        rows = {id(self.models[model].rows): self.models[model].rows for model in models}
        first = next(iter(rows.values()))
        if self.counted is not None or all(np.array_equal(first, one) for one in rows.values()):
            return self
        if self.average is not None and self.average.again is not None:
            return self.average.again(models)
        found = {model: self.models[model] for model in models}
        runs = 1 + max(int(one.repeat.max(initial=0)) for one in found.values())
        keys = {model: one.rows * runs + one.repeat for model, one in found.items()}
        common = reduce(lambda some, other: some[np.isin(some, other)], keys.values())
        if not len(common):
            return self
        kept = {model: one.take(np.isin(keys[model], common)) for model, one in found.items()}
        return self.altered(models={**self.models, **kept})

    def n_common(self, models: Sequence[str]) -> int | None:
        """Return how many examples have an answer of every model; None where all have all."""
        if not self.gaps:
            return None
        return len(reduce(np.intersect1d, (self.models[model].rows for model in models)))

    def weights_of(self, model: str) -> "NDArray[np.float64] | None":
        """Return the weight of each test row of a model (n,), or None without weights.

        In an average over data sets the weights give each its share.
        """
        strata = self.strata_of(model) if self.averaged == "data" else None
        if strata is not None:
            return strata.weights()
        return None if self.weights is None else self.weights[self.models[model].rows]

    def correct(self, model: str) -> "NDArray[np.bool_]":
        """Return on which test rows a model is right (n,)."""
        found = self.models[model]
        return np.asarray(found.truth == found.labels, dtype=bool)

    def partition(self, model: str) -> Partition:
        """Number the folds and repeats of a model's test rows."""
        found = self.models[model]
        if self.counted is not None:
            return partition(len(self.counted.times))
        return found.parts or partition(len(found.rows), found.fold, found.repeat)

    def confusion(self, model: str) -> "NDArray[np.int64]":
        """Count the test rows of a model by true and predicted class (k, k + 1)."""
        found, k = self.models[model], len(self.classes)
        outcome = Outcome(found.truth, found.labels, k)
        if self.counted is not None:
            rows = self.counted
            counted = CountedLabels(rows.truth, rows.labels[model], rows.times)
            outcome = replace(outcome, counted=counted)
        one_part = np.broadcast_to(np.zeros(1, dtype=np.int64), self.n_kept(model))
        return np.asarray(outcome.confusions(one_part, 1)[0])

    def n_kept(self, model: str) -> int:
        """Return the length of the arrays of a model: its test rows, or the distinct ones."""
        return len(self.models[model].truth) if self.counted is None else len(self.counted.times)

    def tested_rows(self, model: str) -> Tested | None:
        """Count the rows that a model was tested on; None for scores and battles."""
        if model in self.tested:
            return self.tested[model]
        if (self.own is not None and self.yields.of_folds_alone) or self.battles is not None:
            return None
        found = self.models[model]
        if self.counted is not None:
            n, positive = self.counted.n, self.counted.of_class(self.positive)
            return Tested(n, 1, 1, positive) if n else NONE_TESTED
        in_folds = found.fold >= 0  # the fit on the full sample of a bootstrap is not a test
        of_class = None if self.positive is None else self.positive_rows(model) & in_folds
        times = np.bincount(found.rows[in_folds])
        times = times[times > 0]
        positive = None
        if of_class is not None:
            positive = int(np.count_nonzero(np.bincount(found.rows[of_class])))
        if not len(times):
            return NONE_TESTED
        return Tested(len(times), int(times.min()), int(times.max()), positive)

    def n_right(self, model: str) -> int:
        """Return how many test rows a model has right."""
        if self.counted is None:
            found = self.models[model]
            return int(np.count_nonzero(found.truth == found.labels))
        rows = self.counted
        return int(rows.times[rows.truth == rows.labels[model]].sum())


# --- repeated predictions --------------------------------------------------------------------


def as_read_by(evaluation: Evaluation, metric: Method) -> Evaluation:
    """Return the outcomes as a metric reads them: with repeats, one mean for each example.

    A metric that is not a mean of examples (F1, AUC) is computed in each repeat, and its examples
    are resampled and swapped with all their repeats. Of judges, labels are those of the rows that
    have a truth too.
    """
    if evaluation.rated:
        known = evaluation.measured.get(metric)
        needs = metric_entry(metric).declaration.needs
        if known is not None or needs == "ratings":
            return evaluation if known is None else known.read
        return labelled(evaluation, by_humans=needs != "verdicts")
    read_apart = evaluation.yields.averaged or evaluation.battles is not None
    if not read_apart or evaluation.means:
        return evaluation
    known = evaluation.measured.get(metric)
    return _read_by(evaluation, metric) if known is None else known.read


def labelled(evaluation: Evaluation, *, by_humans: bool = True) -> Evaluation:
    """Return judges on the rows that they labelled, or that they and humans did."""
    models = {
        name: found.take((found.labels >= 0) & ((found.truth >= 0) | (not by_humans)))
        for name, found in evaluation.models.items()
    }
    return evaluation.altered(models=models, rated=False)


BLOCKS = "blocks"
"""What the groups of an evaluation are called that are consecutive moments, numbered in order."""


def in_blocks(evaluation: Evaluation, test: Method) -> Evaluation:
    """Return the outcomes as a test reads them that keeps blocks of a series together.

    The blocks are groups of that many consecutive moments: what is swapped, drawn or referred to
    is a block, and so is the unit of the interval. Rows of groups stay as they are.
    """
    series = HYPOTHESIS_TESTS[test.name].declaration.series or ()
    sizes = [size for option, _ in series if (size := dict(test.options).get(option)) is not None]
    if not sizes or evaluation.group_codes is not None or evaluation.counted is not None:
        return evaluation
    size = max(int(str(sizes[0])), 1)
    any_model = next(iter(evaluation.models))
    rows = evaluation.models[any_model].rows
    codes = np.zeros(int(rows.max()) + 1, dtype=np.int64)
    codes[rows] = evaluation.places_in_time(any_model) // size
    return evaluation.altered(group_codes=codes, each=BLOCKS)


def strengths_of(evaluation: Evaluation, models: Sequence[str]) -> Strengths:
    """Return what a metric makes of the battles of some models."""
    assert evaluation.strengths is not None, "read by a metric of battles"
    names = list(evaluation.models)
    return evaluation.strengths.take([names.index(model) for model in models])


def _read_by(evaluation: Evaluation, metric: Method) -> Evaluation:
    if evaluation.battles is not None:
        function = metric_entry(metric).function
        strengths: Strengths = function(evaluation.battles, None, None, **metric.keywords())
        models = {
            name: replace(found, labels=np.broadcast_to(value, len(found.rows)))
            for (name, found), value in zip(
                evaluation.models.items(), strengths.values, strict=True
            )
        }
        return evaluation.altered(models=models, means=True, strengths=strengths)
    if not is_mean_or_root(metric_entry(metric)):
        if evaluation.group_codes is not None:
            return evaluation
        codes = np.arange(1 + max(int(m.rows.max()) for m in evaluation.models.values()))
        return evaluation.altered(group_codes=codes, each="examples")
    means = {name: _means(evaluation, name, metric) for name in evaluation.models}
    return evaluation.altered(
        models={name: _averaged(found, means[name]) for name, found in evaluation.models.items()},
        classes=(),
        positive=None,
        judged=False,
        means=True,
    )


def means_of_examples(evaluation: Evaluation, metric: Method) -> Evaluation:
    """Return what a metric that is a mean gives each example, over repeats and seeds their mean."""
    given = labelled(evaluation) if evaluation.rated else evaluation
    by_seed = [_read_by(one, metric) for one in given.by_seed]
    first = by_seed[0]
    if len(by_seed) == 1:
        return first
    models = {}
    for name, found in first.models.items():
        mean = np.mean([one.models[name].labels for one in by_seed], axis=0)
        models[name] = replace(
            found, labels=mean, scores=found.scores if found.scores is None else mean
        )
    return first.altered(models=models)


class _Means(Struct, frozen=True):
    """The examples of a model, and of each its value, its variance and number of repeats.

    The value is the mean over repeats, or what a metric makes of those that are right.
    """

    rows: "NDArray[np.signedinteger]"
    mean: "NDArray[np.float64]"
    variance: "NDArray[np.float64]"
    times: "NDArray[np.int64]"


def spread_of_samples(
    evaluation: Evaluation, models: Sequence[str], metric: Method
) -> tuple[float, int] | None:
    """Return the standard deviation of one sample around its example's mean, and the number of
    samples.

    The variance is the mean over examples and models. None where a metric is not the mean of
    samples, or examples have one, or unlike numbers of them.
    """
    if (
        not (evaluation.yields.averaged and is_mean_or_root(metric_entry(metric)))
        or evaluation.yields.run_word != "repeat"
    ):
        return None
    found = [_means(evaluation, model, metric) for model in models]
    times = {int(n) for one in found if one is not None for n in np.unique(one.times)}
    variances = [float(one.variance.mean()) for one in found if one is not None]
    if len(times) != 1 or not variances or np.isnan(variances).any():
        return None
    return float(np.sqrt(np.mean(variances))), times.pop()


def _means(evaluation: Evaluation, model: str, metric: Method) -> _Means | None:
    """Combine repeats; the variance (n - 1) is NaN where an example has one repeat."""
    found, entry = evaluation.models[model], metric_entry(metric)
    rows, code, times = np.unique(found.rows, return_inverse=True, return_counts=True)
    if entry.declaration.needs == "repeats":
        right = np.bincount(code, weights=found.truth == found.labels)
        values = entry.function(None, np.column_stack([right, times]), None, **metric.keywords())
        return _Means(rows, values, np.full(len(rows), np.nan), times)
    outcome = evaluation.outcome(model, metric)
    if outcome is None:
        return None
    each = means_of(metric, outcome)
    mean = np.bincount(code, weights=each) / times
    squares = np.bincount(code, weights=(each - mean[code]) ** 2)
    variance = np.where(times > 1, squares / np.maximum(times - 1, 1), np.nan)
    return _Means(rows, mean, variance, times)


def means_of(metric: Method, outcome: Outcome) -> "NDArray[np.float64]":
    """Return what a metric is the mean of: one number for each prediction."""
    entry = metric_entry(metric)
    if entry.declaration.form == "losses":
        losses = entry.function(
            outcome.truth, outcome.output, outcome.positive, **dict(metric.options)
        )
        return np.asarray(losses, dtype=np.float64)
    right = np.asarray(outcome.truth == outcome.output, dtype=np.float64)
    return 1.0 - right if entry.declaration.complement else right


def _averaged(found: ModelOutcome, means: _Means | None) -> ModelOutcome:
    if means is None:
        return replace(found, scores=None)
    zeros = np.zeros(len(means.rows), dtype=np.int64)
    return replace(
        found,
        rows=means.rows,
        repeat=zeros,
        fold=zeros,
        truth=zeros,
        labels=means.mean,
        scores=means.mean,
        probabilities=True,
        parts=None,
    )


def add_repeats(found: Estimate, evaluation: Evaluation, model: str, metric: Method) -> Estimate:
    """Add to an estimate what each repeat, reader or seed gave, and how much an example varies."""
    has_mean = is_mean_of_rows(metric_entry(metric))
    means = _means(evaluation, model, metric) if has_mean else None
    if evaluation.outcome(model, metric) is None:
        if means is None:
            return found
        return replace(
            found, extra={**found.extra, "n_examples": found.n, "n_repeats": int(means.times.max())}
        )
    own = evaluation.models[model]
    each = evaluation.aggregates(model, metric)[0]
    labels = {fold.repeat: fold for fold in evaluation.folds}
    folds = tuple(
        FoldValue(r, f, labels[r].label, value, None, labels[r].n_test)
        for (r, f), value in zip(each.folds, each.fold_values, strict=True)
    )
    n = len(np.unique(own.rows))
    run_word = evaluation.yields.run_word
    extra = {**found.extra, "n_examples": n, f"n_{run_word}s": len(each.folds)}
    if run_word == "reader":
        extra["readers_sampled"] = not evaluation.yields.averaged
    if means is not None and not np.isnan(means.variance).all():
        extra["sd_within"] = float(np.sqrt(np.nanmean(means.variance)))
        extra |= _errors_by_repeats(evaluation, model, means)
    return replace(
        found,
        aggregation="mean_of_repeats",
        fold_mean=each.fold_mean,
        sd=each.sd,
        n=n,
        folds=folds,
        extra=extra,
    )


def _errors_by_repeats(evaluation: Evaluation, model: str, means: _Means) -> dict[str, float]:
    """Return the standard error of a mean over examples, with one repeat and with any number.

    The variance of the mean is that of examples, robust over groups, and the mean variance within
    an example divided by its repeats (Miller 2024).
    """
    groups, n = evaluation.group_codes, len(means.rows)
    if evaluation.weights is not None or evaluation.yields.run_word != "repeat" or n < 2:
        return {}
    if groups is None:
        total = float(means.mean.var(ddof=1)) / n
    else:
        codes = np.unique(groups[means.rows], return_inverse=True)[1]
        if not codes.any():
            return {}
        total = variance_of_mean(means.mean, codes)
    within = float(np.nanmean(means.variance)) / n
    examples = total - within * float(np.mean(1 / means.times))
    return {
        "standard_error": total**0.5,
        "standard_error_of_one_repeat": max(examples + within, 0) ** 0.5,
        "standard_error_of_any_repeats": max(examples, 0) ** 0.5,
    }


# --- outcomes computed elsewhere -----------------------------------------------------------------


def evaluation_of_outcomes(source: GivenOutcomes) -> Evaluation:
    """Return predictions, judged outcomes or counts as an evaluation; a row is an example.

    With repeats the rows of the evaluation are the examples, each of which has several
    predictions.
    """
    if source.samples is not None:
        return _evaluation_of_samples(source, source.samples)
    if source.times is not None:
        return _evaluation_of_counts(source, source.times)
    if isinstance(source.spec, PredictionsSpec) and source.spec.query is not None:
        return _evaluation_of_queries(source)
    if source.battles is not None:
        return _evaluation_of_battles(source, source.battles)
    n = source.n
    zeros = np.broadcast_to(np.zeros(1, dtype=np.int64), n)  # no memory for each row
    fold = zeros if source.folds is None else source.folds
    repeat = zeros if source.repeats is None else source.repeats
    parts = partition(n, fold, repeat)
    judged = source.correct is not None
    rated = isinstance(source.spec, PredictionsSpec) and source.spec.judged == "judges"
    rows: NDArray[np.signedinteger] = np.arange(n)
    first = None
    if source.examples is not None:
        rows = source.examples
        first = np.unique(rows, return_index=True)[1]
    models = {}
    for model in source.models:
        truth, labels = _answers(source, model.name)
        models[model.name] = ModelOutcome(
            rows=rows,
            repeat=repeat,
            fold=fold,
            truth=truth,
            labels=labels,
            scores=source.scores.get(model.name),
            probabilities=model.name in source.probabilities,
            parts=parts,
        ).take(source.answered.get(model.name))
    return _evaluation_of_given(
        source,
        models,
        classes=("wrong", "right") if judged else source.classes,
        positive=None if judged else source.positive,
        grouped=isinstance(source.spec, PredictionsSpec) and source.group_codes is not None,
        folds=_fold_sizes(source, repeat, fold),
        judged=judged,
        rated=rated,
        gaps=bool(source.answered),
        own=own_metric(source.spec),
        subgroups={
            name: _once(np.array(values, dtype=object), first)
            for name, values in source.subgroups.items()
        },
        group_codes=None if source.group_codes is None else _once(source.group_codes, first),
        weights=None if source.weights is None else _once(source.weights, first),
        moments=None if source.moments is None else _once(source.moments.ranks, first),
        class_values=source.class_values,
    )


def _evaluation_of_given(
    source: GivenOutcomes,
    models: Mapping[str, ModelOutcome],
    *,
    classes: tuple[str, ...],
    positive: int | None = None,
    grouped: bool,
    folds: tuple[FoldSize, ...],
    **more: Any,
) -> Evaluation:
    """Return outcomes of models that were not fitted here as an evaluation."""
    return Evaluation(
        source=source.spec.name,
        label=source.spec.label,
        unit=source.spec.unit,
        protocol=None,
        n=source.n_examples,
        task=source.task,
        classes=classes,
        positive=positive,
        yields=yields_of(source.spec, None),
        grouped=grouped,
        folds=folds,
        models=models,
        **more,
    )


def _evaluation_of_counts(source: GivenOutcomes, times: "NDArray[np.int64]") -> Evaluation:
    """Return rows that were counted as an evaluation."""
    distinct = replace(source, n=len(times), times=None, rankings=None)
    found = evaluation_of_outcomes(distinct)
    models = found.models
    any_model = next(iter(models.values()))
    labels = {name: model.labels for name, model in models.items()}
    rows = CountedRows(any_model.truth, labels, times, source.rankings, source.placements)
    counted = ModelOutcome(NOT_KEPT, NOT_KEPT, NOT_KEPT, NOT_KEPT, NOT_KEPT)
    return replace(
        found,
        n=source.n_examples,
        folds=tuple(replace(fold, n_test=source.n) for fold in found.folds),
        models=dict.fromkeys(models, counted),
        counted=rows,
    )


def _evaluation_of_queries(source: GivenOutcomes) -> Evaluation:
    """Return rankings as an evaluation whose rows are the queries.

    The scores of a model are, for each query, relevance and score of its rows (rows, 2).
    """
    assert source.examples is not None and source.truth is not None, "read with the queries"
    _, first = np.unique(source.examples, return_index=True)
    order = np.argsort(source.examples, kind="stable")
    bounds = np.cumsum(np.bincount(source.examples))[:-1]
    n = len(first)
    zeros = np.zeros(n, dtype=np.int64)
    models = {}
    for model in source.models:
        both = np.column_stack([source.truth, source.predictions[model.name]])[order]
        rankings = np.empty(n, dtype=object)
        rankings[:] = np.split(both, bounds)
        models[model.name] = ModelOutcome(np.arange(n), zeros, zeros, zeros, zeros, rankings)
    return _evaluation_of_given(
        source,
        models,
        classes=(),
        grouped=source.groups is not None,
        folds=(FoldSize(0, 0, n_test=n),),
        subgroups={
            name: np.array(values, dtype=object)[first] for name, values in source.subgroups.items()
        },
        group_codes=None if source.group_codes is None else source.group_codes[first],
    )


def _evaluation_of_samples(source: GivenOutcomes, samples: Mapping[str, int]) -> Evaluation:
    """Return shares as an evaluation: no row of a model is one of another's."""
    assert source.correct is not None, "shares are right or wrong"
    models: dict[str, ModelOutcome] = {}
    before = 0
    for model, n in samples.items():
        zeros = np.zeros(n, dtype=np.int64)
        right = source.correct[model].astype(np.int64)
        rows = np.arange(before, before + n)
        models[model] = ModelOutcome(rows, zeros, zeros, np.ones(n, dtype=np.int64), right)
        before += n
    return _evaluation_of_given(
        source,
        models,
        classes=("wrong", "right"),
        grouped=False,
        folds=(FoldSize(0, 0),),
        judged=True,
    )


def _evaluation_of_battles(source: GivenOutcomes, battles: Battles) -> Evaluation:
    """Return battles as an evaluation; the rows of a model are the battles that it took part in."""
    models = {}
    for code, model in enumerate(source.models):
        rows = np.flatnonzero((battles.first == code) | (battles.second == code))
        zeros = np.zeros(len(rows), dtype=np.int64)
        outcome = battles.outcome[rows]
        won = np.where(battles.first[rows] == code, outcome, 1 - outcome)
        models[model.name] = ModelOutcome(rows, zeros, zeros, zeros, won)
    return _evaluation_of_given(
        source,
        models,
        classes=(),
        grouped=source.group_codes is not None,
        folds=(FoldSize(0, 0, n_test=source.n),),
        group_codes=source.group_codes,
        battles=battles,
    )


def _answers(source: GivenOutcomes, model: str) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return truth and labels; of judged outcomes whether they are right, or their values.

    Of ratings they are those of two judges, the truth the second; of more judges there are none.
    """
    if isinstance(source.spec, PredictionsSpec) and source.spec.judged == "judges":
        codes = source.predictions[model]
        labels = codes if codes.shape[1] == 2 else np.full((len(codes), 2), -1)
        return labels[:, 1], labels[:, 0]
    if source.correct is not None:
        return np.ones(source.n, dtype=np.int64), source.correct[model].astype(np.int64)
    if source.values is not None:
        return np.zeros(source.n, dtype=np.int64), source.values[model]
    assert source.truth is not None, "outcomes that are not judged have a truth"
    if source.events is not None:
        return np.column_stack([source.truth, source.events]), source.predictions[model]
    return source.truth, source.predictions[model]


def _once(values: "NDArray[Any]", first: "NDArray[np.int64] | None") -> "NDArray[Any]":
    """Keep the value of the first row of each example, where examples have several."""
    return values if first is None else values[first]


def _fold_sizes(
    source: GivenOutcomes, repeat: "NDArray[np.int64]", fold: "NDArray[np.int64]"
) -> tuple[FoldSize, ...]:
    parts = partition(source.n, fold, repeat)
    counts = np.bincount(parts.fold, minlength=len(parts.pairs))
    labels = source.fold_labels if source.fold_labels is not None else source.repeat_labels
    by_fold = source.fold_labels is not None
    return tuple(
        FoldSize(r, f, labels[f if by_fold else r] if labels else None, None, int(n))
        for (r, f), n in zip(parts.pairs, counts, strict=True)
    )


# --- tables of scores ----------------------------------------------------------------------


def evaluation_of_scores(table: ScoreTable, row: int) -> Evaluation:
    """Return one data set of a table of scores as an evaluation; a row is a fold's score.

    A model without scores on the data set is not part of it.
    """
    folds = _folds_of(table)
    values = table.values[row].reshape(len(table.models), -1)
    present = [i for i in range(len(table.models)) if not table.missing[row, i]]
    name, label = names_of(table, row)
    return Evaluation(
        source=name,
        label=label,
        unit="scores",
        protocol=None,
        n=len(folds),
        task="regression",
        classes=(),
        positive=None,
        yields=yields_of_scores(table),
        grouped=False,
        folds=folds,
        models={table.models[i].name: _scores(values[i], folds) for i in present},
        own=own_metric(table.spec),
        test_train_ratio=table.test_train_ratio,
    )


def names_of(table: ScoreTable, row: int) -> tuple[str, str]:
    """Return name and label of one data set of a table."""
    one = table.spec.dataset is None
    return table.names[row], table.spec.label if one else table.datasets[row]


def _folds_of(table: ScoreTable) -> tuple[FoldSize, ...]:
    if table.seed_labels is not None:
        seeds = enumerate(table.seed_labels)
        return tuple(FoldSize(place, 0, label) for place, label in seeds)
    j = 1 if table.values.ndim == 2 else table.values.shape[2]
    folds = np.zeros(j, dtype=np.int64) if table.folds is None else table.folds
    repeats = np.zeros(j, dtype=np.int64) if table.repeats is None else table.repeats
    return tuple(
        FoldSize(int(r), int(f), table.fold_labels[int(f)] if table.fold_labels else None)
        for r, f in zip(repeats, folds, strict=True)
    )


def _scores(values: "NDArray[np.float64]", folds: Sequence[FoldSize]) -> ModelOutcome:
    return ModelOutcome(
        rows=np.arange(len(values)),
        repeat=np.array([fold.repeat for fold in folds], dtype=np.int64),
        fold=np.array([fold.fold for fold in folds], dtype=np.int64),
        truth=np.zeros(len(values), dtype=np.int64),
        labels=values,
    )
