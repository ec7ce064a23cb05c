"""Numbers at the ends of what can be printed."""

import pytest

from evallang.reporting import numbers


def test_what_is_unknown_is_a_dash():
    assert numbers.bounded(None) == numbers.UNDEFINED
    assert numbers.probability(None) == numbers.UNDEFINED


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0001, "<\u00a0.001"), (0.9999, ">\u00a0.999"), (0.962, ".962"), (0.0, "<\u00a0.001")],
)
def test_a_posterior_probability_is_never_all_or_nothing(value, text):
    assert numbers.probability(value) == text


@pytest.mark.parametrize(
    ("p", "alpha", "found"),
    [
        (0.0, 0.05, ("<", "10⁻³⁰⁰")),
        (0.9999, 0.05, (">", "0.99")),
        (0.012, 0.05, ("=", "0.012")),
        (0.000123, 0.05, ("=", "1.2\u00a0×\u00a010⁻⁴")),
        (0.04999, 0.05, ("=", "0.04999")),  # two digits would be on the other side
    ],
)
def test_a_scientific_p_stays_on_its_side_of_alpha(p, alpha, found):
    assert numbers._scientific(p, alpha) == found
