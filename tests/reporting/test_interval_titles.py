"""What the interval of one value and that of a difference are called."""

import fixture
import pytest
from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.requirements import interval_of
from evallang.results.records import MethodRecord

DELONG = MethodRecord(
    "interval", "delong", "DeLong interval on the logit scale", "", (),
    of_difference="DeLong interval",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("level", "DeLong interval on the logit scale"),
        ("superior", "DeLong interval"),  # differences lie between -1 and 1: they have no logit
        ("noninferior", "DeLong interval"),
        ("equivalent", "DeLong interval"),
    ],
)
def test_delongs_interval_is_on_the_logit_scale_for_one_area_only(kind, title):
    whole = fixture.holdout()
    context = Context(replace(whole, methods=(*whole.methods, DELONG)))
    item = replace(whole.requirements[0], kind=kind, method="delong")
    assert interval_of(context, item) == title
