"""The columns of predictions that a study looks at, so that others need not be fetched."""

from collections.abc import Collection, Sequence

from evallang.data.dataset import PredictionsSpec, ScorePattern
from evallang.data.delimited import Needed
from evallang.data.text_forms import names_fold, names_identifier, names_time, names_unit

FINGERPRINTS = ("doc_hash", "target_hash")  # of lm-evaluation-harness: one document, one hash


def needed_columns(spec: PredictionsSpec, named: Collection[str]) -> Needed | None:
    """Return what finds the columns that a statement, or a rule about its rows, looks at.

    `named` are the columns that its clauses name. The result is None where every column is needed:
    without named models each may be one.
    """
    if not spec.models or (spec.series and spec.time is None):  # any column may be the time
        return None
    known = {*named, *FINGERPRINTS}
    patterns = [model.scores for model in spec.models if isinstance(model.scores, str)]

    def needed(columns: Sequence[str]) -> set[str]:
        own = {name: name for name in columns}
        several = {name for text in patterns for name in ScorePattern(text, own).found}
        return {
            name
            for name in columns
            if name in known
            or name in several
            or names_identifier(name)
            or names_unit(name)
            or names_fold(name)
            or names_time(name, used=False)
        }

    return needed
