"""A file is read in pieces, and gives what it gives when it is read as a whole."""

import gzip
import itertools
import os
from pathlib import Path

import polars as pl
import pytest
from many_cases import for_each

from evallang.data import delimited, fast_csv, file_content, files
from evallang.data.file_content import FileContent
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
    frame = read_file(
        name, source.folder, findings, named=NAMED, spelled=NAMED, short=NAMED, coded=NAMED - {"id"}
    )
    said = [(d.code, d.message, d.help, d.notes) for d in findings.diagnostics]
    if frame is None:
        return None, said
    values = [frame.values(column).cast(pl.String).to_list() for column in frame.columns]
    return (frame.columns, values, frame.lines, frame.notes), said


@for_each("text", TEXTS)
@for_each("size", [1, 40, 200])
@for_each("long_from", [0, fast_csv.LONG])
def test_a_file_in_pieces_gives_what_it_gives_as_a_whole(
    source, monkeypatch, text, size, long_from
):
    source.write("p.csv", TEXTS[text])
    monkeypatch.setattr(fast_csv, "LONG", long_from)
    monkeypatch.setattr(fast_csv, "SAMPLE", 60)
    monkeypatch.setattr(fast_csv, "SAMPLE_LINES", 2)
    expected = read(source, "p.csv")
    for module, name in ((fast_csv, "PIECE"), (fast_csv, "CHUNK"), (delimited, "CHUNK")):
        monkeypatch.setattr(module, name, size)
    assert read(source, "p.csv") == expected


@pytest.mark.parametrize("most", [0, files.MOST_IN_MEMORY])
@pytest.mark.parametrize("text", ["plain", "an end in quotes", "a zero byte", "no byte"])
def test_a_compressed_file_gives_what_it_holds(source, monkeypatch, text, most):
    source.write("p.csv", TEXTS[text])
    source.write("p.csv.gz", gzip.compress(TEXTS[text]))
    monkeypatch.setattr(files, "MOST_IN_MEMORY", most)
    plain, packed = read(source, "p.csv"), read(source, "p.csv.gz")
    assert repr(packed).replace("p.csv.gz", "p.csv") == repr(plain)


@pytest.mark.parametrize("added", [b"20,yes,no,1\n", b""])
def test_a_file_that_changes_while_it_is_read_is_reported(source, monkeypatch, added):
    source.write("p.csv", TEXTS["plain"])
    path, whole = source.folder / "p.csv", fast_csv._look

    def change(*arguments):
        path.write_bytes(TEXTS["semicolons"] + added)
        os.utime(path, (1, 1))
        return whole(*arguments)

    monkeypatch.setattr(fast_csv, "_look", change)
    frame, said = read(source, "p.csv")
    assert frame is None
    assert [message for _, message, *_ in said] == ["`p.csv` was written to while it was read"]


@for_each("text", ["a byte order mark", "blank lines at the end", "an end in quotes"])
@for_each("step", ["checked_content", "_with_ends_between_lines", "sniff"])
def test_a_file_that_grows_before_a_step_of_its_reading_is_reported(
    source, monkeypatch, text, step
):
    source.write("p.csv", TEXTS[text])
    taken = getattr(delimited, step)

    def grow(*arguments):
        with (source.folder / "p.csv").open("ab") as file:
            file.write(b"20,yes,no,1\n")
        return taken(*arguments)

    monkeypatch.setattr(delimited, step, grow)
    frame, said = read(source, "p.csv")
    assert frame is None
    assert [message for _, message, *_ in said] == ["`p.csv` was written to while it was read"]


@pytest.mark.parametrize("change", ["grow", "shrink"])
def test_every_reading_and_part_of_a_file_compares_it_with_what_was_opened(tmp_path, change):
    path = tmp_path / "p.csv"
    path.write_bytes(b"id,a\n" * 9)
    with path.open("rb") as stream:
        content = FileContent.of_file(stream)
        assert content.part(3, 9).read() == b"a\nid,a"
        path.write_bytes(b"id,a\n" * (10 if change == "grow" else 2))
        for reading in (
            content.read,
            content.part(3, 9).read,
            lambda: content.beginning(4, 1),
            lambda: content.lines_from(1, 8),
            lambda: next(content.pieces(8)),
        ):
            with pytest.raises(file_content.WrittenWhileRead):
                reading()


def test_a_short_compressed_file_is_unpacked_in_memory(source, monkeypatch):
    source.write("p.csv.gz", gzip.compress(TEXTS["plain"]))
    monkeypatch.setattr("tempfile.tempdir", str(source.folder / "no such folder"))
    frame, said = read(source, "p.csv.gz")
    assert frame is not None and not said


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="it needs a disk that is full")
def test_a_file_that_is_too_long_for_the_temporary_folder_is_reported(source, monkeypatch):
    source.write("p.csv.gz", gzip.compress(TEXTS["plain"]))
    monkeypatch.setattr(files, "MOST_IN_MEMORY", 1)
    full = Path("/dev/full")
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full.open("w+b"))
    frame, [(_, message, words, _)] = read(source, "p.csv.gz")
    assert frame is None
    assert message == "`p.csv.gz` cannot be read: [Errno 28] No space left on device"
    assert words.startswith("free some space in")


@pytest.mark.parametrize("last", ["", "\n", "\r\n"])
@pytest.mark.parametrize("cell", [" 007", "\t+5", " -0", "-0", "+5", "007", "\v07"])
def test_a_whole_number_keeps_its_spelling_behind_a_blank_and_at_the_end_of_a_file(cell, last):
    text = "a,b\n" + "1,2\n" * 40_000 + f"{cell},2\n1,{cell}{last}"
    frame = delimited.read_delimited(FileContent.of(text.encode()), "p.csv", Findings({}))
    assert frame.texts("a")[-2] == frame.texts("b")[-1] == cell.strip()


@pytest.mark.parametrize("cell", ["2024-01-01 00:05:00", "Agent 007", "a -0", "b          +5"])
def test_a_blank_within_a_text_leaves_the_numbers_beside_it_typed(cell):
    text = f"a,b\n{cell},2\n{cell},3\n"
    frame = delimited.read_delimited(FileContent.of(text.encode()), "p.csv", Findings({}))
    assert frame.cells["b"].dtype == pl.Int64
    assert frame.texts("a").to_list() == [cell, cell]


def test_a_number_behind_many_blanks_keeps_its_spelling():
    text = "a,b\n" + "1,2\n" * 40_000 + f"{' ' * 30}007,2\n"
    frame = delimited.read_delimited(FileContent.of(text.encode()), "p.csv", Findings({}))
    assert frame.texts("a")[-1] == "007"


def test_pieces_are_whole_lines_and_make_up_the_file():
    text = b"".join(b"x" * length + b"\n" for length in range(60)) + b"y" * 70
    for size in (1, 7, 64, 5000):
        for content in (FileContent.of(text), FileContent.of(b"--" + text + b"-").part(2, 1902)):
            pieces = list(content.pieces(size))
            assert b"".join(pieces) == text
            assert all(piece.endswith(b"\n") for piece in pieces[:-1])
            assert content.read(1500, 9) == text[1500:1509]
    assert not list(FileContent.of(b"").pieces(5))
    assert file_content.FileContent.of(text).beginning(10, 5) == text[: text.index(b"xxxxx\n")]
