"""Which test of two models goes with what a `compare` line is about."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from evallang.checking import values
from evallang.compatibility import is_grouped, metric_entry, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import nearest_test, refusal, region_mismatch
from evallang.compatibility.mismatches import Proposal
from evallang.data.dataset import DataSpec, Task
from evallang.metrics.metric import METRICS, proposed_metric
from evallang.registry import Evidence
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Measure, Method, Protocol, SourceSpec
from evallang.syntax import nodes as n


class Tested(Struct, frozen=True):
    """What the `compare` lines of a study are about.

    Attributes
    ----------
    sources, protocols, measured : the resolved statements
    group : the column of the `group` statement, None without one
    task : the task of the data or of the models, None where neither tells
    """

    sources: Sequence[SourceSpec]
    protocols: Sequence[Protocol]
    measured: Sequence[Measure]
    group: str | None
    task: Task | None


def omnibus_before(test: Method, across: bool) -> Iterator[str]:
    """Iterate over the tests of many models that a test of two may follow in a line."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    for entry in HYPOTHESIS_TESTS:
        alike = entry.declaration.tests == declared.tests
        if entry.declaration.omnibus and entry.declaration.across_data is across and alike:
            yield entry.name


def pair_test(node: n.CompareNode, test: Method | None, tested: Tested) -> Method | None:
    """Return the test of two models that goes with a line: `test` where it does.

    None where no single test is known to go with all that the line is about.
    """
    if node.across:
        if test is not None and _compares_over_data(test) and _names_what_it_needs(node, test):
            return test
        return Method(test_over_data())
    metric = _metric_of(node, tested)
    if metric is None:
        return test
    for source in tested.sources:
        own = own_metric(source) or metric
        grouped = is_grouped(source, tested.group)
        for protocol in _protocols_of(node, source, tested):
            yields = yields_of(source, protocol)
            if (
                test is not None
                and refusal(test, own, yields, grouped) is None
                and region_mismatch(test, own) is None
                and _names_what_it_needs(node, test)
            ):
                continue
            instead = nearest_test(own, yields, clustered=grouped)
            return Method(instead.tests[0]) if instead.kind is Proposal.TESTS else None
    return test


def test_over_data() -> str:
    """Return the test of two models whose sample is data sets."""
    many = (e.declaration for e in HYPOTHESIS_TESTS if e.declaration.across_data)
    return next(declared.followed_by[-1] for declared in many if declared.followed_by)


def follows_ranks(test: Method) -> bool:
    """Return whether a test reads the ranks of all models, which its omnibus gives it."""
    return HYPOTHESIS_TESTS[test.name].declaration.by_mean_ranks


def _compares_over_data(test: Method) -> bool:
    return Evidence.DATASET_SCORES in HYPOTHESIS_TESTS[test.name].declaration.evidence


def _names_what_it_needs(node: n.CompareNode, test: Method) -> bool:
    """Return whether a line names the reference that a test compares with, if it does so."""
    against = HYPOTHESIS_TESTS[test.name].declaration.against_reference
    return node.against is not None or not against


def _metric_of(node: n.CompareNode, tested: Tested) -> Method | None:
    """Return the first metric that a line is about, as far as it is known."""
    named = (Method(name) for name in (values.name_of(m).name for m in node.by) if name in METRICS)
    metric = next(named, tested.measured[0].metric if tested.measured else None)
    if tested.task is None or metric is None or metric.better is not None or metric.code:
        return metric
    if metric_entry(metric).declaration.task == tested.task:
        return metric
    return Method(proposed_metric(tested.task))


def _protocols_of(
    node: n.CompareNode, source: SourceSpec, tested: Tested
) -> Sequence[Protocol | None]:
    """Return the protocols that a line may be tested under; None for rows that are given."""
    if not isinstance(source, DataSpec):
        return (None,)
    named = values.name_of(node.on).name if node.on is not None else None
    return [p for p in tested.protocols if named in (None, p.name)]
