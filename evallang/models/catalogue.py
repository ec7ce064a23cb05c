"""The catalogue of estimators: what every class takes, known without scikit-learn.

Reads `catalogue.json` and, for classes of other packages, `catalogue_extras.json`, which
`tests/models/write_catalogue.py` writes, and adds facts of its own. Holds facts and phrases; the
checker decides which of them are errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from evallang.models.domains import Constraint, read_constraint
from evallang.models.model import (
    BranchSpec,
    ColumnsSpec,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    identity,
    written,
)
from evallang.models.packages import PACKAGES, Package, installed

_SEARCH = "searches by itself; write the candidates with `in`, as in `C in 1e-3..1e3 log 7`"
_TARGETS = "predicts several targets at once, and a study has one"
_ENCODES = "encodes the target, which is done without being asked"
_POSITIONS = "takes positions of columns; `RandomOverSampler` and `SMOTEN` take columns of text"
_DICTIONARIES = "reads dictionaries, and data here are columns"

REFUSED_CLASSES = {
    "ClassifierChain": _TARGETS,
    "ColumnTransformer": "is written `columns(numeric: ..., categorical: ...)`",
    "DictVectorizer": _DICTIONARIES,
    "FeatureHasher": _DICTIONARIES,
    "FunctionSampler": "takes a function, and a study holds no code",
    "FrozenEstimator": "holds a model fitted elsewhere, and every model is fitted here",
    "GridSearchCV": _SEARCH,
    "HalvingGridSearchCV": _SEARCH,
    "HalvingRandomSearchCV": _SEARCH,
    "LabelBinarizer": _ENCODES,
    "LabelEncoder": _ENCODES,
    "MultiLabelBinarizer": _ENCODES,
    "MultiOutputClassifier": _TARGETS,
    "MultiOutputRegressor": _TARGETS,
    "MultiTaskElasticNet": _TARGETS,
    "MultiTaskElasticNetCV": _TARGETS,
    "MultiTaskLasso": _TARGETS,
    "MultiTaskLassoCV": _TARGETS,
    "PatchExtractor": "reads images, and data here are columns",
    "Pipeline": "is written `step | step | estimator`",
    "RandomizedSearchCV": _SEARCH,
    "RegressorChain": _TARGETS,
    "SMOTENC": _POSITIONS,
}
"""Classes that a study cannot use, with what to do instead; read after the name."""

REFUSED_PARAMETERS = {
    "memory": "names a folder, and a study writes nothing outside its output folder",
    "input": "names files, and a study reads its data by `data` statements",
}
"""Parameters refused wherever they occur; those that take only callables are found by a scan."""

REGULAR_EXPRESSIONS = frozenset({"token_pattern"})
"""Parameters that hold a regular expression, wherever they occur."""

TAKES_A_FUNCTION = "takes a function, and a study holds no code"

SCORE_FUNCTIONS = (
    "chi2",
    "f_classif",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
)
"""Functions of `sklearn.feature_selection` that `score_func` may name by a word."""

PLAIN_MODELS = {"classifier": "LogisticRegression", "regressor": "Ridge"}
"""Models that a message writes into a class of the same kind."""

WORDS = {
    "TunedThresholdClassifierCV.scoring": "accuracy balanced_accuracy f1 f1_macro f1_weighted "
    "jaccard jaccard_macro jaccard_weighted matthews_corrcoef precision precision_macro "
    "precision_weighted recall recall_macro recall_weighted",
}
"""Words of a parameter where scikit-learn takes more: a threshold is chosen by a score of predicted
labels of two classes, and other scores are the same at every threshold, or undefined."""

SMALLER_IS_SIMPLER = frozenset(
    {"C", "degree", "gamma", "max_depth", "max_leaf_nodes", "n_components"}
)
LARGER_IS_SIMPLER = frozenset(
    {"alpha", "ccp_alpha", "min_samples_leaf", "min_samples_split", "n_neighbors"}
)
NO_DIRECTION = frozenset(
    {
        "CatBoostClassifier.max_depth",  # trees of CatBoost are symmetric: none is its default
        "CatBoostRegressor.max_depth",
        "GradientBoostingRegressor.alpha",  # the quantile of its loss
        "Isomap.n_neighbors",  # a scale of the map, not a penalty
        "LocallyLinearEmbedding.n_neighbors",
        "LocalOutlierFactor.n_neighbors",
        "SelectFdr.alpha",  # levels of tests: smaller selects fewer columns
        "SelectFpr.alpha",
        "SelectFwe.alpha",
        "SpectralEmbedding.gamma",
        "SpectralEmbedding.n_neighbors",
        "LGBMClassifier.max_depth",  # -1 means no limit
        "LGBMRegressor.max_depth",
        "XGBClassifier.gamma",  # a penalty: larger is simpler
        "XGBClassifier.max_depth",  # 0 means no limit
        "XGBRFClassifier.gamma",
        "XGBRFClassifier.max_depth",
        "XGBRFRegressor.gamma",
        "XGBRFRegressor.max_depth",
        "XGBRegressor.gamma",
        "XGBRegressor.max_depth",
    }
)
"""Parameters whose name means something else in one class."""

COLUMN_BY_COLUMN = {
    **dict.fromkeys(
        ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler"), "scaled by {name}"
    ),
    **dict.fromkeys(
        ("FunctionTransformer", "PowerTransformer", "QuantileTransformer", "SplineTransformer"),
        "transformed by {name}",
    ),
    **dict.fromkeys(("IterativeImputer", "KNNImputer", "SimpleImputer"), "imputed by {name}"),
    **dict.fromkeys(
        ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer"), "read as a document by {name}"
    ),
    **dict.fromkeys(("DummyClassifier", "DummyRegressor"), "ignored by {name}"),
    "Binarizer": "cut in two by {name}",
    "KBinsDiscretizer": "cut into bins by {name}",
    "MissingIndicator": "replaced by whether it is missing",
    "OneHotEncoder": "one-hot with {levels}",
    "OrdinalEncoder": "coded as the number of its level, of {levels}",
    "TargetEncoder": "replaced by the mean target of its level, of {levels}",
}
"""What classes make of one column, where each column keeps a place of its own; other classes
mix columns. `{name}` is the class, `{levels}` the number of distinct values."""


Direction = Literal["smaller", "larger"]
NOT_GIVEN = ("deprecated", "warn")
"""Defaults by which scikit-learn marks whether a parameter was given at all."""

Rule = bool | Mapping[str, Any]
"""True, False, or on which parameters it depends, see `tests/models/scanned_classes.py`."""


class ParameterEntry(Struct, frozen=True):
    """One parameter of a class, as the installed version (or the nearest known) has it.

    `default_text` is the default for readers, also where it is not a plain value (then
    `default` is None); `refused` is why it may not be written, read after its name;
    `simpler` is the direction in which the model gets simpler, where that is known.
    """

    name: str
    constraint: Constraint
    default: ParameterValue
    default_text: str
    required: bool = False
    deprecated: bool = False
    refused: str | None = None
    simpler: Direction | None = None
    since: str | None = None
    until: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words it takes, in alphabetical order."""
        return self.constraint.words


