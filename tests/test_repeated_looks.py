"""The simulation behind docs/guide/nightly-gates.md, against theory and literature."""

import re

import numpy as np
import pytest
from scipy import stats

from benchmarks import repeated_looks as looks

FEW = 4000
"""Replications that find a share within 0.8 percentage points (one standard error) or less."""


def cells(table):
    """Return the percentages of each row by its name."""
    rows = [line.strip("| ").split(" | ") for line in table.strip().split("\n")[2:]]
    return {name: [float(cell.rstrip("%")) for cell in shown] for name, *shown in rows}


def test_the_page_has_what_the_simulation_finds():
    page = looks.PAGE.read_text(encoding="utf-8")
    written = {name: text for _, name, text in re.findall(
        r"(<!-- measured: (\w+) -->\n)(.*?)\n<!-- end of measured -->", page, re.DOTALL
    )}  # fmt: skip
    found = looks.tables(FEW)
    assert set(written) == set(found) and len(written) == 3
    for name, table in found.items():
        on_page, here = cells(written[name]), cells(table)
        assert list(on_page) == list(here)
        for row, shares in here.items():
            for share, shown in zip(shares, on_page[row], strict=True):
                error = 100 * np.sqrt(max(shown / 100 * (1 - shown / 100), 1 / FEW) / FEW)
                assert share == pytest.approx(shown, abs=4.5 * error + 0.1), row


def test_a_gate_is_passed_where_the_score_test_rejects():
    """Wilson's interval contains the values that the score test does not reject (Wilson 1927)."""
    n = 1000
    right = np.arange(n + 1)
    score = (right / n - looks.LINE) / np.sqrt(looks.LINE * (1 - looks.LINE) / n)
    for level in (0.95, looks.level_of(12)):
        least = np.flatnonzero(score >= stats.norm.ppf((1 + level) / 2))[0]
        assert looks.least_passing(n, level) == least


def test_new_data_give_independent_chances():
    one = stats.binom.sf(looks.least_passing(looks.EXAMPLES, 0.95) - 1, looks.EXAMPLES, looks.LINE)
    counts = looks.new_data(np.random.default_rng(1), FEW, 30)
    for nights in (1, 5, 30):
        found = looks.passed_once(looks.new_data, counts, nights, 0.95)
        assert found == pytest.approx(1 - (1 - one) ** nights, abs=0.03)


def test_growing_data_have_the_errors_of_armitage_mcpherson_and_rowe():
    """Their table 2 (1969): two-sided tests at 5% after each of n equal groups of data."""
    group = 900
    draw = np.random.default_rng(2)
    counts = looks.growing_data(draw, FEW, 20, first=group, added=group, accuracy=0.5)
    n = group * np.arange(1, 21)
    rejected = np.abs(counts - n / 2) / np.sqrt(n / 4) > stats.norm.ppf(0.975)
    for tests, error in ((1, 0.050), (2, 0.083), (5, 0.142), (10, 0.193), (20, 0.248)):
        assert np.mean(rejected[:, :tests].any(axis=1)) == pytest.approx(error, abs=0.022)


@pytest.mark.parametrize("kind", [looks.unrelated_candidates, looks.guided_by_verdicts])
def test_verdicts_alone_do_not_move_the_estimates(kind):
    counts = kind(np.random.default_rng(3), FEW, 40)
    expected = looks.EXAMPLES * looks.LINE
    assert counts.mean(axis=0) == pytest.approx(np.full(40, expected), abs=1)
    spread = np.sqrt(looks.EXAMPLES * looks.LINE * (1 - looks.LINE))
    assert counts.std(axis=0) == pytest.approx(np.full(40, spread), rel=0.06)


def test_kept_improvements_move_the_estimates_though_no_candidate_is_better():
    counts = looks.guided_by_estimates(np.random.default_rng(4), FEW, 40)
    best = np.maximum.accumulate(counts, axis=1).mean(axis=0)
    assert best[-1] > best[0] + 2 * np.sqrt(looks.EXAMPLES * looks.LINE * (1 - looks.LINE))
