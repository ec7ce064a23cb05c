"""Which tests and protocols a study needs instead of its own, if it follows some advice."""

from collections.abc import Iterable

from msgspec.structs import replace

from evallang.checking.rules.study_facts import protocol_prefix, tested_lines, tests_of
from evallang.compatibility import is_grouped, own_metric, yields_of
from evallang.compatibility.hypothesis_tests import refusal
from evallang.compatibility.mismatches import Proposal
from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design
from evallang.study import ComparisonSpec, Method, Protocol, SourceSpec, Study

OTHER_TESTS = (Proposal.TESTS, Proposal.TESTS_OF_BLOCKS)


def changes_in_groups(study: Study) -> str:
    """Format which protocols and tests go with a `group` that the study lacks.

    It is empty if those of the study do.
    """
    divided = (p for p in study.protocols if _cuts_groups(p))
    protocols = "".join(f", and `{whole_groups(study, protocol)}`" for protocol in divided)
    return protocols + _word(study, None, tested_lines(study), grouped=True)


def whole_groups(study: Study, protocol: Protocol) -> str:
    """Return the statement that tests whole groups in place of single rows."""
    every = (entry for entry in PROTOCOLS if entry.declaration.yields(entry.defaults()).grouped)
    return f"protocol {protocol_prefix(study, protocol)}{next(every).name}"


def _cuts_groups(protocol: Protocol) -> bool:
    return PROTOCOLS[protocol.kind].declaration.cuts_groups(protocol.options)


def tests_in_series(study: Study) -> str:
    """Format which tests go with a protocol in the order of time; empty if the study's own do."""
    every = (entry.declaration.yields(entry.defaults()) for entry in PROTOCOLS)
    series = next((found for found in every if found.ordered), None)
    return _word(study, series, tested_lines(study), grouped=False)


def other_tests_over_repeats(
    study: Study,
    protocol: Protocol | None = None,
    about: ComparisonSpec | None = None,
    own: str = "",
) -> str:
    """Format which tests go with a protocol once its folds are repeated.

    It is empty if those of the study do. Without a `protocol` that of every line is meant. Advice
    about a line, `about`, names its `own` test itself.
    """
    every = (entry.declaration.yields(entry.defaults()) for entry in PROTOCOLS)
    repeated = next(found for found in every if found.design is Design.REPEATED)
    lines = (
        line
        for line in tested_lines(study)
        if line is not about and (protocol is None or line.protocol in (None, protocol.name))
    )
    return _word(study, repeated, lines, grouped=False, own=own)


def _word(
    study: Study,
    then: Yields | None,
    lines: Iterable[ComparisonSpec],
    *,
    grouped: bool,
    own: str = "",
) -> str:
    """Return `, and WITH in place of WITH` of each line with a test that would be refused."""
    found = dict.fromkeys(
        (" then ".join(test.written for test in tests_of(line)), instead)
        for line in lines
        if not line.across
        for source in study.sources
        for protocol in _protocols(study, source, line)
        for instead in [_instead_of_line(line, source, protocol, then, grouped=grouped)]
        if instead
    )
    return "".join(
        f", also in place of `with {old}`"
        if new == own
        else f", and `with {new}` in place of `with {old}`"
        for old, new in sorted(found, key=lambda pair: pair[1] != own)
    )


def _protocols(
    study: Study, source: SourceSpec, line: ComparisonSpec
) -> tuple[Protocol | None, ...]:
    if not isinstance(source, DataSpec):
        return (None,)
    return tuple(p for p in study.protocols if line.protocol in (None, p.name))


def _instead_of_line(
    line: ComparisonSpec,
    source: SourceSpec,
    protocol: Protocol | None,
    then: Yields | None,
    *,
    grouped: bool,
) -> str | None:
    found = (
        _instead(line, test, source, protocol, then, grouped=grouped) for test in tests_of(line)
    )
    return next(filter(None, found), None)


def _instead(
    line: ComparisonSpec,
    test: Method,
    source: SourceSpec,
    protocol: Protocol | None,
    then: Yields | None,
    *,
    grouped: bool,
) -> str | None:
    """Return the test that a line needs instead of its own after the change, if it needs one."""
    if not isinstance(source, DataSpec | PredictionsSpec):
        return None
    now = yields_of(source, protocol)
    after = replace(now, grouped=True) if then is None else then
    in_groups = grouped or is_grouped(source, None)
    own = own_metric(source)
    for metric in line.metrics if own is None else (own,):
        if refusal(test, metric, now, is_grouped(source, None)) is not None:
            continue
        found = refusal(test, metric, after, in_groups)
        if found is not None and found.mismatch.instead.kind in OTHER_TESTS:
            return found.mismatch.instead.tests[0]
    return None
