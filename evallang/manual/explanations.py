"""What `explain` says of a member, with an example study made from its declaration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from msgspec import Struct

from evallang.compatibility.hypothesis_tests import share_tests
from evallang.compatibility.intervals import unmet_by_interval
from evallang.diagnostics import Code
from evallang.evidence import (
    FOLD_SCORES,
    PER_ROW,
)
from evallang.manual.compatibility_table import FITTING, property_lines, test_with
from evallang.metrics.metric import METRICS, default_metric
from evallang.models.catalogue import CATALOGUE
from evallang.protocols.protocol import PROTOCOLS, Yields, written as written_protocol
from evallang.registry import Design, Entry, Option
from evallang.results.statistics import filled
from evallang.stats.inputs import INPUTS, Subject
from evallang.stats.intervals.interval import IntervalDeclaration
from evallang.study import Method, written_option
from evallang.syntax.language import STATEMENTS, WORD_MEANINGS, clause, clause_words, clauses

CANCER = """\
data cancer from sklearn breast_cancer
  positive malignant

model linear = StandardScaler | LogisticRegression
model bayes = GaussianNB
model baseline = DummyClassifier
"""
WINE = """\
data wine from sklearn wine

model linear = StandardScaler | LogisticRegression
model bayes = GaussianNB
model baseline = DummyClassifier
"""
DIABETES = """\
data diabetes from sklearn diabetes

model ridge = Ridge(alpha=0.1)
model tree = DecisionTreeRegressor(max_depth=3)
model baseline = DummyRegressor
"""
SEARCHED = """\
data cancer from sklearn breast_cancer
  positive malignant

model linear = StandardScaler | LogisticRegression(C in 1e-2..1e2 log 3)
model tree = DecisionTreeClassifier(max_depth in [1, 2, 3])
model baseline = DummyClassifier
"""
TWO_COUNTED = """\
counts published
  models small, large
  table [[9945, 25], [15, 15]]
"""
TWO_SHARES = """\
counts published
  right small = 870 of 1000
  right large = 455 of 500
"""
FOUR_COUNTED = """\
counts published
  models small, medium, large, huge
  pattern [1, 1, 1, 1]: 80
  pattern [0, 1, 1, 1]: 9
  pattern [0, 0, 1, 1]: 7
  pattern [1, 0, 1, 0]: 4
  pattern [0, 0, 0, 1]: 6
  pattern [1, 1, 0, 1]: 8
  pattern [0, 0, 0, 0]: 11
"""
SUITE = """\
data breast from sklearn breast_cancer
  positive malignant
data digits from sklearn digits
data iris from sklearn iris
data wine from sklearn wine

model linear = LinearDiscriminantAnalysis
model bayes = GaussianNB
model nearest = KNeighborsClassifier
model baseline = DummyClassifier

