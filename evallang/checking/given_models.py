"""What the outputs of models that were computed elsewhere show: once read, before a run.

A model may order the examples the wrong way, give labels where scores are expected, give all
examples the same answer, make no error at all, or have been trained on the groups that it was
tested on.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.checking.rules.study_facts import metrics_of
from evallang.checking.scope import refusal
from evallang.compatibility import metric_entry
from evallang.data.dataset import GivenModel, GivenOutcomes, PredictionsSpec, ScoreTable
from evallang.data.findings import counted, written
from evallang.data.table_rules import is_rescaled
from evallang.diagnostics import Diagnostic
from evallang.limits import CLASSES_APART
from evallang.metrics.metric import METRICS, Outcome, default_metric, evaluate
from evallang.metrics.named import named_metric
from evallang.reporting.numbers import bounded
from evallang.spelling import listed
from evallang.stats.basics import normal_quantile
from evallang.stats.battles import Battles, is_bounded, separated_models
from evallang.stats.score_counts import ScoreCounts
from evallang.stats.skill import Skill, area, rank_correlation, skill_of_classes, skill_of_counts
from evallang.study import Method, Study, asked_metrics

FEWEST, FEWEST_OF_A_CLASS, FEWEST_SCORES = 20, 5, 5
"""Examples or groups, and scores of folds or data sets, below which an order says little."""
LEAST_PERFECT, LEAST_OF_A_CLASS = 50, 10  # in fewer, a good model makes no error by chance
PERFECT = 1 - 1e-12
ALIKE = 0.5  # a rank correlation above which an order is not by chance


class Order(Struct, frozen=True):
    """How far a model orders the examples as the truth does: `noun` names the scale.

    Without skill the value is `chance`; `subject` is what of `{model}` is ordered, and `fix` what
    to do where it is the other way round.
    """

    skill: Skill
    chance: float
    noun: str
    subject: str
    fix: str


Problem = tuple[str, Mapping[str, Any]]
"""The key of the words for a finding, and their facts besides the model and the source."""


def judge_given_models(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Check the outputs of each model of one source against the truth."""
    spec = source.spec
    if not isinstance(spec, PredictionsSpec):
        return
    for key, facts in _groups_in_folds(source):
        yield refusal(key, spec.places.get("fold", spec.places.get("group")), spec=spec, **facts)
    for model in source.models if source.truth is not None else ():
        keyword = f"{'score' if model.score else 'scores'} {model.name}"
        words = (keyword, f"models {model.name}", "models", "predictions")
        place = next((spec.places[word] for word in words if word in spec.places), None)
        for key, facts in _problems(study, source, model):
            name = written(model.name)
            yield refusal(key, place, model=model, name=name, source=source, **facts)


def _problems(study: Study, source: GivenOutcomes, model: GivenModel) -> Iterator[Problem]:
    """Iterate over what the outputs of a model show."""
    yield from _of_numbers(study, source, model)
    perfect = _perfect(source, model.name)
    if perfect is not None:
        yield "perfect", {"perfect": perfect}
        return
    ordered = isinstance(source.spec, PredictionsSpec) and source.spec.query is not None
    if not ordered and source.events is None:
        yield from _other_scale(source, model)
    units = source.examples if source.group_codes is None else source.group_codes
    rows = units is None or source.times is not None
    few = (source.n if rows or units is None else len(np.unique(units))) < FEWEST
    of_class = source.task != "regression" and _members(source, 2) < FEWEST_OF_A_CLASS
    if few or of_class or _contradicts_labels(source, model):
        return
    orders = list(_orders(source, model))
    for order in orders:
        z = normal_quantile(1 - (1 - study.confidence) / len(orders))
        if order.skill.value + z * order.skill.standard_error(_units(source)) < order.chance:
            value, subject = bounded(order.skill.value, 2), order.subject.format(model=model.name)
            chance = _by_chance(order.chance)
            facts = {"subject": subject, "noun": order.noun, "value": value, "chance": chance}
            yield "turned_round", {**facts, "help": order.fix}
            return


