"""What a comparison decided of a pair, and where nothing could be decided.

Every sentence, letter and bar about a pair asks here first: a pair that was not tested was
not "not shown to differ".

Groups are the maximal cliques of the graph of open pairs. A model can belong to several, and a
group need not be a stretch of the ranking: "not shown to differ" is not transitive (Piepho 2004).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR


def computed(result: HypothesisTestResult) -> bool:
    """Return whether the test had all that it needs."""
    return result.status != "not_computed"


def bayesian(result: HypothesisTestResult) -> bool:
    """Return whether the result is three posterior probabilities instead of a p."""
    return "p_first" in result.extra


def is_open(pair: HypothesisTestResult) -> bool:
    """Return whether a pair was tested and not decided."""
    return computed(pair) and pair.p is not None and not pair.reject


def untested(pairs: Sequence[HypothesisTestResult]) -> list[HypothesisTestResult]:
    """Return the pairs that have no decision of any kind, because a number is missing."""
    return [
        pair
        for pair in pairs
        if pair.p is None and all(pair.extra.get(key) is None for key in POSTERIOR)
    ]


def favoured(pair: HypothesisTestResult, confidence: float) -> str | None:
    """Return the case whose posterior probability exceeds the confidence; None where none does."""
    return next((key for key in POSTERIOR if (pair.extra.get(key) or 0.0) > confidence), None)


def decided(pair: HypothesisTestResult, confidence: float) -> bool:
    """Return whether a pair was decided: rejected, or one posterior probability is high enough."""
    return favoured(pair, confidence) is not None if bayesian(pair) else bool(pair.reject)


def margin_of(pair: HypothesisTestResult) -> float | None:
    """Return the margin of a test of equivalence or non-inferiority; None for other tests."""
    return pair.extra.get("margin")


def is_about_equivalence(pair: HypothesisTestResult) -> bool:
    """Return whether a test of a margin is about both its ends."""
    return "p_lower" in pair.extra


def is_simultaneous(pair: HypothesisTestResult) -> bool:
    """Return whether the interval of a pair is that of the family, as of self-correcting tests."""
    found, wide = pair.estimate, pair.simultaneous
    if found is None or wide is None or wide.selected:
        return False
    return (found.low, found.high) == (wide.low, wide.high)


Numbered = tuple[int, Comparison]
"""A comparison with its number in the results, from 1."""


def joined(comparisons: Sequence[Comparison]) -> list[list[Numbered]]:
    """Number comparisons, and join those of one line on single data sets, which share a table."""

    def key(numbered: Numbered) -> tuple[object, ...]:
        number, comparison = numbered
        tests = {pair.test for pair in comparison.pairwise}
        if comparison.data is None or len(tests) != 1:
            return (number,)
        return comparison.index, comparison.source, comparison.performed, *tests

    return [list(group) for _, group in groupby(enumerate(comparisons, start=1), key)]


# --- groups of models that were not shown to differ -----------------------------------------

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