class ClassEntry(Struct, frozen=True):
    """One class: its kinds (classifier, regressor, transformer ...), parameters and rules.

    `nested` names the parameters whose models decide what it can do; a kind `nested` is
    that of the model inside. `documents` is whether it reads one column of texts.
    `refused` is why it may not be used, read after its name; `package` names the
    package other than scikit-learn that it comes from; `by_column` is what it makes of each
    column, None where it mixes them.
    """

    name: str
    module: str
    kinds: frozenset[str]
    parameters: Mapping[str, ParameterEntry]
    nested: tuple[str, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)
    refused: str | None = None
    since: str | None = None
    until: str | None = None
    package: str | None = None
    by_column: str | None = None

    def parameter(self, name: str) -> ParameterEntry | None:
        """Return a parameter, None when the class never had it."""
        return self.parameters.get(name)

    def rule(self, fact: str) -> Rule:
        """Return the rule for `probabilities`, `scores`, `missing`, `text`, `weights` ..."""
        return self.rules.get(fact, False)


class _Catalogue(Mapping[str, ClassEntry]):
    """All classes by name; an entry is made when it is first asked for."""

    def __getitem__(self, name: str) -> ClassEntry:
        return _entry(name)

    def __iter__(self) -> Iterator[str]:
        yield from _table()["classes"]
        yield from _extras()["classes"]

    def __len__(self) -> int:
        return len(_table()["classes"]) + len(_extras()["classes"])

    def __contains__(self, name: object) -> bool:
        return name in _table()["classes"] or name in _extras()["classes"]


CATALOGUE: Mapping[str, ClassEntry] = _Catalogue()
"""Every class of the supported range, refused ones too, by name."""


def accepts(parameter: ParameterEntry, value: ParameterValue) -> str | None:
    """Return why a value does not suit a parameter, None when it does; read after its name."""
    if parameter.refused:
        return parameter.refused
    if parameter.name in REGULAR_EXPRESSIONS and isinstance(value, str):
        from evallang.models.regular_expressions import objection  # few studies have one

        return objection(value)
    return parameter.constraint.objection(value)


