"""Advice on the size and the scale of margins."""

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import percent
from evallang.checking.scope import refusal
from evallang.compatibility import metric_entry, own_metric
from evallang.compatibility.hypothesis_tests import tests_of
from evallang.data.dataset import GivenOutcomes, PredictionsSpec, ScoresSpec, Table
from evallang.diagnostics import Changes, Diagnostic
from evallang.metrics.metric import evaluate
from evallang.source import Span
from evallang.study import AnalysisSpec, ComparisonSpec, Method, RequirementSpec, Study

PERCENT = re.compile(
    r"(?:\b(?:by|within)\s+|[<>]=\s*|\b(?:rope|margin)\s*=\s*)(?P<margin>[\d._]+%)"
)


@rule("W343", changes=Changes.CLAIMS, source="ICH E10; Piaggio et al. 2012")
def margin_larger_than_the_lead(study: Study) -> Iterator[Objection]:
    """A margin is larger than the lead over a third model that the study requires.

    If a model may be worse than the reference by more than the reference must be better than a
    baseline, it can be no better than the baseline and still count as not worse.

    Objects to:

        predictions nightly from "preds.csv"
          truth y
          models candidate, production, prior
          positive 1
        measure accuracy
        require production better than prior by 3%
        require candidate not worse than production by 5%

    Accepts:

        predictions nightly from "preds.csv"
          truth y
          models candidate, production, prior
          positive 1
        measure accuracy
        require production better than prior by 3%
        require candidate not worse than production by 1%
    """
    leads = [r for r in study.requirements if r.kind == "superior" and r.value]
    for line in study.requirements:
        if line.kind not in ("noninferior", "equivalent") or line.value is None:
            continue
        references = line.models if line.kind == "equivalent" else line.models[-1:]
        for lead in leads:
            same = lead.metric == line.metric and lead.models[0] in references
            third = lead.models[-1] not in line.models
            if same and third and lead.value is not None and line.value >= lead.value:
                yield Objection(
                    f"the margin of {_amount(line.metric, line.value)} is not smaller than the "
                    f"required lead of `{lead.models[0]}` over `{lead.models[-1]}`, "
                    f"{_amount(lead.metric, lead.value)}",
                    line.span,
                    help="choose a margin that leaves most of the lead, such as half of it",
                )
                break


def _percents_of_measured(known: Known) -> Iterator[Objection]:
    """Object to percents of numbers that were measured elsewhere and are not shares."""
    measured: list[tuple[ScoresSpec | PredictionsSpec, NDArray[np.float64]]] = [
        (table.spec, table.values) for table in known.score_tables
    ]
    measured += [
        (given.spec, np.concatenate([*given.values.values()]))
        for given in known.imported
        if given.values and isinstance(given.spec, PredictionsSpec)
    ]
    for spec, values in measured:
        metric = own_metric(spec)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if metric is None or spec.percents or (low >= -1 and high <= 1):
            continue
        lines: list[RequirementSpec | ComparisonSpec] = [
            line for line in known.study.requirements if line.metric == metric
        ]
        lines += [line for line in known.study.comparisons if metric in line.metrics]
        for line in lines:
            found = PERCENT.search(line.source)
            if found is not None:
                share = float(found["margin"].rstrip("%").replace("_", "")) / 100
                yield Objection(
                    f"`{metric.name}` goes from {low:g} to {high:g} in `{spec.label}`, and "
                    f"`{found['margin']}` is {share:g} of its unit",
                    line.span,
                    help=f"write the number in the unit of `{metric.name}`, without `%`; shares in "
                    "percent are read as such under the name of a share, such as `accuracy`",
                )


