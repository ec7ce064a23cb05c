"""A clause has one error at most, and it tells of everything else that is wrong there."""

import json
from pathlib import Path

import pytest
from many_cases import for_each
from studies import checked, checked_once, codes_told

from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.cli.check import apply_fixes
from evallang.diagnostics import Severity
from evallang.diagnostics.formats import to_github, to_json, to_sarif
from evallang.diagnostics.text import to_text

STUDY = """\
evallang 1
study "Slips"
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model a = GaussianNB
model b = SVC
protocol cv
measure acuracy, recal
compare a, c with mcnemr
"""
FOLDER = Path(__file__).parents[1] / "messages"


def errors(found):
    return [item for item in found.diagnostics if item.severity is Severity.ERROR]


def test_the_errors_of_a_clause_are_one_that_tells_of_all():
    measure, compare = errors(checked(STUDY))
    assert measure.message == "there is no metric called `acuracy`"
    (other,) = measure.related
    assert STUDY[other.span.start : other.span.end] == "recal"
    assert other.words == "also E120: there is no metric called `recal`; did you mean `recall`?"
    assert codes_told([compare]) == ["E101", "E121"]


def test_both_places_are_marked_below_the_line():
    found = checked(STUDY)
    shown = to_text(found.diagnostics, found.sources)
    assert "9 | measure acuracy, recal\n  |         ^^^^^^^  ^^^^^\n" in shown
    assert shown.index("did you mean `accuracy`?") < shown.index("also E120")


def test_every_format_tells_of_the_others():
    found = checked(STUDY)
    told = "there is no metric called `recal`; did you mean `recall`?"
    (record,) = [
        r
        for r in json.loads(to_json(found.diagnostics, found.sources))["diagnostics"]
        if r["code"] == "E120"
    ]
    assert [r["message"] for r in record["related"]] == [f"also E120: {told}"]
    assert f"%0Aalso E120: {told}" in to_github(found.diagnostics, found.sources)
    (run,) = json.loads(to_sarif(found.diagnostics, found.sources, version="1"))["runs"]
    assert any(told in result["message"]["text"] for result in run["results"])


def test_the_sure_fixes_of_a_clause_are_applied_together(tmp_path):
    path = tmp_path / "study.eval"
    path.write_text(
        STUDY.replace("recal", "roc_acu").replace("mcnemr", "mcnemar"), encoding="utf-8"
    )
    apply_fixes(path)
    assert "measure accuracy, roc_auc\n" in path.read_text(encoding="utf-8")


def test_what_is_missing_is_said_after_what_is_wrong():
    text = "evallang 1\nstudy\n  seed 1\ndata d from sklearn iriss\n"
    assert codes_told(errors(checked(text))) == ["E127", "E105"]


def test_a_clause_over_several_lines_is_one_clause_and_the_next_another():
    text = STUDY.replace("a, c with", "a, b with").replace("mcnemr", "mcnemar")
    text = text.replace("measure acuracy, recal", "measure accuracy")
    text = text.replace("GaussianNB", "PCA(\n  n_comp=1,\n) | Foo\n  | Bar")
    text = text.replace("seed 1", "seed one\n  alpha 7")
    assert [codes_told([e]) for e in errors(checked(text))] == [
        ["E143"],
        ["E143"],
        ["E111", "E110", "E110"],
    ]


def test_errors_of_the_data_are_told_together(tmp_path):
    (tmp_path / "p.csv").write_text("id,y,a\n1,0,0\n2,1,1\n", encoding="utf-8")
    path = tmp_path / "study.eval"
    path.write_text(
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  truth y\n  positive 1\n'
        "  models a, b, c\nmeasure accuracy\n",
        encoding="utf-8",
    )
    (error,) = [d for d in check_data(open_study(path)) if d.severity is Severity.ERROR]
    assert codes_told([error]) == ["E420", "E420"]


@for_each("path", sorted((FOLDER / "checking").glob("*.eval")), ids=lambda path: path.stem)
def test_no_clause_of_the_faulty_studies_has_two_errors(path):
    found = checked_once(path.read_text(encoding="utf-8"))
    starts = {name: [line.start for line in p.lines] for name, p in found.gathered.parsed.items()}
    places = []
    for item in errors(found):
        if item.span is None or item.code.startswith("E16"):  # of the file; of a comment
            continue
        before = [start for start in starts[item.path] if start <= item.span.start]
        places.append((item.path, max(before, default=-1)))
    assert len(places) == len(set(places))


@pytest.mark.parametrize("count", [2, 300])
def test_a_line_of_many_mistakes_is_one_error(count):
    line = "measure " + ", ".join(f"acuracy{i}" for i in range(count)) + "\n"
    found = errors(checked(STUDY.split("measure")[0] + line))
    assert [len(error.related) for error in found] == [count - 1]
