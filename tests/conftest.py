"""No test depends on a clock: a loaded machine draws the same examples, only later."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "without_clock", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without_clock")
