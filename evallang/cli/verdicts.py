"""One line on stdout for each `require`: the decision and the numbers behind it."""

from msgspec import Struct

from evallang.reporting.numbers import p_value
from evallang.reporting.wording import VARIANTS
from evallang.results.records import Requirement, ResultsRecord
from evallang.stats.decisions import distance_shown, power_of_equal_models

POWER = 0.8  # that a study is usually planned for
LITTLE = 0.1  # power below which the width of one interval says little of those of others
MOST_DECIMALS = 8  # more than the unit has, so that no bound is rounded across the line


class Verdict(Struct, frozen=True):
    """How one requirement was decided; `claim` is its line, and where it was decided.

    `power` says what such data can show; it is empty for the level of one model.
    """

    met: bool
    claim: str
    numbers: str
    power: str


def requirement_lines(record: ResultsRecord) -> list[str]:
    """Format each decision: `PASS a not worse than b by 2%: -0.4 points [-1.6, 0.8] (95%)`."""
    return [f"{'PASS' if v.met else 'FAIL'} {v.claim}: {v.numbers}" for v in verdicts(record)]


def verdicts(record: ResultsRecord) -> list[Verdict]:
    """Return the decisions in the order of the study."""
    units = {m.name: m.unit for m in record.methods if m.kind == "metric"}
    return [
        _verdict(found, percent=units.get(found.metric) == "percent", several=len(record.data) > 1)
        for found in record.requirements
    ]


def _verdict(found: Requirement, *, percent: bool, several: bool) -> Verdict:
    where = f" on {found.data}" if several and found.averaged is None else ""
    words = found.source.removeprefix("require ")
    if found.subgroup is not None:
        words = words.replace(f" within {found.subgroup.column}", "")
        where += f" for {found.subgroup.column} = {found.subgroup.level}"
    parts = [part for part in (_numbers(found, percent=percent), _reason(found)) if part]
    return Verdict(found.met, f"{words}{where}", "; ".join(parts), _power(found, percent=percent))


def _power(found: Requirement, *, percent: bool) -> str:
    """Print the power at equal models and the margin that raises it, or the lead that is shown."""
    low, high = found.interval or (None, None)
    if found.kind == "level" or low is None or high is None or not low < high:
        return ""
    half, both = (high - low) / 2, found.kind == "equivalent"
    shown = distance_shown(half, found.level, POWER, both=both)
    line = found.margin or 0.0
    size = line + shown if found.kind == "superior" else shown
    told = f"{100 * size:.1f} points" if percent else f"{size:.3g}"
    if found.kind == "superior":
        return f"{POWER:.0%} if the true lead is {told}"
    power = power_of_equal_models(half, found.level, line, both=both)
    chance = f"{power:.0%}" if power >= LITTLE else f"below {LITTLE:.0%}"
    return f"{chance} if the models are equal; {POWER:.0%} with a margin of {told}"


def _numbers(found: Requirement, *, percent: bool) -> str:
    """Print value, interval, level, method and the test that decided, if one did."""
    if found.value is None:
        return ""
    low, high = found.interval or (None, None)
    scale = 100 if percent else 1
    bounds = [bound * scale for bound in (low, high) if bound is not None]
    lines = [line * scale for line in _lines(found)]
    places = _decimals(bounds, lines, 1 if percent else 4)
    shown = _number(found.value * scale, places)
    if percent:
        shown += "%" if found.kind == "level" else " points"
    if low is None or high is None:
        return shown
    how = f"{found.level * 100:.6g}% {found.method}"
    test = found.test
    if test is not None and test.p is not None:
        implied = test.variant == test.test or VARIANTS.get(test.variant) == ""
        level = 1 - found.level if found.alpha is None else found.alpha
        printed = p_value(test.p, level, error=test.mc_se)
        variant = "" if implied else f" {test.variant}"
        how += f"; {test.test}{variant}, p {printed.relation} {printed.text}"
    return f"{shown} [{_number(low * scale, places)}, {_number(high * scale, places)}] ({how})"


def _lines(found: Requirement) -> tuple[float, ...]:
    """Return the numbers that a bound of the interval is compared with."""
    if found.kind == "level":
        return () if found.threshold is None else (found.threshold,)
    return (-found.margin, found.margin) if found.margin else (0.0,)


def _decimals(bounds: list[float], lines: list[float], least: int) -> int:
    """Return the fewest decimals with which no bound is rounded across a line."""

    def side(value: float, line: float) -> int:
        return (value > line) - (value < line)

    for places in range(least, least + MOST_DECIMALS):
        pairs = [(bound, line) for bound in bounds for line in lines]
        if all(side(round(bound, places), line) == side(bound, line) for bound, line in pairs):
            return places
    return least


def _number(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if not float(text) else text


def _reason(found: Requirement) -> str:
    """Return why a requirement is not met, if its numbers do not show it."""
    shown = found.value is not None and found.interval is not None and found.test is None
    if found.met and found.value is not None and found.interval is None:
        return "equal on every example, so without an interval"
    return "" if found.met or found.reason is None or shown else found.reason
