"""`style`: the author's style sheet in the report, which loads nothing."""

import json

import pytest
from studies import study

from evallang.api import Results, StudyError, run
from evallang.reporting.report import write_report
from evallang.reporting.style_sheets import style_objection

pytestmark = pytest.mark.pdf

TEXT = """\
evallang 1
study
  seed 1
counts trial
  models a, b
  table [[60, 20], [9, 11]]
compare a vs b with mcnemar
report html, pdf
  style "look/journal.css"
"""
PICTURE = "url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)"
SOUND = f"h1 {{ color: #aa0011; content: '\\\\2014 é' }} h2 {{ background: {PICTURE} }}"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "look").mkdir()
    (tmp_path / "look" / "journal.css").write_text(SOUND, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "css",
    [
        "",
        SOUND,
        "@media print { h1 { color: red } } @page { size: letter; @top-left { content: 'x' } }",
        "@font-face { font-family: x; src: url(data:font/woff2;base64,AAAA) }",
        "a { &:hover { color: red } }",
    ],
)
def test_rules_that_load_nothing_are_sound(css):
    assert style_objection(css) is None


@pytest.mark.parametrize(
    ("css", "words"),
    [
        ("h1{}\n@IMPORT url(data:text/css,);", "imports another style sheet in line 2"),
        ("h1{background:url( 'HTTP://x/y' )}", "loads `HTTP://x/y`"),
        ("h1{background:u\\72l(http://x)}", "loads `http://x`"),
        ("h1{background:image-set('data:,' 1x, 'b.png' 2x)}", "loads `b.png`"),
        ("h1{--a:'http://x/y';background:image-set(var(--a) 1x)}", "loads `var(...)`"),
        ("h1{a:" + "(" * 50_000, "is nested too deeply"),
        ("@media print{@page{h1{background:url(file:///etc/hostname)}}}", "loads `file:///etc"),
        ("/* </STYLE > */", "contains `</style`"),
        ("h1{}\n}", "is not CSS in line 2"),
    ],
)
def test_rules_that_load_or_end_the_sheet_are_refused(css, words):
    assert words in style_objection(css)[0]


def test_a_report_has_the_style_and_can_be_rendered_again_without_the_file(folder):
    run(study(TEXT, folder), out=folder / "out", jobs=1)
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<style>\n{SOUND}\n</style>" in page and page.count("#aa0011") == 1
    assert "look/journal.css, SHA-256 " in page
    (folder / "look" / "journal.css").unlink()
    before = (folder / "out" / "report.pdf").read_bytes()
    results = Results.load(folder / "out")
    assert write_report(results.record, folder / "again", ("html", "pdf"))[1] == ()
    assert (folder / "again" / "report.html").read_text(encoding="utf-8") == page
    assert (folder / "again" / "report.pdf").read_bytes() == before


def test_a_style_that_results_were_given_later_is_not_used(folder):
    record = run(study(TEXT, folder), out=folder / "out", jobs=1).record
    place = folder / "out" / "results.json"
    plain = json.loads(place.read_text(encoding="utf-8"))
    plain["style_sheet"] = "</style><p>forged</p>"
    place.write_text(json.dumps(plain))
    assert record.style_sheet == SOUND
    _, messages = write_report(Results.load(place).record, folder / "again", ("html",))
    assert messages == ("the style sheet in the results cannot be part of a page and is not used",)
    assert "forged" not in (folder / "again" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("what", ["missing", "not text", "too large", "a link", "a folder"])
def test_an_unusable_file_stops_the_run(what, folder, tmp_path_factory):
    place = folder / "look" / "journal.css"
    place.unlink()
    if what == "not text":
        place.write_bytes(b"h1 { content: '\xff' }")
    elif what == "too large":
        place.write_text("h1{}" * 60_000)
    elif what == "a link":
        (other := tmp_path_factory.mktemp("other") / "x.css").write_text(SOUND, encoding="utf-8")
        place.symlink_to(other)
    elif what == "a folder":
        place.mkdir()
    with pytest.raises(StudyError) as refused:
        run(study(TEXT, folder), jobs=1)
    code = {"missing": "E401", "a folder": "E405"}.get(what, "E496")
    assert [d.code for d in refused.value.diagnostics if d.severity == "error"] == [code]
