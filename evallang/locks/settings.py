"""Every setting of a study in force, stated or default, as a list that can be compared.

The list is read from the resolved study and from what its data gave. A setting is found by its
section, its item and its name; its value is plain. What changing it would change is declared at
the fields of the records (`evallang.effect`).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
from msgspec import Struct
from msgspec.structs import FieldInfo, fields, replace

from evallang.analysis import ANALYSES
from evallang.compatibility import metric_entry
from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    PredictionsSpec,
    ScoresSpec,
    Table,
)
from evallang.data.hashing import DataHash
from evallang.data.read_sources import ReadSources
from evallang.effect import Effect
from evallang.hypotheses import Families
from evallang.models.abilities import classes_of
from evallang.models.catalogue import CATALOGUE, NOT_GIVEN
from evallang.models.model import EstimatorSpec, ModelSpec, PipelineSpec, search_space, written
from evallang.planning.defaults import resolved_intervals
from evallang.planning.keys import environment, package_versions
from evallang.records import compared
from evallang.registry import Registry
from evallang.results.records import DataRecord, ProtocolRecord
from evallang.results.settings import DefaultPlace
from evallang.source import Span
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import ComparisonSpec, Method, Protocol, RequirementSpec, Study, written_option
from evallang.version import VERSION

Plain = None | bool | int | float | str | list["Plain"]


class Setting(Struct, frozen=True):
    """One setting in force: `protocol cv folds` is 10.

    `item` is the name or the number of a statement, empty where there is only one. `stated`
    tells whether the author wrote the value. `span` is where the statement is, None for a
    setting that no statement of the file holds.
    """

    section: str
    item: str
    name: str
    value: Plain
    stated: bool
    effect: Effect
    span: Span | None = None

    @property
    def place(self) -> str:
        """The section, the item and the name as one text."""
        return " ".join(part for part in (self.section, self.item, self.name) if part)

    @property
    def statement(self) -> str:
        """The section and the item as one text."""
        return f"{self.section} {self.item}".strip()


ROWS, SPLITS = "rows", "splits"
"""The sections of what the data are and of which rows every split has."""
DERIVED = frozenset({ROWS, SPLITS, "family", "version"})
"""The sections that follow from the other settings, the data and the software."""
ROW_NUMBER, CONTENT, ANY_ORDER = "number", "content", "content in any order"
COLUMN, EXCLUDED = "column ", "excluded by "
"""The names of settings of a data set as it was read, and how those of several begin."""


SHORT = 16
"""Hexadecimal digits of the hash of one column: enough to tell two versions of it apart."""


def content_settings(read: "ReadSources", data: Sequence[DataRecord]) -> Iterator[Setting]:
    """List rows, columns and content of every data set that was read.

    One hash of everything tells only that something changed. A hash for each column, and one that
    does not depend on the order of the rows, tell a changed value from a new order, a new row and
    a new column.
    """
    columns = {
        **{name: table_columns(table) for name, table in read.tables.items()},
        **{one.spec.name: outcome_columns(one) for one in read.imported},
    }
    for record in data:
        facts: dict[str, Plain] = {ROW_NUMBER: record.n, CONTENT: record.sha256}
        own = columns.get(record.name)
        if own:
            facts[ANY_ORDER] = unordered(own)
            facts |= {COLUMN + name: _short(values) for name, values in own.items()}
        for clause in record.excluded:
            facts[EXCLUDED + clause.clause] = clause.n
        for name, value in facts.items():
            yield Setting(ROWS, record.name, name, value, False, Effect.NUMBERS)


def table_columns(table: Table) -> dict[str, Any]:
    """Return the columns of a table that a result depends on, by their names (n values each)."""
    found: dict[str, Any] = {}
    for column in table.columns:
        block = table.numeric if column.numeric else table.objects
        found[column.name] = block[:, column.index]
    found[table.target] = table.y if table.task == "regression" else _labels(table.y, table.classes)
    spec = table.spec
    roles = (
        (spec.id, table.ids),
        (spec.group, table.groups),
        (spec.weight, table.weights),
        (spec.split, table.split),
        *table.subgroups.items(),
        *table.strata.items(),
    )
    return found | {name: v for name, v in roles if name is not None and v is not None}


def outcome_columns(source: GivenOutcomes) -> dict[str, Any]:
    """Return what is known of each example, by truth, models and columns (n values each)."""
    found: dict[str, Any] = {}
    spec = source.spec
    if source.truth is not None:
        regression = source.task == "regression"
        found["truth"] = source.truth if regression else _labels(source.truth, source.classes)
    for name, predicted in source.predictions.items():
        floats = np.asarray(predicted).dtype.kind == "f"
        found[f"{name}"] = predicted if floats else _labels(predicted, source.classes)
    for kind, values in (("correct", source.correct), ("value", source.values)):
        found |= {f"{name} ({kind})": of_model for name, of_model in (values or {}).items()}
    for name, scores in source.scores.items():
        block = np.asarray(scores)
        block = block.reshape(len(block), -1)
        found |= {f"{name} (score {i + 1})": block[:, i] for i in range(block.shape[1])}
    rows = {
        "id": source.ids,
        "group": source.groups,
        "weight": source.weights,
        "event": source.events,
    }
    found |= {name: values for name, values in rows.items() if values is not None}
    if source.samples is not None or not found:
        return {}
    known = {name: v for name, v in found.items() if len(v) == source.n}
    return known | {
        name: values
        for name, values in source.subgroups.items()
        if len(values) == source.n and name in getattr(spec, "subgroups", ())
    }


def _labels(codes: Any, classes: Sequence[str]) -> Any:
    """Return the labels of codes as text; -1 is a label that never occurs in the truth."""
    names = np.asarray([*classes, "(another label)"], dtype=object)
    return names[np.asarray(codes)]


def _short(values: Any) -> str:
    digest = DataHash()
    _enter(digest, "column", values)
    return digest.hexdigest()[:SHORT]


def _enter(digest: DataHash, name: str, values: Any) -> None:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype.kind in "fiub":
        digest.numbers(name, array)
    else:
        digest.texts(name, array.tolist())


def unordered(columns: Mapping[str, Any]) -> str:
    """Hash the rows of some columns so that their order does not matter.

    The rows are numbered by their values, column by column, so that equal rows have equal
    numbers in any order; what is hashed are the sorted columns and the counts of these rows.
    """
    codes: Any = None
    digest = hashlib.sha256()
    for name in sorted(columns):
        levels, own = _levels(columns[name])
        digest.update(f"{name}\n{levels}\n".encode())
        joint = own if codes is None else codes * (int(own.max(initial=0)) + 1) + own
        distinct, codes = np.unique(joint, return_inverse=True)
        for numbers in (distinct, np.bincount(codes)):
            digest.update(np.ascontiguousarray(numbers, dtype="<i8").tobytes())
    return digest.hexdigest()


def _levels(values: Any) -> tuple[str, Any]:
    """Return a hash of the sorted distinct values, and the number of each row's value."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype.kind == "O":
        texts = [value if isinstance(value, str) else "" for value in array.tolist()]
        present = [isinstance(value, str) for value in array.tolist()]
        array = np.asarray([f"={t}" if p else "" for t, p in zip(texts, present, strict=True)])
    distinct, codes = np.unique(array, return_inverse=True)
    digest = DataHash()
    if distinct.dtype.kind in "fiub":
        digest.numbers("levels", distinct)
    else:
        digest.texts("levels", distinct.tolist(), distinct=True)
    return digest.hexdigest(), codes