def judge_strengths(study: Study, source: GivenOutcomes) -> Iterator[Diagnostic]:
    """Report what keeps the strengths of models that met in pairs from being estimated."""
    known = {asked.metric: asked for asked in reversed(asked_metrics(study))}
    for asked in known.values() if source.battles is not None else ():
        entry = metric_entry(asked.metric)
        options = {**entry.defaults(), **asked.metric.keywords()}
        if "ties" not in options or source.battles is None:
            continue
        battles, ties = source.battles, options["ties"]
        ordered = options.get("order") != "none"
        place, metric = asked.span, asked.metric.written
        anchor = options.get("anchor")
        if anchor is not None and anchor not in battles.names:
            models = listed(map(written, battles.names), "and")
            yield refusal("no_model_in_data", place, help=f"the models are {models}", name=anchor)
        needed = dict[str, tuple[str, str]]()
        if ordered and not battles.tells_order:
            needed["order_unknown"] = ("order", "none")
        if ties != "half" and not np.isin(battles.outcome, (0, 0.5, 1)).all():
            needed["graded_preferences"] = ("ties", "half")
        if needed:
            instead = _with_options(asked.metric, dict(needed.values()))
            kind = list(needed)[-1]
            yield refusal(kind, place, source=source, metric=entry.name, instead=instead)
            return
        counted_ones = battles.take(battles.outcome != 0.5) if ties == "drop" else battles
        lost = separated_models(counted_ones)
        if lost:
            names = [battles.names[code] for code in lost]
            kind = "separated" if len(lost) > 1 else _lost_or_won(counted_ones, lost[0])
            models = listed(names, "and")
            yield refusal(kind, place, metric=metric, source=source, models=models)
            return
        if not is_bounded(counted_ones, ties, order=ordered):
            if is_bounded(counted_ones, ties, order=False):
                fewer = {"order": "none"}
            elif is_bounded(counted_ones, "half", order=ordered):
                fewer = {"ties": "half"}
            else:
                fewer = {"ties": "half", "order": "none"}
            instead = _with_options(asked.metric, fewer)
            yield refusal("unbounded", place, metric=metric, source=source, instead=instead)
            return


def _with_options(metric: Method, options: Mapping[str, str]) -> str:
    """Return the canonical text of a metric with other values of some of its options."""
    return replace(metric, options=(*{**metric.keywords(), **options}.items(),)).written


def _lost_or_won(battles: Battles, code: int) -> str:
    """Return the key of the words for a model that won or lost all its battles."""
    first, second = battles.first == code, battles.second == code
    if not (first | second).any():
        return "separated"
    won = (battles.outcome[first] > 0).any() or (battles.outcome[second] < 1).any()
    return "won_all" if won else "lost_all"


def judge_scores_below_chance(table: ScoreTable) -> Iterator[Diagnostic]:
    """Check the scores of each model against the chance level of a metric that the name tells."""
    spec = table.spec
    named = None if spec.metric is None else named_metric(spec.metric)
    if named is None or named.name is None:
        return
    chance = METRICS[named.name].declaration.chance
    for place, model in enumerate(table.models):
        own = table.values[:, place].reshape(-1)
        own = own[~np.isnan(own)]
        if chance is None or len(own) < FEWEST_SCORES:
            continue
        worse = chance - own if spec.higher_is_better else own - chance
        if worse.mean() > 2 * worse.std(ddof=1):
            words = (f"models {model.name}", "models", "scores")
            yield refusal(
                "scores_below_chance",
                next((spec.places[word] for word in words if word in spec.places), None),
                model=model,
                spec=spec,
                mean=bounded(float(own.mean()), 2),
                chance=_by_chance(chance),
            )


def _by_chance(level: float) -> str:
    return bounded(level, 1) if level else "0"


def _units(source: GivenOutcomes) -> "NDArray[np.int64] | None":
    """Number what is independent: groups, queries, examples with repeats; None: each row."""
    if source.times is not None:
        return None
    return source.examples if source.group_codes is None else source.group_codes


