"""The walk of a graph: what it computes, in which order, and what it keeps."""

import pytest

from evallang.engine import run
from evallang.engine.walk import FUNCTIONS, Ready, computes, walk
from evallang.planning import nodes
from evallang.planning.nodes import Graph, Kind

LEAF, SUM, FAR = Kind("test leaf"), Kind("test sum"), Kind("test far", remote=True)


class Here:
    """A backend that computes remote nodes when it is asked what has finished."""

    def __init__(self):
        self.waiting, self.begun = [], []

    def add(self, node, arguments):
        self.begun.append(node.key)
        if arguments.get("known"):
            return Ready("known already")
        self.waiting.append((node.key, arguments))
        return None

    def finished(self):
        while self.waiting:
            key, arguments = self.waiting.pop(0)
            yield key, sum(arguments.get("parts", (1,)))


@pytest.fixture
def seen(monkeypatch):
    """Record what is computed, in its order."""
    order = []

    def leaf(value):
        order.append(value)
        return value

    def total(parts):
        order.append(sum(parts))
        return sum(parts)

    monkeypatch.setitem(FUNCTIONS, LEAF.name, leaf)
    monkeypatch.setitem(FUNCTIONS, SUM.name, total)
    return order


def test_every_kind_of_a_plan_has_a_function():
    assert run
    kinds = {kind.name for kind in vars(nodes).values() if isinstance(kind, Kind)}
    assert kinds == set(FUNCTIONS) - {LEAF.name, SUM.name, FAR.name}


def test_a_kind_has_one_function():
    with pytest.raises(ValueError, match="computed already"):
        computes(nodes.FIT)(lambda: None)


def test_equal_nodes_are_one_and_the_key_covers_kind_inputs_and_parts():
    graph = Graph()
    one = graph.add(LEAF, {}, {"value": 1}, 1)
    assert graph.add(LEAF, {}, {"value": 1}, 1) == one
    others = {graph.add(LEAF, {}, {"value": 2}, 2), graph.add(SUM, {"parts": [one]})}
    assert graph.add(SUM, {"parts": [one, one]}) not in {one, *others}
    assert len(graph.nodes) == 4


def test_only_what_a_target_needs_is_computed_branch_by_branch(seen):
    graph = Graph()
    leaves = [graph.add(LEAF, {}, {"value": n}, n) for n in range(1, 6)]
    first = graph.add(SUM, {"parts": leaves[:2]})
    second = graph.add(SUM, {"parts": leaves[2:4]})
    end = graph.add(SUM, {"parts": [first, second]})
    assert walk(graph, [end], {}, Here()) == {end: 10}
    assert seen == [1, 2, 3, 3, 4, 7, 10]


def test_a_known_value_needs_none_of_its_inputs(seen):
    graph = Graph()
    leaf = graph.add(LEAF, {}, {"value": 1}, 1)
    middle = graph.add(SUM, {"parts": [leaf]})
    end = graph.add(SUM, {"parts": [middle, middle]})
    assert walk(graph, [end, middle], {middle: 20}, Here()) == {end: 40, middle: 20}
    assert seen == [40]


def test_a_value_is_dropped_once_it_is_read(seen, monkeypatch):
    alive = []

    class Value(int):
        def __del__(self):
            alive.remove(int(self))

    def leaf(value):
        assert len(alive) <= 2, "those of one branch, and no other"
        alive.append(value)
        return Value(value)

    monkeypatch.setitem(FUNCTIONS, LEAF.name, leaf)
    graph = Graph()
    ends = [
        graph.add(SUM, {"parts": [graph.add(LEAF, {}, {"value": n}, n) for n in (k, k + 100)]})
        for k in range(1, 20)
    ]
    walk(graph, [graph.add(SUM, {"parts": ends})], {}, Here())
    assert alive == []


def test_remote_nodes_go_to_the_backend_once_their_inputs_are_known(seen):
    graph, backend = Graph(), Here()
    early = [graph.add(FAR, {}, {}, n) for n in range(2)]
    late = graph.add(FAR, {"parts": [graph.add(SUM, {"parts": early})]})
    told = graph.add(FAR, {"parts": early}, {"known": True}, "told")
    assert walk(graph, [late, told], {}, backend) == {late: 2, told: "known already"}
    assert backend.begun[:2] == early
    assert set(backend.begun[2:]) == {late, told}
