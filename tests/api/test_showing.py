"""The report in a browser, a notebook or a file, and one of its figures."""

import sys
import types
import webbrowser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import evallang as ev

STUDY = """evallang 1
study "A table"
  seed 1
counts c
  models a, b, d
  pattern [1, 1, 1]: 80
  pattern [1, 0, 0]: 10
  pattern [0, 1, 0]: 6
  pattern [0, 0, 1]: 4
measure accuracy
compare with cochran then mcnemar holm
"""


@pytest.fixture(scope="module")
def results():
    return ev.run(ev.parse(STUDY))


def test_a_figure_of_the_report_by_its_name(results, tmp_path):
    found = results.figure("estimates-1")
    root = ElementTree.fromstring(found.svg)
    assert root.tag.endswith("svg")
    words = "".join(root.itertext())
    assert "Accuracy" in words and "90.0" in words  # 90 of 100 answers of a are right
    assert "90.0" in found.alternative_text
    found.save(tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text(encoding="utf-8") == found._repr_svg_()


def test_the_number_of_an_only_figure_may_be_left_out(results):
    assert results.figure("estimates").svg == results.figure("estimates-1").svg


def test_panels_below_each_other_do_not_overlap(results):
    found = results.figure("estimates-1")
    assert len(found.panels) == 2
    whole = ElementTree.fromstring(found.svg)
    _, _, width, height = map(float, whole.get("viewBox").split())
    first, second = whole
    assert float(second.get("y")) == float(first.get("height"))
    assert float(second.get("y")) + float(second.get("height")) <= height
    for panel, drawn in zip(found.panels, whole, strict=True):
        alone = ElementTree.fromstring(panel)
        assert drawn.get("viewBox") == alone.get("viewBox")  # of its own size, not cut
        assert float(drawn.get("width")) <= width
        assert [e.attrib for e in drawn.iter()][1:] == [e.attrib for e in alone.iter()][1:]


def test_an_unknown_figure_gets_the_names(results):
    with pytest.raises(ValueError, match=r"perhaps 'estimates-1'; its figures are estimates-1"):
        results.figure("estimate-1")


def test_a_browser_opens_the_report(results, monkeypatch, capsys):
    opened = []
    browser = types.SimpleNamespace(open=lambda address: opened.append(address) or True)
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    results.show()
    assert opened[0].startswith("file:///") and capsys.readouterr().out == ""


def test_without_a_browser_the_file_is_named(results, monkeypatch, capsys):
    def none():
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "get", none)
    results.show()
    path = Path(capsys.readouterr().out.strip().removeprefix("the report is in "))
    assert "A table" in path.read_text(encoding="utf-8")


def test_a_notebook_shows_the_report_in_a_frame(results, monkeypatch):
    displayed = []
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    display = types.ModuleType("IPython.display")
    display.display = displayed.append
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    results.show()
    page = displayed[0]._repr_html_()
    assert page.startswith("<iframe") and "A table" in page
    assert "<script" not in page  # the page is the value of an attribute
