"""Searches that kept choosing the last of their candidates: the best may lie beyond."""

from collections.abc import Iterator, Sequence

from evallang.frozen_records import frozen
from evallang.reporting.codes import SEARCH_AT_THE_EDGE
from evallang.reporting.context import Context
from evallang.reporting.document import Caution, Code, Runs, runs
from evallang.results.settings import Value

LEAST_CANDIDATES = 3  # numbers; of two, each is an end
SHARE = 0.5  # of the searches, from which on an end is more than chance
MOST_LINES = 6
SHARES = ("ratio", "max_features", "max_samples", "subsample")
"""Parameters that cannot be larger than 1, by how their names end."""


@frozen
class Edge:
    """A parameter whose search ended at one end: how often, out of how many searches."""

    model: str
    parameter: str
    value: float
    largest: bool
    times: int
    searches: int


def search_at_the_edge(context: Context) -> Caution | None:
    """Warn of searches of which at least half chose an end of a numeric range."""
    found = list(_edges(context))
    if not found:
        return None
    body: Runs = ()
    for edge in found[:MOST_LINES]:
        which = "largest" if edge.largest else "smallest"
        body += runs(
            " " if body else "", Code(edge.parameter), f" of {context.model(edge.model)} was the "
            f"{which} of its candidates, {edge.value:g}, in {edge.times} of {edge.searches} "
            f"{'search' if edge.searches == 1 else 'searches'}.",
        )  # fmt: skip
    body += runs(" A better value may lie beyond: let the candidates go further.")
    return Caution.from_code(SEARCH_AT_THE_EDGE, "A search ended at the edge", body)


def _edges(context: Context) -> Iterator[Edge]:
    results = context.results
    for model in results.models:
        for parameter, candidates in model.tuned.items():
            numbers = sorted({float(value) for value in candidates if _is_number(value)})
            if len(numbers) < LEAST_CANDIDATES:
                continue
            chosen = [
                item.params[parameter]
                for item in results.selections
                if item.model == model.name and parameter in item.params
            ]
            for end, largest in ((numbers[0], False), (numbers[-1], True)):
                times = sum(_is_number(value) and float(value) == end for value in chosen)
                if times >= SHARE * len(chosen) > 0 and not _closed(
                    parameter, end, candidates, largest
                ):
                    yield Edge(model.name, parameter, end, largest, times, len(chosen))


def _closed(parameter: str, end: float, candidates: Sequence[Value], largest: bool) -> bool:
    """Return whether nothing lies beyond an end: zero, one neighbour, a whole share, no limit."""
    if largest:
        return None in candidates or (end == 1 and parameter.endswith(SHARES))
    whole = all(isinstance(value, int) for value in candidates if _is_number(value))
    return end == 0 or (whole and end == 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
