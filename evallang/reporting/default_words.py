"""What the author did not write, in English: group, setting, value and consequence."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from evallang.frozen import frozen
from evallang.reporting.context import Context
from evallang.reporting.numbers import level_of_alpha, percent
from evallang.reporting.searches import on_validation_part
from evallang.reporting.statements import value_words
from evallang.reporting.wording import VARIANTS, plural_count
from evallang.results.records import OptionWords

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
    """Word a default; a clause that no pattern knows stands with its own words."""
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
    """Word an option of a metric, test or interval: "recall average"."""
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
    several = len(context.results.protocols) > 1
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
