"""Methods as written to entries of the catalogues, and their options to plain values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from evallang import limits
from evallang.analysis import ANALYSES
from evallang.checking import own_code
from evallang.checking.scope import Scope, letters, suggestion
from evallang.checking.synonyms import OTHER_NAMES, meant_by
from evallang.compatibility.hypothesis_tests import test_of_any_metric
from evallang.diagnostics import Code, Edit, Fix, codes
from evallang.limits import Limit, OverLimit
from evallang.metrics.metric import METRICS
from evallang.models.domains import number
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Bounds, Entry, Option, Registry
from evallang.source import Span
from evallang.spelling import closest, listed, slip_of_term
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import ASKED_BY, INPUTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method, OptionValue
from evallang.syntax import nodes as n

OWN = "own"
"""The type of the options of functions of the author's own."""
WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}
CATALOGUES: tuple[tuple[str, Registry[Any], Code], ...] = (
    ("metric", METRICS, codes.unknown_metric),
    ("test", HYPOTHESIS_TESTS, codes.unknown_test),
    ("interval", INTERVALS, codes.unknown_interval),
    ("correction", CORRECTIONS, codes.unknown_correction),
    ("analysis", ANALYSES, codes.unknown_analysis),
)
NUMBER_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
]  # fmt: skip
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
    arguments = node.arguments if isinstance(node, n.CallNode) else ()
    name = name_of(node)
    live = name.name in scope.functions
    if what == "metric" and (live or "." in name.name.strip(".")):
        known = live or bool(own_code.is_own(scope, name))
        sound, given, _ = options(scope, name.name, None, arguments)
        return Method(name.name, tuple(given.items()), live=live) if known and sound else None
    entry = catalogue_entry(scope, node, what)
    if entry is None:
        return None
    sound, given, first = options(scope, entry.name, entry.options, arguments)
    missing = [o.name for o in entry.options if o.required and o.name not in given]
    if missing and sound:
        scope.refuse(
            "lacks_parameters",
            node.span,
            entry=entry,
            missing=listed(missing, "and"),
            form=", ".join(f"{m}=..." for m in missing),
        )
        sound = False
    for option in entry.options if sound else ():
        if option.name in given and option.requires not in (None, *given):
            scope.refuse("lacks_other_option", node.span, entry=entry, option=option)
            sound = False
    if what == "metric" and sound:
        sound = _options_of_one_quantity(scope, entry, given, first)
    return Method(entry.name, tuple(given.items())) if sound else None


def options(
    scope: Scope, owner: str, known: Sequence[Option] | None, arguments: Iterable[n.ArgumentNode]
) -> tuple[bool, dict[str, OptionValue], dict[str, Span]]:
    """Resolve the options of a member: whether all are sound, their values and their places.

    A function of the author's own, of which nothing is `known`, takes any.
    """
    given: dict[str, OptionValue] = {}
    first: dict[str, Span] = {}
    sound = True
    for argument in arguments:
        option = None
        if argument.tuned:
            message, place = f"options of `{owner}` are fixed, not searched", argument.span
            scope.report(codes.option_value, message, place, help="write `=` instead of `in`")
        elif known is None:
            option = _own_option(scope, argument, owner)
        else:
            option = _option_of(scope, argument, owner, known)
        if option is None:
            sound = False
            continue
        name, place = option.name, argument.value.span
        if name in given:
            message = f"`{name}` is given twice to `{owner}`"
            scope.report_twice(codes.parameter_twice, message, argument.span, first[name])
            continue
        first[name] = argument.span
        resolved, given[name] = value = option_value(scope, argument.value, option, owner)
        why = objection(option.bounds, value[1]) if resolved else None
        if why is not None:
            share = option.bounds is not None and option.bounds.of_share
            percent = value[1] if isinstance(value[1], int | float) and 2 <= value[1] <= 100 else 20
            help_ = f"write a share, as in `{name}={percent}%`" if share else None
            scope.report(codes.option_value, f"`{name}` of `{owner}` {why}", place, help=help_)
        elif resolved and known is not None:
            resolved = check_limit(scope, name, value[1], owner, place)
        sound = sound and resolved and why is None
    return sound, given, first


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
            codes.option_value,
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
    listing = (
        f"`evallang list {'analyses' if what == 'analysis' else f'{what}s'}` lists all of them"
    )
    other = stands_in(word, what)
    if other is not None:
        if (what, other) == ("test", "correction"):
            listing = f"it follows a test: write `with {test_of_any_metric()} {word}`"
        scope.report(
            code,
            f"`{word}` is {article(other)}, not {article(what)}",
            name.span,
            help=f"did you mean `{meant}`?" if meant else listing,
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
        help=text or listing,
        fixes=fixes,
    )
    return None


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


def not_in_this_version(
    scope: Scope,
    what: str,
    node: n.Node,
    *,
    suggestion: str = "remove it, or run the study with a later version",
) -> None:
    """Refuse something that the language states and this version cannot run."""
    scope.report(
        codes.not_in_this_version,
        f"this version of evallang cannot run {what} yet",
        node.span,
        help=suggestion,
    )


