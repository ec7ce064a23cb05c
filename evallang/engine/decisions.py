"""The `analyze` lines about decisions: what is known of a `compare` line to decide it again."""

from collections.abc import Sequence

from msgspec import Struct

from evallang.analysis import ANALYSES
from evallang.engine.comparisons import TestRun
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.hypotheses import Families, Family, lines_decided
from evallang.planning import nodes
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis
from evallang.stats.inputs import Subject
from evallang.study import AnalysisSpec, ComparisonSpec, Method, Study


class Line(Struct, frozen=True):
    """One line with the runs of its whole family, and which of them are its own."""

    study: Study
    spec: ComparisonSpec
    family: Family
    runs: tuple[TestRun, ...]

    @property
    def own(self) -> list[int]:
        """The places of the runs of the line among those of its family."""
        return [i for i, run in enumerate(self.runs) if run.spec.index == self.spec.index]


class DecisionInputs(Struct, frozen=True):
    """A line to decide again, by all its metrics or by one."""

    line: Line
    metric: Method | None


DECISIONS: Providers[DecisionInputs] = Providers(Subject.DECISIONS)
"""What makes the inputs of an analysis of decisions."""

DECISIONS.provide(decisions=lambda decisions: decisions)


@computes(nodes.DECISION_ANALYSIS)
def decisions_again(
    study: Study, spec: AnalysisSpec, families: Families, test_runs: Sequence[TestRun]
) -> tuple[Analysis, ...]:
    """Decide every line that an item asks about again: a record for each line."""
    known = {run.planned: run for run in test_runs}
    made = []
    for line in lines_decided(study, spec):
        family = families.by_line[line.index]
        runs = tuple(known[one] for one in family.comparisons if one in known)
        if runs:
            again = DecisionInputs(Line(study, line, family, runs), spec.metric)
            made.append(_analysis(spec, line, again))
    return tuple(made)


def _analysis(spec: AnalysisSpec, line: ComparisonSpec, again: DecisionInputs) -> Analysis:
    entry = ANALYSES[spec.method.name]
    values: dict[str, object] = {"problem": None, "line": line.index, "source": line.source}
    try:
        values |= to_plain(entry.function(*(DECISIONS.make(n, again) for n in entry.inputs)))
    except ValueError as error:
        values |= {"problem": str(error), "notes": []}
    return Analysis(
        kind=entry.name,
        data="",
        protocol=line.protocol,
        model=None,
        metric=None,
        values={name: with_tuples(value) for name, value in values.items()},
    )
