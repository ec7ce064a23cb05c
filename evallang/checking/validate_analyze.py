"""Whether the analyses of models have the predictions that they need."""

from collections.abc import Iterable, Iterator

from evallang.checking import capabilities, codes
from evallang.checking.scope import Scope
from evallang.data.dataset import DataSpec, GivenOutcomes, PredictionsSpec, Table
from evallang.diagnostics import Diagnostic, diagnose
from evallang.models.model import is_baseline
from evallang.protocols.protocol import PROTOCOLS
from evallang.spelling import listed
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.study import AnalysisSpec, SourceSpec, Study


def judge_analyses(scope: Scope, study: Study) -> None:
    """Report analyses for another task, of no predictions, and of models without scores."""
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        if declared.about == "lines":
            continue
        for message, help_text in _problems(study, spec, declared):
            scope.report(codes.ANALYSIS_NEEDS_OTHER_DATA, message, spec.span, help=help_text)
            break


def _problems(
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
    if own and all(PROTOCOLS[p.kind].declaration.full_sample for p in own):
        yield (
            f"`{name}` needs one test part of each fold, and `{own[0].kind}` tests on the rows "
            "that no round drew",
            "write `protocol cv folds=10`",
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
        if entry.declaration.about != "lines" and entry.declaration.task in (None, task)
    ]
    if names:
        return f"write {listed([f'`{name}`' for name in names], 'or')}"
    return "remove it"


def judge_read_analyses(study: Study, read: Table | GivenOutcomes) -> Iterable[Diagnostic]:
    """Refuse analyses of two classes for more, and those of probabilities for other scores."""
    named = {model.name for model in (study.models if isinstance(read, Table) else read.models)}
    for spec in study.analyses:
        declared = ANALYSES[spec.method.name].declaration
        about = read.spec.name
        if declared.about == "lines" or (spec.models and not named & set(spec.models)):
            continue
        if declared.task not in (None, read.task):
            yield diagnose(
                codes.ANALYSIS_NEEDS_OTHER_DATA,
                f"`{spec.method.name}` is for {declared.task}, and `{about}` is for {read.task}",
                spec.span,
                help=_others(read.task),
            )
        elif declared.two_classes and len(read.classes) != 2:
            yield diagnose(
                codes.ANALYSIS_NEEDS_OTHER_DATA,
                f"`{spec.method.name}` is for two classes, and `{about}` has {len(read.classes)}",
                spec.span,
                help="write `analyze confusion`, or a `target` with two values",
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
