"""Blocks with a gap: what the suite says to a naive declaration, and what a right one brings."""

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import asdict, replace
from protocol_facts import lacking, taken_as_independent
from scratch_members import registered
from studies import checked, codes, study, write_rows

from docs.generator import fitting, members
from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.cli.main import root
from evallang.protocols.protocol import PROTOCOLS, ProtocolDeclaration, Rows
from evallang.protocols.splitting import shuffled_folds

N, FOLDS, GAP, INNER = 150, 5, 4, 3
STUDY = """\
evallang 1
study "Load of a grid"
  seed 7
data load from "load.csv"
  target mw
  features hour, temperature
  task regression
model ridge = Ridge(alpha in 0.1..10 log 3)
model mean = DummyRegressor
protocol blocks gap=4
tune grid cv=3
measure mae
compare ridge vs mean with permutation(block=5)
report html
"""
NAIVE = {"dependence": "independent", "training": "other", "inner": shuffled_folds}
"""What someone writes who takes the declaration of `cv` for a pattern."""


@pytest.fixture(autouse=True)
def blocks():
    with registered("blocks", PROTOCOLS):
        yield PROTOCOLS["blocks"]


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    hours = np.arange(N)
    warmth = 10 + 8 * np.sin(hours / 12) + rng.normal(size=N)
    load = 50 - 1.2 * warmth + rng.normal(size=N)
    rows = [(f"{a:.3f}", b % 24, f"{c:.3f}") for a, b, c in zip(load, hours, warmth, strict=True)]
    write_rows(tmp_path, "load.csv", "mw,hour,temperature", rows)
    return tmp_path


def test_a_declaration_without_them_is_refused_by_name(blocks):
    for name in NAIVE:
        written = {k: v for k, v in asdict(blocks.declaration).items() if k != name}
        with pytest.raises(TypeError, match=f"Missing required argument '{name}'"):
            ProtocolDeclaration(**written)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            NAIVE,
            "`blocks` reads the order of rows: declare dependence='neighbours', "
            "training='around', and as `inner` a function that divides a training part in the "
            "same way",
        ),
        (
            {"inner": shuffled_folds},
            "`inner` of `blocks` shuffles neighbours: it must test consecutive rows",
        ),
        (
            {"training": "past"},
            "`blocks` trains on rows before and after those it tests: declare training='around'",
        ),
    ],
)
def test_a_naive_declaration_fails_with_words_that_say_what_to_declare(blocks, change, words):
    naive = replace(blocks, declaration=replace(blocks.declaration, **change))
    rows = Rows(60, None, None, None, lambda repeat: repeat)
    assert lacking(blocks, {"folds": 5, "gap": 2}, rows) == []
    assert words in lacking(naive, {"folds": 5, "gap": 2}, rows)


def test_an_inner_division_without_the_gap_fails(blocks):
    own = blocks.declaration.inner
    without = replace(
        blocks.declaration,
        inner=lambda rows, options, folds, seed: own(rows, {"gap": 0}, folds, seed),
    )
    (words,) = lacking(
        replace(blocks, declaration=without),
        {"folds": 5, "gap": 2},
        Rows(60, None, None, None, lambda repeat: repeat),
    )
    assert words.endswith("keep the gap, which `options` has")


def test_a_direction_that_contradicts_the_dependence_is_refused(blocks):
    with pytest.raises(ValueError, match="declare `dependence='neighbours'` with"):
        replace(blocks.declaration, dependence="independent").__post_init__()


def test_no_statistic_takes_its_rows_as_independent(blocks):
    assert taken_as_independent(blocks.declaration.yields(blocks.defaults())) == []


def test_the_study_has_no_findings(folder):
    assert codes(STUDY) == []
    assert [d.code for d in read_and_plan(study(STUDY, folder)).diagnostics] == []


def test_inner_folds_keep_blocks_and_gap(folder):
    planned = read_and_plan(study(STUDY, folder)).planned
    searched = [task for task in planned.fits.values() if task.inner]
    assert len(searched) == FOLDS
    for task in searched:
        assert len(task.inner) == INNER
        for train, test in task.inner:
            at = np.searchsorted(task.refit, test)
            assert (np.diff(at) == 1).all()
            assert np.abs(train[:, None] - test).min() > GAP
            assert set(train) | set(test) <= set(task.refit)
    (record,) = planned.plan.protocols
    assert (record.tuned_on, record.inner_folds) == ("inner_blocks", INNER)


@pytest.mark.parametrize("test", ["t", "corrected_t", "permutation", "wilcoxon"])
def test_tests_of_independent_rows_are_refused(test):
    found = checked(STUDY.replace("permutation(block=5)", test))
    (error,) = [d for d in found.diagnostics if d.severity == "error"]
    assert "permutation(block=5)" in error.help


def test_intervals_of_independent_rows_are_warned_of():
    (warning,) = checked(
        STUDY.replace("measure mae", "measure mae\n  interval bootstrap")
    ).diagnostics
    assert warning.code == "W322"


def test_a_protocol_that_mixes_the_rows_is_warned_of():
    text = STUDY.replace("protocol ", "protocol whole = ").replace(
        "tune", "protocol shuffled = cv folds=5\ntune"
    ).replace("block=5)", "block=5) on whole")  # fmt: skip
    (warning,) = [d for d in checked(text).diagnostics if d.code == "W322"]
    assert warning.message == "`cv` mixes rows that `blocks` keeps in order"


def test_the_report_has_the_interval_of_a_series_and_the_inner_blocks(folder):
    results = run(study(STUDY, folder))
    ridge, _ = results.record.estimates
    assert ridge.interval.method.startswith("newey_west")
    assert len(ridge.folds) == FOLDS
    results.save(folder / "found")
    page = (folder / "found" / "report.html").read_text(encoding="utf-8")
    assert "three consecutive blocks of that part as validation data" in page
    assert "shuffled rows" not in page


def test_learning_curves_take_the_rows_nearest_to_the_tested_block(folder):
    text = STUDY.replace("report html", "analyze learning_curve(fractions=[0.5, 1])\nreport html")
    planned = read_and_plan(study(text, folder)).planned
    assert planned.layout.subsets
    for place in planned.layout.subsets:
        near, tested = place.split.train, place.split.test
        away = np.maximum(tested.min() - near, near - tested.max())
        assert away.min() == GAP + 1
        if place.size == 0:
            assert away.max() <= N // 2


def test_it_is_listed_explained_and_documented():
    assert "blocks" in CliRunner().invoke(root, ["list", "protocols"]).output
    explained = CliRunner().invoke(root, ["explain", "blocks"]).output
    assert "protocol blocks" in explained
    made = dict((*members.pages(), *fitting.pages()))
    assert "\n# blocks" in made["protocols/blocks"]
    assert "(protocols/blocks.md)" in made["protocols"]
    assert "blocks" in made["what-goes-with-what"]
