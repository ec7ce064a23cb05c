"""The protocol: every setting, stated or default, and what it did."""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.context import Context, protocol_words
from evallang.reporting.decisions import bayesian
from evallang.reporting.document import Block, Code, Row, Term, runs
from evallang.reporting.numbers import count, level_of_alpha, percent
from evallang.reporting.searches import candidates, uses_validation_part
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import Words, heading, left, row, table, wide
from evallang.reporting.wording import VARIANTS, plural_count, scope_words
from evallang.results.columns import ColumnLine, column_lines
from evallang.results.records import (
    DataRecord,
    ProtocolRecord,
)
from evallang.results.settings import SOURCES, Default, OptionWords, Stated
from evallang.results.written import method_of, statement_of

STATED = Term("●", "stated in the study file")
DEFAULT = Term("○", "default")
IMPLIED = Term("◇", "implied by a test")
INTERVAL_IMPLIED = Term("◇", "implied by an interval")
GROUPS = ("Data", "Resampling", "Models", "Tuning", "Measures", "Tests", "Report")
UNPRINTED = frozenset({("study", clause) for clause in (None, "author", "question", "about")})
"""What changes no number; the first page has it."""
DIRECTION = "Direction"


class SettingsWords(Struct, frozen=True):
    """The words of `settings.toml`, which says what each of its tables has."""

    statements: Mapping[str, tuple[str, str]]
    study_clauses: Mapping[str, tuple[str, str]]
    clauses: Mapping[str, str]
    defaults: Mapping[str, Mapping[str, tuple[str, str, str]]]
    clause_effects: Mapping[str, str]
    values: Mapping[str, str]
    option_titles: Mapping[str, str]
    option_values: Mapping[str, Mapping[str, str]]
    option_effects: Mapping[str, str]

    def statement(self, keyword: str) -> tuple[str, str]:
        """Return the group and the name of a statement."""
        return self.statements.get(keyword, ("Report", capital(keyword)))

    def clause(self, keyword: str) -> str:
        """Return the name of a clause."""
        return self.clauses.get(keyword, capital(keyword))


def capital(keyword: str) -> str:
    """Return a keyword as words."""
    return keyword.replace("_", " ").capitalize()


_TEXT = (files("evallang.reporting") / "settings.toml").read_bytes()
WORDS = msgspec.toml.decode(_TEXT, type=SettingsWords)


def _topics(context: Context) -> list[Topic]:
    results = context.results
    columns = [column for data in results.data for column in data.columns]
    stated = {
        Topic.OUTCOME: any(data.target is not None for data in results.data),
        Topic.SAMPLES: any(data.kind != "scores" for data in results.data),
        Topic.EXCLUSIONS: any(data.excluded for data in results.data),
        Topic.MISSING: any(column.missing for column in columns),
        Topic.FEATURES: any(column.becomes is not None for column in columns),
        Topic.TRANSFORMATIONS: any(column.becomes is not None for column in columns),
        Topic.MODELS: any(model.kind == "estimator" for model in results.models),
        Topic.TUNING: any(model.tuned for model in results.models),
        Topic.SPLITS: bool(results.protocols),
        Topic.GROUPS: any(protocol.group for protocol in results.protocols),
        Topic.METRICS: bool(results.estimates),
    }
    return [topic for topic, is_stated in stated.items() if is_stated]


