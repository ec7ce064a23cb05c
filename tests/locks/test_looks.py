"""Files of looks: what is read of them, and what another process or file system does."""

import errno
import os

import pytest
from locked_studies import call

from evallang.locks import looks
from evallang.locks.looks import Look, looks_at, read_looks, record_look, repository_looks, utc

LOOK = Look("2026-01-02T03:04:05Z", "s", "p", "d", "c", {"houses": "h"})


def test_a_look_is_recorded_once(tmp_path):
    path = tmp_path / "s.looks.jsonl"
    path.write_text("half a line")  # a merge may end a file without a line feed
    assert record_look(path, LOOK)
    assert not record_look(path, Look("2027", "s", "p", "d", "c", {}))
    assert record_look(path, Look("2027", "s", "p2", "d", "c", {"houses": "h"}))
    assert [look.protocol for look in read_looks(path)] == ["p", "p2"]
    assert looks_at(read_looks(path), ["h", "other"]) == 2
    assert looks_at((), ["h"]) == 0


def test_looks_of_merged_branches_are_listed_once_in_the_order_of_their_dates(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lines = [
        Look("2026-03-01T00:00:00Z", "s", "later", "d", "c", {"houses": "h"}).line(),
        Look("2026-02-01T00:00:00Z", "s", "both", "d", "c", {"houses": "h"}).line(),
        Look("2026-01-01T00:00:00Z", "s", "both", "d", "c", {"houses": "h"}).line(),
    ]
    (tmp_path / "s.eval").write_text("evallang 1\n")
    (tmp_path / "s.looks.jsonl").write_text("\n".join(lines) + "\n")
    for arguments in (("log", "s.eval"), ("log",)):
        first, second, total = call(*arguments).splitlines()
        assert first.startswith("2026-01-01T00:00:00Z") and first.endswith("houses: look 1")
        assert second.startswith("2026-03-01T00:00:00Z") and second.endswith("houses: look 2")
        assert total == "2 evaluations, at most 2 on the same test data"


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "3", '{"date": 1}', '{"date": "d", "study": "s"}', "[" * 100_000,
     LOOK.line().replace('{"houses":"h"}', "[]"), LOOK.line().replace('{"houses":"h"}', '"x"'),
     LOOK.line().replace('{"houses":"h"}', "[" * 900 + "]" * 900)]
)  # fmt: skip
def test_a_line_that_is_no_look_is_passed_over(tmp_path, line):
    path = tmp_path / "s.looks.jsonl"
    path.write_text(f"{line}\n{LOOK.line()}\n")
    assert read_looks(path) == (LOOK,)


def test_looks_whose_parts_are_no_texts_are_passed_over(tmp_path):
    path = tmp_path / "s.looks.jsonl"
    path.write_text(LOOK.line().replace('"h"', "3") + "\n")
    assert read_looks(path) == ()


def test_what_is_no_file_of_looks_has_none(tmp_path, monkeypatch):
    assert read_looks(tmp_path / "none") == ()
    assert read_looks(tmp_path) == ()
    path = tmp_path / "s.looks.jsonl"
    record_look(path, LOOK)
    monkeypatch.setattr(looks, "LARGEST", 10)
    assert read_looks(path) == ()


def test_a_file_that_cannot_be_read_has_no_looks(tmp_path, monkeypatch):
    path = tmp_path / "s.looks.jsonl"
    record_look(path, LOOK)

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "permission denied")

    monkeypatch.setattr(type(path), "read_text", refuse)
    assert read_looks(path) == ()


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "s.looks.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        record_look(tmp_path / "s.looks.jsonl", LOOK)
    assert (tmp_path / "elsewhere").read_text() == ""


@pytest.mark.parametrize(("number", "waits"), [(errno.ENOLCK, 0), (errno.EAGAIN, 2)])
def test_a_lock_of_another_run_is_waited_for_and_a_missing_one_is_not(
    tmp_path, monkeypatch, number, waits
):
    refused = []

    def flock(*_):
        if len(refused) < max(waits, 1):
            refused.append(number)
            raise OSError(number, os.strerror(number))

    slept = []
    monkeypatch.setattr(looks.fcntl, "flock", flock)
    monkeypatch.setattr(looks.time, "sleep", slept.append)
    assert record_look(tmp_path / "s.looks.jsonl", LOOK)
    assert len(slept) == waits


def test_looks_of_a_repository_are_those_of_its_folders(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    for folder in ("a", "b/c", ".hidden", "node_modules"):
        (tmp_path / folder).mkdir(parents=True)
        look = Look(f"2026-{folder[-1]}", folder, "p", "d", "c", {"houses": "h"})
        record_look(tmp_path / folder / "s.looks.jsonl", look)
    assert [look.study for look in repository_looks(tmp_path / "b" / "c")] == ["a", "b/c"]
    monkeypatch.setattr(looks, "MOST_FILES", 1)
    assert [look.study for look in repository_looks(tmp_path)] == ["a"]


def test_moments_are_of_the_source_date_where_it_is_set(monkeypatch):
    assert utc(0.0) == "1970-01-01T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert utc() == "1970-01-02T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert utc() > "2026"
