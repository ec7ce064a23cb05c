"""The way from text to `Study`: every pass runs, every finding is collected, none stops it."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from evallang.checking import (
    multiword_names,
    own_code,
    resolve_compare,
    resolve_export,
    resolve_measure,
    resolve_models,
    resolve_protocol,
    resolve_sources,
    resolve_study,
    validate_analyze,
    validate_compare,
    validity,
    waivers,
)
from evallang.checking.include import Gathered, Read, gather
from evallang.checking.metrics_fit import judge_metrics
from evallang.checking.resolve_study import stated_settings
from evallang.checking.resolve_thresholds import judge_thresholds
from evallang.checking.rules.rule import advise, left_open
from evallang.checking.rules.study_facts import is_tuned, task_of
from evallang.checking.scope import Scope, suggestion
from evallang.checking.suppression import report
from evallang.checking.validate_analyze import judge_analyses
from evallang.compatibility import own_metric
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    PredictionsSpec,
    ScoresSpec,
    Task,
)
from evallang.diagnostics import Diagnostic, codes, has_errors
from evallang.models.catalogue import CATALOGUE
from evallang.protocols.protocol import PROTOCOLS
from evallang.results.settings import SOURCES
from evallang.source import SourceFile, Span
from evallang.study import Measure, Method, Protocol, RequirementSpec, SourceSpec, Study
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node, format_parsed
from evallang.syntax.language import RESERVED
from evallang.syntax.parser import parse
from evallang.syntax.repair import ParseLine, read_line


class Checked(Struct, frozen=True, dict=True):
    """What a check found; `resolved` is what the statements mean, as far as they are right."""

    resolved: Study
    diagnostics: tuple[Diagnostic, ...]
    gathered: Gathered
    overrides: Mapping[str, str]
    live: frozenset[str]
    functions: frozenset[str]

    @cached_property
    def study(self) -> Study | None:
        """The study with its canonical text; None where anything is an error."""
        return None if has_errors(self.diagnostics) else self._with_text()

    @property
    def incomplete(self) -> Study | None:
        """The study where errors only say that statements are lacking: its data can be read."""
        errors = {d.code for d in self.diagnostics if d.severity == "error"}
        return self._with_text() if errors == {codes.missing_statement.code} else None

    def _with_text(self) -> Study:
        path, gathered = self.gathered.path, self.gathered
        return replace(
            self.resolved,
            canonical=format_parsed(
                gathered.sources[path], gathered.parsed[path], waivers.canonical
            ),
            stated=stated_settings(gathered.statements, self.resolved.protocols),
        )

    @property
    def sources(self) -> Mapping[str, SourceFile]:
        """The study and the files that it includes, by their paths."""
        return self.gathered.sources


def check(
    path: str,
    text: str,
    read: Read,
    overrides: Mapping[str, str] | None = None,
    parse_line: ParseLine = read_line,
) -> Checked:
    """Check a study: syntax, names, types, options, statistical sense.

    Parameters
    ----------
    path : the study's path as messages shall name it, with `/`
    text : its content
    read : returns the text of an included file by its path
    overrides : `let` name -> value as written, from `--set`
    parse_line : parses one line; an editor remembers those that it parsed before
    """
    gathered = gather(path, text, read, parse_line)
    return _check(gathered, overrides or {}, frozenset(), frozenset(), None)


def check_again(
    checked: Checked,
    *,
    task: Task | None = None,
    live: Iterable[str] | None = None,
    functions: Iterable[str] | None = None,
) -> Checked:
    """Check the parsed statements once more, with what is known now.

    That is the task, and the names of the models and metrics that are given as objects.
    """
    models = checked.live if live is None else frozenset(live)
    metrics = checked.functions if functions is None else frozenset(functions)
    return _check(checked.gathered, checked.overrides, models, metrics, task)


def _check(
    gathered: Gathered,
    overrides: Mapping[str, str],
    live: frozenset[str],
    functions: frozenset[str],
    known: Task | None,
) -> Checked:
    scope = Scope(
        gathered.path,
        tuple(gathered.statements),
        live=live,
        functions=functions,
        texts=gathered.sources,
        unread=frozenset(gathered.unread),
        syntax=tuple(gathered.diagnostics),
    )
    scope.statements += own_code.live_statements(scope)
    _read_overrides(scope, overrides, gathered.sources)
    scope.declare_names()
    study = _resolve(scope, gathered, overrides, known)
    scope.diagnostics += advise(study)
    _report_unused(scope, gathered.diagnostics)
    _report_without_tables(scope)
    found = multiword_names.reread(
        scope, gathered.diagnostics + scope.diagnostics, gathered.sources
    )
    reported = report(waivers.apply(found, gathered, left_open(study)), gathered)
    return Checked(study, reported, gathered, overrides, live, functions)


def _resolve(
    scope: Scope, gathered: Gathered, overrides: Mapping[str, str], known: Task | None
) -> Study:
    """Return the study that is meant."""
    stem = PurePosixPath(scope.path).stem
    head = resolve_study.header(scope, stem)
    specs = resolve_sources.resolve_sources(scope)
    task = _task(specs) or known
    uses = own_code.resolve_uses(scope)
    models = resolve_models.resolve_models(scope)
    likely = task or task_of(models)
    protocols = resolve_protocol.protocols(scope, likely)
    stratification = resolve_protocol.stratification(scope, specs, likely)
    group = resolve_protocol.group_column(scope, specs)
    measured = resolve_measure.measures(scope, likely, specs)
    tuning = resolve_protocol.tuning(scope, measured[0].metric if measured else None)
    tested = resolve_compare.comparisons(scope, specs, protocols, measured, head.families)
    required = resolve_measure.requirements(
        scope, specs, protocols, measured, head.confidence, head.looks
    )
    report, folder, report_places = resolve_study.report_settings(scope)
    resolve_study.check_citations(scope, head, report)
    analyzed = validate_analyze.analyses(scope, protocols, specs)
    tests = [test for line in tested for test in (line.test, line.post_hoc)]
    tests += [line.test for line in required]
    specs = _with_named_columns(
        scope,
        specs,
        group,
        stratification.columns if stratification else (),
        protocols,
        [test for test in tests if test is not None],
        [*measured, *required],
    )
    strata = [("stratify", node.span) for node in scope.of(n.StratifyNode)[:1]]
    study = Study(
        title=head.title,
        authors=head.authors,
        question=head.question,
        about=head.about,
        seed=head.seed,
        alpha=head.alpha,
        confidence=head.confidence,
        families=head.families,
        looks=head.looks,
        sources=specs,
        task=task,
        stratification=stratification,
        group=group,
        models=models,
        protocols=protocols,
        tuning=tuning,
        measures=measured,
        comparisons=tested,
        requirements=required,
        analyses=analyzed,
        report=report,
        report_folder=folder,
        path=scope.path,
        files=tuple(SourceFile(p, s.text) for p, s in gathered.sources.items()),
        overrides=dict(overrides),
        defaults=tuple(scope.defaults),
        places={**head.places, **dict(strata), **report_places},
        exports=resolve_export.resolve_exports(scope),
        uses=uses,
    )
    _needed_statements(scope, study, gathered.unread)
    judge_metrics(scope, study)
    judge_thresholds(scope, study)
    judge_analyses(scope, study)
    validity.judge_weights(scope, study)
    resolve_models.judge_weights(scope, study)
    validity.judge_folds(scope, study)
    scope.diagnostics += validity.unmet_intervals(study)
    for measure in study.measures:
        if measure.averaged is not None:
            scope.diagnostics += list(validity.unmet_averages(study, measure))[:1]
    validity.judge_search(scope, study)
    further = tuple(validity.implied_by_intervals(scope, study))
    settled = validate_compare.settle(scope, study)
    protocols = (*settled.protocols, *further)
    return replace(settled, protocols=protocols, defaults=tuple(scope.defaults))


def _task(specs: tuple[SourceSpec, ...]) -> Task | None:
    """Return the task where the sources state one; a CSV's is known once it is read."""
    for spec in specs:
        if isinstance(spec, CountsSpec):
            return "classification"
        if isinstance(spec, BattlesSpec):
            return "regression"
        if isinstance(spec, ScoresSpec) or own_metric(spec) is not None:
            continue  # what was measured elsewhere has no task here
        if spec.task is not None:
            return spec.task
    return None


