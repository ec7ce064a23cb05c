"""The columns of predictions that a study looks at, and how it reads them."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from evallang.data.dataset import GivenModel, PredictionsSpec, ScorePattern
from evallang.data.path_patterns import PART, path_pattern
from evallang.data.source_columns import model_columns, named_columns, named_models, roles_of
from evallang.data.text_forms import names_fold, names_identifier, names_time, names_unit
from evallang.data.text_tables import Needed

FINGERPRINTS = ("doc_hash", "target_hash")  # of lm-evaluation-harness: one document, one hash


def outcome_columns(spec: PredictionsSpec, models: Sequence[GivenModel]) -> frozenset[str]:
    """Return the columns of truth and predictions, which do not distinguish rows."""
    return frozenset(model_columns(spec, named_models(models)) | {spec.truth or ""})


def spelled_columns(spec: PredictionsSpec) -> frozenset[str] | None:
    """Return the columns that may be read as text: roles and labels, not scores and values."""
    if not spec.models:
        return None
    names = {*roles_of(spec)}
    if spec.judged is None and spec.task != "regression":
        names |= {column for some in label_columns_of(spec.models) for column in some}
    return frozenset(names)


def hashed_columns(
    spec: PredictionsSpec, columns: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that change a result, and those that say what the rows are.

    `columns` are those of a file, which all count where no model is named.
    """
    named = named_columns(spec) if spec.models else columns
    tested = (spec.id, spec.truth, spec.group)
    return tuple(sorted(named)), tuple(name for name in tested if name is not None)


def label_columns_of(models: Iterable[GivenModel]) -> tuple[list[str], list[str]]:
    """Return the columns of labels that must exist, and those of models that have a score too."""
    found: tuple[list[str], list[str]] = ([], [])
    for model in models:
        if not _named_as_score(model):
            optional = model.score is not None or model.threshold is not None
            found[optional].append(model.column or model.name)
    return found


def _named_as_score(model: GivenModel) -> bool:
    """Return whether the column that a model's labels would have holds its score."""
    return model.score is not None and (model.column or model.name) == model.score


def may_be_counted(spec: PredictionsSpec) -> bool:
    """Return whether nothing in a statement is about single rows.

    Its models are named and give labels or single scores, or are judged right or wrong; ids are
    whole numbers that rise, which is seen when they are read.
    """
    words = [word for path in spec.paths for word in path_pattern(path).words]
    if len(spec.paths) != 1 or words != [PART] or not spec.models or spec.model:
        return False
    of_rows = (spec.group, spec.fold, spec.runs, spec.dataset, spec.weight)
    if any(one is not None for one in of_rows) or spec.judged == "value" or spec.series:
        return False
    if spec.task == "regression":
        return False
    scored = {model.score for model in spec.models if model.score is not None}
    labels = {model.column or model.name for model in spec.models if not _named_as_score(model)}
    if scored & {spec.truth, spec.id, *spec.subgroups, *labels}:
        return False
    beyond = (m for model in spec.models for m in (model.scores, model.range, model.denominator))
    return all(one is None for one in beyond)


def needed_columns(spec: PredictionsSpec) -> Needed | None:
    """Return what finds the columns that a statement, or a rule about its rows, looks at.

    The result is None where every column is needed: without named models each may be one.
    """
    if not spec.models or (spec.series and spec.time is None):  # any column may be the time
        return None
    return partial(_needed, spec)


def _needed(spec: PredictionsSpec, columns: Sequence[str]) -> Collection[str]:
    known = {*named_columns(spec), *FINGERPRINTS}
    patterns = [model.scores for model in spec.models if isinstance(model.scores, str)]
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
