"""From the outcomes of fits, or what was read, to the evaluations that everything reads."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.dataset import GivenOutcomes, ScoreTable, Table
from evallang.engine.evaluation import (
    Evaluation,
    FittedFold,
    FoldSize,
    ModelOutcome,
    evaluation_of_outcomes,
    evaluation_of_scores,
)
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.walk import computes
from evallang.metrics.aggregation import Partition, partition
from evallang.planning import nodes
from evallang.planning.defaults import yields_on
from evallang.planning.plan import StoredOutcome
from evallang.protocols.protocol import PROTOCOLS, Split
from evallang.study import Protocol


@computes(nodes.STUDY)
@computes(nodes.SOURCE)
@computes(nodes.SPLITS)
def known(value: Any) -> Any:
    """Return what was read or planned already."""
    return value


class TestRows(Struct, frozen=True):
    """The test rows of several splits one after the other; models share them."""

    rows: Any
    repeat: Any
    fold: Any
    truth: Any
    parts: Partition


@computes(nodes.TEST_ROWS)
def tested_rows(table: Table, splits: Sequence[Split]) -> TestRows:
    """Return the test rows of some splits, one after the other."""
    sizes = [len(split.test) for split in splits]
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(split.test for split in splits)])
    repeat, fold = (
        np.repeat(np.array([getattr(s, name) for s in splits], dtype=np.int64), sizes)
        for name in ("repeat", "fold")
    )
    return TestRows(rows, repeat, fold, table.y[rows], partition(len(rows), fold, repeat))


@computes(nodes.OUTCOME)
def outcome(
    table: Table,
    splits: Sequence[Split],
    tested: TestRows,
    fits: Sequence[FitOutcome],
    seeds: int,
) -> tuple[ModelOutcome, ...]:
    """Join the fits of one model, those of one seed after those of another, each split by split."""
    n = len(splits)
    return tuple(_join(table, splits, tested, fits[i * n : (i + 1) * n]) for i in range(seeds))


def _join(
    table: Table, splits: Sequence[Split], tested: TestRows, fits: Sequence[FitOutcome]
) -> ModelOutcome:
    """Join the predictions of all folds of one model one after the other."""
    both = tuple(zip(splits, fits, strict=True))
    good = [(s, fit) for s, fit in both if fit.failure is None]
    if len(good) < len(both):
        tested = tested_rows(table, [s for s, _ in good])
    scores = [fit.scores for _, fit in good if fit.scores is not None]
    labels = [fit.labels for _, fit in good]
    return ModelOutcome(
        rows=tested.rows,
        repeat=tested.repeat,
        fold=tested.fold,
        truth=tested.truth,
        labels=np.concatenate(labels) if good else np.zeros(0, dtype=np.int64),
        scores=np.concatenate(scores) if scores and len(scores) == len(good) else None,
        probabilities=bool(good) and all(fit.probabilities for _, fit in good),
        failed=tuple((s.repeat, s.fold) for s, fit in both if fit.failure is not None),
        fitted=tuple(FittedFold(s.repeat, s.fold, fit) for s, fit in good),
        parts=tested.parts,
    )


@computes(nodes.STORED_OUTCOME)
def stored_outcome(
    table: Table, splits: Sequence[Split], found: Sequence[StoredOutcome]
) -> tuple[ModelOutcome, ...]:
    """Return the stored predictions of a model, once for each seed."""
    return tuple(_stored(table, splits, one) for one in found)


@computes(nodes.GIVEN_EVIDENCE)
def given_evidence(source: GivenOutcomes) -> Evaluation:
    """Return what was measured elsewhere as an evaluation."""
    return evaluation_of_outcomes(source)


@computes(nodes.SCORE_EVIDENCE)
def score_evidence(table: ScoreTable, row: int) -> Evaluation:
    """Return the scores of one data set as an evaluation."""
    return evaluation_of_scores(table, row)


@computes(nodes.EVIDENCE)
def evidence(
    table: Table,
    splits: Sequence[Split],
    outcomes: Sequence[tuple[ModelOutcome, ...]],
    further: tuple[Evaluation, ...],
    protocol: Protocol,
    models: Sequence[str],
) -> Evaluation:
    """Join the outcomes of all models on a table under a protocol.

    `further` are the evaluations from which intervals of this one's estimates are made.
    """
    sizes = tuple(
        FoldSize(
            s.repeat,
            s.fold,
            s.label,
            len(s.train) + (0 if s.validation is None else len(s.validation)),
            len(s.test),
        )
        for s in splits
    )
    known = map(_where_no_seed_failed, outcomes)
    by_seed = [dict(zip(models, found, strict=True)) for found in zip(*known, strict=True)]
    by_rounds = PROTOCOLS[protocol.kind].declaration.full_sample
    return Evaluation(
        source=table.spec.name,
        label=table.spec.label,
        unit=table.spec.unit,
        protocol=protocol.name,
        n=table.n,
        task=table.task,
        classes=table.classes,
        positive=table.positive,
        yields=yields_on(table, protocol),
        grouped=table.group_codes is not None,
        folds=sizes,
        models=by_seed[0],
        implied=protocol.implied_by is not None,
        subgroups=_columns(table.subgroups),
        group_codes=table.group_codes,
        moments=None if table.moments is None else table.moments.ranks,
        kind=protocol.kind,
        options=protocol.options,
        drawn=_drawn(splits, table.n) if by_rounds else None,
        weights=table.weights,
        class_values=table.class_values if table.task == "classification" else (),
        further_seeds=tuple(by_seed[1:]),
        further_fits=further,
    )


def _where_no_seed_failed(by_seed: Sequence[ModelOutcome]) -> Sequence[ModelOutcome]:
    """Keep the predictions of the folds whose fits succeeded with every seed."""
    failed = {at for one in by_seed for at in one.failed}
    if not failed:
        return by_seed
    made = []
    for one in by_seed:
        at = zip(one.repeat.tolist(), one.fold.tolist(), strict=True)
        kept = np.fromiter((place not in failed for place in at), bool, len(one.rows))
        made.append(replace(one.take(kept), failed=tuple(sorted(failed))))
    return made


def _stored(table: Table, splits: Sequence[Split], found: StoredOutcome) -> ModelOutcome:
    test = tested_rows(table, [s for s in splits if (s.repeat, s.fold) not in found.failed])
    return ModelOutcome(
        rows=test.rows,
        repeat=test.repeat,
        fold=test.fold,
        truth=test.truth,
        labels=found.labels,
        scores=found.scores,
        probabilities=found.probabilities,
        failed=found.failed,
        parts=test.parts,
    )


def _columns(subgroups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return {name: np.array(values, dtype=object) for name, values in subgroups.items()}


def _drawn(splits: Sequence[Split], n: int) -> Any:
    """Count how often each round drew each row (B, n); the full sample is not a round."""
    rounds = [np.bincount(s.train, minlength=n) for s in splits if s.fold >= 0]
    return np.array(rounds, dtype=np.uint16)
