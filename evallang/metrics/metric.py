"""What a metric is: a function of counts, of losses per example or of scores, and its nature.

Three families of functions, told apart by `MetricDeclaration.form`:

- `counts`: `f(counts, positive, *, options)`; `counts[..., i, j]` counts examples of true
  class i predicted as j, leading axes are replicates; gives an array over them. Those that
  declare `of_margins` take the `Margins` of such counts too.
- `losses`: `f(truth, output, positive, *, options)` gives one loss per example (n,).
- `scores`: `f(truth, output, positive, weights=None, *, options)` gives one number.

`truth` holds class codes or floats (n,), `output` what `needs` says: labels (codes),
scores (n,) of the positive class or (n, K), probabilities (n,) or (n, K), predicted
values (n,), the bounds of prediction intervals (n, 2), the numerators and denominators of a
ratio of sums (n, 2), risks (n,), rankings: for each query an array of relevance and score of its
rows (rows, 2), repeats: how many answers to each example are right, and how many there are
(n, 2), ratings by judges (n, J), NaN where one is missing, or verdicts: the labels of a judge, with
a truth of -1 where humans gave no label. With risks, `truth` (n, 2) is the time, and whether it is
that of an event (1) or of censoring (0); with rankings, repeats and ratings it is not used.
Undefined is NaN inside this room (there is no other way in an array) and None with a note outside.

A predicted label that is none of the classes has the code -1 and is wrong: `confusion`
counts it in a last column of its own, so its matrices have k rows and k + 1 columns. The
functions take k columns as well, where every prediction is one of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import force_setattr
from numpy.typing import ArrayLike, NDArray

from evallang.registry import Entry, Guidance, Registry
from evallang.stats.score_counts import ScoreCounts
from evallang.stats.validity import Tail

COUNTED_AT_ONCE = 1 << 18  # examples whose cells take memory at the same time

Direction = Literal["higher", "lower"]
SCIKIT_LEARN = "scikit-learn 1.9, docstring of {}"
Better = Literal["higher", "lower", "nearest", "neither"]
Form = Literal["counts", "losses", "scores"]
Needs = Literal[
    "labels",
    "scores",
    "probabilities",
    "values",
    "ranges",
    "sums",
    "risks",
    "rankings",
    "repeats",
    "ratings",
    "verdicts",
    "games",
]
OF_CLASSES = ("labels", "scores", "probabilities", "repeats", "ratings", "verdicts")
Orders = Literal["event", "query", "judges", "battles"]
ORDERS: Mapping[str, Orders] = {
    "risks": "event",
    "rankings": "query",
    "ratings": "judges",
    "verdicts": "judges",
    "games": "battles",
}
"""The clause of `predictions`, or the statement, without which what a metric needs is not there."""


class MetricDeclaration(Guidance, frozen=True):
    """The nature of a metric.

    Attributes
    ----------
    needs : what a model must give
    better : which direction is better; `nearest` to `ideal`, or `neither` where it only describes
    ideal : the best value of a metric that is best `nearest` to it
    title_with_options : the title where options are written, with their names in braces
    abbreviation : what the heads of tables print ("AUC"); a note has the title
    low, high : its range, None where unbounded
    proportion : whose successes it counts, so that an interval for proportions applies:
        `all` examples, the `positives`, the `negatives`, the `predicted_positives` or
        `predicted_negatives`; `hits` where each example has the loss 0 or 1
    complement : True where it is 1 minus that proportion (error_rate)
    transform : `sqrt` for a root of a mean loss
    unit : `percent` (printed in points), `number`, or `target` (the target's unit)
    binary_only : True where it has no meaning for more than two classes
    several_only : True where it has no meaning for two classes
    of_union : where it is 1 if all, and 0 if none, of the examples that are or are predicted
        positive are both: whether their share `decides` it, or only `bounds` it
    shares : from an outcome to the shares whose weighted sum it is, for a metric that is one
    shares_under : the values of `average` under which it is; empty for all
    tail : the share of the examples that can carry it, from its options, where few can
    squares : True where errors enter squared, so that a few extremes decide
    of_examples : what each example has, as a plural ("absolute errors"), for a mean of losses
    ranks : `area` where it is the area under the ROC curve, `other` where it too depends on the
        order of the scores alone, None where their sizes count
    of_positive : True where it is about the positive class, although it has no `average`
    mean_over_rows : True where it is computed from counts, and still is a mean over examples
    accuracy_as : the values of `average` with which it is the accuracy, each row having one label
    default : True for the measure of a study of this task without a `measure`
    proposed : True for the metric proposed in place of one for the other task
    under_weights : from an outcome and the metric's options to its value as a function of case
        weights (B, n), NaN where undefined; to None for options without that form. What does not
        depend on the weights is computed once
    moments : from an outcome to its value as a function of sums over the examples, for a metric
        of scores that is one
    by_score : from the numbers of positives and of negatives with each distinct score, ascending,
        to its value for two classes, for a metric of their order that is computed from them
    rounds_by : the option that says how many scores may be distinct before they are rounded, or
        empty
    sides : from an outcome and the metric's options to the scores and which are of positives, for
        each area under a ROC curve of which it is the mean
    influences : from an outcome without weights to the derivative of the value by the weight of
        each example (n,), for a metric of scores that has it in closed form
    influences_by_score : from the same numbers as `by_score` to these derivatives for a positive
        and for a negative with each distinct score, for a metric that has them
    resampled : True where its default interval is the bootstrap although influences are known
    of_margins : True where the function takes sums of the counts by class (`Margins`) as well
    matrix_of_classes : True where an option is a matrix with the true classes in its rows
    symmetric : True where truth and labels may change places, as two judges without a truth may
    needs_numbers : from its options to whether ratings must be numbers, where they may
    no_interval : why no interval from its examples is sound, or empty
    under_option : by the name of an option, the unlisted metric that is computed where that
        option is written, because it needs something else of a model
    caution : what every estimate of it states, or empty
    remark : what an estimate from these examples states, or None
    chance : the value of outputs without information, for a metric that tells the order or the
        labels that run the other way by a worse value
    known_without_skill : True where the value of a model that looks at no feature is known
        beforehand, whatever the shares of the classes or the spread of the target
    form : how it is computed, see the module; if not stated, from counts where labels are needed,
        and else as a mean of losses where `of_examples` names them
    """

    needs: Needs
    better: Better
    low: float | None = None
    high: float | None = None
    proportion: (
        Literal[
            "all", "hits", "positives", "negatives", "predicted_positives", "predicted_negatives"
        ]
        | None
    ) = None
    complement: bool = False
    transform: Literal["sqrt"] | None = None
    unit: Literal["percent", "number", "target"] = "number"
    binary_only: bool = False
    several_only: bool = False
    of_union: Literal["", "bounds", "decides"] = ""
    squares: bool = False
    known_without_skill: bool = False
    chance: float | None = None
    of_examples: str = ""
    no_interval: str = ""
    ranks: Literal["area", "other"] | None = None
    of_positive: bool = False
    mean_over_rows: bool = False
    accuracy_as: tuple[str, ...] = ()
    under_option: Mapping[str, str] = field(default_factory=dict)
    caution: str = ""
    remark: Callable[[Outcome], str | None] | None = None
    ideal: float | None = None
    of_margins: bool = False
    matrix_of_classes: bool = False
    title_with_options: str = ""
    abbreviation: str = ""
    default: bool = False
    proposed: bool = False
    under_weights: UnderWeights | None = None
    moments: Callable[[Outcome], Moments] | None = None
    shares: Callable[[Outcome, Mapping[str, Any]], SummedShares] | None = None
    shares_under: tuple[str, ...] = ()
    tail: Callable[[Mapping[str, Any]], Tail] | None = None
    influences: Callable[[Outcome], NDArray[np.float64]] | None = None
    influences_by_score: (
        Callable[
            [NDArray[np.float64], NDArray[np.float64]],
            tuple[NDArray[np.float64], NDArray[np.float64]],
        ]
        | None
    ) = None
    resampled: bool = False
    symmetric: bool = False
    needs_numbers: Callable[[Mapping[str, Any]], bool] | None = None
    rounds_by: str = ""
    sides: (
        Callable[
            [Outcome, Mapping[str, Any]],
            Iterator[tuple[NDArray[np.float64], NDArray[np.bool_]]],
        ]
        | None
    ) = None
    by_score: Callable[[NDArray[np.float64], NDArray[np.float64]], float] | None = None
    form: Form | None = None

    def __post_init__(self) -> None:
        """Derive the form where none is stated."""
        if self.form is None:
            others: Form = "losses" if self.of_examples else "scores"
            force_setattr(self, "form", "counts" if self.needs == "labels" else others)

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What it measures: the output of a classifier, or numbers."""
        return "classification" if self.needs in OF_CLASSES else "regression"

    @property
    def direction(self) -> Direction:
        """Which direction is better; raises `ValueError` for one without a direction."""
        if self.better == "higher" or self.better == "lower":
            return self.better
        raise ValueError("neither more nor less of the metric is better")

    @property
    def directed(self) -> bool:
        """Whether one direction is better, so that models can be compared by it."""
        return self.better in ("higher", "lower")

    @property
    def group(self) -> str:
        """The heading under which a list shows it."""
        if self.needs == "risks":
            return "survival times, from risks"
        if self.needs == "rankings":
            return "rankings, by query"
        if self.orders == "judges":
            return "ratings, by judges"
        if self.needs == "games":
            return "pairwise judgements"
        return "regression" if self.task == "regression" else f"{self.task}, from {self.needs}"

    @property
    def orders(self) -> Orders | None:
        """The clause of `predictions`, or the statement, without which it cannot be computed."""
        return ORDERS.get(self.needs)

    @property
    def counts_known_rows(self) -> bool:
        """Whether the truth alone says which examples a proportion is about."""
        return self.proportion in ("all", "positives", "negatives")

    @property
    def of_all_examples(self) -> bool:
        """Whether it is a share of all examples."""
        return self.proportion in ("all", "hits")

    @property
    def counts_right(self) -> bool:
        """Whether it is the share of all examples that are predicted right."""
        return self.proportion == "all" and not self.complement

    @property
    def by_class(self) -> bool:
        """Whether it needs members of each class: not so where every row counts alike."""
        return (
            self.task == "classification"
            and self.form != "losses"
            and self.proportion != "all"
            and not self.mean_over_rows
            and self.needs != "ratings"
        )

    @property
    def squared_unit(self) -> bool:
        """Whether it is in the squared unit of the target."""
        return (
            self.task == "regression"
            and self.form == "losses"
            and (self.squares and self.transform is None)
        )


Statistic = Callable[["NDArray[Any]"], "NDArray[np.float64]"]
"""A value for each row of weights: from (B, n) to (B,)."""


class Moments(Struct, frozen=True):
    """A metric as a function of weighted sums of some numbers of each example.

    Attributes
    ----------
    columns : numbers of each example (columns, n)
    function : from their weighted sums (columns, B) to values (B,), NaN where undefined
    """

    columns: NDArray[np.float64]
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]]


