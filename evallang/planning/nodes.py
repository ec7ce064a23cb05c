"""What an execution graph consists of: nodes, each computed by its kind from those before it."""

from collections.abc import Container, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct, field

from evallang.planning.seeds import canonical_json


class Kind(Struct, frozen=True):
    """What nodes of one kind have in common; the engine has the function that computes them.

    `word` is what a plan calls them, None for those that it folds into what reads them. Nodes of
    a `remote` kind are computed by workers, where there are some, and `light` ones as soon as
    they can be, also while workers are busy.
    """

    name: str
    word: str | None = None
    remote: bool = False
    light: bool = False


STUDY = Kind("study", light=True)
SOURCE = Kind("source", light=True)
SPLITS = Kind("splits", light=True)
FIT = Kind("fit", word="fit", remote=True)
SCORES = Kind("scores", remote=True)
TEST_ROWS = Kind("test rows", light=True)
OUTCOME = Kind("outcome", light=True)
STORED_OUTCOME = Kind("stored outcome", light=True)
EVIDENCE = Kind("evidence", light=True)
GIVEN_EVIDENCE = Kind("given evidence", light=True)
SCORE_EVIDENCE = Kind("score evidence", light=True)
AVERAGED = Kind("averaged evidence")
METRIC = Kind("metric")
MEASURED = Kind("measured", light=True)
ESTIMATE = Kind("estimate", word="estimate")
SUBGROUPS = Kind("subgroups", word="estimate")
TESTS = Kind("tests", word="compare")
FAMILY = Kind("family")
REQUIREMENT = Kind("requirement")
CHOICE = Kind("choice")
DRAWN = Kind("drawn outcomes")
EXPORT = Kind("export", word="export", remote=True)
EXPORTED = Kind("exported")
LINE_ANALYSIS = Kind("analysis of lines", word="analyze")
DECISION_ANALYSIS = Kind("analysis of decisions", word="analyze")
ESTIMATE_ANALYSIS = Kind("analysis of estimates", word="analyze")
PAIR_ANALYSIS = Kind("analysis of pairs", word="analyze")
MODEL_ANALYSIS = Kind("analysis of models", word="analyze")
METRIC_FAILURES = Kind("metric failures")
NEVER_PREDICTED = Kind("never predicted")
FINDINGS = Kind("findings")
RESULTS = Kind("results", word="report")


class At(Struct, frozen=True):
    """What a node is about, in the words of a plan; no part of its key."""

    data: str | None = None
    protocol: str | None = None
    model: str | None = None
    repeat: int | None = None
    fold: int | None = None


class Node(Struct, frozen=True):
    """One step: its kind, the nodes that it reads, and what else its kind is given.

    `inputs` are the keys of nodes by the names of the kind's arguments, alone or several;
    `given` are further arguments, which `key` covers too. `title` is what progress says,
    and `models` are those of its inputs that it is about, where it is not about all.
    """

    key: str
    kind: Kind
    inputs: Mapping[str, str | tuple[str, ...]]
    given: Mapping[str, Any]
    at: At = At()
    title: str = ""
    n_fits: int = 0
    models: tuple[str, ...] = ()

    @property
    def reads(self) -> Iterator[str]:
        """The keys of all inputs."""
        for found in self.inputs.values():
            yield from (found,) if isinstance(found, str) else found


class Graph(Struct, frozen=True):
    """Nodes by their keys, each after those that it reads; equal ones are one.

    `ends` are the keys of those that a run is for.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)

    def of_kind(self, kind: Kind) -> dict[str, Node]:
        """Return the nodes of a kind."""
        return {key: node for key, node in self.nodes.items() if node.kind == kind}

    def ancestors(self, targets: Iterable[str], known: Container[str] = ()) -> dict[str, Node]:
        """Return the nodes that targets need, each after those that it reads.

        Nodes that are `known` need no others.
        """
        order: dict[str, Node] = {}
        stack = [(key, False) for key in reversed(tuple(targets))]
        while stack:
            key, read = stack.pop()
            if read:
                order.setdefault(key, self.nodes[key])
            elif key not in order:
                stack.append((key, True))
                if key not in known:
                    stack += [(one, False) for one in reversed(tuple(self.nodes[key].reads))]
        return order

    def add(
        self,
        kind: Kind,
        inputs: Mapping[str, str | Iterable[str]],
        given: Mapping[str, Any] | None = None,
        *parts: Any,
        key: str | None = None,
        at: At | None = None,
        title: str = "",
        n_fits: int = 0,
        models: Iterable[str] = (),
    ) -> str:
        """Add a node, unless there is an equal one; return its key.

        The key hashes kind, inputs and `parts`, which tell `given` apart from what other nodes of
        the kind are given; planned values come with a `key` of their content.
        """
        read = {
            name: found if isinstance(found, str) else tuple(found)
            for name, found in inputs.items()
        }
        if key is None:
            content = canonical_json([kind.name, read, list(parts)])
            key = sha256(content.encode("ascii")).hexdigest()
        if key not in self.nodes:
            self.nodes[key] = Node(
                key, kind, read, given or {}, at or At(), title, n_fits, tuple(models)
            )
        return key
