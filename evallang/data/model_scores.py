"""Scores made elsewhere: which column belongs to which label, and the labels they imply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evallang.data.codes import INFINITE_VALUE, UNKNOWN_COLUMN
from evallang.data.dataset import GivenModel, ScorePattern
from evallang.data.findings import Findings, counted, of_model, quoted, written
from evallang.data.frame import Frame
from evallang.data.kinds import Kind
from evallang.data.labels import find_label
from evallang.data.outcome_codes import (
    MISSING_PREDICTION,
    NOT_NUMERIC,
    NOT_PROBABILITIES,
    SCORES_DO_NOT_FIT,
    THRESHOLD_WITHOUT_USE,
)
from evallang.data.target import Target
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")

SUM_TOLERANCE = 0.01  # probabilities written with two or three decimals still pass
PROBABILITY_THRESHOLD = 0.5
ONE_COLUMN_EACH = (
    'write one column of numbers for each label, such as `p_yes` and `p_no`, and `"p_*"` for them'
)
MARGIN_THRESHOLD = 0.0


@dataclass(frozen=True)
class Scores:
    """Scores of one model: (n,) for the positive class, or (n, number of classes)."""

    array: "NDArray[np.float64]"
    probabilities: bool


def read_model_scores(
    frame: Frame, model: GivenModel, target: Target, findings: Findings
) -> Scores | None:
    """Read the scores of a model, None where it has none or after a finding.

    They are probabilities when all lie between 0 and 1 and, with a column for each label,
    sum to 1 within 0.01.
    """
    if model.score is None and model.scores is None:
        return None
    keyword = f"{'score' if model.score is not None else 'scores'} {model.name}"
    if target.task == "regression":
        message = f"`{model.name}` has scores, and the truth is numbers to be predicted"
        way_out = f"write `models {model.name} as COLUMN` for the numbers that it predicts"
        findings.add(SCORES_DO_NOT_FIT, message, keyword, help=way_out)
        return None
    if model.score is not None:
        if target.positive is None:
            if len(target.classes) != 2:  # of two, the one that is written is unknown, and said so
                findings.add(
                    SCORES_DO_NOT_FIT,
                    f"`{model.name}` has one score, and the truth has {len(target.classes)} labels",
                    f"score {model.name}",
                    help=f"write `scores {model.name} = [...]` with a column for each of "
                    f"{quoted(target.classes, 12)}",
                )
            return None
        column = number_column(frame, model.score, model.name, f"score {model.name}", findings)
        if column is None:
            return None
        return Scores(column, bool(((column >= 0) & (column <= 1)).all()))
    given = model.scores
    whole = given.columns.get(given.text) if isinstance(given, ScorePattern) else None
    if whole is not None and frame.kind(whole) is Kind.OTHER:  # a list in each cell
        number_column(frame, whole, model.name, f"scores {model.name}", findings)
        return None
    columns = _label_columns(model, target, findings)
    if columns is None:
        return None
    read = [
        number_column(frame, name, model.name, f"scores {model.name}", findings) for name in columns
    ]
    arrays = [column for column in read if column is not None]
    if len(arrays) < len(read):
        return None
    block = np.column_stack(arrays)
    return Scores(block, _are_probabilities(block, frame, model, findings))


def labels_from_scores(
    scores: Scores, model: GivenModel, target: Target, findings: Findings
) -> tuple["NDArray[np.int64]", str] | None:
    """Give the labels that scores imply, and the rule in words; None after a finding.

    One score, or two labels with a threshold: positive from the threshold on (0.5 for
    probabilities, 0 for margins). A score a label: the largest, the first of equal ones.
    """
    array, positive = scores.array, target.positive
    if array.ndim == 2 and (model.threshold is None or positive is None):
        if model.threshold is not None:
            findings.add(
                THRESHOLD_WITHOUT_USE,
                f"`{model.name}` has a threshold, and its label is that of the largest of "
                f"{array.shape[1]} scores",
                f"threshold {model.name}",
                help=f"leave out `threshold {model.name}`",
            )
            return None
        return np.argmax(array, axis=1).astype(np.int64), f"{model.name}: label of largest score"
    threshold = model.threshold
    origin = ""
    if threshold is None:
        threshold = PROBABILITY_THRESHOLD if scores.probabilities else MARGIN_THRESHOLD
        origin = ", the default for " + ("probabilities" if scores.probabilities else "margins")
    code = 1 if positive is None else positive
    single = array if array.ndim == 1 else array[:, code]
    labels = np.where(single >= threshold, code, 1 - code).astype(np.int64)
    name = target.classes[code]
    return labels, f"{model.name}: label {name} where the score is at least {threshold:g}{origin}"


def without_gaps(column: str) -> str:
    """Word what can be done about outcomes that are missing in a column."""
    return (
        f"fill them in, or write `where {written(column)} is not missing` to leave these rows out "
        "for all models"
    )


def number_column(
    frame: Frame, column: str, model: str, keyword: str, findings: Findings
) -> "NDArray[np.float64] | None":
    """Give a column of finite numbers without gaps as float64; None after a finding."""
    if column not in frame.columns:
        findings.unknown_column(UNKNOWN_COLUMN, column, frame.nameable, frame.source, keyword)
        return None
    missing = frame.missing_rows(column)
    if missing:
        message = f"{of_model(column, model)} is missing in {frame.places(missing)}"
        findings.add(MISSING_PREDICTION, message, keyword, help=without_gaps(column))
        return None
    if frame.kind(column) not in (Kind.NUMBER, Kind.BOOLEAN):
        where = frame.no_number(column)
        message = f"{of_model(column, model)} must hold numbers and holds {where}"
        if frame.kind(column) is Kind.OTHER:
            way_out = ONE_COLUMN_EACH
        elif any(sign.isdigit() for sign in where.partition(" in row ")[0]):
            way_out = "write plain numbers such as 0.1, without signs and units"
        else:
            way_out = "name the column that holds them"
        findings.add(NOT_NUMERIC, message, keyword, help=way_out)
        return None
    numbers = np.asarray(frame.values(column).cast(pl.Float64).to_numpy(), dtype=np.float64)
    if not np.isfinite(numbers).all():
        infinite = np.flatnonzero(~np.isfinite(numbers)).tolist()
        message = f"{of_model(column, model)} is infinite in {frame.places(infinite)}"
        way_out = "write a finite number, or leave such rows out for all models by `where`"
        findings.add(INFINITE_VALUE, message, keyword, help=way_out)
        return None
    return numbers


def score_columns(model: GivenModel) -> set[str]:
    """Return the columns that hold a model's scores; of an unread pattern there are none."""
    if model.score is not None:
        return {model.score}
    if isinstance(model.scores, ScorePattern):
        return {model.scores.columns[name] for name in model.scores.found}
    if isinstance(model.scores, str):
        return set()
    if isinstance(model.scores, Mapping):
        return set(model.scores.values())
    return set(model.scores or ())