class SummedShares(Struct, frozen=True):
    """A metric as a weighted sum of shares of the examples.

    Attributes
    ----------
    coefficients : of each share (s,)
    sets : the set of examples that are its trials, as a code (s,)
    set_of : the set of each example (n,)
    share_of : the share whose success an example is (n,), -1 for none
    """

    coefficients: NDArray[np.float64]
    sets: NDArray[np.int64]
    set_of: NDArray[np.int64]
    share_of: NDArray[np.int64]


UnderWeights = Callable[["Outcome", Mapping[str, Any]], "Statistic | None"]
"""What prepares a metric of scores for many weightings of the same outcome."""

METRICS: Registry[MetricDeclaration] = Registry("metric", "evallang.metrics")
"""All metrics, by canonical name."""

MetricEntry = Entry[MetricDeclaration]


def is_mean_metric(declared: MetricDeclaration) -> bool:
    """Return whether a metric is a mean over examples, and not a root of one."""
    return declared.transform is None and (
        declared.form == "losses" or declared.proportion == "all"
    )


def default_metric(
    task: Literal["classification", "regression"],
    orders: Orders | None = None,
) -> str:
    """Return the measure of a study of a task without a stated measure.

    `orders` is the clause that makes predictions an order of rows.
    """
    usual = ((m.name, m.declaration) for m in METRICS if m.declaration.default)
    return next(name for name, d in usual if d.orders == orders and (orders or d.task == task))


