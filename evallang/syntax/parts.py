"""Lines whose parts stand in any order: `compare`, `require`, `tune`, `analyze`.

What the grammar lets pass and the language does not (a part given twice, a claim without
its margin) is reported here.
"""

# ruff: noqa: D102 - what a method makes is said by the rule of its name in the grammar

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evallang.diagnostics import Edit, Fix, Related
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import codes, nodes as n
from evallang.syntax.language import RESERVED
from evallang.syntax.values import Kids, ValueBuilder

Part = tuple[str, Any, Span]
"""Its word, its value, its place."""


class PartBuilder(ValueBuilder):
    """Gathers the parts of a line and puts them in order."""

    def part_against(self, kids: Kids, span: Span) -> Part:
        return ("against", kids[0], span)

    def part_across(self, kids: Kids, span: Span) -> Part:
        return ("across", True, span)

    def part_with(self, kids: Kids, span: Span) -> Part:
        then = kids[1] and self._method(kids[1])
        return ("with", (self._method(kids[0]), then), span)

    def part_by(self, kids: Kids, span: Span) -> Part:
        return ("by", self._method(kids[0]), span)

    def part_by_all(self, kids: Kids, span: Span) -> Part:
        return ("by", tuple(self._method(m) for m in kids[0]), span)

    def part_on(self, kids: Kids, span: Span) -> Part:
        return ("on", kids[0], span)

    def part_exploratory(self, kids: Kids, span: Span) -> Part:
        return ("exploratory", True, span)

    def part_correction(self, kids: Kids, span: Span) -> Part:
        correction = self._method(kids[0])
        if isinstance(correction, n.NameNode) and correction.name == "then":
            message = "`then` stands right behind the first test"
            self._complain(codes.MISPLACED_PART, message, span, "write `with TEST then TEST`")
        return ("correction", correction, span)

    def part_margin(self, kids: Kids, span: Span) -> Part:
        return ("by", kids[0], span)

    def part_margin_within(self, kids: Kids, span: Span) -> Part:
        return ("within margin", kids[0], span)

    def part_within(self, kids: Kids, span: Span) -> Part:
        return ("within", kids[0], span)

    def part_test(self, kids: Kids, span: Span) -> Part:
        return ("with", self._method(kids[0]), span)

    def part_metric(self, kids: Kids, span: Span) -> Part:
        return ("in", self._method(kids[0]), span)

    def part_at(self, kids: Kids, span: Span) -> Part:
        return ("at", kids[0], span)

    def part_of(self, kids: Kids, span: Span) -> Part:
        return ("of", kids[0], span)

    def part_select(self, kids: Kids, span: Span) -> Part:
        return ("select", term(kids[0]), span)

    def tune_strategy(self, kids: Kids, span: Span) -> Part:
        return ("strategy", (term(kids[0]), kids[1]), span)

    def tune(self, kids: Kids, span: Span) -> n.TuneNode:
        options = [k for k in kids if isinstance(k, n.OptionNode)]
        given: list[Part] = [k for k in kids if not isinstance(k, n.OptionNode)]
        words = [value[0] for word, value, _ in given if word == "strategy"]
        for name in words if len(words) > 1 else []:
            meant = closest(name.name, ["select", "by"])
            if meant is not None:
                message = f"`{name.name}` is not known here, did you mean `{meant}`?"
                fix = Fix(f"write `{meant}`", (Edit(name.span, meant),))
                self._complain(codes.MISSPELT_WORD, message, name.span, fix=fix)
                given = []
        unsigned = [(value, place) for word, value, place in given if word == "strategy"]
        for (name, folds), _ in unsigned if len(unsigned) > 1 else []:
            if name.name == "cv" and folds is not None:
                message = f"`=` is missing between `cv` and `{folds.literal}`"
                gap = Span(span.path, name.span.end, folds.span.start)
                fix = Fix("write `=`", (Edit(gap, "="),))
                self._complain(codes.MISSING_WORD, message, folds.span, fix=fix)
                options.append(n.OptionNode(name, folds, span=name.span.to(folds.span)))
                given = [part for part in given if part[1] != (name, folds)]
        parts = self._parts(given)
        strategy, size = parts.get("strategy", (None, None))
        return n.TuneNode(
            strategy,
            size,
            parts.get("by"),
            tuple(options),
            parts.get("select"),
            keyword=self.keyword,
            span=span,
        )

    def analyze(self, kids: Kids, span: Span) -> n.AnalyzeNode:
        items, *rest = kids
        parts = self._parts(rest)
        return n.AnalyzeNode(
            tuple(self._method(m) for m in items),
            parts.get("of", ()),
            parts.get("by"),
            parts.get("on"),
            keyword=self.keyword,
            span=span,
        )

    def compare(self, kids: Kids, span: Span) -> n.CompareNode:
        models, *rest = kids
        models = models or ()
        rest = self._behind_the_test(self._respelt(rest), empty=not models)
        parts = self._parts(rest)
        for model in models:
            for name in (model.first, model.second) if isinstance(model, n.PairNode) else (model,):
                self._named(name, "choose another name; a column so called is put in quotes")
        pairs = [m for m in models if isinstance(m, n.PairNode)]
        if pairs and len(pairs) < len(models):
            single = next(m for m in models if not isinstance(m, n.PairNode))
            self._complain(
                codes.PAIRS_MIXED,
                "single models stand beside pairs",
                single.span,
                "write pairs only (`a vs b, a vs c`) or models only (`a, b, c`)",
            )
        elif pairs and "against" in parts:
            place = next(span for word, _, span in rest if word == "against")
            self._complain(
                codes.PAIRS_MIXED,
                "pairs already say what is compared with what",
                place,
                "leave out `against`, or write single models",
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
                codes.WRONG_BOUND,
                f"a required level is a bound, `>=` or `<=`, not `{sign}`",
                place,
                fix=Fix(f"write `{right}`", (Edit(place, right),)) if right else None,
            )
            sign = right or ">="
        return {
            "kind": "level",
            "first": model,
            "metric": self._method(metric),
            "operator": sign,
            "value": value,
        }

    def claim_superior(self, kids: Kids, span: Span) -> dict[str, Any]:
        return {"kind": "superior", "first": kids[0], "second": kids[1]}

    def claim_noninferior(self, kids: Kids, span: Span) -> dict[str, Any]:
        return {"kind": "noninferior", "first": kids[0], "second": kids[1]}

    def claim_equivalent(self, kids: Kids, span: Span) -> dict[str, Any]:
        return {"kind": "equivalent", "first": kids[0], "second": kids[1]}

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
                codes.MISPLACED_PART,
                "a claim is decided by a margin or by a test, not by both",
                places["with"],
                "write two `require` lines",
            )
        margin = "within margin" if kind == "equivalent" else "by"
        misplaced = "by" if kind == "equivalent" else "within margin"
        needed = kind in ("noninferior", "equivalent")
        if needed and margin not in parts and misplaced not in parts:
            self._complain(
                codes.MISSING_PART,
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

    def _behind_the_test(self, parts: list[Part], *, empty: bool) -> list[Part]:
        """Object to the models of `compare with mcnemar a vs b`, which read as corrections."""
        words = [part for part in parts if part[0] == "correction"]
        joined = [part for part in words if getattr(part[1], "name", None) == "vs"]
        if not (empty and joined):
            return parts
        place = Span(joined[0][2].path, words[0][2].start, words[-1][2].end)
        message = "the models stand in front, not behind the test"
        self._complain(codes.UNEXPECTED_TEXT, message, place, "write `compare a vs b with TEST`")
        return [part for part in parts if part not in words]

    def _respelt(self, parts: list[Part]) -> list[Part]:
        """Read `cochran thne mcnemar` and `expoloratory` as meant: no correction is so called."""
        made: list[Part] = []
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
                self._complain(codes.MISSPELT_WORD, message, place, fix=fix)
            if meant == "exploratory":
                made.append((meant, True, place))
                continue
            (_, post_hoc, where), _ = next(rest)
            made.append(("then", post_hoc, where))
        return made

    def _misplaced(self, kind: str, word: str, place: Span) -> None:
        helps = {
            ("level", "in"): "the measure stands before `of`",
            ("level", "by"): "the bound is the number after `>=`",
            ("level", "within margin"): "`within` is followed by a column here",
            ("noninferior", "within margin"): "write `by MARGIN`",
            ("equivalent", "by"): "write `within MARGIN`",
            ("superior", "within margin"): "write `by MARGIN`",
            ("noninferior", "with"): "the interval decides it; a test goes with `better than`",
            ("equivalent", "with"): "the interval decides it; a test goes with `better than`",
            ("level", "with"): "the interval decides it; a test goes with `better than`",
            **{(claim, "within"): _OF_LEVELS for claim in ("superior", "noninferior")},
            ("equivalent", "within"): f"write a number as margin; {_OF_LEVELS}",
        }
        names = {
            "level": "a required level",
            "superior": "`better than`",
            "noninferior": "`not worse than`",
            "equivalent": "`equivalent to`",
        }
        shown = word.removesuffix(" margin")
        way_out = helps.get((kind, word))
        message = f"`{shown}` does not belong to {names[kind]}"
        fix = None
        right = _RIGHT_MARGIN.get((kind, word))
        if right is not None:
            edit = Edit(Span(place.path, place.start, place.start + len(shown)), right)
            fix = Fix(f"write `{right}`", (edit,))
        self._complain(codes.MISPLACED_PART, message, place, way_out, fix=fix)

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
                twice = True  # what follows is no news
                shown = "a strategy" if word == "strategy" else f"`{word.removesuffix(' margin')}`"
                shown = "a correction" if word == "correction" else shown
                related = [Related(places[word], "first given here")]
                message = f"{shown} is given twice"
                way_out = _WAYS_OUT_OF_TWO.get((self.first.text, word), "keep one of the two")
                self._complain(codes.PART_GIVEN_TWICE, message, place, way_out, related=related)
        return found

    def _method(self, node: n.MethodNode | n.ColumnsNode) -> n.MethodNode:
        """Give a word of a catalogue, with or without options, its canonical spelling."""
        if isinstance(node, n.ColumnsNode):  # `columns(a: b)` reads as a call with branches
            message = "`columns(...)` is a step of a pipeline and stands nowhere else"
            self._complain(codes.UNEXPECTED_TEXT, message, node.span)
            return n.NameNode("columns", span=node.span)
        name = node.name if isinstance(node, n.CallNode) else node
        self._named(name, "write the word of the catalogue that is meant")
        if isinstance(node, n.CallNode):
            return replace(node, name=term(name))
        return term(name)

    def _named(self, node: n.NameNode | n.TextNode, way_out: str | None = None) -> None:
        """Object to a word of the language where a name is meant; brackets let one pass."""
        if isinstance(node, n.NameNode) and node.name in RESERVED:
            message = f"`{node.name}` is a word of the language and names nothing else"
            self._complain(codes.RESERVED_WORD, message, node.span, way_out)

    def _word(self) -> n.NameNode:
        return n.NameNode(self.first.text, span=self.keyword)


_PARTS_OF_CLAIMS = {
    "level": {"within", "on", "at"},
    "superior": {"by", "with", "on", "at", "in"},
    "noninferior": {"by", "on", "at", "in"},
    "equivalent": {"within margin", "on", "at", "in"},
}

_OF_LEVELS = "`within COLUMN` goes with a required level: `require METRIC of MODEL >= NUMBER`"

_WAYS_OUT_OF_TWO = {
    ("compare", "by"): "one `by` takes several metrics, parted by commas",
    ("compare", "with"): "write a line for each test, or `then` between the two",
    ("analyze", "of"): "one `of` takes several models, parted by commas",
}
"""What to write for a part that is given twice, by statement and part."""

_RIGHT_MARGIN = {
    ("noninferior", "within margin"): "by",
    ("superior", "within margin"): "by",
    ("equivalent", "by"): "within",
}


def term(name: n.NameNode) -> n.NameNode:
    """Give a word of a catalogue its canonical spelling, with `_`."""
    if "-" not in name.name or "." in name.name.removeprefix("."):
        return name
    return replace(name, name=name.name.replace("-", "_"))
