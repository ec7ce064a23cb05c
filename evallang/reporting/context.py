"""What sections ask of the results: labels, words for metrics, decimals, citations.

It computes no statistics: it looks up, groups and orders what `Results` holds.
"""

import hashlib
import json
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from evallang.printable import isolated, printable
from evallang.reporting.document import Cite, Runs, Section, Table
from evallang.reporting.figures.figure import LOOKS, UNBOUNDED, Bounds, Look
from evallang.reporting.letter_case import (
    GROUPS,
    abbreviated,
    axis_words,
    capitalised,
    mid_sentence,
    printed,
    titled,
)
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    Style,
    between,
    count,
    error_of_bounds,
    in_words,
    number_word,
    scale_of,
)
from evallang.reporting.orientation import inside, is_directed, turned
from evallang.reporting.style_sheets import style_objection
from evallang.results.codec import from_plain, to_plain
from evallang.results.records import (
    Comparison,
    DataRecord,
    Difference,
    Estimate,
    HypothesisTestResult,
    Interval,
    MethodRecord,
    ModelRecord,
    ProtocolRecord,
    Requirement,
    ResultsRecord,
    SimultaneousInterval,
    Tested,
)
from evallang.results.written import method_of

SETS = "data sets"
MOST_DATA_APART = 3  # more data sets share one table
PLURAL = re.compile(r"[^ius\s]s$")  # no title in the catalogue is a plural
LABELLED = re.compile(r'\w+ \S+ "((?:[^"\\]|\\.)*)" from ')
"""The label of a statement of data, after its keyword and name."""
AVERAGES: Mapping[str | None, str] = {
    "data": "averaged over data",
    "rows": "averaged over rows",
}
"""The names by which a report knows averages over the data sets, as if each were a data set."""
NO_SENTENCES: Mapping[str, str] = {}
MOST_SAMPLES = 6  # models whose own numbers of examples are named

KEPT = "".join(
    map(chr, (0x9, 0xA, 0xA0, 0xAD, *range(0x2000, 0x200B), 0x200C, 0x200D, 0x202F, 0x2060))
)
"""Blanks and joiners, with which pages set text."""


RANKS = "ranks"
"""The unit of a difference of average ranks."""


LONGEST_SHORT = 20  # letters of an abbreviation with its options in the head of a column


class MetricWords(Struct, frozen=True):
    """How a metric is named and printed; `noun` is its name inside a sentence.

    `no_interval` states why an interval is missing, or is empty; `of_sums` that it divides two
    sums over the examples. `range` has the least and the largest possible value. `short` is its
    abbreviation, `units` those of its differences ("points", "price units"); empty without any.
    `plural` says whether the noun is one, as "output tokens".
    """

    name: str
    title: str
    noun: str
    unit: str
    better: str
    no_interval: str = ""
    of_sums: bool = False
    ideal: float | None = None
    matrix_of_classes: bool = False
    range: Bounds = UNBOUNDED
    short: str = ""
    units: str = ""
    plural: bool = False

    @property
    def head(self) -> str:
        """What the head of a column prints."""
        return self.short or self.heading

    @property
    def brief(self) -> str:
        """The name inside a note below such a head."""
        return mid_sentence(self.short) or self.noun

    @property
    def heading(self) -> str:
        """The name at the beginning of a sentence, a title or a heading."""
        return capitalised(self.title)

    @property
    def sign(self) -> str:
        """The sign after the name of a scale of values."""
        return " (%)" if self.percent else ""

    @property
    def points(self) -> str:
        """The unit after the name of a scale of differences."""
        return f" ({self.units})" if self.units else ""

    @property
    def range_of_differences(self) -> Bounds:
        """The least and the largest difference of two values."""
        low, high = self.range
        if low is None or high is None:
            return UNBOUNDED
        return low - high, high - low

    @property
    def percent(self) -> bool:
        """Return whether 0.98 is printed as 98."""
        return self.unit == "percent"

    @property
    def higher_is_better(self) -> bool:
        """Return the direction."""
        return self.better != "lower"

    def distance_from_best(self, value: float) -> float:
        """Return a number that is smaller for a better value."""
        if self.ideal is not None:
            return abs(value - self.ideal)
        if self.better == "neither":
            return 0.0
        return -value if self.higher_is_better else value

    @property
    def best_word(self) -> str:
        """The superlative of the better direction."""
        return "highest" if self.higher_is_better else "lowest"

    @property
    def better_word(self) -> str:
        """The comparative of the better direction."""
        return "higher" if self.higher_is_better else "lower"

    @property
    def worse_word(self) -> str:
        """The comparative of the worse direction."""
        return "lower" if self.higher_is_better else "higher"