def _reads_order(protocol: Protocol) -> bool:
    return PROTOCOLS[protocol.kind].declaration.neighbours


def _with_named_columns(
    scope: Scope,
    specs: tuple[SourceSpec, ...],
    group: str | None,
    strata: tuple[str, ...],
    protocols: Sequence[Protocol],
    tests: Sequence[Method],
    lines: Sequence[Measure | RequirementSpec],
) -> tuple[SourceSpec, ...]:
    """Return each source with the columns that other statements name, and where they do."""
    split = next((p.by for p in protocols if p.by and not _reads_order(p)), None)
    time = next((p.by for p in protocols if p.by and _reads_order(p)), None)
    reads_time = any(map(reads_order, tests))
    within: dict[str, Span | None] = {}
    for line in lines:
        for column in line.within if isinstance(line, Measure) else filter(None, [line.within]):
            within[column] = line.span
    places = {f"within {column}": span for column, span in within.items() if span is not None}
    for p in reversed(protocols):
        if p.by and p.span is not None:
            places["time" if _reads_order(p) else "split"] = p.span
    for word, kind in (("stratify", n.StratifyNode), ("group", n.GroupNode)):
        places.update((word, statement.span) for statement in scope.of(kind))
    found: list[SourceSpec] = []
    for spec in specs:
        if isinstance(spec, DataSpec):
            spec = replace(
                spec,
                split=split,
                time=time or spec.time,
                series=reads_time or any(map(_reads_order, protocols)),
                strata=tuple(c for c in strata if c not in ("target", spec.target)),
            )
        elif isinstance(spec, PredictionsSpec):
            spec = replace(spec, series=reads_time or bool(spec.time))
        if isinstance(spec, DataSpec | PredictionsSpec):
            further = {word: place for word, place in places.items() if word not in spec.places}
            spec = replace(
                spec,
                group=spec.group or group,
                subgroups=tuple(within),
                places={**spec.places, **further},
            )
        found.append(spec)
    return tuple(found)


