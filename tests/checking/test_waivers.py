"""Waivers that do nothing say so: misspelled, of no rule, of an error, too late, of data."""

import pytest
from studies import checked

from evallang.api.preparing import check_data
from evallang.api.study_file import check_text, open_study
from evallang.checking.waivers import canonical
from evallang.source import SourceFile
from evallang.syntax.formatter import format_parsed
from evallang.syntax.parser import parse_lines

STUDY = """evallang 1
{top}
study
  seed 1
data iris from sklearn iris
model a = GaussianNB
model b = LinearDiscriminantAnalysis
model prior = DummyClassifier
protocol holdout
{line}
compare a, b with mcnemar
"""


def said(top="", line=""):
    found = checked(STUDY.format(top=top, line=line)).diagnostics
    return [(d.code, d.message, d.help) for d in found]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# evallang: allow no_such_rule because it is so", "no rule is called `no_such_rule`"),
        ("# evallang: allow E201 because it is so", "is an error, and errors cannot be allowed"),
        ("# evallang: allow W501 because it is so", "is about the results"),
        ("# evallang: alow no_baseline because it is so", "this comment allows nothing"),
        ("# evalang: allow no_baseline because it is so", "this comment allows nothing"),
        ("# evallang: allow W302, W301 because of both", "this comment allows nothing"),
        ("# evallang: allow", "this comment allows nothing"),
        ("# evallang: allow no_baseline because it is so", "there is no `no_baseline` to allow"),
    ],
)
def test_a_waiver_that_allows_nothing_is_reported(comment, message):
    ((code, words, suggestion),) = said(line=comment)
    assert code == "W162"
    assert message in words
    assert suggestion


def test_other_comments_are_left_alone():
    assert said(line="# note: allow me\n# evaluation: allow for ties\n# see evallang: docs") == []


def test_a_waiver_of_the_file_stands_above_its_statements():
    waiver = "# evallang: allow no_baseline in this file because it is so"
    plain = STUDY.replace("model prior = DummyClassifier\n", "")
    assert [
        (d.code, d.allowed_because) for d in checked(plain.format(top=waiver, line="")).diagnostics
    ] == [("W353", "it is so")]
    late = checked(plain.format(top="", line=waiver)).diagnostics
    assert sorted(d.code for d in late) == ["W162", "W353"]
    assert all(d.allowed_because is None for d in late)


def test_a_waiver_of_data_advice_is_judged_once_the_data_are_read(tmp_path):
    rows = "".join(f"{i},{i % 7 * 1.5},7,{'ab'[i % 3 == 0]}\n" for i in range(400))
    (tmp_path / "d.csv").write_text("k,x,same,y\n" + rows)
    text = STUDY.replace("sklearn iris", '"d.csv"\n  id k\n  target y')
    needed = "# evallang: allow constant_feature in this file because it is kept for the record\n"
    needless = "# evallang: allow id_like_feature in this file because none is"
    place = tmp_path / "study.eval"
    place.write_text(text.format(top=needed + needless, line=""))
    study = open_study(place)
    assert study.diagnostics == ()
    found = check_data(study)
    assert [d.allowed_because for d in found if d.name == "constant_feature"] == [
        "it is kept for the record"
    ]
    assert [d.message for d in found if d.code == "W162"] == [
        "there is no `id_like_feature` to allow here"
    ]


def test_a_text_without_a_file_is_checked_under_the_name_it_is_given():
    study = check_text("evallang 1\nprotocl cv\n", "<stdin>")
    assert {d.path for d in study.diagnostics} == {"<stdin>"}


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_waiver_stands_on_any_line_of_what_it_is_about(line):
    lines = ["compare [a,", "  b,", "  prior] with mcnemar uncorrected"]
    comment = "# evallang: allow many_comparisons_without_correction because they are planned"
    lines[line] += f"  {comment}"
    text = STUDY.format(top="", line="\n".join(lines)).replace("compare a, b with mcnemar\n", "")
    found = [d for d in checked(text).diagnostics if d.code in ("W301", "W162")]
    assert [(d.code, d.allowed_because) for d in found] == [("W301", "they are planned")]


def test_a_waiver_stands_beside_the_clause_of_which_one_word_is_marked():
    comment = "# evallang: allow candidates_from_complex_to_simple because of an older study"
    lines = [
        "model svm = SVC(",
        f"  C in [10, 1, 0.1])  {comment}",
        "tune grid cv=3 select one_standard_error",
    ]
    text = STUDY.format(top="", line="\n".join(lines))
    found = [d for d in checked(text).diagnostics if d.code in ("W331", "W162")]
    assert [(d.code, d.allowed_because) for d in found] == [("W331", "of an older study")]


@pytest.mark.parametrize("written", ["W301", "w301", "many-comparisons-without-correction"])
def test_a_waiver_is_formatted_to_the_name_of_its_rule(written):
    comment = f"# evallang: allow {written} because W301 and -1 stay as they are"
    text = f"{STUDY.format(top='', line=comment)}"
    source = SourceFile("study.eval", text)
    made = format_parsed(source, parse_lines(source), canonical)
    name = "many_comparisons_without_correction"
    assert f"\n# evallang: allow {name} because W301 and -1 stay as they are\n" in made
    again = SourceFile("study.eval", made)
    assert format_parsed(again, parse_lines(again), canonical) == made
    assert checked(text).study.canonical == made


@pytest.mark.parametrize("comment", ["# allow W301 because", "# evallang: docs", "# W301"])
def test_other_comments_keep_their_spelling(comment):
    assert canonical(comment) == comment