@rule(
    "W344",
    changes=Changes.QUESTION,
    source="Kruschke 2018",
    at=(Stage.DATA,),
)
def margin_on_another_scale(known: Known) -> Iterator[Objection]:
    """A margin, threshold, difference or region of equivalence is not on the scale of its metric.

    Margins are absolute, in the unit of the metric: `by 2` for an accuracy means two hundred
    points, which every model meets, and `by 2%` for an error in the unit of the target means 0.02
    of that unit.

    Objects to:

        counts pair
          models a, b
          table [[9000, 100], [100, 800]]
        measure accuracy
        require a not worse than b by 2

    Accepts:

        counts pair
          models a, b
          table [[9000, 100], [100, 800]]
        measure accuracy
        require a not worse than b by 2%
    """
    study = known.study
    yield from _percents_of_measured(known)
    asked: list[tuple[RequirementSpec | ComparisonSpec | AnalysisSpec, Method, object, str]] = []
    for claim in study.requirements:
        of_scale = claim.kind if claim.kind in ("level", "superior") else "width"
        asked.append((claim, claim.metric, claim.value, of_scale))
    for comparison in study.comparisons:
        for test in tests_of(comparison):
            for name, kind in (("rope", "width"), ("margin", "width"), ("threshold", "level")):
                asked.append((comparison, comparison.metrics[0], test.keywords().get(name), kind))
    for analysis in study.analyses:
        judged = analysis.metric or (study.measures[0].metric if study.measures else None)
        if judged is not None:
            difference = analysis.method.keywords().get("difference")
            asked.append((analysis, judged, difference, "superior"))
    for line, metric, value, kind in asked:
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            continue
        problem = _beyond(metric, float(value), kind)
        if problem is None and not isinstance(line, AnalysisSpec):
            problem = _percent_of_unit(line, metric)
        if problem is not None:
            yield Objection(problem, line.span, help=_margin_words(metric, float(value)))


def _range(metric: Method) -> tuple[float, float] | None:
    declared = metric_entry(metric).declaration
    if declared.low is None or declared.high is None:
        return None
    return declared.low, declared.high


def _beyond(metric: Method, value: float, kind: str) -> str | None:
    """Return why a level, a lead or a width means nothing on the scale of a metric."""
    ends, name = _range(metric), f"`{metric.written}`"
    if ends is None:
        return None
    if kind == "level":
        outside = f"{value:g} lies outside of what {name} can be, {ends[0]:g} to {ends[1]:g}"
        return None if ends[0] <= value <= ends[1] else outside
    if value < ends[1] - ends[0]:
        return None
    if kind == "superior":
        return f"{value:g} is the whole range of {name} or more, so no model leads by it"
    return f"{value:g} is at least the whole range of {name}, so every model is within it"


def _percent_of_unit(line: RequirementSpec | ComparisonSpec, metric: Method) -> str | None:
    found = PERCENT.search(line.source)
    declared = metric_entry(metric).declaration
    squared = declared.squared_unit
    if found is None or not (squared or declared.unit == "target"):
        return None
    share = float(found["margin"].rstrip("%").replace("_", "")) / 100
    return (
        f"`{metric.written}` is in the {'squared ' if squared else ''}unit of the target, and "
        f"`{found['margin']}` is {share:g} of that unit"
    )


def _margin_words(metric: Method, value: float) -> str:
    ends = _range(metric)
    if ends == (0.0, 1.0) and 1 <= value <= 100:
        return f"write `{value:g}%`"
    if ends is not None:
        return f"write a number on the scale of `{metric.written}`, {ends[0]:g} to {ends[1]:g}"
    squared = "squared " if metric_entry(metric).declaration.squared_unit else ""
    return f"write the number in the {squared}unit of the target, without `%`"


def _amount(metric: Method, value: float) -> str:
    """Return a margin as the metric is read: in percent, or in a unit of its own."""
    return percent(value) if _range(metric) in ((0.0, 1.0), (-1.0, 1.0)) else f"{value:g}"


# --- once data are read ----------------------------------------------------------------------