def proposed_metric(task: Literal["classification", "regression"]) -> str:
    """Return the metric that is proposed in place of one for the other task."""
    return next(m.name for m in METRICS if m.declaration.proposed and m.declaration.task == task)


def share_metric(*, right: bool) -> str:
    """Return the metric that is the share of examples predicted right, or wrong."""
    shares = (m for m in METRICS if m.declaration.proportion == "all")
    return next(m.name for m in shares if m.declaration.counts_right == right)


def rows_of_proportion(
    declared: MetricDeclaration, truth: NDArray[Any], positive: int | str | None
) -> NDArray[np.bool_]:
    """Mark the examples that a proportion is about as far as the truth says: (n,)."""
    if declared.proportion == "positives":
        return np.asarray(truth == positive)
    if declared.proportion == "negatives":
        return np.asarray(truth != positive)
    return np.ones(len(truth), dtype=bool)


class _NotKept:
    """What stands for an array of rows that were counted: nothing that reads it counts rows."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise AssertionError("the rows were counted, and are not kept")

    __array__ = __len__ = __iter__ = __getitem__ = __eq__ = __ne__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __sub__ = __mul__ = __neg__ = __invert__ = _refuse
    __and__ = __or__ = __bool__ = _refuse
    __hash__ = None  # type: ignore[assignment]  # as of an array

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the rows were counted, and are not kept: {name}")


NOT_KEPT: Any = _NotKept()


class CountedLabels(Struct, frozen=True):
    """The distinct pairs of truth and label (P,), as codes, and how often each occurs."""

    truth: NDArray[Any]
    labels: NDArray[Any]
    times: NDArray[np.int64]


class Outcome(Struct, frozen=True):
    """What one model gave on some examples, with the truth.

    `truth`, `output` and `weights` have one row per example; `k` is the number of classes
    (0 for regression), `positive` the code of the positive class. Of examples that were counted,
    `counted` is all that is known, or of scores `ranked`.
    """

    truth: NDArray[Any]
    output: NDArray[Any]
    k: int = 0
    positive: int | None = None
    weights: NDArray[np.float64] | None = None
    counted: CountedLabels | None = None
    ranked: ScoreCounts | None = None

    @property
    def n(self) -> int:
        """The number of examples."""
        if self.ranked is not None:
            return sum(self.ranked.members)
        return len(self.truth) if self.counted is None else int(self.counted.times.sum())

    def confusions(self, part: NDArray[np.int64], parts: int) -> NDArray[Any]:
        """Count each part's examples apart, as `confusions` does."""
        if self.counted is None:
            return confusions(self.truth, self.output, self.k, part, parts, self.weights)
        found = self.counted
        times = found.times.astype(np.float64)  # sums of float64, exact below 2^53
        counts = confusions(found.truth, found.labels, self.k, part, parts, times)
        return counts.astype(np.int64)

    def take(self, rows: NDArray[Any]) -> Outcome:
        """Keep the examples at these positions (or of this mask)."""
        weights = None if self.weights is None else self.weights[rows]
        return Outcome(self.truth[rows], self.output[rows], self.k, self.positive, weights)


