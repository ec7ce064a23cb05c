"""Advice on the size and the scale of margins."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.shares import percent
from evallang.checking.rules.study_facts import tests_of
from evallang.compatibility import metric_entry
from evallang.diagnostics import Changes
from evallang.late_pattern import late_pattern
from evallang.study import ComparisonSpec, Method, RequirementSpec, Study

PERCENT = late_pattern(
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


@rule("W344", changes=Changes.QUESTION, source="Kruschke 2018")
def margin_on_another_scale(study: Study) -> Iterator[Objection]:
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
    for line in study.requirements:
        if line.value is None:
            continue
        beyond = {"level": _outside, "superior": _too_far}.get(line.kind, _too_wide)
        problem = beyond(line.metric, line.value) or _percent_of_unit(line, line.metric)
        if problem is not None:
            yield Objection(problem, line.span, help=_margin_words(line.metric, line.value))
    for comparison in study.comparisons:
        for test in tests_of(comparison):
            for name, beyond in (
                ("rope", _too_wide),
                ("margin", _too_wide),
                ("threshold", _outside),
            ):
                value = test.keywords().get(name)
                if isinstance(value, bool | str | tuple) or value is None:
                    continue
                metric = comparison.metrics[0]
                problem = beyond(metric, float(value)) or _percent_of_unit(comparison, metric)
                if problem is not None:
                    yield Objection(
                        problem,
                        comparison.span,
                        help=_margin_words(metric, float(value)),
                    )
    for analysis in study.analyses:
        value = analysis.method.keywords().get("difference")
        judged = analysis.metric or (study.measures[0].metric if study.measures else None)
        if judged is None or not isinstance(value, int | float):
            continue
        problem = _too_far(judged, float(value))
        if problem is not None:
            yield Objection(problem, analysis.span, help=_margin_words(judged, float(value)))


def _range(metric: Method) -> tuple[float, float] | None:
    declared = metric_entry(metric).declaration
    if declared.low is None or declared.high is None:
        return None
    return declared.low, declared.high


def _outside(metric: Method, value: float) -> str | None:
    ends = _range(metric)
    if ends is None or ends[0] <= value <= ends[1]:
        return None
    return f"{value:g} lies outside of what `{metric.written}` can be, {ends[0]:g} to {ends[1]:g}"


def _too_wide(metric: Method, value: float) -> str | None:
    ends = _range(metric)
    if ends is None or value < ends[1] - ends[0]:
        return None
    return (
        f"{value:g} is at least the whole range of `{metric.written}`, so every model is within it"
    )


def _too_far(metric: Method, value: float) -> str | None:
    ends = _range(metric)
    if ends is None or value < ends[1] - ends[0]:
        return None
    return f"{value:g} is the whole range of `{metric.written}` or more, so no model leads by it"


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
