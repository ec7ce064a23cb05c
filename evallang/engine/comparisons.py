"""`compare` lines in, `Comparison`s out: omnibus and pairs run, their families decided."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evallang.engine import families
from evallang.engine.arenas import Arena
from evallang.engine.families import Bout
from evallang.results.records import Comparison, Family, HypothesisTestResult, Ranks
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Study, models_of, pairs_of


@dataclass(frozen=True)
class Line:
    """A `compare` line with the arenas that it is about."""

    spec: ComparisonSpec
    arenas: tuple[Arena, ...]


def compare(study: Study, lines: Sequence[Line]) -> list[Comparison]:
    """Run every line in its arenas, and decide family by family, in the order of the study.

    All pairs of a line are one family; with `families together` so are those of all lines
    that are not exploratory.
    """
    bouts = [
        _bout(study, line.spec, arena)
        for line in lines
        for arena in line.arenas
        if set(models_of(line.spec, arena.models)) <= set(arena.models)
    ]
    made: dict[int, Comparison] = {}
    for family in families.of_study(study, bouts):
        places = [place for place, bout in enumerate(bouts) if bout in family]
        for place, decided in zip(places, families.decide(study, family), strict=True):
            made[place] = _comparison(study, decided)
    return [made[place] for place in sorted(made)]


def _bout(study: Study, spec: ComparisonSpec, arena: Arena) -> Bout:
    """Run a line in one arena; nothing is decided yet."""
    models = models_of(spec, arena.models)
    pairs = pairs_of(spec, arena.models)
    gated = spec.post_hoc is not None
    omnibus = None
    if gated or (spec.omnibus and len(models) > 2):
        omnibus = _omnibus(study, spec, arena, models)
        pairs = pairs if gated else ()
    tests = tuple(families.pair_test(study, spec, arena, p, study.confidence) for p in pairs)
    return Bout(spec, arena, models, omnibus, tests)


def _omnibus(
    study: Study, spec: ComparisonSpec, arena: Arena, models: tuple[str, ...]
) -> HypothesisTestResult:
    lacking = arena.lacking(models)
    if lacking is None:
        result: HypothesisTestResult = arena.run(study, spec.test, models, study.confidence)
        return replace(result, models=models)
    null = HYPOTHESIS_TESTS[spec.test.name].declaration.null
    return HypothesisTestResult(
        spec.test.name, "not computed", null, models=models, notes=(lacking,)
    )


def _comparison(study: Study, decided: families.Decided) -> Comparison:
    bout = decided.bout
    spec, arena = bout.spec, bout.arena
    correction, adjective = None, None
    if decided.correction is not None:
        correction = decided.correction.written
        adjective = CORRECTIONS[decided.correction.name].declaration.adjective
    reason = decided.reason or _none_computed(decided.tests)
    return Comparison(
        index=spec.index,
        source=spec.source,
        data=arena.data,
        protocol=arena.protocol,
        metric=arena.metric,
        alpha=study.alpha,
        family=Family(max(decided.size, 1), correction, spec.exploratory, adjective),
        omnibus=decided.omnibus,
        pairwise=decided.tests,
        performed=reason is None,
        reason=reason,
        ranks=_ranks(arena.ranks(bout.models, study.alpha), decided.tests),
        against=spec.against,
    )


def _none_computed(tests: Sequence[HypothesisTestResult]) -> str | None:
    """Say why not one pair was tested, None where one was or where there are no pairs."""
    if not tests or any(test.variant != "not computed" for test in tests):
        return None
    return "; ".join(dict.fromkeys(note for test in tests for note in test.notes)) or "not computed"


def _ranks(ranks: Ranks | None, tests: Sequence[HypothesisTestResult]) -> Ranks | None:
    """Give the critical difference that decided, where the pairs were decided by one."""
    if ranks is None:
        return None
    own = next((d for test in tests if (d := test.extra.get("critical_difference"))), None)
    return ranks if own is None else replace(ranks, critical_difference=own)
