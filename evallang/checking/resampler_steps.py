"""Resamplers where they cannot work: last, twice, in a branch, in a regression, with weights."""

from collections.abc import Sequence

from evallang.checking.class_names import Broken
from evallang.checking.scope import Scope
from evallang.compatibility import is_weighted
from evallang.diagnostics import Edit, Fix, codes
from evallang.models.abilities import abilities, classes_of, is_resampler, models_in, resamplers
from evallang.models.model import EstimatorSpec, ParameterValue, PipelineSpec, StepSpec
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


def judge_branch(scope: Scope, pipeline: PipelineSpec, node: n.PipelineNode) -> None:
    """Report a resampler in a branch of `columns(...)`, whose branches must have the same rows."""
    names = [s.name for s in pipeline.steps if isinstance(s, EstimatorSpec) and is_resampler(s)]
    if names:
        scope.report(
            codes.misplaced_resampler,
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
                codes.misplaced_resampler,
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
                codes.nothing_to_resample,
                f"a row that `{names[0]}` makes has no weight, and the examples of "
                f"`{weighted[0].name}` have weights",
                (scope.models[model.name].pipeline or scope.models[model.name]).span,
                help=f"remove `{names[0]}` from `{model.name}` and write `class_weight=balanced` "
                "in its classifier, which heeds the weights too",
            )
