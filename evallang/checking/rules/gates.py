"""Advice on levels, margins and the lines that a run must meet."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from evallang.checking.rules.examples import Examples, counted
from evallang.checking.rules.lines import tested_lines, tests_of
from evallang.checking.rules.rule import Objection, rule
from evallang.compatibility import metric_entry
from evallang.metrics.own_code import own_metric_loaded
from evallang.study import ComparisonSpec, Method, RequirementSpec, Study

PERCENT = re.compile(
    r"(?:\b(?:by|within)\s+|[<>]=\s*|\b(?:rope|margin)\s*=\s*)(?P<margin>[\d._]+%)"
)
NEARLY = 1e-9  # 1 - 0.05 and 0.95 differ in the last bits


@rule("W340", source="Cumming & Finch 2005")
def alpha_and_confidence_disagree(study: Study) -> Iterator[Objection]:
    """Intervals are printed at one level and p-values judged at another.

    An interval at 1 - alpha excludes a difference of zero where the test rejects. With
    another level a reader finds a significant difference whose interval holds zero, or the
    other way round.

    Objects to:

        study
          alpha 0.01
          confidence 95%
        counts pair
          models a, b
          table [[90, 9], [1, 40]]
        compare a, b with mcnemar

    Accepts:

        study
          alpha 0.01
          confidence 99%
        counts pair
          models a, b
          table [[90, 9], [1, 40]]
        compare a, b with mcnemar
    """
    place = study.places.get("confidence")
    if place is None or abs(study.confidence - (1 - study.alpha)) <= NEARLY:
        return
    if tested_lines(study):
        yield Objection(
            f"intervals at {percent(study.confidence)} beside tests at {study.alpha:g}: the ones "
            "can hold zero where the others reject",
            place,
            help=f"write `confidence {percent(1 - study.alpha)}`, or leave it out",
        )


@rule("W341", source="Schenker & Gentleman 2001; Raschka 2018, 4.2")
def overlapping_intervals_as_a_gate(study: Study) -> Iterator[Objection]:
    """Two lines ask that the intervals of two models do not overlap.

    Two intervals can overlap where the difference is clear, and the more so since both models
    were tested on the same examples. The interval of the difference decides.

    Objects to:

        counts pair
          models a, b
          table [[900, 90], [1, 9]]
        measure accuracy
        require accuracy of a >= 95%
        require accuracy of b <= 95%

    Accepts:

        counts pair
          models a, b
          table [[900, 90], [1, 9]]
        measure accuracy
        require a better than b
    """
    levels = [r for r in study.requirements if r.kind == "level" and r.value is not None]
    for above in levels:
        for below in levels:
            if above.operator != ">=" or below.operator != "<=":
                continue
            if above.metric != below.metric or above.models == below.models:
                continue
            if (above.value or 0) < (below.value or 0) or above.within != below.within:
                continue
            better, worse = above.models[0], below.models[0]
            if metric_entry(above.metric).declaration.better == "lower":
                better, worse = worse, better
            unknown = above.metric.code and own_metric_loaded(above.metric.name) is None
            other = f", or the other way round where lower {above.metric.name} is better"
            later = max(above, below, key=lambda line: line.index)
            yield Objection(
                f"the intervals of `{above.models[0]}` and `{below.models[0]}` shall not overlap, "
                "which is no test of their difference",
                later.span,
                help=f"write `require {better} better than {worse}`{other if unknown else ''}",
            )


@rule("W342", source="Piaggio et al. 2012; Tango 1998")
def gate_that_cannot_pass(study: Study) -> Iterator[Objection]:
    """A line cannot be met with so few examples, even if the models are equal.

    What is required is decided on the unfavourable bound of an interval. With n examples the
    interval has a width even for a model without an error, and even for two models that are
    right equally often; a margin inside that width can never be met. Nor can a lead, where
    the interval holds less even if every example on which the models differ speaks for it.

    Objects to:

        counts pair
          models a, b
          table [[80, 10], [10, 0]]
        measure accuracy
        require a not worse than b by 2%

    Accepts:

        counts pair
          models a, b
          table [[8000, 1000], [1000, 0]]
        measure accuracy
        require a not worse than b by 2%
    """
    yield from unreachable_bounds(study, counted(study))


def unreachable_bounds(study: Study, examples: Sequence[Examples]) -> Iterator[Objection]:
    """Object to every line whose bound lies inside the narrowest interval there can be."""
    for line in study.requirements:
        if line.metric.name not in ("accuracy", "error_rate"):
            continue
        if line.within is not None or line.test is not None or not 0 < line.level < 1:
            continue
        for item in examples:
            objection = BOUNDS[line.kind](line, item)
            if objection is not None:
                yield objection
                break


def _level(line: RequirementSpec, examples: Examples) -> Objection | None:
    """A model that is always right has an interval too: Wilson's, from n/(n + z²) to 1."""
    if line.value is None:
        return None
    z = _quantile(line.level)
    best = examples.n / (examples.n + z * z)
    wanted = line.value
    if line.metric.name == "error_rate":
        reachable, asked = 1 - best, line.operator == "<="
        met = wanted >= reachable
    else:
        reachable, asked = best, line.operator == ">="
        met = wanted <= reachable
    if met or not asked:
        return None
    return Objection(
        f"with {examples.n} examples even a model without an error has an interval that reaches "
        f"to {percent(reachable)}",
        line.span,
        help=f"ask for {percent(reachable, 1)} at most, or test on more examples"
        if line.metric.name == "accuracy"
        else "ask for less, or test on more examples",
    )


