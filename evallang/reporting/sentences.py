"""Sentences in templates: what the report says, in `templates/sentences`, made into runs.

A file has the sentences of one topic, each a macro; Python calls it by name and gives it facts as
records. Names that begin with `_` are parts of others. Text may have `<strong>`, `<em>`, `<sub>`
and `<code>`; each of several notes begins with `<li>`. What a macro prints of a fact is kept as it
is: no sign in a name is markup. A line break or several spaces in a template are one space, and
none remains before a closing sign.
"""

import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import meta, nodes
from markupsafe import Markup
from msgspec import Struct

from evallang import diagnostics
from evallang.reporting import contrasts, numbers, wording
from evallang.reporting.context import Context, protocol_words
from evallang.reporting.document import (
    Caution,
    Cite,
    Code,
    Emphasis,
    Mark,
    Number,
    Ref,
    Run,
    Runs,
    Strong,
    Subscript,
    Text,
    listed,
    runs,
    spaced,
)
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.references import data_key
from evallang.reporting.run_writer import plain
from evallang.results.records import Comparison, DataRecord, HypothesisTestResult, ProtocolRecord

ENDING = ".sentences.j2"
STUDY = "study"
AUTHORS = "the author’s file"
MOST_BYTES = 100_000
TAGS: Mapping[str, Callable[[Runs], Run]] = {
    "strong": Strong,
    "em": Emphasis,
    "sub": lambda inside: Subscript(plain(inside)),
    "code": lambda inside: Code(plain(inside)),
}
NOTE = "<li>"
TAG = re.compile(r"<[^>]*>?")
SPACE = re.compile(r"[ \n]+")
CITED = "^"  # of what is kept and begins with a citation, which follows its word without a space
NO_SPACE_BEFORE = re.compile(r" (?=[,.;:)]|<\^)|(?<=\() ")


class StatedUndefined(jinja2.StrictUndefined):
    """A name that a template uses and that does not exist; the error lists what a record has."""

    def __init__(self, hint: str | None = None, **of: Any) -> None:
        record = of.get("obj")
        if hint is None and isinstance(record, Struct):
            fields = ", ".join(f"`{name}`" for name in dir(record) if not name.startswith("_"))
            hint = f"`{type(record).__name__}` has no `{of['name']}`; it has {fields}"
        super().__init__(hint, **of)


def write(context: Context, topic: str, name: str, /, **facts: Any) -> Runs:
    """Return the sentences of a topic that a template makes of facts."""
    return spaced(notes(context, topic, name, **facts))


def linked(context: Context, sentences: Iterable[Runs], source: object) -> list[Runs]:
    """Return sentences with a link to the figure or table that shows what they are about.

    One that has a link keeps it.
    """
    target = context.shown_in.get(source)
    link = (Ref(target, aside=True),) if target else ()
    return [row + (() if isinstance(row[-1], Ref) else link) for row in sentences]


def notes(context: Context, topic: str, name: str, /, **facts: Any) -> list[Runs]:
    """Return the notes that a template makes of facts, each of which begins with `<li>`.

    An author's macro that fails leaves ours, and an objection that names its line.
    """
    file = topic + ENDING
    if file in context.sentences:
        template = _environment(context.sentences[file]).get_template(AUTHORS)
        try:
            made = _said(template, context, name, facts)
        except Exception as error:  # whatever its expressions do
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == AUTHORS]
            line = template.get_corresponding_lineno(lines[-1]) if lines and lines[-1] else 1
            context.objections[f"`{file}`, line {line}: {str(error).rstrip('.')}"] = None
        else:
            if made is not None:
                return made
    made = _said(_environment().get_template(file), context, name, facts)
    assert made is not None, f"{file} has no macro {name}"
    return made


def _said(
    template: jinja2.Template, context: Context, name: str, facts: Mapping[str, Any]
) -> list[Runs] | None:
    """Return what a macro of a template makes of facts; None where it has no such macro."""
    kept: list[Runs] = []
    module = template.make_module({STUDY: context, "kept": kept})
    macro = getattr(module, name, None)
    if macro is None:
        return None
    parts = (_parse(part, kept) for part in str(macro(**facts)).split(NOTE))
    return [part for part in parts if part]


def caution(context: Context, topic: str, code: diagnostics.Code, **facts: Any) -> Caution:
    """Return the warning of a rule: the sentences under its name, which begin with its title."""
    lead, *body = write(context, topic, code.name, **facts)
    words, name = plain((lead,)).strip(), code.name
    identifier = f"warning-{name.replace('_', '-')}"
    return Caution(identifier, words, stripped(body), code.code, name, "warning")


