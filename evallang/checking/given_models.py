"""What the outputs of models that were computed elsewhere show: once read, before a run.

A model may order the examples the wrong way, give labels where scores are expected, give all
examples the same answer, make no error at all, or have been trained on the groups that it was
tested on.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.checking.rules.study_facts import metrics_of
from evallang.compatibility import metric_entry
from evallang.data.codes import (
    BELOW_CHANCE,
    CONSTANT_OUTPUTS,
    GROUPS_IN_SEVERAL_FOLDS,
    LABELS_AS_SCORES,
    PERFECT_PREDICTIONS,
    THRESHOLD_BELOW_ALL_SCORES,
)
from evallang.data.dataset import GivenModel, GivenOutcomes, PredictionsSpec
from evallang.data.findings import Findings, counted, written
from evallang.data.table_rules import is_rescaled
from evallang.diagnostics import Diagnostic
from evallang.limits import CLASSES_APART
from evallang.metrics.metric import Outcome, default_metric, evaluate
from evallang.reporting.numbers import bounded
from evallang.stats.distributions import normal_quantile
from evallang.stats.skill import Skill, rank_correlation, skill_of_classes
from evallang.study import Method, Study

FEWEST, FEWEST_OF_A_CLASS = 20, 5
"""Examples, or groups, below which an order says little."""
LEAST_PERFECT, LEAST_OF_A_CLASS = 50, 10  # in fewer, a good model makes no error by chance
PERFECT = 1 - 1e-12


class Order(Struct, frozen=True):
    """How far a model orders the examples as the truth does: `noun` names the scale.

    Without skill the value is `chance`; `fix` is what to do where it is the other way round.
    """

    skill: Skill
    chance: float
    noun: str
    subject: str
    fix: str


def judge_given_models(study: Study, source: GivenOutcomes) -> list[Diagnostic]:
    """Check the outputs of each model of one source against the truth."""
    spec = source.spec
    if not isinstance(spec, PredictionsSpec):
        return []
    findings = Findings(spec.places)
    _groups_in_folds(source, spec, findings)
    if source.truth is None or spec.query is not None:
        return list(findings.diagnostics)
    unit = _units(source)
    for model in source.models:
        keyword = f"{'score' if model.score else 'scores'} {model.name}"
        places = (keyword, f"models {model.name}", "models", "predictions")
        _labels_as_scores(source, model, findings, places)
        _same_for_all(study, source, model, findings, places)
        perfect = _perfect(source, model.name)
        if perfect is not None:
            findings.add(
                PERFECT_PREDICTIONS,
                f"`{model.name}` seems to know the truth: its {perfect}, for all {source.n:,} "
                f"{spec.unit}",
                *places,
                help="check that the column was not made from the truth, and that the model was "
                "not trained on these rows",
            )
            continue
        order = None if source.times is not None else _order(source, model)
        if order is None or not _enough(source, unit):
            continue
        reach = order.skill.value + normal_quantile(study.confidence) * (
            order.skill.standard_error(unit)
        )
        if reach < order.chance and not _contradicts_labels(source, model):
            findings.add(
                BELOW_CHANCE,
                f"the {order.subject} of `{model.name}` run the other way: {order.noun} of "
                f"{bounded(order.skill.value, 2)}, where chance gives "
                f"{'0' if order.chance == 0 else bounded(order.chance, 1)}",
                *places,
                help=order.fix,
            )
    return list(findings.diagnostics)


def _units(source: GivenOutcomes) -> "NDArray[np.int64]":
    """Number what is independent: groups, examples with repeats, or rows."""
    if source.group_codes is not None:
        return source.group_codes
    return np.arange(source.n) if source.examples is None else source.examples


def _enough(source: GivenOutcomes, unit: "NDArray[np.int64]") -> bool:
    if len(np.unique(unit)) < FEWEST:
        return False
    return source.task == "regression" or _members(source, 2) >= FEWEST_OF_A_CLASS


def _members(source: GivenOutcomes, rank: int) -> int:
    """Return how many rows the class has that is `rank`-th in size; 0 without so many classes."""
    counts = sorted(source.class_counts or (), reverse=True)
    return counts[rank - 1] if len(counts) >= rank else 0


def _order(source: GivenOutcomes, model: GivenModel) -> Order | None:
    """Return how a model orders the examples, inside each fold where there are folds."""
    truth, scores = source.truth, source.scores.get(model.name)
    labels, folds = source.predictions.get(model.name), source.folds
    assert truth is not None, "a source without a truth is not looked at"
    if folds is not None and source.repeats is not None:
        folds = folds + (int(folds.max()) + 1) * source.repeats
    if source.events is not None:
        found = None if labels is None else _concordance(truth, source.events, labels)
        fix = (
            "a risk is higher for an earlier event: replace a predicted time, or a probability of "
            "survival, by `-x` in the file"
        )
        return None if found is None else Order(found, 0.5, "a concordance", "risks", fix)
    if source.task == "regression":
        ranked = None if labels is None else rank_correlation(truth, labels, folds)
        fix = "replace the column by `-x` in the file, if its sign was turned"
        if ranked is None:
            return None
        return Order(ranked, 0.0, "a rank correlation", "predictions", fix)
    if labels is None or len(source.classes) > CLASSES_APART.most:  # each is ordered apart
        return None
    classes, two = source.classes, len(source.classes) == 2
    positive = 1 if source.positive is None else source.positive
    skill = skill_of_classes(
        truth, labels, scores, folds, n_classes=len(classes), positive=positive
    )
    if skill is None:
        return None
    if scores is None:
        noun = "a balanced accuracy" if two else "a mean area under the ROC curve"
        fix = "check which label is which in the file: most of them are exchanged"
        return Order(skill, 0.5, noun, "labels", fix)
    noun = "an area under the ROC curve" if two else "a mean area under the ROC curve"
    turned = "1 - p" if model.name in source.probabilities else "-x"
    fix = (
        f"name the column with the score of `{classes[positive]}`, or replace this one by "
        f"`{turned}` in the file"
        if scores.ndim == 1
        else f"name the column of each label: `scores {model.name} = {{LABEL: COLUMN, ...}}`"
    )
    return Order(skill, 0.5, noun, "scores", fix)


def _concordance(
    times: "NDArray[np.float64]", events: "NDArray[np.float64]", risks: "NDArray[np.float64]"
) -> Skill | None:
    entry = metric_entry(Method(default_metric("regression", "event")))
    truth = np.column_stack([times, events])
    value = evaluate(entry, {}, truth, risks)
    if np.isnan(value) or entry.declaration.influences is None:
        return None
    return Skill(value, entry.declaration.influences(Outcome(truth, risks)))


def _contradicts_labels(source: GivenOutcomes, model: GivenModel) -> bool:
    """Return whether a score contradicts the model's own labels, which has a code of its own."""
    scores, labels = source.scores.get(model.name), source.predictions.get(model.name)
    if model.column is None or scores is None or scores.ndim != 1 or labels is None:
        return False
    there = labels == source.positive
    return bool(there.any() and not there.all() and scores[there].mean() < scores[~there].mean())


