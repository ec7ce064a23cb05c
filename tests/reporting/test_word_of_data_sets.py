"""`unit` of a table of scores is the word for what its data sets are."""

import re
from html import unescape

import pytest
from studies import study

from evallang.api import run

SCORES = """\
evallang 1
study "Three classifiers of epochs"
  seed 2
scores suite "Sleep stages" from "suite.csv"
  dataset person
  models a, b, c
  metric "kappa"
  higher is better{}
compare across data with friedman then nemenyi
report html
"""
TABLE = "person,a,b,c\n" + "".join(
    f"p{i},{0.5 + i / 50},{0.45 + i / 45},{0.3 + (i * 7 % 5) / 20}\n" for i in range(12)
)


def words(folder, clause, label="Sleep stages"):
    (folder / "suite.csv").write_text(TABLE, encoding="utf-8")
    text = SCORES.format(clause).replace("Sleep stages", label)
    run(study(text, folder)).save(folder / "found")
    page = (folder / "found" / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"(?s)<(style|script|svg|pre).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


@pytest.mark.parametrize(
    ("clause", "word"), [("", "data sets"), ('\n  unit "subjects"', "subjects")]
)
def test_findings_tables_and_methods_count_the_authors_word(tmp_path, clause, word):
    text = words(tmp_path, clause)
    assert f"Across the {word}, the three models" in text
    assert f"among three models over 12 {word}." in text
    assert f"Average ranks over 12 {word}." in text
    assert re.search(rf"We compared a, b and c on Sleep stages \(12 {word}\)\.", text)
    assert ("subjects" in text) == (word == "subjects")


def test_the_word_is_in_the_results_and_changes_no_number(tmp_path):
    (tmp_path / "suite.csv").write_text(TABLE, encoding="utf-8")
    plain = run(study(SCORES.format(""), tmp_path)).record
    named = run(study(SCORES.format('\n  unit "subjects"'), tmp_path)).record
    assert {d.one_of for d in plain.data} == {None}
    assert {d.one_of for d in named.data} == {"subjects"}
    assert named.comparisons == plain.comparisons


@pytest.mark.parametrize(
    ("written", "label"),
    [(r"a \"b\" \\c", r'a "b" \c'), ("x\x85##[error]y", r"x\x85#\x23[error]y")],
    ids=["quotes", "no character to be seen"],
)
def test_the_label_of_a_collection_is_the_text_that_was_written(tmp_path, written, label):
    assert f"We compared a, b and c on {label} (12 data sets)." in words(tmp_path, "", written)
