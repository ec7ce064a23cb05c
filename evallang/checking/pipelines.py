"""`model` statements to pipelines: classes, parameters and candidates against the catalogue."""

from collections.abc import Callable
from fractions import Fraction

from evallang.checking import codes, values
from evallang.checking.scope import Scope, listed, suggestion
from evallang.diagnostics import Fix, Related
from evallang.models import domains
from evallang.models.abilities import abilities, misplaced_columns
from evallang.models.catalogue import (
    CATALOGUE,
    ClassEntry,
    ParameterEntry,
    accepts,
    unavailable,
)
from evallang.models.model import (
    BranchSpec,
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    ModelSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    search_space,
)
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node

GRID_LIMIT = 100_000  # candidates; more is a slip in a domain, and would never end
COLUMN_WORDS = frozenset({"numeric", "categorical", "rest"})


class Broken(Exception):
    """A value that was reported; nothing that depends on it is reported again."""


def resolve_models(scope: Scope) -> tuple[ModelSpec, ...]:
    """Resolve every model, in order; a faulty one is left out after its reports."""
    resolver = _Resolver(scope)
    for name in scope.lets:
        resolver.let(name)
    found = []
    for name, node in scope.models.items():
        pipeline = resolver.model(name)
        if pipeline is not None:
            label = node.label.value if node.label else name
            found.append(ModelSpec(name, label, pipeline))
    return tuple(found)


def is_tuned(model: ModelSpec) -> bool:
    """Tell whether any parameter of a model is searched."""
    return bool(search_space(model.pipeline))


def kind_of(model: ModelSpec) -> str | None:
    """Give `classifier` or `regressor`; None where the catalogue cannot tell."""
    return abilities(model.pipeline).kind


def counterpart(model: ModelSpec) -> str | None:
    """Name the class for the other task: `SVR` for `SVC`."""
    last = model.pipeline.steps[-1]
    if not isinstance(last, EstimatorSpec):
        return None
    pairs = (("Classifier", "Regressor"), ("SVC", "SVR"), ("NB", ""))
    for one, other in pairs:
        for old, new in ((one, other), (other, one)):
            if old and old in last.name and last.name.replace(old, new) in CATALOGUE:
                return last.name.replace(old, new)
    return None


def lacks(model: ModelSpec, needs: str) -> str | None:
    """Tell what to write where a model does not give scores or probabilities, else None."""
    able = abilities(model.pipeline)
    last = model.pipeline.steps[-1]
    name = last.name if isinstance(last, EstimatorSpec) else "the model"
    if needs == "probabilities" and not able.probabilities:
        entry = CATALOGUE.get(name)
        if entry is not None and "classifier" in entry.kinds:
            return f"write `CalibratedClassifierCV(estimator={name})`, or measure another metric"
        return "measure another metric, or one that needs labels only"
    if needs == "scores" and not (able.scores or able.probabilities):
        return "choose a model that gives scores, or measure another metric"
    return None