def takes_model(parameter: ParameterEntry) -> bool:
    """Return whether the value of a parameter may be a model."""
    return "model" in parameter.constraint.kinds


def estimators() -> tuple[str, ...]:
    """Return the classes that may end a pipeline."""
    return _classes_of_kinds({"classifier", "regressor", "nested"})


def transformers() -> tuple[str, ...]:
    """Return the classes that may precede others in a pipeline."""
    return _classes_of_kinds({"transformer"})


def simplicity(
    class_name: str, parameter: str, values: tuple[ParameterValue, ...]
) -> tuple[int, ...] | None:
    """Rank values by simplicity, the simplest 0 and equal ones alike.

    None where no direction is known, or values cannot be ordered (words, fractions among
    counts). `none` is the least simple where smaller is simpler (no limit).
    """
    entry = CATALOGUE.get(class_name)
    found = entry.parameter(parameter) if entry else None
    if found is None or found.simpler is None:
        return None
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    limitless = [v for v in values if v is None]
    if len(numbers) + len(limitless) != len(values):
        return None
    if limitless and found.simpler == "larger":
        return None
    if found.constraint.counts_or_shares and len({type(v) for v in numbers}) > 1:
        return None
    order = sorted(set(numbers), reverse=found.simpler == "larger")
    rank = {value: i for i, value in enumerate(order)}
    return tuple(rank[v] if isinstance(v, int | float) else len(order) for v in values)


def bounds(
    class_name: str, parameter: str, values: Sequence[ParameterValue]
) -> tuple[float | None, float | None]:
    """Return the smallest and the largest number that a parameter takes, None for no limit.

    Of a parameter that takes counts or shares they are those of the kind of the `values`.
    """
    entry = CATALOGUE.get(class_name)
    found = entry.parameter(parameter) if entry else None
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return found.constraint.bounds(numbers) if found is not None and numbers else (None, None)


def unavailable(entry: ClassEntry | ParameterEntry) -> str | None:
    """Return why the installed scikit-learn lacks an entry, None if it has it; follows its name."""
    installed = installed_version()
    if installed is None:
        return None
    if entry.since and _number(installed) < _number(entry.since):
        return f"came with scikit-learn {entry.since}, and {installed} is installed"
    if entry.until and _number(installed) > _number(entry.until):
        return f"left scikit-learn after {entry.until}, and {installed} is installed"
    return None


def missing_package(entry: ClassEntry) -> Package | None:
    """Return the package that a class comes from where it is not installed."""
    package = None if entry.package is None else PACKAGES[entry.package]
    return None if package is None or installed(package) else package


def supported_range() -> tuple[str, str]:
    """Return the lowest and the highest minor version that the catalogue knows."""
    known = _table()["scikit_learn"]
    return _minor(known[0]), _minor(known[-1])


@cache
def installed_version() -> str | None:
    """Return the version of the installed scikit-learn, without importing it."""
    try:
        return metadata.version("scikit-learn")
    except metadata.PackageNotFoundError:
        return None


# --- reading the table -----------------------------------------------------------------


@cache
def _table() -> dict[str, Any]:
    text = Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


