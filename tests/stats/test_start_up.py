"""Reading the catalogues imports nothing heavy."""

import subprocess
import sys

SCRIPT = """
import sys
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
for registry in (CORRECTIONS, EFFECT_SIZES, HYPOTHESIS_TESTS, INTERVALS):
    assert registry.names()
print([name for name in ("numpy", "scipy", "sklearn") if name in sys.modules])
"""


def test_the_catalogues_are_read_without_numpy():
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


def test_methods_are_found_by_name():
    import evallang.stats as stats
    from evallang.stats import hypothesis_tests, intervals

    assert stats.holm([0.01, 0.02]) == (0.02, 0.02)
    assert stats.corrected_t is hypothesis_tests.corrected_t
    assert intervals.corrected_t is not hypothesis_tests.corrected_t
    for room in (stats, hypothesis_tests, intervals):
        assert not hasattr(room, "mcnemmar")