@SECTIONS.register(
    SectionDeclaration(order=90, supplement=True, hideable=False, topics=_topics, tables=False),
    title="Protocol",
)
def protocol(context: Context) -> Sequence[Block]:
    """Return every setting: what is stated, and every default."""
    results = context.results
    groups: dict[str, list[Row]] = {name: [] for name in GROUPS}
    for group, name, value, effect in _stated(context):
        groups[group].append(_row(name, STATED, value, effect))
    groups["Data"] += _columns(context)
    implied = [record for record in results.protocols if record.implied_by is not None]
    for record in implied:
        by = runs("implied by ", Code(record.implied_by or ""), f": {_sizes(record)}")
        name = "Splits of a test" if record.interval_of is None else "Fits of an interval"
        groups["Resampling"].append(_row(name, _origin(record), protocol_words(record), by))
    for name, value in results.spec.overrides.items():
        made = _row(f"--set {name}", STATED, value_words(value), "from the command line")
        groups["Report"].append(made)
    # a default whose file does not state its kind is printed as it is written
    lines = len({comparison.index for comparison in results.comparisons})
    settings = (
        FORMS.get(default.kind, _as_written)(context, default)
        for default in results.study.defaults
        if lines > 1 or default.option != "families"
    )
    for one in dict.fromkeys(settings):
        if one.group == "Tests" and not context.tests:  # what no number depends on
            continue
        groups[one.group].append(_row(one.name, DEFAULT, one.value, one.consequence))
    rows: list[Row] = []
    for name, members in groups.items():
        rows += [heading(name), *members] if members else []
    signs = runs(STATED, " stated in the study file; ", DEFAULT, " default")
    for term in dict.fromkeys(map(_origin, implied)):
        signs += runs("; ", term, f" {term.title}")
    whole = "Every setting of this report. "
    defaults = "The defaults of this report; its results do not list the stated settings. "
    caption = runs(whole if results.spec.stated else defaults, signs, ".")
    columns = [left("Setting", muted=True), wide("Value"), wide("Consequence", muted=True)]
    return [table("table-protocol", caption, columns, rows, whole=True)]


def _stated(context: Context) -> list[tuple[str, str, str, str]]:
    """Return the stated settings, each with its group, its name and its effect.

    Lines of one clause that follow each other and had no effect to report share a row, such as
    the column of scores of each of thirty models.
    """
    effects = _effects(context)
    made: list[tuple[str, str, str, str]] = []
    before = None
    for stated in context.results.spec.stated:
        place = (stated.statement, stated.clause)
        if place in UNPRINTED:
            continue
        group, name = _named(stated)
        value = f"{stated.clause} {stated.value}" if name == DIRECTION else stated.value
        of = stated.number if stated.statement == "compare" else stated.name
        effect = effects.get((stated.statement, of), "") if stated.clause is None else ""
        if place == before and stated.clause is not None and not effect and not made[-1][3]:
            made[-1] = (group, name, f"{made[-1][2]}, {value}", "")
        else:
            made.append((group, name, value, effect))
        before = place
    return made


def _columns(context: Context) -> list[Row]:
    """Return what every column was used for; columns that were used alike share a row.

    The data sets of one statement mostly have one form, which is listed once.
    """
    forms: dict[Any, list[tuple[str, tuple[ColumnLine, ...]]]] = {}
    for data in context.results.data:
        lines = column_lines(data.columns, most_single=0)
        form = tuple((line.names, line.role, line.kind, line.becomes) for line in lines)
        forms.setdefault((statement_of(data.name), form), []).append((data.name, lines))
    rows = []
    for (statement, _), alike in forms.items():
        name, lines = alike[0]
        title = "Columns"
        if len(forms) > 1:
            title = f"Columns of {name if len(alike) == 1 else statement}"
        for place, line in enumerate(lines):
            same = len({each[place] for _, each in alike}) == 1
            shown = line if same else replace(line, holds="")
            rows.append(row(title, shown.title, shown.facts))
    return rows


def _origin(record: ProtocolRecord) -> Term:
    return IMPLIED if record.interval_of is None else INTERVAL_IMPLIED


def _sizes(record: ProtocolRecord) -> str:
    parts = ((record.n_splits, "split"), (record.n_fits, "fit"))
    return ", ".join(plural_count(n, noun) for n, noun in parts if n is not None)


def _row(name: str, origin: Term, value: str, fact: Words) -> Row:
    return row(name, runs(origin, "\u2002", value), fact)


