"""Findings of lines with many pairs or requirements: the first are told, the others counted."""

import pytest
from studies import study
from test_careful_words import Page

from evallang.api import run

HEAD = """evallang 1
study
  seed 1
predictions p from "p.csv"
  truth t
  models a, b, c, d, e
  positive 1
"""
WRONG = {"a": 10, "b": 11, "c": 30, "d": 55, "e": 80}  # of 200 examples, in rows of their own


@pytest.fixture
def findings(tmp_path):
    starts = dict(zip(WRONG, range(0, 100, 20), strict=True))
    wrong = {m: {(starts[m] + k) % 200 for k in range(n)} for m, n in WRONG.items()}
    rows = [
        ",".join(str(i % 2 if i not in wrong.get(m, ()) else 1 - i % 2) for m in ("t", *WRONG))
        for i in range(200)
    ]
    (tmp_path / "p.csv").write_text("\n".join(["t,a,b,c,d,e", *rows]))

    def drawn(lines):
        return Page(run(study(HEAD + lines, tmp_path)).record).findings()

    return drawn


def test_of_more_than_six_requirements_the_findings_name_some_not_met(findings):
    levels = [f"require accuracy of {m} >= 50%" for m in "abcde"]
    assert sum(line.startswith("Met.") for line in findings("\n".join(levels))) == 5
    lines = findings(
        "\n".join([*levels, "require accuracy of a >= 51%", "require accuracy of b >= 52%"])
    )
    assert lines[0] == "The study passed: all seven requirements were met."
    assert not any(line.startswith("Met.") for line in lines)  # the table has them
    unmet = [f"require accuracy of e >= 9{i}%" for i in range(8)]
    lines = findings("\n".join([*unmet, *levels]))
    assert lines[0] == (
        "The study failed: eight of 13 requirements were not met. Not met: Accuracy of e at least "
        "90%; Accuracy of e at least 91%; Accuracy of e at least 92%; 5 more."
    )


def test_two_and_one_requirements_have_words_of_their_own(findings):
    one = findings("require accuracy of e >= 99%")
    assert one[0].startswith("The requirement was not met. Accuracy of e at least 99%: ")
    two = findings("require accuracy of a >= 5%\nrequire accuracy of b >= 5%")
    assert two[0] == "The study passed: both requirements were met."


@pytest.mark.parametrize(("against", "which"), [("e", "significant"), ("c", "not significant")])
def test_one_sided_tests_beyond_the_first_three_are_counted(findings, against, which):
    lines = findings(f"compare against {against} with mcnemar(alternative=greater) holm")
    assert lines[-1] == (
        f"One more one-sided test, which was {which}, is listed in the table of differences."
    )
    assert sum("one-sided p" in line for line in lines) == 3


def test_a_model_in_the_middle_is_told_from_both_sides(findings):
    lines = findings("compare against c with mcnemar holm")
    assert any(line.startswith("Models a and b had a higher accuracy than c") for line in lines)
    assert any(
        line.startswith("Models d and e had a lower accuracy than c: d by 12.5") for line in lines
    )


def test_one_line_by_two_metrics_has_one_table_of_pairs(tmp_path):
    rows = [
        f"{i % 2},{1 - i % 2 if i < 9 else i % 2},{1 - i % 2 if i < 8 else i % 2}"
        for i in range(70)
    ]  # one more error of a
    (tmp_path / "p.csv").write_text("\n".join(["t,a,b", *rows]))
    lines = "compare a, b with permutation(rounds=99) holm by accuracy, f1"
    head = HEAD.replace("a, b, c, d, e", "a, b")
    page = Page(run(study(head + lines, tmp_path)).record)
    heads = ["Accuracy, points", "F1, points"]
    stubs = [cells[0] for cells in page.table("table-comparison-1")]
    assert stubs == [heads[0], "b − a", heads[1], "b − a"]
    assert page.figure("table-comparison-2") is None
    assert page.words("comparisons").count("reject the hypothesis") == 1
