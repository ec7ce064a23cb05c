"""Settings of the property tests of this room."""

from hypothesis import settings

# No test asserts on a clock: a busy machine must not turn a property into a failure
settings.register_profile("evallang", settings.get_profile("without_clock"), max_examples=50)
settings.load_profile("evallang")