def judge_margins(study: Study, read: Table | GivenOutcomes) -> Iterator[Diagnostic]:
    """Report margins that let a model without features pass as not worse than its reference.

    The reference of models that are fitted later is a perfect one. Where only right and wrong are
    known, nobody knows how often a model without features is right: there, a margin may not give up
    a large part of the right answers.
    """
    truth = read.truth if isinstance(read, GivenOutcomes) else read.y
    correct = (read.correct or {}) if isinstance(read, GivenOutcomes) else {}
    for metric, margin, models, span in _margins(study):
        declared = metric_entry(metric).declaration
        if metric.code:
            continue
        shares = {model: float(np.mean(correct[model])) for model in models if model in correct}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and declared.proportion == "all":
            left, share = max(shares[best] - margin, 0.0), shares[best]
            if margin >= share * LARGE_PART:
                rest, of = percent(round(left, 4)), percent(round(share, 4))
                lost = percent(margin)
                yield refusal("large_margin", span, margin=lost, best=best, left=rest, share=of)
        if metric.better is not None or truth is None or declared.task != read.task:
            continue
        if declared.needs not in CONSTANT:
            continue
        higher = declared.better == "higher"
        better, perfect = (max, declared.high) if higher else (min, declared.low)
        outputs: Mapping[str, NDArray[Any]] = {}
        if isinstance(read, GivenOutcomes):
            outputs = read.predictions if declared.needs in ("labels", "values") else read.scores
        own = {m: _value(metric, truth, outputs[m], read) for m in models if m in outputs}
        named = {model: value for model, value in own.items() if value is not None}
        answers = [
            (_value(metric, truth, output, read), how)
            for how, output in _without_features(declared.needs, truth, read).items()
        ]
        constants = [(value, how) for value, how in answers if value is not None]
        references = list(named.values()) or [value for value in (perfect,) if value is not None]
        if not constants or not references:
            continue
        (constant, how), reference = better(constants), better(references)
        left = round(reference - constant if higher else constant - reference, 12)
        if margin < left:
            continue
        whose = "a perfect one"
        if named:
            one = next(name for name, value in named.items() if value == reference)
            whose = f"`{one}`, which has {_rounded(metric, reference)}"
        yield refusal(
            "margin_beyond_a_constant",
            span,
            help=f"write a margin well below {_rounded(metric, left)}" if left > 0 else None,
            how=how,
            metric=metric,
            constant=_rounded(metric, constant),
            margin=_amount(metric, margin),
            whose=whose,
        )


def _rounded(metric: Method, value: float) -> str:
    return _amount(metric, round(value, 4) if abs(value) < 1 else float(f"{value:.4g}"))


LARGE_PART = 1 / 4
"""The share of right answers that a margin may not give up."""
CONSTANT = ("labels", "scores", "probabilities", "values")
"""What a model without features can give as well."""


def _margins(study: Study) -> Iterator[tuple[Method, float, tuple[str, ...], Span | None]]:
    """Iterate over margins: the metric, the size, the models that are a reference, the place."""
    for line in study.requirements:
        if line.kind in ("noninferior", "equivalent") and line.value and line.averaged is None:
            models = line.models if line.kind == "equivalent" else line.models[-1:]
            yield line.metric, line.value, models, line.span
    for comparison in study.comparisons:
        for test in tests_of(comparison) if comparison.averaged is None else ():
            margin = test.keywords().get("margin")
            if isinstance(margin, int | float | Fraction) and not isinstance(margin, bool):
                yield comparison.metrics[0], float(margin), comparison.models, comparison.span


def _without_features(
    needs: str, truth: NDArray[Any], read: Table | GivenOutcomes
) -> dict[str, NDArray[Any]]:
    """Return the outputs of models that give every row the same answer, by the answer."""
    n, k = len(truth), len(read.classes)
    if needs == "values":
        return {
            "the mean": np.full(n, float(np.mean(truth))),
            "the median": np.full(n, float(np.median(truth))),
        }
    shares = np.bincount(truth[truth >= 0], weights=_weights(read), minlength=k)
    shares = shares / shares.sum()
    if needs == "labels":
        common = {int(shares.argmax()), read.positive}
        return {f"`{read.classes[c]}`": np.full(n, c) for c in common if c is not None}
    if k == 2 and read.positive is not None:
        return {"the share of the class": np.full(n, shares[read.positive])}
    return {"the shares of the classes": np.tile(shares, (n, 1))}


def _value(
    metric: Method, truth: "NDArray[Any]", output: "NDArray[Any]", read: Table | GivenOutcomes
) -> float | None:
    entry, options = metric_entry(metric), metric.keywords()
    try:
        value = evaluate(
            entry, options, truth, output, read.positive, len(read.classes), _weights(read)
        )
    except ValueError:  # options that do not fit the classes, which has a code of its own
        return None
    return value if math.isfinite(value) else None


def _weights(read: Table | GivenOutcomes) -> "NDArray[Any] | None":
    times = None if isinstance(read, Table) else read.times
    return read.weights if times is None else times.astype(float)
