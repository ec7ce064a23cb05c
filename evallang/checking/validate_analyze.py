"""Whether the analyses of models have the predictions that they need."""

import itertools
from collections.abc import Iterable, Iterator

from evallang.checking import capabilities, codes
from evallang.checking.capabilities import is_tuned
from evallang.checking.rules.study_facts import protocol_prefix
from evallang.checking.scope import Scope
from evallang.checking.tests_instead import other_tests_over_repeats
from evallang.compatibility import is_grouped, metric_entry
from evallang.compatibility.hypothesis_tests import form_asked, tests_asked
from evallang.data.dataset import DataSpec, GivenOutcomes, PredictionsSpec, Table
from evallang.diagnostics import Code, Diagnostic, diagnose
from evallang.hypotheses import decides_pairs
from evallang.metrics.metric import default_metric, is_mean_metric
from evallang.models.abilities import abilities
from evallang.models.model import ModelSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS, written
from evallang.spelling import listed
from evallang.stats.analyses.analysis import ABOUT_LINES, ANALYSES, AnalysisDeclaration
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import AnalysisSpec, Protocol, SourceSpec, Study
from evallang.syntax import nodes as n


def judge_analyses(scope: Scope, study: Study) -> None:
    """Report analyses for another task, of no predictions, and of models without scores."""
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        if declared.about in ABOUT_LINES:
            if declared.about == "decisions":
                _judge_lines(scope, study, spec)
            else:
                _judge_assumptions(scope, study, spec)
            continue
        found = _of_searches if declared.needs == "searches" else _of_predictions
        problems = itertools.chain(
            found(study, spec),
            _few_splits(study, spec, declared),
            _few_seeds(study, spec, declared),
        )
        for code, message, help_text in problems:
            scope.report(code, message, spec.span, help=help_text)
            break


def _judge_lines(scope: Scope, study: Study, spec: AnalysisSpec) -> None:
    """Report an analysis of decisions in a study whose lines decide no pair."""
    about = [c for c in study.comparisons if spec.protocol in (None, c.protocol)]
    if any(map(decides_pairs, about)) or len(scope.of(n.CompareNode)) > len(study.comparisons):
        return
    scope.report(
        codes.ANALYSIS_NEEDS_OTHER_DATA,
        f"`{spec.method.name}` is about decisions on pairs of models, and no `compare` line makes "
        "one",
        spec.span,
        help="write `compare A, B with TEST`, without `exploratory`",
    )


def _judge_assumptions(scope: Scope, study: Study, spec: AnalysisSpec) -> None:
    """Report an option of the power of other tests than the lines name."""
    if len(scope.of(n.CompareNode)) > len(study.comparisons) or not study.sources:
        return
    known: set[str] = set()
    used: set[str] = set()
    for metric, test, name in tests_asked(study, spec):
        power = HYPOTHESIS_TESTS[test.name].declaration.power
        if power is not None:
            known.add(test.name)
            # A line that names no protocol is not assigned one yet
            own = [p for p in study.protocols if name in (None, p.name)]
            for protocol in own or (None,):
                used |= power.options(form_asked(metric, study.sources[0], protocol))
    every = {o for e in HYPOTHESIS_TESTS if (p := e.declaration.power) for o in p.options(None)}
    written = [name for name, _ in spec.method.options if name in every and name not in used]
    if known and not written and "icc" in used:
        _judge_groups(scope, study, spec)
    if not known or not written:
        return
    verb = "does" if len(written) == 1 else "do"
    stated = {name for name, _ in spec.method.options}
    options = ANALYSES[spec.method.name].options
    further = [o.name for o in options if o.name in used and o.name not in stated]
    other = ""
    if further:
        apply = "apply" if len(further) > 1 else "applies"
        whose = "that test" if len(known) == 1 else "those tests"
        other = f"; {listed(further, 'and')} {apply} to {whose}"
    scope.report(
        codes.ASSUMPTION_OF_ANOTHER_TEST,
        f"{listed(written, 'and')} {verb} not apply to the power of {listed(sorted(known), 'or')}",
        spec.span,
        help=f"remove {'it' if len(written) == 1 else 'them'}{other}",
    )


