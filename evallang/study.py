"""A resolved study: every name is resolved and every default is filled in.

It is the only interface between language and computation. It contains names, numbers and option
values, and no functions, arrays, scikit-learn objects or syntax; it keeps places, so that later
findings can point into the file.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from msgspec import Struct, field

from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    GivenModel,
    PredictionsSpec,
    ScoresSpec,
    Task,
)
from evallang.effect import Effect
from evallang.models.model import ModelSpec, search_space
from evallang.records import Placed
from evallang.results.files import STORED_FILES
from evallang.results.settings import Default, ReportSettings, Stated
from evallang.source import SourceFile, Span
from evallang.spelling import RESERVED, Words, written_name
from evallang.stats.corrections.correction import default_correction

OptionValue = None | bool | int | float | str | Fraction | tuple["OptionValue", ...]
Options = tuple[tuple[str, OptionValue], ...]

SourceSpec = DataSpec | PredictionsSpec | CountsSpec | ScoresSpec | BattlesSpec


Average = Literal["data", "rows"]
"""What counts the same in an average over data sets: each of them, or each of their rows."""


class Method(Struct, frozen=True):
    """A word of a catalogue with the options that were written, in their order.

    A dotted name is a metric of the author's own code, `live` a function given in Python.
    `better` is set for a metric outside the catalogue: its numbers are in a file, and its
    statement names it (`value "F1"`, `metric "AUC"`). With `ratio` it divides two sums over the
    examples (`value ratio("errors", "words")`).
    """

    name: str
    options: Options = ()
    better: Literal["higher", "lower"] | None = None
    ratio: bool = False
    live: bool = False

    @property
    def code(self) -> bool:
        """Whether it is an author's own function, which has a dotted name or is `live`."""
        return self.live or (self.better is None and "." in self.name.strip("."))

    @property
    def written(self) -> str:
        """The canonical text: `f1(average=macro)`."""
        if not self.options:
            return self.name
        return f"{self.name}({', '.join(f'{k}={written_option(v)}' for k, v in self.options)})"

    def keywords(self) -> dict[str, OptionValue]:
        """Return the options as keyword arguments."""
        return dict(self.options)


def joint_correction() -> Method:
    """Return the correction of the one family of a study under `families together`."""
    return Method(default_correction())


def written_option(value: OptionValue) -> str:
    """Return the text that an author would write for the value of an option."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return "[" + ", ".join(written_option(item) for item in value) + "]"
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    text = str(value)
    bare = text in RESERVED or re.fullmatch(r"\.[0-9]+\+?", text) is not None  # `.632+`
    return text if bare or not isinstance(value, str) else written_name(text)


class Protocol(Placed, frozen=True):
    """One resampling design with all of its options.

    `implied_by` is the comparison or the interval that needs it (its canonical text), or None if
    the author wrote the protocol. `interval_of` is the protocol whose estimates take their
    interval from its fits, or None.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    name: str
    kind: str
    options: Mapping[str, OptionValue]
    path: str | None = None
    by: str | None = None
    seeds: int = 1
    implied_by: Annotated[str | None, Effect.DERIVED] = None
    interval_of: Annotated[str | None, Effect.DERIVED] = None
    span: Span | None = None


class Stratification(Struct, frozen=True):
    """The `stratify` line; `columns` are `target` or columns, and empty for `stratify none`."""

    columns: tuple[str, ...]
    bins: int | None = None


class Tuning(Placed, frozen=True):
    """The search for candidates and the choice among them.

    `cv` is the number of inner folds written here; None if the protocol has its own
    stage (`nested cv`, three-way holdout) or there is no search.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    strategy: Literal["grid", "random", "bayes"]
    n: int | None
    metric: Method
    cv: int | None
    select: Literal["best", "one_standard_error"]
    span: Span | None = None
    by_written: Annotated[bool, Effect.DERIVED] = False
    select_written: Annotated[bool, Effect.DERIVED] = False


class Measure(Placed, frozen=True):
    """One metric to report; `interval` is None for the default of metric and protocol.

    With `averaged` the average over the data sets is reported too.
    """

    APART: ClassVar[tuple[str, ...]] = ("span", "interval_span")

    metric: Method
    interval: Method | None
    within: tuple[str, ...] = ()
    averaged: Average | None = None
    span: Span | None = None
    interval_span: Span | None = None


class ComparisonSpec(Placed, frozen=True):
    """One `compare` line.

    `test` is the first test of the line; if it tests all models at once, it is the `omnibus`, and
    `post_hoc` is the test after `then`, or None. `pairs` are all pairs of the line, `models` all
    models that its omnibus covers. `correction` is None if the tests control the family
    themselves. `singly` states that the test is about one model. With `averaged` the average over
    the data sets is compared, which are fixed; `across` takes them as the sample.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    index: Annotated[int, Effect.DERIVED]
    source: Annotated[str, Effect.DERIVED]
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    against: str | None
    across: bool
    test: Method
    post_hoc: Method | None
    correction: Method | None
    metrics: tuple[Method, ...]
    protocol: str | None
    exploratory: bool
    averaged: Average | None = None
    omnibus: Annotated[bool, Effect.DERIVED] = False
    singly: Annotated[bool, Effect.DERIVED] = False
    protocol_written: Annotated[bool, Effect.DERIVED] = False
    span: Span | None = None

    @property
    def over_data(self) -> bool:
        """Whether it is one comparison of all data sets, and not one on each of them."""
        return self.across or self.averaged is not None


