"""A study that checks clean, from a table or from nothing, with the reason for each choice.

The choices follow Raschka 2018, figure 23, and the rules of the checker: size decides the
protocol, groups and time decide how rows are divided, a rare class decides the measures.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import check_text
from evallang.data.column_types import Kind
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings
from evallang.diagnostics import Diagnostic, Severity, has_errors
from evallang.drafts.columns import (
    Column,
    Use,
    guess_columns,
    likely_targets,
    predicted_columns,
    score_of,
)
from evallang.frozen_records import frozen
from evallang.metrics.metric import METRICS
from evallang.registry import Registry, Situation
from evallang.source import SourceFile
from evallang.spelling import RESERVED, closest
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.syntax.formatter import format_parsed
from evallang.syntax.parser import parse_lines

Goal = Literal["compare", "select", "gate", "estimate"]
LARGE = 10_000  # rows from which one test part is precise: a share within 2 points at 95 %
SMALL = 1_000  # rows below which a random split decides much, so that it is repeated
RARE = 0.2  # share of the rarer class below which accuracy says little
SLOW = 20_000  # rows from which a forest of full trees takes long
FOLDS = 5
WIDTH = 96
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class DraftRefused(Exception):
    """A study cannot be written from what was given; the message says what to add."""


@frozen
class Draft:
    """The text of a study, and what the check still finds in it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def draft_study(place: Path, source: Path | None, target: str | None, goal: Goal) -> Draft:
    """Write a study for a place, from a table or, without one, from a bundled data set.

    Raises `DraftRefused` and `StudyError`.
    """
    if source is None:
        return _finished(list(_from_nothing(goal)), place)
    folder = place.parent
    location = os.path.relpath(source, folder).replace(os.sep, "/")
    findings = Findings({})
    frame = read_file(location, folder, findings)
    if frame is None:
        raise StudyError(findings.diagnostics, {})
    columns = guess_columns(frame)
    given = predicted_columns(columns) if target is None else None
    if given is not None:
        lines = list(_from_predictions(location, *given, columns, goal))
    else:
        lines = list(_from_table(location, columns, _target(columns, target, source), goal))
    return _finished(lines, place)


def _target(columns: Sequence[Column], name: str | None, source: Path) -> Column:
    by_name = {column.name: column for column in columns}
    if name is not None:
        if name not in by_name:
            near = closest(name, list(by_name))
            hint = f"did you mean `{near}`?" if near else f"it has {_listed(list(by_name))}"
            raise DraftRefused(f"`{source}` has no column `{name}`; {hint}")
        chosen = by_name[name]
        if chosen.missing:
            raise DraftRefused(
                f"`{name}` has {chosen.missing:,} missing values, which a target cannot "
                "have; remove these rows first"
            )
        if chosen.levels < 2:
            raise DraftRefused(f"`{name}` has one value, so that there is nothing to predict")
        if not chosen.is_classes and chosen.kind is not Kind.NUMBER:
            raise DraftRefused(
                f"`{name}` has {chosen.levels:,} different values, too many for classes, and they "
                "are not numbers"
            )
        return chosen
    likely = likely_targets(columns)
    if len(likely) == 1:
        return likely[0]
    if not likely:
        raise DraftRefused(f"no column of `{source}` looks like a target; name it with --target")
    names = _listed([column.name for column in likely])
    raise DraftRefused(f"which column is to be predicted? {names}; name it with --target")


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


# --- the text ----------------------------------------------------------------------------------


def _head(title: str) -> Iterator[str]:
    yield "evallang 1"
    yield ""
    yield f"study {_quoted(title)}"
    yield "  # The same seed gives the same folds and the same results on every machine"
    yield "  seed 1"
    yield ""


def _from_nothing(goal: Goal) -> Iterator[str]:
    yield from _head("Which classifier should be used?")
    yield '# Replace the bundled data by a file of your own: from "table.csv"'
    yield 'data cancer "Breast cancer (bundled)" from sklearn breast_cancer'
    yield "  # The class that a test should find; recall and precision are about it"
    yield "  positive malignant"
    yield "  # What one row is, in the plural, for the report"
    yield '  unit "patients"'
    yield ""
    yield from _models(task="classification", goal=goal, rows=569, prep="StandardScaler")
    yield from _design(_Facts(569, "classification", binary=True, least=212), goal)


