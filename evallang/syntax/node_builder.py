"""Reductions of the grammar in, nodes out.

A rule (or alias) of `grammar/evallang.lark` makes the node that the table of the language states
for it (`declared`), or has a method here; both get the children that count and the span they
cover. What the grammar lets pass and the language does not (a part given twice, a claim without
its margin) is reported here.
"""

import re

# ruff: noqa: D102 - a method makes what the grammar's rule of the same name describes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import fields, replace

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, Related, codes, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import nodes as n
from evallang.syntax.language import RESERVED, clause, declares, rules
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.patterns import fields as written_fields
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

Part = tuple[str, Any, Span]
"""Its word, its value, its place."""
Parts = list[Part]


class NodeBuilder:
    """Builds the nodes of one logical line."""

    def __init__(self, path: str, first: Token) -> None:
        self.first = first
        self.keyword = Span(path, first.start, first.end)
        self.diagnostics: list[Diagnostic] = []

    def _complain(
        self,
        code: Code,
        message: str,
        span: Span,
        suggestion: str | None = None,
        *,
        fix: Fix | None = None,
        related: Sequence[Related] = (),
        part: str | None = None,
    ) -> None:
        """Add a finding; what follows from a misused word of the language is not reported."""
        if any(d.code == codes.reserved_word.code for d in self.diagnostics):
            return
        fixes = [fix] if fix else []
        self.diagnostics.append(
            diagnose(code, message, span, help=suggestion, fixes=fixes, related=related, part=part)
        )

    # --- values ------------------------------------------------------------------------

    def name(self, kids: Kids, span: Span) -> n.NameNode:
        name = kids[0].text
        if _VERSION.search(name):
            right = quoted(name)
            own = declares(self.first.text)
            self._complain(
                codes.name_with_version,
                f"`{name}` is not a name: a digit follows a point",
                span,
                "write `_` or `-` for the point" if own else f"put it in quotes: `{right}`",
                fix=None if own else Fix("add quotes", (Edit(span, right),)),
            )
        return n.NameNode(name, span=span)

    def term(self, kids: Kids, span: Span) -> n.NameNode:
        return _term(self.name(kids, span))

    def number(self, kids: Kids, span: Span) -> n.NumberNode:
        return n.NumberNode(kids[0].text, span=span)

    def text(self, kids: Kids, span: Span) -> n.TextNode:
        literal = kids[0].text
        return n.TextNode(unescaped(literal), literal, span=span)

    def list(self, kids: Kids, span: Span) -> n.ListNode:
        for item in kids:
            alone = len(kids) == 1 and self.first.text == "model"
            self._no_range(item, "remove the brackets" if alone else None)
        return n.ListNode(tuple(kids), span=span)

    def entry(self, kids: Kids, span: Span) -> n.EntryNode:
        self._no_range(kids[1])
        return n.EntryNode(kids[0], kids[1], span=span)

    def distribution(self, kids: Kids, span: Span) -> n.NameNode:
        return n.NameNode(kids[0].text, span=span)

    def steps(self, kids: Kids, span: Span) -> Any:
        return kids[0] if len(kids) == 1 else n.PipelineNode(tuple(kids), span=span)

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
            self._complain(codes.misspelt_word, message, name.span, fix=fix)
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
                codes.domain_needed,
                f"the values that `{item.key.name} in` searches are written in square brackets",
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
                codes.range_without_in,
                f"`{key.name}` is fixed to a range",
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
                codes.domain_needed,
                f"`{key.name} in` is followed by what is not a set of values",
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
                codes.domain_needed,
                f"`{key.name} in` is followed by a single value",
                value.span,
                f"`{key.name}={written}` fixes it; `in` takes {wanted}",
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
        """Read an argument of `columns(...)`, and object where it is not a branch."""
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
                codes.branch_outside_columns,
                "before the colon, write `numeric`, `categorical`, `rest`, a column or a list",
                columns.span,
                "columns are named as in the data",
            )
            return None
        steps: tuple[Any, ...] = item.pipeline.steps
        for step in steps:
            if not isinstance(step, n.NameNode | n.CallNode | n.ColumnsNode):
                message = "after the colon, write estimators, joined by `|`"
                self._complain(codes.step_expected, message, step.span)
                return None
        return item

    def _no_branch(self, span: Span, between: tuple[int, int] | None) -> None:
        fix = None
        if between is not None:
            fix = Fix("write a colon", (Edit(Span(span.path, *between), ": "),))
        self._complain(
            codes.branch_outside_columns,
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
            codes.branch_outside_columns,
            "a colon belongs in `columns(...)` and maps; an argument takes `=`",
            item.span,
            fix=Fix("write `=`", (Edit(between, "="),)) if key else None,
        )
        return n.ArgumentNode(key, value, span=item.span)

    def _distribution(self, key: n.NameNode, call: n.CallNode) -> None:
        ends = [a.value for a in call.arguments if isinstance(a.value, n.NumberNode)]
        name = call.name.name
        if name not in ("uniform", "loguniform") or len(ends) != 2:
            self._complain(
                codes.domain_needed,
                f"`{key.name} in` is followed by a call, which is not a set of values",
                call.span,
                "a range is written `1..10`, `1..10 step 2` or `1e-3..1e3 log 7`"
                if name in _RANGES_ELSEWHERE
                else f"write the choices as a list: `{key.name} in [...]`",
            )
            return
        right = f"{ends[0].literal}..{ends[1].literal} {name}"
        self._complain(
            codes.distribution_as_call,
            f"a distribution comes after its range: `{right}`",
            call.span,
            fix=Fix(f"write `{right}`", (Edit(call.span, right),)),
        )

    def _no_range(self, value: Any, suggestion: str | None = None) -> None:
        if isinstance(value, n.RangeNode):
            if self.first.text == "where":
                suggestion = "write a line for each bound: `where age >= 18`, `where age <= 65`"
            elif self.first.text in _OF_SINGLE_VALUES:
                suggestion = "write the one value that is meant"
            suggestion = suggestion or "write the values as a list: `[1, 2, 3]`"
            message = "a range is only allowed after `in`"
            self._complain(codes.range_without_in, message, value.span, suggestion)

    # --- lists of names ----------------------------------------------------------------

    def names(self, kids: Kids, span: Span) -> tuple[Any, ...]:
        return tuple(kids)

    columns = methods = model_columns = options = paths = terms = names

    compared = names

    def compared_all(self, kids: Kids, span: Span) -> tuple[Any, ...]:
        return ()

    def method(self, kids: Kids, span: Span) -> n.MethodNode:
        """Convert a word of a catalogue, with or without options, to its canonical spelling."""
        (node,) = kids
        if isinstance(node, n.ColumnsNode):  # `columns(a: b)` reads as a call with branches
            message = "`columns(...)` can only be a step of a pipeline"
            self._complain(codes.unexpected_text, message, node.span)
            return n.NameNode("columns", span=node.span)
        name = node.name if isinstance(node, n.CallNode) else node
        self._named(name, "write the word of the catalogue that is meant")
        return replace(node, name=_term(name)) if isinstance(node, n.CallNode) else _term(name)

    # --- lines whose parts are in any order ------------------------------------------

    def part(self, word: str, kids: Kids, span: Span) -> Part:
        """Make a part of a line: its word, what comes after it, its place."""
        value = kids[0] if len(kids) == 1 else tuple(kids)
        return (word, value if kids else True, span)

    def part_correction(self, kids: Kids, span: Span) -> Part:
        correction = kids[0]
        if isinstance(correction, n.NameNode) and correction.name == "then":
            message = "`then` comes directly after the first test"
            self._complain(codes.misplaced_part, message, span, "write `with TEST then TEST`")
        return ("correction", correction, span)

    def tune(self, kids: Kids, span: Span) -> n.TuneNode:
        given: Parts = [k for k in kids if not isinstance(k, n.OptionNode)]
        words = [value[0] for word, value, _ in given if word == "strategy"]
        for name in words if len(words) > 1 else []:
            meant = closest(name.name, ["select", "by"])
            if meant is not None:
                message = f"`{name.name}` is not known here, did you mean `{meant}`?"
                fix = Fix(f"write `{meant}`", (Edit(name.span, meant),))
                self._complain(codes.misspelt_word, message, name.span, fix=fix)
                given = []
        parts = self._parts(given)
        strategy, size = parts.get("strategy", (None, None))
        return n.TuneNode(
            strategy,
            size,
            parts.get("by"),
            tuple(k for k in kids if isinstance(k, n.OptionNode)),
            parts.get("select"),
            keyword=self.keyword,
            span=span,
        )

    def analyze(self, kids: Kids, span: Span) -> n.AnalyzeNode:
        items, *rest = kids
        parts = self._parts(rest)
        return n.AnalyzeNode(
            tuple(items),
            parts.get("of", ()),
            parts.get("by"),
            parts.get("on"),
            keyword=self.keyword,
            span=span,
        )

    def compare(self, kids: Kids, span: Span) -> n.CompareNode:
        models, *rest = kids
        models = models or ()
        rest = self._respelt(rest)
        parts = self._parts(rest)
        for model in models:
            for name in (model.first, model.second) if isinstance(model, n.PairNode) else (model,):
                self._named(name, "choose another name; a column of this name is written in quotes")
        pairs = [m for m in models if isinstance(m, n.PairNode)]
        if pairs and len(pairs) < len(models):
            single = next(m for m in models if not isinstance(m, n.PairNode))
            self._complain(
                codes.pairs_mixed,
                "single models and pairs on one line",
                single.span,
                "write pairs only (`a vs b, a vs c`) or models only (`a, b, c`)",
            )
        elif pairs and "against" in parts:
            place = next(span for word, _, span in rest if word == "against")
            self._complain(
                codes.pairs_mixed,
                "pairs already say what is compared with what",
                place,
                "remove `against`, or write single models",
            )
        test, then = parts["with"]
        return n.CompareNode(
            models,
            test,
            parts.get("then", then),
            parts.get("correction"),
            parts.get("against"),
            "across" in parts,
            parts.get("by", ()),
            parts.get("on"),
            "exploratory" in parts,
            keyword=self.keyword,
            span=span,
        )

    def claim_level(self, kids: Kids, span: Span) -> dict[str, Any]:
        metric, model, operator, value = kids
        sign = operator.text
        if sign not in (">=", "<="):
            place = Span(span.path, operator.start, operator.end)
            right = {">": ">=", "<": "<="}.get(sign)
            self._complain(
                codes.wrong_bound,
                f"a required level is a bound, `>=` or `<=`, not `{sign}`",
                place,
                fix=Fix(f"write `{right}`", (Edit(place, right),)) if right else None,
            )
            sign = right or ">="
        return {
            "kind": "level",
            "first": model,
            "metric": metric,
            "operator": sign,
            "value": value,
        }

    def require(self, kids: Kids, span: Span) -> n.RequireNode:
        claim, *rest = kids
        parts = self._parts(rest)
        kind = claim["kind"]
        places = {word: place for word, _, place in reversed(rest)}
        for word in parts:
            if word not in _PARTS_OF_CLAIMS[kind]:
                self._misplaced(kind, word, places[word])
        if {"by", "with"} <= parts.keys() & _PARTS_OF_CLAIMS[kind]:
            self._complain(
                codes.misplaced_part,
                "a claim is decided by a margin or by a test, not by both",
                places["with"],
                "write two `require` lines",
            )
        margin = "within margin" if kind == "equivalent" else "by"
        misplaced = "by" if kind == "equivalent" else "within margin"
        needed = kind in ("noninferior", "equivalent")
        if needed and margin not in parts and misplaced not in parts:
            self._complain(
                codes.missing_part,
                "this claim has no margin",
                Span(span.path, span.end, span.end),
                f"write `{margin.removesuffix(' margin')} MARGIN`, as in `2%` for two points",
            )
        given = {
            "value": parts.get(margin),
            "test": parts.get("with"),
            "metric": parts.get("in"),
            "within": parts.get("within"),
            "on": parts.get("on"),
            "at": parts.get("at"),
        }
        fields = given | {name: value for name, value in claim.items() if value is not None}
        return n.RequireNode(**fields, keyword=self.keyword, span=span)

    def _respelt(self, parts: Parts) -> Parts:
        """Read `cochran thne mcnemar` and `expoloratory` as meant: no correction is so called."""
        made: Parts = []
        rest = iter(zip(parts, [*parts[1:], None], strict=True))
        for (word, value, place), after in rest:
            near = isinstance(value, n.NameNode) and word == "correction"
            meant = closest(value.name, ["then", "exploratory"]) if near else None
            followed = after is not None and after[0] == word
            if meant is None or (meant == "then") is not followed:
                made.append((word, value, place))
                continue
            if value.name != "then":  # that one is told to stand elsewhere
                message = f"`{value.name}` is not known here, did you mean `{meant}`?"
                fix = Fix(f"write `{meant}`", (Edit(place, meant),))
                self._complain(codes.misspelt_word, message, place, fix=fix)
            if meant == "exploratory":
                made.append((meant, True, place))
                continue
            (_, post_hoc, where), _ = next(rest)
            made.append(("then", post_hoc, where))
        return made

    def _misplaced(self, kind: str, word: str, place: Span) -> None:
        shown = word.removesuffix(" margin")
        message = f"`{shown}` does not belong to {_CLAIMS[kind]}"
        fix, right = None, _RIGHT_MARGIN.get((kind, word))
        help_ = None if right is None else f"write `{right} MARGIN`"
        if shown == "within" and right is None:
            help_ = "`within COLUMN` goes with `require METRIC of MODEL >= NUMBER`"
        elif word == "with":
            help_ = "the interval decides it; a test goes with `better than`"
        if right is not None:
            edit = Edit(Span(place.path, place.start, place.start + len(shown)), right)
            fix = Fix(f"write `{right}`", (edit,))
        self._complain(codes.misplaced_part, message, place, help_, fix=fix)

    def _parts(self, parts: Sequence[Part]) -> dict[str, Any]:
        """Sort parts by their words; the first of a kind counts, the next is a mistake."""
        found: dict[str, Any] = {}
        places: dict[str, Span] = {}
        twice = False
        for word, value, place in parts:
            if word not in found:
                found[word] = value
                places[word] = place
            elif not twice:
                twice = True  # what follows is not news
                shown = "a strategy" if word == "strategy" else f"`{word.removesuffix(' margin')}`"
                shown = "a correction" if word == "correction" else shown
                related = [Related(places[word], "first given here")]
                message = f"{shown} is given twice"
                suggestion = _SUGGESTIONS_FOR_TWO.get(
                    (self.first.text, word), "keep one of the two"
                )
                self._complain(
                    codes.part_given_twice, message, place, suggestion, related=related, part=word
                )
        return found

    def _named(self, node: n.NameNode | n.TextNode, suggestion: str | None = None) -> None:
        """Report a word of the language where a name is meant; brackets let one pass."""
        if isinstance(node, n.NameNode) and node.name in RESERVED:
            message = f"`{node.name}` is a word of the language and cannot be a name"
            self._complain(codes.reserved_word, message, node.span, suggestion)

    def _word(self) -> n.NameNode:
        return n.NameNode(self.first.text, span=self.keyword)

    # --- clauses -----------------------------------------------------------------------

    def declared(self, rule: str, kids: Kids, span: Span) -> n.Node:
        """Make the node that the table of the language states for a rule."""
        node, text = rules()[rule]
        for kid in kids:
            self._no_range(kid)
        if node is n.ClauseNode:
            return n.ClauseNode(self._word(), tuple(kids), span=span)
        made: dict[str, Any] = {"span": span}
        known = {item.name: item for item in fields(node)}
        if "keyword" in known:
            statement = issubclass(node, n.StatementNode)
            made["keyword"] = self.keyword if statement else self._word()
        given = iter(kids)
        for field in written_fields(text):
            if field.holds is not None:
                made[field.name] = field.holds
            elif field.name != "keyword":
                kid = next(given, None)
                if kid is not None or known[field.name].required:
                    made[field.name] = kid.text if isinstance(kid, Token) else kid
        whole: n.Node = node(**made)
        return whole

    def membership(self, kids: Kids, span: Span) -> str:
        return " ".join(kid.text for kid in kids)

    presence = membership

    def words(self, kids: Kids, span: Span) -> n.ClauseNode:
        keyword, *values = kids
        for value in values:
            self._no_range(value)
        if len(values) == 1 and isinstance(values[0], n.ListNode) and _plain(values[0]):
            values = [*values[0].items]
        known = clause(keyword.name)
        if known is not None and known.takes in ("word", "terms"):
            values = [_term(v) if isinstance(v, n.NameNode) else v for v in values]
        return n.ClauseNode(keyword, tuple(values), span=span)

    setting_word = name
    target_word = name
    scale = name
    reader_word = name
    drawn = name
    split = name

    def setting(self, kids: Kids, span: Span) -> n.ModelSettingNode:
        self._no_range(kids[2])
        return n.ModelSettingNode(kids[0], kids[1], kids[2], span=span)

    def quoted_model_column(self, kids: Kids, span: Span) -> n.ModelColumnNode:
        return n.ModelColumnNode(kids[0], None, kids[1], kids[2], span=span)

    # --- statements --------------------------------------------------------------------

    def let(self, kids: Kids, span: Span) -> n.LetNode:
        self._no_range(kids[1], "write a list, or the range itself after `in`")
        return n.LetNode(kids[0], kids[1], keyword=self.keyword, span=span)

    def form(self, kids: Kids, span: Span) -> dict[str, Any]:
        words = tuple(k for k in kids if isinstance(k, n.NameNode))
        return {"words": words, "options": tuple(kids[len(words) :])}

    def form_by(self, kids: Kids, span: Span) -> dict[str, Any]:
        options = tuple(k for k in kids if isinstance(k, n.OptionNode))
        *words, column = (k for k in kids if not isinstance(k, n.OptionNode))
        return {"words": tuple(words), "options": options, "by": column}

    def form_from(self, kids: Kids, span: Span) -> dict[str, Any]:
        split, path, *options = kids
        return {"words": (split,), "options": tuple(options), "path": path}

    def protocol(self, kids: Kids, span: Span) -> n.ProtocolNode:
        name, form = kids
        return n.ProtocolNode(name, **form, keyword=self.keyword, span=span)

    def export(self, kids: Kids, span: Span) -> n.ExportNode:
        model, path = kids
        best = isinstance(model, n.NameNode) and model.name == "best"
        return n.ExportNode(None if best else model, path, keyword=self.keyword, span=span)


