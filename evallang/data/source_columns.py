"""Every column of a source: what it holds, how much of it, and what its study uses it for."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.column_types import Kind, kind_of
from evallang.data.dataset import (
    CountsSpec,
    DataSpec,
    GivenModel,
    PredictionsSpec,
    ScorePattern,
    ScoresSpec,
    SourceColumn,
    Where,
)
from evallang.data.frame import Frame
from evallang.data.labels import label_text
from evallang.data.text_forms import names_identifier, names_unit

MANY = 1 << 17  # rows from which it is quicker to see first whether all differ
NOT_USED = "not used"
FEATURE = "feature"
CATEGORICAL = "categorical feature"


class Role(Struct, frozen=True):
    """What a study uses a column for; `of` is the model that it belongs to."""

    noun: str
    of: str | None = None

    @property
    def text(self) -> str:
        """The role in words: `prediction of forest`."""
        return self.noun if self.of is None else f"{self.noun} of {self.of}"

    @property
    def kind(self) -> str:
        """The role, whichever the model: `prediction of a model`."""
        return self.noun if self.of is None else f"{self.noun} of a model"


Roles = dict[str, list[Role]]


def source_columns(frame: Frame, roles: Mapping[str, Iterable[Role]]) -> tuple[SourceColumn, ...]:
    """Return every column of a frame in its order, with the roles that its study gives it.

    The time is linear in the number of cells. Levels are counted where values are names: in
    text, in every column that is called an identifier or a unit, and in every column whose role
    is more than that of a plain feature.
    """
    found = []
    counted: list[pl.Series] = []
    for name in frame.columns:
        values = frame.values(name)
        kind = kind_of(values)
        given = roles.get(name, ())
        ordered = kind in (Kind.NUMBER, Kind.DATE)
        if counts_levels(kind, name, given):
            counted.append(values.alias(name))
        found.append(
            SourceColumn(
                name=name,
                kind=kind.name.lower(),
                role=", ".join(dict.fromkeys(one.text for one in given)) or NOT_USED,
                role_kind=", ".join(dict.fromkeys(one.kind for one in given)) or NOT_USED,
                levels=None,
                missing=values.null_count(),
                range=(end_of_range(values.min()), end_of_range(values.max())) if ordered else None,
            )
        )
    levels = {}
    if counted:
        distinct = pl.DataFrame(counted).select(pl.all().n_unique() - pl.all().has_nulls())
        levels = distinct.row(0, named=True)
    return tuple(replace(one, levels=levels.get(one.name)) for one in found)


def counts_levels(kind: Kind, name: str, roles: Iterable[Role]) -> bool:
    """Return whether the distinct values of a column are counted: where they are names."""
    role = ", ".join(dict.fromkeys(one.text for one in roles)) or NOT_USED
    plain = role in (FEATURE, NOT_USED) and not (names_identifier(name) or names_unit(name))
    return kind in (Kind.TEXT, Kind.BOOLEAN) or (kind in (Kind.NUMBER, Kind.DATE) and not plain)


def roles_in_data(spec: DataSpec, target: str, features: Iterable[str]) -> Roles:
    """Return the roles of the columns of a `data` statement."""
    roles: Roles = {}
    _add(roles, "target", target)
    _add(roles, "id", spec.id)
    _add(roles, "group", spec.group)
    _add(roles, "weight", spec.weight)
    _add(roles, "time", spec.time or None)
    _add(roles, "split", spec.split)
    for name in features:
        _add(roles, CATEGORICAL if name in spec.categorical else FEATURE, name)
    return _shared(roles, spec.strata, spec.subgroups, spec.where)


def roles_in_predictions(spec: PredictionsSpec, models: Iterable[GivenModel]) -> Roles:
    """Return the roles of the columns of a `predictions` statement."""
    roles: Roles = {}
    for word in (
        *("truth", "event", "query", "id", "group", "fold", "repeat", "reader", "dataset"),
        "weight",
    ):
        _add(roles, word, getattr(spec, word))
    _add(roles, "time", spec.time or None)
    noun = {None: "prediction", "correct": "right or wrong", "value": "value"}[spec.judged]
    for model in models:
        _add(roles, noun, model.column, model)
        _add(roles, "denominator", model.denominator, model)
        _add(roles, "score", model.score, model)
        for column in _several(model.scores):
            _add(roles, "score", column, model)
        for column in model.range or ():
            _add(roles, "bound", column, model)
    return _shared(roles, (), spec.subgroups, spec.where)


def roles_in_scores(spec: ScoresSpec, models: Iterable[GivenModel]) -> Roles:
    """Return the roles of the columns of a `scores` statement."""
    roles: Roles = {}
    for word in ("dataset", "fold", "repeat", "seed", "score"):
        _add(roles, word, getattr(spec, word))
    _add(roles, "metric", spec.metric_column)
    for column in spec.model:
        _add(roles, "model", column)
    for model in () if spec.model else models:
        _add(roles, "score", model.column or model.name, model)
    return _shared(roles, (), (), spec.where)


def roles_in_counts(spec: CountsSpec, models: Iterable[GivenModel]) -> Roles:
    """Return the roles of the columns of a `counts` statement."""
    roles: Roles = {}
    _add(roles, "count", spec.count)
    for model in models:
        _add(roles, "right or wrong", model.column or model.name, model)
    return roles


def _shared(
    roles: Roles, strata: Iterable[str], subgroups: Iterable[str], where: Iterable[Where]
) -> Roles:
    """Add the roles that a column may have besides another."""
    for name in strata:
        _add(roles, "stratum", name)
    for name in subgroups:
        _add(roles, "subgroup", name)
    for line in where:
        _add(roles, "filter", line.column)
    return roles


def _add(roles: Roles, noun: str, column: str | None, model: GivenModel | None = None) -> None:
    if column is not None:
        roles.setdefault(column, []).append(Role(noun, model.name if model is not None else None))


def _several(scores: Any) -> Iterable[str]:
    if isinstance(scores, ScorePattern):
        return [scores.columns[name] for name in scores.found]
    return scores.values() if isinstance(scores, Mapping) else scores or ()


def end_of_range(value: Any) -> float | str:
    """Return an end of a range as JSON has it: a date as text."""
    return value if isinstance(value, int | float) else label_text(value)
