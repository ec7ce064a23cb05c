"""A study of what models were measured to do: predictions with the truth, tables of scores."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from evallang.compatibility.hypothesis_tests import test_over_data
from evallang.data.column_types import Kind
from evallang.data.frame import Frame
from evallang.data.prediction_columns import AFFIRMED, VERDICTS
from evallang.data.score_tables import named_by_tools
from evallang.data.text_forms import (
    names_fold,
    names_reader,
    names_replicate,
    names_run,
    names_seed,
    names_unit,
)
from evallang.drafts.columns import (
    Column,
    Use,
    clauses_of_truth,
    facts_of,
    is_truth,
    predicted_name,
    right_or_wrong,
    score_name,
    score_of,
)
from evallang.drafts.writing import (
    NAME,
    DraftRefused,
    Goal,
    bare_name,
    comment,
    first_for,
    head,
    listed,
    measures_for,
    paired,
    quoted,
    written,
)
from evallang.metrics.metric import default_metric
from evallang.metrics.named import named_metric
from evallang.registry import Situation
from evallang.spelling import RESERVED
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

MODELS = frozenset(
    {
        *("algo", "algorithm", "approach", "classifier", "estimator", "learner", "llm", "method"),
        *("model", "modell", "models", "network", "provider", "regressor", "scheme", "system"),
        "verfahren",
    }
)
"""Last words of columns that name the model of a row."""
DATA_SETS = frozenset(
    {
        *("benchmark", "benchmarks", "corpora", "corpus", "data", "dataset", "datasets"),
        *("datensatz", "domain", "problem", "problems", "series", "set", "suite", "task", "tasks"),
    }
)
METRICS_COLUMNS = frozenset({"metric", "metrics", "measure"})
RESAMPLES = ("resample", "resampling")
SCORES = frozenset({"score", "value", "result", "performance"})
RIGHT = frozenset(
    {
        *(
            "acc",
            "correct",
            "exact_match",
            "hit",
            "is_correct",
            "pass",
            "passed",
            "right",
            "solved",
        ),
        "success",
    }
)
MEASURED = frozenset({"metric", "metrics", "score", "scores"})
"""Names of objects that hold the scores of a question."""
QUESTIONS = frozenset(
    {
        *("doc", "example", "instance", "item", "problem", "prompt", "question", "sample", "task"),
        *("id", "test"),
    }
)
"""Last words of columns that name the question of a row."""
REPEATS = frozenset({"attempt", "completion", "epoch", "generation", "try"})
"""Last words of columns that number the answers to a question, next to names of runs."""
BETWEEN = re.compile(r"[ _./:-]")  # a model and its metric in the name of a column
SPLIT = re.compile(r"split\d+_test_\w+")  # of scikit-learn's cv_results_
WIDEST = 20.0  # between the medians of columns that may be scores by one metric
FEWEST_DATA_SETS = 6  # below which a test over data sets finds little, if there are folds
FEWEST_ROWS_EACH = 20  # predictions of a model: fewer rows are scores


class _Places(Struct, frozen=True):
    """The columns that tell where a score belongs; `repeat` may be that of a name of caret."""

    dataset: Column | None = None
    fold: Column | None = None
    repeat: Column | None = None
    seed: Column | None = None
    metric: Column | None = None
    by_tools: bool = False

    @property
    def all(self) -> tuple[Column, ...]:
        found = (self.dataset, self.fold, self.repeat, self.seed, self.metric)
        return tuple(column for column in found if column is not None)


def lines_from_measured(
    location: str, frame: Frame, columns: Sequence[Column], goal: Goal, target: str | None
) -> list[str] | None:
    """Return the lines of a study of scores, or of predictions with a row for each model.

    None where the table is neither. `target` names the truth of predictions.
    """
    model = _named(columns, MODELS, Kind.TEXT)
    found = None
    if model is not None:
        found = _long_predictions(location, frame, columns, model, goal, target)
    if found is not None or target is not None:
        return found
    if model is None and (lines := _answers(location, frame, columns, goal)):
        return lines
    if model is not None and (lines := _long_scores(location, frame, columns, model, goal)):
        return lines
    splits = [c.name for c in columns if SPLIT.fullmatch(c.name)]
    rest = [c for c in columns if c is not model and not c.name.startswith("column_")]
    in_rows = model is not None and model.levels == frame.n and len(rest) > 1
    if len(splits) > 1 or (in_rows and _alike(frame, rest)):
        scores = listed(splits or [c.name for c in rest])
        raise DraftRefused(
            f"`{location}` has a row for each model, and its scores side by side: {scores}; write "
            "the table with a row for each of them and a column for each model"
        )
    if model is None and (lines := _wide_scores(location, frame, columns, goal)):
        return lines
    measured = [c.name for c in columns if c.kind is Kind.NUMBER and _is_a_score(c, columns)]
    if measured:
        raise DraftRefused(
            f"`{location}` looks like scores that were measured elsewhere: {listed(measured)}; "
            "a study of them needs a column with the name of the model, and one with that of the "
            "data set or fold"
        )
    return None


def _is_a_score(column: Column, columns: Sequence[Column]) -> bool:
    """Return whether the names of the columns say that numbers are scores, and not rows."""
    named = _named(columns, METRICS_COLUMNS, Kind.TEXT)
    if named is not None and named_metric(str(next(iter(named.counts), ("",))[0])) is not None:
        return _words(column.name) in SCORES
    made = {c.name for c in columns} & {"fit_time", "score_time"}  # of cross_validate
    return bool(made) and column.name.startswith("test_")


def _words(name: str) -> str:
    words = re.sub("([a-z])([A-Z])", r"\1 \2", name)
    return "_".join("".join(c if c.isalnum() else " " for c in words.casefold()).split())


def _last(name: str) -> str:
    """Return the last word of a name, without `id` or `name` behind it: `model` of `model_name`."""
    words = _words(name).split("_")
    if len(words) > 1 and words[-1] in ("id", "idx", "index", "name", "nr"):
        words.pop()
    return words[-1]


def _named(columns: Sequence[Column], names: frozenset[str], *kinds: Kind) -> Column | None:
    """Return the first column whose name, or its last word, is one of some names."""
    able = [c for c in columns if not kinds or c.kind in kinds]
    exact = (c for c in able if _words(c.name) in names)
    return next(exact, None) or next((c for c in able if _last(c.name) in names), None)


# --- predictions, a row for each model ---------------------------------------------------------


def right_column(columns: Sequence[Column]) -> Column | None:
    """Return the column that says whether an answer was right, also inside an object."""
    able = [c for c in columns if right_or_wrong(c)]
    named = (c for c in able if _words(c.name) in RIGHT or _inside(c) in RIGHT)
    scores = (c for c in able if _words(c.name.rpartition(".")[0].rpartition(".")[2]) in MEASURED)
    return next(named, None) or next(scores, None)


def _right_word(column: Column) -> tuple[Column, str] | None:
    """Return a column of verdicts in words and the word of a right answer, None for others."""
    called = _words(column.name) in RIGHT | SCORES | {"grade", "status", "verdict"}
    right = [value for value, _ in column.counts if value.casefold() in AFFIRMED]
    few = 2 <= column.levels <= len(VERDICTS)
    return (column, right[0]) if called and few and len(right) == 1 else None


def _inside(column: Column) -> str:
    return _words(column.name.rpartition(".")[2])


def names_question(column: Column) -> bool:
    """Return whether a column is called by the question of a row: task_id, question."""
    return column.levels > 1 and _last(column.name) in QUESTIONS


def rows_of_question(
    frame: Frame, columns: Sequence[Column], question: Column, model: Column | None
) -> tuple[list[str], bool]:
    """Return the lines about several rows of a question, and whether they are its repeats."""
    keys = [question] if model is None else [model, question]
    if _distinct(frame, keys):
        return [], False
    telling = [c for c in columns if c not in keys and _distinct(frame, [*keys, c])]
    runs = next((c for c in telling if names_replicate(c.name) or _last(c.name) in REPEATS), None)
    if runs is not None:
        lines = [f"  # The question is the unit, with a row for each `{runs.name}`"]
        return [*lines, f"  repeat {written(runs.name)}"], True
    setting = next((c for c in telling if c.kind is Kind.TEXT and c.is_classes), None)
    if setting is not None:
        (first, _), *others = setting.counts
        why = f"`{question.name}` has a row for each `{setting.name}`: one of them is taken"
        left = ", ".join(quoted(value) for value, _ in others)
        value = f"  where {written(setting.name)} = {quoted(first)}  # or {left}"
        return [*_indented(why), value], False
    why = f"`{question.name}` has several rows, which are taken as its repeats, in their order"
    return [*_indented(why), "  repeat by order"], True


def _answers(
    location: str, frame: Frame, columns: Sequence[Column], goal: Goal
) -> list[str] | None:
    """Return the lines of a study of one model's answers, or of several in columns of 0 and 1.

    A table with other numbers is one to learn from.
    """
    question = next((c for c in columns if names_question(c) and not c.missing), None)
    with_truth = any(is_truth(c) for c in columns)
    if question is None or (with_truth and any(predicted_name(c) for c in columns)):
        return None
    right = right_column([c for c in columns if c is not question])
    stem = PurePosixPath(location).name.partition(".")[0]
    models = [] if right is None else [(right, bare_name(stem))]
    if right is None:
        rest = [c for c in columns if c is not question and c.use is Use.FEATURE]
        rest = [c for c in rest if not names_replicate(c.name) and _last(c.name) not in REPEATS]
        marks = [c for c in rest if right_or_wrong(c)]
        if (
            with_truth
            or len(marks) < 2
            or _last(question.name) == "id"
            or any(c.kind is not Kind.TEXT for c in rest if c not in marks)
        ):
            return None
        models = [(c, c.name if written(c.name) == c.name else bare_name(c.name)) for c in marks]
    elif any(_is_feature(c) for c in columns if c not in (question, right)):
        return None
    lines = [*head("Which model answers more questions?")]
    count = "of one model" if len(models) == 1 else f"of {len(models):,} models, a column each"
    lines += [f"# A row for each question, with the answers {count}"]
    lines += [f"predictions given from {quoted(location)}", f"  id {written(question.name)}"]
    rows, repeats = rows_of_question(frame, columns, question, None)
    lines += rows
    named = [n if c.name == n else f"{n} as {written(c.name)}" for c, n in models]
    lines += [f"  correct {', '.join(named)}", ""]
    lines += ["# The share of the answers that are right"]
    measured = default_metric("classification")
    lines += [f"measure {measured}", ""]
    same_rows = Situation.SAME_ROWS if repeats else Situation.SAME_ROWS_RIGHT
    return [*lines, *paired([n for _, n in models], goal, same_rows, measured, "5%")]


def _is_feature(column: Column) -> bool:
    """Return whether a column of numbers outside objects may be one to learn from."""
    return (
        column.use is Use.FEATURE
        and column.kind is Kind.NUMBER
        and "." not in column.name
        and not names_question(column)
        and not names_replicate(column.name)
        and _last(column.name) not in REPEATS
        and named_metric(column.name) is None
    )


def _long_predictions(
    location: str,
    frame: Frame,
    columns: Sequence[Column],
    model: Column,
    goal: Goal,
    target: str | None,
) -> list[str] | None:
    rest = [c for c in columns if c is not model and not c.missing]
    truth = next((c for c in rest if c.name == target or (target is None and is_truth(c))), None)
    made = next((c for c in rest if c is not truth and predicted_name(c)), None)
    score = next((c for c in rest if c is not truth and score_name(c)), None)
    others = [replace(c, missing=0) for c in columns if c not in (model, truth, made, score)]
    right = right_column(others) or next(
        (c for c in others if _words(c.name) in SCORES and right_or_wrong(c)), None
    )
    word = None if right else next(filter(None, map(_right_word, others)), None)
    if word is not None:
        right = word[0]
    if model.levels == 0 or model.n < FEWEST_ROWS_EACH * model.levels:
        return None
    each = model.n / model.levels
    ids = [
        c
        for c in rest
        if c not in (truth, made, score)
        and (right is None or c.name != right.name)
        and (c.use in (Use.ID, Use.GROUP) or _last(c.name) in QUESTIONS)
        and c.levels > 1
    ]
    identifier = max(ids, key=lambda c: c.levels, default=None)
    if identifier is None or (
        right is None and (truth is None or (made is None and score is None))
    ):
        return None
    lines = [*head("Which model predicts best?")]
    lines += [f"# A row for each example of each of {model.levels:,} models"]
    lines += [f"predictions given from {quoted(location)}", f"  id {written(identifier.name)}"]
    runs = next((c for c in rest if names_replicate(c.name) or _last(c.name) in REPEATS), None)
    averaged = runs is not None and identifier.levels < each
    judged = truth is None or (made is None and score is None)
    if judged:
        rows, averaged = rows_of_question(frame, rest, identifier, model)
        lines += rows
    elif runs is not None and averaged:
        lines += [f"  # The example is the unit, with a row for each `{runs.name}`"]
        lines += [f"  {_clause_of(runs, truth)} {written(runs.name)}"]
    lines += [f"  model {written(model.name)}"]
    situation, margin = Situation.SAME_ROWS_RIGHT, "5%"
    if truth is None or judged:
        assert right is not None, "one of both is there"
        clause = f"correct {written(right.name)}"
        if word is not None:
            clause = f"correct all as {written(right.name)} = {quoted(word[1])}"
        lines += [f"  {clause}"]
        given = frame.values(right.name).is_not_null()
        if not given.all():
            lines += [f"  # Missing in {frame.n - int(given.sum()):,} rows"]
            lines += [f"  where {written(right.name)} is not missing"]
        answered = frame.cells.filter(given).select(model.name, identifier.name).n_unique()
        if answered < model.levels * identifier.levels:
            lines += ["  # Not every model has an answer to each question", "  rows common"]
        lines += ["", f"measure {default_metric('classification')}"]
        tested = default_metric("classification")
    else:
        classes, facts = truth.is_classes, facts_of(truth)
        lines += [f"  truth {written(truth.name)}"]
        lines += [f"  models all as {written(made.name)}"] if made is not None else []
        with_scores = score is not None and classes and truth.levels == 2
        lines += [f"  score {written(score.name)}"] if score is not None and with_scores else []
        lines += clauses_of_truth(truth)
        metrics, why = measures_for(facts, scores=with_scores)
        lines += ["", *comment(why), f"measure {', '.join(metrics)}"]
        situation, tested = facts.same_rows, metrics[0]
        margin = margin if classes else "1"
    if averaged:
        situation = Situation.SAME_ROWS
    if not judged and runs is not None and averaged and _clause_of(runs, truth) == "seed":
        situation = Situation.NETWORKS
    (test,) = first_for(HYPOTHESIS_TESTS, situation)
    if model.levels > 1 and goal != "estimate":
        holm = " holm" if model.levels > 2 else ""
        lines += ["", *comment("The models predict the same examples, which are paired")]
        lines += [f"compare with {test}{holm} by {tested}"]
    return lines


# --- tables of scores --------------------------------------------------------------------------


def _places(frame: Frame, columns: Sequence[Column], *, long: bool) -> _Places:
    fold = repeat = seed = None
    for column in columns:
        if column.levels < 2 or (long and column.levels == column.n):  # such as `run_id`
            continue
        if names_run(column.name) and seed is None and _last(column.name) != "run":
            seed = column
        elif named_by_tools(column.name, frame) is not None and fold is None:
            return _Places(
                fold=column,
                by_tools=True,
                dataset=_named([c for c in columns if c is not column], DATA_SETS, Kind.TEXT),
            )
        elif (names_fold(column.name) or _last(column.name) in RESAMPLES) and fold is None:
            fold = column
        elif names_replicate(column.name) and repeat is None:
            repeat = column
    found = {id(column) for column in (fold, repeat, seed) if column is not None}
    rest = [column for column in columns if id(column) not in found]
    metric = _named(rest, METRICS_COLUMNS, Kind.TEXT) if long else None
    return _Places(_named(rest, DATA_SETS, Kind.TEXT, Kind.NUMBER), fold, repeat, seed, metric)


def _long_scores(
    location: str, frame: Frame, columns: Sequence[Column], model: Column, goal: Goal
) -> list[str] | None:
    rest = [column for column in columns if column is not model]
    places = _places(frame, rest, long=True)
    numbers = [c for c in rest if c.kind is Kind.NUMBER and c not in places.all]
    score = next((c for c in numbers if _words(c.name) in SCORES), None)
    score = score or next((c for c in numbers if _is_of_catalogue(c.name)), None)
    score = score or (numbers[0] if len(numbers) == 1 and not numbers[0].whole else None)
    if score is None or not places.all:
        return None
    keys = [*places.all]
    further = [
        c
        for c in rest
        if c.kind is Kind.TEXT
        and c not in keys
        and c is not model
        and 1 < c.levels <= model.n // max(model.levels, 1)
    ]
    models = [model]
    for column in further:  # such as the options of an algorithm
        if _distinct(frame, [*keys, *models]):
            break
        models.append(column)
    if not _distinct(frame, [*keys, *models]):
        return None
    lines = [*_opening(location, places)]
    lines += [
        f"  model {', '.join(written(c.name) for c in models)}",
        f"  score {written(score.name)}",
    ]
    measured: list[str] = []
    if places.metric is not None:
        names = [_words(name) for name in _texts(frame, places.metric)]
        measured = [name for name in names if NAME.fullmatch(name)]
        known = [name for name in measured if named_metric(name) is not None]
        lines += [f"  metric {written(places.metric.name)}"]
        measured = known or measured
        lines += [] if known else _unknown_direction()
    else:
        other = [c.name for c in numbers if c is not score and _is_of_catalogue(c.name)]
        lines += _other_metrics("score", other) + _metric(score.name, location)
    n = frame.cells.select([c.name for c in models]).n_unique()
    return [*lines, "", *_measures(measured), *_compared(places, n, goal, measured)]


def _is_of_catalogue(name: str) -> bool:
    """Return whether a column is called by a metric, and not by a time or another quantity."""
    known = named_metric(name)
    negated = not {"neg", "negative"}.isdisjoint(_words(name).split("_"))
    return known is not None and (known.share or known.name is not None or negated)


def _wide_scores(
    location: str, frame: Frame, columns: Sequence[Column], goal: Goal
) -> list[str] | None:
    places = _places(frame, columns, long=False)
    named = [c for c in columns if c not in places.all and c.name]
    named = [c for c in named if not c.name.startswith("column_")]
    numbers = [c for c in named if c.kind is Kind.NUMBER]
    others = [c for c in named if c not in numbers]
    values = [frame.values(c.name).cast(pl.Float64, strict=False).drop_nulls() for c in numbers]
    high = max((float(v.max()) for v in values if len(v)), default=0.0)  # type: ignore[arg-type]
    shares = high <= 1 and all(float(v.min()) >= 0 for v in values if len(v))  # type: ignore[arg-type]
    if not places.all and len(others) == 1 and others[0].levels == frame.n:
        (key,) = others
        if names_unit(key.name) or (shares and any(map(named_metric, _names_in_file(location)))):
            places, others = _Places(dataset=key), []
    split = _models_and_metrics(numbers)
    if split is not None:
        metrics = list(dict.fromkeys(metric for _, metric in split))
        chosen = [k for k, (_, metric) in enumerate(split) if metric == metrics[0]]
        numbers = [numbers[k] for k in chosen]
    if others or len(numbers) < 2 or any(is_truth(c) for c in numbers) or not places.all:
        return None
    if not _distinct(frame, places.all) or all(c.whole for c in numbers):
        return None
    if not _alike(frame, numbers):
        return None
    lines = [*_opening(location, places)]
    if split is None:
        lines += [f"  models {', '.join(written(c.name) for c in numbers)}"]
        lines += _metric("", location, directed=shares)
    else:
        items = [
            f"{written(split[k][0])} as {written(c.name)}"
            for k, c in zip(chosen, numbers, strict=True)
        ]
        lines += [f"  models {', '.join(items)}"]
        lines += _other_metrics("models", metrics[1:]) + _metric(metrics[0], location)
    return [*lines, "", *_compared(places, len(numbers), goal, ())]


def _alike(frame: Frame, columns: Sequence[Column]) -> bool:
    """Return whether all columns are numbers of one size, as scores by one metric are."""
    if any(c.kind is not Kind.NUMBER for c in columns):
        return False
    medians = [frame.values(c.name).cast(pl.Float64, strict=False).median() for c in columns]
    sizes = [abs(float(m)) for m in medians if isinstance(m, int | float)]
    return len(sizes) == len(columns) and min(sizes) * WIDEST >= max(sizes)


def _models_and_metrics(columns: Sequence[Column]) -> list[tuple[str, str]] | None:
    """Return model and metric of each column where all are called so: `lda~RMSE`, `acc_rf`."""
    by_caret = [c.name.rpartition("~")[::2] for c in columns]
    parts = [BETWEEN.split(c.name, maxsplit=1) for c in columns]
    named = [(part[0], part[-1]) for part in parts if len(part) > 1]
    for found in (by_caret, named, [(model, metric) for metric, model in named]):
        pairs = [(m, metric) for m, metric in found if m and metric and named_metric(metric)]
        if len(pairs) != len(columns) or len(set(pairs)) < len(pairs):
            continue
        if len(pairs) == len({m for m, _ in pairs}) * len({m for _, m in pairs}):
            return pairs
    return None


def _other_metrics(clause: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [*_indented(f"For {listed(names)} name their columns in `{clause}`, and the metric")]


def _distinct(frame: Frame, keys: Sequence[Column]) -> bool:
    return frame.cells.select([c.name for c in keys]).n_unique() == frame.n


def _texts(frame: Frame, column: Column) -> list[str]:
    return [str(v) for v in frame.texts(column.name).unique(maintain_order=True).to_list()]


def _opening(location: str, places: _Places) -> Iterator[str]:
    yield from head("Which model is best?")
    yield "# Scores that were measured elsewhere"
    yield f"scores given from {quoted(location)}"
    if places.dataset is not None:
        yield f"  dataset {written(places.dataset.name)}"
    if places.fold is not None:
        yield f"  fold {written(places.fold.name)}"
        if _of_cv(places) and not places.by_tools and places.repeat is None:
            yield from _indented(
                f"`{places.fold.name}` is taken for the folds of one cross-validation; for random "
                "splits write `folds of holdout(test=1/3)` with the share of their test rows"
            )
            yield "  folds of cv"
    if places.repeat is not None:
        yield f"  repeat {written(places.repeat.name)}"
    if places.seed is not None:
        yield "  # Seeds are not a sample of data: their mean and spread are reported"
        yield f"  seed {written(places.seed.name)}"


def _of_cv(places: _Places) -> bool:
    """Return whether folds are those of cross-validation, as far as names tell."""
    if places.fold is None:
        return False
    return places.by_tools or places.repeat is not None or "fold" in places.fold.name.casefold()


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}" for line in comment(text))


def _metric(name: str, location: str, *, directed: bool = True) -> list[str]:
    """Return the lines that state the metric: by the name of a column, or of the file.

    The direction of other numbers than shares, which are not `directed`, is left open.
    """
    for given in (name, *_names_in_file(location)):
        known = named_metric(given) if given else None
        if known is not None:
            metric = given if given == name else known.name or given
            return [
                f"  # A {known.better} value of this metric is better",
                f"  metric {quoted(metric)}",
            ]
    return [*_unknown_direction(directed=directed), *([f"  metric {quoted(name)}"] if name else [])]


def _names_in_file(location: str) -> tuple[str, ...]:
    words = PurePosixPath(location).name.partition(".")[0].replace("-", "_").split("_")
    return (" ".join(words), *words)


def _unknown_direction(*, directed: bool = True) -> list[str]:
    lines = _indented(
        'The file does not tell the metric: name it, as in `metric "AUC"`, and write '
        "`lower is better` for errors and losses"
    )
    return [*lines, *(["  higher is better"] if directed else [])]


def _measures(metrics: Sequence[str]) -> list[str]:
    return [f"measure {', '.join(metrics)}", ""] if metrics else []


def _compared(places: _Places, models: int, goal: Goal, metrics: Sequence[str]) -> Iterator[str]:
    """Iterate over the line that compares the models, or the reason why none does."""
    if models < 2 or goal == "estimate":
        return
    by = f" by {metrics[0]}" if len(metrics) > 1 else ""
    holm = " holm" if models > 2 else ""
    several = 1 if places.dataset is None else places.dataset.levels
    if several >= (FEWEST_DATA_SETS if _of_cv(places) else 2):
        test = test_over_data()
        if models > 2:
            both = next(
                e
                for e in HYPOTHESIS_TESTS
                if e.declaration.across_data and e.declaration.followed_by
            )
            test = f"{both.name} then {test}{holm}"
        yield from comment("The data sets are the sample: would the ranks hold on further ones?")
        yield f"compare across data with {test}{by}"
    elif places.fold is not None and _of_cv(places):
        (test,) = first_for(HYPOTHESIS_TESTS, Situation.OVERLAPPING_FOLDS)
        yield from comment(
            "The scores of folds overlap in their training rows, which this test allows for"
        )
        yield f"compare with {test}{holm}{by}"
    elif places.fold is not None or places.repeat is not None:
        name = (places.fold or places.repeat or places.all[0]).name
        yield from comment(
            f"No test: what `{name}` numbers is unknown. For random splits write `folds of "
            "holdout(test=1/3)` above, with the share of their test rows, and `compare with "
            "corrected_t` here"
        )
    else:
        yield from comment("No test: seeds share their data, and show how training varies alone")


def candidates(columns: Sequence[Column]) -> str | None:
    """Return why a table of predictions needs its truth named, None for other tables."""
    made = [c.name for c in columns if predicted_name(c) or score_name(c)]
    if not made:
        return None
    verb = "looks" if len(made) == 1 else "look"
    return f"{listed(made)} {verb} like predictions"


# --- predictions, a column for each model ------------------------------------------------------


def _clause_of(runs: Column, truth: Column | None) -> str:
    """Return the clause of a column of runs.

    Seeds name trained networks, which are compared by means over examples; the measure of a rare
    class is not one.
    """
    rare = truth is not None and facts_of(truth).found is Situation.RARE_CLASS
    return "seed" if names_seed(runs.name) and not rare else "repeat"


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
        word = "reader" if names_reader(runs.name) else _clause_of(runs, truth)
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
    names = [_model(number, column) for number, column in enumerate(made, start=1)]
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
    if runs is not None and _clause_of(runs, truth) == "seed":
        same_rows = Situation.NETWORKS
    same_rows = same_rows if series is None else Situation.TIME
    yield from paired([name for name, _ in names], goal, same_rows, metrics[0], margin)


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
