"""A study that checks clean, from a table or from nothing, with the reason for each choice.

The choices follow Raschka 2018, figure 23, and the rules of the checker: size decides the
protocol, groups and time decide how rows are divided, a rare class decides the measures.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import check_text
from evallang.data.column_types import Kind
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings
from evallang.diagnostics import CODES, Diagnostic, Severity, has_errors
from evallang.drafts.columns import (
    Column,
    Use,
    clauses_of_truth,
    facts_of,
    guess_columns,
    likely_targets,
    predicted_columns,
    with_fields,
)
from evallang.drafts.judged import judges_among, lines_from_battles, lines_from_judges
from evallang.drafts.logs import lines_from_logs
from evallang.drafts.measured import candidates, lines_from_measured, lines_from_predictions
from evallang.drafts.writing import (
    DraftRefused,
    Facts,
    Goal,
    comment,
    first_for,
    head,
    listed,
    measures_for,
    quoted,
    written,
)
from evallang.metrics.metric import METRICS
from evallang.registry import Situation
from evallang.source import SourceFile
from evallang.spelling import closest
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.syntax.formatter import format_parsed
from evallang.syntax.parser import parse_lines

LARGE = 10_000  # rows from which one test part is precise: a share within 2 points at 95 %
SMALL = 1_000  # rows below which a random split decides much, so that it is repeated
MOST_WORDS = 1000  # of a text column: enough for the frequent words, few enough for trees
FEW_MARKERS = 6  # numeric columns of a table with two classes, which may be scores already
SLOW = 20_000  # rows from which a forest of full trees takes long
FOLDS = 5


class Draft(Struct, frozen=True):
    """The text of a study, and what the check still finds in it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def draft_study(place: Path, source: Path | None, target: str | None, goal: Goal) -> Draft:
    """Write a study for a place, from a table, a folder of logs or, without any, bundled data.

    Raises `DraftRefused` and `StudyError`.
    """
    if source is None:
        return _finished(list(_from_nothing(goal)), place)
    folder = place.parent
    if source.is_dir() and target is not None:
        raise DraftRefused(f"`{source}` is a folder; --target names a column of a table")
    logged = lines_from_logs(source, folder, goal)
    if logged is not None:
        return _finished(list(logged), place)
    location = os.path.relpath(source, folder).replace(os.sep, "/")
    findings = Findings({})
    frame = findings.tried(read_file, location, folder)
    if frame is None:
        raise StudyError(findings.diagnostics, {})
    frame = frame.mark_missing()
    columns = guess_columns(frame)
    whole = with_fields(frame, location, folder).mark_missing()
    inside = guess_columns(whole)
    measured = None if target is not None else lines_from_battles(location, whole, goal)
    measured = measured or lines_from_measured(location, whole, inside, goal, target)
    given = predicted_columns(columns, frame, target) if measured is None else None
    if measured is not None:
        lines = measured
    elif given is not None:
        lines = list(lines_from_predictions(location, *given, columns, goal))
    elif target is None and len(likely_targets(columns)) != 1 and (judges := judges_among(columns)):
        lines = list(lines_from_judges(location, columns, judges))
    else:
        chosen = _target(columns, target, source)
        words = sorted({word for some in frame.taken.values() for word in some})
        lines = list(_from_table(location, columns, chosen, words, goal))
    return _finished(lines, place)


def _target(columns: Sequence[Column], name: str | None, source: Path) -> Column:
    by_name = {column.name: column for column in columns}
    if name is not None:
        if name not in by_name:
            near = closest(name, list(by_name))
            hint = f"did you mean `{near}`?" if near else f"it has {listed(list(by_name))}"
            raise DraftRefused(f"`{source}` has no column `{name}`; {hint}")
        chosen = by_name[name]
        if chosen.levels < 2:
            raise DraftRefused(f"`{name}` has one value, so that there is nothing to predict")
        if not chosen.is_classes and chosen.kind is not Kind.NUMBER:
            raise DraftRefused(
                f"`{name}` has {chosen.levels:,} different values, too many for classes, and they "
                "are not numbers"
            )
        return chosen
    likely = likely_targets(columns)
    if (predictions := candidates(columns)) is not None:
        raise DraftRefused(
            f"{predictions}, and which column of `{source}` is the truth is unclear: "
            f"{listed([column.name for column in columns])}; name it with --target"
        )
    if len(likely) == 1:
        return likely[0]
    if not likely:
        raise DraftRefused(f"no column of `{source}` looks like a target; name it with --target")
    names = listed([column.name for column in likely])
    raise DraftRefused(f"which column is to be predicted? {names}; name it with --target")