class RequirementSpec(Placed, frozen=True):
    """One `require` line; `value` is the threshold or the margin, None without one."""

    APART: ClassVar[tuple[str, ...]] = ("span",)

    index: Annotated[int, Effect.DERIVED]
    source: Annotated[str, Effect.DERIVED]
    kind: Literal["level", "superior", "noninferior", "equivalent"]
    metric: Method
    models: tuple[str, ...]
    operator: str | None
    value: float | None
    test: Method | None
    within: str | None
    protocol: str | None
    level: float
    averaged: Average | None = None
    level_written: Annotated[bool, Effect.DERIVED] = False
    metric_written: Annotated[bool, Effect.DERIVED] = False
    protocol_written: Annotated[bool, Effect.DERIVED] = False
    span: Span | None = None


class UseSpec(Placed, frozen=True):
    """One `use` line: an author's module.

    Once it is found, `sha256` is that of its package, and `code_sha256` also covers the modules
    next to the study and the versions of the packages that it imports.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    module: str
    span: Span | None = None
    sha256: Annotated[str | None, Effect.DERIVED] = None
    code_sha256: str | None = None


class ExportSpec(Placed, frozen=True):
    """One `export` line; `model` is None for `best`, `path` relative to the study's file."""

    APART: ClassVar[tuple[str, ...]] = ("span",)

    model: str | None
    path: Annotated[str, Effect.WORDS]
    source: Annotated[str, Effect.DERIVED]
    span: Span | None = None


class AnalysisSpec(Placed, frozen=True):
    """One item of an `analyze` line; `metric` and `protocol` are None if they are not written.

    Without `models`, an analysis of models is about all but the baselines.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    index: Annotated[int, Effect.DERIVED]
    method: Method
    metric: Method | None = None
    protocol: str | None = None
    models: tuple[str, ...] = ()
    span: Span | None = None


class Study(Placed, frozen=True, dict=True):
    """Everything that a run needs to know.

    `places` maps `study`, its clauses and `stratify` to their spans; `live` contains a hash for
    each model that is an object in memory. `looks` is how often the requirements are decided on
    the same test data, None if the author states no number.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    title: Annotated[str, Effect.WORDS]
    authors: Annotated[tuple[str, ...], Effect.WORDS]
    question: Annotated[str | None, Effect.WORDS]
    about: Annotated[str | None, Effect.WORDS]
    seed: int
    alpha: Annotated[float, Effect.CLAIMS]
    confidence: Annotated[float, Effect.CLAIMS]
    families: Annotated[Literal["separate", "together"], Effect.CLAIMS]
    sources: tuple[SourceSpec, ...]
    task: Task | None
    stratification: Stratification | None
    group: str | None
    models: tuple[ModelSpec, ...]
    protocols: tuple[Protocol, ...]
    tuning: Tuning | None
    measures: Annotated[tuple[Measure, ...], Effect.CLAIMS]
    comparisons: Annotated[tuple[ComparisonSpec, ...], Effect.CLAIMS]
    requirements: Annotated[tuple[RequirementSpec, ...], Effect.CLAIMS]
    report: Annotated[ReportSettings, Effect.WORDS]
    report_folder: Annotated[str | None, Effect.WORDS]
    path: Annotated[str, Effect.DERIVED]
    files: Annotated[tuple[SourceFile, ...], Effect.DERIVED]
    overrides: Annotated[Mapping[str, str], Effect.DERIVED]
    defaults: Annotated[tuple[Default, ...], Effect.DERIVED]
    places: Mapping[str, Span] = field(default_factory=dict)
    exports: tuple[ExportSpec, ...] = ()
    uses: tuple[UseSpec, ...] = ()
    live: Mapping[str, str] = field(default_factory=dict)
    analyses: tuple[AnalysisSpec, ...] = ()
    stated: tuple[Stated, ...] = ()
    looks: Annotated[int | None, Effect.CLAIMS] = None
    canonical: Annotated[str, Effect.DERIVED] = ""

    @cached_property
    def model_names(self) -> Words:
        """The names of its models, which every line asks for."""
        return names_of(self.models)

    @property
    def fitted(self) -> tuple[ModelSpec, ...]:
        """The models that are fitted; the predictions of the others are stored."""
        return tuple(model for model in self.models if model.stored is None)

    @property
    def data_files(self) -> tuple[str, ...]:
        """The files that its data and folds are read from: paths and patterns, as written."""
        folds = (protocol.path for protocol in self.protocols if protocol.path is not None)
        stored = (
            f"{model.stored.folder}/{name}"
            for model in self.models
            if model.stored is not None
            for name in STORED_FILES
        )
        return (*(file for source in self.sources for file in source.files), *folds, *stored)


