"""Advice on tests that no outcome could make reject."""

from collections.abc import Iterator, Sequence

from evallang.checking.rules.examples import Examples, counted
from evallang.checking.rules.rule import Known, Later, Objection, RuleFunction, Stage, rule
from evallang.checking.rules.study_facts import (
    all_options,
    is_gate,
    pair_test,
    test_of,
    tested_lines,
)
from evallang.compatibility import is_grouped
from evallang.compatibility.hypothesis_tests import guaranteed
from evallang.diagnostics import Changes
from evallang.hypotheses import Hypothesis, family_of, hypotheses_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.study import ComparisonSpec, Method, Study, units_of


def _judge_examples(find: RuleFunction, study: Study, known: Known) -> Iterator[Objection]:
    return unreachable_levels(known.read, known.examples)


@rule(
    "W317",
    changes=Changes.PRECISION,
    source="Fagerland, Lydersen & Laake 2013; Westfall, Troendle & Pennello 2010",
    later=(Later(Stage.DATA, _judge_examples), Later(Stage.PLAN, _judge_examples)),
)
def too_few_discordant_pairs(study: Study) -> Iterator[Objection]:
    """Two models differ on so few examples that no outcome can be significant.

    McNemar's test uses only the examples on which exactly one of the two models is right. With five
    of them the exact p-value is at least 0.06, even if all five favour the same model, and a
    correction requires more. The estimated difference and its interval are worth reporting; the
    test is not.

    Objects to:

        counts pair
          models a, b
          table [[90, 4], [0, 6]]
        compare a, b with mcnemar(exact)

    Accepts:

        counts pair
          models a, b
          table [[90, 6], [0, 4]]
        compare a, b with mcnemar(exact)
    """
    yield from unreachable_levels(study, counted(study))


def unreachable_levels(study: Study, examples: Sequence[Examples]) -> Iterator[Objection]:
    """Object to every line of which a pair could not be found different, whatever is found.

    Every correction is monotone, so adjusting the smallest p that each pair could have gives
    the smallest adjusted p of each.
    """
    units = units_of(study)
    grouped = {source.name for source in study.sources if is_grouped(source, study.group)}
    known = {item.source: item for item in examples if item.source not in grouped}
    if not known:
        return
    lines = tested_lines(study)
    bounds = [_bounds(study, line, known) for line in lines]
    for line, found in zip(lines, adjusted_bounds(study, lines, bounds), strict=True):
        lost = [
            (hypothesis, p, q)
            for hypothesis, p, q in found
            if hypothesis.source in known and q > study.alpha
        ]
        if not lost:
            continue
        hypothesis, p, q = lost[0]
        first, second = hypothesis.models
        unit = units.get(hypothesis.source, "examples")
        corrected = f", {q:.3g} corrected" if q > p else ""
        more = f"; so it is for {len(lost) - 1} more" if len(lost) > 1 else ""
        yield Objection(
            f"`{first}` and `{second}` differ on {_apart(known, hypothesis, unit)}, and the "
            f"smallest p there can be is {p:.3g}{corrected}, above {study.alpha:g}{more}",
            line.span,
            help="report the difference with its interval, or test fewer pairs"
            if q > p
            else "report the difference with its interval; a test cannot decide here",
        )


Bounds = list[tuple[Hypothesis, float]]


def _bounds(study: Study, line: ComparisonSpec, known: dict[str, Examples]) -> Bounds:
    """Return each hypothesis of a line with the smallest p it could have; 0 if nothing is known."""
    test = pair_test(line)
    if test_of(test).bayesian:
        return []  # it has no p, and is in no family
    tested = hypotheses_of(study, line)
    if test_of(test).least_p is None or test_of(test).tests != "correctness" or line.across:
        return [(hypothesis, 0.0) for hypothesis in tested]
    if is_gate(line):
        test = guaranteed(test)
    return [(hypothesis, _least(test, hypothesis, known)) for hypothesis in tested]


def adjusted_bounds(
    study: Study, lines: Sequence[ComparisonSpec], bounds: Sequence[Bounds]
) -> Iterator[list[tuple[Hypothesis, float, float]]]:
    """Yield the hypotheses of each line with the smallest p, as it is and corrected."""
    families = [family_of(study, line) for line in lines]
    joint = next((family for family in families if family.joint), None)
    together = [p for family, found in zip(families, bounds, strict=True) if family.joint
                for _, p in found]  # fmt: skip
    if joint is not None:
        together += [0.0] * (joint.size - len(together))  # nothing is known of an omnibus
    shared = iter(_adjusted(joint.correction if joint else None, together))
    for family, found in zip(families, bounds, strict=True):
        least = [p for _, p in found]
        adjusted = (
            [next(shared) for _ in found] if family.joint else _adjusted(family.correction, least)
        )
        yield [(hypothesis, p, q) for (hypothesis, p), q in zip(found, adjusted, strict=True)]


def _apart(known: dict[str, Examples], hypothesis: Hypothesis, unit: str) -> str:
    """Format on how many examples, called by their unit, a pair of models differ."""
    examples = known[hypothesis.source]
    apart = examples.differ(*hypothesis.models)
    if apart is None:
        return f"at most {examples.n} {unit}"
    return f"{apart or 'none'} of {examples.n} {unit}"


def _least(test: Method, hypothesis: Hypothesis, known: dict[str, Examples]) -> float:
    """Return the smallest p of a pair; 0 where nothing is known of its examples."""
    examples = known.get(hypothesis.source)
    if examples is None:
        return 0.0
    declared, apart = test_of(test), examples.differ(*hypothesis.models)
    if declared.least_p is None:
        return 0.0
    return declared.least_p(examples.n if apart is None else apart, 2, all_options(test))


def _adjusted(correction: Method | None, p: Sequence[float]) -> Sequence[float]:
    """Adjust p-values; as they are where the correction needs more than p."""
    entry = CORRECTIONS.get(correction.name) if correction is not None and len(p) > 1 else None
    if entry is None or entry.inputs != ("p",):
        return p
    found = entry.function(p)
    return [1.0 if value is None else float(value) for value in found]
