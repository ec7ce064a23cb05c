"""The `analyze` lines about estimates, for each data set, and about all pairs of models."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from evallang.analysis import ANALYSES
from evallang.compatibility import own_metric
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis, Comparison, Estimate
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


class Ranking(Struct, frozen=True):
    """All pairs of models of one place by a metric, and the estimates of the models there."""

    study: Study
    spec: AnalysisSpec
    metric: Method
    pairs: Comparison
    found: tuple[Estimate, ...]


PAIRS: Providers[Ranking] = Providers(Subject.PAIRS)
"""What makes the inputs of an analysis of all pairs."""

PAIRS.provide(ranking=lambda ranking: ranking)


@computes(nodes.ESTIMATE_ANALYSIS)
def analysis_of_estimates(
    study: Study,
    spec: AnalysisSpec,
    data: str,
    protocol: str | None,
    estimates: Sequence[Estimate],
) -> tuple[Analysis, ...]:
    """Answer an item for one data set; nothing for one that it is not about."""
    inputs = Estimates(study, spec, data, protocol, tuple(estimates))
    return _answered(ESTIMATES, inputs, data, protocol)


@computes(nodes.PAIR_ANALYSIS)
def analysis_of_pairs(
    study: Study,
    spec: AnalysisSpec,
    metric: Method,
    comparisons: Sequence[Comparison],
    estimates: Sequence[Estimate],
) -> tuple[Analysis, ...]:
    """Answer an item for the pairs of one data set, or of the average over data sets."""
    (pairs,) = comparisons

    def place(one: Comparison | Estimate) -> tuple[str | None, ...]:
        return one.data, one.averaged, one.protocol, one.metric

    found = tuple(one for one in estimates if place(one) == place(pairs))
    inputs = Ranking(study, spec, metric, pairs, found)
    return _answered(PAIRS, inputs, pairs.data, pairs.protocol, pairs.metric)


def _answered(
    providers: Providers[Any],
    inputs: Estimates | Ranking,
    data: str | None,
    protocol: str | None,
    metric: str | None = None,
) -> tuple[Analysis, ...]:
    spec, level = inputs.spec, inputs.study.confidence
    entry = ANALYSES[spec.method.name]
    values: dict[str, object] = {"problem": None, "level": level, "notes": ()}
    try:
        made = (providers.make(name, inputs) for name in entry.inputs)
        found = entry.function(*made, **spec.method.keywords())
        if found is None:
            return ()
        values |= to_plain(found)
    except ValueError as error:
        values["problem"] = str(error)
    plain = {name: with_tuples(value) for name, value in values.items()}
    averaged = inputs.pairs.averaged if isinstance(inputs, Ranking) else None
    return (Analysis(entry.name, data, protocol, None, metric, plain, averaged),)
