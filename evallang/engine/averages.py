"""Several data sets as one evaluation: the value of each example, and its data set."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evallang.compatibility import is_mean_of_rows, metric_entry, yields_of_average
from evallang.engine.evaluation import (
    Averaged,
    Evaluation,
    ModelOutcome,
    as_read_by,
    means_of_examples,
)
from evallang.engine.metric_samples import pseudo_values
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.protocols.protocol import subject_of_yields
from evallang.study import Average, Method


@computes(nodes.AVERAGED)
def averaged_evidence(
    evaluations: Sequence[Evaluation], metric: Method, over: Average, among: Sequence[str] = ()
) -> Evaluation:
    """Join the examples of several data sets, each with what a metric gives it.

    With repeats or seeds that is the mean over them, and of a metric that is not a mean its
    pseudo-value; that is of the examples that the models `among` share, where these are stated. A
    model that has no example of a data set, or no value there, has no average.
    """
    entry = metric_entry(metric)
    is_mean = is_mean_of_rows(entry)
    read = [
        means_of_examples(one, metric) if is_mean else values_of_examples(one, metric, among)
        for one in evaluations
    ]
    models = tuple(dict.fromkeys(model for one in read for model in one.models))
    first = read[0]
    sizes = [one.n for one in read]
    starts = np.cumsum([0, *sizes[:-1]])
    without: dict[str, str] = {}
    outcomes = {}
    for model in models:
        found = [one.models.get(model) for one in read]
        named = zip(read, found, strict=True)
        reasons = (_lacking(one, o, model, metric) for one, o in named)
        if (lacking := next(filter(None, reasons), None)) is not None:
            without[model] = lacking
            found = [None]
        outcomes[model] = _joined([one for one in found if one is not None], starts)
    codes = None
    if any(one.group_codes is not None for one in read):
        codes = np.concatenate(_apart(read))
    units = {one.unit for one in read}
    return Evaluation(
        source="",
        label="",
        unit=units.pop() if len(units) == 1 else "examples",
        protocol=first.protocol,
        n=sum(sizes),
        task=first.task,
        classes=(),
        positive=None,
        yields=yields_of_average(first.yields),
        grouped=any(one.grouped for one in read),
        folds=tuple(fold for one in read for fold in one.folds),
        models=outcomes,
        own=first.own,
        gaps=any(one.gaps for one in read),
        means=True,
        group_codes=codes,
        kind=first.kind,
        options=first.options,
        average=Averaged(
            over,
            subject_of_yields(first.yields, first.grouped),
            sum(len(one.folds) * len(one.by_seed) for one in evaluations),
            np.repeat(np.arange(len(read)), sizes),
            tuple(one.label for one in read),
            without,
            None if is_mean else partial(averaged_evidence, evaluations, metric, over),
            sum(map(_rarest, evaluations)) if not is_mean and entry.declaration.by_class else None,
        ),
    )


def _rarest(evaluation: Evaluation) -> int:
    """Count the examples of the rarest class of a data set."""
    found = next(iter(evaluation.models.values()))
    truth = found.truth[np.unique(found.rows, return_index=True)[1]]
    return int(np.unique(truth[truth >= 0], return_counts=True)[1].min(initial=evaluation.n))


def values_of_examples(
    evaluation: Evaluation, metric: Method, among: Sequence[str] = ()
) -> Evaluation:
    """Return what each example, with all its repeats and seeds, adds to a metric of its data set.

    The examples are those that the models `among` share, where these are stated.
    """
    read = as_read_by(evaluation, metric)
    if shared := [model for model in among if model in read.models]:
        read = read.on_common_rows(shared)
    models = {}
    for model, found in read.models.items():
        rows = np.unique(found.rows)
        values = None
        if not found.failed and len(rows) and read.outcome(model, metric) is not None:
            values = pseudo_values(read, model, metric)
        zeros = np.zeros(len(rows), dtype=np.int64)
        labels = zeros if values is None else values
        models[model] = ModelOutcome(
            rows, zeros, zeros, zeros, labels, values, probabilities=True, failed=found.failed
        )
    return evaluation.altered(
        models=models, further_seeds=(), classes=(), positive=None, judged=False, means=True
    )


def _lacking(
    evaluation: Evaluation, found: ModelOutcome | None, model: str, metric: Method
) -> str | None:
    """Return why a model has no average because of one of the data sets, None where it has one."""
    if found is None or not (len(found.rows) or found.failed):
        return f"{model} has no {evaluation.unit} of {evaluation.label}"
    if found.scores is not None and np.isnan(found.labels).any():
        where = f"on {evaluation.label}, or without one of its {evaluation.unit}"
        return f"{metric.written} of {model} is undefined {where}"
    return None


def _joined(found: Sequence[ModelOutcome], starts: "NDArray[np.int64]") -> ModelOutcome:
    """Return the outcomes of one model on all data sets, none where it lacks one of them."""
    empty = np.zeros(0, dtype=np.int64)
    failed = tuple(at for one in found for at in one.failed)
    if not found or failed:
        return ModelOutcome(empty, empty, empty, empty, empty, failed=failed)
    rows = np.concatenate([one.rows + start for one, start in zip(found, starts, strict=True)])
    zeros = np.zeros(len(rows), dtype=np.int64)
    if any(one.scores is None for one in found):
        return ModelOutcome(rows, zeros, zeros, zeros, zeros)
    values = np.concatenate([one.labels for one in found])
    return ModelOutcome(rows, zeros, zeros, zeros, values, values, probabilities=True)


def _apart(read: Sequence[Evaluation]) -> list["NDArray[np.int64]"]:
    """Return the groups of the rows of each data set, with codes of their own."""
    made, before = [], 0
    for one in read:
        own = np.arange(one.n) if one.group_codes is None else one.group_codes
        made.append(own + before)
        before += int(own.max(initial=-1)) + 1
    return made
