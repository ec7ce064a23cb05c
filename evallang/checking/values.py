"""Methods as written to entries of the catalogues, and their options to plain values."""

import re
from collections.abc import Mapping
from typing import Any

from evallang.checking import codes, own_functions
from evallang.checking.bounds import as_share, check_limit, objection
from evallang.checking.scope import Scope, letters, suggestion
from evallang.checking.synonyms import OTHER_NAMES, meant_by
from evallang.diagnostics import Code, Edit, Fix
from evallang.metrics.metric import METRICS
from evallang.models.domains import number
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry, Option, Registry
from evallang.source import Span
from evallang.spelling import closest, listed, slip_of_term
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import ASKED_BY, INPUTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method, OptionValue
from evallang.syntax import nodes as n

WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}
CATALOGUES: tuple[tuple[str, Registry[Any], Code], ...] = (
    ("metric", METRICS, codes.UNKNOWN_METRIC),
    ("test", HYPOTHESIS_TESTS, codes.UNKNOWN_TEST),
    ("interval", INTERVALS, codes.UNKNOWN_INTERVAL),
    ("correction", CORRECTIONS, codes.UNKNOWN_CORRECTION),
    ("analysis", ANALYSES, codes.UNKNOWN_ANALYSIS),
)
NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?%?")
_WHOLE = re.compile(r"(?:0|[1-9][0-9]{0,15})(?:\.0{1,15})?")


def method(scope: Scope, node: n.MethodNode, what: str) -> Method | None:
    """Resolve a word of a catalogue with its options; None after a report.

    A metric may also be one that a source of the study names, or a function of the author's.
    """
    if what == "metric" and isinstance(node, n.NameNode):
        own = scope.own_metrics.get(letters(node.name))
        if own is not None:
            return own
    if what == "metric" and own_functions.is_own(name_of(node)):
        return own_functions.own_metric(scope, node)
    entry = catalogue_entry(scope, node, what)
    if entry is None:
        return None
    arguments = node.arguments if isinstance(node, n.CallNode) else ()
    given: dict[str, OptionValue] = {}
    first: dict[str, Span] = {}
    sound = True
    for argument in arguments:
        option = _option_of(scope, argument, entry)
        if option is None:
            sound = False
        elif option.name in given:
            scope.report_twice(
                codes.PARAMETER_TWICE,
                f"`{option.name}` is given twice to `{entry.name}`",
                argument.span,
                first[option.name],
            )
        else:
            first[option.name] = argument.span
            resolved, value = option_value(scope, argument.value, option, entry.name)
            why = objection(option.bounds, value) if resolved else None
            if why is not None:
                scope.report(
                    codes.OPTION_VALUE,
                    f"`{option.name}` of `{entry.name}` {why}",
                    argument.value.span,
                    help=as_share(value) if option.bounds and option.bounds.of_share else None,
                )
            elif resolved:
                resolved = check_limit(scope, option.name, value, entry.name, argument.value.span)
            sound = sound and resolved and why is None
            given[option.name] = value
    missing = [o.name for o in entry.options if o.required and o.name not in given]
    if missing and sound:
        scope.report(
            codes.MISSING_OPTION,
            f"`{entry.name}` needs {listed(missing, 'and')}",
            node.span,
            help=f"write `{entry.name}({', '.join(f'{m}=...' for m in missing)})`",
        )
        sound = False
    if what == "metric" and sound:
        sound = _options_of_one_quantity(scope, entry, given, first)
    return Method(entry.name, tuple(given.items())) if sound else None


def _options_of_one_quantity(
    scope: Scope, entry: Entry[Any], given: Mapping[str, OptionValue], places: Mapping[str, Span]
) -> bool:
    """Report options that do not go with one that asks for another quantity of a metric."""
    for option, name in entry.declaration.under_option.items():
        if option not in given:
            continue
        known = {o.name for o in METRICS[name].options}
        other = next((word for word in given if word not in known), None)
        if other is None and given[option] is not None:
            return True
        message = f"`{option}` of `{entry.name}` takes a number"
        if other is not None:
            message = f"`{other}` and `{option}` of `{entry.name}` do not go together"
        scope.report(
            codes.OPTION_VALUE,
            message,
            places[other or option],
            help=f"write `{entry.name}({option}=90%)`: it is about the positive class",
        )
        return False
    return True


def name_of(node: n.MethodNode) -> n.NameNode:
    """Return the name of a method, with or without options."""
    return node.name if isinstance(node, n.CallNode) else node


