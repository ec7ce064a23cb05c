"""After a run: models that order the test rows no better than chance, whatever they learned."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.engine.evaluation import Evaluation, ModelOutcome
from evallang.models.model import is_baseline
from evallang.reporting.numbers import bounded
from evallang.stats.skill import rank_correlation, skill_of_classes
from evallang.study import Study

ABOVE_CHANCE = 1.0
"""Standard errors above chance up to which a model counts as no better than chance.

A model without information stays below in 84 % of studies; one whose study had a power of 80 % to
show that it is better than chance, at .05 on one side, stays below in 7 %.
`benchmarks/chance_models.py` measures both in simulations.
"""
FAR = {"classification": 0.25, "regression": 0.5}
"""A gap between training and test score: half of the way from chance to a perfect order."""
CHANCE = {"classification": 0.5, "regression": 0.0}
FEWEST_ROWS, FEWEST_OF_A_CLASS = 20, 5
"""Tested rows, or groups, below which a standard error is not one."""


def models_without_skill(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Diagnostic]:
    """Report each fitted model that is no better than chance on the test rows.

    One that orders its training rows far better learned what does not hold for other rows, and has
    a code of its own.
    """
    for evaluation in evaluations:
        if evaluation.design is None or evaluation.judged or evaluation.on_training_rows:
            continue
        for model in study.models:
            found = evaluation.models.get(model.name)
            if found is None or not found.fitted or found.failed or is_baseline(model):
                continue
            tested = _tested(evaluation, found)
            if tested is None or tested[1] >= ABOVE_CHANCE:
                continue
            value, _, error = tested
            trained = _trained(found)
            noun = _noun(evaluation)
            chance = "0" if _of_ranks(evaluation) else ".5"
            on_test = (
                f"{bounded(value, 2)} (standard error {bounded(error, 2)}) on test rows, where "
                f"chance gives {chance}"
            )
            notes = (f"on `{evaluation.source}`",) if len(study.sources) > 1 else ()
            if trained is not None and trained - value >= FAR[evaluation.task]:
                yield diagnose(
                    codes.training_score_far_above_test_score,
                    f"`{model.name}` predicts its training rows, and others no better than "
                    f"chance: {noun} of {bounded(trained, 2)} on training rows and {on_test}",
                    model.span,
                    path=study.path,
                    help="write a simpler or more regularised model, or report that these "
                    "features do not predict the target",
                    notes=notes,
                )
                continue
            also = "" if trained is None else f"{bounded(trained, 2)} on training rows and "
            yield diagnose(
                codes.no_better_than_chance,
                f"`{model.name}` predicts no better than chance: {noun} of {also}{on_test}",
                model.span,
                path=study.path,
                help="scale the features, write a more flexible model, or report that these "
                "features do not predict the target",
                notes=notes,
            )


def _of_ranks(evaluation: Evaluation) -> bool:
    return evaluation.task == "regression"


def _noun(evaluation: Evaluation) -> str:
    if _of_ranks(evaluation):
        return "a rank correlation"
    several = len(evaluation.classes) > 2
    return "a mean area under the ROC curve" if several else "an area under the ROC curve"


def _trained(found: ModelOutcome) -> float | None:
    """Return the mean score of the fits on their training rows, None where it is unknown."""
    scores = [one.outcome.training_score for one in found.fitted if one.fold >= 0]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known and len(known) == len(scores) else None


def _tested(evaluation: Evaluation, found: ModelOutcome) -> tuple[float, float, float] | None:
    """Return the score on the test rows, how many standard errors it is above chance, and these.

    Rows are compared inside each fold, because scores of different fits need not be comparable,
    and over all folds, because a model may tell what the folds differ in; the better one counts.
    """
    kept = found.fold >= 0  # not the fit on all rows that precedes a bootstrap
    rows, truth, labels = found.rows[kept], found.truth[kept], found.labels[kept]
    if not len(rows):
        return None
    scores = None if found.scores is None else found.scores[kept]
    coded = evaluation.group_codes
    unit = np.unique(rows if coded is None else coded[rows], return_inverse=True)[1]
    if int(unit.max()) + 1 < FEWEST_ROWS or not _enough(evaluation, rows, truth):
        return None
    folds = found.repeat[kept] * (int(found.fold.max()) + 1) + found.fold[kept]
    return above_chance(
        truth,
        labels,
        scores,
        (folds, found.repeat[kept]),
        unit,
        n_classes=None if _of_ranks(evaluation) else len(evaluation.classes),
        positive=1 if evaluation.positive is None else evaluation.positive,
        enough=ABOVE_CHANCE,
    )


def above_chance(
    truth: "NDArray[Any]",
    labels: "NDArray[Any]",
    scores: "NDArray[np.float64] | None",
    ways: "Sequence[NDArray[np.int64]]",
    unit: "NDArray[np.int64]",
    *,
    n_classes: int | None,
    positive: int = 1,
    enough: float = float("inf"),
) -> tuple[float, float, float] | None:
    """Return the score that is the most standard errors above chance, these, and one of them.

    Each of the `ways` divides the rows (n,) into parts inside which they are compared, until a
    score is `enough` errors above chance; `n_classes` is None for a regression.
    """
    best: tuple[float, float, float] | None = None
    for part in ways:
        if n_classes is None:
            skill = rank_correlation(truth, labels, part)
        else:
            skill = skill_of_classes(
                truth, labels, scores, part, n_classes=n_classes, positive=positive
            )
        if skill is None:
            continue
        above = skill.value - CHANCE["regression" if n_classes is None else "classification"]
        error = skill.standard_error(unit)
        z = above / error if error > 0 else float("inf") if above > 0 else 0.0
        if best is None or z > best[1]:
            best = skill.value, z, error
            if z >= enough:
                break
    return best


def _enough(evaluation: Evaluation, rows: "NDArray[np.int64]", truth: "NDArray[np.int64]") -> bool:
    if _of_ranks(evaluation):
        return True
    once = np.full(int(rows.max()) + 1, -1)
    once[rows] = truth
    each = np.bincount(once[once >= 0])
    return int(np.count_nonzero(each >= FEWEST_OF_A_CLASS)) >= 2