def _parse(text: str, kept: Sequence[Runs]) -> Runs:
    """Make what a template printed into runs."""
    words = NO_SPACE_BEFORE.sub("", SPACE.sub(" ", text)).strip(" ")
    stack: list[list[Run]] = [[]]
    opened: list[str] = []
    end = 0
    for tag in TAG.finditer(words):
        stack[-1] += runs(str(Markup(words[end : tag.start()]).unescape()))
        end = tag.end()
        name = tag[0].strip("</>").lstrip(CITED)
        if name.isdigit():
            stack[-1] += kept[int(name)]
        elif not tag[0].startswith("</"):
            opened.append(name)
            stack.append([])
        else:
            inside = joined(stack.pop())
            if not stack or name != opened.pop():
                raise jinja2.TemplateRuntimeError(f"`{tag[0]}` closes what is not open")
            stack[-1].append(TAGS[name](inside))
    stack[-1] += runs(str(Markup(words[end:]).unescape()))
    if opened:
        raise jinja2.TemplateRuntimeError(f"`<{opened[-1]}>` is not closed")
    return joined(stack[0])


def joined(row: Iterable[Run]) -> Runs:
    """Return runs of which no two neighbours are plain words."""
    made: list[Run] = []
    for run in row:
        if isinstance(run, Text) and made and isinstance(made[-1], Text):
            made[-1] = Text(made[-1].text + run.text)
        else:
            made.append(run)
    return tuple(made)


def stripped(row: Sequence[Run]) -> Runs:
    """Return runs without spaces at their beginning."""
    first, *rest = row
    return runs(first.text.lstrip(" "), *rest) if isinstance(first, Text) else tuple(row)


# --- what templates can say -------------------------------------------------------------------


def _runs(names: Any, value: Any) -> Runs:
    """Return the text of a template as runs."""
    if isinstance(value, Markup):
        return _parse(value, names["kept"])
    if isinstance(value, tuple):
        return runs(*(_runs(names, part) for part in value))
    return runs(value if isinstance(value, str | Run) else str(value))


@jinja2.pass_context
def _keep(names: Any, value: Any) -> Any:
    """Keep a printed fact aside, so that nothing in it is read as text of the template."""
    if isinstance(value, Markup):
        return Markup(value.strip(" \n"))
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises: its name is undefined
    row = _runs(names, value)
    if not row:
        return Markup("")
    names["kept"].append(row)
    sign = CITED if isinstance(row[0], Cite) else ""
    return Markup(f"<{sign}{len(names['kept']) - 1}>")


@jinja2.pass_context
def _listed(names: Any, items: Iterable[Any], last: str = " and ", comma: str = ", ") -> Runs:
    """Join as a sentence lists: "a, b and c"."""
    return listed([_runs(names, item) for item in items], comma=comma, last=last)


def _first_of(items: Iterable[Any], most: int) -> list[Any]:
    """Return the first of some items; the others are counted: "2 more"."""
    every = list(items)
    rest = len(every) - most
    return [*every[:most], f"{numbers.count(rest)} more"] if rest > 0 else every


@jinja2.pass_context
def _capitalised(names: Any, value: Any) -> Runs:
    row = _runs(names, value)
    return wording.capitalise(row, names[STUDY].own_names) if row else row


