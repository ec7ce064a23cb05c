"""Options of measures of probabilities that cannot be, and examples without weight."""

import math

import numpy as np
import pytest

from evallang.metrics.probability import ece, net_benefit

TRUTH, OUTPUT = np.array([0, 1, 1]), np.array([0.25, 0.5, 0.75])


def test_a_calibration_error_needs_a_bin_and_a_weight():
    with pytest.raises(ValueError, match="bins of ece must be 1 or more"):
        ece(TRUTH, OUTPUT, 1, bins=0)
    assert math.isnan(ece(TRUTH, OUTPUT, 1, weights=np.zeros(3)))


@pytest.mark.parametrize("threshold", [1.0, -0.25])
def test_a_threshold_of_a_net_benefit_is_a_probability(threshold):
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        net_benefit(TRUTH, OUTPUT, 1, threshold=threshold)
