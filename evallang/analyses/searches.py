"""What the search inside each training part chose for one model, and its scores."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.engine.evaluation import FittedFold
from evallang.engine.exporting import plain
from evallang.engine.outcomes import Outcomes
from evallang.engine.tuning import Rule, steps_from_simple
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.model import PipelineSpec, search_space
from evallang.planning.candidates import tried
from evallang.results.settings import Value


class SearchedParameter(Struct, frozen=True):
    """One searched parameter and its candidates in the order written.

    `values` is empty where candidates are drawn from a distribution; `written` is the domain as
    the author wrote it.
    """

    name: str
    values: tuple[Value, ...]
    written: str


class FoldSearch(Struct, frozen=True):
    """The search inside one training part, and the score of the chosen candidate on its test part.

    All scores are by the metric of the search. `inner_score` and `test_score` are None where they
    are undefined; `scores` are those of all `candidates` in the inner folds (folds, candidates),
    NaN where undefined, and `steps` count how far each candidate is from the simplest.
    """

    repeat: int
    fold: int
    chosen: Mapping[str, Value]
    inner_score: float | None
    test_score: float | None
    candidates: tuple[Mapping[str, Value], ...]
    scores: NDArray[np.float64]
    steps: tuple[int, ...]


class Searches(Struct, frozen=True):
    """All searches of one model: one inside each training part of a protocol.

    `better` is the better direction of the metric, and `rule` what chose among the candidates.
    """

    parameters: tuple[SearchedParameter, ...]
    n_candidates: int
    metric: str
    better: Literal["higher", "lower"]
    rule: Rule
    folds: tuple[FoldSearch, ...]


def identity(value: Value) -> str:
    """Return a text that differs for values that differ, as 1, 1.0 and True do."""
    return f"{type(value).__name__} {value!r}"


def searches_of(outcomes: Outcomes) -> Searches:
    """Return the search inside each training part of a model."""
    study, name, evaluation = outcomes.study, outcomes.models[0], outcomes.evaluation
    assert study.tuning is not None, "a search has a metric to choose by"
    model = outcomes.model
    tested: Mapping[tuple[int, int], float | None] = {}
    with suppress(OwnMetricFailed):
        for found in evaluation.aggregates(name, study.tuning.metric)[:1]:
            tested = dict(zip(found.folds, found.fold_values, strict=True))
    return Searches(
        parameters=tuple(
            SearchedParameter(
                p.name,
                tuple(plain({"": value})[""] for value in p.candidates.values),
                p.candidates.written,
            )
            for p in search_space(model.pipeline)
        ),
        n_candidates=tried(model.pipeline, study.tuning),
        metric=study.tuning.metric.written,
        better=evaluation.entry(study.tuning.metric).declaration.direction,
        rule=study.tuning.select,
        folds=tuple(
            _search(model.pipeline, fitted, tested.get((fitted.repeat, fitted.fold)))
            for fitted in evaluation.models[name].fitted
            if fitted.fold >= 0  # a bootstrap fits all rows first
        ),
    )


def _search(pipeline: PipelineSpec, fitted: FittedFold, test_score: float | None) -> FoldSearch:
    """Return one search with its parameters by the names that the author's pipeline gives them."""
    names = [parameter.name for parameter in search_space(pipeline)]
    found = fitted.outcome.search
    assert found is not None, "a search keeps the scores of its candidates"
    tried = [dict(zip(names, choice.values(), strict=True)) for choice in found.candidates]
    return FoldSearch(
        fitted.repeat,
        fitted.fold,
        dict(zip(names, plain(fitted.outcome.params).values(), strict=True)),
        fitted.outcome.inner_score,
        test_score,
        tuple(plain(choice) for choice in tried),
        found.scores,
        tuple(steps_from_simple(pipeline, tried)),
    )
