"""The rules about designs, on one made study of each kind of the page of false alarms."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.design_rules import objections
from benchmarks.made_studies import FLAWED, SOUND

PAGE = Path(__file__).parents[3] / "docs" / "false-alarms.md"
ALARMS = {"a_row_for_each_trial"}  # the page says what the rule cannot tell
SOUND_KINDS = [(rule, kind) for rule, kinds in SOUND.items() for kind in kinds]
FLAWED_KINDS = [(rule, kind) for rule, kinds in FLAWED.items() for kind in kinds]


@pytest.mark.parametrize(("rule", "kind"), SOUND_KINDS)
def test_sound_studies_are_not_objected_to(rule, kind, tmp_path):
    found = objections(SOUND[rule][kind](np.random.default_rng(14)), tmp_path)
    assert found == ([rule] if kind in ALARMS else [])


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
