"""A work in the list of references, as text."""

import pytest

from evallang.reporting.document import Text
from evallang.reporting.references import work_runs
from evallang.results.records import ReferenceRecord


@pytest.mark.parametrize(
    ("title", "printed"),
    [("What is it?", "Doe J (2024). What is it? "), ("A method.", "Doe J (2024). A method. ")],
)
def test_a_title_ends_with_one_sign(title, printed):
    record = ReferenceRecord("k", ("Doe J",), 2024, title, "J", "1", "2-3", "", "article")
    assert work_runs(record)[0] == Text(printed)
