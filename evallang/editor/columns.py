"""The columns of the files that a study reads, from their first lines; read on request only."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from evallang.syntax import nodes as n

BEGINNING = 1 << 18  # bytes: the header of a wide table, and some rows
MOST_FILES = 10  # of a study; more have the same columns


def columns(statements: Iterable[n.StatementNode], folder: Path) -> Iterator[str]:
    """Iterate over the columns of the tables of a study that are on this machine."""
    for path in islice(_paths(statements), MOST_FILES):
        yield from _columns_of(path, folder)


def _paths(statements: Iterable[n.StatementNode]) -> Iterator[str]:
    for node in statements:
        found: Iterable[n.Node] = ()
        if isinstance(node, n.DataNode) and isinstance(node.source, n.SourceNode):
            found = node.source.values if node.source.kind == "path" else ()
        elif isinstance(node, n.PredictionsNode) and node.tool is None:
            found = node.paths
        elif isinstance(node, n.ScoresNode | n.BattlesNode):
            found = (node.path,)
        yield from (path.value for path in found if isinstance(path, n.TextNode))


def _columns_of(path: str, folder: Path) -> tuple[str, ...]:
    """Return the columns of a file or of the first that a pattern finds; none where it is odd."""
    from evallang.data.delimited import sniff  # with polars, which no check loads
    from evallang.data.path_patterns import GLOB, matching

    if GLOB.search(path):
        path = next(iter(matching(path, folder)), "")
    file = folder / path
    try:
        if file.suffix == ".parquet" and file.is_file():
            import polars as pl

            return tuple(pl.read_parquet_schema(file))
        if file.suffix in (".csv", ".tsv", ".txt") and file.is_file():
            with file.open("rb") as opened:
                return sniff(opened.read(BEGINNING), path, frozenset()).names
    except (OSError, ValueError):
        pass
    return ()
