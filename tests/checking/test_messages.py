"""What a check says, kept as golden files beside the faulty studies.

`UPDATE_MESSAGES=1 pytest tests/checking/test_messages.py` writes them anew; read the diff.
"""

import os
from pathlib import Path

import pytest
from studies import checked

from evallang.checking.codes_loaded import load_codes
from evallang.diagnostics import CODES, Severity, to_text

FOLDER = Path(__file__).parents[1] / "messages" / "checking"
STUDIES = sorted(FOLDER.glob("*.eval"))
load_codes()
CHECKED = sorted(code for code in CODES if (code[0] in "EW" and code[1] in "12") or code == "E901")


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_messages_read_as_agreed(path):
    found = checked(path.read_text(encoding="utf-8"))
    shown = to_text(found.diagnostics, found.sources)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_messages_are_lower_case_sentences_without_a_stop(path):
    for found in checked(path.read_text(encoding="utf-8")).diagnostics:
        assert not found.message.endswith((".", "!")), found.message
        assert found.message[0] == "`" or found.message[0].islower() or found.message[0].isdigit()
        assert "invalid" not in found.message
        assert "please" not in found.message


@pytest.mark.parametrize("code", CHECKED)
def test_every_code_of_the_checker_is_met_in_some_study(code):
    seen = {d.code for p in STUDIES for d in checked(p.read_text(encoding="utf-8")).diagnostics}
    includes = {"E107"}  # tests/checking/test_includes.py
    needs_nemenyi = {"E152"}  # no test of this version controls its family itself
    assert code in seen | includes | needs_nemenyi


@pytest.mark.parametrize("code", sorted(c for c in CODES if CODES[c].right and c < "E3"))
def test_the_right_example_of_a_code_is_free_of_it(code):
    files = {"protocol.eval": "protocol cv\n"}
    assert code not in [d.code for d in checked(CODES[code].right + "\n", files).diagnostics]


@pytest.mark.parametrize(
    "code",
    sorted(c for c in CODES if CODES[c].wrong and "E1" <= c < "E3" and c not in ("E107", "E152")),
)
def test_the_wrong_example_of_a_code_meets_it(code):
    assert code in [d.code for d in checked(CODES[code].wrong + "\n").diagnostics]


def test_a_code_is_an_error_a_warning_or_a_hint_by_its_letter():
    for code in CODES.values():
        if code.code.startswith("E"):
            assert code.severity is Severity.ERROR
        else:
            assert code.severity in (Severity.WARNING, Severity.HINT)
