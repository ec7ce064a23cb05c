"""A help is tried: what it says to write is written, and the study is checked again.

Every case of every golden file is tried, with the first way that a help names. The code must be
gone, no error may come, and no flaw of design that was not there.
"""

import re

import pytest
from applied_help import OUTSIDE_QUOTES, NotWritten, applied, pieces
from many_cases import for_each
from placed_help import PLACED
from studies import codes_told
from test_golden_codes import FILES, cases, checked_case, checked_in, plain

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Changes, Phase

load_codes()
SECOND_SLIP = "the line has a second mistake, which its own message then names"
FEW_ROWS = "the made table is small, or one column follows from another, which is then seen"
ELSEWHERE = "the place is in another file, or on the command line"
REPEATED = "each value of the column occurs in four rows, which is then seen as a unit"
REVEALS = {
    ("W489", 0): "a stated threshold may have been chosen on the same rows",
    ("E004", 5): ELSEWHERE,
    ("E020", 4): SECOND_SLIP,
    ("E022", 6): SECOND_SLIP,
    ("E042", 4): "the clause after the `let` belongs to the data before it",
    ("E050", 6): "each bracket is removed by its own fix",
    ("E044", 4): "the case has a `study` of its own above",
    ("E045", 9): "the items of the list have lines of their own, which are removed as well",
    ("E050", 7): "the line is divided in two by hand",
    ("E060", 4): "the two lines replace the clause",
    ("E062", 5): SECOND_SLIP,
    ("E101", 9): ELSEWHERE,
    ("E110", 7): SECOND_SLIP,
    ("E120", 5): "once the task is known, one of the models is of the other",
    ("E121", 11): SECOND_SLIP,
    ("E122", 5): SECOND_SLIP,
    ("E124", 4): "the metric is written a second time, behind `by`",
    ("E124", 6): SECOND_SLIP,
    ("E131", 3): "both parts are written in place of one",
    **dict.fromkeys(
        (("E134", number) for number in range(4)),
        "runs of one experiment give no test, which its own message then says",
    ),
    **dict.fromkeys(
        (("E202", 12), ("E202", 13)), "the interval is that of another metric of the line too"
    ),
    ("E446", 0): "the name of the numbers tells no direction, which its own message then says",
    ("E142", 6): "the letters are numbers of the author",
    ("E143", 9): "the words are numbers of the author",
    ("E143", 10): "the words are numbers of the author",
    ("E401", 1): FEW_ROWS,
    ("E402", 0): "the network is allowed, and the address of the case has no server",
    ("E402", 1): "the network is allowed, and the address of the case has no server",
    ("E402", 4): "the network is allowed, and the address of the case has no server",
    ("E434", 3): FEW_ROWS,
    ("E409", 0): FEW_ROWS,
    ("E409", 5): FEW_ROWS,
    ("E410", 2): FEW_ROWS,
    ("E410", 4): FEW_ROWS,
    ("E410", 6): FEW_ROWS,
    ("E412", 2): FEW_ROWS,
    ("E412", 3): FEW_ROWS,
    ("E414", 2): "the case has no such file",
    ("E482", 6): "a missing value needs a step that fills it in, which its own message names",
    ("E416", 2): "the name is inside the query",
    ("E414", 6): "the case has no such file",
    ("E414", 4): "the server is then asked for consent, as every server is",
    ("E422", 4): FEW_ROWS,
    ("E423", 4): FEW_ROWS,
    ("E423", 5): FEW_ROWS,
    ("E429", 1): FEW_ROWS,
    ("E429", 2): FEW_ROWS,
    ("E430", 3): "a missing value needs a step that fills it in, which its own message names",
    ("E430", 4): "a missing value needs a step that fills it in, which its own message names",
    ("E473", 1): "the data sets have two tasks, whichever is written",
    ("E476", 1): "the module is named a second time, in a model",
    ("E487", 0): "with fewer models, the omnibus of the line is one of two",
    ("E487", 1): "with fewer models, the omnibus of the line is one of two",
    ("W001", 2): "the mark of the file, which editors do not show, is before the text",
    ("W002", 5): ELSEWHERE,
    ("W401", 1): ELSEWHERE,
    ("W401", 2): ELSEWHERE,
    ("W415", 0): REPEATED,
    ("W415", 2): REPEATED,
    ("W415", 3): REPEATED,
    ("W416", 1): REPEATED,
    ("W460", 2): "a missing score needs a line that excludes its row, which its own message names",
}
"""What following a help shows that was hidden before, by code and number of the case."""
TRIED = [path for path in FILES if CODES[path.stem].phase is not Phase.RESULTS]
FLAWS = {
    code.code for code in CODES.values()
    if code.changes in (Changes.SCORES, Changes.CLAIMS, Changes.QUESTION)
    and code.severity == "warning"
}  # fmt: skip


