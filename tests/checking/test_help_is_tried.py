"""A help is tried: what it says to write is written, and the study is checked again.

The first case of each golden file has the whole message of its code. The code must be gone, no
error may come, and no flaw of design that was not there.
"""

import re

import pytest
from applied_help import NotWritten, applied, pieces
from studies import codes_told
from test_golden_codes import FILES, cases, plain
from written_cases import Case

from evallang.checking.all_codes import load_codes
from evallang.diagnostics import CODES, Changes, Phase

load_codes()
TO_COMPLETE = {
    "E071": "two readings of one line, as forms",
    "E117": "three forms of a domain, as examples",
    "E203": "a class around the one that a model has",
    "E409": "the query of the author",
    "E443": "one column of several in `models`",
    "W330": "one model in place of three",
    "W344": "a number in place of one in a line",
    "W443": "a step in each model",
    "W445": "another file, and an option of the models that have it",
}
"""Codes whose help names a piece, and what an author must do to place it."""
REVEALS = {
    "E487": "with fewer models, the omnibus of the line is one of two",
    "W415": "the column of dates is called `visit`, and is then seen as a unit",
}
TRIED = [path for path in FILES if CODES[path.stem].phase is not Phase.RESULTS]
FLAWS = {
    code.code for code in CODES.values()
    if code.changes in (Changes.SCORES, Changes.CLAIMS, Changes.QUESTION)
    and code.severity == "warning"
}  # fmt: skip


def checked_in(folder, text, monkeypatch, code):
    folder.mkdir()
    with monkeypatch.context() as arranged:
        case = Case(text, folder, arranged)
        of_data = code[1] == "4" and CODES[code].phase is not Phase.ADVICE
        if of_data or case.reads:
            return case.diagnostics(), case.opened.checked.sources["study.eval"].text
        return case.opened.diagnostics, case.opened.checked.sources["study.eval"].text


@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_a_study_with_its_help_written_is_sound(path, tmp_path, monkeypatch):
    code = path.stem
    text = plain(cases(path)[0][1])
    found, study = checked_in(tmp_path / "before", text, monkeypatch, code)
    meant = next((d for d in found if d.code == code), None)
    if meant is None:
        return
    arranged = "".join(f"{line}\n" for line in re.findall(r"(?m)^! .*$", text.split("--- ")[0]))
    _, *files = re.split(r"(?m)^(?=--- )", text)
    files = [file for file in files if not file.startswith("--- study.eval")]
    before, now, again, after = set(codes_told(found)), {code}, found, study
    for turn in range(MOST_TURNS):
        meant = next((d for d in again if d.code == code), None)
        if meant is None:
            break
        try:
            after = applied(after, meant)
        except NotWritten:
            assert turn or code in TO_COMPLETE or not says_what_to_write(meant), meant.help
            return
        whole = arranged + after.rstrip("\n") + "\n" + "".join(files)
        again, _ = checked_in(tmp_path / str(turn), whole, monkeypatch, code)
        now = set(codes_told(again))
    assert code not in now, after
    if code in REVEALS:
        return
    assert {c for c in now - before if c[0] == "E"} == set(), after
    if code[0] == "W":  # behind an error, nothing was judged before
        assert (now - before) & FLAWS == set(), after


def says_what_to_write(found):
    try:
        pieces(found.help or "")
    except NotWritten:
        return False
    return True


MOST_TURNS = 5  # findings of one code in a case


def test_most_helps_say_what_to_write():
    """So many first cases have a help from which a study is made above."""
    told = 0
    for path in TRIED:
        found = re.search(r"(?m)^#> *= help: (.*)$", cases(path)[0][2])
        try:
            told += found is not None and bool(pieces(found[1]))
        except NotWritten:
            continue
    assert told > 60