def of_study(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a template that asks the results, its first argument."""

    @jinja2.pass_context
    def asked(names: Any, *args: Any, **options: Any) -> Any:
        return function(names["study"], *args, **options)

    return asked


def _summary(protocol: ProtocolRecord) -> str:
    """Return what a protocol does, without the seeds of its fits."""
    return protocol_words(protocol).removesuffix(
        numbers.in_words(f", with {protocol.options.get('seeds')} seeds per fit")
    )


def _test(study: Context, tests: Sequence[HypothesisTestResult]) -> Runs:
    """Format a test with its article and the variants that were computed."""
    title = study.method_title("test", tests[0].test)
    shown = wording.further_variants(study, tests, title)
    rounds = [n for t in tests if (n := t.extra.get("rounds")) is not None]
    shown += [f"{numbers.count(max(rounds))} draws"] if rounds else []
    variant = f" ({', '.join(shown)})" if shown else ""
    return runs(wording.with_article(title), variant, study.cite("test", tests[0].test))


def _difference(study: Context, value: float, comparison: Comparison, *, signed: bool) -> Runs:
    """Print a difference of a comparison with its unit."""
    metric, scale = study.difference_words(comparison), study.difference_scale(comparison)
    return wording.signed_amount(metric, value if signed else abs(value), scale, signed=signed)


def _cite_data(study: Context, data: DataRecord) -> Runs:
    key = data_key(data, {work.key for work in study.results.references})
    return (Cite((key,)),) if key is not None else ()


def _cite_metric(study: Context, name: str) -> Runs:
    """Cite the source of a metric; plain shares of examples need none."""
    found = study.method("metric", name)
    mean = found is not None and found.of_examples is not None
    return () if study.metric(name).percent and not mean else study.cite("metric", name)


FILTERS: Mapping[str, Callable[..., Any]] = {
    # words for what results hold
    "model": of_study(Context.model),
    "data": of_study(Context.data_label),
    "on_data": of_study(Context.on_data),
    "class_labels": of_study(Context.class_labels),
    "protocol": of_study(Context.protocol),
    "metric": of_study(Context.metric),
    "noun": of_study(lambda study, name: study.metric(name).noun),
    "summary": _summary,
    "sized": of_study(Context.sized),
    "scope": of_study(wording.scope_words),
    "setting": of_study(Context.setting_words),
    "test_title": of_study(lambda study, name: study.method_title("test", name)),
    "variants": of_study(
        lambda study, tests: wording.further_variants(
            study, tests, study.method_title("test", tests[0].test)
        )
    ),
    "adjusted": wording.adjusted_words,
    "p_value": of_study(wording.p_stat),
    "size": of_study(Context.size_words),
    "data_sets": of_study(lambda study, n: wording.count_sets(study, n)),
    "test": of_study(_test),
    "difference_title": of_study(lambda study, name: mid_sentence(study.difference_title(name))),
    "interval_title": of_study(
        lambda study, name, grouped=False: mid_sentence(
            study.interval_title(name, over_groups=grouped)
        )
    ),
    "titles": lambda titles: listed(
        runs(mid_sentence(title) if i else capitalised(title)) for i, title in enumerate(titles)
    ),
    "reasons": of_study(wording.reasons),
    "family": wording.family_words,
    "with_article": wording.with_article,
    "cite_data": of_study(_cite_data),
    "cite_metric": of_study(_cite_metric),
    "cases": of_study(Context.cases),
    "in_cases": of_study(wording.of_cases),
    "subject": of_study(Context.subject),
    "groups": of_study(Context.groups),
    "and_pair": of_study(lambda study, pair: " and ".join(map(study.model, pair.models))),
    "pair": of_study(lambda study, pair: " − ".join(map(study.model, pair.models))),
    "message": of_study(wording.message_runs),
    "first_sentence": wording.first_sentence,
    "code": Code,
    # numbers
    "amount": of_study(partial(_difference, signed=False)),
    "signed": of_study(partial(_difference, signed=True)),
    "rank": lambda value: Number(numbers.fixed(value, numbers.Scale(2)), value),
    "reach": contrasts.reach,
    "difference_words": of_study(Context.difference_words),
    "tested": of_study(
        lambda study, result, comparison: wording.numbers_with_adjusted(study, comparison, result)
    ),
    "contrast_interval": of_study(
        lambda study, one, comparison: contrasts.contrast_interval(
            one, study.difference_scale(comparison)
        )
    ),
    "contrast": of_study(
        lambda study, one, comparison, lead=True: contrasts.contrast_runs(
            study, comparison, one, lead=lead
        )
    ),
    "number": lambda value, scale, sign="", signed=False: Number(
        numbers.fixed(value, scale, signed=signed) + sign, value
    ),
    "value_in": lambda value, metric, scale: wording.value_text(metric, value, scale),
    "amount_in": lambda value, metric, scale: wording.amount(metric, value, scale),
    "change_in": lambda value, metric, scale: wording.signed_amount(metric, value, scale),
    "count": numbers.count,
    "word": numbers.number_word,
    "all_of": lambda n: "both" if n == 2 else f"all {numbers.number_word(n)}",
    "plural": wording.plural,
    "counted": wording.plural_count,
    "condition": wording.condition_words,
    "was": lambda n: "was" if n == 1 else "were",
    "percent": numbers.percent,
    "numbered": lambda indices: numbers.in_ranges((i + 1 for i in indices), " to "),
    "level": of_study(lambda study, alpha: numbers.level_of_alpha(alpha, study.style)),
    # sentences
    "unique": lambda items: list(dict.fromkeys(items)),  # Jinja's own takes A and a for one
    "without_start": str.removeprefix,
    "without_end": str.removesuffix,
    "first_of": _first_of,
    "listed": _listed,
    "capitalised": _capitalised,
    "mid_sentence": mid_sentence,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "cite": of_study(Context.cite),
    "place": of_study(Context.place),
    "several_data_sets": of_study(lambda study: len(study.results.data) > 1),
    "shows": of_study(Context.shows),
    "p_letter": of_study(wording.p_letter),
    "ref": Ref,
    "mark": Mark,
}


@cache
def _ours() -> Mapping[str, str]:
    """Return the texts of our files by name."""
    folder = files("evallang.templates") / "sentences"
    found = (file for file in folder.iterdir() if file.name.endswith(ENDING))
    return {file.name: file.read_text(encoding="utf-8") for file in found}


@cache
def _environment(theirs: str = "") -> jinja2.Environment:
    """Return the environment of our files and of one of an author, which may import ours."""

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        text = theirs if name == AUTHORS else _ours().get(name)
        return None if text is None else (text, name, lambda: True)

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        autoescape=True,
        undefined=StatedUndefined,
        optimized=False,  # our sentences have no constants to fold
        finalize=_keep,
    )
    made.filters |= FILTERS
    made.globals |= FUNCTIONS
    return made


# --- what an author's file may be -------------------------------------------------------------


def sentences_objection(file: str, text: str) -> tuple[str, str] | None:
    """Return why a file of sentences cannot take the place of ours, and what to do; None if it can.

    It is parsed and not run.
    """
    known = ", ".join(f"`{name}`" for name in sorted(_ours()))
    if file not in _ours():
        return "is not a file of the report’s sentences", f"they are {known}"
    environment = _environment()
    try:
        tree = environment.parse(text)
        environment.compile(tree)
    except jinja2.TemplateSyntaxError as error:
        return f"is not a template: {error.message} in line {error.lineno}", "correct this line"
    except (ValueError, RecursionError):
        return "is not a template: it is nested too deeply or has too long a number", "simplify it"
    ours = {m.name: _arguments(m) for m in environment.parse(_ours()[file]).find_all(nodes.Macro)}
    names = {name for node in tree.body for name in _defined(node)}
    for node in tree.body:
        if isinstance(node, nodes.Macro) and not node.name.startswith("_"):
            if node.name not in ours:
                others = ", ".join(f"`{name}`" for name in ours if not name.startswith("_"))
                return (
                    f"has the sentence `{node.name}` in line {node.lineno}, which the report does "
                    "not have",
                    f"it has {others}; begin the name of a part of others with `_`",
                )
            if _arguments(node) != ours[node.name]:
                right = ", ".join(ours[node.name])
                return (
                    f"takes other facts than the report gives in line {node.lineno}",
                    f"write `{node.name}({right})`",
                )
        alone = nodes.Template([node])
        alone.set_environment(environment)
        known_here = {STUDY, *names, *environment.globals, *_stored(node)}
        unknown = meta.find_undeclared_variables(alone) - known_here
        for name in node.find_all(nodes.Name):
            if name.name in unknown:
                return f"names `{name.name}` in line {name.lineno}, which is not known", CORRECT
        for data in node.find_all(nodes.TemplateData):
            for tag in TAG.findall(data.data):
                if tag != NOTE and tag.strip("</>") not in TAGS:
                    line = data.lineno + data.data[: data.data.index(tag)].count("\n")
                    words = ", ".join([f"`{NOTE}`", *(f"`<{name}>`" for name in TAGS)])
                    return f"has `{tag}` in line {line}", f"its tags are {words}; `<` is `&lt;`"
    return None


CORRECT = "write a fact of the sentence, or a part of the file"


def _arguments(macro: nodes.Macro) -> list[str]:
    return [argument.name for argument in macro.args]


def _defined(node: nodes.Node) -> list[str]:
    """Return the names that a statement at the top of a file defines for the others."""
    if isinstance(node, nodes.Macro):
        return [node.name]
    if isinstance(node, nodes.Import):
        return [node.target]
    return _stored(node)


def _stored(node: nodes.Node) -> list[str]:
    return [name.name for name in node.find_all(nodes.Name) if name.ctx == "store"]
