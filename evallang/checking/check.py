"""The way from text to `Study`: every pass runs, every finding is collected, none stops it."""

import posixpath
from collections.abc import Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from evallang.checking import (
    capabilities,
    codes,
    multiword_names,
    own_code,
    resolve_analyze,
    resolve_compare,
    resolve_export,
    resolve_measure,
    resolve_models,
    resolve_protocol,
    resolve_sources,
    resolve_study,
    unused,
    validity,
    waivers,
)
from evallang.checking.include import Gathered, Read, gather
from evallang.checking.pair_tests import Tested
from evallang.checking.resolve_overrides import read_overrides
from evallang.checking.rules.rule import advise, left_open
from evallang.checking.scope import Scope
from evallang.checking.stated import stated_settings
from evallang.checking.suppression import report
from evallang.compatibility import own_metric
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.data.dataset import CountsSpec, DataSpec, PredictionsSpec, ScoresSpec, Task
from evallang.diagnostics import Diagnostic, has_errors
from evallang.protocols.protocol import PROTOCOLS
from evallang.source import SourceFile, Span
from evallang.study import Protocol, SourceSpec, Study
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_parsed


class Checked(Struct, frozen=True):
    """What a check found; `study` is None where anything is an error.

    `incomplete` is the study where errors only say that statements are lacking: its data can be
    read.
    `task` is the one that the study was checked for: as it states it, or the data show it, or
    that of all its models.
    """

    study: Study | None
    diagnostics: tuple[Diagnostic, ...]
    gathered: Gathered
    overrides: Mapping[str, str]
    live: frozenset[str]
    task: Task | None
    incomplete: Study | None = None

    @property
    def sources(self) -> Mapping[str, SourceFile]:
        """The study and the files that it includes, by their paths."""
        return self.gathered.sources


def check(
    path: str,
    text: str,
    read: Read,
    overrides: Mapping[str, str] | None = None,
    live: Sequence[str] = (),
) -> Checked:
    """Check a study: syntax, names, types, options, statistical sense.

    Parameters
    ----------
    path : the study's path as messages shall name it, with `/`
    text : its content
    read : returns the text of an included file by its path
    overrides : `let` name -> value as written, from `--set`
    live : names of models that are given as objects
    """
    return _check(gather(path, text, read), overrides or {}, frozenset(live), None)


def check_again(
    checked: Checked, *, task: Task | None = None, live: Sequence[str] | None = None
) -> Checked:
    """Check the parsed statements once more, with the task and the models that are known now."""
    models = checked.live if live is None else frozenset(live)
    return _check(checked.gathered, checked.overrides, models, task)


def with_task(checked: Checked, task: Task) -> Checked:
    """Return what was checked, for the task of its data.

    It is checked again only where its models did not tell this task.
    """
    if checked.study is None or checked.task != task:
        return check_again(checked, task=task)
    return replace(checked, study=replace(checked.study, task=task))


def _check(
    gathered: Gathered, overrides: Mapping[str, str], live: frozenset[str], known: Task | None
) -> Checked:
    scope = Scope(
        gathered.path,
        tuple(gathered.statements),
        live=live,
        texts=gathered.sources,
        unread=frozenset(gathered.unread),
        syntax=tuple(gathered.diagnostics),
    )
    scope.statements += own_code.live_statements(scope)
    read_overrides(scope, overrides, gathered.sources)
    scope.declare_names()
    study, task = _resolve(scope, gathered, overrides, known)
    scope.diagnostics += advise(study)
    unused.report_unused(scope, gathered.diagnostics)
    unused.report_without_tables(scope)
    found = multiword_names.reread(
        scope, gathered.diagnostics + scope.diagnostics, gathered.sources
    )
    reported = report(waivers.apply(found, gathered, left_open(study)), gathered)
    sound = None if has_errors(reported) else study
    lacking = {d.code for d in reported if d.severity == "error"} == {codes.MISSING_STATEMENT.code}
    incomplete = study if lacking else None
    return Checked(sound, reported, gathered, overrides, live, task, incomplete)


def _resolve(
    scope: Scope, gathered: Gathered, overrides: Mapping[str, str], known: Task | None
) -> tuple[Study, Task | None]:
    """Return the study that is meant, and the task that its defaults are for."""
    stem = posixpath.basename(scope.path).removesuffix(".eval")
    head = resolve_study.header(scope, stem)
    specs = resolve_sources.resolve_sources(scope)
    task = _task(specs) or known
    uses = own_code.resolve_uses(scope)
    models = resolve_models.resolve_models(scope)
    likely = task or capabilities.task_of(models)
    protocols = resolve_protocol.protocols(scope, likely)
    stratification = resolve_protocol.stratification(scope, specs, likely)
    group = resolve_protocol.group_column(scope, specs)
    measured = resolve_measure.measures(scope, likely, specs)
    tuning = resolve_protocol.tuning(scope, measured[0].metric if measured else None)
    tested = resolve_compare.comparisons(
        scope,
        Tested(specs, protocols, measured, group, likely),
        head.families,
    )
    required = resolve_measure.requirements(
        scope, specs, protocols, measured, head.confidence, head.looks
    )
    report, folder, report_places = resolve_study.report_settings(scope)
    resolve_study.check_citations(scope, head, report)
    analyzed = resolve_analyze.analyses(scope, protocols, specs)
    within = [c for m in measured for c in m.within] + [r.within for r in required if r.within]
    specs = _add_named_columns(
        specs,
        group,
        Named(
            next((p.by for p in protocols if p.by and not _is_ordered(p)), None),
            next((p.by for p in protocols if p.by and _is_ordered(p)), None),
            any(map(_is_ordered, protocols)),
            any(
                reads_order(test)
                for line in tested
                for test in (line.test, line.post_hoc)
                if test is not None
            )
            or any(line.test is not None and reads_order(line.test) for line in required),
        ),
        tuple(dict.fromkeys(within)),
        stratification.columns if stratification else (),
        {
            word: statement.span
            for word, kind in (("stratify", n.StratifyNode), ("group", n.GroupNode))
            for statement in scope.of(kind)
        }
        | {
            "time" if _is_ordered(p) else "split": p.span
            for p in reversed(protocols)
            if p.by and p.span is not None
        }
        | {f"within {c}": m.span for m in measured for c in m.within if m.span is not None}
        | {f"within {r.within}": r.span for r in required if r.within and r.span is not None},
    )
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
        canonical=format_parsed(
            gathered.sources[scope.path], gathered.parsed[scope.path], waivers.canonical
        ),
        stated=stated_settings(gathered.statements, protocols),
        overrides=dict(overrides),
        defaults=tuple(scope.defaults),
        places={**_places(scope, head), **report_places},
        exports=resolve_export.resolve_exports(scope),
        uses=uses,
    )
    _needed_statements(scope, study, gathered.unread)
    return replace(validity.judge(scope, study), defaults=tuple(scope.defaults)), likely


