"""Sentences in templates: facts are never markup, and a wrong name is an error with its line."""

import fixture
import pytest
from many_cases import for_each
from msgspec.structs import replace

from evallang.reporting.authors_template import AuthorsTemplate
from evallang.reporting.context import Context
from evallang.reporting.document import Code, Emphasis, Strong, Text
from evallang.reporting.limits import never_predicted_notes
from evallang.reporting.report import write_report
from evallang.reporting.sentences import ENDING, _ours, sentences_objection, write
from evallang.results.records import NeverPredicted

PAGE = '{% extends "report.html.j2" %}'
FILE = f"limits{ENDING}"
NOTE = "{% macro note_of_a_class_never_predicted(one) %}TEXT{% endmacro %}"


def missed(results, classes=("malignant",)):
    first = results.estimates[0]
    one = NeverPredicted(first.data, first.protocol, first.model, classes, 190, 71, baseline=True)
    return replace(results, never_predicted=(one,))


def notes(text, classes=("malignant",)):
    own = {FILE: NOTE.replace("TEXT", text)}
    context = Context(missed(fixture.holdout(), classes), sentences=own)
    return never_predicted_notes(context, context.settings[0])[0], list(context.objections)


def test_nothing_in_a_fact_is_markup_or_a_template():
    name = "<strong>{{ x }}</strong> &amp; a  ,b"
    row, _ = notes("{{ one.classes | listed }}  ,\n &amp; <em>{{ one.n }}</em> .", (name,))
    assert row == (Text(f"{name}, & "), Emphasis((Text("190"),)), Text("."))


def test_tags_are_runs():
    row, _ = notes("<strong>A <code>b</code></strong>")
    assert row == (Strong((Text("A "), Code("b"))),)


@pytest.mark.parametrize("file", sorted(_ours()))
def test_our_own_files_pass_what_is_asked_of_others(file):
    assert sentences_objection(file, _ours()[file]) is None


@for_each(
    ("text", "words"),
    [
        ("{% macro note", "is not a template"),
        (NOTE.replace("TEXT", "\n{{ two }}"), "names `two` in line 2"),
        (NOTE.replace("TEXT", "\n\n{{ one | twice }}"), "No filter named 'twice'. in line 3"),
        (NOTE.replace("TEXT", "\n<p>"), "has `<p>` in line 2"),
        (NOTE.replace("TEXT", "{{ _other() }}"), "names `_other` in line 1"),
        ("\n" + NOTE.replace("(one)", "(two)"), "than the report gives in line 2"),
        (NOTE.replace("note_", "notes_"), "has the sentence `notes_of_a_class_never_predicted`"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_line(text, words):
    objection = sentences_objection(FILE, text)
    assert objection is not None and words in objection[0]
    assert "is not a file of the report" in sentences_objection(f"x{ENDING}", NOTE)[0]


def test_parts_and_imports_of_an_authors_file_are_known():
    text = '{% import "limits.sentences.j2" as ours with context %}'
    text += "{% macro _n(a) %}{{ a }}{% endmacro %}"
    text += NOTE.replace("TEXT", "{{ _n(one.n) }} {{ ours.note_of_a_class_never_predicted(one) }}")
    assert sentences_objection(FILE, text) is None


@pytest.mark.parametrize(
    ("text", "line"), [("\n{{ one.modell }}", 2), ("<em>", 1), ("\n\n{{ 1 // 0 }}", 3)]
)
def test_a_sentence_that_fails_is_ours_and_is_named_with_its_line(text, line):
    row, objections = notes(text)
    assert "never predicted malignant" in row[0].text
    assert len(objections) == 1 and objections[0].startswith(f"`{FILE}`, line {line}: ")


def test_an_authors_sentence_is_in_every_format_and_the_others_are_ours(tmp_path):
    results = missed(fixture.holdout())
    sentence = NOTE.replace("TEXT", "{{ one.model | model }} missed {{ one.classes | listed }}.")
    template = AuthorsTemplate(PAGE, {FILE: sentence})
    _, messages = write_report(
        results, tmp_path, ("html", "markdown"), figures=False, template=template
    )
    assert messages == ()
    for file in tmp_path.glob("report.*"):
        assert "missed malignant." in file.read_text(encoding="utf-8")


def test_a_wrong_name_in_our_own_file_raises():
    with pytest.raises(AssertionError, match="no macro"):
        write(Context(fixture.holdout()), "limits", "no_such_sentence")