def own_sources(study: Study) -> dict[str, str]:
    """Return the hashes of the author's packages that were found, and of objects in memory."""
    found = {u.module.partition(".")[0]: u.code_sha256 for u in study.uses if u.code_sha256}
    return {**found, **study.live}


class AskedMetric(Struct, frozen=True):
    """A metric that a line asks for, of some models (none named: of all).

    `stated` tells whether the line names it, or has that of the first measure or of its test.
    """

    metric: Method
    span: Span | None
    models: tuple[str, ...] = ()
    stated: bool = True


def asked_metrics(study: Study) -> list[AskedMetric]:
    """List the metrics of all lines: what is measured first, then compared, required, searched by.

    That of a search is listed where the author wrote it, for the models that are searched.
    """
    found = [AskedMetric(measure.metric, measure.span) for measure in study.measures]
    implied = {d.line for d in study.defaults if (d.kind, d.option) == ("compare", "by")}
    for line in study.comparisons:
        models = models_of(line, ()) if line.models else ()
        stated = line.index not in implied
        found += [AskedMetric(metric, line.span, models, stated) for metric in line.metrics]
    for claim in study.requirements:
        found.append(AskedMetric(claim.metric, claim.span, claim.models, claim.metric_written))
    if study.tuning is not None and study.tuning.by_written:
        searched = tuple(m.name for m in study.models if search_space(m.pipeline))
        found.append(AskedMetric(study.tuning.metric, study.tuning.span, searched))
    return found


def own_metrics_of(study: Study) -> Iterator[tuple[Method, Span | None]]:
    """Iterate over the metrics of the author's own code, each once, with its first span."""
    found: dict[Method, Span | None] = {}
    for asked in asked_metrics(study):
        if asked.metric.code:
            found.setdefault(asked.metric, asked.span)
    yield from found.items()


def units_of(study: Study) -> dict[str, str]:
    """Return what each source calls its examples or data sets, where it does."""
    return {source.name: source.unit for source in study.sources if source.unit}


def averaged_lines(study: Study) -> list[Measure | ComparisonSpec | RequirementSpec]:
    """List the lines that average over data sets."""
    lines: list[Measure | ComparisonSpec | RequirementSpec]
    lines = [*study.measures, *study.comparisons, *study.requirements]
    return [line for line in lines if line.averaged is not None]


def averaged_measures(study: Study) -> list[Measure]:
    """List what is measured on average over data sets: by `measure`, or for another line."""
    found: dict[tuple[Method, Average], Measure] = {}
    for line in averaged_lines(study):
        over = line.averaged
        for metric in line.metrics if isinstance(line, ComparisonSpec) else (line.metric,):
            stated = line if isinstance(line, Measure) else Measure(metric, None, (), over)
            if over is not None:
                found.setdefault((metric, over), stated)
    return list(found.values())


def names_of(named: Sequence[ModelSpec] | Sequence[GivenModel] | Sequence[Protocol]) -> Words:
    """Return the names of models or protocols."""
    return Words(item.name for item in named)


def models_of(comparison: ComparisonSpec, available: Sequence[str]) -> tuple[str, ...]:
    """Return all models that a comparison covers, the reference last."""
    named = comparison.models or tuple(m for m in available if m != comparison.against)
    return (*named, comparison.against) if comparison.against is not None else named


def pairs_of(comparison: ComparisonSpec, available: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a comparison: planned pairs, pairs with the reference, or all pairs.

    If the test is about one model, each item has one model.
    """
    if comparison.pairs:
        return comparison.pairs
    named = comparison.models or tuple(m for m in available if m != comparison.against)
    if comparison.singly:
        return tuple((model,) for model in named)
    if comparison.against is not None:
        return tuple((model, comparison.against) for model in named)
    return tuple(itertools.combinations(named, 2))
