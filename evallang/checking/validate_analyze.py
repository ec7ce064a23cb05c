"""`analyze`: what is asked besides the estimates and tests, and whether it can be computed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from msgspec import Struct

from evallang.analysis import ABOUT_LINES, ANALYSES, WITHOUT_PREDICTIONS, AnalysisDeclaration
from evallang.checking import values
from evallang.checking.resolve_measure import known_model, known_protocol, model_names
from evallang.checking.rules.study_facts import is_tuned, lacks, protocol_prefix, task_of
from evallang.checking.scope import Scope, refusal
from evallang.compatibility import metric_entry
from evallang.data.dataset import DataSpec, GivenOutcomes, PredictionsSpec, Table, Task
from evallang.diagnostics import Diagnostic
from evallang.metrics.metric import default_metric, is_mean_metric
from evallang.models.abilities import abilities
from evallang.models.model import ModelSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, written
from evallang.spelling import listed
from evallang.study import AnalysisSpec, Method, Protocol, SourceSpec, Study
from evallang.syntax import nodes as n

Problem = tuple[str, Mapping[str, Any]]
"""The key of the words for a finding, and their facts besides the name of the analysis."""


def analyses(
    scope: Scope, protocols: Sequence[Protocol], sources: Sequence[SourceSpec]
) -> tuple[AnalysisSpec, ...]:
    """Resolve every item of every `analyze` line; what this version cannot run is refused."""
    found = []
    names = model_names(scope, sources)
    for index, node in enumerate(scope.of(n.AnalyzeNode)):
        metric = values.method(scope, node.metric, "metric") if node.metric else None
        sound, protocol = known_protocol(scope, node.on, protocols)
        models = [known_model(scope, model, names) for model in node.models]
        for item in node.items:
            method = values.method(scope, item, "analysis")
            if method is None or not sound or (node.metric and metric is None):
                continue
            if _agrees(scope, node, item, method) and None not in models:
                named = tuple(name for name in models if name is not None)
                found.append(AnalysisSpec(index, method, metric, protocol, named, node.span))
    return tuple(found)


def _agrees(scope: Scope, node: n.AnalyzeNode, item: n.MethodNode, method: Method) -> bool:
    """Return whether what an analysis assumes can be true together."""
    options, declared = method.keywords(), ANALYSES[method.name].declaration
    by_lines, wrong = declared.about in ABOUT_LINES, declared.objection(options)
    if wrong is not None:
        code, message, fix = wrong
        scope.report(code, message, item.span, help=fix)
    elif node.metric and not (by_lines or declared.by_metric):
        scope.refuse("analysis_without_metric", node.metric.span, method=method)
    elif node.on and declared.about_rows:
        scope.refuse("analysis_without_protocol", node.on.span, method=method)
    elif node.models and by_lines:
        scope.refuse("analysis_of_lines", node.models[0].span, method=method)
    else:
        return True
    return False


class About(Struct, frozen=True):
    """What an analysis is about: its declaration, its protocols, the models that it fits.

    `task` is that of the study, or of its models where only the data will state it.
    """

    name: str
    declared: AnalysisDeclaration
    protocols: tuple[Protocol, ...]
    models: tuple[ModelSpec, ...]
    named: tuple[str, ...]
    fitted: bool
    task: Task | None

    def without(self, needs: str) -> dict[str, str]:
        """Return what to write for each model that does not give what is needed."""
        found = {m.name: lacks(m, needs) for m in self.models if self.fitted}
        return {model: way for model, way in found.items() if way is not None}


def judge_analyses(scope: Scope, study: Study) -> None:
    """Report analyses for another task, of no predictions, and of models without scores."""
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        if declared.about in WITHOUT_PREDICTIONS:
            if len(scope.of(n.CompareNode)) == len(study.comparisons):
                for code, message, fix in declared.judge(study, spec):
                    scope.report(code, message, spec.span, help=fix)
            continue
        own = (p for p in study.protocols if spec.protocol in (None, p.name) and not p.implied_by)
        about = About(
            spec.method.name,
            declared,
            tuple(own),
            tuple(
                m
                for m in study.fitted
                if (m.name in spec.models if spec.models else not is_baseline(m))
            ),
            spec.models,
            any(isinstance(source, DataSpec) for source in study.sources),
            study.task or task_of(study.models),
        )
        of_searches = declared.needs == "searches"
        problems = chain(
            _of_searches(study, about) if of_searches else _of_predictions(study, spec, about),
            _few_parts(study, about),
        )
        for key, facts in islice(problems, 1):
            scope.refuse(key, spec.span, name=about.name, **facts)


def _few_parts(study: Study, about: About) -> Iterator[Problem]:
    """Find protocols with fewer splits or seeds than an analysis compares."""
    declared, own = about.declared, about.protocols
    able = {model.name: abilities(model.pipeline) for model in about.models}
    draw = [name for name, a in able.items() if a.seeded or not a.known]
    splits = [PROTOCOLS[p.kind].declaration.n_splits(p.options) for p in own]
    if own and all(k is not None and k < declared.fewest_folds for k in splits):
        form = "repeated cv folds=10 times=5"
        form += " seeds=5" if declared.seeds_of_draws and draw else ""
        chosen_inside = study.tuning is not None and study.tuning.cv is not None
        if declared.needs == "searches" or (any(map(is_tuned, study.models)) and not chosen_inside):
            form = "cv folds=10" if chosen_inside else "nested cv outer=5 inner=5"
        prefix = protocol_prefix(study, own[0])
        facts = {"least": declared.fewest_folds, "kind": own[0].kind, "splits": splits[0]}
        yield "analysis_of_few_splits", {**facts, "form": f"{prefix}{form}"}
    single = [p for p in own if p.seeds < 2]
    if declared.several_seeds and about.models and own and not draw:
        yield "no_model_with_seed", {}
    elif declared.several_seeds and single and (about.protocols == tuple(single)):
        yield "one_seed", {"line": _with_seeds(single[0])}
    elif declared.seeds_of_draws and single and draw:
        facts = {"models": listed(draw, "and"), "verb": "draws" if len(draw) == 1 else "draw"}
        yield "one_seed_of_draws", {**facts, "line": _with_seeds(single[0])}


def _with_seeds(protocol: Protocol) -> str:
    line = written(protocol.kind, protocol.options, by=protocol.by, path=protocol.path, seeds=5)
    named = f"{protocol.name} = " if protocol.name != protocol.kind else ""
    return f"protocol {named}{line}"


def _of_searches(study: Study, about: About) -> Iterator[Problem]:
    """Find models without a search, and studies that fit none."""
    fixed = [m.name for m in study.models if m.name in about.named and not is_tuned(m)]
    if study.sources and not about.fitted:
        yield "searches_of_none", {}
    elif fixed or (study.models and not any(map(is_tuned, study.models))):
        which = f"{listed(fixed, 'and')} is not tuned" if fixed else "no model is tuned"
        yield "untuned", {"which": which}


def _of_predictions(study: Study, spec: AnalysisSpec, about: About) -> Iterator[Problem]:
    """Find data, protocols and models without the predictions that an analysis reads."""
    if about.declared.about_fitted:
        yield from _lacking_fits(study, about)
    if about.declared.by_metric and (spec.metric is not None or study.measures):
        metric = spec.metric or study.measures[0].metric
        yield from _unsuited_metric(study, about, metric, stated=spec.metric is not None)
    yield from _lacking_predictions(study, about)


def _lacking_fits(study: Study, about: About) -> Iterator[Problem]:
    """Find studies without a model to fit, and protocols that test on the training rows."""
    own = [(PROTOCOLS[p.kind].declaration, p) for p in about.protocols]
    stored = [m.name for m in study.models if m.stored is not None and m.name in about.named]
    if study.sources and not about.fitted:
        yield "fits_of_none", {}
    if stored:
        yield "fits_of_stored", {"models": listed(stored, "and")}
    ordered = [p.kind for d, p in own if d.neighbours]
    fits = about.declared.fits
    if fits is not None and fits.exchanging and ordered:
        dummy = "DummyRegressor" if study.task == "regression" else "DummyClassifier"
        yield "shuffled_in_time", {"kind": ordered[0], "dummy": dummy}
    for key, asked, unfit in (
        ("one_test_row", about.declared.mean_metric, [d.test_rows(p.options) == 1 for d, p in own]),
        (
            "tests_training_rows",
            fits is not None and fits.training,
            [d.tests_on_training_rows(p.options) for d, p in own],
        ),
    ):
        if asked and unfit and all(unfit):
            yield key, {"kind": own[0][1].kind}


def _unsuited_metric(
    study: Study, about: About, metric: Method, *, stated: bool
) -> Iterator[Problem]:
    """Find metrics that an analysis cannot use, and models that do not give what they need."""
    analysis, declared = about.declared, metric_entry(metric).declaration
    unweighted = analysis.mean_metric or (analysis.fits is not None and analysis.fits.exchanging)
    if unweighted and any(getattr(source, "weight", None) for source in study.sources):
        yield "analysis_without_weights", {}
    ours = not metric.code and metric.better is None
    another = "write another metric after `by`"
    if ours:
        another = f"write `analyze {about.name} by {default_metric(about.task or declared.task)}`"
    facts = {"metric": metric, "another": another}
    if ours and stated and about.task not in (None, declared.task):
        yield "metric_of_another_task", {**facts, "of": declared.task, "task": about.task}
    elif analysis.directed and not declared.directed and metric.better is None:
        yield "analysis_by_undirected", facts
    elif analysis.mean_metric and not (metric.better or (ours and is_mean_metric(declared))):
        yield "analysis_by_no_mean", facts
    elif ours:
        for model, way in about.without(declared.needs).items():
            yield (
                "outputs_by_metric",
                {**facts, "needs": declared.needs, "model": model, "way": way},
            )


def _lacking_predictions(study: Study, about: About) -> Iterator[Problem]:
    """Find tasks, sources, protocols and models without the predictions that are needed."""
    needs, own = about.declared.needs, about.protocols
    predictions = [s for s in study.sources if isinstance(s, PredictionsSpec) and not s.judged]
    if about.declared.task is not None and about.task not in (None, about.declared.task):
        fix = _others(about.task)
        yield (
            "analysis_of_another_task",
            {
                "of": about.declared.task,
                "task": about.task,
                "help": fix,
            },
        )
    if study.sources and not (about.fitted or predictions):
        yield "no_predictions", {}
    whole = own and all(PROTOCOLS[p.kind].declaration.full_sample for p in own)
    if whole and not about.declared.about_rows:
        yield "no_test_part", {"kind": own[0].kind, "prefix": protocol_prefix(study, own[0])}
    lacking = about.without(needs)
    if lacking:
        way, models = next(iter(lacking.values())), listed(lacking, "and")
        yield "outputs_of_models", {"needs": needs, "models": models, "way": way}
    for source in predictions if needs != "labels" else ():
        analyzed = (m for m in source.models if not about.named or m.name in about.named)
        bare = [m.name for m in analyzed if not (m.score or m.scores)]
        if bare:
            facts = {"needs": needs, "source": source.name, "first": bare[0]}
            yield "no_scores_of_models", {**facts, "models": listed(bare, "and")}


def _others(task: Task | None) -> str:
    declared = ((entry.name, entry.declaration) for entry in ANALYSES)
    names = [
        f"`{name}`"
        for name, d in declared
        if d.about not in WITHOUT_PREDICTIONS and d.task == task and task
    ]
    return f"write {listed(names, 'or')}" if names else "remove it"


def judge_read_analyses(study: Study, read: Table | GivenOutcomes) -> Iterable[Diagnostic]:
    """Refuse analyses for another task, and those of probabilities for other scores."""
    named = {model.name for model in (study.models if isinstance(read, Table) else read.models)}
    for spec in study.analyses:
        declared, name = ANALYSES[spec.method.name].declaration, spec.method.name
        if declared.about in WITHOUT_PREDICTIONS or (spec.models and not named & set(spec.models)):
            continue
        if declared.task not in (None, read.task):
            of, task = declared.task, read.task
            fix = _others(task)
            yield refusal(
                "analysis_of_another_task", spec.span, help=fix, name=name, of=of, task=task
            )
        elif isinstance(read, GivenOutcomes) and declared.needs == "probabilities":
            asked = spec.models or tuple(model.name for model in read.models)
            without = [m for m in asked if m in read.scores and m not in read.probabilities]
            if without:
                yield refusal(
                    "scores_not_probabilities",
                    spec.span,
                    spec=spec,
                    about=read.spec.name,
                    without=listed(without, "and"),
                )
