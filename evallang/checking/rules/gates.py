"""Advice on levels, and on lines that a run must meet and cannot."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from evallang.checking.rules.examples import Examples
from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import (
    percent,
    reachable_above,
    reachable_below,
    rounded_share,
    tested_lines,
)
from evallang.compatibility import metric_entry
from evallang.diagnostics import Changes
from evallang.metrics.own_code import own_metric_loaded
from evallang.source import Span
from evallang.spelling import written_name
from evallang.stats.basics import normal_quantile
from evallang.study import RequirementSpec, Study, units_of

NEARLY = 1e-9  # 1 - 0.05 and 0.95 differ in the last bits


@rule("W340", changes=Changes.CLAIMS, source="Cumming & Finch 2005")
def alpha_and_confidence_disagree(study: Study) -> Iterator[Objection]:
    """The level of the intervals does not match the level of the tests.

    An interval at the level 1 - alpha excludes a zero difference where the test rejects. At a
    higher level a significant difference can have an interval that includes zero; at a lower level
    a difference that is not significant can have an interval without zero.

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
        wider = study.confidence > 1 - study.alpha
        can = "include zero where a test" if wider else "exclude zero where no test"
        yield Objection(
            f"intervals at {percent(study.confidence)} with tests at {study.alpha:g}: an "
            f"interval can {can} rejects",
            place,
            help=f"write `confidence {percent(1 - study.alpha)}`, or remove it",
        )


@rule("W341", changes=Changes.CLAIMS, source="Schenker & Gentleman 2001; Raschka 2018, 4.2")
def overlapping_intervals_as_a_gate(study: Study) -> Iterator[Objection]:
    """Two requirements together ask that the intervals of two models do not overlap.

    Two intervals can overlap although the difference is clear, especially when both models were
    tested on the same examples. The interval of the difference decides.

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
    most: dict[tuple[object, ...], list[RequirementSpec]] = {}
    for line in study.requirements:
        if line.kind != "level" or line.value is None or line.operator not in (">=", "<="):
            continue
        other_side = "<=" if line.operator == ">=" else ">="
        for other in most.get((line.metric, line.within, other_side), ()):
            above, below = (line, other) if line.operator == ">=" else (other, line)
            if above.models != below.models and (above.value or 0) >= (below.value or 0):
                yield _overlap(study, above, below, line.span)
                break
        key = line.metric, line.within, line.operator
        # of lines of two models those that ask for most: if any pair is apart, one with them is
        sign = -1 if line.operator == ">=" else 1
        of_model: dict[tuple[str, ...], RequirementSpec] = {}
        for one in sorted((*most.get(key, ()), line), key=lambda one: sign * (one.value or 0)):
            of_model.setdefault(one.models, one)
        most[key] = list(of_model.values())[:2]


@rule("W356", changes=Changes.CLAIMS, source="Armitage, McPherson & Rowe 1969")
def looks_without_a_requirement(study: Study) -> Iterator[Objection]:
    """The study states a number of looks, and has no requirement.

    `looks N` divides the error of one decision among N decisions on the same test data. It sets the
    level of each `require` line and nothing else: intervals and tests keep theirs. Without a
    requirement, the line changes no number, and a reader may believe that it did.

    Objects to:

        study
          looks 12
        counts pair
          models a, b
          table [[900, 9], [1, 90]]
        compare a, b with mcnemar

    Accepts:

        study
          looks 12
        counts pair
          models a, b
          table [[900, 9], [1, 90]]
        require a not worse than b by 2%
    """
    if study.looks is not None and not study.requirements:
        yield Objection(
            f"`looks {study.looks}` sets the level of `require` lines, and the study has no such "
            "line",
            study.places.get("looks"),
            help="write `require MODEL not worse than MODEL by MARGIN`, or remove the line",
        )


def _overlap(
    study: Study, above: RequirementSpec, below: RequirementSpec, place: Span | None
) -> Objection:
    better, worse = written_name(above.models[0]), written_name(below.models[0])
    if metric_entry(above.metric).declaration.better == "lower":
        better, worse = worse, better
    unknown = above.metric.code and own_metric_loaded(above.metric.name) is None
    other = f", or the other way round where lower `{above.metric.name}` is better"
    primary = study.measures[0].metric if study.measures else above.metric
    by = "" if above.metric == primary else f" in {above.metric.written}"
    return Objection(
        f"the intervals of `{above.models[0]}` and `{below.models[0]}` are asked not to "
        "overlap, which is not a test of their difference",
        place,
        help=f"write `require {better} better than {worse}{by}`{other if unknown else ''}",
    )


@rule(
    "W342",
    changes=Changes.PRECISION,
    source="Piaggio et al. 2012; Tango 1998",
    at=(Stage.DATA, Stage.PLAN),
)
def few_examples_for_a_requirement(known: Known) -> Iterator[Objection]:
    """A requirement asks for a narrower interval than so few examples give.

    A requirement is decided by the unfavourable bound of an interval. With n examples the interval
    has a width even for a model without errors, and even for two models that are right equally
    often. A margin inside that width is met only where the first model is observed to be better,
    and a threshold beyond the interval of a model without errors is never met. Nor is a required
    lead that the interval would not show even if every example on which the models differ favoured
    one of them.

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
    study, examples = known.study, known.examples
    units = units_of(study)
    for line in study.requirements:
        if metric_entry(line.metric).declaration.proportion != "all":
            continue
        if line.within is not None or line.test is not None or not 0 < line.level < 1:
            continue
        averaged = line.averaged is not None
        if averaged and line.kind not in ("noninferior", "equivalent"):
            continue  # the interval of an average follows from its standard error alone
        alone = [(item,) for item in examples]
        for part in [examples] if averaged and examples else alone:
            objection = BOUNDS[line.kind](line, part, units.get(part[0].source, "examples"))
            if objection is not None:
                yield objection
                break


