"""Classes and their parameters: words, values and candidates against the catalogue."""

from fractions import Fraction
from typing import Protocol

from evallang.checking import bounds, clause_values, own_code, resampler_steps, values
from evallang.checking.class_names import Broken, known_class
from evallang.checking.scope import Scope, suggestion
from evallang.checking.synonyms import CONSTANTS
from evallang.diagnostics import Edit, Fix, Related, codes
from evallang.limits import POINTS, OverLimit
from evallang.models import domains
from evallang.models.catalogue import (
    CATALOGUE,
    PLAIN_MODELS,
    ClassEntry,
    ParameterEntry,
    accepts,
    estimators,
    takes_model,
    unavailable,
)
from evallang.models.domains import as_written
from evallang.models.model import (
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
)
from evallang.source import Span
from evallang.spelling import listed
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import RESERVED

DOMAIN_FORMS = "write for example `in [1, 10, 100]`, `in 1..15 step 2` or `in 1e-3..1e3 log 7`"


class Models(Protocol):
    """What a value may ask of the models around it."""

    way: list[str]

    def part(self, node: n.NameNode) -> PipelineSpec:
        """Resolve a model that is a part of another."""

    def pipeline(self, node: n.PipelineNode, *, is_model: bool) -> PipelineSpec:
        """Resolve the steps of a pipeline."""

    def columns(self, node: n.ColumnsNode) -> ColumnsSpec:
        """Resolve `columns(...)`."""

    def spend(self, parts: int, place: n.NameNode) -> None:
        """Count what a name stands for, and stop at too much."""

    def guard(self, name: str, place: n.NameNode) -> None:
        """Report a name that is defined by itself."""


def _writable(entry: ClassEntry) -> list[str]:
    return [name for name, parameter in entry.parameters.items() if parameter.refused is None]


def _filled(entry: ClassEntry, name: str) -> str:
    """Return a parameter with a value, with dots unless it is a model."""
    known = entry.parameter(name)
    plain = next((PLAIN_MODELS[kind] for kind in PLAIN_MODELS if kind in entry.kinds), None)
    return f"{name}={plain if plain and known and takes_model(known) else '...'}"


