"""Values of the grammar in, value nodes out; `tree.py` tells how the builders work."""

# ruff: noqa: D102 - what a method makes is said by the rule of its name in the grammar

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, Related, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import codes, nodes as n
from evallang.syntax.language import declares as declares_a_name
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.scanner import Token

Kids = Sequence[Any]

_VERSION = re.compile(r"\w\.[0-9]")


_RANGES_ELSEWHERE = frozenset(
    {"arange", "geomspace", "linspace", "logspace", "range", "randint", "seq"}
)
"""Functions of other languages that make a row of numbers."""
_OF_SINGLE_VALUES = frozenset(
    {"analyze", "compare", "interval", "measure", "protocol", "stratify", "tune"}
)
"""Lines whose options take one value each, or a list where the option is one."""


class ValueBuilder:
    """Builds numbers, texts, lists, maps, domains, calls and pipelines."""

    def __init__(self, path: str, first: Token) -> None:
        self.first = first
        self.keyword = Span(path, first.start, first.end)
        self.diagnostics: list[Diagnostic] = []

    def _complain(
        self,
        code: Code,
        message: str,
        span: Span,
        way_out: str | None = None,
        *,
        fix: Fix | None = None,
        related: Sequence[Related] = (),
    ) -> None:
        """Add a finding; what follows from a misused word of the language is none."""
        if any(d.code == codes.RESERVED_WORD.code for d in self.diagnostics):
            return
        fixes = [fix] if fix else []
        self.diagnostics.append(
            diagnose(code, message, span, help=way_out, fixes=fixes, related=related)
        )

    # --- values ------------------------------------------------------------------------

    def name(self, kids: Kids, span: Span) -> n.NameNode:
        name = kids[0].text
        if _VERSION.search(name):
            right = quoted(name)
            declares = declares_a_name(self.first.text)
            self._complain(
                codes.NAME_WITH_VERSION,
                f"`{name}` is no name: a digit follows a point",
                span,
                "write `_` or `-` for the point" if declares else f"put it in quotes: `{right}`",
                fix=None if declares else Fix("add quotes", (Edit(span, right),)),
            )
        return n.NameNode(name, span=span)

    def number(self, kids: Kids, span: Span) -> n.NumberNode:
        return n.NumberNode(kids[0].text, span=span)

    def text(self, kids: Kids, span: Span) -> n.TextNode:
        literal = kids[0].text
        return n.TextNode(unescaped(literal), literal, span=span)

    def list(self, kids: Kids, span: Span) -> n.ListNode:
        for item in kids:
            alone = len(kids) == 1 and self.first.text == "model"
            self._no_range(item, "leave the brackets out" if alone else None)
        return n.ListNode(tuple(kids), span=span)

    def map(self, kids: Kids, span: Span) -> n.MapNode:
        return n.MapNode(tuple(kids), span=span)

    def entry(self, kids: Kids, span: Span) -> n.EntryNode:
        self._no_range(kids[1])
        return n.EntryNode(kids[0], kids[1], span=span)

    def range(self, kids: Kids, span: Span) -> n.RangeNode:
        return n.RangeNode(kids[0], kids[1], span=span)

    def range_step(self, kids: Kids, span: Span) -> n.RangeNode:
        return n.RangeNode(kids[0], kids[1], step=kids[2], span=span)

    def range_log(self, kids: Kids, span: Span) -> n.RangeNode:
        return n.RangeNode(kids[0], kids[1], log=kids[2], span=span)

    def range_distribution(self, kids: Kids, span: Span) -> n.RangeNode:
        return n.RangeNode(kids[0], kids[1], distribution=kids[2], span=span)

    def distribution(self, kids: Kids, span: Span) -> n.NameNode:
        return n.NameNode(kids[0].text, span=span)

    def steps(self, kids: Kids, span: Span) -> Any:
        return kids[0] if len(kids) == 1 else n.PipelineNode(tuple(kids), span=span)

    def pipeline(self, kids: Kids, span: Span) -> n.PipelineNode:
        return n.PipelineNode(tuple(kids), span=span)

    def call(self, kids: Kids, span: Span) -> n.NameNode | n.CallNode | n.ColumnsNode:
        name, *arguments = kids
        if name.name == "columns":
            return self._columns(arguments, span)
        if not arguments:
            return n.NameNode(name.name, span=span)
        branched = all(isinstance(item, n.BranchNode) for item in arguments)
        if branched and closest(name.name, ["columns"]):
            message = f"`{name.name}` is not known here, did you mean `columns`?"
            fix = Fix("write `columns`", (Edit(name.span, "columns"),))
            self._complain(codes.MISSPELT_WORD, message, name.span, fix=fix)
            return self._columns(arguments, span)
        given = self._rows([self._as_argument(item) for item in arguments])
        return n.CallNode(name, tuple(given), span=span)

    def _rows(self, given: Sequence[n.ArgumentNode]) -> Iterator[n.ArgumentNode]:
        """Read `C in 1, 10, 100` as the list it is meant to be."""
        rest = list(reversed(given))
        while rest:
            item = rest.pop()
            values = [item.value]
            single = item.tuned and isinstance(item.value, n.NumberNode | n.TextNode)
            while single and rest and rest[-1].key is None and not rest[-1].tuned:
                if not isinstance(rest[-1].value, n.NameNode | n.NumberNode | n.TextNode):
                    break
                values.append(rest.pop().value)
            if item.key is None or len(values) < 2:
                yield item
                continue
            row = values[0].span.to(values[-1].span)
            self.diagnostics = [d for d in self.diagnostics if d.span != values[0].span]
            ends = (Span(row.path, row.start, row.start), Span(row.path, row.end, row.end))
            self._complain(
                codes.DOMAIN_NEEDED,
                f"the values that `{item.key.name} in` searches stand in square brackets",
                row,
                f"write `{item.key.name} in [...]`",
                fix=Fix("write brackets", (Edit(ends[0], "["), Edit(ends[1], "]"))),
            )
            yield replace(item, value=n.ListNode(tuple(values), span=row))

    def argument(self, kids: Kids, span: Span) -> n.ArgumentNode:
        self._no_range(kids[0])
        return n.ArgumentNode(None, kids[0], span=span)

    def argument_fixed(self, kids: Kids, span: Span) -> n.ArgumentNode:
        key, value = kids
        if isinstance(value, n.RangeNode) and self.first.text not in ("let", "model"):
            self._no_range(value)
        elif isinstance(value, n.RangeNode):
            between = Span(span.path, key.span.end, value.span.start)
            self._complain(
                codes.RANGE_WITHOUT_IN,
                f"`{key.name}` is given a range, which tunes it",
                between,
                f"write `{key.name} in ...`",
                fix=Fix("write `in`", (Edit(between, " in "),)),
            )
            return n.ArgumentNode(key, value, tuned=True, span=span)
        return n.ArgumentNode(key, value, span=span)

    def argument_tuned(self, kids: Kids, span: Span) -> n.ArgumentNode:
        key, value = kids
        if isinstance(value, n.CallNode):
            self._distribution(key, value)
        elif isinstance(value, n.PipelineNode | n.MapNode | n.ColumnsNode):
            self._complain(
                codes.DOMAIN_NEEDED,
                f"`{key.name} in` is followed by what is no set of values",
                value.span,
                f"write the choices as a list: `{key.name} in [...]`",
            )
        elif isinstance(value, n.NumberNode | n.TextNode):
            written = value.literal
            wanted = "`[1, 10]`, `1..10` or `1e-3..1e3 log 7`"
            if isinstance(value, n.TextNode):
                wanted = f"a list, as in `[{written}, ...]`"
            between = Span(span.path, key.span.end, value.span.start)
            self._complain(
                codes.DOMAIN_NEEDED,
                f"`{key.name} in` is followed by a single value",
                value.span,
                f"`{key.name}={written}` fixes it; `in` wants {wanted}",
                fix=Fix(f"write `{key.name}={written}`", (Edit(between, "="),)),
            )
        return n.ArgumentNode(key, value, tuned=True, span=span)

    def branch(self, kids: Kids, span: Span) -> n.BranchNode:
        key, value = kids
        if isinstance(value, n.PipelineNode):
            return n.BranchNode(key, value, span=span)
        return n.BranchNode(key, n.PipelineNode((value,), span=value.span), span=span)

    def option(self, kids: Kids, span: Span) -> n.OptionNode:
        self._no_range(kids[1])
        return n.OptionNode(kids[0], kids[1], span=span)

    def _columns(
        self, arguments: Sequence[n.BranchNode | n.ArgumentNode], span: Span
    ) -> n.ColumnsNode:
        branches = [self._as_branch(item) for item in arguments]
        return n.ColumnsNode(tuple(b for b in branches if b is not None), span=span)

    def _as_branch(self, item: n.BranchNode | n.ArgumentNode) -> n.BranchNode | None:
        """Take an argument of `columns(...)`, and object where it is no branch."""
        if isinstance(item, n.ArgumentNode):
            key, value = item.key, item.value
            self._no_branch(item.span, (key.span.end, value.span.start) if key else None)
            estimators = n.PipelineNode | n.NameNode | n.CallNode | n.ColumnsNode
            if key is None or not isinstance(value, estimators):
                return None
            return self.branch((key, value), item.span)
        columns: Any = item.key  # the grammar lets any value pass here, and after the colon
        if not isinstance(columns, n.NameNode | n.TextNode | n.ListNode):
            self._complain(
                codes.BRANCH_OUTSIDE_COLUMNS,
                "before the colon stands `numeric`, `categorical`, `rest`, a column or a list",
                columns.span,
                "columns are named as in the data",
            )
            return None
        steps: tuple[Any, ...] = item.pipeline.steps
        for step in steps:
            if not isinstance(step, n.NameNode | n.CallNode | n.ColumnsNode):
                message = "after the colon stand estimators, joined by `|`"
                self._complain(codes.STEP_EXPECTED, message, step.span, _as_steps(step))
                return None
        return item

    def _no_branch(self, span: Span, between: tuple[int, int] | None) -> None:
        fix = None
        if between is not None:
            fix = Fix("write a colon", (Edit(Span(span.path, *between), ": "),))
        self._complain(
            codes.BRANCH_OUTSIDE_COLUMNS,
            "`columns(...)` takes branches: columns, a colon, the steps they go through",
            span,
            "write `numeric: STEPS`, `categorical: STEPS`, `rest: STEPS` or `[a, b]: STEPS`",
            fix=fix,
        )

    def _as_argument(self, item: n.ArgumentNode | n.BranchNode) -> n.ArgumentNode:
        """Take an argument of any other call, and object to a colon."""
        if isinstance(item, n.ArgumentNode):
            return item
        steps = item.pipeline.steps
        value: n.ValueNode = steps[0] if len(steps) == 1 else item.pipeline
        between = Span(item.span.path, item.key.span.end, value.span.start)
        key: n.NameNode | None = item.key if isinstance(item.key, n.NameNode) else None
        self._complain(
            codes.BRANCH_OUTSIDE_COLUMNS,
            "a colon stands in `columns(...)` and in maps; an argument has `=`",
            item.span,
            fix=Fix("write `=`", (Edit(between, "="),)) if key else None,
        )
        return n.ArgumentNode(key, value, span=item.span)

    def _distribution(self, key: n.NameNode, call: n.CallNode) -> None:
        ends = [a.value for a in call.arguments if isinstance(a.value, n.NumberNode)]
        name = call.name.name
        if name not in ("uniform", "loguniform") or len(ends) != 2:
            self._complain(
                codes.DOMAIN_NEEDED,
                f"`{key.name} in` is followed by a call, which is no set of values",
                call.span,
                "a range is written `1..10`, `1..10 step 2` or `1e-3..1e3 log 7`"
                if name in _RANGES_ELSEWHERE
                else f"write the choices as a list: `{key.name} in [...]`",
            )
            return
        right = f"{ends[0].literal}..{ends[1].literal} {name}"
        self._complain(
            codes.DISTRIBUTION_AS_CALL,
            f"a distribution stands after its range: `{right}`",
            call.span,
            fix=Fix(f"write `{right}`", (Edit(call.span, right),)),
        )

    def _no_range(self, value: Any, way_out: str | None = None) -> None:
        if isinstance(value, n.RangeNode):
            if self.first.text == "where":
                way_out = "write a line for each bound: `where age >= 18`, `where age <= 65`"
            elif self.first.text in _OF_SINGLE_VALUES:
                way_out = "write the one value that is meant"
            way_out = way_out or "write the values as a list: `[1, 2, 3]`"
            message = "a range stands only after `in`"
            self._complain(codes.RANGE_WITHOUT_IN, message, value.span, way_out)

    # --- lists of names ----------------------------------------------------------------

    def names(self, kids: Kids, span: Span) -> tuple[Any, ...]:
        return tuple(kids)

    columns = names
    methods = names
    model_columns = names

    def compared(self, kids: Kids, span: Span) -> tuple[Any, ...]:
        return tuple(kids)

    def compared_all(self, kids: Kids, span: Span) -> tuple[Any, ...]:
        return ()

    def pair(self, kids: Kids, span: Span) -> n.PairNode:
        return n.PairNode(kids[0], kids[1], span=span)


def _as_steps(value: Any) -> str | None:
    """Say how what stands in place of steps is written as such."""
    if isinstance(value, n.TextNode) and value.value.isidentifier():
        return f"write `{value.value}` without quotes"
    if isinstance(value, n.ListNode):
        names = [item.name for item in value.items if isinstance(item, n.NameNode)]
        return f"write `{' | '.join(names)}`" if names and len(names) == len(value.items) else None
    return None
