"""A work in the list of references, as text."""

import fixture
import pytest
from msgspec.structs import replace

from evallang.reporting.document import Text
from evallang.reporting.formats.bibtex import entry
from evallang.reporting.formats.works import CitedWork
from evallang.reporting.references import work_runs
from evallang.results.records import ReferenceRecord


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        ("What is it?", "Doe\xa0J (2024). What is it? "),
        ("A method.", "Doe\xa0J (2024). A method. "),
    ],
)
def test_a_title_ends_with_one_sign(title, printed):
    record = ReferenceRecord("k", ("Doe J",), 2024, title, "J", "1", "2-3", "", "article")
    assert work_runs(record)[0] == Text(printed)


def test_the_name_of_a_person_stays_on_one_line_and_that_of_an_institution_does_not():
    names = ("Van Calster B", "European Medicines Agency")
    record = ReferenceRecord("k", names, 2024, "A title", "J", "1", "2-3", "", "article")
    printed = "Van\xa0Calster\xa0B & European Medicines Agency (2024). A title. "
    assert work_runs(record)[0] == Text(printed)


def test_bibtex_finds_nothing_to_warn_of_in_proceedings_and_data():
    """BibTeX sorts by key what has no author, and takes a volume or a number of proceedings."""
    proceedings = ReferenceRecord(
        "naeini2015", ("Naeini MP",), 2015, "Bins", "AAAI", "29(1)", "1-7", "", "inproceedings"
    )
    written = entry(CitedWork("naeini2015", "", (), proceedings))
    assert "volume = {29}" in written and "number" not in written
    data = replace(fixture.cancer().data[0], label="Relapse cohort", cite="Kühn 2024")
    written = entry(CitedWork("data-d", "", (), None, data))
    assert "  key = {Relapse cohort},\n  title = {Relapse cohort},\n" in written
