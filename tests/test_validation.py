"""A few simulations of `make validate` at a small length, and what the page says."""

import dataclasses
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.validation import (
    joint_families,
    nested_folds,
    planned_power,
    tests_on_groups,
    unstable_learners,
)
from benchmarks.validation.__main__ import main
from benchmarks.validation.everything import SECTIONS, SIMULATIONS, unmeasured
from benchmarks.validation.page import failures, page
from benchmarks.validation.record import MEASURED, Record, read, write
from benchmarks.validation.running import SEED, run
from benchmarks.validation.simulation import Claim, Line, Simulation, Tally, computed, tally
from evallang.analyses import calibration
from evallang.stats import score_curves

SHARE, LEAST = 0.003, 12
# Of 12 replications fewer than 8 must hold to deny a coverage of 95 %. What a fifth of the
# resamples or of the training sets moves is a hundredth, and they take two thirds of the time
SMALLER = (
    (score_curves, "ROUNDS", 200),
    (calibration, "ROUNDS", 200),
    (joint_families, "ROUNDS", 199),
    (tests_on_groups, "ROUNDS", 399),
    (planned_power, "GROUPED", 4_000),
    (nested_folds, "TRAINED", 50),
    (unstable_learners, "TRAINED", 50),
    (unstable_learners, "TESTED", 2_000),
)
PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"


def recorded(found, replications=1):
    return {name: Record(SEED, replications, "2026-01-31", one) for name, one in found.items()}


def one_of_each():
    """Return a simulation of each member in each table, drawn ones before those added up."""
    seen, chosen = set(), []
    for simulation in sorted(SIMULATIONS, key=lambda s: -s.replications):
        members = {
            (simulation.section, line.cells[0].partition("(")[0]) for line in simulation.lines
        }
        if members - seen:
            chosen.append(dataclasses.replace(simulation, least=min(simulation.least, LEAST)))
        seen |= members
    return chosen


@pytest.mark.slow
def test_the_claims_that_the_recorded_run_confirms_hold_within_their_monte_carlo_error(monkeypatch):
    for module, name, fewer in SMALLER:
        monkeypatch.setattr(module, name, fewer)
    chosen = one_of_each()
    denied = [failure.line for failure in failures(SIMULATIONS, read(MEASURED))]
    found = recorded(run(chosen, SHARE))
    assert [f.words for f in failures(chosen, found) if f.line not in denied] == []


def test_every_table_has_a_claim_that_a_fault_would_deny():
    denied = [failure.line for failure in failures(SIMULATIONS, read(MEASURED))]
    claimed = {s.section for s in SIMULATIONS for line in s.lines if line.claims}
    confirmed = {
        s.section for s in SIMULATIONS for line in s.lines if line.claims and line not in denied
    }
    assert claimed == confirmed


def test_every_test_interval_and_correction_is_measured():
    # a new one gets a design in benchmarks/validation/, in the module of its evidence
    assert unmeasured() == ()


def test_no_two_simulations_share_their_seeds():
    assert [name for name, n in Counter(s.name for s in SIMULATIONS).items() if n > 1] == []
    assert {s.section for s in SIMULATIONS} == {section.key for section in SECTIONS}


def test_the_page_in_docs_is_what_the_recorded_run_wrote():
    records = read(MEASURED)
    measured = [s for s in SIMULATIONS if s.name in records]
    assert len(measured) == len(SIMULATIONS), "run make validate-full"
    assert all(records[s.name].answers(s, SEED, 0) for s in measured)
    assert PAGE.read_text(encoding="utf-8") == page(SECTIONS, measured, records)


def test_every_row_of_the_page_has_its_seed_replications_and_date():
    rows = [
        row for row in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| (?!---)", row)
    ]
    heads = [row for row in rows if "| replications | seed | date |" in row]
    assert len(heads) == len(SECTIONS)
    assert len(rows) == len(heads) + sum(len(s.lines) for s in SIMULATIONS)
    drawn = rf"\| [\d,]+ \| {SEED} \| \d{{4}}-\d\d-\d\d \|"
    computed_once = r"\|  \|  \| \d{4}-\d\d-\d\d \|"
    assert all(re.search(f"{drawn}|{computed_once}", row) for row in rows if row not in heads)


def test_every_claim_that_fails_has_a_sentence_below_its_table():
    records, text = read(MEASURED), PAGE.read_text(encoding="utf-8")
    failed = failures(SIMULATIONS, records)
    assert failed, "DeLong's interval with few positives is known to fall short"
    assert [f.words for f in failed if not f.line.shortfall] == []
    assert all(f"\n{f.line.shortfall}\n" in text for f in failed)


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    path = tmp_path / "measured.json"
    options = ["validation", "--share", "0.001", "--jobs", "1", "--only", "few_size: 10"]
    monkeypatch.setattr(
        "sys.argv", [*options, "--record", str(path), "--write", str(tmp_path / "p")]
    )
    assert main() == 0
    first, told = read(path), capsys.readouterr().err
    assert len(first) == told.count("few_size: 10, AUC") > 2
    some = dict(list(first.items())[1:])
    write(path, some, SIMULATIONS)
    assert main() == 0
    assert read(path) == first
    assert capsys.readouterr().err.count("few_size: 10, AUC") == 1
    assert f"| {SEED} |" in (tmp_path / "p").read_text(encoding="utf-8")


def test_a_record_with_fewer_replications_or_another_seed_is_measured_again():
    simulation = next(s for s in SIMULATIONS if s.replications)
    tallies = {key: Tally(1, 0.0) for line in simulation.lines for key in line.keys}
    assert Record(SEED, 100, "2026-01-31", tallies).answers(simulation, SEED, 100)
    assert not Record(SEED, 99, "2026-01-31", tallies).answers(simulation, SEED, 100)
    assert not Record(1, 100, "2026-01-31", tallies).answers(simulation, SEED, 100)
    assert not Record(SEED, 100, "2026-01-31", {}).answers(simulation, SEED, 100)


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing():
    some = [
        dataclasses.replace(s, block=8)  # so that each has three blocks at least
        for s in SIMULATIONS
        if s.section in ("both_nulls", "dummies")
    ]
    assert run(some, SHARE, jobs=2) == run(some, SHARE, jobs=1)


def measured(found, *claims):
    simulation = Simulation("s", "s", 1, lambda rng, n: {}, (Line(("x",), ("x",), claims),))
    records = {"s": Record(SEED, 1, "2026-01-31", {"x": found})}
    return [failure.words for failure in failures([simulation], records)]


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
