"""Every kind of mistake of the page has a study that makes it and one that does not."""

import csv
import importlib.util
import io
import random
import re
from pathlib import Path

import pytest

from evallang.api.preparing import check_data
from evallang.api.running import run
from evallang.api.study_file import open_study
from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Phase

load_codes()
DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "guide" / "what-evallang-objects-to.md"
FOLDERS = sorted(p.parent for p in (DOCS / "objections").glob("*/wrong.eval"))
BY_NAME = {code.name: code for code in CODES.values()}
AFTER_A_RUN = {name for name, code in BY_NAME.items() if code.phase is Phase.RESULTS}
every_kind = pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)


def found(study):
    return {d.name: d.severity for d in check_data(open_study(study))}


def makers():
    spec = importlib.util.spec_from_file_location("make", DOCS / "objections" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.KINDS


@every_kind
def test_the_wrong_study_of_a_kind_meets_its_objection_and_the_right_one_does_not(folder):
    if folder.name not in AFTER_A_RUN:  # those are executed with their codes
        assert folder.name in found(folder / "wrong.eval")
    right = found(folder / "right.eval")
    assert folder.name not in right
    assert set(right.values()) <= {"hint"}


@every_kind
def test_the_right_study_of_a_kind_runs_without_the_objection(folder):
    results = run(open_study(folder / "right.eval"), store="off")
    assert results.record.failures == ()
    assert results.record.estimates or results.record.comparisons
    assert folder.name not in {d.name for d in results.diagnostics}


def test_the_page_names_every_kind_and_no_other():
    linked = re.findall(r"\]\(\.\./objections/(\w+)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(linked) == [folder.name for folder in FOLDERS] == sorted(makers())
    assert set(linked) <= set(BY_NAME)


@every_kind
def test_the_data_of_a_kind_are_those_that_its_program_makes(folder):
    for name, rows in makers()[folder.name](random.Random(folder.name)).items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        assert (folder / name).read_text(encoding="utf-8") == text.getvalue()
