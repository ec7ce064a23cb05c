"""`template`: the author's template extends ours, in a sandbox; the policy of the page stays."""

import re
from dataclasses import replace

import fixture
import fixture_variants
import pytest
from many_cases import for_each

from evallang.reporting.report import write_report
from evallang.reporting.templates import template_objection

EXTENDS = '{% extends "report.html.j2" %}\n'
BLOCK = EXTENDS + "{% block before %}BODY{% endblock %}"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">')


def page_of(tmp_path, body, formats=("html",)):
    results = replace(fixture.cancer(), template=BLOCK.replace("BODY", body))
    _, messages = write_report(results, tmp_path, formats)
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
    results = replace(
        fixture_variants.hostile(), template=BLOCK.replace("BODY", "<p>{{ document.title }}</p>")
    )
    write_report(results, tmp_path, ("html",))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>x" not in page and "<script>alert" not in page


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        '<img src="https://example.org/x.png">',
        '<iframe srcdoc="x"></iframe>',
        '<meta http-equiv="refresh" content="0;url=https://example.org">',
        '<p onclick="x()">x</p>',
        '<a href="javascript:x()">x</a>',
        '<link rel="stylesheet" href="x.css">',
        "<style>@import url(https://example.org/x.css);</style>",
        "<style>p { background: url(https://example.org/x.png) }</style>",
        '<p style="background: url(https://example.org/x.png)">x</p>',
        '<svg><image href="file:///etc/hostname"></image></svg>',
        "{{ document.__class__.__mro__ }}",
        "{{ ''.join }}",
        "{{ missing }}",
        "{{ copied.format(1) }}",
        "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}"
        "{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}",
    ],
)
def test_what_runs_or_loads_is_refused_and_the_report_is_written_without_it(tmp_path, body):
    page, messages = page_of(tmp_path, body)
    assert len(messages) == 1 and "template in the results is not used" in messages[0]
    assert body not in page and "Key findings" in page


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize("body", ["<script>alert(1)</script>", "{{ missing }}"])
def test_a_refusal_is_reported_once_for_page_and_pdf(tmp_path, body):
    _, messages = page_of(tmp_path, body, ("html", "pdf"))
    assert len(messages) == 1
    assert (tmp_path / "report.pdf").exists()


@for_each(
    ("text", "words"),
    [
        ("<p>mine</p>", "does not extend"),
        ('{% extends "blocks.html.j2" %}', "does not extend"),
        ("{% extends document.title %}", "does not extend"),
        (EXTENDS + '{% import "blocks.html.j2" as b %}', "reads another template"),
        (EXTENDS + '{% include "/etc/passwd" %}', "reads another template"),
        (EXTENDS + "{% block before %}{{ 'a' * 9 }}{% endblock %}", "any size"),
        (EXTENDS + "{% block before %}{{ 'a' ~ 'b' }}{% endblock %}", "any size"),
        (EXTENDS + "{% block before %}{{ fonts_place | trusted }}{% endblock %}", "`trusted`"),
        (EXTENDS + "{% block before %}{{ x | format(9) }}{% endblock %}", "`format`"),
        (EXTENDS + "{% block before %}", "is not a template"),
        (EXTENDS + "\n{% block befor %}{% endblock %}", "fills the block `befor` in line 3"),
    ],
)
def test_a_template_that_could_do_more_is_refused(text, words):
    objection = template_objection(text)
    assert objection is not None and words in objection[0]


def test_a_plain_block_is_sound():
    assert template_objection(BLOCK) is None


def test_a_block_inside_a_block_of_the_report_is_the_authors_own():
    own = EXTENDS + "{% block before %}{% block lab %}x{% endblock %}{% endblock %}"
    assert template_objection(own) is None


def test_what_is_undefined_is_named_without_the_name_of_an_exception(tmp_path):
    _, messages = page_of(tmp_path, "{{ missing }}")
    assert messages[0].endswith("because 'missing' is undefined")
