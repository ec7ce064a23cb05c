"""The works of `references.bib`: each is complete, cited, and read as BibTeX reads it."""

import re
from pathlib import Path

import pytest

import evallang
from evallang.bibliography import cite, works
from evallang.engine.build_results import FURTHER
from evallang.results.bibtex_entries import read_entries

PACKAGE = Path(evallang.__file__).parent
TEXT = (PACKAGE / "references.bib").read_text(encoding="utf-8")
KEY = re.compile(r'\bcite\(\s*"(\w+\d{4}\w*)"')


def test_every_key_that_is_cited_is_there_and_every_work_is_cited():
    cited = {key for path in PACKAGE.rglob("*.py") for key in KEY.findall(path.read_text("utf-8"))}
    cited |= {key for method in FURTHER.values() for key in method.references}
    assert cited == set(works())
    assert list(works()) == sorted(works())
    with pytest.raises(KeyError):
        cite("nobody1900")


def test_every_entry_is_complete():
    assert TEXT.count("\n@") == len(works())
    for key, work in works().items():
        assert work.authors and work.title and work.venue, key
        assert str(work.year) in key, key
        assert work.doi == "" or work.doi.startswith("10."), key
        assert not work.forms


def test_others_read_the_file_alike():
    entries = read_entries(TEXT)
    assert list(entries) == list(works())
    for key, work in works().items():
        record = entries[key].record()
        assert (record.title, record.venue, record.year) == (work.title, work.venue, work.year)
        assert (record.pages, record.doi) == (work.pages, work.doi)
        assert record.volume.replace("–", "-") == work.volume
        assert record.kind == work.kind
        assert len(record.authors) == len(work.authors), key


def test_a_work_may_be_the_source_of_forms_alone():
    assert cite("gorodkin2004", "classes").forms == ("classes",)
    assert cite("gorodkin2004").forms == ()