def _level(line: RequirementSpec, parts: Sequence[Examples], unit: str) -> Objection | None:
    """A model that is always right has an interval too: Wilson's, from n/(n + z²) to 1."""
    (examples,) = parts
    if line.value is None:
        return None
    z = normal_quantile(line.level)
    n = examples.of(line.models[0])
    best = n / (n + z * z)
    wanted = line.value
    errors = metric_entry(line.metric).declaration.complement
    if errors:
        reachable, asked = 1 - best, line.operator == "<="
        met = wanted >= reachable
    else:
        reachable, asked = best, line.operator == ">="
        met = wanted <= reachable
    if met or not asked:
        return None
    asking = (
        f"{reachable_above(reachable)} or more"
        if errors
        else f"{reachable_below(reachable)} or less"
    )
    return Objection(
        f"with {n} {unit} even a model without an error has an interval that reaches "
        f"{'up' if errors else 'down'} to {rounded_share(reachable)}",
        line.span,
        help=f"ask for {asking}, or test on more {unit}",
    )


def _margin(line: RequirementSpec, parts: Sequence[Examples], unit: str) -> Objection | None:
    """Report a margin inside the interval of equal models, also of an average over data sets."""
    if any(part.samples for part in parts):
        return None  # without pairs no interval of a difference is known beforehand
    each = [part.differ(line.models[0], line.models[1]) or 0 for part in parts]
    apart, n, z = sum(each), sum(part.n for part in parts), normal_quantile(line.level)
    rows = line.averaged == "rows" and n > 0
    least = math.hypot(
        *(
            half_width(own, part.n, z) * (part.n / n if rows else 1 / len(parts))
            for own, part in zip(each, parts, strict=True)
        )
    )
    if line.value is None or line.value >= least:
        return None
    return Objection(
        f"with {n} {unit}, on {apart or 'none'} of which the models differ, the "
        f"interval of two equal models reaches {rounded_share(least)}, beyond the margin of "
        f"{percent(line.value)}",
        line.span,
        help=f"choose the margin by what matters, and test on more {unit}",
    )


def _lead(line: RequirementSpec, parts: Sequence[Examples], unit: str) -> Objection | None:
    """Report a required lead that no split of the discordant examples could show."""
    (examples,) = parts
    apart = examples.differ(line.models[0], line.models[1])
    lead = line.value or 0.0
    if (
        apart is None
        or lead >= 1
        or leads_surely(apart, examples.n, lead, normal_quantile(line.level))
    ):
        return None  # a lead of the whole range is on another scale, which is reported
    first, second = line.models[0], line.models[1]
    short = f"begins at {percent(lead)} or below" if lead else "includes zero"
    if not apart:
        found = f"none of {examples.n} {unit}, so that"
    elif apart == 1:
        found = f"1 of {examples.n} {unit}, and even if it speaks for `{first}`,"
    else:
        found = f"{apart} of {examples.n} {unit}, and even if all speak for `{first}`,"
    return Objection(
        f"`{first}` and `{second}` differ on {found} the interval of their difference {short}",
        line.span,
        help=f"test on more {unit}, or ask for `not worse than ... by MARGIN`",
    )


def leads_surely(discordant: int, n: int, lead: float, z: float) -> bool:
    """Return whether Tango's interval lies above a lead, all discordant pairs being for the first.

    With b = d and c = 0 the restricted estimate of the share of c is q = max(0, d - (2n - d)
    lead) / 2n, and the score statistic (d - n lead) / sqrt(n (2q + lead (1 - lead))); for a
    lead of 0 that is the root of d (Tango 1998).
    """
    q = max(0.0, discordant - (2 * n - discordant) * lead) / (2 * n) if n else 0.0
    variance = n * (2 * q + lead * (1 - lead))
    above = discordant - n * lead
    return variance > 0 and above > 0 and above * above > z * z * variance


def half_width(discordant: int, n: int, z: float) -> float:
    """Return half of Tango's interval of two models that are right equally often.

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


BOUNDS: Mapping[str, Callable[[RequirementSpec, Sequence[Examples], str], Objection | None]] = {
    "level": _level, "superior": _lead, "noninferior": _margin, "equivalent": _margin,
}  # fmt: skip
"""What a line of each kind asks at the least, of an interval on so many examples."""
