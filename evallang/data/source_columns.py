"""Every column of a source: what it holds, how much of it, and what its study uses it for."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.column_types import Kind, kind_of
from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    GivenModel,
    PredictionsSpec,
    ScorePattern,
    ScoresSpec,
    SourceColumn,
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


CLAUSES: dict[type, tuple[str, ...]] = {
    DataSpec: ("target", "id", "group", "weight", "time", "split"),
    PredictionsSpec: (
        *("truth", "event", "query", "id", "group", "fold", "repeat", "reader", "seed"),
        *("dataset", "weight", "time"),
    ),
    ScoresSpec: ("dataset", "fold", "repeat", "seed", "score", "metric_column"),
    CountsSpec: ("count",),
    BattlesSpec: ("first", "second", "winner", "id", "group", "judge", "weight"),
}
"""The clauses of each statement that name one column."""
Spec = DataSpec | PredictionsSpec | ScoresSpec | CountsSpec | BattlesSpec


def roles_of(
    spec: Spec,
    models: Iterable[GivenModel] = (),
    features: Iterable[str] = (),
    target: str | None = None,
) -> Roles:
    """Return the roles that a statement gives to columns; `target` is one that it does not name."""
    roles: Roles = {}

    def add(noun: str, column: str | None, model: GivenModel | None = None) -> None:
        if column:  # `time` is empty for the order of the file
            roles.setdefault(column, []).append(Role(noun, None if model is None else model.name))

    add("target", target)
    for word in CLAUSES[type(spec)]:
        if word != "target" or target is None:
            add(word.removesuffix("_column"), getattr(spec, word))
    categorical = spec.categorical if isinstance(spec, DataSpec) else ()
    for name in features:
        add(CATEGORICAL if name in categorical else FEATURE, name)
    noun = "score" if isinstance(spec, ScoresSpec) else "right or wrong"
    if isinstance(spec, PredictionsSpec):
        nouns = {None: "prediction", "correct": noun, "value": "value", "judges": "rating"}
        noun = nouns[spec.judged]
    for model in models:
        add(noun, model.column, model)
        add("denominator", model.denominator, model)
        for column in (model.score, *_several(model.scores)):
            add("rating" if noun == "rating" else "score", column, model)
        for column in model.range or ():
            add("bound", column, model)
    for name in getattr(spec, "model", ()):
        add("model", name)
    for name in getattr(spec, "strata", ()):
        add("stratum", name)
    for name in getattr(spec, "subgroups", ()):
        add("subgroup", name)
    for line in getattr(spec, "where", ()):
        add("filter", line.column)
    return roles


def named_models(models: Iterable[GivenModel]) -> list[GivenModel]:
    """Return models with the columns of their labels, which by default are called as they are."""
    return [replace(model, column=model.column or model.name) for model in models]


def model_columns(spec: Spec, models: Iterable[GivenModel]) -> set[str]:
    """Return the columns that belong to a model."""
    roles = roles_of(spec, models)
    return {name for name, some in roles.items() if any(role.of is not None for role in some)}


def named_columns(spec: Spec) -> frozenset[str]:
    """Return the columns that a statement names."""
    models = [] if isinstance(spec, DataSpec) else named_models(spec.models)
    if isinstance(spec, PredictionsSpec) and spec.every is not None:
        models = named_models([*spec.models, spec.every])
    if isinstance(spec, ScoresSpec) and spec.model:
        models = []  # they are rows
    names = {*roles_of(spec, models)}
    if isinstance(spec, DataSpec):
        for several in (spec.features, spec.features_except, spec.categorical):
            names.update(several or ())
    return frozenset(names)


def _several(scores: Any) -> Iterable[str]:
    if isinstance(scores, ScorePattern):
        return [scores.columns[name] for name in scores.found]
    if isinstance(scores, str):  # a pattern that is tied to no file yet
        return ()
    return scores.values() if isinstance(scores, Mapping) else scores or ()


def end_of_range(value: Any) -> float | str:
    """Return an end of a range as JSON has it: a date as text."""
    return value if isinstance(value, int | float) else label_text(value)