_PARTS_OF_CLAIMS = {
    "level": {"within", "on", "at"},
    "superior": {"by", "with", "on", "at", "in"},
    "noninferior": {"by", "on", "at", "in"},
    "equivalent": {"within margin", "on", "at", "in"},
}

_CLAIMS = {
    "level": "a required level",
    "superior": "`better than`",
    "noninferior": "`not worse than`",
    "equivalent": "`equivalent to`",
}

_SUGGESTIONS_FOR_TWO = {
    ("compare", "by"): "one `by` takes several metrics, separated by commas",
    ("compare", "with"): "write a line for each test, or `then` between the two",
    ("analyze", "of"): "one `of` takes several models, separated by commas",
}
"""What to write for a part that is given twice, by statement and part."""

_RIGHT_MARGIN = {
    ("noninferior", "within margin"): "by",
    ("superior", "within margin"): "by",
    ("equivalent", "by"): "within",
}


def _term(name: n.NameNode) -> n.NameNode:
    """Convert a word of a catalogue to its canonical spelling, with `_`."""
    if "-" not in name.name or "." in name.name.removeprefix("."):
        return name
    return replace(name, name=name.name.replace("-", "_"))


def _plain(values: n.ListNode) -> bool:
    """Return whether a list in brackets stands for the words of a clause side by side."""
    kinds = n.NameNode | n.TextNode | n.NumberNode
    return bool(values.items) and all(isinstance(item, kinds) for item in values.items)