def _margin(line: RequirementSpec, examples: Examples) -> Objection | None:
    apart = examples.differ(line.models[0], line.models[1]) or 0
    least = half_width(apart, examples.n, _quantile(line.level))
    if line.value is None or line.value >= least:
        return None
    return Objection(
        f"with {examples.n} examples, {apart} of which tell the models apart, the interval of two "
        f"equal models reaches to {percent(least)}, and the margin is {percent(line.value)}",
        line.span,
        help="choose the margin by what matters, and test on more examples",
    )


def _lead(line: RequirementSpec, examples: Examples) -> Objection | None:
    """Where all examples that tell the models apart speak for the first, it leads most surely."""
    apart = examples.differ(line.models[0], line.models[1])
    lead = line.value or 0.0
    if apart is None or lead >= 1 or leads_surely(apart, examples.n, lead, _quantile(line.level)):
        return None  # a lead of the whole range is on another scale, which is said
    times = f"{apart} of {examples.n} examples" if apart else f"none of {examples.n} examples"
    return Objection(
        f"`{line.models[0]}` and `{line.models[1]}` differ on {times}, and even if all of them "
        f"speak for `{line.models[0]}`, the interval reaches {percent(lead)} or less",
        line.span,
        help="test on more examples, or ask for `not worse than ... by MARGIN`",
    )


def leads_surely(discordant: int, n: int, lead: float, z: float) -> bool:
    """Tell whether Tango's interval lies above a lead, all discordant pairs being for the first.

    With b = d and c = 0 the restricted estimate of the share of c is q = max(0, d - (2n - d)
    lead) / 2n, and the score statistic (d - n lead) / sqrt(n (2q + lead (1 - lead))); for a
    lead of 0 that is the root of d (Tango 1998).
    """
    q = max(0.0, discordant - (2 * n - discordant) * lead) / (2 * n) if n else 0.0
    variance = n * (2 * q + lead * (1 - lead))
    above = discordant - n * lead
    return variance > 0 and above > 0 and above * above > z * z * variance


def half_width(discordant: int, n: int, z: float) -> float:
    """Give half of Tango's interval of two models that are right equally often.

    With b = c = discordant/2 the score statistic is n d² / (2 q + d - d²), in which q is the
    restricted estimate of the share of either kind of discordant pair (Tango 1998). For no
    discordant pair that is z²/(n + z²).
    """
    if n <= 0:
        return 1.0
    share = discordant / 2 / n
    low, high = 0.0, 1.0
    for _ in range(60):  # halving; 2^-60 is beyond what a float holds
        middle = (low + high) / 2
        linear = 2 * middle - 2 * share
        constant = -share * middle * (1 - middle)
        q = ((linear * linear - 8 * constant) ** 0.5 - linear) / 4
        variance = 2 * q + middle * (1 - middle)
        if variance > 0 and n * middle * middle > z * z * variance:
            high = middle
        else:
            low = middle
    return high


BOUNDS: Mapping[str, Callable[[RequirementSpec, Examples], Objection | None]] = {
    "level": _level, "superior": _lead, "noninferior": _margin, "equivalent": _margin,
}  # fmt: skip
"""What a line of each kind asks at the least, of an interval on so many examples."""


@rule("W343", source="ICH E10; Piaggio et al. 2012")
def margin_larger_than_the_lead(study: Study) -> Iterator[Objection]:
    """A margin is larger than the lead over a third model that the study asks for.

    A model that is allowed to be worse than the reference by more than the reference has to
    be better than a baseline may be no better than the baseline, and still be found not
    worse.

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
                    f"the margin {percent(line.value)} is no smaller than the lead of "
                    f"`{lead.models[0]}` over `{lead.models[-1]}` that is asked for, "
                    f"{percent(lead.value)}",
                    line.span,
                    help="choose a margin that leaves most of the lead, such as half of it",
                )
                break


@rule("W344", source="Kruschke 2018")
def margin_on_another_scale(study: Study) -> Iterator[Objection]:
    """A margin, threshold or region of equivalence is not on the scale of its metric.

    Margins are absolute and in the metric's unit: `by 2` for an accuracy is two hundred
    points, which every model meets, and `by 2%` for an error in the target's unit is 0.02 of
    that unit.

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
        outside = _outside if line.kind == "level" else _too_wide
        problem = outside(line.metric, line.value) or _percent_of_unit(line, line.metric)
        if problem is not None:
            yield Objection(problem, line.span, help=_on_scale(line.metric, line.value))
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
                        help=_on_scale(metric, float(value)),
                    )


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
    return f"{value:g} is the whole range of `{metric.written}` or more, so every model is inside"


def _percent_of_unit(line: RequirementSpec | ComparisonSpec, metric: Method) -> str | None:
    found = PERCENT.search(line.source)
    squared = metric.name == "mse"
    if found is None or not (squared or metric_entry(metric).declaration.unit == "target"):
        return None
    share = float(found["margin"].rstrip("%").replace("_", "")) / 100
    return (
        f"`{metric.written}` is in the {'squared ' if squared else ''}unit of the target, and "
        f"`{found['margin']}` is {share:g} of that unit"
    )


def _on_scale(metric: Method, value: float) -> str:
    ends = _range(metric)
    if ends is not None and ends[1] == 1 and 1 <= value <= 100:
        return f"write `{value:g}%`"
    return f"write the number in the unit of `{metric.name}`"


def percent(share: float, digits: int = 2) -> str:
    """Give a share as `95%`, with as many decimals as it needs, rounded down to `digits`."""
    places = 10**digits
    shown = math.floor(share * 100 * places + NEARLY) / places
    return f"{shown:.{digits}f}".rstrip("0").rstrip(".") + "%"


def _quantile(level: float) -> float:
    from statistics import NormalDist  # only where a study has such lines: it costs a start-up

    return NormalDist().inv_cdf((1 + level) / 2)