def settings_of(
    study: Study,
    families: Families,
    data: Sequence[DataRecord],
    protocols: Sequence[ProtocolRecord],
    read: "ReadSources",
    *,
    content: bool = True,
) -> tuple[Setting, ...]:
    """List the settings in force, those of words included, in the order of the sections.

    `families` are the families of hypotheses on the data sets that were found. Without `content`
    the data are omitted: hashing their columns takes longest.
    """
    defaults = {default.place for default in study.defaults}
    found = [
        *_study_settings(study, defaults),
        *_source_settings(study),
        *(setting for model in study.models for setting in _model_settings(model)),
        *(setting for one in study.protocols for setting in _protocol_settings(one, defaults)),
        *_line_settings(study, families, defaults),
        *_interval_settings(study, read),
        *_family_settings(families, defaults),
        *(_content_settings(study, read, data) if content else ()),
        *(
            Setting(SPLITS, record.name, "rows", record.folds_sha256, False, Effect.NUMBERS)
            for record in protocols
            if record.folds_sha256 is not None
        ),
        *_versions(study),
    ]
    return tuple(found)


def _study_settings(study: Study, defaults: Set[DefaultPlace]) -> Iterator[Setting]:
    """List what `study`, `stratify`, `tune`, `use` and `report` decide."""
    for item, value, effect in _fields(study, Effect.NUMBERS):
        if value is None and item.default is None:
            continue  # a clause of a later version: locks of studies without it stay the same
        if value is not None and not isinstance(value, bool | int | float | str | Fraction | tuple):
            continue
        if not isinstance(value, tuple) or item.name == "authors":
            stated = value is not None and DefaultPlace("study", item.name) not in defaults
            span = study.places.get("study")
            if item.name in SAID_OF_SOURCES:
                written = [
                    one.places[item.name] for one in study.sources if item.name in one.places
                ]
                stated, span = bool(written), next(iter(written), span)
            span = study.places.get(OF_STUDY.get(item.name, item.name), span)
            yield Setting("study", "", item.name, plain(value), stated, effect, span)
    strata = study.stratification
    columns = [] if strata is None else list(strata.columns)
    span, stated = study.places.get("stratify"), all(d.kind != "stratify" for d in defaults)
    yield Setting("stratify", "", "by", [*columns], stated, Effect.NUMBERS, span)
    if strata is not None and strata.bins is not None:
        yield Setting("stratify", "", "bins", strata.bins, stated, Effect.NUMBERS, span)
    if study.tuning is not None and any(search_space(model.pipeline) for model in study.models):
        for setting in _fields_of("tune", "", study.tuning, Effect.NUMBERS, study.tuning.span):
            written_here = {
                "strategy": study.tuning.span is not None,
                "select": study.tuning.select_written,
                "metric": study.tuning.by_written,
            }
            yield replace(setting, stated=written_here.get(setting.name, True))
    for use in study.uses:
        code = use.code_sha256 or use.sha256
        yield Setting("use", use.module, "code", code, True, Effect.NUMBERS, use.span)
    head = study.places.get("report")
    for setting in _fields_of("report", "", study.report, Effect.WORDS, head):
        stated = setting.stated and DefaultPlace("report", setting.name) not in defaults
        stated |= setting.name == "formats" and head is not None
        span = study.places.get(f"report {setting.name}", head)
        yield replace(setting, stated=stated, span=span)