def _labels_as_scores(
    source: GivenOutcomes, model: GivenModel, findings: Findings, places: tuple[str, ...]
) -> None:
    """Report scores of a classifier that take two values, as labels do."""
    scores = source.scores.get(model.name)
    if scores is None or source.task != "classification" or source.n < FEWEST:
        return
    low, high = scores.min(), scores.max()
    if low == high or not ((scores == low) | (scores == high)).all():
        return
    findings.add(
        LABELS_AS_SCORES,
        f"the score of `{model.name}` has two values, {low:g} and {high:g}, as labels have",
        *places,
        help=f"name a column of probabilities, or write `models {written(model.name)} as "
        f"{written(model.score)}` in place of `score`"
        if model.score is not None and [low, high] == list(source.class_values)
        else "name a column of probabilities, or of other numbers that labels were made from",
    )


def _same_for_all(
    study: Study,
    source: GivenOutcomes,
    model: GivenModel,
    findings: Findings,
    places: tuple[str, ...],
) -> None:
    """Report outputs that are one number, and scores whose default threshold divides nothing."""
    numbers = source.scores.get(model.name)
    if numbers is None and source.task == "regression":
        numbers = source.predictions.get(model.name)
    if numbers is None or numbers.ndim != 1 or source.n < FEWEST:
        return
    if numbers.min() == numbers.max():
        findings.add(
            CONSTANT_OUTPUTS,
            f"`{model.name}` gives all {source.n:,} {source.spec.unit} the same number, "
            f"{numbers[0]:g}",
            *places,
            help="check the column, or name a model that looks at its input",
        )
        return
    if model.column is not None or model.threshold is not None or source.task == "regression":
        return
    labels = source.predictions.get(model.name)
    asked = [*metrics_of(study), *(line.metric for line in study.requirements)]
    by_labels = any(metric_entry(metric).declaration.needs == "labels" for metric in asked)
    of_margins = model.name not in source.probabilities and by_labels
    if of_margins and labels is not None and labels.min() == labels.max():
        findings.add(
            THRESHOLD_BELOW_ALL_SCORES,
            f"the scores of `{model.name}` go from {numbers.min():g} to {numbers.max():g}, and "
            f"with the default threshold 0 all {source.n:,} {source.spec.unit} are predicted "
            f"`{source.classes[int(labels[0])]}`",
            *places,
            help=f"write `threshold {written(model.name)} = NUMBER`, or probabilities between 0 "
            "and 1 in the file",
        )


