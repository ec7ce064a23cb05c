"""The files for editors: patterns that mark the words of a study, and snippets that parse."""

import json
import re
from pathlib import Path

import pytest

from docs.generator import editors
from evallang.source import SourceFile
from evallang.syntax.language import STATEMENTS
from evallang.syntax.parser import parse
from evallang.version import VERSION

ROOT = Path(__file__).parents[2]
FILES = dict(editors.files())
GRAMMAR = json.loads(FILES["editors/vscode/syntaxes/evallang.tmLanguage.json"])
SNIPPETS = json.loads(FILES["editors/vscode/snippets/evallang.json"])
FIELD = re.compile(r"\$\{\d+(?::([^}]*)|\|([^,|]*)[^}]*\|)\}")


def scopes(line):
    """Return what each pattern marks in a line, earlier places and earlier patterns first."""
    found, at = [], 0
    while at < len(line):
        matches = [
            (p["name"], re.compile(p["match"]).search(line, at)) for p in GRAMMAR["patterns"]
        ]
        starts = [(m.start(), i) for i, (_, m) in enumerate(matches) if m and m.end() > m.start()]
        if not starts:
            break
        name, match = matches[min(starts)[1]]
        found.append((match.group().strip(), name.removesuffix(".evallang")))
        at = match.end()
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "compare a against b with mcnemar holm",
            [
                ("compare", "keyword.control"),
                ("against", "keyword.operator.word"),
                ("with", "keyword.operator.word"),
                ("mcnemar", "support.function"),
                ("holm", "support.function"),
            ],
        ),
        ("  alpha 5%", [("alpha", "storage.type"), ("5%", "constant.numeric")]),
        (
            'data d from "a with.csv"  # compare',
            [
                ("data", "keyword.control"),
                ("from", "keyword.operator.word"),
                ('"a with.csv"', "string.quoted.double"),
                ("# compare", "comment.line.number-sign"),
            ],
        ),
        (
            "model m = SVC(C in 1e-3..1e3 log 7)",
            [
                ("model", "keyword.control"),
                ("=", "keyword.operator"),
                ("SVC", "entity.name.type"),
                ("C", "entity.name.type"),
                ("in", "keyword.operator.word"),
                ("1e-3", "constant.numeric"),
                ("..", "keyword.operator"),
                ("1e3", "constant.numeric"),
                ("log", "keyword.operator.word"),
                ("7", "constant.numeric"),
            ],
        ),
        ("compared with-care", []),
    ],
)
def test_the_words_of_a_line_are_marked(line, expected):
    assert scopes(line) == expected


def test_every_statement_has_a_snippet_that_is_parsed():
    assert {s["prefix"] for s in SNIPPETS.values()} >= set(STATEMENTS)
    samples = {
        "version": "1",
        "operator": ">=",
        "value": "1",
        "words": "cv",
        "source": "sklearn iris",
    }
    for name, snippet in SNIPPETS.items():
        if snippet["prefix"] not in STATEMENTS or "clause of" in name:
            continue
        body = FIELD.sub(lambda m: samples.get(m[1], m[1] or m[2]), snippet["body"])
        tree, found = parse(SourceFile("study.eval", f"{body}\n"))
        assert len(tree.statements) == 1, (name, body)
        # a margin is optional in the table, and a claim without one is reported (E072)
        assert [d for d in found if d.severity == "error" and d.code != "E072"] == [], (name, body)


def test_the_extension_has_the_version_of_the_package_and_the_files_that_it_names():
    folder = ROOT / "editors/vscode"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert re.match(r"\d+\.\d+\.\d+", f"{VERSION}.0.0")[0] == package["version"]
    contributed = package["contributes"]
    named = [item["path"] for kind in ("grammars", "snippets") for item in contributed[kind]]
    named += [language["configuration"] for language in contributed["languages"]]
    for path in [*named, package["icon"]]:
        assert (folder / path).exists(), path
