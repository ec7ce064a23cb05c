"""Completion offers what the language and the catalogues have at a place, and nothing else."""

import pytest
from many_cases import for_each

import evallang as ev
from evallang.manual.glossary import entries
from evallang.source import SourceFile
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.intervals.interval import INTERVALS
from evallang.syntax.language import STATEMENTS
from evallang.syntax.logical_lines import lay_out

STUDY = """\
evallang 1

study
  seed 1

data d from "a.csv"
  target "mean radius"
  group patient

let prep = StandardScaler
model a = GaussianNB
model b = prep | SVC(C in [1, 2], kernel=rbf)
protocol main = nested cv outer=5 inner=3
"""


def completed(line, before=STUDY):
    """Complete the end of a line that is put below the study."""
    text = before + line
    last = text.rsplit("\n", 1)[-1]
    return [c.text for c in ev.complete(text, text.count("\n") + 1, len(last) + 1)]


def test_a_line_begins_with_a_statement():
    assert completed("", before="") == list(STATEMENTS)
    words = completed("")
    assert "evallang" not in words  # it is first or not at all
    assert "study" not in words  # there is one already
    assert {"data", "model", "compare"} <= set(words)
    assert completed("me") == ["measure"]


def test_an_indented_line_begins_with_a_clause_that_is_not_written_yet():
    words = completed('data e from "b.csv"\n  target y\n  ')
    assert set(words) == STATEMENTS["data"].clauses.keys() - {"target"}
    assert completed("use lab\n  ") == []


@for_each(
    ("line", "expected"),
    [
        ("data x from ", ["frame", "sklearn", "sql"]),
        ("data x from sklearn i", ["iris"]),
        ("compare ", ["across", "against", "all", "averaged", "by", "on", "with", "a", "b"]),
        ("compare a vs ", ["a", "b"]),
        ("compare with mcne", ["mcnemar"]),
        ("compare a, b with mcnemar on ", ["main"]),
        ("compare a, b with mcnemar h", ["hochberg", "holm", "holm_sidak", "hommel"]),
        ("compare with mcnemar(mid", ["midp"]),
        ("require accuracy of ", ["a", "b"]),
        ("require a not ", ["worse"]),
        ("tune grid select ", ["best", "one_standard_error"]),
        ("tune random 4 ", ["by", "select", "cv"]),
        ("report ", ["html", "pdf", "latex", "markdown", "csv", "docx"]),
        ("report html\n  page ", ["a4", "letter"]),
        ("stratify by ", ["target", '"mean radius"', "patient"]),
        ("group ", ["by"]),
        ("protocol nest", ["nested cv"]),
        ("protocol nested cv ou", ["outer"]),
        ("measure f1(average=m", ["macro", "micro"]),
        ("model z = SVC(kernel=", ["linear", "poly", "precomputed", "rbf", "sigmoid", "prep"]),
        ("model z = SVC(C=1, ker", ["kernel"]),
        ("model z = columns(", ["numeric", "categorical", "rest"]),
        ("model z = StandardScaler | Gaussian", ["GaussianMixture", "GaussianNB"]),
        ("export b", ["best", "b"]),
    ],
)
def test_the_words_inside_a_line(line, expected):
    found = completed(line)
    if line.startswith("model z = StandardScaler"):
        assert "GaussianNB" in found and all(word.startswith("Gaussian") for word in found)
    else:
        assert found == expected


def test_all_members_of_a_catalogue_are_offered():
    intervals = completed("measure accuracy\n  interval ")
    assert intervals == sorted(INTERVALS.names())
    after_a_test = completed("compare with mcnemar ")
    assert set(CORRECTIONS.names()) <= set(after_a_test)
    assert {m["name"] for m in entries("models")} <= set(completed("model z = "))


@pytest.mark.parametrize("line", ['study "with ', "# compare with ", "use ", "seed "])
def test_nothing_is_offered_in_texts_comments_and_free_names(line):
    assert completed(line) == []


def test_a_waiver_is_completed_with_rules():
    assert completed("# evallang: allow margin_l") == ["margin_larger_than_the_lead"]


def test_a_place_outside_the_text_is_refused():
    with pytest.raises(ValueError, match="1 lines"):
        ev.complete("measure ", 5, 1)


def _is_own(line, index):
    """Return whether a word of a line is the author's own choice."""
    if not line.at_margin:
        return index > 0 and line.word in ("models", "positive")
    if line.word == "protocol":
        return index == 1 and [token.kind for token in line.tokens[2:3]] == ["EQUAL"]
    if any("." in token.text for token in line.tokens[: index + 1] if token.kind == "NAME"):
        return True  # own code
    return index == 1 and STATEMENTS[line.word].declares


@pytest.mark.parametrize("word", sorted(STATEMENTS))
def test_each_word_of_each_example_is_offered_where_it_is(word):
    source = SourceFile("study.eval", STATEMENTS[word].example + "\n")
    lines = source.text.splitlines()
    for line in lay_out(source).lines:
        for index, token in enumerate(line.tokens):
            if token.kind != "NAME" or _is_own(line, index):
                continue
            number = source.text.count("\n", 0, token.start) + 1
            column = token.start - source.text.rfind("\n", 0, token.start)
            found = [c.text.split()[0] for c in ev.complete(source.text, number, column)]
            assert token.text in found, (lines[number - 1], column)
