"""Tables of scores as the results describe them: one record a data set."""

from collections.abc import Iterator

from evallang.compatibility import own_metric
from evallang.data.dataset import ScoreTable
from evallang.engine.column_records import column_records
from evallang.engine.imported import names_of
from evallang.results.records import DataRecord, Default


def score_records(table: ScoreTable) -> Iterator[DataRecord]:
    """Describe each data set of a table; its `n` is the number of scores a model has there."""
    spec = table.spec
    n = 1 if table.values.ndim == 2 else int(table.values.shape[2])
    columns = column_records(table)
    for row in range(table.n):
        name, label = names_of(table, row)
        lacking = [m.name for m, gone in zip(table.models, table.missing[row], strict=True) if gone]
        notes = table.notes if row == 0 else ()
        yield DataRecord(
            name=name,
            label=label,
            statement=spec.statement,
            kind="scores",
            task="scores",
            n=n,
            n_features=None,
            target=None,
            classes=None,
            positive=None,
            class_counts=None,
            groups=None,
            unit="scores" if n > 1 else "score",
            excluded=(),
            sha256=table.sha256,
            source=table.source,
            cite=spec.cite,
            about=spec.about,
            notes=(*notes, f"no score of {', '.join(lacking)}") if lacking else notes,
            columns=columns,
        )


def score_defaults(table: ScoreTable) -> Iterator[Default]:
    """State what the author of a table of scores left open."""
    spec = table.spec
    metric = own_metric(spec)
    if spec.metric is None and metric is not None:
        yield Default(f"scores {spec.name} metric", metric.name)
    if "higher" not in spec.places and "lower" not in spec.places:
        yield Default(f"scores {spec.name} better", "higher")
    if not spec.models:
        yield Default(f"scores {spec.name} models", ", ".join(m.name for m in table.models))
