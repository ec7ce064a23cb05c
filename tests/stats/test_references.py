"""References of all methods, together."""

from msgspec.structs import replace

from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

REFERENCES = [
    reference
    for registry in (CORRECTIONS, EFFECT_SIZES, HYPOTHESIS_TESTS, INTERVALS)
    for entry in registry
    for reference in entry.references
]


def test_a_key_stands_for_one_work():
    by_key = {}
    for reference in REFERENCES:
        work = replace(reference, forms=())  # what it is cited for may differ
        assert by_key.setdefault(work.key, work) == work


def test_a_key_is_the_first_authors_name_and_the_year():
    for reference in REFERENCES:
        assert reference.key.endswith(str(reference.year))
        assert reference.title
        assert reference.venue