class Setting(Struct, frozen=True):
    """One data set under one protocol: what one table of estimates is about."""

    data: str | None
    protocol: str | None


class Context:
    """The results of one study, with what is needed to word them.

    Control characters and signs that turn the direction of text are replaced first, so
    that no name can break a drawing or disguise itself.
    """

    def __init__(
        self,
        results: ResultsRecord,
        *,
        draws: bool = True,
        isolates: bool = True,
        sentences: Mapping[str, str] = NO_SENTENCES,
    ) -> None:
        self.sentences = sentences
        """The author's own files of sentences by name, which the user trusts."""
        self.objections: dict[str, None] = {}
        """Why sentences of these files were not used."""
        self.draws = draws
        """Whether sections draw figures, which a summary of text does not need."""
        self.limited = True
        """Whether findings are cut to what the first page has room for."""
        plain = to_plain(results)
        self.report_id = report_id(plain)
        found = from_plain(ResultsRecord, _visible(plain))
        self._isolates = isolates
        found = _with_named_averages(found)
        self.results = found = _with_isolated_names(found) if isolates else found
        self.results = replace(
            found,
            estimates=tuple(map(self._possible, found.estimates)),
            requirements=tuple(
                item
                if item.interval is None
                else replace(item, interval=inside(self._range_of(item), *item.interval))
                for item in found.requirements
            ),
        )
        compared = tuple(_oriented(self, comparison) for comparison in found.comparisons)
        self.results = replace(self.results, comparisons=compared)
        self.alpha = self.results.study.alpha
        self.style = cast(Style, self.results.report.numbers)
        css = results.style_sheet or ""  # results may come from anyone
        self.style_sheet = css if style_objection(css) is None else ""
        self.exhibits: dict[str, None] = {}
        """The figures and tables that `show` and `hide` may name, by their identifiers."""
        self.shown_in: dict[object, str] = {}
        """The figure or table that shows a setting, or the record of an identity, once built."""
        self.sections: tuple[Section, ...] = ()  # those built so far
        self.files: list[Table] = []  # on no page
        self.alike: dict[Runs, list[Requirement]] = {}  # requirements by their words

    def _possible(self, found: Estimate) -> Estimate:
        """Return an estimate with the bounds of its interval among the possible values."""
        interval = found.interval
        if interval is None:
            return found
        low, high = inside(self.metric(found.metric).range, interval.low, interval.high)
        if (low, high) == (interval.low, interval.high):
            return found
        note = "a bound beyond the possible values is printed as the nearest possible value"
        cut = replace(interval, low=low, high=high, notes=(*interval.notes, note))
        return replace(found, interval=cut)

    def _range_of(self, item: Requirement) -> Bounds:
        metric = self.metric(item.metric)
        return metric.range if item.kind == "level" else metric.range_of_differences

    def without_limits(self) -> "Context":
        """Return the same results without figures, and with all findings."""
        made = copy(self)
        made.draws = made.limited = False
        made.shown_in = {}
        return made

    # --- the report as a whole ----------------------------------------------------------

    @property
    def title(self) -> str:
        """The title the report was given, else that of the study."""
        return self.results.report.title or self.results.study.title

    @property
    def created(self) -> str | None:
        """The date of the report, from SOURCE_DATE_EPOCH; None without it.

        The start of the run would make two reports of equal results differ.
        """
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        if not epoch.isdigit():
            return None
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def footer(self) -> str:
        """What ties a printed page to its run."""
        seed = f"Seed {self.results.study.seed}"
        if len(self.results.data) == 1:
            return f"Data SHA-256 {self.results.data[0].sha256[:12]}…  {seed}"
        return f"Study SHA-256 {self.results.spec.sha256[:12]}…  {seed}"

    def shows(self, section: str) -> bool:
        """Return whether `show` and `hide` leave a section that they may omit."""
        settings = self.results.report
        return (settings.show is None or section in settings.show) and section not in settings.hide

    # --- names --------------------------------------------------------------------------

    @cached_property
    def _models(self) -> Mapping[str, ModelRecord]:
        return {model.name: model for model in self.results.models}

    @cached_property
    def _data(self) -> Mapping[str, DataRecord]:
        found = {data.name: data for data in self.results.data}
        for name in {e.data or "" for e in self.results.estimates if e.averaged is not None}:
            read = [found[one] for one in self._averaged_data[0]]
            units = {data.unit for data in read}
            found[name] = replace(
                read[0],
                name=name,
                label="",
                n=sum(data.n for data in read),
                classes=None,
                positive=None,
                class_counts=None,
                unit=units.pop() if len(units) == 1 else "examples",
            )
        return found

    @cached_property
    def _averaged_data(self) -> Sequence[Collection[str]]:
        """The data sets of each metric that is averaged over them."""
        every: Sequence[Estimate | Comparison | Requirement] = (
            *self.results.estimates,
            *self.results.comparisons,
            *self.results.requirements,
        )
        found: dict[str, dict[str, None]] = {e.metric: {} for e in every if e.averaged is not None}
        for one in self._whole:
            if one.metric in found and one.averaged is None and one.data is not None:
                found[one.metric][one.data] = None
        return list(found.values())

    def is_average(self, name: str | None) -> bool:
        """Return whether what is taken for a data set is an average over all of them."""
        return name in AVERAGES.values()

    def average_words(self, name: str | None) -> str:
        """State what an average is over: "averaged over 12 data sets"."""
        sizes = {len(data) for data in self._averaged_data}
        sets = f"{number_word(sizes.pop()) if len(sizes) == 1 else 'the'} {self.sets}"
        of_rows = f"the {self.unit} of " if name == AVERAGES["rows"] else ""
        return f"averaged over {of_rows}{sets}"

    @cached_property
    def _methods(self) -> Mapping[tuple[str, str], MethodRecord]:
        return {(method.kind, method.name): method for method in self.results.methods}

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """What the authors call their models and data, which is printed as it is written."""
        return (
            *map(self.model, self._models),
            *map(self.data_label, (data.name for data in self.results.data)),
        )

    def model(self, name: str) -> str:
        """Return the label of a model; a name that is not of the study stands for itself."""
        record = self._models.get(name)
        return record.label if record is not None and record.label else name

    def look(self, name: str) -> Look:
        """Return how a model is drawn, by its place in the study: in every figure the same."""
        place = list(self._models).index(name) if name in self._models else 0
        return LOOKS[place % len(LOOKS)]

    def data(self, name: str | None) -> DataRecord | None:
        """Find a data set."""
        return self._data.get(name or "")

    def data_label(self, name: str | None) -> str:
        """Return the label of a data set, without that of a whole collection; None means all."""
        if name is None:
            return f"all {self.sets}"
        if self.is_average(name):
            return self.average_words(name)
        record = self.data(name)
        label = record.label if record is not None and record.label else name
        return label.removeprefix(f"{self.collection}/") if self.collection else label

    def on_data(self, name: str | None) -> str:
        """State the data set inside a sentence, or over what it is averaged."""
        label = self.data_label(name)
        return label if self.is_average(name) else f"on {label}"

    def class_labels(self, classes: Sequence[str], data: str) -> list[str]:
        """Return classes in the author's words, which the positive one may have."""
        record = self.data(data)
        known = {} if record is None else {record.positive: record.positive_label}
        return [known.get(name) or name for name in classes]

    def protocol(self, name: str | None) -> str:
        """Return the words for a protocol: what it does, unless the author gave it a name."""
        record = next((p for p in self.results.protocols if p.name == name), None)
        if record is None or record.name != record.kind:
            return name or ""
        return protocol_words(record)

    def place(self, data: str | None, protocol: str | None) -> str:
        """State data set and protocol at the head of a sentence, each where there are several."""
        words = self.place_words(data, protocol)
        return f"{capitalised(words)}, " if words else ""

    def place_words(self, data: str | None, protocol: str | None) -> str:
        """State data set and protocol inside a sentence, each where there are several."""
        words = []
        if len(self.results.data) > 1:
            words.append(f"across the {self.sets}" if data is None else self.on_data(data))
        if protocol is not None and self.several_protocols:
            words.append(f"under {self.protocol(protocol)}")
        return " ".join(words)

    def setting_words(self, setting: Setting) -> str:
        """Format a data set, and its protocol where several are named."""
        label = self.data_label(setting.data)
        if len({one.protocol for one in self.settings}) > 1 and setting.protocol is not None:
            return f"{label}, {self.protocol(setting.protocol)}"
        return label

    @cached_property
    def several_protocols(self) -> bool:
        """Whether there are several protocols, those of further fits of an interval aside."""
        return sum(p.interval_of is None for p in self.results.protocols) > 1

    @property
    def data_sets(self) -> tuple[DataRecord, ...]:
        """The data sets, each once where a table has scores of them by several metrics."""
        records = self.results.data
        return tuple({(data.statement, data.label or data.name): data for data in records}.values())

    @property
    def sets(self) -> str:
        """The word for the data sets, which are all of one kind: "data sets", "subjects"."""
        words = {record.one_of or SETS for record in self.results.data}
        return words.pop() if len(words) == 1 else SETS

    @cached_property
    def collection(self) -> str:
        """The label of the statement that all data sets come from; empty for several or none."""
        statements = {record.statement for record in self.results.data}
        found = LABELLED.match(statements.pop()) if len(statements) == 1 else None
        # Characters without a shape are escapes in statements, and stay escapes
        label = re.sub(r'\\(["\\])', r"\1", found[1]) if found is not None else ""
        return isolated(label) if self._isolates else label

    @property
    def set_heading(self) -> str:
        """The heading of a column that names the data sets."""
        return "Data set" if self.sets == SETS else capitalised(self.sets)

    def cases(self, data: str | None) -> str:
        """Return the word for the rows of a data set ("cases")."""
        record = self.data(data)
        return record.unit if record is not None and record.unit else "examples"

    def subject(self, data: str | None) -> str:
        """Return the word for what was measured on a data set, or on all ("model", "judge")."""
        of = [one for one in self.results.data if data in (None, one.name)]
        words = {one.subject for one in of}
        return words.pop() if len(words) == 1 else "model"

    def groups(self, data: str | None) -> str:
        """Return the word for the groups of a data set, or of all ("patients"); else "groups"."""
        if data is None:
            nouns = {self.groups(record.name) for record in self.results.data}
            return nouns.pop() if len(nouns) == 1 else "groups"
        record = self.data(data)
        if record is not None and len(record.clusters) == 1:
            return next(iter(record.clusters))  # prompts, or judges
        columns = record.columns if record is not None and not record.clusters else ()
        name = next((c.name for c in columns if "group" in c.role.split(", ")), "")
        last = name.lower().rpartition(".")[2]
        noun = re.sub(r"[ _-]?(id|number|no)$", "", last).removesuffix("s")
        return f"{noun}s" if noun in GROUPS else "groups"

    def weights_words(self, data: str | None) -> str:
        """State that counts add weights, where a data set has them; else empty."""
        record = self.data(data)
        if record is None or record.weight is None:
            return ""
        return f"; weighted by {record.weight}, so that counts are sums of weights"

    @cached_property
    def tests(self) -> bool:
        """Whether a hypothesis was to be tested, by a comparison or a requirement."""
        decided = (item.test for item in self.results.requirements)
        return bool(self.results.comparisons) or any(test is not None for test in decided)

    @cached_property
    def unit(self) -> str:
        """The word for the rows of all data sets, "examples" where they have several."""
        units = {self.cases(data.name) for data in self.results.data}
        return next(iter(units)) if len(units) == 1 else "examples"

    def n(self, data: str | None) -> int | None:
        """Return the number of rows of a data set."""
        record = self.data(data)
        return record.n if record is not None else None

    def samples(self, data: str | None) -> Mapping[str, int]:
        """Return the examples of each model where each has its own, empty where they share them."""
        record = self.data(data)
        own = record.samples if record is not None and record.samples is not None else {}
        return own if len(own) > 1 else {}

    def sized(self, model: str, data: str | None) -> str:
        """Format a model, with its number of examples where these are its own."""
        n = self.samples(data).get(model)
        size = "" if n is None else f" (n{NBSP}={NBSP}{count(n)})"
        return f"{self.model(model)}{size}"

    def sample_range(self, data: str | None) -> str:
        """Return the smallest and the largest number of examples of a model: "90 to 200"."""
        return between(self.samples(data).values())

    def size_words(self, data: str) -> str:
        """State how many examples there are: "569 patients", "100 examples of A and 90 of B"."""
        own, cases = self.samples(data), self.cases(data)
        if not own:
            return f"{count(self.n(data) or 0)} {cases}"
        if len(own) > MOST_SAMPLES:
            return f"{self.sample_range(data)} {cases} of each model"
        named = [f"{count(n)} of {self.model(model)}" for model, n in own.items()]
        first = named[0].replace(" of ", f" {cases} of ", 1)
        return f"{', '.join([first, *named[1:-1]])} and {named[-1]}"

    def method(self, kind: str, name: str) -> MethodRecord | None:
        """Find what is known of a method, by its full name or without its options."""
        return self._methods.get((kind, name)) or self._methods.get((kind, method_of(name)))

    def method_title(self, kind: str, name: str) -> str:
        """Return the title of a method, with the options that its name states."""
        found = self.method(kind, name)
        if found is None:
            words = name.replace("_", " ")
            return capitalised(words)
        own = found.title == name or kind != "metric"  # a name from elsewhere: `MAE (mm)`
        stated = found.title_states_options or (found.name == name and own)
        title = printed(found.title)
        if found.own_code:  # `mypkg.metrics.worst_recall`
            title = capitalised(title.rpartition(".")[2].replace("_", " "))
        options = "" if stated else name.removeprefix(method_of(name))
        return titled(title, options, in_brackets=not kind.startswith("interval"))

    def interval_title(self, name: str, *, over_groups: bool = False) -> str:
        """Return the title of an interval; one that only its test makes is called after it."""
        if over_groups:
            return f"{self.interval_title(name)} for grouped data"
        if self.method("interval_of_test", name) is not None:
            return self.method_title("interval_of_test", name)
        test = None if self.method("interval", name) else self.method("test", name)
        if test is None:
            return self.method_title("interval", name)
        title = mid_sentence(printed(test.title))
        title = f"interval of {'' if '’s ' in title else 'the '}{title}"
        return titled(title, name.removeprefix(method_of(name)), in_brackets=False)

    def difference_title(self, name: str) -> str:
        """Return the title of the interval of a difference, which may differ from one value's."""
        found = self.method("interval", name)
        other = found.of_difference if found is not None else None
        made = [e.interval for e in self.results.estimates if e.interval is not None]
        grouped = [one.clusters is not None for one in made if one.method == name]
        return other or self.interval_title(name, over_groups=bool(grouped) and all(grouped))

    def averaged(self, data: str | None, name: str) -> bool:
        """Return whether a metric of one class is averaged over three or more by default."""
        record = self.data(data)
        several = record is not None and record.classes is not None and len(record.classes) > 2
        found = self.method("metric", name)
        averages = found is not None and found.averages_classes
        return several and averages and "average" not in name

    def counts_right(self, name: str) -> bool:
        """Return whether a metric is the share of all examples that are predicted right."""
        found = self.method("metric", name)
        return found is not None and found.counts_right

    def quantity(self, test: str) -> str | None:
        """Return what a test of one model is about where that is not the metric."""
        found = self.method("test", test)
        return found.quantity if found is not None else None

    def metric(self, name: str) -> MetricWords:
        """Return the words for a metric."""
        found = self.method("metric", name)
        title = self.method_title("metric", name)
        if found is None:
            return MetricWords(name, title, title, "number", "higher")
        noun = axis_words(title) if found.own_code else mid_sentence(title)
        unit, better = found.unit or "number", found.better or "higher"
        reason = found.no_interval or ""
        options = "" if found.title_states_options else name.removeprefix(method_of(name))
        short = abbreviated(found.abbreviation, options) if found.abbreviation else ""
        alike = [m for m in self.results.methods if m.abbreviation == found.abbreviation]
        if len(short) > LONGEST_SHORT and len(alike) == 1:
            short = found.abbreviation or ""  # a note has the options
        targets = {data.target for data in self.results.data if data.target}
        units = "points" if unit == "percent" else ""
        if unit == "target" and len(targets) == 1:
            units = f"{targets.pop()} units"
        return MetricWords(
            name, title, noun, unit, better, reason, found.of_sums, found.ideal,
            found.matrix_of_classes, (found.low, found.high), short, units,
            PLURAL.search(title) is not None,
        )  # fmt: skip

    def cite(self, kind: str, name: str) -> Runs:
        """Cite the works of a method, if it has any."""
        found = self.method(kind, name)
        known = {reference.key for reference in self.results.references}
        keys = tuple(key for key in found.references if key in known) if found else ()
        return (Cite(keys),) if keys else ()

    # --- what was measured --------------------------------------------------------------

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Every data set under every protocol that has estimates, in their order.

        Averages over the data sets come first.
        """
        return tuple(sorted(self._by_setting, key=lambda one: not self.is_average(one.data)))

    @property
    def averages(self) -> tuple[Setting, ...]:
        """The settings that are averages over the data sets."""
        return tuple(one for one in self.settings if self.is_average(one.data))

    @property
    def shown_apart(self) -> tuple[Setting, ...]:
        """The settings with tables of their own, of many data sets the averages alone."""
        few = len({one.data for one in self.of_data}) <= MOST_DATA_APART
        return self.settings if few else self.averages

    @property
    def of_data(self) -> tuple[Setting, ...]:
        """The settings that are one data set each."""
        return tuple(one for one in self.settings if one not in self.averages)

    @cached_property
    def _by_setting(self) -> Mapping[Setting, Sequence[Estimate]]:
        found: dict[Setting, list[Estimate]] = {}
        for e in self._whole:
            found.setdefault(Setting(e.data, e.protocol), []).append(e)
        return found

    @cached_property
    def _whole(self) -> tuple[Estimate, ...]:
        return tuple(e for e in self.results.estimates if e.subgroup is None)

    @cached_property
    def _by_place(self) -> Mapping[tuple[str | None, str | None, str, str], Estimate]:
        return {(e.data, e.protocol, e.model, e.metric): e for e in self._whole}

    def estimate(self, setting: Setting, model: str, metric: str) -> Estimate | None:
        """Find the estimate of one metric of one model."""
        return self._by_place.get((setting.data, setting.protocol, model, metric))

    def tested(self, setting: Setting, metrics: Collection[str] = ()) -> Tested | None:
        """Return how many rows were tested and how often; None where there are no rows.

        Where a fit of a model failed, the count is that of a model whose fits all succeeded. Of
        some `metrics` alone it is the largest of these.
        """
        every = self._by_setting.get(setting, ())
        some = [e for e in every if e.metric in metrics] or every
        known = (e.tested for e in some if e.tested is not None)
        return max(known, key=lambda tested: tested.n, default=None)

    def n_tested(self, setting: Setting, metrics: Collection[str] = ()) -> int | None:
        """Return the number of rows tested, where there are none that of the data set."""
        found = self.tested(setting, metrics)
        return found.n if found is not None else self.n(setting.data)

    def readers(self, data: str | None) -> tuple[int, bool]:
        """Return how many readers read the examples, 0 for none, and whether they are a sample."""
        found = [e.extra for e in self._whole if e.data == data and "n_readers" in e.extra]
        number = max((int(str(extra["n_readers"])) for extra in found), default=0)
        return number, any(bool(extra["readers_sampled"]) for extra in found)

    def networks(self, data: str | None) -> int:
        """Return with how many seeds the networks of a model were trained, 0 for none."""
        found = [e.extra["n_seeds"] for e in self._whole if e.data == data and "n_seeds" in e.extra]
        return max((int(str(number)) for number in found), default=0)

    def tested_words(self, setting: Setting, metrics: Collection[str] = ()) -> str:
        """State how many rows were tested: "the 190 test patients (of 569)"; may be empty."""
        size, found = self.n(setting.data), self.tested(setting, metrics)
        if size is None:
            return ""
        cases = self.cases(setting.data)
        if self.samples(setting.data):
            return f"{self.sample_range(setting.data)} {cases} each"
        if found is None or found.n == 0:
            return f"{count(size)} {cases}"
        words = f"{count(size)} {cases}"
        same = {name for name in metrics if self.n_tested(setting, (name,)) == found.n}
        about = [e for e in self._by_setting[setting] if not same or e.metric in same]
        own = {one.tested.n for one in about if one.tested is not None}
        if setting.protocol is None and min(own) < size:  # samples that some models lack
            return f"{between(own)} of {words}"
        if found.n < size:
            words = f"the {count(found.n)} test {cases} (of {count(size)})"
        if found.most == 1:
            return words
        readers, _ = self.readers(setting.data)
        if readers == found.most:
            return f"{words}, read by {number_word(readers)} readers"
        if self.networks(setting.data) == found.most:
            return f"{words}, predicted by {number_word(found.most)} networks of each model"
        if found.least < found.most:
            return f"{words}, each tested {count(found.least)} to {count(found.most)} times"
        times = {2: "twice"}.get(found.most, f"{number_word(found.most)} times")
        return f"{words}, each tested {times}"

    def metrics(self, setting: Setting) -> tuple[str, ...]:
        """Return the metrics of a setting; the first is the primary one."""
        return tuple(dict.fromkeys(e.metric for e in self._by_setting.get(setting, ())))

    def models_best_first(self, setting: Setting, metric: str) -> tuple[str, ...]:
        """Return the models of a setting, best first by a metric; undefined values last."""
        names = dict.fromkeys(e.model for e in self._by_setting.get(setting, ()))
        found = {name: self.estimate(setting, name, metric) for name in names}
        distance = self.metric(metric).distance_from_best
        values = {n: e.value for n, e in found.items() if e is not None and e.value is not None}
        return tuple(sorted(names, key=lambda n: distance(values[n]) if n in values else math.inf))

    def estimates(self, setting: Setting, metric: str, by: str = "") -> list[Estimate]:
        """Return the estimates of a metric, those of the models that are best `by` it first."""
        models = self.models_best_first(setting, by or metric)
        found = (self.estimate(setting, model, metric) for model in models)
        return [estimate for estimate in found if estimate is not None]

    def order(self, setting: Setting) -> Mapping[str, int]:
        """Return the place of each model by the first metric, from 0; empty without estimates."""
        metrics = self.metrics(setting)[:1]
        every = [model for name in metrics for model in self.models_best_first(setting, name)]
        return {model: place for place, model in enumerate(every)}

    def comparisons_of(self, setting: Setting, metric: str) -> Iterator[Comparison]:
        """Iterate over the comparisons of the estimates of a setting by a metric."""
        place = (setting.data, setting.protocol, metric)
        every = self.results.comparisons
        return (c for c in every if (c.data, c.protocol, c.metric) == place)

    def scale(self, setting: Setting, metric: str) -> Scale:
        """Choose the decimals of a metric, one choice for its whole column."""
        rows = [e for e in self._by_setting.get(setting, ()) if e.metric == metric]
        halves = [half_width(i.low, i.high) for e in rows if (i := e.interval) is not None]
        errors = [monte_carlo_error(e.interval) for e in rows]
        values, percent = [e.value for e in rows], self.metric(metric).percent
        return scale_of(halves, values, percent=percent, n=self.n(setting.data), errors=errors)

    def is_about_ranks(self, comparison: Comparison) -> bool:
        """Return whether the pairs were decided by the difference of their average ranks."""
        return comparison.data is None and any(
            "rank_first" in pair.extra for pair in comparison.pairwise
        )

    def difference_words(self, comparison: Comparison) -> MetricWords:
        """Return the words for what the pairs differ in.

        That is the metric, average ranks in it, or what the test compares instead of its mean.
        """
        metric = self.metric(comparison.metric)
        if not self.is_about_ranks(comparison):
            return self.compared_words(comparison)
        noun = f"average rank in {metric.noun}"
        return MetricWords(metric.name, f"Average rank in {metric.noun}", noun, RANKS, "lower")

    def compared_words(self, comparison: Comparison) -> MetricWords:
        """Return the words for what the pairs are compared in: the metric, unless tests differ.

        A test of trimmed means compares the trimmed mean of what the examples have.
        """
        metric = self.metric(comparison.metric)
        tests = (self.method("test", pair.test) for pair in comparison.pairwise)
        asked = next((test.estimand for test in tests if test is not None), None)
        if asked is None:
            return metric
        found = self.method("metric", comparison.metric)
        known = found.of_examples if found is not None else None
        noun = f"{asked} of the {known or f'values of {metric.noun}'}"
        return replace(metric, title=capitalised(noun), noun=noun, short="", plural=False)

    def difference_scale(self, comparison: Comparison) -> Scale:
        """Choose the decimals of the differences in a metric that one line of the study compares.

        The tests on several data sets are in one table.
        """
        line = comparison.index, comparison.metric
        alike = [c for c in self.results.comparisons if (c.index, c.metric) == line]
        found = [pair for one in alike for pair in one.pairwise]
        pairs = [pair.estimate for pair in found if pair.estimate is not None]
        halves = [half_width(pair.low, pair.high) for pair in pairs]
        errors = map(monte_carlo_error, (*pairs, *(pair.simultaneous for pair in found)))
        percent = self.difference_words(comparison).percent
        n = max((self.n(one.data) or 0 for one in alike), default=0) or None
        return scale_of(halves, [p.value for p in pairs], percent=percent, n=n, errors=errors)

    def compared_on_estimates(self, comparison: Comparison) -> bool:
        """Return whether the estimates shown are of the protocol that was compared under."""
        return Setting(comparison.data or "", comparison.protocol) in self.settings

    def comparison_setting(self, comparison: Comparison) -> Setting | None:
        """Find the estimates that a comparison compares."""
        own = [s for s in self.settings if s.data == comparison.data]
        return next((s for s in own if s.protocol == comparison.protocol), own[0] if own else None)

    def best_first(self, comparison: Comparison) -> tuple[str, ...]:
        """Return the compared models, best first by their estimates or average ranks."""
        names = dict.fromkeys(name for pair in comparison.pairwise for name in pair.models)
        setting = self.comparison_setting(comparison)
        average = comparison.ranks.average if comparison.ranks is not None else {}
        ordered: Iterable[str] = sorted(average, key=average.__getitem__)
        if setting is not None:
            ordered = self.models_best_first(setting, comparison.metric)
        return tuple(dict.fromkeys([*(name for name in ordered if name in names), *names]))

    def best_model(self, comparison: Comparison) -> str:
        """Return the model that others are read against: the reference, else the best."""
        return comparison.against or self.best_first(comparison)[0]


def protocol_words(record: ProtocolRecord) -> str:
    """Return what a protocol does as it is inside a sentence."""
    return in_words(mid_sentence(record.summary.rstrip("."))) or record.kind.replace("_", " ")


def half_width(low: float | None, high: float | None) -> float | None:
    """Return half the width of an interval, None where a bound is missing or infinite."""
    if low is None or high is None or math.isinf(low) or math.isinf(high):
        return None
    return (high - low) / 2


def monte_carlo_error(
    found: Interval | Difference | SimultaneousInterval | None,
) -> float | None:
    """Return the Monte Carlo error of the bounds of an interval; None where there is none."""
    if found is None:
        return None
    return error_of_bounds(found.low, found.high, found.level, found.draws)


def printed_p(pair: HypothesisTestResult) -> float | None:
    """Return the p that decides: adjusted where there is one."""
    return pair.p_adjusted if pair.p_adjusted is not None else pair.p


def report_id(plain: Mapping[str, Any]) -> str:
    """Return the first 10 hexadecimal digits of the SHA-256 of the results without provenance."""
    kept = {key: value for key, value in plain.items() if key != "provenance"}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:10]


def _with_isolated_names(results: ResultsRecord) -> ResultsRecord:
    """Keep names that are read from the right from turning the numbers next to them."""
    models = tuple(replace(m, label=isolated(m.label or m.name)) for m in results.models)
    data = tuple(
        replace(
            d,
            label=isolated(d.label or d.name),
            unit=isolated(d.unit),
            one_of=None if d.one_of is None else isolated(d.one_of),
            positive_label=None if d.positive_label is None else isolated(d.positive_label),
        )
        for d in results.data
    )
    return replace(results, models=models, data=data)


def _with_named_averages(results: ResultsRecord) -> ResultsRecord:
    """Return results whose averages over data sets have the name of a data set."""

    def named(one: Any) -> Any:
        return one if one.averaged is None else replace(one, data=AVERAGES[one.averaged])

    return replace(
        results,
        estimates=tuple(map(named, results.estimates)),
        comparisons=tuple(map(named, results.comparisons)),
        requirements=tuple(map(named, results.requirements)),
        analyses=tuple(map(named, results.analyses)),
    )


def _visible(value: Any) -> Any:
    """Make visible what would break a page or turn its lines; breaks and joiners stay."""
    if isinstance(value, str):
        return printable(value, keep=KEPT)
    if isinstance(value, dict):
        return {_visible(key): _visible(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_visible(item) for item in value]
    return value


# --- the order of the models of a pair: better minus worse ---------------------------------------


def _oriented(context: Context, comparison: Comparison) -> Comparison:
    """Return a comparison with the better model of each pair first, and its best model's pairs.

    Pairs whose test asks about one direction of their models stay as they are.
    """
    place = {name: i for i, name in enumerate(context.best_first(comparison))}
    words = context.difference_words(comparison)

    def is_turned(pair: HypothesisTestResult) -> bool:
        if len(pair.models) != 2 or is_directed(pair):
            return False
        if pair.estimate is not None and (value := pair.estimate.value):
            return (value < 0) is words.higher_is_better
        return place[pair.models[1]] < place[pair.models[0]]

    def key(pair: HypothesisTestResult) -> list[int]:
        return sorted(place[name] for name in pair.models)

    printed = (_printed_pair(context, comparison, pair) for pair in comparison.pairwise)
    pairs = (turned(pair) if is_turned(pair) else pair for pair in printed)
    return replace(comparison, pairwise=tuple(sorted(pairs, key=key)))


def _printed_pair(
    context: Context, comparison: Comparison, pair: HypothesisTestResult
) -> HypothesisTestResult:
    """Return a pair with bounds inside the range of differences, and without misleading effects.

    The spread of scores over overlapping splits is not a unit of an effect, since it depends on
    the number of splits and their sizes.
    """
    method = context.method("test", pair.test)
    effects = () if method is not None and method.over_splits else pair.effects
    possible = context.difference_words(comparison).range_of_differences
    made = replace(pair, effects=effects)
    for name in ("estimate", "simultaneous"):
        if (found := getattr(pair, name)) is not None:
            low, high = inside(possible, found.low, found.high)
            made = replace(made, **{name: replace(found, low=low, high=high)})
    return made