# --- the text ----------------------------------------------------------------------------------


def _from_nothing(goal: Goal) -> Iterator[str]:
    yield from head("Which classifier should be used?")
    yield '# Replace the bundled data by a file of your own: from "table.csv"'
    yield 'data cancer "Breast cancer (bundled)" from sklearn breast_cancer'
    yield "  # The class that a test should find; recall and precision are about it"
    yield "  positive malignant"
    yield "  # What one row is, in the plural, for the report"
    yield '  unit "patients"'
    yield ""
    yield from _models(task="classification", goal=goal, rows=569, prep="StandardScaler")
    yield from _design(Facts(569, "classification", binary=True, least=212), goal)


def _from_table(
    location: str, columns: Sequence[Column], target: Column, taken: Sequence[str], goal: Goal
) -> Iterator[str]:
    """Write the study of a table; `taken` are the words in it that mean a missing value."""
    task = "classification" if target.is_classes else "regression"
    others = [column for column in columns if column is not target]
    features = [c for c in others if c.use is Use.FEATURE]
    texts = [c for c in others if c.use is Use.TEXT]
    if not features and not texts:
        lost = "; ".join(f"`{c.name}` is skipped, as {c.why}" for c in others if c.why)
        raise DraftRefused(
            f"`{location}` has no column to learn `{target.name}` from"
            + (f": {lost}" if lost else "")
        )
    ids = [c for c in others if c.use is Use.ID]
    groups = sorted((c for c in others if c.use is Use.GROUP), key=lambda c: c.levels)
    times = [c for c in others if c.use is Use.TIME]
    dropped = [c for c in others if c.use is Use.OMITTED] + ids[1:] + groups[1:] + times
    yield from head(f"How well can {target.name} be predicted?")
    yield f"data table from {quoted(location)}"
    what = f"{target.levels:,} values" if task == "classification" else "numbers"
    lacking = f"missing in {target.missing:,} rows" if target.missing else "none missing"
    yield f"  # The column to predict: {what}, {lacking}"
    yield f"  target {written(target.name)}"
    yield from clauses_of_truth(target)
    if ids:
        yield f"  # {_about(ids[0])}"
        yield f"  id {written(ids[0].name)}"
    markers = sorted({marker for column in features for marker in column.markers})
    if markers:
        yield "  # Texts that mean a missing value"
        yield f"  missing {', '.join(map(quoted, (*markers, *taken)))}"
    if target.missing:
        yield "  # Rows without it can neither be learnt from nor tested"
        yield f"  where {written(target.name)} is not missing"
    if dropped:
        for column in dropped:
            yield f"  # Not `{column.name}`: {column.why}"
        names = ", ".join(written(column.name) for column in dropped)
        yield f"  features all except {names}"
    values = {value for value, _ in target.counts}
    if values and features and all({value for value, _ in c.counts} == values for c in features):
        alike = (
            "All columns have the values of the target. If they are predictions of it, call the "
            "target `truth` in the file and draft the study again"
        )
        yield from (f"  {line}" for line in comment(alike))
    elif (
        len(values) == 2
        and 0 < len(features) <= FEW_MARKERS
        and all(c.kind is Kind.NUMBER for c in features)
    ):
        markers_alone = (
            "Models are trained on the other columns. If those are scores that already tell the "
            f"classes apart, write `predictions` with `truth {written(target.name)}` and "
            '`score MODEL = "COLUMN"` instead'
        )
        yield from (f"  {line}" for line in comment(markers_alone))
    categories = [c for c in features if c.kind in (Kind.TEXT, Kind.BOOLEAN)]
    yield ""
    if groups:
        why = f"{_about(groups[0])}, so a group is never in both training and test part"
        yield from comment(why)
        yield f"group by {written(groups[0].name)}"
        yield ""
    if task == "regression":
        yield "# Numbers have no classes to keep in equal shares"
        yield "stratify none"
        yield ""
    prep, reason = _preparation(features, categories, texts)
    yield from comment(f"{reason}; fitted on training parts only")
    yield f"let prep = {prep}"
    yield ""
    n = target.n - target.missing
    yield from _models(task=task, goal=goal, rows=n, prep="prep", sparse=bool(texts))
    ordered = bool(times) and not groups
    if ordered and not times[0].ascending:
        yield f"# Sort the rows of the file by `{times[0].name}` first: their order is that of time"
    facts = facts_of(target, n=n, grouped=bool(groups), ordered=ordered)
    yield from _design(facts, goal)


def _about(column: Column) -> str:
    return f"`{column.name}`: {column.why}"


