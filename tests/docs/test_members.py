"""Each member and code has its page; equations, pictures and numbers on pages hold."""

import re
from functools import cache
from xml.etree import ElementTree

import pytest
from many_cases import for_each
from matplotlib.mathtext import MathTextParser

from docs.generator import markdown as md, pictures, symbols
from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Diagnostic
from evallang.diagnostics.formats import to_record
from evallang.manual.compatibility_table import available_intervals, property_lines
from evallang.manual.explanations import illustration, written
from evallang.manual.glossary import REGISTRIES, entries

MEMBERS = [
    pytest.param(plural, entry, id=f"{plural}-{entry.name}")
    for plural, entry in pictures.subjects()
]
every_member = for_each(("plural", "entry"), MEMBERS)
LARGEST = 30_000  # bytes of a picture
SVG = "{http://www.w3.org/2000/svg}"


def page_of(plural, entry):
    return (pictures.REFERENCE / plural / f"{entry.name}.md").read_text(encoding="utf-8")


@for_each("plural", sorted(REGISTRIES))
def test_each_member_has_a_page_with_example_use_options_and_sources(plural):
    for entry in REGISTRIES[plural]:
        text = page_of(plural, entry)
        title = re.search(r"^# (.+)$", text, re.M)[1]
        assert re.match(rf"{written(entry)}(: | \()", title), title
        headings = re.findall(r"^## (.+)$", text, re.M)
        wanted = {"Use": entry.declaration.when, "Options": entry.options,
                  "Example": illustration(entry), "Sources": entry.references}  # fmt: skip
        assert {name for name, there in wanted.items() if there} <= set(headings)
        for option in entry.options:
            assert f"| `{option.name}` |" in text
        for work in entry.references:
            assert work.title in text
            assert not work.doi or f"doi:{work.doi}" in text


@every_member
def test_a_page_begins_with_an_example_and_what_it_shows(plural, entry):
    text = page_of(plural, entry)
    headings = re.findall(r"^## (.+)$", text, re.M)
    expected = ["Example", "Use", "Definition", "Properties", "Sources"]
    if plural == "metrics":
        expected.insert(4, "Intervals")
    assert [heading for heading in headings if heading in expected] == expected
    if pictures.records()[pictures.key_of(plural, entry)]["picture"]:
        assert f"]({entry.name}.svg)" in text.partition("## Example")[2].partition("## ")[0]


def test_the_url_of_each_diagnostic_is_a_page_from_the_root_of_the_documentation():
    load_codes()
    docs = pictures.REFERENCE.parent
    for code in CODES.values():
        record = to_record(Diagnostic(code.code, code.name, code.severity, "m", None, "f"), {})
        page = docs / record["url"].removesuffix(".html")
        text = page.with_suffix(".md").read_text(encoding="utf-8")
        assert f"\n# {code.code} {code.name}\n" in text
        assert code.words.summary.rstrip(".") in text
        index = "errors" if code.code.startswith("E") else "rules"
        assert f"[{code.code}](codes/{code.code}.md)" in index_of(index)


@cache
def index_of(name):
    return (pictures.REFERENCE / f"{name}.md").read_text(encoding="utf-8")


@every_member
def test_a_picture_is_small_whole_and_loads_nothing(plural, entry):
    record = pictures.records()[pictures.key_of(plural, entry)]
    path = pictures.path_of(plural, entry)
    assert path.exists() == record["picture"]
    if not record["picture"]:
        assert record["tables"]
        return
    text = path.read_text(encoding="utf-8")
    assert len(text) < LARGEST
    root = ElementTree.fromstring(text)
    assert root.find(f"{SVG}title").text == record["alt"]
    assert {element.tag.removeprefix(SVG) for element in root} <= {
        "title", "g", "rect", "path", "circle", "text",
    }  # fmt: skip
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    left, top, wide, high = map(float, root.get("viewBox").split())
    for element in root.iter(f"{SVG}text"):
        assert left <= float(element.get("x")) <= left + wide
        assert top <= float(element.get("y")) <= top + high


@for_each("entry", list(REGISTRIES["metrics"]), ids=lambda entry: entry.name)
def test_every_metric_has_an_equation_that_can_be_set_and_symbols_with_a_meaning(entry):
    equation = entry.declaration.equation
    MathTextParser("path").parse(f"${equation}$")
    known = [symbol for symbol, _ in symbols.symbols_in(equation, entry.declaration.needs)]
    rest = re.sub(symbols.WORDS, "", equation)
    for symbol in sorted(known, key=len, reverse=True):
        rest = rest.replace(symbol, "")
    unknown = set(re.findall(r"(?<![A-Za-z\\])[A-Z]{2,}(?![A-Za-z])", rest)) - {"DCG"}
    assert not unknown


@pytest.mark.parametrize(
    "entry",
    [e for e in REGISTRIES["analyses"] if e.declaration.equation],
    ids=lambda entry: entry.name,
)
def test_the_equation_of_an_analysis_can_be_set(entry):
    MathTextParser("path").parse(f"${entry.declaration.equation}$")


def test_every_symbol_is_one_of_some_equation():
    used = set()
    for _, entry in pictures.subjects():
        needs = entry.declaration.needs
        equation = entry.declaration.equation
        used |= {(needs, symbol) for symbol, _ in symbols.symbols_in(equation, needs)}
    declared = {(needs, symbol) for needs, kept in symbols.BY_NEEDS.items() for symbol, _ in kept}
    assert declared <= used


def test_symbols_within_words_and_longer_symbols_are_not_found():
    found = dict(symbols.symbols_in(r"\frac{TP_c}{n_1} \mathrm{n of TP}", "labels"))
    assert list(found) == ["TP_c"]


def test_the_index_groups_metrics_as_the_list_does():
    text = (pictures.REFERENCE / "metrics.md").read_text(encoding="utf-8")
    found = re.findall(r"^## (.+)$|^\| \[`(\w+)`\]\((.+?)\)", text, re.M)
    expected = []
    group = None
    for entry in entries("metrics"):
        if entry["group"] != group:
            group = entry["group"]
            expected.append((md.capitalised(group), "", ""))
        expected.append(("", entry["name"], f"metrics/{entry['name']}.md"))
    assert found == expected


def test_the_intervals_of_a_page_are_the_default_and_those_that_can_be_written():
    found = list(available_intervals(REGISTRIES["metrics"]["roc_auc"]))
    by_place = {place: one for one in found for place in one.places}
    assert by_place["holdout"].default == "delong"
    assert "bootstrap" in by_place["holdout"].others
    assert by_place["5x2cv"].default is None
    assert "counts" not in by_place


def test_metrics_of_orders_have_no_place_under_a_protocol():
    (found,) = available_intervals(REGISTRIES["metrics"]["ndcg"])
    assert found.places == ("predictions with `query`",)
    assert found.default == "bootstrap"
    (found,) = available_intervals(REGISTRIES["metrics"]["concordance"])
    assert found.places == ("predictions with `event`",)
    assert found.default == "jackknife"


def test_properties_state_range_and_folds():
    lines = property_lines(REGISTRIES["metrics"]["rmse"])
    assert "range: 0 or more, in the unit of the target" in lines
    assert "direction: lower is better" in lines
    lines = property_lines(REGISTRIES["metrics"]["mse"])
    assert "range: 0 or more, in the squared unit of the target" in lines
    lines = property_lines(REGISTRIES["metrics"]["calibration_slope"])
    assert "direction: 1 is best; models cannot be compared by it" in lines
