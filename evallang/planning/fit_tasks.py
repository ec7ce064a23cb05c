"""One fit of a study: the rows and candidates behind it, from its split and its model."""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.models.model import ModelSpec, rescale_target, search_space
from evallang.planning.candidates import asks, candidates, written_space
from evallang.planning.defaults import inner_folds
from evallang.planning.keys import installed, shuffled_hash, task_key
from evallang.planning.plan import BayesSearch, FitTask
from evallang.planning.seeds import rows_hash, seed, split_seeds
from evallang.planning.stratifying import RowStrata
from evallang.protocols.cross_validation import inner_splits
from evallang.protocols.protocol import PROTOCOLS, CannotSplit, Rows, Split
from evallang.study import Protocol, Study, own_sources


class NoStageError(CannotSplit):
    """A training part is to be searched, and nothing says how it is divided."""


def rows_of(study: Study, table: Table, protocol: Protocol, strata: RowStrata) -> Rows:
    """Return what a protocol may look at of a table: strata, groups, the author's own split."""
    outside, inside = (None if s is None else s.codes for s in (strata.outside, strata.inside))
    return Rows(
        n=table.n,
        strata=outside,
        groups=table.group_codes,
        assignment=table.split,
        further_assignments=table.further_splits,
        moments=None if table.moments is None else table.moments.ranks,
        seed=split_seeds(
            study.seed, protocol.kind, protocol.options, table.n, outside, table.group_codes
        ),
        inner_strata=inside,
    )


def fit_task(
    study: Study,
    table: Table,
    model: ModelSpec,
    refit: "NDArray[np.int64]",
    test: "NDArray[np.int64]",
    inner: "tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]",
    repetition: int = 0,
    target_of: "NDArray[np.int64] | None" = None,
) -> FitTask:
    """Make the task of one model on one split; a model without a search needs no inner folds."""
    pipeline = rescale_target(model.pipeline, table.spec.target_scale)
    tuned = bool(search_space(pipeline))
    stages = inner if tuned else ()
    threshold = dict(table.spec.thresholds).get(model.name)
    tuning, metric_code = None, None
    if tuned and study.tuning is not None:
        tuning = [
            study.tuning.metric.written,
            study.tuning.strategy,
            study.tuning.n,
            study.tuning.select,
        ]
        if study.tuning.metric.code:
            top = study.tuning.metric.name.partition(".")[0]
            metric_code = own_sources(study).get(top, "")
    asked = asks(pipeline, study.tuning)
    if tuning is not None and asked is not None:
        tuning.append(installed("optuna"))
    search = None
    if asked is not None:  # the seed of a training part, of which no name is a part
        parts = [rows_hash(refit), written_space(pipeline), asked]
        parts += [repetition] if repetition else []
        search = BayesSearch(asked, seed(study.seed, "search", *parts))
    key = task_key(
        table.sha256 if target_of is None else shuffled_hash(table.sha256, target_of),
        pipeline,
        study.seed,
        refit,
        test,
        stages,
        tuning,
        own_sources(study),
        repetition,
        metric_code,
        threshold,
    )
    return FitTask(
        key.key,
        table.spec.name,
        pipeline,
        candidates(pipeline, study.tuning, study.seed),
        refit,
        test,
        stages,
        search,
        repetition,
        key.source_known,
        key.facts,
        threshold=threshold,
        target_of=target_of,
    )


def inner_of(
    study: Study, protocol: Protocol, rows: Rows, split: Split
) -> tuple[tuple["NDArray[np.int64]", "NDArray[np.int64]"], ...]:
    """Split one training part for tuning: the same for all models, by the outer design."""
    if not any(search_space(model.pipeline) for model in study.models):
        return ()
    if split.validation is not None:
        return ((split.train, split.validation),)
    declared = PROTOCOLS[protocol.kind].declaration
    if declared.of_assignment is not None and (study.tuning is None or study.tuning.cv is None):
        tuned = study.tuning is not None and study.tuning.span is not None
        raise NoStageError(
            "the split has no validation rows to choose hyper-parameters on",
            f"write {'`cv=5` in the line `tune`' if tuned else '`tune grid cv=5`'}, or mark rows "
            "`validation`",
        )
    folds = inner_folds(study, protocol)
    drawn = seed(study.seed, "inner", rows_hash(split.train), folds)
    return tuple(
        (inner.train, inner.test)
        for inner in inner_splits(
            replace(rows, strata=rows.inner_strata),
            split.train,
            inner=declared.inner,
            options=protocol.options,
            folds=folds,
            seed=drawn,
        )
    )
