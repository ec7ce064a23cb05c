"""What the tests of this room share: write a file, read it, see what was found."""

import itertools

import pytest
from reading_here import read_here

from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec, PredictionsSpec, Where
from evallang.data.predictions import read_predictions
from evallang.source import Span

CLAUSES = (
    "data from target positive features categorical id group weight split missing task where "
    "truth models score scores threshold fold repeat rows correct value count pattern within"
)
PLACES = {word: Span("study.eval", 10 * i, 10 * i + 5) for i, word in enumerate(CLAUSES.split())}


class Source:
    """Writes files into a folder of its own and reads them by a statement."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        (self.folder / name).write_bytes(data)
        return name

    def spec(self, name, **clauses):
        clauses = {"target": "y", "kind": "path", "places": PLACES, **clauses}
        return DataSpec(name="d", label="d", location=name, statement="data d", **clauses)

    def read(self, content, name="data.csv", **clauses):
        """Write and read one table; give the table (or None) and what was found."""
        if content is not None:
            self.write(name, content)
        tables, found = read_table(self.spec(name, **clauses), self.folder)
        return (tables[0] if tables else None), found

    def table(self, content, name="data.csv", **clauses):
        table, found = self.read(content, name, **clauses)
        assert table is not None, found
        return table

    def error(self, content, name="data.csv", **clauses):
        """Give the one finding that kept a table from being read."""
        table, found = self.read(content, name, **clauses)
        assert table is None
        (only,) = [d for d in found if d.severity == "error"]
        return only

    def predictions(self, *paths, truth="truth", models=(), **clauses):
        spec = PredictionsSpec(
            name="p",
            label="p",
            paths=paths,
            statement="predictions p",
            truth=truth,
            models=tuple(models),
            **{"places": PLACES, **clauses},
        )
        return read_predictions(spec, self.folder)


@pytest.fixture
def here(monkeypatch):
    """Read every file and query in this process, in which a test can replace functions."""
    read_here(monkeypatch)


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


@pytest.fixture
def where():
    numbers = itertools.count()

    def line(column, operator, value=None):
        written = f"{column} {operator} {value}"
        start = 1000 + next(numbers)
        return Where(column, operator, value, written, Span("study.eval", start, start + 1))

    return line
