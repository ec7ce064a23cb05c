"""Words of a later version: each is refused as such, and none is listed that runs already."""

import pytest
from studies import checked

from evallang.checking import unbuilt
from evallang.metrics.metric import METRICS
from evallang.models.catalogue import CATALOGUE, EXTRAS


@pytest.mark.parametrize("name", EXTRAS)
def test_a_class_of_another_package_is_one_of_a_later_version(name):
    found = checked(f"data d from sklearn iris\nmodel a = {name}\nprotocol cv\n").diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["E901"]


def test_classes_of_other_packages_are_not_in_the_catalogue_and_those_proposed_are():
    assert not set(EXTRAS) & set(CATALOGUE)
    assert {nearest for _, nearest in EXTRAS.values()} <= set(CATALOGUE)


def test_no_option_that_a_metric_takes_is_listed_for_later():
    for name, later in unbuilt.OPTIONS.items():
        assert not later & {option.name for option in METRICS[name].options}