def _members(source: GivenOutcomes, rank: int) -> int:
    """Return how many rows the class has that is `rank`-th in size; 0 without so many classes."""
    counts = sorted(source.class_counts or (), reverse=True)
    return counts[rank - 1] if len(counts) >= rank else 0


def _orders(source: GivenOutcomes, model: GivenModel) -> Iterator[Order]:
    """Iterate over how a model orders the examples: inside each fold or query, of each class."""
    truth, scores = source.truth, source.scores.get(model.name)
    labels, parts = source.predictions.get(model.name), source.folds
    assert truth is not None, "a source without a truth is not looked at"
    if parts is not None and source.repeats is not None:
        parts = parts + (int(parts.max()) + 1) * source.repeats
    mine, classes = "of `{model}`", source.classes
    if source.events is not None:
        found = None if labels is None else _concordance(truth, source.events, labels)
        fix = (
            "a risk is higher for an earlier event: replace a predicted time, or a probability of "
            "survival, by `-x` in the file"
        )
        if found is not None:
            yield Order(found, 0.5, "a concordance", f"risks {mine}", fix)
        return
    if source.task == "regression":
        ranked = isinstance(source.spec, PredictionsSpec) and source.spec.query is not None
        found = None
        if labels is not None:
            found = rank_correlation(truth, labels, source.examples if ranked else parts)
        fix = "replace the column by `-x` in the file, if its sign was turned"
        noun = "a rank correlation inside queries" if ranked else "a rank correlation"
        if found is not None:
            yield Order(found, 0.0, noun, f"{'scores' if ranked else 'predictions'} {mine}", fix)
        return
    if len(classes) > CLASSES_APART.most:  # each is ordered apart
        return
    two, positive = len(classes) == 2, 1 if source.positive is None else source.positive
    noun = "an area under the ROC curve" if two else "a mean area under the ROC curve"
    turned = "1 - p" if model.name in source.probabilities else "-x"
    fix = (
        f"name the column with the score of `{classes[positive]}`, or replace this one by "
        f"`{turned}` in the file"
    )
    counted = two and scores is None and parts is None and _units(source) is None
    if source.times is not None or counted:
        counts = (source.rankings or {}).get(model.name)
        if counts is not None:
            yield Order(skill_of_counts(counts), 0.5, noun, f"scores {mine}", fix)
        elif labels is not None and model.name not in source.scored:
            fix = "check which label is which in the file: most of them are exchanged"
            for code in (positive,) if two else range(len(classes)):
                cells = 2 * (np.asarray(source.truth) == code).astype(np.int8) + (labels == code)
                down, up = np.bincount(cells, source.times, 4).astype(np.int64).reshape(2, 2)
                one = skill_of_counts(ScoreCounts(np.array([0.0, 1.0]), down, up))
                named = f"labels {mine}" if two else f"labels {mine} for `{classes[code]}`"
                yield Order(one, 0.5, "a balanced accuracy", named, fix)
        return
    if labels is None:
        return
    skill = skill_of_classes(
        truth, labels, scores, parts, n_classes=len(classes), positive=positive
    )
    if skill is not None and scores is None:
        noun = "a balanced accuracy" if two else noun
        fix = "check which label is which in the file: most of them are exchanged"
        yield Order(skill, 0.5, noun, f"labels {mine}", fix)
    elif skill is not None and scores is not None:
        of_each = f"name the column of each label: `scores {model.name} = {{LABEL: COLUMN, ...}}`"
        fix = fix if scores.ndim == 1 else of_each
        yield Order(skill, 0.5, noun, f"scores {mine}", fix)
        apart = scores.ndim == 2 and not two and model.column is None  # else W403 compares them
        for code, label in enumerate(classes if apart else ()):
            alone = area(truth == code, scores[:, code], parts)
            rarest = min(np.count_nonzero(truth == code), np.count_nonzero(truth != code))
            if alone is not None and rarest >= FEWEST_OF_A_CLASS:
                noun = "an area under the ROC curve"
                yield Order(alone, 0.5, noun, f"scores {mine} for `{label}`", fix)


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
    scores = scores / max(float(np.abs(scores).max(initial=0)), 1.0)  # their sum may be too large
    return bool(there.any() and not there.all() and scores[there].mean() < scores[~there].mean())


