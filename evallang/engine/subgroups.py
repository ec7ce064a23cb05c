"""Estimates in the levels of a column (`within`), each with its difference to the rest."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.data.labels import in_label_order
from evallang.engine.estimates import estimate
from evallang.engine.settings import ModelOutcome, Setting
from evallang.registry import lazy
from evallang.results.records import FEW_EXAMPLES, Estimate, Subgroup
from evallang.study import Measure, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

FEWEST = 30  # examples below which an interval would say little; issue 4, subgroups


def subgroup_estimates(study: Study, setting: Setting) -> Iterator[Estimate]:
    """Measure every model in every level of the columns that measures name."""
    for measure in study.measures:
        for column in measure.within:
            if column not in setting.subgroups or not setting.measures(measure.metric):
                continue
            for model in setting.models:
                for level in levels(setting, column):
                    yield in_level(study, setting, model, measure, column, level)


def levels(setting: Setting, column: str) -> tuple[str, ...]:
    """Give the levels of a column, in the order of labels."""
    return tuple(str(level) for level in in_label_order(set(setting.subgroups[column].tolist())))


def in_level(
    study: Study, setting: Setting, model: str, measure: Measure, column: str, level: str
) -> Estimate:
    """Measure one model on the rows of one level."""
    inside = setting.subgroups[column] == level
    found = estimate(study, restricted(setting, inside), model, measure)
    rest = estimate(study, restricted(setting, ~inside), model, measure)
    difference = None if found.value is None or rest.value is None else found.value - rest.value
    rows = setting.models[model].rows
    n = len(np.unique(rows[inside[rows]]))
    notes, interval, reason = found.notes, found.interval, found.no_interval
    if n < FEWEST and interval is not None:
        interval, reason = None, FEW_EXAMPLES
        notes = (*notes, f"no interval: {n} {setting.unit}, fewer than {FEWEST}")
    return replace(
        found,
        subgroup=Subgroup(column, level),
        interval=interval,
        extra={
            **found.extra,
            "n_examples": n,
            "rest": rest.value,
            "difference_to_rest": difference,
        },
        notes=notes,
        no_interval=reason,
    )


def restricted(setting: Setting, kept: "NDArray[np.bool_]") -> Setting:
    """Give the setting with only these rows of the source tested; models stay as fitted."""
    models = {name: _kept(outcome, kept) for name, outcome in setting.models.items()}
    further = tuple(
        {name: _kept(outcome, kept) for name, outcome in others.items()}
        for others in setting.further_seeds
    )
    any_model = next(iter(models.values()), None)
    sizes = {
        (f.repeat, f.fold): 0
        if any_model is None
        else int(np.sum((any_model.repeat == f.repeat) & (any_model.fold == f.fold)))
        for f in setting.folds
    }
    folds = tuple(
        replace(f, n_test=sizes[f.repeat, f.fold]) for f in setting.folds if sizes[f.repeat, f.fold]
    )
    return replace(setting, models=models, folds=folds, further_seeds=further)


def _kept(outcome: ModelOutcome, kept: "NDArray[np.bool_]") -> ModelOutcome:
    mask = kept[outcome.rows]
    return replace(
        outcome,
        rows=outcome.rows[mask],
        repeat=outcome.repeat[mask],
        fold=outcome.fold[mask],
        truth=outcome.truth[mask],
        labels=outcome.labels[mask],
        scores=None if outcome.scores is None else outcome.scores[mask],
    )
