"""The `analyze` lines about estimates: an answer for each data set from those of all."""

from collections.abc import Sequence

from msgspec import Struct

from evallang.analysis import ANALYSES
from evallang.compatibility import own_metric
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis, Estimate
from evallang.results.written import statement_of
from evallang.stats.inputs import Subject
from evallang.study import AnalysisSpec, Method, SourceSpec, Study


class Estimates(Struct, frozen=True):
    """All estimates of a study, and the data set and protocol to answer for."""

    study: Study
    spec: AnalysisSpec
    data: str
    protocol: str | None
    found: tuple[Estimate, ...]

    def source(self, data: str) -> SourceSpec:
        """Return the statement that a data set is of."""
        return next(one for one in self.study.sources if one.name == statement_of(data))

    def metric(self, estimate: Estimate) -> Method:
        """Return the metric of an estimate."""
        own = own_metric(self.source(estimate.data or ""))
        known = [measure.metric for measure in self.study.measures]
        return own or next(one for one in known if one.written == estimate.metric)


ESTIMATES: Providers[Estimates] = Providers(Subject.ESTIMATES)
"""What makes the inputs of an analysis of estimates."""

ESTIMATES.provide(estimates=lambda estimates: estimates)


@computes(nodes.ESTIMATE_ANALYSIS)
def analysis_of_estimates(
    study: Study,
    spec: AnalysisSpec,
    data: str,
    protocol: str | None,
    estimates: Sequence[Estimate],
) -> tuple[Analysis, ...]:
    """Answer an item for one data set; nothing for one that it is not about."""
    entry = ANALYSES[spec.method.name]
    inputs = Estimates(study, spec, data, protocol, tuple(estimates))
    values: dict[str, object] = {"problem": None, "level": study.confidence, "notes": ()}
    try:
        made = (ESTIMATES.make(name, inputs) for name in entry.inputs)
        found = entry.function(*made, **spec.method.keywords())
        if found is None:
            return ()
        values |= to_plain(found)
    except ValueError as error:
        values["problem"] = str(error)
    plain = {name: with_tuples(value) for name, value in values.items()}
    return (Analysis(entry.name, data, protocol, None, None, plain),)
