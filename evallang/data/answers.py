"""What models said, read from the columns of a file: labels, scores, judged outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evallang.data.codes import UNKNOWN_COLUMN
from evallang.data.dataset import GivenModel, Label, PredictionsSpec
from evallang.data.findings import Findings, counted, of_model, quoted, written
from evallang.data.frame import Frame
from evallang.data.kinds import Kind
from evallang.data.labels import EXACT, as_number
from evallang.data.model_scores import (
    Scores,
    labels_from_scores,
    number_column,
    read_model_scores,
    without_gaps,
)
from evallang.data.outcome_codes import (
    MISSING_PREDICTION,
    NO_LABEL_IS_TRUE,
    NO_LABELS,
    NOT_JUDGED,
    SCORE_OF_OTHER_CLASS,
    THRESHOLD_WITHOUT_USE,
    UNSEEN_LABEL,
)
from evallang.data.roles import known
from evallang.data.target import Target
from evallang.registry import lazy
from evallang.spelling import closest

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")


MOST_LOOKED_UP = 1 << 16  # between the least and the greatest label of a table of places


@dataclass
class Answers:
    """What the models said, as it is being read."""

    predictions: "dict[str, NDArray[Any]]" = field(default_factory=dict)
    scores: "dict[str, NDArray[np.float64]]" = field(default_factory=dict)
    probabilities: set[str] = field(default_factory=set)
    correct: "dict[str, NDArray[np.bool_]]" = field(default_factory=dict)
    values: "dict[str, NDArray[np.float64]]" = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_judged(
    spec: PredictionsSpec,
    frame: Frame,
    model: GivenModel,
    answers: Answers,
    findings: Findings,
) -> None:
    """Read the judged outcomes of one model into the answers."""
    keyword = f"{spec.judged or 'correct'} {model.name}"
    column = model.column or model.name
    if spec.judged == "value":
        values = number_column(frame, column, model.name, keyword, findings)
        if values is not None:
            answers.values[model.name] = values
        return
    if not known(frame, column, keyword, findings):
        return
    if missing := frame.missing_rows(column):
        message = f"{of_model(column, model.name)} is missing in {frame.places(missing)}"
        findings.add(MISSING_PREDICTION, message, keyword, help=without_gaps(column))
        return
    cells = frame.values(column)
    distinct = cells.unique().to_list()
    verdicts = {value: as_number(value) for value in distinct}
    if any(verdict not in (0, 1) for verdict in verdicts.values()):
        odd = [row for row, value in enumerate(cells.to_list()) if verdicts[value] not in (0, 1)]
        texts = frame.texts(column)
        words = [row for row in odd if texts[row].lower() not in ("true", "false")]
        odd = words or odd
        found = texts[odd[0]]
        message = (
            f"{of_model(column, model.name)} is neither right nor wrong in {frame.place(odd[0])}: "
            f"it holds {found!r}"
        )
        help_text = (
            f'write `value "NAME" {model.name}` for numbers between right and wrong'
            if as_number(found) is not None
            else "write 1 or true where the model is right, 0 or false where it is wrong"
        )
        findings.add(NOT_JUDGED, message, keyword, help=help_text)
        return
    right = [value for value in distinct if verdicts[value] == 1]
    answers.correct[model.name] = np.array(cells.is_in(right).to_numpy(), dtype=np.bool_)


def read_model(
    frame: Frame,
    model: GivenModel,
    target: Target,
    answers: Answers,
    findings: Findings,
) -> None:
    """Read labels and scores of one model into the answers.

    Labels are compared as text; `1`, `1.0` and `true` are equal only where the truth and the
    labels are numbers or Booleans. A label that never occurs in the truth gets the code -1.
    """
    scores = read_model_scores(frame, model, target, findings)
    if scores is not None:
        answers.scores[model.name] = scores.array
        if scores.probabilities:
            answers.probabilities.add(model.name)
    if model.column is None:
        if scores is None:
            if model.score is None and model.scores is None:
                findings.add(
                    NO_LABELS,
                    f"`{model.name}` has a threshold, and neither scores nor a column of labels",
                    f"threshold {model.name}",
                    help=f"write `score {model.name} = COLUMN` for the scores it is put to"
                    if target.task == "classification"
                    else f"write `models {model.name} as COLUMN`, without a threshold",
                )
            return
        implied = labels_from_scores(scores, model, target, findings)
        if implied is not None:
            answers.predictions[model.name], rule = implied
            answers.notes.append(rule)
        return
    if model.threshold is not None:
        message = f"`{model.name}` has a threshold, and its labels stand in the file already"
        findings.add(
            THRESHOLD_WITHOUT_USE,
            message,
            f"threshold {model.name}",
            help=f"leave out `threshold {model.name}`, or the column of labels",
        )
    predicted = _predicted(frame, model, model.column, target, findings)
    if predicted is None:
        return
    answers.predictions[model.name] = predicted
    if scores is not None:
        _check_direction(scores, predicted, model, target, findings)


def _predicted(
    frame: Frame,
    model: GivenModel,
    column: str,
    target: Target,
    findings: Findings,
) -> "NDArray[Any] | None":
    if target.task == "regression":
        return number_column(frame, column, model.name, f"models {model.name}", findings)
    if column not in frame.columns:
        findings.unknown_column(
            UNKNOWN_COLUMN, column, frame.nameable, frame.source, f"models {model.name}"
        )
        return None
    if missing := frame.missing_rows(column):
        message = f"{of_model(column, model.name)} is missing in {frame.places(missing)}"
        keyword = f"models {model.name}"
        findings.add(MISSING_PREDICTION, message, keyword, help=without_gaps(column))
        return None
    numeric = (Kind.NUMBER, Kind.BOOLEAN)
    of_truth = all(
        not isinstance(value, str) and abs(value) <= EXACT for value in target.class_values
    )
    if of_truth and frame.kind(column) in numeric:
        predicted = _places(frame.values(column), target.class_values)
    else:
        words = pl.Enum(target.classes)
        coded = (
            _spelled(frame, column, target).cast(words, strict=False).to_physical().cast(pl.Int64)
        )
        predicted = np.ascontiguousarray(coded.fill_null(-1).to_numpy(), dtype=np.int64)
    return _checked_labels(predicted, frame, column, model, target, findings)


def _spelled(frame: Frame, column: str, target: Target) -> "pl.Series":
    """Give predicted labels as the truth spells its own: true and false in the case of a file."""
    if all(isinstance(value, bool) for value in target.class_values):
        lower = frame.texts(column).str.to_lowercase()
        return pl.select(pl.when(lower.is_in(["true", "false"])).then(lower).otherwise(
            frame.texts(column))).to_series()  # fmt: skip
    if frame.kind(column) is Kind.BOOLEAN and frame.cells[column].dtype == pl.String:
        return frame.cells[column]
    return frame.texts(column)


def _places(column: "pl.Series", labels: Sequence[Label]) -> "NDArray[np.int64]":
    """Give the place of each number among the labels, which rise; -1 where it is none."""
    values = np.array([float(label) for label in labels])
    low, high = values[0], values[-1]
    if column.dtype == pl.Int64 and high - low < MOST_LOOKED_UP and (values % 1 == 0).all():
        below, above = int(low) - 1, int(high) + 1
        numbers = column.to_numpy()
        if low == 0 and high == len(values) - 1 and 0 <= numbers.min() <= numbers.max() <= high:
            return np.array(numbers, dtype=np.int64)  # each label is its own place
        table = np.full(above - below + 1, -1, dtype=np.int64)
        table[values.astype(np.int64) - below] = np.arange(len(values))
        return table.take(numbers - below, mode="clip")  # its ends are -1
    floats = column.cast(pl.Float64).to_numpy()
    places = np.minimum(np.searchsorted(values, floats), len(values) - 1).astype(np.int64)
    places[values[places] != floats] = -1
    return places


def _checked_labels(
    predicted: "NDArray[np.int64]",
    frame: Frame,
    column: str,
    model: GivenModel,
    target: Target,
    findings: Findings,
) -> "NDArray[np.int64] | None":
    unseen = np.flatnonzero(predicted < 0)
    if len(unseen) == 0:
        return predicted
    labels = frame.texts(column)[unseen].unique().sort().to_list()
    near = next((word for label in labels if (word := closest(label, target.classes))), None)
    known_labels = f"the labels are {quoted(target.classes, 12)}"
    if len(unseen) == len(predicted):
        findings.add(
            NO_LABEL_IS_TRUE,
            f"{of_model(column, model.name)} holds {quoted(labels)}, none of which is true in "
            f"any row",
            f"models {model.name}",
            help=f"write `score {model.name} = {written(column)}` if these are scores; "
            f"{known_labels}"
            if frame.kind(column) is Kind.NUMBER
            else f"spell the labels as the truth does; {known_labels}",
        )
        return None
    findings.add(
        UNSEEN_LABEL,
        f"`{model.name}` predicts {quoted(labels)} in {counted(len(unseen), 'row')}, counted as "
        f"wrong because {'it is' if len(labels) == 1 else 'they are'} never true",
        f"models {model.name}",
        help=f"did you mean `{near}`? {known_labels}" if near else known_labels,
    )
    return predicted


def _check_direction(
    scores: Scores,
    predicted: "NDArray[np.int64]",
    model: GivenModel,
    target: Target,
    findings: Findings,
) -> None:
    """Warn when one score of the positive class is higher for the negative predictions."""
    if scores.array.ndim != 1 or target.positive is None:
        return
    positive = predicted == target.positive
    n, total = int(positive.sum()), float(scores.array.sum())
    if n in (0, len(positive)):
        return
    there = float(scores.array @ positive.astype(np.float64))
    if there / n < (total - there) / (len(positive) - n):
        name = target.classes[target.positive]
        findings.add(
            SCORE_OF_OTHER_CLASS,
            f"the score of `{model.name}` is higher on average where it does not predict `{name}`",
            f"score {model.name}",
            help=f"name the column that holds the score of `{name}`",
        )
