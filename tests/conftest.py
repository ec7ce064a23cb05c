"""No test depends on a clock: a loaded machine draws the same examples, only later.

Modules with slow tests come first, so that no process works at one while the others are done.
Linear algebra has one thread in each process of the tests, and what it likes in those they start.
"""

import os

import numpy
import scipy.linalg
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

assert numpy and scipy.linalg  # loaded before their threads can be limited
threadpool_limits(1, user_api="blas")


settings.register_profile(
    "without_clock", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without_clock")

os.environ["EVALLANG_STORE"] = "off"  # a test that runs a study twice means to fit twice


def pytest_collection_modifyitems(items):
    """Move the modules that hold a slow test to the front."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
