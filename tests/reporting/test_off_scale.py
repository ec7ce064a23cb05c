"""Which rows are listed as text because they would squeeze the intervals of all others."""

import pytest
from hypothesis import given, strategies as st

from evallang.reporting.figures.figure import ENOUGH, off_scale

BOUND = st.floats(-1e3, 1e3, allow_nan=False)
SPANS = st.lists(
    st.tuples(BOUND, st.floats(0, 50)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("spans", "fixed", "far"),
    [
        # accuracies of three classifiers and of the majority class
        ([(95.7, 98.4), (94.4, 97.6), (94.0, 97.3), (58.7, 66.6)], (), {3}),
        # one model far above and one far below the rest
        ([(60, 61), (61, 62), (62, 63), (5, 6), (99, 100)], (), {3, 4}),
        # two models are always on the axis
        ([(95.7, 98.4), (58.7, 66.6)], (), set()),
        # every interval can be read
        ([(85, 92), (80, 88), (60, 70)], (), set()),
        # differences: zero is on the axis, the pairs with a baseline are not
        ([(-1, 1), (-0.5, 1.5), (34, 38), (33, 37), (35, 39)], (0.0,), {2, 3, 4}),
        # all pairs are far from zero: they are what the figure is about
        ([(34, 36), (33, 35)], (0.0,), set()),
        # a row without a number is nowhere
        ([(95.7, 98.4), None, (94.0, 97.3), (94.4, 97.6), (8.7, 16.6)], (), {4}),
        # no intervals, no reason to cut
        ([(1, 1), (2, 2), (90, 90)], (), set()),
    ],
)
def test_a_row_is_off_the_scale_only_where_it_hides_the_others(spans, fixed, far):
    assert off_scale(spans, fixed) == far


@given(SPANS, st.booleans())
def test_half_of_the_rows_remain_and_those_that_are_cut_lie_outside(spans, zero):
    fixed = (0.0,) if zero else ()
    far = off_scale(spans, fixed)
    kept = [span for i, span in enumerate(spans) if i not in far]
    assert kept or zero
    if not zero:
        assert 2 * len(far) <= len(spans)
    if not far:
        return
    low = min([*fixed, *(a for a, _ in kept)])
    high = max([*fixed, *(b for _, b in kept)])
    assert all(b < low or a > high for i, (a, b) in enumerate(spans) if i in far)


@given(SPANS)
def test_the_unit_of_the_scale_does_not_matter(spans):
    spans = [(round(a, 3), round(b, 3)) for a, b in spans]
    moved = [(a * 2.0**5, b * 2.0**5) for a, b in spans]
    assert off_scale(spans) == off_scale(moved)


def test_where_most_intervals_can_be_read_nothing_is_cut():
    wide = 100 * ENOUGH * 1.05
    spans = [(0.0, wide), (1.0, 1.0 + wide), (2.0, 2.0 + wide), (100 - wide, 100.0)]
    assert off_scale(spans) == frozenset()
