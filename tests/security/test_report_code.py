"""A template is code, which runs with consent alone; a style sheet is data."""

import base64
import hashlib
import json
from importlib.resources import files

import pytest
from calling import call

STUDY = """\
evallang 1
study "Templates"
  seed 1
counts trial
  models a, b
  table [[60, 20], [9, 11]]
compare a vs b with mcnemar
report html
  {clause}
"""
EXTENDS = '{% extends "report.html.j2" %}\n'
BLOCK = EXTENDS + "{% block before %}BODY{% endblock %}"
SCRIPT = (files("evallang.templates") / "styles" / "report.js").read_bytes()
DIGEST = base64.b64encode(hashlib.sha256(SCRIPT).digest()).decode()
POLICY = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
    "'unsafe-inline'; font-src data:; img-src data:; "
    f"script-src 'sha256-{DIGEST}'; base-uri 'none'; form-action 'none'\">\n"
)
"""The beginning of every page, as a browser reads it before anything else."""
ATTACKS = [
    EXTENDS + "{% set script_hash = \"x' 'unsafe-inline\" %}{% block after %}<script>alert(1)"
    "</script>{% endblock %}",
    EXTENDS + '{% set medium = "print" %}{% block head %}<script>alert(1)</script>{% endblock %}',
    EXTENDS + '{% set fonts_place = "</style><script>alert(1)</script>" %}',
    BLOCK.replace("BODY", "<svg><script>alert(1)</script></svg>"),
    BLOCK.replace("BODY", "<noscript><p title='</noscript><script>alert(1)</script>'></noscript>"),
    EXTENDS + '{% block head %}<meta http-equiv="Content-Security-Policy" content="script-src *">'
    "<script>alert(1)</script>{% endblock %}",
    EXTENDS + '{% block content %}<img src="https://example.org/x.png">{% endblock %}',
    EXTENDS + "{% block footer %}</footer><iframe srcdoc='<script>alert(1)</script>'></iframe>"
    "<footer>{% endblock %}",
    "<script>alert(1)</script>" + EXTENDS,
    "<!-- " + EXTENDS + "{% block before %} -->{% endblock %}",
]


@pytest.fixture
def evallang(tmp_path):
    """Return a command line of this process, called from the folder of a study."""
    return lambda *words: call(*words, folder=tmp_path)


def written(folder, template=None, style=None):
    clause = 'template "lab.html.j2"' if template is not None else 'style "lab.css"'
    (folder / "study.eval").write_text(STUDY.format(clause=clause))
    (folder / "lab.html.j2").write_text(template or "")
    (folder / "lab.css").write_text(style or "")


@pytest.mark.parametrize("command", [("run", "study.eval"), ("run", "study.eval", "--format=csv")])
def test_a_template_needs_consent_before_anything_is_computed(evallang, tmp_path, command):
    written(tmp_path, BLOCK.replace("BODY", "{{ ''.__class__.__mro__ }}"))
    result = evallang(*command)
    assert result.returncode == 2
    assert "the template `lab.html.j2`" in result.stderr and "--trust" in result.stderr
    assert not (tmp_path / "study-results").exists()


def test_a_check_and_a_plan_do_not_run_a_template(evallang, tmp_path):
    written(tmp_path, BLOCK.replace("BODY", "{{ ''.__class__.__mro__[1].x() }}"))
    for command in ("check", "plan"):
        assert evallang(command, "study.eval").returncode == 0


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize("template", ATTACKS)
def test_no_template_changes_the_policy_of_its_page(evallang, tmp_path, template):
    written(tmp_path, template)
    done = evallang("run", "study.eval", "--trust")
    assert done.returncode == ("is not used" in done.stderr)
    page = (tmp_path / "study-results" / "report.html").read_text(encoding="utf-8")
    assert page.startswith(POLICY)