def _judge_groups(scope: Scope, study: Study, spec: AnalysisSpec) -> None:
    """Report a correlation within groups in a study without groups."""
    options = dict(spec.method.options)
    if options.get("icc") is None or options.get("group_size") is not None:
        return
    if any(is_grouped(source, study.group) for source in study.sources):
        return
    scope.report(
        codes.ANALYSIS_NEEDS_OTHER_DATA,
        "`icc` is about examples in groups, and no source of the study has groups",
        spec.span,
        help="write the size of a group with it: `power(icc=10%, group_size=8)`",
    )


Problem = tuple[Code, str, str]
"""The code of a finding, its message and its help."""


def _few_splits(
    study: Study, spec: AnalysisSpec, declared: AnalysisDeclaration
) -> Iterator[Problem]:
    """Find a protocol with fewer splits than an analysis compares."""
    own = [p for p in study.protocols if spec.protocol in (None, p.name) and not p.implied_by]
    splits = [PROTOCOLS[p.kind].declaration.n_splits(p.options) for p in own]
    if own and all(k is not None and k < declared.fewest_folds for k in splits):
        name = spec.method.name
        yield (
            codes.ANALYSIS_NEEDS_SPLITS,
            f"`{name}` needs {declared.fewest_folds} splits or more, and `{own[0].kind}` has "
            f"{splits[0]}",
            _more_splits(study, spec, declared, own[0]),
        )


def _more_splits(
    study: Study, spec: AnalysisSpec, declared: AnalysisDeclaration, protocol: Protocol
) -> str:
    named = protocol_prefix(study, protocol)
    searched = any(map(is_tuned, study.models)) and (study.tuning is None or not study.tuning.cv)
    if declared.needs == "searches" or searched:
        own = study.tuning is not None and study.tuning.cv is not None
        return f"write `protocol {named}{'cv folds=10' if own else 'nested cv outer=5 inner=5'}`"
    seeds = " seeds=5" if declared.seeds_of_draws and _drawing(_asked(study, spec)) else ""
    others = other_tests_over_repeats(study, protocol)
    return f"write `protocol {named}repeated cv folds=10 times=5{seeds}`{others}"


def _few_seeds(
    study: Study, spec: AnalysisSpec, declared: AnalysisDeclaration
) -> Iterator[Problem]:
    """Find protocols with one seed where seeds are compared, or models draw at random."""
    own = [p for p in study.protocols if spec.protocol in (None, p.name) and not p.implied_by]
    if not own or not (declared.several_seeds or declared.seeds_of_draws):
        return
    asked = _asked(study, spec)
    draw = _drawing(asked)
    name, code = spec.method.name, codes.ANALYSIS_NEEDS_SEEDS
    if declared.several_seeds and asked and not draw:
        yield code, f"`{name}` compares seeds, and no model takes one", "remove it"
        return
    single = [p for p in own if p.seeds < 2]
    if not single or (spec.protocol is None and declared.several_seeds and len(single) < len(own)):
        return
    p = single[0]
    line = written(p.kind, p.options, by=p.by, path=p.path, seeds=5)
    named = f"{p.name} = " if p.name != p.kind else ""
    if declared.several_seeds:
        message = f"`{name}` compares seeds, and the protocol fits each model with one"
        yield code, message, f"write `protocol {named}{line}`"
    elif draw:
        verb = "draws" if len(draw) == 1 else "draw"
        yield (
            code,
            f"`{name}` tells seeds from splits, and {listed(draw, 'and')} {verb} at random with "
            "one seed",
            f"write `protocol {named}{line}`, or name models that do not draw: "
            f"`analyze {name} of MODEL`",
        )


def _asked(study: Study, spec: AnalysisSpec) -> list[ModelSpec]:
    """Return the models that an analysis fits."""
    return [m for m in study.fitted if m.name in spec.models or _taken(spec, is_baseline(m))]


def _drawing(models: Iterable[ModelSpec]) -> list[str]:
    """Return the models that draw at random."""
    able = {model.name: abilities(model.pipeline) for model in models}
    return [name for name, a in able.items() if a.seeded or not a.known]


