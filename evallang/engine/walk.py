"""The walk of an execution graph: back from its targets, then forward, each node once.

It knows nothing of what nodes compute: a kind has one function, which gets the values that its
node reads and what else it is given, and whatever it needs of the run besides.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from evallang.activity import Activity, report_activity
from evallang.planning.nodes import Graph, Kind, Node

Function = TypeVar("Function", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""What computes the nodes of each kind, by its name."""


def computes(kind: Kind) -> Callable[[Function], Function]:
    """Register the decorated function for a kind; raise `ValueError` where there is one."""

    def decorate(function: Function) -> Function:
        if kind.name in FUNCTIONS:
            raise ValueError(f"nodes of the kind {kind.name} are computed already")
        FUNCTIONS[kind.name] = function
        return function

    return decorate


class Ready(Struct, frozen=True):
    """A value that is known before a worker is asked for it."""

    value: Any


class Backend(Protocol):
    """Where nodes of remote kinds are computed."""

    def add(self, node: Node, arguments: Mapping[str, Any]) -> Ready | None:
        """Begin to compute a node; return its value where that is known already."""
        ...

    def finished(self) -> Iterable[tuple[str, Any]]:
        """Iterate over keys and values as they come, until nothing that was added is left."""
        ...


def walk(
    graph: Graph,
    targets: Iterable[str],
    known: Mapping[str, Any],
    backend: Backend,
    within: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> dict[str, Any]:
    """Compute the targets of a graph and return their values by key.

    A `known` value needs none of the nodes that it was computed from. Nodes are computed in
    post-order, those that are not left to the backend `within` a context, and a value is dropped
    when the last node that reads it is done.
    """
    return _Walk(graph, tuple(targets), known, backend, within).values_of_targets()


class _Walk:
    def __init__(
        self,
        graph: Graph,
        targets: tuple[str, ...],
        known: Mapping[str, Any],
        backend: Backend,
        within: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self._graph, self._targets, self._backend = graph, targets, backend
        self._known, self._values, self._within = known, dict[str, Any](), within
        order = list(graph.ancestors(targets, known))
        self._place = {key: place for place, key in enumerate(order)}
        self._undone = len(order)
        self._light: list[tuple[int, str]] = []
        self._heavy: list[tuple[int, str]] = []
        self._readers: dict[str, list[str]] = {key: [] for key in order}
        self._waits: dict[str, int] = {}
        self._left = Counter(targets)
        for key in order:
            reads = self._reads(key)
            self._waits[key] = len(reads)
            self._left.update(reads)
            for read in reads:
                self._readers[read].append(key)
        self._total = Counter(graph.nodes[key].kind.name for key in order if key not in known)
        self._begun: Counter[str] = Counter()

    def values_of_targets(self) -> dict[str, Any]:
        for key in [key for key, waits in self._waits.items() if not waits]:
            self._begin(key)
        while self._undone:
            self._compute(self._light)
            for key, value in self._backend.finished():
                self._finish(key, value)
                self._compute(self._light)
            self._compute(self._heavy)
        return {key: self._values[key] for key in self._targets}

    def _reads(self, key: str) -> tuple[str, ...]:
        return () if key in self._known else tuple(dict.fromkeys(self._graph.nodes[key].reads))

    def _begin(self, key: str) -> None:
        """Take up a node whose inputs are all known."""
        node = self._graph.nodes[key]
        if key in self._known:
            self._finish(key, self._known[key])
        elif node.kind.remote:
            found = self._backend.add(node, self._arguments(node))
            if found is not None:
                self._finish(key, found.value)
        else:
            heapq.heappush(self._light if node.kind.light else self._heavy, (self._place[key], key))

    def _compute(self, ready: list[tuple[int, str]]) -> None:
        """Compute the nodes that are ready, and those that become so, the light ones first."""
        while ready:
            _, key = heapq.heappop(self._light or ready)
            node = self._graph.nodes[key]
            self._tell(node)
            with self._within():
                value = FUNCTIONS[node.kind.name](**self._arguments(node))
            self._finish(key, value)

    def _tell(self, node: Node) -> None:
        """Report what is computed, and how far its kind is."""
        name = node.kind.name
        self._begun[name] += 1
        if node.title:
            total = self._total[name]
            report_activity(Activity("computing", node.title, self._begun[name], total))

    def _arguments(self, node: Node) -> dict[str, Any]:
        found = {
            name: self._values[keys]
            if isinstance(keys, str)
            else tuple(self._values[key] for key in keys)
            for name, keys in node.inputs.items()
        }
        return {**found, **node.given}

    def _finish(self, key: str, value: Any) -> None:
        """Keep a value while it is read, and take up the nodes that waited for it alone."""
        self._values[key] = value
        self._undone -= 1
        for read in self._reads(key):
            self._left[read] -= 1
            if not self._left[read]:
                del self._values[read]
        for reader in self._readers[key]:
            self._waits[reader] -= 1
            if not self._waits[reader]:
                self._begin(reader)
