"""Write the member table of the package: `python -m evallang.manual.member_table`."""

import sys
from pathlib import Path
from typing import Any

from evallang.member_table import write
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Registry
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

SAVED: tuple[Registry[Any], ...] = (
    METRICS,
    PROTOCOLS,
    HYPOTHESIS_TESTS,
    INTERVALS,
    CORRECTIONS,
    EFFECT_SIZES,
    ANALYSES,
)
"""The registries that a check reads."""


def write_members() -> Path:
    """Write the members of these registries, with the checksums of what they import."""
    members = {registry.package: tuple(registry.saved()) for registry in SAVED}
    return write(members, [name for name in sys.modules if name.startswith("evallang.")])


if __name__ == "__main__":
    print(write_members())
