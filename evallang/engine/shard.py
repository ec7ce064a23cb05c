"""A share of the tasks of a study, which one of several runs makes for a store that they share."""

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from msgspec import Struct

Value = TypeVar("Value")


class Shard(Struct, frozen=True):
    """Share `number` of `of`, counted from 1."""

    number: int
    of: int

    def share(self, tasks: Mapping[str, Value]) -> dict[str, Value]:
        """Return every `of`-th task, so that costly models are spread over all shares."""
        return dict(islice(tasks.items(), self.number - 1, None, self.of))
