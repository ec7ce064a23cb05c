"""lark's tree of one line in, its node out.

A rule (or alias) of `grammar/evallang.lark` has a method of its name here, or makes the node that
`language.toml` or a table below states for it. What the grammar lets pass and the language does
not (a part given twice, a claim without its margin) is reported here.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from lark import Token as LarkToken, Transformer, Tree, v_args
from lark.tree import Meta
from msgspec.structs import fields, replace

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, Related, codes, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import nodes as n
from evallang.syntax.language import RESERVED, clause, declares, rules
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.patterns import fields as written_fields
from evallang.syntax.scanner import Token

_OF_ITS_CHILDREN: Mapping[str, type[n.Node]] = {
    "column_pair": n.ColumnPairNode,
    "entry": n.EntryNode,
    "frame": n.FrameNode,
    "model_column": n.ModelColumnNode,
    "option": n.OptionNode,
    "judged_column": n.JudgedColumnNode,
    "pair": n.PairNode,
    "range": n.RangeNode,
    "ratio": n.RatioNode,
    "setting": n.ModelSettingNode,
    "state": n.StateNode,
}
"""The nodes whose fields are the children of their rule."""
_OF_ALL: Mapping[str, Callable[..., n.Node]] = {
    "list": n.ListNode,
    "map": n.MapNode,
    "pipeline": n.PipelineNode,
}
"""The nodes of any number of children."""
_WORDS = frozenset(
    {
        *("by", "distribution", "drawn", "order", "reader_word", "repeat_word"),
        *("samples_word", "scale", "sets", "setting_word", "split", "target_word", "tool"),
        "winner_word",
    }
)
"""The rules of keywords that are values."""
_TUPLES = frozenset(
    {"columns", "compared", "methods", "model_columns", "options", "paths", "terms"}
)
_RANGES_ELSEWHERE = frozenset(
    {"arange", "geomspace", "linspace", "logspace", "range", "randint", "seq"}
)
"""Functions of other languages that make a row of numbers."""
_VERSION = re.compile(r"\w\.[0-9]")


class Part(NamedTuple):
    """A part of a line whose parts are in any order: its word, its value, its place."""

    word: str
    value: Any
    span: Span


def makes(rule: str) -> bool:
    """Return whether something is made of a rule of the grammar."""
    known = {*_OF_ITS_CHILDREN, *_OF_ALL, *_WORDS, *_TUPLES, *rules()}
    kinds = ("claim", "part", "range", "source")
    return rule in known or rule.partition("_")[0] in kinds or hasattr(_Nodes, rule)


def node_of(path: str, first: Token, tree: Tree[LarkToken]) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Return the node of a line that begins with a token, and what is wrong with it."""
    nodes = _Nodes(path, first)
    node = nodes.transform(tree)
    help_ = "write the one value that is meant, or a list of values"
    if first.text == "where":
        help_ = "write a line for each bound: `where age >= 18`, `where age <= 65`"
    told = {found.span for found in nodes.diagnostics}
    for value in nodes.ranges.values():  # what no parameter took
        if value.span not in told:
            message = "a range is only allowed after `in`"
            nodes.complain(codes.range_without_in, message, value.span, help_)
    return node, tuple(nodes.diagnostics)


