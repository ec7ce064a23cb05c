"""Settings of the process that own code may change, and that the next fit would meet."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from evallang.working_folder import working_folder_restored


@contextmanager
def settings_restored() -> Iterator[None]:
    """Restore what decides how other models are fitted in this process.

    These are the current folder, the most recursion, how numpy treats errors of floating point,
    and scikit-learn's configuration. Of a package that is not loaded nothing can be kept.
    """
    with ExitStack() as kept:
        kept.enter_context(working_folder_restored())
        kept.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        if "numpy" in sys.modules:
            from numpy import errstate

            kept.enter_context(errstate())
        if "sklearn" in sys.modules:
            from sklearn import config_context

            kept.enter_context(config_context())
        yield
