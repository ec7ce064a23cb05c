"""The columns of predictions: labels, scores, and outcomes that count as right or wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import scipy
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import check_column, missing_line
from evallang.data.column_types import Kind
from evallang.data.dataset import GivenModel, Label, PredictionsSpec, ScorePattern
from evallang.data.findings import (
    Findings,
    Refused,
    Stopped,
    counted,
    model_column,
    quoted,
    written,
)
from evallang.data.frame import Frame
from evallang.data.labels import EXACT, as_number, classes_of, find_label, short_codes
from evallang.data.magnitudes import check_sizes, check_whole_numbers
from evallang.data.odd_values import recoded, spelled_alike, warn_of_numbers
from evallang.data.row_filters import holds
from evallang.data.target import Target, positive_label
from evallang.diagnostics import codes
from evallang.limits import LARGEST_NUMBER
from evallang.spelling import closest


class Scores(Struct, frozen=True):
    """Scores of one model: (n,) for the positive class, or (n, number of classes).

    Of numbers they are the bounds of its prediction intervals (n, 2).
    """

    array: "NDArray[np.float64]"
    probabilities: bool


class ModelOutcomes(Struct):
    """The predictions, scores and values of the models, as they are read."""

    predictions: "dict[str, NDArray[Any]]" = field(default_factory=dict)
    scores: "dict[str, NDArray[np.float64]]" = field(default_factory=dict)
    probabilities: set[str] = field(default_factory=set)
    correct: "dict[str, NDArray[np.bool_]]" = field(default_factory=dict)
    values: "dict[str, NDArray[np.float64]]" = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    answered: "dict[str, NDArray[np.bool_]]" = field(default_factory=dict)


def read_correctness(
    spec: PredictionsSpec,
    frame: Frame,
    model: GivenModel,
    answers: ModelOutcomes,
    findings: Findings,
) -> None:
    """Read the judged outcomes of one model into the answers."""
    keyword = f"{spec.judged or 'correct'} {model.name}"
    column = model.column or model.name
    if spec.log is not None and column in frame.columns and frame.missing_rows(column):
        scored = frame.cells[column].is_not_null()
        answers.answered[model.name] = scored.to_numpy()
        frame = replace(
            frame, cells=frame.cells.with_columns(pl.col(column).fill_null(0)), _typed={}
        )
    if spec.judged == "value":
        with findings.catching():
            values = measured_column(frame, column, model.name, keyword, findings)
            answers.values[model.name] = values
        if model.denominator is not None:
            _read_denominators(frame, model, model.denominator, answers, findings)
        return
    _check_present(frame, column, model.name, keyword)
    if model.right is not None:
        right_rows = holds(frame, replace(model.right, column=column))
        answers.correct[model.name] = np.array(right_rows.to_numpy(), dtype=np.bool_)
        return
    cells = frame.values(column)
    distinct = cells.unique().to_list()
    verdicts = {value: _verdict(value) for value in distinct}
    if any(verdict not in (0, 1) for verdict in verdicts.values()):
        odd = [row for row, value in enumerate(cells.to_list()) if verdicts[value] not in (0, 1)]
        texts = frame.texts(column)
        found = texts[odd[0]]
        message = (
            f"{model_column(column, model.name)} is neither right nor wrong in "
            f"{frame.place(odd[0])}: it contains {found!r}"
        )
        shown = "all" if spec.log is not None else written(model.name)
        help_text = (
            f'write `value "NAME" {shown}` for numbers between right and wrong'
            if as_number(found) is not None
            else "write 1 or true where the model is right, 0 or false where it is wrong"
        )
        words = [str(value) for value in distinct if verdicts[value] is None]
        if spec.log is None and words:
            affirmed = [word for word in words if word.strip().casefold() in AFFIRMED]
            whose = "all" if spec.model else written(model.name)
            named = written(column.removesuffix(f" in {model.name}"))
            means = written(affirmed[0]) if len(affirmed) == 1 else "VALUE"
            help_text += f", or say what is right: `correct {whose} as {named} = {means}`"
        if all(text in VERDICTS for text in texts.unique().to_list()):
            help_text += "; of the letters of Inspect AI C means right, and I and N mean wrong"
        raise Refused(codes.judgement_is_not_right_or_wrong, message, keyword, help=help_text)
    right = [value for value in distinct if verdicts[value] == 1]
    answers.correct[model.name] = np.array(cells.is_in(right).to_numpy(), dtype=np.bool_)


def _verdict(value: Any) -> float | None:
    """Return the number of a verdict; `true` is 1, also as text among other values."""
    word = value.strip().casefold() if isinstance(value, str) else None
    return {"true": 1.0, "false": 0.0}.get(word or "", as_number(value))


def _read_denominators(
    frame: Frame, model: GivenModel, column: str, answers: ModelOutcomes, findings: Findings
) -> None:
    """Read the denominators of a ratio, which become scores (n, 2) with its numerators."""
    keyword = f"value {model.name}"
    numbers = measured_column(frame, column, model.name, keyword, findings)
    negative = np.flatnonzero(numbers < 0).tolist()
    if negative or not numbers.any():
        where = f"negative in {frame.places(negative)}: {numbers[negative[0]]:g}" if negative else (
            "0 in every row"
        )  # fmt: skip
        message = f"{model_column(column, model.name)} is a denominator, and {where}"
        fix = "name the column of what is counted, such as words, and not of a difference"
        raise Refused(codes.unusable_denominator, message, keyword, help=fix)
    if model.name in answers.values:
        answers.scores[model.name] = np.column_stack((answers.values[model.name], numbers))


class Ratings(Struct, frozen=True):
    """The labels that judges, and humans, gave; see `Table` for the fields."""

    classes: tuple[str, ...]
    class_values: tuple[Label, ...]
    positive: int | None
    notes: tuple[str, ...]


def read_ratings(
    spec: PredictionsSpec, frame: Frame, models: Sequence[GivenModel], answers: ModelOutcomes
) -> Ratings:
    """Read the ratings of judges into the answers: codes, and numbers where all are (n, J).

    A panel is one model. With a truth, each judge has two ratings: its own and that of humans.
    What is missing has the code -1, and is NaN among the numbers.
    """
    columns: dict[str, tuple[str, ...]] = {}
    for model in models:
        own = model.column or model.name
        pair = (own,) if spec.truth is None else (own, spec.truth)
        columns[model.name] = model.scores if isinstance(model.scores, tuple) else pair
    named = list(dict.fromkeys(column for some in columns.values() for column in some))
    for column in named:
        keyword = "truth" if column == spec.truth else "judges"
        check_column(frame, column, keyword)
        if len(frame.missing_rows(column)) == frame.n:
            raise Refused(
                codes.missing_prediction,
                f"`{column}` is missing in every row",
                keyword,
                help="name a column with ratings",
            )
    numeric = all(frame.kind(column) is Kind.NUMBER for column in named)
    given = [
        frame.values(column).cast(pl.Float64) if numeric else frame.texts(column)
        for column in named
    ]
    every = pl.concat([series.alias("rating") for series in given])
    found = classes_of(every.drop_nulls())
    coded = np.full(len(every), -1)
    coded[every.is_not_null().to_numpy()] = found.codes
    of_column = dict(zip(named, coded.reshape(len(named), -1), strict=True))
    numbers = [as_number(value) for value in found.texts]
    values = np.array([*(numbers if None not in numbers else range(len(numbers))), np.nan])
    for name, some in columns.items():
        ratings = np.column_stack([of_column[column] for column in some])
        answers.predictions[name] = ratings
        answers.scores[name] = values[ratings].astype(np.float64)
    positive, notes = positive_label(spec, " and ".join(named), found.texts, found.values)
    gaps = [(column, len(frame.missing_rows(column))) for column in named]
    lacking = tuple(f"{column} is missing in {counted(n, 'row')}" for column, n in gaps if n)
    return Ratings(found.texts, found.values, positive, (*notes, *lacking))


def read_model(
    frame: Frame,
    model: GivenModel,
    target: Target,
    answers: ModelOutcomes,
    findings: Findings,
) -> None:
    """Read labels and scores of one model into the answers.

    Labels are compared as text; `1`, `1.0` and `true` are equal only where the truth and the
    labels are numbers or Booleans. A label that never occurs in the truth gets the code -1.
    """
    scores = findings.tried(read_model_scores, frame, model, target, findings)
    if scores is not None:
        answers.scores[model.name] = scores.array
        if scores.probabilities:
            answers.probabilities.add(model.name)
    if model.column is None:
        if scores is not None:
            implied, rule = labels_from_scores(scores, model, target)
            answers.predictions[model.name] = implied
            answers.notes.append(rule)
        elif model.score is None and model.scores is None and model.range is None:
            raise Refused(
                codes.model_without_predictions,
                f"`{model.name}` has a threshold, but neither scores nor a column of labels",
                f"threshold {model.name}",
                help=f"write `score {written(model.name)} = COLUMN` for its scores"
                if target.task == "classification"
                else f"write `models {written(model.name)} as COLUMN`, without a threshold",
            )
        return
    if model.threshold is not None:
        message = f"`{model.name}` has a threshold, but the file contains its labels already"
        findings.add(
            codes.threshold_beside_labels,
            message,
            f"threshold {model.name}",
            help=f"remove `threshold {model.name}`, or the column of labels",
        )
    predicted = _predicted(frame, model, model.column, target, findings)
    answers.predictions[model.name] = predicted
    if scores is not None:
        _check_direction(frame, scores, predicted, model, target, findings)


def _predicted(
    frame: Frame,
    model: GivenModel,
    column: str,
    target: Target,
    findings: Findings,
) -> "NDArray[Any]":
    keyword = f"models {model.name}"
    if target.task == "regression":
        return measured_column(frame, column, model.name, keyword, findings)
    _check_present(frame, column, model.name, keyword)
    numeric = (Kind.NUMBER, Kind.BOOLEAN)
    of_truth = all(
        not isinstance(value, str) and abs(value) <= EXACT for value in target.class_values
    )
    if of_truth and frame.kind(column) in numeric:
        predicted = _places(frame.values(column), target.class_values)
    else:
        predicted = _coded(_spelled(frame, column, target), target.classes)
    unseen = np.flatnonzero(predicted < 0)
    if len(unseen):
        _check_labels(predicted, unseen, frame, column, model, target, findings)
    return predicted


def _spelled(frame: Frame, column: str, target: Target) -> "pl.Series":
    """Return predicted labels in the spelling of the truth; true and false in lower case."""
    if all(isinstance(value, bool) for value in target.class_values):
        lower = frame.texts(column).str.to_lowercase()
        return pl.select(pl.when(lower.is_in(["true", "false"])).then(lower).otherwise(
            frame.texts(column))).to_series()  # fmt: skip
    if frame.kind(column) is Kind.BOOLEAN and frame.cells[column].dtype == pl.String:
        return frame.cells[column]
    return frame.texts(column)


def _coded(texts: "pl.Series", classes: Sequence[str]) -> "NDArray[Any]":
    """Return the place of each text among the classes; -1 where it is not one of them."""
    coded = texts.cast(pl.Enum(classes), strict=False).to_physical().cast(pl.Int64)
    return short_codes(coded.fill_null(-1).to_numpy(), len(classes))


def _places(column: "pl.Series", labels: Sequence[Label]) -> "NDArray[Any]":
    """Return the place of each number among the rising labels; -1 where it is not one of them."""
    values = np.array([float(label) for label in labels])
    numbers = column.cast(pl.Float64).to_numpy()
    places = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    return short_codes(np.where(values[places] == numbers, places, -1), len(values))


def _check_labels(
    predicted: "NDArray[Any]",
    unseen: "NDArray[np.intp]",
    frame: Frame,
    column: str,
    model: GivenModel,
    target: Target,
    findings: Findings,
) -> None:
    """Report labels that the truth never has, or refuse them where no other is predicted."""
    labels = frame.texts(column)[unseen].unique().sort().to_list()
    alike = {spelled_alike(label): label for label in target.classes}
    near = next(
        (w for x in labels if (w := alike.get(spelled_alike(x)) or closest(x, target.classes))),
        None,
    )
    name = written(model.name)
    known_labels = f"the labels are {quoted(target.classes, 12)}"
    if len(unseen) == len(predicted):
        raise Refused(
            codes.no_predicted_label_is_true,
            f"{model_column(column, model.name)} contains {quoted(labels)}, none of which is a "
            "label of the truth",
            f"models {model.name}",
            help=f"write `models {name}` without a column and `score {name} = {written(column)}` "
            "if these are scores; "
            f"{known_labels}"
            if frame.kind(column) is Kind.NUMBER
            else f"spell labels as in the truth; {known_labels}",
        )
    seen = pl.Series(target.classes).gather(np.maximum(predicted, 0))
    texts = pl.select(pl.when(pl.Series(predicted >= 0)).then(seen).otherwise(frame.texts(column)))
    if recoded(target.y, texts.to_series(), target.classes, frame.times):
        found = set(predicted.tolist())
        never = [label for code, label in enumerate(target.classes) if code not in found]
        raise Refused(
            codes.labels_coded_otherwise,
            f"`{model.name}` never predicts {quoted(never)}, and predicts {quoted(labels)}, which "
            "the truth never contains",
            f"models {model.name}",
            help=f"write the labels of the truth in the column `{column}`: {known_labels}",
        )
    rows = counted(frame.count(unseen), "row")
    findings.add(
        codes.predicted_label_never_true,
        f"`{model.name}` predicts {quoted(labels)} in {rows}, counted as "
        f"wrong because the truth never contains {'it' if len(labels) == 1 else 'them'}",
        f"models {model.name}",
        help=f"did you mean `{near}`? {known_labels}" if near else known_labels,
    )


def _check_direction(
    frame: Frame,
    scores: Scores,
    predicted: "NDArray[np.int64]",
    model: GivenModel,
    target: Target,
    findings: Findings,
) -> None:
    """Warn when the score of a class is higher on average where the model predicts another."""
    if scores.array.ndim == 2 and target.task == "classification" and frame.times is None:
        _check_columns(scores.array, predicted, model, target, findings)
    if scores.array.ndim != 1 or target.positive is None:
        return
    positive = predicted == target.positive
    sums, total_n = scores.array, len(positive)
    n = int(positive.sum())
    if frame.times is not None and frame.score_sums is not None and model.score is not None:
        sums, total_n = frame.score_sums[model.score], frame.n
        n = frame.count(np.flatnonzero(positive))
    if n in (0, total_n):
        return
    largest = float(np.abs(sums).max())
    if largest > LARGEST_NUMBER:  # their sum might overflow
        sums = sums / largest
    total = float(sums.sum())
    there = float(sums @ positive.astype(np.float64))
    if there / n < (total - there) / (total_n - n):
        name = target.classes[target.positive]
        findings.add(
            codes.score_of_the_other_class,
            f"the score of `{model.name}` is higher on average where it does not predict `{name}`",
            f"score {model.name}",
            help=f"name the column that contains the score of `{name}`",
        )


def _check_columns(
    scores: "NDArray[np.float64]",
    predicted: "NDArray[np.int64]",
    model: GivenModel,
    target: Target,
    findings: Findings,
) -> None:
    """Warn when columns of scores belong to other classes than those they are named for."""
    wrong = [
        name
        for code, name in enumerate(target.classes)
        if FEWEST_PREDICTED <= (n := int((there := predicted == code).sum())) < len(predicted)
        and n * scores[~there, code].mean() > scores[there, code].sum()
    ]
    if wrong:
        findings.add(
            codes.score_of_the_other_class,
            f"the score{'' if len(wrong) == 1 else 's'} of {quoted(wrong)} of `{model.name}` "
            f"{'is' if len(wrong) == 1 else 'are'} higher on average where another label is "
            "predicted",
            f"scores {model.name}",
            help=f"name the column of each label: `scores {written(model.name)} = "
            "{LABEL: COLUMN, ...}`",
        )


FEWEST_PREDICTED = 5  # rows with a label, of which a mean says something
ROUNDED = 0.05  # probabilities that are outside 0 and 1 by less were rounded
PERCENT = 100.0
SUM_TOLERANCE = 0.01 + 1e-9  # of three probabilities with two decimals, or more with three
PROBABILITY_THRESHOLD = 0.5
ONE_COLUMN_EACH = (
    'write one column of numbers for each label, such as `p_yes` and `p_no`, and `"p_*"` for them'
)
MARGIN_THRESHOLD = 0.0


def read_model_scores(
    frame: Frame, model: GivenModel, target: Target, findings: Findings
) -> Scores | None:
    """Read the scores of a model; None without scores.

    They are probabilities when all lie between 0 and 1 and, with a column for each label,
    sum to 1 within 0.01.
    """
    if model.range is not None:
        return _bounds(frame, model, target, findings)
    if model.score is None and model.scores is None:
        return None
    word = "logits" if model.logits else "score" if model.score is not None else "scores"
    keyword = f"{word} {model.name}"
    if target.task == "regression":
        message = f"`{model.name}` has scores, but the truth contains numbers"
        fix = f"write `models {written(model.name)} as COLUMN` for the numbers it predicts"
        raise Refused(codes.scores_do_not_fit_labels, message, keyword, help=fix)
    if model.score is not None:
        if target.positive is None:
            raise Refused(
                codes.scores_do_not_fit_labels,
                f"`{model.name}` has one score, but the truth has {len(target.classes)} labels",
                keyword,
                help=f"write `scores {written(model.name)} = [...]` with a column for each of "
                f"{quoted(target.classes, 12)}",
            )
        column = number_column(frame, model.score, model.name, keyword, findings)
        return Scores(column, bool(((column >= 0) & (column <= 1)).all()))
    given = model.scores
    whole = given.columns.get(given.text) if isinstance(given, ScorePattern) else None
    if whole is not None and frame.kind(whole) is Kind.OTHER:
        block = _lists(frame, whole, model, target, keyword)
    elif whole is not None and model.logits and target.positive is not None:
        logits = number_column(frame, whole, model.name, keyword, findings)
        return Scores(scipy.special.expit(logits), probabilities=True)
    else:
        if whole is not None and frame.kind(whole) is not Kind.NUMBER:
            number_column(frame, whole, model.name, keyword, findings)
        columns = _label_columns(model, target)
        block = _number_columns(frame, columns, model, keyword, findings)
    if model.logits:
        return Scores(scipy.special.softmax(block, axis=1), probabilities=True)
    return Scores(block, _are_probabilities(block, frame, model, findings))


def _lists(
    frame: Frame, column: str, model: GivenModel, target: Target, keyword: str
) -> "NDArray[np.float64]":
    """Return the numbers of a column with a list in each cell (n, number of classes)."""
    _check_present(frame, column, model.name, keyword)
    cells = frame.cells[column]
    found = cells.to_list()
    if cells.dtype == pl.Binary:  # of JSON
        found = [json.loads(cell) for cell in found]
    n = len(target.classes)
    for row, numbers in enumerate(found):
        plain = isinstance(numbers, list) and all(isinstance(x, int | float) for x in numbers)
        if not plain or len(numbers) != n or not np.isfinite(numbers).all():
            raise Refused(
                codes.scores_do_not_fit_labels,
                f"{model_column(column, model.name)} is not a list of {n} finite numbers in "
                f"{frame.place(row)}",
                keyword,
                help=f"write in each list a number for each of {quoted(target.classes, 12)}, in "
                "this order",
            )
    return np.array(found, dtype=np.float64)


def _number_columns(
    frame: Frame, columns: Sequence[str], model: GivenModel, keyword: str, findings: Findings
) -> "NDArray[np.float64]":
    """Return several columns of numbers (n, columns), after what is wrong with any of them."""
    read = [
        findings.tried(number_column, frame, name, model.name, keyword, findings)
        for name in columns
    ]
    found = [column for column in read if column is not None]
    if len(found) < len(read):
        raise Stopped
    return np.column_stack(found)


def _bounds(frame: Frame, model: GivenModel, target: Target, findings: Findings) -> Scores:
    """Read the lower and upper bound of each prediction interval."""
    keyword = f"range {model.name}"
    if target.task != "regression":
        raise Refused(
            codes.scores_do_not_fit_labels,
            f"`{model.name}` has a range, but the truth contains labels",
            keyword,
            help=f"write `score {written(model.name)} = COLUMN` for a score of the positive class",
        )
    bounds = _number_columns(frame, model.range or (), model, keyword, findings)
    for name, numbers in zip(model.range or (), bounds.T, strict=True):
        check_sizes(frame, numbers, model_column(name, model.name), keyword)
    low, high = bounds.T
    crossed = np.flatnonzero(low > high).tolist()
    if crossed:
        row, every = crossed[0], len(crossed) == len(low)
        where = "every row" if every else frame.places(crossed)
        raise Refused(
            codes.bounds_in_wrong_order,
            f"the range of `{model.name}` has a lower bound above its upper bound in "
            f"{where}: {low[row]:g} and {high[row]:g}",
            keyword,
            help="exchange the two columns" if every else "sort the two bounds of these rows",
        )
    return Scores(bounds, probabilities=False)


def labels_from_scores(
    scores: Scores, model: GivenModel, target: Target
) -> tuple["NDArray[Any]", str]:
    """Return the labels that scores imply, and the rule in words.

    Of a prediction interval, the number in its middle.

    One score, or two labels with a threshold: positive from the threshold on (0.5 for
    probabilities, 0 for margins). A score a label: the largest, the first of equal ones.
    """
    array, positive = scores.array, target.positive
    if model.range is not None:
        return array.mean(axis=1), f"{model.name}: predicts the middle of its range"
    if array.ndim == 2 and (model.threshold is None or positive is None):
        if model.threshold is not None:
            raise Refused(
                codes.threshold_beside_labels,
                f"`{model.name}` has a threshold, but its label is that of the largest of "
                f"{array.shape[1]} scores",
                f"threshold {model.name}",
                help=f"remove `threshold {model.name}`",
            )
        largest = short_codes(array.argmax(axis=1), array.shape[1])  # the first of equal ones
        return largest, f"{model.name}: label of largest score"
    threshold = model.threshold
    origin = ""
    if threshold is None:
        threshold = PROBABILITY_THRESHOLD if scores.probabilities else MARGIN_THRESHOLD
        origin = ", the default for " + ("probabilities" if scores.probabilities else "margins")
    code = 1 if positive is None else positive
    single = array if array.ndim == 1 else array[:, code]
    labels = np.where(single >= threshold, np.int8(code), np.int8(1 - code))
    name = target.classes[code]
    return labels, f"{model.name}: label {name} where the score is at least {threshold:g}{origin}"


VERDICTS = ("C", "I", "N", "P")
AFFIRMED = frozenset({"c", "correct", "ok", "pass", "passed", "right", "success", "y", "yes"})
"""Words of a right answer, in small letters."""


def _check_present(frame: Frame, column: str, model: str, keyword: str) -> None:
    """Refuse a column of a model that does not exist or lacks a value."""
    check_column(frame, column, keyword)
    if missing := frame.missing_rows(column):
        common = " and `rows common`" if frame.rows_by is not None else ""
        raise Refused(
            codes.missing_prediction,
            f"{model_column(column, model)} is missing in {frame.places(missing)}",
            keyword,
            help=f"fill them in, or write `where {written(frame.name_in_file(column))} is not "
            f"missing`{common} to exclude these rows for all models{frame.keep_words(column)}",
        )


def number_column(
    frame: Frame, column: str, model: str, keyword: str, findings: Findings
) -> "NDArray[np.float64]":
    """Return a column of finite numbers without gaps as float64."""
    _check_present(frame, column, model, keyword)
    if frame.kind(column) not in (Kind.NUMBER, Kind.BOOLEAN):
        where = frame.first_non_number(column)
        message = f"{model_column(column, model)} must contain numbers but contains {where}"
        fix = _suggest_numbers(frame, column, model, keyword)
        raise Refused(codes.prediction_not_numeric, message, keyword, help=fix)
    numbers = frame.values(column).cast(pl.Float64).to_numpy(writable=True)
    if not np.isfinite(numbers).all():
        infinite = np.flatnonzero(~np.isfinite(numbers)).tolist()
        message = f"{model_column(column, model)} is infinite in {frame.places(infinite)}"
        fix = "write a finite number, or exclude such rows for all models by `where`"
        raise Refused(codes.infinite_value, message, keyword, help=fix)
    what = model_column(column, model)
    warn_of_numbers(frame, column, keyword, findings)
    check_whole_numbers(frame, column, what, keyword)
    return numbers


def _suggest_numbers(frame: Frame, column: str, model: str, keyword: str) -> str:
    """Return how to get numbers out of a column of other values."""
    if frame.kind(column) is Kind.OTHER:
        return ONE_COLUMN_EACH
    if frame.kind(column) is Kind.TEXT:
        texts = frame.texts(column).drop_nulls().unique()
        odd = texts.filter(texts.cast(pl.Float64, strict=False).is_null()).sort().to_list()
        if odd and all(text.startswith("[") for text in odd):
            return ONE_COLUMN_EACH
        if any(sign.isdigit() for text in odd for sign in text):
            return "write plain numbers such as 0.1, without signs and units"
        if len(odd) < len(texts):
            return (
                f"write `{missing_line(frame, odd)}` if the numbers of these rows are not known, "
                f"and `where {written(frame.name_in_file(column))} is not missing` to exclude them "
                "for all models"
            )
    as_labels = f", or write `models {written(model)} as {written(column)}` if these are labels"
    return f"name a column of numbers{as_labels if keyword.startswith('score') else ''}"


def measured_column(
    frame: Frame, column: str, model: str, keyword: str, findings: Findings
) -> "NDArray[np.float64]":
    """Return a column of numbers that are subtracted and squared."""
    numbers = number_column(frame, column, model, keyword, findings)
    check_sizes(frame, numbers, model_column(column, model), keyword)
    return numbers


def _label_columns(model: GivenModel, target: Target) -> list[str]:
    """Return the columns of a model's scores in the order of the labels.

    A label may be spelled as another number that equals it: `p_1` for the label 1.0.
    """
    given, classes, keyword = model.scores, target.classes, f"scores {model.name}"
    labels = quoted(classes, 12)
    assert not isinstance(given, str), "reading ties a pattern to a file"
    if isinstance(given, ScorePattern):
        before, star, after = given.text.partition("*")
        if not star:
            message = f"`{model.name}` has the one column `{given.text}` for the labels {labels}"
            fix = (
                f"write `score {written(model.name)} = {written(given.text)}` for one score of the "
            )
            fix = f"{fix}positive label" if len(classes) == 2 else ONE_COLUMN_EACH
            raise Refused(codes.scores_do_not_fit_labels, message, keyword, help=fix)
        named: Mapping[str, str] = {
            name[len(before) : len(name) - len(after)]: given.columns[name] for name in given.found
        }
    elif isinstance(given, Mapping):
        named = given
    elif len(given or ()) == len(classes):
        named = dict(zip(classes, given or (), strict=True))
    else:
        message = f"`{model.name}` has {counted(len(given or ()), 'column')} of scores for the "
        message += f"{len(classes)} labels {labels}"
        fix = "name one column for each label, in this order"
        raise Refused(codes.scores_do_not_fit_labels, message, keyword, help=fix)
    others: dict[int | None, set[str]] = {}
    for label, column in named.items():
        code = None if label in classes else find_label(label, target.class_values)
        if code is None and label not in classes and isinstance(given, Mapping):
            what = f"`{label}`" if label else "an empty label"
            message = f"`{model.name}` has a score for {what}, which is not one of the labels "
            fix = f", or include rows with the label `{label}`" if label else ""
            fix = f"name one score for each of these{fix}"
            raise Refused(codes.scores_do_not_fit_labels, message + labels, keyword, help=fix)
        others.setdefault(code, set()).add(column)
    columns = [
        named.get(label) or (own.pop() if len(own := others.get(code, set())) == 1 else None)
        for code, label in enumerate(classes)
    ]
    lacking = [label for label, column in zip(classes, columns, strict=True) if column is None]
    if lacking and isinstance(given, ScorePattern):
        names = [given.text.replace("*", label, 1) for label in lacking]
        noun = "column" if len(lacking) == 1 else "columns"
        message = f"`{given.text}` finds no {noun} {quoted(names)}"
        fix = "the star is replaced by a label; write a list, or a map of labels to columns"
        raise Refused(codes.scores_do_not_fit_labels, message, keyword, help=fix)
    if lacking:
        message = f"`{model.name}` has no score for {quoted(lacking)}"
        raise Refused(
            codes.scores_do_not_fit_labels, message, keyword, help="name one score for each label"
        )
    return [column for column in columns if column is not None]


def _are_probabilities(
    block: "NDArray[np.float64]", frame: Frame, model: GivenModel, findings: Findings
) -> bool:
    if block.min(initial=0) < 0 or block.max(initial=0) > 1:
        return False
    off = np.flatnonzero(np.abs(block.sum(axis=1) - 1) > SUM_TOLERANCE).tolist()
    if off:
        findings.add(
            codes.scores_do_not_sum_to_one,
            f"the scores of `{model.name}` lie between 0 and 1, and in {counted(len(off), 'row')} "
            f"their sum is not 1: in {frame.place(off[0])} it is {block[off[0]].sum():.4g}",
            f"scores {model.name}",
            help=f"{_suggest_sums(block, model)}; with these scores `log_loss` and `brier` cannot "
            "be computed",
        )
    return not off


def _suggest_sums(block: "NDArray[np.float64]", model: GivenModel) -> str:
    """Return how to get scores between 0 and 1 whose sum is 1."""
    given = model.scores
    if isinstance(given, ScorePattern) and len(given.found) > block.shape[1]:
        return (
            f"`{given.text}` has {len(given.found)} columns and the truth {block.shape[1]} labels: "
            "include rows of every label, or write the probabilities among these labels alone"
        )
    return suggest_probabilities(block)[1]


def suggest_probabilities(scores: "NDArray[np.float64]") -> tuple[str, str]:
    """Return what scores look like that are not probabilities, and how to get some."""
    low, high = float(scores.min()), float(scores.max())
    if low >= 0 and high <= 1:
        off = float(np.abs(scores.sum(axis=1) - 1).max())
        rounded = any(
            np.allclose(scores, scores.round(decimals), rtol=0, atol=1e-9)
            and off <= scores.shape[1] * 0.5 * 10**-decimals + 1e-9
            for decimals in (1, 2, 3)
        )
        fix = "write probabilities of all labels, such as a softmax, in place of separate scores"
        fix = "write the probabilities with more decimals" if rounded else fix
        return "their sum is not 1 in every row", fix
    beyond = int(np.count_nonzero((scores < 0) | (scores > 1)))
    ends = f"from {low:.8g} to {high:.8g}"
    if low >= -ROUNDED and high <= 1 + ROUNDED:
        verb = "lies" if beyond == 1 else "lie"
        what = f"{counted(beyond, 'score')} of {scores.size:,} {verb} outside 0 and 1 ({ends})"
        return what, "write 0 for less than 0 and 1 for more than 1 in the file"
    if low >= 0 and high <= PERCENT:
        return f"they go {ends}, like percents", "divide them by 100 in the file"
    apply = "1 / (1 + exp(-x))" if scores.ndim == 1 else "the softmax of each row"
    return f"they go {ends}, like logits", f"write {apply} in the file if they are"
