"""The data sets that come with scikit-learn."""

import numpy as np
import polars as pl

from evallang.data.frame import Frame, frame_of

TARGET = "target"  # what scikit-learn calls it in its frames


def read_bundled(name: str) -> Frame:
    """Return a data set that comes with scikit-learn, with the names of its classes.

    The target is called `target`. Digits keep their integer labels; diabetes is centred and scaled
    as `load_diabetes()` gives it.
    """
    from sklearn import datasets

    if name == "diabetes":
        found = datasets.load_diabetes(scaled=False)
        raw = found.data
        values = (raw - raw.mean(axis=0)) / raw.std(axis=0) / len(raw) ** 0.5
    else:
        found = getattr(datasets, f"load_{name}")()
        values = found.data
    target = found.target
    if name not in ("diabetes", "digits"):
        target = np.asarray(found.target_names)[target]
    columns = dict(zip(map(str, found.feature_names), values.T, strict=True))
    cells = pl.DataFrame(columns).with_columns(pl.Series(TARGET, target.tolist()))
    return frame_of(f"sklearn {name}", cells, untyped=False)