def catalogue_entry(scope: Scope, node: n.MethodNode, what: str) -> Entry[Any] | None:
    """Find a word in the catalogue it should be in; None after a report."""
    name = name_of(node)
    if "." in name.name.strip("."):
        not_in_this_version(scope, f"your own {what}s", name)
        return None
    word = name.name.replace("-", "_")
    _, registry, code = next(c for c in CATALOGUES if c[0] == what)
    entry = registry.get(word)
    if entry is not None:
        if entry.kind in ASKED_BY and not INPUTS.subjects_of(entry.kind, entry.inputs):
            not_in_this_version(scope, f"the {what} `{word}`", name)
            return None
        return entry
    meant = meant_by(what, word)
    if what == "test" and name.name in scope.models:
        scope.report(
            code,
            f"`{name.name}` is a model, not a test",
            name.span,
            help="the models come before `with`: `compare a, b with TEST`",
        )
        return None
    other = stands_in(word, what)
    if other is not None:
        scope.report(
            code,
            f"`{word}` is {article(other)}, not {article(what)}",
            name.span,
            help=f"did you mean `{meant}`?" if meant else _instead(word, other, what),
        )
        return None
    measure = what == "metric"
    text, fixes = suggestion(word, name.span, registry.names(), terms=measure)
    if text is None and meant is None:
        elsewhere = OTHER_NAMES.get(what, {})
        near = closest(word, elsewhere)
        slip = near is not None and (not measure or slip_of_term(word, near))
        meant = elsewhere[near] if near is not None and slip else None
    if meant is not None:
        text, fixes = f"did you mean `{meant}`?", []
    scope.report(
        code,
        f"there is no {what} called `{scope.written(name.span)}`",
        name.span,
        help=text or _listing(what),
        fixes=fixes,
    )
    return None


def _listing(what: str) -> str:
    """Return where the members of a catalogue are listed, and how to add one's own."""
    listing = f"`evallang list {_plural(what)}` lists all of them"
    if what != "metric":
        return listing
    return f"{listing}; a measure of your own is a Python function, see `evallang explain use`"


def stands_in(word: str, besides: str) -> str | None:
    """Return the catalogue, besides one, in which a word stands: `f1` is a metric."""
    for what, registry, _ in CATALOGUES:
        if what != besides and word in registry:
            return what
    if besides != "protocol" and word in {" ".join(p.declaration.words) for p in PROTOCOLS}:
        return "protocol"
    return None


def article(what: str) -> str:
    """Return a catalogue's noun with its article: `an interval`."""
    return f"an {what}" if what[0] in "aeiou" else f"a {what}"


def _plural(what: str) -> str:
    return "analyses" if what == "analysis" else f"{what}s"


def _instead(word: str, other: str, what: str) -> str | None:
    if other == "metric" and what == "test":
        return f"write `with TEST by {word}`"
    if other == "metric" and what == "correction":
        return f"write `by {word}`"
    if other == "test" and what == "correction":
        return f"write a line for each test, or `then {word}` after a test of several models"
    if other == "correction" and what == "test":
        return f"write `with TEST {word}`"
    place = {
        "metric": f"`{word}` comes after `measure`",
        "test": f"`{word}` comes after `with` on a `compare` line",
        "correction": f"`{word}` comes after the test of a `compare` line",
        "interval": f"`interval {word}` is an indented line below `measure`",
        "analysis": f"`{word}` comes after `analyze`",
        "protocol": f"`protocol {word}` is a line of its own",
    }[other]
    return f"{place}; `evallang list {_plural(what)}` lists the {_plural(what)}"


def not_in_this_version(
    scope: Scope,
    what: str,
    node: n.Node,
    *,
    suggestion: str = "remove it, or run the study with a later version",
) -> None:
    """Refuse something that the language states and this version cannot run."""
    scope.report(
        codes.NOT_IN_THIS_VERSION,
        f"this version of evallang cannot run {what} yet",
        node.span,
        help=suggestion,
    )


def _option_of(scope: Scope, argument: n.ArgumentNode, entry: Entry[Any]) -> Option | None:
    """Find the option that an argument is for; a word alone finds the option that has it."""
    if argument.tuned:
        scope.report(
            codes.OPTION_VALUE,
            f"options of `{entry.name}` are fixed, not searched",
            argument.span,
            help="write `=` instead of `in`",
        )
        return None
    if argument.key is None:
        if isinstance(argument.value, n.NameNode):
            word = argument.value.name
            for option in entry.options:
                if word in option.words or word.replace("-", "_") in option.words:
                    return option
            words = [w for option in entry.options for w in option.words]
            text, fixes = suggestion(word, argument.span, words)
        else:
            single = [o for o in entry.options if o.required]
            if len(single) == 1:
                return single[0]
            word, text, fixes = "this value", None, []
        scope.report(
            codes.UNKNOWN_OPTION,
            f"`{entry.name}` has no option `{word}`"
            if isinstance(argument.value, n.NameNode)
            else f"a value of `{entry.name}` needs its option's name",
            argument.span,
            help=text or _takes(entry),
            fixes=fixes,
        )
        return None
    key = argument.key.name.replace("-", "_")
    found = entry.option(key)
    if found is None:
        names = [o.name for o in entry.options]
        text, fixes = suggestion(argument.key.name, argument.key.span, names, "option")
        chosen = isinstance(argument.value, n.NameNode) and argument.value.name == "true"
        if chosen and any(key in option.words for option in entry.options):
            text = f"write `{entry.name}({key})`"
            fixes = [Fix(f"write `{key}`", (Edit(argument.span, key),))]
        scope.report(
            codes.UNKNOWN_OPTION,
            f"`{entry.name}` has no option `{argument.key.name}`",
            argument.key.span,
            help=text or _takes(entry),
            fixes=fixes,
        )
    return found


