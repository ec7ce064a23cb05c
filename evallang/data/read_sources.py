"""What was read of a study's sources: the record that every later step takes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    PredictionsSpec,
    ScoresSpec,
    ScoreTable,
    Table,
)
from evallang.results.records import ModelRecord, ResultsRecord


class StoredPredictions(Struct, frozen=True):
    """The predictions of one model of former results; `cells` is a frame of its rows alone."""

    folder: str
    model: ModelRecord
    record: ResultsRecord
    cells: Any
    sha256: str


class ReadSources(Struct, frozen=True):
    """Tables to fit models on, by name; imported outcomes; tables of scores; former results.

    `stored` has the predictions of the models that are taken from former results, by model.
    A source that could not be read is in none of them.
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    imported: Sequence[GivenOutcomes] = ()
    score_tables: Sequence[ScoreTable] = ()
    stored: Mapping[str, StoredPredictions] = field(default_factory=dict)

    @property
    def specs(
        self,
    ) -> tuple[DataSpec | PredictionsSpec | CountsSpec | ScoresSpec | BattlesSpec, ...]:
        """The data sets that were found, with their models."""
        return (
            *(table.spec for table in self.tables.values()),
            *(replace(outcomes.spec, models=outcomes.models) for outcomes in self.imported),
            *(
                replace(table.spec, name=name, models=table.models)
                for table in self.score_tables
                for name in table.names
            ),
        )

    @property
    def with_examples(self) -> Iterator[Table | GivenOutcomes]:
        """The sources whose single examples are known."""
        yield from self.tables.values()
        yield from self.imported

    def released(self) -> "ReadSources":
        """Return the sources without the columns that no fit needs, which checks looked at."""
        tables = {name: replace(table, unused={}, keys={}) for name, table in self.tables.items()}
        return replace(self, tables=tables)
