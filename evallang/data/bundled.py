"""The data sets that come with scikit-learn, read from its files.

Its own loaders give the same, but importing them takes a second, longer than all else that a
study does whose fits are in the store.
"""

import gzip
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.frame import Frame, frame_of

TARGET = "target"  # what scikit-learn calls it in its frames

_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity"),
    *("concave points", "symmetry", "fractal dimension"),
)
FEATURES: dict[str, tuple[str, ...]] = {
    "breast_cancer": (
        *(f"mean {name}" for name in _MEASURES),
        *(f"{name} error" for name in _MEASURES),
        *(f"worst {name}" for name in _MEASURES),
    ),
    "diabetes": ("age", "sex", "bmi", "bp", *(f"s{i}" for i in range(1, 7))),
    "digits": tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
    "iris": (
        *("sepal length (cm)", "sepal width (cm)"),
        *("petal length (cm)", "petal width (cm)"),
    ),
    "wine": (
        *("alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols"),
        *("flavanoids", "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue"),
        *("od280/od315_of_diluted_wines", "proline"),
    ),
}
"""The columns, which the files do not name."""


def read_bundled(name: str) -> Frame:
    """Return a data set that comes with scikit-learn, with the names of its classes.

    The target is called `target`. Digits keep their integer labels; diabetes is as
    `load_diabetes()` gives it, centred and scaled.
    """
    read = {"diabetes": _diabetes, "digits": _digits}.get(name)
    values, target = _named_classes(name) if read is None else read()
    columns = dict(zip(FEATURES[name], values.T, strict=True))
    cells = pl.DataFrame(columns).with_columns(pl.Series(TARGET, target))
    return frame_of(f"sklearn {name}", cells, untyped=False)


def _named_classes(name: str) -> "tuple[NDArray[np.float64], list[str]]":
    """Read a file whose first line gives rows, columns and classes, and whose last column them."""
    text = _content("wine_data.csv" if name == "wine" else f"{name}.csv")
    classes = text.splitlines()[0].decode().split(",")[2:]
    values = _numbers(text, first=1)
    return values[:, :-1], [classes[int(code)] for code in values[:, -1]]


def _digits() -> "tuple[NDArray[np.float64], NDArray[Any]]":
    values = _numbers(gzip.decompress(_content("digits.csv.gz")))
    return values[:, :-1], values[:, -1].astype(np.int64)


def _diabetes() -> "tuple[NDArray[np.float64], NDArray[Any]]":
    values = _numbers(gzip.decompress(_content("diabetes_data_raw.csv.gz")), separator=" ")
    target = _numbers(gzip.decompress(_content("diabetes_target.csv.gz")))[:, 0]
    return (values - values.mean(axis=0)) / values.std(axis=0) / len(values) ** 0.5, target


def _content(name: str) -> bytes:
    found = importlib.util.find_spec("sklearn")  # does not import it
    if found is None or found.origin is None:
        raise ModuleNotFoundError("scikit-learn is not installed")
    return (Path(found.origin).parent / "datasets" / "data" / name).read_bytes()


def _numbers(text: bytes, *, first: int = 0, separator: str = ",") -> "NDArray[np.float64]":
    """Parse lines of numbers from line `first` on (n, p), in rows one after the other."""
    width = text.splitlines()[first].count(separator.encode()) + 1
    cells = pl.read_csv(
        text,
        has_header=False,
        skip_rows=first,
        separator=separator,
        schema_overrides=[pl.Float64] * width,
    )
    return np.ascontiguousarray(cells.to_numpy())
