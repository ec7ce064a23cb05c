"""Whether the input of scikit-learn is a data frame, answered at once for arrays.

Since 1.9 it asks narwhals at every check of an input, which for the short fits of a search is a
twentieth of the time.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

MODULE, NAME = "sklearn.utils.validation", "_nw_into_df_or_series"


@contextmanager
def known_arrays() -> Iterator[None]:
    """Answer for arrays at once, and for all else as usual; other versions may not ask."""
    names = vars(sys.modules[MODULE]) if MODULE in sys.modules else {}
    usual: Callable[[Any], bool] | None = names.get(NAME)
    if usual is None:
        yield
        return
    plain = (np.ndarray, np.memmap)

    def is_frame(given: Any) -> bool:
        return type(given) not in plain and usual(given)

    names[NAME] = is_frame
    try:
        yield
    finally:
        names[NAME] = usual
