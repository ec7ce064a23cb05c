"""`require` lines decided: each on the interval that is printed, for every data set and level."""

from collections.abc import Iterator, Sequence
from typing import Literal, cast

from msgspec.structs import replace

from evallang.compatibility.hypothesis_tests import difference_test, guaranteed
from evallang.engine.comparisons import OneSource, add_detectable
from evallang.engine.estimate_intervals import (
    NO_VARIATION,
    drop_zero_width,
    has_no_width,
    unbounded,
)
from evallang.engine.estimates import estimate, level_estimate, levels
from evallang.engine.evaluation import Evaluation, as_read_by, in_blocks
from evallang.engine.providers import TestInputs
from evallang.engine.walk import computes
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning import nodes
from evallang.reporting.numbers import level_of_alpha, p_value
from evallang.results.records import (
    FEW_EXAMPLES,
    Difference,
    Estimate,
    HypothesisTestResult,
    Interval,
    Requirement,
    Subgroup,
)
from evallang.results.statistics import Lacking, not_computed, with_status
from evallang.stats.decisions import (
    Decision,
    decide_equivalent,
    decide_level,
    decide_noninferior,
    decide_superior,
    error_of_one_look,
    state_disagreements,
)
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Measure, RequirementSpec, Study


@computes(nodes.REQUIREMENT)
def requirements(
    study: Study, evaluations: Sequence[Evaluation], spec: RequirementSpec
) -> tuple[Requirement, ...]:
    """Decide one `require` line wherever it applies."""
    return tuple(_decide(study, spec, evaluations))


def _decide(
    study: Study, spec: RequirementSpec, evaluations: Sequence[Evaluation]
) -> Iterator[Requirement]:
    """Decide one `require` line in every evaluation that has its models.

    A line that no evaluation has all models of is not met, in the first one.
    """
    at_level = replace(study, confidence=spec.level)
    found = [
        s for s in evaluations if set(spec.models) <= set(s.models) and s.measures(spec.metric)
    ]
    if not found and evaluations:
        missing = [m for m in spec.models if m not in evaluations[0].models]
        lacking = f"model {' and '.join(missing)}" if missing else spec.metric.written
        where = evaluations[0].data or "no data set"
        reason = f"cannot be decided: {where} has no {lacking}"
        yield _record(spec, evaluations[0], Decision(False, reason))
    for evaluation in found:
        if spec.kind == "level":
            yield from _level(at_level, spec, evaluation)
        else:
            yield _decide_difference(at_level, spec, evaluation)


def _level(study: Study, spec: RequirementSpec, evaluation: Evaluation) -> Iterator[Requirement]:
    (model,) = spec.models
    stated = next((m.interval for m in study.measures if m.metric == spec.metric), None)
    measure = Measure(spec.metric, stated)
    if spec.within is None:
        yield _decide_threshold(spec, evaluation, estimate(study, evaluation, model, measure))
        return
    if spec.within not in evaluation.subgroups:
        reason = f"cannot be decided: {evaluation.source} has no column {spec.within}"
        yield _record(spec, evaluation, Decision(False, reason))
        return
    for level in levels(evaluation, spec.within):
        found = level_estimate(study, evaluation, model, measure, spec.within, level)
        yield _decide_threshold(spec, evaluation, found)


def _decide_threshold(
    spec: RequirementSpec, evaluation: Evaluation, found: Estimate
) -> Requirement:
    relation: Literal[">=", "<="] = "<=" if spec.operator == "<=" else ">="
    threshold = spec.value if spec.value is not None else 0.0
    if found.interval is None:
        few = found.no_interval == FEW_EXAMPLES
        reason = found.notes[-1] if few else "there is no interval"
        decision = Decision(False, f"cannot be decided: {reason}")
    else:
        decision = decide_level(found.interval, threshold, relation)
    return _record(
        spec,
        evaluation,
        decision,
        value=found.value,
        interval=found.interval,
        subgroup=found.subgroup,
        notes=()
        if found.no_interval == FEW_EXAMPLES
        else (*found.notes, *(found.interval.notes if found.interval is not None else ())),
    )