def _option_of(
    scope: Scope, argument: n.ArgumentNode, owner: str, known: Sequence[Option]
) -> Option | None:
    """Find the option that an argument is for; a word alone finds the option that has it."""
    key, value, names = argument.key, argument.value, [option.name for option in known]
    word = value.name if isinstance(value, n.NameNode) else ""
    of_word = {w: option for option in known for w in option.words}
    place, message = argument.span, f"a value of `{owner}` needs its option's name"
    text: str | None = None
    fixes: list[Fix] = []
    if key is None:
        found = of_word.get(word) or of_word.get(word.replace("-", "_"))
        single = [option for option in known if option.required]
        if found is not None or (not word and len(single) == 1):
            return found or single[0]
        if word:
            text, fixes = suggestion(word, place, of_word)
            message = f"`{owner}` has no option `{word}`"
    else:
        name, place = key.name.replace("-", "_"), key.span
        found = next((option for option in known if option.name == name), None)
        if found is not None:
            return found
        message = f"`{owner}` has no option `{key.name}`"
        text, fixes = suggestion(key.name, place, names, "option")
        if word == "true" and name in of_word:
            text = f"write `{owner}({name})`"
            fixes = [Fix(f"write `{name}`", (Edit(argument.span, name),))]
    if text is None:
        are = "option is" if len(names) == 1 else "options are"
        text = f"its {are} {listed(names, 'and')}" if names else f"`{owner}` takes no options"
    scope.report(codes.unknown_option, message, place, help=text, fixes=fixes)
    return None


def _own_option(scope: Scope, argument: n.ArgumentNode, owner: str) -> Option | None:
    """Take an option of a function of the author's own, by its name in Python."""
    key, place = argument.key, argument.span
    if key is not None and key.name.isidentifier():
        return Option(key.name, default=None, types=(OWN,))
    message = f"a value of `{owner}` needs its option's name"
    help_ = f"write `{owner}(NAME=VALUE)`, as the function is called in Python"
    if key is not None:
        message, place = f"`{key.name}` is not a name of an option of a function", key.span
        help_ = "write it as in Python: letters, digits and `_`"
    scope.report(codes.unknown_option, message, place, help=help_)
    return None


def _own_value(scope: Scope, node: n.ValueNode) -> tuple[bool, OptionValue]:
    """Return whether a function of the author's own can take a value, and the value."""
    if isinstance(node, n.ListNode):
        items = [_own_value(scope, item) for item in node.items]
        return all(sound for sound, _ in items), tuple(value for _, value in items)
    let = scope.lets.get(node.name) if isinstance(node, n.NameNode) else None
    if let is not None:
        scope.used_lets.add(let.name.name)
        if let.name.name in scope.broken:
            return True, None  # which is reported there
        return _own_value(scope, scope.overrides.get(let.name.name, let.value))
    plain = isinstance(node, n.NameNode | n.NumberNode | n.TextNode)
    return plain, plain_value(node) if plain else None


def option_value(
    scope: Scope, node: n.ValueNode, option: Option, owner: str
) -> tuple[bool, OptionValue]:
    """Resolve the value of an option: (whether it is sound, the value)."""
    if OWN in option.types:
        sound, value = _own_value(scope, node)
        if not sound:
            message = (
                f"`{option.name}` of `{owner}` takes a number, a text, a word or a list of these"
            )
            scope.report(codes.option_value, message, node.span)
        return sound, value
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
        if "str" in option.types:  # the name of a model
            return True, node.name
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
        written = str(NUMBER_WORDS.index(node.name))
        help_text = f"write `{written}`"
        fixes = [Fix(help_text, (Edit(node.span, written),))]
    elif isinstance(node, n.NameNode):
        help_text, fixes = suggestion(node.name, node.span, option.words)
    elif {"int", "float", "Fraction"} & set(option.types):
        help_text, fixes = plainly(node, whole="int" in option.types)
    scope.report(
        codes.option_value,
        f"`{option.name}` of `{owner}` takes {expected}",
        node.span,
        help=help_text,
        fixes=fixes,
    )
    return False, None


_DECIDED = frozenset({"rope", "test_train_ratio"})
"""Options without a word whose default is not `none`: the data or the metric decide it."""


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
    return f"write `{written}`", [Fix(f"write `{written}`", (Edit(node.span, written),))]


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


LIMITED: dict[str, Limit] = {
    "rounds": limits.ROUNDS, "samples": limits.SAMPLES, "times": limits.TIMES,
    "folds": limits.FOLDS, "outer": limits.FOLDS, "inner": limits.FOLDS, "cv": limits.FOLDS,
    "seeds": limits.SEEDS, "bins": limits.BINS, "repeats": limits.TIMES,
}  # fmt: skip
"""The limit of what a run can compute, for every option that is called so."""


def objection(bounds: Bounds | None, value: OptionValue) -> str | None:
    """Return why an option of a method cannot have a value, None when it can.

    It reads after the name of the option.
    """
    if isinstance(value, tuple):
        return next((why for item in value if (why := objection(None, item)) is not None), None)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    size = abs(float(value))
    if size > limits.LARGEST_NUMBER or 0 < size < limits.SMALLEST_NUMBER:
        return f"must be 0, or between {limits.SMALLEST_NUMBER:g} and {limits.LARGEST_WORD} in size"
    return None if bounds is None or float(value) in bounds else f"must {bounds.words}"


def check_limit(scope: Scope, name: str, value: OptionValue, method: str, span: Span) -> bool:
    """Return whether an option keeps within its limit; reports where it does not."""
    if name not in LIMITED or isinstance(value, bool) or not isinstance(value, int | float):
        return True
    try:
        LIMITED[name].check(f"`{name}` of `{method}`", value)
    except OverLimit as error:
        report_limit(scope, error, span)
        return False
    return True


def report_limit(scope: Scope, error: OverLimit, span: Span) -> None:
    """Report that something in a study is beyond a limit."""
    scope.report(codes.over_limit, str(error), span, help=error.help)
