"""Text in results.json of somebody else does nothing in what a report or a summary writes."""

import ast
import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
from calling import call

import evallang.reporting
from evallang.api.results import read_record
from evallang.reporting import fonts
from evallang.reporting.formats.bibtex import HARMFUL
from evallang.reporting.report import write_report
from evallang.reporting.summary import summary
from evallang.results.bibtex_entries import read_entries
from evallang.results.shown import ShownOfEstimate, ShownOfTest

STUDY = """\
evallang 1
study "Others"
  seed 1
data d from sklearn iris
  unit "flowers"
  cite "own"
model bayes = GaussianNB
model tree = DecisionTreeClassifier
protocol cv folds=2
measure accuracy
compare with mcnemar
require accuracy of bayes >= 50%
report latex, csv, markdown
  bibliography "own.bib"
"""
OWN = "@article{own, author={Doe, J.}, title={{On} $\\alpha$ and \\emph{M\\'etriques}}, year=2001}"


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.eval").write_text(STUDY)
    (folder / "own.bib").write_text(OWN)
    done = call("run", "study.eval", folder=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "study-results" / "results.json").read_text(encoding="utf-8")


def written(text, folder, *formats):
    write_report(read_record(text), folder, formats)
    texts = (f for f in folder.rglob("*.*") if f.suffix in (".bib", ".csv", ".md", ".tex", ".html"))
    return {file.name: file.read_text(encoding="utf-8") for file in texts}


ATTACKS = ("\\input{/etc/passwd}", "^^5cinput{x}", "\\csname input\\endcsname", "\\write18{x}")


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("field", ["bibtex", "kind", "doi", "key", "title", "pages", "authors"])
def test_a_reference_brings_no_commands_into_a_bibliography(document, attack, field, tmp_path):
    changed = json.loads(document)
    for number, reference in enumerate(changed["references"]):
        own = reference["bibtex"].replace("year", f"note = {{{attack}}}, year")
        value = own if field == "bibtex" else [attack] if field == "authors" else attack
        reference[field] = f"bib:{attack}{number}" if field == "key" else value
        if field != "bibtex":
            reference["bibtex"] = ""
    made = written(json.dumps(changed), tmp_path, "latex")
    assert not re.search(r"\\(input|csname|write)|\^\^", made["references.bib"])


def test_an_entry_of_the_author_stays_as_it_was_written(document, tmp_path):
    made = written(document, tmp_path, "latex")
    assert r"title = {{On} $\alpha$ and \emph{M\'etriques}}" in made["references.bib"]
    for text in (r"\'e \v{c} \ss{} \alpha", r"\leq \mathrm{x}", r"5\,\% \& {\O}"):
        assert HARMFUL.search(text) is None


def test_joined_strings_of_a_bibliography_do_not_fill_the_memory():
    doubled = "".join(f"@string{{a{i} = a{i - 1} # a{i - 1}}}\n" for i in range(1, 60))
    with pytest.raises(ValueError, match="a value of more than 200,000 characters in line 16"):
        read_entries("@string{a0 = {twelve signs}}\n" + doubled)


@pytest.mark.parametrize("unit", [r"\g<0>", r"\1", "\\", "\u200bflowers"])
def test_the_word_for_examples_is_no_pattern(document, unit, tmp_path):
    changed = json.loads(document)
    changed["data"][0]["unit"] = unit
    for estimate in changed["estimates"]:
        estimate["interval"]["notes"] = ["counts examples"]
    assert written(json.dumps(changed), tmp_path, "html", "latex", "markdown")


# --- types and time ------------------------------------------------------------------------------


def keys_read(folder):
    """Return the keys of `extra` that the report reads by name, with their places."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            key = None
            if isinstance(node, ast.Subscript) and "extra" in ast.unparse(node.value)[-5:]:
                key = node.slice
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("extra.get"):
                key = node.args[0]
            if isinstance(key, ast.Constant):
                found[key.value] = f"{path.name}:{node.lineno}"
    return found


def test_every_value_beside_a_number_that_a_report_reads_has_a_type():
    typed = {name for kind in (ShownOfTest, ShownOfEstimate) for name in kind.__struct_fields__}
    found = keys_read(Path(evallang.reporting.__file__).parent)
    assert {key: place for key, place in found.items() if key not in typed} == {}


@pytest.mark.parametrize("value", ["x", [None], {}, [1, 2]])
@pytest.mark.parametrize("key", ["mean_difference", "scale", "wins", "ties", "losses"])
def test_a_value_beside_a_test_of_another_type_is_refused(document, key, value):
    changed = json.loads(document)
    changed["comparisons"][0]["pairwise"][0]["extra"][key] = value
    with pytest.raises(ValueError, match=rf"at `\$.*extra.{key}`"):
        read_record(json.dumps(changed))


@pytest.mark.parametrize("part", ["requirements", "estimates", "diagnostics", "references"])
def test_a_report_of_twice_as_many_records_takes_twice_the_steps(document, part, monkeypatch):
    monkeypatch.setattr(fonts, "cut", lambda *_: b"")
    changed, steps = json.loads(document), []

    def count(_frame, event, _argument):
        steps[-1] += event == "call"

    for size in (100, 100, 200, 400):
        changed[part] = (changed[part] * size)[:size]
        for number, one in enumerate(changed[part] if part == "references" else ()):
            one = changed[part][number] = dict(one)
            one["key"] = f"a{number}"
        record = read_record(json.dumps(changed))
        steps.append(0)
        sys.setprofile(count)
        try:
            summary(record, isolates=True, analyses=True)
        finally:
            sys.setprofile(None)
    _, once, twice, fourfold = steps  # the first fills caches
    assert fourfold - twice < 2.3 * (twice - once) + 2000


FORMULAS = ("=1+1", "\u05d0\t=1+1", "\u200b=1+1", "\ufeff@x", "x\r\n=1+1", "\uff1d1+1", "-1+cmd|x")


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_begins_a_formula(document, formula, tmp_path):
    text = json.loads(document)
    text["models"][1]["label"] = text["data"][0]["label"] = text["study"]["title"] = formula
    text["requirements"][0]["subgroup"] = {"column": formula, "level": formula}
    made = written(json.dumps(text), tmp_path, "csv", "html")
    (tmp_path / "results.json").write_text(json.dumps(text), encoding="utf-8")
    shown = call("show", str(tmp_path), "--format", "csv", folder=tmp_path).stdout
    tables = [content for name, content in made.items() if name.endswith(".csv")]
    for table in (*tables, shown):
        for row in csv.reader(io.StringIO(table, newline="")):
            for cell in row:
                assert not re.match(r"[\s\u200b\ufeff\u2066-\u2069]*[=+@\uff1d-]\D", cell), cell
                assert not re.search(r"[\n\r\t;,]\s*[=@+]", cell), cell


def test_more_pairs_than_a_figure_has_panels_for_are_drawn_in_several(document, tmp_path):
    changed = json.loads(document)
    pair = changed["comparisons"][0]["pairwise"][0]
    resamples = {"n": 3, "low": -0.1, "high": 0.1, "counts": [1, 2]}
    pair["estimate"]["resamples"] = resamples
    changed["comparisons"][0]["pairwise"] = [pair] * 300
    page = written(json.dumps(changed), tmp_path, "html")["report.html"]
    assert page.count('class="panel-title"') > 6
