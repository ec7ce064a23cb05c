"""How many examples all models predict alike: an analysis without a section of its own."""

import numpy as np
from msgspec import Struct

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite


class OfClass(Struct, frozen=True):
    """How many examples of one class all models have right."""

    truth: str
    all_right: int
    exists: bool


class Unanimity(Struct, frozen=True):
    """The number of examples, and the share of them that all models predict alike."""

    n: int
    share_alike: float
    classes_apart: tuple[OfClass, ...]


@ANALYSES.register(
    AnalysisDeclaration(
        about="models",
        when="models are meant to be combined",
        when_not="pairs are of interest: agreement",
        formula="the share of examples with the same prediction of all models",
    ),
    title="Unanimity",
    references=(cite("zhou2021"),),
)
def unanimity(together):
    """The share of examples that all models predict alike."""
    labels = np.array([one.labels for one in together.values()])
    given = next(iter(together.values()))
    right = (labels == given.truth).all(axis=0)
    apart = tuple(
        OfClass(name, int(right[given.truth == code].sum()), bool((given.truth == code).any()))
        for code, name in enumerate(given.classes)
    )
    return Unanimity(labels.shape[1], float((labels == labels[0]).all(axis=0).mean()), apart)
