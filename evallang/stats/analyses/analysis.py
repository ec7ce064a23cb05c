"""What an analysis of models declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from evallang.registry import Guidance, Registry
from evallang.results.provenance import CurveWords
from evallang.stats.score_curves import Curve, Predicted


class AnalysisDeclaration(Guidance, frozen=True):
    """What an analysis is about.

    Attributes
    ----------
    about : `lines` where it is about the `compare` lines of a study, and `decisions` where it
        decides them again; `model` where it is computed for each model from its held-out
        predictions; `models` where it is computed once from those of all models of a data set
        under a protocol
    task : the task of the data that it is for, None for any; lines have no task
    by_metric : True where a metric may be written after `by`, by default the first measure
    fits : the fits that it is about: those of a `protocol`, or further ones on `subsets` of each
        training part, in bootstrap `rounds`, or those of a protocol again with `shuffled` targets;
        None where imported predictions will do
    resampled : the protocol that draws the rounds
    several_seeds : True where the protocol must repeat every fit with several seeds
    seeds_of_draws : True where it must, if a model draws at random
    directed : True where the metric must be better when higher, or when lower
    mean_metric : True where the metric must be a mean over examples
    objection : returns what is wrong with options that were written together, and what to write
        instead, or None
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
    section : the section of a report that shows it, None where that knows it by its values
    """

    about: Literal["lines", "decisions", "model", "models"] = "model"
    task: Literal["classification", "regression"] | None = None
    needs: Literal["labels", "scores", "probabilities", "searches"] = "labels"
    fewest_folds: int = 1
    by_class: bool = False
    macro: Callable[[Sequence[Predicted]], Curve] | None = None
    recorded: tuple[str, ...] = ()
    shown: type | None = None
    curve: CurveWords | None = None
    section: str | None = None
    command: bool = False
    by_metric: bool = False
    fits: Literal["protocol", "subsets", "rounds", "shuffled"] | None = None
    resampled: str = ""
    several_seeds: bool = False
    seeds_of_draws: bool = False
    mean_metric: bool = False
    directed: bool = False
    objection: Callable[[Mapping[str, Any]], tuple[str, str] | None] = lambda options: None


ABOUT_LINES = ("lines", "decisions")
"""What an analysis is about that is about the `compare` lines of a study."""

ANALYSES: Registry[AnalysisDeclaration] = Registry("analysis", "evallang.stats.analyses")
"""All analyses, by canonical name."""
