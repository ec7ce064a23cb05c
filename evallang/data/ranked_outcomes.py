"""Predictions of survival times (`event`) and of rankings by query (`query`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evallang.data.codes import (
    MISSING_PREDICTION,
    NO_LABELS,
    NOT_A_RELEVANCE,
    NOT_AN_EVENT,
    REPEATS_CONTRADICT,
)
from evallang.data.column_roles import column_exists, complete_texts
from evallang.data.dataset import GivenModel, PredictionsSpec
from evallang.data.findings import Findings, written
from evallang.data.frame import Frame
from evallang.data.labels import group_codes
from evallang.data.prediction_columns import ModelOutcomes, number_column
from evallang.data.target import Target


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
        findings.add(
            NO_LABELS,
            f"`{model.name}` has no score, and `{'event' if spec.event else 'query'}` needs {what}",
            f"models {model.name}",
            "event",
            "query",
            help=f"write `score {model.name} = COLUMN`",
        )
        return
    numbers = number_column(frame, column, model.name, keyword, findings)
    if numbers is not None:
        answers.predictions[model.name] = numbers


def read_events(
    spec: PredictionsSpec, frame: Frame, target: Target | None, findings: Findings
) -> "NDArray[np.float64] | None":
    """Read whether the time of each row is that of an event (1) or of censoring (0) (n,)."""
    column = spec.event
    if column is None or not column_exists(frame, column, "event", findings):
        return None
    if missing := frame.missing_rows(column):
        findings.add(
            MISSING_PREDICTION,
            f"`{column}` is missing in {frame.places(missing)}",
            "event",
            help=f"write `where {written(column)} is not missing` to exclude these rows",
        )
        return None
    words = {"1": 1.0, "1.0": 1.0, "true": 1.0, "0": 0.0, "0.0": 0.0, "false": 0.0}
    texts = [text.lower() for text in frame.texts(column).to_list()]
    odd = [row for row, text in enumerate(texts) if text not in words]
    if odd:
        findings.add(
            NOT_AN_EVENT,
            f"`{column}` is neither 1 nor 0 in {frame.places(odd)}: it contains {texts[odd[0]]!r}",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
        return None
    events = np.array([words[text] for text in texts])
    if not events.any():
        findings.add(
            NOT_AN_EVENT,
            f"`{column}` has no event: every time is censored",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
        return None
    if target is not None and (target.y < 0).any():
        early = np.flatnonzero(target.y < 0).tolist()
        findings.add(
            NOT_AN_EVENT,
            f"the time is below zero in {frame.places(early)}: {target.y[early[0]]:g}",
            "truth",
            help="count times from the start of the observation, or name their column",
        )
        return None
    return events


def read_queries(
    spec: PredictionsSpec, frame: Frame, target: Target | None, findings: Findings
) -> "NDArray[np.int64] | None":
    """Number the queries of the rows (n,); -1 for rows of queries without a relevant row.

    No order of those rows is better than another, so that they are skipped.
    """
    texts = complete_texts(frame, spec.query, "query", findings)
    if texts is None or target is None:
        return None
    wrong = np.flatnonzero(target.y < 0).tolist()
    if wrong:
        findings.add(
            NOT_A_RELEVANCE,
            f"the relevance is below zero in {frame.places(wrong)}: {target.y[wrong[0]]:g}",
            "truth",
            help="write 0 for rows that are not relevant, and more for relevant ones",
        )
        return None
    codes = group_codes(texts)
    useful = np.bincount(codes, weights=target.y) > 0
    if not useful.any():
        findings.add(
            NOT_A_RELEVANCE,
            "no query has a relevant row: the truth is 0 in every row",
            "truth",
            help="name the column of the relevance: 0 where a row is not relevant, else more",
        )
        return None
    for column, keyword in ((spec.group, "group"), *((c, f"within {c}") for c in spec.subgroups)):
        if column is None or _agree_in_query(frame, column, codes, texts, keyword, findings):
            continue
        return None
    place = np.where(useful, np.cumsum(useful) - 1, -1)
    return np.asarray(place[codes], dtype=np.int64)


def _agree_in_query(
    frame: Frame,
    column: str,
    codes: "NDArray[np.int64]",
    texts: Sequence[str],
    keyword: str,
    findings: Findings,
) -> bool:
    """Check that a column has one value in all rows of a query."""
    if column not in frame.columns:
        return True  # reported where it is read
    values = frame.texts(column)
    _, first = np.unique(codes, return_index=True)
    rows = (~values.eq_missing(values[first][codes])).arg_true().to_list()
    if not rows:
        return True
    row = rows[0]
    findings.add(
        REPEATS_CONTRADICT,
        f"`{column}` differs between the rows of the query `{texts[row]}`: "
        f"`{values[int(first[codes[row]])]}` and `{values[row]}`",
        keyword,
        "query",
        help="name a column that has one value in all rows of a query: the query is the unit",
    )
    return False
