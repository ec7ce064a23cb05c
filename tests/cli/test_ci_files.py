"""`run --junit` and `run --summary`: what CI services read."""

import html
from xml.etree import ElementTree as ET

import pytest
from calling import call
from studies import TWO_MODELS

GATES = "require accuracy of tree >= 50%\nrequire accuracy of bayes >= 99.9%\n"


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "gate.eval"
    path.write_text(TWO_MODELS + GATES)
    return path


def run(study):
    words = ("--junit", "gate.xml", "--summary", "gate.md", "--no-look", "--format", "html")
    return call("run", "gate.eval", "-j", "1", *words, folder=study.parent)


def test_a_failing_gate_stands_in_both_files_with_its_numbers(study):
    done = run(study)
    assert done.returncode == 4, done.stderr
    passed, failed = (line for line in done.stdout.split("\n") if line[:4] in ("PASS", "FAIL"))
    suite = ET.parse(study.parent / "gate.xml").getroot().find("testsuite")
    assert {k: suite.get(k) for k in ("tests", "failures", "errors")} == {
        "tests": "2", "failures": "1", "errors": "0",
    }  # fmt: skip
    good, bad = suite.findall("testcase")
    assert passed.startswith(f"PASS {good.get('name')}: ") and len(good) == 0
    failure = bad.find("failure")
    assert failed == f"FAIL {bad.get('name')}: {failure.text}"
    assert failure.get("message") == failure.text
    summary = (study.parent / "gate.md").read_text()
    assert "Requirements: 2, not met: 1." in summary
    assert summary.index("**FAIL** | accuracy of bayes") < summary.index("PASS | accuracy of tree")
    shown = call("show", "gate-results", "--format", "markdown", folder=study.parent).stdout
    assert "95% CI " in shown and "\\xa0" not in shown
    assert summary.endswith(f"\n#{shown}\n")


@pytest.mark.parametrize(
    ("option", "path", "told"),
    [
        ("--junit", "no/gate.xml", "there is no folder `no` for `gate.xml`"),
        ("--summary", ".", "`.` is a folder; name a file"),
    ],
)
def test_a_wrong_place_is_refused_before_the_run(study, option, path, told):
    done = call("run", "gate.eval", option, path, folder=study.parent)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (study.parent / "gate-results").exists()


def test_signs_of_markdown_and_xml_in_a_message_are_text(study):
    study.write_text('evallang 1\ndata d from sklearn "<b>|`x`&"\nmeasure accuracy\n')
    assert run(study).returncode == 1
    errors = ET.parse(study.parent / "gate.xml").getroot().iter("error")
    assert any("<b>|`x`&" in error.text for error in errors)
    summary = (study.parent / "gate.md").read_text()
    assert not set("<>|`") & set(summary)
    assert "<b>|`x`&" in html.unescape(summary)
