"""Records in, `docs/validation.md` out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.validation.record import Record
from benchmarks.validation.simulation import ERRORS, Line, Section, Simulation, Tally

Records = Mapping[str, Record]

HEAD = """# Validation

This page shows how the tests, intervals and corrections of `evallang.stats` perform on simulated
data whose truth is known. `make validate-full` writes it and resumes after an interruption;
`make validate` runs a part of the same simulations in less than an hour.

Figures are percentages, except for areas. The Monte Carlo standard error follows ±; a figure
without it was summed over all outcomes. "Replications" is the number of simulated data sets of a
line; the same seed gives the same figures. A line with fewer replications than planned, up to
40,000, comes from a shorter run. A claim states what theory or the literature says about a figure
(several claims are about the first, second, ... figure of the line). A claim fails if the figure
deviates from it by more than {errors:g} Monte Carlo errors. {verdict}
"""


@dataclass(frozen=True)
class Failure:
    """A claim that does not hold: its line, the figure, and both in words."""

    line: Line
    key: str
    words: str


def page(sections: Sequence[Section], simulations: Sequence[Simulation], records: Records) -> str:
    """Write the page."""
    failed = failures(simulations, records)
    verdict = "All claims hold."
    if failed:
        verdict = (
            f"{len(failed)} claims fail and are marked **fails**; the text below their table "
            "says what follows."
        )
    parts = [HEAD.format(errors=ERRORS, verdict=verdict)]
    for section in sections:
        mine = [s for s in simulations if s.section == section.key]
        if mine:
            parts.append("\n".join(_section(section, mine, records)))
    return "\n".join(parts)


def failures(simulations: Sequence[Simulation], records: Records) -> list[Failure]:
    """Return every claim that does not hold, with what was measured."""
    return [
        Failure(
            line,
            key,
            f"{simulation.section}: {', '.join(line.cells)}: {key} is "
            f"{figure(records[simulation.name].tallies[key])}, and the claim is {claim.words}",
        )
        for simulation in simulations
        for line in simulation.lines
        for key, claim in zip(line.keys, line.claims, strict=False)
        if not claim.holds(records[simulation.name].tallies[key])
    ]


def figure(value: Tally, unit: str = "%") -> str:
    """Write a figure with its Monte Carlo error, with the digits that the error leaves."""
    scale, digits = (100, 1) if unit == "%" else (1, 3)
    error = value.error
    if error is None:
        return f"{scale * value.value:.{digits + (unit == '%')}f}"
    if error > 0 and scale * error < 10**-digits:
        digits += 1
    return f"{scale * value.value:.{digits}f} ± {scale * error:.{digits}f}"


def _section(
    section: Section, simulations: Sequence[Simulation], records: Records
) -> Iterator[str]:
    claimed = any(line.claims for simulation in simulations for line in simulation.lines)
    head = [*section.columns, *section.figures, "replications", "seed", "date"]
    rule = ["---"] * len(section.columns) + ["--:"] * (len(section.figures) + 2) + ["---"]
    yield f"## {section.title}\n"
    yield f"{section.text}\n"
    yield _row(head + ["claim"] * claimed)
    yield _row(rule + ["---"] * claimed)
    for simulation in simulations:
        record = records[simulation.name]
        drawn = [f"{record.replications:,}", str(record.seed)] if record.replications else ["", ""]
        for line in simulation.lines:
            values = [figure(record.tallies[key], section.unit) for key in line.keys]
            values += [""] * (len(section.figures) - len(line.keys))
            verdict = [_verdict(line, record)] * claimed
            yield _row([*line.cells, *values, *drawn, record.date, *verdict])
    failed = [failure.line.shortfall for failure in failures(simulations, records)]
    for sentence in dict.fromkeys(filter(None, failed)):
        yield f"\n{sentence}"
    yield ""


def _verdict(line: Line, record: Record) -> str:
    words = []
    for key, claim in zip(line.keys, line.claims, strict=False):
        holds = claim.holds(record.tallies[key])
        words.append(claim.words if holds else f"{claim.words}: **fails**")
    same = len(set(words)) == 1
    return words[0] if same else "; ".join(words)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
