"""`model` statements to pipelines: names followed, steps in order, each name resolved once."""

from evallang.checking import clause_values, own_code, resampler_steps
from evallang.checking.bounds import report_limit
from evallang.checking.class_names import Broken
from evallang.checking.clauses import check_folder
from evallang.checking.parameters import ParameterResolver
from evallang.checking.scope import Scope
from evallang.diagnostics import Related, codes
from evallang.limits import CANDIDATES, OverLimit
from evallang.models.abilities import RESAMPLER, misplaced_columns
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import (
    UNKNOWN_PIPELINE,
    BranchSpec,
    ColumnsSpec,
    EstimatorSpec,
    ModelSpec,
    PipelineSpec,
    StepSpec,
    StoredSource,
    search_space,
)
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node

DEEPEST = 64  # names that lead to one another; as deep as brackets may be
MOST_PARTS = 10_000  # classes that the names of one line stand for, each counted where it is used
AT_THE_END = frozenset({"classifier", "regressor", "nested"})
BEFORE_THE_END = frozenset({"transformer", RESAMPLER})
COLUMN_WORDS = frozenset({"numeric", "categorical", "rest"})


def resolve_models(scope: Scope) -> tuple[ModelSpec, ...]:
    """Resolve every model, in order; a faulty one is excluded after its reports."""
    resolver = _Resolver(scope)
    for name in scope.lets:
        resolver.begin()
        resolver.let(name)
    found = []
    for name, node in scope.models.items():
        resolver.begin()
        pipeline = resolver.model(name)
        if pipeline is not None:
            label = node.label.value if node.label else name
            stored = None if name in scope.live else _stored_source(node)
            found.append(ModelSpec(name, label, pipeline, node.name.span, stored))
    return tuple(found)


def _stored_source(node: n.ModelNode) -> StoredSource | None:
    """Return where the predictions of a model are stored, None for a model that is fitted."""
    if node.folder is None or node.stored is None:
        return None
    folder = node.folder.value.rstrip("/") or "/"
    name = clause_values.column_name(node.stored)
    return StoredSource(folder, name, span=node.folder.span, model_span=node.stored.span)


