"""The rules about designs, on one made study of each kind of the page of false alarms."""

import re
from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each

from benchmarks.design_rules import objections
from benchmarks.made_studies import FLAWED, SOUND
from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES
from evallang.manual.explanations import explain_code

load_codes()

PAGE = Path(__file__).parents[3] / "docs" / "false-alarms.md"
SOUND_KINDS = [(rule, kind) for rule, kinds in SOUND.items() for kind in kinds]
FLAWED_KINDS = [(rule, kind) for rule, kinds in FLAWED.items() for kind in kinds]


@pytest.mark.parametrize(("rule", "kind"), SOUND_KINDS)
def test_sound_studies_are_not_objected_to(rule, kind, tmp_path):
    found = objections(SOUND[rule][kind](np.random.default_rng(14)), tmp_path)
    assert found == []


@pytest.mark.parametrize(("rule", "kind"), FLAWED_KINDS)
def test_flawed_studies_are_objected_to(rule, kind, tmp_path):
    assert objections(FLAWED[rule][kind](np.random.default_rng(14)), tmp_path) == [rule]


def test_each_rule_has_ten_kinds_of_sound_studies():
    assert SOUND.keys() == FLAWED.keys()
    assert min(map(len, SOUND.values())) >= 10


def test_the_page_has_every_kind():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    stated = {line.split(" | ")[0].strip("| ") for line in lines if line.startswith("| ")}
    every = {kind.replace("_", " ") for _, kind in (*SOUND_KINDS, *FLAWED_KINDS)}
    assert every <= stated


ELEVEN = [
    "repeated_units_without_group",
    "families_in_separate_lines",
    "features_chosen_by_the_target",
    "dated_rows_at_random",
    "already_standardised_features",
    "synthetic_rows",
    "units_not_data_sets",
    "best_of_many_on_one_test_set",
    "feature_gives_the_target_away",
    "fold_column_unused",
    "one_number_twice",
]
"""The flaws of published studies that pass between the lines or lie in the rows."""


@for_each("rule", ELEVEN)
def test_each_rule_is_explained_with_both_examples_its_source_and_its_rates(rule):
    """What is explained are the counts of the page, of ten sound cases or more for a flawed one."""
    code = next(code for code in CODES.values() if code.name == rule)
    told = {part.heading: part for part in explain_code(code).parts}
    assert told["wrong"].lines and told["right"].lines and told["source"].text
    assert rule in told["to allow it"].lines[0]
    objected, sound, found, flawed = (
        int(number.replace(",", ""))
        for number in re.findall(r"[\d,]*\d", told["false alarms"].text)
    )
    assert sound >= 10 * flawed
    assert objected <= sound // 20 and found >= 0.75 * flawed
    assert f"`{rule}`" in PAGE.read_text(encoding="utf-8")