def _effects(context: Context) -> dict[tuple[str, str | int | None], str]:
    """Return what each statement led to, by its keyword and by its name or number."""
    results = context.results
    made: dict[tuple[str, str | int | None], str] = {}
    for data in results.data:
        effect = _data_effect(context, data)
        made |= {(of, data.name): effect for of in SOURCES}
    for model in results.models:
        searched = [plural_count(candidates(model), "candidate")] if model.tuned else []
        notes = model.notes if model.stored is None else ("not fitted in this study",)
        made["model", model.name] = "; ".join([*searched, *notes])
    for protocol in results.protocols:
        if protocol.implied_by is None:
            made["protocol", protocol.name] = "; ".join([_sizes(protocol), *protocol.notes])
    for one in results.comparisons:
        size, n = one.family.size, len(one.pairwise)
        words = f"a family of {plural_count(size, 'test')}" if size > 1 else "one test"
        if any(map(bayesian, one.pairwise)):
            words = f"{plural_count(n, 'pair')}, without correction"
        made["compare", one.index] = words + (", exploratory" if one.family.exploratory else "")
    return made


def _data_effect(context: Context, data: DataRecord) -> str:
    words = context.size_words(data.name)
    if data.n_features is not None:
        words += f", {plural_count(data.n_features, 'feature')}"
    if data.target_scale is not None:
        words += f"; models are fitted to the {data.target_scale.noun} of {data.target}"
    if data.excluded:
        words += "; excluded: " + ", ".join(f"{count(e.n)} by {e.clause}" for e in data.excluded)
    return words


def _named(stated: Stated) -> tuple[str, str]:
    """Return the group and the name of what is stated."""
    group, name = WORDS.statement(stated.statement)
    if stated.clause is None:
        return group, f"{name} {stated.number + 1}" if stated.statement == "compare" else name
    known = WORDS.study_clauses if stated.statement == "study" else {}
    return known.get(stated.clause, (group, WORDS.clause(stated.clause)))


