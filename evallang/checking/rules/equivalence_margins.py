"""Advice on the size and the scale of margins."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import percent
from evallang.compatibility import metric_entry, own_metric
from evallang.compatibility.hypothesis_tests import tests_of
from evallang.data.dataset import GivenOutcomes, PredictionsSpec, ScoresSpec, Table
from evallang.diagnostics import Changes, Diagnostic, codes, diagnose
from evallang.metrics.metric import evaluate
from evallang.reporting.letter_case import mid_sentence
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

    The reference of models that are fitted later is a perfect one.
    """
    truth = read.y if isinstance(read, Table) else read.truth
    if isinstance(read, GivenOutcomes) and read.correct is not None:
        yield from _margins_of_judged(study, read.correct)
    for metric, margin, models, span in _margins(study):
        declared = metric_entry(metric).declaration
        if metric.code or metric.better is not None or truth is None:
            continue
        if declared.task != read.task or declared.needs not in CONSTANT:
            continue
        higher = declared.better == "higher"
        better, perfect = (max, declared.high) if higher else (min, declared.low)
        named = dict(_values(metric, read, models))
        constants = list(_without_features(metric, truth, read))
        references = list(named.values()) or [value for value in (perfect,) if value is not None]
        if not constants or not references:
            continue
        (constant, how), reference = better(constants), better(references)
        left = round(reference - constant if higher else constant - reference, 12)
        if margin < left:
            continue
        noun = f"`{metric.written}`" if metric.options else mid_sentence(metric_entry(metric).title)
        whose = "a perfect one"
        if named:
            one = next(name for name, value in named.items() if value == reference)
            whose = f"`{one}`, which has {_rounded(metric, reference)}"
        yield diagnose(
            codes.margin_beyond_the_baseline,
            f"a model that always predicts {how} has {'an' if noun[0] in 'aeio' else 'a'} {noun} "
            f"of {_rounded(metric, constant)}, and a margin of {_amount(metric, margin)} can let "
            f"it pass as not worse than {whose}",
            span,
            help=f"write a margin well below {_rounded(metric, left)}"
            if left > 0
            else f"compare with a model that is better than always predicting {how}",
        )


def _margins_of_judged(
    study: Study, correct: "Mapping[str, NDArray[np.bool_]]"
) -> Iterator[Diagnostic]:
    """Report margins that let a model pass that is right much less often than its reference.

    Without the true labels, nobody knows how often a model without features is right.
    """
    for metric, margin, models, span in _margins(study):
        if metric.code or metric_entry(metric).declaration.proportion != "all":
            continue
        shares = {model: float(np.mean(correct[model])) for model in models if model in correct}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is None or margin < shares[best] * LARGE_PART:
            continue
        left = max(shares[best] - margin, 0.0)
        yield diagnose(
            codes.margin_beyond_the_baseline,
            f"a margin of {percent(margin)} can let a model pass that is right for "
            f"{percent(round(left, 4))} of the examples, where `{best}` is right for "
            f"{percent(round(shares[best], 4))}",
            span,
            help="write a margin that is a small part of the reference's accuracy",
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
        if line.kind in ("noninferior", "equivalent") and line.value is not None:
            models = line.models if line.kind == "equivalent" else line.models[-1:]
            yield line.metric, line.value, models, line.span
    for comparison in study.comparisons:
        for test in tests_of(comparison):
            margin = test.keywords().get("margin")
            if isinstance(margin, int | float | Fraction) and not isinstance(margin, bool):
                yield comparison.metrics[0], float(margin), comparison.models, comparison.span


def _values(
    metric: Method, read: Table | GivenOutcomes, models: Sequence[str]
) -> Iterator[tuple[str, float]]:
    """Compute a metric of models whose outputs are given."""
    if isinstance(read, Table) or read.truth is None:
        return
    needs = metric_entry(metric).declaration.needs
    of_labels = needs in ("labels", "values")
    outputs = read.predictions if of_labels else read.scores
    for model in models:
        if model in outputs:
            value = _value(metric, read.truth, outputs[model], read)
            if value is not None:
                yield model, value


def _without_features(
    metric: Method, truth: "NDArray[Any]", read: Table | GivenOutcomes
) -> Iterator[tuple[float, str]]:
    """Compute a metric of models that give every row the same answer: the value, the answer."""
    needs, k = metric_entry(metric).declaration.needs, len(read.classes)
    if needs == "values":
        answers = {"the mean": float(np.mean(truth)), "the median": float(np.median(truth))}
        outputs = [(np.full(len(truth), answer), how) for how, answer in answers.items()]
    else:
        shares = np.bincount(truth[truth >= 0], weights=_weights(read), minlength=k)
        shares = shares / shares.sum()
        if needs == "labels":
            common = {int(shares.argmax()), read.positive}
            outputs = [
                (np.full(len(truth), code), f"`{read.classes[code]}`")
                for code in common
                if code is not None
            ]
        elif k == 2 and read.positive is not None:
            outputs = [(np.full(len(truth), shares[read.positive]), "the share of the class")]
        else:
            outputs = [(np.tile(shares, (len(truth), 1)), "the shares of the classes")]
    for output, how in outputs:
        value = _value(metric, truth, output, read)
        if value is not None:
            yield value, how


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
