"""Models that never predict a class: their warning, their finding, their note under a table."""

from collections.abc import Iterator, Sequence

from evallang.reporting.codes import CLASS_NEVER_PREDICTED
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Caution, Runs, Strong, listed, runs
from evallang.reporting.numbers import count
from evallang.results.records import NeverPredicted

MOST_CLASSES = 5
MOST_LINES = 6  # of a warning; the rest are counted


def never_predicted_caution(context: Context) -> Caution | None:
    """Warn of models that never predict a class; of baselines only where one is the best."""
    lines = [
        runs(context.place(one.data, one.protocol), _claim(context, one), _rows(context, one), ".")
        for setting in context.settings
        for one in _unexpected(context, setting)
    ]
    if not lines:
        return None
    body: Runs = ()
    for line in lines[:MOST_LINES]:
        body += runs(" " if body else "", line)
    if len(lines) > MOST_LINES:
        body += runs(f" {count(len(lines) - MOST_LINES)} more are in results.json.")
    body += runs(
        " Accuracy rewards this where the class is rare; measures of that class are 0 or undefined."
    )
    return Caution.from_code(CLASS_NEVER_PREDICTED, "A model never predicts a class", body)


def never_predicted_findings(context: Context, setting: Setting) -> list[Runs]:
    """Format a key finding for each model of a setting that never predicts a class."""
    return [
        runs(
            Strong(runs(context.place(one.data, one.protocol), _claim(context, one))),
            _rows(context, one),
            ".",
        )
        for one in _unexpected(context, setting)
    ]


def never_predicted_notes(context: Context, setting: Setting) -> list[Runs]:
    """Format a note under a table for each such model, the baselines included."""
    return [
        runs(_claim(context, one), _rows(context, one), ".") for one in _found(context, setting)
    ]


def _found(context: Context, setting: Setting) -> Iterator[NeverPredicted]:
    for one in context.results.never_predicted:
        if Setting(one.data, one.protocol) == setting:
            yield one


def _unexpected(context: Context, setting: Setting) -> Sequence[NeverPredicted]:
    """Leave out baselines, unless one of them is the best by the first measure."""
    best = _best(context, setting)
    return [one for one in _found(context, setting) if not one.baseline or one.model in best]


def _best(context: Context, setting: Setting) -> set[str]:
    primary = context.metrics(setting)[0]
    models = context.models_best_first(setting, primary)
    found = [context.estimate(setting, model, primary) for model in models]
    values = [one.value for one in found if one is not None and one.value is not None]
    return {
        one.model
        for one in found
        if one is not None and values and one.value is not None and one.value == values[0]
    }


def _claim(context: Context, one: NeverPredicted) -> Runs:
    names = [runs(label) for label in one.classes[:MOST_CLASSES]]
    if len(one.classes) > MOST_CLASSES:
        names.append(runs(f"{count(len(one.classes) - MOST_CLASSES)} more classes"))
    return runs(f"{context.model(one.model)} never predicted ", listed(names, last=" or "))


def _rows(context: Context, one: NeverPredicted) -> Runs:
    share = f"{count(one.n_of_classes)} of {count(one.n)} {context.cases(one.data)}"
    return runs(f", the class of {share}" if len(one.classes) == 1 else f", the classes of {share}")