_PLAIN: dict[str, type[n.Node]] = {
    "column_pair": n.ColumnPairNode,
    "model_column": n.ModelColumnNode,
    "pair": n.PairNode,
    "range": n.RangeNode,
    "ratio": n.RatioNode,
}
"""The nodes whose fields are the children of their rule."""


def action(rule: str) -> Callable[[NodeBuilder, Kids, Span], Any] | None:
    """Return what makes the node of a rule: a method, a part of a line, or the table."""
    method: Callable[[NodeBuilder, Kids, Span], Any] | None = getattr(NodeBuilder, rule, None)
    if method is not None:
        return method
    kind, _, word = rule.partition("_")
    made: dict[str, Callable[[NodeBuilder, Kids, Span], Any]] = {
        "part": lambda builder, kids, span: builder.part(word.replace("_", " "), kids, span),
        "claim": lambda builder, kids, span: {
            "kind": word,
            "first": kids[0],
            "second": kids[1],
        },
        "range": lambda builder, kids, span: n.RangeNode(*kids[:2], **{word: kids[2]}, span=span),
        "source": lambda builder, kids, span: n.SourceNode(word, tuple(kids), span=span),
        "map": lambda builder, kids, span: n.MapNode(tuple(kids), span=span),
        "pipeline": lambda builder, kids, span: n.PipelineNode(tuple(kids), span=span),
    }
    if rule in _PLAIN:
        return lambda builder, kids, span: _PLAIN[rule](*kids, span=span)
    if word or rule in made:
        made_so = made.get(kind)
        if made_so is not None:
            return made_so
    if rule in rules():
        return lambda builder, kids, span: builder.declared(rule, kids, span)
    return None
