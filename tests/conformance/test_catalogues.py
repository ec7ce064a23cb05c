"""The catalogues agree with each other and with what the checker says of them."""

from evallang.checking import unbuilt
from evallang.checking.catalogues import REGISTRIES, entries
from evallang.checking.values import CATALOGUES
from evallang.engine.comparisons import Inputs
from evallang.protocols.protocol import PROTOCOLS


def test_a_registered_word_is_no_longer_on_the_list_of_later_ones():
    for what, registry, later, _ in CATALOGUES:
        assert not later & set(registry.names()), what
    assert set(PROTOCOLS.names()) >= unbuilt.DESIGNS


def test_every_member_has_a_title_a_summary_and_a_source():
    for name, registry in REGISTRIES.items():
        for entry in registry:
            assert entry.title, (name, entry.name)
            assert entry.summary.endswith("."), (name, entry.name)
            assert entry.references or entry.name == "uncorrected", (name, entry.name)


def test_every_catalogue_can_be_listed():
    for name in (*REGISTRIES, "models", "rules"):
        listed = entries(name)
        assert [e["name"] for e in listed if name != "rules"] == sorted(
            e["name"] for e in listed if name != "rules"
        )
        assert all(entry["summary"] for entry in listed)


def test_the_engine_can_hand_every_test_what_it_asks_for():
    from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

    for entry in HYPOTHESIS_TESTS:
        assert set(entry.inputs) <= Inputs.KNOWN, entry.name


def test_the_engine_can_hand_every_interval_of_one_model_what_it_asks_for():
    from evallang.engine.estimates import Bench
    from evallang.stats.intervals.interval import INTERVALS

    for entry in INTERVALS:
        if entry.declaration.form != "paired":
            assert set(entry.inputs) <= Bench.KNOWN, entry.name
