"""Resamplers where they cannot work: last, twice, in a branch, in a regression, with weights."""

from collections.abc import Sequence

from evallang.checking import codes
from evallang.checking.class_names import Broken
from evallang.checking.scope import Scope
from evallang.compatibility import is_weighted
from evallang.diagnostics import Edit, Fix
from evallang.models.abilities import abilities, classes_of, models_in
from evallang.models.model import EstimatorSpec, ParameterValue, PipelineSpec, StepSpec
from evallang.models.resamplers import is_resampler, resamplers
from evallang.source import Span
from evallang.study import Study
from evallang.syntax import nodes as n

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
        if is_model and last:
            _report_last(scope, step, place)
            raise Broken
        if step.name in seen:
            _report(
                scope,
                f"`{step.name}` is already a step of this pipeline",
                f"remove the second `{step.name}`",
                number,
                places,
            )
            raise Broken
        if not last and abilities(PipelineSpec(tuple(steps))).kind == "regressor":
            _report(
                scope,
                f"`{step.name}` resamples classes, and a regression predicts numbers",
                f"remove `{step.name}`",
                number,
                places,
                regression=True,
            )
            raise Broken
        seen.add(step.name)


def _report_last(scope: Scope, step: EstimatorSpec, place: n.Node) -> None:
    words = f"end the pipeline with a classifier: `{step.name} | {ENDING}`"
    end = Span(place.span.path, place.span.end, place.span.end)
    scope.report(
        codes.MISPLACED_RESAMPLER,
        f"`{step.name}` resamples training rows and predicts nothing",
        place.span,
        help=words,
        fixes=[Fix(words, (Edit(end, f" | {ENDING}"),), safe=False)],
    )


def _report(
    scope: Scope,
    message: str,
    words: str,
    number: int,
    places: Sequence[n.Node],
    *,
    regression: bool = False,
) -> None:
    """Report a step with the fix that removes it, if the line names it by itself."""
    place = places[number]
    fixes = []
    if places.count(place) == 1:
        cut = (
            Span(place.span.path, place.span.start, places[1].span.start)
            if number == 0
            else Span(place.span.path, places[number - 1].span.end, place.span.end)
        )
        fixes = [Fix(words, (Edit(cut, ""),), safe=False)]
    code = codes.NOTHING_TO_RESAMPLE if regression else codes.MISPLACED_RESAMPLER
    scope.report(code, message, place.span, help=words, fixes=fixes)


def judge_branch(scope: Scope, pipeline: PipelineSpec, node: n.PipelineNode) -> None:
    """Report a resampler in a branch of `columns(...)`, whose branches must have the same rows."""
    names = [s.name for s in pipeline.steps if isinstance(s, EstimatorSpec) and is_resampler(s)]
    if names:
        scope.report(
            codes.MISPLACED_RESAMPLER,
            f"`{names[0]}` resamples rows, and all branches of `columns` must have the same rows",
            node.span,
            help=f"write it as a step after them: `columns(...) | {names[0]} | {ENDING}`",
        )
        raise Broken


def judge_value(scope: Scope, value: ParameterValue, node: n.Node) -> None:
    """Report a resampler as a model that a parameter holds."""
    for model in models_in(value):
        last = model.steps[-1]
        if isinstance(last, EstimatorSpec) and is_resampler(last):
            scope.report(
                codes.MISPLACED_RESAMPLER,
                f"`{last.name}` resamples training rows and predicts nothing",
                node.span,
                help="write it as a step before a classifier, which a `let` or a model may name: "
                f"`{last.name} | {ENDING}`",
            )
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
            scope.report(
                codes.NOTHING_TO_RESAMPLE,
                f"a row that `{names[0]}` makes has no weight, and the examples of "
                f"`{weighted[0].name}` have weights",
                (scope.models[model.name].pipeline or scope.models[model.name]).span,
                help=f"remove `{names[0]}` from `{model.name}` and write `class_weight=balanced` "
                "in its classifier, which heeds the weights too",
            )