def _perfect(source: GivenOutcomes, model: str) -> str | None:
    """Return in what a model makes no error, None where it makes one or there are few examples."""
    truth, labels = source.truth, source.predictions.get(model)
    scores = source.scores.get(model)
    assert truth is not None, "a source without a truth is not looked at"
    if source.n < LEAST_PERFECT:
        return None
    if source.events is not None:
        found = None if labels is None else _concordance(truth, source.events, labels)
        return "risks order every pair" if found and found.value >= PERFECT else None
    if source.task == "regression":
        if labels is None or len(np.unique(truth)) < LEAST_OF_A_CLASS:
            return None
        return "predictions are a linear function of it" if is_rescaled(labels, truth) else None
    if _members(source, 2) < LEAST_OF_A_CLASS:
        return None
    if labels is not None and np.array_equal(labels, truth):
        return "labels are the true labels"
    if scores is None or scores.ndim != 1 or source.positive is None:
        return None
    there = truth == source.positive
    apart = scores[there].min() > scores[~there].max()
    return "scores separate the classes" if apart else None


def _groups_in_folds(source: GivenOutcomes, spec: PredictionsSpec, findings: Findings) -> None:
    """Report groups whose rows are in several folds of one repeat."""
    groups, folds = source.group_codes, source.folds
    if groups is None or folds is None:
        return
    repeats = np.zeros(source.n, dtype=np.int64) if source.repeats is None else source.repeats
    pairs = np.unique(np.column_stack([repeats, groups, folds]), axis=0)
    places, times = np.unique(pairs[:, :2], axis=0, return_counts=True)
    split = len(np.unique(places[times > 1, 1]))
    if split:
        n, have = len(np.unique(groups)), "has" if split == 1 else "have"
        findings.add(
            GROUPS_IN_SEVERAL_FOLDS,
            f"{split:,} of {counted(n, 'group')} of `{spec.group}` {have} rows in several values "
            f"of `{spec.fold}`, so models were tested on groups that they were trained on",
            "fold",
            "group",
            help="predict each group by a model that was trained without it, as `group` does for "
            "`protocol cv`",
        )