protocol holdout test=1/3
"""
SPLITS: Mapping[Design, str] = {
    Design.REPEATED: "repeated cv folds=5 times=4",
    Design.KFOLD: "cv folds=10",
    Design.RESAMPLED: "repeated holdout times=30",
}
"""The protocol that shows a test of fold scores; small, and the first that a test can take."""


def illustration(entry: Entry[Any]) -> str | None:
    """Return a whole study that uses a member; None where no study can, only Python."""
    guided = getattr(entry.declaration, "example", "")
    maker = MAKERS.get(entry.kind)
    if "\n" in guided:
        lines: str | None = guided
    else:
        lines = maker(entry, guided or entry.name) if maker else None
    if lines is None:
        return None
    title = entry.title[:1].upper() + entry.title[1:]
    return f'evallang 1\n\nstudy "{title}"\n  seed 1\n\n{lines}'


def _metric(entry: Entry[Any], member: str) -> str:
    declared = entry.declaration
    frame = WINE if declared.several_only else CANCER
    frame = DIABETES if declared.task == "regression" else frame
    return f"{frame}\nprotocol cv folds=5\nmeasure {member}\n"


def _test(entry: Entry[Any], member: str) -> str | None:
    declared = entry.declaration
    if not INPUTS.subjects_of(entry.kind, entry.inputs):
        return None
    many = declared.models[0] > 2
    if declared.rests_on("data set"):
        models, test = "linear, bayes, nearest" if many else "linear vs bayes", member
        if declared.by_mean_ranks:
            reference = declared.against_reference
            models = "linear, nearest against bayes" if reference else "linear, bayes, nearest"
            test = f"friedman then {entry.name}"
        return f"{SUITE}\nmeasure accuracy\ncompare {models} across data with {test}\n"
    if any(one.totals for one in declared.evidence):
        frame = FOUR_COUNTED if many else TWO_COUNTED
        return f"{frame}\nmeasure accuracy\ncompare with {member}\n"
    values = {one.value for one in declared.evidence if one.unit == "row"}
    if "score" in values:
        return (
            f"{CANCER}\nprotocol holdout test=1/3\nmeasure roc_auc\n"
            f"compare linear vs bayes with {member}\n"
        )
    if "loss" in values:
        return (
            f"{DIABETES}\nprotocol holdout test=1/3\nmeasure mse\n"
            f"compare ridge vs tree with {member}\n"
        )
    return (
        f"{CANCER}\nprotocol {_protocol_of(declared.designs)}\nmeasure accuracy\n"
        f"compare linear vs bayes with {member}\n"
    )


def _protocol_of(designs: frozenset[Design]) -> str:
    """Write a protocol that yields scores of folds of one of these designs; of any where none."""
    small = [SPLITS[design] for design in SPLITS if not designs or design in designs]
    made = (
        written_protocol(entry.name, entry.defaults())
        for entry in PROTOCOLS
        if entry.declaration.yields(entry.defaults()).design in designs
    )
    return small[0] if small else next(made)


def _interval(entry: Entry[Any], member: str) -> str | None:
    declared = entry.declaration
    if declared.form == "paired" and (test := test_with(entry)) is not None:
        line = f"compare small vs large with {test}(interval={entry.name})"
        return f"{TWO_COUNTED}\nmeasure accuracy\n{line}\n"
    if declared.form == "independent":
        return f"{TWO_SHARES}\nmeasure accuracy\ncompare small vs large with {share_tests()[0]}\n"
    if Subject.ESTIMATE not in INPUTS.subjects_of(entry.kind, entry.inputs):
        return None
    if declared.form == "proportion":
        return f"{TWO_COUNTED}\nmeasure accuracy\n  interval {member}\n"
    folds_only = bool(declared.designs) and declared.form in ("auc", "losses")
    protocol = "cv folds=5" if folds_only else "holdout test=1/3"
    if declared.form == "fold_values":
        protocol = "repeated cv folds=5 times=4"
    design = Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD, single_fit=not folds_only)
    metric = _metric_of(entry, design)
    frame = WINE if declared.form == "areas" else CANCER
    return f"{frame}\nprotocol {protocol}\nmeasure {metric}\n  interval {member}\n"


def _metric_of(interval: Entry[Any], yields: Yields) -> str:
    """Return a metric for an interval: the usual one, else the first that the interval fits."""
    usual = default_metric("classification")
    others = (metric.name for metric in METRICS if metric.declaration.task == "classification")
    fits = (
        name
        for name in (usual, *others)
        if unmet_by_interval(Method(interval.name), Method(name), yields) is None
    )
    return next(fits, usual)


def _correction(entry: Entry[Any], member: str) -> str:
    return f"{FOUR_COUNTED}\nmeasure accuracy\ncompare with mcnemar {member}\n"


def _analysis(entry: Entry[Any], member: str) -> str:
    declared = entry.declaration
    searched = SEARCHED, "nested cv outer=5 inner=5"
    frame, protocol = searched if declared.needs == "searches" else (CANCER, "cv folds=5")
    metric = {"scores": "roc_auc", "probabilities": "brier"}.get(declared.needs, "accuracy")
    return f"{frame}\nprotocol {protocol}\nmeasure {metric}\nanalyze {member}\n"


def _protocol(entry: Entry[Any], member: str) -> str:
    form = " ".join(entry.declaration.words)
    return f"{CANCER}\nprotocol {form}\nmeasure accuracy\n"


MAKERS: Mapping[str, Callable[[Entry[Any], str], str | None]] = {
    "metric": _metric,
    "hypothesis test": _test,
    "interval": _interval,
    "correction": _correction,
    "protocol": _protocol,
    "analysis": _analysis,
}
"""How a member of a kind is shown where it has no example of its own."""


class PythonCall(Struct, frozen=True):
    """A call of `evallang.stats` as lines, what it gives, and where that is printed."""

    lines: tuple[str, ...]
    source: str


def python_call(entry: Entry[Any]) -> PythonCall | None:
    """Return the first worked example of a registration whose arguments fit on a line.

    None where a member is called by the engine only, or with more than a reader takes in.
    """
    if entry.kind not in ("hypothesis test", "interval", "correction"):
        return None
    room = "stats.intervals" if entry.kind == "interval" else "stats"
    name = (
        f"{room}.{entry.name}" if entry.name.isidentifier() else f'getattr(stats, "{entry.name}")'
    )
    for example in entry.examples:
        given = [repr(argument) for argument in example.arguments]
        given += [f"{option}={value!r}" for option, value in example.options.items()]
        call = f"found = {name}({', '.join(given)})"
        if len(call) <= LINE and not any(text.startswith("<") for text in given):
            shown = [
                f"{_path(path)}  # {_short(value)}" for path, value in example.expected.items()
            ]
            return PythonCall(("from evallang import stats", call, *shown), example.source)
    return None


LINE = 140  # characters of a call that a reader still takes in


def _path(path: str) -> str:
    """Write a path of attributes and positions as Python: `extra.chi2` is a key, `0` a place."""
    written = "found"
    keys = False
    for part in path.split("."):
        if part.isdigit():
            written += f"[{part}]"
        else:
            written += f'["{part}"]' if keys else f".{part}"
        keys = part == "extra"
    return written


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Part(Struct, frozen=True):
    """One part of an explanation: a heading and a text, or lines of `eval`, `python` or words."""

    heading: str
    text: str = ""
    lines: tuple[str, ...] = ()
    language: str = ""


class Explanation(Struct, frozen=True):
    """Everything about one word; `word` is how a study writes it, `kind` what it is."""

    word: str
    kind: str
    title: str
    parts: tuple[Part, ...]


NOT_GIVEN = "not given"  # how the catalogue writes a default that no study can write

PYTHON_MATTER = re.compile(
    r"\s*Raises\s+`\w+`.*?\.(?=\s|$)"
    r"|\s*(?<!\S)`[^.]*?\s(?:is|are)\s+\([\w, ]*,[\w ]*\)[^.]*\.(?=\s|$)",
    re.DOTALL,
)
"""Sentences about exceptions and shapes of arrays, which only those who call the function need."""
SENTENCES = re.compile(r"(?<=\.)\s+(?=[A-Z`(])")
FIRST_NAME = re.compile(r"`(\w+)`")
SHAPES = re.compile(r"\s\([nNMGJkm](?:, ?\w*)+\)")


def written(entry: Entry[Any]) -> str:
    """Return the words that a study has for a member: `nested cv`, not `nested_cv`."""
    return " ".join(entry.declaration.words) if entry.kind == "protocol" else entry.name


def explain_member(entry: Entry[Any]) -> Explanation:
    """Explain a member of a catalogue."""
    return Explanation(written(entry), entry.kind, entry.title, tuple(_entry_parts(entry)))


def _entry_parts(entry: Entry[Any]) -> Iterator[Part]:
    declared = entry.declaration
    yield Part("", entry.summary)
    for paragraph in entry.manual.split("\n\n"):
        text = text_for_authors(" ".join(paragraph.split()), entry)
        if text:
            yield Part("", text)
    if declared.formula:
        yield Part("in words", declared.formula)
    if getattr(declared, "null", ""):
        yield Part("null hypothesis", filled(declared.null))
        if declared.null_under_cv:
            yield Part("null hypothesis under cross-validation", filled(declared.null_under_cv))
    if entry.kind == "protocol":
        forms = declared.forms or (" ".join((written(entry), *_settings(entry))),)
        yield Part("written", lines=tuple(f"protocol {form}" for form in forms), language="eval")
    lines = tuple(option_line(option) for option in entry.options)
    if entry.kind == "protocol":
        lines += ("seeds: default 1; each fit is repeated so often, and its scores averaged",)
    if lines:
        yield Part("options", lines=lines)
    properties = property_lines(entry)
    if properties:
        yield Part("properties", lines=properties)
    if declared.when:
        yield Part("when to use it", declared.when)
    if declared.when_not:
        yield Part("when not to use it", declared.when_not)
    if getattr(declared, "no_interval", ""):
        yield Part("why it has no interval", declared.no_interval)
    if isinstance(declared, IntervalDeclaration) and declared.advised_against:
        yield Part("advised against", f"{declared.advised_against} ({declared.advised_by})")
    if entry.kind in FITTING:
        heading, fitting = FITTING[entry.kind]
        yield Part(heading, lines=fitting(entry))
    study = illustration(entry)
    if study is not None:
        yield Part("an example", lines=tuple(study.rstrip("\n").split("\n")), language="eval")
    call = python_call(entry)
    if call is not None:
        yield Part("from Python", lines=call.lines, language="python")
        yield Part("the figure is that of", call.source)
    for other, text in declared.differs.items():
        yield Part(f"why it differs from {other}", text)
    if entry.references:
        works = tuple(f"{r.short}, {r.title}, {r.venue}" for r in entry.references)
        yield Part("sources", lines=works)


def text_for_authors(paragraph: str, entry: Entry[Any]) -> str:
    """Leave out of a docstring what only callers of the function need.

    Sentences about its arrays go, and so do shapes and the marks at the names of arrays.
    """
    arrays = {name for name in entry.inputs if entry.option(name) is None}
    kept = []
    for sentence in SENTENCES.split(PYTHON_MATTER.sub("", paragraph).strip()):
        first = FIRST_NAME.match(sentence)
        if sentence == "All arrays are (n,)." or (first and first[1] in arrays):
            continue
        for name in arrays:
            sentence = sentence.replace(f" (`{name}`)", "").replace(f"`{name}`", name)
        kept.append(SHAPES.sub("", sentence))
    return " ".join(kept).strip()


def _settings(entry: Entry[Any]) -> Iterator[str]:
    for option in entry.options:
        if option.required or option.default is None:
            continue
        yield f"{option.name}={written_option(option.default)}"


def option_line(option: Option) -> str:
    """State what an option takes and what it is when nothing is written."""
    words = f" ({' | '.join(option.words)})" if option.words else ""
    return f"{option.name}: {option_default(option)}{words}"


def option_default(option: Option) -> str:
    """Describe in words what an option is when nothing is written."""
    if option.required:
        return "needed"
    if option.default is None and option.name == "average":
        return "default binary for two classes, macro for more"
    if option.default is None:
        return "not set by default"
    return f"default {written_option(option.default)}"


def explain_code(code: Code) -> Explanation:
    """Explain a diagnostic."""
    parts = [Part("", code.words.reason)] if code.words.reason else []
    for heading, text in (("wrong", code.words.wrong), ("right", code.words.right)):
        if text:
            first = text.split(maxsplit=1)[0]
            study = first in STATEMENTS or clause(first) is not None or first == "#"
            language = "eval" if study else "text"
            parts.append(Part(heading, lines=tuple(text.split("\n")), language=language))
    if code.waivable:
        parts.append(Part("to allow it", lines=(waiver(code),), language="eval"))
    if code.words.source:
        parts.append(Part("source", code.words.source))
    measured = false_alarms(code.name)
    if measured:
        parts.append(Part("false alarms", measured))
    return Explanation(
        f"{code.code} {code.name}", str(code.severity), code.words.summary, tuple(parts)
    )


def false_alarms(rule: str) -> str:
    """State how often a rule objected to sound and to flawed cases in simulations, if measured."""
    rates = json.loads(files("evallang.manual").joinpath("false_alarms.json").read_bytes())
    if rule not in rates:
        return ""
    found = rates[rule]
    return (
        f"In simulations the rule objected to {found['objected']:,} of {found['sound']:,} sound "
        f"{found['of']}, and to {found['found']:,} of {found['flawed']:,} flawed ones."
    )


def waiver(code: Code) -> str:
    """Return the comment that accepts a finding, on its line or the one above."""
    return f"# evallang: allow {code.name} because REASON"


def explain_class(name: str) -> Explanation:
    """Explain a class of the catalogue of models."""
    entry = CATALOGUE[name]
    kind = ", ".join(sorted(entry.kinds)) or "class"
    if entry.refused:
        return Explanation(name, kind, entry.module, (Part("", f"`{name}` {entry.refused}."),))
    lines = []
    for parameter in entry.parameters.values():
        if parameter.refused is None:
            words = f" ({' | '.join(parameter.words)})" if parameter.words else ""
            text = parameter.default_text
            default = "no default" if text == NOT_GIVEN else f"default {text}"
            lines.append(f"{parameter.name}: {default}{words}")
    parts = [Part("", f"From {entry.module}.")]
    parts.append(Part("parameters", lines=tuple(lines)) if lines else Part("", "No parameters."))
    return Explanation(name, kind, entry.module, tuple(parts))


def explain_statement(word: str) -> Explanation:
    """Explain a statement."""
    known = STATEMENTS[word]
    parts = [Part("form", lines=(known.form,))]
    if not runs(known.example):
        parts.append(Part("", "This version cannot run it: a study with it is refused by E901."))
    if known.detail:
        parts.append(Part("", known.detail))
    if known.clauses:
        lines = tuple("{}: {}".format(*clause_of(word, below)) for below in known.clauses)
        parts.append(Part("clauses", lines=lines))
    if known.default:
        parts.append(Part("without it", known.default))
    parts.append(Part("an example", lines=tuple(known.example.split("\n")), language="eval"))
    return Explanation(word, "statement", known.summary, tuple(parts))


def runs(example: str) -> bool:
    """Return whether this version runs a study, or refuses a word of it by E901."""
    from evallang.checking.check import check

    def read(path: str) -> str:
        return ""

    found = check("study.eval", example + "\n", read, {}).diagnostics
    return all(d.name != "not_in_this_version" for d in found)


def clause_of(statement: str, word: str) -> tuple[str, str]:
    """Return the form of a clause under a statement, and what it says there."""
    known = STATEMENTS[statement].clauses[word]
    return known.form, known.summary


LISTED = frozenset({"sections"})
"""Catalogues whose members have no explanations of their own, only a list."""


def explain_clause(word: str) -> Explanation:
    """Explain a clause, in every statement that takes it."""
    places = clauses(word)
    first = places[0][1].form
    parts = [Part("form", lines=(first,))]
    for statement, known in places:
        _, text = clause_of(statement, word)
        form = "" if known.form == first else f"`{known.form}`. "
        parts.append(Part(f"under `{statement}`", form + text))
        for kind in sorted({kind for kinds in known.names.values() for kind in kinds}):
            if kind in LISTED:
                parts.append(Part("", f"`evallang list {kind}` has their names."))
    return Explanation(word, "clause", "", tuple(parts))


def explain_connective(word: str) -> Explanation:
    """Explain a word that is between the parts of a line: where it stands."""
    forms: list[str] = []
    for known in STATEMENTS.values():
        if word in re.findall(r"\w+", known.form):
            forms.append(known.form)
    below = [kept.form for name in clause_words() if (kept := clause(name))]
    forms += [form for form in below if word in re.findall(r"\w+", form)]
    parts = [Part("", WORD_MEANINGS[word])] if word in WORD_MEANINGS else []
    if forms:
        parts.append(Part("is part of", lines=tuple(forms)))
    return Explanation(word, "word of the language", "", tuple(parts))
