"""A clause and a statement that are in the table and the grammar alone work everywhere.

The test compiles the grammar anew with two more rules; nothing else of the package is touched.
"""

import json
import re
from importlib.resources import files

import pytest
from msgspec.structs import replace

from docs.generator import editors
from evallang.manual.glossary import complete, entries, explain
from evallang.results.settings import ReportSettings
from evallang.source import SourceFile
from evallang.syntax import language, line_parser, nodes as n
from evallang.syntax.formatter import format_source
from evallang.syntax.language import STATEMENTS, Clause, Statement
from evallang.syntax.line_parser import connectives
from evallang.syntax.parser import parse

GRAMMAR = (files("evallang.grammar") / "evallang.lark").read_text()
RULES = {
    '?clause: "positive"': '?clause: "frontier" number "to" number -> frontier\n    | "positive"',
    '?statement: "evallang"': '?statement: "archive" name "to" text -> archive\n    | "evallang"',
}
CACHES = (
    line_parser.grammar,
    line_parser.terminals,
    line_parser.written,
    language.rules,
    connectives,
    language._words_of_nodes,
)


class ArchiveNode(n.StatementNode, frozen=True):
    """`archive NAME to "PATH"`."""

    name: n.NameNode
    path: n.TextNode


SPONSOR = Clause("sponsor", 'sponsor "NAME"', "Who paid.", "text", elsewhere=("funder",))
FRONTIER = Clause(
    "frontier",
    "frontier NUMBER to NUMBER",
    "The steps that are forecast.",
    written={"frontier": "frontier {0} to {1}"},
)
KEEP = Clause("keep", "keep COLUMN, ...", "The columns to archive.", "columns", repeatable=True)
ARCHIVE = Statement(
    "archive",
    'archive NAME to "PATH"',
    "Stores a data set.",
    'evallang 1\n\ndata d from sklearn iris\n\narchive d to "d.zip"\n  keep a',
    ArchiveNode,
    {"archive": "archive {name} to {path}"},
    clauses={"keep": KEEP, "frontier": FRONTIER},
    once="archive",
    elsewhere=("store",),
)


@pytest.fixture(autouse=True)
def scratch(monkeypatch):
    """Extend grammar and table for one test."""
    grammar = GRAMMAR
    for old, new in RULES.items():
        assert old in grammar
        grammar = grammar.replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(line_parser, "text_of_grammar", lambda: grammar)
        patch.setitem(STATEMENTS, "archive", ARCHIVE)
        for word, clause in (("study", SPONSOR), ("data", FRONTIER)):
            known = STATEMENTS[word]
            taken = {**known.clauses, clause.word: clause}
            patch.setitem(STATEMENTS, word, replace(known, clauses=taken))
        for cache in CACHES:
            cache.cache_clear()
        yield
    for cache in CACHES:
        cache.cache_clear()


TEXT = """\
evallang 1

study "Trial"
  sponsor   "A. Fund"

data d from "d.csv"
  target y
  frontier 1   to 12

archive  d   to "d.zip"
  keep a,b
  keep [c, d]
"""
FORMATTED = """\
evallang 1

study "Trial"
  sponsor "A. Fund"

data d from "d.csv"
  target y
  frontier 1 to 12

archive d to "d.zip"
  keep a, b
  keep c, d
"""


def read(text):
    return parse(SourceFile("study.eval", text))


def test_they_are_parsed():
    tree, found = read(TEXT)
    assert found == ()
    _, study, data, archive = tree.statements
    assert [clause.keyword.name for clause in study.clauses] == ["sponsor"]
    frontier = data.clauses[1]
    assert [value.literal for value in frontier.values] == ["1", "12"]
    assert isinstance(archive, ArchiveNode)
    assert (archive.name.name, archive.path.value) == ("d", "d.zip")
    assert [len(clause.values) for clause in archive.clauses] == [2, 2]


def test_they_are_formatted_and_read_back():
    assert format_source(SourceFile("study.eval", TEXT)) == FORMATTED
    assert read(FORMATTED)[0] == read(TEXT)[0]


def test_they_appear_in_the_guide():
    (frontier,) = explain("frontier")
    assert [part.heading for part in frontier.parts] == ["form", "under `data`", "under `archive`"]
    assert frontier.parts[1].text == FRONTIER.summary
    (archive,) = explain("archive")
    assert archive.title == ARCHIVE.summary
    assert archive.parts[0].lines == (ARCHIVE.form,)
    (listed,) = [entry for entry in entries("statements") if entry["name"] == "archive"]
    assert listed["clauses"] == [KEEP.form, FRONTIER.form]


def test_they_are_completed():
    def at_the_end(text):
        lines = text.split("\n")
        return [c.text for c in complete(text, len(lines), len(lines[-1]) + 1)]

    assert at_the_end("arch") == ["archive"]
    assert at_the_end("study\n  spon") == ["sponsor"]
    assert at_the_end("data d from sklearn iris\n  frontier 1 ") == ["to"]
    assert at_the_end("archive d ") == ["to"]
    below = 'data d from "d.csv"\n  target y\narchive d to "d.zip"\n  '
    assert at_the_end(below) == ["keep", "frontier"]
    assert at_the_end(f"{below}keep ") == ["y"]


def test_editors_know_them():
    made = dict(editors.files())
    highlighting = ("editors/vim/syntax/evallang.vim", "syntaxes/evallang.tmLanguage.json")
    for path, text in made.items():
        if path.endswith(highlighting):
            words = set(re.findall(r"\w+", text))
            assert {"archive", "keep", "frontier", "sponsor"} <= words
    snippets = json.loads(made["editors/vscode/snippets/evallang.json"])
    assert snippets["archive"]["body"] == 'archive ${1:name} to "${2:path}"'
    assert snippets["sponsor (clause of study)"]["body"] == 'sponsor "${1:name}"'


@pytest.mark.parametrize("word", [word for word in STATEMENTS["report"].clauses if word != "to"])
def test_a_clause_of_report_is_held_by_a_setting(word):
    assert word in ReportSettings.__struct_fields__, (
        f"declare `{word}: TYPE = DEFAULT` in ReportSettings of results/settings.py, for what "
        "reporting/ reads"
    )