def _preparation(
    features: Sequence[Column], categories: Sequence[Column], texts: Sequence[Column]
) -> tuple[str, str]:
    """Return the steps before each model, and what they do, in words."""
    steps: dict[str, str] = {}
    words: list[str] = []
    if len(categories) < len(features):
        gaps = any(column.missing for column in features if column not in categories)
        scaled = "SimpleImputer(strategy=median) | StandardScaler" if gaps else "StandardScaler"
        steps["numeric"] = scaled
        words += ["missing numbers become the median"] if gaps else []
        words += ["numbers are scaled"]
    if categories:
        coded = "OneHotEncoder(handle_unknown=ignore)"
        if any(column.missing for column in categories):
            coded = f"SimpleImputer(strategy=most_frequent) | {coded}"
            words += ["missing categories become the most frequent one"]
        named = ", ".join(written(column.name) for column in categories)
        steps[f"[{named}]" if texts else "categorical"] = coded
        words += ["each category becomes a column of 0 and 1"]
    for column in texts:
        steps[written(column.name)] = f"TfidfVectorizer(max_features={MOST_WORDS})"
        words += [f"`{column.name}` becomes the weights of its {MOST_WORDS:,} most frequent words"]
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, and {words[-1]}"
    reason = listed[0].upper() + listed[1:]
    if len(steps) == 1 and not texts:
        return next(iter(steps.values())), reason
    return f"columns({', '.join(f'{key}: {step}' for key, step in steps.items())})", reason


def _models(*, task: str, goal: Goal, rows: int, prep: str, sparse: bool = False) -> Iterator[str]:
    classes = task == "classification"
    linear = "LogisticRegression" if classes else "Ridge"
    strength = "C in 1e-2..1e2 log 5" if classes else "alpha in 1e-2..1e2 log 5"
    options = f"({strength})" if goal == "select" else "(max_iter=1000)" if classes else ""
    kind = "Classifier" if classes else "Regressor"
    slow = rows >= SLOW
    yield "# A linear model: simple, fast, and often as good"
    yield f'model linear "Linear model" = {prep} | {linear}{options}'
    if goal != "estimate":
        yield "# Trees model effects that are not linear"
        name, label = f"RandomForest{kind}", "Random forest"
        settings = "(max_depth in [3, none])" if goal == "select" else ""
        if slow and sparse:
            settings = "(max_depth=12)"
        elif slow:
            name, label, settings = f"HistGradientBoosting{kind}", "Gradient boosting", ""
        yield f'model trees "{label}" = {prep} | {name}{settings}'
    yield "# A baseline that ignores the features"
    yield f'model baseline "Baseline" = Dummy{kind}'
    yield ""


def _design(facts: Facts, goal: Goal) -> Iterator[str]:
    protocol, why, (situation, tested) = _protocol(facts, goal)
    (test,) = first_for(HYPOTHESIS_TESTS, situation)
    yield from comment(why)
    yield f"protocol {protocol}"
    yield ""
    metrics, why = measures_for(facts)
    tested_by = metrics[0]
    if facts.ordered and facts.task == "classification":
        (tested_by,) = first_for(METRICS, Situation.TIME)
        metrics = tuple(dict.fromkeys((*metrics, tested_by)))
        why += f"; `{tested_by}` is a loss of each row, which the test over time needs"
    if facts.ordered and goal == "select":
        yield "# Parameters are chosen on the last periods of each training part"
        yield f"tune grid by {metrics[0]} cv=3"
        yield ""
    yield from comment(why)
    yield f"measure {', '.join(metrics)}"
    yield ""
    if goal == "gate" and facts.ordered:
        yield "# Over time no interval decides a requirement; this test says which model is ahead"
        yield f"compare linear vs baseline with {test} by {tested_by}"
        yield ""
    elif goal == "gate":
        yield "# Exit code 4 unless the interval excludes the baseline. Set a bound of your own"
        yield f"require linear better than baseline in {metrics[0]}"
        yield ""
    elif goal != "estimate":
        yield from comment(tested)
        yield f"compare linear vs trees with {test} by {tested_by}"
        yield ""


def _protocol(facts: Facts, goal: Goal) -> tuple[str, str, tuple[Situation, str]]:
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
            above.setdefault(number, []).append(
                f"{one.code}: {one.message}. {CODES[one.code].words.reason}"
            )
    made = []
    for number, line in enumerate(text.splitlines(), start=1):
        indent = line[: len(line) - len(line.lstrip())]
        for words in above.get(number, ()):
            made += [f"{indent}{above_it}" for above_it in comment(words)]
        made.append(line)
    return "\n".join(made) + "\n"
