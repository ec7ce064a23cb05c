"""Text files of odd content, encodings and names: they are read, or a finding says why not."""

import json
import os

import pytest
from studies import study

from evallang.api import Results, run
from evallang.api.checked_file import StudyError

ROWS = [{"y": k // 2 % 2, "x": k % 7, "q": k % 2, "r": k // 3 % 2} for k in range(40)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
TABLE = "y,x,q,r\n" + "".join(",".join(map(str, row.values())) + "\n" for row in ROWS)
HEAD = 'evallang 1\nstudy "s"\n  seed 1\n'
FITTED = "  target y\nmodel a = GaussianNB\nprotocol cv folds=2\nmeasure accuracy\n"
GIVEN = "  truth y\n  models m as q, n as r\nmeasure accuracy\n"
WORK = None


def codes(name, content, folder, text):
    """Run a study of one file; None, or the code and the words of its first error."""
    (folder / name).write_bytes(content)
    try:
        run(study(HEAD + text, folder))
    except StudyError as error:
        found = next(d for d in error.diagnostics if d.severity == "error")
        return found.code, found.message
    return WORK


def changed(old, new, content=LINES):
    assert old in content
    return content.replace(old, new).encode()


LONG = "1" + "0" * 5000
ODD_LINES = [
    (b"\xef\xbb\xbf" + LINES.encode(), WORK),
    (changed("\n", "\r\n"), WORK),
    (changed("\n", "\n\n"), WORK),
    (changed('"x": 3', '"x": NaN'), "E483"),
    (changed('"x": 3', '"x": -Infinity'), "E430"),
    (changed('"x": 3', '"x": 1e999'), "E430"),
    (changed('"x": 3', '"x": ' + str(10**30)), WORK),
    (changed('"x": 3', '"x": ' + LONG), "E410"),
    (changed('"x": 3', '"x": {"a": [1, {"b": 2}]}'), "E429"),
    (changed('"x": 3', '"x": [1]'), "E429"),
    (changed('"x": 3', '"x": "\\ud800"'), "E410"),
    (changed('"x"', '"\\u001b[2K\\n\\u0000"'), WORK),
    (changed('"x"', '""'), WORK),
    (changed('"q"', '"x"'), "E410"),
    (changed('"x": 3', '"x": {"a": 1, "a": 2}'), "E410"),
    (json.dumps(ROWS).encode(), WORK),
    (b"1\n2\n", "E410"),
    (b"", "E407"),
    (b" \n \n", "E407"),
    (LINES.encode() + b'{"y": 1', "E410"),
    (LINES.encode("utf-16"), "E406"),
    (LINES.encode("utf-16-le"), "E406"),
    (changed('"x"', '"\N{LATIN SMALL LETTER E WITH ACUTE}"').decode().encode("latin-1"), "E406"),
    (LINES.encode()[:200] + b"\xff" + LINES.encode()[200:], "E406"),
]
ODD_TABLES = [
    (b"\xef\xbb\xbf" + TABLE.encode(), WORK),
    (changed("\n", "\r\n", TABLE), WORK),
    (changed("y,x", 'y,"a\n\x1b[2K"', TABLE), WORK),
    (changed("y,x", "y,", TABLE), WORK),
    (changed("y,x", "y,y", TABLE), "E409"),
    (TABLE.encode("utf-16"), "E406"),
    (TABLE.encode("utf-32"), "E406"),
    (changed("x", "\N{LATIN SMALL LETTER E WITH ACUTE}", TABLE).decode().encode("latin-1"), "E406"),
    (TABLE.encode()[:50] + b"\xff" + TABLE.encode()[50:], "E406"),
    (TABLE.encode() + b"\0\n", "E406"),
    (TABLE.encode() + b"1,2\n", "E408"),
    (TABLE.encode() + b"\x1a", "E408"),
]


@pytest.mark.parametrize(("content", "code"), ODD_LINES)
def test_odd_lines_of_json_are_read_or_refused(content, code, tmp_path):
    found = codes("d.jsonl", content, tmp_path, f'data d from "d.jsonl"\n{FITTED}')
    assert (found and found[0]) == code, found
    found = codes("d.jsonl", content, tmp_path, f'predictions d from "d.jsonl"\n{GIVEN}')
    # the same, but for what is in a column that is not asked for
    assert found is WORK or found[0] == code, found


@pytest.mark.parametrize(("content", "code"), ODD_TABLES)
def test_odd_tables_are_read_or_refused(content, code, tmp_path):
    found = codes("d.csv", content, tmp_path, f'data d from "d.csv"\n{FITTED}')
    assert (found and found[0]) == code, found


def test_a_field_that_hides_another_is_told_wherever_it_stands(tmp_path):
    text = f'predictions d from "d.jsonl"\n{GIVEN}'
    twice = changed('"r": 0', '"r": 1, "r": 0')
    code, message = codes("d.jsonl", twice, tmp_path, text)
    assert (code, message) == ("E410", "line 1 of `d.jsonl` names a column twice")


def test_a_number_of_too_many_digits_is_told_in_our_words(tmp_path):
    text = f'predictions d from "d.jsonl"\n{GIVEN}'
    _, message = codes("d.jsonl", changed('"x": 3', f'"x": {LONG}'), tmp_path, text)
    assert all(fact in message for fact in ("line 4 ", "`d.jsonl`", "4,300"))


def test_names_of_files_that_are_no_text_go_through_a_run_and_its_report(tmp_path):
    (tmp_path / os.fsdecode(b"d\xe9.csv")).write_text(TABLE)
    out = tmp_path / os.fsdecode(b"o\xe9ut")
    record = run(study(f'{HEAD}data d from "d*.csv"\n{FITTED}', tmp_path), out=out).record
    assert record.data[0].name == r"d/d\xe9"
    assert (out / "predictions.parquet").is_file()
    assert Results.load(out).record.data[0].name == r"d/d\xe9"
    assert Results.load(out).render("html", folder=out) == ()
