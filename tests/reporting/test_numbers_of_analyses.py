"""The numbers of an analysis are those of its own kind and of its own model."""

import re

import pytest
from report_truth import misplaced_in_analyses, untruths
from studies import write_rows

import evallang as ev
from evallang.results.codec import to_plain

STUDY = """evallang 1
study
  seed 1
predictions exam "Exam" from "p.csv"
  id id
  truth truth
  positive 1
  models rule "Rule", net "Net"
  score rule = s
  score net = t
measure roc_auc
analyze roc, calibration, confusion, agreement
report html
"""
CELL = re.compile(r'<td[^>]* title="[^"]+".*?</td>', re.S)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exam")
    rows = [
        (i, i % 3 == 0, (0.3 + 0.4 * (i % 3 == 0) + (i * 7 % 31) / 60) / 1.3, (i * 11 % 97) / 97)
        for i in range(120)
    ]
    write_rows(folder, "p.csv", "id,truth,s,t", [[i, int(y), a, b] for i, y, a, b in rows])
    (folder / "study.eval").write_text(STUDY, encoding="utf-8")
    results = ev.run(folder / "study.eval", out=folder / "out", look=False)
    return (folder / "out" / "report.html").read_text(encoding="utf-8"), to_plain(results.record)


def tables(page):
    """Return the tables of a page."""
    return re.findall(r"<figure class=.table.*?</figure>", page, re.S)


def test_all_numbers_of_the_analyses_are_where_they_belong(page):
    html, plain = page
    assert not any(untruths(html, plain).values())


@pytest.mark.parametrize("caption", ["ROC curve in numbers.", "Calibration in numbers."])
def test_a_number_of_another_model_is_found_in_a_curve(page, caption):
    html, plain = page
    (table,) = [one for one in tables(html) if caption in one]
    cells = CELL.findall(table)
    assert cells[0] != cells[-1]
    other = table.replace(cells[0], cells[-1])
    assert [place for place, *_ in misplaced_in_analyses(html.replace(table, other), plain)]


def test_a_number_of_another_analysis_or_table_is_found(page):
    html, plain = page
    (table,) = [t for t in tables(html) if "Predictions by true class" in t]
    rule, net = table.split('<tr class="group">')[1:]
    mine, other = CELL.findall(rule)[0], CELL.findall(net)[0]
    turned = html.replace(rule, rule.replace(mine, other))
    assert {place for place, *_ in misplaced_in_analyses(turned, plain)} == {"confusion_matrices"}
    agreement = next(t for t in tables(html) if "Pairwise agreement of models" in t)
    turned = html.replace(agreement, agreement.replace(CELL.findall(agreement)[0], mine))
    assert {place for place, *_ in misplaced_in_analyses(turned, plain)} == {"agreement_of_models"}


def test_a_share_of_another_model_is_found_in_a_confusion_matrix(page):
    html, plain = page
    (table,) = [one for one in tables(html) if "Predictions by true class" in one]
    wrong = re.sub(r"\(\d+\.\d%\)", "(12.3%)", table, count=1)
    assert wrong != table
    ((place, _, numbers),) = misplaced_in_analyses(html.replace(table, wrong), plain)
    assert (place, numbers) == ("confusion_matrices", ["12.3"])


def test_a_number_of_a_note_is_of_its_analysis(page):
    html, plain = page
    (table,) = [one for one in tables(html) if "Pairwise agreement of models" in one]
    wrong = table.replace("The numbers apply", "Kappa is 0.8642. The numbers apply")
    assert wrong != table
    ((place, _, number),) = misplaced_in_analyses(html.replace(table, wrong), plain)
    assert (place, number) == ("agreement_of_models", "0.8642")
