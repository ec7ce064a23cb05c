"""The bytes of a file: whatever its line ends and quotes, packed or not, unchanged while read."""

import gzip
import itertools

import polars as pl
import pytest
from many_cases import for_each

from evallang.data.delimited import read_delimited
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings

NAMED = frozenset({"id", "truth", "a", "b"})
ROWS = [("17", "yes", "no", "0.25"), ("18", "no", "no", "1"), ("19", "no", "yes", "-3e4")] * 5


def table(rows=ROWS, *, separator=",", end="\n", quote="", last=True):
    lines = [separator.join(f"{quote}{c}{quote}" for c in row) for row in rows]
    return (end.join(["id,truth,a,b".replace(",", separator), *lines]) + end * last).encode()


def changed(place, cell):
    rows = [list(row) for row in ROWS]
    rows[place[0]][place[1]] = cell
    return rows


TEXTS = {
    "plain": table(),
    "semicolons": table(separator=";"),
    "decimal commas": table(changed((3, 3), "1,5"), separator=";"),
    "tabs": table(separator="\t"),
    "CRLF": table(end="\r\n"),
    "a lone carriage return": table(changed((4, 1), "y\res")),
    "carriage returns alone": table(end="\r"),
    "a byte order mark": b"\xef\xbb\xbf" + table(changed((3, 1), "é")),
    "no last end": table(last=False),
    "CRLF without the last": table(end="\r\n", last=False),
    "a carriage return at the end": table() + b"\r",
    "blank lines at the end": table() + b"\n\n\n",
    "CRLF at the end": table(end="\r\n") + b"\r\n" * 40,
    "a blank line": table().replace(b"\n18", b"\n\n18", 1),
    "quotes": table(quote='"'),
    "a separator in quotes": table(changed((7, 2), '"a,b"')),
    "an end in quotes": table(changed((7, 2), '"a\nb"')),
    "a quote in quotes": table(changed((7, 2), '"a""b"')),
    "a quote that is not closed": table(changed((9, 2), '"a')),
    "text behind a quote": table(changed((9, 2), '"a"b')),
    "missing cells": table(changed((9, 0), "")),
    "blanks around a cell": table(changed((14, 1), " yes ")),
    "blanks before the first cell": table(changed((8, 0), "\t25")),
    "a number spelled apart": table(changed((11, 0), "007")),
    "a word among numbers": table(changed((14, 0), "none")),
    "a float among numbers": table(changed((14, 0), "1.5")),
    "a label that a sample does not show": table(changed((6, 1), "perhaps")),
    "a short line": table(changed((12, 3), "")).replace(b",\n", b"\n"),
    "a long line": table(changed((12, 3), "1,2")),
    "a short and a long line": table([*ROWS, ("1", "no", "no"), ("2", "no", "no", "1", "1")]),
    "short and long lines": table([("1",), ("2",) * 7] * 30),
    "a zero byte": table(changed((12, 2), "a\0")),
    "a byte that is not UTF-8": table().replace(b"\n18,no", b"\n18,\xff", 2),
    "a character that is cut": table(last=False) + b"\xc3",
    "a zero byte behind another fault": table(changed((14, 2), "\0")).replace(b"yes", b"\xffes"),
    "UTF-16": "id,truth".encode("utf-16"),
    "no byte": b"",
    "blanks alone": b" \n \r\n" * 30,
    "a mark alone": b"\xef\xbb\xbf",
    "a header alone": b"id,truth\n",
    "one column": b"truth\nyes\nno\n" * 9,
    "a wide cell": table(changed((5, 2), "x" * 500)),
}


def read(source, name):
    """Return what a file holds, and what is found on the way."""
    findings = Findings({})
    frame = findings.tried(read_file, name, source.folder, named=NAMED, spelled=NAMED)
    said = [(d.code, d.message, d.help, d.notes) for d in findings.diagnostics]
    if frame is None:
        return None, said
    values = [frame.values(column).cast(pl.String).to_list() for column in frame.columns]
    return (frame.columns, values, frame.lines, frame.notes), said