class _Resolver:
    """Resolves names into specs, each once, with a guard against circles."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.done: dict[str, PipelineSpec | None] = {}
        self.way: list[str] = []
        self.circular: set[str] = set()  # names of circles that were reported
        self.parts = 0
        self.sizes: dict[str, int] = {}
        self.overgrown = False
        self.parameters = ParameterResolver(scope, self)

    def begin(self) -> None:
        """Begin a statement: what its names stand for is counted again."""
        self.parts = 0

    def spend(self, parts: int, place: n.NameNode) -> None:
        """Count what a name stands for: names of names may be twice as long a line, without end."""
        self.parts += parts
        if self.parts > MOST_PARTS and not self.overgrown:
            self._overgrown(
                f"this name expands to more than {MOST_PARTS:,} classes and values",
                place,
            )

    def _overgrown(self, message: str, place: n.NameNode) -> None:
        self.overgrown = True  # reported once for a study; no name is followed after that
        self.scope.used_lets.update(self.scope.lets)  # who uses which is not known then
        first = self.way[0] if self.way else place.name
        node = self.scope.lets.get(first) or self.scope.models[first]
        self.scope.report(
            codes.too_much_behind_names,
            message,
            node.name.span,
            help="write out what is meant here",
        )
        raise Broken

    def model(self, name: str) -> PipelineSpec | None:
        """Resolve a model by its name; None where it is broken."""
        node = self.scope.models[name]
        if name in self.done:
            self.spend(self.sizes[name], node.name)
            return self.done[name]
        before = self.parts
        try:
            self.guard(name, node.name)
            try:
                if name in self.scope.live:
                    spec = PipelineSpec((EstimatorSpec(own_code.live_name(name), code=True),))
                elif node.pipeline is None:
                    check_folder(self.scope, node)
                    spec = UNKNOWN_PIPELINE
                else:
                    spec = self.pipeline(node.pipeline, is_model=True)
                self._limit(spec, node)
            finally:
                self.way.remove(name)
        except Broken:
            if name in self.way:
                raise  # its own circle: it is resolved further up
            spec = None
            self.scope.broken.add(name)
        self.sizes[name] = self.parts - before
        self.done[name] = spec
        return spec

    def part(self, node: n.NameNode) -> PipelineSpec:
        """Resolve a model that is a part of another; it has to be one that is fitted."""
        named = self.scope.models[node.name]
        if named.pipeline is None and node.name not in self.scope.live:
            self.scope.report(
                codes.stored_model_is_not_fitted,
                f"`{node.name}` cannot be a part of a model: its predictions are stored, and "
                "nothing is fitted",
                node.span,
                help=f"write `model {node.name} = PIPELINE` to fit it",
                related=[Related(named.span, "declared here")],
            )
            raise Broken
        found = self.model(node.name)
        if found is None:
            raise Broken
        return found

    def let(self, name: str) -> None:
        """Resolve a `let` for its errors' sake; its value is resolved again where used."""
        node = self.scope.lets[name]
        value = self.scope.overrides.get(name, node.value)
        try:
            self.guard(name, node.name)
            try:
                if isinstance(value, n.PipelineNode | n.ColumnsNode):
                    self.pipeline(_as_pipeline(value), is_model=False)
                elif isinstance(value, n.CallNode):
                    self.parameters.estimator(value)
                elif isinstance(value, n.NameNode) and value.name in self.scope.lets:
                    self._follow(value)
            finally:
                self.way.remove(name)
        except Broken:
            self.scope.broken.add(name)

    def _follow(self, node: n.NameNode) -> None:
        """Follow a `let` of a `let`, for the circle that it may be."""
        self.guard(node.name, node)
        try:
            self.scope.used_lets.add(node.name)
            value = self.scope.lets[node.name].value
            if isinstance(value, n.NameNode) and value.name in self.scope.lets:
                self._follow(value)
        finally:
            self.way.remove(node.name)

    def guard(self, name: str, place: n.NameNode) -> None:
        if name in self.way:
            members = self.way[self.way.index(name) :]
            if not self.circular & set(members):
                circle = ", which uses ".join(f"`{step}`" for step in (*members[1:], name))
                way = f": `{name}` uses {circle}" if len(members) > 1 else ""
                given = [self.scope.overrides[m] for m in members if m in self.scope.overrides]
                self.scope.report(
                    codes.circular_name,
                    f"`{name}` refers to itself{way}",
                    place.span,
                    related=[Related(value.span, "set here") for value in given],
                )
            self.circular.update(members)
            raise Broken
        if self.overgrown:
            raise Broken
        if len(self.way) >= DEEPEST:
            message = f"this name refers to other names more than {DEEPEST} deep"
            self._overgrown(message, place)
        self.spend(1, place)
        self.way.append(name)

    def _limit(self, spec: PipelineSpec, node: n.ModelNode) -> None:
        size = 1
        for parameter in search_space(spec):
            size *= max(1, len(parameter.candidates.values))
        try:
            coarser = "search fewer parameters or coarser ranges"
            CANDIDATES.check(f"the search of `{node.name.name}`", size, coarser)
        except OverLimit as error:
            report_limit(self.scope, error, (node.pipeline or node).span)
            raise Broken from None

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
            late = (
                p
                for p, step in list(zip(places, steps, strict=True))[1:]
                if isinstance(step, ColumnsSpec)
            )
            self.scope.report(
                codes.pipeline_order,
                "`columns` comes after a step that loses the names of columns",
                next(late, node).span,
                help="put `columns(...)` first",
            )
            raise Broken
        return spec

    def step(self, node: n.NameNode | n.CallNode | n.ColumnsNode) -> list[StepSpec]:
        """Resolve one step; a name may stand for several."""
        if isinstance(node, n.ColumnsNode):
            return [self.columns(node)]
        if isinstance(node, n.CallNode):
            return [self.parameters.estimator(node)]
        if node.name in self.scope.lets and node.name not in self.way:
            return self._let_step(node)
        if node.name in self.scope.models and node.name not in self.way:
            return list(self.part(node).steps)
        if node.name in self.way and node.name not in CATALOGUE:
            self.guard(node.name, node)
        return [self.parameters.estimator(node)]

    def _let_step(self, node: n.NameNode) -> list[StepSpec]:
        name = node.name
        self.scope.used_lets.add(name)
        if name in self.scope.broken:
            raise Broken
        value = self.scope.overrides.get(name, self.scope.lets[name].value)
        self.guard(name, node)
        try:
            if isinstance(value, n.PipelineNode | n.ColumnsNode):
                return list(self.pipeline(_as_pipeline(value), is_model=False).steps)
            if isinstance(value, n.NameNode | n.CallNode):
                return self.step(value)
        except Broken:
            self.scope.broken.add(name)  # reported once, however often the name is used
            raise
        finally:
            self.way.remove(name)
        self.scope.report(
            codes.pipeline_order,
            f"`{name}` is a value, not a step of a pipeline",
            node.span,
            related=[Related(self.scope.lets[name].span, "defined here")],
        )
        raise Broken

    def _order(self, steps: list[StepSpec], places: list[n.Node], is_model: bool) -> None:
        """Report a model without an estimator as its last step, or with one before it."""
        resampler_steps.judge_steps(self.scope, steps, places, is_model=is_model)
        judged = len(steps) if is_model else len(steps) - 1
        for i, (step, place) in enumerate(zip(steps[:judged], places, strict=False)):
            last = i == len(steps) - 1
            kinds, name = frozenset({"transformer"}), "columns"
            if isinstance(step, EstimatorSpec):
                entry, name = CATALOGUE.get(step.name), step.name
                if entry is None or step.code:
                    continue
                kinds = entry.kinds
            if kinds & (AT_THE_END if last else BEFORE_THE_END):
                continue
            message = "is an estimator and can only end a pipeline"
            help_ = "write the transformers before it"
            if not kinds & (AT_THE_END | BEFORE_THE_END):  # such as a class that finds clusters
                message = "neither transforms new rows nor predicts a target"
                help_ = "`evallang list models` tells which classes do"
            elif last:
                message = "transforms data and predicts nothing"
                shown = name if name != "columns" else "columns(...)"
                help_ = f"end the pipeline with an estimator: `{shown} | LogisticRegression`"
            self.scope.report(codes.pipeline_order, f"`{name}` {message}", place.span, help=help_)
            raise Broken

    def columns(self, node: n.ColumnsNode) -> ColumnsSpec:
        """Resolve `columns(...)`; a key stands once."""
        branches: list[BranchSpec] = []
        if not node.branches:
            self.scope.report(
                codes.missing_option,
                "`columns` needs a branch: without one no column is left",
                node.span,
                help="write `columns(numeric: STEPS, categorical: STEPS)`, or remove it",
            )
            raise Broken
        first: dict[str | tuple[str, ...], n.Node] = {}
        for branch in node.branches:
            key = _branch_key(branch.key)
            before = first.setdefault(key, branch.key)
            if before is not branch.key:
                message = f"`{format_node(branch.key).strip()}` is written twice in `columns`"
                place = branch.key.span
                self.scope.report_twice(codes.parameter_twice, message, place, before.span)
                raise Broken
            steps = branch.pipeline.steps
            alone = steps[0] if len(steps) == 1 else None
            if isinstance(alone, n.NameNode) and alone.name == "passthrough":
                branches.append(BranchSpec(key, None))
            else:
                found = self.pipeline(branch.pipeline, is_model=False)
                resampler_steps.judge_branch(self.scope, found, branch.pipeline)
                branches.append(BranchSpec(key, found))
        return ColumnsSpec(tuple(branches))


def _branch_key(node: n.NameNode | n.TextNode | n.ListNode) -> str | tuple[str, ...]:
    if isinstance(node, n.ListNode):
        return tuple(
            clause_values.column_name(item)
            for item in node.items
            if isinstance(item, n.NameNode | n.TextNode)
        )
    name = clause_values.column_name(node)
    return name if isinstance(node, n.NameNode) and name in COLUMN_WORDS else (name,)


def _as_pipeline(node: n.PipelineNode | n.ColumnsNode) -> n.PipelineNode:
    if isinstance(node, n.PipelineNode):
        return node
    return n.PipelineNode((node,), span=node.span)
