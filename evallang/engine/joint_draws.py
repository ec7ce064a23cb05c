"""p-values of the pairs of a line on resamples, or swaps, that all pairs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.engine.test_inputs import ComparedModels, TestInputs, swapper
from evallang.stats.basics import Alternative
from evallang.stats.corrections.joint_corrections import drawn_p, studentized_p, swapped_p
from evallang.stats.draws import draw_together
from evallang.stats.hypothesis_tests.swapping import joint_swaps

ROUNDS = 10_000


class JointDraws(Struct, frozen=True):
    """The seed of joint resamples, and whether p is two-sided whatever the test asks."""

    seed: int
    two_sided: bool = False


def joint_p(pairs: Sequence[TestInputs], joint: JointDraws) -> NDArray[np.float64]:
    """Return p of a test of some pairs of one source on joint resamples (B, m).

    As many resamples are drawn as the test draws by itself, or 10,000.
    """
    if not pairs:
        return np.ones((1, 0))
    return _Joint(pairs, joint).p()


class _Joint:
    """The models of the pairs, and how the test is resampled."""

    def __init__(self, pairs: Sequence[TestInputs], joint: JointDraws) -> None:
        self._pairs, self._joint = pairs, joint
        self._first = pairs[0]
        names = dict.fromkeys(model for pair in pairs for model in pair.models)
        self._place: Mapping[str, int] = {name: i for i, name in enumerate(names)}
        options: Mapping[str, Any] = self._first.test.keywords()
        self._rounds = int(options.get("rounds", ROUNDS))

    def p(self) -> NDArray[np.float64]:
        """Draw and return p."""
        made = {"drawn": self._drawn, "swapped": self._swapped, "studentized": self._studentized}
        return made[self._first.needs.jointly]()

    @cached_property
    def _columns(self) -> list[tuple[int, int]]:
        return [(self._place[pair.models[0]], self._place[pair.models[1]]) for pair in self._pairs]

    @property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self._joint.seed)

    @property
    def _side(self) -> Alternative:
        written: Any = self._first.test.keywords().get("alternative", "two_sided")
        return "two_sided" if self._joint.two_sided else written

    def _alone(self, model: str) -> ComparedModels:
        return ComparedModels(self._first.evaluation, self._first.metric, (model,))

    def _drawn(self) -> NDArray[np.float64]:
        groups = self._first.make("groups")
        samples = [self._alone(model).weighted(0, groups) for model in self._place]
        draw_together(samples)
        values = np.column_stack([s.replicates(self._rng, self._rounds) for s in samples])
        first, second = (list(side) for side in zip(*self._columns, strict=True))
        return drawn_p(values[:, first] - values[:, second], self._side)

    def _studentized(self) -> NDArray[np.float64]:
        losses = np.column_stack([self._alone(model).losses(0) for model in self._place])
        groups, seed = self._first.make("groups"), self._joint.seed
        return studentized_p(losses, self._columns, groups, seed, self._rounds, self._side)

    def _swapped(self) -> NDArray[np.float64]:
        groups = self._first.make("groups")
        # With `by_row` no swapper is chosen that forgets which example is which
        swappers = [swapper(pair.compared, groups, by_row=True) for pair in self._pairs]
        drawn = joint_swaps(swappers, self._rng, self._rounds)
        observed = [pair.make("swapper").estimate() for pair in self._pairs]
        return swapped_p(drawn, self._side, observed, [pair.run().p for pair in self._pairs])
