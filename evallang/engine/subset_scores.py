"""The scores of the fits that analyses ask for: on parts of training parts, or other targets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.engine.evaluation import Evaluation
from evallang.engine.fit_outcome import FitOutcome
from evallang.metrics.aggregation import aggregate_parts, partition
from evallang.metrics.metric import Outcome
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning.plan import FitTask, SubsetPlace
from evallang.planning.shuffles import exchange
from evallang.planning.subsets import options_of
from evallang.stats.analyses.bias_variance import Rounds
from evallang.stats.analyses.learning_curve import Learning, SizeScores
from evallang.stats.analyses.target_permutation import Shuffled
from evallang.study import AnalysisSpec, Method


class FurtherFits(Struct, frozen=True):
    """The fits that an analysis asks for on one table: where they are used, what came of them."""

    table: Table | None
    places: tuple[SubsetPlace, ...]
    tasks: Mapping[str, FitTask]
    outcomes: Mapping[str, FitOutcome]

    def of(self, model: str) -> list[SubsetPlace]:
        """Return where the fits of one model are used."""
        return [place for place in self.places if place.model == model]


def learning_of(
    evaluation: Evaluation,
    fits: FurtherFits,
    spec: AnalysisSpec,
    model: str,
    metric: Method,
) -> Learning:
    """Measure the fits of a model on parts of its training parts.

    Raises `ValueError` where the author's own metric fails, or the model has no scores that the
    metric needs.
    """
    places = fits.of(model)
    splits = sorted({(p.split.repeat, p.split.fold) for p in places})
    options = options_of(spec)
    shares = None if options["sizes"] is not None else sorted(options["fractions"])
    sizes = []
    for number in sorted({place.size for place in places}):
        of_size = [place for place in places if place.size == number]
        share = None if shares is None else float(shares[number])
        sizes.append(_size(evaluation, fits, of_size, splits, metric, share))
    return Learning(
        metric.written,
        evaluation.entry(metric).declaration.better,
        len(np.unique(np.concatenate([place.split.test for place in places]))),
        len(splits),
        evaluation.yields.neighbours,
        tuple(sizes),
    )


def out_of_bag_of(fits: FurtherFits, model: str) -> Rounds:
    """Join what the rounds of an analysis predict for the rows that they did not draw."""
    places = fits.of(model)
    good = [place for place in places if fits.outcomes[place.key].failure is None]
    table = fits.table
    assert table is not None, "its models are fitted on a table"
    empty = np.zeros(0, dtype=np.int64)
    return Rounds(
        truth=table.y,
        row=np.concatenate([empty, *(fits.tasks[place.key].test for place in good)]),
        label=np.concatenate([empty, *(fits.outcomes[place.key].labels for place in good)]),
        n_classes=len(table.classes) if table.task == "classification" else None,
        weights=table.weights,
        rounds=len(places),
        failed=len(places) - len(good),
    )


def shuffled_of(
    evaluation: Evaluation,
    fits: FurtherFits,
    model: str,
    metric: Method,
    within: tuple[str, ...],
) -> Shuffled:
    """Measure a model on the target as it is, and on each shuffled one.

    A round with a failed fit has no score. Raises `ValueError` where the model has no score on the
    target as it is, or a fit on it failed.
    """
    places = fits.of(model)
    if evaluation.models[model].failed:
        raise ValueError("a fit on the target as it is failed, so no score can be compared")
    try:
        observed = evaluation.aggregates(model, metric)
    except OwnMetricFailed as error:
        raise ValueError(f"{metric.written}: {error.message}") from error
    if not observed or observed[0].value is None:
        raise ValueError(f"`{metric.written}` is undefined for this model")
    rounds: dict[int, list[SubsetPlace]] = {}
    for place in places:
        rounds.setdefault(place.times, []).append(place)
    scores = []
    for own in rounds.values():
        good = all(fits.outcomes[place.key].failure is None for place in own)
        scores.append(_value(evaluation, fits, own, "test", metric)[0] if good else float("nan"))
    table = fits.table
    assert table is not None, "its models are fitted on a table"
    return Shuffled(
        metric.written,
        evaluation.entry(metric).declaration.better,
        table.n,
        observed[0].value,
        np.array(scores),
        exchange(table, within),
        within,
        None if table.group_codes is None else len(np.unique(table.group_codes)),
    )


def _size(
    evaluation: Evaluation,
    fits: FurtherFits,
    places: Sequence[SubsetPlace],
    splits: Sequence[tuple[int, int]],
    metric: Method,
    share: float | None,
) -> SizeScores:
    """Measure the fits on subsets of one size, draw by draw."""
    draws = sorted({place.times for place in places})
    if len({place.key for place in places}) <= len(splits):  # all draws are one and the same
        draws = draws[:1]
    found: dict[str, tuple[list[float], NDArray[np.float64]]] = {
        part: ([], np.full((len(draws), len(splits)), np.nan)) for part in ("train", "test")
    }
    for row, draw in enumerate(draws):
        own = [place for place in places if place.times == draw]
        good = [place for place in own if fits.outcomes[place.key].failure is None]
        for part, (values, by_split) in found.items():
            value, each = _value(evaluation, fits, good, part, metric)
            values.append(value)
            for at, one in each.items():
                by_split[row, splits.index(at)] = one
    return SizeScores(
        share,
        tuple(len(fits.tasks[place.key].refit) for place in places),
        np.array(found["train"][0]),
        np.array(found["test"][0]),
        found["train"][1],
        found["test"][1],
        len({place.key for place in places if fits.outcomes[place.key].failure is not None}),
    )


def _targets(table: Table, task: FitTask) -> "NDArray[Any]":
    """Return the targets that a task was fitted on, and is measured by."""
    found: NDArray[Any] = table.y if task.target_of is None else table.y[task.target_of]
    return found


def _value(
    evaluation: Evaluation,
    fits: FurtherFits,
    places: Sequence[SubsetPlace],
    part: str,
    metric: Method,
) -> tuple[float, Mapping[tuple[int, int], float]]:
    """Return a metric over all splits of one draw and on each of them, NaN where undefined."""
    if not places:
        return float("nan"), {}
    entry, options = evaluation.entry(metric), metric.keywords()
    needs = entry.declaration.needs
    rows: list[NDArray[np.int64]] = []
    output: list[Any] = []
    for place in places:
        outcome, task = fits.outcomes[place.key], fits.tasks[place.key]
        made: Any = outcome if part == "test" else outcome.training
        assert made is not None, "the fits of a learning curve predict their training rows"
        rows.append(task.test if part == "test" else task.refit)
        lacks = made.scores is None or (needs == "probabilities" and not outcome.probabilities)
        if needs in ("scores", "probabilities") and lacks:
            raise ValueError(f"the model gives no {needs}")
        output.append(made.scores if needs in ("scores", "probabilities") else made.labels)
    sizes, table = [len(r) for r in rows], fits.table
    assert table is not None, "its models are fitted on a table"
    every = np.concatenate(rows)
    repeat = np.repeat([place.split.repeat for place in places], sizes)
    fold = np.repeat([place.split.fold for place in places], sizes)
    weights = None if table.weights is None else table.weights[every]
    truth = np.concatenate([_targets(table, fits.tasks[p.key])[r]
                            for p, r in zip(places, rows, strict=True)])  # fmt: skip
    k = len(evaluation.classes)
    made_of = Outcome(truth, np.concatenate(output), k, evaluation.positive, weights)
    try:
        found = aggregate_parts(entry, options, made_of, partition(len(every), fold, repeat))
    except OwnMetricFailed as error:
        raise ValueError(f"{metric.written}: {error.message}") from error
    nan = float("nan")
    each = {
        at: nan if value is None else value
        for at, value in zip(found.folds, found.fold_values, strict=True)
    }
    return nan if found.value is None else found.value, each
