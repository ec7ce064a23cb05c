"""What the kinds of evidence promise, and the statistics that rest on them."""

from itertools import chain

import pytest
from many_cases import for_each

from evallang.evidence import Evidence
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

KINDS = sorted(
    set(chain.from_iterable(e.declaration.evidence for e in (*HYPOTHESIS_TESTS, *INTERVALS))),
    key=lambda one: one.name,
)
STATISTICS = [*HYPOTHESIS_TESTS, *INTERVALS]


@pytest.mark.parametrize("kind", KINDS, ids=lambda one: one.name)
def test_a_kind_is_described_for_readers_and_authors(kind):
    assert kind.noun
    assert kind.units
    assert kind.write.split()[0] in ("write", "add")


@pytest.mark.parametrize(
    "left_out", ["unit", "units", "noun", "value", "overlap", "groups", "weights", "scope", "write"]
)
def test_a_kind_states_all_of_it(left_out):
    facts = {name: getattr(KINDS[0], name) for name in Evidence.__struct_fields__}
    del facts[left_out]
    with pytest.raises(TypeError, match=f"Missing required argument '{left_out}'"):
        Evidence(**facts)


@for_each("entry", STATISTICS, ids=lambda e: f"{e.kind} {e.name}")
def test_values_that_overlap_are_not_silently_taken_for_independent(entry):
    declared = entry.declaration
    overlapping = [one for one in declared.evidence if one.overlap]
    if overlapping and declared.rests_only_on(overlapping[0].unit):
        allows = declared.designs or getattr(declared, "allows_overlap", False)
        said = getattr(declared, "overlap_ignored", "") or getattr(declared, "advised_against", "")
        assert allows or said, f"{entry.name}: declare `designs` or what overlap it ignores"
