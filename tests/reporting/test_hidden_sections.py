"""`show` and `hide`: a report without a section refers to nothing that is missing."""

import fixture
import fixture_variants
import pytest
import tinyhtml5
from click.testing import CliRunner
from many_cases import for_each
from msgspec.structs import replace
from studies import study

from evallang.api import run
from evallang.cli.main import root
from evallang.manual.glossary import complete
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.report import write_report
from evallang.reporting.section import SECTIONS, build
from evallang.reporting.summary import summary

HIDEABLE = [entry.name for entry in SECTIONS if entry.declaration.hideable]
ALWAYS = {entry.name for entry in SECTIONS if not entry.declaration.hideable}
COUNTS = """\
evallang 1
study
  seed 1
counts trial
  models a, b
  table [[60, 20], [9, 11]]
compare a vs b with mcnemar
report html
  {}
"""


def page_of(results, **settings):
    changed = replace(results, report=replace(results.report, **settings))
    return html.render(build(Context(changed)), "screen").html


@pytest.fixture(scope="module")
def results():
    return {"cancer": fixture.cancer(), "gate": fixture_variants.gate_shut()}


@for_each("name", HIDEABLE)
@for_each("of", ["cancer", "gate"])
def test_no_link_and_no_citation_leads_to_a_hidden_section(name, of, results):
    page = tinyhtml5.parse(page_of(results[of], hide=(name,)), namespace_html_elements=False)
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    links = [a.get("href") for a in page.iter("a") if a.get("href", "").startswith("#")]
    assert name not in ids and len(set(ids)) == len(ids)
    assert not {link.removeprefix("#") for link in links} - set(ids)


def test_text_names_no_section_that_is_hidden(results):
    record = results["cancer"]
    assert "models are compared below" in page_of(record)
    page = page_of(record, hide=("comparisons",))
    assert "compared below" not in page and "in the comparisons" not in page


@pytest.mark.parametrize(
    ("line", "tables"),
    [
        ("page a4", {"estimates-1", "comparison-1"}),
        ("hide comparisons, source", {"estimates-1"}),
        ("show comparisons", {"comparison-1"}),
        ("show methods", set()),
    ],
)
def test_report_and_summary_have_the_sections_that_a_study_leaves(line, tables, tmp_path):
    record = run(study(COUNTS.format(line), tmp_path), jobs=1).record
    sections = {section.name for section in build(Context(record)).sections}
    word, names = line.split(" ", 1)
    named = set(names.split(", "))
    assert not sections & named if word == "hide" else True
    assert sections <= named | ALWAYS if word == "show" else True
    assert sections & named == named if word == "show" else True
    assert {table.id for table in summary(record).tables} == tables
    stated = {"hide": "Sections omitted", "show": "Sections printed"}.get(word)
    if stated is not None:  # readers see what was omitted
        assert stated in page_of(record)


def test_the_names_of_sections_are_listed_and_completed_in_the_order_of_the_page():
    done = CliRunner().invoke(root, ["list", "sections"], standalone_mode=False)
    listed = [line.split()[0] for line in done.output.splitlines()]
    assert sorted(listed) == sorted(HIDEABLE)
    assert listed.index("findings") < listed.index("comparisons") < listed.index("methods")
    text = "evallang 1\nreport html\n  hide "
    assert [str(word) for word in complete(text, 3, 8)] == listed
    assert [str(word) for word in complete(f"{text}findings, est", 3, 21)] == ["estimates"]


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"hide": ("figure-comparison-1",)}, {"table-comparison-1", "table-estimates-1"}),
        ({"show": ("figure-comparison-1",)}, {"figure-comparison-1"}),
        (
            {"show": ("estimates",), "hide": ("table-estimates-1",)},
            {"figure-estimates-1", "figure-estimates-1-2", "figure-folds-1"},
        ),
        ({"hide": ("comparisons", "figure-comparison-1")}, {"table-estimates-1"}),
    ],
)
def test_single_figures_and_tables_are_shown_and_hidden(settings, left, results):
    page = tinyhtml5.parse(page_of(results["cancer"], **settings), namespace_html_elements=False)
    ids = {element.get("id") for element in page.iter() if element.get("id")}
    exhibits = {i for i in ids if i.startswith(("figure-", "table-"))}
    exhibits -= {"table-protocol", "table-provenance"}
    links = {a.get("href", "#")[1:] for a in page.iter("a") if a.get("href", "").startswith("#")}
    assert left <= exhibits and not exhibits & set(settings.get("hide", ())) and links <= ids
    if "show" in settings:
        assert {i for i in exhibits if not i.endswith("-caption")} == left


def test_a_figure_that_the_report_does_not_have_is_named(tmp_path):
    line = 'hide "figure-curve-9", "table-protocol", "table-comparison-1"'
    record = run(study(COUNTS.format(line), tmp_path), jobs=1).record
    _, messages = write_report(record, tmp_path, ("html",))
    assert [message.split("`")[1] for message in messages] == ["figure-curve-9", "table-protocol"]
    assert "it has `table-estimates-1`" in messages[0]