SAID_OF_SOURCES = frozenset({"task", "group"})
"""Fields of a study that its sources may state: `group` is a clause, or a statement."""
OF_STUDY = {"authors": "author", "report_folder": "report to"}
"""Fields of a study whose clause has another word."""


SECTIONS: Mapping[type, str] = {
    DataSpec: "data",
    PredictionsSpec: "predictions",
    CountsSpec: "counts",
    BattlesSpec: "battles",
    ScoresSpec: "scores",
}


def _source_settings(study: Study) -> Iterator[Setting]:
    for source in study.sources:
        places = source.places
        section = SECTIONS[type(source)]
        head = places.get(section)
        for setting in _fields_of(section, source.name, source, Effect.NUMBERS, head):
            # a field is called as its clause, or begins with it: `features_except`
            field = setting.name.partition(" ")[0]
            clause = next((w for w in (field, field.partition("_")[0]) if w in places), None)
            stated = setting.stated or clause is not None
            if field == "label":
                stated = setting.value != source.name
            elif field == "task":
                stated = clause is not None
            span = head if clause is None else places[clause]
            yield replace(setting, span=span, stated=stated)


def _model_settings(model: ModelSpec) -> Iterator[Setting]:
    """List label, steps and every parameter of a model, those that were not written too."""
    label = Setting("model", model.name, "label", model.label, True, Effect.WORDS, model.span)
    yield label
    if model.stored is not None:
        source = replace(label, name="from", value=model.stored.written, effect=Effect.NUMBERS)
        yield source
        yield replace(source, name="predictions", value=model.stored.sha256)
        return
    steps = replace(label, name="steps", value=_steps(model.pipeline), effect=Effect.NUMBERS)
    yield steps
    seen: dict[str, int] = {}
    for spec in classes_of(model.pipeline):
        seen[spec.name] = seen.get(spec.name, 0) + 1
        owner = spec.name if seen[spec.name] == 1 else f"{spec.name} ({seen[spec.name]})"
        for name, value, stated in _parameters(spec):
            yield replace(steps, name=f"{owner} {name}", value=value, stated=stated)


def _parameters(spec: EstimatorSpec) -> Iterator[tuple[str, str, bool]]:
    for name, value in spec.parameters:
        yield name, written(value), True
    entry = None if spec.code else CATALOGUE.get(spec.name)
    named = {name for name, _ in spec.parameters}
    for parameter in entry.parameters.values() if entry is not None else ():
        usual = not (parameter.required or parameter.deprecated or parameter.refused)
        if usual and parameter.name not in named and parameter.default not in NOT_GIVEN:
            yield parameter.name, parameter.default_text, False


