"""Several data sets as one evaluation: the value of each example, and its data set."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evallang.compatibility import yields_of_average
from evallang.engine.evaluation import Averaged, Evaluation, ModelOutcome, means_of_examples
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.protocols.protocol import subject_of_yields
from evallang.study import Average, Method


@computes(nodes.AVERAGED)
def averaged_evidence(
    evaluations: Sequence[Evaluation], metric: Method, over: Average
) -> Evaluation:
    """Join the examples of several data sets, each with what a metric gives it.

    With repeats or seeds that is the mean over them. A model that has no example of a data set has
    no average.
    """
    read = [means_of_examples(evaluation, metric) for evaluation in evaluations]
    models = tuple(dict.fromkeys(model for one in read for model in one.models))
    first = read[0]
    sizes = [one.n for one in read]
    starts = np.cumsum([0, *sizes[:-1]])
    without: dict[str, str] = {}
    outcomes = {}
    for model in models:
        found = [one.models.get(model) for one in read]
        named = zip(read, found, strict=True)
        lacking = [one.label for one, o in named if o is None or not (len(o.rows) or o.failed)]
        if lacking:
            without[model] = lacking[0]
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
        ),
    )


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
