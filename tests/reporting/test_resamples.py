"""The figure of bootstrap distributions."""

import re

import numpy as np
import pytest
from drawings import ungrouped

from evallang.reporting.figures.figure import MUTE
from evallang.reporting.figures.resamples import Distribution, distributions
from evallang.reporting.numbers import Scale
from evallang.results.statistics import Resamples

PERCENT = Scale(1, 2)


def drawn(label, centre, seed=1):
    values = np.random.default_rng(seed).normal(centre, 0.02, 2000)
    counts, edges = np.histogram(values, 30)
    resamples = Resamples(2000, float(edges[0]), float(edges[-1]), tuple(map(int, counts)))
    low, high = np.quantile(values, (0.025, 0.975))
    return Distribution((label,), resamples, centre, float(low), float(high))


def bars(svg):
    made = []
    for path in re.findall(rf'd="M([^"]*)Z" style="fill:{MUTE}"', svg):
        foot, *tops, _ = (float(point.split()[1]) for point in path.split("L"))
        made += [foot - top for top in tops[::2] if top < foot]
    return made


def test_bars_are_as_high_as_the_counts():
    row = drawn("Forest", 0.8)
    drawing, alt = distributions([row], "Accuracy (%)", PERCENT)
    svg = ungrouped(drawing.svg())
    counts = [n for n in row.resamples.counts if n]
    assert np.array(bars(svg)) / max(bars(svg)) == pytest.approx(
        np.array(counts) / max(counts), abs=0.002
    )
    bounds = f"[{row.low * 100:.1f}, {row.high * 100:.1f}]"
    said = f"Accuracy (%), 2,000 resamples: Forest 80.0 {bounds}."
    assert alt.replace("\u00a0", " ") == said


def test_the_axis_is_broken_before_a_row_far_from_the_others():
    rows = [drawn("A", 0.90), drawn("B", 0.91, 2), drawn("C", 0.89, 3), drawn("Baseline", 0.05, 4)]
    drawing, alt = distributions(rows, "Accuracy (%)", PERCENT)
    svg = ungrouped(drawing.svg())
    assert alt.replace("\u00a0", " ").count("Baseline 5.0 [") == 1
    ticks = [int(text) for text in re.findall(r">(\d+)</text>", svg)]
    assert min(ticks) < 10 and sorted(ticks)[1] >= 80  # one tick is beyond the break
    assert len(bars(svg)) == sum(n > 0 for row in rows for n in row.resamples.counts)


def test_differences_have_zero_on_their_axis():
    row = drawn("A − B", 0.3)
    drawing, alt = distributions([row], "Difference in accuracy (points)", PERCENT, signed=True)
    svg = ungrouped(drawing.svg())
    assert "A − B +30.0 [" in alt.replace("\u00a0", " ")
    assert ">0</text>" in svg