@frozen
class _Facts:
    """What decides the protocol, the measures and the test."""

    n: int
    task: str
    binary: bool = False
    least: int = 0
    grouped: bool = False
    ordered: bool = False

    @property
    def found(self) -> Situation:
        """What decides the measures."""
        if self.task == "regression":
            return Situation.NUMBERS
        if not self.binary:
            return Situation.SEVERAL_CLASSES
        return Situation.RARE_CLASS if self.least < RARE * self.n else Situation.TWO_CLASSES

    @property
    def same_rows(self) -> Situation:
        """What decides the test of two models on the same test rows."""
        right = self.found in (Situation.TWO_CLASSES, Situation.SEVERAL_CLASSES)
        return Situation.SAME_ROWS_RIGHT if right else Situation.SAME_ROWS


def _from_table(
    location: str, columns: Sequence[Column], target: Column, goal: Goal
) -> Iterator[str]:
    task = "classification" if target.is_classes else "regression"
    others = [column for column in columns if column is not target]
    features = [c for c in others if c.use is Use.FEATURE]
    if not features:
        raise DraftRefused(f"`{location}` has no column to learn `{target.name}` from")
    ids = [c for c in others if c.use is Use.ID]
    groups = sorted((c for c in others if c.use is Use.GROUP), key=lambda c: c.levels)
    times = [c for c in others if c.use is Use.TIME]
    dropped = [c for c in others if c.use is Use.OMITTED] + ids[1:] + groups[1:] + times
    yield from _head(f"How well can {target.name} be predicted?")
    yield f"data table from {_quoted(location)}"
    what = f"{target.levels:,} values" if task == "classification" else "numbers"
    yield f"  # The column to predict: {what}, none missing"
    yield f"  target {_column(target.name)}"
    least = min((n for _, n in target.counts), default=0)
    if task == "classification" and target.levels == 2:
        rarer = min(target.counts, key=lambda pair: pair[1])
        yield (
            f"  # The rarer class, {rarer[1]:,} of {target.n:,} rows: recall and precision are "
            "about it"
        )
        yield f"  positive {_quoted(rarer[0])}"
    if target.kind is Kind.NUMBER:
        yield f"  task {task}"
    if ids:
        yield f"  # {_about(ids[0])}"
        yield f"  id {_column(ids[0].name)}"
    markers = sorted({marker for column in features for marker in column.markers})
    if markers:
        yield "  # Texts among numbers that mean a missing value"
        yield f"  missing {', '.join(map(_quoted, markers))}"
    if dropped:
        for column in dropped:
            yield f"  # Not `{column.name}`: {column.why}"
        names = ", ".join(_column(column.name) for column in dropped)
        yield f"  features all except {names}"
    categories = [c for c in features if c.kind in (Kind.TEXT, Kind.BOOLEAN)]
    yield ""
    if groups:
        why = f"{_about(groups[0])}, so a group is never in both training and test part"
        yield from _comment(why)
        yield f"group by {_column(groups[0].name)}"
        yield ""
    if task == "regression":
        yield "# Numbers have no classes to keep in equal shares"
        yield "stratify none"
        yield ""
    prep, reason = _preparation(features, categories)
    yield from _comment(f"{reason}; fitted on training parts only")
    yield f"let prep = {prep}"
    yield ""
    n = target.n
    yield from _models(task=task, goal=goal, rows=n, prep="prep")
    ordered = bool(times) and not groups
    if ordered and not times[0].ascending:
        yield f"# Sort the rows of the file by `{times[0].name}` first: their order is that of time"
    facts = _Facts(n, task, target.levels == 2, least, bool(groups), ordered)
    yield from _design(facts, goal)


def _about(column: Column) -> str:
    return f"`{column.name}`: {column.why}"


def _preparation(features: Sequence[Column], categories: Sequence[Column]) -> tuple[str, str]:
    gaps = any(column.missing for column in features)
    numbers = "SimpleImputer(strategy=median) | StandardScaler" if gaps else "StandardScaler"
    words = "Numbers are scaled"
    if gaps:
        words = "Missing numbers become the median, numbers are scaled"
    if not categories:
        return numbers, words
    coded = "OneHotEncoder(handle_unknown=ignore)"
    if any(column.missing for column in categories):
        coded = f"SimpleImputer(strategy=most_frequent) | {coded}"
    if len(categories) == len(features):
        return coded, "Each category becomes a column of 0 and 1"
    made = f"columns(numeric: {numbers}, categorical: {coded})"
    return made, f"{words}, and each category becomes a column of 0 and 1"


