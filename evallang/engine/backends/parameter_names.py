"""The names of the parameters of scikit-learn's classes, read once for each class.

scikit-learn reads the signature of a class whenever it copies an instance, sets its parameters or
checks them: four times for each tree of a forest, a sixth of the time of a forest on a few
hundred rows.
"""

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

NAME = "_get_param_names"


def read_names_once() -> None:
    """Keep the names of the parameters of each class of estimators in this worker or server.

    Other versions of scikit-learn may read them in another way; then nothing is changed.
    """
    base = sys.modules.get("sklearn.base")
    usual = vars(base.BaseEstimator).get(NAME) if base is not None else None
    if isinstance(usual, classmethod) and not isinstance(usual, _Remembered):
        setattr(base.BaseEstimator, NAME, _Remembered(usual.__func__))  # type: ignore[union-attr]


class _Remembered(classmethod):  # type: ignore[type-arg]
    """A class method whose answer is kept for each class, as long as its `__init__` is the same."""

    def __init__(self, read: Callable[[Any], list[str]]) -> None:
        known: WeakKeyDictionary[type, tuple[Any, list[str]]] = WeakKeyDictionary()

        def names(cls: type) -> list[str]:
            start = cls.__init__  # type: ignore[misc]
            found = known.get(cls)
            if found is None or found[0] is not start:
                found = known[cls] = (start, read(cls))
            return list(found[1])

        super().__init__(names)
