"""`require` lines decided: each on the interval that is printed, for every data set and level."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, cast

from evallang.engine.estimates import estimate
from evallang.engine.repeats import as_read_by
from evallang.engine.settings import Setting
from evallang.engine.subgroups import FEWEST, in_level, levels
from evallang.engine.test_inputs import TestInputs
from evallang.results.records import (
    Estimate,
    HypothesisTestResult,
    Interval,
    Requirement,
    Subgroup,
)
from evallang.stats.decisions import (
    Decision,
    decide_equivalent,
    decide_level,
    decide_noninferior,
    decide_superior,
)
from evallang.study import Measure, Method, RequirementSpec, Study

SINGLE_CLAIM = (
    "single lines are not corrected claims: the run passes only if every line holds "
    "(an intersection-union test, Berger 1982)"
)


def decide(
    study: Study, spec: RequirementSpec, settings: Sequence[Setting]
) -> Iterator[Requirement]:
    """Decide one `require` line in every setting that has its models."""
    at_level = replace(study, confidence=spec.level)
    found = [s for s in settings if set(spec.models) <= set(s.models) and s.measures(spec.metric)]
    for setting in found:
        if spec.kind == "level":
            yield from _level(at_level, spec, setting)
        else:
            yield _between(at_level, spec, setting)


def _level(study: Study, spec: RequirementSpec, setting: Setting) -> Iterator[Requirement]:
    (model,) = spec.models
    stated = next((m.interval for m in study.measures if m.metric == spec.metric), None)
    measure = Measure(spec.metric, stated)
    if spec.within is None:
        yield _against_threshold(spec, setting, estimate(study, setting, model, measure))
        return
    for level in levels(setting, spec.within):
        found = in_level(study, setting, model, measure, spec.within, level)
        yield _against_threshold(spec, setting, found)


def _against_threshold(spec: RequirementSpec, setting: Setting, found: Estimate) -> Requirement:
    relation: Literal[">=", "<="] = "<=" if spec.operator == "<=" else ">="
    threshold = spec.value if spec.value is not None else 0.0
    if found.interval is None:
        few = found.subgroup is not None and found.extra.get("n_examples", FEWEST) < FEWEST
        reason = (
            f"fewer than {FEWEST} {setting.unit} in this level" if few else "there is no interval"
        )
        decision = Decision(False, f"cannot be decided: {reason}")
    else:
        decision = decide_level(found.interval, threshold, relation)
    return _record(
        spec,
        setting,
        decision,
        value=found.value,
        interval=found.interval,
        threshold=threshold,
        subgroup=found.subgroup,
        notes=found.notes,
    )


def _between(study: Study, spec: RequirementSpec, setting: Setting) -> Requirement:
    lacking = [m for m in spec.models if setting.models[m].failed]
    if lacking or any(setting.outcome(m, spec.metric) is None for m in spec.models):
        why = f"a fit of {lacking[0]} failed" if lacking else "a model gives no scores"
        return _record(spec, setting, Decision(False, f"cannot be decided: {why}"))
    inputs = TestInputs(
        study,
        as_read_by(setting, spec.metric),
        spec.metric,
        spec.models,
        spec.test or Method("mcnemar"),
        spec.level,
    )
    difference = inputs.difference(spec.level)
    interval = Interval(difference.method, spec.level, difference.low, difference.high)
    better = setting.entry(spec.metric).declaration.better
    margin = spec.value
    test: HypothesisTestResult | None = None
    if spec.test is not None:
        test = _guaranteed(inputs).run()
        right_way = (difference.value or 0.0) * (1 if better == "higher" else -1) > 0
        rejects = test.p is not None and test.p <= study.alpha
        reason = None if rejects and right_way else _not_shown(test, study.alpha, right_way)
        decision = Decision(rejects and right_way, reason)
        test = replace(test, models=spec.models, reject=rejects)
    elif spec.kind == "superior":
        decision = decide_superior(interval, better, margin or 0.0)
    elif spec.kind == "noninferior":
        decision = decide_noninferior(interval, cast(float, margin), better)
    else:
        decision = decide_equivalent(interval, cast(float, margin))
    return _record(
        spec,
        setting,
        decision,
        value=difference.value,
        interval=interval,
        margin=margin,
        test=test,
    )


def _guaranteed(inputs: TestInputs) -> TestInputs:
    """Take the exact McNemar test in a gate: the level of mid-p is not guaranteed."""
    test = inputs.test
    if test.name == "mcnemar" and not test.options:
        return replace(inputs, test=Method("mcnemar", (("method", "exact"),)))
    return inputs


def _not_shown(test: HypothesisTestResult, alpha: float, right_way: bool) -> str:
    if test.p is None:
        return "cannot be decided: the test is undefined"
    if test.p > alpha:
        return f"p = {test.p:.3g} is above {alpha:g}"
    return "the difference has the other sign" if not right_way else "not shown"


def _record(
    spec: RequirementSpec,
    setting: Setting,
    decision: Decision,
    *,
    value: float | None = None,
    interval: Interval | None = None,
    threshold: float | None = None,
    margin: float | None = None,
    subgroup: Subgroup | None = None,
    test: HypothesisTestResult | None = None,
    notes: tuple[str, ...] = (),
) -> Requirement:
    return Requirement(
        index=spec.index,
        source=spec.source,
        kind=spec.kind,
        data=setting.source,
        protocol=setting.protocol,
        metric=spec.metric.written,
        models=spec.models,
        margin=margin,
        threshold=threshold,
        subgroup=subgroup,
        met=decision.met,
        value=value,
        interval=None if interval is None else (interval.low, interval.high),
        level=spec.level,
        method="none" if interval is None else interval.method,
        test=test,
        reason=decision.reason,
        notes=(*notes, SINGLE_CLAIM),
    )