@v_args(inline=True, meta=True)
class _Nodes(Transformer[LarkToken, Any]):
    """Makes the nodes of one line, which begins with a token."""

    def __init__(self, path: str, first: Token) -> None:
        super().__init__()
        self._path = path
        self._first = first.text
        self._keyword = Span(path, first.start, first.end)
        self.ranges: dict[int, n.RangeNode] = {}
        self.diagnostics: list[Diagnostic] = []

    def __default__(self, data: str, children: list[Any], meta: Meta) -> Any:
        span, rule = self._at(meta), str(data)
        if rule in _WORDS:
            return n.NameNode(str(children[0]), span=span)
        if rule in _TUPLES:
            return tuple(children)
        if rule in _OF_ALL:
            return _OF_ALL[rule](tuple(children), span=span)
        if rule in _OF_ITS_CHILDREN:
            return self._noted(_OF_ITS_CHILDREN[rule](*children, span=span))
        kind, _, word = rule.partition("_")
        match kind:
            case "part":
                value = children[0] if len(children) == 1 else tuple(children) or True
                return Part(word.replace("_", " "), value, span)
            case "claim":
                return {"kind": word, "first": children[0], "second": children[1]}
            case "range":
                start, stop, spacing = children
                return self._noted(n.RangeNode(start, stop, **{word: spacing}, span=span))
            case "source":
                return n.SourceNode(word, tuple(children), span=span)
        return self._declared(rule, children, span)

    def _at(self, meta: Meta) -> Span:
        return Span(self._path, meta.start_pos, meta.end_pos)

    def _noted(self, node: n.Node) -> n.Node:
        if isinstance(node, n.RangeNode):
            self.ranges[id(node)] = node
        return node

    def _declared(self, rule: str, children: Sequence[Any], span: Span) -> n.Node:
        """Make the node that the table of the language states for a rule."""
        kind, keyword, stated = _stated(rule)
        if kind is n.ClauseNode:
            return n.ClauseNode(self._word(), tuple(children), span=span)
        made: dict[str, Any] = {"span": span}
        if keyword:
            made["keyword"] = self._keyword if keyword == "span" else self._word()
        given = iter(children)
        for name, holds, required in stated:
            value = next(given, None) if holds is None else holds
            if value is not None or required:
                made[name] = str(value) if isinstance(value, LarkToken) else value
        return kind(**made)

    def _word(self) -> n.NameNode:
        return n.NameNode(self._first, span=self._keyword)

    def complain(
        self,
        code: Code,
        message: str,
        span: Span,
        suggestion: str | None = None,
        *,
        fix: tuple[str, Edit] | None = None,
        related: Sequence[Related] = (),
        part: str | None = None,
    ) -> None:
        """Add a finding; what follows from a misused word of the language is not reported."""
        if any(d.code == codes.reserved_word.code for d in self.diagnostics):
            return
        fixes = [Fix(fix[0], (fix[1],))] if fix else []
        self.diagnostics.append(
            diagnose(code, message, span, help=suggestion, fixes=fixes, related=related, part=part)
        )

    def _named(self, node: n.Node, suggestion: str) -> None:
        """Report a word of the language where a name is meant; brackets let one pass."""
        if isinstance(node, n.NameNode) and node.name in RESERVED:
            message = f"`{node.name}` is a word of the language and cannot be a name"
            self.complain(codes.reserved_word, message, node.span, suggestion)

    # --- values ------------------------------------------------------------------------

    def name(self, meta: Meta, word: str) -> n.NameNode:
        span = self._at(meta)
        if _VERSION.search(word):
            right = quoted(word)
            own = declares(self._first)
            self.complain(
                codes.name_with_version,
                f"`{word}` is not a name: a digit follows a point",
                span,
                "write `_` or `-` for the point" if own else f"put it in quotes: `{right}`",
                fix=None if own else ("add quotes", Edit(span, right)),
            )
        return n.NameNode(str(word), span=span)

    def term(self, meta: Meta, word: str) -> n.NameNode:
        return _term(self.name(meta, word))

    def number(self, meta: Meta, literal: str) -> n.NumberNode:
        return n.NumberNode(str(literal), span=self._at(meta))

    def text(self, meta: Meta, literal: str) -> n.TextNode:
        return n.TextNode(unescaped(str(literal)), str(literal), span=self._at(meta))

    def steps(self, meta: Meta, *steps: Any) -> Any:
        return steps[0] if len(steps) == 1 else n.PipelineNode(steps, span=self._at(meta))

    def call(self, meta: Meta, name: n.NameNode, *given: Any) -> n.Node:
        span = self._at(meta)
        if name.name == "columns":
            return n.ColumnsNode(tuple(filter(None, map(self._branch, given))), span=span)
        if not given:
            return n.NameNode(name.name, span=span)
        arguments = self._rows([self._argument(item) for item in given])
        return n.CallNode(name, tuple(arguments), span=span)

    def argument(self, meta: Meta, value: Any) -> n.ArgumentNode:
        return n.ArgumentNode(None, value, span=self._at(meta))

    def argument_fixed(self, meta: Meta, key: n.NameNode, value: Any) -> n.ArgumentNode:
        tuned = isinstance(value, n.RangeNode) and self._first in ("let", "model")
        if tuned:
            del self.ranges[id(value)]
            between = Span(self._path, key.span.end, value.span.start)
            self.complain(
                codes.range_without_in,
                f"`{key.name}` is fixed to a range",
                between,
                f"write `{key.name} in ...`",
                fix=("write `in`", Edit(between, " in ")),
            )
        return n.ArgumentNode(key, value, tuned, span=self._at(meta))

    def argument_tuned(self, meta: Meta, key: n.NameNode, value: Any) -> n.ArgumentNode:
        if isinstance(value, n.RangeNode):
            del self.ranges[id(value)]
        elif isinstance(value, n.ListNode):
            if len(value.items) == 1 and isinstance(value.items[0], n.RangeNode):
                message = f"the range after `{key.name} in` is in brackets"
                place = value.items[0].span
                self.complain(codes.range_without_in, message, place, "remove the brackets")
        elif not isinstance(value, n.NameNode):
            self._no_domain(key, value)
        return n.ArgumentNode(key, value, tuned=True, span=self._at(meta))

    def branch(self, meta: Meta, key: Any, value: Any) -> n.BranchNode:
        steps = value if isinstance(value, n.PipelineNode) else None
        steps = steps or n.PipelineNode((value,), span=value.span)
        return n.BranchNode(key, steps, span=self._at(meta))

    def _no_domain(self, key: n.NameNode, value: n.ValueNode) -> None:
        """Report what is not a set of values after `in`."""
        code, between = codes.domain_needed, Span(self._path, key.span.end, value.span.start)
        what, fix = "what is not a set of values", None
        help_: str | None = f"write the choices as a list: `{key.name} in [...]`"
        if isinstance(value, n.NumberNode | n.TextNode):
            what, written = "a single value", value.literal
            wanted = "`[1, 10]`, `1..10` or `1e-3..1e3 log 7`"
            if isinstance(value, n.TextNode):
                wanted = f"a list, as in `[{written}, ...]`"
            help_ = f"`{key.name}={written}` fixes it; `in` takes {wanted}"
            fix = f"write `{key.name}={written}`", Edit(between, "=")
        elif isinstance(value, n.CallNode):
            what, called = "a call, which is not a set of values", value.name.name
            ends = [a.value.literal for a in value.arguments if isinstance(a.value, n.NumberNode)]
            if called in ("uniform", "loguniform") and len(ends) == 2:
                right = f"{'..'.join(ends)} {called}"
                message = f"a distribution comes after its range: `{right}`"
                fix = f"write `{right}`", Edit(value.span, right)
                self.complain(codes.distribution_as_call, message, value.span, fix=fix)
                return
            if called in _RANGES_ELSEWHERE:
                help_ = "a range is written `1..10`, `1..10 step 2` or `1e-3..1e3 log 7`"
        self.complain(code, f"`{key.name} in` is followed by {what}", value.span, help_, fix=fix)

    def _rows(self, given: Sequence[n.ArgumentNode]) -> Iterator[n.ArgumentNode]:
        """Read `C in 1, 10, 100` as the list it is meant to be."""
        plain = n.NameNode | n.NumberNode | n.TextNode
        rest = list(reversed(given))
        while rest:
            item = rest.pop()
            values = [item.value]
            while (
                item.tuned
                and isinstance(item.value, n.NumberNode | n.TextNode)
                and rest
                and rest[-1].key is None
                and isinstance(rest[-1].value, plain)
            ):
                values.append(rest.pop().value)
            if item.key is None or len(values) < 2:
                yield item
                continue
            row = values[0].span.to(values[-1].span)
            self.diagnostics = [d for d in self.diagnostics if d.span != values[0].span]
            message = (
                f"the values that `{item.key.name} in` searches are written in square brackets"
            )
            ends = Span(row.path, row.start, row.start), Span(row.path, row.end, row.end)
            fix = Fix("write brackets", (Edit(ends[0], "["), Edit(ends[1], "]")))
            help_ = f"write `{item.key.name} in [...]`"
            found = diagnose(codes.domain_needed, message, row, help=help_, fixes=[fix])
            self.diagnostics.append(found)
            yield replace(item, value=n.ListNode(tuple(values), span=row))

    def _branch(self, item: n.BranchNode | n.ArgumentNode) -> n.BranchNode | None:
        """Read an argument of `columns(...)`, and object where it is not a branch."""
        if isinstance(item, n.ArgumentNode):
            key, value = item.key, item.value
            steps: tuple[Any, ...] = value.steps if isinstance(value, n.PipelineNode) else (value,)
            fix = None
            if key is not None:
                fix = "write a colon", Edit(Span(self._path, key.span.end, value.span.start), ": ")
            self.complain(
                codes.branch_outside_columns,
                "`columns(...)` takes branches: columns, a colon, the steps they go through",
                item.span,
                "write `numeric: STEPS`, `categorical: STEPS`, `rest: STEPS` or `[a, b]: STEPS`",
                fix=fix,
            )
            if key is None or not all(map(_is_step, steps)):
                return None
            return n.BranchNode(key, n.PipelineNode(steps, span=value.span), span=item.span)
        columns: Any = item.key  # the grammar lets any value pass here, and after the colon
        if not isinstance(columns, n.NameNode | n.TextNode | n.ListNode):
            message = "before the colon, write `numeric`, `categorical`, `rest`, a column or a list"
            self.complain(codes.branch_outside_columns, message, columns.span)
            return None
        wrong = next((step for step in item.pipeline.steps if not _is_step(step)), None)
        if wrong is not None:
            message = "after the colon, write estimators, joined by `|`"
            self.complain(codes.step_expected, message, wrong.span)
            return None
        return item

    def _argument(self, item: n.ArgumentNode | n.BranchNode) -> n.ArgumentNode:
        """Take an argument of any other call, and object to a colon."""
        if isinstance(item, n.ArgumentNode):
            return item
        steps = item.pipeline.steps
        value: n.ValueNode = steps[0] if len(steps) == 1 else item.pipeline
        key = item.key if isinstance(item.key, n.NameNode) else None
        between = Span(self._path, item.key.span.end, value.span.start)
        self.complain(
            codes.branch_outside_columns,
            "a colon belongs in `columns(...)` and maps; an argument takes `=`",
            item.span,
            fix=("write `=`", Edit(between, "=")) if key else None,
        )
        return n.ArgumentNode(key, value, span=item.span)

    # --- words of a catalogue, and clauses ---------------------------------------------

    def compared_all(self, meta: Meta) -> tuple[Any, ...]:
        return ()

    def method(self, meta: Meta, node: Any) -> n.MethodNode:
        """Convert a word of a catalogue, with or without options, to its canonical spelling."""
        if isinstance(node, n.ColumnsNode):  # `columns(a: b)` reads as a call with branches
            message = "`columns(...)` can only be a step of a pipeline"
            self.complain(codes.unexpected_text, message, node.span)
            return n.NameNode("columns", span=node.span)
        name = node.name if isinstance(node, n.CallNode) else node
        self._named(name, "write the word of the catalogue that is meant")
        return replace(node, name=_term(name)) if isinstance(node, n.CallNode) else _term(name)

    def membership(self, meta: Meta, *words: str) -> str:
        return " ".join(words)

    presence = membership

    def words(self, meta: Meta, keyword: n.NameNode, *values: Any) -> n.ClauseNode:
        plain, known = n.NameNode | n.TextNode | n.NumberNode, clause(keyword.name)
        one_column = known is not None and known.takes == "column"
        if len(values) == 1 and isinstance(values[0], n.ListNode):
            items = values[0].items  # in brackets, or side by side
            fits = len(items) == 1 or (items and not one_column)
            values = items if fits and all(isinstance(i, plain) for i in items) else values
        if known is not None and known.takes in ("word", "terms"):
            values = tuple(_term(v) if isinstance(v, n.NameNode) else v for v in values)
        return n.ClauseNode(keyword, values, span=self._at(meta))

    def quoted_model_column(
        self, meta: Meta, name: n.TextNode, column: Any, path: Any
    ) -> n.ModelColumnNode:
        return n.ModelColumnNode(name, None, column, path, span=self._at(meta))

    # --- statements --------------------------------------------------------------------

    def protocol(self, meta: Meta, name: n.NameNode | None, *given: Any) -> n.ProtocolNode:
        return n.ProtocolNode(
            name,
            tuple(item for item in given if isinstance(item, n.NameNode)),
            tuple(item for item in given if isinstance(item, n.OptionNode)),
            **{item.word: item.value for item in given if isinstance(item, Part)},
            keyword=self._keyword,
            span=self._at(meta),
        )

    def export(self, meta: Meta, model: Any, path: n.TextNode | None) -> n.ExportNode:
        best = isinstance(model, n.NameNode) and model.name == "best"
        own = None if best else model
        return n.ExportNode(own, path, keyword=self._keyword, span=self._at(meta))

    def tune(self, meta: Meta, *given: Any) -> n.TuneNode:
        parts = self._parts([item for item in given if isinstance(item, Part)])
        strategy, size = parts.get("strategy", (None, None))
        return n.TuneNode(
            strategy,
            size,
            parts.get("by"),
            tuple(item for item in given if isinstance(item, n.OptionNode)),
            parts.get("select"),
            keyword=self._keyword,
            span=self._at(meta),
        )

    def analyze(self, meta: Meta, items: tuple[Any, ...], *given: Part) -> n.AnalyzeNode:
        parts = self._parts(given)
        models, metric, on = parts.get("of", ()), parts.get("by"), parts.get("on")
        here = self._at(meta)
        return n.AnalyzeNode(items, models, metric, on, keyword=self._keyword, span=here)

    def called_averaged(self, meta: Meta) -> n.NameNode:
        return n.NameNode("averaged", span=self._at(meta))

    def compare(self, meta: Meta, models: tuple[Any, ...] | None, *given: Part) -> n.CompareNode:
        models = models or ()
        for word, value, place in given:
            called = value.name if word == "correction" and isinstance(value, n.NameNode) else ""
            if called == "then":
                message = "`then` comes directly after the first test"
                self.complain(codes.misplaced_part, message, place, "write `with TEST then TEST`")
            elif called and closest(called, ["exploratory"]):  # which is then read as meant
                message = f"`{called}` is not a correction"
                self.complain(codes.misspelt_word, message, place)
        if self.diagnostics:
            given = tuple(part for part in given if part.word != "correction")
        parts = self._parts(given)
        pairs = [m for m in models if isinstance(m, n.PairNode)]
        for item in models:
            for name in (item.first, item.second) if isinstance(item, n.PairNode) else (item,):
                self._named(name, "choose another name; a column of this name is written in quotes")
        against = parts.get("against")
        if pairs and len(pairs) < len(models):
            single = next(m for m in models if not isinstance(m, n.PairNode))
            message = "single models and pairs on one line"
            help_ = "write pairs only (`a vs b, a vs c`) or models only (`a, b, c`)"
            self.complain(codes.pairs_mixed, message, single.span, help_)
        elif pairs and against is not None:
            place = next(part.span for part in given if part.word == "against")
            message = "pairs already say what is compared with what"
            help_ = "remove `against`, or write single models"
            self.complain(codes.pairs_mixed, message, place, help_)
        test, then = parts.get("with", (None, None))
        if "across" in parts and "averaged" in parts:
            place = next(part.span for part in given if part.word == "averaged")
            message = "data sets are a sample (`across data`) or fixed (`averaged over`), not both"
            self.complain(codes.misplaced_part, message, place, "write a line for each claim")
        return n.CompareNode(
            models,
            test,
            then,
            parts.get("correction"),
            against,
            "across" in parts,
            parts.get("averaged"),
            parts.get("by", ()),
            parts.get("on"),
            "exploratory" in parts,
            keyword=self._keyword,
            span=self._at(meta),
        )

    compare_averaged = compare

    def claim_level(
        self, meta: Meta, metric: Any, model: Any, operator: LarkToken, value: Any
    ) -> dict[str, Any]:
        sign = str(operator)
        if sign not in (">=", "<="):
            place = Span(self._path, operator.start_pos or 0, operator.end_pos or 0)
            right = {">": ">=", "<": "<="}.get(sign)
            message = f"a required level is a bound, `>=` or `<=`, not `{sign}`"
            fix = (f"write `{right}`", Edit(place, right)) if right else None
            self.complain(codes.wrong_bound, message, place, fix=fix)
            sign = right or ">="
        return {"kind": "level", "first": model, "metric": metric, "operator": sign, "value": value}

    def require(self, meta: Meta, claim: dict[str, Any], *given: Part) -> n.RequireNode:
        span, kind = self._at(meta), claim["kind"]
        parts = self._parts(given)
        what, taken = _CLAIMS[kind]
        margin = "within" if kind == "equivalent" else "by"
        for word, _, place in {part.word: part for part in reversed(given)}.values():
            shown = word.removesuffix(" margin")
            if word in taken:
                continue
            help_, fix = _WHERE_PARTS_GO.get(word), None
            if word in ("by", "within margin") and kind != "level":
                help_ = f"write `{margin} MARGIN`"
                edit = Edit(Span(self._path, place.start, place.start + len(shown)), margin)
                fix = f"write `{margin}`", edit
            message = f"`{shown}` does not belong to {what}"
            self.complain(codes.misplaced_part, message, place, help_, fix=fix)
        if kind == "superior" and {"by", "with"} <= parts.keys():
            place = next(part.span for part in given if part.word == "with")
            message = "a claim is decided by a margin or by a test, not by both"
            self.complain(codes.misplaced_part, message, place, "write two `require` lines")
        if kind in ("noninferior", "equivalent") and not parts.keys() & {"by", "within margin"}:
            end = Span(self._path, span.end, span.end)
            help_ = f"write `{margin} MARGIN`, as in `2%` for two points"
            self.complain(codes.missing_part, "this claim has no margin", end, help_)
        fields = {
            "value": parts.get("within margin" if kind == "equivalent" else "by"),
            "test": parts.get("with"),
            "metric": parts.get("in"),
            **{word: parts.get(word) for word in ("within", "averaged", "on", "at")},
        }
        return n.RequireNode(**{**fields, **claim}, keyword=self._keyword, span=span)

    def _parts(self, given: Sequence[Part]) -> dict[str, Any]:
        """Sort parts by their words; the first of a kind counts, the next is a mistake."""
        found: dict[str, Part] = {}
        twice = [part for part in given if found.setdefault(part.word, part) is not part]
        for word, _, place in twice[:1]:  # what follows is not news
            shown = f"`{word.removesuffix(' margin')}`"
            shown = f"a {word}" if word in ("strategy", "correction") else shown
            self.complain(
                codes.part_given_twice,
                f"{shown} is given twice",
                place,
                _SUGGESTIONS_FOR_TWO.get((self._first, word), "keep one of the two"),
                related=[Related(found[word].span, "first given here")],
                part=word,
            )
        return {word: part.value for word, part in found.items()}


