"""Advice on tests over data sets of which there are too few."""

from collections.abc import Callable, Iterator
from functools import cache

from evallang.checking.rules.families import WITH_ALL_HYPOTHESES
from evallang.checking.rules.power import Bounds, adjusted_bounds
from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import all_options, pair_test, test_of, tested_lines
from evallang.data.dataset import ScoresSpec
from evallang.diagnostics import Changes
from evallang.hypotheses import hypotheses_of, is_open
from evallang.study import ComparisonSpec, Study, models_of, names_of

Smallest = Callable[[int], tuple[tuple[float, float], ...]]
SURELY_ENOUGH = 64  # data sets, from which on the smallest p is 0 for every purpose


@rule(
    "W319",
    changes=Changes.PRECISION,
    source="Demšar 2006, sections 3.1 and 3.2",
    later=(WITH_ALL_HYPOTHESES,),
)
def too_few_data_sets(study: Study) -> Iterator[Objection]:
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
        bounds = [_bounds(study, line, n) for line in lines]
        adjusted = adjusted_bounds(study, lines, bounds)
        return tuple(min(((p, q) for _, p, q in found), default=(0.0, 0.0)) for found in adjusted)

    return smallest


def _bounds(study: Study, line: ComparisonSpec, n: int) -> Bounds:
    test = pair_test(line)
    if test_of(test).bayesian:
        return []
    least_p = test_of(test).least_p if line.across and n < SURELY_ENOUGH else None
    least = 0.0 if least_p is None else least_p(n, 2, all_options(test))
    return [(hypothesis, least) for hypothesis in hypotheses_of(study, line)]


def _p_of_agreement(study: Study, line: ComparisonSpec, n: int) -> float:
    """Return the p of an omnibus test when all data sets agree; 0 if it does not depend on that."""
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