class _Resolver:
    """Resolves names into specs, each once, with a guard against circles."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.done: dict[str, PipelineSpec | None] = {}
        self.values: dict[str, ParameterValue] = {}
        self.way: list[str] = []
        self.samples = any(
            node.strategy is not None and node.strategy.name in ("random", "bayes")
            for node in scope.of(n.TuneNode)
        )

    def model(self, name: str) -> PipelineSpec | None:
        """Resolve a model by its name; None where it is broken."""
        if name in self.done:
            return self.done[name]
        node = self.scope.models[name]
        self._guard(name, node.name)
        try:
            spec = self.pipeline(node.pipeline, is_model=True)
            self._limit(spec, node)
        except Broken:
            spec = None
            self.scope.broken.add(name)
        finally:
            self.way.remove(name)
        self.done[name] = spec
        return spec

    def let(self, name: str) -> None:
        """Resolve a `let` for its errors' sake; its value is resolved again where used."""
        node = self.scope.lets[name]
        value = self.scope.overrides.get(name, node.value)
        try:
            self._guard(name, node.name)
            try:
                if isinstance(value, n.PipelineNode | n.ColumnsNode):
                    self.pipeline(_as_pipeline(value), is_model=False)
                elif isinstance(value, n.CallNode):
                    self.estimator(value)
                elif isinstance(value, n.NameNode) and value.name in self.scope.lets:
                    self._follow(value)
            finally:
                self.way.remove(name)
        except Broken:
            self.scope.broken.add(name)

    def _follow(self, node: n.NameNode) -> None:
        """Follow a `let` of a `let`, for the circle that it may be."""
        self._guard(node.name, node)
        try:
            self.scope.used_lets.add(node.name)
            value = self.scope.lets[node.name].value
            if isinstance(value, n.NameNode) and value.name in self.scope.lets:
                self._follow(value)
        finally:
            self.way.remove(node.name)

    def _guard(self, name: str, place: n.NameNode) -> None:
        if name in self.way:
            circle = " uses ".join(
                f"`{step}`" for step in (*self.way[self.way.index(name) :], name)
            )
            self.scope.report(
                codes.CIRCULAR_NAME, f"`{name}` is defined by itself: {circle}", place.span
            )
            raise Broken
        self.way.append(name)

    def _limit(self, spec: PipelineSpec, node: n.ModelNode) -> None:
        size = 1
        for parameter in search_space(spec):
            size *= max(1, len(parameter.candidates.values))
        if size > GRID_LIMIT:
            self.scope.report(
                codes.BAD_DOMAIN,
                f"`{node.name.name}` has {size:,} candidates, more than {GRID_LIMIT:,}",
                node.pipeline.span,
                help="search fewer parameters or coarser domains",
            )
            raise Broken

    # --- pipelines ---

    def pipeline(self, node: n.PipelineNode, *, is_model: bool) -> PipelineSpec:
        """Resolve the steps of a pipeline; names of pipelines are written out."""
        steps: list[StepSpec] = []
        places: list[n.Node] = []
        broken = False
        for step in node.steps:
            try:
                resolved = self.step(step)
            except Broken:
                broken = True
                continue
            steps += resolved
            places += [step] * len(resolved)
        if broken:
            raise Broken
        self._order(steps, places, is_model)
        spec = PipelineSpec(tuple(steps))
        if is_model and misplaced_columns(spec):
            self.scope.report(
                codes.PIPELINE_ORDER,
                "`columns` stands where columns have lost their names",
                node.span,
                help="put `columns(...)` first",
            )
            raise Broken
        return spec

    def step(self, node: n.NameNode | n.CallNode | n.ColumnsNode) -> list[StepSpec]:
        """Resolve one step; a name may stand for several."""
        if isinstance(node, n.ColumnsNode):
            return [self.columns(node)]
        if isinstance(node, n.CallNode):
            return [self.estimator(node)]
        if node.name in self.scope.lets and node.name not in self.way:
            return self._let_step(node)
        if node.name in self.scope.models and node.name not in self.way:
            found = self.model(node.name)
            if found is None:
                raise Broken
            return list(found.steps)
        if node.name in self.way and node.name not in CATALOGUE:
            self._guard(node.name, node)
        return [self.estimator(node)]

    def _let_step(self, node: n.NameNode) -> list[StepSpec]:
        name = node.name
        self.scope.used_lets.add(name)
        if name in self.scope.broken:
            raise Broken
        value = self.scope.overrides.get(name, self.scope.lets[name].value)
        self._guard(name, node)
        try:
            if isinstance(value, n.PipelineNode | n.ColumnsNode):
                return list(self.pipeline(_as_pipeline(value), is_model=False).steps)
            if isinstance(value, n.NameNode | n.CallNode):
                return self.step(value)
        finally:
            self.way.remove(name)
        self.scope.report(
            codes.PIPELINE_ORDER,
            f"`{name}` is a value, not a step of a pipeline",
            node.span,
            related=[Related(self.scope.lets[name].span, "defined here")],
        )
        raise Broken

    def _order(self, steps: list[StepSpec], places: list[n.Node], is_model: bool) -> None:
        """An estimator ends a model and stands nowhere else."""
        for step, place in zip(steps[:-1], places[:-1], strict=True):
            kinds = self._kinds(step)
            if kinds is not None and "transformer" not in kinds:
                name = step.name if isinstance(step, EstimatorSpec) else "columns"
                self.scope.report(
                    codes.PIPELINE_ORDER,
                    f"`{name}` is an estimator and can only end a pipeline",
                    place.span,
                    help="put the steps that transform before it",
                )
                raise Broken
        if not is_model or not steps:
            return
        kinds = self._kinds(steps[-1])
        if kinds is not None and not kinds & {"classifier", "regressor", "nested"}:
            last = steps[-1]
            name = last.name if isinstance(last, EstimatorSpec) else "columns"
            self.scope.report(
                codes.PIPELINE_ORDER,
                f"`{name}` transforms data and predicts nothing",
                places[-1].span,
                help=f"end the pipeline with an estimator: `{name} | LogisticRegression`"
                if name != "columns"
                else "end the pipeline with an estimator: `columns(...) | LogisticRegression`",
            )
            raise Broken

    def _kinds(self, step: StepSpec) -> frozenset[str] | None:
        if isinstance(step, ColumnsSpec):
            return frozenset({"transformer"})
        entry = CATALOGUE.get(step.name)
        return entry.kinds if entry is not None and not step.code else None

    def columns(self, node: n.ColumnsNode) -> ColumnsSpec:
        """Resolve `columns(...)`; a key stands once."""
        branches: list[BranchSpec] = []
        for branch in node.branches:
            key = _branch_key(branch.key)
            if any(b.key == key for b in branches):
                self.scope.report(
                    codes.PARAMETER_TWICE, "these columns stand twice in `columns`", branch.key.span
                )
                raise Broken
            steps = branch.pipeline.steps
            alone = steps[0] if len(steps) == 1 else None
            if isinstance(alone, n.NameNode) and alone.name == "passthrough":
                branches.append(BranchSpec(key, None))
            else:
                branches.append(BranchSpec(key, self.pipeline(branch.pipeline, is_model=False)))
        return ColumnsSpec(tuple(branches))

    # --- estimators and their parameters ---

    def estimator(self, node: n.NameNode | n.CallNode) -> EstimatorSpec:
        """Resolve one class with its parameters."""
        name = node.name if isinstance(node, n.CallNode) else node
        entry = self.known_class(name)
        if not isinstance(node, n.CallNode):
            return self._with_needed(entry, EstimatorSpec(entry.name), name)
        given: list[tuple[str, ParameterValue]] = []
        broken = False
        for argument in node.arguments:
            try:
                found = self.parameter(entry, argument)
            except Broken:
                broken = True
                continue
            if any(p == found[0] for p, _ in given):
                self.scope.report(
                    codes.PARAMETER_TWICE,
                    f"`{found[0]}` is given twice to `{entry.name}`",
                    argument.span,
                )
                broken = True
            given.append(found)
        if broken:
            raise Broken
        return self._with_needed(entry, EstimatorSpec(entry.name, tuple(given)), name)

    def _with_needed(
        self, entry: ClassEntry, spec: EstimatorSpec, place: n.NameNode
    ) -> EstimatorSpec:
        written = {name for name, _ in spec.parameters}
        missing = [p for p, e in entry.parameters.items() if e.required and p not in written]
        if missing:
            self.scope.report(
                codes.MISSING_OPTION,
                f"`{entry.name}` needs {listed(missing, 'and')}",
                place.span,
                help=f"write `{entry.name}({', '.join(f'{m}=...' for m in missing)})`",
            )
            raise Broken
        return spec

    def known_class(self, name: n.NameNode) -> ClassEntry:
        """Find a class of the catalogue; raises `Broken` after a report."""
        written = name.name
        if "." in written:
            values.not_in_this_version(self.scope, "your own classes", name)
            raise Broken
        entry = CATALOGUE.get(written)
        if entry is None:
            text, fixes = suggestion(
                written, name.span, (*CATALOGUE, *self.scope.lets, *self.scope.models)
            )
            self.scope.report(
                codes.UNKNOWN_CLASS,
                f"there is no class `{written}` in the catalogue",
                name.span,
                help=text or "`evallang list models` lists all of them",
                fixes=fixes,
            )
            raise Broken
        refused = entry.refused or unavailable(entry)
        if refused:
            self.scope.report(
                codes.REFUSED_PARAMETER if entry.refused else codes.UNKNOWN_CLASS,
                f"`{written}` {refused}",
                name.span,
            )
            raise Broken
        return entry

    def parameter(self, entry: ClassEntry, argument: n.ArgumentNode) -> tuple[str, ParameterValue]:
        """Resolve one `key=value` or `key in DOMAIN` of a class."""
        if argument.key is None:
            self.scope.report(
                codes.UNKNOWN_PARAMETER,
                f"a value of `{entry.name}` needs its parameter's name",
                argument.span,
                help=f"write `{entry.name}(parameter=value)`",
            )
            raise Broken
        key = argument.key.name
        known = entry.parameter(key)
        if known is None:
            text, fixes = suggestion(key, argument.key.span, entry.parameters)
            self.scope.report(
                codes.UNKNOWN_PARAMETER,
                f"`{entry.name}` has no parameter `{key}`",
                argument.key.span,
                help=text or f"its parameters are {listed(entry.parameters, 'and')}",
                fixes=fixes,
            )
            raise Broken
        refused = known.refused or unavailable(known)
        if refused:
            self.scope.report(
                codes.REFUSED_PARAMETER if known.refused else codes.UNKNOWN_PARAMETER,
                f"`{key}` of `{entry.name}` {refused}",
                argument.key.span,
            )
            raise Broken
        if argument.tuned:
            return key, self.domain(entry, known, argument)
        value = self.value(known, argument.value)
        self._accepted(entry, known, value, argument.value)
        return key, value

    def _accepted(
        self, entry: ClassEntry, known: ParameterEntry, value: ParameterValue, place: n.Node
    ) -> None:
        reason = accepts(known, value)
        if reason is None:
            return
        fixes: list[Fix] = []
        help_text = None
        if isinstance(place, n.NameNode):
            help_text, fixes = suggestion(place.name, place.span, known.words)
        self.scope.report(
            codes.PARAMETER_VALUE,
            f"`{known.name}` of `{entry.name}` {reason}",
            place.span,
            help=help_text,
            fixes=fixes,
        )
        raise Broken

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
                    (values.label(self.scope, e.key, "a map"), self.value(None, e.value))
                    for e in node.entries
                )
            )
        if isinstance(node, n.CallNode):
            return self.estimator(node)
        if isinstance(node, n.PipelineNode):
            return self.pipeline(node, is_model=False)
        if isinstance(node, n.ColumnsNode):
            return PipelineSpec((self.columns(node),))
        self.scope.report(
            codes.PARAMETER_VALUE,
            "a range is searched, so it stands after `in`",
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
        if node.name in self.way:
            self._guard(node.name, node)
        found = self.model(node.name)
        if found is None:
            raise Broken
        return NamedSpec(node.name, found)

    def _word(self, known: ParameterEntry | None, node: n.NameNode) -> ParameterValue:
        name = node.name
        if known is not None and name in known.words:
            return name
        if name in values.WORDS:
            return values.WORDS[name]
        if name in self.scope.lets and name not in self.way:
            self.scope.used_lets.add(name)
            if name in self.scope.broken:
                raise Broken
            self.way.append(name)
            try:
                return self.value(
                    known, self.scope.overrides.get(name, self.scope.lets[name].value)
                )
            finally:
                self.way.remove(name)
        if name in self.scope.models and name not in self.way:
            return self._named(node).pipeline
        if name in CATALOGUE:
            return self.estimator(node)
        if "." in name:
            values.not_in_this_version(self.scope, "your own code", node)
            raise Broken
        return name

    # --- domains ---

    def domain(
        self, entry: ClassEntry, known: ParameterEntry, argument: n.ArgumentNode
    ) -> Candidates:
        """Resolve what stands after `in`."""
        node = argument.value
        if isinstance(node, n.NameNode) and node.name in self.scope.lets:
            self.scope.used_lets.add(node.name)
            if node.name in self.scope.broken:
                raise Broken
            node = self.scope.overrides.get(node.name, self.scope.lets[node.name].value)
        if isinstance(node, n.ListNode):
            if not node.items:
                self._bad(argument, "an empty list holds no candidates")
            found = tuple(self._item(known, item) for item in node.items)
            for value, item in zip(found, node.items, strict=True):
                self._accepted(entry, known, value, item)
            _refuse_repeats(self._bad, argument, found)
            return Candidates(found, format_node(node).strip())
        if isinstance(node, n.RangeNode):
            return self._range(entry, known, argument, node)
        if isinstance(node, n.NameNode):
            self._bad(argument, f"`{node.name}` is no `let` that holds a list")
        return self._bad(argument, "candidates are a list or a range")

    def _bad(self, argument: n.ArgumentNode, message: str) -> Candidates:
        self.scope.report(
            codes.BAD_DOMAIN,
            message,
            argument.value.span,
            help="write for example `in [1, 10, 100]`, `in 1..15 step 2` or `in 1e-3..1e3 log 7`",
        )
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
                self.scope.report(
                    codes.BAD_DOMAIN,
                    f"`{node.distribution.name}` has no grid: it is sampled, by `tune random N`",
                    node.span,
                    help=f"write `{start}..{stop} log 7` or `step`, for a grid",
                )
                raise Broken
            if node.distribution is not None:
                return domains.distribution(start, stop, node.distribution.name)
            if node.log is not None:
                found: tuple[ParameterValue, ...] = domains.geometric(start, stop, node.log.literal)
            else:
                found = domains.linear(start, stop, node.step.literal if node.step else None)
        except ValueError as error:
            return self._bad(argument, str(error))
        for value in found:
            self._accepted(entry, known, value, node)
        return Candidates(found, written)


def _refuse_repeats(
    bad: Callable[[n.ArgumentNode, str], Candidates],
    argument: n.ArgumentNode,
    found: tuple[ParameterValue, ...],
) -> None:
    seen: list[tuple[type, ParameterValue]] = []
    for value in found:
        if (type(value), value) in seen:
            bad(argument, "a candidate stands twice in the list")
        seen.append((type(value), value))


def _branch_key(node: n.NameNode | n.TextNode | n.ListNode) -> str | tuple[str, ...]:
    if isinstance(node, n.ListNode):
        return tuple(
            values.column_name(item)
            for item in node.items
            if isinstance(item, n.NameNode | n.TextNode)
        )
    name = values.column_name(node)
    return name if isinstance(node, n.NameNode) and name in COLUMN_WORDS else (name,)


def _as_pipeline(node: n.PipelineNode | n.ColumnsNode) -> n.PipelineNode:
    if isinstance(node, n.PipelineNode):
        return node
    return n.PipelineNode((node,), span=node.span)
