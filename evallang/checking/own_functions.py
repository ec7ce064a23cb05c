"""Metrics of the author's own: a dotted name with any options, of which a check knows nothing."""

from evallang.checking import own_code
from evallang.checking.scope import Scope
from evallang.compatibility import is_weighted
from evallang.diagnostics import codes
from evallang.models.domains import number
from evallang.source import Span
from evallang.study import Method, OptionValue, Study, own_metrics_of
from evallang.syntax import nodes as n

WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


class _Unfit(Exception):
    """A value that no option of the author's can take; `node` says where it stands."""

    def __init__(self, node: n.Node) -> None:
        self.node = node


def is_own(name: n.NameNode) -> bool:
    """Return a function of the author's own from a word of the catalogue."""
    return "." in name.name.strip(".")


def own_metric(scope: Scope, node: n.MethodNode) -> Method | None:
    """Resolve a dotted name with its options; None after a report."""
    name = node.name if isinstance(node, n.CallNode) else node
    found = own_code.is_own(scope, name)
    given: dict[str, OptionValue] = {}
    first: dict[str, Span] = {}
    sound = bool(found)
    for argument in node.arguments if isinstance(node, n.CallNode) else ():
        key = argument.key
        if argument.tuned:
            scope.report(
                codes.option_value,
                f"options of `{name.name}` are fixed, not searched",
                argument.span,
                help="write `=` instead of `in`",
            )
        elif key is None:
            scope.report(
                codes.unknown_option,
                f"a value of `{name.name}` needs its option's name",
                argument.span,
                help=f"write `{name.name}(NAME=VALUE)`, as the function is called in Python",
            )
        elif not key.name.isidentifier():
            scope.report(
                codes.unknown_option,
                f"`{key.name}` is not a name of an option of a function",
                key.span,
                help="write it as in Python: letters, digits and `_`",
            )
        elif key.name in given:
            scope.report_twice(
                codes.parameter_twice,
                f"`{key.name}` is given twice to `{name.name}`",
                argument.span,
                first[key.name],
            )
        else:
            first[key.name] = argument.span
            try:
                given[key.name] = _value(scope, argument.value)
                continue
            except _Unfit as unfit:
                scope.report(
                    codes.option_value,
                    f"`{key.name}` of `{name.name}` takes a number, a text, a word or a list of "
                    "these",
                    unfit.node.span,
                )
        sound = False
    return Method(name.name, tuple(given.items())) if sound else None


def _value(scope: Scope, node: n.ValueNode) -> OptionValue:
    if isinstance(node, n.NumberNode):
        return number(node.literal)
    if isinstance(node, n.TextNode):
        return node.value
    if isinstance(node, n.ListNode):
        return tuple(_value(scope, item) for item in node.items)
    if not isinstance(node, n.NameNode):
        raise _Unfit(node)
    let = scope.lets.get(node.name)
    if let is None:
        return WORDS.get(node.name, node.name)
    if node.name in scope.broken:
        return None
    scope.used_lets.add(node.name)
    value = scope.overrides.get(node.name, let.value)
    if isinstance(value, n.NumberNode | n.TextNode | n.ListNode | n.NameNode):
        return _value(scope, value)
    raise _Unfit(node)


def judge_weights(scope: Scope, study: Study) -> None:
    """Report own metrics of examples with weights, which a function of two arrays cannot heed."""
    weighted = [source for source in study.sources if is_weighted(source)]
    if not weighted:
        return
    seen: set[str] = set()
    for metric, span in own_metrics_of(study):
        if metric.name in seen:
            continue
        seen.add(metric.name)
        scope.report(
            codes.own_metric_without_weights,
            f"`{metric.name}` does not receive weights, and the examples of "
            f"`{weighted[0].name}` have them",
            span,
            help="remove the clause `weight`, or measure another metric",
        )
