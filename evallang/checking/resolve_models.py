"""`model` statements to pipelines: names followed, steps in order, each name resolved once."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from evallang.checking import clause_values, own_code, values
from evallang.checking.clauses import check_folder
from evallang.checking.scope import Scope, suggestion
from evallang.checking.synonyms import CONSTANTS
from evallang.checking.values import report_limit
from evallang.compatibility import is_weighted
from evallang.diagnostics import Edit, Fix, Related, codes
from evallang.limits import CANDIDATES, POINTS, OverLimit
from evallang.models import domains
from evallang.models.abilities import (
    RESAMPLER,
    abilities,
    classes_of,
    is_resampler,
    misplaced_columns,
    models_in,
    resamplers,
)
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
    UNKNOWN_PIPELINE,
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
    StoredSource,
    search_space,
)
from evallang.source import Span
from evallang.spelling import listed
from evallang.study import Study
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import RESERVED

DEEPEST = 64  # names that lead to one another; as deep as brackets may be
MOST_PARTS = 10_000  # classes that the names of one line stand for, each counted where it is used
AT_THE_END = frozenset({"classifier", "regressor", "nested"})
BEFORE_THE_END = frozenset({"transformer", RESAMPLER})
COLUMN_WORDS = frozenset({"numeric", "categorical", "rest"})

SHORTEST_BEGINNING = 5  # letters that tell a class: `Decis`, not `SV`


class Broken(Exception):
    """A value that was reported; nothing that depends on it is reported again."""


def known_class(scope: Scope, name: n.NameNode, unfinished: Collection[str]) -> ClassEntry:
    """Find a class of the catalogue; raises `Broken` after a report."""
    written = name.name
    entry = CATALOGUE.get("Pipeline" if written == "make_pipeline" else written)
    if entry is None:
        text, fixes = _meant(scope, name, unfinished)
        scope.refuse("unknown_class", name.span, help=text, written=written, fixes=fixes)
        raise Broken
    refused = entry.refused or unavailable(entry)
    if refused:
        scope.report(
            codes.refused_parameter if entry.refused else codes.unknown_class,
            f"`{written}` {refused}",
            name.span,
        )
        raise Broken
    return entry


def _meant(
    scope: Scope, name: n.NameNode, unfinished: Collection[str]
) -> tuple[str | None, list[Fix]]:
    """Return the help text and the fix for a step of a pipeline that nothing is called.

    `unfinished` are the names that are being defined, none of which can be a step of itself.
    """
    written = name.name
    text, fixes = suggestion(written, name.span, scope.steps, "class")
    if any(text == f"did you mean `{other}`?" for other in unfinished):
        known = [step for step in scope.steps if step not in unfinished]
        text, fixes = suggestion(written, name.span, known, "class")
    if text is not None:
        return text, fixes
    whole = f"{written}Classifier"
    if whole not in CATALOGUE and len(written) >= SHORTEST_BEGINNING:
        whole = next((known for known in CATALOGUE if known.startswith(written)), whole)
    return (f"did you mean `{whole}`?" if whole in CATALOGUE else None), []


DOMAIN_FORMS = "write for example `in [1, 10, 100]`, `in 1..15 step 2` or `in 1e-3..1e3 log 7`"


def _filled(entry: ClassEntry, name: str) -> str:
    """Return a parameter with a value, with dots unless it is a model."""
    known = entry.parameter(name)
    plain = next((PLAIN_MODELS[kind] for kind in PLAIN_MODELS if kind in entry.kinds), None)
    return f"{name}={plain if plain and known and takes_model(known) else '...'}"


def resolve_models(scope: Scope) -> tuple[ModelSpec, ...]:
    """Resolve every model, in order; a faulty one is excluded after its reports."""
    resolver = _Resolver(scope)
    for name in scope.lets:
        resolver.parts = 0  # what the names of a statement stand for is counted again
        resolver.let(name)
    found = []
    for name, node in scope.models.items():
        resolver.parts = 0  # what the names of a statement stand for is counted again
        pipeline = resolver.model(name)
        if pipeline is not None:
            label = node.label.value if node.label else name
            stored = None
            if name not in scope.live and node.folder is not None and node.stored is not None:
                folder = node.folder.value.rstrip("/") or "/"
                model, place = clause_values.column_name(node.stored), node.stored.span
                stored = StoredSource(folder, model, span=node.folder.span, model_span=place)
            found.append(ModelSpec(name, label, pipeline, node.name.span, stored))
    return tuple(found)


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
        self.samples = any(
            node.strategy is not None and node.strategy.name in ("random", "bayes")
            for node in scope.of(n.TuneNode)
        )

    def refused(
        self, key: str, span: Span, /, related: Sequence[Related] = (), **facts: Any
    ) -> Broken:
        """Report something; what is returned is raised."""
        self.scope.refuse(key, span, related=related, **facts)
        return Broken()

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
                steps = () if node.pipeline is None else node.pipeline.steps
                of_itself = any(isinstance(s, n.NameNode) and s.name == name for s in steps)
                if name in self.scope.live and not of_itself:
                    spec = PipelineSpec((EstimatorSpec(own_code.live_name(name), code=True),))
                elif node.pipeline is None:
                    check_folder(self.scope, node)
                    spec = UNKNOWN_PIPELINE
                else:
                    spec = self.pipeline(node.pipeline, is_model=True)
                sizes = [len(one.candidates.values) or 1 for one in search_space(spec)]
                coarser = "search fewer parameters or coarser ranges"
                CANDIDATES.check(f"the search of `{name}`", prod(sizes), coarser)
            except OverLimit as error:
                report_limit(self.scope, error, (node.pipeline or node).span)
                raise Broken from None
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
            raise self.refused(
                "stored_part", node.span, node=node, related=[Related(named.span, "declared here")]
            )
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
                    self.estimator(value)
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
                self.scope.refuse(
                    "refers_to_itself",
                    place.span,
                    name=name,
                    way=way,
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
            raise self.refused("late_columns", next(late, node).span)
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
            return list(self.part(node).steps)
        if node.name in self.scope.live:
            return [EstimatorSpec(own_code.live_name(node.name), code=True)]
        if node.name in self.way and node.name not in CATALOGUE:
            self.guard(node.name, node)
        return [self.estimator(node)]

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
        raise self.refused(
            "value_as_step",
            node.span,
            name=name,
            related=[Related(self.scope.lets[name].span, "defined here")],
        )

    def _order(self, steps: list[StepSpec], places: list[n.Node], is_model: bool) -> None:
        """Report a model without an estimator as its last step, or with one before it."""
        judge_steps(self.scope, steps, places, is_model=is_model)
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
            raise self.refused("no_branch", node.span)
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
                classes = [step for step in found.steps if isinstance(step, EstimatorSpec)]
                if names := [step.name for step in classes if is_resampler(step)]:
                    place = branch.pipeline.span
                    self.scope.refuse("resampler_in_branch", place, names=names, ending=ENDING)
                    raise Broken
                branches.append(BranchSpec(key, found))
        return ColumnsSpec(tuple(branches))

    # --- classes and parameters ---

    def estimator(self, node: n.NameNode | n.CallNode) -> EstimatorSpec:
        """Resolve one class with its parameters."""
        name = node.name if isinstance(node, n.CallNode) else node
        own = own_code.is_own(self.scope, name)
        if own is None:
            raise Broken
        entry = own_code.entry(name.name) if own else known_class(self.scope, name, self.way)
        self.spend(1, name)
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
            raise self.refused(
                "lacks_parameters",
                place.span,
                entry=entry,
                missing=listed(missing, "and"),
                form=", ".join(_filled(entry, m) for m in missing),
            )
        return spec

    def parameter(
        self, entry: ClassEntry, argument: n.ArgumentNode, *, own: bool = False
    ) -> tuple[str, ParameterValue]:
        """Resolve one `key=value` or `key in DOMAIN` of a class; of its own, any key."""
        if argument.key is None:
            raise self.refused(
                "value_without_parameter",
                argument.span,
                help=f"write `NAME={self.scope.written(argument.value.span)}`"
                if own or entry.parameters
                else None,
                entry=entry,
            )
        key = argument.key.name
        known = own_code.parameter(key) if own else entry.parameter(key)
        if known is None:
            text, fixes = suggestion(key, argument.key.span, entry.parameters, "parameter")
            bare = key.rpartition("__")[2]
            if bare != key and entry.parameter(bare) is not None:
                text = f"write `{bare}`: a step of a pipeline has no name here"
                fixes = [Fix(f"write `{bare}`", (Edit(argument.key.span, bare),))]
            raise self.refused(
                "unknown_parameter",
                argument.key.span,
                help=text,
                entry=entry,
                key=key,
                known=listed([p for p, e in entry.parameters.items() if e.refused is None], "and"),
                fixes=fixes,
            )
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
            judge_value(self.scope, candidates, argument.value)
            return key, candidates
        value = self.value(known, argument.value)
        judge_value(self.scope, value, argument.value)
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
            if place.name in self.way:  # it was read as text, which does not fit
                self.guard(place.name, place)
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
            return self.pipeline(node, is_model=False)
        if isinstance(node, n.ColumnsNode):
            return PipelineSpec((self.columns(node),))
        raise self.refused(
            "range_without_in",
            node.span,
            name=known.name if known else "parameter",
            node=format_node(node),
        )

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
            self.guard(node.name, node)
        return NamedSpec(node.name, self.part(node))

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
            self.guard(name, node)
            try:
                return self.value(
                    known, self.scope.overrides.get(name, self.scope.lets[name].value)
                )
            finally:
                self.way.remove(name)
        if name in self.scope.models and name not in self.way:
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
                values.report_limit(self.scope, error, node.span)
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
            values.report_limit(self.scope, error, argument.value.span)
            raise Broken from None
        except ValueError as error:
            return self._bad(argument, str(error))
        for value in found:
            self._accepted(entry, known, value, node)
        return Candidates(found, written)


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


# --- resamplers ---

ENDING = "LogisticRegression"  # the classifier of a proposal


def judge_steps(
    scope: Scope, steps: Sequence[StepSpec], places: Sequence[n.Node], *, is_model: bool
) -> None:
    """Report a resampler that ends a model, occurs twice, or is in a regression."""
    seen: set[str] = set()
    for number, (step, place) in enumerate(zip(steps, places, strict=True)):
        if not isinstance(step, EstimatorSpec) or not is_resampler(step):
            continue
        last = number == len(steps) - 1
        code, help_ = codes.misplaced_resampler, f"remove `{step.name}`"
        fixes: list[Fix] = []
        if is_model and last:
            message = f"`{step.name}` resamples training rows and predicts nothing"
            help_ = f"end the pipeline with a classifier: `{step.name} | {ENDING}`"
            end = Span(place.span.path, place.span.end, place.span.end)
            fixes = [Fix(help_, (Edit(end, f" | {ENDING}"),), safe=False)]
        elif step.name in seen:
            message = f"`{step.name}` is already a step of this pipeline"
        elif not last and abilities(PipelineSpec(tuple(steps))).kind == "regressor":
            message = f"`{step.name}` resamples classes, and a regression predicts numbers"
            code = codes.nothing_to_resample
        else:
            seen.add(step.name)
            continue
        scope.report(code, message, place.span, help=help_, fixes=fixes)
        raise Broken


def judge_value(scope: Scope, value: ParameterValue, node: n.Node) -> None:
    """Report a resampler as a model that a parameter holds."""
    for model in models_in(value):
        last = model.steps[-1]
        if isinstance(last, EstimatorSpec) and is_resampler(last):
            scope.refuse("resampler_as_value", node.span, last=last, ending=ENDING)
            raise Broken


def judge_weights(scope: Scope, study: Study) -> None:
    """Report models that resample examples with weights."""
    weighted = [source for source in study.sources if is_weighted(source)]
    if not weighted:
        return
    written = {spec for model in study.models for spec in resamplers(model.pipeline)}
    for model in study.models:
        found = [spec for spec in classes_of(model.pipeline) if is_resampler(spec)]
        # a model that names another one is not reported with it
        named = not resamplers(model.pipeline) and written.issuperset(found)
        names = [] if named else [spec.name for spec in found]
        if names:
            scope.refuse(
                "resampler_of_weights",
                (scope.models[model.name].pipeline or scope.models[model.name]).span,
                names=names,
                weighted=weighted,
                model=model,
            )
