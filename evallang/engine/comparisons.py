"""`compare` lines in, `Comparison`s out: omnibus and pairs run, their families decided."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evallang.engine import families
from evallang.engine.comparison_contexts import ComparisonContext
from evallang.engine.families import TestRun
from evallang.hypotheses import Families, PlannedComparison
from evallang.results.records import Comparison, Family, HypothesisTestResult, Ranks
from evallang.results.statistics import not_computed
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Study


def compare(
    study: Study, tested: Families, arena_of: Callable[[PlannedComparison], ComparisonContext]
) -> list[Comparison]:
    """Run every line in its contexts, and decide family by family, in the order of the study."""
    made: dict[PlannedComparison, Comparison] = {}
    for family in tested.families:
        test_runs = [_test_run(study, planned, arena_of(planned)) for planned in family.comparisons]
        for decided in families.decide(study, family, test_runs):
            made[decided.test_run.planned] = _comparison(study, decided)
    return [made[planned] for line in study.comparisons for planned in tested.planned[line.index]]


def _test_run(study: Study, planned: PlannedComparison, context: ComparisonContext) -> TestRun:
    """Run a line in one context; nothing is decided yet."""
    line = planned.line
    omnibus = _omnibus(study, line, context, planned.models) if planned.omnibus else None
    tests = tuple(
        families.pair_test(study, line, context, pair, study.confidence) for pair in planned.pairs
    )
    return TestRun(planned, context, omnibus, tests)


def _omnibus(
    study: Study, spec: ComparisonSpec, context: ComparisonContext, models: tuple[str, ...]
) -> HypothesisTestResult:
    lacking = context.lacking(models)
    if lacking is None:
        result: HypothesisTestResult = context.run(study, spec.test, models, study.confidence)
        return replace(result, models=models)
    null = HYPOTHESIS_TESTS[spec.test.name].declaration.null
    return not_computed(spec.test.name, null, lacking, models)


def _comparison(study: Study, decided: families.FamilyDecision) -> Comparison:
    test_run, family = decided.test_run, decided.family
    spec, context = test_run.spec, test_run.context
    correction, adjective = None, None
    if family.correction is not None:
        correction = family.correction.written
        adjective = CORRECTIONS[family.correction.name].declaration.adjective
    reason = decided.reason or _none_computed(decided.tests)
    return Comparison(
        index=spec.index,
        source=spec.source,
        data=context.data,
        protocol=context.protocol,
        metric=context.metric,
        alpha=study.alpha,
        family=Family(max(family.size, 1), correction, spec.exploratory, adjective),
        omnibus=decided.omnibus,
        pairwise=decided.tests,
        performed=reason is None,
        reason=reason,
        ranks=_ranks(context.ranks(test_run.planned.models, study.alpha), decided.tests),
        against=spec.against,
    )


def _none_computed(tests: Sequence[HypothesisTestResult]) -> str | None:
    """Explain why not one pair was tested, None where one was or where there are no pairs."""
    if not tests or any(test.status != "not_computed" for test in tests):
        return None
    return "; ".join(dict.fromkeys(note for test in tests for note in test.notes))


def _ranks(ranks: Ranks | None, tests: Sequence[HypothesisTestResult]) -> Ranks | None:
    """Return the critical difference that decided, where the pairs were decided by one."""
    if ranks is None:
        return None
    own = next((d for test in tests if (d := test.extra.get("critical_difference"))), None)
    return ranks if own is None else replace(ranks, critical_difference=own)
