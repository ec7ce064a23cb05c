"""Whether the analyses of models have the predictions that they need."""

import itertools
from collections.abc import Iterable, Iterator

from msgspec import Struct

from evallang.analysis import ABOUT_LINES, ANALYSES, AnalysisDeclaration, Problem
from evallang.checking import capabilities
from evallang.checking.capabilities import is_tuned
from evallang.checking.rules.study_facts import protocol_prefix
from evallang.checking.scope import Scope
from evallang.compatibility import metric_entry
from evallang.data.dataset import DataSpec, GivenOutcomes, PredictionsSpec, Table, Task
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.metrics.metric import default_metric, is_mean_metric
from evallang.models.abilities import abilities
from evallang.models.model import ModelSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, written
from evallang.spelling import listed
from evallang.study import AnalysisSpec, Method, Protocol, Study
from evallang.syntax import nodes as n


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

    def takes(self, model: str, *, baseline: bool = False) -> bool:
        """Return whether a model is analyzed: one that is named, or any but a baseline."""
        return model in self.named if self.named else not baseline

    def without(self, needs: str) -> dict[str, str]:
        """Return what to write for each model that does not give what is needed."""
        found = {m.name: capabilities.lacks(m, needs) for m in self.models if self.fitted}
        return {model: way for model, way in found.items() if way is not None}


def judge_analyses(scope: Scope, study: Study) -> None:
    """Report analyses for another task, of no predictions, and of models without scores."""
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        if declared.about in ABOUT_LINES:
            if len(scope.of(n.CompareNode)) == len(study.comparisons):
                for code, message, help_text in declared.judge(study, spec):
                    scope.report(code, message, spec.span, help=help_text)
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
            study.task or capabilities.task_of(study.models),
        )
        of_searches = declared.needs == "searches"
        problems = itertools.chain(
            _of_searches(study, about) if of_searches else _of_predictions(study, spec, about),
            _few_parts(study, about),
        )
        for code, message, help_text in problems:
            scope.report(code, f"`{about.name}` {message}", spec.span, help=help_text)
            break


def _few_parts(study: Study, about: About) -> Iterator[Problem]:
    """Find protocols with fewer splits or seeds than an analysis compares."""
    declared, own = about.declared, about.protocols
    draw = _drawing(about.models)
    splits = [PROTOCOLS[p.kind].declaration.n_splits(p.options) for p in own]
    if own and all(k is not None and k < declared.fewest_folds for k in splits):
        seeds = " seeds=5" if declared.seeds_of_draws and draw else ""
        form = f"repeated cv folds=10 times=5{seeds}"
        chosen_inside = study.tuning is not None and study.tuning.cv is not None
        if declared.needs == "searches" or (any(map(is_tuned, study.models)) and not chosen_inside):
            form = "cv folds=10" if chosen_inside else "nested cv outer=5 inner=5"
        yield (
            codes.analysis_needs_splits,
            f"needs {declared.fewest_folds} splits or more, and `{own[0].kind}` has {splits[0]}",
            f"write `protocol {protocol_prefix(study, own[0])}{form}`",
        )
    single = [p for p in own if p.seeds < 2]
    code = codes.analysis_needs_seeds
    if declared.several_seeds and about.models and own and not draw:
        yield code, "compares seeds, and no model takes one", "remove it"
    elif declared.several_seeds and single and (about.protocols == tuple(single)):
        message = "compares seeds, and the protocol fits each model with one"
        yield code, message, _with_seeds(single[0])
    elif declared.seeds_of_draws and single and draw:
        verb = "draws" if len(draw) == 1 else "draw"
        message = f"tells seeds from splits, and {listed(draw, 'and')} {verb} at random with one"
        yield code, f"{message} seed", f"{_with_seeds(single[0])}, or name other models"


def _with_seeds(protocol: Protocol) -> str:
    line = written(protocol.kind, protocol.options, by=protocol.by, path=protocol.path, seeds=5)
    named = f"{protocol.name} = " if protocol.name != protocol.kind else ""
    return f"write `protocol {named}{line}`"


