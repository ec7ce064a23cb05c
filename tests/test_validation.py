"""The simulations of `make validate` at a hundredth of their length."""

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.validation.everything import SECTIONS, SIMULATIONS, unmeasured
from benchmarks.validation.page import failures, figure, page
from benchmarks.validation.running import replications, run
from benchmarks.validation.simulation import Claim, Line, Simulation, Tally, computed, tally

SHARE = 0.01
PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"


@pytest.fixture(scope="module")
def found():
    return run(SIMULATIONS, SHARE)


@pytest.mark.slow
def test_every_claim_holds_within_its_monte_carlo_error(found):
    assert failures(SIMULATIONS, found) == []


@pytest.mark.slow
def test_the_page_has_a_line_for_every_line_of_every_simulation(found):
    text = page(SECTIONS, SIMULATIONS, found, SHARE, "python -m benchmarks.validation")
    lines = [line for line in text.splitlines() if re.match(r"\| (?!---)", line)]
    assert len(lines) == len(SECTIONS) + sum(len(s.lines) for s in SIMULATIONS)
    assert "All claims hold." in text and "nan" not in text


def test_every_test_interval_and_correction_is_measured():
    # a new one gets a design in benchmarks/validation/, in the module of its evidence
    assert unmeasured() == ()


def test_no_two_simulations_share_their_seeds():
    assert [name for name, n in Counter(s.name for s in SIMULATIONS).items() if n > 1] == []
    assert {s.section for s in SIMULATIONS} == {section.key for section in SECTIONS}


def test_the_page_in_docs_shows_the_simulations_that_there_are():
    known = PAGE.read_text(encoding="utf-8")
    for simulation in SIMULATIONS:
        for line in simulation.lines:
            assert f"| {' | '.join(line.cells)} |" in known, "run make validate"
    assert "**fails**" not in known


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing():
    some = [s for s in SIMULATIONS if s.section in ("both_nulls", "dummies")]
    short = 0.12  # more than one block of the larger ones
    assert run(some, short, jobs=2) == run(some, short, jobs=1)


def measured(found, *claims):
    simulation = Simulation("s", "s", 1, lambda rng, n: {}, (Line(("x",), ("x",), claims),))
    return failures([simulation], {"s": {"x": found}})


def test_a_claim_fails_outside_of_four_errors():
    # error of a share of .05 of 10,000: .00218; 4 of them above .06 (.00237): .0695
    claim = Claim("about", 0.04, 0.06)
    assert measured(tally([True] * 690 + [False] * 9310), claim) == []
    assert measured(tally([True] * 720 + [False] * 9280), claim) != []
    assert measured(computed(0.0601), claim) == ["s: x: x is 6.01, and the claim is about"]


def test_tallies_of_blocks_add_up():
    whole = tally([0.0, 1.0, 2.0, 5.0])
    assert tally([0.0, 1.0]) + tally([2.0, 5.0]) == whole == Tally(4, 8.0, 30.0)
    # variance 30/4 - 2² = 3.5, over 4
    assert whole.value == 2.0 and whole.error == pytest.approx((3.5 / 4) ** 0.5)


def test_figures_show_their_error():
    assert figure(tally([True] * 50 + [False] * 950)) == "5.0 ± 0.7"
    assert figure(computed(0.05)) == "5.00"
    assert figure(computed(0.5), unit="") == "0.500"


def test_a_small_version_keeps_a_least_number_of_replications():
    simulation = Simulation("s", "s", 1000, lambda rng, n: {}, (), least=40)
    assert [replications(simulation, share) for share in (1, 0.5, 0.001)] == [1000, 500, 40]