def _needed_statements(scope: Scope, study: Study, unread: Set[str]) -> None:
    """Report what a study lacks; nothing that a broken statement already explains.

    `unread` holds the words of statements that are there and could not be read.
    """
    if not scope.sources and unread & {*SOURCES}:
        return
    tables = [s for s in scope.sources.values() if isinstance(s, n.DataNode)]
    models = [*scope.models.values()]
    message, place, help_ = "", None, ""
    if not scope.sources:
        message = "the study has no data"
        help_ = 'write `data NAME from "file.csv"`, or `predictions NAME from "file.csv"` where '
        help_ += "models were run elsewhere"
        if models:
            help_ = 'write `data NAME from sklearn iris`, or `data NAME from "file.csv"`'
    elif tables and not models and "model" not in unread:
        message = f"nothing is fitted on `{tables[0].name.name}`: the study has no model"
        place = tables[0].keyword
        last = "Ridge" if study.task == "regression" else "LogisticRegression"
        help_ = f"write `model NAME = StandardScaler | {last}`"
    elif models and not tables and "data" not in unread:
        what = "to be fitted on" if models[0].folder is None else "whose rows were predicted"
        message, place = f"`{models[0].name.name}` has no data {what}", models[0].keyword
        help_ = "write `data NAME from ...`"
    elif tables and models and not scope.of(n.ProtocolNode) and "protocol" not in unread:
        message, place = "the study has models and no protocol", models[0].keyword
        tuned = any(map(is_tuned, study.models))
        help_ = f"write `protocol {'nested cv outer=5 inner=5' if tuned else 'cv folds=10'}`"
    if message:
        scope.report(codes.missing_statement, message, place, help=help_)


def _read_overrides(
    scope: Scope, overrides: Mapping[str, str], sources: dict[str, SourceFile]
) -> None:
    """Parse each `--set NAME=VALUE` as a `let` would be; an unknown name is reported."""
    names = [node.name.name for node in scope.of(n.LetNode)]
    for name, value in overrides.items():
        path = f"--set {name}"
        source = SourceFile(path, f"let {name} = {value}\n")
        sources[path] = source
        place = Span(path, 4, 4 + len(name))
        if name not in names:
            text, _ = suggestion(name, place, names)
            scope.refuse("no_let_to_set", place, help=text, name=name)
            continue
        if "\n" in value:
            scope.refuse("set_over_lines", place, name=name)
            continue
        tree, diagnostics = parse(source)
        scope.diagnostics += [d for d in diagnostics if d.severity == "error"]
        lets = [s for s in tree.statements if isinstance(s, n.LetNode)]
        if has_errors(diagnostics):
            scope.broken.add(name)
        elif lets:
            scope.overrides[name] = lets[0].value


def _report_unused(scope: Scope, syntax: Sequence[Diagnostic]) -> None:
    """Hint at every `let` that nothing uses; silent where a faulty line may have used it."""
    if has_errors(syntax):
        return
    used = {*scope.used_lets, *scope.broken, *scope.models, *RESERVED}
    for name, node in scope.lets.items():
        if name not in used:
            scope.refuse("unused_let", node.name.span, name=name)
    _report_catalogued_modules(scope)


def _report_catalogued_modules(scope: Scope) -> None:
    """Warn of a `use` line for classes that the catalogue has, which would ask for consent."""
    for node in scope.of(n.UseNode):
        module = node.module.name
        classes = [
            name for name, entry in CATALOGUE.items() if f"{entry.module}.".startswith(f"{module}.")
        ]
        if not classes:
            continue
        rest = " ".join(format_node(s) for s in scope.statements if s is not node)
        if f"{module}." in rest:
            continue  # something that the catalogue lacks, or an error of its own
        written = next((name for name in classes if re.search(rf"\b{name}\b", rest)), classes[0])
        scope.refuse("catalogued_module", node.span, module=module, written=written)


def _report_without_tables(scope: Scope) -> None:
    """Warn of statements that split rows where every outcome is given."""
    if not scope.sources or any(isinstance(s, n.DataNode) for s in scope.sources.values()):
        return
    if scope.models:
        return  # a study with models and without data says so elsewhere
    for node in scope.statements:
        if isinstance(node, n.ProtocolNode | n.StratifyNode | n.TuneNode):
            word = {n.ProtocolNode: "protocol", n.StratifyNode: "stratify"}.get(type(node), "tune")
            scope.refuse("splits_nothing", node.keyword, word=word)