def value_words(value: Any) -> str:
    """Write an option's value: "none", "true", "a, b"."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(value_words(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={value_words(item)}" for key, item in value.items())
    return str(value)


# --- defaults --------------------------------------------------------------------------


class Setting(Struct, frozen=True):
    """One row of the table of settings."""

    group: str
    name: str
    value: str
    consequence: str


def _as_written(context: Context, default: Default) -> Setting:
    name = default.clause.replace("_", " ")
    return Setting("Report", name[:1].upper() + name[1:], _value(default), "")


def _value(default: Default) -> str:
    value = value_words(default.value)
    return WORDS.values.get(value, value)


def _direct(context: Context, default: Default) -> Setting:
    known = WORDS.defaults.get(default.kind, {}).get(default.option or "itself")
    if known is None:
        return _as_written(context, default)
    group, name, effect = known
    return Setting(group, name, _value(default), effect)


def _study_setting(context: Context, default: Default) -> Setting:
    made, value = _direct(context, default), default.value
    if default.option == "alpha" and isinstance(value, float):
        return replace(made, value=level_of_alpha(value, context.style))
    if default.option == "confidence" and isinstance(value, float):
        return replace(made, value=percent(value))
    return made


def _option(context: Context, default: Default) -> Setting:
    """Format an option of a metric, test, interval or correction."""
    method, option, value = default.subject or "", default.option or "", value_words(default.value)
    group = "Measures" if default.kind in ("metric", "interval") else "Tests"
    title = WORDS.option_titles.get(option, option.replace("_", " "))
    alike = (m.name for m in context.results.methods if m.kind == default.kind)
    method = next((name for name in alike if method_of(name) == method), method)
    name = f"{context.method_title(default.kind, method)}: {title}"
    words = VARIANTS.get(value) or WORDS.values.get(value, value.replace("_", " "))
    if isinstance(default.value, bool):
        words = "yes" if default.value else "no"
    elif isinstance(default.value, int):
        words = count(default.value)
    elif value in WORDS.option_values.get(option, {}):
        words = WORDS.option_values[option][value]
    elif context.method("interval", value) or context.method("interval_of_test", value):
        words = context.interval_title(value)
    return Setting(group, name, words, WORDS.option_effects.get(value, ""))


def _stratify(context: Context, default: Default) -> Setting:
    if default.subject is None:
        return Setting("Resampling", "Stratification", "none", "rows are drawn freely")
    effect = "class proportions are about equal in all parts"
    return Setting("Resampling", "Stratification", "by the target", effect)


def _protocol(context: Context, default: Default) -> Setting:
    kind, option = default.subject or "", default.option or ""
    several = context.several_protocols
    known = next((p for p in context.results.protocols if p.kind == kind), None)
    plain = OptionWords(capital(option), "")
    words = plain if known is None else known.option_words.get(option, plain)
    name = f"{words.title} ({kind.replace('_', ' ')})" if several else words.title
    return Setting("Resampling", name, value_words(default.value), words.effect)


def _compare(context: Context, default: Default) -> Setting:
    name, value = f"Comparison {(default.line or 0) + 1}", value_words(default.value)
    if default.option == "by":
        effect = "what the test compares"
        return Setting("Tests", f"{name}: measure", context.metric(value).title, effect)
    sizes = [c.family.size for c in context.results.comparisons if c.index == default.line]
    effect = f"a family of {plural_count(sizes[0], 'test')}" if sizes else ""
    if default.option == "with":
        return Setting("Tests", f"{name}: test", context.method_title("test", value), effect)
    title = context.method_title("correction", value)
    return Setting("Tests", f"{name}: correction", title, effect)


def _measure(context: Context, default: Default) -> Setting:
    if default.option != "interval":
        made = _direct(context, default)
        of_measure = default.option is None
        words = context.metric(value_words(default.value)).title if of_measure else made.value
        return replace(made, value=words)
    metric, where = default.subject or "", default.under
    found = [
        e
        for e in context.results.estimates
        if e.metric == metric and where in (e.protocol, e.data) and e.interval is not None
    ]
    several = len({e.model for e in found}) > 1
    abouts = dict.fromkeys(scope_words(context, e.about, e.data, several=several) for e in found)
    over_groups = bool(found) and all(e.interval and e.interval.clusters for e in found)
    name = f"Interval of {context.metric(metric).noun}"
    if len({e.protocol for e in context.results.estimates}) > 1:
        name += f", {context.protocol(where)}"
    title = context.interval_title(value_words(default.value), over_groups=over_groups)
    return Setting("Measures", name, title, f"applies to {'; '.join(abouts)}" if abouts else "")


def _source(context: Context, default: Default) -> Setting:
    value = value_words(default.value)
    if default.option == "better":
        return Setting("Data", DIRECTION, f"{value} is better", "what ranks and signs follow")
    clause = default.option or ""
    title = WORDS.clause(clause)
    values = {
        value_words(other.value)
        for other in context.results.study.defaults
        if (other.kind, other.option) == (default.kind, default.option)
    }
    if len(context.results.data) > 1 and len(values) > 1:
        title += f", {context.data_label(default.subject)}"
    if default.under is not None and len(values) > 1:
        title += f" of {context.model(default.under)}"
    return Setting("Data", title, value, WORDS.clause_effects.get(clause, ""))


def _tune(context: Context, default: Default) -> Setting:
    made = _direct(context, default)
    if default.option == "by":
        return replace(made, value=context.metric(value_words(default.value)).title)
    if default.option == "select" and uses_validation_part(context):
        value = value_words(default.value)
        return replace(made, value=WORDS.option_values["validated"].get(value, made.value))
    if default.under is not None:
        return replace(made, name=f"{made.name}, {context.protocol(default.under)}")
    return made


FORMS: Mapping[str, Callable[[Context, Default], Setting]] = {
    "study": _study_setting,
    "report": _direct,
    "data": _source,
    "stratify": _stratify,
    "protocol": _protocol,
    "tune": _tune,
    "measure": _measure,
    "compare": _compare,
    "export": lambda context, default: replace(_as_written(context, default), group="Models"),
    **dict.fromkeys(("metric", "test", "interval", "correction"), _option),
}
"""How each kind of default is printed."""
