"""Reads the figures and data in `reference/`; each file says what made it."""

import csv
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "reference"


def figures(name):
    """Give the named figures of `from_r` or `from_python`."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8") as lines:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(lines)}


def columns(name):
    """Give the columns of a made-up data set by their names."""
    table = np.genfromtxt(FOLDER / f"{name}.csv", delimiter=",", names=True)
    return {column: table[column] for column in table.dtype.names}