def _of_numbers(study: Study, source: GivenOutcomes, model: GivenModel) -> Iterator[Problem]:
    """Find scores that are labels, outputs that are one number, thresholds that divide nothing."""
    counts = (source.rankings or {}).get(model.name)
    outputs = source.predictions if source.task == "regression" else source.scores
    numbers = source.scores.get(model.name, outputs.get(model.name))
    numbers = numbers if counts is None else counts.scores  # of counted parts the distinct ones
    if numbers is None or source.n < FEWEST:
        return
    low, high = numbers.min(), numbers.max()
    two = low != high and bool(((numbers == low) | (numbers == high)).all())
    if two and source.task == "classification":
        fix = None
        if model.score is not None and [low, high] == list(source.class_values):
            fix = f"name a column of probabilities, or write `models {written(model.name)} as "
            fix += f"{written(model.score)}` in place of `score`"
        yield "labels_as_scores", {"low": low, "high": high, "help": fix}
    if (numbers == numbers[0]).all():
        same = ", ".join(f"{number:g}" for number in np.atleast_1d(numbers[0]).tolist()[:5])
        yield "one_output", {"s": "s" if numbers.ndim == 2 else "", "same": same}
        return
    threshold = model.column is not None or model.threshold is not None or numbers.ndim == 2
    labels = source.predictions.get(model.name)
    if threshold or source.task == "regression" or labels is None:
        return
    asked = [*metrics_of(study), *(line.metric for line in study.requirements)]
    by_labels = any(metric_entry(metric).declaration.needs == "labels" for metric in asked)
    of_margins = model.name not in source.probabilities and by_labels
    if of_margins and labels.min() == labels.max():
        label = source.classes[int(labels[0])]
        yield "threshold_on_one_side", {"low": low, "high": high, "label": label}


def _other_scale(source: GivenOutcomes, model: GivenModel) -> Iterator[Problem]:
    """Find predicted numbers that are in another unit than the truth, though in its order."""
    truth, numbers = source.truth, source.predictions.get(model.name)
    if source.task != "regression" or numbers is None or truth is None or source.n < FEWEST:
        return
    error, least = (float(np.abs(truth - x).mean()) for x in (numbers, np.median(truth)))
    spread, own = float(np.std(truth)), float(np.std(numbers))
    if error <= least or (error < 3 * least and spread < 5 * own < 25 * spread):
        return
    order = rank_correlation(truth, numbers)
    if order is not None and order.value >= ALIKE:
        ends = {"low": numbers.min(), "high": numbers.max(), "least": truth.min()}
        yield "another_scale", {**ends, "most": truth.max(), "r": bounded(order.value, 2)}


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
    counts = (source.rankings or {}).get(model)
    if counts is not None:
        apart = (
            counts.scores[counts.positives > 0].min() > counts.scores[counts.negatives > 0].max()
        )
        return "scores separate the classes" if apart else None
    if scores is None or scores.ndim != 1 or source.positive is None:
        return None
    there = truth == source.positive
    apart = scores[there].min() > scores[~there].max()
    return "scores separate the classes" if apart else None


def _groups_in_folds(source: GivenOutcomes) -> Iterator[Problem]:
    """Find groups whose rows are in several folds of one repeat."""
    groups, folds = source.group_codes, source.folds
    if groups is None or folds is None:
        return
    repeats = np.zeros(source.n, dtype=np.int64) if source.repeats is None else source.repeats
    pairs = np.unique(np.column_stack([repeats, groups, folds]), axis=0)
    places, times = np.unique(pairs[:, :2], axis=0, return_counts=True)
    split = len(np.unique(places[times > 1, 1]))
    if split:
        every, have = counted(len(np.unique(groups)), "group"), "has" if split == 1 else "have"
        yield "groups_in_folds", {"split": split, "groups": every, "have": have}