def _models(*, task: str, goal: Goal, rows: int, prep: str) -> Iterator[str]:
    classes = task == "classification"
    linear = "LogisticRegression" if classes else "Ridge"
    strength = "C in 1e-2..1e2 log 5" if classes else "alpha in 1e-2..1e2 log 5"
    options = f"({strength})" if goal == "select" else "(max_iter=1000)" if classes else ""
    kind = "Classifier" if classes else "Regressor"
    fast = rows >= SLOW
    yield "# A linear model: simple, fast, and often as good"
    yield f'model linear "Linear model" = {prep} | {linear}{options}'
    if goal != "estimate":
        yield "# Trees can follow what is not linear"
        name, label = f"RandomForest{kind}", "Random forest"
        if fast:
            name, label = f"HistGradientBoosting{kind}", "Gradient boosting"
        settings = "(max_depth in [3, none])" if goal == "select" and not fast else ""
        yield f'model trees "{label}" = {prep} | {name}{settings}'
    yield "# What no model may be worse than: it ignores the features"
    yield f'model baseline "Baseline" = Dummy{kind}'
    yield ""


def _design(facts: _Facts, goal: Goal) -> Iterator[str]:
    protocol, why, (situation, tested) = _protocol(facts, goal)
    (test,) = _first_for(HYPOTHESIS_TESTS, situation)
    yield from _comment(why)
    yield f"protocol {protocol}"
    yield ""
    metrics, why = _metrics(facts)
    if facts.ordered and goal == "select":
        yield "# Parameters are chosen on the last periods of each training part"
        yield f"tune grid by {metrics[0]} cv=3"
        yield ""
    yield from _comment(why)
    yield f"measure {', '.join(metrics)}"
    yield ""
    if goal == "gate" and facts.ordered:
        yield "# Over time no interval decides a requirement; this test says which model is ahead"
        yield f"compare linear vs baseline with {test} by {metrics[0]}"
        yield ""
    elif goal == "gate":
        yield "# Exit code 4 unless the interval excludes the baseline. Set a bound of your own"
        yield f"require linear better than baseline in {metrics[0]}"
        yield ""
    elif goal != "estimate":
        yield from _comment(tested)
        yield f"compare linear vs trees with {test} by {metrics[0]}"
        yield ""


def _protocol(facts: _Facts, goal: Goal) -> tuple[str, str, tuple[Situation, str]]:
    """Return a protocol, its reason, and the test that suits it with the reason for it."""
    folds = FOLDS if not facts.least else max(2, min(FOLDS, facts.least))
    corrected = (
        Situation.OVERLAPPING_FOLDS,
        "The scores of folds overlap in their training rows, which this test allows for",
    )
    if facts.ordered:
        losses = (Situation.TIME, "Compares the losses of the two models in the order of time")
        return (
            f"time_series folds={folds}",
            "Rows are ordered in time, so models learn from the past only",
            losses,
        )
    if goal == "select":
        return (
            f"nested cv outer={folds} inner=3 times=2",
            "Parameters are chosen inside each training part, so the choice does not see the test "
            "rows (Raschka 2018, figure 23)",
            corrected,
        )
    if facts.n >= LARGE and not facts.grouped:
        paired = (facts.same_rows, "Both models predict the same test rows, which are paired")
        return (
            "holdout test=1/4",
            f"{facts.n:,} rows: one test part is large enough (Raschka 2018, figure 23)",
            paired,
        )
    times = 10 if facts.n < SMALL else 4
    return (
        f"repeated cv folds={folds} times={times}",
        f"{facts.n:,} rows: one random split would decide much, so cross-validation is repeated "
        "(Raschka 2018, figure 23)",
        corrected,
    )


REASONS = {
    Situation.NUMBERS: "In the unit of the target: the mean error and one that weighs large errors "
    "more; then the share of the variance explained",
    Situation.TWO_CLASSES: "The share that is right, and the order of the scores",
    Situation.SEVERAL_CLASSES: "The share that is right, over rows and over classes",
}


def _metrics(facts: _Facts) -> tuple[tuple[str, ...], str]:
    """Return the measures that are declared for what was found, and why they are."""
    reason = REASONS.get(facts.found)
    if reason is None:
        reason = (
            f"The rarer class has {facts.least / facts.n:.0%} of the rows: accuracy would reward "
            "always predicting the other class"
        )
    return _first_for(METRICS, facts.found), reason


def _first_for(registry: Registry[Any], found: Situation) -> tuple[str, ...]:
    """Return the members that are declared for a situation, in their order."""
    places = {
        entry.name: entry.declaration.first_for[found]
        for entry in registry
        if found in entry.declaration.first_for
    }
    return tuple(sorted(places, key=places.__getitem__))