class ParameterResolver:
    """Resolves classes, their parameters, values and domains."""

    def __init__(self, scope: Scope, models: Models) -> None:
        self.scope = scope
        self.models = models
        self.samples = any(
            node.strategy is not None and node.strategy.name in ("random", "bayes")
            for node in scope.of(n.TuneNode)
        )

    def estimator(self, node: n.NameNode | n.CallNode) -> EstimatorSpec:
        """Resolve one class with its parameters."""
        name = node.name if isinstance(node, n.CallNode) else node
        own = own_code.is_own(self.scope, name)
        if own is None:
            raise Broken
        entry = own_code.entry(name.name) if own else known_class(self.scope, name, self.models.way)
        self.models.spend(1, name)
        if not isinstance(node, n.CallNode):
            return self._add_needed(entry, EstimatorSpec(entry.name, code=own), name)
        given: list[tuple[str, ParameterValue]] = []
        first: dict[str, Span] = {}
        broken = False
        for argument in node.arguments:
            try:
                found = self.parameter(entry, argument, own=own)
            except Broken:
                broken = True
                continue
            place = first.setdefault(found[0], argument.span)
            if place is not argument.span:
                self.scope.report_twice(
                    codes.parameter_twice,
                    f"`{found[0]}` is given twice to `{entry.name}`",
                    argument.span,
                    place,
                )
                broken = True
            given.append(found)
        if broken:
            raise Broken
        return self._add_needed(entry, EstimatorSpec(entry.name, tuple(given), own), name)

    def _add_needed(
        self, entry: ClassEntry, spec: EstimatorSpec, place: n.NameNode
    ) -> EstimatorSpec:
        written = {name for name, _ in spec.parameters}
        missing = [p for p, e in entry.parameters.items() if e.required and p not in written]
        if missing:
            self.scope.report(
                codes.missing_option,
                f"`{entry.name}` needs {listed(missing, 'and')}",
                place.span,
                help=f"write `{entry.name}({', '.join(_filled(entry, m) for m in missing)})`",
            )
            raise Broken
        return spec

    def parameter(
        self, entry: ClassEntry, argument: n.ArgumentNode, *, own: bool = False
    ) -> tuple[str, ParameterValue]:
        """Resolve one `key=value` or `key in DOMAIN` of a class; of its own, any key."""
        if argument.key is None:
            self.scope.report(
                codes.unknown_parameter,
                f"a value of `{entry.name}` needs its parameter's name",
                argument.span,
                help=f"write `NAME={self.scope.written(argument.value.span)}`"
                if own or entry.parameters
                else f"`{entry.name}` takes no parameters",
            )
            raise Broken
        key = argument.key.name
        known = own_code.parameter(key) if own else entry.parameter(key)
        if known is None:
            text, fixes = suggestion(key, argument.key.span, entry.parameters, "parameter")
            bare = key.rpartition("__")[2]
            if bare != key and entry.parameter(bare) is not None:
                text = f"write `{bare}`: a step of a pipeline has no name here"
                fixes = [Fix(f"write `{bare}`", (Edit(argument.key.span, bare),))]
            self.scope.report(
                codes.unknown_parameter,
                f"`{entry.name}` has no parameter `{key}`",
                argument.key.span,
                help=text or f"its parameters are {listed(_writable(entry), 'and')}",
                fixes=fixes,
            )
            raise Broken
        refused = known.refused or unavailable(known)
        if refused:
            self.scope.report(
                codes.refused_parameter if known.refused else codes.unknown_parameter,
                f"`{key}` of `{entry.name}` {refused}",
                argument.key.span,
            )
            raise Broken
        if argument.tuned:
            candidates = self.domain(entry, known, argument)
            resampler_steps.judge_value(self.scope, candidates, argument.value)
            return key, candidates
        value = self.value(known, argument.value)
        resampler_steps.judge_value(self.scope, value, argument.value)
        self._accepted(entry, known, value, argument.value)
        return key, value

    def _accepted(
        self, entry: ClassEntry, known: ParameterEntry, value: ParameterValue, place: n.Node
    ) -> None:
        reason = accepts(known, value)
        if reason is None:
            return
        declared = {*self.scope.models, *self.scope.lets} & set(RESERVED)
        if isinstance(place, n.NameNode) and place.name in declared:
            raise Broken  # the declaration is reported, and what is meant here is open
        fixes: list[Fix] = []
        help_text = None
        if isinstance(place, n.NameNode):
            if place.name in self.models.way:  # it was read as text, which does not fit
                self.models.guard(place.name, place)
            words = [*map(as_written, known.words)]
            words += (*self.scope.models, *estimators()) if takes_model(known) else ()
            help_text, fixes = suggestion(place.name, place.span, words)
            if help_text is None and known.default in known.words:
                help_text = f"write `{known.name}={as_written(known.default)}`, the default"
            word = place.name.casefold()
            if word in CONSTANTS and accepts(known, CONSTANTS[word]) is None:
                right = str(CONSTANTS[word]).lower()
                help_text = f"did you mean `{right}`?"
                fixes = [Fix(f"write `{right}`", (Edit(place.span, right),))]
        elif isinstance(place, n.TextNode) and known.words:
            help_text, _ = suggestion(place.value, place.span, known.words)
        elif isinstance(place, n.TextNode | n.NumberNode):
            help_text, fixes = values.plainly(place, whole=accepts(known, 1.5) is not None)
        elif isinstance(place, n.RangeNode):
            help_text = f"the range holds `{value}`"
        elif "models" in known.constraint.kinds:
            help_text = "list models of the study or classes, as in `[GaussianNB, SVC]`"
        elif isinstance(place, n.ListNode) and place.items:
            help_text = f"to search them, write `{known.name} in {format_node(place)}`"
        self.scope.report(
            codes.parameter_value,
            f"`{known.name}` of `{entry.name}` {reason}",
            place.span,
            help=help_text,
            fixes=fixes,
            related=self._origin(place),
        )
        raise Broken

    def _origin(self, place: n.Node) -> list[Related]:
        """Show where the value of a `let` comes from: the file, or `--set`."""
        if not isinstance(place, n.NameNode) or place.name not in self.scope.lets:
            return []
        given = self.scope.overrides.get(place.name, self.scope.lets[place.name].value)
        return [Related(given.span, "this is its value")]

    def value(self, known: ParameterEntry | None, node: n.ValueNode) -> ParameterValue:
        """Resolve the value of a parameter; the parameter's own words come first."""
        if isinstance(node, n.NameNode):
            return self._word(known, node)
        if isinstance(node, n.TextNode):
            return node.value
        if isinstance(node, n.NumberNode):
            plain = domains.number(node.literal)
            return float(plain) if isinstance(plain, Fraction) else plain
        if isinstance(node, n.ListNode):
            return ListSpec(tuple(self._item(known, item) for item in node.items))
        if isinstance(node, n.MapNode):
            return MapSpec(
                tuple(
                    (clause_values.label(self.scope, e.key, "a map"), self.value(None, e.value))
                    for e in node.entries
                )
            )
        if isinstance(node, n.CallNode):
            return self.estimator(node)
        if isinstance(node, n.PipelineNode):
            return self.models.pipeline(node, is_model=False)
        if isinstance(node, n.ColumnsNode):
            return PipelineSpec((self.models.columns(node),))
        self.scope.report(
            codes.parameter_value,
            "a range is searched, so it comes after `in`",
            node.span,
            help=f"write `{known.name if known else 'parameter'} in {format_node(node)}`",
        )
        raise Broken

    def _item(self, known: ParameterEntry | None, node: n.ValueNode) -> ParameterValue:
        """Resolve an item of a list; models keep their names (`estimators=[a, b]`)."""
        if (
            isinstance(node, n.NameNode)
            and node.name in self.scope.models
            and node.name not in (known.words if known else ())
        ):
            return self._named(node)
        return self.value(known, node)

    def _named(self, node: n.NameNode) -> NamedSpec:
        if node.name in self.models.way:
            self.models.guard(node.name, node)
        return NamedSpec(node.name, self.models.part(node))

    def _word(self, known: ParameterEntry | None, node: n.NameNode) -> ParameterValue:
        name = node.name
        if known is not None and name in known.words:
            return name
        if name in values.WORDS:
            return values.WORDS[name]
        if name in self.scope.lets and name not in self.models.way:
            self.scope.used_lets.add(name)
            if name in self.scope.broken:
                raise Broken
            self.models.guard(name, node)
            try:
                return self.value(
                    known, self.scope.overrides.get(name, self.scope.lets[name].value)
                )
            finally:
                self.models.way.remove(name)
        if name in self.scope.models and name not in self.models.way:
            return self._named(node).pipeline
        if name in CATALOGUE or "." in name:
            return self.estimator(node)
        return name

    # --- domains ---

    def domain(
        self, entry: ClassEntry, known: ParameterEntry, argument: n.ArgumentNode
    ) -> Candidates:
        """Resolve what comes after `in`."""
        node = argument.value
        if not isinstance(node, n.NameNode | n.ListNode | n.RangeNode):
            raise Broken  # the parser has reported it
        if isinstance(node, n.NameNode) and node.name in self.scope.lets:
            self.scope.used_lets.add(node.name)
            if node.name in self.scope.broken:
                raise Broken
            node = self.scope.overrides.get(node.name, self.scope.lets[node.name].value)
        if isinstance(node, n.ListNode):
            if not node.items:
                self._bad(argument, "an empty list holds no candidates")
            try:
                POINTS.check(f"the list of `{known.name}`", len(node.items))
            except OverLimit as error:
                bounds.report_limit(self.scope, error, node.span)
                raise Broken from None
            found = tuple(self._item(known, item) for item in node.items)
            for value, item in zip(found, node.items, strict=True):
                self._accepted(entry, known, value, item)
            self._refuse_repeats(node.items, found)
            return Candidates(found, format_node(node).strip())
        if isinstance(node, n.RangeNode):
            return self._range(entry, known, argument, node)
        if isinstance(node, n.NameNode):
            self._bad(argument, f"`{node.name}` is not a `let` that holds a list")
        written = argument.value
        if isinstance(written, n.NameNode):
            self._bad(argument, f"`{written.name}` is one value, and candidates are several")
        return self._bad(argument, "candidates are a list or a range")

    def _bad(
        self, argument: n.ArgumentNode, message: str, *, help_text: str = DOMAIN_FORMS
    ) -> Candidates:
        self.scope.report(
            codes.bad_domain,
            message,
            argument.value.span,
            help=help_text,
            related=self._origin(argument.value),
        )
        raise Broken

    def _refuse_repeats(
        self, items: tuple[n.ValueNode, ...], found: tuple[ParameterValue, ...]
    ) -> None:
        """Report the first candidate that stands twice; `1` and `true` are two candidates."""
        seen: dict[tuple[type, ParameterValue], n.ValueNode] = {}
        for value, item in zip(found, items, strict=True):
            first = seen.setdefault((type(value), value), item)
            if first is not item:
                message = (
                    f"the candidate `{format_node(item).strip()}` is written twice in the list"
                )
                self.scope.report_twice(codes.bad_domain, message, item.span, first.span)
                raise Broken

    def _range(
        self,
        entry: ClassEntry,
        known: ParameterEntry,
        argument: n.ArgumentNode,
        node: n.RangeNode,
    ) -> Candidates:
        start, stop = node.start.literal, node.stop.literal
        written = format_node(node).strip()
        try:
            if node.distribution is not None and not self.samples:
                word = node.distribution.name
                message = f"`{word}` has no grid: it is sampled, by `tune random N`"
                grid = "log 7" if word == "loguniform" else "step STEP"
                self._bad(argument, message, help_text=f"write `{start}..{stop} {grid}` for a grid")
            if node.distribution is not None:
                return domains.distribution(start, stop, node.distribution.name)
            if node.log is not None:
                found: tuple[ParameterValue, ...] = domains.geometric(start, stop, node.log.literal)
            else:
                found = domains.linear(start, stop, node.step.literal if node.step else None)
        except OverLimit as error:
            bounds.report_limit(self.scope, error, argument.value.span)
            raise Broken from None
        except ValueError as error:
            return self._bad(argument, str(error))
        for value in found:
            self._accepted(entry, known, value, node)
        return Candidates(found, written)
