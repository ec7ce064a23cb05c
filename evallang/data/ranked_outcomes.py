"""Predictions of survival times (`event`) and of rankings by query (`query`)."""

import numpy as np
from numpy.typing import NDArray

from evallang.data.column_roles import check_agreement, check_column, complete_texts
from evallang.data.dataset import GivenModel, PredictionsSpec
from evallang.data.findings import Findings, Refused, written
from evallang.data.frame import Frame
from evallang.data.labels import group_codes
from evallang.data.prediction_columns import ModelOutcomes, number_column
from evallang.data.target import Target
from evallang.diagnostics import codes


def read_ordering_score(
    spec: PredictionsSpec,
    frame: Frame,
    model: GivenModel,
    answers: ModelOutcomes,
    findings: Findings,
) -> None:
    """Read the number by which a model orders the rows: a risk, or the score of a ranking.

    Of a ranking it may also be the column of the model itself.
    """
    keyword, column = f"score {model.name}", model.score
    if column is None and spec.query is not None:
        keyword, column = f"models {model.name}", model.column
    if column is None:
        what = "a risk, which is higher for an earlier event" if spec.event else "a score"
        raise Refused(
            codes.model_without_predictions,
            f"`{model.name}` has no score, and `{'event' if spec.event else 'query'}` needs {what}",
            f"models {model.name}",
            "event",
            "query",
            help=f"write `score {model.name} = COLUMN`",
        )
    answers.predictions[model.name] = number_column(frame, column, model.name, keyword, findings)


def read_events(
    spec: PredictionsSpec, frame: Frame, target: Target | None
) -> "NDArray[np.float64] | None":
    """Read whether the time of each row is that of an event (1) or of censoring (0) (n,)."""
    column = spec.event
    if column is None:
        return None
    check_column(frame, column, "event")
    if missing := frame.missing_rows(column):
        raise Refused(
            codes.missing_prediction,
            f"`{column}` is missing in {frame.places(missing)}",
            "event",
            help=f"write `where {written(column)} is not missing` to exclude these rows",
        )
    words = {"1": 1.0, "1.0": 1.0, "true": 1.0, "0": 0.0, "0.0": 0.0, "false": 0.0}
    texts = [text.lower() for text in frame.texts(column).to_list()]
    odd = [row for row, text in enumerate(texts) if text not in words]
    if odd:
        raise Refused(
            codes.unusable_event,
            f"`{column}` is neither 1 nor 0 in {frame.places(odd)}: it contains {texts[odd[0]]!r}",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
    events = np.array([words[text] for text in texts])
    if not events.any():
        raise Refused(
            codes.unusable_event,
            f"`{column}` has no event: every time is censored",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
    if target is not None and (target.y < 0).any():
        early = np.flatnonzero(target.y < 0).tolist()
        raise Refused(
            codes.unusable_event,
            f"the time is below zero in {frame.places(early)}: {target.y[early[0]]:g}",
            "truth",
            help="count times from the start of the observation, or name their column",
        )
    return events


def read_queries(
    spec: PredictionsSpec, frame: Frame, target: Target | None
) -> "NDArray[np.int64] | None":
    """Number the queries of the rows (n,); -1 for rows of queries without a relevant row.

    No order of those rows is better than another, so that they are skipped.
    """
    texts = complete_texts(frame, spec.query, "query")
    if texts is None or target is None:
        return None
    wrong = np.flatnonzero(target.y < 0).tolist()
    if wrong:
        raise Refused(
            codes.unusable_relevance,
            f"the relevance is below zero in {frame.places(wrong)}: {target.y[wrong[0]]:g}",
            "truth",
            help="write 0 for rows that are not relevant, and more for relevant ones",
        )
    coded = group_codes(texts)
    useful = np.bincount(coded, weights=target.y) > 0
    if not useful.any():
        raise Refused(
            codes.unusable_relevance,
            "no query has a relevant row: the truth is 0 in every row",
            "truth",
            help="name the column of the relevance: 0 where a row is not relevant, else more",
        )
    for column, keyword in ((spec.group, "group"), *((c, f"within {c}") for c in spec.subgroups)):
        if column is not None and column in frame.columns:  # else reported where it is read
            check_agreement(
                frame,
                column,
                coded,
                texts,
                keyword,
                "query",
                "name a column that has one value in all rows of a query: the query is the unit",
            )
    place = np.where(useful, np.cumsum(useful) - 1, -1)
    return np.asarray(place[coded], dtype=np.int64)
