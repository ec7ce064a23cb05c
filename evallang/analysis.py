"""What an analysis declares, and the fits that it asks for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.diagnostics import Code
from evallang.protocols.protocol import Rows, Split
from evallang.registry import Guidance, Registry
from evallang.results.provenance import CurveWords
from evallang.stats.score_curves import Curve, Predicted
from evallang.study import AnalysisSpec, Protocol, Study


class Subset(Struct, frozen=True):
    """One part of the training part of a split; `split` has the rows that are left of it.

    `times` counts how often parts were drawn, and `size` the sizes of parts, from 0. With a
    `target_of` the whole training part is kept, and the target of each row is that of the row with
    this number; `rows` are then what a search divides.
    """

    times: int
    size: int
    split: Split
    target_of: NDArray[np.int64] | None = None
    rows: Rows | None = None


Problem = tuple[Code, str, str]
"""The code of a finding, its message, and what to write instead."""


class Fits(Struct, frozen=True):
    """The fits of its own that an analysis asks for.

    Attributes
    ----------
    draw : returns the parts on which models are fitted, from the splits of a protocol; raises
        `CannotSplit` where there are none
    words : what they are, for the manual
    part : what each is fitted on, for a refusal
    size : returns the option that states how large the parts are
    protocol : the protocol that draws them from the rows of the data, whatever those of the study
    training : True where the predictions of the training rows are wanted too
    exchanging : True where rows exchange their targets, which counts each of them once; a model is
        then answered for with the fits of all models of its line
    """

    draw: Callable[[Study, Table, Protocol, Rows, Sequence[Split], AnalysisSpec], Sequence[Subset]]
    words: str
    part: str = "a training part"
    size: Callable[[AnalysisSpec], str] | None = None
    protocol: Callable[[Study, AnalysisSpec], Protocol] | None = None
    training: bool = False
    exchanging: bool = False


class AnalysisDeclaration(Guidance, frozen=True):
    """What an analysis is about.

    Attributes
    ----------
    about : `lines` where it is about the `compare` lines of a study, and `decisions` where it
        decides them again; `estimates` where it reads the estimates of a study, once for each data
        set under a protocol; `pairs` where it reads the tests of all pairs of models, on each data
        set or on their average; `model` where it is computed for each model from its held-out
        predictions; `models` where it is computed once from those of all models of a data set
        under a protocol
    task : the task of the data that it is for, None for any; lines have no task
    by_metric : True where a metric may be written after `by`, by default the first measure
    of_fitted : True where it is about models that are fitted; else imported predictions will do
    fits : further fits that it asks for
    several_seeds : True where the protocol must repeat every fit with several seeds
    seeds_of_draws : True where it must, if a model draws at random
    directed : True where the metric must be better when higher, or when lower
    mean_metric : True where the metric must be a mean over examples
    objection : returns what is wrong with options that were written together, or None
    judge : finds what is wrong with a line of a study without its data, for an analysis that
        reads no predictions
    needs : what a model must give: predictions of a kind, or `searches` for hyper-parameters, of
        which only the models with a search have any
    fewest_folds : the number of splits without which it has no values
    by_class : True where it is about a positive and a negative class; of three classes or more
        it is answered for each against the rest
    macro : how it averages the curves of these, None where no mean of them has a meaning
    recorded : the options whose values its record repeats
    shown : the record of the values that a report reads, whose types are checked when results
        are read; None where a report reads none
    curve : the words of its axes, for an analysis whose values are a `ShownCurve`
    command : True where a command of its own answers it without an `analyze` line
    """

    about: Literal["lines", "decisions", "estimates", "pairs", "model", "models"] = "model"
    task: Literal["classification", "regression"] | None = None
    needs: Literal["labels", "scores", "probabilities", "searches"] = "labels"
    fewest_folds: int = 1
    by_class: bool = False
    macro: Callable[[Sequence[Predicted]], Curve] | None = None
    recorded: tuple[str, ...] = ()
    shown: type | None = None
    curve: CurveWords | None = None
    command: bool = False
    by_metric: bool = False
    of_fitted: bool = False
    fits: Fits | None = None
    several_seeds: bool = False
    seeds_of_draws: bool = False
    mean_metric: bool = False
    directed: bool = False
    objection: Callable[[Mapping[str, Any]], Problem | None] = lambda options: None
    judge: Callable[[Study, AnalysisSpec], Iterable[Problem]] = lambda study, spec: ()

    @property
    def about_fitted(self) -> bool:
        """Whether it is about models that are fitted in the study."""
        return self.of_fitted or self.fits is not None

    @property
    def about_rows(self) -> bool:
        """Whether its fits are on rows of the data, whatever the protocols of the study."""
        return self.fits is not None and self.fits.protocol is not None


ABOUT_LINES = ("lines", "decisions")
"""What an analysis is about that is about the `compare` lines of a study."""

WITHOUT_PREDICTIONS = (*ABOUT_LINES, "estimates", "pairs")
"""What an analysis is about that reads no predictions."""

ANALYSES: Registry[AnalysisDeclaration] = Registry("analysis", "evallang.analyses")
"""All analyses, by canonical name."""


def options_of(spec: AnalysisSpec) -> Mapping[str, Any]:
    """Return all options of an analysis, those that are not written by default."""
    return {**ANALYSES[spec.method.name].defaults(), **spec.method.keywords()}