@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_a_study_with_its_help_written_is_sound(path, tmp_path, monkeypatch):
    for number in range(len(cases(path))):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            is_sound_with_its_help(path, number, folder, monkeypatch)
        except AssertionError as error:
            error.add_note(f"in case {number} of {path.name}")
            raise


def is_sound_with_its_help(path, number, folder, monkeypatch):
    """Check what a case becomes with its help written into it."""
    code = path.stem
    text = plain(cases(path)[number][1])
    found, sources = checked_case(path, number, folder / "before", monkeypatch)
    study = sources["study.eval"].text
    meant = next((d for d in found if d.code == code), None)
    if meant is None:
        return
    arranged = "".join(f"{line}\n" for line in re.findall(r"(?m)^! .*$", text.split("--- ")[0]))
    _, *files = re.split(r"(?m)^(?=--- )", text)
    files = [file for file in files if not file.startswith("--- study.eval")]
    before, now, again, after = set(codes_told(found)), {code}, found, study
    if (code, number) in PLACED:
        whole = placed(text, PLACED[code, number], meant.help)
        again, sources = checked_in(folder / "placed", code, whole, monkeypatch)
        after = sources["study.eval"].text
        now = set(codes_told(again))
        assert code not in now, after
    for turn in range(0 if (code, number) in PLACED else MOST_TURNS):
        meant = next((d for d in again if d.code == code), None)
        if meant is None:
            break
        try:
            after = applied(after, meant)
        except NotWritten:
            assert turn or not says_what_to_write(meant.help), meant.help
            return
        whole = arranged + after.rstrip("\n") + "\n" + "".join(files)
        again, _ = checked_in(folder / str(turn), code, whole, monkeypatch)
        now = set(codes_told(again))
    errors = {c for c in now - before if c[0] == "E"}
    flaws = (now - before) & FLAWS if code[0] == "W" else set()  # behind an error, none was judged
    if (code, number) in REVEALS:
        assert code in now or errors or flaws, "the case needs no reason why it is not sound"
        return
    assert code not in now, after
    assert errors == set(), after
    assert flaws == set(), after


def placed(text, edits, told):
    """Return a case with the pieces of a help written where its author would."""
    after = text
    for old, new in edits:
        assert old in after, old
        after = after.replace(old, new, 1)
    if says_what_to_write(told) and not FORM.search(told):
        assert any(after.count(piece) > text.count(piece) for piece in pieces(told)[0]), told
    return after


FORM = re.compile(
    r"\b(?:as in|such as|for example|add) `|\(`a vs b|another name|in the (?:squared )?unit|"
    r"`json.dumps`|the module `|year first"
)
"""Words of a help that shows a form; its author then writes other names or numbers."""


def says_what_to_write(told):
    try:
        pieces(told or "")
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


@for_each("path", TRIED, ids=lambda path: path.stem)
def test_a_code_that_says_what_to_write_has_a_case_that_is_tried(path, tmp_path, monkeypatch):
    """Helps that leave a name to the author are placed by hand, one case of each code."""
    code = path.stem
    if code in NOT_IN_THE_STUDY or any(placed_code == code for placed_code, _ in PLACED):
        return
    whole = "".join(answer for *_, answer in cases(path))
    first = re.findall(r"(?m)^#> *= help: (.*)$", whole)
    if not any(NAMES_A_PIECE.search(OUTSIDE_QUOTES.split(told)[0]) for told in first):
        return
    if any(says_what_to_write(told) for told in first):
        return
    for number in range(len(cases(path))):
        found, _ = checked_case(path, number, tmp_path / str(number), monkeypatch)
        meant = next((d for d in found if d.code == code), None)
        sure = meant is not None and any(fix.edits for fix in meant.fixes)
        if sure or (meant is not None and says_what_to_write(meant.help)):
            return
    pytest.fail(f"place what the help of one case says to write: {first[0]}")


NAMES_A_PIECE = re.compile(r"(?:write|add|did you mean|end it in) [^;]*`")
NOT_IN_THE_STUDY = {
    "E154": "ranges are written into the file of the data",
    "E411": "what its numbers mean is known to the author of the file alone",
    "E488": "which label is which is known to the author of the file alone",
    "W414": "the raw values are in a file that only the author has",
}
"""Codes whose help changes what no test has."""