def _drawing(models: Iterable[ModelSpec]) -> list[str]:
    """Return the models that draw at random."""
    able = {model.name: abilities(model.pipeline) for model in models}
    return [name for name, a in able.items() if a.seeded or not a.known]


def _of_searches(study: Study, about: About) -> Iterator[Problem]:
    """Find models without a search, and studies that fit none."""
    code = codes.analysis_without_search
    fixed = [m.name for m in study.models if m.name in about.named and not is_tuned(m)]
    if study.sources and not about.fitted:
        yield code, "is about searches, and this study fits no model", "remove it"
    elif fixed or (study.models and not any(map(is_tuned, study.models))):
        which = f"{listed(fixed, 'and')} is not tuned" if fixed else "no model is tuned"
        help_ = (
            f"write candidates after `in`, or name other models: `analyze {about.name} of MODEL`"
        )
        yield code, f"is about searches, and {which}", help_


def _of_predictions(study: Study, spec: AnalysisSpec, about: About) -> Iterator[Problem]:
    """Find data, protocols and models without the predictions that an analysis reads."""
    if about.declared.about_fitted:
        for message, help_text in _lacking_fits(study, about):
            yield codes.analysis_needs_other_data, message, help_text
    if about.declared.by_metric and (spec.metric is not None or study.measures):
        metric = spec.metric or study.measures[0].metric
        yield from _unsuited_metric(study, about, metric, stated=spec.metric is not None)
    for message, help_text in _lacking_predictions(study, about):
        yield codes.analysis_needs_other_data, message, help_text


def _lacking_fits(study: Study, about: About) -> Iterator[tuple[str, str]]:
    """Find studies without a model to fit, and protocols that test on the training rows."""
    own, kinds = about.protocols, [PROTOCOLS[p.kind].declaration for p in about.protocols]
    stored = [m.name for m in study.models if m.stored is not None and m.name in about.named]
    if study.sources and not about.fitted:
        yield "fits models, and this study fits none", "remove it"
    if stored:
        message = f"fits models, and the predictions of {listed(stored, 'and')} are stored"
        yield message, f"name other models: `analyze {about.name} of MODEL`"
    if not own:
        return
    first = f"`{own[0].kind}`"
    if about.declared.mean_metric and all(
        d.test_rows(p.options) == 1 for d, p in zip(kinds, own, strict=True)
    ):
        message = f"needs several test rows in each split, and {first} has one"
        yield message, "write `protocol repeated cv folds=10 times=5`"
    ordered = [p for d, p in zip(kinds, own, strict=True) if d.neighbours]
    fits = about.declared.fits
    if fits is not None and fits.exchanging and ordered:
        dummy = "DummyRegressor" if study.task == "regression" else "DummyClassifier"
        message = f"exchanges targets between rows, and `{ordered[0].kind}` orders them in time"
        yield message, f"remove it, and compare with a baseline: `model baseline = {dummy}`"
    if (
        fits is not None
        and fits.training
        and all(d.tests_on_training_rows(p.options) for d, p in zip(kinds, own, strict=True))
    ):
        message = f"compares training rows with test rows, and {first} tests on the training rows"
        yield message, "write `protocol cv folds=10`"


