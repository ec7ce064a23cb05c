"""A study of predictions that one file has together with the truth."""

import re
from collections.abc import Iterator, Sequence

from evallang.data.text_forms import names_reader, names_run
from evallang.drafts.columns import (
    Column,
    Use,
    clauses_of_truth,
    facts_of,
    score_name,
    score_of,
)
from evallang.drafts.writing import (
    NAME,
    Goal,
    comment,
    head,
    measures_for,
    paired,
    quoted,
    written,
)
from evallang.registry import Situation
from evallang.spelling import RESERVED


def lines_from_predictions(
    location: str, truth: Column, made: Sequence[Column], columns: Sequence[Column], goal: Goal
) -> Iterator[str]:
    """Iterate over the lines of a study of the predictions `made`, in columns of one file."""
    task = "classification" if truth.is_classes else "regression"
    yield from head("Which model predicts best?")
    count = "one column has" if len(made) == 1 else f"{len(made):,} columns have"
    yield f"# `{truth.name}` has the truth, and {count} predictions of it"
    yield f"predictions given from {quoted(location)}"
    ids = [c for c in columns if c.use is Use.ID]
    groups = [c for c in columns if c.use is Use.GROUP and c is not truth and c not in made]
    runs = next((c for c in columns if names_run(c.name) or names_reader(c.name)), None)
    if groups and runs is not None and 1 < runs.levels <= groups[0].n // groups[0].levels:
        word = "reader" if names_reader(runs.name) else "repeat"
        yield f"  # `{groups[0].name}` has a row for each `{runs.name}`: the example is the unit"
        yield f"  id {written(groups.pop(0).name)}"
        yield f"  {word} {written(runs.name)}"
    else:
        runs = None
    if ids:
        yield f"  # `{ids[0].name}`: {ids[0].why}"
        yield f"  id {written(ids[0].name)}"
    times = [c for c in columns if c.use is Use.TIME and c not in (truth, *made)]
    whole = [c for c in times if c.levels == c.n and not c.missing and not groups]
    series = whole[0] if whole and task == "regression" else None
    if series is not None:
        yield f"  # `{series.name}`: {series.why}"
        yield f"  time {written(series.name)}"
    yield f"  truth {written(truth.name)}"
    binary = truth.is_classes and truth.levels == 2
    alone = all(score_name(c) or (binary and not c.whole and not c.is_classes) for c in made)
    names = model_items(made)
    scores: list[Column | None] = [score_of(c, columns) if binary else None for c in made]
    if alone and binary:
        names = [(model, model) for model in _stems(made)]
        scores = list(made)
    yield f"  models {', '.join(written for _, written in names)}"
    for (model, _), score in zip(names, scores, strict=True):
        if score is not None:
            yield f"  score {model} = {quoted(score.name)}"
    yield from clauses_of_truth(truth)
    if groups:
        yield f"  # `{groups[0].name}`: {groups[0].why}"
        yield f"  group {written(groups[0].name)}"
    yield ""
    facts = facts_of(truth, grouped=bool(groups))
    metrics, why = measures_for(facts, scores=all(score is not None for score in scores))
    yield from comment(why)
    yield f"measure {', '.join(metrics)}"
    yield ""
    margin = "5%" if task == "classification" else "1"
    same_rows = facts.same_rows if runs is None else Situation.SAME_ROWS
    same_rows = same_rows if series is None else Situation.TIME
    yield from paired([name for name, _ in names], goal, same_rows, metrics[0], margin)


def model_items(made: Sequence[Column]) -> list[tuple[str, str]]:
    """Return the name of the model of each column, and how it is declared."""
    return [_model(number, column) for number, column in enumerate(made, start=1)]


def _stems(made: Sequence[Column]) -> list[str]:
    """Return names of models out of those of their scores: `cnn` of `p_cnn`."""
    found = [SCORE_WORDS.sub("", column.name.casefold()).strip("_") for column in made]
    if len(set(found)) == len(found) and all(NAME.fullmatch(name) for name in found):
        return [name if name not in RESERVED else f"m_{name}" for name in found]
    return [f"m{number}" for number in range(1, len(made) + 1)]


SCORE_WORDS = re.compile(r"(?:^|_)(?:p|prob|proba|probability|score)(?=_|$)")


def _model(number: int, column: Column) -> tuple[str, str]:
    """Return the name of a model and how it is declared: by that of its column, if it can be."""
    if NAME.fullmatch(column.name) and column.name not in RESERVED:
        return column.name, column.name
    name = f"m{number}"
    return name, f"{name} {quoted(column.name)} as {quoted(column.name)}"