_CLAIMS = {
    "level": ("a required level", {"within", "averaged", "on", "at"}),
    "superior": ("`better than`", {"by", "with", "averaged", "on", "at", "in"}),
    "noninferior": ("`not worse than`", {"by", "averaged", "on", "at", "in"}),
    "equivalent": ("`equivalent to`", {"within margin", "averaged", "on", "at", "in"}),
}
"""Each claim in words, and its parts."""

_WHERE_PARTS_GO = {
    "in": "the metric is named first: `require METRIC of MODEL >= NUMBER`",
    "with": "the interval decides it; a test goes with `better than`",
    "within": "`within COLUMN` goes with `require METRIC of MODEL >= NUMBER`",
}
"""What to write for a part that a claim does not take."""

_SUGGESTIONS_FOR_TWO = {
    ("compare", "by"): "one `by` takes several metrics, separated by commas",
    ("compare", "with"): "write a line for each test, or `then` between the two",
    ("analyze", "of"): "one `of` takes several models, separated by commas",
}
"""What to write for a part that is given twice, by statement and part."""


def _term(name: n.NameNode) -> n.NameNode:
    """Convert a word of a catalogue to its canonical spelling, with `_`."""
    if "-" not in name.name or "." in name.name.removeprefix("."):
        return name
    return replace(name, name=name.name.replace("-", "_"))


def _is_step(value: Any) -> bool:
    return isinstance(value, n.NameNode | n.CallNode | n.ColumnsNode)


@cache
def _stated(rule: str) -> tuple[type[n.Node], str, list[tuple[str, str | bool | None, bool]]]:
    """Return the node of a rule, its kind of keyword, and its fields with what they hold."""
    kind, text = rules()[rule]
    known = {item.name: item for item in fields(kind)}
    keyword = "" if "keyword" not in known else "node"
    if issubclass(kind, n.StatementNode):
        keyword = "span"
    stated = [
        (field.name, field.holds, known[field.name].required)
        for field in written_fields(text)
        if field.name in known and field.name != "keyword"
    ]
    return kind, keyword, stated