def _unsuited_metric(
    study: Study, about: About, metric: Method, *, stated: bool
) -> Iterator[Problem]:
    """Find metrics that an analysis cannot use, and models that do not give what they need."""
    code, analysis = codes.analysis_needs_other_data, about.declared
    unweighted = analysis.mean_metric or (analysis.fits is not None and analysis.fits.exchanging)
    declared = metric_entry(metric).declaration
    if unweighted and any(getattr(source, "weight", None) for source in study.sources):
        message = "counts every example once, and the examples have weights"
        yield code, message, "remove it, or `weight`"
    another = "write another metric after `by`"
    if not metric.code and metric.better is None:
        another = f"write `analyze {about.name} by {default_metric(about.task or declared.task)}`"
        if stated and about.task not in (None, declared.task):
            message = f"is by `{metric.name}`, a metric for {declared.task}, and the study is for "
            yield codes.wrong_task, f"{message}{about.task}", another
            return
    if analysis.directed and declared.better == "nearest" and metric.better is None:
        message = "counts scores that are as good, and neither a high nor a low "
        yield codes.metric_without_direction, f"{message}`{metric.name}` is good", another
    elif analysis.mean_metric and (
        metric.code or (metric.better is None and not is_mean_metric(declared))
    ):
        yield code, f"needs a mean over the examples, and `{metric.name}` is not one", another
    elif metric.better is None and not metric.code:
        for model, way in about.without(declared.needs).items():
            message = f"needs {declared.needs} by `{metric.name}`, which `{model}` does not give"
            yield code, message, f"{way}, or {another}"


def _lacking_predictions(study: Study, about: About) -> Iterator[tuple[str, str]]:
    """Find tasks, sources, protocols and models without the predictions that are needed."""
    needs, own = about.declared.needs, about.protocols
    predictions = [s for s in study.sources if isinstance(s, PredictionsSpec) and not s.judged]
    if about.declared.task is not None and about.task not in (None, about.declared.task):
        yield (
            f"is for {about.declared.task}, and the study is for {about.task}",
            _others(about.task),
        )
    if study.sources and not (about.fitted or predictions):
        yield (
            "needs the prediction of each example, and no source of the study has them",
            'write a `data` statement, or `predictions NAME from "FILE"` with `truth COLUMN`',
        )
    whole = own and all(PROTOCOLS[p.kind].declaration.full_sample for p in own)
    if whole and not about.declared.about_rows:
        yield (
            f"needs one test part of each fold, and `{own[0].kind}` tests on the rows that no "
            "round drew",
            f"write `protocol {protocol_prefix(study, own[0])}cv folds=10`",
        )
    lacking = about.without(needs)
    if lacking:
        message = f"needs {needs}, which {listed(lacking, 'and')} does not give"
        other = f"name other models: `analyze {about.name} of MODEL`"
        yield message, f"{next(iter(lacking.values()))}, or {other}"
    for source in predictions:
        bare = [m.name for m in source.models if about.takes(m.name) and not (m.score or m.scores)]
        if needs != "labels" and bare:
            yield (
                f"needs {needs}, and `{source.name}` has none of {listed(bare, 'and')}",
                f'write `score {bare[0]} = "COLUMN"` below `predictions {source.name}`',
            )


def _others(task: str | None) -> str:
    names = [
        entry.name
        for entry in ANALYSES
        if entry.declaration.about not in ABOUT_LINES
        and task is not None
        and entry.declaration.task == task
    ]
    if names:
        return f"write {listed([f'`{name}`' for name in names], 'or')}"
    return "remove it"


def judge_read_analyses(study: Study, read: Table | GivenOutcomes) -> Iterable[Diagnostic]:
    """Refuse analyses for another task, and those of probabilities for other scores."""
    named = {model.name for model in (study.models if isinstance(read, Table) else read.models)}
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        about = read.spec.name
        if declared.about in ABOUT_LINES or (spec.models and not named & set(spec.models)):
            continue
        if declared.task not in (None, read.task):
            yield diagnose(
                codes.analysis_needs_other_data,
                f"`{spec.method.name}` is for {declared.task}, and `{about}` is for {read.task}",
                spec.span,
                help=_others(read.task),
            )
        elif isinstance(read, GivenOutcomes) and declared.needs == "probabilities":
            asked = spec.models or tuple(model.name for model in read.models)
            without = [m for m in asked if m in read.scores and m not in read.probabilities]
            if without:
                yield diagnose(
                    codes.analysis_needs_other_data,
                    f"`{spec.method.name}` needs probabilities, and the scores of "
                    f"{listed(without, 'and')} in `{about}` are not all from 0 to 1",
                    spec.span,
                    help="calibrate the scores, or name other models: "
                    f"`analyze {spec.method.name} of MODEL`",
                )
