"""The protocol: every setting that can change a number, stated or default, and what it did."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evallang.frozen_records import frozen
from evallang.reporting.context import Context
from evallang.reporting.decisions import bayesian
from evallang.reporting.document import Block, Cell, Code, Column, Row, Runs, Table, Term, runs
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import count, level_of_alpha, percent
from evallang.reporting.searches import candidates, on_validation_part
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import VARIANTS, plural_count
from evallang.results.columns import ColumnLine, column_lines
from evallang.results.records import OptionWords, ProtocolRecord
from evallang.results.written import statement_of

STATED = Term("●", "stated in the study file")
DEFAULT = Term("○", "default")
IMPLIED = Term("◇", "implied by a test")
INTERVAL_IMPLIED = Term("◇", "implied by an interval")
STUDY_GROUPS = {"seed": "Resampling", "alpha": "Tests", "families": "Tests",
                "confidence": "Measures"}  # fmt: skip
STUDY_CLAUSES = {
    "study": "Title",
    "seed": "Seed",
    "alpha": "Level α",
    "families": "Families",
    "confidence": "Confidence level",
    "author": "Author",
    "question": "Question",
    "about": "About",
}
STATEMENTS = {
    "data": "Data",
    "predictions": "Predictions",
    "scores": "Scores",
    "counts": "Counts",
    "group": "Groups",
    "stratify": "Stratification",
    "protocol": "Splits",
    "tune": "Search",
    "model": "Model",
    "let": "Abbreviation",
    "use": "Own code",
    "measure": "Measures",
    "compare": "Comparison",
    "require": "Requirement",
    "analyze": "Analysis",
    "export": "Export",
    "report": "Report",
}


@SECTIONS.register(SectionDeclaration(order=90, hideable=False), title="Protocol")
def protocol(context: Context) -> Sequence[Block]:
    """Return every setting that can change a number: what is stated, and every default."""
    groups: dict[str, list[Row]] = {name: [] for name in GROUPS}
    _stated(context, groups)
    groups["Data"] += _columns(context)
    for record in context.results.protocols:
        if record.implied_by is not None:
            groups["Resampling"].append(_implied(context, record))
    for name, value in context.results.spec.overrides.items():
        row = _row(f"--set {name}", STATED, value_words(value), "from the command line")
        groups["Report"].append(row)
    seen = dict.fromkeys(
        (default.clause, value_words(default.value)) for default in context.results.study.defaults
    )
    values = {(d.clause, value_words(d.value)): d.value for d in context.results.study.defaults}
    made_ = (default_words(context, clause, values[clause, words]) for clause, words in seen)
    for made in dict.fromkeys(made_):
        groups[made.group].append(_row(made.name, DEFAULT, made.value, made.consequence))
    rows: list[Row] = []
    for name, members in groups.items():
        if members:
            rows += [Row((Cell(runs(name)),), group=True), *members]
    columns = (
        Column(runs("Setting"), "left", muted=True),
        Column(runs("Value"), "left", wide=True),
        Column(runs("Consequence"), "left", muted=True, wide=True),
    )
    signs = runs(STATED, " stated in the study file; ", DEFAULT, " default")
    if any(record.implied_by is not None for record in context.results.protocols):
        terms = {_origin(r): None for r in context.results.protocols if r.implied_by is not None}
        for term in terms:
            signs += runs("; ", term, f" {term.title}")
    caption = runs("Every setting that can change a number of this report. ", signs, ".")
    return [Table("table-protocol", caption, columns, tuple(rows), whole=True)]


def _stated(context: Context, groups: Mapping[str, list[Row]]) -> None:
    """Add every clause of the study file, in its group."""
    facts = _consequences(context)
    number = 0
    for keyword, clause, value in statements(context.results.spec.canonical):
        first = value.split(" ")[0] if value else ""
        fact = facts.get((clause, first), "") if clause == keyword else ""
        group = KEYWORD_GROUPS.get(keyword, "Report")
        if keyword == "study":
            group = STUDY_GROUPS.get(clause, "Report")
            name = STUDY_CLAUSES.get(clause, clause.capitalize())
        elif clause == keyword:
            name = STATEMENTS.get(keyword, keyword.capitalize())
            if keyword == "compare":
                number += 1
                name, fact = f"Comparison {number}", facts.get(("compare", str(number)), "")
        else:
            name = CLAUSES.get(clause, clause.replace("_", " ").capitalize())
        groups[group].append(_row(name, STATED, _unquoted(value), fact))


def _columns(context: Context) -> list[Row]:
    """Return what every column was used for; columns that were used alike share a row."""
    rows = []
    several = len(context.results.data) > 1
    seen: set[tuple[str, tuple[ColumnLine, ...]]] = set()
    for data in context.results.data:
        lines = column_lines(data.columns, most_single=0)
        source = statement_of(data.name)
        if (source, lines) in seen:  # the data sets of one statement mostly have one form
            continue
        seen.add((source, lines))
        for line in lines:
            title = f"Columns of {data.name}" if several else "Columns"
            cells = (Cell(runs(title)), Cell(runs(line.title)), Cell(runs(line.facts)))
            rows.append(Row(cells))
    return rows


def _unquoted(value: str) -> str:
    """Take the quotes from a value that is one text."""
    inner = value[1:-1]
    return inner if value == f'"{inner}"' and '"' not in inner else value


def _implied(context: Context, record: ProtocolRecord) -> Row:
    words = mid_sentence(record.summary.rstrip(".")) or record.kind.replace("_", " ")
    made = runs("implied by ", Code(record.implied_by or ""), f": {_sizes(record)}")
    name = "Splits of a test" if record.interval_of is None else "Fits of an interval"
    return Row((Cell(runs(name)), Cell(runs(_origin(record), "\u2002", words)), Cell(made)))


def _origin(record: ProtocolRecord) -> Term:
    return IMPLIED if record.interval_of is None else INTERVAL_IMPLIED


def _sizes(record: ProtocolRecord) -> str:
    parts = []
    if record.n_splits is not None:
        parts.append(plural_count(record.n_splits, "split"))
    if record.n_fits is not None:
        parts.append(plural_count(record.n_fits, "fit"))
    return ", ".join(parts)


def _row(name: str, origin: Term, value: str, fact: str) -> Row:
    words: Runs = runs(origin, "\u2002", value)
    return Row((Cell(runs(name)), Cell(words), Cell(runs(fact))))


def _consequences(context: Context) -> Mapping[tuple[str, str], str]:
    """Return what a statement led to, by its keyword and the name that follows it."""
    facts: dict[tuple[str, str], str] = {}
    for data in context.results.data:
        words = context.size_words(data.name)
        if data.n_features is not None:
            words += f", {plural_count(data.n_features, 'feature')}"
        if data.excluded:
            words += "; excluded: " + ", ".join(
                f"{count(e.n)} by {e.clause}" for e in data.excluded
            )
        for keyword in ("data", "predictions", "scores", "counts"):
            facts[keyword, data.name] = words
    for model in context.results.models:
        said = [plural_count(candidates(model), "candidate")] if model.tuned else []
        facts["model", model.name] = "; ".join([*said, *model.notes])
    for record in context.results.protocols:
        if record.implied_by is None:
            words = "; ".join([_sizes(record), *record.notes])
            facts["protocol", record.name] = words
            facts["protocol", record.kind.split("_")[0]] = words
    for comparison in context.results.comparisons:
        size = comparison.family.size
        words = f"a family of {plural_count(size, 'test')}" if size > 1 else "one test"
        if any(bayesian(pair) for pair in comparison.pairwise):
            words = f"{plural_count(len(comparison.pairwise), 'pair')}, without correction"
        if comparison.family.exploratory:
            words += ", exploratory"
        facts["compare", str(comparison.index + 1)] = words
    return facts


def statements(text: str) -> list[tuple[str, str, str]]:
    """Read a canonical study file into (keyword of the statement, clause, value).

    Lines that continue a pipeline or a bracket belong to the value before them.
    """
    found: list[tuple[str, str, str]] = []
    keyword, depth = "", 0
    for line in text.split("\n"):
        line = _without_comment(line)
        words = line.strip()
        if not words:
            continue
        continued = depth > 0 or words.startswith(("|", ")", "]"))
        depth += sum(words.count(c) for c in "([{") - sum(words.count(c) for c in ")]}")
        if continued and found:
            last = found[-1]
            found[-1] = (last[0], last[1], _joined(last[2], words))
            continue
        clause, _, value = words.partition(" ")
        if not line.startswith((" ", "\t")):
            keyword = clause
        found.append((keyword, clause, value.strip()))
    return [item for item in found if item[0] != "evallang"]


def _joined(value: str, words: str) -> str:
    """Join a line that was broken inside brackets, without the comma that ended it."""
    if words[0] in ")]}":
        value = value.rstrip(", ")
    gap = "" if value.endswith(("(", "[", "{")) or words[0] in ")]}" else " "
    return f"{value}{gap}{words}".strip()


def _without_comment(line: str) -> str:
    """Cut a comment off a line; a `#` inside quotes is not a comment."""
    inside = False
    for i, character in enumerate(line):
        if character == '"' and (i == 0 or line[i - 1] != "\\"):
            inside = not inside
        elif character == "#" and not inside:
            return line[:i].rstrip()
    return line.rstrip()


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


GROUPS = ("Data", "Resampling", "Models", "Tuning", "Measures", "Tests", "Report")
DIRECT = {
    "study title": ("Report", "Title", "named after the file"),
    "study seed": ("Resampling", "Seed", "splits and random steps follow from it"),
    "study alpha": ("Tests", "Level α", "a hypothesis is rejected at or below it"),
    "study confidence": ("Measures", "Confidence level", "level of every interval"),
    "study families": ("Tests", "Families", "what one correction covers"),
    "report": ("Report", "Formats", "files that are written"),
    "report numbers": ("Report", "Style of numbers", "how p and intervals are printed"),
    "report page": ("Report", "Page", "size of the PDF"),
    "measure": ("Measures", "Measure", "nothing else was asked for"),
}
CLAUSES = {
    "target": "Target",
    "features": "Features",
    "positive": "Positive class",
    "missing": "Missing values",
    "task": "Task",
    "unit": "Name of a row",
    "weight": "Weight",
    "id": "Identity of a row",
    "where": "Rows kept",
    "cite": "Source",
    "about": "About",
    "separator": "Separator",
}
CLAUSE_FACTS = {
    "positive": "the class that precision, recall, F1 are about",
    "missing": "what a missing value does",
    "task": "told from the target",
    "unit": "the word in this report",
}
TUNE = {
    "": ("Search", "how candidates are tried"),
    "strategy": ("Search", "how candidates are tried"),
    "grid": ("Search", "how candidates are tried"),
    "by": ("Measure of the search", "candidates are compared by it"),
    "cv": ("Inner folds", "where candidates are compared"),
    "select": ("Choice", "which candidate is taken"),
}
VALUES = {
    "separate": "each comparison line apart",
    "together": "all lines together",
    "one_standard_error": "simplest within one standard error of the best",
    "best": "best mean inner score",
    "grid": "full grid",
    "apa": "APA",
    "a4": "A4",
    "auto": "by the size of the data",
    "html, pdf": "HTML, PDF",
}
OF_ONE_PART = {**VALUES, "best": "best score on the validation part"}
METHOD_GROUPS = (
    ("metric", "Measures"),
    ("interval", "Measures"),
    ("test", "Tests"),
    ("correction", "Tests"),
)
OPTION_FACTS = {
    "macro": "unweighted mean over the classes",
    "binary": "of the positive class",
    "midp": "the p that decides",
}
KEYWORD_GROUPS = {
    "data": "Data",
    "predictions": "Data",
    "scores": "Data",
    "counts": "Data",
    "stratify": "Resampling",
    "group": "Resampling",
    "protocol": "Resampling",
    "seed": "Resampling",
    "model": "Models",
    "let": "Models",
    "use": "Models",
    "export": "Models",
    "tune": "Tuning",
    "measure": "Measures",
    "interval": "Measures",
    "compare": "Tests",
    "require": "Tests",
    "analyze": "Measures",
    "report": "Report",
    "study": "Report",
}
"""Groups by the keyword of a statement."""


@frozen
class Setting:
    """One row of the table of settings."""

    group: str
    name: str
    value: str
    consequence: str


def default_words(context: Context, clause: str, value: Any) -> Setting:
    """Format a default; a clause that no pattern knows is with its own words."""
    words = value_words(value)
    if clause in DIRECT:
        group, name, fact = DIRECT[clause]
        if clause == "study alpha" and isinstance(value, float):
            words = level_of_alpha(value)
        if clause == "study confidence" and isinstance(value, float):
            words = percent(value)
        if clause == "measure":
            words = context.metric(words).title
        return Setting(group, name, VALUES.get(words, words), fact)
    for pattern, form in PATTERNS:
        if found := re.fullmatch(pattern, clause):
            return form(context, found.groups(""), words)
    if made := _method_option(context, clause, words):
        return made
    keyword = clause.split(" ")[0]
    name = clause.replace("_", " ")
    return Setting(KEYWORD_GROUPS.get(keyword, "Report"), name[:1].upper() + name[1:],
                   VALUES.get(words, words), "")  # fmt: skip


def _method_option(context: Context, clause: str, words: str) -> Setting | None:
    """Format an option of a metric, test or interval: "recall average"."""
    method, _, option = clause.rpartition(" ")
    # a direction is a test's alone; intervals may have the test's name
    groups = (("test", "Tests"),) if option == "alternative" else METHOD_GROUPS
    for kind, group in groups:
        if method and context.method(kind, method) is not None:
            title = context.method_title(kind, method)
            fact = OPTION_FACTS.get(words, "")
            name = f"{title}: {option.replace('_', ' ')}"
            value = VARIANTS.get(words) or VALUES.get(words, words.replace("_", " "))
            return Setting(group, name, value, fact)
    return None


def _stratify(context: Context, parts: Sequence[str], words: str) -> Setting:
    columns = words.removeprefix("by ")
    if columns == "none":
        return Setting("Resampling", "Stratification", "none", "rows are drawn freely")
    value = "by the target" if columns == "target" else f"by {columns}"
    fact = f"every part keeps the shares of {'the classes' if columns == 'target' else columns}"
    return Setting("Resampling", "Stratification", value, fact)


def _protocol(context: Context, parts: Sequence[str], words: str) -> Setting:
    kind, option = parts
    several = sum(p.interval_of is None for p in context.results.protocols) > 1
    records = (p for p in context.results.protocols if p.kind == kind.replace(" ", "_"))
    known = next(records, None)
    plain = OptionWords(option.replace("_", " ").capitalize(), "")
    said = plain if known is None else known.option_words.get(option, plain)
    name = said.title
    if several:
        name += f" ({kind})"
    return Setting("Resampling", name, words, said.effect)


def _compare_by(context: Context, parts: Sequence[str], words: str) -> Setting:
    return Setting("Tests", f"Comparison {parts[0]}: measure", context.metric(words).title,
                   "what the test is about, or the first measure")  # fmt: skip


def _compare_correction(context: Context, parts: Sequence[str], words: str) -> Setting:
    index = int(parts[0]) - 1
    sizes = [c.family.size for c in context.results.comparisons if c.index == index]
    title = context.method_title("correction", words)
    fact = f"a family of {plural_count(sizes[0], 'test')}" if sizes else ""
    return Setting("Tests", f"Comparison {parts[0]}: correction", title, fact)


def _compare_option(context: Context, parts: Sequence[str], words: str) -> Setting:
    name = parts[1].replace("_", " ")
    return Setting("Tests", f"Comparison {parts[0]}: {name}", VALUES.get(words, words), "")


def _interval(context: Context, parts: Sequence[str], words: str) -> Setting:
    metric, where = parts
    title = context.metric(metric).noun
    found = [
        e
        for e in context.results.estimates
        if e.metric == metric and where in (e.protocol, e.data) and e.interval is not None
    ]
    abouts = dict.fromkeys(e.about for e in found)
    over_groups = bool(found) and all(e.interval and e.interval.clusters for e in found)
    name = f"Interval of {title}"
    protocols = {e.protocol for e in context.results.estimates}
    if len(protocols) > 1:
        name += f", {context.protocol(where)}"
    return Setting("Measures", name, context.interval_title(words, over_groups=over_groups),
                   f"about {'; '.join(abouts)}" if abouts else "")  # fmt: skip


def _data(context: Context, parts: Sequence[str], words: str) -> Setting:
    name, clause = parts
    if clause == "better":
        return Setting("Data", "Direction", f"{words} is better", "what ranks and signs follow")
    title = CLAUSES.get(clause, clause.replace("_", " ").capitalize())
    alike = {
        value_words(default.value)
        for default in context.results.study.defaults
        if default.clause in {f"data {data.name} {clause}" for data in context.results.data}
    }
    if len(context.results.data) > 1 and name and len(alike) > 1:
        title += f", {context.data_label(name)}"
    return Setting("Data", title, words, CLAUSE_FACTS.get(clause, ""))


def _tune(context: Context, parts: Sequence[str], words: str) -> Setting:
    name, fact = TUNE.get(parts[0], (parts[0].replace("_", " ").capitalize(), ""))
    if parts[0] == "by":
        words = context.metric(words).title
    if parts[0] == "select" and on_validation_part(context):
        return Setting("Tuning", name, OF_ONE_PART.get(words, words), fact)
    return Setting("Tuning", name, VALUES.get(words, words), fact)


def _measure_option(context: Context, parts: Sequence[str], words: str) -> Setting:
    metric, option = parts
    title = context.metric(metric).title
    fact = OPTION_FACTS.get(words, "")
    return Setting("Measures", f"{title}: {option.replace('_', ' ')}", words, fact)


Form = Callable[[Context, Sequence[str], str], Setting]
PATTERNS: tuple[tuple[str, Form], ...] = (
    (r"stratify(?: by)?", _stratify),
    (r"protocol (.+) (\w+)", _protocol),
    (r"compare (?:line )?(\d+) by", _compare_by),
    (r"compare (?:line )?(\d+) correction", _compare_correction),
    (r"compare (?:line )?(\d+) (.+)", _compare_option),
    (r"interval of (.+) under (\S+)", _interval),
    (r"(?:data|predictions|scores) (?:(\S+) )?(\w+)", _data),
    (r"tune ?(.*)", _tune),
    (r"measure (.+) (\w+)", _measure_option),
)
