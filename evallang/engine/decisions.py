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
    """One line to decide again by all its metrics or by one, with the runs of its whole family."""

    study: Study
    spec: ComparisonSpec
    family: Family
    runs: tuple[TestRun, ...]
    metric: Method | None

    @property
    def own(self) -> list[int]:
        """The places of the runs of the line among those of its family."""
        return [i for i, run in enumerate(self.runs) if run.spec.index == self.spec.index]


DECISIONS: Providers[Line] = Providers(Subject.DECISIONS)
"""What makes the inputs of an analysis of decisions."""

DECISIONS.provide(decisions=lambda line: line)


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
            made.append(_analysis(spec, Line(study, line, family, runs, spec.metric)))
    return tuple(made)


def _analysis(spec: AnalysisSpec, again: Line) -> Analysis:
    entry, line = ANALYSES[spec.method.name], again.spec
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
