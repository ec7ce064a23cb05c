"""Abbreviations in heads with the long form in the note, units of differences, draws of bounds."""

import pytest

import evallang as ev
from evallang.reporting.letter_case import abbreviated

STUDY = """evallang 1

study "Blood"
  seed 1

data diabetes from sklearn diabetes

model lin = LinearRegression
model tree = DecisionTreeRegressor(max_depth=2)

protocol holdout test=1/3
measure rmse, mae
compare lin vs tree with bootstrap(rounds=500)

require lin not worse than tree by 5 in rmse
report markdown, latex
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("study")
    (made / "s.eval").write_text(STUDY, encoding="utf-8")
    ev.run(made / "s.eval").save(made / "out")
    return made / "out"


def test_heads_abbreviate_and_the_note_has_the_long_form_once(folder):
    for name in ("tables/estimates-1.md", "tables/estimates-1.tex", "tables/comparison-1.md"):
        text = (folder / name).read_text(encoding="utf-8")
        rows, _, note = (
            text.rpartition("|\n") if name.endswith("md") else text.rpartition("tabular")
        )
        assert "RMSE" in rows.replace("*", "")
        assert note.count("root mean squared error") == 1
        assert "RMSE: root mean squared error" in note


@pytest.mark.parametrize(
    ("short", "options", "printed"),
    [
        ("nDCG", "(at=10)", "nDCG@10"),
        ("nDCG", "(at=5, gain=exponential)", "nDCG@5 (exponential gain)"),
        ("MCC", "", "MCC"),
        ("AUC", "(average=macro)", "AUC (macro)"),
    ],
)
def test_an_abbreviation_has_the_options_of_its_measure(short, options, printed):
    assert abbreviated(short, options) == printed


def test_differences_have_the_unit_of_the_measure(folder):
    findings = (folder / "findings.md").read_text(encoding="utf-8").replace("\xa0", " ")
    assert "5 target units in root mean squared error: −11.1 target units (95% CI" in findings
    assert "a difference of −11 target units (95% CI [−16, −7])" in findings  # of 500 draws
    table = (folder / "tables" / "comparison-1.md").read_text(encoding="utf-8")
    assert "Difference in RMSE, target units" in table


def test_requirements_state_the_draws_of_their_intervals(folder):
    methods = (folder / "methods.md").read_text(encoding="utf-8")
    (sentence,) = [s for s in methods.split(". ") if "requirement was stated" in s]
    assert "(bias-corrected accelerated bootstrap interval, 10,000 resamples" in sentence