def evaluate(
    entry: MetricEntry,
    options: Mapping[str, Any],
    truth: NDArray[Any],
    output: NDArray[Any],
    positive: int | None = None,
    k: int = 0,
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Compute a metric of any form on examples taken as one sample; NaN where undefined.

    `truth` (n,) and `output` as the module says; `weights` (n,) are case weights. Raises
    `ValueError` where an option does not fit the number of classes.
    """
    if not len(truth):
        return float("nan")
    form = entry.declaration.form
    if form == "counts":
        return float(entry.function(confusion(truth, output, k, weights), positive, **options))
    if form == "losses":
        losses = entry.function(truth, output, positive, **options)
        mean = weighted_mean(losses, weights)
        return mean**0.5 if entry.declaration.transform == "sqrt" else mean
    return float(entry.function(truth, output, positive, weights, **options))


def value_under(
    prepare: UnderWeights,
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None = None,
    weights: ArrayLike | None = None,
    **options: object,
) -> float:
    """Compute a metric of scores by what prepares it for many weightings of the examples."""
    outcome = Outcome(np.asarray(truth), np.asarray(output), 0, positive)
    given = np.ones(outcome.n) if weights is None else np.asarray(weights, dtype=np.float64)
    statistic = prepare(outcome, options)
    assert statistic is not None, "it has that form for all options"
    return float(statistic(given[None])[0])


def fold_value(entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome) -> float:
    """Compute a metric on the test rows of one fold; NaN where undefined."""
    if outcome.ranked is not None:
        assert entry.declaration.by_score is not None, "a metric of counted scores"
        sides = (outcome.ranked.positives, outcome.ranked.negatives)
        return entry.declaration.by_score(*(side.astype(np.float64) for side in sides))
    return evaluate(
        entry,
        options,
        outcome.truth,
        outcome.output,
        outcome.positive,
        outcome.k,
        outcome.weights,
    )


def weighted_mean(losses: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """Average losses; NaN without any, or where all weights are zero."""
    if not len(losses) or (weights is not None and not weights.any()):
        return float("nan")
    return float(np.average(losses, weights=weights))


def confusion(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    k: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Count examples by true and predicted class: (k, k + 1), true classes in the rows.

    The last column holds predictions that are none of the classes (code -1). Counts are
    integers, or sums of weights where those are given.
    """
    one_part = np.broadcast_to(np.zeros(1, dtype=np.int64), len(truth))
    matrix: NDArray[Any] = confusions(truth, predicted, k, one_part, 1, weights)[0]
    return matrix


def confusions(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    k: int,
    part: NDArray[np.int64],
    parts: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Count each part's examples apart: (parts, k, k + 1); `part` (n,) says whose each is."""
    size = parts * k * (k + 1)
    # Sums of weights depend on their order, counts do not
    at_once = COUNTED_AT_ONCE if weights is None else max(len(truth), 1)
    counts = np.zeros(size, dtype=np.int64 if weights is None else np.float64)
    for start in range(0, len(truth), at_once):
        rows = slice(start, start + at_once)
        cell = cells(truth[rows], predicted[rows], k)
        if parts > 1:
            cell += np.asarray(part[rows]) * (k * (k + 1))
        counts += np.bincount(cell, weights, minlength=size)
    return counts.reshape(parts, k, k + 1)


def cells(truth: NDArray[Any], predicted: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Return the cell of each example in the matrix of `confusion`, row by row (n,)."""
    column = np.asarray(predicted)
    cell = np.asarray(truth).astype(np.int64)
    cell *= k + 1
    cell += column.astype(np.int64, copy=False)
    if len(column) and column.min() < 0:
        cell[column < 0] += k - column[column < 0].astype(np.int64)
    return cell


def successes(
    entry: MetricEntry,
    options: Mapping[str, Any],
    counts: NDArray[Any],
    positive: int | None,
) -> tuple[float, float] | None:
    """Return (successes, trials) of a metric that is a proportion, or None where it is not one.

    `counts` is one matrix of `confusion`. For a complement (error_rate) the successes are
    those of the proportion it is 1 minus of. Recall and similar metrics are proportions for two
    classes only, and not when averaged.
    """
    kind = entry.declaration.proportion
    matrix = np.asarray(counts)
    k = matrix.shape[0]
    if kind == "all":
        return float(np.trace(matrix[:, :k])), float(matrix.sum())
    if kind is None or not is_binary(options, k) or positive is None:
        return None
    chosen = positive if kind in ("positives", "predicted_positives") else 1 - positive
    trials = matrix[chosen] if kind in ("positives", "negatives") else matrix[:, chosen]
    return float(matrix[chosen, chosen]), float(trials.sum())


def is_binary(options: Mapping[str, Any], k: int) -> bool:
    """Return whether a metric with option `average` is about the positive class alone."""
    return k == 2 and options.get("average") in (None, "binary")


def weighs_by_size(entry: MetricEntry, options: Mapping[str, Any]) -> bool:
    """Return whether a metric weighs each class by its size, so that the common class carries it.

    So does a proportion of all examples, and an average of classes that is `micro` or `weighted`.
    """
    declared = entry.declaration
    return declared.proportion == "all" or options.get("average") in ("micro", "weighted")


def canonical(name: str, options: Mapping[str, Any]) -> str:
    """Return a metric's name with the options that were written: `f1(average=macro)`."""
    if not options:
        return name
    return f"{name}({', '.join(f'{key}={_written(value)}' for key, value in options.items())})"


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    return str(value)
