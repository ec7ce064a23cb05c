"""Which tests and protocols a study needs instead of its own, if it follows some advice."""

from dataclasses import replace

from evallang.checking.rules.study_facts import protocol_prefix, tested_lines, tests_of
from evallang.compatibility import is_grouped, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import refusal
from evallang.compatibility.mismatches import Proposal
from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.study import ComparisonSpec, Method, Protocol, SourceSpec, Study

OTHER_TESTS = (Proposal.TESTS, Proposal.TESTS_OF_BLOCKS)


def changes_in_groups(study: Study) -> str:
    """Format which protocols and tests go with a `group` that the study lacks.

    It is empty if those of the study do.
    """
    divided = (p for p in study.protocols if _cuts_groups(p))
    protocols = "".join(f", and `{whole_groups(study, protocol)}`" for protocol in divided)
    return protocols + _word(study, None, grouped=True)


def whole_groups(study: Study, protocol: Protocol) -> str:
    """Return the statement that tests whole groups in place of single rows."""
    every = (entry for entry in PROTOCOLS if entry.declaration.yields(entry.defaults()).grouped)
    return f"protocol {protocol_prefix(study, protocol)}{next(every).name}"


def _cuts_groups(protocol: Protocol) -> bool:
    return PROTOCOLS[protocol.kind].declaration.cuts_groups(protocol.options)


def tests_in_series(study: Study) -> str:
    """Format which tests go with a protocol in the order of time; empty if the study's own do."""
    every = (entry.declaration.yields(entry.defaults()) for entry in PROTOCOLS)
    return _word(study, next((found for found in every if found.ordered), None), grouped=False)


def _word(study: Study, series: Yields | None, *, grouped: bool) -> str:
    """Return `, and WITH in place of WITH` of each test that would be refused."""
    found = dict.fromkeys(
        (test.name, instead)
        for line in tested_lines(study)
        if not line.across
        for source in study.sources
        for protocol in _protocols(study, source, line)
        for test in tests_of(line)
        if (instead := _instead(line, test, source, protocol, series, grouped=grouped))
    )
    return "".join(f", and `with {new}` in place of `with {old}`" for old, new in found)


def _protocols(
    study: Study, source: SourceSpec, line: ComparisonSpec
) -> tuple[Protocol | None, ...]:
    if not isinstance(source, DataSpec):
        return (None,)
    return tuple(p for p in study.protocols if p.name == line.protocol)


def _instead(
    line: ComparisonSpec,
    test: Method,
    source: SourceSpec,
    protocol: Protocol | None,
    series: Yields | None,
    *,
    grouped: bool,
) -> str | None:
    """Return the test that a line needs instead of its own after the change, if it needs one."""
    if not isinstance(source, DataSpec | PredictionsSpec):
        return None
    now = yields_of(source, protocol)
    then = replace(now, grouped=True) if series is None else series
    in_groups = grouped or is_grouped(source, None)
    own = own_metric(source)
    for metric in line.metrics if own is None else (own,):
        if refusal(test, metric, now, is_grouped(source, None)) is not None:
            continue
        found = refusal(test, metric, then, in_groups)
        if found is not None and found.mismatch.instead.kind in OTHER_TESTS:
            return found.mismatch.instead.tests[0]
    return None
