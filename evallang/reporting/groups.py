"""Groups of models that were not shown to differ: maximal cliques of the graph of open pairs.

A model can belong to several groups, and a group need not be a stretch of the ranking:
"not shown to differ" is not transitive (Piepho 2004).
"""

from collections.abc import Mapping, Sequence

from evallang.reporting.decisions import computed, margin_of
from evallang.results.records import Comparison

MOST_GROUPS = 26  # letters of the alphabet


def cliques(nodes: Sequence[str], edges: frozenset[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return all maximal cliques (Bron, Kerbosch 1973); all in the order of nodes."""
    neighbours = {
        node: {other for other in nodes if frozenset((node, other)) in edges and other != node}
        for node in nodes
    }
    found: list[frozenset[str]] = []

    def grow(chosen: frozenset[str], open_: set[str], done: set[str]) -> None:
        if not open_ and not done:
            found.append(chosen)
            return
        pivot = max(sorted(open_ | done), key=lambda node: len(neighbours[node] & open_))
        for node in sorted(open_ - neighbours[pivot]):
            grow(chosen | {node}, open_ & neighbours[node], done & neighbours[node])
            open_ = open_ - {node}
            done = done | {node}

    grow(frozenset(), set(nodes), set())
    place = {node: i for i, node in enumerate(nodes)}
    rows = [tuple(sorted(members, key=place.__getitem__)) for members in found]
    return tuple(sorted(rows, key=lambda row: [place[node] for node in row]))


def groups(
    ordered: Sequence[str], comparison: Comparison, most: int | None = None
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of a comparison of all pairs, best first, among the best `most` models.

    Nothing where there is no full set of decisions, and where there are more groups than letters.
    """
    if not is_decided(ordered, comparison):
        return ()
    open_pairs = frozenset(frozenset(p.models) for p in comparison.pairwise if not p.reject)
    tested = {name for pair in comparison.pairwise for name in pair.models}
    found = cliques([name for name in ordered if name in tested][:most], open_pairs)
    return found if len(found) <= MOST_GROUPS else ()


def is_decided(ordered: Sequence[str], comparison: Comparison) -> bool:
    """Return whether each pair of at least three models has a decision.

    False for other comparisons than of all pairs, for tests of a margin, after a post hoc stage
    that was not performed, and for exploratory or Bayesian comparisons.
    """
    pairs = comparison.pairwise
    if any(len(pair.models) != 2 or margin_of(pair) is not None for pair in pairs):
        return False
    tested = {name for pair in comparison.pairwise for name in pair.models}
    nodes = [name for name in ordered if name in tested]
    complete = len(comparison.pairwise) == len(nodes) * (len(nodes) - 1) // 2
    decided = all(
        computed(pair) and pair.p is not None and pair.reject is not None
        for pair in comparison.pairwise
    )
    if len(nodes) < 3 or len(nodes) != len(tested) or not complete or not decided:
        return False
    return comparison.performed and not comparison.family.exploratory


def letters(ordered: Sequence[str], comparison: Comparison) -> Mapping[str, str]:
    """Return the letters of each model; models not shown to differ share one."""
    found = groups(ordered, comparison)
    marks = {name: "" for members in found for name in members}
    for i, members in enumerate(found):
        for name in members:
            marks[name] += "abcdefghijklmnopqrstuvwxyz"[i]
    return marks


def are_stretches(ordered: Sequence[str], found: Sequence[Sequence[str]]) -> bool:
    """Return whether every group is an unbroken stretch of the order."""
    place = {name: i for i, name in enumerate(ordered)}
    return all(place[row[-1]] - place[row[0]] == len(row) - 1 for row in found)
