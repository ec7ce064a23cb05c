"""`template`: the author's template is code that extends ours; the policy of the page is ours."""

import re

import fixture
import fixture_variants
import pytest
from many_cases import for_each

from evallang.reporting.authors_template import AuthorsTemplate
from evallang.reporting.html import template_objection
from evallang.reporting.report import write_report

pytestmark = pytest.mark.pdf

EXTENDS = '{% extends "report.html.j2" %}\n'
BLOCK = EXTENDS + "{% block before %}BODY{% endblock %}"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">')


def page_of(tmp_path, body, formats=("html",), results=None):
    template = BLOCK.replace("BODY", body)
    _, messages = write_report(
        results or fixture.cancer(), tmp_path, formats, template=AuthorsTemplate(template)
    )
    return (tmp_path / "report.html").read_text(encoding="utf-8"), messages


def test_a_block_is_part_of_the_page_and_the_policy_stays(tmp_path):
    plain, _ = page_of(tmp_path / "plain", "")
    body = '<p class="lab">{% for s in document.sections %}{{ s.heading }};{% endfor %}</p>'
    page, messages = page_of(tmp_path / "own", body, ("html", "pdf"))
    assert messages == ()
    assert "Key findings;Estimates;Comparisons" in page
    assert POLICY.findall(page) == POLICY.findall(plain) != []
    assert (tmp_path / "own" / "report.pdf").stat().st_size > 10_000


def test_values_are_escaped_in_an_authors_block_too(tmp_path):
    page, _ = page_of(tmp_path, "<p>{{ document.title }}</p>", results=fixture_variants.hostile())
    assert "<script>x" not in page and "<script>alert" not in page


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize(
    "body",
    ["{{ missing }}", "{{ copied.format(1) }}", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"],
)
def test_a_template_that_fails_leaves_the_report_without_it(tmp_path, body):
    page, messages = page_of(tmp_path, body, ("html", "pdf"))
    assert len(messages) == 1 and messages[0].startswith("the template `None` is not used: line 2")
    assert "Key findings" in page and (tmp_path / "report.pdf").exists()


@for_each(
    ("text", "words"),
    [
        ("<p>mine</p>", "does not extend"),
        ('{% extends "blocks.html.j2" %}', "does not extend"),
        ("{% extends document.title %}", "does not extend"),
        (EXTENDS + "{% block before %}", "is not a template"),
        (EXTENDS + "{% block before %}{{ " + "(" * 20_000, "is nested too deeply"),
        (EXTENDS + "\n{% block befor %}{% endblock %}", "fills the block `befor` in line 3"),
    ],
)
def test_what_is_no_template_of_a_report_is_refused(text, words):
    objection = template_objection(text)
    assert objection is not None and words in objection[0]


def test_a_block_inside_a_block_of_the_report_is_the_authors_own():
    own = EXTENDS + "{% block before %}{% block lab %}x{% endblock %}{% endblock %}"
    assert template_objection(BLOCK) is template_objection(own) is None


@for_each(
    ("body", "words"),
    [
        ("{{ missing }}", "line 2: 'missing' is undefined"),
        ("\n{{ document.titel }}", "line 3: `Document` has no `titel`; it has `created`,"),
        ("\n\n{{ 1 / 0 }}", "line 4: ZeroDivisionError: division by zero"),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_exists(body, words, tmp_path):
    _, messages = page_of(tmp_path, body)
    assert words in messages[0]
