"""Words of a later version: each is refused as such, and none is listed that runs already."""

from evallang.checking import unbuilt
from evallang.metrics.metric import METRICS


def test_no_option_that_a_metric_takes_is_listed_for_later():
    for name, later in unbuilt.OPTIONS.items():
        assert not later & {option.name for option in METRICS[name].options}