def _takes(entry: Entry[Any]) -> str:
    if not entry.options:
        return f"`{entry.name}` takes no options"
    are = "option is" if len(entry.options) == 1 else "options are"
    return f"its {are} {listed([o.name for o in entry.options], 'and')}"


def option_value(
    scope: Scope, node: n.ValueNode, option: Option, owner: str
) -> tuple[bool, OptionValue]:
    """Resolve the value of an option: (whether it is sound, the value)."""
    if isinstance(node, n.NameNode) and node.name not in option.words:
        let = scope.lets.get(node.name)
        if let is not None and node.name not in scope.broken:
            scope.used_lets.add(node.name)
            return option_value(scope, scope.overrides.get(node.name, let.value), option, owner)
    if isinstance(node, n.NameNode):
        for word in (node.name, node.name.replace("-", "_")):
            if word in option.words:
                return True, word
        if node.name in WORDS:
            value = WORDS[node.name]
            absent = "None" in option.types and not option.words and option.name not in _DECIDED
            if absent if value is None else "bool" in option.types:
                return True, value
    elif isinstance(node, n.NumberNode):
        if node.literal in option.words:  # `.632` is a word that looks like a number
            return True, node.literal
        plain = number(node.literal)
        if isinstance(plain, int) and {"int", "float", "Fraction"} & set(option.types):
            return True, plain
        if not isinstance(plain, int) and {"float", "Fraction"} & set(option.types):
            return True, plain
    elif isinstance(node, n.TextNode) and "str" in option.types:
        return True, node.value
    elif isinstance(node, n.ListNode) and {"list", "tuple"} & set(option.types):
        items = [plain_value(item) for item in node.items]
        if all(item is not None for item in items):
            return True, tuple(items)
    fixes: list[Fix] = []
    expected = _expected(option)
    help_text = None
    if isinstance(node, n.NameNode) and "int" in option.types and node.name in NUMBER_WORDS:
        help_text, fixes = _as_number(node.span, str(NUMBER_WORDS.index(node.name)))
    elif isinstance(node, n.NameNode):
        help_text, fixes = suggestion(node.name, node.span, option.words)
        help_text = help_text or _INSTEAD.get(option.name)
    elif {"int", "float", "Fraction"} & set(option.types):
        help_text, fixes = plainly(node, whole="int" in option.types)
    scope.report(
        codes.OPTION_VALUE,
        f"`{option.name}` of `{owner}` takes {expected}",
        node.span,
        help=help_text,
        fixes=fixes,
    )
    return False, None


_DECIDED = frozenset({"rope", "test_train_ratio"})
"""Options without a word whose default is not `none`: the data or the metric decide it."""
_INSTEAD = {
    "average": "for the values of single classes write `measure accuracy within TARGET`, which is "
    "the recall of each class, or `analyze confusion`"
}
"""What to write for a value that no word of an option has."""


def plainly(node: n.Node, *, whole: bool) -> tuple[str | None, list[Fix]]:
    """Propose `5` for `"5"`, and for `5.0` where a whole number is wanted."""
    written = ""
    if isinstance(node, n.TextNode) and _NUMBER.fullmatch(node.value):
        written = node.value
    elif isinstance(node, n.NumberNode):
        written = node.literal
    if whole:
        written = written.partition(".")[0] if _WHOLE.fullmatch(written) else ""
    if not written or (isinstance(node, n.NumberNode) and written == node.literal):
        return None, []
    return _as_number(node.span, written)


def _as_number(span: Span, written: str) -> tuple[str, list[Fix]]:
    return f"write `{written}`", [Fix(f"write `{written}`", (Edit(span, written),))]


def plain_value(node: n.ValueNode) -> OptionValue:
    """Return a literal as a plain value; None for what is not a literal."""
    if isinstance(node, n.NumberNode):
        return number(node.literal)
    if isinstance(node, n.TextNode):
        return node.value
    if isinstance(node, n.NameNode):
        return WORDS.get(node.name, node.name)
    if isinstance(node, n.ListNode):
        items = [plain_value(item) for item in node.items]
        return None if any(item is None for item in items) else tuple(items)
    return None


def _expected(option: Option) -> str:
    parts = []
    if option.words:
        parts.append(listed(option.words))
    names = {
        "int": "a whole number",
        "float": "a number",
        "Fraction": "a number",
        "bool": "`true` or `false`",
        "str": "text in quotes",
        "list": "a list",
        "tuple": "a list",
        "None": "`none`",
    }
    wanted = dict.fromkeys(names[t] for t in option.types if t in names and t != "None")
    if "a number" in wanted:
        wanted.pop("a whole number", None)
    parts.extend(wanted)
    return " or ".join(parts)