def _steps(pipeline: PipelineSpec) -> str:
    """Return the classes of a pipeline without their parameters."""
    return " | ".join(
        step.name if isinstance(step, EstimatorSpec) else written(step) for step in pipeline.steps
    )


def _protocol_settings(protocol: Protocol, defaults: Set[DefaultPlace]) -> Iterator[Setting]:
    for setting in _fields_of("protocol", protocol.name, protocol, Effect.NUMBERS, protocol.span):
        option = setting.name.removeprefix("options ")
        implied = protocol.implied_by is not None
        place = DefaultPlace("protocol", option, protocol.kind)
        stated = setting.stated and not implied and place not in defaults
        yield replace(setting, name=option, stated=stated)


LINES = {
    "measure": "measures",
    "compare": "comparisons",
    "require": "requirements",
    "export": "exports",
    "analyze": "analyses",
}
"""The statements that have no name: they are found by their number."""
ELSEWHERE = {"measure": {"interval"}, "compare": {"correction", "models", "pairs"}}
"""Fields that other settings state: intervals in force, families, and pairs as resolved."""


def _line_settings(
    study: Study, families: Families, defaults: Set[DefaultPlace]
) -> Iterator[Setting]:
    effects = _effects(Study)
    for section, name in LINES.items():
        lines: Sequence[Any] = getattr(study, name)
        effect = effects.get(name, Effect.NUMBERS)
        for number, line in enumerate(lines, 1):
            unwritten = frozenset(_unwritten(line))
            if isinstance(line, ComparisonSpec):
                yield from _pair_settings(str(number), line, families)
            for setting in _fields_of(section, str(number), line, effect, line.span):
                if setting.name.partition(" ")[0] in ELSEWHERE.get(section, ()):
                    continue
                clause = "by" if setting.name == "metrics" else setting.name
                place = DefaultPlace(section, clause, line=number - 1)
                stated = setting.stated and setting.value is not False and place not in defaults
                stated &= setting.name not in unwritten
                yield replace(setting, stated=stated)


def _unwritten(line: object) -> Iterator[str]:
    """Iterate over the parts of a line that the check filled in."""
    if isinstance(line, ComparisonSpec | RequirementSpec) and not line.protocol_written:
        yield "protocol"
    if isinstance(line, RequirementSpec):
        if not line.metric_written:
            yield "metric"
        if not line.level_written:
            yield "level"


def _pair_settings(item: str, line: ComparisonSpec, families: Families) -> Iterator[Setting]:
    """List what a line tests, resolved: equal lines in other words have equal settings."""
    planned = families.planned.get(line.index, ())
    pairs = dict.fromkeys(" vs ".join(pair) for one in planned for pair in one.pairs)
    joint = dict.fromkeys(", ".join(one.models) for one in planned if one.omnibus)
    for name, found in (("pairs", pairs), ("all at once", joint)):
        if found:
            yield Setting("compare", item, name, [*found], True, Effect.CLAIMS, line.span)


def _interval_settings(study: Study, read: "ReadSources") -> Iterator[Setting]:
    for where, measure, method, grouped in resolved_intervals(study, read):
        item = f"{measure.metric.written} under {where}"
        span = measure.interval_span or measure.span
        given = measure.interval is not None
        for setting in _method("interval", item, "", method, INTERVALS, Effect.NUMBERS, span):
            yield replace(setting, stated=given and setting.stated)
        if grouped and INTERVALS[method.name].declaration.clustered:
            yield Setting("interval", item, "form", "for groups", False, Effect.NUMBERS, span)


def _family_settings(families: Families, defaults: Set[DefaultPlace]) -> Iterator[Setting]:
    """List the size and the correction of each family, which the lines and the data decide."""
    for number, family in enumerate(families.families, 1):
        lines = [planned.line for planned in family.comparisons]
        span = lines[0].span if lines else None
        correction = None if family.correction is None else family.correction.written
        size = Setting("family", str(number), "size", family.size, False, Effect.CLAIMS, span)
        yield size
        places = {DefaultPlace("compare", "correction", line=line.index) for line in lines}
        by_default = family.joint or bool(places & defaults)
        stated = correction is not None and not by_default
        yield replace(size, name="correction", value=correction, stated=stated)


