"""Providers: for each declared input the one function that makes it for a subject.

A function is registered for the name of an input. Where an input may rest on several kinds of
evidence that are made in different ways, each has a function of its own, and the first kind that
the method declares decides.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from evallang.registry import Evidence
from evallang.stats.inputs import INPUTS, Subject

Context = TypeVar("Context")
Provided = TypeVar("Provided")


class Providers(Generic[Context]):
    """The functions that make the inputs of one subject, each from the same context."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._made: dict[str, list[tuple[Evidence | None, Callable[[Context], Any]]]] = {}

    def provides(
        self, name: str, evidence: Evidence | None = None
    ) -> Callable[[Callable[[Context], Provided]], Callable[[Context], Provided]]:
        """Register the decorated function for an input, or for one kind of its evidence.

        Raises `ValueError` where the input is not declared or has a provider already.
        """

        def decorate(function: Callable[[Context], Provided]) -> Callable[[Context], Provided]:
            declared = INPUTS.of(self.subject).get(name)
            if declared is None or (evidence is not None and evidence not in declared.evidence):
                raise ValueError(f"the input {name} of a {self.subject} is not declared")
            known = self._made.setdefault(name, [])
            if any(other in (None, evidence) or evidence is None for other, _ in known):
                raise ValueError(f"the input {name} of a {self.subject} has a provider already")
            known.append((evidence, function))
            return function

        return decorate

    def provide(
        self, evidence: Evidence | None = None, **functions: Callable[[Context], Any]
    ) -> None:
        """Register functions of one line by the names of their inputs."""
        for name, function in functions.items():
            self.provides(name, evidence)(function)

    def names(self) -> frozenset[str]:
        """Return the names of the inputs that can be made."""
        return frozenset(self._made)

    def make(self, name: str, context: Context, needs: Iterable[Evidence] = ()) -> Any:
        """Make one input; `needs` is the evidence that the method declares."""
        taken = frozenset(needs)
        for evidence, function in self._made[name]:
            if evidence is None or evidence in taken:
                return function(context)
        raise ValueError(f"`{name}` is not made from {', '.join(sorted(taken))}")