def _from_predictions(
    location: str, truth: Column, made: Sequence[Column], columns: Sequence[Column], goal: Goal
) -> Iterator[str]:
    task = "classification" if truth.is_classes else "regression"
    yield from _head("Which model predicts best?")
    count = "one column has" if len(made) == 1 else f"{len(made):,} columns have"
    yield f"# `{truth.name}` has the truth, and {count} predictions of it"
    yield f"predictions given from {_quoted(location)}"
    ids = [c for c in columns if c.use is Use.ID]
    groups = [c for c in columns if c.use is Use.GROUP and c is not truth and c not in made]
    if ids:
        yield f"  id {_column(ids[0].name)}"
    yield f"  truth {_column(truth.name)}"
    names = [_model(i, column) for i, column in enumerate(made, start=1)]
    yield f"  models {', '.join(written for _, written in names)}"
    binary = truth.is_classes and truth.levels == 2
    scores = [score_of(column, columns) if binary else None for column in made]
    for (model, _), score in zip(names, scores, strict=True):
        if score is not None:
            yield f"  score {model} = {_quoted(score.name)}"
    least = min((n for _, n in truth.counts), default=0)
    if task == "classification" and truth.levels == 2:
        yield f"  positive {_quoted(min(truth.counts, key=lambda pair: pair[1])[0])}"
    if truth.kind is Kind.NUMBER:
        yield f"  task {task}"
    if groups:
        yield f"  # {_about(groups[0])}"
        yield f"  group {_column(groups[0].name)}"
    yield ""
    facts = _Facts(truth.n, task, truth.levels == 2, least, bool(groups))
    every, why = _metrics(facts)
    scored = all(score is not None for score in scores)
    metrics = [m for m in every if scored or METRICS[m].declaration.needs != "scores"]
    if facts.found is Situation.RARE_CLASS:
        yield from _comment(why)
    yield f"measure {', '.join(metrics)}"
    yield ""
    if goal == "gate" and len(made) > 1:
        first, second = names[0][0], names[1][0]
        yield f"# `{first}` is the candidate, `{second}` what it replaces. Set your own margin"
        margin = "5%" if task == "classification" else "1"
        yield f"require {first} not worse than {second} by {margin}"
        yield ""
    elif len(made) > 1 and goal != "estimate":
        (test,) = _first_for(HYPOTHESIS_TESTS, facts.same_rows)
        yield "# The models predict the same rows, which are paired"
        yield f"compare with {test}{' holm' if len(made) > 2 else ''} by {metrics[0]}"
        yield ""


def _model(number: int, column: Column) -> tuple[str, str]:
    """Return the name of a model and how it is declared: by that of its column, if it can be."""
    if NAME.fullmatch(column.name) and column.name not in RESERVED:
        return column.name, column.name
    name = f"m{number}"
    return name, f"{name} {_quoted(column.name)} as {_quoted(column.name)}"


def _comment(text: str) -> Iterator[str]:
    from textwrap import wrap

    yield from (f"# {line}" for line in wrap(text, WIDTH - 2))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _column(name: str) -> str:
    return name if NAME.fullmatch(name) and name not in RESERVED else _quoted(name)


# --- the check of the text ---------------------------------------------------------------------


def _finished(lines: list[str], place: Path) -> Draft:
    """Format the text, check it with its data, and explain what remains in comments."""
    text = _formatted("\n".join(lines) + "\n", place)
    found = _checked(text, place)
    if not has_errors(found):
        text = _with_comments(text, found)
        found = _checked(text, place)
    return Draft(text, found)


def _formatted(text: str, place: Path) -> str:
    source = SourceFile(place.name, text)
    parsed = parse_lines(source)
    return text if parsed.refused else format_parsed(source, parsed)


def _checked(text: str, place: Path) -> tuple[Diagnostic, ...]:
    study = check_text(text, place.name, place.parent)
    try:
        return tuple(read_and_plan(study, errors_are_fine=True).diagnostics)
    except StudyError as error:
        return tuple(error.diagnostics)


def _with_comments(text: str, found: Sequence[Diagnostic]) -> str:
    """Write each warning in a comment above its line."""
    source = SourceFile("", text)
    above: dict[int, list[str]] = {}
    for one in found:
        if one.severity is Severity.WARNING and one.span is not None:
            number = source.position(one.span.start).line
            above.setdefault(number, []).append(f"{one.code}: {one.message}")
    made = []
    for number, line in enumerate(text.splitlines(), start=1):
        indent = line[: len(line) - len(line.lstrip())]
        for words in above.get(number, ()):
            made += [f"{indent}{comment}" for comment in _comment(words)]
        made.append(line)
    return "\n".join(made) + "\n"