def _content_settings(
    study: Study, read: "ReadSources", data: Sequence[DataRecord]
) -> Iterator[Setting]:
    """List what the data are, each at the statement that reads them."""
    heads = {one.name: one.places.get(SECTIONS[type(one)]) for one in study.sources}
    for setting in content_settings(read, data):
        # data sets of a pattern or of a column are named after their source: `suite/iris`
        yield replace(setting, span=heads.get(setting.item.partition("/")[0]))


def _versions(study: Study) -> Iterator[Setting]:
    """List the versions that can change numbers; no name of a machine is among them."""
    found = {"evallang": VERSION, **environment()}
    for model in study.models:
        found |= package_versions(model.pipeline)
    for name in sorted(found.keys() - {"processor", "linear algebra"}):
        yield Setting("version", "", name, found[name], False, Effect.NUMBERS)


# --- records into settings ------------------------------------------------------------------


REGISTRIES: Mapping[str, Registry[Any]] = {
    "test": HYPOTHESIS_TESTS,
    "post_hoc": HYPOTHESIS_TESTS,
    "correction": CORRECTIONS,
    "method": ANALYSES,
    "interval": INTERVALS,
}


@cache
def _effects(record: Any) -> dict[str, Effect]:
    """Return the declared effects of the fields of a record."""
    hints = get_type_hints(record, include_extras=True)
    return {
        name: mark
        for name, hint in hints.items()
        for mark in get_args(hint)[1:]
        if isinstance(mark, Effect)
    }


def _fields(record: Any, inherited: Effect) -> Iterator[tuple[FieldInfo, Any, Effect]]:
    kind: Any = type(record)
    effects = _effects(kind)
    for item in fields(record):
        effect = effects.get(item.name, inherited)
        if item.name in compared(kind) and effect is not Effect.DERIVED:
            yield item, getattr(record, item.name), effect


def _fields_of(
    section: str, item: str, record: Any, effect: Effect, span: Span | None, before: str = ""
) -> Iterator[Setting]:
    """Turn a record into settings, one for each field; nested records have their fields' names."""
    for own, value, of_field in _fields(record, effect):
        name = f"{before}{own.name}"
        if own.name == "name" or value is None or value == ():
            continue
        for setting in _value(section, item, name, value, of_field, span):
            # a value that is the default of its field is written only if a place says so
            yield replace(setting, stated=False) if value == own.default else setting


def _value(
    section: str, item: str, name: str, value: Any, effect: Effect, span: Span | None
) -> Iterator[Setting]:
    if isinstance(value, Method):
        registry = REGISTRIES.get(name)
        yield from _method(section, item, name, value, registry, effect, span)
    elif isinstance(value, Mapping):
        for key in sorted(value):
            if value[key] is not None:
                yield from _value(section, item, f"{name} {key}", value[key], effect, span)
    elif isinstance(value, Struct):
        yield from _fields_of(section, item, value, effect, span, f"{name} ")
    elif isinstance(value, tuple) and value and isinstance(value[0], Struct):
        yield from _records(section, item, name, value, effect, span)
    else:
        yield Setting(section, item, name, plain(value), True, effect, span)


def _records(
    section: str, item: str, name: str, value: tuple[Any, ...], effect: Effect, span: Span | None
) -> Iterator[Setting]:
    """Turn several records into settings: by their names, or as the texts that they write."""
    texts = [getattr(one, "written", None) for one in value]
    if all(text is not None for text in texts):
        yield Setting(section, item, name, [*texts], True, effect, span)
        return
    for one in value:
        yield from _fields_of(section, item, one, effect, span, f"{name} {one.name} ")


def _method(
    section: str,
    item: str,
    name: str,
    method: Method,
    registry: Registry[Any] | None,
    effect: Effect,
    span: Span | None,
) -> Iterator[Setting]:
    """Turn a method into its name and all its options, those that were not written too."""
    head = Setting(section, item, name, method.name, True, effect, span)
    yield head
    entry = metric_entry(method) if registry is None else registry[method.name]
    given = dict(method.options)
    before = f"{name} " if name else ""
    for option, value in {**entry.defaults(), **given}.items():
        if value is not None:
            stated = option in given
            yield replace(head, name=f"{before}{option}", value=plain(value), stated=stated)


def plain(value: Any) -> Plain:
    """Return a value as JSON has it; fractions and parameters as an author writes them."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction):
        return written_option(value)
    if isinstance(value, Mapping):
        return [f"{key}: {plain(item)}" for key, item in value.items()]
    if isinstance(value, tuple | list | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Method):
        return value.written
    return str(value)
