"""What the features of a table hold, in all rows and in those of each class."""

import polars as pl

from evallang.data.dataset import Table
from evallang.results.records import ClassValues

MOST_FEATURES = 30
MOST_CLASSES = 6  # columns of a printed table
MOST_LEVELS = 10
QUARTILES = (0.25, 0.5, 0.75)


def characteristics(table: Table) -> dict[str, tuple[ClassValues, ...]]:
    """Return what each of the first 30 features holds: in all rows, then in those of each class.

    Numbers have quartiles, by linear interpolation; text and numbers of two values have levels,
    the most frequent first. So has a target that is a number, in all rows.
    """
    columns = table.columns[:MOST_FEATURES]
    made = {
        c.name: pl.Series(table.numeric[:, c.index], dtype=pl.Float64, nan_to_null=True)
        if c.numeric
        else pl.Series([v if isinstance(v, str) else None for v in table.objects[:, c.index]])
        for c in columns
    }
    if table.task == "regression":
        made[table.target] = pl.Series(table.y)
    classes: dict[str | None, pl.Series | None] = {None: None}
    if table.task == "classification" and len(table.classes) <= MOST_CLASSES:
        classes |= {name: pl.Series(table.y == code) for code, name in enumerate(table.classes)}
    return {name: _by_class(values, classes) for name, values in made.items()}


def _by_class(
    values: pl.Series, classes: dict[str | None, pl.Series | None]
) -> tuple[ClassValues, ...]:
    known = values.drop_nulls()
    levels: list[str] | None = None
    if not known.dtype.is_float() or (
        len(known) and ((known == known.min()) | (known == known.max())).all()
    ):
        texts = known.unique().to_list()
        words = {one: one if isinstance(one, str) else f"{one:g}" for one in texts}
        values = values.replace_strict(words, return_dtype=pl.String) if words else values
        counts = _counts(values)
        levels = sorted(counts, key=lambda level: (-counts[level], level))[:MOST_LEVELS]
    made = []
    for name, some in classes.items():
        here = values if some is None else values.filter(some)
        lost = here.null_count()
        if levels is not None:
            counts = _counts(here)
            shown = {level: counts.get(level, 0) for level in levels}
            made.append(ClassValues(name, len(here) - lost, lost, levels=shown))
            continue
        ends = [q for share in QUARTILES if (q := here.quantile(share, "linear")) is not None]
        quartiles = (ends[0], ends[1], ends[2]) if ends else None
        made.append(ClassValues(name, len(here) - lost, lost, quartiles))
    return tuple(made)


def _counts(values: pl.Series) -> dict[str, int]:
    counted = values.drop_nulls().value_counts()
    return dict(zip(*(column.to_list() for column in counted.get_columns()), strict=True))