def _of_searches(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find models without a search, and studies that fit none."""
    name, code = spec.method.name, codes.ANALYSIS_WITHOUT_SEARCH
    if study.sources and not any(isinstance(source, DataSpec) for source in study.sources):
        yield code, f"`{name}` is about searches, and this study fits no model", "remove it"
    fixed = [m.name for m in study.models if m.name in spec.models and not is_tuned(m)]
    if fixed:
        verb = "is" if len(fixed) == 1 else "are"
        yield (
            code,
            f"`{name}` is about searches, and {listed(fixed, 'and')} {verb} not tuned",
            f"write candidates after `in`, or name other models: `analyze {name} of MODEL`",
        )
    elif study.models and not any(map(is_tuned, study.models)):
        yield (
            code,
            f"`{name}` is about searches, and no model is tuned",
            "write candidates after `in`, such as `max_depth in 1..8`",
        )


def _of_predictions(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find data, protocols and models without the predictions that an analysis reads."""
    declared = ANALYSES[spec.method.name].declaration
    if declared.fits is not None:
        for message, help_text in _lacking_fits(study, spec):
            yield codes.ANALYSIS_NEEDS_OTHER_DATA, message, help_text
    if declared.by_metric:
        yield from _lacking_outputs(study, spec)
    for message, help_text in _lacking_predictions(study, spec, declared):
        yield codes.ANALYSIS_NEEDS_OTHER_DATA, message, help_text


def _lacking_fits(study: Study, spec: AnalysisSpec) -> Iterator[tuple[str, str]]:
    """Find studies without a model to fit, and protocols that test on the training rows."""
    name = spec.method.name
    if study.sources and not any(isinstance(source, DataSpec) for source in study.sources):
        yield f"`{name}` fits models, and this study fits none", "remove it"
    stored = [m.name for m in study.models if m.stored is not None and m.name in spec.models]
    if stored:
        verb = "is" if len(stored) == 1 else "are"
        yield (
            f"`{name}` fits models, and {listed(stored, 'and')} {verb} not fitted here",
            f"name other models: `analyze {name} of MODEL`",
        )
    own = [p for p in study.protocols if spec.protocol in (None, p.name) and not p.implied_by]
    inside = [p for p in own if PROTOCOLS[p.kind].declaration.tests_on_training_rows(p.options)]
    alone = [p for p in own if PROTOCOLS[p.kind].declaration.test_rows(p.options) == 1]
    declared = ANALYSES[name].declaration
    if declared.mean_metric and own and len(alone) == len(own):
        yield (
            f"`{name}` needs several test rows in each split, and `{own[0].kind}` has one",
            "write `protocol repeated cv folds=10 times=5`",
        )
    ordered = [p for p in own if PROTOCOLS[p.kind].declaration.yields(p.options).ordered]
    if declared.fits == "shuffled" and ordered:
        yield (
            f"`{name}` exchanges targets between rows, and `{ordered[0].kind}` orders them in time",
            "remove it, and compare with a baseline: `model baseline = DummyRegressor`"
            if study.task == "regression"
            else "remove it, and compare with a baseline: `model baseline = DummyClassifier`",
        )
    if declared.fits == "subsets" and own and len(inside) == len(own):
        yield (
            f"`{name}` compares training rows with test rows, and `{own[0].kind}` tests on the "
            "training rows",
            "write `protocol cv folds=10`",
        )


def _lacking_outputs(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find models that do not give what the metric of an analysis needs."""
    if spec.metric is None and not study.measures:
        return
    metric = spec.metric or study.measures[0].metric
    analysis = ANALYSES[spec.method.name].declaration
    if metric.code and analysis.mean_metric:
        yield (
            codes.ANALYSIS_NEEDS_OTHER_DATA,
            f"`{spec.method.name}` needs a mean over the examples, and what `{metric.written}` "
            "gives each example is not known",
            "write another metric after `by`",
        )
    unweighted = analysis.mean_metric or analysis.fits == "shuffled"
    if unweighted and any(getattr(source, "weight", None) for source in study.sources):
        yield (
            codes.ANALYSIS_NEEDS_OTHER_DATA,
            f"`{spec.method.name}` counts every example once, and the examples have weights",
            "remove it, or `weight`",
        )
    if metric.better is not None or metric.code:
        return
    declared = metric_entry(metric).declaration
    task = study.task or capabilities.task_of(study.models)
    name = spec.method.name
    if task not in (None, declared.task) and spec.metric is not None:
        yield (
            codes.WRONG_TASK,
            f"`{metric.name}` is a metric for {declared.task}, and the study is for {task}",
            "write another metric after `by`",
        )
        return
    if analysis.directed and declared.better == "nearest":
        yield (
            codes.METRIC_WITHOUT_DIRECTION,
            f"`{name}` counts scores that are as good, and neither a high nor a low "
            f"`{metric.name}` is good",
            f"write `analyze {name} by {default_metric(task or declared.task)}`",
        )
        return
    if analysis.mean_metric and not is_mean_metric(declared):
        yield (
            codes.ANALYSIS_NEEDS_OTHER_DATA,
            f"`{name}` needs a mean over the examples, and `{metric.name}` is not one",
            f"write `analyze {name} by {default_metric(task or declared.task)}`",
        )
        return
    if not any(isinstance(source, DataSpec) for source in study.sources):
        return
    for model in study.fitted:
        way = capabilities.lacks(model, declared.needs)
        if way is not None and (model.name in spec.models or _taken(spec, is_baseline(model))):
            yield (
                codes.ANALYSIS_NEEDS_OTHER_DATA,
                f"`{metric.name}` needs {declared.needs}, which `{model.name}` does not give",
                f"{way}, or write another metric: `analyze {name} by METRIC`",
            )
            return


def _lacking_predictions(
    study: Study, spec: AnalysisSpec, declared: AnalysisDeclaration
) -> Iterator[tuple[str, str]]:
    name = spec.method.name
    task = study.task or capabilities.task_of(study.models)
    if declared.task is not None and task not in (None, declared.task):
        yield f"`{name}` is for {declared.task}, and the study is for {task}", _others(task)
    if study.sources and not any(map(_has_predictions, study.sources)):
        yield (
            f"`{name}` needs the prediction of each example, and no source of the study has them",
            'write a `data` statement, or `predictions NAME from "FILE"` with `truth COLUMN`',
        )
    own = [p for p in study.protocols if spec.protocol in (None, p.name)]
    if (
        declared.fits != "rounds"
        and own
        and all(PROTOCOLS[p.kind].declaration.full_sample for p in own)
    ):
        yield (
            f"`{name}` needs one test part of each fold, and `{own[0].kind}` tests on the rows "
            "that no round drew",
            f"write `protocol {protocol_prefix(study, own[0])}cv folds=10`",
        )
    if any(isinstance(source, DataSpec) for source in study.sources):
        fitted = [m for m in study.models if m.name in spec.models or _taken(spec, is_baseline(m))]
        lacking = {m.name: capabilities.lacks(m, declared.needs) for m in fitted}
        without = [model for model, way in lacking.items() if way is not None]
        if without:
            give = "gives" if len(without) == 1 else "give"
            way = f"{lacking[without[0]]}, or name other models: `analyze {name} of MODEL`"
            yield (
                f"`{name}` needs {declared.needs}, and {listed(without, 'and')} {give} none",
                way,
            )
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and source.judged is None:
            given = [m for m in source.models if m.name in spec.models or _taken(spec, False)]
            bare = [m.name for m in given if not (m.score or m.scores)]
            if declared.needs != "labels" and bare:
                yield (
                    f"`{name}` needs {declared.needs}, and `{source.name}` has none of "
                    f"{listed(bare, 'and')}",
                    f'write `score {bare[0]} = "COLUMN"` below `predictions {source.name}`',
                )


def _taken(spec: AnalysisSpec, baseline: bool) -> bool:
    return not spec.models and not baseline


def _has_predictions(source: SourceSpec) -> bool:
    if isinstance(source, PredictionsSpec):
        return source.judged is None
    return isinstance(source, DataSpec)


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
                codes.ANALYSIS_NEEDS_OTHER_DATA,
                f"`{spec.method.name}` is for {declared.task}, and `{about}` is for {read.task}",
                spec.span,
                help=_others(read.task),
            )
        elif isinstance(read, GivenOutcomes) and declared.needs == "probabilities":
            asked = spec.models or tuple(model.name for model in read.models)
            without = [m for m in asked if m in read.scores and m not in read.probabilities]
            if without:
                yield diagnose(
                    codes.ANALYSIS_NEEDS_OTHER_DATA,
                    f"`{spec.method.name}` needs probabilities, and the scores of "
                    f"{listed(without, 'and')} in `{about}` are not all from 0 to 1",
                    spec.span,
                    help="calibrate the scores, or name other models: "
                    f"`analyze {spec.method.name} of MODEL`",
                )
