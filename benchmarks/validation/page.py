"""Tallies in, `docs/validation.md` out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.validation.running import SEED, Found, replications
from benchmarks.validation.simulation import ERRORS, Line, Section, Simulation, Tally

HEAD = """# Validation

What the tests, intervals and corrections of `evallang.stats` do on data whose truth is known.
Made by

    {command}

with seed {seed}; the same command gives the same file. Figures are per cent, but for areas.
After ± stands the Monte Carlo standard error; a figure without one was added up over all
outcomes. "Replications" is the
number of simulated data sets behind a line. A claim is what theory or the literature says
of a figure (where there are several claims, of the first, second ... figure of the line);
it fails where the figure lies more than {errors:g} Monte Carlo errors outside. {verdict}
"""


def page(
    sections: Sequence[Section],
    simulations: Sequence[Simulation],
    found: Found,
    share: float,
    command: str,
) -> str:
    """Write the page."""
    failed = failures(simulations, found)
    verdict = "All claims hold." if not failed else f"{len(failed)} claims fail: see **fails**."
    parts = [HEAD.format(command=command, seed=SEED, errors=ERRORS, verdict=verdict)]
    for section in sections:
        mine = [s for s in simulations if s.section == section.key]
        if mine:
            parts.append("\n".join(_section(section, mine, found, share)))
    return "\n".join(parts)


def failures(simulations: Sequence[Simulation], found: Found) -> list[str]:
    """Say of every claim that does not hold what was measured."""
    return [
        f"{simulation.section}: {', '.join(line.cells)}: {key} is "
        f"{figure(found[simulation.name][key])}, and the claim is {claim.words}"
        for simulation in simulations
        for line in simulation.lines
        for key, claim in zip(line.keys, line.claims, strict=False)
        if not claim.holds(found[simulation.name][key])
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
    section: Section, simulations: Sequence[Simulation], found: Found, share: float
) -> Iterator[str]:
    drawn = any(simulation.replications for simulation in simulations)
    claimed = any(line.claims for simulation in simulations for line in simulation.lines)
    head = [*section.columns, *section.figures]
    head += ["replications"] * drawn + ["claim"] * claimed
    rule = ["---"] * len(section.columns) + ["--:"] * (len(section.figures) + drawn)
    yield f"## {section.title}\n"
    yield f"{section.text}\n"
    yield _row(head)
    yield _row(rule + ["---"] * claimed)
    for simulation in simulations:
        for line in simulation.lines:
            values = [figure(found[simulation.name][key], section.unit) for key in line.keys]
            values += [""] * (len(section.figures) - len(line.keys))
            count = [f"{replications(simulation, share):,}"] * drawn
            verdict = [_verdict(line, simulation, found)] * claimed
            yield _row([*line.cells, *values, *count, *verdict])
    yield ""


def _verdict(line: Line, simulation: Simulation, found: Found) -> str:
    words = []
    for key, claim in zip(line.keys, line.claims, strict=False):
        holds = claim.holds(found[simulation.name][key])
        words.append(claim.words if holds else f"{claim.words}: **fails**")
    same = len(set(words)) == 1
    return words[0] if same else "; ".join(words)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