@for_each("text", TEXTS)
def test_a_compressed_file_gives_what_it_holds(source, text):
    source.write("p.csv", TEXTS[text])
    source.write("p.csv.gz", gzip.compress(TEXTS[text]))
    plain, packed = read(source, "p.csv"), read(source, "p.csv.gz")
    assert repr(packed).replace("p.csv.gz", "p.csv") == repr(plain)


@for_each(
    "text",
    ["semicolons", "tabs", "CRLF", "carriage returns alone", "no last end", "quotes"],
)
def test_separators_ends_and_quotes_leave_values_and_lines(source, text):
    source.write("p.csv", TEXTS["plain"])
    source.write("q.csv", TEXTS[text])
    (expected, _), (found, said) = read(source, "p.csv"), read(source, "q.csv")
    assert found[:2] == expected[:2] and list(found[2]) == list(expected[2]) and not said


@pytest.mark.parametrize("change", ["grow", "shrink"])
def test_a_file_that_is_written_to_while_it_is_read_is_reported(source, monkeypatch, here, change):
    source.write("p.csv", TEXTS["plain"])
    path, opened = source.folder / "p.csv", type(source.folder).open

    def changing(self, *how):
        stream = opened(self, *how)
        size = stream.seek(0, 2)
        read_whole = stream.read

        class Stream:
            """A file that another program writes to before it is read."""

            def __enter__(self):
                return self

            def __exit__(self, *_):
                stream.close()

            def fileno(self):
                return stream.fileno()

            def read(self):
                stream.seek(0)
                with opened(path, "r+b") as other:
                    other.truncate(size + (9 if change == "grow" else -9))
                return read_whole()

        return Stream()

    monkeypatch.setattr(type(path), "open", changing)
    frame, said = read(source, "p.csv")
    assert frame is None
    assert [message for _, message, *_ in said] == ["`p.csv` was written to while it was read"]


PACKED = gzip.compress(TEXTS["plain"], mtime=0)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (TEXTS["plain"], "is not compressed"),
        (b"\x1f", "is not compressed"),
        (PACKED[:-9], "is damaged or incomplete"),
        (PACKED + b"more", "is damaged or incomplete"),
        (PACKED[:-8] + bytes(4) + PACKED[-4:], "is damaged or incomplete"),  # another checksum
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
    ],
    ids=itertools.count(),
)
def test_what_is_wrong_with_a_compressed_file_is_reported(source, content, fault):
    source.write("p.csv.gz", content)
    frame, [(_, message, *_)] = read(source, "p.csv.gz")
    assert frame is None and message == f"`p.csv.gz` {fault}"


@pytest.mark.parametrize("last", ["", "\n", "\r\n"])
@pytest.mark.parametrize("cell", [" 007", "\t+5", " -0", "-0", "+5", "007", "\v07"])
def test_a_whole_number_keeps_its_spelling_behind_a_blank_and_at_the_end_of_a_file(cell, last):
    text = "a,b\n" + "1,2\n" * 40_000 + f"{cell},2\n1,{cell}{last}"
    frame = read_delimited(text.encode(), "p.csv")
    assert frame.texts("a")[-2] == frame.texts("b")[-1] == cell.strip()


@pytest.mark.parametrize("cell", ["2024-01-01 00:05:00", "Agent 007", "a -0", "b          +5"])
def test_a_blank_within_a_text_leaves_the_numbers_beside_it_typed(cell):
    text = f"a,b\n{cell},2\n{cell},3\n"
    frame = read_delimited(text.encode(), "p.csv")
    assert frame.cells["b"].dtype == pl.Int64
    assert frame.texts("a").to_list() == [cell, cell]


def test_a_number_behind_many_blanks_keeps_its_spelling():
    text = "a,b\n" + "1,2\n" * 40_000 + f"{' ' * 30}007,2\n"
    frame = read_delimited(text.encode(), "p.csv")
    assert frame.texts("a")[-1] == "007"