def _places(scope: Scope, head: resolve_study.Header) -> dict[str, Span]:
    """State where the clauses of `study` and the statement `stratify` stand."""
    strata = scope.of(n.StratifyNode)
    return {**head.places, **({"stratify": strata[0].span} if strata else {})}


def _task(specs: tuple[SourceSpec, ...]) -> Task | None:
    """Return the task where the sources state one; a CSV's is known once it is read."""
    for spec in specs:
        if isinstance(spec, CountsSpec):
            return "classification"
        if isinstance(spec, ScoresSpec) or own_metric(spec) is not None:
            continue  # what was measured elsewhere has no task here
        if spec.task is not None:
            return spec.task
    return None


class Named(Struct, frozen=True):
    """What protocols and tests say of the order of rows.

    Attributes
    ----------
    split : the column of the author's own folds
    time : the column of the order in time that a protocol names
    protocol, test : whether a protocol, or a test, reads the rows in the order of time
    """

    split: str | None
    time: str | None
    protocol: bool
    test: bool


def _is_ordered(protocol: Protocol) -> bool:
    return PROTOCOLS[protocol.kind].declaration.yields(protocol.options).ordered


def _add_named_columns(
    specs: tuple[SourceSpec, ...],
    group: str | None,
    order: Named,
    within: tuple[str, ...],
    strata: tuple[str, ...],
    places: Mapping[str, Span],
) -> tuple[SourceSpec, ...]:
    """Return each source which columns other statements name, and where they do."""
    found: list[SourceSpec] = []
    for spec in specs:
        if isinstance(spec, DataSpec):
            found.append(
                replace(
                    spec,
                    group=spec.group or group,
                    split=order.split,
                    time=order.time or spec.time,
                    series=order.protocol or order.test,
                    subgroups=within,
                    strata=tuple(c for c in strata if c not in ("target", spec.target)),
                    places={**spec.places, **_further(places, spec.places)},
                )
            )
        elif isinstance(spec, PredictionsSpec):
            further = _further(places, spec.places)
            spec = replace(
                spec,
                group=spec.group or group,
                subgroups=within,
                series=order.test or bool(spec.time),
            )
            found.append(replace(spec, places={**spec.places, **further}))
        else:
            found.append(spec)
    return tuple(found)


def _further(places: Mapping[str, Span], known: Mapping[str, Span]) -> dict[str, Span]:
    return {word: span for word, span in places.items() if word not in known}


def _needed_statements(scope: Scope, study: Study, unread: Set[str]) -> None:
    """Report what a study lacks; nothing that a broken statement already explains.

    `unread` holds the words of statements that are there and could not be read.
    """
    if not scope.sources and unread & {"data", "predictions", "scores", "counts"}:
        return
    if not scope.sources:
        scope.report(
            codes.MISSING_STATEMENT,
            "the study has no data",
            None,
            help='write `data NAME from sklearn iris`, or `data NAME from "file.csv"`'
            if scope.models
            else 'write `data NAME from "file.csv"`, or `predictions NAME from "file.csv"` where '
            "models were run elsewhere",
        )
        return
    tables = [s for s in scope.sources.values() if isinstance(s, n.DataNode)]
    if tables and not scope.models and "model" not in unread:
        scope.report(
            codes.MISSING_STATEMENT,
            f"nothing is fitted on `{tables[0].name.name}`: the study has no model",
            tables[0].keyword,
            help="write `model NAME = StandardScaler | "
            f"{'Ridge' if study.task == 'regression' else 'LogisticRegression'}`",
        )
    if scope.models and not tables and "data" not in unread:
        first = next(iter(scope.models.values()))
        scope.report(
            codes.MISSING_STATEMENT,
            f"`{first.name.name}` has no data "
            f"{'to be fitted on' if first.folder is None else 'whose rows were predicted'}",
            first.keyword,
            help="write `data NAME from ...`",
        )
    protocols = scope.of(n.ProtocolNode)
    if tables and scope.models and not protocols and "protocol" not in unread:
        first = next(iter(scope.models.values()))
        proposal = "nested cv outer=5 inner=5" if _searches(study) else "cv folds=10"
        scope.report(
            codes.MISSING_STATEMENT,
            "the study has models and no protocol",
            first.keyword,
            help=f"write `protocol {proposal}`",
        )


def _searches(study: Study) -> bool:
    return any(capabilities.is_tuned(model) for model in study.models)