def _label_columns(model: GivenModel, target: Target, findings: Findings) -> list[str] | None:
    """Give the columns of a model's scores in the order of the labels."""
    given = model.scores
    labels = quoted(target.classes, 12)
    if isinstance(given, ScorePattern):
        return _pattern_columns(given, model, target, findings)
    assert not isinstance(given, str), "reading ties a pattern to a file"
    if isinstance(given, Mapping):
        return _mapped_columns(given, model, target, findings)
    columns = list(given or ())
    if len(columns) != len(target.classes):
        findings.add(
            SCORES_DO_NOT_FIT,
            f"`{model.name}` has {counted(len(columns), 'column')} of scores for the "
            f"{len(target.classes)} labels {labels}",
            f"scores {model.name}",
            help="name one column for each label, in this order",
        )
        return None
    return columns


def _pattern_columns(
    given: ScorePattern, model: GivenModel, target: Target, findings: Findings
) -> list[str] | None:
    """Return the columns in which a label stands for the star, in the order of the labels."""
    if "*" not in given.text:
        findings.add(
            SCORES_DO_NOT_FIT,
            f"`{model.name}` has the one column `{given.text}` for the labels "
            f"{quoted(target.classes, 12)}",
            f"scores {model.name}",
            help=f"write `score {model.name} = {written(given.text)}` for one score of the "
            f"positive label",
        )
        return None
    columns = [given.text.replace("*", label, 1) for label in target.classes]
    lacking = [column for column in columns if column not in given.columns]
    if lacking and (spelled := _columns_by_number(given, target)) is not None:
        return spelled
    if lacking:
        message = (
            f"`{given.text}` finds no {'column' if len(lacking) == 1 else 'columns'} "
            f"{quoted(lacking)}"
        )
        way_out = "the star stands for a label; write a list, or a map of labels to columns"
        findings.add(SCORES_DO_NOT_FIT, message, f"scores {model.name}", help=way_out)
        return None
    return [given.columns[column] for column in columns]


def _columns_by_number(pattern: ScorePattern, target: Target) -> list[str] | None:
    """Return the columns of labels with another spelling, such as `p_1` for the label 1.0."""
    before, _, after = pattern.text.partition("*")
    columns: dict[int, str] = {}
    for name in pattern.found:
        spelled = name[len(before) : len(name) - len(after)]
        code = find_label(spelled, target.class_values)
        column = pattern.columns[name]
        if code is not None and columns.setdefault(code, column) != column:
            return None
    if len(columns) < len(target.classes):
        return None
    return [columns[code] for code in range(len(target.classes))]


def _mapped_columns(
    given: Mapping[str, str], model: GivenModel, target: Target, findings: Findings
) -> list[str] | None:
    columns: dict[int, str] = {}
    for label, column in given.items():
        code = find_label(label, target.class_values)
        if code is None:
            findings.add(
                SCORES_DO_NOT_FIT,
                f"`{model.name}` has a score for {f'`{label}`' if label else 'an empty label'}, "
                f"which is not one of the labels {quoted(target.classes, 12)}",
                f"scores {model.name}",
                help="give each label one score, and nothing else",
            )
            return None
        columns[code] = column
    lacking = [label for code, label in enumerate(target.classes) if code not in columns]
    if lacking:
        message = f"`{model.name}` has no score for {quoted(lacking)}"
        way_out = "give each label one score"
        findings.add(SCORES_DO_NOT_FIT, message, f"scores {model.name}", help=way_out)
        return None
    return [columns[code] for code in range(len(target.classes))]


def _are_probabilities(
    block: "NDArray[np.float64]", frame: Frame, model: GivenModel, findings: Findings
) -> bool:
    if (block < 0).any() or (block > 1).any():
        return False
    off = np.flatnonzero(np.abs(block.sum(axis=1) - 1) > SUM_TOLERANCE).tolist()
    if off:
        findings.add(
            NOT_PROBABILITIES,
            f"the scores of `{model.name}` lie between 0 and 1, and in {counted(len(off), 'row')} "
            f"they do not sum to 1: in {frame.place(off[0])} to {block[off[0]].sum():.4g}",
            f"scores {model.name}",
            help="divide them by their sum if they are probabilities; read as scores, they have "
            "no `log_loss` and no `brier`",
        )
    return not off
