"""How many examples there are, and on how many two models differ: from counts, or from data.

The rules about what no outcome could show ask here. Before data are read the counts that a
study writes are known; afterwards those of all its sources.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from evallang.data.dataset import CountsSpec, GivenOutcomes
from evallang.stats.correctness import count_columns, count_patterns
from evallang.study import Study

MOST_COUNTED = 10**9
"""Counts beyond are taken as this many: nothing here depends on more."""


class Examples(Struct, frozen=True):
    """The tested examples of one source: how many, and on how many each pair differs.

    `discordant` maps a pair (in one order) to the examples on which just one of the two is
    right; a pair that is not in it may differ on all. `samples` are the examples of each
    model where they are its own, so that nothing is known of pairs.
    """

    source: str
    n: int
    discordant: Mapping[tuple[str, str], int]
    samples: Mapping[str, int] = field(default_factory=dict)

    def of(self, model: str) -> int:
        """Return the number of examples that a model was tested on."""
        return self.samples.get(model, self.n)

    def differ(self, first: str, second: str) -> int | None:
        """Return the number of examples that tell two models apart, None where unknown."""
        known = self.discordant
        return known.get((first, second), known.get((second, first)))


def counted(study: Study) -> tuple[Examples, ...]:
    """Return what the counts written in a study say."""
    found = []
    for source in study.sources:
        if isinstance(source, CountsSpec) and source.shares:
            sizes = {m.name: n for m, (_, n) in zip(source.models, source.shares, strict=True)}
            found.append(Examples(source.name, sum(sizes.values()), {}, sizes))
            continue
        if not isinstance(source, CountsSpec) or source.path is not None or not source.patterns:
            continue
        names = [model.name for model in source.models]
        sound = [(p, c) for p, c in source.patterns if len(p) == len(names)]
        differ: dict[tuple[str, str], int] = {}
        for i, first in enumerate(names):
            for j in range(i + 1, len(names)):
                apart = sum(count for pattern, count in sound if pattern[i] != pattern[j])
                differ[first, names[j]] = min(apart, MOST_COUNTED)
        n = min(sum(count for _, count in sound), MOST_COUNTED)
        if n:  # of none there is nothing to say but that
            found.append(Examples(source.name, n, differ))
    return tuple(found)


def count_examples(given: "GivenOutcomes") -> Examples:
    """Count the examples of predictions or judged outcomes, and where pairs differ."""
    if given.samples is not None:
        return Examples(given.spec.name, given.n, {}, given.samples)
    said: Mapping[str, NDArray[Any]] = given.correct or {}
    truth: NDArray[Any] | None = np.array(True)  # against which what is judged is compared
    if not said and given.task == "classification":
        said, truth = given.predictions, given.truth
    if truth is None or not said:
        return Examples(given.spec.name, given.n, {})
    if given.times is None:
        columns = list(said.values())
        counts = count_columns(np.broadcast_to(truth, len(columns[0])), columns)
    else:  # of the distinct rows of parts that were counted
        right = np.column_stack([labels == truth for labels in said.values()])
        counts = count_patterns(right, given.times)
    differ = {}
    for (i, first), (j, second) in combinations(enumerate(said), 2):
        (_, b), (c, _) = counts.pair(i, j)
        differ[first, second] = b + c
    return Examples(given.spec.name, given.n, differ)
