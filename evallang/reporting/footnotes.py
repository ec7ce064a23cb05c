"""Footnotes of a table: their marks are letters in the order in which a reader meets them."""

from msgspec.structs import replace

from evallang.reporting.document import Mark, Runs, Table


def lettered(table: Table) -> Table:
    """Replace the names of the marks of a table by letters, and list the marked notes last.

    A note loses a mark that nothing in the table bears, because its cells are not shown.
    """
    heads = [column.head for column in table.columns]
    cells = [cell.runs for row in table.rows for cell in row.cells]
    met = [
        part.text
        for runs in (*(spanner.head for spanner in table.spanners), *heads, *cells)
        for part in runs
        if isinstance(part, Mark)
    ]
    letters = {name: chr(ord("a") + i) for i, name in enumerate(dict.fromkeys(met))}

    def shown(runs: Runs) -> Runs:
        made = (
            Mark(letters.get(part.text, "")) if isinstance(part, Mark) else part for part in runs
        )
        return tuple(part for part in made if part != Mark(""))

    return replace(
        table,
        columns=tuple(replace(column, head=shown(column.head)) for column in table.columns),
        spanners=tuple(replace(spanner, head=shown(spanner.head)) for spanner in table.spanners),
        rows=tuple(
            replace(row, cells=tuple(replace(cell, runs=shown(cell.runs)) for cell in row.cells))
            for row in table.rows
        ),
        notes=tuple(sorted(map(shown, table.notes), key=_letter)),
    )


def _letter(note: Runs) -> str:
    """Return the letter of a note, empty without one."""
    return next((part.text for part in note if isinstance(part, Mark)), "")