@pytest.mark.usefixtures("no_layout")
def test_results_hold_the_hash_of_a_template_and_are_rendered_with_ours(evallang, tmp_path):
    template = BLOCK.replace("BODY", "<p>Lab of templates</p>")
    written(tmp_path, template)
    assert evallang("run", "study.eval", "--trust").returncode == 0
    place = tmp_path / "study-results" / "results.json"
    page = tmp_path / "study-results" / "report.html"
    digest = hashlib.sha256(template.encode()).hexdigest()
    assert "Lab of templates" in page.read_text(encoding="utf-8")
    assert json.loads(place.read_text())["template_sha256"] == digest
    assert "Lab of templates" not in place.read_text()
    result = evallang("report", "study-results")
    assert result.returncode == 0
    assert "the template `lab.html.j2` is code and is not used" in result.stderr
    again = page.read_text(encoding="utf-8")
    assert "Lab of templates" not in again and digest in again


@pytest.mark.usefixtures("no_layout")
def test_files_of_sentences_are_part_of_the_template(evallang, tmp_path):
    written(tmp_path, EXTENDS)
    sentences = tmp_path / "methods.sentences.j2"
    text = (
        "{% macro NAME(version, packages, machine) %}<strong>Of our lab</strong> {{ version }}"
        "{% endmacro %}"
    )
    sentences.write_text(text.replace("NAME", "software"))
    assert evallang("run", "study.eval").returncode == 2
    result = evallang("run", "study.eval", "--trust")
    page = (tmp_path / "study-results" / "report.html").read_text(encoding="utf-8")
    assert result.returncode == 0 and "Of our lab" in page
    place = tmp_path / "study-results" / "results.json"
    digest = json.loads(place.read_text())["template_sha256"]
    assert digest != hashlib.sha256(EXTENDS.encode()).hexdigest()
    sentences.write_text("\n" + text.replace("NAME", "softwares"))
    result = evallang("plan", "study.eval")
    assert "E496" in result.stderr + result.stdout and "in line 2" in result.stderr + result.stdout


def test_a_template_in_results_of_others_is_not_used(evallang, tmp_path):
    written(tmp_path, style="h1 { color: red }")
    assert evallang("run", "study.eval").returncode == 0
    place = tmp_path / "study-results" / "results.json"
    found = json.loads(place.read_text())
    place.write_text(json.dumps({**found, "template": BLOCK.replace("BODY", "<i>theirs</i>")}))
    assert evallang("report", "study-results").returncode == 0
    assert "theirs" not in (tmp_path / "study-results" / "report.html").read_text(encoding="utf-8")


@pytest.mark.pdf
def test_verify_compares_the_attachments_alone_of_a_report_with_a_template(evallang, tmp_path):
    written(tmp_path, BLOCK.replace("BODY", "<p>Lab</p>"))
    assert evallang("run", "study.eval", "--trust", "--format=html,pdf").returncode == 0
    result = evallang("verify", "study-results/report.pdf")
    assert result.returncode == 0 and "only its attachments are compared" in result.stderr
    assert "compared: the attachments of report.pdf, results.json next to it: no" in result.stdout
    result = evallang("verify", "study-results/report.html")
    assert result.returncode == 2 and "it is not compared" in result.stderr
    result = evallang("verify", "study-results", "--trust")
    assert result.returncode == 0 and "the attachments of report.pdf" in result.stdout


@pytest.mark.pdf
def test_what_weasyprint_cannot_lay_out_leaves_a_message_and_the_page(evallang, tmp_path):
    body = '<a rel="attachment" href="file:///etc/hostname">x</a>'
    written(tmp_path, BLOCK.replace("BODY", body))
    result = evallang("run", "study.eval", "--trust", "--format=html,pdf")
    assert result.returncode == 0
    assert "the PDF was not written: it may load nothing" in " ".join(result.stderr.split())
    assert (tmp_path / "study-results" / "report.html").exists()


@pytest.mark.pdf
def test_a_style_sheet_cannot_ask_for_any_number_of_pages(evallang, tmp_path):
    written(tmp_path, style="@page { size: 1mm; margin: 0 }")
    result = evallang("run", "study.eval", "--format=html,pdf")
    assert result.returncode == 0
    words = " ".join(result.stderr.split())
    assert "more than the limit of 500; raise it by `--limit pages=" in words


@pytest.mark.pdf
def test_a_hundred_thousand_columns_are_laid_out(evallang, tmp_path):
    written(tmp_path, style="main { columns: 100000 }")
    assert evallang("run", "study.eval", "--format=html,pdf").returncode == 0
    assert (tmp_path / "study-results" / "report.pdf").exists()