@cache
def _extras() -> dict[str, Any]:
    text = Path(__file__).with_name("catalogue_extras.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def _extra_entry(name: str) -> ClassEntry:
    """Return the entry of a class of another package; refused parameters are in it too."""
    written = dict(_extras()["classes"][name])
    package = written.pop("package")
    parameters = {
        p: ParameterEntry(
            p, read_constraint(text), *_read_default(default), simpler=_simpler(name, p)
        )
        for p, (text, default) in written.pop("parameters").items()
    }
    for p, reason in written.pop("refused_parameters").items():
        parameters[p] = ParameterEntry(p, read_constraint("any"), None, "not given", refused=reason)
    return ClassEntry(
        name=name,
        module=".".join(filter(None, (PACKAGES[package].imported, written.pop("module", None)))),
        kinds=frozenset(written.pop("kinds")),
        parameters=parameters,
        refused=REFUSED_CLASSES.get(name),
        rules=written,
        package=package,
    )


@cache
def _entry(name: str) -> ClassEntry:
    if name not in _table()["classes"]:
        return _extra_entry(name)
    written = dict(_table()["classes"][name])
    for version, older in written.pop("older", {}).items():
        if version == _edition():
            written.update(older)
            written = {fact: value for fact, value in written.items() if value is not None}
    parameters = {p: _parameter(name, p, found) for p, found in written.pop("parameters").items()}
    return ClassEntry(
        name=name,
        module="sklearn." + written.pop("module"),
        kinds=frozenset(written.pop("kinds", None) or ()),
        parameters=parameters,
        nested=tuple(written.pop("nested", None) or ()),
        refused=REFUSED_CLASSES.get(name),
        by_column=COLUMN_BY_COLUMN.get(name),
        since=written.pop("since", None),
        until=written.pop("until", None),
        rules=written,
    )


def _parameter(owner: str, name: str, written: list[Any]) -> ParameterEntry:
    editions = written if isinstance(written[0], list) else [[*written, None, None]]
    here = [e for e in editions if _covers(e[2], e[3])]
    index, default, since, until = (here or editions)[-1]
    text = _table()["constraints"][index]
    refused = REFUSED_PARAMETERS.get(name)
    if name == "score_func":
        text = "words " + " ".join(SCORE_FUNCTIONS)
    elif f"{owner}.{name}" in WORDS:
        text = "words " + WORDS[f"{owner}.{name}"]
    elif "callable" in text:
        refused = refused or TAKES_A_FUNCTION
    value, default_text = _read_default(default)
    return ParameterEntry(
        name=name,
        constraint=read_constraint(text),
        default=value,
        default_text=default_text,
        required=default_text == "required",
        deprecated=default == "deprecated",
        refused=refused,
        simpler=_simpler(owner, name),
        since=None if here else since,
        until=None if here else until,
    )


def _read_default(default: Any) -> tuple[ParameterValue, str]:
    from evallang.models.model import ListSpec, written

    if isinstance(default, dict) and "tuple" in default:
        items = ListSpec(tuple(_read_default(item)[0] for item in default["tuple"]))
        return items, written(items)
    if isinstance(default, dict):
        return None, str(default["is"])
    if default in NOT_GIVEN:
        return default, "not given"
    value: ParameterValue = default
    return value, written(value)


def _simpler(owner: str, name: str) -> Direction | None:
    if f"{owner}.{name}" in NO_DIRECTION:
        return None
    if name in SMALLER_IS_SIMPLER:
        return "smaller"
    return "larger" if name in LARGER_IS_SIMPLER else None


def _classes_of_kinds(kinds: set[str]) -> tuple[str, ...]:
    return tuple(
        name
        for name, entry in CATALOGUE.items()
        if entry.refused is None
        and unavailable(entry) is None
        and missing_package(entry) is None
        and entry.kinds & kinds
    )


def _covers(since: str | None, until: str | None) -> bool:
    edition = _number(_edition())
    return (since is None or _number(since) <= edition) and (
        until is None or edition <= _number(until)
    )


@cache
def _edition() -> str:
    """Return the known minor version nearest to the installed one."""
    low, high = supported_range()
    installed = installed_version()
    if installed is None or _number(installed) > _number(high):
        return high
    return low if _number(installed) < _number(low) else _minor(installed)


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _minor(version).split(".") if part.isdigit())


def drop_defaults(pipeline: PipelineSpec) -> PipelineSpec:
    """Drop every parameter that has its default value, so that equal fits have equal keys."""
    return PipelineSpec(tuple(_step(step) for step in pipeline.steps))


def _step(step: StepSpec) -> StepSpec:
    if isinstance(step, EstimatorSpec):
        return _estimator(step)
    return ColumnsSpec(
        tuple(BranchSpec(b.key, b.pipeline and drop_defaults(b.pipeline)) for b in step.branches)
    )


def _estimator(spec: EstimatorSpec) -> EstimatorSpec:
    entry = None if spec.code else CATALOGUE.get(spec.name)
    kept = []
    for name, value in spec.parameters:
        known = entry.parameter(name) if entry is not None else None
        plain = value is None or isinstance(value, bool | int | float | str | ListSpec)
        if (
            known is not None
            and plain
            and written(value) == known.default_text
            and identity(value) == identity(known.default)
        ):
            continue
        kept.append((name, _value(value)))
    return EstimatorSpec(spec.name, tuple(kept), spec.code)


def _value(value: ParameterValue) -> ParameterValue:
    if isinstance(value, EstimatorSpec):
        return _estimator(value)
    if isinstance(value, PipelineSpec):
        return drop_defaults(value)
    if isinstance(value, NamedSpec):
        return NamedSpec(value.name, drop_defaults(value.pipeline))
    if isinstance(value, ListSpec):
        return ListSpec(tuple(_value(item) for item in value.items))
    if isinstance(value, MapSpec):
        return MapSpec(tuple((key, _value(item)) for key, item in value.entries))
    return value