def _decide_difference(study: Study, spec: RequirementSpec, evaluation: Evaluation) -> Requirement:
    for model in spec.models:
        if (without := evaluation.without_average(model)) is not None:
            return _record(spec, evaluation, Decision(False, f"cannot be decided: {without}"))
    lacking = [m for m in spec.models if evaluation.models[m].failed]
    own = as_read_by(evaluation, spec.metric)
    if lacking or any(own.outcome(m, spec.metric) is None for m in spec.models):
        why = f"a fit of {lacking[0]} failed" if lacking else "a model gives no scores"
        return _record(spec, evaluation, Decision(False, f"cannot be decided: {why}"))
    if evaluation.n_common(spec.models) == 0:
        why = "no example has a score of every model"
        return _record(spec, evaluation, Decision(False, f"cannot be decided: {why}"))
    test = spec.test and guaranteed(spec.test)
    if test is None:  # that whose interval decides
        grouped = evaluation.group_codes is not None
        classes = len(evaluation.classes)
        test = difference_test(spec.metric, evaluation.yields, classes, grouped)
    read = in_blocks(own, test).on_common_rows(spec.models)
    inputs = TestInputs(study, read, spec.metric, spec.models, test, spec.level)
    try:
        if spec.test is not None:
            return _tested(study, spec, evaluation, inputs)
        compared = inputs.test_of_difference(spec.level)
    except (OwnMetricFailed, ValueError) as error:
        return _record(spec, evaluation, Decision(False, f"cannot be decided: {error}"))
    difference = cast(Difference, compared.estimate)
    interval = Interval(
        difference.method, spec.level, difference.low, difference.high, draws=difference.draws
    )
    better = evaluation.entry(spec.metric).declaration.direction
    margin = spec.value
    if spec.kind == "superior":
        decision = decide_superior(interval, better, margin or 0.0)
    elif spec.kind == "noninferior":
        decision = decide_noninferior(interval, cast(float, margin), better)
    else:
        decision = decide_equivalent(interval, cast(float, margin))
    flat = has_no_width(difference.low, difference.high)
    return _record(
        spec,
        evaluation,
        decision,
        value=difference.value,
        interval=None if flat else interval,
        notes=(NO_VARIATION,) if flat else compared.notes,
    )


def _tested(
    study: Study, spec: RequirementSpec, evaluation: Evaluation, inputs: TestInputs
) -> Requirement:
    """Decide by a test: its p, and on which side of 0 its difference lies."""
    alpha = round(1 - spec.level, 12)  # the stated one, else the study's for one look
    if not spec.level_written:
        alpha = study.alpha if study.looks is None else error_of_one_look(study.alpha, study.looks)
    try:
        test = replace(drop_zero_width(with_status(inputs.run())), models=spec.models)
    except ValueError as error:
        null = HYPOTHESIS_TESTS[inputs.test.name].declaration.null
        lacking = Lacking("refused", str(error))
        test = not_computed(inputs.test.name, null, lacking, spec.models)
        test = replace(test, notes=(lacking.reason,))
    context = OneSource(evaluation, spec.metric)
    test = add_detectable(study, context, inputs.test, test, alpha=alpha, answers=[])
    found = test.estimate
    if found is None or found.low is None:
        found = inputs.difference(spec.level)
    if has_no_width(found.low, found.high):
        found = unbounded(found)
    better = inputs.evaluation.entry(spec.metric).declaration.direction
    right_way = (found.value or 0.0) * (1 if better == "higher" else -1) > 0
    rejects = None if test.p is None else test.p <= alpha
    met = bool(rejects) and right_way
    return _record(
        spec,
        evaluation,
        Decision(met, None if met else _not_shown(test, alpha, right_way)),
        value=found.value,
        interval=None
        if found.low is None and found.high is None
        else Interval(found.method, found.level, found.low, found.high, draws=found.draws),
        test=state_disagreements(replace(test, reject=rejects), alpha, found),
        alpha=alpha,
    )


def _not_shown(test: HypothesisTestResult, alpha: float, right_way: bool) -> str:
    if test.p is None:
        why = test.notes[-1] if test.notes else "the test is undefined"
        return f"cannot be decided: {why}"
    if not right_way:
        return "the difference is not in favour of the first model"
    printed = p_value(test.p, alpha)
    return f"p {printed.relation} {printed.text} is above {level_of_alpha(alpha)}"


def _record(
    spec: RequirementSpec,
    evaluation: Evaluation,
    decision: Decision,
    *,
    value: float | None = None,
    interval: Interval | None = None,
    subgroup: Subgroup | None = None,
    test: HypothesisTestResult | None = None,
    alpha: float | None = None,
    notes: tuple[str, ...] = (),
) -> Requirement:
    return Requirement(
        index=spec.index,
        source=spec.source,
        kind=spec.kind,
        data=evaluation.data,
        averaged=evaluation.averaged,
        protocol=evaluation.protocol,
        metric=spec.metric.written,
        models=spec.models,
        margin=None if spec.kind == "level" else spec.value,
        threshold=spec.value if spec.kind == "level" else None,
        subgroup=subgroup,
        met=decision.met,
        value=value,
        interval=None if interval is None else (interval.low, interval.high),
        level=spec.level,
        method="none" if interval is None else interval.method,
        draws=None if interval is None else interval.draws,
        test=test,
        alpha=alpha,
        operator=spec.operator,
        reason=decision.reason,
        notes=notes,
    )
