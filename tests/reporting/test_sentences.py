"""Sentences in templates: facts are never markup, and a wrong name is an error with its line."""

import ast
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import fixture
import pytest
from jinja2 import nodes
from many_cases import for_each
from msgspec.structs import replace

from evallang import analyses, reporting
from evallang.reporting import context, document, sentences
from evallang.reporting.authors_template import AuthorsTemplate
from evallang.reporting.context import Context
from evallang.reporting.document import Code, Emphasis, Strong, Text
from evallang.reporting.limits import never_predicted_findings
from evallang.reporting.report import write_report
from evallang.reporting.run_writer import plain
from evallang.reporting.sentences import ENDING, _ours, sentences_objection, write
from evallang.results import provenance, records, settings, statistics
from evallang.results.records import NeverPredicted

PAGE = '{% extends "report.html.j2" %}'
FILE = f"limits{ENDING}"
FINDING = "{% macro finding_of_a_class_never_predicted(one) %}TEXT{% endmacro %}"


def missed(results, classes=("malignant",)):
    first = results.estimates[0]
    one = NeverPredicted(first.data, first.protocol, first.model, classes, 190, 71, baseline=False)
    return replace(results, never_predicted=(one,))


def notes(text, classes=("malignant",)):
    own = {FILE: FINDING.replace("TEXT", text)}
    context = Context(missed(fixture.holdout(), classes), sentences=own)
    return never_predicted_findings(context, context.settings[0])[0], list(context.objections)


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
        ("{% macro finding", "is not a template"),
        (FINDING.replace("TEXT", "\n{{ two }}"), "names `two` in line 2"),
        (FINDING.replace("TEXT", "\n\n{{ one | twice }}"), "No filter named 'twice'. in line 3"),
        (FINDING.replace("TEXT", "\n<p>"), "has `<p>` in line 2"),
        (FINDING.replace("TEXT", "{{ _other() }}"), "names `_other` in line 1"),
        ("\n" + FINDING.replace("(one)", "(two)"), "than the report gives in line 2"),
        (FINDING.replace("_of_a_class", ""), "has the sentence `finding_never_predicted`"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_line(text, words):
    objection = sentences_objection(FILE, text)
    assert objection is not None and words in objection[0]
    assert "is not a file of the report" in sentences_objection(f"x{ENDING}", FINDING)[0]


def test_parts_and_imports_of_an_authors_file_are_known():
    text = '{% import "limits.sentences.j2" as ours with context %}'
    text += "{% macro _n(a) %}{{ a }}{% endmacro %}"
    text += FINDING.replace(
        "TEXT", "{{ _n(one.n) }} {{ ours.finding_of_a_class_never_predicted(one) }}"
    )
    assert sentences_objection(FILE, text) is None


@pytest.mark.parametrize(
    ("text", "line"), [("\n{{ one.modell }}", 2), ("<em>", 1), ("\n\n{{ 1 // 0 }}", 3)]
)
def test_a_sentence_that_fails_is_ours_and_is_named_with_its_line(text, line):
    row, objections = notes(text)
    assert "never predicted “malignant”" in plain(row)
    assert len(objections) == 1 and objections[0].startswith(f"`{FILE}`, line {line}: ")


def test_an_authors_sentence_is_in_every_format_and_the_others_are_ours(tmp_path):
    results = missed(fixture.holdout())
    sentence = FINDING.replace("TEXT", "{{ one.model | model }} missed {{ one.classes | listed }}.")
    template = AuthorsTemplate(PAGE, {FILE: sentence})
    _, messages = write_report(
        results, tmp_path, ("html", "markdown"), figures=False, template=template
    )
    assert messages == ()
    for file in tmp_path.glob("report.*"):
        assert "missed malignant." in file.read_text(encoding="utf-8")


def macros_of(file):
    found = sentences._environment().parse(_ours()[file]).find_all(nodes.Macro)
    return {macro.name: {argument.name for argument in macro.args} for macro in found}


def test_sentences_are_called_by_their_names_with_their_facts():
    """Facts after `**` or given to a `partial` are met when the sentence is written."""
    called = set()
    for path in Path(reporting.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        topics = [node.value.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
                  and getattr(node.targets[0], "id", "") == "TOPIC"]  # fmt: skip
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if (
                getattr(call.func, "id", "") not in ("write", "notes")
                or len(call.args) < 3
                or not topics
            ):
                continue
            topic, name = call.args[1], call.args[2]
            topic = topic.value if isinstance(topic, ast.Constant) else topics[0]
            if isinstance(name, ast.Constant):
                asked = macros_of(f"{topic}{ENDING}")
                given = {keyword.arg for keyword in call.keywords}
                called.add(name.value)
                assert name.value in asked, (path.name, name.value)
                assert None in given or given == asked[name.value], (path.name, name.value)
    assert len(called) > 60


def rows_of_analyses():
    """Iterate over the names of the facts of models that key findings of analyses state."""
    for path in Path(reporting.__file__).parents[1].glob("*/*.py"):
        if path.parent.name == "analyses" or path.name in ("searches.py", "curves.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            rows = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
            yield from (
                key.value for row in rows for key in row.keys if isinstance(key, ast.Constant)
            )


@pytest.mark.parametrize("file", sorted(_ours()))
def test_a_template_names_only_what_a_record_has(file):
    """A field of another record would be found when the sentence is written, which is strict."""
    modules = [provenance, records, statistics, settings, context, document]
    rooms = ((reporting, "evallang.reporting."), (analyses, "evallang.analyses."))
    every = [import_module(m.name) for room, at in rooms for m in iter_modules(room.__path__, at)]
    known = {
        name
        for module in (*modules, *every)
        for kind in vars(module).values()
        if isinstance(kind, type)
        for name in dir(kind)
    } | set(dir(dict)) | {"first", "last", "index0"} | set(rows_of_analyses())  # fmt: skip
    tree = sentences._environment().parse(_ours()[file])
    named = [node for node in tree.find_all(nodes.Getattr) if isinstance(node.attr, str)]
    unknown = {(node.attr, node.lineno) for node in named if node.attr not in known}
    keys = {"estimates", "comparisons", "itself"}  # of mappings that templates read by their keys
    assert {one for one in unknown if one[0] not in keys} == set()


def test_a_wrong_name_in_our_own_file_raises():
    with pytest.raises(AssertionError, match="no macro"):
        write(Context(fixture.holdout()), "limits", "no_such_sentence")
