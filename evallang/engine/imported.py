"""Outcomes that were made elsewhere, as the evaluations that tests and measures read."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evallang.compatibility import own_metric, yields_of
from evallang.data.dataset import GivenOutcomes, PredictionsSpec, ScoreTable
from evallang.engine.evaluation import Evaluation, FoldSize, ModelOutcome
from evallang.planning.defaults import yields_of_scores
from evallang.planning.seeds import canonical_json
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


def of_outcomes(source: GivenOutcomes) -> Evaluation:
    """Return predictions, judged outcomes or counts as an evaluation; a row is an example.

    With repeats the rows of the evaluation are the examples, each of which has several
    predictions.
    """
    if source.samples is not None:
        return _of_samples(source, source.samples)
    n = source.n
    zeros = np.zeros(n, dtype=np.int64)
    fold = zeros if source.folds is None else source.folds
    repeat = zeros if source.repeats is None else source.repeats
    judged = source.correct is not None
    rows, first = np.arange(n), None
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
        )
    return Evaluation(
        source=source.spec.name,
        label=source.spec.label,
        unit=source.spec.unit,
        protocol=None,
        sha256=source.sha256,
        task=source.task,
        classes=("wrong", "right") if judged else source.classes,
        positive=None if judged else source.positive,
        yields=yields_of(source.spec, None),
        grouped=isinstance(source.spec, PredictionsSpec) and source.groups is not None,
        folds=_fold_sizes(source, repeat, fold),
        models=models,
        judged=judged,
        own=own_metric(source.spec),
        subgroups={
            name: _once(np.array(values, dtype=object), first)
            for name, values in source.subgroups.items()
        },
        group_codes=None if source.group_codes is None else _once(source.group_codes, first),
        weights=None if source.weights is None else _once(source.weights, first),
        class_values=source.class_values,
    )


def _of_samples(source: GivenOutcomes, samples: Mapping[str, int]) -> Evaluation:
    """Return shares as an evaluation: no row of a model is one of another's."""
    assert source.correct is not None, "shares are right or wrong"
    models: dict[str, ModelOutcome] = {}
    before = 0
    for model, n in samples.items():
        zeros = np.zeros(n, dtype=np.int64)
        models[model] = ModelOutcome(
            rows=np.arange(before, before + n),
            repeat=zeros,
            fold=zeros,
            truth=np.ones(n, dtype=np.int64),
            labels=source.correct[model].astype(np.int64),
            scores=None,
            probabilities=False,
        )
        before += n
    return Evaluation(
        source=source.spec.name,
        label=source.spec.label,
        unit=source.spec.unit,
        protocol=None,
        sha256=source.sha256,
        task=source.task,
        classes=("wrong", "right"),
        positive=None,
        yields=yields_of(source.spec, None),
        grouped=False,
        folds=(FoldSize(0, 0, None, None, None),),
        models=models,
        judged=True,
    )


def _answers(source: GivenOutcomes, model: str) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return truth and labels; of judged outcomes whether they are right, or their values."""
    if source.correct is not None:
        return np.ones(source.n, dtype=np.int64), source.correct[model].astype(np.int64)
    if source.values is not None:
        return np.zeros(source.n, dtype=np.int64), source.values[model]
    assert source.truth is not None, "outcomes that are not judged have a truth"
    return source.truth, source.predictions[model]


def _once(values: "NDArray[Any]", first: "NDArray[np.int64] | None") -> "NDArray[Any]":
    """Keep the value of the first row of each example, where examples have several."""
    return values if first is None else values[first]


def _fold_sizes(
    source: GivenOutcomes, repeat: "NDArray[np.int64]", fold: "NDArray[np.int64]"
) -> tuple[FoldSize, ...]:
    pairs, counts = np.unique(np.stack([repeat, fold], axis=1), axis=0, return_counts=True)
    labels = source.fold_labels if source.fold_labels is not None else source.repeat_labels
    by_fold = source.fold_labels is not None
    return tuple(
        FoldSize(int(r), int(f), labels[int(f if by_fold else r)] if labels else None, None, int(n))
        for (r, f), n in zip(pairs, counts, strict=True)
    )


# --- tables of scores ----------------------------------------------------------------------


def of_scores(table: ScoreTable) -> Iterator[Evaluation]:
    """Yield each data set of a table of scores as an evaluation; a row is a fold's score.

    A model without scores on a data set has no part in its evaluation.
    """
    spec = table.spec
    folds = _folds_of(table)
    yields = yields_of_scores(table)
    for row, dataset in enumerate(table.datasets):
        values = table.values[row].reshape(len(table.models), -1)
        present = [i for i in range(len(table.models)) if not table.missing[row, i]]
        name, label = names_of(table, row)
        yield Evaluation(
            source=name,
            label=label,
            unit="scores",
            protocol=None,
            sha256=sha256(canonical_json([table.sha256, dataset]).encode()).hexdigest(),
            task="regression",
            classes=(),
            positive=None,
            yields=yields,
            grouped=False,
            folds=folds,
            models={table.models[i].name: _scores(values[i], folds) for i in present},
            own=own_metric(spec),
        )


def names_of(table: ScoreTable, row: int) -> tuple[str, str]:
    """Return name and label of one data set of a table."""
    one = table.spec.dataset is None
    return table.names[row], table.spec.label if one else table.datasets[row]


def _folds_of(table: ScoreTable) -> tuple[FoldSize, ...]:
    j = 1 if table.values.ndim == 2 else table.values.shape[2]
    folds = np.zeros(j, dtype=np.int64) if table.folds is None else table.folds
    repeats = np.zeros(j, dtype=np.int64) if table.repeats is None else table.repeats
    return tuple(
        FoldSize(
            int(r), int(f), table.fold_labels[int(f)] if table.fold_labels else None, None, None
        )
        for r, f in zip(repeats, folds, strict=True)
    )


def _scores(values: "NDArray[np.float64]", folds: Sequence[FoldSize]) -> ModelOutcome:
    return ModelOutcome(
        rows=np.arange(len(values)),
        repeat=np.array([fold.repeat for fold in folds], dtype=np.int64),
        fold=np.array([fold.fold for fold in folds], dtype=np.int64),
        truth=np.zeros(len(values), dtype=np.int64),
        labels=values,
        scores=None,
        probabilities=False,
    )
