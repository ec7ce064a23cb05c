"""Advice on tests that no outcome could make reject."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from evallang.checking.rules.examples import Examples
from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import (
    all_options,
    is_gate,
    pair_test,
    test_of,
    tested_lines,
)
from evallang.compatibility import is_grouped
from evallang.compatibility.hypothesis_tests import guaranteed
from evallang.data.dataset import ScoresSpec
from evallang.diagnostics import Changes
from evallang.hypotheses import Hypothesis, families_of, hypotheses_of, is_open
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.study import ComparisonSpec, Method, Study, models_of, names_of, units_of


@rule(
    "W317",
    changes=Changes.PRECISION,
    source="Fagerland, Lydersen & Laake 2013; Westfall, Troendle & Pennello 2010",
    at=(Stage.DATA, Stage.PLAN),
)
def too_few_discordant_pairs(known: Known) -> Iterator[Objection]:
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
    study, examples = known.study, known.examples
    units = units_of(study)
    grouped = {source.name for source in study.sources if is_grouped(source, study.group)}
    counted = {item.source: item for item in examples if item.source not in grouped}
    if not counted:
        return
    lines = tested_lines(study)
    bounds = [_bounds(study, line, counted) for line in lines]
    for line, found in zip(lines, adjusted_bounds(study, lines, bounds), strict=True):
        lost = [
            (hypothesis, p, q)
            for hypothesis, p, q in found
            if hypothesis.source in counted and q > study.alpha
        ]
        if not lost:
            continue
        hypothesis, p, q = lost[0]
        first, second = hypothesis.models
        unit = units.get(hypothesis.source, "examples")
        corrected = f", {q:.3g} corrected" if q > p else ""
        tested = counted[hypothesis.source]
        number = tested.differ(first, second)
        apart = f"at most {tested.n}" if number is None else f"{number or 'none'} of {tested.n}"
        more = f"; so it is for {len(lost) - 1} more" if len(lost) > 1 else ""
        yield Objection(
            f"`{first}` and `{second}` differ on {apart} {unit}, and the "
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
    if test_of(test).least_p is None or test_of(test).tests != "correctness" or line.over_data:
        return [(hypothesis, 0.0) for hypothesis in tested]
    if is_gate(line):
        test = guaranteed(test)
    return [(hypothesis, _least(test, hypothesis, known)) for hypothesis in tested]


def adjusted_bounds(
    study: Study, lines: Sequence[ComparisonSpec], bounds: Sequence[Bounds]
) -> Iterator[list[tuple[Hypothesis, float, float]]]:
    """Yield the hypotheses of each line with the smallest p, as it is and corrected."""
    every = families_of(study)
    families = [every.family(study, line) for line in lines]
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


Smallest = Callable[[int], tuple[tuple[float, float], ...]]
SURELY_ENOUGH = 64  # data sets, from which on the smallest p is 0 for every purpose


@rule(
    "W319",
    changes=Changes.PRECISION,
    source="Demšar 2006, sections 3.1 and 3.2",
    at=(Stage.DATA,),
    may_object=is_open,
)
def too_few_data_sets(known: Known) -> Iterator[Objection]:
    """A test over data sets has so few data sets that no outcome can be significant.

    In a test over data sets the data set is the unit, however many rows each of them has.
    Wilcoxon's signed-rank test of five data sets has a p-value of at least 0.06, even if one model
    is better on all of them, and a correction requires more.

    Objects to:

        data iris from sklearn iris
        data wine from sklearn wine
        data digits from sklearn digits
        model bayes = GaussianNB
        model linear = LinearDiscriminantAnalysis
        protocol cv
        compare bayes, linear across data with wilcoxon

    Accepts:

        data iris from sklearn iris
        data wine from sklearn wine
        data digits from sklearn digits
        model bayes = GaussianNB
        model linear = LinearDiscriminantAnalysis
        protocol cv
        compare bayes, linear across data with bayes_signed_rank(rope=1%)
    """
    study = known.study
    if not is_open(study):
        yield from unreachable_over_data(study, _number_of_data_sets(study))


def _number_of_data_sets(study: Study) -> int:
    """Count the data sets of a study; those of a table with several metrics count once."""
    return len(
        {
            (source.statement, source.name.partition("/")[2])
            if isinstance(source, ScoresSpec) and source.metric_column is not None
            else source.name
            for source in study.sources
        }
    )


def unreachable_over_data(study: Study, n: int) -> Iterator[Objection]:
    """Object to every line across `n` data sets that could find nothing, whatever is found."""
    if n < 2:
        return  # which is refused
    lines = tested_lines(study)
    smallest = _smallest_of(study, lines)
    for place, (line, (p, q)) in enumerate(zip(lines, smallest(n), strict=True)):
        test = line.test
        if (
            line.across
            and line.omnibus
            and (least := _p_of_agreement(study, line, n)) > study.alpha
        ):
            p = q = least
        elif q <= study.alpha:
            continue
        else:
            test = pair_test(line)
        adjusted = f", {q:.3g} corrected" if q > p else ""
        yield Objection(
            f"over {n} data sets the smallest p that `{test.name}` can have is {p:.3g}{adjusted}, "
            f"above {study.alpha:g}",
            line.span,
            help=f"compare over {_enough(study, line, place, smallest)} data sets or more, or "
            "remove the line; the estimates are reported anyway",
        )


def _smallest_of(study: Study, lines: tuple[ComparisonSpec, ...]) -> Smallest:
    """Return a function of n: the smallest p of a pair of each line, as it is and corrected.

    0 where it is not known. All lines are looked at together, once for each n.
    """

    @cache
    def smallest(n: int) -> tuple[tuple[float, float], ...]:
        bounds = [_bounds_over_data(study, line, n) for line in lines]
        adjusted = adjusted_bounds(study, lines, bounds)
        return tuple(min(((p, q) for _, p, q in found), default=(0.0, 0.0)) for found in adjusted)

    return smallest


def _bounds_over_data(study: Study, line: ComparisonSpec, n: int) -> Bounds:
    test = pair_test(line)
    if test_of(test).bayesian:
        return []
    least_p = test_of(test).least_p if line.across and n < SURELY_ENOUGH else None
    least = 0.0 if least_p is None else least_p(n, 2, all_options(test))
    return [(hypothesis, least) for hypothesis in hypotheses_of(study, line)]


def _p_of_agreement(study: Study, line: ComparisonSpec, n: int) -> float:
    """Return the p of an omnibus test when all data sets agree; 0 for a test without one."""
    least_p = test_of(line.test).least_p
    if least_p is None:
        return 0.0
    source = study.sources[0]
    everyone = names_of(getattr(source, "models", ()) or study.models)
    return least_p(n, len(set(models_of(line, everyone))), all_options(line.test))


def _enough(study: Study, line: ComparisonSpec, place: int, smallest: Smallest) -> int:
    """Return the number of data sets from which on a line can find something."""
    for n in range(2, SURELY_ENOUGH):
        least = _p_of_agreement(study, line, n) if line.omnibus else 0.0
        if max(least, smallest(n)[place][1]) <= study.alpha:
            return n
    return SURELY_ENOUGH
