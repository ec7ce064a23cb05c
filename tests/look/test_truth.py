"""The numbers and citations of every kind of page, and its summary on a terminal of 80 columns."""

from unicodedata import category, east_asian_width

import pytest
from kinds import KINDS
from report_truth import untruths

from evallang.cli.summary_text import text_lines
from evallang.reporting.summary import summary
from evallang.results.codec import to_plain


def columns_of(line):
    marks = ("Mn", "Me", "Cf")
    return sum(0 if category(c) in marks else 1 + (east_asian_width(c) in "WF") for c in line)


@pytest.mark.parametrize("name", KINDS)
def test_every_number_and_citation_is_that_of_the_results(rendered, name):
    made = rendered(name)
    page = (made.folder / "report.html").read_text(encoding="utf-8")
    plain = to_plain(made.results.record)
    assert not any(found := untruths(page, plain).values()), found


MANY = {"thirty models", "scores of 30 models with names of all lengths"}  # 435 pairs


@pytest.mark.parametrize("name", [name for name in KINDS if name not in MANY])
def test_the_page_of_every_kind_but_those_of_hundreds_of_pairs_is_small(rendered, name):
    assert (rendered(name).folder / "report.html").stat().st_size < 500_000


@pytest.mark.parametrize("name", KINDS)
def test_a_summary_fits_80_columns_and_has_every_table_of_estimates(rendered, name):
    record = rendered(name).results.record
    lines = list(text_lines(summary(record)))
    assert max(map(columns_of, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert all(line.count("\u2068") == line.count("\u2069") for line in lines)
    labels = {model.label or model.name for model in record.models}
    shown = "".join("".join(lines).split())
    # A long head of a column is broken into lines, with the words of other heads between
    assert all(word in shown for label in labels for word in label.split())
